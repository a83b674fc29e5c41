"""Who answers what: abilities of n persons, discriminations and difficulties of twenty questions.

The two-parameter model of item response; all parameters x are one vector, answers Y are 0 or 1.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

ITEMS = 20


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    t, a, b = random.standard_normal(n), 0.5 + random.random(ITEMS), random.standard_normal(ITEMS)
    Y = random.random((n, ITEMS)) < 1 / (1 + np.exp(-a * (t[:, None] - b)))
    x = np.concatenate([t, a, b])
    return {"x": x + 0.1 * random.standard_normal(len(x)), "Y": Y.astype(float)}


def function(ops: Any, x: Any, Y: Any) -> Any:
    xp = ops.xp
    t, a, b = x[: -2 * ITEMS], x[-2 * ITEMS : -ITEMS], x[-ITEMS:]
    Z = a * (t[:, None] - b)
    return xp.sum(xp.logaddexp(0, Z) - Y * Z) + t @ t / 2


def answers(N: Array) -> tuple[Array, float]:
    """Of N = -Z the probabilities of right answers, and the sum of log(1 + exp(N)) - N.

    Exponents stop before they overflow: there log(1 + exp(N)) - N is 0.
    """
    E = np.minimum(N, 700)
    total = np.add.reduce(E, None)
    np.exp(E, out=E)
    E += 1
    P = np.reciprocal(E)
    return P, np.add.reduce(np.log(E, out=E), None) - total


def gradient(x: Array, Y: Array) -> tuple[float, Array]:
    """Z has rank two: BLAS makes it, and takes the sums over persons from two rows."""
    n = len(Y)
    t, a, b = x[:n], x[n:-ITEMS], x[-ITEMS:]
    left = np.ones((2, n))
    left[0] = t
    N = left.T.dot(np.array([-a, a * b]))
    G, total = answers(N)
    value = total + np.vdot(Y, N) + 0.5 * t.dot(t)
    G -= Y
    g = np.empty(len(x))
    G.dot(a, out=g[:n])
    g[:n] += t
    by_t, by_one = left.dot(G)
    np.subtract(by_t, b * by_one, out=g[n:-ITEMS])
    np.multiply(by_one, -a, out=g[-ITEMS:])
    return value, g


def product(x: Array, Y: Array, v: Array) -> Array:
    """Forward mode through `gradient`; the change of Z has rank three."""
    n = len(Y)
    t, a, b = x[:n], x[n:-ITEMS], x[-ITEMS:]
    dt, da, db = v[:n], v[n:-ITEMS], v[-ITEMS:]
    left = np.ones((3, n))
    left[0] = t
    left[2] = dt
    G = left[:2].T.dot(np.array([-a, a * b]))
    np.minimum(G, 700, out=G)
    np.exp(G, out=G)
    G += 1
    np.reciprocal(G, out=G)
    # The slope of the probabilities G, times the change of Z.
    D = 1 - G
    D *= G
    D *= left.T.dot(np.array([da, -a * db - da * b, a]))
    G -= Y
    h = np.empty(len(x))
    D.dot(a, out=h[:n])
    h[:n] += G.dot(da)
    h[:n] += dt
    by_t, slope = left[:2].dot(D)
    total, by_dt = left[1:].dot(G)
    h[n:-ITEMS] = by_t + by_dt - db * total - b * slope
    h[-ITEMS:] = -da * total - a * slope
    return h


SIZES = (30, 300, 3000)

ITEM_RESPONSE = unseen(
    "item_response",
    "two-parameter item response model, twenty questions",
    data,
    {"x": (f"n + {2 * ITEMS}",), "Y": ("n", ITEMS)},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient}),
        "hvp": Quantity(SIZES, {"in place": product}),
    },
)
