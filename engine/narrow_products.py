"""Products of a large matrix with a narrow one, in blocks that BLAS multiplies where they are.

OpenBLAS copies the matrices of a product before it multiplies them, but for small ones. Of a
narrow product that copy is half of the time or more. What has to be copied is faster with the
narrow matrix before the large one.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from eggrad.engine.binding import Array
from eggrad.engine.blas_threads import blas_threads

__all__ = ["BLOCK", "block_length", "is_narrow", "narrow_product"]

# So many columns may be multiplied in blocks, each of so many multiplications at most.
_COLUMNS: Final = 16
BLOCK: Final = 1_000_000
# Of fewer entries the large matrix is not worth a look at how it is best multiplied.
_LARGE: Final = 100_000
# With fewer entries a matrix may be in the cache, and is then multiplied as it stands.
_BEYOND_CACHE: Final = 200_000
# A block has so many rows, or so many summed places: for each the whole result is written again.
_FEWEST_ROWS: Final = 8
_FEWEST_SUMMED: Final = 24


def narrow_product(large: Array, narrow: Array) -> Array:
    """`large @ narrow`, for matrices, of which the second has few columns.

    Where rows are contiguous, a block is some of them and gives some rows of the result. Where
    columns are, it is some of them, and the products of all blocks are added. What has neither,
    would have too small blocks, or meets a BLAS with several threads is one product, the
    transposed one if it is large.

    >>> narrow_product(np.eye(2), np.array([[1.0], [2.0]]))
    array([[1.],
           [2.]])
    """
    by_rows, by_columns = (step == large.itemsize for step in large.strides[::-1])
    rows, inner = large.shape
    columns = narrow.shape[1]
    step = block_length((rows, inner, columns), by_rows=by_rows)
    if not step or not (by_rows or by_columns) or blas_threads() > 1:
        if large.size >= _BEYOND_CACHE and large.size * columns > BLOCK:
            return (narrow.T @ large.T).T
        return large @ narrow
    narrow = np.ascontiguousarray(narrow)
    if not by_rows:
        result = large[:, :step] @ narrow[:step]
        for k in range(step, inner, step):
            result += large[:, k : k + step] @ narrow[k : k + step]
        return result
    result = np.empty((rows, columns), np.result_type(large, narrow))
    for k in range(0, rows, step):
        np.matmul(large[k : k + step], narrow, out=result[k : k + step])
    return result


def is_narrow(rows: int, inner: int, columns: int) -> bool:
    """Whether a product of matrices of such sizes is better left to `narrow_product`.

    >>> is_narrow(1000, 300, 5), is_narrow(1000, 300, 50), is_narrow(300, 300, 5)
    (True, False, False)
    >>> is_narrow(300, 300, 16)
    True
    """
    entries = rows * inner
    return 1 < columns <= _COLUMNS and (entries >= _LARGE or entries * columns > BLOCK)


def block_length(sizes: Sequence[int], *, by_rows: bool) -> int:
    """How many rows, or summed places, a block has; 0 where one product is faster.

    `sizes` are the rows and columns of the large matrix, and the columns of the narrow one.

    >>> block_length((300, 300, 16), by_rows=True), block_length((100, 100, 16), by_rows=True)
    (208, 0)
    """
    rows, inner, columns = sizes
    whole, other = (rows, inner) if by_rows else (inner, rows)
    step = BLOCK // max(1, columns * other)
    fewest = _FEWEST_ROWS if by_rows else _FEWEST_SUMMED
    return step if 1 < columns <= _COLUMNS and fewest <= step < whole else 0
