"""Derivatives of loops: tangents and cotangents by the oracle, at loops of no step and of many."""

from typing import Any

import numpy as np
import pytest

from eggrad.engine.errors import MissingRule
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as t
from eggrad.engine.terms.loops import AFTER, BEFORE, recurrence
from eggrad.engine.terms.term import Term, variables
from eggrad.rules.calculus.loops import loops
from eggrad.rules.standard import STANDARD, system
from tests.support.random_loops import random_loop, random_total, values_of

RULES = system()


def pushed(root: Term, x: Term) -> Term:
    one = t.delta(x.dims) if x.order else t.constant(1)
    return RULES.pushed([root], {x: one}, x.dims)[0]


def pulled(root: Term, x: Term) -> Term:
    cotangent = t.delta(root.dims) if root.order else t.constant(1)
    return RULES.pulled([(root, cotangent)], [x])[0]


def check_derivatives(derive: Any, root: Term, values: Any, sizes: dict[str, int]) -> None:
    for x in variables(root):
        found = oracle.value(derive(root, x), values, sizes)
        expected = oracle.numeric_derivative(root, x, values, sizes, 1e-3)
        np.testing.assert_allclose(found, expected, atol=1e-7)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("derive", [pushed, pulled])
def test_derivatives_are_those_of_the_oracle(derive: object, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loop, length = random_loop(rng), int(rng.choice([0, 1, 3]))
    total, values = random_total(rng, loop), values_of(rng, loop, length)
    sizes = {"T": length}
    check_derivatives(derive, total, values, sizes)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("derive", [pushed, pulled])
def test_jacobians_of_states(derive: object, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loop = random_loop(rng)
    values, sizes = values_of(rng, loop, 3), {"T": 3}
    states = loop.states(0, AFTER if seed % 2 else BEFORE)
    check_derivatives(derive, states, values, sizes)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("first", [pushed, pulled])
@pytest.mark.parametrize("second", [pushed, pulled])
def test_second_derivatives(first: object, second: object, seed: int) -> None:
    rng = np.random.default_rng(seed)
    loop = random_loop(rng)
    total, values, sizes = random_total(rng, loop), values_of(rng, loop, 3), {"T": 3}
    x, *_, y = variables(total)
    slope = first(total, x)  # type: ignore[operator]
    found = second(slope, y)  # type: ignore[operator]
    expected = oracle.numeric_derivative(slope, y, values, sizes, 1e-3)
    np.testing.assert_allclose(oracle.value(found, values, sizes), expected, atol=1e-6)


@pytest.mark.parametrize("derive", [pushed, pulled])
def test_states_are_not_computed_again(derive: object) -> None:
    """The slope of tanh(a*h + x) is 1 - h'², and the loop has computed h'."""
    h, x, a = t.variable("h", ("k",)), t.variable("x", ("k",)), t.variable("a")
    step = t.apply("tanh", t.add(t.einsum(",k->k", a, h), x))
    read = {x: t.variable("xs", ("T",))}
    own = recurrence([step], "k", {h: t.variable("s")}, read, {a: a}, length="T")
    total = t.add(own.states(0, "last"), t.einsum("k->", own.states(0, AFTER)))
    found = derive(total, a)  # type: ignore[operator]
    steps = [r for n in t.postorder(found) if n.op == "scan" for r in n.loop.step.results]
    nodes = [*t.postorder(found), *t.postorder(*steps)]
    assert sum(n.op == "tanh" for n in dict.fromkeys(nodes)) == 1


def test_simplified_derivatives_are_loops_of_simplified_steps() -> None:
    # h' = a·h, whose derivative by a is a loop of a product.
    h, a = t.variable("h", ("k",)), t.variable("a")
    own = recurrence([t.einsum(",k->k", a, h)], "k", {h: t.variable("s")}, {}, {a: a}, length="T")
    found = system().differentiate(own.states(0, "last"), a).term
    adjoint = next(n for n in t.postorder(found) if n.op == "scan" and n.loop.backwards)
    (result,) = adjoint.loop.step.results
    assert [n.op for n in t.postorder(result)] == ["variable", "variable", "einsum"]
    at = {"a": 0.9, "s": 2.0}
    np.testing.assert_allclose(oracle.value(found, at, {"T": 7}), 7 * 0.9**6 * 2)


def test_two_states_of_one_loop_have_one_loop_of_cotangents() -> None:
    rng = np.random.default_rng(3)
    loop = random_loop(rng)
    total = random_total(rng, loop)
    (found,) = RULES.pulled([(total, t.constant(1))], [loop.starts[0]])
    adjoints = {n.args for n in t.postorder(found) if n.op == "scan"} - {loop.states(0, AFTER).args}
    assert len(adjoints) == 1


@pytest.mark.parametrize(("name", "mode"), [("push_loop", "forward"), ("pull_loop", "reverse")])
def test_without_its_rule_there_is_no_derivative(name: str, mode: str) -> None:
    strategy = STANDARD.mapped(lambda s: s.without(name))
    states = random_loop(np.random.default_rng(0)).states(0, AFTER)
    own = System(strategy)
    with pytest.raises(MissingRule, match=f"derivative of loops, such as {name}"):
        own.differentiate(states, variables(states)[0], mode)
    assert own.differentiate(states, variables(states)[0]).term
    total = t.einsum("ij->", states)
    assert own.differentiate(total, variables(states)[0]).term


def test_every_loop_rule_is_tested() -> None:
    assert [rule.name for rule in loops.loop_rules] == ["push_loop", "pull_loop"]
