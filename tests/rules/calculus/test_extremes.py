"""Maxima and minima along axes: values, derivatives with ties, laws, texts."""

from typing import Any

import numpy as np
import pytest

import eggrad as eg

A = eg.variable("A", ("m", "n"))
X = eg.variable("x", ("n",))
TIED = np.array([[1.0, 4, 2], [7, 5, 7]])
CALLS: list[Any] = [
    np.max,
    np.min,
    np.ptp,
    lambda a: np.max(a, axis=0),
    lambda a: np.min(a, axis=-1),
    lambda a: np.max(a, axis=1, keepdims=True),
    lambda a: np.min(a, axis=(0, 1)),
    lambda a: a.max(axis=0) - a.min(axis=0),
    np.maximum.reduce,
    lambda a: np.minimum.reduce(a, axis=1),
    lambda a: np.max(a.T @ a, axis=0),
]


@pytest.mark.parametrize("call", CALLS)
def test_value(call: Any) -> None:
    f = call(A)
    for found in (f.evaluate({"A": TIED}), eg.compile(f)(A=TIED), _printed(f)(TIED)):
        np.testing.assert_array_equal(found, call(TIED))
    assert eg.parse(str(f)).expression is f


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("call", CALLS)
def test_derivative(call: Any, mode: Any) -> None:
    at = np.random.default_rng(0).normal(size=(2, 3))
    step = 1e-6
    slopes = np.empty((2, 3))
    for i in np.ndindex(2, 3):
        moved = np.zeros((2, 3))
        moved[i] = step
        slopes[i] = np.sum((call(at + moved) ** 2 - call(at - moved) ** 2) / (2 * step))
    found = eg.derivative(eg.sum(call(A) ** 2), "A", mode=mode)
    np.testing.assert_allclose(found.evaluate({"A": at}), slopes, atol=1e-7)


def test_equal_shares_where_several_attain_it() -> None:
    found = eg.gradient(np.max(A), A).evaluate({"A": TIED})
    np.testing.assert_array_equal(found, [[0, 0, 0], [0.5, 0, 0.5]])
    rows = eg.gradient(eg.sum(np.max(A, axis=1)), A).evaluate({"A": TIED})
    np.testing.assert_array_equal(rows, [[0, 1, 0], [0.5, 0, 0.5]])
    whole = eg.gradient(eg.max(X), X).evaluate({"x": np.full(4, np.inf)})
    np.testing.assert_array_equal(whole, np.full(4, 0.25))


def test_second_derivative() -> None:
    found = eg.hessian(eg.max(X) ** 2, X).evaluate({"x": [1, 3, 2]})
    np.testing.assert_array_equal(found, np.diag([0, 2, 0]))


def test_softmax_as_people_write_it() -> None:
    def softmax(x: Any) -> Any:
        shifted = np.exp(x - x.max(axis=1, keepdims=True))
        return np.sum((shifted / shifted.sum(axis=1, keepdims=True)) ** 2)

    at = 1e3 * np.random.default_rng(1).normal(size=(2, 3))
    f = softmax(A)
    np.testing.assert_allclose(f.evaluate({"A": at}), softmax(at), rtol=1e-12)
    assert np.isfinite(eg.gradient(f, A).evaluate({"A": at})).all()


def test_laws() -> None:
    assert eg.equivalent(np.max(A.T, axis=0), np.max(A, axis=1))
    assert eg.equivalent(np.max(np.max(A, axis=0)), np.max(A))
    assert eg.equivalent(np.max(A, axis=0), np.max(A)).status == "different"
    assert eg.equivalent(np.abs(np.max(np.exp(A))), np.max(np.exp(A)))
    assert eg.equivalent(np.abs(np.max(A)), np.max(A)).status == "different"


@pytest.mark.parametrize("text", ["max(x)", "max(A)", "colmax(A)'", "rowmin(A)", "max(x)*x"])
def test_matrix_notation(text: str) -> None:
    f = eg.parse_matrix(text, {"A": ("m", "n"), "x": ("n",)})
    assert f.to("matrix") == text


def test_formulas() -> None:
    f = np.max(A, axis=1)
    assert f.to("index") == "fᵢ = maxⱼ Aᵢⱼ"
    assert f.to("latex") == r"\max_j \left(A\right)_{ij}"


def test_mistakes() -> None:
    with pytest.raises(eg.ShapeError, match="max: there is no axis 2"):
        eg.max(A, axis=2)
    with pytest.raises(eg.ParseError, match="diagonal"):
        eg.parse("declare A 2 expression max(ii->) A")
    with pytest.raises(eg.ParseError, match="a matrix, please"):
        eg.parse_matrix("rowmax(x)", {"x": ("n",)})
    with pytest.raises(ValueError, match="zero-size"):
        eg.max(X).evaluate({"x": []})


def _printed(f: eg.Expression) -> Any:
    names: dict[str, Any] = {}
    exec(f.to("python"), names)
    return names["f"]
