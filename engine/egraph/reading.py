"""Reading an e-graph's classes in the middle of a run, without a trace."""

from typing import Any, Protocol, cast

from eggrad.engine.egraph.compile_rules import SHAPES
from eggrad.engine.egraph.egraph import Contents, EGraph, Row
from eggrad.engine.laws.language import CONSTRUCTORS

__all__ = ["Readable", "Reading"]


class Readable(Protocol):
    """What a snapshot is taken of."""

    def rows(self) -> Contents:
        """What there is to read."""
        ...


class Reading:
    """An e-graph at one moment; the run goes on as if nobody had looked.

    Shapes that the e-graph does not know yet are worked out here.
    """

    def __init__(self, egraph: EGraph) -> None:
        """Read the e-graph."""
        self._rows = egraph.rows({})
        _complete(self._rows.rows, self._rows.dims)

    def rows(self) -> Contents:
        """What the e-graph holds."""
        return self._rows


def _complete(rows: list[Row], dims: dict[int, tuple[object, ...]]) -> None:
    """Work out the shapes that follow from others."""
    while True:
        found: dict[int, tuple[object, ...]] = {}
        for row in rows:
            if row.output not in dims and row.constructor in SHAPES:
                shape = _shape(row, dims)
                if shape is not None:
                    found[row.output] = shape
        if not found:
            return
        dims |= found


def _shape(row: Row, dims: dict[int, tuple[object, ...]]) -> tuple[object, ...] | None:
    """The shape of one e-node, if those of its operands are known."""
    if any(c not in dims for c in row.children):
        return None
    function, places = SHAPES[row.constructor]
    data, children = iter(row.data), iter(row.children)
    arguments: list[Any] = [
        dims[next(children)] if sort == "Tensor" else next(data)
        for sort in CONSTRUCTORS[row.constructor]
    ]
    return cast("tuple[object, ...] | None", function(*(arguments[k] for k in places)))
