"""Volatility as a polynomial of log-moneyness, by least squares from n prices of call options.

Black and Scholes' formula, with a logistic function for the normal distribution's.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

STEEP = 1.702


def data(n: int) -> dict[str, Array]:
    """Of each option the logarithm k of strike by forward, the time t left and the price q."""
    random = np.random.default_rng(n)
    k, t = 0.8 * random.random(n) - 0.4, 0.25 + 2 * random.random(n)
    s = (0.25 - 0.1 * k + 0.3 * k**2) * np.sqrt(t)
    d = s / 2 - k / s
    q = normal(np, d) - np.exp(k) * normal(np, d - s) + 0.005 * random.standard_normal(n)
    return {"c": np.array([0.3, -0.05, 0.2]), "k": k, "t": t, "q": q}


def normal(xp: Any, x: Any) -> Any:
    return 1 / (1 + xp.exp(-STEEP * x))


def function(ops: Any, c: Any, k: Any, t: Any, q: Any) -> Any:
    xp = ops.xp
    s = (c[0] + c[1] * k + c[2] * k**2) * xp.sqrt(t)
    d = s / 2 - k / s
    prices = normal(xp, d) - xp.exp(k) * normal(xp, d - s)
    return xp.sum((prices - q) ** 2)


def probabilities(c: Array, k: Array, t: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Both values of the distribution function, strikes by forward, k / s, s, and t's roots."""
    c0, c1, c2 = c.tolist()
    root = np.sqrt(t)
    s = k * c2
    s += c1
    s *= k
    s += c0
    s *= root
    u = k / s
    N = np.empty((2, len(k)))
    # The arguments are s/2 - u and -s/2 - u, here times -STEEP.
    np.multiply(s, 0.5 * STEEP, out=N[1])
    np.negative(N[1], out=N[0])
    N += STEEP * u
    np.exp(N, out=N)
    N += 1
    np.reciprocal(N, out=N)
    return N, np.exp(k), u, s, root


def gradient(c: Array, k: Array, t: Array, q: Array) -> tuple[float, Array]:
    N, strike, u, s, root = probabilities(c, k, t)
    r = N[1] * strike
    np.subtract(N[0], r, out=r)
    r -= q
    value = r.dot(r)
    # N's slope by s is STEEP N (1 - N) (u/s + 1/2), of the second one (u/s - 1/2).
    N *= 1 - N
    u /= s
    N[1] *= strike
    N[0] *= u + 0.5
    u -= 0.5
    N[1] *= u
    r *= N[0] - N[1]
    r *= root
    rk = r * k
    g = np.array([np.add.reduce(r), np.add.reduce(rk), rk.dot(k)])
    g *= 2 * STEEP
    return value, g


def hessian(c: Array, k: Array, t: Array, q: Array) -> Array:
    """Five moments of k by the second derivative of each square by its volatility."""
    N, strike, u, s, _ = probabilities(c, k, t)
    r = N[1] * strike
    np.subtract(N[0], r, out=r)
    r -= q
    P = 1 - N
    P *= N
    P[1] *= strike
    # STEEP (1 - 2N)
    N *= -2 * STEEP
    N += STEEP
    u /= s
    # The arguments' slopes by s, squared, and their second derivatives, which are both -2u/s.
    slopes = np.empty_like(N)
    np.add(u, 0.5, out=slopes[0])
    np.subtract(u, 0.5, out=slopes[1])
    N *= slopes
    N *= slopes
    slopes *= P
    u /= s
    u *= 2
    N -= u
    N *= P
    first = np.subtract(slopes[0], slopes[1], out=slopes[0])
    first *= first
    first *= STEEP
    second = np.subtract(N[0], N[1], out=N[0])
    second *= r
    first += second
    first *= t
    m0, m1 = np.add.reduce(first), first.dot(k)
    first *= k
    kk = k * k
    m2, m3 = first.dot(k), first.dot(kk)
    first *= k
    m4 = first.dot(kk)
    H = np.array([m0, m1, m2, m1, m2, m3, m2, m3, m4]).reshape(3, 3)
    H *= 2 * STEEP
    return H


SIZES = (30, 300, 3000)

OPTION_PRICES = unseen(
    "option_prices",
    "volatility from the prices of options",
    data,
    {"c": (3,), "k": ("n",), "t": ("n",), "q": ("n",)},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient}),
        "hessian": Quantity(SIZES, {"moments": hessian}),
    },
)
