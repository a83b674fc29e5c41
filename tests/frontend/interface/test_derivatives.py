"""The public functions: building, wiring, errors, laziness."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation.schedule import Report
from eggrad.engine.terms import term as t
from eggrad.frontend.calculus import calculus, code
from eggrad.frontend.expression.expression import expression
from tests.support.numeric_terms import is_tame
from tests.support.random_expressions import random_expression
from tests.support.tiers import samples
from tests.support.values import evaluated

A = eg.variable("A", ("m", "n"))
x = eg.variable("x", ("n",))
y = eg.variable("y", ("m",))
RNG = np.random.default_rng(0)
VALUES: dict[str, Any] = {
    "A": RNG.normal(size=(3, 4)),
    "x": RNG.uniform(0.1, 0.9, 4),
    "y": RNG.normal(size=3),
    "S": RNG.normal(size=(3, 3)),
}


@pytest.mark.parametrize(
    "name", ["exp", "log", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "tanh", "sign", "abs"]
)
def test_functions_are_numpys(name: str) -> None:
    result = evaluated(getattr(eg, name)(x), VALUES)
    np.testing.assert_allclose(result, getattr(np, name)(VALUES["x"]))
    assert getattr(eg, name).__name__ == name


def test_functions_of_matrices() -> None:
    s = eg.variable("S", (None, None))
    np.testing.assert_allclose(evaluated(eg.det(s), VALUES), np.linalg.det(VALUES["S"]))
    np.testing.assert_allclose(evaluated(eg.inv(s), VALUES), np.linalg.inv(VALUES["S"]))
    product = evaluated(eg.adj(s) @ s, VALUES)
    np.testing.assert_allclose(product, np.linalg.det(VALUES["S"]) * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(evaluated(eg.relu(y), VALUES), np.maximum(VALUES["y"], 0))
    with pytest.raises(eg.ShapeError, match="det needs a square matrix"):
        eg.det(x)
    with pytest.raises(eg.ShapeError, match=r"det: .*2 and 3"):
        eg.det(eg.variable("R", (2, 3)))


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("ij,j->i", "Ax"),
        ("ij->ji", "A"),
        ("ij->", "A"),
        ("i,ij,j->", "yAx"),
        ("i,ij,j", "yAx"),
        ("ij,kj,k->ik", "AAy"),
        ("i,j,k->kij", "xyx"),
        ("ba", "A"),
        ("ii", "S"),
        ("i,i,i,i->i", "xxxx"),
    ],
)
def test_einsum_is_numpys(spec: str, names: str) -> None:
    known = {"A": A, "x": x, "y": y, "S": eg.variable("S", ("m", "m"))}
    result = eg.einsum(spec, *(known[name] for name in names))
    expected = np.einsum(spec, *(VALUES[name] for name in names))
    np.testing.assert_allclose(evaluated(result, VALUES), expected)


@pytest.mark.parametrize(
    ("spec", "operands", "message"),
    [
        ("ij->i", [x], "operand 1 has 1 axes, its index string 2"),
        ("i,j->i", [x], "takes 2 operands, not 1"),
        ("i->j", [x], "has, but no operand, the index 'j'"),
        ("i->ii", [x], "repeats the index 'i'"),
        ("1->1", [x], "an index is a letter"),
        ("ii->i", [eg.variable("R", (2, 3))], "einsum 'ii->i': .* 2 and 3"),
    ],
)
def test_einsum_says_what_does_not_fit(
    spec: str, operands: list[eg.Expression], message: str
) -> None:
    with pytest.raises(eg.ShapeError, match=message):
        eg.einsum(spec, *operands)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (-1, -2), ()])
def test_sum_is_numpys(axis: Any) -> None:
    rng = np.random.default_rng(1)
    value = rng.normal(size=(2, 3, 4))
    result = eg.sum(eg.variable("T", ("a", "b", "c")), axis=axis).evaluate({"T": value})
    np.testing.assert_allclose(result, value.sum(axis=axis))


def test_building_blocks() -> None:
    np.testing.assert_array_equal(evaluated(eg.transpose(A), VALUES), VALUES["A"].T)
    np.testing.assert_array_equal(evaluated(eg.delta(("n",)) @ x, VALUES), VALUES["x"])
    np.testing.assert_array_equal(eg.constant(0.5, (2,)).evaluate({}), [0.5, 0.5])
    np.testing.assert_array_equal(eg.constant(2, ("k",)).evaluate({"k": 3}), [2, 2, 2])
    with pytest.raises(eg.ShapeError, match="no axis 2"):
        eg.sum(A, axis=2)
    np.testing.assert_array_equal(eg.exp([0.0, 1.0]).evaluate({}), np.exp([0.0, 1.0]))
    with pytest.raises(eg.UnsupportedOperation, match="constant: the value is a number"):
        eg.constant("2")


def test_assumptions() -> None:
    definite = eg.variable("P", ("n", "n"), ["positive definite"]).term
    implied = ("invertible", "positive definite", "positive semidefinite", "symmetric")
    assert definite.data == ("P", implied)
    assert eg.variable("p", ("n",), "positive").term.data == ("p", ("nonnegative", "positive"))
    with pytest.raises(eg.UnsupportedOperation, match="no property is called 'big'"):
        eg.variable("P", (), ["big"])
    for dims in [("n",), ("m", "n"), ()]:
        with pytest.raises(eg.ShapeError, match="needs a square matrix"):
            eg.variable("P", dims, ["symmetric"])
    with pytest.raises(eg.ShapeError, match="dims is a tuple"):
        eg.variable("x", "batch")
    with pytest.raises(eg.ShapeError, match="a size is a name or an integer"):
        eg.variable("x", (-1,))
    with pytest.raises(eg.UnsupportedOperation, match="variable: the name is a text"):
        eg.variable("")


def test_a_compiled_function_needs_no_rules_elsewhere() -> None:
    f = pickle.dumps(eg.compile([A @ x, eg.sum(A @ x)]))
    program = (
        f"import pickle, sys, numpy as np; f = pickle.loads({f!r}); "
        "print(f(A=np.eye(2), x=np.ones(2)), 'egglog' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[array([1., 1.]), np.float64(2.0)] False\n", "")


def test_compile() -> None:
    f = eg.compile([A @ x, eg.sum(A @ x)])
    product, total = f(**VALUES)
    np.testing.assert_allclose(product, VALUES["A"] @ VALUES["x"])
    np.testing.assert_allclose(total, product.sum())
    assert f.source.count(".dot(") == 1
    np.testing.assert_allclose(eg.compile(A @ x)(A=np.eye(2), x=[1, 2]), [1, 2])
    np.testing.assert_array_equal(eg.compile(eg.constant(1, ("k",)), sizes={"k": 2})(), [1, 1])
    # The expressions of a list agree on the sizes of their variables.
    f = eg.compile([x + eg.variable("z", (2,)), eg.exp(x)])
    with pytest.raises(eg.ShapeError, match=r"variable x has axes \(2\)"):
        f(x=[1, 2, 3], z=[1, 2])
    with pytest.raises(eg.UnsupportedOperation, match="backend is one of numpy"):
        eg.compile(x, backend="abacus")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Calculus that records its arguments and answers ones."""
    found: list[Any] = []

    def differentiate(
        term: t.Term, wrt: tuple[t.Term, ...], mode: str, budget: Any, **options: Any
    ) -> Any:
        assert options == {
            "exact": False, "pairs": False, "rules": (), "sizes": {}, "explore": True,
        }  # fmt: skip
        found.append((term, wrt, mode, budget))
        dims = term.dims + tuple(d for w in wrt for d in w.dims)
        return SimpleNamespace(term=t.constant(1, dims), complete=budget is None, report=Report())

    def simplify(term: t.Term, budget: Any, rules: Any, sizes: Any, *, exact: bool) -> Any:
        assert not exact
        found.append((term, budget, rules, sizes))
        return SimpleNamespace(term=term, complete=budget is None, report=Report())

    monkeypatch.setattr(calculus, "differentiate", differentiate)
    monkeypatch.setattr(calculus, "simplify", simplify)
    monkeypatch.setattr(code, "stable_form", lambda term: term)
    return found


def test_derivatives_pass_variables_and_keep_their_sizes(calls: list[Any]) -> None:
    f = eg.sum(x)
    gradient = eg.gradient(f, "x")
    assert calls.pop() == (f.term, (x.term,), "auto", None)
    np.testing.assert_array_equal(gradient.evaluate({"x": [1, 2, 3]}), [1, 1, 1])
    assert eg.hessian(f, x, mode="forward", budget=1).shape == ("n", "n")
    assert calls.pop() == (f.term, (x.term, x.term), "forward", 1)
    assert not eg.hessian(f, x, budget=1).complete
    # The variable's sizes are those that it has in the expression.
    assert eg.jacobian(x + eg.variable("z", (3,)), x).shape == (3, 3)
    assert eg.derivative(f, y).shape == ("m",)
    assert eg.simplify(f, sizes=3) is f
    assert calls.pop() == (f.term, None, (), 3)
    assert not eg.simplify(f, budget=1).complete


def test_problems_know_what_they_declare(calls: list[Any]) -> None:
    problem = eg.parse("declare x[n] y[m] expression x *(i,i->) x derivative wrt x wrt y")
    assert problem.wrt == ("x", "y")
    assert problem.expression.term is (x @ x).term
    assert problem.derivative().shape == ("n", "m")
    assert problem.derivative("y", mode="reverse").shape == ("m",)
    assert calls[-1][2] == "reverse"
    plain = eg.parse("declare x[n] expression x")
    assert plain.wrt is None
    with pytest.raises(eg.UnsupportedOperation, match="with respect to what"):
        plain.derivative()


def test_wrong_derivatives_are_refused() -> None:
    with pytest.raises(eg.UnknownVariable, match=r"no variable 'z'; its variables: A, x"):
        eg.derivative(A @ x, "z")
    with pytest.raises(eg.ShapeError, match=r"gradient needs a scalar.*\(m\)"):
        eg.gradient(A @ x, x)
    with pytest.raises(eg.ShapeError, match="hessian needs a scalar"):
        eg.hessian(A @ x, x)
    with pytest.raises(eg.UnsupportedOperation, match="mode is one of"):
        eg.derivative(x, x, mode="sideways")
    with pytest.raises(eg.UnsupportedOperation, match="with respect to variables"):
        eg.derivative(x, 2 * x)
    with pytest.raises(eg.UnsupportedOperation, match="with respect to what"):
        eg.derivative(x)
    with pytest.raises(eg.ShapeError, match="1 axes in the expression, 2 as the argument"):
        eg.derivative(x, eg.variable("x", ("n", "n")))


def test_import_loads_nothing_heavy() -> None:
    program = (
        "import sys, time; began = time.perf_counter(); import eggrad\n"
        "assert time.perf_counter() - began < 0.5\n"
        "loaded = {'numpy', 'egglog', 'lark', 'mpmath', 'opt_einsum'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "assert all(hasattr(eggrad, name) for name in eggrad.__all__)\n"
        "loaded = {'egglog', 'lark', 'mpmath'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert set(eg.__all__) <= set(dir(eg))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = eg.nothing


def test_an_import_of_a_foreign_name_says_what_to_write() -> None:
    for name, advice in {"lax": "NumPy's functions", "make_vjp": r"eggrad.vjp\(f\)"}.items():
        assert not hasattr(eg, name)
        with pytest.raises(ImportError, match=advice):
            exec(f"from eggrad import {name}")


def test_modules_can_be_imported_from() -> None:
    for module, names in {"special": "gammaln logsumexp", "linalg": "qr", "stats": "t"}.items():
        found = import_module(f"eggrad.{module}")
        assert found is getattr(eg, module)
        assert all(hasattr(found, name) for name in names.split())


def test_arguments_of_the_wrong_kind() -> None:
    x = eg.variable("x", ("n",))
    f = eg.sum(x**2)
    wrong: dict[str, Callable[[], object]] = {
        "name at least one variable": lambda: eg.gradient(f, []),
        "has no value": lambda: f.evaluate(None),
        "one integer from 0 up, not 'a'": lambda: eg.simplify(f, sizes=cast(Any, "a")),
        "size n is an integer from 0 up, not -1": lambda: eg.simplify(f, sizes={"n": -1}),
        "rules are files and rulesets, not 3": lambda: eg.simplify(f, rules=cast(Any, 3)),
    }
    for message, call in wrong.items():
        with pytest.raises(eg.EggradError, match=message):
            call()


# Products of derivatives with vectors, against dense derivatives and differences.


M = eg.variable("M", ("n", "n"))
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


@settings(max_examples=samples(8, 100), deadline=None)
@given(st.integers(0, 2**32 - 1))
@example(340)
@example(99811743)
def test_random_expressions(seed: int) -> None:
    random = Random(seed)
    term, wrt = random_expression(random, 8)
    f, x = expression(term), expression(wrt)
    sizes = {"m": random.randint(0, 2), "n": random.randint(1, 3)}
    rng = np.random.default_rng(seed)
    values = oracle.random_values(t.variables(term), sizes, rng, "normal")
    # What is 0/0 everywhere, as (x - x)/(x - x) is, equals whatever rules make of it; along an
    # axis that is empty, too, what is infinite at all entries leaves a sum.
    filled = {size: max(1, length) for size, length in sizes.items()}
    assume(is_tame([term], oracle.random_values(t.variables(term), filled, rng, "normal"), filled))
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
        np.testing.assert_allclose(evaluated(product, values | sizes), expected, atol=1e-7 * scale)


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
