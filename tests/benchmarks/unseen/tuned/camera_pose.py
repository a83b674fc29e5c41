"""Where a camera is: three angles and a translation, from n points X and their pictures U.

The sum of squares with its gradient, and the Jacobian of the residuals for Gauss and Newton.
"""

from math import cos, sin
from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    c = np.array([0.3, -0.2, 0.5, 0.1, -0.1, 5.0])
    X = random.standard_normal((n, 3))
    return {"c": c, "X": X, "U": random.standard_normal((n, 2)) * 0.2}


def residuals(ops: Any, c: Any, X: Any, U: Any) -> Any:
    xp = ops.xp
    x, y, z = X[:, 0], X[:, 1], X[:, 2]
    y, z = xp.cos(c[0]) * y - xp.sin(c[0]) * z, xp.sin(c[0]) * y + xp.cos(c[0]) * z
    x, z = xp.cos(c[1]) * x + xp.sin(c[1]) * z, xp.cos(c[1]) * z - xp.sin(c[1]) * x
    x, y = xp.cos(c[2]) * x - xp.sin(c[2]) * y, xp.sin(c[2]) * x + xp.cos(c[2]) * y
    depth = z + c[5]
    return xp.stack([(x + c[3]) / depth, (y + c[4]) / depth], axis=1) - U


def loss(ops: Any, c: Any, X: Any, U: Any) -> Any:
    return ops.xp.sum(residuals(ops, c, X, U) ** 2)


def rotation(c: Array) -> tuple[Array, Array]:
    """The rotation matrix, and its derivatives by the three angles below one another."""
    a, b, g, *_ = c.tolist()
    ca, cb, cc, sa, sb, sc = cos(a), cos(b), cos(g), sin(a), sin(b), sin(g)
    x = cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa
    y = sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa
    z = -sb, cb * sa, cb * ca
    # One flat list becomes an array in half of the time that nested ones take.
    flat = [
        *x, *y, *z,
        0.0, x[2], -x[1], 0.0, y[2], -y[1], 0.0, z[2], -z[1],
        cc * z[0], cc * z[1], cc * z[2], sc * z[0], sc * z[1], sc * z[2], -cb, -sb * sa, -sb * ca,
        -y[0], -y[1], -y[2], *x, 0.0, 0.0, 0.0,
    ]  # fmt: skip
    both = np.array(flat).reshape(12, 3)
    return both[:3], both[3:]


def gradient(c: Array, X: Array, U: Array) -> tuple[float, Array]:
    """The cotangents of all rotated points give nine sums, those of the matrix's entries."""
    R, by_angles = rotation(c)
    Y = R.dot(X.T)
    Y += c[3:, None]
    inverse = np.divide(1, Y[2], out=Y[2])
    P = Y[:2]
    P *= inverse
    r = P - U.T
    value = np.vdot(r, r)
    r *= 2 * inverse
    G = np.empty_like(Y)
    G[:2] = r
    r *= P
    np.add(r[0], r[1], out=G[2])
    np.negative(G[2], out=G[2])
    g = np.empty(6)
    by_angles.reshape(3, 9).dot(G.dot(X).reshape(9), out=g[:3])
    np.add.reduce(G, 1, out=g[3:])
    return value, g


def jacobian(c: Array, X: Array, U: Array) -> Array:
    """The entry of residual (i, q) and parameter k is [i, q, k]."""
    n, (R, by_angles) = len(X), rotation(c)
    Y = R.dot(X.T)
    Y += c[3:, None]
    inverse = np.divide(1, Y[2], out=Y[2])
    P = Y[:2]
    P *= inverse
    D = by_angles.dot(X.T).reshape(3, 3, n)
    J = np.zeros((n, 2, 6))
    J[:, 0, 3] = J[:, 1, 4] = inverse
    D *= inverse
    J[:, :, 5] = (P * -inverse).T
    J[:, :, :3] = (D[:, :2] - P * D[:, 2:]).transpose(2, 1, 0)
    return J


def jacobian_by_rows(c: Array, X: Array, U: Array) -> Array:
    """Written parameter by parameter, then transposed."""
    n, (R, by_angles) = len(X), rotation(c)
    Y = R.dot(X.T)
    Y += c[3:, None]
    inverse = np.divide(1, Y[2], out=Y[2])
    P = Y[:2]
    P *= inverse
    D = by_angles.dot(X.T).reshape(3, 3, n)
    J = np.zeros((2, 6, n))
    for q in range(2):
        np.multiply(D[:, 2], P[q], out=J[q, :3])
        np.subtract(D[:, q], J[q, :3], out=J[q, :3])
        J[q, :3] *= inverse
        J[q, 3 + q] = inverse
        np.multiply(P[q], inverse, out=J[q, 5])
        np.negative(J[q, 5], out=J[q, 5])
    return np.ascontiguousarray(J.reshape(12, n).T).reshape(n, 2, 6)


SIZES = (30, 100, 300, 1000)
AXES = {"c": (6,), "X": ("n", 3), "U": ("n", 2)}

CAMERA_POSE = unseen(
    "camera_pose",
    "reprojection error by a camera's pose",
    data,
    AXES,
    loss,
    {"gradient": Quantity(SIZES, {"sums of outer products": gradient})},
)
CAMERA_RESIDUALS = unseen(
    "camera_residuals",
    "reprojection residuals by a camera's pose",
    data,
    AXES,
    residuals,
    {"jacobian": Quantity(SIZES, {"in place": jacobian, "by rows": jacobian_by_rows})},
)
