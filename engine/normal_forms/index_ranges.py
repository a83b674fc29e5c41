"""Entries that must be there: an index fixed by numbers, along an axis whose size is a symbol."""

from collections.abc import Iterable, Iterator, Mapping
from math import factorial
from typing import Final, cast

from eggrad.engine.errors import ShapeError
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices import affine
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.constraints import Constraints, solved
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term, postorder


def greatest_indices(roots: Iterable[Term]) -> dict[str, int]:
    """The greatest index that is taken along axes of each size that is no integer.

    It is what an equality says of one axis, counted from either end, where all other indices
    belong to axes of integers.

    >>> from eggrad.engine.terms.term import indicator
    >>> greatest_indices([indicator(("n", 3), [("=", ((0, 1), (1, -1), ("", -2)))])])
    {'n': 4}
    """
    found: dict[str, int] = {}
    for node in postorder(*roots):
        if node.op == "indicator":
            for symbol, index in taken_indices(node.dims, node.constraints):
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


def _taken(f: AffineForm, dims: Dims) -> Iterable[tuple[str, int]]:
    for k in affine.indices(f):
        size = dims[k]
        if not isinstance(size, str) or abs(affine.coefficient(f, k)) != 1:
            continue
        value = solved(f, k)
        if any(isinstance(dims[i], str) for i in affine.indices(value)):
            continue
        # Counted from the end: the first of n entries has index -n.
        from_end = affine.plus(value, affine.times(-1, affine.size_form(size)))
        if not _symbols(value):
            yield size, cast(int, affine.greatest(value, dims))
        elif not _symbols(from_end):
            yield size, -1 - cast(int, affine.least(from_end, dims))


def _symbols(f: AffineForm) -> frozenset[str]:
    return frozenset(key for key, _ in f if isinstance(key, str) and key)


def check_indices(taken: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    """Raise `ShapeError` where an axis is too short."""
    for size, index in sorted(taken.items()):
        if sizes.keys() >= {*affine.size_symbols(size)}:
            (length,) = concrete((size,), sizes)
            if index >= length:
                raise ShapeError(f"index {index} is out of range: size {size} is {length}")


MOST_ROWS: Final = 3
"""Rows of a matrix whose determinant is written out: it has as many terms as there are orders."""

MOST_TERMS: Final = 14
"""Terms that all determinants have together."""


def known_sizes(graph: Snapshot) -> tuple[AffineForm, ...]:
    """Forms of sizes that are not negative: where one were, some e-class would have no value.

    It relies on it that no rule makes a term which has a value at fewer sizes than before.
    """
    made = {d for dims in graph.dims.values() for d in dims if not affine.is_simple(d)}
    taken = {pair for indicator in _indicators(graph) for pair in taken_indices(*indicator)}
    found = {affine.form([*affine.size_form(size), ("", -1 - index)]) for size, index in taken}
    return tuple(sorted(found.union(map(affine.size_form, made)), key=str))


def singled_sizes(graph: Snapshot, most: int) -> frozenset[int]:
    """The sizes up to `most` of axes of which a condition speaks of a single place."""
    return frozenset(
        size
        for dims, constraints in _indicators(graph)
        for relation, f in constraints
        if relation == "=" and len(affine.indices(f)) == 1
        if isinstance(size := dims[affine.indices(f)[0]], int) and size <= most
    )


def written_sizes(graph: Snapshot) -> frozenset[int]:
    """The rows of matrices whose determinants are written out; none where that would be long."""
    rows = [
        d
        for members in graph.members.values()
        for m in members
        if m.constructor == "det" and isinstance(d := graph.dims[m.children[0]][0], int)
        if 1 < d <= MOST_ROWS
    ]
    return frozenset(rows if sum(map(factorial, rows)) <= MOST_TERMS else ())


def _indicators(graph: Snapshot) -> Iterator[tuple[Dims, Constraints]]:
    for cls, members in graph.members.items():
        for m in members:
            if m.constructor == "indicator":
                yield graph.dims[cls], m.constraints
