"""What structure the analysis finds in products, and that its parts add up to the term."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.compilation.factored_code import CompiledFactors, structure
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from tests.cases.test_derivative_cases import CASES, instances
from tests.support import numeric_terms
from tests.support.tiers import samples

# Derivatives with deltas or outer products.
STRUCTURED = ("tg_had", "tc_relu", "mc079", "mc090", "mc118h", "tg_soft", "tg_cezt", "o_sum4t")

A = t.variable("A", ("m", "n"))
S = t.variable("S", ("n", "n"))
x = t.variable("x", ("n",))
y = t.variable("y", ("m",))
c = t.variable("c")
d = t.delta(("n",))
V = t.einsum("ij,ik->jk", A, A)


def shown(term: t.Term) -> list[str]:
    """Each part as an index string, as a factored tensor shows it."""
    sizes = dict.fromkeys(("m", "n", "k"), 2)
    rng = np.random.default_rng(0)
    values = oracle.random_values(t.variables(term), sizes, rng, "normal")
    (tensor,) = CompiledFactors([term], sizes=sizes)(**values)
    return [repr(p)[len("<Part ") : -1] for p in tensor.parts]


L, R = t.variable("L", ("n", 2)), t.variable("R", (2, "n"))


@pytest.mark.parametrize(
    ("term", "parts"),
    [
        (t.einsum("ij,jk->ik", L, R), ["ij,kj->ik"]),
        (t.einsum("ij,jk->ik", S, t.einsum("ij,jk->ik", L, R)), ["ij,kj->ik"]),
        (t.einsum("ij,jk->ik", t.einsum("ij,jk->ik", L, R), S), ["ij,kj->ik"]),
        (t.einsum("ik,k->ik", t.einsum("ij,jk->ik", L, R), x), ["ij,kj->ik"]),
        (t.add(d, t.einsum("ij,jk->ik", L, R)), ["->ii", "ij,kj->ik"]),
        (t.einsum("ij,kl->ikjl", t.einsum("ij,jk->ik", L, R), d), ["ij,kj->ilkl"]),
        # As many numbers as without, or more.
        (t.einsum("ij,ij->ij", t.einsum("ij,jk->ik", L, R), S), ["ij->ij"]),
        (t.einsum("ij,jk->k", L, R), ["i->i"]),
        (t.einsum("ij,ji->", L, R), ["->"]),
        (t.add(S, t.einsum("ij,jk->ik", L, R)), ["ij->ij"]),
    ],
)
def test_matrices_of_low_rank_stay_products(term: t.Term, parts: list[str]) -> None:
    sizes = {"n": 12}
    values = oracle.random_values(t.variables(term), sizes, np.random.default_rng(0), "normal")
    (tensor,) = CompiledFactors([term], sizes=sizes)(**values)
    assert [repr(p)[len("<Part ") : -1] for p in tensor.parts] == parts
    (reference,) = oracle.evaluate([term], values, sizes)
    np.testing.assert_allclose(tensor.todense(), reference, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("term", "parts"),
    [
        (A, ["ij->ij"]),
        (t.apply("exp", A), ["ij->ij"]),
        (t.constant(3, ("m", "n")), ["->ij"]),
        (t.delta(()), ["->"]),
        (d, ["->ii"]),
        (t.delta(("m", "n")), ["->ijij"]),
        (t.einsum("ijkl->jkil", t.delta(("m", "n"))), ["->ijji"]),
        (t.einsum("ij,i->ij", d, x), ["i->ii"]),
        (t.einsum("ij,j->ij", d, x), ["i->ii"]),
        (t.einsum("ij,k->ijk", d, x), ["i->jji"]),
        (t.einsum("ij,k->kij", d, y), ["i->ijj"]),
        (t.einsum("ij,kl->ikjl", t.delta(("m",)), V), ["ij->kikj"]),
        (t.einsum("ij,ikl->ikjl", d, t.variable("Q", ("n", "m", "m"))), ["ijk->ijik"]),
        # A diagonal of a product, deltas that meet in one axis, deltas that sums use up.
        (t.einsum("iikl->ikl", t.einsum("ij,kl->ikjl", d, S)), ["ij->iij"]),
        (t.einsum("ij,jk->ijk", d, d), ["->iii"]),
        (t.einsum("ij,jk->ik", d, S), ["ij->ij"]),
        (t.einsum("ij,jk->ik", d, d), ["->ii"]),
        (t.einsum("ii->", d), ["->"]),
        (t.einsum("ij->i", d), ["->i"]),
        # Scalings, negatives, sums.
        (t.negate(t.einsum(",ij->ij", t.constant(2), d)), ["->ii"]),
        (t.divide(d, c), ["->ii"]),
        (t.divide(d, S), ["i->ii"]),
        (t.subtract(d, t.einsum("i,j->ij", x, x)), ["->ii", "i,j->ij"]),
        (t.add(d, S), ["ij->ij"]),
        (t.add(S, t.constant(1, ("n", "n"))), ["ij->ij"]),
        (t.add(t.einsum("ij,i->ij", d, x), t.einsum("ij,j->ij", d, x)), ["i->ii"]),
        (t.einsum("ij,k->ijk", t.add(d, t.einsum("i,j->ij", x, x)), y), ["i->jji", "i,j,k->ijk"]),
        # Outer products stay apart, what is summed or fits into a factor does not.
        (t.einsum("i,j->ij", x, y), ["i,j->ij"]),
        (t.einsum("i,ij->ij", y, A), ["ij->ij"]),
        (t.einsum("ij,kj->ik", A, A), ["ij->ij"]),
        (t.einsum("ij,kj->ikj", S, S), ["ij,kj->ikj"]),
        (t.einsum("ij,j->i", t.einsum("i,j->ij", y, x), x), ["i->i"]),
    ],
)  # fmt: skip
def test_parts(term: t.Term, parts: list[str]) -> None:
    assert shown(term) == parts


def test_a_term_without_structure_is_its_own_core() -> None:
    for term in (V, t.add(V, d), t.einsum("ij,j->i", A, x), t.add(V, V)):
        ((product),) = structure(term)
        assert [core for core, _ in product.cores] == [term]


def test_sums_of_products_do_not_multiply() -> None:
    """The number of parts of a product of many sums is bounded."""
    rank_two = t.add(t.einsum("i,j->ij", x, x), t.einsum("i,j->ij", t.apply("exp", x), x))
    whole = t.add(t.einsum("ij,i->ij", d, x), rank_two)
    for _ in range(12):
        whole = t.einsum("ij,jk->ik", whole, t.add(d, rank_two))
    assert len(structure(whole)) <= 5
    values = {"x": np.array([0.1, -0.2])}
    (tensor,) = CompiledFactors([whole])(**values)
    np.testing.assert_allclose(tensor.todense(), oracle.value(whole, values), rtol=1e-9)


@settings(max_examples=samples(150, 600), deadline=None)
@given(numeric_terms.roots(), st.integers(0, 2**32 - 1))
def test_parts_add_up_to_the_oracle(roots: list[t.Term], seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes(roots, rng, choices=(0, 1, 2, 3))
    values = oracle.random_values(t.variables(*roots), sizes, rng, "normal")
    with np.errstate(all="ignore"):
        results = CompiledFactors(roots, sizes=sizes)(**values)
    assert [r.shape for r in results] == [tuple(sizes.get(d, d) for d in r.dims) for r in roots]
    if numeric_terms.is_tame(roots, values, sizes):
        for result, expected in zip(results, oracle.evaluate(roots, values, sizes), strict=True):
            np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["id"] in STRUCTURED], ids=lambda case: case["id"]
)
def test_derivatives_from_the_literature(case: dict[str, Any]) -> None:
    problem = eg.parse(case["einsum_syntax"])
    derivative = eg.derivative(problem.expression, *case["wrt_list"])
    factored = eg.compile(derivative, structure="factored")
    for values in instances(case):
        found = factored(**values)
        np.testing.assert_allclose(
            found, derivative.evaluate(values, reference=True), rtol=1e-9, atol=1e-9
        )
        assert sum(core.size for core in found.cores) <= found.size


def test_compile_returns_factored_tensors() -> None:
    v = eg.variable("v", ("n",))
    f = eg.sum(v**3)
    gradient, hessian = eg.compile([eg.gradient(f, v), eg.hessian(f, v)], structure="factored")(
        v=[1.0, 2.0]
    )
    np.testing.assert_allclose(gradient, [3, 12])
    assert [p.deltas for p in hessian.parts] == [((0, 1),)]
    np.testing.assert_allclose(hessian, np.diag([6, 12]))
    jacobian = eg.compile(eg.jacobian(f, v), structure="factored", columns=1)(v=[1.0, 2.0])
    assert jacobian @ [1, 1] == 15
    # The sizes come from variables that no core contains, or are given.
    identity = eg.compile(eg.jacobian(2 * v, v), structure="factored")
    assert identity(v=[1, 2, 3]).shape == identity(n=3).shape == (3, 3)
    assert "return [" in identity.source
    assert "v" in repr(f)
    with pytest.raises(eg.UnsupportedOperation, match="one of dense, factored, not 'sparse'"):
        eg.compile(f, structure="sparse")
    with pytest.raises(eg.UnsupportedOperation, match="columns needs structure"):
        eg.compile(f, columns=1)
    with pytest.raises(eg.ShapeError, match=r"columns: 3 of the axes \(n, n\)"):
        eg.compile(eg.hessian(f, v), structure="factored", columns=3)


def test_a_size_that_nothing_fixes_is_asked_for() -> None:
    f = eg.compile(eg.delta(("n",)), structure="factored")
    with pytest.raises(eg.UnknownVariable, match="size n: no variable of the expression has"):
        f()
    assert f(n=3).shape == (3, 3)
    x = eg.variable("x", ("n",))
    pair = [eg.sum(eg.exp(x)), eg.einsum("ij,kl->ijkl", eg.delta(("n",)), eg.delta(("m",)))]
    both = eg.compile(pair, structure="factored")
    with pytest.raises(eg.UnknownVariable, match="size m"):
        both(x=np.ones(2))
    assert both(x=np.ones(2), m=4)[1].shape == (2, 2, 4, 4)


def test_functions_may_be_pickled() -> None:
    x, values = eg.variable("x", ("n",)), {"x": np.array([1.0, -2.0])}
    length = eg.sum(x * x) ** 0.5
    for f in (length, eg.gradient(length, x), eg.hessian(length, x)):
        factored = eg.compile(f, structure="factored")
        for own in (factored, pickle.loads(pickle.dumps(factored))):
            np.testing.assert_allclose(
                own(**values).todense(), oracle.value(f.term, values), rtol=1e-13
            )
