"""Operations on large matrices of which one is transposed: block by block, for the cache's sake."""

from itertools import product
from math import ceil
from typing import Final

import numpy as np

from eggrad.engine.runtime.row_functions import ROW, row_by_row
from eggrad.engine.terms.binding import Array

__all__ = ["MANY", "by_blocks"]

# With fewer entries blocks gain nothing.
MANY: Final = 80_000
SIDE: Final = 512


def by_blocks(operation: np.ufunc, left: Array, right: Array) -> Array:
    """What a function of two entries makes of two matrices whose entries lie in other orders.

    Narrow matrices are taken whole.

    >>> A = np.arange(4.0).reshape(2, 2)
    >>> by_blocks(np.subtract, A, A.T)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    rows, columns = left.shape
    if min(rows, columns) < ROW:
        return operation(left, right)
    result = np.empty((rows, columns), np.result_type(left, right))
    for place in product(_parts(rows), _parts(columns)):
        row_by_row(operation, left[place], right[place], out=result[place])
    return result


def _parts(length: int) -> list[slice]:
    """As few equal parts of an axis as have at most `SIDE` places."""
    size = ceil(length / ceil(length / SIDE))
    return [slice(k, k + size) for k in range(0, length, size)]
