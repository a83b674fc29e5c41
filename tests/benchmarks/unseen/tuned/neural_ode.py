"""A differential equation dz/dt = W2 tanh(W1 z + b): six steps of Euler's, for n initial states Z.

The weights w are one vector: 3 x 16 of the first layer, 16 x 3 of the second, 16 biases.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

STEPS, WIDTH, HIDDEN = 6, 3, 16
H = 0.25
ONE = WIDTH * HIDDEN
TWO = 2 * ONE
LENGTH = TWO + HIDDEN


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    Z = random.standard_normal((n, WIDTH))
    Y = np.sin(Z[:, ::-1]) + 0.1 * random.standard_normal((n, WIDTH))
    return {"w": 0.5 * random.standard_normal(LENGTH), "Z": Z, "Y": Y}


def function(ops: Any, w: Any, Z: Any, Y: Any) -> Any:
    W1, W2, b = w[:ONE].reshape(WIDTH, HIDDEN), w[ONE:TWO].reshape(HIDDEN, WIDTH), w[TWO:]
    for _ in range(STEPS):
        Z = Z + H * ops.xp.tanh(Z @ W1 + b) @ W2
    return ops.xp.sum((Z - Y) ** 2)


def by_rows(w: Array, Z: Array, Y: Array) -> tuple[float, Array]:
    """A state has a 1 beside it, so biases belong to the matrix; sums over steps are products."""
    n = len(Z)
    W1 = np.concatenate([w[:ONE], w[TWO:]]).reshape(WIDTH + 1, HIDDEN)
    W2 = w[ONE:TWO].reshape(HIDDEN, WIDTH) * H
    S, T = np.ones((STEPS, n, WIDTH + 1)), np.empty((STEPS, n, HIDDEN))
    for k in range(STEPS):
        S[k, :, :WIDTH] = Z
        np.dot(S[k], W1, out=T[k])
        np.tanh(T[k], out=T[k])
        Z = T[k].dot(W2) + Z
    L = np.empty((STEPS, n, WIDTH))
    r: Array = L[-1]
    np.subtract(Z, Y, out=r)
    value = float(np.vdot(r, r))
    r *= 2
    D = T * T
    np.subtract(1, D, out=D)
    back, first = W2.T, W1[:WIDTH].T
    for k in range(STEPS - 1, -1, -1):
        D[k] *= L[k].dot(back)
        if k:
            np.add(L[k], D[k].dot(first), out=L[k - 1])
    g = np.empty(LENGTH)
    of_first = S.reshape(-1, WIDTH + 1).T.dot(D.reshape(-1, HIDDEN))
    g[:ONE].reshape(WIDTH, HIDDEN)[...] = of_first[:WIDTH]
    g[TWO:] = of_first[WIDTH]
    T.reshape(-1, HIDDEN).T.dot(L.reshape(-1, WIDTH), out=g[ONE:TWO].reshape(HIDDEN, WIDTH))
    g[ONE:TWO] *= H
    return value, g


def by_columns(w: Array, Z: Array, Y: Array) -> tuple[float, Array]:
    """As `by_rows` with states one beside the other, so that rows are long."""
    n = len(Z)
    W1 = np.concatenate([w[:ONE], w[TWO:]]).reshape(WIDTH + 1, HIDDEN)
    first, second = W1.T, w[ONE:TWO].reshape(HIDDEN, WIDTH).T * H
    S, T = np.ones((STEPS, WIDTH + 1, n)), np.empty((STEPS, HIDDEN, n))
    states = S[:, :WIDTH]
    states[0] = Z.T
    for k in range(STEPS):
        np.dot(first, S[k], out=T[k])
        np.tanh(T[k], out=T[k])
        if k < STEPS - 1:
            np.add(second.dot(T[k]), states[k], out=states[k + 1])
    L = second.dot(T[-1])
    L += states[-1]
    L -= Y.T
    value = np.vdot(L, L)
    L *= 2
    D = T * T
    np.subtract(1, D, out=D)
    g = np.empty(LENGTH)
    of_first, of_second = np.zeros((WIDTH + 1, HIDDEN)), np.zeros((HIDDEN, WIDTH))
    back, first = second.T, W1[:WIDTH]
    for k in range(STEPS - 1, -1, -1):
        of_second += T[k].dot(L.T)
        D[k] *= back.dot(L)
        of_first += S[k].dot(D[k].T)
        if k:
            L += first.dot(D[k])
    flat = of_first.reshape(-1)
    g[:ONE] = flat[:ONE]
    g[TWO:] = flat[ONE:]
    np.multiply(of_second.reshape(-1), H, out=g[ONE:TWO])
    return value, g


NEURAL_ODE = unseen(
    "neural_ode",
    "six steps of a neural differential equation",
    data,
    {"w": (LENGTH,), "Z": ("n", WIDTH), "Y": ("n", WIDTH)},
    function,
    {"gradient": Quantity((30, 300, 3000), {"columns": by_columns, "rows": by_rows})},
)
