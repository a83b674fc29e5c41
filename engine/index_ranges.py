"""Entries that must be there: an index fixed by numbers, along an axis whose size is a symbol."""

from collections.abc import Iterable, Mapping
from typing import cast

from eggrad.engine.affine import Form, coefficient, greatest, indices
from eggrad.engine.constraints import Constraints, solved
from eggrad.engine.errors import ShapeError
from eggrad.engine.spec import Dims
from eggrad.engine.term import Term, postorder

__all__ = ["check_indices", "greatest_indices"]


def greatest_indices(roots: Iterable[Term]) -> dict[str, int]:
    """The greatest index that is taken along axes of each size symbol.

    It is what an equality says of one axis, where all other indices belong to axes of integers.

    >>> from eggrad.engine.term import indicator
    >>> greatest_indices([indicator(("n", 3), [("=", ((0, 1), (1, -1), ("", -2)))])])
    {'n': 4}
    """
    found: dict[str, int] = {}
    for node in postorder(*roots):
        if node.op == "indicator":
            for relation, f in cast(Constraints, node.data):
                for symbol, index in _taken(f, node.dims) if relation == "=" else ():
                    found[symbol] = max(index, found.get(symbol, 0))
    return found


def _taken(f: Form, dims: Dims) -> Iterable[tuple[str, int]]:
    for k in indices(f):
        own = dims[k]
        if isinstance(own, str) and abs(coefficient(f, k)) == 1:
            value = solved(f, k)
            literal = all(isinstance(d, int) for d in (dims[i] for i in indices(value)))
            if literal and {*dict(value)} <= {"", *indices(value)}:
                yield own, cast(int, greatest(value, dims))


def check_indices(taken: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    """Raise `ShapeError` where an axis is too short."""
    for symbol, index in sorted(taken.items()):
        if index >= sizes.get(symbol, index + 1):
            raise ShapeError(f"index {index} is out of range: size {symbol} is {sizes[symbol]}")
