"""Laws of special functions are true and fire; terms are compared by them."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.engine.laws.rule import Rule
from eggrad.engine.workbench.firing import check_firing
from eggrad.engine.workbench.soundness import check_soundness
from eggrad.frontend.expression import special
from eggrad.frontend.expression.special_laws import special_functions
from eggrad.rules.prerequisites import prerequisites_of
from tests.support.tiers import every_case, samples

INSTANCES = samples(8, 100)
RULES = [pytest.param(r, id=r.name) for r in special_functions.rules]
x, y = eg.variable("x", ("n",), ["positive"]), eg.variable("y", ("n",), ["positive"])


@every_case
@pytest.mark.parametrize("rule", RULES)
def test_is_true(rule: Rule) -> None:
    pytest.importorskip("scipy")
    found = check_soundness(rule, INSTANCES, seed=1)
    assert found.counterexample is None, f"{rule.text}: {found.counterexample}"
    assert found.compared == INSTANCES


@every_case
@pytest.mark.parametrize("rule", RULES)
def test_fires(rule: Rule) -> None:
    assert check_firing(rule, prerequisites_of(rule), seed=2).fires


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (special.gamma(x + 2), x * (x + 1) * special.gamma(x)),
        (special.gammaln(x + 1) - special.gammaln(x), np.log(x)),
        (special.beta(x, y), special.beta(y, x)),
        (special.erf(x) + special.erfc(x), 1 + 0 * x),
        (special.ndtr(x) + special.ndtr(-x), 1 + 0 * x),
        (np.sinh(np.arcsinh(x)), x),
        (special.entr(x), -x * np.log(x)),
    ],
)
def test_decides(left: eg.Expression, right: eg.Expression) -> None:
    pytest.importorskip("scipy")
    assert eg.equivalent(left, right).status == "equal"
    assert eg.equivalent(left, right + x / 100).status == "different"
