"""The matrix W that unmixes n samples X of d signals: independent components, maximum likelihood.

There are d = n/30 signals, at least three.
"""

from math import log
from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    d = max(3, n // 30)
    mixing = np.eye(d) + 0.3 * random.standard_normal((d, d)) / np.sqrt(d)
    W = np.linalg.inv(mixing) + 0.1 * random.standard_normal((d, d)) / np.sqrt(d)
    return {"W": W, "X": random.laplace(size=(n, d)) @ mixing.T}


def function(ops: Any, W: Any, X: Any) -> Any:
    xp = ops.xp
    return xp.sum(xp.log(xp.cosh(X @ W.T))) - X.shape[0] * xp.linalg.slogdet(W)[1]


def by_cosh(W: Array, X: Array) -> tuple[float, Array]:
    n, Y = len(X), X.dot(W.T)
    C = np.cosh(Y)
    g = np.tanh(Y, out=Y).T.dot(X)
    g -= n * np.linalg.inv(W).T
    return np.add.reduce(np.log(C, out=C), None) - n * float(np.linalg.slogdet(W)[1]), g


def by_exponentials(W: Array, X: Array) -> tuple[float, Array]:
    """One exponential, and none that overflows: log cosh y = |y| + log(1 + exp(-2|y|)) - log 2."""
    n, Y = len(X), X.dot(W.T)
    E = np.absolute(Y)
    value = np.add.reduce(E, None) - E.size * log(2) - n * float(np.linalg.slogdet(W)[1])
    E *= -2
    np.exp(E, out=E)
    # The hyperbolic tangent of |y| is (1 - E) / (1 + E).
    T = 1 - E
    E += 1
    T /= E
    np.copysign(T, Y, out=T)
    g = T.T.dot(X)
    g -= n * np.linalg.inv(W).T
    return value + np.add.reduce(np.log(E, out=E), None), g


INDEPENDENT_COMPONENTS = unseen(
    "independent_components",
    "independent components, n/30 signals",
    data,
    {"W": ("d", "d"), "X": ("n", "d")},
    function,
    {
        "gradient": Quantity(
            (30, 300, 3000), {"exponentials": by_exponentials, "cosh and tanh": by_cosh}
        )
    },
)
