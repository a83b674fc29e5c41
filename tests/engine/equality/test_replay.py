"""What a replay refuses, and that it takes the proofs of textbooks' identities."""

import pytest

import eggrad as eg
from eggrad.engine.equality.explanation import explain
from eggrad.engine.equality.steps import ProofStep
from eggrad.engine.laws.language import Statement, Tensor, fn
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.terms.term import Term, add, apply, constant, einsum, power, variable
from eggrad.frontend.expression.expression import as_expression, unified
from eggrad.rules.standard import EQUIVALENCE, RULESETS
from tests.support.replay import InvalidStep, replay
from tests.support.textbook_identities import IDENTITIES, Identity

x, y, z = (variable(name, ("n",)) for name in "xyz")
A, B, C = (variable(name, ("n", "n")) for name in "ABC")
LOG_EXP = apply("log", apply("exp", x))


def multiple(number: int, a: Term) -> Term:
    return einsum(",i->i", constant(number), a)


def product(a: Term, b: Term) -> Term:
    return einsum("ij,jk->ik", a, b)


def test_replay_knows_the_rules() -> None:
    with pytest.raises(InvalidStep, match=r"step 1: there is no rule 'functions\.nonsense'"):
        replay(x, [ProofStep("functions.nonsense", False, y)], RULESETS)


@pytest.mark.parametrize(
    ("left", "step"),
    [
        (LOG_EXP, ProofStep("functions.log_of_exp", True, x)),
        (LOG_EXP, ProofStep("functions.exp_of_log", False, x)),
        (LOG_EXP, ProofStep("functions.log_of_exp", False, y)),
        (LOG_EXP, ProofStep("functions.log_of_exp", False, LOG_EXP)),
        (
            add(LOG_EXP, power(LOG_EXP, constant(1))),
            ProofStep("functions.log_of_exp", False, add(x, x)),
        ),
        (
            apply("cos", multiple(-1, x)),
            ProofStep("functions.odd_function", False, multiple(-1, x)),
        ),
        (product(A, B), ProofStep("products.same_network", False, product(A, C))),
        (add(x, y), ProofStep("equal_sums.same_sum", False, add(x, z))),
        (multiple(2, x), ProofStep("sums.like_terms", True, add(x, y))),
    ],
)  # fmt: skip
def test_replay_refuses(left: Term, step: ProofStep) -> None:
    with pytest.raises(InvalidStep, match="step 1 is no instance of"):
        replay(left, [step], RULESETS)


def test_replay_minds_conditions() -> None:
    wrong = multiple(-1, apply("cos", x))
    step = ProofStep("functions.odd_function", False, wrong)
    with pytest.raises(InvalidStep, match="no instance"):
        replay(apply("cos", multiple(-1, x)), [step], RULESETS)
    right = ProofStep("functions.odd_function", False, multiple(-1, apply("sin", x)))
    assert replay(apply("sin", multiple(-1, x)), [right], RULESETS) is right.term


def test_replay_lets_the_oracle_judge() -> None:
    wrong = Ruleset("wrong", "a false law", "")

    @wrong.rule(cite="")
    def sine_is_cosine(a: Tensor) -> Statement:
        """sin = cos."""
        return fn("sin", a) >> fn("cos", a)

    left, right = apply("sin", x), apply("cos", x)
    steps = explain(left, right, [wrong])
    assert steps == (ProofStep("wrong.sine_is_cosine", False, right),)
    with pytest.raises(InvalidStep, match=r"step 1, by wrong\.sine_is_cosine, changes the value"):
        replay(left, steps, [wrong])


@pytest.mark.parametrize("identity", IDENTITIES, ids=lambda i: i.name)
def test_proofs_are_replayed(identity: Identity) -> None:
    f, g = unified([as_expression(identity.left), as_expression(identity.right)], (), "")
    f, g = unified([f, g], zip(f.shape, g.shape, strict=True), "")
    verdict = eg.equivalent(f, g)
    assert verdict.status == "equal"
    steps = verdict.steps
    assert steps is not None
    assert {s.rule for s in steps} <= set(verdict.rules)
    # Rule by rule at its place, and the oracle on each pair of neighbours.
    assert replay(f.term, steps, EQUIVALENCE.rulesets, assumed=verdict.assumed) is g.term
    text = verdict.explain("einsum")
    laws = {f"{law.ruleset}.{law.name}": law.law for law in verdict.laws}
    assert all(f"{s.rule}: {laws[s.rule]}" in text for s in steps)


def test_no_identity_is_a_rule_of_its_own_name() -> None:
    names = {rule.name for ruleset in EQUIVALENCE.rulesets for rule in ruleset.laws}
    assert not names & {i.name.replace(" ", "_").replace("-", "_").lower() for i in IDENTITIES}
