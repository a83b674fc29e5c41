"""The effort to swing a pendulum along a path of n angles, by the path.

Torques follow from the angles by differences of neighbours; the path should end upright.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

STEP, FRICTION, GOAL = 0.1, 0.2, 3.0
SECOND, FIRST = 1 / STEP**2, FRICTION / (2 * STEP)
BEFORE, AFTER = SECOND - FIRST, SECOND + FIRST


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    n += 4
    return {"t": np.linspace(0, GOAL, n) + 0.01 * random.standard_normal(n)}


def function(ops: Any, t: Any) -> Any:
    acceleration = (t[2:] - 2 * t[1:-1] + t[:-2]) / STEP**2
    friction = FRICTION * (t[2:] - t[:-2]) / (2 * STEP)
    torque = acceleration + friction + ops.xp.sin(t[1:-1])
    return ops.xp.sum(torque**2) * STEP + 10 * (t[-1] - GOAL) ** 2 + 10 * t[0] ** 2


def torques(t: Array) -> tuple[Array, Array]:
    """The torque at each inner angle, and the sine of the angle."""
    middle = t[1:-1]
    s = np.sin(middle)
    u = t[2:] * AFTER
    u += t[:-2] * BEFORE
    u -= middle * (2 * SECOND)
    u += s
    return u, s


def gradient(t: Array) -> tuple[float, Array]:
    u, _ = torques(t)
    end = t[-1] - GOAL
    value = STEP * u.dot(u) + 10 * end * end + 10 * t[0] * t[0]
    u *= 2 * STEP
    g = np.zeros(len(t))
    d = np.cos(t[1:-1])
    d -= 2 * SECOND
    d *= u
    g[1:-1] = d
    g[2:] += u * AFTER
    g[:-2] += u * BEFORE
    g[-1] += 20 * end
    g[0] += 20 * t[0]
    return value, g


def gradient_by_correlation(t: Array) -> tuple[float, Array]:
    """Both sums of neighbours by NumPy's correlation."""
    weights = np.array([BEFORE, -2 * SECOND, AFTER])
    u = np.correlate(t, weights)
    middle = t[1:-1]
    u += np.sin(middle)
    end = t[-1] - GOAL
    value = STEP * u.dot(u) + 10 * end * end + 10 * t[0] * t[0]
    u *= 2 * STEP
    g = np.convolve(u, weights)
    u *= np.cos(middle)
    g[1:-1] += u
    g[-1] += 20 * end
    g[0] += 20 * t[0]
    return value, g


def hessian(t: Array) -> Array:
    """Five diagonals, each through a strided view."""
    n = len(t)
    u, s = torques(t)
    d = np.cos(t[1:-1])
    d -= 2 * SECOND
    scale = 2 * STEP
    u *= s
    u *= -scale
    H = np.zeros((n, n))
    flat = H.reshape(-1)
    diagonal = flat[:: n + 1]
    diagonal[1:-1] = scale * d * d
    diagonal[1:-1] += u
    diagonal[2:] += scale * AFTER**2
    diagonal[:-2] += scale * BEFORE**2
    diagonal[0] += 20
    diagonal[-1] += 20
    d *= scale
    above = np.zeros(n - 1)
    above[:-1] = d * BEFORE
    above[1:] += d * AFTER
    flat[1 :: n + 1] = above
    flat[n :: n + 1] = above
    flat[2 : (n - 2) * n : n + 1] = scale * BEFORE * AFTER
    flat[2 * n :: n + 1] = scale * BEFORE * AFTER
    return H


SIZES = (30, 100, 300, 1000)

PENDULUM = unseen(
    "pendulum",
    "effort to swing a pendulum by its path",
    data,
    {"t": ("n",)},
    function,
    {
        "gradient": Quantity(SIZES, {"slices": gradient, "correlation": gradient_by_correlation}),
        "hessian": Quantity(SIZES, {"diagonals": hessian}),
    },
)
