"""Logistic regression: the sum of log(1 + exp(-y (Xw))) over m = 2n samples."""

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, without_buffers

__all__ = ["LOGISTIC_REGRESSION"]


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    X = random.standard_normal((2 * n, n)) / np.sqrt(n)
    w, y = random.standard_normal(n), np.where(random.random(2 * n) < 0.5, -1.0, 1.0)
    return {"w": w, "X": X, "y": y}


def plain(w: Array, X: Array, y: Array) -> tuple[float, Array]:
    e = np.exp(-y * (X @ w))
    return np.log(e + 1).sum(), (-y * e / (e + 1)) @ X


def in_place(w: Array, X: Array, y: Array) -> tuple[float, Array]:
    e = X.dot(w)
    e *= y
    np.negative(e, out=e)
    np.exp(e, out=e)
    q = 1 + e
    e /= q
    e *= y
    value = np.add.reduce(np.log(q, out=q))
    g = e.dot(X)
    return value, np.negative(g, out=g)


def row_blocks(w: Array, X: Array, y: Array) -> tuple[float, Array]:
    """Value and gradient in one pass over X."""
    m, n = X.shape
    size = max(16, 65536 // n)
    value, g = 0.0, np.zeros(n)
    for i in range(0, m, size):
        part, gradient = in_place(w, X[i : i + size], y[i : i + size])
        value += part
        g += gradient
    return value, g


def weights(w: Array, X: Array, y: Array) -> Array:
    """The second derivative of each sample's loss by its argument."""
    e = X.dot(w)
    e *= y
    np.exp(e, out=e)
    q = 1 + e
    e /= q
    e /= q
    e *= y
    e *= y
    return e


def product(w: Array, X: Array, y: Array) -> Array:
    return X.T @ (weights(w, X, y)[:, None] * X)


def symmetric_product(w: Array, X: Array, y: Array) -> Array:
    """NumPy computes half of Y'Y, by BLAS syrk."""
    Y = np.sqrt(weights(w, X, y))[:, None] * X
    return Y.T @ Y


def symmetric_dot(w: Array, X: Array, y: Array) -> Array:
    """As `symmetric_product`; y² = 1, and the root is taken before the quotient."""
    e = X.dot(w)
    e *= y
    e *= 0.5
    np.exp(e, out=e)
    e /= 1 + e * e
    Y = X * e[:, None]
    return Y.T.dot(Y)


SIZES = (10, 30, 100, 300, 1000, 2000)

LOGISTIC_REGRESSION = Problem(
    "logistic_regression",
    "sum(log(exp(-y (Xw)) + 1)), m = 2n",
    data,
    {"w": ("n",), "X": ("m", "n"), "y": ("m",)},
    lambda ops, w, X, y: ops.sum(ops.log(ops.exp(-y * (X @ w)) + 1)),
    {
        "gradient": Quantity(SIZES, {"in place": in_place, "plain": plain, "one pass": row_blocks}),
        "hessian": Quantity(
            SIZES,
            {
                "product": product,
                "syrk": symmetric_product,
                "syrk, half": symmetric_dot,
                "without buffers": without_buffers(symmetric_dot),
            },
        ),
    },
)
