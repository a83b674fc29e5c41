"""An e-graph's classes as boxes: what a picture of it shows, and what it folds."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, cast

from eggrad.engine.egraph.reading import Reading
from eggrad.engine.extraction import extract
from eggrad.engine.extraction.snapshot import Row, Snapshot
from eggrad.engine.indices.spec import Spec
from eggrad.engine.laws.language import SLOPE_NODES
from eggrad.engine.terms.term import FUNCTION_NODES
from eggrad.frontend.text.printer import format_term
from eggrad.frontend.text.words import format_number, format_product

__all__ = ["Box", "Boxes", "Limits", "Line", "read_boxes"]

_SIGNS = {"add": "+", "subtract": "-", "divide": "/", "power": "^"}
_LEAVES = ("variable", "constant", "size")
_TIP = 300


@dataclass(frozen=True)
class Limits:
    """How many classes a picture shows, and how many members of each."""

    classes: int = 120
    members: int = 8


@dataclass(frozen=True)
class Line:
    """A member of a class as its box shows it.

    `children` are the classes it needs, those that are named by a variable or number left out.
    `chosen` says that the extracted term has it, `retired` that no rule matches it any more.
    """

    text: str
    children: tuple[int, ...]
    chosen: bool
    retired: bool


@dataclass(frozen=True)
class Box:
    """A class: its title, its members, how many more it has, and its cheapest term.

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
    """The boxes of a picture by class, roots first, and in words what they show and hide."""

    boxes: dict[int, Box]
    remarks: tuple[str, ...]


def read_boxes(reading: Reading, graph: Snapshot, wanted: Sequence[str], limits: Limits) -> Boxes:
    """The classes below those of some names; too many are folded, the extracted term never.

    The snapshot is of that reading.
    """
    rows, _, names, *_ = reading.rows()
    members: dict[int, list[Row]] = {}
    for row in rows:
        members.setdefault(row.output, []).append(row)
    roots = list(dict.fromkeys(names[r] for r in wanted))
    return _Reader(graph, members, roots, limits).boxes()


class _Reader:
    """Classes get their numbers from the roots on."""

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
        own = [(r, _same(r, wanted)) for r in self._rows(cls)]
        own.sort(key=lambda pair: (not pair[1], pair[0].retired))
        shown = own[: self.limits.members]
        lines = tuple(self._line(r, chosen) for r, chosen in shown)
        dims = self.graph.dims.get(cls)
        axes = f"[{','.join(map(str, dims))}]" if dims else ""
        tip = format_term(self.graph.term(cls), _TIP) if cls in self.graph.choice else ""
        title = f"{self.names[cls]}{axes}"
        return Box(title, tip, lines, len(own) - len(shown), wanted is not None, self._is_leaf(cls))

    def _line(self, row: Row, chosen: bool) -> Line:
        children = tuple(dict.fromkeys(c for c in row.children if not self._is_leaf(c)))
        return Line(self._text(row), children, chosen, row.retired)

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
    """What a class is called that has a variable, a number or a size for a member."""
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
    """Whether a row is the member of a snapshot."""
    return member is not None and (row.constructor, row.data, row.children) == (
        member.constructor,
        member.data,
        member.children,
    )
