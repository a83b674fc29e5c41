"""The report on variants of the rules as a page, with plots."""

from collections.abc import Mapping, Sequence

from eggrad.frontend.workbench.corpus import Case
from eggrad.frontend.workbench.html_page import markup, page, table
from eggrad.frontend.workbench.html_plots import bar_plot, line_plot
from eggrad.frontend.workbench.rule_report import TOTALS, Findings, rule_rows, total_rows

__all__ = ["report_page"]

SHOWN_BARS = 40
SHOWN_CASES = 200


def report_page(found: Sequence[Findings], cases: Sequence[Case], laws: Mapping[str, str]) -> str:
    """One self-contained page; `laws` has the sentence of every rule."""
    single = len(cases) == 1
    names = [f.name for f in found]
    what = "one expression" if single else f"{len(cases)} expressions"
    parts = [f'<p class="note">Rules compared on {what}.</p>']
    if single:
        parts.append(f"<p><code>{markup(cases[0].text)}</code></p>")
    parts += ["<h2>Totals</h2>", table(TOTALS, total_rows(found)), _results(found, single)]
    parts += _growth(found, single)
    parts += _bars(found, laws)
    head = ("rule", *(cell for name in names for cell in (f"hits, {name}", "ms")))
    parts.append(
        f"<details><summary>All rules that fired</summary>{table(head, rule_rows(found))}</details>"
    )
    if not single:
        parts.append(_cases(found))
    return page("What the rules do", *parts)


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
