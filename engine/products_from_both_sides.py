"""A large matrix times a vector on either side, in one pass over it."""

from typing import Final

import numpy as np

from eggrad.engine.binding import Array

__all__ = ["products_from_both_sides"]

# So many entries stay in the cache from the first product to the second.
BLOCK: Final = 65536


def products_from_both_sides(matrix: Array, v: Array, w: Array) -> tuple[Array, Array]:
    """`matrix @ v` and `w @ matrix`, for a matrix (m, n) and vectors (n,) and (m,).

    >>> products_from_both_sides(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones(2), np.ones(2))
    (array([3., 7.]), array([4., 6.]))
    """
    if matrix.flags.f_contiguous and not matrix.flags.c_contiguous:
        second, first = products_from_both_sides(matrix.T, w, v)
        return first, second
    length, width = matrix.shape
    times_v = np.empty(length, np.result_type(matrix, v))
    w_times = np.zeros(width, np.result_type(matrix, w))
    size = max(1, BLOCK // max(1, width))
    for start in range(0, length, size):
        rows = slice(start, start + size)
        times_v[rows] = matrix[rows].dot(v)
        w_times += w[rows].dot(matrix[rows])
    return times_v, w_times
