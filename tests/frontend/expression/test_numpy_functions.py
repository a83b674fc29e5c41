"""NumPy's functions of expressions give what they give of arrays."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from tests.support.tiers import samples
from tests.support.values import evaluated

SIZES = {"m": 3, "n": 4, "k": 2}
DIMS: dict[str, tuple[str, ...]] = {
    "A": ("m", "n"),
    "B": ("m", "n"),
    "S": ("k", "k"),
    "T": ("m", "n", "k"),
    "x": ("n",),
    "y": ("m",),
    "c": (),
}
RNG = np.random.default_rng(0)
VALUES = {name: RNG.normal(size=[SIZES[d] for d in dims]) for name, dims in DIMS.items()}
VALUES["S"] += 3 * np.eye(2)
# Entries between 0 and 1, for roots, logarithms and inverse functions.
VALUES |= {"x": RNG.random(4), "c": np.array(0.7)}

A, B, S, T, x, y, c = (eg.variable(name, dims) for name, dims in DIMS.items())
E = {name: eg.variable(name, dims) for name, dims in DIMS.items()}

ENTRYWISE = [
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh, np.tanh),
    *(np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.cbrt, np.square),
    *(np.reciprocal, np.sign, np.abs, np.fabs, np.negative, np.positive, np.conj, np.arctanh),
]
OF_TWO = [
    *(np.add, np.subtract, np.multiply, np.divide, np.true_divide, np.power, np.float_power),
    *(np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp, np.hypot),
]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "matmul": lambda A, x, **_: np.matmul(A, x),
    "einsum, implicit": lambda A, x, **_: np.einsum("ij,j", A, x),
    "einsum, ellipsis": lambda T, A, **_: np.einsum("...k,mn->...mk", T, A),
    "einsum, ellipsis without a place in the output": lambda T, S, **_: np.einsum("...k,kj", T, S),
    "einsum, an axis of length 1": lambda A, B, **_: np.einsum(
        "ij,ij->ij", np.sum(A, 1, keepdims=True), B
    ),
    "einsum, four operands": lambda A, B, x, y, **_: np.einsum("i,ij,ij,j->", y, A, B, x),
    "dot of vectors": lambda x, **_: np.dot(x, x),
    "dot with a scalar": lambda c, A, **_: np.dot(c, A),
    "dot of tensors": lambda T, S, **_: np.dot(T, S),
    "inner of tensors": lambda A, x, **_: np.inner(A, x),
    "inner with a scalar": lambda A, c, **_: np.inner(A, c),
    "vdot": lambda A, B, **_: np.vdot(A, B),
    "outer": lambda x, y, **_: np.outer(x, y),
    "outer with a scalar": lambda x, c, **_: np.outer(c, x),
    "tensordot": lambda A, T, **_: np.tensordot(A, T, axes=([0, 1], [0, 1])),
    "tensordot by number": lambda A, x, **_: np.tensordot(A, x, 1),
    "vecdot": lambda A, x, **_: np.vecdot(A, x),
    "trace of kron": lambda S, A, **_: np.trace(np.kron(S, A @ A.T)),
    "sum of kron": lambda S, A, B, **_: np.sum(2 * np.kron(S, A).T - np.kron(S.T, B.T)),
    "trace": lambda S, **_: np.trace(S),
    "trace of a tensor": lambda S, A, **_: np.trace(
        np.einsum("ij,kl->kijl", S, A), axis1=1, axis2=2
    ),
    "diagonal": lambda S, A, **_: np.diagonal(np.einsum("ij,kl->ikjl", S, A), axis1=0, axis2=2),
    "diag of a vector": lambda x, **_: np.diag(x),
    "diag of a matrix": lambda S, **_: np.diag(S),
    "transpose": lambda T, **_: np.transpose(T, (2, 0, 1)),
    "matrix_transpose": lambda T, **_: np.matrix_transpose(T),
    "swapaxes": lambda T, **_: np.swapaxes(T, 0, -1),
    "moveaxis": lambda T, **_: np.moveaxis(T, [0, 1], [-1, 0]),
    "reshape": lambda A, **_: np.reshape(A, (1, 3, 1, -1)),
    "reshape to less": lambda A, **_: np.reshape(A[None], (3, 4)),
    "reshape with one more": lambda x, **_: np.reshape(x, (-1, 1)),
    "ravel": lambda x, **_: np.ravel(x[:, None]),
    "expand_dims": lambda A, **_: np.expand_dims(A, (0, -1)),
    "squeeze": lambda A, **_: np.squeeze(A[:, None, :, None]),
    "squeeze one": lambda A, **_: np.squeeze(A[:, None, :, None], axis=-1),
    "broadcast_to": lambda x, **_: np.broadcast_to(x, (2, 4)),
    "new axes": lambda x, y, **_: x[:, None] * y + y[None, ..., None, None],
    "sum": lambda T, **_: np.sum(T, axis=(0, -1)),
    "sum with axes kept": lambda A, **_: np.exp(A) / np.sum(np.exp(A), axis=1, keepdims=True),
    "add.reduce": lambda A, **_: np.add.reduce(A),
    "mean": lambda A, **_: np.mean(A, axis=0),
    "average": lambda A, y, **_: np.average(A, 0, y),
    "average by entries": lambda A, **_: np.average(A, weights=A),
    "average with axes kept": lambda T, x, **_: np.average(T, 1, x, keepdims=True),
    "average without weights": lambda A, **_: np.average(A, axis=1),
    "var": lambda A, **_: np.var(A, axis=1, ddof=1),
    "std": lambda x, **_: np.std(x),
    "clip": lambda A, **_: np.clip(A, -0.5, 0.5),
    "clip from below": lambda A, **_: np.clip(A, 0, None),
    "where": lambda A, **_: np.where(A > 0, A, 2 * A),
    "where, not strict": lambda A, **_: np.where(np.abs(A) <= A, A, 7),
    "where, both": lambda A, B, **_: np.where((A < 0) & (B > A), A, B),
    "where, one or not": lambda A, B, **_: np.where(~(A >= 0) | (B < 0), A, 1),
    "where, called": lambda A, B, **_: np.where(
        np.less(A, B), np.greater_equal(A, B) * 1.0 if 0 else 1, 0
    ),
    "a condition as a factor": lambda A, **_: (A > 0) * 1.5 - 2 * (A < 0) + (A > 1) * A,
    "ones_like": lambda A, **_: A + np.ones_like(A),
    "zeros_like": lambda A, **_: np.zeros_like(A),
    "full_like": lambda A, **_: np.full_like(A, 3),
    "inv": lambda S, **_: np.linalg.inv(S),
    "det": lambda S, **_: np.linalg.det(S),
    "slogdet": lambda S, **_: np.linalg.slogdet(-S).logabsdet,
    "sign of slogdet": lambda S, **_: np.linalg.slogdet(S)[0],
    "solve": lambda S, **_: np.linalg.solve(S, S.T @ S),
    "norm": lambda x, **_: np.linalg.norm(x),
    "norm of a matrix": lambda A, **_: np.linalg.norm(A),
    "norm of rows": lambda A, **_: np.linalg.norm(A, axis=1, keepdims=True),
    "norm, absolute": lambda x, **_: np.linalg.norm(x, 1),
    "norm, Frobenius": lambda A, **_: np.linalg.norm(A, "fro"),
    "vector_norm": lambda A, **_: np.linalg.vector_norm(A),
    "vector_norm, absolute": lambda A, **_: np.linalg.vector_norm(A, axis=1, ord=1),
    "matrix_norm": lambda T, **_: np.linalg.matrix_norm(T),
    "mT": lambda T, **_: T.mT,
    "matrix_power": lambda S, **_: np.linalg.matrix_power(S, 5),
    "matrix_power, negative": lambda S, **_: np.linalg.matrix_power(S, -2),
    "matrix_power, zero": lambda S, **_: np.linalg.matrix_power(S, 0) @ S,
    "multi_dot": lambda S, **_: np.linalg.multi_dot([S, S.T, S]),
    "linalg.trace": lambda S, A, **_: np.linalg.trace(np.einsum("ij,kl->klij", S, A)),
    "a NumPy scalar on the left": lambda x, **_: np.float64(2) * x - np.float64(1) / x,
    "powers by entries": lambda x, **_: 2**x + x**x,
    "absolute value": lambda A, **_: abs(A),
}
if hasattr(np, "matvec"):
    # Since NumPy 2.2.
    FUNCTIONS["matvec"] = lambda T, x, **_: np.matvec(T.mT, x)
    FUNCTIONS["vecmat"] = lambda T, x, **_: np.vecmat(x, T)


@pytest.mark.parametrize("function", ENTRYWISE, ids=lambda f: f.__name__)
def test_entrywise(function: np.ufunc) -> None:
    found = evaluated(function(x), VALUES)
    np.testing.assert_allclose(found, function(VALUES["x"]), rtol=1e-12)


@pytest.mark.parametrize("function", OF_TWO, ids=lambda f: f.__name__)
def test_of_two(function: np.ufunc) -> None:
    positive, other = VALUES["x"], VALUES["A"]
    np.testing.assert_allclose(
        evaluated(function(x, A), VALUES), function(positive, other), rtol=1e-12
    )
    np.testing.assert_allclose(
        evaluated(function(x, 0.5), VALUES), function(positive, 0.5), rtol=1e-12
    )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    expected = FUNCTIONS[name](**VALUES)
    found = FUNCTIONS[name](**E)
    value = evaluated(found, VALUES)
    assert value.shape == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)


def test_an_expression_is_itself_in_sets_and_dicts() -> None:
    """Equality is entry by entry; what is the same object is found."""
    assert x is eg.variable("x", ("n",))
    assert len({x, y, x}) == 2
    assert x in [x, y]
    assert {x: 1, y: 2}[y] == 2
    assert hash(x) == object.__hash__(x)


TRUTH = np.array([True, True, False])
V2, W2 = np.array([1.0, 2.0, 4.0]), np.array([1.0, 5.0, 4.0])
EQUALITIES: dict[str, tuple[Callable[..., Any], Any]] = {
    "two expressions": (lambda a, b: a == b, [1, 0, 1]),
    "not equal": (lambda a, b: a != b, [0, 1, 0]),
    "a number": (lambda a, b: a == 2, [0, 1, 0]),
    "a number first": (lambda a, b: 2 == a, [0, 1, 0]),  # noqa: SIM300
    "a number of NumPy first": (lambda a, b: np.float64(2) == a, [0, 1, 0]),
    "not a number": (lambda a, b: a != np.float64(2), [1, 0, 1]),
    "an array": (lambda a, b: a == W2, [1, 0, 1]),
    "an array first": (lambda a, b: a == W2, [1, 0, 1]),
    "not an array, which is first": (lambda a, b: a != W2, [0, 1, 0]),
    "a list": (lambda a, b: a == [1, 5, 4], [1, 0, 1]),
    "a list first": (lambda a, b: a != [1, 5, 4], [0, 1, 0]),
    "a column": (lambda a, b: (a[:, None] == b).sum(axis=0), [1, 0, 1]),
    "times something": (lambda a, b: 3 * (a == b), [3, 0, 3]),
    "in where": (lambda a, b: np.where(a == a.max(), a, 0 * b), [0, 0, 4]),
    "of comparisons": (lambda a, b: (a > 1) == (b > 4), [1, 1, 0]),
    "of a comparison and a number": (lambda a, b: (a > 1) == 1, [0, 1, 1]),
    "of a comparison and truth values": (lambda a, b: (a > 1) != TRUTH, [1, 0, 1]),
    "an order of comparisons": (lambda a, b: (a > 1) < (b > 0), [1, 0, 0]),
    "joined": (lambda a, b: (a == 1) | (b == 5), [1, 1, 0]),
    "negated": (lambda a, b: ~(a == b), [0, 1, 0]),
}  # fmt: skip


@pytest.mark.parametrize("case", EQUALITIES)
def test_equality_is_entry_by_entry(case: str) -> None:
    of, expected = EQUALITIES[case]
    np.testing.assert_array_equal(np.asarray(of(V2, W2)).astype(float), expected)
    a, b = eg.variable("a", (3,)), eg.variable("b", (3,))
    found = np.where(of(a, b), of(a, b) * 1, 0)
    values = {v.name: {"a": V2, "b": W2}[v.name] for v in found.variables}
    np.testing.assert_array_equal(found.evaluate(values), expected)


def test_equality_with_what_has_no_entries() -> None:
    assert not any(x == other for other in (None, "x", object(), int))
    assert all(x != other for other in (None, "x", object(), int))


def test_a_size_is_compared_as_a_number() -> None:
    found = np.where(x == x.shape[0], x, 0)
    np.testing.assert_array_equal(found.evaluate({"x": [1.0, 2.0]}), [0, 2])


def steps(a: Any, b: Any) -> list[Callable[[], Any]]:
    rank = np.ndim(a)
    return [
        lambda: np.add(a, b),
        lambda: np.multiply(a, b),
        lambda: np.subtract(b, a),
        lambda: np.matmul(a, b),
        lambda: np.dot(a, b),
        lambda: np.inner(a, b),
        lambda: np.tanh(a),
        lambda: np.maximum(a, 0.25),
        lambda: np.where(a > 0, a, -1),
        lambda: np.sum(a, axis=tuple(range(rank))[-1:], keepdims=True),
        lambda: np.mean(a),
        lambda: np.swapaxes(a, 0, rank - 1),
        lambda: np.expand_dims(a, rank // 2),
        lambda: np.tensordot(a, b, 1),
        lambda: np.einsum("...i,...i->...i", a, b),
        lambda: np.logaddexp(a, b),
        lambda: square_trace(a),
    ]


def square_trace(a: Any) -> Any:
    """NumPy also takes the trace of what is not square."""
    if np.ndim(a) < 2 or a.shape[0] != a.shape[1]:
        raise ValueError("not square")
    return np.trace(a)


Program = list[tuple[int, int, int]]


def run(program: Program, values: dict[str, Any]) -> Any:
    """What each step makes of two of the latest values; `ValueError` where arrays get large."""
    known = [values[name] for name in ("A", "x", "y", "S", "c", "B", "T")]
    for what, first, second in program:
        a, b = known[-1 - first % len(known)], known[-1 - second % len(known)]
        known.append(steps(a, b)[what]())
        if isinstance(known[-1], np.ndarray) and known[-1].size > 10_000:
            raise ValueError("too many entries: the next products would not fit into the memory")
    return known[-1]


@settings(max_examples=samples(200, 800), deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 16), st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=5
    )
)
def test_random_functions(program: Program) -> None:
    """Where NumPy computes something of the arrays, the traced expression has that value."""
    try:
        expected = run(program, VALUES)
    except (ValueError, IndexError):
        return
    value = evaluated(run(program, E), VALUES)
    assert value.shape == np.shape(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-9)


def test_numpys_integers_are_axes() -> None:
    one = np.int64(1)
    assert np.sum(A, axis=one).shape == ("m",)
    assert np.tensordot(A, x, axes=one).shape == ("m",)
    assert np.linalg.matrix_power(S, one) is S
    assert np.sum(A, axis=()) is A


@pytest.mark.parametrize("shape", [(2, 3), (3, 1), (0, 2)])
@pytest.mark.parametrize("function", [np.trace, np.diag, lambda a: np.diagonal(a, 0, -1, 0)])
def test_diagonals_of_matrices_that_are_not_square(
    function: Callable[..., Any], shape: tuple[int, int]
) -> None:
    at = np.arange(float(shape[0] * shape[1])).reshape(shape)
    found = function(eg.variable("a", shape)).evaluate({"a": at})
    np.testing.assert_array_equal(found, function(at))


JOINS = [np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack]


@pytest.mark.parametrize("function", JOINS, ids=lambda f: f.__name__)
def test_what_may_be_joined(function: Callable[..., Any]) -> None:
    shapes = [(), (1,), (2,), (1, 2), (2, 1), (2, 2), (3, 2), (1, 2, 2), (2, 2, 2)]
    for pair in itertools.product(shapes, shapes):
        values = {name: RNG.normal(size=shape) for name, shape in zip("ab", pair, strict=True)}
        parts = [eg.variable(name, value.shape) for name, value in values.items()]
        try:
            expected = function(list(values.values()))
        except ValueError:
            with pytest.raises(eg.ShapeError):
                function(parts)
        else:
            np.testing.assert_array_equal(evaluated(function(parts), values), expected, str(pair))
