"""Methods of ufuncs, masks of reductions, truth, remainders: as of arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.numpy_cases import M, R, T, check_slopes, check_values, v, w

Case = tuple[Callable[[Any], Any], Any]

CASES: dict[str, Case] = {
    "sum where": (lambda x: np.sum(x, where=R > 1), R),
    "sum where cond": (lambda x: np.sum(x, axis=0, where=x > 1), R),
    "sum initial": (lambda x: np.sum(x, initial=3.0), v),
    "mean where": (lambda x: np.mean(x, axis=1, where=R > 0.5), R),
    "mean where bc": (lambda x: np.mean(x, axis=1, where=np.array([True, False, True, True])), R),
    "var where": (lambda x: np.var(x, where=R > 0.5, ddof=1), R),
    "std mean": (
        lambda x: np.std(x, axis=0, keepdims=True, mean=np.mean(x, axis=0, keepdims=True)),
        R,
    ),
    "std corr": (lambda x: np.std(x, correction=1), R),
    "max where": (lambda x: np.max(x, where=R > 1, initial=0), R),
    "max initial": (lambda x: np.max(x, axis=1, initial=1.9), R),
    "max, initial -inf": (lambda x: np.max(x, where=R > 1, initial=-np.inf), R),
    "min, initial inf": (lambda x: np.min(x, axis=1, initial=np.inf), R),
    "max of where, -inf": (lambda x: np.max(np.where(R.min(0) < R, x, -np.inf), axis=0), R),
    "clip to inf": (lambda x: np.clip(x - 1, 0, np.inf) ** 2, R),
    "clip from -inf": (lambda x: np.clip(x, -np.inf, [1, np.inf, 0.5, 2]) ** 2, R),
    "maximum of -inf": (lambda x: np.maximum(-np.inf, x) + np.minimum(x, np.inf), v),
    "less than inf": (lambda x: np.where(x < np.inf, x**2, 0), v),
    "nansum of where, nan": (lambda x: np.nansum(np.where(w > 1, x, np.nan) ** 2), v),
    "exp of where, -inf": (lambda x: np.exp(np.where(w > 1, x, -np.inf)), v),
    "full_like of -inf": (lambda x: np.max(np.where(w > 1, x, np.full_like(x, -np.inf))), v),
    "min where": (lambda x: np.min(x, axis=0, where=R > 1, initial=9), R),
    "prod": (np.prod, R),
    "prod where": (lambda x: np.prod(x, axis=1, where=R > 1), R),
    "prod big": (lambda x: np.prod(np.concatenate([x] * 14)), v),
    "prod neg": (lambda x: np.prod(x, axis=-1, keepdims=True), T),
    "x.sum m": (lambda x: x.sum(0, keepdims=True), R),
    "sum dtype": (lambda x: np.sum(x, dtype=float), R),
    "sum dtype, 2": (lambda x: np.sum(x, axis=0, dtype=np.float64), R),
    "any": (lambda x: np.where(np.any(x > 1.9, axis=1), x[:, 0], 0), R),
    "all": (lambda x: np.where(np.all(x > 0.5, axis=0), x[0], 0), R),
    "count_nonzero": (lambda x: np.count_nonzero(x > 1, axis=0) * x, R),
    "cumprod": (np.cumprod, v),
    "cumprod ax": (lambda x: np.cumprod(x, axis=0), R),
    "cumprod none": (np.cumprod, R),
    "x.cumprod": (lambda x: x.cumprod(1), R),
    "cumsum none": (np.cumsum, R),
    "cumulative_sum": (lambda x: np.cumulative_sum(x, axis=1, include_initial=True), R),
    "cumulative_prod": (lambda x: np.cumulative_prod(x, axis=0, include_initial=True), R),
    "logaddexp red None": (lambda x: np.logaddexp.reduce(x, axis=None), R),
    "mult red 2": (lambda x: np.multiply.reduce(x, axis=(0, 1)), R),
    "logical_and.reduce": (lambda x: np.logical_and.reduce(x > 0.5, axis=1) * 1.0 * x[:, 0], R),
    "max.reduce where": (lambda x: np.maximum.reduce(x, axis=0, where=R > 1, initial=0), R),
    "add red where": (lambda x: np.add.reduce(x, axis=0, where=x > 1), R),
    "cond ar": (lambda x: (1 - (x > 1) * 1.0) * x, v),
    "cond &": (lambda x: np.where((x > 1) & (w > 1), x, 0), v),
    "cond r&": (lambda x: np.where((w > 1) & (x > 1), x, 0), v),
    "cond ^": (lambda x: np.where((w > 1) ^ (x > 1), x, 0), v),
    "~": (lambda x: np.where(np.invert(x > 1), x, 0), v),
    "cond.sum": (lambda x: (x > 1).sum(axis=0) * x, R),
    "cond.mean": (lambda x: (x > 1).mean() * x, R),
    "cond any": (lambda x: np.where((x > 1.9).any(axis=1), x[:, 0], 1), R),
    "cond astype": (lambda x: (x > 1).astype(float) * x, R),
    "np.sum cond": (lambda x: np.sum(x > 1) * x, R),
    "//": (lambda x: x // 0.3, v),
    "%": (lambda x: x % 0.3, v),
    "r//": (lambda x: 3 // x, v),
    "r%": (lambda x: 3 % x, v),
    "divmod": (lambda x: divmod(x, 0.3), v),
    "divmod r": (lambda x: divmod(3, x), v),
    "vdot": (lambda x: np.vdot(x, v[:4].reshape(2, 2)), v[:4]),
    "outer": (lambda x: np.outer(x, R), M),
    "ravel F": (lambda x: x.ravel(order="F"), R),
    "reshape F": (lambda x: np.reshape(x, (2, 6), order="F"), R),
    "reshape F3": (lambda x: x.reshape(2, -1, 2, order="F"), R),
    "flatten F": (lambda x: x.flatten("F"), R),
    "diff pre": (lambda x: np.diff(x, prepend=0), R),
    "diff app": (lambda x: np.diff(x, 2, axis=0, prepend=x[:1], append=R[:2]), R),
    "concat none": (lambda x: np.concatenate([x, x], axis=None), R),
    "full_like": (lambda x: np.full_like(x, 3.0) * x, R),
    "zeros_like shape": (lambda x: np.zeros_like(x, shape=(2,)) + x[0], v),
    "ones_like dt": (lambda x: np.ones_like(x, float) * x, v),
}

# Since NumPy 2.1.
for name in ("cumulative_sum", "cumulative_prod"):
    if not hasattr(np, name):
        del CASES[name]

BINARY = [np.add, np.multiply, np.subtract, np.divide, np.maximum, np.minimum, np.fmax, np.fmin]
BINARY += [np.logaddexp, np.logaddexp2, np.hypot, np.power, np.arctan2]
ASSOCIATIVE = [f for f in BINARY if f not in (np.subtract, np.divide, np.power, np.arctan2)]
for f in BINARY:
    CASES |= {
        f"{f.__name__}.reduce": (lambda x, f=f: f.reduce(x), R),
        f"{f.__name__}.accumulate": (lambda x, f=f: f.accumulate(x, axis=1), R),
        f"{f.__name__}.outer": (lambda x, f=f: f.outer(x, R), v),
        f"{f.__name__}.outer of arrays": (lambda x, f=f: f.outer(R, x), v),
    }
for f in ASSOCIATIVE:
    CASES[f"{f.__name__}.reduce, with axes kept"] = (
        lambda x, f=f: f.reduce(x, axis=-1, keepdims=True, initial=1.0),
        R,
    )

SLOPES = [
    *("sum where cond", "mean where bc", "var where", "max where", "prod where"),
    *("prod neg", "any", "cumprod ax", "cond ar", "divmod", "reshape F3"),
    *("diff app", "subtract.reduce", "divide.accumulate", "power.accumulate", "hypot.reduce"),
    *("max, initial -inf", "min, initial inf", "max of where, -inf", "clip to inf"),
    *("clip from -inf", "maximum of -inf", "less than inf", "nansum of where, nan"),
    *("exp of where, -inf", "full_like of -inf"),
    *("logaddexp.accumulate", "maximum.accumulate", "logaddexp2.reduce", "arctan2.outer"),
]


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    check_values(*CASES[name])


@pytest.mark.parametrize("name", SLOPES)
def test_slopes(name: str) -> None:
    check_slopes(*CASES[name])


@pytest.mark.parametrize("name", ["copysign", "fmod", "floor_divide", "remainder", "logaddexp2"])
@pytest.mark.parametrize("other", [w, -0.3], ids=["array", "number"])
def test_signs_and_remainders(name: str, other: Any) -> None:
    """Of entries of both signs."""
    function = getattr(np, name)
    check_values(lambda x: function(x, other), v - 1)
    check_slopes(lambda x: function(x, other), v - 1)


SPECIAL = np.array([1.0, -1.5, np.nan, np.inf, -np.inf, 0.0, -0.0])


@pytest.mark.parametrize(
    "function",
    [np.isnan, np.isinf, np.isfinite, np.signbit, np.nan_to_num, np.isposinf, np.isneginf],
)
def test_of_what_is_no_finite_number(function: Any) -> None:
    check_values(function, SPECIAL)


MASK = np.tril(np.ones((4, 4), bool))
ATTENTION = {
    "softmax": lambda s: eg.softmax(np.where(MASK, s, -np.inf), axis=1),
    "softmax of a sum": lambda s: eg.softmax(s + np.where(MASK, 0, -np.inf), axis=1),
    "by hand": lambda s: (e := np.exp(np.where(MASK, s, -np.inf))) / e.sum(1, keepdims=True),
    "below the maximum": lambda s: (
        (e := np.exp((m := np.where(MASK, s, -np.inf)) - np.max(m, axis=1, keepdims=True)))
        / np.sum(e, axis=1, keepdims=True)
    ),
}


@pytest.mark.parametrize("optimize", ["now", "never"])
@pytest.mark.parametrize("name", ATTENTION)
def test_scores_that_are_masked_have_no_weight(name: str, optimize: Any) -> None:
    """Their slopes are 0, and those of the others are as if they were not there."""
    goal = np.arange(16.0).reshape(4, 4)
    scores = np.random.default_rng(1).normal(size=(4, 4)) * 3
    found = eg.grad(lambda s: np.sum(ATTENTION[name](s) * goal), optimize=optimize)(scores)
    weights = np.exp(scores) * MASK
    weights /= weights.sum(1, keepdims=True)
    wanted = weights * (goal - np.sum(weights * goal, 1, keepdims=True))
    np.testing.assert_allclose(found, wanted, atol=1e-14)
    assert not found[~MASK].any()


def test_an_order_with_masked_entries() -> None:
    """What is masked comes first, and is not multiplied by 0."""
    best = lambda x: np.sort(np.where([True, False, True], x, -np.inf))[-1] ** 2  # noqa: E731
    for optimize in ("now", "never"):
        value, slope = eg.value_and_grad(best, optimize=optimize)(np.array([1.0, 9, 3]))
        assert value == 9
        np.testing.assert_array_equal(slope, [0, 0, 6])


def test_a_logarithm_of_masked_exponentials() -> None:
    x = np.array([800.0, 9, 800])
    value, slope = eg.value_and_grad(
        lambda x: eg.logsumexp(np.where([True, False, True], x, -np.inf))
    )(x)
    np.testing.assert_allclose(value, 800 + np.log(2))
    np.testing.assert_array_equal(slope, [0.5, 0, 0.5])


def test_an_infinity_that_is_never_taken_is_left_out() -> None:
    x = eg.variable("x", ("n",))
    assert eg.simplify(np.clip(x, 0, np.inf)) is np.maximum(x, 0)
    assert eg.gradient(np.sum(np.minimum(x, np.inf) ** 2), x).to("matrix") == "2*x"
    assert eg.equivalent(np.maximum(x, -np.inf), x)
    assert eg.simplify(np.maximum(x, np.inf)) is not x
    assert eg.simplify(np.where(x < np.inf, x, 0)) is not x
    assert eg.parse(str(np.minimum(x, np.inf))).expression is np.minimum(x, np.inf)


def test_sizes_that_are_symbols_or_small() -> None:
    x = eg.variable("x", ("n",))
    assert np.logaddexp.reduce(x).shape == ()
    assert np.add.outer(x, x).shape == ("n", "n")
    for length in (0, 1):
        check_values(lambda x: (np.any(x > 0), np.all(x > 0), np.prod(x)), np.ones(length))
        check_values(np.cumprod, np.ones(length))


def test_second_derivatives() -> None:
    """The Hessian of a running product has products of all other entries."""
    found = eg.hessian(lambda x: np.cumprod(x)[-1])(np.array([2.0, 3.0, 5.0]))
    np.testing.assert_allclose(found, [[0, 5, 3], [5, 0, 2], [3, 2, 0]])
