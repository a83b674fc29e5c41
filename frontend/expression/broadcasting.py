"""NumPy's broadcasting, written as products of terms."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import zip_longest

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import exact
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.term import Term

__all__ = ["aligned", "array_term", "common", "matmul", "matmul_pairs", "multiply", "spread"]


def array_term(array: Array) -> Term:
    """An array of real numbers as a term.

    One whose entries are all the same is a constant, a multiple of the identity that of a delta.

    >>> array_term(np.eye(3)).op, array_term(np.ones(2)).op, array_term(np.arange(3)).op
    ('delta', 'constant', 'array')
    """
    own = fixed_array(array)
    if not array.size:
        return terms.constant(0, array.shape)
    first = array[(0,) * array.ndim]
    if (
        np.isfinite(first)
        and (array == first).all()
        and not np.signbit(own.values[array == 0]).any()
    ):
        return terms.constant(exact(first) or Fraction(0), array.shape)
    if array.ndim == 2 and np.isfinite(first) and np.array_equal(array, first * np.eye(len(array))):
        identity = terms.delta(array.shape[:1])
        number = Fraction(exact(first) or 0)
        if number == 1:
            return identity
        return terms.einsum(specs.scaling(2), terms.constant(number), identity)
    return terms.array(own)


def aligned(a: Dims, b: Dims) -> Iterator[tuple[Size, Size]]:
    """The pairs of sizes that broadcasting needs equal; axes meet from the right.

    >>> list(aligned(("m", 1, "n"), (3, "k")))
    [('n', 'k')]
    """
    for p, q in zip(reversed(a), reversed(b), strict=False):
        if p == q or 1 not in (p, q):
            yield p, q


def common(a: Dims, b: Dims) -> Dims:
    """The dims of the broadcast result, where the aligned sizes are equal already.

    >>> common(("m", 1, "n"), (3, "n"))
    ('m', 3, 'n')
    """
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    return tuple(q if p == 1 else p for p, q in pairs)[::-1]


def _labels(dims: Dims, whole: Dims) -> tuple[object, ...]:
    """Indices of an operand; an axis that is broadcast has one of its own, to be summed."""
    first = len(whole) - len(dims)
    return tuple(
        first + k if d == whole[first + k] else ("broadcast", k) for k, d in enumerate(dims)
    )


def multiply(a: Term, b: Term) -> Term:
    """The element-wise product.

    >>> multiply(terms.variable("A", ("m", "n")), terms.variable("x", ("n",))).dims
    ('m', 'n')
    """
    whole = common(a.dims, b.dims)
    left = _labels(a.dims, whole)
    right = tuple(("right", i) if isinstance(i, tuple) else i for i in _labels(b.dims, whole))
    return terms.einsum(specs.canonical((left, right), range(len(whole))), a, b)


def spread(a: Term, whole: Dims) -> Term:
    """The term broadcast to `whole`: a product with ones along the axes that it lacks.

    >>> spread(terms.constant(2), ("n",)).dims
    ('n',)
    """
    if a.dims == whole:
        return a
    if a.op == "constant":
        return terms.constant(a.value, whole)
    labels = _labels(a.dims, whole)
    missing = tuple(k for k in range(len(whole)) if k not in labels)
    if not missing:
        return terms.einsum(specs.canonical((labels,), range(len(whole))), a)
    ones = terms.constant(1, tuple(whole[k] for k in missing))
    return terms.einsum(specs.canonical((labels, missing), range(len(whole))), a, ones)


def matmul_pairs(a: Dims, b: Dims) -> list[tuple[Size, Size]]:
    """The pairs of sizes that `a @ b` needs equal.

    >>> matmul_pairs(("m", "n"), ("k",))
    [('n', 'k')]
    """
    if not a or not b:
        raise ShapeError("@: both sides need an axis; use * to multiply by a scalar")
    return [(a[-1], b[0] if len(b) == 1 else b[-2]), *aligned(a[:-2], b[:-2])]


def matmul(a: Term, b: Term) -> Term:
    """The matrix product, its leading axes broadcast.

    >>> matmul(terms.variable("A", ("b", "m", "n")), terms.variable("B", ("n", "k"))).dims
    ('b', 'm', 'k')
    """
    whole = common(a.dims[:-2], b.dims[:-2])
    rows = ("row",) * (a.order > 1)
    columns = ("column",) * (b.order > 1)
    left = (*_labels(a.dims[:-2], whole), *rows, "inner")
    right = tuple(("right", i) if isinstance(i, tuple) else i for i in _labels(b.dims[:-2], whole))
    spec = specs.canonical(
        (left, (*right, "inner", *columns)), (*range(len(whole)), *rows, *columns)
    )
    return terms.einsum(spec, a, b)
