"""How far e-graphs grow, in e-nodes: what is declared, and repetition, breed nothing."""

from collections.abc import Callable
from fractions import Fraction

import pytest

import eggrad as eg
from eggrad.engine.saturation.system import System
from eggrad.frontend.calculus import calculus
from eggrad.rules.standard import STANDARD

DIMS = {"X": ("n", "n"), "A": ("n", "n")}


@pytest.mark.parametrize("word", ["invertible", "orthogonal"])
def test_declared_matrices_breed_no_powers(word: str) -> None:
    f = eg.parse_matrix("det(X^3)", DIMS, assume={"X": [word]})
    found = calculus.differentiate(f.term, f.variables)
    assert found.complete
    assert found.report.enodes < 5_000


def test_adjugates_of_powers_are_taken_apart() -> None:
    f = eg.parse_matrix("det(X^5)", DIMS)
    assert eg.derivative(f, "X").to("matrix") == "5*det(X)^4*adj(X)'"


def test_deep_networks_are_explored_while_it_pays() -> None:
    h = eg.variable("x", ("n",))
    for k in range(40):
        h = h + eg.tanh(eg.variable(f"W{k}", ("n", "n")) @ h)
    rounds: list[int] = []
    own = System(STANDARD, lambda moment: rounds.append(moment.round))
    found = own.differentiate((h @ h).term, eg.variable("W0", ("n", "n")).term)
    assert found.complete
    assert max(rounds) == 1


@pytest.mark.parametrize("text", ["x", "x*y", "sin(x)"])
def test_equal_factors_are_powers_at_once(text: str) -> None:
    sizes: list[int] = []
    for n in (20, 200):
        f = eg.parse_matrix("*".join([text] * n), {"x": (), "y": ()})
        own = System(STANDARD, lambda moment: sizes.append(moment.enodes))
        found = own.differentiate(f.term, f.variables[0])
        assert found.complete
    assert max(sizes) < 10 * 200


def test_a_product_of_equal_factors_has_the_derivative_of_a_power() -> None:
    f = eg.parse_matrix("*".join(["x"] * 80), {"x": ()})
    assert eg.derivative(f, "x").to("matrix") == "80*x^79"


def test_a_quotient_by_equal_factors_has_the_derivative_of_a_power() -> None:
    f = eg.parse_matrix("y" + "/x" * 50 + "*x" * 20, {"x": (), "y": ()})
    assert eg.derivative(f, "x").to("matrix") == "-30*y/x^31"


@pytest.mark.parametrize("number", [lambda _: 2, lambda _: Fraction(1, 2), lambda k: k + 1])
def test_numbers_in_a_long_chain_are_one_number(number: Callable[[int], Fraction]) -> None:
    x = eg.variable("x", ("n",))
    sizes: list[int] = []
    for n in (20, 40):
        y = x
        for k in range(n):
            y = number(k) * eg.sin(y)
        found = System(STANDARD).differentiate(eg.sum(y).term, x.term)
        assert found.complete
        sizes.append(found.report.enodes)
    assert sizes[1] < 4 * sizes[0]


def test_numbers_factors_and_divisors_of_a_long_product() -> None:
    text = "3*x*2*y*x/4*y*x*(-5)*x/y*0.5*x*7*x/(2*x)*y*y*3"
    f = eg.parse_matrix(text, {"x": (), "y": ()})
    x, y = 1.3, 0.7
    expected = -39.375 * x**5 * y**3
    assert f.evaluate({"x": x, "y": y}) == pytest.approx(expected, rel=1e-14)
    slope = eg.derivative(f, "x")
    assert slope.evaluate({"x": x, "y": y}) == pytest.approx(5 * expected / x, rel=1e-13)
    assert slope.to("matrix") == "-196.875*y^3*x^4"
