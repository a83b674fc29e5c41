"""Expressions that need the rules which change no public derivative for the worse."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from eggrad.engine.binding import symbols
from eggrad.engine.errors import EggradError
from eggrad.engine.operations import count, node_count
from eggrad.engine.stages import System
from eggrad.engine.strategy import Strategy
from eggrad.frontend import calculus
from eggrad.frontend.rule_docs import table as markdown
from eggrad.frontend.text_parser import parse
from eggrad.frontend.variant import BASE

__all__ = ["NEEDED", "Loss", "loss", "table"]

SIZE = 100
MODES = ("forward", "reverse")


def _read(path: Path) -> dict[str, str]:
    lines = (line for line in path.read_text("utf-8").splitlines() if line and line[0] != "#")
    return dict(line.split(": ", 1) for line in lines)


NEEDED = _read(Path(__file__).parent / "data" / "needed_rules.txt")


@dataclass(frozen=True)
class Outcome:
    """What a result takes; `operations` are counted at 100 for every size."""

    operations: int
    nodes: int
    complete: bool


@dataclass(frozen=True)
class Loss:
    """The outcome with all rules, and without one of them; None where there is no result."""

    before: Outcome
    after: Outcome | None

    def __str__(self) -> str:
        """What got worse; nothing where nothing did."""
        old, new = self.before, self.after
        if new is None:
            return "no answer"
        if new.operations > old.operations:
            return f"{new.operations:,} operations for {old.operations:,}"
        if new.nodes > old.nodes:
            return f"{new.nodes} nodes for {old.nodes}"
        return "cut short" if old.complete and not new.complete else ""


def loss(rule: str) -> Loss:
    """What its expression loses without a rule; a rule of one mode is judged in that mode."""
    before = _outcome(rule, _all_rules())
    assert before is not None, rule
    return Loss(before, _outcome(rule, BASE.without(rule).systems()))


@cache
def _all_rules() -> Callable[[Strategy], System]:
    return BASE.systems()


def _outcome(rule: str, systems: Callable[[Strategy], System]) -> Outcome | None:
    problem = parse(NEEDED[rule])
    ruleset = rule.partition(".")[0]
    mode = ruleset if ruleset in MODES else "auto"
    try:
        if problem.wrt:
            found = calculus.differentiate(problem.term, problem.wrt, mode, systems=systems)
        else:
            found = calculus.simplify(problem.term, systems=systems)
    except EggradError:
        return None
    sizes = dict.fromkeys(symbols(found.term), SIZE)
    return Outcome(count([found.term], sizes), node_count([found.term]), found.complete)


def table(rules: Iterable[str]) -> str:
    """The expressions of some rules, and what each loses, in Markdown."""
    rows = [(f"`{rule}`", f"`{NEEDED[rule]}`", str(loss(rule))) for rule in rules]
    return "\n".join(markdown(("rule", "an expression that needs it", "without it"), rows))
