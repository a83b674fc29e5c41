"""What else can be read as e-classes: an e-graph in the middle of a run, and terms alone."""

from collections.abc import Iterable
from typing import Any, cast

from eggrad.engine.egraph.compile_rules import SHAPES
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.extraction.snapshot import Contents, Row
from eggrad.engine.laws.knowledge import Knowledge, NumberedFacts
from eggrad.engine.laws.language import CONSTRUCTORS
from eggrad.engine.terms.term import Term, parts


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


class TermRows:
    """Terms to be read as an e-graph in which nothing is equal: each is a class of its own."""

    def __init__(
        self,
        terms: Iterable[Term],
        roots: Iterable[Term] = (),
        numbers: dict[Term, int] | None = None,
        knowledge: Knowledge | None = None,
    ) -> None:
        """Take terms, the operands of each before it; `numbers` are those of earlier readings.

        Without `knowledge` nothing is known of them.
        """
        self.numbers = {} if numbers is None else numbers
        self.roots = {f"root {k}": t for k, t in enumerate(roots)}
        self._terms = list(terms)
        for t in self._terms:
            self.numbers.setdefault(t, len(self.numbers))
        self._known = NumberedFacts(knowledge or Knowledge(), self._terms, self.numbers)

    def rows(self) -> Contents:
        """Every term as the only e-node of its e-class, the e-classes' dims, and the roots."""
        rows: list[Row] = []
        for t in self._terms:
            constructor, data, operands = parts(t)
            children = tuple(self.numbers[a] for a in operands)
            rows.append(Row(constructor, data, children, self.numbers[t], False, False))
        names = {name: self.numbers[t] for name, t in self.roots.items()}
        dims: dict[int, tuple[object, ...]] = {self.numbers[t]: t.dims for t in self._terms}
        return Contents(rows, dims, names, self._known)
