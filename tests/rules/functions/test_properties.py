"""Every fact has two tests of its own: it is true, and it is concluded."""

import numpy as np
import pytest

from eggrad.engine.indices.spec import Spec
from eggrad.engine.laws.knowledge import Knowledge, needed
from eggrad.engine.laws.language import Claim, Node, Parameter, Tensor, fn
from eggrad.engine.laws.properties import (
    INVERTIBLE,
    NONNEGATIVE,
    NONZERO,
    POSITIVE,
    PROPERTIES,
    WITHIN_ONE,
    nonnegative,
    positive,
)
from eggrad.engine.laws.rule import Fact, Ruleset
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import Term
from eggrad.rules.functions.matrix_properties import matrix_properties
from eggrad.rules.functions.properties import domains, properties, ties
from eggrad.rules.functions.ranges import ranges
from tests.support.fact_check import check_fact, is_concluded
from tests.support.tiers import every_case, samples

x, y = t.variable("x", ("n",)), t.variable("y", ("n",))
A = t.variable("A", ("n", "n"))
half = t.constant("1/2")

FACTS = [f for r in (properties, ranges, matrix_properties) for f in r.facts]
EACH = pytest.mark.parametrize("fact", [pytest.param(f, id=f.name) for f in FACTS])


@every_case
@EACH
def test_is_true(fact: Fact) -> None:
    # Specs that fit each other are seldom drawn.
    wanted = 10 if sum(p.kind == Spec for p in parameters_of(fact)) > 1 else samples(15, 150)
    found = check_fact(fact, wanted, seed=1)
    assert found.counterexample is None, f"{fact.text}: {found.counterexample}"
    assert found.compared >= 0.8 * wanted


def parameters_of(fact: Fact) -> set[Parameter]:
    found: set[Parameter] = set()
    waiting: list[object] = [fact.claim.tensor]
    while waiting:
        pattern = waiting.pop()
        if isinstance(pattern, Parameter):
            found.add(pattern)
        elif isinstance(pattern, Node):
            waiting.extend(pattern.args)
    return found


@every_case
@EACH
def test_is_concluded(fact: Fact) -> None:
    assert is_concluded(fact, seed=2), fact.text


def test_a_false_fact_is_refuted() -> None:
    own = Ruleset("own", "facts of a test", "nothing")

    @own.fact(cite="false below 0")
    def positive_sine(a: Tensor) -> Claim:
        """sin a > 0."""
        return positive(fn("sin", a))

    @own.fact(cite="false: the sine of what is nonnegative")
    def sine_of_nonnegative(a: Tensor) -> Claim:
        """sin a ≥ 0 for a ≥ 0."""
        return nonnegative(fn("sin", a)), nonnegative(a)

    assert check_fact(positive_sine).counterexample is not None
    assert check_fact(sine_of_nonnegative).counterexample is not None


@pytest.mark.parametrize("fact", [*domains.facts, *ties.facts], ids=lambda f: f.name)
def test_domains_name_properties(fact: Fact) -> None:
    assert fact.claim.property in PROPERTIES


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        (t.apply("log", x), {(POSITIVE, x)}),
        (t.power(x, half), {(NONNEGATIVE, x)}),
        (t.power(x, t.constant("-1/2")), {(POSITIVE, x), (NONZERO, x)}),
        (t.divide(y, x), {(NONZERO, x)}),
        (t.apply("arcsin", x), {(WITHIN_ONE, x)}),
        (t.apply("inv", A), {(INVERTIBLE, A)}),
        (t.power(x, t.variable("p")), {(POSITIVE, x)}),
        (t.power(x, t.constant(3)), set()),
        (t.apply("exp", x), set()),
    ],
)
def test_what_a_term_needs_to_be_defined(term: Term, wanted: set[tuple[str, Term]]) -> None:
    assert set(needed(domains.facts, [term])) == wanted


def test_what_a_step_multiplies_may_be_left_out() -> None:
    step = t.apply("relu", t.apply("sign", x))
    masked = t.einsum("i,i->i", step, t.apply("log", x))
    assert needed(domains.facts, [masked]) == ()


def test_what_is_assumed_is_known_and_what_follows_from_it() -> None:
    root = t.power(x, half)
    assert not Knowledge([properties]).knows(POSITIVE, root)
    assert Knowledge([properties], [(POSITIVE, x)]).knows(POSITIVE, root)


def test_depth_is_no_limit() -> None:
    deep: Term = t.apply("exp", x)
    for _ in range(3000):
        deep = t.add(deep, t.constant(1, ("n",)))
    assert Knowledge([properties]).knows(POSITIVE, deep)


def test_properties_are_judged_where_values_are_defined() -> None:
    assert PROPERTIES[POSITIVE].holds(np.array([1.0, np.nan]))
    assert not PROPERTIES[POSITIVE].holds(np.array([1.0, 0.0]))
    assert not PROPERTIES[INVERTIBLE].holds(np.ones((2, 2)))
