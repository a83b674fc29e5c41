"""Every rule has three tests of its own: it is true, it fires, and something needs it.

It is needed by a public derivative, or by an expression of its own.
"""

from typing import cast

import pytest

from eggrad.engine.laws.rule import Kind, Rule
from eggrad.engine.workbench.firing import check_firing
from eggrad.engine.workbench.soundness import check_soundness
from eggrad.frontend.workbench.experiment import BASE, rule_names
from eggrad.rules.calculus.stable_forms import stable_forms
from eggrad.rules.prerequisites import prerequisites_of
from eggrad.rules.standard import RULESETS
from tests.benchmarks.tables import read_csv
from tests.support.beyond import fails_beyond
from tests.support.needed_rules import NEEDED, without
from tests.support.tiers import every_case, samples

INSTANCES = samples(8, 100)

# Laws on terms without axes.
SCALAR = (
    *("size_is_number", "size_of_difference", "size_of_sum", "size_of_multiple"),
    "delta_of_nothing",
)

RULES = [
    pytest.param(rule, id=f"{ruleset.name}.{rule.name}")
    for ruleset in RULESETS
    for rule in ruleset.rules
]


@every_case
@pytest.mark.parametrize("rule", RULES)
def test_is_true(rule: Rule) -> None:
    for seed in range(1, 10):
        found = check_soundness(rule, INSTANCES, seed)
        assert found.counterexample is None, f"{rule.text}: {found.counterexample}"
        assert found.compared == INSTANCES * (1 + rule.statement.both)
        if found.with_size_one or rule.name in SCALAR:
            return
    pytest.fail("no size was 1")


NARROW = [p for p in RULES if cast(Rule, p.values[0]).kind in (Kind.KNOWN, Kind.ONE_WAY)]


@every_case
@pytest.mark.parametrize("rule", NARROW)
def test_is_false_beyond_its_domain(rule: Rule) -> None:
    assert fails_beyond(rule, seed=3) is not None, rule.text


@every_case
@pytest.mark.parametrize("rule", RULES)
def test_fires(rule: Rule) -> None:
    for back in (False, True)[: 1 + rule.statement.both]:
        found = check_firing(rule, prerequisites_of(rule), seed=2, back=back)
        assert found.fires, f"{rule.text}: {found}"


@every_case
@pytest.mark.parametrize("rule", NEEDED)
def test_without_the_rule_its_expression_is_worse(rule: str) -> None:
    assert without(rule).worse


def test_every_rule_matters_somewhere() -> None:
    """docs/data/ablation.csv says which rules the public derivatives need.

    No text has the forms that lose no digits: their laws have tests of their own.
    """
    matters = {row["without"] for row in read_csv("ablation")}
    assert matters
    of_forms = {f"{stable_forms.name}.{rule.name}" for rule in stable_forms.rules}
    assert {*NEEDED} == rule_names(BASE) - matters - of_forms
