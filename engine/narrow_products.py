"""Products of a large matrix with a narrow one, in blocks that BLAS multiplies where they are.

OpenBLAS copies the matrices of a product before it multiplies them, but for small ones. Of a
narrow product that copy is half of the time or more.
"""

import os
from functools import lru_cache
from typing import Final

import numpy as np

from eggrad.engine.binding import Array

__all__ = ["BLOCK", "NARROW", "narrow_product"]

# So many columns may be multiplied in blocks, and each block takes so many multiplications.
NARROW: Final = 16
BLOCK: Final = 1_000_000
_NAMES: Final = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def narrow_product(large: Array, narrow: Array) -> Array:
    """`large @ narrow`, for matrices, of which the second has few columns.

    A block is a part of what is contiguous in the large one: of the rows, each with a part of the
    result, or of what is summed. With several threads BLAS divides the product itself.

    >>> narrow_product(np.eye(2), np.array([[1.0], [2.0]]))
    array([[1.],
           [2.]])
    """
    rows, inner = large.shape
    columns = narrow.shape[1]
    by_rows = large.flags.c_contiguous
    step = BLOCK // max(1, columns * (inner if by_rows else rows))
    if columns > NARROW or not 0 < step < (rows if by_rows else inner) or _threads() > 1:
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


@lru_cache
def _threads() -> int:
    """How many threads OpenBLAS takes, by what the environment says, or else by the cores."""
    given = (os.environ.get(name, "") for name in _NAMES)
    cores = os.cpu_count() or 1
    return next((int(text) for text in given if text.isdigit() and int(text)), cores)
