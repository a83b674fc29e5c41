"""Functions of one square matrix that NumPy lacks or that must not raise on a singular one."""

from itertools import permutations
from typing import Any

import numpy as np

from eggrad.engine.terms.binding import Array

__all__ = ["adjugate", "cofactors", "inverse"]


def inverse(matrix: Array) -> Array:
    """The inverse; all entries NaN where elimination meets a zero pivot.

    >>> inverse(np.array([[2.0]]))
    array([[0.5]])
    """
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def adjugate(matrix: Array) -> Array:
    """The adjugate, `det(X) * inv(X)` continued to singular matrices: the cofactors, transposed.

    >>> adjugate(np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-3.,  1.]])
    """
    return cofactors(1, matrix).T


def cofactors(k: int, matrix: Array) -> Array:
    """The k-th derivative of `det` at a square matrix, axes (row, column) k times.

    With `X = U S V'` it is `det(U) det(V)` times the derivative of `det` at the diagonal matrix S,
    turned back by U and V. At S, the entry for rows a1..ak and the columns permuted from them is
    the product of the other singular values, so that nothing is ever divided by a small one
    (Stewart, "On the adjugate matrix", 1998, for k = 1).

    >>> abs(cofactors(2, np.array([[1.0, 2.0], [2.0, 4.0]]))[0, 0]).round(12)
    array([[0., 0.],
           [0., 1.]])
    """
    if k == 0:
        return np.asarray(np.linalg.det(matrix))
    n = len(matrix)
    try:
        left, values, right = np.linalg.svd(matrix)
    except np.linalg.LinAlgError:
        return np.full((n, n) * k, np.nan, matrix.dtype)
    orientation = np.linalg.det(left) * np.linalg.det(right)
    others = orientation * _products_of_others(k, values)
    left, right = left.conj(), right.conj().T
    if k == 1:
        return (left * others) @ right.T
    result = np.zeros((n, n) * k, left.dtype)
    for order in permutations(range(k)):
        # Operand t has its row axis 2t and column axis 2t + 1; the summed axes follow from 2k.
        operands: list[Any] = [others, range(2 * k, 3 * k)]
        for t, image in enumerate(order):
            operands += [left, (2 * t, 2 * k + t), right, (2 * t + 1, 2 * k + image)]
        inversions = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        result += (-1) ** inversions * np.einsum(*operands, range(2 * k), optimize=True)
    return result


def _products_of_others(k: int, values: Array) -> Array:
    """For each tuple of k places the product of the values elsewhere; 0 where a place repeats."""
    n = len(values)
    places = np.indices((n,) * k)
    taken = np.sum(places[..., None] == np.arange(n), axis=0)
    distinct = (taken <= 1).all(-1)
    return np.where(distinct, np.prod(np.where(taken > 0, 1, values), axis=-1), 0)
