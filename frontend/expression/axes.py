"""The axes of expressions: moved, added, taken away, one more often than before."""

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression.expression import (
    Expression,
    broadcasting,
    combine,
    expression,
    unified,
)
from eggrad.frontend.expression.reshaping import _listed, filled_shape, reordered

__all__ = [
    "broadcast",
    "diagonal",
    "diagonal_matrix",
    "expanded",
    "moved",
    "normalized",
    "permuted",
    "reshaped",
    "size_of",
    "squeezed",
]


def normalized(what: str, axes: Any, order: int) -> tuple[int, ...]:
    """Axes counted from the first.

    >>> normalized("sum", -1, 3)
    (2,)
    """
    try:
        wanted = (index(axes),) if hasattr(axes, "__index__") else tuple(map(index, axes))
    except TypeError:
        raise ShapeError(f"{what}: an axis is an integer, not {axes!r}") from None
    for axis in wanted:
        if not -order <= axis < order:
            raise ShapeError(f"{what}: there is no axis {axis}, the argument has {order} axes")
    found = tuple(axis % order for axis in wanted)
    if len(set(found)) < len(found):
        raise ShapeError(f"{what}: an axis is given twice in {wanted}")
    return found


def permuted(f: Expression, order: Sequence[int]) -> Expression:
    """The axes in another order."""
    if list(order) == list(range(f.ndim)):
        return f
    spec = specs.transposition(order)
    return combine("transpose", [f], [], lambda a: terms.einsum(spec, a))


def moved(f: Expression, source: Sequence[int], target: Sequence[int]) -> Expression:
    """Some axes at other places, the rest in their order."""
    order = [k for k in range(f.ndim) if k not in source]
    for place, axis in sorted(zip(target, source, strict=True)):
        order.insert(place, axis)
    return permuted(f, order)


def expanded(f: Expression, places: Iterable[int]) -> Expression:
    """New axes of length 1, at some places of the result."""
    new = set(places)
    if not new:
        return f
    total = f.ndim + len(new)
    old = [k for k in range(total) if k not in new]
    spec = specs.canonical((old, sorted(new)), range(total))
    ones = terms.constant(1, (1,) * len(new))
    return combine("expand_dims", [f], [], lambda a: terms.einsum(spec, a, ones))


def squeezed(f: Expression, axes: Iterable[int]) -> Expression:
    """Without some axes of length 1."""
    gone = set(axes)
    for axis in sorted(gone):
        if f.shape[axis] != 1:
            raise ShapeError(f"squeeze: axis {axis} has size {f.shape[axis]}, not 1")
    if not gone:
        return f
    spec = specs.canonical((range(f.ndim),), [k for k in range(f.ndim) if k not in gone])
    return combine("squeeze", [f], [], lambda a: terms.einsum(spec, a))


def reshaped(f: Expression, shape: Sequence[Size]) -> Expression:
    """The same entries in the same order on other axes; one size may be -1.

    Axes are merged and split where their sizes are integers. `UnsupportedOperation` where an axis
    whose size is a symbol would have to be, `ShapeError` where the numbers of entries differ.

    >>> from eggrad.frontend.expression.functions import variable
    >>> reshaped(variable("x", ("n",)), (1, -1)).shape
    (1, 'n')
    """
    kept = [d for d in f.shape if d != 1]
    own = squeezed(f, [k for k, d in enumerate(f.shape) if d == 1])
    longer = [d for d in shape if d != 1]
    place = longer.index(-1) if longer.count(-1) == 1 else -1
    if place >= 0 and len(longer) == len(kept) and not all(isinstance(d, int) for d in kept):
        # Axes of symbols correspond one by one.
        longer[place] = kept[place]
    filled = iter(filled_shape(kept, longer))
    # What -1 stands for is an axis of length 1 where all entries are there without it.
    lengths = [d if d == 1 else next(filled) for d in shape]
    what = f"reshape from ({_listed(f.shape)}) to ({_listed(shape)})"
    named = [d for d in lengths if d != 1]
    pairs = list(zip(kept, named, strict=False))
    if len(kept) == len(named) and all(
        p == q or isinstance(p, str) != isinstance(q, str) for p, q in pairs
    ):
        (own,) = unified([own], pairs, what)
    else:
        own = reordered(own, named, what)
    return expanded(own, [k for k, d in enumerate(lengths) if d == 1])


def broadcast(f: Expression, shape: Sequence[Size]) -> Expression:
    """Repeated along further axes, and along those of length 1."""
    whole = tuple(shape)
    if len(whole) < f.ndim or any(
        p == 1 != q for p, q in zip(reversed(whole), reversed(f.shape), strict=False)
    ):
        raise ShapeError(f"broadcast_to: ({_listed(f.shape)}) does not fit ({_listed(whole)})")
    pairs = broadcasting.aligned(f.shape, whole)

    def spread(a: terms.Term) -> terms.Term:
        fixed = broadcasting.common(whole, a.dims)
        return broadcasting.spread(a, fixed)

    return combine("broadcast_to", [f], pairs, spread)


def diagonal(f: Expression, first: int, second: int) -> Expression:
    """The entries where two axes have equal indices, along a new last axis."""
    labels = [first if k == second else k for k in range(f.ndim)]
    kept = [k for k in range(f.ndim) if k not in (first, second)]
    spec = specs.canonical((labels,), (*kept, first))
    pair = (f.shape[first], f.shape[second])
    return combine("diagonal", [f], [pair], lambda a: terms.einsum(spec, a))


def diagonal_matrix(f: Expression) -> Expression:
    """The matrix with a vector on its diagonal."""
    spec = specs.canonical(("ij", "i"), "ij")
    return combine("diag", [f], [], lambda a: terms.einsum(spec, terms.delta(a.dims), a))


def size_of(f: Expression, axes: Iterable[int]) -> Expression:
    """The number of entries along some axes, as a scalar."""
    found = expression(terms.constant(1))
    for axis in axes:
        d = f.shape[axis]
        length = terms.constant(d) if isinstance(d, int) else terms.size(d)
        found = found * expression(length, (*f.variables, *f.scope))
    return found
