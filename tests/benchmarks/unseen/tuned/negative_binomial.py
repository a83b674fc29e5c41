"""Regression of counts that vary more than Poisson's: negative binomial, logarithmic link.

There are n counts y with exposures of logarithm o, and n/5 columns of X.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity, without_buffers
from tests.benchmarks.unseen.problem import unseen

R = 2.5


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    p = n // 5 + 2
    X, o = random.standard_normal((n, p)) / np.sqrt(p), 0.1 * random.standard_normal(n)
    b = random.standard_normal(p)
    y = random.negative_binomial(R, R / (R + np.exp(X @ b + o)))
    return {"b": b + 0.1, "X": X, "y": y.astype(float), "o": o}


def function(ops: Any, b: Any, X: Any, y: Any, o: Any) -> Any:
    t = X @ b + o
    return ops.xp.sum((y + R) * ops.xp.log(R + ops.xp.exp(t)) - y * t)


def gradient(b: Array, X: Array, y: Array, o: Array) -> tuple[float, Array]:
    t = X.dot(b)
    t += o
    e = np.exp(t)
    q = e + R
    n = y + R
    e /= q
    e *= n
    e -= y
    return n.dot(np.log(q, out=q)) - y.dot(t), e.dot(X)


def weights(b: Array, X: Array, y: Array, o: Array) -> Array:
    """The second derivative of each count's loss by t: (y + R) R e / (R + e)²."""
    e = X.dot(b)
    e += o
    np.exp(e, out=e)
    q = e + R
    e /= q
    e /= q
    e *= R
    np.add(y, R, out=q)
    e *= q
    return e


def hessian(b: Array, X: Array, y: Array, o: Array) -> Array:
    """NumPy computes half of Y'Y, by BLAS syrk."""
    w = weights(b, X, y, o)
    Y = X * np.sqrt(w, out=w)[:, None]
    return Y.T.dot(Y)


def product(b: Array, X: Array, y: Array, o: Array, v: Array) -> Array:
    w = weights(b, X, y, o)
    w *= X.dot(v)
    return w.dot(X)


SIZES = (30, 100, 300, 1000)

NEGATIVE_BINOMIAL = unseen(
    "negative_binomial",
    "negative binomial regression, n/5 columns",
    data,
    {"b": ("p",), "X": ("n", "p"), "y": ("n",), "o": ("n",)},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient}),
        "hessian": Quantity(SIZES, {"syrk": hessian, "without buffers": without_buffers(hessian)}),
        "hvp": Quantity(SIZES, {"in place": product}),
    },
)
