"""How n points X have moved to Y: a rotation and a translation, with a loss that spares outliers.

Of the six parameters c the first three belong to a quaternion whose real part is 1.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    c = np.array([0.2, -0.3, 0.1, 1.0, -0.5, 0.3])
    X = random.standard_normal((n, 3))
    Y = X @ rotation(c).T + c[3:] + 0.1 * random.standard_normal((n, 3))
    Y[::5] += 2 * random.standard_normal(Y[::5].shape)
    return {"c": c + 0.1 * random.standard_normal(6), "X": X, "Y": Y}


def function(ops: Any, c: Any, X: Any, Y: Any) -> Any:
    xp = ops.xp
    r = 1 / xp.sqrt(1 + c[0] ** 2 + c[1] ** 2 + c[2] ** 2)
    i, j, k = c[0] * r, c[1] * r, c[2] * r
    x, y, z = X[:, 0], X[:, 1], X[:, 2]
    u = (1 - 2 * (j * j + k * k)) * x + 2 * (i * j - k * r) * y + 2 * (i * k + j * r) * z
    v = 2 * (i * j + k * r) * x + (1 - 2 * (i * i + k * k)) * y + 2 * (j * k - i * r) * z
    w = 2 * (i * k - j * r) * x + 2 * (j * k + i * r) * y + (1 - 2 * (i * i + j * j)) * z
    du, dv, dw = u + c[3] - Y[:, 0], v + c[4] - Y[:, 1], w + c[5] - Y[:, 2]
    return xp.sum(xp.log(1 + du**2 + dv**2 + dw**2))


def rotation(c: Array) -> Array:
    """The matrix: (1 - w'w) + 2 w w' + 2 [w] by 1 + w'w, where [w] is the cross product with w."""
    a, b, g, *_ = c.tolist()
    s = 2 / (1 + a * a + b * b + g * g)
    sa, sb, sg = s * a, s * b, s * g
    flat = [
        1 - sb * b - sg * g, sa * b - sg, sa * g + sb,
        sa * b + sg, 1 - sa * a - sg * g, sb * g - sa,
        sa * g - sb, sb * g + sa, 1 - sa * a - sb * b,
    ]  # fmt: skip
    return np.array(flat).reshape(3, 3)


def residuals(R: Array, c: Array, X: Array, Y: Array) -> tuple[Array, Array]:
    """A column for each point; and 1 plus their squares."""
    r = R.dot(X.T)
    r -= Y.T
    r += c[3:, None]
    q = np.einsum("ij,ij->j", r, r)
    q += 1
    return r, q


def by_rotation(c: Array, R: Array, G: Array) -> tuple[list[float], float, float]:
    """The derivatives by the three, of the matrix's cotangent G; its trace and <G, R>; 2/(1 + w'w).

    The matrix times 1 + w'w has the derivative -2 w_k + 2 (e_k w' + w e_k') + 2 [e_k].
    """
    a, b, g, *_ = c.tolist()
    s = 2 / (1 + a * a + b * b + g * g)
    (g00, g01, g02), (g10, g11, g12), (g20, g21, g22) = G.tolist()
    less = g00 + g11 + g22 + float(np.vdot(G, R))
    found = [
        s * ((g00 + g00 - less) * a + (g01 + g10) * b + (g02 + g20) * g + g21 - g12),
        s * ((g01 + g10) * a + (g11 + g11 - less) * b + (g12 + g21) * g + g02 - g20),
        s * ((g02 + g20) * a + (g12 + g21) * b + (g22 + g22 - less) * g + g10 - g01),
    ]
    return found, less, s


def gradient(c: Array, X: Array, Y: Array) -> tuple[float, Array]:
    R = rotation(c)
    r, q = residuals(R, c, X, Y)
    r *= 2 / q
    value = np.add.reduce(np.log(q, out=q))
    g = np.empty(6)
    g[:3] = by_rotation(c, R, r.dot(X))[0]
    np.add.reduce(r, 1, out=g[3:])
    return value, g


def slopes(c: Array, R: Array) -> Array:
    """The derivatives of the rotation matrix by the three, below one another."""
    a, b, g, *_ = c.tolist()
    s = 2 / (1 + a * a + b * b + g * g)
    flat = [
        a, b, g, b, -a, -1.0, g, 1.0, -a,
        -b, a, 1.0, a, b, g, -1.0, g, -b,
        -g, -1.0, a, 1.0, -g, b, a, b, g,
    ]  # fmt: skip
    D = np.array(flat).reshape(3, 9)
    # What the matrix is divided by depends on the three as well.
    D -= c[:3, None] * R.reshape(9)
    D *= s
    return D


def hessian(c: Array, X: Array, Y: Array) -> Array:
    """Residuals p have the Jacobian J: the sum of 2/q J'J - 4/q² J'p p'J, and the curvature of R.

    The first part needs ten weighted moments of X alone, the second one row for each parameter.
    """
    n, R = len(X), rotation(c)
    D = slopes(c, R)
    # The points, and a row of ones.
    P = np.ones((4, n))
    P[:3] = X.T
    p, q = residuals(R, c, P[:3].T, Y)
    np.divide(2, q, out=q)
    K = np.empty((6, n))
    np.multiply(p, q, out=K[3:])
    G = K[3:].dot(X)
    E = D.reshape(9, 3).dot(P[:3]).reshape(3, 3, n)
    E *= K[3:]
    np.add.reduce(E, 1, out=K[:3])
    H = K.dot(K.T)
    np.negative(H, out=H)
    # The weighted moments, of the ones as well, meet the rotation's slopes.
    M = (P * q).dot(P.T)
    B = D.reshape(9, 3).dot(M[:3])
    H[:3, :3] += B[:, :3].reshape(3, 9).dot(D.T)
    mixed = B[:, 3].reshape(3, 3)
    H[:3, 3:] += mixed
    H[3:, :3] += mixed.T
    H.reshape(-1)[21::7] += M[3, 3]
    first, less, s = by_rotation(c, R, G)
    C = G - c[:3, None] * first
    C += C.T
    C *= s
    C.reshape(-1)[::4] -= s * less
    H[:3, :3] += C
    return H


SIZES = (30, 300, 3000)

POINT_REGISTRATION = unseen(
    "point_registration",
    "a rotation and a translation between points",
    data,
    {"c": (6,), "X": ("n", 3), "Y": ("n", 3)},
    function,
    {
        "gradient": Quantity(SIZES, {"in place": gradient}),
        "hessian": Quantity(SIZES, {"moments": hessian}),
    },
)
