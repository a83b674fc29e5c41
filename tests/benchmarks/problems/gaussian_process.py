"""The negative log marginal likelihood of a Gaussian process, by its covariance matrix K."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity

__all__ = ["GAUSSIAN_PROCESS"]


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    G = random.standard_normal((n, n))
    K = G @ G.T / n + np.eye(n)
    return {"K": (K + K.T) / 2, "y": random.standard_normal(n)}


def function(ops: Any, K: Any, y: Any) -> Any:
    return 0.5 * (y @ ops.solve(K, y)) + 0.5 * ops.slogdet(K)[1]


def for_eggrad(eg: Any, K: Any, y: Any) -> Any:
    """The entries of K vary freely: the derivative is not restricted to symmetric matrices."""
    return (y @ eg.inv(K) @ y + eg.log(eg.det(K))) / 2


def finished(B: Array, y: Array, log_root: float) -> tuple[float, Array]:
    """Value and gradient from the inverse B and the logarithm of the root of the determinant."""
    a = B.dot(y)
    value = 0.5 * y.dot(a) + log_root
    B -= a[:, None] * a
    B *= 0.5
    return value, B


def inverse_and_determinant(K: Array, y: Array) -> tuple[float, Array]:
    return finished(np.linalg.inv(K), y, 0.5 * np.linalg.slogdet(K)[1])


def any_matrix(K: Array, y: Array) -> tuple[float, Array]:
    """Right for a K that is not symmetric as well."""
    B = np.linalg.inv(K)
    a, b = B.dot(y), y.dot(B)
    return 0.5 * (y.dot(a) + np.linalg.slogdet(K)[1]), 0.5 * (B.T - b[:, None] * a)


def cholesky_and_inverse(K: Array, y: Array) -> tuple[float, Array]:
    L = np.linalg.cholesky(K)
    return finished(np.linalg.inv(K), y, np.log(np.diagonal(L)).sum())


def cholesky_inverse(K: Array, y: Array) -> tuple[float, Array]:
    L = np.linalg.cholesky(K)
    inverse = np.linalg.inv(L)
    return finished(inverse.T @ inverse, y, np.log(np.diagonal(L)).sum())


def recursive_inverse(K: Array, y: Array) -> tuple[float, Array]:
    L = np.linalg.cholesky(K)
    return finished(transposed_square(lower_inverse(L)), y, np.log(np.diagonal(L)).sum())


def lower_inverse(L: Array, block: int = 64) -> Array:
    """The inverse of a lower triangular matrix, by halves."""
    n = len(L)
    if n <= block:
        return np.linalg.inv(L)
    half = (n // 2 + 63) // 64 * 64
    if half >= n:
        half = n // 2
    X = np.zeros_like(L)
    first, last = lower_inverse(L[:half, :half]), lower_inverse(L[half:, half:])
    X[:half, :half] = first
    X[half:, half:] = last
    np.negative(last @ (L[half:, :half] @ first), out=X[half:, :half])
    return X


def transposed_square(X: Array, block: int = 128) -> Array:
    """X'X of a lower triangular matrix, by halves."""
    n = len(X)
    if n <= block:
        return X.T @ X
    half, R = n // 2, np.empty_like(X)
    corner, last = X[half:, :half], X[half:, half:]
    R[half:, half:] = transposed_square(last, block)
    R[half:, :half] = last.T @ corner
    R[:half, half:] = R[half:, :half].T
    first = transposed_square(np.ascontiguousarray(X[:half, :half]), block)
    first += corner.T @ corner
    R[:half, :half] = first
    return R


def parts(K: Array, y: Array) -> tuple[Array, Array, Array]:
    """B, Q and R, with which the Hessian is B[j, k] Q[l, i] + R[j, k] B[l, i], transposed."""
    B = np.linalg.inv(K)
    a, b = B.dot(y), y.dot(B)
    return B, 0.5 * (b[:, None] * a - B.T), 0.5 * (a[:, None] * b)


def batched_product(K: Array, y: Array) -> Array:
    """The sum of two outer products as one product with two inner terms."""
    B, Q, R = parts(K, y)
    n = len(y)
    left = np.stack([B, R], -1).reshape(1, n * n, 2)
    right = np.stack([Q, B.T], 1)
    return (left @ right).reshape(n, n, n, n)


def row_by_row(K: Array, y: Array) -> Array:
    B, Q, R = parts(K, y)
    n = len(y)
    H, other = np.empty((n, n, n, n)), np.empty((n, n, n))
    for i in range(n):
        np.multiply(B[:, :, None], Q[i], out=H[i])
        np.multiply(R[:, :, None], B[:, i], out=other)
        H[i] += other
    return H


GAUSSIAN_PROCESS = Problem(
    "gaussian_process",
    "(y'inv(K)y + log det K) / 2 by K",
    data,
    {"K": ("n", "n"), "y": ("n",)},
    function,
    {
        "gradient": Quantity(
            (10, 30, 100, 300, 1000, 2000),
            {
                "any matrix": any_matrix,
                "inverse, determinant": inverse_and_determinant,
                "Cholesky, inverse": cholesky_and_inverse,
                "inverse of Cholesky": cholesky_inverse,
                "recursive inverse": recursive_inverse,
            },
        ),
        "hessian": Quantity(
            (10, 30, 64, 100), {"one product": batched_product, "row by row": row_by_row}
        ),
    },
    for_eggrad,
    {"K": ["positive definite"]},
)
