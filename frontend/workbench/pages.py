"""Tables as text, and self-contained HTML pages of tables and plots."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import floor, log10
from typing import Final

from eggrad.frontend.printing.display import markup


def grouped(number: float) -> str:
    """A number with its thousands apart; what is no whole number with two digits.

    >>> grouped(1234567), grouped(0.25)
    ('1,234,567', '0.25')
    """
    return f"{number:,}" if number == int(number) else f"{number:,.2f}"


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with columns in line: words from the left, columns of numbers from the right.

    >>> print(aligned(("rule", "hits"), [("add_zero", "7"), ("sift", "12")]))
    rule      hits
    add_zero     7
    sift        12
    """
    body = [tuple(row) for row in rows]
    columns = list(zip(head, *body, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [_numeric(column[1:]) for column in columns]
    lines = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (tuple(head), *body)
    ]
    return "\n".join(lines)


def _numeric(cells: Iterable[str]) -> bool:
    """Whether all cells of a column are numbers, or empty."""
    return all(c.strip(" +-.,%0123456789") == "" for c in cells)


# Pages -------------------------------------------------------------------------------------


_STYLE = """\
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1b1f24; background: #fff;
  margin: 2rem auto; max-width: 72rem; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p.note { color: #57606a; margin: .3rem 0 .8rem; max-width: 60rem; }
code { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .25rem .7rem; text-align: left; border-bottom: 1px solid #d8dee4;
  vertical-align: top; }
th { font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; white-space: nowrap; }
svg { max-width: 100%; height: auto; }
details { margin: .8rem 0; }
summary { cursor: pointer; }
.tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs > label { display: inline-block; padding: .35rem .8rem; margin: 0 .15rem .6rem 0;
  border: 1px solid #d0d7de; border-radius: 6px; cursor: pointer; }
.tabs > input:checked + label { background: #0b5394; border-color: #0b5394; color: #fff; }
.tabs > input:focus-visible + label { outline: 2px solid #d55e00; outline-offset: 2px; }
.tabs > section { display: none; }
"""
# The browser itself sees to it that nothing is fetched.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(title: str, *parts: str) -> str:
    """A whole page; the parts are HTML, the title is text.

    The icon is empty, or the browser would ask for one.

    >>> page("a < b", "<p>c</p>").count("a &lt; b")
    2
    """
    body = "\n".join(parts)
    shown = markup(title)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<link rel="icon" href="data:,">\n'
        f"<title>{shown}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{shown}</h1>\n{body}\n</body>\n</html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; all columns but the first are numbers.

    >>> table(["rule", "hits"], [["x < y", "3"]]).count("<tr>")
    2
    """
    lines = [_row("th", head), *(_row("td", row) for row in rows)]
    return f'<div class="wide"><table>\n{"".join(lines)}</table></div>'


def _row(tag: str, cells: Sequence[str]) -> str:
    first, *others = (markup(c) for c in cells)
    rest = "".join(f'<{tag} class="number">{c}</{tag}>' for c in others)
    return f"<tr><{tag}>{first}</{tag}>{rest}</tr>\n"


def tabs(sections: Sequence[tuple[str, str]]) -> str:
    """Sections of which one is seen at a time: their names, as text, and their HTML.

    >>> tabs([("load", "<p>a</p>"), ("simplify", "<p>b</p>")]).count("<section")
    2
    """
    buttons, bodies, rules = [], [], []
    for k, (name, body) in enumerate(sections):
        checked = " checked" if k == 0 else ""
        buttons.append(
            f'<input type="radio" name="tab" id="tab{k}"{checked}>'
            f'<label for="tab{k}">{markup(name)}</label>'
        )
        bodies.append(f'<section id="part{k}">\n{body}\n</section>')
        rules.append(f"#tab{k}:checked ~ #part{k}")
    style = f"<style>{', '.join(rules)} {{ display: block; }}</style>"
    return f'{style}\n<div class="tabs">\n' + "\n".join([*buttons, *bodies]) + "\n</div>"


# Plots as SVG: lines over iterations, and bars ---------------------------------------------


# Okabe and Ito's palette, which people with any kind of colour vision can tell apart.
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_BANDS: Final = ("#f6f8fa", "#e9edf1")
_TEXT: Final = 'font-family="system-ui, sans-serif" font-size="12" fill="#1b1f24"'
_WIDTH: Final = 900
_HEIGHT: Final = 320
_LEFT: Final = 70
_RIGHT: Final = 20
_TOP: Final = 30
_BOTTOM: Final = 40
_BAR: Final = 13
_LABEL: Final = 260


def line_plot(series: Mapping[str, Sequence[float]], marks: Sequence[str], axis: str) -> str:
    """Lines over iterations from 0 on; `marks` names the stage of each, shown as bands.

    >>> line_plot({"standard": [3, 7, 9]}, ["load", "simplify", "simplify"], "e-nodes")[:4]
    '<svg'
    """
    longest = max((len(s) for s in series.values()), default=0)
    step, top = _scale(max((max(s, default=0) for s in series.values()), default=0))
    plot_width, plot_height = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM

    def x(k: float) -> float:
        return _LEFT + plot_width * k / max(1, longest - 1)

    def y(value: float) -> float:
        return _TOP + plot_height * (1 - value / top)

    parts = [*_bands(marks, x)]
    for k in range(round(top / step) + 1):
        height = f"{y(k * step):.1f}"
        parts.append(f'<path d="M{_LEFT} {height}H{_WIDTH - _RIGHT}" stroke="#d8dee4"/>')
        parts.append(_text(_LEFT - 8, y(k * step) + 4, f"{k * step:,.10g}", "end"))
    every = max(1, -(-longest // 15))
    for k in range(0, longest, every):
        parts.append(_text(x(k), _HEIGHT - _BOTTOM + 18, str(k), "middle"))
    parts.append(_text(_LEFT + plot_width / 2, _HEIGHT - 4, "iteration", "middle"))
    for k, (name, values) in enumerate(series.items()):
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
        last = f"{name}: {values[-1]:,} {axis} at the end" if values else name
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{_colour(k)}" stroke-width="2">'
            f"<title>{markup(last)}</title></polyline>"
        )
    return _svg(_WIDTH, _HEIGHT, parts) + _legend(list(series))


def _bands(marks: Sequence[str], x: Callable[[float], float]) -> Iterator[str]:
    """Behind the lines a band for every stage, with its name where there is room."""
    starts = [k for k, name in enumerate(marks) if k == 0 or name != marks[k - 1]]
    for place, (start, after) in enumerate(pairwise([*starts, len(marks)])):
        left, right = x(max(0, start - 1)), x(after - 1)
        name = marks[start]
        yield (
            f'<rect x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" '
            f'height="{_HEIGHT - _TOP - _BOTTOM}" fill="{_BANDS[place % 2]}">'
            f"<title>{markup(name)}</title></rect>"
        )
        if right - left > 7 * len(name):
            yield _text((left + right) / 2, _TOP - 8, name, "middle")


def bar_plot(rows: Sequence[tuple[str, str, Sequence[float]]], names: Sequence[str]) -> str:
    """Bars from the left; each row has a label, a remark shown on hovering, and a value a name.

    >>> bar_plot([("add_zero", "a + 0 = a", [3])], ["standard"]).count("<rect")
    1
    """
    top = max((v for _, _, values in rows for v in values), default=0) or 1
    row = _BAR * len(names) + 7
    room = _WIDTH - _LABEL - 70
    parts: list[str] = []
    for i, (label, remark, values) in enumerate(rows):
        parts.append(f"<g><title>{markup(remark)}</title>")
        middle = row * i + (row - 7) / 2 + 4
        parts.append(_text(_LABEL - 8, middle, label, "end"))
        for k, value in enumerate(values):
            width = room * value / top
            y = row * i + _BAR * k
            parts.append(
                f'<rect x="{_LABEL}" y="{y}" width="{max(width, 0.5):.1f}" height="{_BAR - 2}" '
                f'fill="{_colour(k)}"/>'
            )
            parts.append(_text(_LABEL + width + 5, y + _BAR - 3, f"{value:,.10g}", "start"))
        parts.append("</g>")
    legend = _legend(names) if len(names) > 1 else ""
    return _svg(_WIDTH, row * len(rows), parts) + legend


def _scale(most: float) -> tuple[float, float]:
    """The distance between lines of a grid, and the highest of them.

    >>> _scale(930)
    (200, 1000)
    """
    if most <= 0:
        return 1, 1
    power = 10 ** floor(log10(most))
    step = next(power * f for f in (0.2, 0.5, 1, 2) if most / (power * f) <= 6)
    step = round(step) if step >= 1 else step
    return step, step * -(-most // step)


def _colour(k: int) -> str:
    return COLOURS[k % len(COLOURS)]


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {_TEXT}>{markup(text)}</text>'


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    inside = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">\n{inside}\n</svg>'
    )


def _legend(names: Sequence[str]) -> str:
    """What each colour means."""
    entries = (
        f'<span style="display:inline-block;width:12px;height:12px;background:{_colour(k)};'
        f'margin:0 .35rem 0 1rem"></span>{markup(name)}'
        for k, name in enumerate(names)
    )
    return f'<p class="note">{"".join(entries)}</p>'
