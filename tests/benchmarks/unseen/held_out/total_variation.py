"""A picture x of n by n without the noise of y: its total variation is small, rounded off."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

WEIGHT, ROUND = 0.5, 1e-2


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    picture = np.zeros((n, n))
    picture[n // 4 : n // 2, n // 3 :] = 1
    y = picture + 0.2 * random.standard_normal((n, n))
    return {"x": picture + 0.1 * random.standard_normal((n, n)), "y": y}


def function(ops: Any, x: Any, y: Any) -> Any:
    xp = ops.xp
    down = x[1:, :-1] - x[:-1, :-1]
    right = x[:-1, 1:] - x[:-1, :-1]
    variation = xp.sum(xp.sqrt(down**2 + right**2 + ROUND))
    return xp.sum((x - y) ** 2) / 2 + WEIGHT * variation


def differences(x: Array) -> tuple[Array, Array]:
    corner = x[:-1, :-1]
    return x[1:, :-1] - corner, x[:-1, 1:] - corner


def lengths(d: Array, e: Array) -> Array:
    root = d * d
    root += e * e
    root += ROUND
    return np.sqrt(root, out=root)


def gradient(x: Array, y: Array) -> tuple[float, Array]:
    d, e = differences(x)
    root = lengths(d, e)
    g = x - y
    value = 0.5 * np.vdot(g, g) + WEIGHT * np.add.reduce(root, None)
    np.divide(WEIGHT, root, out=root)
    d *= root
    e *= root
    g[1:, :-1] += d
    g[:-1, 1:] += e
    d += e
    g[:-1, :-1] -= d
    return value, g


def flat_differences(x: Array, n: int) -> tuple[Array, Array]:
    """Of all rows but the last, one after the other; those right of the last column are wrong."""
    corner = x[:-n]
    return x[n:] - corner, x[1 : 1 - n] - corner


def flat_gradient(x: Array, y: Array) -> tuple[float, Array]:
    """Rows one after the other are single loops; what is wrong gets the weight 0."""
    n = x.shape[1]
    d, e = flat_differences(x.reshape(-1), n)
    root = lengths(d, e)
    total = np.add.reduce(root) - np.add.reduce(root[n - 1 :: n])
    root[n - 1 :: n] = np.inf
    g = x - y
    flat = g.reshape(-1)
    value = 0.5 * flat.dot(flat) + WEIGHT * total
    np.divide(WEIGHT, root, out=root)
    d *= root
    e *= root
    flat[n:] += d
    flat[1 : 1 - n] += e
    d += e
    flat[:-n] -= d
    return value, g


def product(x: Array, y: Array, v: Array) -> Array:
    d, e = differences(x)
    p, q = differences(v)
    root = lengths(d, e)
    # Both differences less their part along (d, e), which is the unit vector nearly.
    d /= root
    e /= root
    along = d * p
    along += e * q
    d *= along
    e *= along
    p -= d
    q -= e
    np.divide(WEIGHT, root, out=root)
    p *= root
    q *= root
    h = v.copy()
    h[1:, :-1] += p
    h[:-1, 1:] += q
    p += q
    h[:-1, :-1] -= p
    return h


def flat_product(x: Array, y: Array, v: Array) -> Array:
    n = x.shape[1]
    d, e = flat_differences(x.reshape(-1), n)
    p, q = flat_differences(v.reshape(-1), n)
    root = lengths(d, e)
    root[n - 1 :: n] = np.inf
    np.reciprocal(root, out=root)
    d *= root
    e *= root
    along = d * p
    along += e * q
    d *= along
    e *= along
    p -= d
    q -= e
    root *= WEIGHT
    p *= root
    q *= root
    h = v.copy()
    flat = h.reshape(-1)
    flat[n:] += p
    flat[1 : 1 - n] += q
    p += q
    flat[:-n] -= p
    return h


SIZES = (30, 100, 300)

TOTAL_VARIATION = unseen(
    "total_variation",
    "a picture of small total variation",
    data,
    {"x": ("m", "n"), "y": ("m", "n")},
    function,
    {
        "gradient": Quantity(SIZES, {"slices": gradient, "flat": flat_gradient}),
        "hvp": Quantity(SIZES, {"slices": product, "flat": flat_product}),
    },
)
