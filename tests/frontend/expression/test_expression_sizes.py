"""Sizes as `shape` gives them, and arrays of one number, in NumPy's own calls."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.expression.expression import SizeSymbol, SizeWarning

A = eg.variable("A", ("n", "n"))
x = eg.variable("x", ("n",))
c = eg.variable("c")
N = A.shape[0]


def test_a_symbol_is_its_text() -> None:
    assert A.shape == ("n", "n")
    assert isinstance(N, SizeSymbol)
    assert {"n": 3}[N] == 3
    assert N + "s" == "ns"
    assert type(eg.variable("y", (N,)).term.dims[0]) is str


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda n, c: n + c, 5.0),
        (lambda n, c: c + n, 5.0),
        (lambda n, c: n - c, 1.0),
        (lambda n, c: c - n, -1.0),
        (lambda n, c: n * c, 6.0),
        (lambda n, c: 2 * n, 6.0),
        (lambda n, c: n / c, 1.5),
        (lambda n, c: c / n, 2 / 3),
        (lambda n, c: n**2, 9.0),
        (lambda n, c: c**n, 8.0),
        (lambda n, c: -n, -3.0),
    ],
)
def test_arithmetic_makes_expressions(build, expected: float) -> None:
    made = build(N, c)
    assert made.evaluate({"A": np.eye(3), "c": 2.0}) == pytest.approx(expected)


def test_the_size_follows_the_variable_that_it_is_of() -> None:
    # B's m becomes n in the sum; its size is still that of B.
    B = eg.variable("B", ("m", "m"))
    f = np.trace(A + B) / B.shape[0]
    assert f.evaluate({"A": np.eye(4), "B": np.eye(4)}) == 2.0


@pytest.mark.parametrize(
    "use", [lambda: np.eye(N), lambda: range(N), lambda: len(x), lambda: np.zeros((N, 2))]
)
def test_a_number_is_taken_with_a_warning(use) -> None:
    with pytest.warns(SizeWarning, match="size n is a symbol"):
        assert len(use()) if not isinstance(found := use(), int) else found


def test_an_expression_with_such_a_number_has_that_size() -> None:
    with pytest.warns(SizeWarning):
        f = A @ A + np.eye(A.shape[0])
    (size,) = {*f.shape}
    assert isinstance(size, int)
    values = np.arange(size * size).reshape(size, size) / 7
    np.testing.assert_allclose(f.evaluate({"A": values}), values @ values + np.eye(size))


def test_arrays_of_one_number_and_identities_are_constants() -> None:
    value = np.array([1.0, 2.0])
    assert (x + np.ones(2)).evaluate({"x": value}).tolist() == [2.0, 3.0]
    assert (2 * np.eye(2) @ x).evaluate({"x": value}).tolist() == [2.0, 4.0]
    assert (x + np.zeros((0,))).shape == (0,)
    assert (x + np.array([1.0, 2.0])).evaluate({"x": value}).tolist() == [2.0, 4.0]
