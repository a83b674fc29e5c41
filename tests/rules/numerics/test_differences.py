"""Differences of functions, roots beside their bases and fractions keep digits where terms cancel.

How many, at points of all magnitudes, is measured by the tests of cancellation.
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.cancellation import evaluated

X, Y = (eg.variable(name, ("n",)) for name in "xy")


def compiled(text: str, **values: Any) -> Any:
    """The values of compiled code, in which no warning is allowed."""
    given = {name: eg.variable(name, ("n",) * np.ndim(v)) for name, v in values.items()}
    code = eg.compile(evaluated(text, given))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return code(**{name: np.asarray(v, float) for name, v in values.items()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(x + 1e-8) - sin(x)", lambda x: 1e-8 * math.cos(x + 5e-9)),
        ("cos(x + 1e-8) - cos(x)", lambda x: -1e-8 * math.sin(x + 5e-9)),
        ("tan(x + 1e-8) - tan(x)", lambda x: math.sin(1e-8) / math.cos(x) / math.cos(x + 1e-8)),
        ("arctan(x + 1e-8) - arctan(x)", lambda x: math.atan(1e-8 / (1 + x * (x + 1e-8)))),
        ("log(x + 1e-8) - log(x)", lambda x: math.log1p(1e-8 / x)),
        ("log(x) - log(x + 1e-8)", lambda x: -math.log1p(1e-8 / x)),
        ("(x + 1e-8)**(2/3) - x**(2/3)", lambda x: _power(x, 2 / 3)),
        ("(x + 1e-8)**0.3 - x**0.3", lambda x: _power(x, 0.3)),
        ("(x + 1e-8)**(1/7) - x**(1/7)", lambda x: _power(x, 1 / 7)),
        ("(x + 1e-8)**(-1/7) - x**(-1/7)", lambda x: _power(x, -1 / 7)),
        ("1/(x + 1e-8)**3 - 1/x**3", lambda x: _power(x, -3)),
        ("(1 + 1e-8*x)**(1/4) - 1", lambda x: math.expm1(math.log1p(1e-8 * x) / 4)),
        ("x/sqrt(x*x + 1e-8) - 1", lambda x: -1 / (s := math.hypot(x, 1e-4)) * 1e-8 / (s + x)),
    ],
)
def test_differences(text: str, expected: Callable[[float], float]) -> None:
    at = [0.3, 0.9, 1.4]
    np.testing.assert_allclose(compiled(text, x=at), [*map(expected, at)], rtol=1e-14)


def _power(x: float, p: float) -> float:
    return x**p * math.expm1(p * math.log1p(1e-8 / x))


@pytest.mark.parametrize("text", ["(x + 1)**(1/7) - x**(1/7)", "(x + 1)**0.5 - x**0.5"])
def test_powers_at_zero(text: str) -> None:
    np.testing.assert_array_equal(compiled(text, x=[0.0]), [1.0])


def test_angles_beyond_a_right_one() -> None:
    code = eg.compile(eg.arctan(X + Y) - eg.arctan(X))
    with np.errstate(over="ignore"):
        found = code(x=np.array([-1e3, 1e200]), y=np.array([2e3, -2e200]))
    np.testing.assert_allclose(found, [2 * math.atan(1e3), -math.pi])


@pytest.mark.parametrize(("x", "y"), [(1e-300, 1e300), (1e300, -1e300 * (1 - 2**-50)), (2.0, 0.0)])
def test_logarithms_at_any_distance(x: float, y: float) -> None:
    found = compiled("log(x + y) - log(x)", x=[x], y=[y])
    np.testing.assert_allclose(found, [math.log(x + y) - math.log(x)], rtol=1e-13)


def test_logarithms_are_undefined_where_they_were() -> None:
    with np.errstate(invalid="ignore"):
        code = eg.compile(eg.log(X + Y) - eg.log(X))
        assert np.isnan(code(x=np.array([-2.0, -2.0]), y=np.array([-1.0, 3.0]))).all()


@pytest.mark.parametrize(
    ("b", "expected"), [(0.0, 0.0), (1e8, 1e8 + 1e8), (-1e8, 1e-8 / 2), (1e-8, 1.00000001)]
)
def test_roots_beside_their_bases(b: float, expected: float) -> None:
    c = 0.0 if b == 0 else 1.0
    found = compiled("b + sqrt(b*b + c)", b=[b], c=[c])
    np.testing.assert_allclose(found, [expected], rtol=1e-15)


def test_fractions_over_one_denominator() -> None:
    at = np.array([1e8, -1e9, 1e100])
    found = compiled("1/(x + 1) - 2/x + 1/(x - 1)", x=at)
    np.testing.assert_allclose(found, 2 / at / at / at, rtol=1e-15)


def test_a_slope_that_is_a_multiple_of_its_divisor() -> None:
    slope = eg.gradient(eg.sum(eg.log(X + (X * X + 1) ** 0.5)), X)
    np.testing.assert_allclose(eg.compile(slope)(x=np.array([-1e9])), [1e-9], rtol=1e-15)


@pytest.mark.parametrize(
    "text", ["sin(x) - sin(y)", "log(x) - log(y)", "x**0.5 - y", "1/x - 1/y**2", "x + (x + y)**0.5"]
)
def test_where_nothing_is_shared_code_is_as_it_was(text: str) -> None:
    source = eg.compile(evaluated(text, {"x": X, "y": Y})).source
    assert "where" not in source
    assert "arc" not in source
    assert source.count("np.sin") == text.count("sin")


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3)])
def test_shapes(shape: tuple[int, ...]) -> None:
    x = eg.variable("x", tuple("mn"[: len(shape)]))
    code = eg.compile(eg.log(x + 1) - eg.log(x) + x - (x * x + 1) ** 0.5)
    expected = math.log1p(1e-9) - 1 / (1e9 + math.hypot(1, 1e9))
    np.testing.assert_allclose(code(x=np.full(shape, 1e9)), np.full(shape, expected), rtol=1e-14)


def test_long_sums_are_paired_one_by_one() -> None:
    """Each place has one partner, however many there are."""
    places = [eg.variable(f"x{k}", ("n",)) for k in range(40)]
    total = sum((eg.log(p + 1) - eg.log(p) for p in places), eg.log(places[0]) * 0)
    code = eg.compile(total)
    assert code.source.count("log1p") == 40
    found = code(**{f"x{k}": np.array([1e12]) for k in range(40)})
    np.testing.assert_allclose(found, [40e-12], rtol=1e-12)
