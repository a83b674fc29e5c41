"""Proofs step by step: found, checked by replay, judged by the oracle."""

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.equality.explanation import explain
from eggrad.engine.equality.steps import ProofStep
from eggrad.engine.laws.matching import matcher_of_terms, patterns, views
from eggrad.engine.laws.rule import Rule, Ruleset
from eggrad.engine.oracle import oracle
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.terms.term import Term, apply, einsum, postorder, variable, variables
from eggrad.rules.standard import RULESETS, system
from tests.support.equivalent_pairs import replaced
from tests.support.places import lines_of
from tests.support.random_expressions import random_expression
from tests.support.replay import replay

DIMS = dict.fromkeys("xyz", ("n",)) | {"A": ("n", "m"), "B": ("m", "n")}
DIMS |= dict.fromkeys("CEQ", ("n", "n"))
DECLARED = "declare x[n] y[n] z[n] A[n,m] B[m,n] C[n,n] E[n,n] Q[n,n]{invertible} expression "
x, y = (variable(name, ("n",)) for name in "xy")
A = variable("A", ("n", "m"))
exp = apply("exp", x)


def term(text: str) -> Term:
    if "->" in text or "size" in text:
        return eg.parse(DECLARED + text).expression.term
    return eg.parse_matrix(text, DIMS, {"Q": ["invertible"]}).term


def read() -> Iterator[tuple[str, tuple[Term, Term, str]]]:
    for line in lines_of("rule_identities.txt"):
        name, equation, rules = line.split(": ")
        left, right = map(term, equation.split(" = "))
        yield name, (left, right, rules)


# Both sides, and rules that suffice.
IDENTITIES = dict(read())


def chosen(names: str | Sequence[str]) -> list[Ruleset]:
    """The rulesets with the named rules alone."""
    wanted = names.split() if isinstance(names, str) else names
    found = [s.without(*(r.name for r in s.laws if r.name not in wanted)) for s in RULESETS]
    assert len({*wanted}) == sum(len(s.rules) + len(s.bulk_rules) for s in found)
    return found


def assert_proved(
    left: Term, right: Term, steps: tuple[ProofStep, ...] | None, rules: list[Ruleset]
) -> None:
    """The chain leads from one to the other, by steps of the rules that keep the value."""
    assert steps is not None
    assert replay(left, steps, rules) is right
    chain = [left, *(s.term for s in steps)]
    assert len(set(chain)) == len(chain)
    rng = np.random.default_rng(7)
    sizes = oracle.random_sizes(chain, rng)
    values = oracle.random_values(variables(*chain), sizes, rng)
    first, *others = oracle.evaluate(chain, values, sizes)
    for other in others:
        both = np.isfinite(first) & np.isfinite(other)
        np.testing.assert_allclose(other[both], first[both], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", IDENTITIES)
def test_identities_are_explained(name: str) -> None:
    left, right, names = IDENTITIES[name]
    rules = chosen(names)
    assert_proved(left, right, explain(left, right, rules), rules)
    assert_proved(right, left, explain(right, left, rules), rules)


@pytest.mark.parametrize("name", IDENTITIES)
def test_no_rule_can_be_left_out(name: str) -> None:
    left, right, names = IDENTITIES[name]
    for one in names.split():
        assert explain(left, right, chosen([n for n in names.split() if n != one])) is None, one


def test_all_places_change_in_one_step() -> None:
    left, _, names = IDENTITIES["everything cancels"]
    steps = explain(left, einsum("i,i->i", x, x), chosen(names))
    assert steps is not None
    assert [s.rule.partition(".")[2] for s in steps] == [
        "negate_is_scale",
        "negate_is_scale",
        "scale_scale",
        "scale_by_one",
    ]
    assert all(s.term.args[0] is s.term.args[1] for s in steps)


def test_nothing_to_do() -> None:
    assert explain(x, x, chosen("same_sum")) == ()


def test_what_differs_has_no_proof() -> None:
    assert explain(x, y, chosen("same_sum like_terms same_network")) is None
    assert explain(x, A, chosen("same_sum")) is None


def test_a_budget_ends_the_search() -> None:
    left, right, names = IDENTITIES["inverse of an inverse"]
    assert explain(left, right, chosen(names), Budget(iterations=2)) is not None
    assert explain(left, right, chosen(names), Budget(iterations=1)) is None
    assert explain(left, right, chosen(names), Budget(nodes=5)) is None
    assert explain(left, right, chosen(names), Budget(seconds=0)) is None


def test_deep_terms() -> None:
    def nested(inner: Term) -> Term:
        for _ in range(2_000):
            inner = apply("sin", inner)
        return inner

    rules = chosen("log_of_exp")
    steps = explain(nested(apply("log", exp)), nested(x), rules)
    assert_proved(nested(apply("log", exp)), nested(x), steps, rules)


# Random proofs ---------------------------------------------------------------------------------


def rewrites(term: Term, rules: Sequence[Rule]) -> list[tuple[Rule, Term]]:
    """Every term that one rule makes of a term at one place."""
    matcher = matcher_of_terms()
    found: list[tuple[Rule, Term]] = []
    for pattern in (p for r in rules for p in patterns(r)):
        for part in postorder(term):
            for constructor, arguments in views(part):
                if constructor == pattern.constructor:
                    for instance in matcher.instances(pattern, arguments):
                        if instance.second is not part:
                            changed = replaced(term, part, instance.second)
                            found.append((pattern.rule, changed))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_random_rewrites_are_explained(seed: int) -> None:
    random = Random(seed)
    rules = [r for s in RULESETS if s.name not in ("stability", "symmetric") for r in s.rules]
    left, _ = random_expression(random, most=12)
    right = left
    used: list[str] = []
    for _ in range(random.randint(1, 4)):
        choices = rewrites(right, rules)
        if choices:
            # Every rule as often as any other, however often it matches.
            rule = random.choice(list(dict.fromkeys(r for r, _ in choices)))
            right = random.choice([t for r, t in choices if r is rule])
            used.append(rule.name)
    limited = chosen(list(dict.fromkeys(used)))
    steps = explain(left, right, limited)
    assert steps is not None
    assert replay(left, steps, limited) is right


@pytest.mark.parametrize("seed", range(200, 225))
def test_simplified_terms_are_explained(seed: int) -> None:
    left, _ = random_expression(Random(seed), most=12)
    result = system().simplify([left])
    known = {r.name for s in RULESETS for r in s.laws}
    rules = chosen([name for k in result.report.matches if (name := k.split(".")[1]) in known])
    steps = explain(left, result.term, rules)
    assert steps is not None
    assert replay(left, steps, rules) is result.term
