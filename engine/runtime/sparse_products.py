"""Outer products: rows of zeros, which derivatives of a maximum with 0 have, are not computed."""

from typing import Final

import numpy as np

from eggrad.engine.runtime.row_functions import is_worth_rows, row_by_row
from eggrad.engine.terms.binding import Array

__all__ = ["FRESH", "LARGE", "outer_product"]

# An array of so many bytes is memory that nobody has written to: the C library gives such pieces
# back to the system. Zeros elsewhere take as long as products.
FRESH: Final = 1 << 25
# From rows of this length on a loop over the rows that are not zero may be worth it; each of them
# takes as long as so many more entries.
LONG: Final = 500
CALL: Final = 400
# From so many entries on it matters that `dot` fills a result with zeros before BLAS writes it.
LARGE: Final = 400_000


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
