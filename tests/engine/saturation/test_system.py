"""Stages: budgets, errors, rules that contradict each other, rules left out, modes, memory."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from eggrad.engine.costs.cost import CostModel
from eggrad.engine.errors import UnsoundRules
from eggrad.engine.indices.spec import Dims
from eggrad.engine.laws.language import Number, Statement, Tensor, const, dims, fn, primitive, scale
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation import system as system_module
from eggrad.engine.saturation.schedule import Budget, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.rules.algebra.indicators import delta_products, deltas
from eggrad.rules.standard import STANDARD, system
from tests.cases.losses import max_pooling
from tests.support.random_expressions import random_expression
from tests.support.tiers import samples
from tests.support.trusted_points import TOLERANCE, differs, random_point, trusted_derivative

SIZES = {"n": 3}
A = terms.variable("A", ("n", "n"))
x = terms.variable("x", ("n",))
QUADRATIC = terms.einsum("i,i->", x, terms.einsum("ij,j->i", A, x))
DEEP = QUADRATIC
for _ in range(6):
    DEEP = terms.apply("exp", terms.add(DEEP, terms.apply("sin", DEEP)))


def check_gradient(gradient: Term, term: Term) -> None:
    rng = np.random.default_rng(1)
    values = {name: 0.1 * v for name, v in oracle.random_values((A, x), SIZES, rng).items()}
    expected = oracle.numeric_derivative(term, x, values, SIZES)
    found = oracle.value(gradient, values, SIZES)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


# Budgets -----------------------------------------------------------------------------------


def test_within_the_budget() -> None:
    result = system().differentiate(QUADRATIC, x)
    assert result.complete
    assert result.report.notes == []
    assert result.report.enodes <= 5000
    assert result.report.matches["reverse.pull_product_right"] >= 2


def test_e_nodes_are_counted() -> None:
    unbound = system().differentiate(DEEP, x, "forward")
    result = system().differentiate(DEEP, x, "forward", Budget(nodes=150))
    assert result.report.notes == ["another iteration might exceed 150 e-nodes"]
    assert not result.complete
    assert result.report.enodes < unbound.report.enodes
    check_gradient(result.term, DEEP)
    check_gradient(unbound.term, DEEP)


def test_seconds_are_counted() -> None:
    result = system().simplify([DEEP], Budget(seconds=0.0))
    assert result.report.notes == ["more than 0.0 seconds"]
    assert not result.complete


def test_no_exploration() -> None:
    result = system().differentiate(QUADRATIC, x, budget=Budget(iterations=0))
    check_gradient(result.term, QUADRATIC)


def test_a_budget_that_ends_at_once_leaves_what_the_rules_have_made() -> None:
    found = system().differentiate(DEEP, x, "forward", Budget(nodes=1))
    assert found.report.notes == ["another iteration might exceed 1 e-nodes"]
    check_gradient(found.term, DEEP)


def test_more_budget_is_never_worse() -> None:
    term = terms.einsum("i->", terms.power(terms.apply("exp", x), terms.constant(2)))
    model = [
        len(list(terms.postorder(system().simplify([term], Budget(iterations=k)).term)))
        for k in (0, 2, 4)
    ]
    assert model == sorted(model, reverse=True)


# Unsound rules and failing rules -----------------------------------------------------------


def only(ruleset: Ruleset) -> System:
    """The standard system with one more ruleset."""
    return System(replace(STANDARD, simplify=(*STANDARD.simplify, ruleset)))


def test_merged_constants_are_found() -> None:
    unsound = Ruleset("unsound", "a false law", "")

    @unsound.rule(cite="")
    def everything_vanishes(a: Tensor) -> Statement:
        """sin a = 0."""
        return fn("sin", a) >> const(0, dims(a))

    @unsound.rule(cite="")
    def everything_is_one(a: Tensor) -> Statement:
        """sin a = 1."""
        return fn("sin", a) >> const(1, dims(a))

    own = only(unsound)
    with pytest.raises(UnsoundRules) as caught:
        own.simplify([terms.apply("sin", x)])
    text = str(caught.value)
    assert text.startswith("the rules prove 0 = 1: one of them is unsound. Rules that fired: ")
    assert "unsound.everything_vanishes" in text
    assert "unsound.everything_is_one" in text
    # What is left does not remember.
    assert own.simplify([terms.apply("cos", x)]).term is terms.apply("cos", x)


@primitive
def fails_at_13(c: Number, n: Dims) -> Dims:
    if c == 13:
        raise ZeroDivisionError("no thirteen, please")
    return n


def test_an_exception_in_a_primitive() -> None:
    failing = Ruleset("failing", "a primitive that raises", "")

    @failing.rule(cite="")
    def times_seven(c: Number, a: Tensor) -> Statement:
        """7·(c·sin a) = 0, for a test."""
        return scale(c, fn("sin", a)) >> const(0, fails_at_13(c, dims(a)))

    def multiple(number: int) -> Term:
        return terms.einsum(",i->i", terms.constant(number), terms.apply("sin", x))

    own = only(failing)
    zero = terms.constant(0, ("n",))
    assert own.simplify([multiple(2)]).term is zero
    for _ in range(2):
        with pytest.raises(BaseException, match="no thirteen, please"):
            own.simplify([multiple(13)])
        assert own.simplify([multiple(3)]).term is zero


# Rules left out, and modes -----------------------------------------------------------------


def without(*rulesets: Ruleset) -> Strategy:
    stages = {"simplify": STANDARD.simplify, "settle": STANDARD.settle}
    kept = {name: tuple(r for r in own if r not in rulesets) for name, own in stages.items()}
    return replace(STANDARD, **kept)


def operations(term: Term) -> set[str]:
    return {t.op for t in terms.postorder(term)}


def test_products_of_deltas_with_themselves_stay_small() -> None:
    pair = terms.delta(("n",))
    three = terms.einsum("ij,ik->jki", pair, pair)
    result = system().simplify([terms.einsum("ijk,ijl->lji", three, three)])
    assert result.complete
    assert result.report.enodes < 200
    assert result.term is system().simplify([three]).term


@pytest.mark.parametrize("nodes", [200, 400, 800])
def test_a_budget_of_nodes_is_exceeded_by_one_round_at_most(nodes: int) -> None:
    result = system().differentiate(DEEP, x, "both", Budget(nodes=nodes))
    assert not result.complete
    assert result.report.enodes <= 4 * nodes


def test_sizes_that_are_numbers_cost_nothing() -> None:
    def report(length: int) -> tuple[int, int]:
        w, x, t = eg.variable("w", (3,)), eg.variable("x", (2, length)), eg.variable("t", (2,))
        loss = max_pooling(np, None, None, w, x, t)
        found = system().pull_back(loss.term, [w.term], terms.constant(1)).report
        return found.enodes, found.iterations

    # Of fewer another of the equally cheap terms is found, which may be simplified once more.
    few, many, most = report(1002), report(10**4 + 2), report(10**6 + 2)
    assert most[0] < 1.1 * few[0]
    assert most[1] == many[1]


def test_without_deltas_they_stay() -> None:
    found = System(without(deltas, delta_products)).differentiate(QUADRATIC, x, "forward")
    assert "delta" in operations(found.term)
    check_gradient(found.term, QUADRATIC)
    usual = system().differentiate(QUADRATIC, x)
    assert "delta" not in operations(usual.term)
    check_gradient(usual.term, QUADRATIC)


@pytest.mark.parametrize("term", [QUADRATIC, DEEP], ids=["quadratic", "deep"])
@pytest.mark.parametrize("mode", ["forward", "reverse", "both", "auto"])
def test_modes(term: Term, mode: str) -> None:
    result = system().differentiate(term, x, mode)
    check_gradient(result.term, term)
    fired = {name.partition(".")[0] for name in result.report.matches}
    assert ("forward" in fired) == (mode in ("forward", "both"))
    assert ("reverse" in fired) == (mode != "forward")


def test_a_variable_that_does_not_occur() -> None:
    result = system().differentiate(QUADRATIC, terms.variable("z", ("m",)))
    assert result.term is terms.constant(0, ("m",))


MODES = ("forward", "reverse", "auto")


@settings(max_examples=samples(15, 100), deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_modes_agree(seed: int) -> None:
    random = Random(seed)
    term, x = random_expression(random, most=8)
    found = {mode: calculus.differentiate(term, [x], mode).term for mode in MODES}
    assert {d.dims for d in found.values()} == {term.dims + x.dims}
    for _ in range(4):
        point = random_point(random, term, x)
        expected = trusted_derivative(term, x, point)
        values = {mode: oracle.value(d, point.values, point.sizes) for mode, d in found.items()}
        if expected is not None:
            assert [mode for mode in MODES if differs(values[mode], expected)] == []
        both_finite = [v for v in values.values() if np.isfinite(v).all()]
        for value in both_finite[1:]:
            scale = 1 + np.max(np.abs(value), initial=0.0)
            assert np.max(np.abs(value - both_finite[0]), initial=0.0) <= TOLERANCE * scale


# Answers that are remembered ---------------------------------------------------------------

F = terms.einsum("i->", terms.apply("log", terms.add(terms.constant(1, ("n",)), x)))


def test_an_answer_is_remembered() -> None:
    system = System(STANDARD)
    assert system.differentiate(F, x) is system.differentiate(F, x)
    assert system.simplify([F]) is system.simplify([F])
    one = terms.constant(1)
    assert system.pull_back(F, [x], one) is system.pull_back(F, [x], one)


def test_another_question_has_its_own() -> None:
    system = System(STANDARD)
    found = system.differentiate(F, x)
    assert system.differentiate(F, x, "forward") is not found
    assert system.differentiate(F, x, budget=Budget(nodes=10_000)) is not found
    assert system.differentiate(F, x, sizes={"n": 3}) is not found


def test_what_depends_on_time_is_not_remembered() -> None:
    system = System(STANDARD)
    first, second = (system.differentiate(F, x, budget=Budget(seconds=100)) for _ in range(2))
    assert first is not second


def test_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_module, "ANSWERS", 2)
    system = System(STANDARD)
    first = system.simplify([F])
    for name in "ab":
        system.simplify([terms.variable(name)])
    assert system.simplify([F]) is not first
    assert system.simplify([F]).terms == first.terms


def test_a_hessian_begins_with_the_gradient_that_is_known() -> None:
    x = eg.variable("x", ("n",))
    f = eg.log(eg.sum(eg.exp(x)))
    gradient = eg.gradient(f, x)
    assert eg.hessian(f, x).term is eg.jacobian(gradient, x).term


# E-graphs that are used again --------------------------------------------------------------


def test_what_an_e_graph_was_used_for_before_does_not_matter() -> None:
    purposes = ("compile", "read", "simplify")
    roots = (
        [DEEP],
        [terms.apply("log", terms.add(terms.constant(1, A.dims), terms.apply("exp", A)))],
    )
    asked = [(own, purpose) for purpose in purposes for own in roots]

    def answer(used: System, own: list[Term], purpose: str) -> list[Term]:
        found = used.explore(own, [CostModel()], purpose=purpose)
        return found.graph.extract(found.classes)

    used = System(STANDARD)
    again = [answer(used, *question) for question in asked]
    assert again == [answer(System(STANDARD), *question) for question in asked]
