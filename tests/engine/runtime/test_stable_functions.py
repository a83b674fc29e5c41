"""Sums of exponentials, and their slopes, at the ends of the range."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.runtime import stable_functions as stable


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1, 1), (2, 3), (3, 2)])
def test_sums_over_few_numbers(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    with np.errstate(divide="ignore"):
        want = np.log(np.exp(x).sum(axis=-1))
    np.testing.assert_allclose(stable.log_sum_exp(x, (x.ndim - 1,)), want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [50, 200])
def test_slopes_of_large_arguments(dtype: type, count: int) -> None:
    """Where `exp` overflows, and at infinity, the sigmoid is 1, alone or beside its softplus."""
    x = eg.variable("x", ("n",))
    total = np.sum(np.log(1 + np.exp(x)))
    gradient = eg.gradient(total, x)
    for largest in (90.0, 800.0, np.inf):
        at = np.full(count, largest, dtype)
        for found in (eg.compile([total, gradient])(x=at)[1], eg.compile(gradient)(x=at)):
            assert found.dtype == dtype
            np.testing.assert_array_equal(found, np.ones(count))
    assert stable.softplus(np.full(count, 90, dtype)).max() == 90


def test_infinite_terms_of_a_sum_of_exponentials() -> None:
    total = stable.log_sum_exp(np.array([1.0, -np.inf, 2.0]), (0,))
    np.testing.assert_allclose(total, np.logaddexp(1, 2))
    assert stable.log_sum_exp(np.array([1.0, np.inf]), (0,)) == np.inf


@pytest.mark.parametrize(("rows", "classes"), [(200, 3), (3, 200)])
def test_scores_whose_axes_are_stored_in_another_order(rows: int, classes: int) -> None:
    """Whether rows or columns are the longer."""
    X, W = eg.variable("X", ("m", "n")), eg.variable("W", ("n", "k"))
    value = np.sum(np.log(np.sum(np.exp(X @ W), axis=1)))
    sizes = {"m": rows, "n": 50, "k": classes}
    both = eg.compile([value, eg.gradient(value, W)], sizes=sizes)
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(rows, 50)), rng.normal(size=(50, classes))
    exponentials = np.exp(x @ w)
    sums = exponentials.sum(axis=1, keepdims=True)
    total, gradient = both(X=x, W=w)
    np.testing.assert_allclose(total, np.log(sums).sum(), 1e-12)
    np.testing.assert_allclose(gradient, x.T @ (exponentials / sums), 1e-9, 1e-12)
