"""What is called equal is equal, where the verdict says: pairs that differ in corners alone."""

from itertools import pairwise
from random import Random

import pytest

import eggrad as eg
from eggrad.engine.equality.replay import replay
from eggrad.engine.terms import term as t
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression.expression import expression
from eggrad.rules.standard import EQUIVALENCE
from tests.support.near_misses import check_pair, false_equality, near_miss
from tests.support.partial_triples import random_triple


@pytest.mark.parametrize("seed", range(60))
def test_no_verdict_is_false(seed: int) -> None:
    failure, _ = check_pair(Random(seed))
    assert failure == ""


@pytest.mark.parametrize("seed", range(20))
def test_every_step_is_true_where_the_verdict_says(seed: int) -> None:
    random = Random(seed)
    if seed % 2:
        left = random_triple(random)[0]
        right = calculus.simplify(left).term
    else:
        left, right = near_miss(random)
    scope = t.variables(left, right)
    verdict = eg.equivalent(expression(left, scope), expression(right, scope))
    if verdict.status != "equal" or verdict.steps is None:
        return
    assert replay(left, verdict.steps, EQUIVALENCE.rulesets, assumed=verdict.assumed) is right
    chain = [left, *(s.term for s in verdict.steps)]
    for before, after in pairwise(chain):
        assert false_equality(random, before, after, verdict) == ""
