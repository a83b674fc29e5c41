"""Products of two arrays: which comes first, and their values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from tests.support.tiers import samples


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("ij,jk->ik", "A.dot(B)"),
        ("ij,jk->ki", "B.T.dot(A.T)"),
        ("ij,i->j", "B.dot(A)"),
        ("ij,j->i", "A.dot(B)"),
        ("ij,kjl->kil", "A.dot("),
        ("ji,kjl->kil", "A.T.dot("),
        ("kijl,ij->kl", "B.ravel()"),
        ("kijl,ijm->kml", ".dot("),
        ("klijm,i->kljm", "B @ A.reshape("),
        ("bij,bjk->bki", " @ "),
    ],
)
def test_results_lie_as_the_terms_axes_and_no_matrix_is_transposed_for_a_vector(
    spec: str, text: str
) -> None:
    """Where that is possible."""
    parts = spec.partition("->")[0].split(",")
    left, right = (t.variable(n, tuple(p)) for n, p in zip("AB", parts, strict=True))
    root = t.einsum(spec, left, right)
    function = compile_terms([root])
    assert text in function.source
    sizes = dict(zip("bijklm", (2, 3, 4, 5, 2, 3), strict=True))
    values = oracle.random_values([left, right], sizes, np.random.default_rng(0))
    (expected,) = oracle.evaluate([root], values, sizes)
    np.testing.assert_allclose(function(**values)[0], expected, 1e-9, 1e-9)


# Sums of outer products -------------------------------------------------------------------------


@st.composite
def sums(draw: st.DrawFn) -> t.Term:
    """A sum of outer products of two vectors, with signs, and at times something else in it."""
    summands: list[t.Term] = []
    for k in range(draw(st.integers(2, 7))):
        spec, dims = draw(
            st.sampled_from([("i,j->ij", "mn"), ("j,i->ij", "nm"), ("i,j->ji", "nm")])
        )
        u, v = (t.variable(f"{name}{k}", (d,)) for name, d in zip("uv", dims, strict=True))
        summands.append(t.einsum(spec, draw(st.sampled_from([u, t.constant(2, u.dims)])), v))
    if draw(st.booleans()):
        others = [t.variable("T", ("m", "n")), t.constant(2, ("m", "n")), summands[0]]
        summands.append(draw(st.sampled_from(others)))
    while len(summands) > 1:
        a, b = summands.pop(), summands.pop(draw(st.integers(0, len(summands) - 1)))
        build = draw(st.sampled_from([t.add, t.subtract, lambda x, y: t.add(t.negate(x), y)]))
        summands.append(build(a, b))
    return summands[0]


@settings(max_examples=samples(75, 300), deadline=None)
@given(sums(), st.integers(0, 2**32 - 1))
def test_a_sum_of_outer_products_is_the_oracle(term: t.Term, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = {"m": int(rng.integers(4)), "n": int(rng.integers(4))}
    values = oracle.random_values(t.variables(term), sizes, rng)
    result = compile_terms([term], sizes=sizes, single=True)(**values)
    np.testing.assert_allclose(result, oracle.value(term, values, sizes), rtol=1e-9, atol=1e-12)


# Programs ---------------------------------------------------------------------------------------

A, B = (t.variable(name, ("n", "n")) for name in "AB")
VECTORS = [t.variable(f"x{k}", ("n",)) for k in range(4)]


def tanh(term: t.Term) -> t.Term:
    return t.apply("tanh", term)


SPECS = (*["ij,j->i"] * 4, "ij,i->j", "j,ij->i", "ii,i->i", "ij,ij->i", "ij,jk->ik", "ji,kj->ik")


@st.composite
def programs(draw: st.DrawFn) -> list[t.Term]:
    """Products of a few matrices and vectors with each other, and functions of them."""
    # One matrix is drawn more often than others.
    pool = [A, A, A, B, t.delta(("n",)), *VECTORS]
    for _ in range(draw(st.integers(4, 14))):
        spec = draw(st.sampled_from(SPECS))
        orders = [len(part) for part in spec.partition("->")[0].split(",")]
        args = [draw(st.sampled_from([node for node in pool if node.order == k])) for k in orders]
        pool.append(draw(st.sampled_from([tanh, lambda node: node]))(t.einsum(spec, *args)))
    return pool[9:]


@settings(max_examples=samples(75, 300), deadline=None)
@given(programs(), st.integers(0, 4))
def test_random_programs(roots: list[t.Term], n: int) -> None:
    rng = np.random.default_rng(n)
    values = oracle.random_values(t.variables(*roots), {"n": n}, rng)
    scope = t.variables(*roots)
    compiled = compile_terms(roots, scope, {"n": n} if "n" not in values else None)
    expected = oracle.evaluate(roots, values, {"n": n})
    for found, value in zip(compiled(**values), expected, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-9, atol=1e-12)
