"""The same question has the same answer, which is worked out once."""

import pytest

import eggrad as eg
from eggrad.engine.saturation import system as system_module
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.rules.standard import STANDARD

X = terms.variable("x", ("n",))
F = terms.einsum("i->", terms.apply("log", terms.add(terms.constant(1, ("n",)), X)))


def test_an_answer_is_remembered() -> None:
    system = System(STANDARD)
    assert system.differentiate(F, X) is system.differentiate(F, X)
    assert system.simplify([F]) is system.simplify([F])
    one = terms.constant(1)
    assert system.pull_back(F, [X], one) is system.pull_back(F, [X], one)


def test_another_question_has_its_own() -> None:
    system = System(STANDARD)
    found = system.differentiate(F, X)
    assert system.differentiate(F, X, "forward") is not found
    assert system.differentiate(F, X, budget=Budget(nodes=10_000)) is not found
    assert system.differentiate(F, X, sizes={"n": 3}) is not found


def test_what_depends_on_time_is_not_remembered() -> None:
    system = System(STANDARD)
    budget = Budget(seconds=100)
    assert system.differentiate(F, X, budget=budget) is not system.differentiate(
        F, X, budget=budget
    )


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
