"""Derivatives of Python functions of arrays."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import eggrad as eg

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
y = np.sign(X @ [1.0, -2.0, 0.5] + RNG.normal(size=40))


def loss(w: Any) -> Any:
    return np.sum(np.log(1 + np.exp(-y * (X @ w)))) + 0.5 * (w @ w)


def slope(w: Any) -> Any:
    return -X.T @ (y / (1 + np.exp(y * (X @ w)))) + w


def test_arrays_from_outside() -> None:
    w = RNG.normal(size=3)
    np.testing.assert_allclose(eg.grad(loss)(w), slope(w), rtol=1e-12)
    value, gradient = eg.value_and_grad(loss)(w)
    np.testing.assert_allclose(value, loss(w), rtol=1e-12)
    np.testing.assert_allclose(gradient, slope(w), rtol=1e-12)
    step = 1e-6
    columns = [(slope(w + step * e) - slope(w - step * e)) / (2 * step) for e in np.eye(3)]
    np.testing.assert_allclose(eg.hessian(loss)(w), np.array(columns), rtol=1e-7)


def test_minimize() -> None:
    """Newton's method, with SciPy's own stopping rule."""
    found = minimize(
        loss, np.zeros(3), jac=eg.grad(loss), hess=eg.hessian(loss), method="Newton-CG"
    )
    assert found.success
    assert found.nit < 20
    np.testing.assert_allclose(slope(found.x), 0, atol=1e-4)


def test_several_arguments() -> None:
    def product(A: Any, x: Any, *, scale: float = 2) -> Any:
        return scale * np.sum(A @ x)

    A, x = RNG.normal(size=(2, 3)), RNG.normal(size=3)
    by_matrix, by_vector = eg.grad(product, argnums=(0, 1))(A, x)
    np.testing.assert_allclose(by_matrix, 2 * np.outer(np.ones(2), x))
    np.testing.assert_allclose(by_vector, 2 * A.sum(0))
    np.testing.assert_allclose(eg.grad(product, argnums=-1)(A, x), 2 * A.sum(0))
    np.testing.assert_allclose(eg.jacobian(lambda A, x: A @ x, 1)(A, x), A)
    np.testing.assert_allclose(eg.jacobian(np.tanh)(x), np.diag(1 - np.tanh(x) ** 2))


def test_traced_once_for_each_shape() -> None:
    calls = []

    def square(x: Any) -> Any:
        calls.append(x.shape)
        return np.sum(x * x)

    gradient = eg.grad(square)
    for size in (2, 3, 2, 3):
        np.testing.assert_array_equal(gradient(np.ones(size)), np.full(size, 2.0))
    np.testing.assert_array_equal(gradient([1, 2]), [2, 4])
    assert calls == [(2,), (3,)]


def test_broadcasting_is_that_of_the_shapes() -> None:
    column, row = RNG.normal(size=(3, 1)), RNG.normal(size=(1, 2))
    found = eg.grad(lambda a, b: np.sum(np.exp(a * b)))(column, row)
    np.testing.assert_allclose(found, (row * np.exp(column * row)).sum(1, keepdims=True))


def test_masks_from_outside() -> None:
    mask = X > 0
    found = eg.grad(lambda x: np.sum(np.where(mask, x**2, 3 * x)))(X)
    np.testing.assert_allclose(found, np.where(mask, 2 * X, 3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: eg.grad(lambda x: x)(np.ones(2)), eg.ShapeError, "scalar"),
        (
            lambda: eg.grad(3),
            eg.UnsupportedOperation,
            "a function of arrays is expected, not a int",
        ),
        (lambda: eg.grad(eg.variable("x")), eg.UnsupportedOperation, "eggrad.gradient"),
        (lambda: eg.grad(np.sum, argnums=1)(np.ones(2)), eg.ShapeError, "argnums has 1"),
        (lambda: eg.grad(np.sort)(np.ones(2)), eg.UnsupportedOperation, "numpy.sort"),
        (lambda: eg.variable("x", (2,)) + np.arange(3), eg.ShapeError, "2|3"),
    ],
)
def test_mistakes(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_arrays_that_change() -> None:
    """A buffer has what it held at each moment; what was changed since is noticed."""
    buffer, data = np.zeros(3), np.ones(3)

    def total(w: Any) -> Any:
        found = 0
        for k in range(3):
            buffer[:] = k + 1
            found = found + w @ buffer
        return found

    np.testing.assert_array_equal(eg.grad(total)(np.ones(3)), [6, 6, 6])
    gradient = eg.grad(lambda w: w @ data)
    gradient(np.ones(3))
    data[:] = 5
    np.testing.assert_array_equal(gradient(np.ones(3)), np.full(3, 5.0))


def test_comparisons_with_numbers_are_refused() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="not compared with =="):
        eg.grad(lambda s: 5 * s if s == 3 else s**2)(3.0)


def test_methods() -> None:
    found = eg.grad(lambda x: (x.sum(axis=0) * len(x)).dot(x.mean(axis=0)))(np.ones((2, 3)))
    np.testing.assert_allclose(found, np.full((2, 3), 4.0))
