"""What judges lost digits is judged by mpmath's differences, and at values that are known."""

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from tests.support import cancellation, losses_at_extremes
from tests.support.cancellation import BITS, FORMULAS, Formula, bits_lost, counts, evaluated, truth
from tests.support.jets import FUNCTIONS, Jet

DERIVED = [formula for formula in FORMULAS if formula.orders[1:]]


def at_numbers(text: str) -> Callable[[Any], Any]:
    """A formula of x, or of the variable that it has, at numbers of mpmath."""

    def function(x: Any) -> Any:
        values = {name: Jet(mp.mpf(x)) for name in ("r", "v", "x")}
        return evaluated(text, values, exactly=True).value

    return function


def close(values: list[Any], expected: list[Any]) -> bool:
    return all(mp.almosteq(a, b, mp.mpf(10) ** -100) for a, b in zip(values, expected, strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_functions(name: str) -> None:
    with mp.workdps(600):
        x = mp.mpf("0.3")
        found = getattr(Jet(x, {0: mp.mpf(1)}), name)()
        function = getattr(mp, {"arcsin": "asin", "arctan": "atan"}.get(name, name))
        expected = [mp.diff(function, x, k) for k in range(3)]
        assert close([found.value, found.slopes[0], found.curve(0, 0)], expected)


@pytest.mark.parametrize("formula", DERIVED, ids=lambda formula: formula.name)
def test_truth_is_that_of_differences_with_other_digits(formula: Formula) -> None:
    at = cancellation.points(formula, 4)
    for (x,) in zip(*at.values(), strict=True):
        known = truth(formula.text, {**at, next(iter(at)): x}, [*at])
        with mp.workdps(700):
            for order, own in enumerate(known):
                if counts(own.entries[0]):
                    expected = mp.diff(at_numbers(formula.text), mp.mpf(float(x)), order)
                    assert close([own.entries[0]], [expected])


def test_derivatives_by_several_variables() -> None:
    x, y = np.array([3.0, 5.0]), np.array([2.0, 7.0])
    value, gradient, hessian = truth("sum(x**2*y)/y[0] + x[0]**(1/2)", {"x": x, "y": y}, ["x"])
    with mp.workdps(400):
        root = mp.sqrt(3)
        assert close([*value.entries], [9 + mp.mpf(175) / 2 + root])
        assert close([*gradient.entries], [6 + 1 / (2 * root), mp.mpf(35)])
        assert close([*hessian.entries], [2 - 1 / (12 * root), mp.mpf(0), mp.mpf(0), mp.mpf(7)])


def test_conditions() -> None:
    at = {"x": np.array(3.0), "y": np.array(-3.0 + 1e-9)}
    value, gradient, _ = truth("x**2 + x*y", at, ["x"])
    assert value.conditions[0] == pytest.approx(6e9, rel=1)
    assert gradient.conditions[0] == pytest.approx(2, rel=1e-6)


@pytest.mark.parametrize("text", ["(1 - 1/(1 + exp(-x)))*exp(x)", "log(1 + exp(-x))*exp(x)"])
def test_what_is_rounded_away_is_not_taken_for_the_truth(text: str) -> None:
    (value, *_) = truth(text, {"x": np.array(1000.0)}, [])
    assert close([*value.entries], [mp.mpf(1)])
    for own in truth(text, {"x": np.array(1e6)}, []):
        assert not any(map(mp.isfinite, own.entries))


def test_outside_the_domain_there_is_no_truth() -> None:
    for text in ("sqrt(x)", "log(x)", "x**(1/3)", "arcsin(2*x)", "1/(1 + x)"):
        assert truth(text, {"x": np.array(-1.0)}, ["x"]) == []


def test_bits_that_are_lost() -> None:
    assert bits_lost(1.0, mp.mpf(1)) == 0
    assert bits_lost(1 + 2.0**-52, mp.mpf(1)) == 1
    assert bits_lost(1 + 255 * 2.0**-52, mp.mpf(1)) == 8
    assert bits_lost(0.0, mp.mpf("1e-20")) == pytest.approx(BITS)
    assert bits_lost(np.nan, mp.mpf(1)) == bits_lost(np.inf, mp.mpf(1)) == BITS
    assert bits_lost(1e-30, mp.mpf(0)) == pytest.approx(0)


def test_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    cancellation.main(["expm1"])
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("kept expm1 ")
    assert last == "hamming: 1 of 1 keep their digits"
    losses_at_extremes.main(["squares"])
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("kept squares ")
    assert last == "1 of 1 keep their digits"
