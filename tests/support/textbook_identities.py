"""Identities of textbooks, in NumPy's functions; every one is proved, explained and replayed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import eggrad as eg

A, B, C, D, E = (eg.variable(name, ("n", "n")) for name in "ABCDE")
K = eg.variable("K", ("k", "k"), ["invertible"])
M, N = (eg.variable(name, ("n", "n"), ["invertible"]) for name in "MN")
S = eg.variable("S", ("n", "n"), ["positive definite"])
U, V = eg.variable("U", ("n", "k")), eg.variable("V", ("k", "n"))
X = eg.variable("X", ("n", "m"))
x, y, b = (eg.variable(name, ("n",)) for name in "xyb")
p = eg.variable("p", ("n",), ["positive"])
s, t = eg.variable("s"), eg.variable("t")

inv, tr, det = np.linalg.inv, np.trace, np.linalg.det
I_n, I_k = eg.delta(("n",)), eg.delta(("k",))
n = x.shape[0]


def sigmoid(a: Any) -> Any:
    return 1 / (1 + np.exp(-a))


def softmax(a: Any) -> Any:
    return np.exp(a) / np.sum(np.exp(a))


@dataclass(frozen=True)
class Identity:
    """A name, and both sides."""

    name: str
    left: Any
    right: Any


def _slope(function: Callable[[Any], Any]) -> Any:
    return eg.gradient(function(s), s)


IDENTITIES = [
    Identity("cyclic trace", tr(A @ B @ C), tr(C @ A @ B)),
    Identity("transpose of a product", (A @ U).T, U.T @ A.T),
    Identity("determinant of a product", det(A @ B), det(A) * det(B)),
    Identity("determinant of a multiple", det(s * A), s**n * det(A)),
    Identity("Sylvester's determinant theorem", det(I_n + U @ V), det(I_k + V @ U)),
    Identity("matrix determinant lemma", det(M + U @ V), det(M) * det(I_k + V @ inv(M) @ U)),
    Identity(
        "Woodbury",
        inv(M + U @ K @ V),
        inv(M) - inv(M) @ U @ inv(inv(K) + V @ inv(M) @ U) @ V @ inv(M),
    ),
    Identity(
        "Sherman-Morrison",
        inv(M + np.outer(x, y)),
        inv(M) - np.outer(inv(M) @ x, y @ inv(M)) / (1 + y @ inv(M) @ x),
    ),
    Identity("push-through", inv(I_n + U @ V) @ U, U @ inv(I_k + V @ U)),
    Identity("sum of inverses", inv(M) + inv(N), inv(M) @ (M + N) @ inv(N)),
    Identity("difference of inverses", inv(M) - inv(N), inv(M) @ (N - M) @ inv(N)),
    Identity("parallel sum", inv(inv(M) + inv(N)), M @ inv(M + N) @ N),
    Identity("inverse of a product", inv(M @ N), inv(N) @ inv(M)),
    Identity(
        "derivative of the inverse",
        eg.derivative(inv(M), M),
        -np.einsum("ij,kl->iljk", inv(M), inv(M)),
    ),
    Identity("projection", *(P := X @ inv(X.T @ X) @ X.T, P @ P)[::-1]),
    Identity("trace of a projection", tr(X @ inv(X.T @ X) @ X.T), X.shape[1] * (s / s)),
    Identity(
        "completed square",
        x @ M @ x - 2 * b @ x,
        (x - inv(M.T) @ b) @ M @ (x - inv(M) @ b) - b @ inv(M) @ b,
    ),
    Identity("polarisation", np.sum((x + y) ** 2) - np.sum((x - y) ** 2), 4 * x @ y),
    Identity("variance", np.sum((x - np.mean(x)) ** 2), np.sum(x**2) - np.sum(x) ** 2 / n),
    Identity("quadratic form", x @ A @ x, x @ (A + A.T) @ x / 2),
    Identity("trace of a Kronecker product", np.einsum("ii,kk->", A, B), tr(A) * tr(B)),
    Identity(
        "mixed product",
        np.einsum(
            "ikjl,jplq->ikpq", np.einsum("ij,kl->ikjl", A, B), np.einsum("ij,kl->ijkl", C, D)
        ),
        np.einsum("ip,kq->ikpq", A @ C, B @ D),
    ),
    Identity("Hadamard product as a trace", x @ (A * B) @ y, tr(np.diag(x) @ A @ np.diag(y) @ B.T)),
    Identity("deltas contracted", np.einsum("ij,jk->ik", I_n, I_n), I_n + 0 * A),
    Identity("trace of the identity", np.einsum("ii->", I_n) + 0 * np.sum(x), n + 0 * np.sum(x)),
    Identity("slope of softplus", _slope(lambda a: np.log(1 + np.exp(a))), sigmoid(s)),
    Identity("slope of tanh", _slope(np.tanh), 1 - np.tanh(s) ** 2),
    Identity("tanh by sigmoid", np.tanh(x), 2 * sigmoid(2 * x) - 1),
    Identity("sech", 1 - np.tanh(x) ** 2, 4 / (np.exp(x) + np.exp(-x)) ** 2),
    Identity("slope of sigmoid", _slope(sigmoid), sigmoid(s) * (1 - sigmoid(s))),
    Identity("mirrored sigmoid", sigmoid(-x), 1 - sigmoid(x)),
    Identity("softplus, both ways", np.log(1 + np.exp(x)), x + np.log(1 + np.exp(-x))),
    Identity("shifted log-sum-exp", np.log(np.sum(np.exp(x - t))) + t, np.log(np.sum(np.exp(x)))),
    Identity("shifted softmax", softmax(x + t), softmax(x)),
    Identity(
        "addition of tanh",
        np.tanh(s + t),
        (np.tanh(s) + np.tanh(t)) / (1 + np.tanh(s) * np.tanh(t)),
    ),
    Identity("double angle", np.sin(2 * x), 2 * np.sin(x) * np.cos(x)),
    Identity("squares of sine and cosine", np.sin(x) ** 2 + np.cos(x) ** 2, np.ones_like(x)),
    Identity("relu and abs", np.maximum(x, 0), (x + np.abs(x)) / 2),
    Identity("logarithm of a power", np.log(p**3), 3 * np.log(p)),
    Identity("powers of one base", p**s * p**t, p ** (s + t)),
]

# That S' = S joins two terms of one e-class, which no chain of single steps shows.
WITHOUT_STEPS = [
    Identity(
        "completed square, symmetric",
        x @ S @ x / 2 - b @ x,
        (x - inv(S) @ b) @ S @ (x - inv(S) @ b) / 2 - b @ inv(S) @ b / 2,
    ),
]
