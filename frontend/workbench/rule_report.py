"""What variants of the rules do to a corpus, side by side: as tables, as JSON, as a page."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.printing.display import markup
from eggrad.frontend.workbench.experiment import Case, Outcome, Point, Sizes, Variant, experiment
from eggrad.frontend.workbench.pages import (
    aligned,
    bar_plot,
    grouped,
    line_plot,
    page,
    table,
)

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


@dataclass(frozen=True, repr=False)
class Findings:
    """What one variant did to every case."""

    name: str
    outcomes: tuple[Outcome, ...]

    def __repr__(self) -> str:
        """Show the sums that tables show."""
        sums = ", ".join(
            f"{h} {t}" for h, t in zip(TOTALS[1:], total_rows([self])[0][1:], strict=True)
        )
        return f"<Findings {self.name}: {sums}>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return table(TOTALS, total_rows([self]))

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


SIDES = (
    "left | right",
    "answers left alone",
    "right alone",
    "fewer operations left",
    "right",
    "fewer nodes left",
    "right",
    "fewer e-nodes left",
    "right",
    "other text",
)
_BESIDE = "In how many cases one of two variants does better than the other."
_SUMS = ("nodes", "operations", "enodes")


def side_rows(found: Sequence[Findings]) -> list[tuple[str, ...]]:
    """For each two variants what `SIDES` names: in how many cases which of them does better."""
    rows: list[tuple[str, ...]] = []
    for (m, left), (n, right) in combinations(enumerate(found, 1), 2):
        pairs = list(zip(left.outcomes, right.outcomes, strict=True))
        both = [(a, b) for a, b in pairs if not (a.failure or b.failure)]
        counts = [sum(bool(b.failure and not a.failure) for a, b in pairs)]
        counts.append(sum(bool(a.failure and not b.failure) for a, b in pairs))
        for what in ("operations", "nodes", "enodes"):
            numbers = [(getattr(a, what), getattr(b, what)) for a, b in both]
            counts += [sum(x < y for x, y in numbers), sum(x > y for x, y in numbers)]
        counts.append(sum(a.text != b.text for a, b in both))
        rows.append((f"{m} {left.name} | {n} {right.name}", *map(grouped, counts)))
    return rows


def by_mode(found: Sequence[Findings], cases: Sequence[Case]) -> list[Findings]:
    """The derivatives of each variant in each mode, where there are several modes."""
    modes = dict.fromkeys(c.mode for c in cases if c.wrt)
    if len(modes) < 2:
        return []
    names = {m: {c.name for c in cases if c.wrt and c.mode == m} for m in modes}
    return [
        Findings(f"{f.name}, {m}", tuple(o for o in f.outcomes if o.case in names[m]))
        for f in found
        for m in modes
    ]


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


def as_text(found: Sequence[Findings], modes: Sequence[Findings] = ()) -> str:
    """The totals, also `by_mode`, results where there are few, and the rules that fire most."""
    parts = [aligned(TOTALS, total_rows(found))]
    if len(found) > 1 and len(found[0].outcomes) > 1:
        parts.append(aligned(SIDES, side_rows(found)))
    parts += [aligned(TOTALS, total_rows(modes))] if modes else []
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


# The page, with plots ----------------------------------------------------------------------


SHOWN_BARS = 40
SHOWN_CASES = 200


def report_page(
    found: Sequence[Findings], cases: Sequence[Case], laws: Mapping[str, str], *sections: str
) -> str:
    """One self-contained page; `laws` has the sentence of every rule, `sections` come last."""
    single = len(cases) == 1
    names = [f.name for f in found]
    what = "one expression" if single else f"{len(cases)} expressions"
    parts = [f'<p class="note">Rules compared on {what}.</p>']
    if single:
        parts.append(f"<p><code>{markup(cases[0].text)}</code></p>")
    parts += ["<h2>Totals</h2>", table(TOTALS, total_rows(found))]
    if len(found) > 1 and not single:
        parts.append(f'<h2>Side by side</h2><p class="note">{_BESIDE}</p>')
        parts.append(table(SIDES, side_rows(found)))
    modes = by_mode(found, cases)
    if modes:
        parts += ["<h2>By mode</h2>", table(TOTALS, total_rows(modes))]
        sums = [(f.name, "", [f.total(w) for w in _SUMS]) for f in modes]
        parts.append(bar_plot(sums, _SUMS))
    parts.append(_results(found, single))
    parts += _growth(found, single)
    parts += _bars(found, laws)
    head = ("rule", *(cell for name in names for cell in (f"hits, {name}", "ms")))
    parts.append(
        f"<details><summary>All rules that fired</summary>{table(head, rule_rows(found))}</details>"
    )
    if not single:
        parts.append(_cases(found))
    return page("What the rules do", *parts, *sections)


def _growth(found: Sequence[Findings], single: bool) -> list[str]:
    marks = [p.stage for p in max((f.growth for f in found), key=len)]
    together = (
        ""
        if single
        else " All cases together, iteration by iteration; one that has ended keeps its size."
    )
    note = f'<p class="note">After every iteration.{together} Shades are stages.</p>'
    return [
        "<h2>E-nodes</h2>",
        note,
        line_plot({f.name: [p.enodes for p in f.growth] for f in found}, marks, "e-nodes"),
        "<h2>Classes</h2>",
        line_plot({f.name: [p.classes for p in f.growth] for f in found}, marks, "classes"),
    ]


def _bars(found: Sequence[Findings], laws: Mapping[str, str]) -> list[str]:
    names = [f.name for f in found]
    order = [row[0] for row in rule_rows(found)]
    hits = [(r, laws.get(r, ""), [f.hits[r] for f in found]) for r in order[:SHOWN_BARS]]
    parts = [
        "<h2>Hits of each rule</h2>",
        f'<p class="note">Matches; of a bulk rule what was new. {_shown(len(hits), order)}</p>',
        bar_plot(hits, names),
    ]
    spent = sorted(order, key=lambda r: -max(f.times[r] for f in found))
    times = [
        (r, laws.get(r, ""), [round(1000 * f.times[r], 2) for f in found])
        for r in spent[:SHOWN_BARS]
        if max(f.times[r] for f in found) > 0
    ]
    if times:
        note = (
            "Milliseconds, as egglog reports them; egglog 13 counts no time below one. Those of "
            f"bulk rules are measured apart. {_shown(len(times), order)}"
        )
        parts += [
            "<h2>Time of each rule</h2>",
            f'<p class="note">{note}</p>',
            bar_plot(times, names),
        ]
    return parts


def _shown(shown: int, order: Sequence[str]) -> str:
    rest = len(order) - shown
    return f"{rest} more are in the table below." if rest > 0 else ""


def _results(found: Sequence[Findings], single: bool) -> str:
    """The results that differ between variants; of a single expression, all."""
    blocks: list[str] = []
    for k, first in enumerate(found[0].outcomes):
        texts = [(f.name, f.outcomes[k].text or f.outcomes[k].failure) for f in found]
        if single or len({text for _, text in texts}) > 1:
            title = "" if single else f"<p><b>{markup(first.case)}</b></p>"
            rows = "".join(
                f"<tr><td>{markup(name)}</td><td><code>{markup(text)}</code></td></tr>"
                for name, text in texts
            )
            blocks.append(f'{title}<div class="wide"><table>{rows}</table></div>')
    if not blocks:
        return ""
    shown = "".join(blocks)
    if single:
        return f"<h2>Result</h2>{shown}"
    return f"<details><summary>{len(blocks)} results differ</summary>{shown}</details>"


def _cases(found: Sequence[Findings]) -> str:
    """Nodes, operations, e-nodes and milliseconds of every case."""
    head = ["case"]
    for f in found:
        head += [f"nodes, {f.name}", "operations", "e-nodes", "ms"]
    rows = [
        (
            first.case,
            *(
                cell
                for o in (f.outcomes[k] for f in found)
                for cell in (
                    str(o.nodes),
                    f"{o.operations:,}",
                    f"{o.enodes:,}",
                    f"{1000 * o.seconds:.1f}",
                )
            ),
        )
        for k, first in enumerate(found[0].outcomes[:SHOWN_CASES])
    ]
    more = len(found[0].outcomes) - len(rows)
    note = f'<p class="note">{more} more cases are left out here.</p>' if more > 0 else ""
    return f"<details><summary>Every case</summary>{table(head, rows)}{note}</details>"
