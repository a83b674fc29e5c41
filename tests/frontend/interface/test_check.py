"""The numeric check accepts what is right, refuses what is wrong, and says where it cannot tell."""

import math

import pytest

from eggrad.engine.errors import EggradError
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import Term
from eggrad.frontend.interface.check import TOLERANCE, Check, check_derivatives

X = t.variable("x", ("n",))
SQUARE = t.einsum("i,i->", X, X)
TWICE = t.add(X, X)


def diagonal(a: Term) -> Term:
    return t.einsum("ij,j->ij", t.delta(a.dims), a)


def test_every_order_is_checked() -> None:
    second = t.add(t.delta(X.dims), t.delta(X.dims))
    found = check_derivatives([SQUARE, TWICE, second], ["x", "x"])
    assert found.passed
    assert found.points == 3
    assert not check_derivatives([SQUARE, TWICE, t.delta(X.dims)], ["x", "x"]).passed
    assert not check_derivatives([SQUARE, X, t.delta(X.dims)], ["x", "x"]).passed


@pytest.mark.parametrize("name", ["exp", "log", "tan", "abs", "arcsin", "relu"])
def test_points_lie_where_the_function_is_smooth(name: str) -> None:
    slope = {
        "exp": t.apply("exp", X),
        "log": t.divide(t.constant(1), X),
        "tan": t.add(t.constant(1, X.dims), t.power(t.apply("tan", X), t.constant(2))),
        "abs": t.apply("sign", X),
        "arcsin": t.power(
            t.subtract(t.constant(1, X.dims), t.power(X, t.constant(2))),
            t.divide(t.constant(-1), t.constant(2)),
        ),
        "relu": t.apply("relu", t.apply("sign", X)),
    }[name]
    found = check_derivatives([t.apply(name, X), diagonal(slope)], ["x"])
    assert found.passed
    assert found.points == 3
    assert not check_derivatives([t.apply(name, X), diagonal(t.negate(slope))], ["x"]).passed


def test_a_derivative_that_is_not_a_number_fails() -> None:
    nowhere = t.apply("log", t.negate(t.einsum("i,i->i", X, X)))
    found = check_derivatives([SQUARE, nowhere], ["x"])
    assert found.error == math.inf
    assert not found.passed


def test_a_wrong_shape_is_an_error() -> None:
    message = r"^the derivative has shape \(\), not \(3,\)$"
    with pytest.raises(EggradError, match=message):
        check_derivatives([SQUARE, SQUARE], ["x"])


def test_no_point_is_an_error() -> None:
    nowhere = t.apply("log", t.subtract(t.constant(-1, X.dims), t.apply("abs", X)))
    message = (
        r"^no check: central differences settle at none of 60 random points; "
        r"is the expression defined anywhere\?$"
    )
    with pytest.raises(EggradError, match=message):
        check_derivatives([nowhere, diagonal(X)], ["x"])


def test_a_variable_that_does_not_occur_has_derivative_zero() -> None:
    assert check_derivatives([SQUARE, t.constant(0)], ["elsewhere"]).passed
    assert not check_derivatives([SQUARE, t.constant(1)], ["elsewhere"]).passed


def test_what_a_check_says() -> None:
    assert str(Check(2e-10, 1, {"m": 3, "n": 2})) == (
        "largest error 2.0e-10 against central differences at one random point with m=3 n=2"
    )
    assert str(Check(TOLERANCE, 3, {})) == (
        "largest error 1.0e-06 against central differences at 3 random points"
    )
