"""Which rules follow from others, and which let an e-graph grow."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.equality.equivalence import smallest_part
from eggrad.engine.indices.spec import Spec
from eggrad.engine.laws.language import (
    Statement,
    Tensor,
    add,
    const,
    dims,
    ein,
    fn,
    power,
    subtract,
)
from eggrad.engine.laws.primitives import is_elementwise
from eggrad.engine.laws.rule import Rule, Ruleset
from eggrad.engine.workbench.firing import telling_instances
from eggrad.engine.workbench.termination import check_growth, derive, goals_of
from eggrad.rules.calculus.reverse import reverse
from eggrad.rules.functions.elementwise import functions
from eggrad.rules.standard import RULESETS, STANDARD, extended

RULES = {rule.name: rule for ruleset in RULESETS for rule in ruleset.rules}


@pytest.fixture
def ruleset() -> Ruleset:
    return Ruleset("test", "rules of a test", "nothing")


def derived(rule: Rule) -> list[str] | None:
    return derive(goals_of(rule), STANDARD, f"{rule.ruleset}.{rule.name}")


def test_a_law_that_follows_is_derived_from_few(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def log_of_exponentials(s: Spec, a: Tensor, b: Tensor) -> Statement:
        """log(exp a·exp b) = a + b."""
        return fn("log", ein(s, fn("exp", a), fn("exp", b))) >> add(a, b), is_elementwise(s)

    expected = ["functions.log_of_exp", "functions.product_of_exp"]
    assert derived(log_of_exponentials) == expected
    assert derive(goals_of(log_of_exponentials), STANDARD.only(expected), "") == expected
    assert derive(goals_of(log_of_exponentials), STANDARD.only(expected[:1]), "") is None


def test_a_law_does_not_follow_from_itself(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def sine_of_arccosine(a: Tensor) -> Statement:
        """sin arccos a = √(1 - a²)."""
        square = power(a, 2)
        return fn("sin", fn("arccos", a)) >> power(
            subtract(const(1, dims(a)), square), Fraction(1, 2)
        )

    goals = goals_of(sine_of_arccosine)
    own = "test.sine_of_arccosine"
    strategy = extended(STANDARD, [ruleset])
    assert derive(goals, strategy, "") == [own]
    assert derive(goals, strategy, own) is None


@pytest.mark.parametrize("name", ["slope_sin", "product_of_exp"])
def test_basic_laws_do_not_follow(name: str) -> None:
    assert derived(RULES[name]) is None


@pytest.mark.parametrize(("name", "other"), [("d_power", "pull_base"), ("pull_inv", "d_inv")])
def test_a_law_of_one_mode_is_the_transpose_of_the_other_modes(name: str, other: str) -> None:
    rule, transpose = RULES[name], RULES[other]
    found = derived(rule)
    assert found is not None
    assert f"{transpose.ruleset}.{other}" in found
    without_both = STANDARD.mapped(lambda s: s.without(name, other, "pull_exponent"))
    assert derive(goals_of(rule), without_both, "") is None


@pytest.mark.parametrize("name", ["d_power", "slope_sin", "pull_function"])
def test_derivatives_follow_from_all_rules(name: str) -> None:
    rule = RULES[name]
    found = derive(goals_of(rule), STANDARD, "")
    assert found is not None
    assert f"{rule.ruleset}.{name}" in found


def test_laws_that_shrink_come_to_an_end() -> None:
    found = check_growth(functions, telling_instances(RULES["sign_of_sign"], 3, 0), STANDARD.settle)
    assert found.ended
    assert found.sizes[-1] == found.sizes[-2]


def test_pullbacks_come_to_an_end() -> None:
    rule = RULES["pull_base"]
    assert check_growth(reverse, telling_instances(rule, 3, 0), STANDARD.settle).ended


def test_laws_that_grow_are_seen_to(ruleset: Ruleset) -> None:
    @ruleset.rule(cite="")
    def more_and_more(a: Tensor) -> Statement:
        """exp a = exp(log exp a)."""
        return fn("exp", a) >> fn("exp", fn("log", fn("exp", add(a, a))))

    found = check_growth(ruleset, telling_instances(more_and_more, 3, 0))
    assert not found.ended
    assert found.sizes[-1] > found.sizes[1] > found.sizes[0]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 15), unique=True), st.sets(st.integers(0, 15)))
def test_nothing_can_be_spared(items: list[int], needed: set[int]) -> None:
    wanted = needed & {*items}

    def suffices(part: Sequence[int]) -> bool:
        return wanted <= {*part}

    assert smallest_part(items, suffices) == [i for i in items if i in wanted]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(0, 40))
def test_no_single_item_can_be_spared(items: list[int], least: int) -> None:
    goal = min(least, sum(items))
    part = smallest_part(items, lambda some: sum(some) >= goal)
    assert sum(part) >= goal
    assert all(sum(part) - item < goal for item in part)
