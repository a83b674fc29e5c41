"""What a function of strips is given: strips of some arrays, others whole."""

from collections.abc import Sequence, Set
from fractions import Fraction
from itertools import count
from typing import cast

from eggrad.engine.binding import name_of, symbols
from eggrad.engine.term import Term, constant, variable

__all__ = ["Place", "StripOperands"]

Place = tuple[Term, int | None]
"""A term, and the axis along which it is cut; none where it is whole, or summed."""


class StripOperands:
    """The variables that stand for what a region takes from outside."""

    def __init__(self, nodes: Sequence[Term]) -> None:
        """Begin with none; `nodes` are all that the strips are a part of."""
        self.parameters: dict[Place, Term] = {}
        self._taken = {name_of(t) for t in nodes if t.op == "variable"}
        self._length = _new("rows", {*symbols(*nodes)})

    def variable(self, term: Term, axis: int | None) -> Term:
        """What stands for a term, of which a strip has some places along an axis."""
        dims = tuple(self._length if k == axis else d for k, d in enumerate(term.dims))
        if term.op == "constant":
            return constant(cast(Fraction, term.data), dims)
        if (term, axis) not in self.parameters:
            name = name_of(term) if term.op == "variable" else ""
            if not name or name in {name_of(v) for v in self.parameters.values()}:
                name = _new("v1", self._taken)
                self._taken.add(name)
            self.parameters[term, axis] = variable(name, dims)
        return self.parameters[term, axis]


def _new(name: str, taken: Set[str]) -> str:
    """A name like the given one that is not taken."""
    stem = name.rstrip("1")
    return next(n for k in count(1) if (n := f"{stem}{k}" if k > 1 else name) not in taken)
