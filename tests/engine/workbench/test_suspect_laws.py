"""Laws that are false in one place alone are refuted; true ones that look alike are not."""

import pytest

from eggrad.engine.laws.rule import Rule
from eggrad.engine.workbench.soundness import check_soundness
from tests.engine.workbench.suspect_laws import false_laws, true_laws


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.name) for r in false_laws.rules])
def test_is_refuted(rule: Rule) -> None:
    assert check_soundness(rule, 200).counterexample is not None, rule.law


@pytest.mark.parametrize("rule", [pytest.param(r, id=r.name) for r in true_laws.rules])
def test_is_accepted(rule: Rule) -> None:
    found = check_soundness(rule, 60)
    assert (found.counterexample, found.compared) == (None, 60), rule.law
