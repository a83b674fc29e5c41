"""Large outer products: what is zero is not written."""

from typing import Final

import numpy as np

from eggrad.engine.binding import Array

__all__ = ["outer_product"]

# From rows of this length on, a loop over the rows that are not zero is worth it.
LONG: Final = 4096


def outer_product(left: Array, right: Array) -> Array:
    """`left[:, None] * right`, where a row of zeros takes no time and no memory.

    The operands are flattened. Derivatives of `relu` are full of zeros; fresh memory that is
    never written is zero already, and is not even there. Where a factor of such a row is not
    finite, all is computed.

    >>> outer_product(np.array([1.0, 0.0]), np.array([2.0, 3.0]))
    array([[2., 3.],
           [0., 0.]])
    """
    a, b = left.reshape(-1), right.reshape(-1)
    if b.size >= LONG:
        rows = np.flatnonzero(a)
        if 4 * rows.size < 3 * a.size and np.isfinite(b).all():
            result = np.zeros((a.size, b.size), np.result_type(a, b))
            for row in rows:
                np.multiply(b, a[row], out=result[row])
            return result
    return a[:, None].dot(b[None])
