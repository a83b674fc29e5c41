"""Products of which `relu` switches rows or columns off, against the oracle."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine import active_products, oracle
from eggrad.engine import term as t
from eggrad.engine.binding import name_of
from eggrad.engine.compiled import CompiledFunction, compile_terms

MATRICES = [t.variable(name, ("n", "n")) for name in "ABC"]
VECTORS = [t.variable(name, ("n",)) for name in "abc"]
A, B, C = MATRICES
RELU = [t.apply("relu", v) for v in VECTORS]
STEP = [t.apply("sign", v) for v in RELU]
# Every way to lay out the operands and the result of a product of matrices.
PRODUCTS = [
    t.einsum("ij,jk->ik", A, B).data,
    t.einsum("ij,jk->ki", A, B).data,
    t.einsum("ij,kj->ik", A, B).data,
    t.einsum("ji,jk->ik", A, B).data,
    t.einsum("ji,kj->ik", A, B).data,
]


@pytest.fixture(autouse=True)
def _every_product_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(active_products, "WORTH_PICKING", 1)


def rows(matrix: t.Term, vector: t.Term) -> t.Term:
    return t.einsum("ij,i->ij", matrix, vector)


def columns(matrix: t.Term, vector: t.Term) -> t.Term:
    return t.einsum("ij,j->ij", matrix, vector)


def dot(left: t.Term, right: t.Term) -> t.Term:
    return t.einsum("ij,jk->ik", left, right)


def check(function: CompiledFunction, roots: Sequence[t.Term], n: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    values = oracle.random_values(t.variables(*roots), {"n": n}, rng)
    found = function(**values)
    for result, expected in zip(found, oracle.evaluate(roots, values, {"n": n}), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


def test_a_chain_is_one_call() -> None:
    """Rows are switched by what all is multiplied by at the end; no operand is by its switches."""
    first = columns(dot(A, rows(B, STEP[0])), STEP[1])
    root = rows(dot(columns(dot(first, C), STEP[0]), A), STEP[2])
    function = compile_terms([root], sizes={"n": 100})
    assert function.source.count("product_of_active(") == 1
    assert "([A, B, C, A], [t1, t2, t3, t2, None])" in function.source
    for n in (0, 1, 5, 20):
        check(function, [root], n)


def test_a_chain_goes_on_from_the_right() -> None:
    root = dot(A, rows(dot(B, rows(dot(C, columns(A, STEP[1])), STEP[0])), STEP[2]))
    function = compile_terms([root], sizes={"n": 100})
    assert function.source.count("product_of_active(") == 1
    assert "A.T], " in function.source
    check(function, [root], 20)


def test_a_factor_that_is_not_zero_or_one_stays() -> None:
    root = dot(columns(dot(A, columns(B, STEP[0])), RELU[0]), C)
    function = compile_terms([root], sizes={"n": 100})
    assert function.source.count("product_of_active(") == 2
    check(function, [root], 20)


def test_what_is_needed_twice_is_computed_once() -> None:
    inner = columns(dot(A, columns(B, STEP[0])), STEP[0])
    roots = [dot(inner, C), t.einsum("ij->", inner)]
    function = compile_terms(roots, sizes={"n": 100})
    assert function.source.count("product_of_active(") == 2
    check(function, roots, 20)


@pytest.mark.parametrize("spec", ["ki,kj->ij", "kj,ki->ij", "ki,kj->ji"])
def test_a_weighted_matrix_times_itself_is_computed_by_half(spec: str) -> None:
    weighted = rows(A, t.apply("exp", VECTORS[1]))
    both = t.einsum("i,j->ij", STEP[0], STEP[0])
    root = t.einsum("ij,ij->ij", both, t.einsum(spec, A, weighted))
    function = compile_terms([root], sizes={"n": 100})
    assert "symmetric_product_of_active(A, t1, t2)" in function.source
    for n in (0, 1, 5, 60, 100):
        check(function, [root], n)


def test_a_symmetric_product_of_infinite_numbers() -> None:
    both = t.einsum("i,j->ij", STEP[0], STEP[0])
    root = t.einsum("ij,ij->ij", both, t.einsum("ki,kj->ij", A, rows(A, VECTORS[1])))
    function = compile_terms([root], sizes={"n": 100})
    matrix, weights = np.ones((20, 20)), np.ones(20)
    a = np.repeat([-1.0, 1.0], 10)
    for at, value in ((matrix, np.inf), (weights, np.nan)):
        at[..., 0] = value
        with np.errstate(invalid="ignore"):
            (found,) = function(A=matrix, b=weights, a=a)
        assert np.isnan(found[0]).all()
        at[..., 0] = 1.0


def hessian_of_network(layers: int) -> eg.Expression:
    """By the first weights; all layers but the last have rows that are switched off."""
    weights = [eg.variable(f"W{k}", ("n", "n")) for k in range(layers)]
    h = eg.variable("x", ("n",))
    for W in weights[:-1]:
        h = eg.relu(W @ h)
    return eg.hessian(eg.log(eg.sum(eg.exp(weights[-1] @ h))), "W0")


def test_the_jacobian_in_a_second_derivative_is_computed_once() -> None:
    """Of six layers, in four products; that the other factor of the Hessian is xx' is no matter."""
    hessian = hessian_of_network(6)
    function = eg.compile(hessian, sizes={"n": 100}, structure="factored")
    chains = re.findall(r" product_of_active\(\[(.*?)\]", function.source)
    assert sum(len(chain.split(", ")) - 1 for chain in chains) == 4
    assert function.source.count(" symmetric_product_of_active(") == 1
    rng = np.random.default_rng(0)
    values = {"x": rng.normal(size=5)} | {f"W{k}": rng.normal(size=(5, 5)) for k in range(6)}
    np.testing.assert_allclose(function(**values).todense(), hessian.evaluate(values), 1e-9, 1e-12)


def test_a_switch_that_is_made_of_the_product() -> None:
    product = dot(A, B)
    root = rows(product, t.apply("sign", t.apply("relu", t.einsum("ij,j->i", product, VECTORS[0]))))
    function = compile_terms([root], sizes={"n": 100})
    assert "product_of_active" not in function.source
    check(function, [root], 20)


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_all_or_nothing_is_active(value: float) -> None:
    root = rows(dot(columns(dot(A, B), STEP[0]), C), STEP[1])
    function = compile_terms([root], sizes={"n": 100})
    values = oracle.random_values(t.variables(root), {"n": 9}, np.random.default_rng(0))
    values |= {"a": np.full(9, value), "b": np.full(9, value)}
    (expected,) = oracle.evaluate([root], values, {"n": 9})
    np.testing.assert_allclose(function(**values)[0], expected, rtol=1e-9)


def test_infinity_times_zero_is_not_a_number() -> None:
    """Both where the infinite entry meets the zero and where the product does."""
    root = rows(dot(columns(A, STEP[0]), B), STEP[1])
    function = compile_terms([root], sizes={"n": 100})
    A_value, B_value = np.ones((2, 20, 20))
    B_value[0, 0] = np.inf
    a = np.repeat([-1.0, 1.0], 10)
    with np.errstate(invalid="ignore"):
        (found,) = function(A=A_value, B=B_value, a=a, b=a)
    assert np.isnan(found[:, 0]).all()
    np.testing.assert_array_equal(found[:, 1], np.repeat([0.0, 10.0], 10))


OUTER = t.einsum("i,j->ij", STEP[0], STEP[0])
SWITCHED = {
    "rows of a result": rows(dot(A, B), STEP[0]),
    "columns of a result": columns(dot(A, B), STEP[0]),
    "rows": dot(rows(A, STEP[0]), B),
    "columns": dot(A, columns(B, STEP[0])),
    "inside": dot(columns(A, STEP[0]), B),
    "symmetric": t.einsum("ij,ij->ij", OUTER, t.einsum("ki,kj->ij", A, rows(A, VECTORS[1]))),
}


@pytest.mark.parametrize("root", SWITCHED.values(), ids=SWITCHED)
@pytest.mark.parametrize("off", [2, 9])
def test_a_switch_that_is_not_a_number(root: t.Term, off: int) -> None:
    """It is neither on nor off, whether few are on or many."""
    values = {name: np.ones((10, 10)) for name in "AB"} | {"b": np.ones(10)}
    values["a"] = np.r_[np.nan, np.full(9, 1.0)]
    values["a"][-off:] = -1
    values = {name: values[name] for name in map(name_of, t.variables(root))}
    with np.errstate(invalid="ignore"):
        (expected,) = oracle.evaluate([root], values, {"n": 10})
        (found,) = compile_terms([root], sizes={"n": 100})(**values)
    assert np.isnan(expected).any()
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("name", ["rows", "columns", "inside"])
def test_a_product_that_overflows_where_it_is_switched_off(name: str) -> None:
    values = dict.fromkeys("AB", np.full((10, 10), 1e200)) | {"a": np.repeat([-1.0, 1.0], 5)}
    with np.errstate(over="ignore"):
        (expected,) = oracle.evaluate([SWITCHED[name]], values, {"n": 10})
        (found,) = compile_terms([SWITCHED[name]], sizes={"n": 100})(**values)
    assert not np.isnan(expected).any()
    np.testing.assert_array_equal(found, expected)


def test_a_sum_of_switches_is_no_switch() -> None:
    roots = [t.einsum("k,ij->ij", STEP[0], A), t.einsum("kj,ij->ij", OUTER, A)]
    check(compile_terms(roots, sizes={"n": 100}), roots, 5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_keeps_the_dtype_and_the_arguments(dtype: type) -> None:
    root = rows(dot(columns(dot(A, B), STEP[0]), C), STEP[1])
    function = compile_terms([root], sizes={"n": 100})
    values = oracle.random_values(t.variables(root), {"n": 9}, np.random.default_rng(0))
    given = {name: np.asfortranarray(v.astype(dtype)) for name, v in values.items()}
    before = {name: v.copy() for name, v in given.items()}
    for array in given.values():
        array.flags.writeable = False
    assert function(**given)[0].dtype == dtype
    for name, array in given.items():
        np.testing.assert_array_equal(array, before[name])


@st.composite
def programs(draw: st.DrawFn) -> list[t.Term]:
    known = [*MATRICES]
    for _ in range(draw(st.integers(2, 10))):
        a, b = (draw(st.sampled_from(known[-4:])) for _ in "ab")
        vector = draw(st.sampled_from([*STEP, *RELU, VECTORS[0]]))
        made = [
            *(t.einsum(spec, a, b) for spec in PRODUCTS),
            rows(a, vector),
            columns(a, vector),
            t.einsum("i,ij->ji", vector, a),
            t.subtract(a, b),
            t.einsum("ij,ij->ij", a, b),
            t.negate(a),
            t.apply("sign", a),
            rows(a, t.apply("relu", t.einsum("ij->i", b))),
        ]
        known.append(draw(st.sampled_from(made)))
    return [known[-1], *draw(st.lists(st.sampled_from(known[3:]), max_size=1))]


@settings(max_examples=500, deadline=None)
@given(programs(), st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 5, 9]))
def test_random_programs(roots: list[t.Term], seed: int, n: int) -> None:
    check(compile_terms(roots, sizes={"n": 100}), roots, n, seed)


def test_the_hessian_of_a_network() -> None:
    hessian = hessian_of_network(4)
    function = eg.compile(hessian, sizes={"n": 100})
    assert "product_of_active(" in function.source
    rng = np.random.default_rng(1)
    arrays = {f"W{k}": rng.standard_normal((6, 6)) / 2 for k in range(4)} | {"x": np.ones(6)}
    np.testing.assert_allclose(function(**arrays), hessian.evaluate(arrays), rtol=1e-9, atol=1e-12)
