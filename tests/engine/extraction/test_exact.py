"""Exact extraction against every choice there is, on small e-graphs, cyclic ones included."""

import json
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.extraction.exact import cheapest_dag_exactly, pruned
from eggrad.engine.extraction.extract import cheapest_dag, cheapest_trees
from eggrad.engine.saturation.schedule import Budget
from eggrad.rules.standard import system
from tests.engine.extraction.test_extract import (
    Member,
    Members,
    acyclic,
    dag_cost,
    least_cost,
    price,
)
from tests.support import fuzz
from tests.support.places import DATA
from tests.support.tiers import samples

CASES = json.loads((DATA / "derivative_cases.json").read_text("utf-8"))


def member(price: int, children: tuple[int, ...] = ()) -> Member:
    return Member(price=price, children=children)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Members, list[int]]:
    """Up to six e-classes of up to three e-nodes that refer to any; the last has a leaf."""
    count = draw(st.integers(1, 6))
    children = st.lists(st.integers(0, count - 1), max_size=3).map(tuple)
    some = st.lists(st.builds(member, st.integers(0, 9), children), min_size=1, max_size=3)
    members = {c: draw(some) for c in range(count)}
    members[count - 1].append(member(draw(st.integers(0, 9))))
    roots = draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=2, unique=True))
    return members, roots


@settings(max_examples=samples(200, 800), deadline=None)
@given(graphs())
def test_no_choice_is_cheaper(graph: tuple[Members, list[int]]) -> None:
    members, roots = graph
    trees, _ = cheapest_trees(members, price)
    least = least_cost(members, roots)
    if least is None:
        assert any(r not in trees for r in roots)
        return
    start = cheapest_dag(members, price, trees, roots)
    assert acyclic(start, roots)
    found, solved = cheapest_dag_exactly(members, price, start, roots)
    assert solved.certain
    assert acyclic(found, roots)
    assert dag_cost(found, roots) == solved.cost == least
    assert all(found[c] in members[c] for c in found)


@settings(max_examples=samples(100, 400), deadline=None)
@given(graphs())
def test_pruning_keeps_a_cheapest_choice(graph: tuple[Members, list[int]]) -> None:
    members, roots = graph
    least = least_cost(members, roots)
    if least is None:
        return
    left, needed = pruned(members, price, roots, least + 1)
    assert all(m in members[c] for c, nodes in left.items() for m in nodes)
    kept = {c: nodes for c, nodes in left.items() if nodes}
    found = least_cost({c: kept.get(c, [member(0, (c,))]) for c in members}, roots)
    assert found == least
    assert needed <= kept.keys()
    none, _ = pruned(members, price, roots, least)
    without = least_cost({c: none.get(c) or [member(0, (c,))] for c in members}, roots)
    assert without is None or without >= least


def loop_of(count: int) -> dict[int, list[Member]]:
    """E-classes in a ring, each made of the next for nothing; the last has a cheap leaf."""
    members = {c: [member(0, ((c + 1) % count,)), member(100 + c)] for c in range(count)}
    members[count - 1].append(member(7))
    return members


@pytest.mark.parametrize("count", [1, 2, 3, 10])
def test_a_ring_of_free_members_is_no_answer(count: int) -> None:
    members = loop_of(count)
    start = {c: nodes[1] for c, nodes in members.items()}
    found, solved = cheapest_dag_exactly(members, price, start, [0])
    assert (solved.start, solved.cost) == (100, 7)
    assert acyclic(found, [0])


def test_a_cycle_that_the_first_solution_has_is_cut() -> None:
    """Two rings that share an e-class: neither is a component, nor a pair."""
    members = {
        0: [member(0, (1,)), member(50)],
        1: [member(0, (2,)), member(0, (3,)), member(50)],
        2: [member(0, (0,)), member(50)],
        3: [member(0, (4,)), member(50)],
        4: [member(0, (1,)), member(49)],
    }
    start = {c: nodes[-1] for c, nodes in members.items()}
    found, solved = cheapest_dag_exactly(members, price, start, [0, 2, 3])
    assert solved.cost == least_cost(members, [0, 2, 3]) == 49
    assert acyclic(found, [0, 2, 3])


def test_without_time_the_start_is_kept_and_the_result_says_so() -> None:
    """Three of five parts are needed: pruning alone does not find which."""
    members = {0: [member(1, (1, 2, 3)), member(1, (3, 4, 5)), member(1, (5, 1, 6)), member(99)]}
    for c in range(1, 7):
        members[c] = [member(4, (7 + c % 3,)), member(4, (7 + (c + 1) % 3,)), member(9)]
    members |= {c: [member(6)] for c in (7, 8, 9)}
    start = {c: nodes[-1] for c, nodes in members.items()}
    found, solved = cheapest_dag_exactly(members, price, start, [0], seconds=0)
    assert found == start
    assert not solved.certain
    assert cheapest_dag_exactly(members, price, start, [0])[1].cost == least_cost(members, [0])


@pytest.mark.parametrize("seed", range(20))
def test_exact_and_quick_derivatives_have_the_same_values(seed: int) -> None:
    case, budget = fuzz.random_case(Random(seed)), Budget(nodes=1000)
    quick = system().differentiate(case.term, case.x, budget=budget)
    exact = system().differentiate(case.term, case.x, budget=budget, exact=True)
    assert exact.report.solved is not None
    assert exact.report.solved.cost <= exact.report.solved.start
    for point, expected in case.points:
        for found in (quick, exact):
            assert fuzz.compared(case.term, found.term, case.x, point, expected) == ""


@pytest.mark.parametrize("case", CASES[::7], ids=[c["id"] for c in CASES[::7]])
def test_the_same_at_every_run(case: dict[str, str]) -> None:
    f = eggrad.parse(case["einsum_syntax"]).expression
    first, second = (eggrad.derivative(f, *case["wrt_list"], exact=True) for _ in range(2))
    assert first is second
    assert first.complete


def test_the_public_ways_in() -> None:
    problem = eggrad.parse("declare x 1 expression x *(i,i->) x + 0 derivative wrt x wrt x")
    f, x = problem.expression, eggrad.variable("x", ("x_1",))
    assert eggrad.simplify(f, exact=True) is eggrad.simplify(f)
    assert problem.derivative(exact=True) is eggrad.hessian(f, x, exact=True)


def test_a_budget_in_seconds_holds_for_the_solver() -> None:
    case = next(c for c in CASES if c["id"] == "o_cos")
    f = eggrad.parse(case["einsum_syntax"]).expression
    found = eggrad.derivative(f, "x", budget=Budget(seconds=0), exact=True)
    assert not found.complete


def test_without_scipy_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    x = eggrad.variable("x", ("n",))
    with pytest.raises(UnsupportedOperation, match="needs scipy: pip install scipy"):
        eggrad.gradient(x @ x, x, exact=True)
