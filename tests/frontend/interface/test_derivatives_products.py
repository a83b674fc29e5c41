"""Products of derivatives with vectors, against dense derivatives and differences."""

from random import Random

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.frontend.expression.expression import expression
from tests.support.numeric_terms import is_tame
from tests.support.random_expressions import random_expression

A, M = eg.variable("A", ("m", "n")), eg.variable("M", ("n", "n"))
x, y = eg.variable("x", ("n",)), eg.variable("y", ("m",))
T, U, V = (
    eg.variable(name, dims)
    for name, dims in (("T", ("m", "n")), ("U", ("m", "k")), ("V", ("n", "k")))
)


def layers(count: int) -> eg.Expression:
    """The loss of a net of tanh layers."""
    state = x
    for i in range(count):
        state = eg.tanh(eg.variable(f"W{i}", ("n", "n")) @ state)
    return eg.sum((state - eg.variable("z", ("n",))) ** 2)


def cells(count: int) -> eg.Expression:
    """The loss of a recurrent net of tanh cells."""
    state = eg.variable("h", ("n",))
    for i in range(count):
        state = eg.tanh(M @ state + A.T @ eg.variable(f"y{i}", ("m",)))
    return eg.sum(state**2)


SCALARS = {
    "quadratic form": (x @ M @ x, "x"),
    "logistic regression": (eg.sum(eg.log(1 + eg.exp(-y * (A @ x)))), "x"),
    "first layer of three": (layers(3), "W0"),
    "two recurrent cells": (cells(2), "M"),
    "matrix factorization": (eg.sum((T - U @ V.T) ** 2), "U"),
    "linear": (eg.sum(x), "x"),
    "determinant": (eg.log(eg.det(M)), "M"),
}


def sampled(*expressions: eg.Expression, sizes: dict[str, int], seed: int = 0) -> dict[str, object]:
    wanted = t.variables(*(e.term for e in expressions), *(v for e in expressions for v in e.scope))
    return oracle.random_values(wanted, sizes, np.random.default_rng(seed), "normal")


@pytest.mark.parametrize("name", SCALARS)
@pytest.mark.parametrize("sizes", [{"m": 3, "n": 2, "k": 2}, {"m": 1, "n": 1, "k": 1}])
def test_products_of_known_functions(name: str, sizes: dict[str, int]) -> None:
    f, wrt = SCALARS[name]
    gradient, hessian = eg.gradient(f, wrt), eg.hessian(f, wrt)
    product = eg.hvp(f, wrt, "direction")
    assert product.complete
    assert product.shape == gradient.shape
    values = sampled(f, gradient, hessian, product, sizes=sizes)
    shape = tuple(sizes[d] for d in gradient.shape)
    values["direction"] = v = np.random.default_rng(1).normal(size=shape)
    dense = oracle.value(hessian.term, values, sizes)
    expected = np.tensordot(dense, v, v.ndim)
    np.testing.assert_allclose(product.evaluate(values), expected, rtol=1e-9, atol=1e-9)
    # The same by the forward product of the gradient, and <gradient, v> both ways.
    forward = eg.jvp(gradient, wrt, "direction")
    np.testing.assert_allclose(forward.evaluate(values), expected, rtol=1e-9, atol=1e-9)
    slope = np.sum(oracle.value(gradient.term, values, sizes) * v)
    along = eg.jvp(f, wrt, "direction").evaluate(values)
    np.testing.assert_allclose(along, slope, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("name", ["quadratic form", "logistic regression", "linear"])
def test_small_sizes(name: str, size: int) -> None:
    f, wrt = SCALARS[name]
    product = eg.hvp(f, wrt, "v")
    sizes = dict.fromkeys("mn", size)
    values = sampled(f, product, sizes=sizes) | {"v": np.ones(size)}
    found = product.evaluate(values)
    expected = oracle.value(eg.hessian(f, wrt).term, values, sizes) @ np.ones(size)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(340)
def test_random_expressions(seed: int) -> None:
    random = Random(seed)
    term, wrt = random_expression(random, 8)
    f, x = expression(term), expression(wrt)
    sizes = {"m": random.randint(0, 2), "n": random.randint(1, 3)}
    rng = np.random.default_rng(seed)
    values = oracle.random_values(t.variables(term), sizes, rng, "normal")
    # What is 0/0 everywhere, as (x - x)/(x - x) is, equals whatever rules make of it.
    assume(is_tame([term], values, sizes))
    derivative = eg.derivative(f, x)
    assume(is_tame([derivative.term], values, sizes))
    dense = oracle.value(derivative.term, values, sizes)
    order = len(f.shape)
    values["w"] = w = rng.normal(size=dense.shape[:order])
    values["v"] = v = rng.normal(size=dense.shape[order:])
    back, along = eg.vjp(f, x, "w"), eg.jvp(f, x, "v")
    assert (back.shape, along.shape) == (x.shape, f.shape)
    assert {"w0"}.isdisjoint(str(u) for u in (*back.variables, *along.variables))
    assume(is_tame([back.term, along.term], values, sizes))
    for product, expected in (
        (back, np.tensordot(w, dense, order)),
        (along, np.tensordot(dense, v, v.ndim)),
    ):
        scale = 1 + np.abs(expected).max(initial=0)
        np.testing.assert_allclose(product.evaluate(values | sizes), expected, atol=1e-7 * scale)


@pytest.mark.parametrize(
    "f",
    [SCALARS["logistic regression"][0], layers(10), cells(3), SCALARS["matrix factorization"][0]],
)
def test_a_product_costs_a_few_gradients(f: eg.Expression) -> None:
    wrt = next(w for w in ("W0", "M", "U", "x") if w in {v.data[0] for v in f.variables})
    assert eg.hvp(f, wrt, "v").cost(100) <= 3 * eg.gradient(f, wrt).cost(100)


def test_vectors_that_depend_on_the_variable_are_not_differentiated() -> None:
    f = x @ M @ x
    values = {"M": np.arange(9.0).reshape(3, 3), "x": np.array([1.0, -2, 0.5])}
    hessian = values["M"] + values["M"].T
    np.testing.assert_allclose(eg.hvp(f, x, x).evaluate(values), hessian @ values["x"])
    gradient = eg.gradient(f, x)
    expected = hessian @ hessian @ values["x"]
    np.testing.assert_allclose(eg.vjp(gradient, x, gradient).evaluate(values), expected)
    np.testing.assert_allclose(eg.jvp(gradient, x, gradient).evaluate(values), expected)


def test_axes_and_names() -> None:
    assert eg.vjp(A @ x, "x", y).shape == ("n",)
    assert eg.jvp(A @ x, A, "B").shape == ("m",)
    # A name that the expression has is that variable; sizes that meet become equal.
    assert {v.data[0] for v in eg.hvp(x @ x * (y @ y), x, "x").variables} == {"x", "y"}
    assert eg.jvp(A @ x, x, eg.variable("v", (3,))).variables[0].dims == ("m", 3)
    assert eg.vjp(A @ x, x, eg.variable("w", (2,))).shape == ("n",)
    # What does not occur has the derivative zero; its sizes are known still.
    zero = eg.vjp(x, y, "w")
    np.testing.assert_array_equal(zero.evaluate({"x": [1.0], "y": [1.0, 2], "w": [1.0]}), [0, 0])
    along = eg.jvp(x, y, "v")
    np.testing.assert_array_equal(along.evaluate({"x": [1.0, 2]}), [0, 0])
    linear = eg.hvp(eg.sum(x), x, "v")
    np.testing.assert_array_equal(linear.evaluate({"x": [1.0, 2], "v": [1, 1]}), [0, 0])
    assert "w0" not in repr(along) + str(along)
    unfinished = expression(y.term, complete=False)
    assert not eg.vjp(A @ x, x, unfinished).complete


def test_errors() -> None:
    with pytest.raises(eg.ShapeError, match=r"vjp: the vector has axes \(m, n\), not \(m\)"):
        eg.vjp(A @ x, x, A)
    with pytest.raises(eg.ShapeError, match=r"jvp: the vector has axes \(3\), not \(2\)"):
        eg.jvp(eg.variable("s", (2,)), "s", eg.variable("v", (3,)))
    with pytest.raises(eg.ShapeError, match="gradient needs a scalar"):
        eg.hvp(A @ x, x, "v")
    with pytest.raises(eg.UnknownVariable, match="no variable 'q'"):
        eg.hvp(x @ x, "q", "v")
    with pytest.raises(eg.UnsupportedOperation, match="expected an expression, a number or an"):
        eg.vjp(A @ x, x, {1.0})
