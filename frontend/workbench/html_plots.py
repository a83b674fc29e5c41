"""Plots as SVG: lines over iterations, and bars."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import floor, log10
from typing import Final

from eggrad.frontend.workbench.html_page import markup

__all__ = ["COLOURS", "bar_plot", "line_plot"]

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
