"""Products of arrays full of zeros: what is known to be zero is not computed.

Derivatives of `relu` are such products.
"""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import isfinite
from typing import Final

import numpy as np

from eggrad.engine.binding import Array
from eggrad.engine.row_by_row import is_worth_rows, row_by_row
from eggrad.engine.symmetric_products import symmetric_product

__all__ = ["FRESH", "LARGE", "outer_product", "product_of_active", "symmetric_product_of_active"]

# An array of so many bytes is memory that nobody has written to: the C library gives such pieces
# back to the system. Zeros elsewhere take as long as products.
FRESH: Final = 1 << 25
# From rows of this length on a loop over the rows that are not zero may be worth it; each of them
# takes as long as so many more entries.
LONG: Final = 500
CALL: Final = 400
# From so many entries on it matters that `dot` fills a result with zeros before BLAS writes it.
LARGE: Final = 400_000
# Of so much of a product it takes as long to pick what is active.
MOST_ACTIVE: Final = 0.6


def outer_product(left: Array, right: Array) -> Array:
    """`left[:, None] * right`, where a row of zeros takes no time and no memory.

    The operands are flattened. Memory that the system has just given is zero already, and is
    not even there until it is written. Where a factor of such a row is not finite, all is computed.

    >>> outer_product(np.array([1.0, 0.0]), np.array([2.0, 3.0]))
    array([[2., 3.],
           [0., 0.]])
    """
    a, b = left.reshape(-1), right.reshape(-1)
    entries = a.size * b.size
    if entries * max(a.itemsize, b.itemsize) >= FRESH and b.size >= LONG:
        rows = np.flatnonzero(a)
        if 4 * rows.size * (1 + CALL / b.size) < 3 * a.size and np.isfinite(b).all():
            result = np.zeros((a.size, b.size), np.result_type(a, b))
            for row in rows:
                np.multiply(b, a[row], out=result[row])
            return result
    if is_worth_rows(entries, b.size):
        return row_by_row(np.multiply, a[:, None], b)
    return a[:, None] * b if entries >= LARGE else a[:, None].dot(b[None])


def product_of_active(matrices: Sequence[Array], switches: Sequence[Array | None]) -> Array:
    """The product of a chain of matrices, from the entries at which no switch is zero.

    The switches are vectors for the rows of the first matrix, for each index that is summed and
    for the columns of the last; None where all is needed. At an index where its switch is zero,
    nothing counts: the result is zero. Where an operand is not finite, all is computed.

    >>> A = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> product_of_active([A, A], [np.array([0.0, 1.0]), None, None])
    array([[ 0.,  0.],
           [15., 22.]])
    """
    lengths = [*map(len, matrices), matrices[-1].shape[1]]
    active = [None if s is None else s.nonzero()[0] for s in switches]
    counts = [n if a is None else a.size for n, a in zip(lengths, active, strict=True)]
    few = _multiplications(counts) <= MOST_ACTIVE * _multiplications(lengths)
    if not (few and _are_finite(*matrices, *switches)):
        return _product_of_all(matrices, switches)
    chain = (_picked(m, *active[k : k + 2]) for k, m in enumerate(matrices))
    return _among_zeros(reduce(np.dot, chain), active[0], active[-1], lengths[0], lengths[-1])


def symmetric_product_of_active(matrix: Array, weights: Array, switch: Array) -> Array:
    """`matrix.T @ diag(weights) @ matrix`, from the columns at which the switch is not zero.

    At the others nothing counts: rows and columns of the result are zero. Where an operand is not
    finite, all is computed.

    >>> A = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> symmetric_product_of_active(A, np.array([1.0, 2.0]), np.array([0.0, 1.0]))
    array([[ 0.,  0.],
           [ 0., 36.]])
    """
    (active,), n = switch.nonzero(), len(switch)
    if active.size <= MOST_ACTIVE * n and _are_finite(matrix, weights, switch):
        part = symmetric_product(2, matrix.take(active, axis=1, mode="clip"), weights)
        return _among_zeros(part, active, active, n, n)
    return symmetric_product(2, matrix * np.sign(switch), weights)


def _multiplications(lengths: Sequence[int]) -> int:
    return lengths[0] * sum(m * n for m, n in pairwise(lengths[1:]))


def _are_finite(*arrays: Array | None) -> bool:
    """Whether all entries are; large ones may count as infinite."""
    flat = (a.ravel("K") for a in arrays if a is not None)
    return all(isfinite(a.dot(a)) for a in flat)


def _product_of_all(matrices: Sequence[Array], switches: Sequence[Array | None]) -> Array:
    """The whole product, with zeros where they are expected."""
    # Before they are multiplied: a large product might overflow where it does not count.
    chain = [
        matrix if switch is None else matrix * np.sign(switch)
        for matrix, switch in zip(matrices, switches[1:], strict=True)
    ]
    if switches[0] is not None:
        chain[0] = chain[0] * np.sign(switches[0])[:, None]
    return reduce(np.dot, chain)


def _picked(matrix: Array, rows: Array | None, columns: Array | None) -> Array:
    """Some rows and columns of a matrix; what lies together in memory is picked first."""
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        return _picked(matrix.T, columns, rows).T
    # No index is out of range; what clips it does not copy what it has checked.
    if rows is not None:
        matrix = matrix.take(rows, axis=0, mode="clip")
    return matrix if columns is None else matrix.take(columns, axis=1, mode="clip")


def _among_zeros(
    part: Array, rows: Array | None, columns: Array | None, height: int, width: int
) -> Array:
    """An array of zeros with a part at some rows and columns."""
    if columns is not None:
        wide = np.zeros((len(part), width), part.dtype)
        wide[:, columns] = part
        part = wide
    if rows is not None:
        high = np.zeros((height, width), part.dtype)
        high[rows] = part
        part = high
    return part
