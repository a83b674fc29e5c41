"""How long n patients live: Weibull's distribution by six covariates, some times are censored.

The parameters x are the logarithm of the shape and then the coefficients.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

COVARIATES = 6


def data(n: int) -> dict[str, Array]:
    """Of each patient the covariates X, the time t, and 1 as event where it is no censored one."""
    random = np.random.default_rng(n)
    x = np.array([0.3, 0.5, -0.4, 0.2, 0.0, 0.3, -0.1])
    X = random.standard_normal((n, COVARIATES))
    life = np.exp(X @ x[1:]) * random.weibull(np.exp(x[0]), n)
    end = 2 * random.random(n) + 0.1
    event = (life < end).astype(float)
    return {"x": x + 0.1, "X": X, "t": np.minimum(life, end), "event": event}


def function(ops: Any, x: Any, X: Any, t: Any, event: Any) -> Any:
    xp = ops.xp
    z = xp.exp(x[0]) * (xp.log(t) - X @ x[1:])
    return xp.sum(xp.where(event > 0, xp.exp(z) - z - x[0] + xp.log(t), xp.exp(z)))


def gradient(x: Array, X: Array, t: Array, event: Array) -> tuple[float, Array]:
    """The value takes the events off by dot products."""
    shape, logs = float(np.exp(x[0])), np.log(t)
    z = X.dot(x[1:])
    np.subtract(logs, z, out=z)
    z *= shape
    e = np.exp(z)
    count = np.add.reduce(event)
    value = np.add.reduce(e) - count * x[0]
    logs -= z
    value += event.dot(logs)
    e -= event
    g = np.empty(len(x))
    e.dot(X, out=g[1:])
    g[1:] *= -shape
    g[0] = e.dot(z) - count
    return value, g


def exponentials(x: Array, X: Array, t: Array) -> tuple[float, Array, Array]:
    """The shape, z, and its exponentials."""
    shape = float(np.exp(x[0]))
    z = X.dot(x[1:])
    np.subtract(np.log(t), z, out=z)
    z *= shape
    return shape, z, np.exp(z)


def hessian(x: Array, X: Array, t: Array, event: Array) -> Array:
    """NumPy computes half of Y Y', by BLAS syrk; z depends on the logarithm of the shape twice."""
    shape, z, e = exponentials(x, X, t)
    root = np.sqrt(e)
    e -= event
    Y = np.empty((len(x), len(z)))
    np.multiply(root, z, out=Y[0])
    root *= -shape
    np.multiply(X.T, root, out=Y[1:])
    H = Y.dot(Y.T)
    border = e.dot(X)
    border *= -shape
    H[0, 0] += e.dot(z)
    H[0, 1:] += border
    H[1:, 0] += border
    return H


def hessian_of_rows(x: Array, X: Array, t: Array, event: Array) -> Array:
    """Rows stay rows, and z meets them by another product."""
    shape, z, e = exponentials(x, X, t)
    H = np.empty((len(x), len(x)))
    np.multiply(X.T.dot(X * e[:, None]), shape**2, out=H[1:, 1:])
    ez = e * z
    e -= event
    H[0, 0] = ez.dot(z) + e.dot(z)
    e += ez
    border = e.dot(X)
    border *= -shape
    H[0, 1:] = border
    H[1:, 0] = border
    return H


SIZES = (30, 300, 3000)

WEIBULL_SURVIVAL = unseen(
    "weibull_survival",
    "Weibull survival with censored times",
    data,
    {"x": (COVARIATES + 1,), "X": ("n", COVARIATES), "t": ("n",), "event": ("n",)},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient}),
        "hessian": Quantity(SIZES, {"syrk": hessian, "rows": hessian_of_rows}),
    },
)
