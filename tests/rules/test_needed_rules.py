"""Every rule is needed: by a public derivative, or by an expression of its own."""

import re

import pytest

from eggrad.frontend.workbench.variant import BASE, rule_names
from tests.benchmarks.tables import PAGE
from tests.support.needed_rules import NEEDED, without


@pytest.mark.parametrize("rule", NEEDED)
def test_without_the_rule_its_expression_is_worse(rule: str) -> None:
    assert without(rule).worse


def test_every_rule_matters_somewhere() -> None:
    """The table of benchmarks.md says which rules the public derivatives need."""
    (table,) = re.findall(
        r"<!-- ablation -->\n(.*?)<!-- end -->", PAGE.read_text("utf-8"), re.DOTALL
    )
    matters = set(re.findall(r"^\| `(.*?)`", table, re.MULTILINE))
    assert matters
    assert {*NEEDED} == rule_names(BASE) - matters
