"""Exponentials that a value and its gradient share, and their sums at the ends of the range."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine import stable_functions as stable

SHARED = [
    ("softplus_and_sigmoid", (300,), lambda x: np.sum(np.log(1 + np.exp(x)))),
    ("log_sum_exp_and_softmax", (7,), lambda x: np.log(np.sum(np.exp(x)))),
    ("log_sum_exp_and_softmax", (30, 4), lambda x: np.sum(np.log(np.sum(np.exp(x), axis=1)))),
    ("log_sum_exp_and_softmax", (4, 30), lambda x: np.sum(np.log(np.sum(np.exp(x), axis=0)))),
]


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize(("call", "shape", "f"), SHARED, ids=[str(shape) for _, shape, _ in SHARED])
def test_exponentials_are_computed_once(
    call: str, shape: tuple[int, ...], f: Callable[[Any], eg.Expression], scale: float
) -> None:
    """A value and its gradient take them from one call, and are those of either alone."""
    x = eg.variable("x", shape)
    value = f(x)
    gradient = eg.gradient(value, x)
    both = eg.compile([value, gradient])
    assert call in both.source
    at = scale * np.random.default_rng(0).normal(size=shape)
    with np.errstate(all="raise", under="ignore"):
        found = both(x=at)
    for one, alone in zip(found, (value, gradient), strict=True):
        np.testing.assert_allclose(one, eg.compile(alone)(x=at), 1e-12, 1e-300)
    assert found[1].shape == shape


@pytest.mark.parametrize(("call", "shape", "f"), SHARED, ids=[str(shape) for _, shape, _ in SHARED])
def test_a_gradient_alone_takes_no_logarithm(
    call: str, shape: tuple[int, ...], f: Callable[[Any], eg.Expression]
) -> None:
    x = eg.variable("x", shape)
    value = f(x)
    alone, both = eg.compile(eg.gradient(value, x)), eg.compile([value, eg.gradient(value, x)])
    name = call.removeprefix("log_sum_exp_and_").removeprefix("softplus_and_")
    assert f"{name}(x" in alone.source
    assert call not in alone.source
    rng = np.random.default_rng(0)
    for at in (rng.normal(size=shape), rng.choice([-1e3, 0, 1e3, np.inf, -np.inf], shape)):
        np.testing.assert_allclose(alone(x=at), both(x=at)[1], 1e-14)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1, 1)])
def test_shared_exponentials_of_few_numbers(shape: tuple[int, ...]) -> None:
    x = np.zeros(shape)
    axes = (len(shape) - 1,)
    total, shares = stable.log_sum_exp_and_softmax(x, axes)
    np.testing.assert_array_equal(total, stable.log_sum_exp(x, axes))
    np.testing.assert_array_equal(shares, np.ones(shape))
    np.testing.assert_array_equal(stable.softmax(x, axes), np.ones(shape))
    np.testing.assert_array_equal(stable.softmax(np.array([1e308, -1e308]), (0,)), [1, 0])
    total, shares = stable.softplus_and_sigmoid(x)
    np.testing.assert_allclose(total, np.full(shape, np.log(2)))
    np.testing.assert_allclose(shares, np.full(shape, 0.5))


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
    total, shares = stable.log_sum_exp_and_softmax(np.array([1.0, -np.inf, 2.0]), (0,))
    np.testing.assert_allclose(total, np.logaddexp(1, 2))
    assert shares[1] == 0
    total, _ = stable.log_sum_exp_and_softmax(np.array([1.0, np.inf]), (0,))
    assert total == np.inf


@pytest.mark.parametrize(("rows", "classes"), [(200, 3), (3, 200)])
def test_scores_whose_axes_are_stored_in_another_order(rows: int, classes: int) -> None:
    """A product of matrices has its few rows first; so the axis of the sum is another one."""
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
