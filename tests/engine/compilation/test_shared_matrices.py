"""Products of one matrix with several vectors are one matrix product."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.compilation.product_code import find_batches, scheduled
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

A, B = (terms.variable(name, ("n", "n")) for name in "AB")
VECTORS = [terms.variable(f"x{k}", ("n",)) for k in range(4)]


def times(matrix: Term, vector: Term) -> Term:
    return terms.einsum("ij,j->i", matrix, vector)


def tanh(term: Term) -> Term:
    return terms.apply("tanh", term)


def check(roots: list[Term], n: int = 100) -> str:
    """Compare with the oracle; return the code."""
    values = oracle.random_values(terms.variables(*roots), {"n": n}, np.random.default_rng(0))
    compiled = compile_terms(roots, sizes={"n": n})
    for found, expected in zip(compiled(**values), oracle.evaluate(roots, values), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    return compiled.source


@pytest.mark.parametrize("spec", ["ij,j->i", "ij,i->j", "j,ij->i"])
def test_products_with_one_matrix(spec: str) -> None:
    order = 1 if spec.startswith("j,") else -1
    source = check([tanh(terms.einsum(spec, *(A, x)[::-order])) for x in VECTORS])
    assert source.count(".dot(") == 1
    assert "np.array([x0, x1, x2, x3])" in source


def test_vectors_that_are_computed() -> None:
    source = check([times(A, tanh(times(B, x))) for x in VECTORS])
    assert source.count(".dot(") == 2


def test_a_vector_that_needs_another_product_is_left_out() -> None:
    products = [times(A, x) for x in VECTORS]
    later = times(A, tanh(products[0]))
    batches = find_batches([*products, later], CostModel())
    assert set(batches) == set(products)
    assert check([*products, later]).count(".dot(") == 2


def test_two_matrices_do_not_wait_for_each_other() -> None:
    first = times(A, VECTORS[0])
    second = times(B, VECTORS[1])
    rest = [times(m, x) for m in (A, B) for x in VECTORS[2:]]
    roots = [*rest, times(B, tanh(first)), times(A, tanh(second)), first, second]
    order = list(scheduled(roots, find_batches(roots, CostModel())))
    place = {t: k for k, t in enumerate(order)}
    assert all(place[a] < place[t] for t in order for a in t.args)
    check(roots)


@pytest.mark.parametrize("spec", ["ii,i->i", "i,ii->i", "ii,j->j", "ij,j->ij"])
def test_what_is_no_product_of_matrix_and_vector(spec: str) -> None:
    order = 1 if spec.index(",") == 2 else -1
    roots = [terms.einsum(spec, *(A, x)[::order]) for x in VECTORS]
    assert find_batches(roots, CostModel()) == {}
    check([*roots, *(times(A, x) for x in VECTORS)])


def test_small_matrices_and_few_vectors_stay_as_they_are() -> None:
    assert find_batches([times(A, x) for x in VECTORS[:2]], CostModel()) == {}
    assert find_batches([times(A, x) for x in VECTORS], CostModel({"n": 50})) == {}


@pytest.mark.parametrize("n", [0, 1, 3])
def test_other_sizes_than_expected(n: int) -> None:
    roots = [times(A, x) for x in VECTORS]
    compiled = compile_terms(roots)
    assert "np.array" in compiled.source
    values = oracle.random_values(terms.variables(*roots), {"n": n}, np.random.default_rng(0))
    for found, expected in zip(compiled(**values), oracle.evaluate(roots, values), strict=True):
        np.testing.assert_allclose(found, expected)


SPECS = (*["ij,j->i"] * 4, "ij,i->j", "j,ij->i", "ii,i->i", "ij,ij->i", "ij,jk->ik", "ji,kj->ik")


@st.composite
def programs(draw: st.DrawFn) -> list[Term]:
    """Products of a few matrices and vectors with each other, and functions of them."""
    # One matrix is drawn more often than others.
    pool = [A, A, A, B, terms.delta(("n",)), *VECTORS]
    for _ in range(draw(st.integers(4, 14))):
        spec = draw(st.sampled_from(SPECS))
        orders = [len(part) for part in spec.partition("->")[0].split(",")]
        args = [draw(st.sampled_from([t for t in pool if t.order == k])) for k in orders]
        pool.append(draw(st.sampled_from([tanh, lambda t: t]))(terms.einsum(spec, *args)))
    return pool[9:]


@settings(max_examples=150, deadline=None)
@given(programs(), st.integers(0, 4), st.sampled_from([np.float64, np.complex128]))
def test_random_programs(roots: list[Term], n: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    values = oracle.random_values(terms.variables(*roots), {"n": n}, rng)
    values = {name: v.astype(dtype) for name, v in values.items()}
    scope = terms.variables(*roots)
    compiled = compile_terms(roots, scope, {"n": n} if "n" not in values else None)
    expected = oracle.evaluate(roots, values, {"n": n})
    for found, value in zip(compiled(**values), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)
