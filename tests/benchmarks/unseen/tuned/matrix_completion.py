"""A matrix X of n by n of which some entries are known, by the left factor of rank five.

M is 1 where an entry is known and 0 elsewhere.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

RANK, RIDGE = 5, 0.1


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    U, V = random.standard_normal((2, n, RANK))
    M = (random.random((n, n)) < 0.3).astype(float)
    X = M * (U @ V.T + 0.1 * random.standard_normal((n, n)))
    return {"U": U + 0.1 * random.standard_normal(U.shape), "V": V, "X": X, "M": M}


def function(ops: Any, U: Any, V: Any, X: Any, M: Any) -> Any:
    xp = ops.xp
    return xp.sum(xp.where(M > 0, (U @ V.T - X) ** 2, 0)) + RIDGE * xp.sum(U**2)


def gradient(U: Array, V: Array, X: Array, M: Array) -> tuple[float, Array]:
    E = U.dot(V.T)
    E -= X
    E *= M
    g = E.dot(V)
    g += RIDGE * U
    g *= 2
    return np.vdot(E, E) + RIDGE * np.vdot(U, U), g


def product(U: Array, V: Array, X: Array, M: Array, v: Array) -> Array:
    E = v.dot(V.T)
    E *= M
    h = E.dot(V)
    h += RIDGE * v
    h *= 2
    return h


def in_blocks(function: Callable[..., Any], numbers: int = 1 << 15) -> Callable[..., Any]:
    """The function for rows whose residuals stay in the cache."""

    def call(U: Array, V: Array, X: Array, M: Array, *v: Array) -> Any:
        size = max(16, numbers // len(V))
        if len(U) <= size:
            return function(U, V, X, M, *v)
        value, g = 0.0, np.empty_like(U)
        for i in range(0, len(U), size):
            rows = slice(i, i + size)
            own = function(U[rows], V, X[rows], M[rows], *(d[rows] for d in v))
            if v:
                g[rows] = own
            else:
                value += own[0]
                g[rows] = own[1]
        return g if v else (value, g)

    return call


SIZES = (30, 300, 3000)

MATRIX_COMPLETION = unseen(
    "matrix_completion",
    "completion of a matrix by a factor",
    data,
    {"U": ("m", RANK), "V": ("n", RANK), "X": ("m", "n"), "M": ("m", "n")},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient, "blocks": in_blocks(gradient)}),
        "hvp": Quantity(SIZES, {"in place": product, "blocks": in_blocks(product)}),
    },
)
