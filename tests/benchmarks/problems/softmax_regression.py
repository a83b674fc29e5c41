"""Multinomial logistic regression: ten classes, m = 2n samples, by the weights W (n, 10)."""

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, without_buffers

__all__ = ["SOFTMAX_REGRESSION"]

CLASSES = 10


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    Y = np.zeros((2 * n, CLASSES))
    Y[np.arange(2 * n), random.integers(0, CLASSES, 2 * n)] = 1
    X = random.standard_normal((2 * n, n)) / np.sqrt(n)
    return {"W": random.standard_normal((n, CLASSES)), "X": X, "Y": Y}


def plain(W: Array, X: Array, Y: Array) -> tuple[float, Array]:
    Z = X @ W
    largest = Z.max(1, keepdims=True)
    E = np.exp(Z - largest)
    total = E.sum(1, keepdims=True)
    value = np.log(total).sum() + largest.sum() - np.vdot(Y, Z)
    E /= total
    E -= Y
    return value, X.T @ E


def classes_first(W: Array, X: Array, Y: Array) -> tuple[float, Array]:
    """Sums over classes run along the longer axis: NumPy adds whole rows."""
    rows = X.dot(W)
    value = -np.vdot(Y, rows)
    Z = rows.T.copy()
    largest = np.maximum.reduce(Z)
    Z -= largest
    np.exp(Z, out=Z)
    total = np.add.reduce(Z)
    Z /= total
    value += np.add.reduce(np.log(total, out=total)) + np.add.reduce(largest)
    E = np.subtract(Z.T, Y, out=rows)
    return value, X.T.dot(E)


def probabilities(W: Array, X: Array) -> Array:
    """The probability of each class, classes first."""
    P = X.dot(W).T.copy()
    P -= np.maximum.reduce(P)
    np.exp(P, out=P)
    P /= np.add.reduce(P)
    return P


def one_product(W: Array, X: Array, Y: Array) -> Array:
    P = np.ascontiguousarray(probabilities(W, X).T)
    m, n = X.shape
    M = -P[:, :, None] * P[:, None, :]
    np.einsum("sii->si", M)[...] += P
    right = (M[:, :, None, :] * X[:, None, :, None]).reshape(m, -1)
    return (X.T @ right).reshape(n, CLASSES, n, CLASSES)


def large_syrk(W: Array, X: Array, Y: Array) -> Array:
    """One symmetric product for all pairs of classes, one more for each class."""
    P = probabilities(W, X)
    m, n = X.shape
    Z = (X[:, :, None] * P.T[:, None, :]).reshape(m, -1)
    H = Z.T @ Z
    np.negative(H, out=H)
    H = H.reshape(n, CLASSES, n, CLASSES)
    roots = np.sqrt(P)
    for i in range(CLASSES):
        y = roots[i][:, None] * X
        H[:, i, :, i] += y.T @ y
    return H


def pair_by_pair(W: Array, X: Array, Y: Array) -> Array:
    """A symmetric product for each of the 55 pairs of classes."""
    P = probabilities(W, X)
    n = X.shape[1]
    H = np.empty((n, CLASSES, n, CLASSES))
    roots, own = np.sqrt(P), np.sqrt(P * (1 - P))
    for i in range(CLASSES):
        y = own[i][:, None] * X
        H[:, i, :, i] = y.T @ y
        for j in range(i + 1, CLASSES):
            y = (roots[i] * roots[j])[:, None] * X
            block = y.T @ y
            np.negative(block, out=block)
            H[:, i, :, j] = block
            H[:, j, :, i] = block
    return H


def row_by_row(W: Array, X: Array, Y: Array) -> Array:
    """One product for each class with all that follow it."""
    P = np.ascontiguousarray(probabilities(W, X).T)
    m, n = X.shape
    H = np.empty((n, CLASSES, n, CLASSES))
    for i in range(CLASSES):
        M = -P[:, i, None] * P[:, i:]
        M[:, 0] += P[:, i]
        right = (M[:, None, :] * X[:, :, None]).reshape(m, -1)
        block = (X.T @ right).reshape(n, n, CLASSES - i)
        H[:, i, :, i:] = block
        H[:, i + 1 :, :, i] = block[:, :, 1:].transpose(0, 2, 1)
    return H


SIZES = (10, 30, 100, 300, 1000)

SOFTMAX_REGRESSION = Problem(
    "softmax_regression",
    "softmax cross-entropy of XW, 10 classes, m = 2n",
    data,
    {"W": ("n", "c"), "X": ("m", "n"), "Y": ("m", "c")},
    lambda ops, W, X, Y: ops.sum(ops.logsumexp(X @ W, 1)) - ops.sum(Y * (X @ W)),
    {
        "gradient": Quantity(SIZES, {"plain": plain, "classes first": classes_first}),
        "hessian": Quantity(
            SIZES,
            {
                "one product": one_product,
                "large syrk": large_syrk,
                "55 syrk": pair_by_pair,
                "without buffers": without_buffers(pair_by_pair),
                "row by row": row_by_row,
            },
        ),
    },
)
