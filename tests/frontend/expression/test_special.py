"""Special functions and their first two derivatives against mpmath, up to their domains' ends."""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special

import eggrad as eg
from eggrad import special
from eggrad.engine.laws.declared_slopes import slope_rules
from eggrad.engine.workbench.soundness import check_soundness
from eggrad.frontend.expression.own_functions import DeclaredFunction

CLOSE = 1e-10
mp: Any = mpmath
s = eg.variable("s")
INF = float("inf")


def spaced(low: float, high: float, far: float, near: float = 1e-6, count: int = 20) -> list[float]:
    """Numbers spaced by logarithm towards the ends of a domain."""
    if np.isinf(low) and np.isinf(high):
        half = np.logspace(-8, np.log10(far), count // 2)
        return [*-half, *half]
    if np.isinf(high):
        return [*(low + np.logspace(np.log10(near), np.log10(far), count))]
    half = (high - low) / 2 * np.logspace(np.log10(near), 0, count // 2)
    return [*(low + half), *(high - half)]


def normal(t: Any) -> Any:
    """The normal distribution function."""
    return mp.erfc(-t / mp.sqrt(2)) / 2


LINE = spaced(-INF, INF, 25)
FAR_LINE = spaced(-INF, INF, 600)
ABOVE = spaced(0, INF, 1e5)
BETWEEN = spaced(0, 1, 1)
CASES: dict[str, tuple[Callable[[Any], Any], Sequence[float]]] = {
    "erf": (mp.erf, LINE),
    "erfc": (mp.erfc, LINE),
    "erfinv": (mp.erfinv, spaced(-1, 1, 1)),
    "ndtr": (normal, LINE),
    "log_ndtr": (lambda t: mp.log(normal(t)), spaced(-INF, INF, 1e3)),
    "ndtri": (lambda t: mp.sqrt(2) * mp.erfinv(2 * t - 1), BETWEEN),
    "gamma": (mp.gamma, [*spaced(0, INF, 150), -0.5, -1.3, -5.7]),
    "gammaln": (lambda t: mp.log(abs(mp.gamma(t))), ABOVE),
    "digamma": (mp.digamma, [*ABOVE, -0.5, -1.3, -5.7]),
    "expit": (lambda t: 1 / (1 + mp.exp(-t)), FAR_LINE),
    "logit": (lambda t: mp.log(t / (1 - t)), BETWEEN),
    "log_expit": (lambda t: -mp.log(1 + mp.exp(-t)), FAR_LINE),
    "softplus": (lambda t: mp.log(1 + mp.exp(t)), FAR_LINE),
    "entr": (lambda t: -t * mp.log(t), ABOVE),
    "i0": (lambda t: mp.besseli(0, t), FAR_LINE),
    "i1": (lambda t: mp.besseli(1, t), [0.0, *FAR_LINE]),
    "i0e": (lambda t: mp.besseli(0, t) * mp.exp(-abs(t)), FAR_LINE),
    "i1e": (lambda t: mp.besseli(1, t) * mp.exp(-abs(t)), FAR_LINE),
    "j0": (lambda t: mp.besselj(0, t), [0.0, *LINE]),
    "j1": (lambda t: mp.besselj(1, t), [0.0, *LINE]),
    "y0": (lambda t: mp.bessely(0, t), spaced(0, INF, 25, 1e-3)),
    "y1": (lambda t: mp.bessely(1, t), spaced(0, INF, 25, 1e-3)),
    "rgamma": (mp.rgamma, [*spaced(0, INF, 150, 1e-5), -0.5, -1.3, -5.7]),
    "gammasgn": (lambda t: mp.sign(mp.gamma(t)), [0.3, 20.0, -0.5, -1.3, -5.7]),
    "erfcinv": (lambda t: mp.erfinv(1 - t), spaced(0, 2, 2)),
    "sinc": (lambda t: mp.sinc(mp.pi * t), [0.0, 1.0, 2.0, *spaced(-INF, INF, 1e4)]),
    "arcsinh": (mp.asinh, spaced(-INF, INF, 1e8)),
    "arccosh": (mp.acosh, spaced(1, INF, 1e8)),
}
OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "xlogy": lambda a, b: a * mp.log(b),
    "xlog1py": lambda a, b: a * mp.log(1 + b),
    "rel_entr": lambda a, b: a * mp.log(a / b),
    "kl_div": lambda a, b: a * mp.log(a / b) - a + b,
    "beta": mp.beta,
    "betaln": lambda a, b: mp.log(mp.beta(a, b)),
    "arctan2": mp.atan2,
}
FIXED = 0.3


def judge(made: Callable[[Any], Any], true: Callable[[Any], Any], points: Sequence[float]) -> None:
    """Compare values, slopes and second slopes, evaluated and compiled, with differences."""
    f = made(s)
    for order in range(3):
        compiled = eg.compile(f)
        for v in points:
            with mp.workdps(60):
                at = mp.mpf(float(v))
                expected = float(
                    mp.diff(true, at, order, h=mp.mpf(10) ** -25) if order else true(at)
                )
            close = pytest.approx(expected, rel=CLOSE, abs=CLOSE)
            assert float(compiled(s=float(v))) == close, (order, v)
        f = eg.derivative(f, s)


@pytest.mark.parametrize("name", CASES)
def test_values_and_two_derivatives(name: str) -> None:
    judge(getattr(special, name), *CASES[name])


@pytest.mark.parametrize("name", OF_TWO)
def test_values_and_two_derivatives_by_each_operand(name: str) -> None:
    made, true, points = getattr(special, name), OF_TWO[name], spaced(0, INF, 1e3, 1e-4, 10)
    judge(lambda a: made(a, FIXED), lambda t: true(t, mp.mpf(FIXED)), points)
    judge(lambda a: made(FIXED, a), lambda t: true(mp.mpf(FIXED), t), points)


def test_polygamma_of_any_order() -> None:
    points = spaced(0, INF, 1e3, 1e-3)
    judge(lambda a: special.polygamma(2, a), lambda t: mp.polygamma(2, t), points)


def test_multivariate_gamma() -> None:
    def true(t: Any) -> Any:
        return 1.5 * mp.log(mp.pi) + sum(mp.loggamma(t - mp.mpf(k) / 2) for k in range(3))

    judge(lambda a: special.multigammaln(a, 3), true, spaced(1, INF, 1e3, 1e-3))
    with pytest.raises(eg.UnsupportedOperation, match="d is an integer from 1 up, not 0"):
        special.multigammaln(s, 0)


# Functions of an order, the order, and points.
OF_ORDER: dict[str, tuple[Callable[[Any, Any], Any], float, Sequence[float]]] = {
    "jv": (mp.besselj, 2, [0.3, 20.0]),
    "yv": (mp.bessely, 2.5, [0.3, 20.0]),
    "iv": (mp.besseli, 2.5, [0.3, 20.0]),
    "ive": (lambda n, t: mp.besseli(n, t) * mp.exp(-t), 2, [0.3, 20.0]),
    "gammainc": (lambda a, t: mp.gammainc(a, 0, t, regularized=True), 2.5, [1e-3, 9.0]),
    "gammaincc": (lambda a, t: mp.gammainc(a, t, regularized=True), 0.5, [1e-3, 9.0]),
}


@pytest.mark.parametrize("name", OF_ORDER)
def test_of_an_order(name: str) -> None:
    true, order, points = OF_ORDER[name]
    judge(lambda a: getattr(special, name)(order, a), lambda t: true(order, t), points)


def test_incomplete_beta_function() -> None:
    judge(
        lambda a: special.betainc(0.5, 3, a),
        lambda t: mp.betainc(0.5, 3, 0, t, regularized=True),
        [1e-3, 0.9],
    )


def test_slopes_at_the_ends() -> None:
    for f in (lambda x: special.gammainc(1, x), lambda x: special.betainc(1, 1, x)):
        assert eg.grad(f)(0.0) == 1


def test_every_slope_is_true_as_a_rule() -> None:
    own = [f for f in map(vars(special).get, vars(special)) if isinstance(f, DeclaredFunction)]
    assert {f.record.name for f in own} >= set(special.__all__) - {"softplus"}
    # What derivatives take for a constant is none, so its slope is meant to be another.
    for f in (f for f in own if f.record.name != "stop_gradient"):
        for rule in slope_rules(f.record):
            assert check_soundness(rule, 20).counterexample is None, rule.name


@pytest.mark.parametrize("name", [n for n in special.__all__ if hasattr(scipy.special, n)])
def test_scipys_functions_accept_expressions(name: str) -> None:
    ufunc = getattr(scipy.special, name)
    if isinstance(ufunc, np.ufunc):
        operands = [s] * ufunc.nin
        assert ufunc(*operands).term is getattr(special, name)(*operands).term


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_scipys_functions_of_axes_have_ours(name: str) -> None:
    x = eg.variable("x", (3,))
    values = {"x": np.array([1.0, -2.0, 0.5])}
    found = getattr(eg, name)(x).evaluate(values)
    np.testing.assert_allclose(found, getattr(scipy.special, name)(values["x"]), rtol=1e-14)
    with pytest.raises(eg.UnsupportedOperation, match=f"write eggrad.{name}"):
        getattr(scipy.special, name)(x)


def test_saved_as_text() -> None:
    """With an array of numbers, and without naming the functions."""
    x = eg.variable("x", ("n",))
    f = eg.derivative(np.sum(eg.special.gammaln(x)) * np.sum([[1.5, -0.5]] * x[:2]), x)
    assert eg.parse_json(f.to("json")) is f
