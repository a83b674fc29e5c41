"""The public functions: building, wiring, errors, laziness."""

import pickle
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.saturation.schedule import Report
from eggrad.engine.terms import term as t
from eggrad.frontend.calculus import calculus, code

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
    result = getattr(eg, name)(x).evaluate(VALUES)
    np.testing.assert_allclose(result, getattr(np, name)(VALUES["x"]))
    assert getattr(eg, name).__name__ == name


def test_functions_of_matrices() -> None:
    s = eg.variable("S", ("m", "k"))
    np.testing.assert_allclose(eg.det(s).evaluate(VALUES), np.linalg.det(VALUES["S"]))
    np.testing.assert_allclose(eg.inv(s).evaluate(VALUES), np.linalg.inv(VALUES["S"]))
    product = (eg.adj(s) @ s).evaluate(VALUES)
    np.testing.assert_allclose(product, np.linalg.det(VALUES["S"]) * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(eg.relu(y).evaluate(VALUES), np.maximum(VALUES["y"], 0))
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
    np.testing.assert_allclose(result.evaluate(VALUES), expected)


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
    value = RNG.normal(size=(2, 3, 4))
    result = eg.sum(eg.variable("T", ("a", "b", "c")), axis=axis).evaluate({"T": value})
    np.testing.assert_allclose(result, value.sum(axis=axis))


def test_building_blocks() -> None:
    np.testing.assert_array_equal(eg.transpose(A).evaluate(VALUES), VALUES["A"].T)
    np.testing.assert_array_equal((eg.delta(("n",)) @ x).evaluate(VALUES), VALUES["x"])
    np.testing.assert_array_equal(eg.constant(0.5, (2,)).evaluate({}), [0.5, 0.5])
    np.testing.assert_array_equal(eg.constant(2, ("k",)).evaluate({"k": 3}), [2, 2, 2])
    with pytest.raises(eg.ShapeError, match="no axis 2"):
        eg.sum(A, axis=2)
    np.testing.assert_array_equal(eg.exp([0.0, 1.0]).evaluate({}), np.exp([0.0, 1.0]))
    with pytest.raises(eg.UnsupportedOperation, match="a constant is a number"):
        eg.constant("2")


def test_assumptions() -> None:
    definite = eg.variable("P", ("n", "n"), ["positive definite"]).term
    assert definite.data == ("P", ("invertible", "positive definite", "symmetric"))
    assert eg.variable("p", ("n",), "positive").term.data == ("p", ("positive",))
    with pytest.raises(eg.UnsupportedOperation, match="no property is called 'big'"):
        eg.variable("P", (), ["big"])
    for dims in [("n",), ("m", "n"), ()]:
        with pytest.raises(eg.ShapeError, match="needs a square matrix"):
            eg.variable("P", dims, ["symmetric"])
    with pytest.raises(eg.ShapeError, match="dims is a tuple"):
        eg.variable("x", "batch")
    with pytest.raises(eg.ShapeError, match="a size is a name or an integer"):
        eg.variable("x", (-1,))
    with pytest.raises(eg.UnsupportedOperation, match="name of a variable"):
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
    with pytest.raises(eg.UnsupportedOperation, match="the backends are: numpy"):
        eg.compile(x, backend="abacus")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Calculus that records its arguments and answers ones."""
    found: list[Any] = []

    def differentiate(
        term: t.Term, wrt: tuple[t.Term, ...], mode: str, budget: Any, **options: Any
    ) -> Any:
        assert options == {"exact": False, "pairs": False, "rules": ()}
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
    assert problem.expression is x @ x
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
    with pytest.raises(eg.UnsupportedOperation, match="the modes are"):
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
        "loaded = {'numpy', 'egglog', 'lark', 'opt_einsum'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "assert all(hasattr(eggrad, name) for name in eggrad.__all__)\n"
        "loaded = {'egglog', 'lark'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert set(eg.__all__) <= set(dir(eg))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = eg.nothing


def test_arguments_of_the_wrong_kind() -> None:
    x = eg.variable("x", ("n",))
    f = eg.sum(x**2)
    wrong: dict[str, Callable[[], object]] = {
        "name at least one variable": lambda: eg.gradient(f, []),
        "a dict of arrays by name, not None": lambda: f.evaluate(cast(Any, None)),
        "size n is an integer from 0 up, not 'a'": lambda: eg.simplify(f, sizes=cast(Any, "a")),
        "size n is an integer from 0 up, not -1": lambda: eg.simplify(f, sizes={"n": -1}),
        "rules are files and rulesets, not 3": lambda: eg.simplify(f, rules=cast(Any, 3)),
    }
    for message, call in wrong.items():
        with pytest.raises(eg.EggradError, match=message):
            call()
