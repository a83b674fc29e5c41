"""What variants of the rules do to a corpus, side by side: as tables and as JSON."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.workbench.corpus import Case
from eggrad.frontend.workbench.experiment import Outcome, Point, Sizes, experiment
from eggrad.frontend.workbench.tables import aligned, grouped
from eggrad.frontend.workbench.variant import Variant

__all__ = ["Findings", "as_json", "as_text", "compare", "rule_rows", "total_rows"]

TOTALS = (
    "variant",
    "failed",
    "cut short",
    "other text",
    "nodes",
    "operations",
    "e-nodes",
    "classes",
    "iterations",
    "seconds",
)
SHOWN_RULES = 25


@dataclass(frozen=True)
class Findings:
    """What one variant did to every case."""

    name: str
    outcomes: tuple[Outcome, ...]

    def total(self, what: str) -> Any:
        """The sum of a number over all cases."""
        return sum(getattr(o, what) for o in self.outcomes)

    @cached_property
    def hits(self) -> Counter[str]:
        """The matches of each rule in all cases."""
        return sum((o.hits for o in self.outcomes), Counter[str]())

    @cached_property
    def times(self) -> Counter[str]:
        """The seconds of each rule in all cases."""
        return sum((o.times for o in self.outcomes), Counter[str]())

    @cached_property
    def growth(self) -> tuple[Point, ...]:
        """The e-graphs of all cases together, iteration by iteration.

        A case that has ended keeps its last size; the stage is that of the longest one.
        """
        runs = sorted((o.growth for o in self.outcomes if o.growth), key=len)
        return tuple(
            Point(
                runs[-1][k].stage,
                sum(run[min(k, len(run) - 1)].enodes for run in runs),
                sum(run[min(k, len(run) - 1)].classes for run in runs),
            )
            for k in range(len(runs[-1]) if runs else 0)
        )


def compare(
    cases: Sequence[Case], variants: Iterable[Variant], sizes: Sizes, budget: Budget | None = None
) -> Iterator[Findings]:
    """What each variant does to each case."""
    for variant in variants:
        yield Findings(variant.name, tuple(experiment(cases, variant, sizes, budget)))


def total_rows(found: Sequence[Findings]) -> list[tuple[str, ...]]:
    """For each variant what `TOTALS` names; texts are compared with those of the first."""
    rows: list[tuple[str, ...]] = []
    for f in found:
        failed = sum(bool(o.failure) for o in f.outcomes)
        cut = sum(not o.complete for o in f.outcomes)
        pairs = zip(f.outcomes, found[0].outcomes, strict=True)
        other = sum(a.text != b.text for a, b in pairs)
        sums = (f.total(w) for w in ("nodes", "operations", "enodes", "classes", "iterations"))
        seconds = f"{f.total('seconds'):.3f}"
        rows.append(
            (f"{len(rows) + 1} {f.name}", *map(grouped, (failed, cut, other, *sums)), seconds)
        )
    return rows


def rule_rows(found: Sequence[Findings]) -> list[tuple[str, ...]]:
    """For each rule its matches and milliseconds in each variant, most matches first."""
    most: Counter[str] = Counter()
    for f in found:
        most |= f.hits
    return [
        (
            rule,
            *(
                cell
                for f in found
                for cell in (grouped(f.hits[rule]), f"{1000 * f.times[rule]:.1f}")
            ),
        )
        for rule in sorted(most, key=lambda r: (-most[r], r))
    ]


def as_text(found: Sequence[Findings]) -> str:
    """The totals, results where there are few, and the rules that fire most."""
    parts = [aligned(TOTALS, total_rows(found))]
    for k, outcome in enumerate(found[0].outcomes):
        texts = [f.outcomes[k].text or f.outcomes[k].failure for f in found]
        if len(set(texts)) > 1 or len(found[0].outcomes) == 1:
            name = "" if len(found[0].outcomes) == 1 else f"{outcome.case}\n"
            parts.append(name + "\n".join(f"{n} {text}" for n, text in enumerate(texts, 1)))
    rows = rule_rows(found)
    head = ("rule", *(f"{what} {n + 1}" for n in range(len(found)) for what in ("hits", "ms")))
    parts.append(aligned(head, rows[:SHOWN_RULES]))
    if len(rows) > SHOWN_RULES:
        parts.append(f"and {len(rows) - SHOWN_RULES} rules with fewer hits (--json has all)")
    return "\n\n".join(parts)


def as_json(found: Sequence[Findings]) -> dict[str, Any]:
    """Everything, for other programs."""
    return {
        "variants": [
            {
                "name": f.name,
                "rules": {
                    r: {"hits": n, "seconds": round(f.times[r], 6)}
                    for r, n in sorted(f.hits.items())
                },
                "cases": [_case(o) for o in f.outcomes],
            }
            for f in found
        ]
    }


def _case(outcome: Outcome) -> dict[str, Any]:
    named = ("case", "text", "failure", "nodes", "operations", "enodes", "classes", "iterations")
    found: dict[str, Any] = {name: getattr(outcome, name) for name in named}
    return found | {
        "complete": outcome.complete,
        "seconds": round(outcome.seconds, 6),
        "growth": [[p.stage, p.enodes, p.classes] for p in outcome.growth],
    }
