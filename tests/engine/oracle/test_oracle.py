"""The oracle against numbers worked out by hand, and against its own numeric derivatives."""

import numpy as np
import pytest

from eggrad.engine.errors import ShapeError, UnknownVariable, UnsupportedOperation
from eggrad.engine.oracle.oracle import (
    evaluate,
    holds,
    numeric_derivative,
    random_sizes,
    random_values,
    value,
)
from eggrad.engine.terms import term as t
from eggrad.engine.terms.functions import UNARY

X = t.variable("X", ("n", "n"))
x = t.variable("x", ("n",))
c = t.variable("c")
M = [[1.0, 2.0], [3.0, 5.0]]


@pytest.mark.parametrize(
    ("term", "values", "expected"),
    [
        (t.einsum("ij,j->i", X, x), {"X": M, "x": [1, 10]}, [21, 53]),
        (t.einsum("ii->", X), {"X": M}, 6),
        (t.einsum("ij->ji", X), {"X": M}, [[1, 3], [2, 5]]),
        (t.constant(t.Fraction(1, 4), (2,)), {}, [0.25, 0.25]),
        (t.constant(10**400), {}, np.inf),
        (t.delta((2,)), {}, [[1, 0], [0, 1]]),
        (t.delta(()), {}, 1),
        (t.add(x, t.constant(1, ("n",))), {"x": [1, 2]}, [2, 3]),
        (t.subtract(x, x), {"x": [1, 2]}, [0, 0]),
        (t.divide(x, t.constant(2)), {"x": [1, 0]}, [0.5, 0]),
        (t.divide(t.constant(1), x), {"x": [2, 0]}, [0.5, np.inf]),
        (t.power(x, c), {"x": [4, -1, 0], "c": 0.5}, [2, np.nan, 0]),
        (t.power(x, t.constant(0)), {"x": [0, np.nan]}, [1, 1]),
        (t.negate(x), {"x": [1]}, [-1]),
        (t.apply("relu", x), {"x": [-1, 0, 2, np.nan]}, [0, 0, 2, np.nan]),
        (t.apply("sign", x), {"x": [-3, 0, 2, np.nan]}, [-1, 0, 1, np.nan]),
        (t.apply("abs", x), {"x": [-3, 0]}, [3, 0]),
        (t.apply("arctan", x), {"x": [1]}, [np.pi / 4]),
        (t.apply("inv", X), {"X": M}, [[-5, 2], [3, -1]]),
        (t.apply("inv", X), {"X": [[1, 2], [2, 4]]}, np.full((2, 2), np.nan)),
        (t.apply("det", X), {"X": M}, -1),
        (t.apply("det", X), {"X": np.zeros((0, 0))}, 1),
        (t.apply("det", X), {"X": [[1, 2], [2, 4]]}, 0),
        (t.apply("adj", X), {"X": [[1, 2], [2, 4]]}, [[4, -2], [-2, 1]]),
        (t.apply("adj", X), {"X": [[7]]}, [[1]]),
        (t.cofactors(0, X), {"X": M}, -1),
        (t.cofactors(1, X), {"X": M}, [[5, -3], [-2, 1]]),
        (t.cofactors(2, X), {"X": [[7]]}, [[[[0]]]]),
    ],
)
def test_each_operation(term: t.Term, values: dict[str, object], expected: object) -> None:
    np.testing.assert_allclose(value(term, values), expected, atol=1e-14)


def test_sizes_come_from_shapes_or_are_given() -> None:
    roots = [t.size("n"), t.constant(2, ("n", "k")), t.einsum("i,i->", x, x)]
    n, twos, dot = evaluate(roots, {"x": [3, 4]}, {"k": 3})
    assert (n, twos.shape, dot) == (2, (2, 3), 25)


def test_wrong_input_is_named() -> None:
    product = t.einsum("ij,j->i", X, x)
    with pytest.raises(UnknownVariable, match=r"variable x \(n\) has no value"):
        value(product, {"X": M})
    with pytest.raises(
        ShapeError, match=r"variable x has axes \(n\), its value has shape \(1, 2\)"
    ):
        value(product, {"X": M, "x": [[1, 2]]})
    with pytest.raises(ShapeError, match="size n is 2 by variable X, but 3 by variable x"):
        value(product, {"X": M, "x": [1, 2, 3]})
    with pytest.raises(ShapeError, match="size n is 2 by variable X, but 3 by variable X"):
        value(X, {"X": np.ones((2, 3))})
    with pytest.raises(ShapeError, match="size n is an integer from 0 up"):
        value(t.size("n"), {}, {"n": -1})
    with pytest.raises(UnknownVariable, match="size n"):
        value(t.size("n"), {})
    with pytest.raises(UnsupportedOperation, match="variable x is not an array of numbers"):
        value(x, {"x": ["a"]})
    with pytest.raises(ShapeError, match="the value of variable x is not an array"):
        value(x, {"x": [[1], [1, 2]]})


@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_cofactors_are_derivatives_of_det(k: int, n: int) -> None:
    rng = np.random.default_rng(n)
    values = {"X": rng.normal(size=(n, n))}
    derivative = numeric_derivative(t.cofactors(k, X), X, values)
    np.testing.assert_allclose(derivative, value(t.cofactors(k + 1, X), values), atol=1e-10)


def test_numeric_derivative_has_the_axes_of_the_term_first() -> None:
    y = t.variable("y", ("m",))
    outer = t.einsum("i,j->ij", x, y)
    result = numeric_derivative(outer, y, {"x": [2.0, 3.0], "y": [5.0]})
    assert result.shape == (2, 1, 1)
    np.testing.assert_allclose(result.ravel(), [2, 3], atol=1e-12)
    assert numeric_derivative(c, y, {"c": 1.0, "y": [5.0, 6.0]}).tolist() == [0, 0]


def test_numeric_derivative_of_a_smooth_function_is_accurate() -> None:
    f = t.apply("exp", t.apply("sin", c))
    exact = np.exp(np.sin(0.7)) * np.cos(0.7)
    np.testing.assert_allclose(numeric_derivative(f, c, {"c": 0.7}), exact, rtol=1e-11)


def test_wider_dtypes_are_kept() -> None:
    third = t.divide(t.constant(t.Fraction(1, 3)), c)
    long = value(third, {"c": np.longdouble(1)})
    assert abs(long * 3 - 1) <= 2 * np.finfo(np.longdouble).eps
    matrix = np.random.default_rng(0).normal(size=(3, 3)).astype(np.longdouble)
    eye = value(t.apply("inv", X), {"X": matrix}) @ matrix
    assert np.abs(eye - np.eye(3)).max() < 100 * np.finfo(np.longdouble).eps


def test_chains_are_evaluated_by_a_loop() -> None:
    node = x
    for _ in range(10_000):
        node = t.apply("sin", node)
    assert 0 < value(node, {"x": [1.0]})[0] < 0.02


@pytest.mark.parametrize("kind", ["normal", "special"])
@pytest.mark.parametrize(
    "assume",
    [
        [],
        ["symmetric"],
        ["positive definite"],
        ["invertible"],
        ["positive"],
        ["nonnegative"],
        ["positive", "positive definite"],
        ["symmetric", "invertible"],
    ],
)
def test_random_values_have_the_declared_properties(assume: list[str], kind: str) -> None:
    matrix = t.variable("P", ("n", "n"), assume)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sizes = random_sizes([matrix], rng, choices=(0, 1, 2, 3))
        found = random_values([matrix], sizes, rng, kind)[matrix.name]
        assert found.shape == (sizes["n"],) * 2
        if {"symmetric", "positive definite"} & set(assume):
            np.testing.assert_array_equal(found, found.T)
        if "positive definite" in assume and found.size:
            assert np.linalg.eigvalsh(found).min() > 0.09
        if "invertible" in assume and found.size:
            assert np.linalg.svd(found)[1].min() > 0.09
        if "positive" in assume:
            assert (found > 0).all()
        if "nonnegative" in assume:
            assert (found >= 0).all()


def test_special_values_have_zeros_ones_and_ties() -> None:
    found = random_values([x], {"n": 200}, np.random.default_rng(1), "special")["x"]
    assert {-1.0, 0.0, 1.0, 2.0} <= set(found)
    assert len(np.unique(found)) < 100
    with pytest.raises(ValueError, match="'normal' or 'special'"):
        random_values([x], {"n": 1}, np.random.default_rng(1), "other")


def test_conditions_on_indices_have_numbers_of_any_length() -> None:
    bound = ((">=", ((0, 10**18), ("", -9 * 10**18), ("n", 1))),)
    assert (holds(bound, (20,), {"n": 1}) == (np.arange(20) >= 9)).all()
    assert holds(((2, (("n", 1),)),), (), {"n": 4})


# Values of many digits: the same definitions, in arrays of numbers of mpmath's.


@pytest.mark.parametrize("name", [n for n in UNARY if n not in ("arcsin", "arccos")])
def test_functions_with_digits(name: str) -> None:
    own = t.apply(name, x)
    values = {"x": [0.5, 2.5, 3.0, 0.25]}
    (found,) = evaluate([own], values, digits=40)
    np.testing.assert_allclose(found.astype(float), value(own, values), rtol=1e-14)


def test_digits_of_an_inverse() -> None:
    """Hilbert's matrix of 9 rows has an inverse of integers, of which floats know 4 digits."""
    n = 9
    A = t.variable("A", ("n", "n"))
    i, j = np.indices((n, n))
    inverse = t.apply("inv", t.divide(t.constant(1, ("n", "n")), A))
    (found,) = evaluate([inverse], {"A": i + j + 1}, digits=40)
    np.testing.assert_array_equal(found.astype(float), np.rint(found.astype(float)))
    assert float(found[0, 0]) == n**2
    assert abs(value(inverse, {"A": i + j + 1}) - found.astype(float)).max() > 1e-3


def test_digits_of_what_is_undefined() -> None:
    for name in ("log", "arcsin"):
        (found,) = evaluate([t.apply(name, x)], {"x": [-2, 0.5, 3]}, digits=40)
        plain = value(t.apply(name, x), {"x": [-2, 0.5, 3]})
        np.testing.assert_array_equal(np.isfinite(found.astype(float)), np.isfinite(plain))
    huge = t.apply("exp", t.apply("exp", t.apply("exp", x)))
    assert np.isnan(evaluate([huge], {"x": [9, 9, 9]}, digits=40)[0].astype(float)).all()


def test_no_singular_values_of_what_is_undefined() -> None:
    values = t.numeric("singular_values", t.apply("log", t.variable("A", (2, 3))))
    assert np.isnan(value(values, {"A": -np.ones((2, 3))})).all()
