"""Derivatives by the entries of a structured matrix that may be chosen, against differences."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.terms.assumptions import drawn
from tests.support.values import evaluated

n = 3
WORDS = (
    "symmetric",
    "positive definite",
    "positive semidefinite",
    "skew",
    "diagonal",
    "lower triangular",
    "upper triangular",
)
FUNCTIONS = {
    "quadratic": lambda X, x: x @ X @ X @ x,
    "trace": lambda X, x: eg.einsum("ij,ji->", X, X) + x @ X @ x,
    "exponential": lambda X, x: eg.sum(eg.exp(X)),
    "inverse": lambda X, x: x @ eg.inv(X + 9 * eg.delta((n,))) @ x,
    "determinant": lambda X, x: eg.det(X + eg.delta((n,))),
    "vector": lambda X, x: X @ x + eg.sin(X) @ x,
}


def direction(word: str, i: int, j: int) -> np.ndarray | None:
    """How a matrix of a structure moves with its entry (i, j); None where it may not be chosen."""
    unit = np.zeros((n, n))
    unit[i, j] = 1
    match word:
        case "diagonal":
            return unit if i == j else None
        case "lower triangular":
            return unit if i >= j else None
        case "upper triangular":
            return unit if i <= j else None
        case "skew":
            return unit - unit.T if i != j else None
        case _:
            return unit + unit.T if i != j else unit


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_agrees_with_differences_along_the_structure(word: str, name: str) -> None:
    rng = np.random.default_rng(0)
    X, x = eg.variable("X", (n, n), [word]), eg.variable("x", (n,))
    f = FUNCTIONS[name](X, x)
    value = drawn([word], rng.normal(size=(n, n)), rng)
    assert value is not None
    known = {"X": value, "x": rng.normal(size=n)}
    found = evaluated(eg.derivative(f, X, entries="pairs"), known)

    def at(step: np.ndarray) -> np.ndarray:
        # What is written, for next to a singular matrix others are not definite.
        return evaluated(f, known | {"X": value + step}, reference=True)

    for i in range(n):
        for j in range(n):
            along = direction(word, i, j)
            wanted = 0 if along is None else (at(1e-5 * along) - at(-1e-5 * along)) / 2e-5
            assert np.allclose(found[..., i, j], wanted, atol=1e-6, rtol=1e-6), (i, j)


@pytest.mark.parametrize("word", WORDS)
def test_second_derivatives_by_own_entries_are_symmetric(word: str) -> None:
    rng = np.random.default_rng(1)
    X = eg.variable("X", (n, n), [word])
    value = drawn([word], rng.normal(size=(n, n)), rng)
    f = eg.sum(eg.exp(X @ X))
    found = eg.derivative(f, X, X, entries="pairs").evaluate({"X": value})
    assert np.allclose(found, found.transpose(2, 3, 0, 1))
