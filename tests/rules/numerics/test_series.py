"""Sums whose leading terms cancel near 0 keep their digits there."""

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import mpmath
import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.networks.power_series import (
    OF_VANISHING,
    Series,
    function_of_series,
    place_itself,
)
from eggrad.engine.networks.series import MANY, Reader
from eggrad.engine.terms.binding import Array
from tests.frontend.printing.test_languages import run

DIGITS = 250
# What the formula as written loses at most at the edge, from where on it is used.
BITS = 12
X = eg.variable("x", ("n",))

# Each with the least x that it is defined at, and how often it is differentiated.
FORMULAS = [
    ("x - sin(x)", -np.inf, 2),
    ("x - tan(x)", -1.5, 2),
    ("log(1 + x) - x", -1, 1),
    ("1/x - 1/tan(x)", -1.5, 2),
    ("sin(x)/x**2 - 2*(1 - cos(x))/x**3", -1.5, 2),
    ("(exp(x) - 1)/x", -np.inf, 2),
    ("x/(exp(x) - 1)", -np.inf, 2),
    ("(1 - cos(x))/x**2", -2, 2),
    ("sin(x)/x", -2, 2),
    ("log(1 + x)/x", -1, 2),
    ("tanh(x)/x", -np.inf, 2),
    ("1/log(1 + x) - 1/x", -1, 2),
    ("exp(x) - 1 - x", -np.inf, 1),
    ("log(x + (x**2 + 1)**0.5) - x", -1, 0),
    ("(1 + x)**0.5 - 1 - x/2", -1, 2),
    ("arctan(x) - x", -np.inf, 1),
    ("log(sin(x)/x)", -1.5, 2),
    ("(x - sin(x))/(x - tan(x))", -1.5, 1),
]


FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "tanh", "arctan")


def formula(text: str, module: Any, x: Any) -> Any:
    """A formula with the functions of a module."""
    names = {n: getattr(module, n, None) or module.atan for n in FUNCTIONS}
    return eval(text, names | {"x": x})


def derivative_of(expression: eg.Expression, order: int = 1) -> eg.Expression:
    return reduce(lambda f, _: eg.gradient(eg.sum(f), X), range(order), expression)


def points(least: float) -> Array:
    """Numbers of all magnitudes, between the singular points beside 0."""
    rng = np.random.default_rng(0)
    drawn = np.exp2(rng.uniform(-60, np.log2(min(-least, 30)), 60)) * rng.choice([-1, 1], 60)
    return np.concatenate([drawn, np.linspace(-0.9, 0.9, 25)[np.arange(25) != 12]])


def bits_lost(value: float, true: Any) -> float:
    error = abs((mpmath.mpf(float(value)) - true) / true)
    return float(mpmath.log(1 + error * mpmath.mpf(2) ** 52, 2))


@pytest.mark.parametrize(("text", "least", "orders"), FORMULAS, ids=[f[0] for f in FORMULAS])
def test_no_digits_are_lost_near_zero(text: str, least: float, orders: int) -> None:
    at = points(least)
    for order in range(orders + 1):
        values = eg.compile(derivative_of(formula(text, eg, X), order))(x=at)
        with mpmath.workdps(DIGITS):
            for x, value in zip(at, values, strict=True):
                whole = mpmath.mpf(float(x))
                # A step that is small beside x: nothing else is as near to the singular point.
                true = mpmath.diff(
                    lambda u: formula(text, mpmath, u), whole, order, relative=True
                )  # fmt: skip
                assert bits_lost(value, true) <= BITS, (order, x)


@pytest.mark.parametrize("text", ["x - sin(x)", "exp(x) - 1 - x", "log(1 + x) - x"])
def test_the_series_is_what_is_compiled_and_evaluated(text: str) -> None:
    expression = formula(text, eg, X)
    assert "np.where" in eg.compile(expression).source
    at = np.array([1e-9, 0.5])
    exact = [float(formula(text, mpmath, mpmath.mpf(x))) for x in at[1:]]
    found = expression.evaluate({"x": at})
    np.testing.assert_allclose(found[1:], exact, rtol=1e-14)
    with mpmath.workdps(50):
        assert bits_lost(found[0], formula(text, mpmath, mpmath.mpf(at[0]))) < 2


WITHOUT_LOSS = ["x + sin(x)", "exp(x)/x", "1 - cos(x)", "tanh(x)**2 - 1", "log(1 + x)",
                "exp(x) - 1", "sin(x)/x", "x**2 - x", "sin(x) + cos(x)"]  # fmt: skip


@pytest.mark.parametrize("text", WITHOUT_LOSS)
def test_nothing_is_written_where_nothing_cancels(text: str) -> None:
    assert "where" not in eg.compile(formula(text, eg, X)).source


def test_another_form_that_keeps_digits_is_enough() -> None:
    """`2 - 2 cos x` is the square of a sine, and `exp x - 2 + exp(-x)` that of another one."""
    for text in ("1 - cos(x)", "exp(x) - 2 + exp(-x)"):
        assert "where" not in eg.compile(formula(text, eg, X)).source


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3,), (0, 2), (1, 1), (2, 3)], ids=str)
def test_arrays_of_any_shape(shape: tuple[int, ...]) -> None:
    z = eg.variable("z", ("m", "n", "k")[: len(shape)])
    at = np.full(shape, 1e-6)
    with np.errstate(all="raise"):
        value = eg.compile(z - eg.sin(z))(z=at)
    assert np.shape(value) == shape
    np.testing.assert_allclose(value, at**3 / 6, rtol=1e-11)


def test_parts_of_larger_expressions() -> None:
    y, s = eg.variable("y", ("n",)), eg.variable("s")
    at, beside = np.array([1e-6, -2e-5, 2.0]), np.array([3.0, 1e6, 0.0])
    cube = np.array([1e-18, -8e-15, 0]) / 6
    total = eg.sum(y * (X - eg.sin(X)))
    value, slope = eg.compile([total, eg.gradient(total, X)])(x=at, y=beside)
    np.testing.assert_allclose(value, beside @ cube, rtol=1e-9)
    np.testing.assert_allclose(slope[:2], (beside * at**2 / 2)[:2], rtol=1e-9)
    np.testing.assert_allclose(eg.compile(y * (s - eg.sin(s)))(y=beside, s=1e-6), beside * cube[0])
    product = eg.compile(X * y - eg.sin(X * y))(x=at, y=[1.0, 1.0, 0.0])
    np.testing.assert_allclose(product, cube, rtol=1e-9)


def test_a_pole_is_a_pole() -> None:
    inverse = eg.compile(1 / (X - eg.sin(X)))
    with np.errstate(divide="ignore"):
        assert np.array_equal(inverse(x=[0.0]), [np.inf])
    assert np.isnan(eg.compile(X - eg.sin(X))(x=[np.nan])).all()


@pytest.mark.parametrize("language", ["python", "jax", "torch", "matlab", "julia"])
@pytest.mark.parametrize("text", ["x - sin(x)", "log(1 + x) - x"])
def test_printed_programs_keep_digits(text: str, language: str) -> None:
    at = np.array([1e-7, -1e-4, 0.3, 2.0])
    given = at[:, np.newaxis] if language == "matlab" else at
    found = np.ravel(run(language, formula(text, eg, X).to(language), [given]))
    with mpmath.workdps(50):
        true = [formula(text, mpmath, mpmath.mpf(float(x))) for x in at]
        assert all(bits_lost(v, t) < 4 for v, t in zip(found, true, strict=True))


def test_exact_programs_have_no_series() -> None:
    assert "Piecewise" not in (X - eg.sin(X)).to("sympy")


def chain(function: Callable[[Any], Any], length: int) -> eg.Expression:
    return reduce(lambda y, _: function(y), range(length), X)


def long_sum() -> eg.Expression:
    parts = [eg.exp(eg.variable(f"x{k}", ("n",))) for k in range(60)]
    return reduce(lambda a, b: a + b, parts)


LONG: dict[str, Callable[[], eg.Expression]] = {
    "tanh of tanh": lambda: chain(eg.tanh, 30),
    "derivative": lambda: derivative_of(chain(eg.sin, 30)),
    "sum": long_sum,
}


@pytest.mark.parametrize("name", LONG)
def test_little_is_read_where_nothing_is_found(name: str, monkeypatch: Any) -> None:
    """Of each e-class at most a few coefficients, and once for each round of the stage."""
    orders: list[int] = []
    read = Reader.read

    def counted(reader: Reader) -> Any:
        orders.append(reader.order)
        return read(reader)

    monkeypatch.setattr(Reader, "read", counted)
    assert "where" not in eg.compile(LONG[name]()).source
    assert MANY not in orders
    assert len(orders) <= 8


# The series themselves.


KNOWN: dict[str, Callable[[Any], Any]] = {
    "arctan": mpmath.atan,
    "area_sine": mpmath.asinh,
    "arcsin": mpmath.asin,
    "log_cosh": lambda x: mpmath.log(mpmath.cosh(x)),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
}


@pytest.mark.parametrize("name", OF_VANISHING)
def test_series_of_functions(name: str) -> None:
    reference = KNOWN.get(name) or getattr(mpmath, name)
    z = place_itself((0, ()), 12)
    inner = z.plus(z.power(Fraction(2)) or z)
    assert inner is not None
    for p in (z, inner):
        found = function_of_series(name, p)
        assert found is not None
        with mpmath.workdps(60):
            x = mpmath.mpf(10) ** -4
            at = x + x**2 if p is inner else x
            total = sum(
                mpmath.mpf(c.numerator) / c.denominator * x**k
                for k, c in enumerate(found.coefficients, found.low)
            )
            assert abs(total / reference(at) - 1) < mpmath.mpf(10) ** -43


@pytest.mark.parametrize("p", [Fraction(-1), Fraction(1, 2), Fraction(-3, 2), Fraction(3)])
def test_powers_of_series(p: Fraction) -> None:
    z = place_itself((0, ()), 10)
    base, no_square = (z.plus(Series((Fraction(c),))) for c in (4, 2))
    assert base is not None
    assert no_square is not None
    power = base.power(p)
    assert power is not None
    x = mpmath.mpf(10) ** -3
    with mpmath.workdps(50):
        exact = (4 + x) ** (mpmath.mpf(p.numerator) / p.denominator)
        total = sum(
            mpmath.mpf(c.numerator) / c.denominator * x**k for k, c in enumerate(power.coefficients)
        )
        assert abs(total / exact - 1) < mpmath.mpf(10) ** -28
    assert no_square.power(Fraction(1, 2)) is None
    assert z.power(Fraction(1, 2)) is None
