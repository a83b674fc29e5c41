"""Compiled functions of other libraries' arrays: the oracle's values, and what callers give."""

import json
import pickle
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.backends import ArrayFunction
from eggrad.engine.compilation.compiled import Form
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.term import Term, variables
from tests.support.array_libraries import converter, each
from tests.support.random_expressions import random_expression

# Libraries that compute with NumPy warn as NumPy does.
pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Increasing number of chunks"),
]

CASES = json.loads(Path("tests/data/derivative_cases.json").read_text("utf-8"))
A = eg.variable("A", ("m", "n"))
S = eg.variable("S", ("n", "n"))
x = eg.variable("x", ("n",))
w = eg.variable("w", ("k",))


def agrees(library: str, term: Term, values: dict[str, Any], sizes: dict[str, int]) -> None:
    """Whether the term as it is, in a library's arrays, has the value that the oracle gives."""
    convert = converter(library)
    want = oracle.evaluate([term], values, sizes)[0]
    if not np.isfinite(want).all() or np.abs(want).max(initial=0) > 1e8:
        return
    own = ArrayFunction(library, [Form((term,))], single=True, jit=False)
    given = {name: convert(value) for name, value in values.items()}
    got = np.asarray(own(**given, **sizes))
    assert got.shape == want.shape
    np.testing.assert_allclose(
        got, want, rtol=1e-6, atol=1e-7 * max(1, np.abs(want).max(initial=0))
    )


@each()
@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_have_the_values_of_the_oracle(library: str, seed: int) -> None:
    term, _ = random_expression(Random(f"backends/{seed}"), kinked=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes([term], rng, (0, 1, 2, 3) if seed % 5 == 0 else (1, 2, 3))
    agrees(library, term, oracle.random_values(variables(term), sizes, rng), sizes)


@each()
@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_derivatives_of_the_literature(library: str, case: dict[str, Any]) -> None:
    problem = eg.parse(case["einsum_syntax"])
    derivative = problem.derivative()
    rng = np.random.default_rng(1)
    own = [e.term for e in (problem.expression, derivative)]
    sizes = oracle.random_sizes(own, rng, (3,))
    values = oracle.random_values(variables(*own), sizes, rng)
    positive = {k for k, v in case["vars"].items() if "entries positive" in v["properties"]}
    values = {k: np.abs(v) + 0.1 if k in positive else v for k, v in values.items()}
    want = oracle.evaluate(own, values, sizes)
    convert = converter(library)
    f = eg.compile([problem.expression, derivative], backend=library, jit=False)
    got = f(**{name: convert(value) for name, value in values.items()}, **sizes)
    for a, b in zip(got, want, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-7, atol=1e-9)


WITH_INDICATORS = {
    "cumulative sum": np.cumsum(x),
    "the other way": np.flip(np.cumsum(np.flip(x))),
    "of rows": np.cumsum(A, axis=1),
    "differences": np.diff(x),
    "convolution": np.convolve(x, w),
    "within": np.convolve(x, w, "valid"),
    "joined": np.concatenate([x, x * x]),
    "stacked": np.stack([x, 2 * x]),
    "lower triangle": np.tril(S),
    "upper triangle": np.triu(A, 1),
    "slice": x[1:-1],
    "reversed": x[::-1],
    "row": A[2],
    "diagonal": np.diagonal(S),
    "beside the diagonal": np.diagonal(S, 1),
}


@each()
@pytest.mark.parametrize("name", WITH_INDICATORS)
def test_indicators_are_slices_gathers_and_sums(library: str, name: str) -> None:
    f = WITH_INDICATORS[name]
    rng = np.random.default_rng(0)
    sizes = {"n": 7, "m": 5, "k": 3}
    values = oracle.random_values(f.variables, sizes, rng)
    convert = converter(library)
    given = {n: convert(v) for n, v in values.items()}
    by = next(v for v in (x, A, S) if v.term in variables(f.term))
    for own in (f, eg.gradient(eg.sum(np.sin(f)), by)):
        got = eg.compile(own, backend=library, jit=False)(**given)
        np.testing.assert_allclose(
            np.asarray(got), own.evaluate(values, reference=True), rtol=1e-10, atol=1e-12
        )


@each()
def test_results_have_the_library_the_dtype_and_the_order_of_what_is_given(library: str) -> None:
    convert = converter(library)
    single = convert(np.ones(3, np.float32))
    f = eg.compile([x @ x, 2 * x, eg.constant(1, ("n",)) + 0 * x], backend=library)
    assert f.parameters == ("x",)
    for result in (f(single), f(x=single)):
        for r in result:
            assert type(r) is type(single)
            assert np.asarray(r).dtype == np.float32
    assert np.asarray(f(convert(np.arange(3)))[0]).dtype.kind == "f"


@each()
def test_wrong_arguments_are_told_as_for_numpy(library: str) -> None:
    convert = converter(library)
    f = eg.compile(A @ x, backend=library)
    with pytest.raises(eg.UnknownVariable, match=r"A \(m, n\) has no value"):
        f(x=convert(np.ones(3)))
    with pytest.raises(eg.ShapeError, match="size n is"):
        f(A=convert(np.ones((2, 3))), x=convert(np.ones(4)))
    with pytest.raises(eg.ShapeError, match="variable x has axes"):
        f(A=convert(np.ones((2, 3))), x=convert(np.ones((3, 1))))
    with pytest.raises(eg.UnsupportedOperation, match="3 arguments"):
        f(1, 2, 3)


@each()
def test_sizes_that_no_array_fixes_are_keywords(library: str) -> None:
    convert = converter(library)
    ones = eg.compile(eg.sum(eg.constant(1, ("n", "k")), axis=1) * x, backend=library)
    assert list(np.asarray(ones(x=convert(np.ones(2)), k=5))) == [5, 5]
    with pytest.raises(eg.UnknownVariable, match="size k"):
        ones(x=convert(np.ones(2)))


@each()
def test_singular_matrices_give_nothing_finite(library: str) -> None:
    convert = converter(library)
    for f in (eg.inv(S) @ x, eg.inv(S)):
        got = eg.compile(f, backend=library)(S=convert(np.zeros((2, 2))), x=convert(np.ones(2)))
        assert not np.isfinite(np.asarray(got)).any()


@each()
def test_functions_may_be_pickled(library: str) -> None:
    convert = converter(library)
    f = pickle.loads(pickle.dumps(eg.compile([A @ x, eg.exp(x)], backend=library)))
    product, powers = f(A=convert(np.eye(2)), x=convert(np.array([0.0, 1.0])))
    assert list(np.asarray(product)) == [0, 1]
    np.testing.assert_allclose(np.asarray(powers), np.exp([0, 1]))


@each()
def test_the_library_of_the_arrays_is_followed(library: str) -> None:
    convert = converter(library)
    f = eg.compile(x @ x, backend=None)
    given = convert(np.ones(3))
    assert type(f(given)) is type(eg.compile(x @ x, backend=library)(given))
    assert isinstance(f(np.ones(3)), np.float64)


@each(["jax"])
def test_jax_transforms_what_is_compiled(library: str) -> None:
    converter(library)
    import jax

    f = eg.compile(eg.sum(eg.log(1 + eg.exp(x))), backend="jax")
    rows = np.arange(6.0).reshape(3, 2)
    np.testing.assert_allclose(jax.vmap(f)(rows), np.log1p(np.exp(rows)).sum(1), rtol=1e-12)
    np.testing.assert_allclose(jax.grad(f)(rows[1]), 1 / (1 + np.exp(-rows[1])), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(lambda a: 2 * f(x=a))(rows[0]), 2 * f(rows[0]), rtol=1e-12)


@each(["torch"])
def test_torch_differentiates_what_is_compiled(library: str) -> None:
    converter(library)
    import torch

    own = torch.arange(3.0, requires_grad=True)
    eg.compile(x @ x, backend="torch")(own).backward()
    assert own.grad.tolist() == [0, 2, 4]


def test_backends_that_are_none_or_not_here_are_refused() -> None:
    with pytest.raises(eg.UnsupportedOperation, match="backend is one of numpy, jax, torch"):
        eg.compile(x, backend="fortran")
    with pytest.raises(eg.UnsupportedOperation, match="pip install array-api-compat cupy"):
        eg.compile(x, backend="cupy")
    with pytest.raises(eg.UnsupportedOperation, match="compiles nothing"):
        eg.compile(x, jit=True)


@each(["torch"])
@pytest.mark.filterwarnings("ignore")
def test_torch_compiles_whole_functions_on_request(library: str) -> None:
    convert = converter(library)
    f = eg.compile([eg.sum(eg.exp(x)), eg.exp(x)], backend="torch", jit=True)
    total, powers = f(convert(np.array([0.0, 1.0])))
    np.testing.assert_allclose([total, *powers], [1 + np.e, 1, np.e], rtol=1e-12)


@each(["torch", "array_api"])
def test_results_share_no_memory_with_anything_else(library: str) -> None:
    convert = converter(library)
    fixed = x * np.array([1.0, 2.0, 3.0])
    f = eg.compile(
        [x[1:], x[::-1], S[1], np.diagonal(S), eg.gradient(eg.sum(fixed), x), eg.exp(x)[1:], x],
        backend=library,
    )
    given = {"x": convert(np.arange(3.0)), "S": convert(np.eye(3))}
    before = [np.asarray(r).copy() for r in f(**given)]
    for result in f(**given):
        result[...] = 100
    for result, expected in zip(f(**given), before, strict=True):
        np.testing.assert_array_equal(np.asarray(result), expected)


@each(["jax", "torch"])
def test_derivatives_by_the_library_are_right_at_zero_and_far_away(library: str) -> None:
    at = converter(library)(np.array([0.0, 1e3, -1e3, 0.5]))
    for f in (eg.log(1 + eg.exp(x)), 1 / (1 + eg.exp(-x)), eg.log((eg.exp(x) + eg.exp(-x)) / 2)):
        total = eg.compile(eg.sum(f), backend=library)
        if library == "torch":
            import torch

            found = torch.autograd.functional.hessian(total, at)
        else:
            import jax

            found = jax.hessian(total)(at)
        want = eg.hessian(eg.sum(f), x).evaluate({"x": np.asarray(at)})
        np.testing.assert_allclose(np.asarray(found), want, atol=1e-9)


@each()
def test_numbers_and_arrays_of_numpy_beside_those_of_a_library(library: str) -> None:
    convert = converter(library)
    c = eg.variable("c")
    f = eg.compile(A @ x * c, backend=library)
    single = convert(np.ones((2, 3), np.float32))
    got = f(A=single, x=np.arange(3.0, dtype=np.float32)[::-1], c=2.5)
    assert type(got) is type(single)
    assert np.asarray(got).dtype == np.float32
    with pytest.raises(eg.UnsupportedOperation, match="not an array of numbers"):
        f(A=single, x="abc", c=1)
    with pytest.raises((TypeError, eg.UnsupportedOperation), match="values"):
        f(single, A=single, x=np.ones(3), c=1)


def test_arrays_of_another_library_are_refused() -> None:
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    with pytest.raises(eg.UnsupportedOperation, match=r"not of jax"):
        eg.compile(x, backend="torch")(jax.numpy.ones(3))
    with pytest.raises(eg.UnsupportedOperation, match=r"not of torch"):
        eg.compile(x, backend="jax")(torch.ones(3))


@each()
def test_norms_of_very_large_and_small_entries(library: str) -> None:
    convert = converter(library)
    f = eg.compile(eg.sum(x * x) ** 0.5, backend=library)
    for size in (1e308, 1e-300, 0.0):
        got = np.asarray(f(convert(np.array([0.3, -0.4]) * size)))
        np.testing.assert_allclose(got, 0.5 * size, rtol=1e-12)
    rows = eg.compile(eg.exp(A) / eg.sum(eg.exp(A), axis=1)[:, None], backend=library)
    assert np.asarray(rows(convert(np.ones((0, 3))))).shape == (0, 3)


@each()
def test_arguments_in_order_are_those_that_were_given(library: str) -> None:
    """Also where lowering has done without some."""
    convert, y = converter(library), eg.variable("y", ("n",))
    f = eg.compile(0 * y + x, backend=library, jit=False)
    assert f.parameters == eg.compile(0 * y + x).parameters == ("x", "y")
    found = f(convert(np.arange(3.0)), convert(np.ones(3)))
    np.testing.assert_array_equal(np.asarray(found), np.arange(3.0))


@each(("jax", "torch", "array_api"))
def test_what_a_mask_hides_has_no_part_in_derivatives(library: str) -> None:
    """Dask would have to read all data to know whether something is hidden."""
    X, y = eg.variable("X", ("m", "n")), eg.variable("y", ("m",))
    f = eg.sum(np.where(y > 0, (X @ x - y) ** 2, 0))
    shown = np.random.default_rng(0).normal(size=(4, 3))
    values = {"x": np.ones(3), "y": np.array([1.0, -1.0, 2.0, -1.0]), "v": np.ones(3)}
    hidden = np.where(values["y"][:, None] > 0, shown, np.nan)
    convert = converter(library)
    for wanted in (eg.gradient(f, x), eg.hvp(f, x, "v"), eg.hessian(f, x)):
        compiled = eg.compile(wanted, backend=library)
        expected, found = (
            compiled(**{k: convert((values | {"X": own})[k]) for k in compiled.parameters})
            for own in (shown, hidden)
        )
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected))
