"""What one iteration of an e-graph did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.metadata import version
from typing import Protocol

__all__ = ["Iteration", "RunReport", "read_iteration"]


@dataclass(frozen=True)
class Iteration:
    """Whether anything changed, the matches of each rule, and if asked for its seconds."""

    changed: bool
    matches: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict[str, float])


class RunReport(Protocol):
    """What egglog tells of a run; a rule's name ends with the number of its variant."""

    @property
    def updated(self) -> bool:
        """Whether anything changed."""
        ...

    @property
    def num_matches_per_rule(self) -> Mapping[str, int]:
        """The matches of every variant."""
        ...

    @property
    def search_and_apply_time_per_rule(self) -> Mapping[str, timedelta]:
        """The time of every variant."""
        ...


def read_iteration(report: RunReport, timed: bool = False) -> Iteration:
    """The same by the rules' names; egglog 13 reports no seconds below a millisecond."""
    matches: dict[str, int] = {}
    for label, n in report.num_matches_per_rule.items():
        if n:
            name = label.partition("/")[0]
            matches[name] = matches.get(name, 0) + n
    seconds: dict[str, float] = {}
    if timed:
        # What egglog 13 calls a microsecond is a thousand of them.
        unit = 1000 if version("egglog").startswith("13.") else 1
        for label, time in report.search_and_apply_time_per_rule.items():
            name = label.partition("/")[0]
            seconds[name] = seconds.get(name, 0.0) + time.total_seconds() * unit
    return Iteration(report.updated, matches, seconds)
