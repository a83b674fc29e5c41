"""What is a witness of a difference: it stands at more digits, and its neighbours are witnesses."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.equality.difference import Agreement, Witness, find_difference
from eggrad.engine.oracle import oracle
from eggrad.frontend.expression.expression import Expression

A = eg.variable("A", ("n", "n"))
x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
RECTANGULAR = {"X": ("m", "n"), "y": ("m",)}


def found(f: Expression, g: Expression) -> Witness | Agreement:
    return find_difference(f.term, g.term)


def formula(text: str) -> Expression:
    return eg.parse_matrix(text, {n: d for n, d in RECTANGULAR.items() if n in text})


def test_a_singular_matrix_is_no_witness() -> None:
    """X'X has an inverse where X has no more columns than rows; LAPACK finds one elsewhere too."""
    agreed = found(formula("inv(X'*X)*X'"), formula("pseudoinverse(X)"))
    assert isinstance(agreed, Agreement)
    assert agreed.samples > 0
    other = found(formula("inv(X'*X)*X'"), formula("2*pseudoinverse(X)"))
    assert isinstance(other, Witness)
    assert other.sizes["m"] >= other.sizes["n"]
    assert isinstance(found(formula("pseudoinverse(X)"), formula("2*pseudoinverse(X)")), Witness)


def test_a_matrix_that_is_always_singular_has_no_witness() -> None:
    """(x x')⁻¹ is defined for one row alone, though rounding makes an inverse of larger ones."""
    outer = np.linalg.inv(np.einsum("i,j->ij", x, x))
    different = found(outer, 2 * outer)
    assert isinstance(different, Witness)
    assert different.sizes == {"n": 1}
    y = eg.variable("y", (3,))
    assert isinstance(found(outer @ x + x.sum(), outer @ x + 2 * x.sum()), Witness)
    outer = np.linalg.inv(np.einsum("i,j->ij", y, y))
    assert found(outer, 2 * outer) == Agreement(0, 0.0)


def test_rounding_is_no_difference() -> None:
    """The determinant is 1e-18 or so; its floats are rounding, its digits are not."""
    near = np.einsum("i,j->ij", x, y) + A * 1e-9
    agreed = found(np.linalg.det(near @ near), np.linalg.det(near) ** 2)
    assert isinstance(agreed, Agreement)
    assert isinstance(found(np.linalg.det(near), 1.001 * np.linalg.det(near)), Witness)


def test_a_tie_is_no_witness() -> None:
    agreed = found(eg.sign(x) ** 2, 1 + 0 * x)
    assert isinstance(agreed, Agreement)
    assert agreed.ties
    assert all((values["x"] == 0).any() for values, _ in agreed.ties)
    both = found((x > y) * x, (x >= y) * x)
    assert isinstance(both, Agreement)
    assert all((values["x"] == values["y"]).any() for values, _ in both.ties)


def test_beside_a_tie_there_may_be_a_difference() -> None:
    assert isinstance(found((x > y) * x, (x >= y) * x + eg.relu(y)), Witness)
    assert isinstance(found(eg.sign(x) ** 2, eg.sign(x)), Witness)


def test_integers_have_no_neighbours() -> None:
    whole = eg.variable("i", ("n",), ["integer"])
    assert isinstance(found(eg.sign(whole) ** 2, 1 + 0 * whole), Witness)


@pytest.mark.parametrize("scale", [2, 1 + 1e-6])
def test_functions_without_digits_differ_by_more_than_small_changes(scale: float) -> None:
    own = eg.function("own_cube", derivative=lambda t: 3 * t**2, evaluate=lambda t: t**3)
    assert not oracle.has_digits(own(x).term)
    assert isinstance(found(own(x), scale * own(x)), Witness)
    assert isinstance(found(own(x), scale * own(x) - (scale - 1) * own(x)), Agreement)


def test_what_is_declared_up_to_rounding() -> None:
    """The columns of Q are orthogonal but for rounding, which the product makes larger."""
    Q = eg.variable("Q", ("n", "n"), ["orthogonal"])
    assert isinstance(found(1e6 * (Q.T @ Q), 1e6 * eg.delta(("n",))), Agreement)
    assert isinstance(found(Q.T @ Q, Q), Witness)
