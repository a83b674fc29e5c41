"""The squared error of a tensor's CP decomposition in five terms, by the first factor."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

TERMS = 5


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    A, B, C = random.standard_normal((3, n, TERMS))
    T = np.einsum("ir,jr,kr->ijk", A, B, C) + random.standard_normal((n, n, n))
    return {"A": A + 0.1 * random.standard_normal(A.shape), "B": B, "C": C, "T": T}


def function(ops: Any, A: Any, B: Any, C: Any, T: Any) -> Any:
    return ops.xp.sum((T - ops.xp.einsum("ir,jr,kr->ijk", A, B, C)) ** 2)


def products(B: Array, C: Array) -> Array:
    """The products of rows of B and C: a row for each pair."""
    return (B[:, None] * C).reshape(-1, B.shape[1])


def of_residuals(A: Array, B: Array, C: Array, T: Array) -> tuple[float, Array]:
    P = products(B, C)
    E = A.dot(P.T)
    E -= T.reshape(len(A), -1)
    g = E.dot(P)
    g *= 2
    return np.vdot(E, E), g


def expanded(A: Array, B: Array, C: Array, T: Array) -> tuple[float, Array]:
    """The square multiplied out: T is read twice and no tensor of its size is made."""
    M = T.reshape(len(A), -1).dot(products(B, C))
    return _from_products(A, B, C, np.vdot(T, T), M)


def one_pass(A: Array, B: Array, C: Array, T: Array) -> tuple[float, Array]:
    """As `expanded`; a few slices of T that stay in the cache are squared and meet C, then B."""
    l, m, n = T.shape
    size = max(1, 65536 // (m * n))
    Y, square = np.empty((l, m, TERMS)), 0.0
    for i in range(0, l, size):
        part = T[i : i + size].reshape(-1, n)
        square += np.vdot(part, part)
        part.dot(C, out=Y[i : i + size].reshape(-1, TERMS))
    return _from_products(A, B, C, square, np.einsum("ijr,jr->ir", Y, B))


def _from_products(A: Array, B: Array, C: Array, square: float, M: Array) -> tuple[float, Array]:
    """The value is |T|² - 2 <A, M> + <A G, A>."""
    G = B.T.dot(B)
    G *= C.T.dot(C)
    g = A.dot(G)
    value = square + np.vdot(A, g) - 2 * np.vdot(A, M)
    g -= M
    g *= 2
    return value, g


def hessian(A: Array, B: Array, C: Array, T: Array) -> Array:
    """One small matrix for every row of A."""
    G = B.T.dot(B)
    G *= C.T.dot(C)
    G *= 2
    m, r = A.shape
    H = np.zeros((m, r, m, r))
    np.einsum("iris->irs", H)[...] = G
    return H


TENSOR_FACTORIZATION = unseen(
    "tensor_factorization",
    "CP decomposition by its first factor",
    data,
    {"A": ("l", TERMS), "B": ("m", TERMS), "C": ("n", TERMS), "T": ("l", "m", "n")},
    function,
    {
        "gradient": Quantity(
            (30, 100, 200),
            {
                "residuals": of_residuals,
                "expanded": expanded,
                "one pass": one_pass,
            },
        ),
        "hessian": Quantity((30, 100, 200), {"blocks": hessian}),
    },
)
