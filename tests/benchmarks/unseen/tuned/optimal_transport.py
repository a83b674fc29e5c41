"""The dual of optimal transport with entropy, from n points of mass a to n of mass b, by u.

The dual's other potential is eliminated: it is a log-sum-exp of u and the costs C.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity, without_buffers
from tests.benchmarks.unseen.problem import unseen

# The weight of the entropy is 0.1; divisions by it are multiplications.
INVERSE = 10.0


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    x, z = random.random((n, 2)), random.random((n, 2))
    a, b = random.random(n) + 0.5, random.random(n) + 0.5
    C = ((x[:, None] - z) ** 2).sum(2)
    return {"u": 0.1 * random.standard_normal(n), "C": C, "a": a / a.sum(), "b": b / b.sum()}


def function(ops: Any, u: Any, C: Any, a: Any, b: Any) -> Any:
    return b @ ops.logsumexp((u[:, None] - C) / 0.1, 0) * 0.1 - a @ u


def exponentials(u: Array, C: Array) -> tuple[Array, Array, Array]:
    """Exponentials of what is at most 0, their column sums, and the columns' maxima."""
    E = u[:, None] - C
    E *= INVERSE
    m = E.max(0)
    E -= m
    np.exp(E, out=E)
    return E, np.add.reduce(E, 0), m


def gradient(u: Array, C: Array, a: Array, b: Array) -> tuple[float, Array]:
    E, s, m = exponentials(u, C)
    g = E.dot(b / s)
    g -= a
    np.log(s, out=s)
    s += m
    return b.dot(s) / INVERSE - a.dot(u), g


def row_blocks(u: Array, C: Array, a: Array, b: Array) -> tuple[float, Array]:
    """Exponentials around one maximum for all columns, of rows that stay in the cache.

    A column has an exponent of at least the least cost less the largest, over the entropy's
    weight: where that is far from underflow the sums lose nothing, else it is `gradient`.
    """
    top, n = u.max(), len(b)
    least = C.min()
    if C.max() - least > 300 / INVERSE:
        return gradient(u, C, a, b)
    shift = top - least
    size = max(8, 32768 // n)
    E = np.empty((len(u), n))
    for i in range(0, len(u), size):
        part = E[i : i + size]
        np.subtract((u[i : i + size] - shift)[:, None], C[i : i + size], out=part)
        part *= INVERSE
        np.exp(part, out=part)
    s = np.ones(len(u)).dot(E)
    g = E.dot(b / s)
    g -= a
    return b.dot(np.log(s)) / INVERSE + b.sum() * shift - a.dot(u), g


def hessian(u: Array, C: Array, a: Array, b: Array) -> Array:
    """NumPy computes half of W W', by BLAS syrk."""
    E, s, _ = exponentials(u, C)
    total = E.dot(b / s)
    total *= INVERSE
    E *= np.sqrt(b * INVERSE) / s
    H = E.dot(E.T)
    np.negative(H, out=H)
    H.reshape(-1)[:: len(u) + 1] += total
    return H


SIZES = (30, 100, 300, 1000)

OPTIMAL_TRANSPORT = unseen(
    "optimal_transport",
    "dual of optimal transport with entropy",
    data,
    {"u": ("m",), "C": ("m", "n"), "a": ("m",), "b": ("n",)},
    function,
    {
        "gradient": Quantity(
            SIZES,
            {
                "in place": gradient,
                "without buffers": without_buffers(gradient),
                "blocks": without_buffers(row_blocks),
            },
        ),
        "hessian": Quantity(SIZES, {"syrk": hessian, "without buffers": without_buffers(hessian)}),
    },
)
