"""Numeric adjugates and cofactors against explicit minors."""

import numpy as np
import pytest

from eggrad.engine.oracle import oracle
from eggrad.engine.runtime.matrix_functions import adjugate, cofactors, inverse
from eggrad.engine.terms import term

X = term.variable("X", ("n", "n"))


def matrices(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    full = rng.normal(size=(n, n))
    found = [full, np.zeros((n, n)), np.ones((n, n)), np.eye(n)]
    for rank in range(n):
        found.append(rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n)))
    return found


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_cofactors_are_the_minors_of_every_rank(k: int, n: int) -> None:
    for x in matrices(n):
        expected = oracle.value(term.cofactors(k, X), {"X": x})
        result = cofactors(k, x)
        assert result.shape == (n, n) * k
        np.testing.assert_allclose(result, expected, atol=1e-12 * (1 + np.abs(x).max(initial=0)))


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_adjugate_is_det_times_inverse(n: int) -> None:
    x = np.random.default_rng(n).normal(size=(n, n))
    expected = np.linalg.det(x) * np.linalg.inv(x)
    np.testing.assert_allclose(adjugate(x), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_adjugate_of_a_nearly_singular_matrix_keeps_its_digits() -> None:
    x = np.array([[1.0, 2.0], [2.0, 4.0 + 1e-15]])
    np.testing.assert_allclose(adjugate(x), [[4, -2], [-2, 1]], rtol=1e-14)


def test_nothing_raises() -> None:
    assert np.isnan(inverse(np.array([[1.0, 2.0], [2.0, 4.0]]))).all()
    assert np.isnan(cofactors(1, np.array([[np.nan]]))).all()
    assert inverse(np.zeros((0, 0))).shape == (0, 0)
