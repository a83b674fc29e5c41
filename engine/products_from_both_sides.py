"""A large matrix times a vector on either side, in one pass over it."""

from typing import Final

import numpy as np

from eggrad.engine.binding import Array

__all__ = ["products_from_both_sides"]

# So many entries stay in the cache from the first product to the second.
BLOCK: Final = 65536


def products_from_both_sides(matrix: Array, right: Array, left: Array) -> tuple[Array, Array]:
    """`matrix @ right` and `left @ matrix`.

    >>> products_from_both_sides(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2), np.ones(2))
    (array([3., 7.]), array([4., 6.]))
    """
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        before, after = products_from_both_sides(matrix.T, left, right)
        return after, before
    length, width = matrix.shape
    after = np.empty(length, np.result_type(matrix, right))
    before = np.zeros(width, np.result_type(matrix, left))
    size = max(16, BLOCK // max(1, width))
    for start in range(0, length, size):
        rows = slice(start, start + size)
        block = matrix[rows]
        after[rows] = block.dot(right)
        before += left[rows].dot(block)
    return after, before
