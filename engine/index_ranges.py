"""Entries that must be there: an index fixed by numbers, along an axis whose size is a symbol."""

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from eggrad.engine.affine import (
    Form,
    coefficient,
    greatest,
    indices,
    least,
    plus,
    size_form,
    size_symbols,
    times,
)
from eggrad.engine.binding import concrete
from eggrad.engine.constraints import Constraints, solved
from eggrad.engine.errors import ShapeError
from eggrad.engine.spec import Dims
from eggrad.engine.term import Term, postorder

__all__ = ["check_indices", "greatest_indices", "taken_indices"]


def greatest_indices(roots: Iterable[Term]) -> dict[str, int]:
    """The greatest index that is taken along axes of each size that is no integer.

    It is what an equality says of one axis, counted from either end, where all other indices
    belong to axes of integers.

    >>> from eggrad.engine.term import indicator
    >>> greatest_indices([indicator(("n", 3), [("=", ((0, 1), (1, -1), ("", -2)))])])
    {'n': 4}
    """
    found: dict[str, int] = {}
    for node in postorder(*roots):
        if node.op == "indicator":
            for symbol, index in taken_indices(node.dims, cast(Constraints, node.data)):
                found[symbol] = max(index, found.get(symbol, 0))
    return found


def taken_indices(dims: Dims, constraints: Constraints) -> Iterator[tuple[str, int]]:
    """What an indicator says so of its axes: sizes, and an index that they have.

    >>> list(taken_indices(("n",), (("=", ((0, 1), ("", -2))),)))
    [('n', 2)]
    """
    for relation, f in constraints:
        if relation == "=":
            yield from _taken(f, dims)


def _taken(f: Form, dims: Dims) -> Iterable[tuple[str, int]]:
    for k in indices(f):
        own = dims[k]
        if not isinstance(own, str) or abs(coefficient(f, k)) != 1:
            continue
        value = solved(f, k)
        if any(isinstance(dims[i], str) for i in indices(value)):
            continue
        # Counted from the end: the first of n entries has index -n.
        from_end = plus(value, times(-1, size_form(own)))
        if not _symbols(value):
            yield own, cast(int, greatest(value, dims))
        elif not _symbols(from_end):
            yield own, -1 - cast(int, least(from_end, dims))


def _symbols(f: Form) -> frozenset[str]:
    return frozenset(key for key, _ in f if isinstance(key, str) and key)


def check_indices(taken: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    """Raise `ShapeError` where an axis is too short."""
    for size, index in sorted(taken.items()):
        if sizes.keys() >= {*size_symbols(size)}:
            (length,) = concrete((size,), sizes)
            if index >= length:
                raise ShapeError(f"index {index} is out of range: size {size} is {length}")
