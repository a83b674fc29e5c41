"""Symmetric products of two or three factors.

`T[a, b] = Σ_s w[s] A[s, a] A[s, b]` and its kin are symmetric. BLAS has a symmetric product,
`Y' Y`, at half the operations of `X' Y`; where all weights have one sign, their square roots go
into Y. What has more axes is filled block by block from the part in which the axes are in order.
"""

from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.terms.binding import Array

# Below these numbers of columns one plain product is faster than half of it in pieces.
SMALL: Final = {2: 48, 3: 16}
# With fewer products of pairs it takes longer to leave out those that are there twice.
FEW_PAIRS: Final = 1000
# Triples are computed in one product of all pairs, from this number of columns on by blocks of so
# many first places: with fewer, BLAS has too little to multiply at a time.
MEDIUM: Final = 40
BLOCK: Final = 8


def symmetric_product(order: int, matrix: Array, weights: Array) -> Array:
    """`T[q.., a1, .., ak] = Σ_s weights[s, q..] Π_r matrix[s, a_r]`, for an order k of 2 or 3.

    >>> symmetric_product(2, np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0]))
    array([[ -8., -10.],
           [-10., -12.]])
    """
    n = matrix.shape[1]
    if n < SMALL[order] or not matrix.size or matrix.dtype.kind == "c":
        return _plain(order, matrix, weights)
    inner = weights.shape[1:]
    one = _gram if order == 2 else _cube
    if not inner:
        return one(matrix, weights)
    result = np.empty(inner + (n,) * order, np.result_type(matrix, weights))
    mirrored = len(inner) == 2 and np.array_equal(weights, weights.transpose(0, 2, 1))
    for place in product(*map(range, inner)):
        if mirrored and place[0] > place[1]:
            result[place] = result[place[::-1]]
        else:
            result[place] = one(matrix, weights[:, *place])
    return result


def product_of_pairs(matrix: Array, weights: Array) -> Array:
    """`T[q.., a, b] = Σ_s weights[q.., s] matrix[s, a] matrix[s, b]`, by one product.

    For many weights and few columns, where `symmetric_product` would make many small products.
    Unless there are few, each pair a <= b is computed once.

    >>> product_of_pairs(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, -1.0]]))
    array([[[ -8., -10.],
            [-10., -12.]]])
    """
    m, n = matrix.shape
    inner = weights.shape[:-1]
    rows = weights.reshape(prod(inner), m)
    if m * n * n < FEW_PAIRS:
        pairs = (matrix[:, :, None] * matrix[:, None]).reshape(m, n * n)
        return rows.dot(pairs).reshape(*inner, n, n)
    products, place = _products(matrix.T.copy())
    found = products.dot(rows.T).take(place, axis=0).transpose(2, 0, 1)
    return found.reshape(*inner, n, n)


def _plain(order: int, matrix: Array, weights: Array) -> Array:
    if order == 2 and weights.ndim == 1:
        return (matrix.T * weights).dot(matrix)
    m, n = matrix.shape
    left = matrix if order == 2 else (matrix[:, :, None] * matrix[:, None]).reshape(m, n * n)
    weighted = np.moveaxis(weights, 0, -1)[..., None, :] * left.T
    return (weighted @ matrix).reshape(weights.shape[1:] + (n,) * order)


def _gram(matrix: Array, weights: Array) -> Array:
    root = np.sqrt(np.abs(weights))
    scaled = root[:, None] * matrix
    if weights.min() >= 0:
        return scaled.T.dot(scaled)
    if weights.max() <= 0:
        result = scaled.T.dot(scaled)
        return np.negative(result, out=result)
    signs = weights < 0
    below, above = scaled[signs], scaled[~signs]
    result = above.T.dot(above)
    result -= below.T.dot(below)
    return result


def _cube(matrix: Array, weights: Array) -> Array:
    n = matrix.shape[1]
    if n < MEDIUM:
        columns = matrix.T.copy()
        products, place = _products(columns)
        return ((weights * columns) @ products.T).take(place, axis=1)
    result = np.empty((n, n, n), np.result_type(matrix, weights))
    rows = np.ascontiguousarray(matrix.T)
    # The products of pairs take no more memory than the result.
    size = max(1, min(BLOCK, n * n // len(matrix)))
    for a in range(0, n, size):
        first, rest = rows[a : a + size], n - a
        pairs = ((weights * first)[:, None] * rows[a:]).reshape(len(first) * rest, -1)
        part = pairs.dot(matrix[:, a:]).reshape(len(first), rest, rest)
        _fill(result[a:, a:, a:], part)
    return result


def _fill(result: Array, part: Array) -> None:
    """Write the entries with some first place; what has these at a later one is equal."""
    k = len(part)
    result[:k] = part
    result[k:, :k] = part[:, k:].transpose(1, 0, 2)
    result[k:, k:, :k] = part[:, k:, k:].transpose(1, 2, 0)


def _products(columns: Array) -> tuple[Array, Array]:
    """The products of every two columns, given as rows, each once as a row; and their places."""
    first, second, place = _pairs(len(columns))
    return columns.take(first, axis=0) * columns.take(second, axis=0), place


@lru_cache(maxsize=32)
def _pairs(n: int) -> tuple[Any, Any, Any]:
    """The pairs of places in order, and for every two places the number of their pair."""
    first, second = np.triu_indices(n)
    place = np.empty((n, n), np.intp)
    place[first, second] = place[second, first] = np.arange(len(first))
    return first, second, place
