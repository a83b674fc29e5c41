"""A trend x of n measurements y: it is straight but for a few bends, rounded off."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

WEIGHT, ROUND = 2.0, 1e-2


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    trend = np.abs(np.linspace(-3, 3, n) % 2 - 1)
    y = trend + 0.1 * random.standard_normal(n)
    return {"x": trend + 0.05 * random.standard_normal(n), "y": y}


def function(ops: Any, x: Any, y: Any) -> Any:
    bends = x[2:] - 2 * x[1:-1] + x[:-2]
    return ops.xp.sum((x - y) ** 2) / 2 + WEIGHT * ops.xp.sum(ops.xp.sqrt(bends**2 + ROUND))


def second_differences(x: Array) -> Array:
    d = x[2:] + x[:-2]
    d -= 2 * x[1:-1]
    return d


def gradient(x: Array, y: Array) -> tuple[float, Array]:
    d = second_differences(x)
    root = d * d
    root += ROUND
    np.sqrt(root, out=root)
    g = x - y
    value = 0.5 * g.dot(g) + WEIGHT * np.add.reduce(root)
    d /= root
    d *= WEIGHT
    g[2:] += d
    g[:-2] += d
    d *= 2
    g[1:-1] -= d
    return value, g


def gradient_by_correlation(x: Array, y: Array) -> tuple[float, Array]:
    """Both sums of neighbours by NumPy's correlation."""
    bend = np.array([1.0, -2.0, 1.0])
    d = np.correlate(x, bend)
    root = d * d
    root += ROUND
    np.sqrt(root, out=root)
    g = x - y
    value = 0.5 * g.dot(g) + WEIGHT * np.add.reduce(root)
    d /= root
    bend *= WEIGHT
    g += np.convolve(d, bend)
    return value, g


def curvature(x: Array) -> Array:
    """The second derivative of each rounded bend: ROUND / (d² + ROUND)^(3/2)."""
    d = second_differences(x)
    d *= d
    d += ROUND
    root = np.sqrt(d)
    root *= d
    return np.divide(WEIGHT * ROUND, root, out=root)


def product(x: Array, y: Array, v: Array) -> Array:
    w = curvature(x)
    w *= second_differences(v)
    h = v.copy()
    h[2:] += w
    h[:-2] += w
    w *= 2
    h[1:-1] -= w
    return h


def product_by_correlation(x: Array, y: Array, v: Array) -> Array:
    bend = np.array([1.0, -2.0, 1.0])
    d = np.correlate(x, bend)
    d *= d
    d += ROUND
    root = np.sqrt(d)
    root *= d
    w = np.correlate(v, bend)
    w /= root
    bend *= WEIGHT * ROUND
    h = np.convolve(w, bend)
    h += v
    return h


def hessian(x: Array, y: Array) -> Array:
    """Five diagonals, each through a strided view."""
    n, w = len(x), curvature(x)
    H = np.zeros((n, n))
    flat = H.reshape(-1)
    flat[2 : (n - 2) * n : n + 1] = w
    flat[2 * n :: n + 1] = w
    diagonal = np.ones(n)
    diagonal[2:] += w
    diagonal[:-2] += w
    w *= -2
    above = np.zeros(n - 1)
    above[1:] = w
    above[:-1] += w
    w *= -2
    diagonal[1:-1] += w
    flat[1 :: n + 1] = above
    flat[n :: n + 1] = above
    flat[:: n + 1] = diagonal
    return H


SIZES = (30, 300, 3000)

TREND_FILTER = unseen(
    "trend_filter",
    "a trend with few bends",
    data,
    {"x": ("n",), "y": ("n",)},
    function,
    {
        "gradient": Quantity(SIZES, {"slices": gradient, "correlation": gradient_by_correlation}),
        "hessian": Quantity((30, 300, 1000), {"diagonals": hessian}),
        "hvp": Quantity(SIZES, {"slices": product, "correlation": product_by_correlation}),
    },
)
