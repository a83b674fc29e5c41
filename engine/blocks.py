"""Operations on large matrices of which one is transposed: block by block, for the cache's sake."""

from typing import Final

import numpy as np

from eggrad.engine.binding import Array
from eggrad.engine.row_by_row import row_by_row

__all__ = ["by_blocks"]

SIDE: Final = 512


def by_blocks(operation: np.ufunc, left: Array, right: Array) -> Array:
    """What a function of two entries makes of two matrices whose entries lie in other orders.

    >>> A = np.arange(4.0).reshape(2, 2)
    >>> by_blocks(np.subtract, A, A.T)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    rows, columns = left.shape
    result = np.empty((rows, columns), np.result_type(left, right))
    for i in range(0, rows, SIDE):
        for j in range(0, columns, SIDE):
            place = slice(i, i + SIDE), slice(j, j + SIDE)
            row_by_row(operation, left[place], right[place], out=result[place])
    return result
