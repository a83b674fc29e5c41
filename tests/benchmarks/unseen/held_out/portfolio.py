"""A portfolio w of n assets: risk by factors F, returns, costs of trading and a barrier.

Trading costs grow with the power 3/2 of what is traded, rounded off at 0.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

AVERSION, COST, BARRIER, ROUND = 3.0, 0.5, 1e-3, 1e-4


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    F = random.standard_normal((n, n // 10 + 2)) * 0.1
    w, w0 = random.random((2, n)) + 0.2
    return {
        "w": w / w.sum(),
        "w0": w0 / w0.sum(),
        "F": F,
        "d": 0.1 + random.random(n),
        "mu": 0.1 * random.standard_normal(n),
    }


def function(ops: Any, w: Any, w0: Any, F: Any, d: Any, mu: Any) -> Any:
    xp = ops.xp
    y = F.T @ w
    risk = AVERSION * (y @ y + d @ w**2) / 2
    costs = COST * xp.sum(((w - w0) ** 2 + ROUND) ** 0.75)
    return risk + costs - mu @ w - BARRIER * xp.sum(xp.log(w))


def gradient(w: Array, w0: Array, F: Array, d: Array, mu: Array) -> tuple[float, Array]:
    y = w.dot(F)
    dw = d * w
    t = w - w0
    q = t * t
    q += ROUND
    root = np.sqrt(q)
    fourth = np.sqrt(root)
    value = (
        0.5 * AVERSION * (y.dot(y) + dw.dot(w))
        + COST * root.dot(fourth)
        - mu.dot(w)
        - BARRIER * np.add.reduce(np.log(w))
    )
    y *= AVERSION
    g = F.dot(y)
    dw *= AVERSION
    g += dw
    t /= fourth
    t *= 1.5 * COST
    g += t
    g -= mu
    g -= BARRIER / w
    return value, g


def curvature(w: Array, w0: Array, d: Array) -> Array:
    """The diagonal that is added to the covariance of the factors."""
    t = w - w0
    t *= t
    q = t + ROUND
    # 3/2 q^(-1/4) (1 - t²/(2q)) = 3/4 (t² + 2 ROUND) / q^(5/4)
    t += 2 * ROUND
    t /= q
    np.sqrt(q, out=q)
    np.sqrt(q, out=q)
    t /= q
    t *= 0.75 * COST
    t += AVERSION * d
    np.multiply(w, w, out=q)
    t += BARRIER / q
    return t


def hessian(w: Array, w0: Array, F: Array, d: Array, mu: Array) -> Array:
    """NumPy computes half of F F', by BLAS syrk."""
    G = F * np.sqrt(AVERSION)
    H = G.dot(G.T)
    H.reshape(-1)[:: len(w) + 1] += curvature(w, w0, d)
    return H


def hessian_scaled_after(w: Array, w0: Array, F: Array, d: Array, mu: Array) -> Array:
    H = F.dot(F.T)
    H *= AVERSION
    H.reshape(-1)[:: len(w) + 1] += curvature(w, w0, d)
    return H


def product(w: Array, w0: Array, F: Array, d: Array, mu: Array, v: Array) -> Array:
    y = v.dot(F)
    y *= AVERSION
    h = F.dot(y)
    c = curvature(w, w0, d)
    c *= v
    h += c
    return h


SIZES = (30, 100, 300, 1000)

PORTFOLIO = unseen(
    "portfolio",
    "risk, costs and barrier of a portfolio",
    data,
    {"w": ("n",), "w0": ("n",), "F": ("n", "k"), "d": ("n",), "mu": ("n",)},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient}),
        "hessian": Quantity(
            SIZES, {"scaled before": hessian, "scaled after": hessian_scaled_after}
        ),
        "hvp": Quantity(SIZES, {"in place": product}),
    },
)
