"""Lists and NumPy's arrays of expressions: what NumPy makes of them, and back."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.numpy_cases import M, R, check_slopes, check_values, v, w

Case = tuple[Callable[[Any], Any], Any]


def turn(x: Any) -> Any:
    """A rotation, written as a list of lists."""
    return np.array([[np.cos(x[0]), -np.sin(x[0])], [np.sin(x[0]), np.cos(x[0])]])


CASES: dict[str, Case] = {
    "array": (lambda x: np.array([x[0], x[1] ** 2, 3.0]) ** 2, v),
    "array of vectors": (lambda x: np.array([x, w]), v),
    "array of an expression": (lambda x: np.asarray(x) * 2, R),
    "nested": (lambda x: np.array([[x[0], 1 / 3], [x[2], x[1]]]) @ x[:2], v),
    "a product of arrays": (lambda x: turn(x) @ np.array([1.0, 2.0]), v),
    "a product of both": (lambda x: M[:2, :2] @ np.array([x[0], x[1]]), v),
    "functions of entries": (lambda x: np.exp(np.sqrt(np.array([x[0], x[1]]))), v),
    "assigned": (lambda x: assigned(np.array([x[0], x[1], x[2]]), x), v),
    "reversed": (lambda x: np.array([x[k] for k in range(5, -1, -1)]) * v, v),
    "transposed": (lambda x: np.array(x).T @ R, R),
    "mean of vectors": (lambda x: np.mean([x, w], axis=0) ** 2, v),
    "mean of all": (lambda x: np.mean([x, w]) ** 2, v),
    "mean": (lambda x: np.mean([x[0], x[1] ** 2, 3.0]), v),
    "sum": (lambda x: np.sum([x, x**2], axis=1), v),
    "prod": (lambda x: np.prod([x[0], x[1], 2.0]), v),
    "var": (lambda x: np.var([x[0], x[1], 2.0], ddof=1), v),
    "std": (lambda x: np.std([x[0], x[1], 2.0]), v),
    "average": (lambda x: np.average([x[0], x[1]], weights=[1, 3]), v),
    "cumsum": (lambda x: np.cumsum([x[0], x[1], 2.0]), v),
    "norm": (lambda x: np.linalg.norm([x[0], x[1]]), v),
    "dot": (lambda x: np.dot([x[0], x[1]], [1, 2]), v),
    "outer": (lambda x: np.outer([x[0], 2], x), v),
    "concatenate": (lambda x: np.concatenate([[x[0]], x[1:], [2.0, x[3]]]), v),
    "concatenate lists": (lambda x: np.concatenate([[x[0]], [x[1], 2.0]]), v),
    "stack": (lambda x: np.stack([[x[0], x[1]], [1.0, x[3]]], axis=1), v),
    "vstack": (lambda x: np.vstack([[x[0], x[1]], x[2:4]]), v),
    "append": (lambda x: np.append(x, [x[0], 2]), v),
    "operand": (lambda x: x[:2] * [x[2], 3] + [x[0], x[1]], v),
    "where": (lambda x: np.where([x[0], x[1]] > x[2:4], x[:2], [x[1], x[0]]), v),
    "r_": (lambda x: np.r_[x, w] ** 3, v),
    "r_ with numbers": (lambda x: np.r_[0.0, x, x[0], 1.0, 1:3], v),
    "r_ with a list": (lambda x: np.r_[[x[0], 2.0], x], v),
    "r_ of matrices": (lambda x: np.r_[x, M[:2, :4]], R),
    "r_ beside each other": (lambda x: np.r_["-1", x, 2 * x], R),
    "r_ with two axes": (lambda x: np.r_["0,2", x, x], v),
    "c_": (lambda x: np.c_[np.ones(6), x, x**2] @ np.array([1.0, 2, 3]), v),
    "c_ of matrices": (lambda x: np.c_[x, M[:3]], R),
    "c_ of both": (lambda x: np.c_[R, x], v[:3]),
}


def assigned(a: Any, x: Any) -> Any:
    """An array, after a number and an expression are assigned to entries."""
    a[0], a[2] = 2.0, x[0] * x[1]
    return a


@pytest.mark.parametrize("name", CASES)
def test_values_and_slopes(name: str) -> None:
    function, at = CASES[name]
    check_values(lambda x: np.asarray(function(x), like=x), at)
    check_slopes(lambda x: np.asarray(function(x), like=x), at)


def test_entries_of_an_expression_are_that_one() -> None:
    x, A = eg.variable("x", (4,)), eg.variable("A", (3, 4))
    for f in (x, A, A @ x, x[1:3], A[:1], x[:1]):
        assert eg.constant(np.array(f)) is f
    assert np.r_[A, A] is np.concatenate([A, A])
    assert eg.constant(np.array([x[1], x[2]])) is x[1:3]
    assert eg.constant(np.array([x, 2 * x])) is np.stack([x, 2 * x])


def test_derivatives_of_functions_that_return_arrays_of_entries() -> None:
    at = np.array([0.5, 1.5, 2.5])
    found = eg.jacobian(lambda x: np.array([x[0] * x[1], np.sin(x[2]), 1.0]))(at)
    np.testing.assert_allclose(found, [[1.5, 0.5, 0], [0, 0, np.cos(2.5)], [0, 0, 0]])
    last, _ = eg.scan(lambda h, u: (np.array([h[1], h[0] * u]), None), at[:2], at)
    np.testing.assert_allclose(last, [1.5 * 1.5, 0.5 * 0.5 * 2.5])


def test_what_is_refused() -> None:
    x, y = eg.variable("x", (400,)), eg.variable("y", ("n",))
    for call, message in [
        (lambda: np.mean([x, x], axis=0), "numpy.mean takes no expressions"),
        (lambda: np.max([x[0], x[1]]), "decides by values"),
        (lambda: np.array([y, y]), "cannot become an array"),
        (lambda: x * [x, 1], "shapes"),
    ]:
        with pytest.raises(eg.EggradError, match=message):
            call()
    with pytest.raises(eg.UnsupportedOperation, match="leave float"):
        eg.grad(lambda x: np.sum(np.array([x[0], 1.0], dtype=float)))(v)
    with pytest.raises(eg.UnsupportedOperation, match=r"numpy.array\(entries, like=x"):
        eg.grad(lambda x: np.linalg.det(np.array([[x[0], x[1]], [1.0, x[0]]])))(v)
