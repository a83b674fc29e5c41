"""The boxes of an e-graph as SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from eggrad.frontend.workbench.graph_boxes import Box, Boxes
from eggrad.frontend.workbench.html_page import markup
from eggrad.frontend.workbench.layered_layout import Layout, layered

__all__ = ["Picture", "draw", "stacked"]

CHARACTER = 7.3
ROW = 17.0
HEAD = 20.0
MARGIN = 16.0
HEADING = 46.0
BLUE = "#0b5394"
FONT = 'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="12"'


@dataclass(frozen=True)
class Picture:
    """What is inside an SVG element, and its size."""

    text: str
    width: float
    height: float

    @property
    def svg(self) -> str:
        """The picture alone."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:.0f}" '
            f'height="{self.height:.0f}" viewBox="0 0 {self.width:.0f} {self.height:.0f}" '
            f'role="img">\n{self.text}\n</svg>'
        )


def draw(found: Boxes) -> Picture:
    """Every class a box with its members, from the root on the left; lines lead to operands.

    The extracted term is blue. Dashed lines lead back to the left: they close a cycle.
    """
    boxes = found.boxes
    sizes = {c: _size(box) for c, box in boxes.items()}
    edges = [(c, d) for c, box in boxes.items() for line in box.lines for d in line.children]
    layout = layered(sizes, edges, [c for c, box in boxes.items() if box.leaf])
    lines = sorted(_lines(boxes, layout, sizes))
    shown = [text for _, text in lines]
    for c, box in boxes.items():
        shown.extend(_box(box, *layout.corners[c], *sizes[c]))
    inside = "\n".join(shown)
    return Picture(
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<g transform="translate({MARGIN},{MARGIN})" {FONT} fill="#1b1f24">\n{inside}\n</g>',
        layout.width + 2 * MARGIN,
        layout.height + 2 * MARGIN,
    )


def stacked(pictures: Sequence[tuple[str, str, Picture]]) -> str:
    """One SVG of several pictures, each under its title and a remark."""
    parts: list[str] = []
    y = 0.0
    width = max(max(p.width, MARGIN * 2 + CHARACTER * len(r)) for _, r, p in pictures)
    for title, remark, picture in pictures:
        parts.append(
            f'<text x="{MARGIN}" y="{y + 22}" font-family="sans-serif" font-size="16" '
            f'font-weight="bold">{markup(title)}</text>'
            f'<text x="{MARGIN}" y="{y + 40}" font-family="sans-serif" font-size="12" '
            f'fill="#57606a">{markup(remark)}</text>'
        )
        parts.append(
            f'<svg x="0" y="{y + HEADING:.0f}" width="{picture.width:.0f}" '
            f'height="{picture.height:.0f}">{picture.text}</svg>'
        )
        y += HEADING + picture.height
    background = '<rect width="100%" height="100%" fill="#fff"/>\n'
    return Picture(background + "\n".join(parts), width, y).svg


def _size(box: Box) -> tuple[float, float]:
    texts = [box.title, *(line.text for line in box.lines)]
    rows = len(box.lines) + bool(box.folded)
    return CHARACTER * max(map(len, texts)) + 18, HEAD + ROW * rows + 4


def _box(box: Box, x: float, y: float, width: float, height: float) -> Iterator[str]:
    edge, head = (BLUE, "#dbe9f6") if box.chosen else ("#8c959f", "#f0f2f4")
    yield f"<g><title>{markup(box.tip)}</title>"
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
        f'fill="#fff" stroke="{edge}" stroke-width="{1.6 if box.chosen else 1}"/>'
    )
    yield (
        f'<path d="M{x + 1:.1f} {y + HEAD:.1f}v{5 - HEAD:.1f}q0 -4 4 -4h{width - 10:.1f}'
        f'q4 0 4 4v{HEAD - 5:.1f}z" fill="{head}"/>'
    )
    yield _text(x + 8, y + 14.5, box.title, "#57606a")
    for k, line in enumerate(box.lines):
        colour = BLUE if line.chosen else "#8c959f" if line.retired else "#1b1f24"
        weight = ' font-weight="bold"' if line.chosen else ""
        yield _text(x + 8, y + HEAD + ROW * k + 13, line.text, colour, weight)
    if box.folded:
        below = y + HEAD + ROW * len(box.lines) + 13
        yield _text(x + 8, below, f"… {box.folded} more", "#8c959f")
    yield "</g>"


def _text(x: float, y: float, text: str, colour: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}"{more}>{markup(text)}</text>'


def _lines(
    boxes: dict[int, Box], layout: Layout, sizes: dict[int, tuple[float, float]]
) -> Iterator[tuple[bool, str]]:
    """From every member to its operands, those of the extracted term on top."""
    for c, box in boxes.items():
        if box.leaf:
            continue
        x, y = layout.corners[c]
        for k, line in enumerate(box.lines):
            row = y + HEAD + ROW * k + ROW / 2
            for d in line.children:
                if d in boxes and d != c and not boxes[d].leaf:
                    path = _path(layout, sizes, (c, d), (x, row))
                    yield line.chosen, _line(path, line.chosen, (c, d) not in layout.bends)


def _path(
    layout: Layout,
    sizes: dict[int, tuple[float, float]],
    edge: tuple[int, int],
    start: tuple[float, float],
) -> str:
    """A curve from the right of a row, around the boxes between, to the left of a box.

    One that leads back begins at the left of the row, and ends at the right of the box.
    """
    (c, d), (x, row) = edge, start
    left, top = layout.corners[d]
    if edge not in layout.bends:
        points = [(x, row), (left + sizes[d][0], top + HEAD / 2)]
    else:
        points = [(x + sizes[c][0], row), *layout.bends[edge], (left, top + HEAD / 2)]
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (ax, ay), (bx, by) in pairwise(points):
        middle = (ax + bx) / 2
        text += f"C{middle:.1f} {ay:.1f} {middle:.1f} {by:.1f} {bx:.1f} {by:.1f}"
    return text


def _line(path: str, chosen: bool, backward: bool) -> str:
    colour, width = (BLUE, 1.8) if chosen else ("#b6bec7", 1)
    dashes = ' stroke-dasharray="4 3"' if backward else ""
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{dashes}/>'
