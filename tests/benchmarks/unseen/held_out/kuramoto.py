"""The energy of coupled oscillators, by their phases t: Kuramoto's model on a network A."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity, without_buffers
from tests.benchmarks.unseen.problem import unseen


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    A = random.random((n, n)) * (random.random((n, n)) < 0.3)
    A = (A + A.T) / n
    return {"t": random.standard_normal(n), "A": A, "w": random.standard_normal(n)}


def function(ops: Any, t: Any, A: Any, w: Any) -> Any:
    return -ops.xp.sum(A * ops.xp.cos(t[:, None] - t)) / 2 - w @ t


def gradient(t: Array, A: Array, w: Array) -> tuple[float, Array]:
    """The cosine of a difference is a product of rank two, so A meets two vectors alone."""
    c, s = np.cos(t), np.sin(t)
    ac, as_ = A.dot(c), A.dot(s)
    value = -0.5 * (c.dot(ac) + s.dot(as_)) - w.dot(t)
    ac *= s
    as_ *= c
    ac -= as_
    ac -= w
    return value, ac


def gradient_at_once(t: Array, A: Array, w: Array) -> tuple[float, Array]:
    """As `gradient`, with A read once."""
    P = np.empty((2, len(t)))
    np.cos(t, out=P[0])
    np.sin(t, out=P[1])
    Q = P.dot(A)
    value = -0.5 * np.vdot(P, Q) - w.dot(t)
    g = P[1] * Q[0]
    Q[1] *= P[0]
    g -= Q[1]
    g -= w
    return value, g


def hessian(t: Array, A: Array, w: Array) -> Array:
    n = len(t)
    P = np.empty((2, n))
    np.cos(t, out=P[0])
    np.sin(t, out=P[1])
    H = P.T.dot(P)
    H *= A
    np.negative(H, out=H)
    H.reshape(-1)[:: n + 1] -= np.add.reduce(H, 1)
    return H


def hessian_negated_first(t: Array, A: Array, w: Array) -> Array:
    """The sign goes into a factor of rank two."""
    n = len(t)
    P, N = np.empty((2, n)), np.empty((2, n))
    np.cos(t, out=P[0])
    np.sin(t, out=P[1])
    np.negative(P, out=N)
    H = P.T.dot(N)
    H *= A
    H.reshape(-1)[:: n + 1] -= np.add.reduce(H, 1)
    return H


SIZES = (30, 100, 300, 1000)

KURAMOTO = unseen(
    "kuramoto",
    "energy of coupled oscillators by their phases",
    data,
    {"t": ("n",), "A": ("n", "n"), "w": ("n",)},
    function,
    {
        "gradient": Quantity(
            SIZES,
            {
                "two products": gradient,
                "one product": gradient_at_once,
            },
        ),
        "hessian": Quantity(
            SIZES,
            {
                "in place": hessian,
                "negated first": hessian_negated_first,
                "without buffers": without_buffers(hessian_negated_first),
            },
        ),
    },
    {"A": ["symmetric"]},
)
