"""Entries that must be there: an index fixed by numbers, along an axis whose size is a symbol."""

from collections.abc import Iterable, Mapping
from typing import cast

from eggrad.engine.affine import Form, coefficient, form, greatest, indices, least
from eggrad.engine.constraints import Constraints, solved
from eggrad.engine.errors import ShapeError
from eggrad.engine.spec import Dims
from eggrad.engine.term import Term, postorder

__all__ = ["check_indices", "greatest_indices"]


def greatest_indices(roots: Iterable[Term]) -> dict[str, int]:
    """The greatest index that is taken along axes of each size symbol.

    It is what an equality says of one axis, counted from either end, where all other indices
    belong to axes of integers.

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
        if not isinstance(own, str) or abs(coefficient(f, k)) != 1:
            continue
        value = solved(f, k)
        if any(isinstance(dims[i], str) for i in indices(value)):
            continue
        symbols = {key for key, _ in value if isinstance(key, str) and key}
        if not symbols:
            yield own, cast(int, greatest(value, dims))
        elif symbols == {own} and coefficient(value, own) == 1:
            # Counted from the end: the first of n entries has index -n.
            from_end = form(term for term in value if term[0] != own)
            yield own, -1 - cast(int, least(from_end, dims))


def check_indices(taken: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    """Raise `ShapeError` where an axis is too short."""
    for symbol, index in sorted(taken.items()):
        if index >= sizes.get(symbol, index + 1):
            raise ShapeError(f"index {index} is out of range: size {symbol} is {sizes[symbol]}")
