"""The public expression: operators against NumPy's, sizes, identity, errors."""

import operator
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.terms import term as t
from eggrad.frontend.expression.expression import SizeSymbol, expression
from tests.support.values import evaluated

SIZES = {"b": 2, "m": 3, "n": 4, "k": 2}
SHAPES: list[tuple[Any, ...]] = [(), ("n",), ("m", "n"), (1, "n"), ("m", 1), ("b", "m", "n"), (1,)]
MATMUL = [
    (("n",), ("n",)),
    (("m", "n"), ("n",)),
    (("m",), ("m", "n")),
    (("m", "n"), ("n", "k")),
    (("b", "m", "n"), ("n", "k")),
    (("b", "m", "n"), ("b", "n", "k")),
    ((1, "m", "n"), ("b", "n", "k")),
    (("b", "m", "n"), ("n",)),
    (("n",), ("b", "n", "k")),
]

A = eg.variable("A", ("m", "n"))
x = eg.variable("x", ("n",))
c = eg.variable("c")


def pair(p: tuple[Any, ...], q: tuple[Any, ...]) -> tuple[list[eg.Expression], dict[str, Any]]:
    rng = np.random.default_rng(0)
    values = {
        name: rng.uniform(0.5, 2, [SIZES.get(d, d) for d in dims])
        for name, dims in (("p", p), ("q", q))
    }
    return [eg.variable("p", p), eg.variable("q", q)], values


@pytest.mark.parametrize("symbol", ["add", "sub", "mul", "truediv"])
@pytest.mark.parametrize(("p", "q"), list(product(SHAPES, SHAPES)))
def test_operators_broadcast_as_numpy_does(
    p: tuple[Any, ...], q: tuple[Any, ...], symbol: str
) -> None:
    operands, values = pair(p, q)
    result = getattr(operator, symbol)(*operands)
    expected = getattr(operator, symbol)(values["p"], values["q"])
    assert tuple(SIZES.get(d, d) for d in result.shape) == expected.shape
    np.testing.assert_allclose(result.evaluate(values), expected)


@pytest.mark.parametrize(("p", "q"), MATMUL)
def test_matmul_is_numpys(p: tuple[Any, ...], q: tuple[Any, ...]) -> None:
    operands, values = pair(p, q)
    np.testing.assert_allclose(
        (operands[0] @ operands[1]).evaluate(values), values["p"] @ values["q"]
    )


def test_numbers_are_exact() -> None:
    for number, exact in [
        (0.1, Fraction(1, 10)),
        (Fraction(1, 3), Fraction(1, 3)),
        (2, Fraction(2)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(3), Fraction(3)),
        (1e-30, Fraction(1, 10**30)),
    ]:
        assert (x + number).term.args[1] is t.constant(exact, ("n",))
        assert (number * x).term.args[0] is t.constant(exact)
    for bad in (float("inf"), float("nan")):
        np.testing.assert_array_equal((x + bad).evaluate({"x": [1, 2]}), [bad, bad])
        with pytest.raises(eg.UnsupportedOperation, match="finite"):
            eg.constant(bad, ("n",))


def test_numbers_on_either_side() -> None:
    values = {"x": np.array([1.0, 2.0])}
    for ours, expected in [
        (2 + x, [3, 4]),
        (2 - x, [1, 0]),
        (x - 2, [-1, 0]),
        (2 * x, [2, 4]),
        (2 / x, [2, 1]),
        (x / 2, [0.5, 1]),
        (x**2, [1, 4]),
        (-x, [-1, -2]),
        (+x, [1, 2]),
    ]:
        np.testing.assert_array_equal(ours.evaluate(values), expected)
    np.testing.assert_allclose((2**c).evaluate({"c": 3}), 8)
    np.testing.assert_allclose((x**c).evaluate(values | {"c": 3}), [1, 8])


def test_equal_expressions_are_one_object() -> None:
    assert A @ x is A @ x
    assert A @ x is not x @ A.T
    assert pickle.loads(pickle.dumps(A @ x)) is A @ x
    cut = expression(x.term, complete=False)
    assert cut is not x
    assert not (cut + 1).complete
    assert pickle.loads(pickle.dumps(cut)) is cut
    with pytest.raises(AttributeError, match="never changes"):
        x.term = x.term


def test_sizes_unify_where_an_operation_needs_it() -> None:
    y, z = eg.variable("y", (None,)), eg.variable("z", (3,))
    assert (x + y).shape == ("n",)
    assert (y + z).shape == (3,)
    assert (x + z).shape == (3,)
    assert (A @ z).variables == (t.variable("A", ("m", 3)), z.term)
    # One name is one variable: what one operand learns about it holds in the other.
    assert eg.einsum("i,j->ij", x + z, x).shape == (3, 3)
    with pytest.raises(eg.ShapeError, match=r"\+ of axes \(3\) and \(4\).* 3 and 4"):
        _ = z + eg.variable("w", (4,))
    with pytest.raises(eg.ShapeError, match="@ of axes"):
        _ = eg.variable("B", (2, 3)) @ eg.variable("w", (4,))
    with pytest.raises(eg.ShapeError, match="two variables of one name"):
        _ = eg.sum(x) + eg.variable("x")
    with pytest.raises(eg.ShapeError, match="two variables of one name"):
        _ = x + eg.variable("x", ("n",), ["positive"])


def test_scope_is_the_least_that_fixes_every_size() -> None:
    n_ones, mn = t.constant(1, ("n",)), t.constant(1, ("m", "n"))
    w = t.variable("w", ("n",))
    assert expression(n_ones, [x.term, w, A.term]).scope == (A.term,)
    assert expression(n_ones, [x.term, w]).scope == (w,)
    assert expression(mn, [x.term, t.variable("y", ("m",))]).scope == (
        x.term,
        t.variable("y", ("m",)),
    )
    assert expression(t.add(n_ones, x.term), [A.term]).scope == ()
    assert (expression(n_ones, [w]) + x).scope == ()


def test_scope_gives_the_sizes_at_evaluation() -> None:
    ones = expression(t.constant(1, ("n",)), [x.term])
    np.testing.assert_array_equal(ones.evaluate({"x": [5, 6]}), [1, 1])
    np.testing.assert_array_equal(ones.evaluate({"n": 3}), [1, 1, 1])
    with pytest.raises(eg.UnknownVariable, match="variable x"):
        ones.evaluate({})
    with pytest.raises(eg.ShapeError, match="variable x has axes"):
        ones.evaluate({"x": 5})


def test_evaluate_names_what_is_wrong() -> None:
    with pytest.raises(eg.UnknownVariable, match=r"variable x \(n\) has no value"):
        (A @ x).evaluate({"A": np.eye(2)})
    with pytest.raises(eg.ShapeError, match="size n is 2 by variable A, but 3 by variable x"):
        (A @ x).evaluate({"A": np.eye(2), "x": [1, 2, 3]})
    assert c.evaluate({"c": 2}).shape == ()


def test_arrays_mix_with_expressions() -> None:
    own = eg.variable("x", (3,))
    at, numbers = np.array([0.5, 1, 2]), np.array([2.0, 0, 1])
    for operation in (operator.add, operator.mul, operator.matmul, operator.pow, operator.truediv):
        found = operation(numbers, own).evaluate({"x": at})
        np.testing.assert_allclose(found, operation(numbers, at), rtol=1e-15)
    for operation in (operator.add, operator.mul, operator.matmul, operator.pow):
        found = operation(own, numbers).evaluate({"x": at})
        np.testing.assert_allclose(found, operation(at, numbers), rtol=1e-15)


def test_unsupported_operations_say_so() -> None:
    with pytest.raises(eg.ShapeError, match="@"):
        _ = c @ x
    with pytest.raises(eg.UnsupportedOperation, match="language is one of einsum"):
        x.to("maple")


def test_properties_and_text() -> None:
    f = A @ x
    assert (A.T.shape, A.T.T.shape, x.T) == (("n", "m"), ("m", "n"), x)
    assert (f.ndim, f.node_count, f.cost({"m": 3, "n": 4}), f.cost(10)) == (1, 3, 21, 190)
    assert repr(f) == "Expression((m,): A*x)"
    assert str(f) == f.to("einsum")
    assert eg.parse(str(f)).expression is f


def test_long_chains_build_quickly_and_evaluate() -> None:
    f = x
    for _ in range(3_000):
        f = eg.sin(f) + x
    assert f.node_count == 6_001
    assert np.isfinite(f.evaluate({"x": [1.0, 2.0]})).all()


# Methods of arrays on expressions, against NumPy.


VALUES = {"A": np.random.default_rng(0).normal(size=(3, 4))}

METHODS: list[Callable[[Any], Any]] = [
    lambda a: a.sum(1),
    lambda a: a.mean(axis=0, keepdims=True),
    lambda a: a.dot(a.T),
    lambda a: a.T.trace() if a.shape[0] == a.shape[1] else a.dot(a.T).trace(),
    lambda a: a.dot(a.transpose()).diagonal(),
    lambda a: a.transpose((1, 0)).swapaxes(0, 1),
    lambda a: a.transpose(1, 0),
    lambda a: a.var() + a.std(axis=1),
    lambda a: a.clip(-0.5, 0.5).cumsum(1),
    lambda a: a.sum(0).reshape(1, -1).squeeze(),
    lambda a: a[:1].sum(0).reshape((-1, 1)),
    lambda a: a[0].take([1, 2]).prod(),
    lambda a: a.sum() / a.size,
    lambda a: a[:2, :2].ravel() * a[:2, :2].flatten(),
]


@pytest.mark.parametrize("call", METHODS)
def test_methods(call: Callable[[Any], Any]) -> None:
    found = evaluated(call(A), VALUES)
    np.testing.assert_allclose(found, call(VALUES["A"]), rtol=1e-12)


def test_size_is_an_expression() -> None:
    assert evaluated(A.size, VALUES) == 12
    assert evaluated(np.sqrt(A[0].size), VALUES) == 2
    assert eg.variable("B", (2, 3)).size == 6
    with pytest.raises(eg.UnsupportedOperation, match="order is one of C, F"):
        eg.variable("B", (2, 3)).flatten("B")


# Sizes as `shape` gives them, and arrays of one number, in NumPy's own calls.


S = eg.variable("S", ("n", "n"))
N = S.shape[0]


def test_a_symbol_is_its_text() -> None:
    assert S.shape == ("n", "n")
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
        (lambda n, c: n // c, 1.0),
        (lambda n, c: 7 // n, 2.0),
        (lambda n, c: n % c, 1.0),
        (lambda n, c: 7 % n, 1.0),
        (lambda n, c: abs(n) * c, 6.0),
    ],
)
def test_arithmetic_makes_expressions(build, expected: float) -> None:
    made = build(N, c)
    assert evaluated(made, {"S": np.eye(3), "c": 2.0}) == pytest.approx(expected)


def test_the_size_follows_the_variable_that_it_is_of() -> None:
    # B's size becomes n in the sum; it is still that of B.
    B = eg.variable("B", (None, None))
    f = np.trace(S + B) / B.shape[0]
    assert f.evaluate({"S": np.eye(4), "B": np.eye(4)}) == 2.0


@pytest.mark.parametrize(
    "use",
    [
        np.eye,
        np.identity,
        np.zeros,
        lambda n: np.ones((n, 2)),
        lambda n: np.full(S.shape, 1.0),
        lambda n: np.linspace(0, 1, n),
        lambda n: np.random.default_rng(0).normal(size=(n,)),
        range,
        lambda n: len(S),
        int,
        float,
        round,
        lambda n: n < 5,
        lambda n: n <= np.int64(5),
        lambda n: n > 1.0,
        lambda n: min(n, 5),
        lambda n: max(3, n),
        list,
        lambda n: n[0],
        lambda n: [1, 2][n],
        lambda n: S[n],
        lambda n: S[:n],
    ],
)
def test_a_symbol_is_no_number(use: Callable[[Any], Any]) -> None:
    with pytest.raises(eg.UnsupportedOperation, match="size n is a symbol, and a number was asked"):
        use(N)


@pytest.mark.parametrize(
    "use",
    [
        lambda n: range(n - 1),
        lambda n: np.zeros(n + 1),
        lambda n: np.ones((n, 2 * n)),
        lambda n: x[: n // 2],
    ],
)
def test_nor_is_what_is_made_of_it(use: Callable[[Any], Any]) -> None:
    with pytest.raises(eg.UnsupportedOperation, match=r"no number|a number was asked|an index is"):
        use(N)


def test_the_last_entry_by_its_place() -> None:
    assert x[N - 1].evaluate(x=np.arange(4.0)) == 3


def test_a_symbol_equals_its_text_alone() -> None:
    assert N == "n"
    assert N != 3
    assert S.shape == ("n", "n")
    assert sorted(eg.variable("A", ("n", "m")).shape) == ["m", "n"]


@pytest.mark.parametrize(
    "call",
    [
        np.sqrt,
        lambda n: 1 / np.log(n),
        lambda n: np.float64(2) * n,
        lambda n: np.maximum(n, 2),
        lambda n: np.array([1.0, 2.0]) * n,
    ],
)
def test_ufuncs_of_a_size(call: Callable[[Any], Any]) -> None:
    found = (call(N) * eg.constant(1)) + 0 * S[0, 0]
    np.testing.assert_allclose(found.evaluate({"S": np.ones((3, 3))}), call(3.0))


# In functions that are differentiated sizes are numbers.

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "ravel": lambda a: np.sum(a.ravel() ** 2 * np.arange(12.0)),
    "reshape": lambda a: np.sum(a.reshape(3, 4) ** 2 @ np.arange(4.0)),
    "reshape to what is left": lambda a: np.sum(a.reshape(-1, 2)[1] ** 2),
    "kron": lambda a: np.sum(np.kron(a, a) @ np.arange(9.0)),
    "eye": lambda a: np.sum((a.T @ a + np.eye(a.shape[1])) ** 2),
    "zeros": lambda a: np.sum((a + np.zeros(a.shape)) ** 2),
    "a loop": lambda a: sum(k * a[k] @ a[k] for k in range(len(a))),
    "iteration": lambda a: sum(np.sum(row**3) for row in a),
    "a branch": lambda a: np.sum(a**2) if a.shape[0] < 5 else np.sum(a),
    "numbers": lambda a: a[0] ** 2 @ np.arange(a.shape[1]) + a[1] @ np.linspace(0, 1, len(a[1])),
    "half": lambda a: np.sum(a[: len(a) // 2] ** 2) / np.sqrt(a.shape[1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sizes_in_functions_are_numbers(name: str) -> None:
    function, value = FUNCTIONS[name], np.random.default_rng(0).normal(size=(4, 3))
    steps = 1e-5 * np.eye(value.size).reshape(-1, *value.shape)
    slopes = [(function(value + h) - function(value - h)) / 2e-5 for h in steps]
    np.testing.assert_allclose(eg.grad(function)(value).ravel(), slopes, rtol=1e-6, atol=1e-7)


# Two symbols are two sizes.

B, y = eg.variable("B", ("n", "k")), eg.variable("y", ("m",))


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda: A + y,
            r"\+ of axes \(m, n\) and \(m\): sizes n and m would have to be equal; "
            "n is axis 1 of A, m is axis 0 of A and axis 0 of y",
        ),
        (lambda: A @ y, r"@ of axes \(m, n\) and \(m\): sizes n and m .*n is axis 1 of A, m is"),
        (lambda: x - y, r"- of axes \(n\) and \(m\): sizes n and m"),
        (lambda: x[:, None] * A, r"\* of axes \(n, 1\) and \(m, n\): sizes n and m"),
        (lambda: x / y, "sizes n and m"),
        (lambda: y**x, "pow: sizes m and n would have to be equal; m is axis 0 of y, n is"),
        (lambda: np.maximum(x, y), "maximum: sizes n and m"),
        (lambda: np.where(x > 0, x, y), "where: sizes n and m"),
        (lambda: np.where(x > y, x, 0), "greater: sizes n and m"),
        (lambda: eg.einsum("ij,i->j", A, x), "einsum 'ij,i->j': sizes m and n"),
        (lambda: np.tensordot(A, y, 1), "tensordot: sizes n and m"),
        (lambda: eg.det(A), "det: sizes m and n would have to be equal; m is axis 0 of A, n is"),
        (lambda: np.trace(A), "diagonal: sizes m and n"),
        (lambda: np.linalg.inv(A), "inv needs a square matrix: sizes m and n"),
        (lambda: np.linalg.solve(S, y), r"@ of axes \(n, n\) and \(m\): sizes n and m"),
        (lambda: np.broadcast_to(x, ("m", "m")), r"broadcast_to: sizes n and m"),
        (lambda: x[1:] + x, r"sizes n - 1 and n would have to be equal; n is axis 0 of x"),
        (lambda: x[1:] + y, r"sizes n - 1 and m would have to be equal; n is axis 0 of x, m is"),
        (lambda: x + eg.variable("x", ("m",)), "sizes n and m .* equal, for x is one variable"),
        (lambda: A @ np.ones((3, 4)) + np.ones((5, 5)), "sizes 4 and 5 would have to be equal"),
        (lambda: np.concatenate([A, B]), "concatenate: sizes n and k"),
        (lambda: np.stack([x, y]), "stack: sizes n and m"),
        (lambda: np.vstack([x, y]), "vstack: sizes n and m"),
        (lambda: np.convolve(x, y) - x, r"sizes m \+ n - 1 and n would .*; m is axis 0 of y, n is"),
        (lambda: eg.vjp(x, "x", y), r"vjp: the vector has axes \(m\), not \(n\): sizes m and n"),
    ],
)
def test_two_symbols_are_two_sizes(use: Callable[[], Any], message: str) -> None:
    with pytest.raises(eg.ShapeError, match=message):
        use()


def test_sizes_that_fit() -> None:
    u, w = eg.variable("u", (None,)), eg.variable("w", (None,))
    R = eg.variable("R", (None, None), ["symmetric"])
    assert [(R @ x).shape, (u[1:] + x).variables[0].dims, (u + w).shape] == [
        ("n",),
        ("n + 1",),
        ("?u_1",),
    ]
    assert (u + 2 * u[1]).evaluate({"u": [1, 2]}).tolist() == [5, 6]
    for f in (u[1:] + x, u + w, np.concatenate([u, x]), u.mean()):
        assert eg.parse(str(f)).expression is f
    # One number for two symbols is one size; else each needs its own.
    C = eg.variable("C", (3, 3))
    assert {d for v in (A + C).variables for d in v.dims} == {3}
    assert (np.convolve(x, y) - np.ones(5)).evaluate({"x": [1, 2, 3], "y": [1, 1, 1]}).size == 5
    with pytest.raises(eg.ShapeError, match="sizes n and m would have to be equal"):
        _ = (u + x) * (u + y)
    with pytest.raises(eg.ShapeError, match="size n is 2 by variable A, but 3 by variable x"):
        (A @ x).evaluate({"A": np.ones((2, 2)), "x": np.ones(3)})


def test_arrays_of_one_number_and_identities_are_constants() -> None:
    value = np.array([1.0, 2.0])
    assert (x + np.ones(2)).evaluate({"x": value}).tolist() == [2.0, 3.0]
    assert (2 * np.eye(2) @ x).evaluate({"x": value}).tolist() == [2.0, 4.0]
    assert (x + np.zeros((0,))).shape == (0,)
    assert (x + np.array([1.0, 2.0])).evaluate({"x": value}).tolist() == [2.0, 4.0]
