"""Rules for egglog: leaving out those that cannot match changes nothing, and parts stay apart."""

import re
from random import Random

import pytest

import eggrad as eg
from eggrad.engine.egraph.compile_rules import Relevance, Selection, symbols_of, table_of
from eggrad.engine.laws.language import CONSTRUCTORS
from eggrad.engine.laws.rule import Fact, Rule
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.rules.standard import STANDARD, system
from tests.support.random_expressions import random_expression


def everything(self: Relevance, _: frozenset[str]) -> Selection:
    laws = dict.fromkeys(law for own in self.stages.values() for law in own)
    return Selection(self.stages, tuple(r for r in laws if isinstance(r, Rule) and r.widens))


@pytest.mark.parametrize("seed", range(12))
def test_with_all_rules_the_result_is_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    term, x = random_expression(Random(f"relevance/{seed}"), kinked=seed % 3 == 0)
    lean = system().differentiate(term, x)
    monkeypatch.setattr(Relevance, "select", everything)
    full = System(STANDARD).differentiate(term, x)
    assert full.term is lean.term
    assert full.report.enodes == lean.report.enodes


def test_a_quadratic_form_meets_few_rules() -> None:
    A, x = terms.variable("A", ("n", "n")), terms.variable("x", ("n",))
    form = terms.einsum("i,i->", x, terms.einsum("ij,j->i", A, x))
    stages = {n: STANDARD.laws_of(n) for n in ("settle", "simplify", "explore", "present")}
    every = sum(len(STANDARD.rules_of(n)) for n in stages)
    chosen = Relevance(stages).select(symbols_of(form))
    assert 0 < sum(map(len, chosen.stages.values())) < every / 5
    assert not any(isinstance(law, Fact) for own in chosen.stages.values() for law in own)


def test_what_a_rule_makes_lets_others_join() -> None:
    x = terms.variable("x", ("n",))
    relevance = Relevance({"simplify": STANDARD.rules_of("simplify")})
    before = relevance.select(symbols_of(terms.add(x, x)))
    made = relevance.made_by(["sums_of_two.add_same"])
    after = relevance.select(symbols_of(x) | made)
    names = [{r.name for r in s.stages["simplify"]} for s in (before, after)]
    assert names[0] != names[1]
    assert "scale" in made


def test_no_table_is_called_as_another_with_a_number() -> None:
    """egglog numbers what it binds in a rule: two parts with one name would be the same."""
    tables = [table_of(constructor) for constructor in CONSTRUCTORS]
    clashes = [(a, b) for a in tables for b in tables if re.fullmatch(re.escape(a) + r"\d+", b)]
    assert not clashes


def test_parts_of_a_rule_stay_apart() -> None:
    """A softmax after a quadratic form: the numbers of `ein` and of `ein1` met in one rule."""
    x, y, A = (
        eg.variable(name, dims) for name, dims in (("x", ("n",)), ("y", ("m",)), ("A", ("n", "n")))
    )
    own = System(STANDARD)
    own.differentiate((x @ (A @ x)).term, x.term, "forward")
    assert own.simplify([eg.softmax(y).term]).term.dims == ("m",)
