"""The identities of textbooks: a minimal set of rules, and steps that are checked on their own."""

import pytest

import eggrad as eg
from eggrad.engine.equality.replay import replay
from eggrad.frontend.expression.expression import as_expression, unified
from eggrad.rules.standard import EQUIVALENCE
from tests.support.textbook_identities import IDENTITIES, Identity


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
