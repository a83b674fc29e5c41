"""Choices between branches: what is not selected never matters, in values and in derivatives.

The derivative of a choice is a sum of products with tests, which are 1 or 0. Where a test is 0 the
other factor may be undefined, and so is such a product; the choice of it is not. So these laws go
one way, from products to choices, wherever factors may not be exchanged any more.
"""

from eggrad.engine.laws.rule import Bulk
from eggrad.engine.networks.sums_and_products import choices_gathered, every_sum
from eggrad.rules.notation import *

OF_CHOICE = "definition of the choice"

branches = Ruleset(
    "branches", "choices between branches, and tests", "the number of choices, tests and products"
)

masks = Ruleset(
    "masks", "entries that conditions on indices choose, for code", "none: one further e-node"
)


def _where(  # noqa: PLR0917
    s: Spec, test: Tensor, n: Dims, m: Dims, chosen: Tensor, otherwise: bool = False
) -> Tensor:
    """What a first factor with axes `n` chooses of a product with axes `m`; the other branch is 0.

    With `otherwise` it is the second branch that is chosen.
    """
    spread = ein(spread_of(s, 0), test, const(1, missing_dims(s, 0, n, m)))
    zero = const(0, result_dims(met(s), n, m))
    both = (zero, chosen) if otherwise else (chosen, zero)
    return ein1(summed(s), fn("where", spread, *both))


def _chosen(s: Spec, test: Tensor, b: Tensor) -> Tensor:
    """A product with a test as a choice between the other factor and 0."""
    n, m = dims(test), dims(b)
    return _where(s, test, n, m, ein(spread_of(s, 1), b, const(1, missing_dims(s, 1, n, m))))


@branches.rule(cite=OF_CHOICE, domain="b is defined", widens=True)
def product_with_negation(s: Spec, f: Name, p: Tensor, b: Tensor) -> Statement:
    """A test of one tensor times b is b where the test holds, and 0 elsewhere."""
    return ein(s, fn(f, p), b) >> _chosen(s, fn(f, p), b), is_test(f), total(b)


@branches.rule(cite=OF_CHOICE, domain="b is defined", widens=True)
def product_with_comparison(s: Spec, f: Name, p: Tensor, q: Tensor, b: Tensor) -> Statement:
    """A comparison times b is b where it holds, and 0 elsewhere."""
    return ein(s, fn(f, p, q), b) >> _chosen(s, fn(f, p, q), b), is_test(f), total(b)


@masks.rule(cite=OF_CHOICE, domain="b is defined", widens=True, stable=True)
def product_with_indicator(s: Spec, n: Dims, p: Constraints, b: Tensor) -> Statement:
    """[p]·b is b where p holds, and 0 elsewhere."""
    return ein(s, indicator(n, p), b) >> _chosen(s, indicator(n, p), b), nothing_summed(summed(s))


@branches.rule(cite=OF_CHOICE, domain="b is defined", widens=True)
def product_with_choice(s: Spec, c: Tensor, a: Tensor, n: Dims, b: Tensor) -> Statement:
    """What is 0 unless it is chosen stays so, whatever it is multiplied by."""
    choice = fn("where", c, a, const(0, n))
    chosen = _where(s, c, n, dims(b), ein(met(s), a, b))
    return ein(s, choice, b) >> chosen, differ(a, choice), total(b)


@branches.rule(cite=OF_CHOICE, domain="b is defined", widens=True)
def product_with_otherwise(s: Spec, c: Tensor, n: Dims, a: Tensor, b: Tensor) -> Statement:
    """What is 0 where something is chosen stays so, whatever it is multiplied by."""
    choice = fn("where", c, const(0, n), a)
    chosen = _where(s, c, n, dims(b), ein(met(s), a, b), otherwise=True)
    return ein(s, choice, b) >> chosen, differ(a, choice), total(b)


branches.state(
    OF_CHOICE,
    choice_known=(where(const(c, n), a, b) >> a)
    .when(c != 0)
    .noted("A choice by a number that is not 0 is its first branch.", replaces=True),
    choice_of_otherwise=(where(const(0, n), a, b) >> b).noted(
        "A choice by 0 is its second branch.", replaces=True
    ),
    choice_of_same=(where(b, a, a) >> a).noted(
        "A choice between equals is one of them.", replaces=True
    ),
    choice_within_choice=(where(e, where(e, a, b), d) >> where(e, a, d)).noted(
        "What is chosen twice by one condition is chosen once.", replaces=True
    ),
    choice_within_otherwise=(where(e, a, where(e, b, d)) >> where(e, a, d)).noted(
        "What is not chosen twice by one condition is not chosen once.", replaces=True
    ),
    choice_by_negation=(where(logical_not(d), a, b) >> where(d, b, a)).noted(
        "A choice by the opposite condition has its branches exchanged.", replaces=True
    ),
    choice_by_spread_negation=(
        where(ein(s, logical_not(d), const(1, n)), a, b) >> where(ein(s, d, const(1, n)), b, a)
    )
    .when(sums_nothing(s))
    .noted(
        "The same for the opposite of a condition on fewer axes, which ones spread.", replaces=True
    ),
)

branches.state(
    OF_CHOICE,
    sum_of_choices=Bulk(choices_gathered, every_sum).noted(
        "Choices by one condition are added branch by branch, with their coefficients in the sum."
    ),
)


branches.state(
    "definition of the function",
    negation_of_negation=(logical_not(logical_not(f(a))) >> f(a))
    .when(is_test(f))
    .noted("The opposite of the opposite of a test is the test.", replaces=True),
    negation_of_negated_comparison=(logical_not(logical_not(f(a, b))) >> f(a, b))
    .when(is_test(f))
    .noted("The opposite of the opposite of a comparison is the comparison.", replaces=True),
    test_or_opposite=(f(a) + logical_not(f(a)) >> 1)
    .when(is_test(f))
    .noted("Either a test holds or its opposite.", replaces=True),
    comparison_or_opposite=(f(a, b) + logical_not(f(a, b)) >> 1)
    .when(is_test(f))
    .noted("Either a comparison holds or its opposite.", replaces=True),
)


branches.state(
    OF_CHOICE,
    choice_times_delta=(
        where(ein(t, a, const(1, m)), ein(s, delta(l), b), const(0, n))
        >> ein(
            s,
            delta(l),
            where(ein(spread_within(t, s), a, const(1, lacking_within(t, s, dims(b)))), b, 0),
        )
    ).noted("A choice of δ·b is δ times a choice of b."),
    choice_times_indicator=(
        where(ein(t, a, const(1, m)), ein(s, indicator(l, P), b), const(0, n))
        >> ein(
            s,
            indicator(l, P),
            where(ein(spread_within(t, s), a, const(1, lacking_within(t, s, dims(b)))), b, 0),
        )
    ).noted("A choice of [P]·b is [P] times a choice of b."),
)
