"""Tags of n sequences of ten words: a conditional random field's loss by its transitions T.

There are six tags. E has each word's scores; of the right tags there is the score s of the words of
each sequence, and C counts their transitions.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

WORDS, TAGS = 10, 6
# Exponentials of sums of scores up to this are far from overflow and underflow.
MOST = 600.0


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    E = random.standard_normal((n, WORDS, TAGS))
    tags = random.integers(0, TAGS, (n, WORDS))
    E += 2 * np.eye(TAGS)[tags]
    C = np.zeros((TAGS, TAGS))
    np.add.at(C, (tags[:, :-1], tags[:, 1:]), 1)
    s = np.take_along_axis(E, tags[:, :, None], 2).sum((1, 2))
    return {"T": 0.5 * random.standard_normal((TAGS, TAGS)), "E": E, "C": C, "s": s}


def function(ops: Any, T: Any, E: Any, C: Any, s: Any) -> Any:
    a = E[:, 0]
    for k in range(1, WORDS):
        a = ops.logsumexp(a[:, :, None] + T, 1) + E[:, k]
    return ops.xp.sum(ops.logsumexp(a, 1) - s) - ops.xp.sum(C * T)


def normalized(T: Array, E: Array, C: Array, s: Array) -> tuple[float, Array]:
    """Forward and backward with probabilities: sums are divided off after every word."""
    top = T.max()
    P = np.exp(T - top)
    F = np.ascontiguousarray(E.transpose(1, 2, 0))
    largest = np.maximum.reduce(F, 1)
    F -= largest[:, None]
    np.exp(F, out=F)
    n = len(s)
    A, sums = np.empty((WORDS, TAGS, n)), np.empty((WORDS, n))
    A[0] = F[0]
    for k in range(WORDS):
        if k:
            np.dot(P.T, A[k - 1], out=A[k])
            A[k] *= F[k]
        np.add.reduce(A[k], 0, out=sums[k])
        A[k] /= sums[k]
    F /= sums[:, None]
    B = F[-1]
    G = A[-2].dot(B.T)
    for k in range(WORDS - 2, 0, -1):
        F[k] *= P.dot(B)
        B = F[k]
        G += A[k - 1].dot(B.T)
    value = np.add.reduce(np.log(sums, out=sums), None) + np.add.reduce(largest, None)
    value += (WORDS - 1) * n * top - np.add.reduce(s) - np.vdot(C, T)
    G *= P
    G -= C
    return value, G


def unnormalized(T: Array, E: Array, C: Array, s: Array) -> tuple[float, Array]:
    """Nothing is divided off but the sum after the last word, where scores are small enough."""
    n = len(s)
    word, pair = max(E.max(), -E.min()), max(T.max(), -T.min())
    if WORDS * (word + pair + np.log(TAGS)) > MOST:
        return normalized(T, E, C, s)
    P = np.exp(T)
    F = np.ascontiguousarray(E.transpose(1, 2, 0))
    np.exp(F, out=F)
    A = np.empty((WORDS, TAGS, n))
    A[0] = F[0]
    for k in range(1, WORDS):
        np.dot(P.T, A[k - 1], out=A[k])
        A[k] *= F[k]
    sums = np.add.reduce(A[-1], 0)
    B = F[-1]
    B /= sums
    G = A[-2].dot(B.T)
    for k in range(WORDS - 2, 0, -1):
        F[k] *= P.dot(B)
        B = F[k]
        G += A[k - 1].dot(B.T)
    G *= P
    G -= C
    return np.add.reduce(np.log(sums, out=sums)) - np.add.reduce(s) - np.vdot(C, T), G


TAGGING_CHAIN = unseen(
    "tagging_chain",
    "tags of ten words by their transitions",
    data,
    {"T": (TAGS, TAGS), "E": ("n", WORDS, TAGS), "C": (TAGS, TAGS), "s": ("n",)},
    function,
    {
        "gradient": Quantity(
            (30, 300, 3000), {"unnormalized": unnormalized, "normalized": normalized}
        )
    },
)
