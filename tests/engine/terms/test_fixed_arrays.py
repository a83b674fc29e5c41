"""Arrays of known numbers in expressions: values, derivatives, what is known of them, texts."""

import pickle
from typing import Any

import numpy as np
import pytest

import eggrad as eg

X = eg.variable("x", (3,))
NUMBERS = np.array([1.0, 2.0, 3.5])
AT = np.array([-1.0, 0.5, 2.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.exp(x * NUMBERS)),
        lambda x: np.sum(np.power(x, [2.0, 3.0, 1.0])),
        lambda x: np.sum(x ** np.array([2, 3, 0])),
        lambda x: np.sum((np.outer(NUMBERS, NUMBERS) @ x - NUMBERS) ** 2),
        lambda x: np.sum(np.maximum(x, NUMBERS - 1) * np.sin(x)),
        lambda x: np.sum(np.where(np.array([True, False, True]), x**2, np.sin(x))),
        lambda x: np.sum(np.clip(x, [-2, 0, 1], [0, 1, 1.5]) ** 2),
        lambda x: np.sum(np.array([0.0, -1.0, 2.0]) / (2 + x * x)),
    ],
)
def test_value_and_gradient(function: Any) -> None:
    f = function(X)
    step = 1e-6
    slopes = [(function(AT + step * e) - function(AT - step * e)) / (2 * step) for e in np.eye(3)]
    for found in (f.evaluate({"x": AT}), eg.compile(f)(x=AT)):
        assert np.isclose(found, function(AT), rtol=1e-13)
    assert np.allclose(eg.gradient(f, X).evaluate({"x": AT}), slopes, rtol=1e-6, atol=1e-8)


def test_a_zero_is_chosen_away() -> None:
    some = eg.constant([0, 1, 2])
    f = np.where(some > 0, X / some, X)
    assert np.array_equal(eg.simplify(f).evaluate({"x": AT}), [-1, 0.5, 1])
    assert np.array_equal(eg.jacobian(f, X).evaluate({"x": AT}), np.diag([1, 1, 0.5]))


def test_signs_are_used() -> None:
    assert eg.equivalent(np.abs(eg.constant(NUMBERS)), eg.constant(NUMBERS))
    assert eg.equivalent(np.abs(eg.constant(-NUMBERS)), eg.constant(-NUMBERS)).status != "equal"
    assert eg.equivalent(np.exp(np.log(eg.constant(NUMBERS))), eg.constant(NUMBERS))


@pytest.mark.parametrize(
    "numbers", [[1, 2.5], [[1, -2], [0.1, 1e-300]], [np.nan, np.inf], np.zeros((0, 2)), [[1], [2]]]
)
def test_text_and_pickle(numbers: Any) -> None:
    f = eg.sum(eg.constant(numbers) * eg.variable("y"))
    assert eg.parse(str(f)).expression is f
    assert pickle.loads(pickle.dumps(f)) is f
    made = pickle.loads(pickle.dumps(eg.compile(f)))
    assert np.array_equal(made(y=2.0), np.sum(np.asarray(numbers) * 2), equal_nan=True)
    names: dict[str, Any] = {}
    exec(f.to("python"), names)
    assert np.array_equal(names["f"](2.0), np.sum(np.asarray(numbers) * 2), equal_nan=True)


def test_formulas_give_it_a_name() -> None:
    f = X * NUMBERS + eg.variable("array1", (3,))
    assert f.to("matrix") == "x.*array2 + array1"


def test_nobody_can_change_it() -> None:
    given = NUMBERS.copy()
    f = eg.constant(given)
    given[0] = 7
    compiled = eg.compile(f)
    compiled()[0] = 8
    assert np.array_equal(compiled(), NUMBERS)
    assert np.array_equal(f.evaluate({}), NUMBERS)


def test_precision_is_that_of_the_arrays_given() -> None:
    assert eg.compile(X * NUMBERS)(x=AT.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1, [2]], "no array"),
        (["a"], "real numbers"),
        ([X, {}], "expected an expression, a number or an array"),
        (np.array([1j, 2]), "real numbers"),
        ({}, "expected an expression, a number or an array"),
    ],
)
def test_what_is_no_array_of_numbers(value: object, message: str) -> None:
    with pytest.raises(eg.UnsupportedOperation, match=message):
        _ = X * value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("array(1, b)", "an array has numbers"),
        ("array(1, 2)[3]", "2 numbers"),
        ("array(1, 2)[n]", "integers as sizes"),
    ],
)
def test_texts_that_are_no_arrays(text: str, message: str) -> None:
    with pytest.raises(eg.ParseError, match=message):
        eg.parse(f"declare n 0 expression {text}")


def test_comparing() -> None:
    """The numbers of an array are what people mean by them, and may be infinite."""
    v = eg.variable("v", (3,))
    assert eg.equivalent(v * [np.nan, 1, 2], v).status != "equal"
    assert eg.equivalent(v * [np.inf, 1, 2], v * [np.inf, 1, 2])
    assert eg.equivalent(3 * v * [0.1, 0.2, 0.3], v * [0.3, 0.6, 0.9]).status != "different"
    assert eg.equivalent(v * [0.1, 0.2, 0.3], v * [0.1, 0.2, 0.31]).status == "different"
