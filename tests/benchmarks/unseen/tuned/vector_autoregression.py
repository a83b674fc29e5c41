"""Four series Z of n values, each from all values one step and two steps before.

The parameters x are two matrices, row by row, and the intercepts; least squares.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

SERIES = 4
SQUARE = SERIES**2
BOTH = 2 * SQUARE
LENGTH = BOTH + SERIES


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    A = 0.5 * np.eye(SERIES) + 0.1 * random.standard_normal((SERIES, SERIES))
    B = -0.3 * np.eye(SERIES) + 0.1 * random.standard_normal((SERIES, SERIES))
    c = random.standard_normal(SERIES)
    Z = random.standard_normal((n, SERIES))
    for k in range(2, n):
        Z[k] += A @ Z[k - 1] + B @ Z[k - 2] + c
    x = np.concatenate([A.ravel(), B.ravel(), c])
    return {"x": x + 0.1 * random.standard_normal(LENGTH), "Z": Z}


def function(ops: Any, x: Any, Z: Any) -> Any:
    A, B, c = x[:16].reshape(4, 4), x[16:32].reshape(4, 4), x[32:]
    return ops.xp.sum((Z[2:] - Z[1:-1] @ A.T - Z[:-2] @ B.T - c) ** 2)


def by_slices(x: Array, Z: Array) -> tuple[float, Array]:
    """Products of the series' slices; residuals have the other sign."""
    one, two = Z[1:-1], Z[:-2]
    R = one.dot(x[:SQUARE].reshape(SERIES, SERIES).T)
    R += two.dot(x[SQUARE:BOTH].reshape(SERIES, SERIES).T)
    R -= Z[2:]
    R += x[BOTH:]
    g = np.empty(LENGTH)
    R.T.dot(one, out=g[:SQUARE].reshape(SERIES, SERIES))
    R.T.dot(two, out=g[SQUARE:BOTH].reshape(SERIES, SERIES))
    np.add.reduce(R, 0, out=g[BOTH:])
    g *= 2
    return np.vdot(R, R), g


def regressors(Z: Array) -> Array:
    """The values two steps before, one step before and 1, a row each, copied."""
    L = np.empty((2 * SERIES + 1, len(Z) - 2))
    L[:SERIES] = Z[1:-1].T
    L[SERIES:-1] = Z[:-2].T
    L[-1] = 1
    return L


def by_regressors(x: Array, Z: Array) -> tuple[float, Array]:
    """One product for all residuals, and one for all sums."""
    L = regressors(Z)
    W = np.empty((SERIES, 2 * SERIES + 1))
    W[:, :-1].reshape(SERIES, 2, SERIES)[...] = (
        x[:BOTH].reshape(2, SERIES, SERIES).transpose(1, 0, 2)
    )
    W[:, -1] = x[BOTH:]
    R = W.dot(L)
    R -= Z[2:].T
    G = R.dot(L.T)
    G *= 2
    g = np.empty(LENGTH)
    g[:BOTH].reshape(2, SERIES, SERIES)[...] = (
        G[:, :-1].reshape(SERIES, 2, SERIES).transpose(1, 0, 2)
    )
    g[BOTH:] = G[:, -1]
    return np.vdot(R, R), g


def spread(G: Array) -> Array:
    """The moments of the regressors where two parameters are of the same series."""
    H = np.zeros((LENGTH, LENGTH))
    half = 2, SERIES, SERIES
    moments = G[:-1, :-1].reshape(2, SERIES, 2, SERIES)
    np.einsum("piaqib->ipaqb", H[:BOTH, :BOTH].reshape(*half, *half))[...] = moments
    sums = G[-1, :-1].reshape(2, SERIES)
    np.einsum("piai->ipa", H[:BOTH, BOTH:].reshape(*half, SERIES))[...] = sums
    np.einsum("ipia->ipa", H[BOTH:, :BOTH].reshape(SERIES, *half))[...] = sums
    np.einsum("ii->i", H[BOTH:, BOTH:])[...] = G[-1, -1]
    return H


def hessian(x: Array, Z: Array) -> Array:
    """NumPy computes half of L L', by BLAS syrk."""
    G = regressors(Z)
    G = G.dot(G.T)
    G *= 2
    return spread(G)


# For each pair of parameters the place of their moment among all, or that of a 0 after these.
MOMENTS = (2 * SERIES + 1) ** 2
PLACES = spread(np.arange(1.0, MOMENTS + 1).reshape(2 * SERIES + 1, -1)).astype(int) - 1


def hessian_by_places(x: Array, Z: Array) -> Array:
    """One look-up instead of blocks."""
    L = regressors(Z)
    moments = np.zeros(MOMENTS + 1)
    L.dot(L.T, out=moments[:-1].reshape(len(L), len(L)))
    moments *= 2
    return moments.take(PLACES)


SIZES = (30, 300, 3000)

VECTOR_AUTOREGRESSION = unseen(
    "vector_autoregression",
    "vector autoregression, four series, two lags",
    data,
    {"x": (LENGTH,), "Z": ("n", SERIES)},
    function,
    {
        "gradient": Quantity(SIZES, {"slices": by_slices, "regressors": by_regressors}),
        "hessian": Quantity(SIZES, {"blocks": hessian, "places": hessian_by_places}),
    },
)
