"""How strong n players are, who have met in 4n matches: Bradley and Terry's model with a ridge.

Match k was won by player i[k] against j[k].
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

RIDGE = 0.1

Places = np.ndarray[Any, np.dtype[np.intp]]


def data(n: int) -> dict[str, Any]:
    random = np.random.default_rng(n)
    s, i = random.standard_normal(n), random.integers(0, n, 4 * n)
    j = (i + random.integers(1, max(n, 2), 4 * n)) % n
    lost = random.random(4 * n) > 1 / (1 + np.exp(s[j] - s[i]))
    i[lost], j[lost] = j[lost], i[lost]
    return {"s": s + 0.1 * random.standard_normal(n), "i": i, "j": j}


def function(ops: Any, s: Any, i: Any, j: Any) -> Any:
    return ops.xp.sum(ops.xp.log1p(ops.xp.exp(s[j] - s[i]))) + RIDGE * s @ s / 2


def gradient(s: Array, i: Places, j: Places) -> tuple[float, Array]:
    e = s.take(j)
    e -= s.take(i)
    np.exp(e, out=e)
    q = e + 1
    e /= q
    g = np.bincount(j, e, len(s))
    g -= np.bincount(i, e, len(s))
    g += RIDGE * s
    return np.add.reduce(np.log(q, out=q)) + 0.5 * RIDGE * s.dot(s), g


def weights(s: Array, i: Places, j: Places) -> Array:
    """The second derivative of each match's loss."""
    e = s.take(j)
    e -= s.take(i)
    np.exp(e, out=e)
    q = e + 1
    e /= q
    e /= q
    return e


def product(s: Array, i: Places, j: Places, v: Array) -> Array:
    w = weights(s, i, j)
    d = v.take(j)
    d -= v.take(i)
    w *= d
    h = np.bincount(j, w, len(s))
    h -= np.bincount(i, w, len(s))
    h += RIDGE * v
    return h


def hessian(s: Array, i: Places, j: Places) -> Array:
    """The weights of all pairs, added to their transpose."""
    n, w = len(s), weights(s, i, j)
    np.negative(w, out=w)
    A = np.bincount(i * n + j, w, n * n).reshape(n, n)
    H = np.add(A, A.T)
    H.reshape(-1)[:: n + 1] = RIDGE - np.add.reduce(H, 1)
    return H


def hessian_by_places(s: Array, i: Places, j: Places) -> Array:
    """Every weight is taken off at its two places."""
    n, w = len(s), weights(s, i, j)
    H = np.zeros(n * n)
    np.subtract.at(H, i * n + j, w)
    np.subtract.at(H, j * n + i, w)
    diagonal = np.bincount(i, w, n)
    diagonal += np.bincount(j, w, n)
    diagonal += RIDGE
    H[:: n + 1] = diagonal
    return H.reshape(n, n)


SIZES = (30, 300, 3000)

PAIRED_COMPARISON = unseen(
    "paired_comparison",
    "strengths of players by their matches",
    data,
    {"s": ("n",), "i": ("m",), "j": ("m",)},
    function,
    {
        "gradient": Quantity(SIZES, {"bincount": gradient}),
        "hessian": Quantity((30, 100, 300), {"bincount": hessian, "places": hessian_by_places}),
        "hvp": Quantity(SIZES, {"bincount": product}),
    },
    {"i": ["integer"], "j": ["integer"]},
)
