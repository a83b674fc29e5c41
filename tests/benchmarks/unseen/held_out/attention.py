"""One head of attention with a squared error, by the weights of the queries.

n tokens X meet n keys K; sixteen numbers each, eight a value.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity, without_buffers
from tests.benchmarks.unseen.problem import unseen

WIDTH, OUT = 16, 8
# 1 / sqrt(WIDTH)
SCALE = 0.25


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    W = random.standard_normal((WIDTH, WIDTH)) / 4
    X, K = random.standard_normal((2, n, WIDTH))
    V, Y = random.standard_normal((2, n, OUT))
    return {"W": W, "X": X, "K": K, "V": V, "Y": Y}


def function(ops: Any, W: Any, X: Any, K: Any, V: Any, Y: Any) -> Any:
    P = ops.softmax(X @ W @ K.T / 4, 1)
    return ops.xp.sum((P @ V - Y) ** 2)


def forward(W: Array, X: Array, K: Array, V: Array) -> tuple[Array, Array]:
    """The probabilities, and the values that they mix."""
    Q = X.dot(W)
    Q *= SCALE
    P = Q.dot(K.T)
    P -= P.max(1)[:, None]
    np.exp(P, out=P)
    P *= (1 / np.add.reduce(P, 1))[:, None]
    return P, P.dot(V)


def gradient(W: Array, X: Array, K: Array, V: Array, Y: Array) -> tuple[float, Array]:
    """The means of the cotangents are known from the output, without the n by n product."""
    P, O = forward(W, X, K, V)
    R = O - Y
    value = np.vdot(R, R)
    R *= 2 * SCALE
    G = R.dot(V.T)
    G -= np.einsum("ij,ij->i", R, O)[:, None]
    G *= P
    return value, X.T.dot(G.dot(K))


def unnormalized(W: Array, X: Array, K: Array, V: Array, Y: Array) -> tuple[float, Array]:
    """Rows of exponentials are never divided by their sums, narrow arrays are."""
    Q = X.dot(W)
    Q *= SCALE
    E = Q.dot(K.T)
    E -= E.max(1)[:, None]
    np.exp(E, out=E)
    inverse = (1 / E.dot(np.ones(len(K))))[:, None]
    O = E.dot(V)
    O *= inverse
    R = O - Y
    value = np.vdot(R, R)
    R *= 2 * SCALE
    means = np.einsum("ij,ij->i", R, O)
    # One more column of V takes off the means.
    G = np.hstack([R, -means[:, None]]).dot(np.hstack([V, np.ones((len(V), 1))]).T)
    G *= E
    D = G.dot(K)
    D *= inverse
    return value, X.T.dot(D)


def in_blocks(function: Callable[..., Any], numbers: int = 1 << 16) -> Callable[..., Any]:
    """The function for so many tokens at once that their exponentials stay in the cache.

    The loss is a sum over tokens, so values and derivatives are added.
    """

    def call(W: Array, X: Array, K: Array, V: Array, Y: Array, *v: Array) -> Any:
        size = max(16, numbers // len(K))
        if len(X) <= size:
            return function(W, X, K, V, Y, *v)
        parts = [
            function(W, X[i : i + size], K, V, Y[i : i + size], *v) for i in range(0, len(X), size)
        ]
        if v:
            return sum(parts)
        return sum(value for value, _ in parts), sum(g for _, g in parts)

    return call


def product(W: Array, X: Array, K: Array, V: Array, Y: Array, v: Array) -> Array:
    """Forward mode through `gradient`; means over probabilities are taken from narrow arrays."""
    P, O = forward(W, X, K, V)
    XV = X.dot(v)
    XV *= SCALE
    # The derivative of P along v is P times (T less T's means): D is that, and O follows.
    D = XV.dot(K.T)
    D *= P
    D -= P * np.add.reduce(D, 1)[:, None]
    R, S = O - Y, D.dot(V)
    R *= 2 * SCALE
    G = R.dot(V.T)
    G -= np.einsum("ij,ij->i", R, O)[:, None]
    G *= D
    # The other summand: the derivative of the cotangents, times P.
    F = (2 * SCALE * S).dot(V.T)
    F -= (np.einsum("ij,ij->i", R, S) + 2 * SCALE * np.einsum("ij,ij->i", S, O))[:, None]
    F *= P
    G += F
    return X.T.dot(G.dot(K))


def product_with_columns(W: Array, X: Array, K: Array, V: Array, Y: Array, v: Array) -> Array:
    """As `product`: what is taken off a row is one more column of a product by BLAS."""
    Q = X.dot(np.concatenate([W, v], 1))
    Q *= SCALE
    E = Q[:, :WIDTH].dot(K.T)
    E -= E.max(1)[:, None]
    np.exp(E, out=E)
    wide = np.concatenate([V, K, np.ones((len(V), 1))], 1)
    M = E.dot(wide)
    M *= 1 / M[:, -1:]
    O, keys = M[:, :OUT], M[:, OUT:-1]
    E *= (1 / np.add.reduce(E, 1))[:, None]
    ones, XV = wide[:, -1:], Q[:, WIDTH:]
    T = np.concatenate([XV, -np.einsum("ij,ij->i", XV, keys)[:, None]], 1).dot(wide[:, OUT:].T)
    S = (E * T).dot(V)
    R = O - Y
    R *= 2 * SCALE
    G = np.concatenate([R, -np.einsum("ij,ij->i", R, O)[:, None]], 1).dot(
        np.concatenate([V, ones], 1).T
    )
    G *= T
    S2 = 2 * SCALE * S
    means = np.einsum("ij,ij->i", R, S) + np.einsum("ij,ij->i", S2, O)
    G += np.concatenate([S2, -means[:, None]], 1).dot(np.concatenate([V, ones], 1).T)
    G *= E
    return X.T.dot(G.dot(K))


SIZES = (30, 100, 300, 1000)

ATTENTION = unseen(
    "attention",
    "attention by the weights of its queries",
    data,
    {
        "W": (WIDTH, WIDTH),
        "X": ("m", WIDTH),
        "K": ("n", WIDTH),
        "V": ("n", OUT),
        "Y": ("m", OUT),
    },
    function,
    {
        "gradient": Quantity(
            SIZES,
            {
                "in place": gradient,
                "without buffers": without_buffers(gradient),
                "unnormalized": unnormalized,
                "blocks": in_blocks(unnormalized),
            },
        ),
        "hvp": Quantity(
            SIZES,
            {
                "in place": product,
                "without buffers": without_buffers(product),
                "with columns": product_with_columns,
                "blocks": in_blocks(product_with_columns),
            },
        ),
    },
)
