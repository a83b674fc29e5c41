"""Pictures of e-graphs: e-classes as boxes, laid out, drawn as SVG, after each stage."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, pairwise
from typing import Any, cast

from eggrad.engine.egraph.reading import Reading
from eggrad.engine.extraction import extract
from eggrad.engine.extraction.snapshot import Row, Snapshot
from eggrad.engine.indices.spec import Spec
from eggrad.engine.laws.language import SLOPE_NODES
from eggrad.engine.saturation.schedule import Moment
from eggrad.engine.terms.term import FUNCTION_NODES
from eggrad.frontend.printing.display import markup
from eggrad.frontend.text.printer import format_term
from eggrad.frontend.text.words import format_number, format_product
from eggrad.frontend.workbench.experiment import BASE, Case, Variant, derive
from eggrad.frontend.workbench.pages import page, tabs

_SIGNS = {"add": "+", "subtract": "-", "divide": "/", "power": "^"}
_TIP = 300


@dataclass(frozen=True)
class Limits:
    """How many e-classes a picture shows, and how many e-nodes of each."""

    classes: int = 120
    members: int = 8


@dataclass(frozen=True)
class Line:
    """An e-node of an e-class as its box shows it.

    `children` are the e-classes it needs, those that are named by a variable or number left out.
    `chosen` says that the extracted term has it, `subsumed` that no rule matches it any more.
    """

    text: str
    children: tuple[int, ...]
    chosen: bool
    subsumed: bool


@dataclass(frozen=True)
class Box:
    """An e-class: its title, its e-nodes, how many more it has, and its cheapest term.

    A `leaf` is named by a variable or number: no lines are drawn to it.
    """

    title: str
    tip: str
    lines: tuple[Line, ...]
    folded: int
    chosen: bool
    leaf: bool


@dataclass(frozen=True)
class Boxes:
    """The boxes of a picture by e-class, roots first, and in words what they show and hide."""

    boxes: dict[int, Box]
    remarks: tuple[str, ...]


def read_boxes(reading: Reading, graph: Snapshot, wanted: Sequence[str], limits: Limits) -> Boxes:
    """The e-classes below those of some names; too many are folded, the extracted term never.

    The snapshot is of that reading.
    """
    rows, _, names, *_ = reading.rows()
    members: dict[int, list[Row]] = {}
    for row in rows:
        members.setdefault(row.output, []).append(row)
    roots = list(dict.fromkeys(names[r] for r in wanted))
    return _Reader(graph, members, roots, limits).boxes()


class _Reader:
    """E-classes get their numbers from the roots on."""

    def __init__(
        self, graph: Snapshot, members: dict[int, list[Row]], roots: Sequence[int], limits: Limits
    ) -> None:
        self.graph = graph
        self.members = members
        self.limits = limits
        self.chosen = _extracted(graph)
        self.order = list(_below(members, roots))
        numbers = count(1)
        self.names = {c: _leaf(members.get(c, ())) or f"c{next(numbers)}" for c in self.order}

    def boxes(self) -> Boxes:
        """The boxes, those of the extracted term and then those nearest to the roots."""
        order = [c for c in self.order if len(self._rows(c)) > 1 or not self._is_leaf(c)]
        first = [c for c in order if c in self.chosen]
        rest = [c for c in order if c not in self.chosen]
        kept = set(first + rest[: max(0, self.limits.classes - len(first))])
        boxes = {c: self._box(c) for c in order if c in kept}
        return Boxes(boxes, tuple(self._remarks(boxes, len(order) - len(kept))))

    def _remarks(self, boxes: dict[int, Box], lost: int) -> Iterator[str]:
        enodes = sum(map(len, self.members.values()))
        yield f"{enodes:,} e-nodes in {len(self.members):,} classes."
        if outside := len(self.members) - len(self.order):
            yield f"{outside} classes are not below the root and are left out."
        if lost > 0:
            yield f"Folded: the {lost} classes farthest from the root."
        if folded := [b.folded for b in boxes.values() if b.folded]:
            yield f"Folded: {sum(folded)} members of {len(folded)} classes."

    def _is_leaf(self, cls: int) -> bool:
        return _leaf(self._rows(cls)) is not None

    def _rows(self, cls: int) -> Sequence[Row]:
        return self.members.get(cls, ())

    def _box(self, cls: int) -> Box:
        wanted = self.chosen.get(cls)
        rows = [(r, _same(r, wanted)) for r in self._rows(cls)]
        rows.sort(key=lambda pair: (not pair[1], pair[0].subsumed))
        shown = rows[: self.limits.members]
        lines = tuple(self._line(r, chosen) for r, chosen in shown)
        dims = self.graph.dims.get(cls)
        axes = f"[{','.join(map(str, dims))}]" if dims else ""
        tip = format_term(self.graph.term(cls), _TIP) if cls in self.graph.choice else ""
        title = f"{self.names[cls]}{axes}"
        return Box(
            title, tip, lines, len(rows) - len(shown), wanted is not None, self._is_leaf(cls)
        )

    def _line(self, row: Row, chosen: bool) -> Line:
        children = tuple(dict.fromkeys(c for c in row.children if not self._is_leaf(c)))
        return Line(self._text(row), children, chosen, row.subsumed)

    def _text(self, row: Row) -> str:
        args = [self.names[c] for c in row.children]
        data: Any = row.data
        match row.constructor:
            case "variable":
                return str(data[0][0])
            case "constant":
                return format_number(Fraction(data[0]))
            case "delta":
                return f"delta({', '.join(map(str, data[0]))})"
            case "ein":
                return f"{args[0]} {format_product(cast(Spec, data[0]))} {args[1]}"
            case "ein1":
                return f"{format_product(cast(Spec, data[0]))} {args[0]}"
            case "scale":
                return f"{format_number(Fraction(data[0]))}·{args[0]}"
            case "negate":
                return f"-{args[0]}"
            case name if name in FUNCTION_NODES.values():
                return f"{data[0]}({', '.join(args)})"
            case name if name in SLOPE_NODES.values():
                by = str(data[1] + 1) * (len(args) > 1)
                return f"{data[0]}'{by}({', '.join(args)})"
            case "derivative":
                return f"D({args[0]}, {data[0][0]})"
            case name if name in _SIGNS:
                return f"{args[0]} {_SIGNS[name]} {args[1]}"
            case name:
                return f"{name}({', '.join([*map(str, data), *args])})"


def _extracted(graph: Snapshot) -> dict[int, Any]:
    """The member of each class that the extracted term has."""
    roots = graph.root_classes
    choice = extract.cheapest_dag(graph.members, graph.cost, graph.choice, roots)
    return {c: choice[c] for c in extract.used(choice, roots)}


def _below(members: dict[int, list[Row]], roots: Sequence[int]) -> Iterator[int]:
    """Every class that is needed for some, near ones first."""
    seen = set(roots)
    waiting = deque(roots)
    while waiting:
        cls = waiting.popleft()
        yield cls
        for row in members.get(cls, ()):
            for c in row.children:
                if c not in seen:
                    seen.add(c)
                    waiting.append(c)


def _leaf(rows: Sequence[Row]) -> str | None:
    """What an e-class is called that has a variable, a number or a size for an e-node."""
    for row in rows:
        data: Any = row.data
        if row.constructor == "variable":
            return str(data[0][0])
        if row.constructor == "constant":
            return format_number(Fraction(data[0]))
        if row.constructor == "size":
            return f"size {data[0]}"
    return None


def _same(row: Row, member: Any) -> bool:
    """Whether a row is the e-node of a snapshot."""
    return member is not None and (row.constructor, row.data, row.children) == (
        member.constructor,
        member.data,
        member.children,
    )


# A layered layout, from left to right (Sugiyama, Tagawa and Toda 1981) ---------------------

# Layers are longest paths from the roots, with edges that close a cycle left out. Within a layer
# barycentres of neighbours give the order, and positions that are as near to them as can be.


Edge = tuple[int, int]
# A place: a node, or where edges to a node pass through a layer that they skip, together.
Place = tuple[int, ...]

GAP = 14.0
PASSAGE = 7.0
BETWEEN = 70.0
SWEEPS = 6


@dataclass(frozen=True)
class Layout:
    """Left upper corners of the nodes, the points between of long edges, and the whole size."""

    corners: Mapping[int, tuple[float, float]]
    bends: Mapping[Edge, Sequence[tuple[float, float]]]
    width: float
    height: float


def layered(
    sizes: Mapping[int, tuple[float, float]], edges: Iterable[Edge], last: Iterable[int] = ()
) -> Layout:
    """Place nodes of some sizes, roots on the left; those of `last` on the right, without edges.

    Edges that lead to the left, and those between nodes that are not there, count for nothing.

    >>> layered({0: (10, 10), 1: (20, 10)}, [(0, 1)]).corners
    {0: (0.0, 0.0), 1: (80.0, 0.0)}
    """
    loose = set(last)
    wanted = dict.fromkeys(
        (a, b) for a, b in edges if a != b and not {a, b} & loose and a in sizes and b in sizes
    )
    below: dict[int, list[int]] = {n: [] for n in sizes}
    for a, b in wanted:
        below[a].append(b)
    layer = _layers(below)
    end = max((layer[n] for n in sizes if n not in loose), default=-1) + 1
    layer |= dict.fromkeys(loose, end)
    forward = [(a, b) for a, b in wanted if layer[a] < layer[b]]
    rows: list[list[Place]] = [[] for _ in range(end + 1)]
    for n in sizes:
        rows[layer[n]].append((n,))
    links: dict[tuple[Place, Place], None] = {}
    for a, b in forward:
        chain: list[Place] = [(a,), *((b, k) for k in range(layer[a] + 1, layer[b])), (b,)]
        for place in chain[1:-1]:
            if place not in rows[place[1]]:
                rows[place[1]].append(place)
        links |= dict.fromkeys(pairwise(chain))
    heights = {p: sizes[p[0]][1] + GAP if len(p) == 1 else PASSAGE for row in rows for p in row}
    middles = _arranged(rows, list(links), heights)
    # A passage is a line: it has no height.
    halves = {p: max(0.0, heights[p] - GAP) / 2 for p in middles}
    top = min((middles[p] - halves[p] for p in middles), default=0.0)
    widths = [max((sizes[p[0]][0] for p in row if len(p) == 1), default=0.0) for row in rows]
    lefts = [sum(widths[:k]) + BETWEEN * k for k in range(len(rows))]
    corners = {n: (lefts[layer[n]], middles[n,] - sizes[n][1] / 2 - top) for n in sizes}
    bends = {
        (a, b): [
            (lefts[k] + widths[k] * share, middles[b, k] - top)
            for k in range(layer[a] + 1, layer[b])
            for share in (0, 1)
        ]
        for a, b in forward
    }
    height = max((middles[p] + halves[p] for p in middles), default=0.0) - top
    return Layout(corners, bends, sum(widths) + BETWEEN * max(0, len(rows) - 1), height)


def _layers(below: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The longest path to each node, edges back to a node above it left out."""
    order: list[int] = []
    backward: set[Edge] = set()
    state: dict[int, bool] = {}
    for start in below:
        stack: list[tuple[int, Iterator[int]]] = []
        if start not in state:
            state[start] = False
            stack.append((start, iter(below[start])))
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                state[node] = True
                order.append(node)
                stack.pop()
            elif child not in state:
                state[child] = False
                stack.append((child, iter(below[child])))
            elif not state[child]:
                backward.add((node, child))
    layer = dict.fromkeys(below, 0)
    for node in reversed(order):
        for child in below[node]:
            if (node, child) not in backward:
                layer[child] = max(layer[child], layer[node] + 1)
    return layer


def _arranged(
    rows: list[list[Place]], links: Sequence[tuple[Place, Place]], heights: Mapping[Place, float]
) -> dict[Place, float]:
    """The middle of every place, after sweeps from both sides."""
    left: dict[Place, list[Place]] = {}
    right: dict[Place, list[Place]] = {}
    for a, b in links:
        right.setdefault(a, []).append(b)
        left.setdefault(b, []).append(a)
    middles: dict[Place, float] = {}
    for row in rows:
        middles |= _spread([0.0] * len(row), row, heights)
    for sweep in range(SWEEPS):
        both = sweep >= SWEEPS - 2
        onward = sweep % 2 == 0
        for row in rows if onward else reversed(rows):
            wish: dict[Place, float] = {}
            for place in row:
                near = left.get(place, []) if onward else right.get(place, [])
                if both:
                    near = left.get(place, []) + right.get(place, [])
                found = [middles[p] for p in near]
                wish[place] = sum(found) / len(found) if found else middles[place]
            if not both:
                row.sort(key=lambda p: wish[p])
            middles |= _spread([wish[p] for p in row], row, heights)
    return middles


def _spread(
    wish: Sequence[float], row: Sequence[Place], heights: Mapping[Place, float]
) -> dict[Place, float]:
    """Places in this order, without overlap, as near to where they wish to be as can be.

    Pooling of adjacent violators: places that would overlap move as one block.
    """
    offsets: list[float] = []
    at = 0.0
    for place in row:
        at += heights[place] / 2
        offsets.append(at)
        at += heights[place] / 2
    blocks: list[tuple[float, int]] = []
    for target, offset in zip(wish, offsets, strict=True):
        total, count = target - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            more, others = blocks.pop()
            total, count = total + more, count + others
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    return {p: s + o for p, s, o in zip(row, starts, offsets, strict=True)}


# SVG ---------------------------------------------------------------------------------------


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
    """Every e-class a box with its e-nodes, from the root on the left; lines lead to operands.

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
        colour = BLUE if line.chosen else "#8c959f" if line.subsumed else "#1b1f24"
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
    """From every e-node to its operands, those of the extracted term on top."""
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


# After each stage: load, differentiate, simplify, explore, present -------------------------


LEGEND = (
    "Every box is a class of equal terms, the root on the left; variables and numbers are called "
    "by their names. The extracted term is blue, what no rule matches any more is grey. Lines lead "
    "to operands, dashed ones back to the left."
)


@dataclass(frozen=True)
class Stage:
    """The e-graph at the end of a stage, and the result where it is the last one."""

    name: str
    boxes: Boxes

    @property
    def remark(self) -> str:
        """How large it is, and what is folded."""
        return " ".join(self.boxes.remarks)

    def picture(self) -> Picture:
        """The e-classes and their e-nodes."""
        return draw(self.boxes)


def stages_of(case: Case, limits: Limits, variant: Variant = BASE) -> tuple[list[Stage], str]:
    """The e-graphs of a case at the end of each stage, and its result, by a variant of the rules.

    A derivative of higher order has one e-graph after the other; their stages are numbered.
    """
    found: dict[tuple[int, str], tuple[Reading, Snapshot, Sequence[str]]] = {}
    order = 0

    def look(moment: Moment) -> None:
        nonlocal order
        order += moment.stage == "load"
        found[order, moment.phase] = (*moment.read(), list(moment.roots))

    result = derive(case, variant.systems(look), None)
    names = {key: f"{key[0]}. {key[1]}" if order > 1 else key[1] for key in found}
    stages = [Stage(names[key], read_boxes(*seen, limits)) for key, seen in found.items()]
    return stages, case.written(result.term)


def as_svg(stages: list[Stage]) -> str:
    """One picture, the stages below each other."""
    return stacked([(s.name, s.remark, s.picture()) for s in stages])


def as_page(stages: list[Stage], case: Case, result: str) -> str:
    """A page with a tab for each stage."""
    sections = [
        (s.name, f'<p class="note">{markup(s.remark)}</p><div class="wide">{s.picture().svg}</div>')
        for s in stages
    ]
    style = "<style>body { max-width: none; } .wide svg { max-width: none; }</style>"
    return page(
        "The e-graph, stage by stage",
        style,
        f"<p><code>{markup(case.text)}</code><br>= <code>{markup(result)}</code></p>",
        f'<p class="note">{LEGEND}</p>',
        tabs(sections),
    )
