"""Distributions: values against SciPy, and with derivatives against densities in mpmath."""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.stats

import eggrad as eg
from eggrad import stats
from tests.support.cancellation import bits_lost, truth
from tests.support.densities import DENSITIES, MOST, Density, formula, lost

TAILS = ("cdf", "sf", "logcdf", "logsf")
# How many of them have distribution functions.
TAILED = 52
own_density = pytest.mark.parametrize("own", DENSITIES.values(), ids=DENSITIES)


def middle(own: Density) -> dict[str, float]:
    """Parameters in the middle of their ranges."""
    return {name: (low + high) / 2 for name, (low, high) in own.ranges.items()}


@own_density
def test_densities_and_their_derivatives(own: Density) -> None:
    """`python -m tests.support.densities` has more points."""
    for entry in lost(own, 6):
        assert entry.bits <= MOST, str(entry)


@own_density
def test_values_are_those_of_scipy(own: Density) -> None:
    """Inside of the support, where SciPy has the digits, and on both sides of it."""
    given: dict[str, Any] = {**middle(own), "loc": 3.0 if own.discrete else 0.5}
    given |= {} if own.discrete else {"scale": 1.7}
    frozen = getattr(scipy.stats, own.name)(**given)
    low, high = frozen.support()
    outside = [end for end in (low - 1, high + 1) if np.isfinite(end)]
    u = np.linspace(0.001, 0.999, 20)
    x = np.array([*frozen.ppf(u), *outside, frozen.ppf(0.4) + 0.25])
    kinds = ("logpmf", "pmf") if own.discrete else ("logpdf", "pdf")
    for what in (*kinds, *(TAILS if has_tails(own) else ())):
        found = getattr(getattr(stats, own.name), what)(x, **given).evaluate({})
        np.testing.assert_allclose(
            found, getattr(frozen, what)(x), rtol=1e-9, atol=1e-12, err_msg=what
        )


def has_tails(own: Density) -> bool:
    try:
        getattr(stats, own.name).cdf(0.5, **middle(own))
    except eg.UnsupportedOperation:
        return False
    return True


def test_every_distribution_is_judged() -> None:
    vectors = {"multivariate_normal", "multivariate_t", "dirichlet", "multinomial"}
    assert {*stats.__all__} == {*DENSITIES} | vectors
    for name, own in DENSITIES.items():
        assert ", ".join(own.ranges) == (getattr(scipy.stats, name).shapes or "")
        assert getattr(stats, name).parameters.split() == [*own.ranges]
    assert sum(map(has_tails, DENSITIES.values())) == TAILED


@pytest.mark.parametrize(
    ("name", "x", "text"),
    [
        ("norm", 40.0, "log(normal(-z))"),
        ("logistic", 800.0, "-log(1 + exp(z))"),
        ("cauchy", 1e12, "log(arctan(1/z) / pi)"),
        ("laplace", 900.0, "log(exp(-z) / 2)"),
        ("weibull_min", 50.0, "-z**(3/2)"),
        ("fisk", 1e9, "-log(1 + z**(3/2))"),
    ],
)
def test_far_tails_keep_their_digits(name: str, x: float, text: str) -> None:
    shapes = [1.5] * len(DENSITIES[name].ranges)
    z = eg.variable("z")
    f = getattr(stats, name).logsf(z, *shapes)
    at = {"z": np.array(x)}
    value, slope, _ = truth(partial(formula, text), at, ["z"])
    for own, known in ((f, value), (eg.gradient(f, z), slope)):
        bits = bits_lost(float(own.evaluate({"z": x})), known.entries[0])
        assert bits - np.log2(max(1, known.conditions[0])) <= MOST


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (stats.moyal.logsf, 50.0, -25.2257913526447),
        (stats.moyal.logsf, 80.0, -40.2257913526447),
        (stats.moyal.logcdf, 80.0, -3.38969626911831e-18),
        (stats.moyal.logcdf, -5.0, -76.93899895255041),
        (stats.uniform.logcdf, 1e-17, -39.1439465808988),
        (stats.halflogistic.logcdf, 1e-17, -39.8370937614587),
        (stats.halfnorm.logsf, 60.0, -1804.320413500007),
    ],
)
def test_logarithms_of_tails_keep_their_digits(f: Any, x: float, expected: float) -> None:
    assert float(f(eg.variable("x")).evaluate(x=x)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: stats.exponweib.logpdf(x, 2.0, 1.5), -1.0),
        (lambda x: stats.burr.sf(x, 2.0, 3.0), -1.0),
        (lambda x: stats.burr12.cdf(x, 2.0, 3.0), -1.0),
        (stats.arcsine.logcdf, 2.0),
        (stats.arcsine.logsf, -1.0),
    ],
)
def test_outside_of_the_support_the_slope_is_0(f: Any, x: float) -> None:
    assert eg.grad(f)(x) == 0


def test_vectors_of_no_integers_have_no_probability() -> None:
    counts = eg.variable("k", (3,))
    f = stats.multinomial.pmf(counts, 10, np.array([0.2, 0.3, 0.5]))
    assert f.evaluate(k=np.array([2.5, 2.5, 5.0])) == 0
    assert f.evaluate(k=np.array([2.0, 3.0, 5.0])) == pytest.approx(0.08505)


def test_normal_vectors() -> None:
    rng = np.random.default_rng(2)
    X, m, root = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(3, 3))
    S = root @ root.T + np.eye(3)
    spreads: list[Any] = [S, S.diagonal(), 2.5]
    for cov in spreads:
        for x in (X, X[0]):
            expected = scipy.stats.multivariate_normal.logpdf(x, m, cov)
            found = stats.multivariate_normal.logpdf(x, m, cov).evaluate({})
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    x, v = eg.variable("x", ("n",)), eg.variable("S", ("n", "n"), ["positive definite"])
    slope = eg.gradient(stats.multivariate_normal.logpdf(x, cov=v), x)
    assert slope.to("matrix") == "-inv(S)*x"


def test_how_long_vectors_are() -> None:
    rng = np.random.default_rng(4)
    means: list[Any] = [None, 0.5, rng.normal(size=3)]
    spreads: list[Any] = [2.0, np.array([2.0]), np.array([[2.0]]), np.array([1.0, 2.0, 3.0])]
    seen = 0
    for shape in ((), (1,), (3,), (2, 3), (3, 1)):
        x = rng.normal(size=shape)
        for mean, cov in itertools.product(means, [*spreads, np.diag([1.0, 2.0, 3.0])]):
            try:
                found = stats.multivariate_normal.logpdf(x, mean, cov).evaluate({})
            except eg.ShapeError:
                continue
            expected = scipy.stats.multivariate_normal.logpdf(x, mean, cov)
            assert np.shape(found) == np.shape(expected)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
            seen += 1
    assert seen == 32


def test_other_vectors() -> None:
    rng = np.random.default_rng(3)
    X, m, root = rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=(3, 3))
    S: Any = root @ root.T + np.eye(3)
    df: Any = 4.5
    np.testing.assert_allclose(
        stats.multivariate_t.logpdf(X, m, S, 4.5).evaluate({}),
        scipy.stats.multivariate_t.logpdf(X, m, S, df),
        rtol=1e-12,
    )
    alpha, p = np.array([0.7, 1.0, 4.0]), rng.dirichlet([1, 1, 1], size=4)
    for x in (p[0], p.T):
        np.testing.assert_allclose(
            stats.dirichlet.logpdf(x, alpha).evaluate({}),
            scipy.stats.dirichlet.logpdf(x, alpha),
            rtol=1e-12,
        )
    for k in ([2, 3, 1], [[1, 1, 4], [6, 0, 0]], [2, 2, 1]):
        np.testing.assert_allclose(
            stats.multinomial.logpmf(k, 6, p[1]).evaluate({}),
            scipy.stats.multinomial.logpmf(k, 6, p[1]),
            rtol=1e-12,
        )


def test_integers_are_declared() -> None:
    """Of a variable that is declared integer nothing is asked."""
    k, m = eg.variable("k", ("n",), ["integer"]), eg.variable("m")
    assert "floor" not in str(stats.poisson.logpmf(k, m))
    assert "floor" in str(stats.poisson.logpmf(eg.variable("k"), m))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.norm.logpdf(0, 1, 2, 3), "1 too many"),
        (lambda: stats.gamma.logpdf(1.0), "missing a"),
        (lambda: stats.norm.logpdf(0, mean=1), "mean is no parameter"),
        (lambda: stats.norm.logpdf(0, 1, loc=2), "loc is given twice"),
    ],
)
def test_arguments_are_checked(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()


def test_singular_covariances_are_refused() -> None:
    assert stats.multivariate_normal.pdf([0.0, 0.0], [0.0, 0.0], allow_singular=False).ndim == 0
    with pytest.raises(eg.UnsupportedOperation, match="components that vary"):
        stats.multivariate_normal.pdf([0.0, 0.0], allow_singular=True)


def test_refusals_say_what_to_write() -> None:
    x = eg.variable("x")
    with pytest.raises(eg.UnsupportedOperation, match=r"eggrad\.stats"):
        scipy.stats.norm.logpdf(x)
    with pytest.raises(eg.UnsupportedOperation, match="no function with a derivative"):
        stats.skewnorm.cdf(x, 2)
    with pytest.raises(eg.ShapeError, match="x would have 1 entries along the last axis"):
        stats.multivariate_normal.logpdf(np.ones((2, 3)))
    with pytest.raises(eg.ShapeError, match="the covariances would have 2 entries"):
        stats.multivariate_normal.logpdf(np.ones(2), np.ones(2), np.ones(3))
