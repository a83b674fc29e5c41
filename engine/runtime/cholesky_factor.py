"""Positive definite matrices by their Cholesky factor, in half the operations of elimination."""

from typing import Any, Final

import numpy as np

from eggrad.engine.terms.binding import Array

__all__ = ["cholesky", "inverse_from_cholesky", "log_determinant_from_cholesky"]

# Blocks of this size are left to LAPACK; larger ones are halved, so that BLAS-3 does the work.
BLOCK: Final = 64


def cholesky(matrix: Array) -> Array:
    """The lower triangular L with `L L' = X`; all entries NaN where X is not positive definite.

    >>> cholesky(np.array([[4.0]]))
    array([[2.]])
    """
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def log_determinant_from_cholesky(factor: Array) -> Any:
    """`log(det(L L'))`, given the lower triangular L.

    >>> float(log_determinant_from_cholesky(np.array([[2.0]])).round(3))
    1.386
    """
    return 2.0 * np.log(np.diagonal(factor)).sum()


def inverse_from_cholesky(factor: Array) -> Array:
    """`inv(L L')`, given the lower triangular L.

    >>> inverse_from_cholesky(np.array([[2.0]]))
    array([[0.25]])
    """
    if not np.isfinite(factor).all():
        return np.full_like(factor, np.nan)
    return _gram(_inverse(factor))


def _inverse(lower: Array) -> Array:
    """The inverse of a lower triangular matrix, by halves."""
    n = len(lower)
    if n <= BLOCK:
        return np.linalg.inv(lower)
    half = (n // 2 + BLOCK - 1) // BLOCK * BLOCK
    half = half if half < n else n // 2
    result = np.zeros_like(lower)
    first = result[:half, :half] = _inverse(lower[:half, :half])
    second = result[half:, half:] = _inverse(lower[half:, half:])
    np.negative(second @ (lower[half:, :half] @ first), out=result[half:, :half])
    return result


def _gram(lower: Array) -> Array:
    """`X.conj().T @ X` for a lower triangular X, by halves: a quarter of X is zero."""
    n = len(lower)
    if n <= 2 * BLOCK:
        return lower.conj().T @ lower
    half = n // 2
    corner, last = lower[half:, :half], lower[half:, half:]
    result = np.empty_like(lower)
    result[half:, half:] = _gram(last)
    below = result[half:, :half] = last.conj().T @ corner
    result[:half, half:] = below.conj().T
    first = _gram(np.ascontiguousarray(lower[:half, :half]))
    first += corner.conj().T @ corner
    result[:half, :half] = first
    return result
