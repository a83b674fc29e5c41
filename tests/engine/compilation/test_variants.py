"""Forms for several sizes: equal in value, the chosen one the cheapest, the choice explained."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.compilation.variants import (
    SizeVariant,
    assignments,
    cheapest_variant,
    explain,
    extract_variants,
    find_variants,
    predicted_time,
)
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.costs.time_model import TimeModel, default_rates, term_work
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from eggrad.rules.standard import system
from tests.support import numeric_terms
from tests.support.tiers import samples

RATES = default_rates()
A = t.variable("A", ("m", "n"))
B = t.variable("B", ("n", "k"))
C = t.variable("C", ("k", "p"))
D = t.variable("D", ("n", "m"))
X = t.variable("X", ("m", "n"))
w = t.variable("w", ("k",))


def matmul(a: Term, b: Term) -> Term:
    return t.einsum("ij,jk->ik", a, b)


CHAINS: dict[str, tuple[list[Term], str]] = {
    "A B x": ([t.einsum("ij,j->i", matmul(A, B), w)], "one form at all sizes"),
    "A D A": ([matmul(A, matmul(D, A))], "form 1 is faster than form 2 where n < m"),
    "(A B) C": (
        [matmul(matmul(A, B), C)],
        "form 1 is faster than form 2 where k m n + k m p < k n p + m n p",
    ),
    "X' X B": (
        [matmul(t.einsum("ij->ji", X), matmul(X, B))],
        "form 1 is faster than form 2 where 2 k n + m n < 4 k m",
    ),
    # A D is there already: A (D A) takes two products more, (A D) A one.
    "A D A and A D": (
        [matmul(A, matmul(D, A)), matmul(A, D)],
        "form 1 is faster than form 2 where m < 2 n",
    ),
}


@lru_cache
def found(name: str) -> tuple[SizeVariant, ...]:
    return find_variants(system(), CHAINS[name][0], RATES)


@pytest.mark.parametrize("name", CHAINS)
def test_the_choice_is_explained(name: str) -> None:
    assert explain(found(name), RATES) == CHAINS[name][1]


@pytest.mark.parametrize("name", CHAINS)
def test_every_form_has_the_value_of_the_roots(name: str) -> None:
    roots = CHAINS[name][0]
    rng = np.random.default_rng(0)
    for variant in found(name):
        assert [r.dims for r in variant.terms] == [r.dims for r in roots]
        for _ in range(5):
            sizes = oracle.random_sizes(roots, rng, choices=(0, 1, 2, 3))
            values = oracle.random_values(t.variables(*roots), sizes, rng)
            for got, expected in zip(
                oracle.evaluate(variant.terms, values, sizes),
                oracle.evaluate(roots, values, sizes),
                strict=True,
            ):
                np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)


@settings(max_examples=samples(50, 200), deadline=None)
@given(st.sampled_from(sorted(CHAINS)), st.data())
def test_the_chosen_form_is_the_cheapest(name: str, data: st.DataObject) -> None:
    variants = found(name)
    names = symbols(*CHAINS[name][0])
    sizes = {s: data.draw(st.integers(0, 3000)) for s in names}
    times = [predicted_time(v, sizes, RATES) for v in variants]
    assert times[cheapest_variant(variants, sizes, RATES)] == min(times)
    model = TimeModel({**sizes}, rates=RATES)
    assert times == [sum(n * model.work(work) for n, work in v.work) for v in variants]


def test_a_form_won_where_it_is_said_to() -> None:
    for name in CHAINS:
        variants = found(name)
        tried = assignments(symbols(*CHAINS[name][0]))
        assert sorted(map(str, tried)) == sorted(str(s) for v in variants for s in v.sizes)
        assert tried[0] in variants[0].sizes
        for k, variant in enumerate(variants):
            for sizes in variant.sizes:
                assert cheapest_variant(variants, sizes, RATES) == k


def test_known_sizes_leave_no_choice() -> None:
    (only,) = find_variants(system(), [matmul(A, matmul(D, A))], RATES, {"m": 1000, "n": 10})
    assert only.terms == found_at({"m": 1000, "n": 10})
    assert only.terms != found_at({"m": 10, "n": 1000})


def found_at(sizes: Mapping[str, int]) -> tuple[Term, ...]:
    model = TimeModel({**sizes}, rates=RATES)
    explored = system().explore([matmul(A, matmul(D, A))], [model], purpose="compile")
    return tuple(explored.graph.extract(explored.classes))


@settings(max_examples=25, deadline=None)
@given(numeric_terms.roots(), st.integers(0, 2**32 - 1))
def test_forms_of_random_terms_have_their_values(roots: list[Term], seed: int) -> None:
    rng = np.random.default_rng(seed)
    variants = find_variants(system(), roots, RATES)
    assert 1 <= len(variants) <= 3
    sizes = oracle.random_sizes(roots, rng, choices=(1, 2, 3))
    values = oracle.random_values(t.variables(*roots), sizes, rng)
    forms = [v.terms for v in variants]
    if all(numeric_terms.is_tame(f, values, sizes) for f in [roots, *forms]):
        expected = oracle.evaluate(roots, values, sizes)
        for form in forms:
            for got, wanted in zip(oracle.evaluate(form, values, sizes), expected, strict=True):
                np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-6)


def test_forms_are_the_same_at_every_run() -> None:
    roots = CHAINS["(A B) C"][0]
    assert find_variants(system(), roots, RATES) == find_variants(system(), roots, RATES)


def test_a_snapshot_at_another_model_is_as_if_read_again() -> None:
    roots = [matmul(A, matmul(D, A))]
    models = [CostModel({"m": 10, "n": 1000}), TimeModel({"m": 1000, "n": 10}, rates=RATES)]
    forward = system().explore(roots, models)
    backward = system().explore(roots, models[::-1])
    for model in models:
        one, other = (e.graph.at(model).extract(e.classes) for e in (forward, backward))
        assert one == other
    assert forward.graph.model is models[0]
    assert forward.graph.extract(forward.classes) != backward.graph.extract(backward.classes)


@settings(max_examples=60, deadline=None)
@given(numeric_terms.roots())
def test_an_e_node_takes_as_long_as_its_term(roots: list[Term]) -> None:
    model = TimeModel(rates=RATES)
    graph = system().explore(roots, [model]).graph
    for cls in graph.classes:
        for node in graph.members[cls]:
            if all(c in graph.choice for c in node.children):
                term = graph.as_term(node, tuple(graph.term(c) for c in node.children))
                work = sum(map(model.work, term_work(term)))
                own = 1 + len(term.dims) * (term.op == "delta")
                assert graph.cost(cls, node) == own + work


def test_at_most_so_many_forms_are_kept() -> None:
    roots = CHAINS["(A B) C"][0]
    tried = assignments(symbols(*roots))
    explored = system().explore(roots, [TimeModel({**s}, rates=RATES) for s in tried])
    (only,) = extract_variants(explored.graph, explored.classes, RATES, tried, limit=1)
    assert list(only.sizes) == tried


def test_many_symbols_are_tried_one_at_a_time() -> None:
    tried = assignments(list("abcdefgh"))
    assert tried[0] == dict.fromkeys("abcdefgh", 100)
    assert tried[2] == tried[0] | {"a": 1000}
    assert len(tried) == 12
    assert assignments([]) == [{}]
