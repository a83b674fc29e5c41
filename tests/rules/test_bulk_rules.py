"""Laws on whole sums and products: true, used, and blind to order and nesting."""

from itertools import pairwise

import numpy as np
import pytest

from eggrad.engine.costs.cost import node_count
from eggrad.engine.laws.rule import BulkRule
from eggrad.engine.terms import term as terms
from eggrad.engine.workbench.bulk_soundness import RandomClasses, check_bulk_soundness
from eggrad.engine.workbench.random_networks import multiple, product, total
from eggrad.rules.prerequisites import BEFORE_BULK_RULES
from eggrad.rules.standard import RULESETS, system
from tests.support.tiers import every_case, samples

BULK_RULES = [
    pytest.param(rule, id=f"{ruleset.name}.{rule.name}")
    for ruleset in RULESETS
    for rule in ruleset.bulk_rules
]


@pytest.fixture(scope="module")
def classes() -> RandomClasses:
    return RandomClasses(BEFORE_BULK_RULES)


@every_case
@pytest.mark.parametrize("rule", BULK_RULES)
def test_is_true_and_fires(rule: BulkRule, classes: RandomClasses) -> None:
    found = check_bulk_soundness(rule, classes, samples(600, 1500))
    assert found.counterexample is None, str(found.counterexample)
    assert found.compared


@pytest.mark.parametrize("seed", range(15))
def test_sums_in_any_order_come_out_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    known = [terms.variable(name, (2, "n")) for name in "abcd"]
    summands = [(int(rng.integers(1, 4)), known[int(rng.integers(4))]) for _ in range(6)]
    first, second = (total(summands, rng) for _ in range(2))
    result = system().simplify([first, second])
    assert result.complete
    assert result.terms[0] is result.terms[1]
    distinct = len({t for _, t in summands})
    # A variable, its number, its multiple and a sum for each; numbers may be shared.
    assert node_count(result.terms) <= 4 * distinct


@pytest.mark.parametrize("seed", range(15))
def test_products_in_any_order_come_out_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    letters = "ijklmop"
    factors = [(terms.variable(c.upper(), (c, d)), c + d) for c, d in pairwise(letters)]
    factors = factors[: int(rng.integers(3, 7))]
    out = letters[0] + factors[-1][1][1]
    first, second = (product(factors, out, rng) for _ in range(2))
    result = system().simplify([first, second])
    assert result.terms[0] is result.terms[1]
    assert node_count(result.terms) == 2 * len(factors) - 1


@pytest.mark.parametrize("seed", range(5))
def test_permuted_elementwise_factors_come_out_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    factors = [(terms.variable(name, ("n",)), "i") for name in "abcdef"]
    first, second = (product(factors, "i", rng) for _ in range(2))
    result = system().simplify([first, second])
    assert result.terms[0] is result.terms[1]
    assert node_count(result.terms) == 11


def test_what_is_added_and_subtracted_goes() -> None:
    a, b = (terms.variable(name, ("n",)) for name in "ab")
    assert system().simplify([terms.subtract(terms.add(a, b), a)]).term is b


def test_multiples_of_one_term_are_added() -> None:
    x = terms.variable("x", ("n",))
    found = system().simplify([terms.add(multiple(2, x), multiple(3, x))]).term
    assert found is multiple(5, x)
