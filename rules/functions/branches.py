"""Choices between branches: what is not selected never matters, in values and in derivatives.

The derivative of a choice is a sum of products with tests, which are 1 or 0. Where a test is 0 the
other factor may be undefined, and so is such a product; the choice of it is not. So products
with tests become choices, and not the other way, wherever factors may not be exchanged any more.
"""

from eggrad.engine.networks.sums_and_products import choices_gathered, every_sum
from eggrad.rules.notation import *

OF_CHOICE = "definition of the choice"

DEFINED = {"domain": "b is defined", "widens": True}

branches = Ruleset(
    "branches", "choices between branches, and tests", "the number of choices, tests and products"
)

masks = Ruleset(
    "masks", "entries that conditions on indices choose, for code", "none: one further e-node"
)


def _where(s: Spec, test: Tensor, n: Dims, m: Dims, **branch: Tensor) -> Tensor:
    """What a first factor with axes `n` chooses of a product with axes `m`.

    The branch is `chosen` or `otherwise`; the other one is 0.
    """
    whole = broadcast(s, n, m)
    spread, zero = ein(whole.left, test, const(1, whole.left_ones)), const(0, whole.dims)
    return ein1(
        whole.rest, where(spread, branch.get("chosen", zero), branch.get("otherwise", zero))
    )


def _chosen(s: Spec, test: Tensor, b: Tensor) -> Tensor:
    """A product with a test as a choice between the other factor and 0."""
    n, m = dims(test), dims(b)
    whole = broadcast(s, n, m)
    return _where(s, test, n, m, chosen=ein(whole.right, b, const(1, whole.right_ones)))


branches.state(
    OF_CHOICE,
    product_with_negation=(ein(s, f(a), b) >> _chosen(s, f(a), b))
    .when(f.is_test, total(b))
    .noted("A test of one tensor times b is b where the test holds, and 0 elsewhere.", **DEFINED),
    product_with_comparison=(ein(s, f(a, d), b) >> _chosen(s, f(a, d), b))
    .when(f.is_test, total(b))
    .noted("A comparison times b is b where it holds, and 0 elsewhere.", **DEFINED),
    product_with_choice=(
        ein(s, where(e, a, const(0, n)), b)
        >> _where(s, e, n, dims(b), chosen=ein(broadcast(s, n, dims(b)).spec, a, b))
    )
    .when(a != where(e, a, const(0, n)), total(b))
    .noted("A choice between a and 0, times b, is the choice between a·b and 0.", **DEFINED),
    product_with_otherwise=(
        ein(s, where(e, const(0, n), a), b)
        >> _where(s, e, n, dims(b), otherwise=ein(broadcast(s, n, dims(b)).spec, a, b))
    )
    .when(a != where(e, const(0, n), a), total(b))
    .noted("A choice between 0 and a, times b, is the choice between 0 and a·b.", **DEFINED),
)

masks.state(
    OF_CHOICE,
    product_with_indicator=(ein(s, indicator(n, P), b) >> _chosen(s, indicator(n, P), b))
    .when(sums_nothing(broadcast(s, n, dims(b)).rest))
    .noted("[P]·b is b where P holds, and 0 elsewhere.", stable=True, **DEFINED),
)

branches.state(
    OF_CHOICE,
    REPLACES,
    choice_known=(where(const(c, n), a, b) >> a)
    .when(c != 0)
    .noted("A choice by a number that is not 0 is its first branch."),
    choice_of_otherwise=(where(const(0, n), a, b) >> b).noted(
        "A choice by 0 is its second branch."
    ),
    choice_of_same=(where(b, a, a) >> a).noted("A choice between equals is one of them."),
    choice_within_choice=(where(e, where(e, a, b), d) >> where(e, a, d)).noted(
        "What is chosen twice by one condition is chosen once."
    ),
    choice_within_otherwise=(where(e, a, where(e, b, d)) >> where(e, a, d)).noted(
        "What is not chosen twice by one condition is not chosen once."
    ),
    choice_by_negation=(where(logical_not(d), a, b) >> where(d, b, a)).noted(
        "A choice by the opposite condition has its branches exchanged."
    ),
    choice_by_spread_negation=(
        where(ein(s, logical_not(d), const(1, n)), a, b) >> where(ein(s, d, const(1, n)), b, a)
    )
    .when(sums_nothing(s))
    .noted("The same for the opposite of a condition on fewer axes, which ones spread."),
)

branches.state(
    OF_CHOICE,
    sum_of_choices=Bulk(choices_gathered, every_sum).noted(
        "Choices by one condition are added branch by branch, with their coefficients in the sum."
    ),
)


branches.state(
    "definition of the function",
    REPLACES,
    negation_of_negation=(logical_not(logical_not(f(a))) >> f(a))
    .when(f.is_test)
    .noted("The opposite of the opposite of a test is the test."),
    negation_of_negated_comparison=(logical_not(logical_not(f(a, b))) >> f(a, b))
    .when(f.is_test)
    .noted("The opposite of the opposite of a comparison is the comparison."),
    power_of_test=(f(a) ** p >> f(a))
    .when(f.is_test, p > 0)
    .noted("A positive power of a test is the test, for 0 and 1 are powers of themselves."),
    power_of_comparison=(f(a, b) ** p >> f(a, b))
    .when(f.is_test, p > 0)
    .noted("A positive power of a comparison is the comparison."),
    test_or_opposite=(f(a) + logical_not(f(a)) >> 1)
    .when(f.is_test)
    .noted("Either a test holds or its opposite."),
    comparison_or_opposite=(f(a, b) + logical_not(f(a, b)) >> 1)
    .when(f.is_test)
    .noted("Either a comparison holds or its opposite."),
)


# A condition `a` times ones along axes of b that it lacks; no law where b lacks one of its axes.
WITHIN = spread_within(t, s, dims(b))
CHOICE = where(ein(WITHIN.spec, a, const(1, WITHIN.ones)), b, 0)

branches.state(
    OF_CHOICE,
    choice_times_delta=(
        where(ein(t, a, const(1, m)), ein(s, delta(l), b), const(0, n)) >> ein(s, delta(l), CHOICE)
    ).noted("A choice between δ·b and 0, by a condition on axes of b, is δ times one of b."),
    choice_times_indicator=(
        where(ein(t, a, const(1, m)), ein(s, indicator(l, P), b), const(0, n))
        >> ein(s, indicator(l, P), CHOICE)
    ).noted("A choice between [P]·b and 0, by a condition on axes of b, is [P] times one of b."),
)
