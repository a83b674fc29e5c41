"""Choices between branches: what is not selected never matters, in values and in derivatives.

The derivative of a choice is a sum of products with tests, which are 1 or 0. Where a test is 0 the
other factor may be undefined, and so is such a product; the choice of it is not. So these laws go
one way, from products to choices, wherever factors may not be exchanged any more.
"""

from collections.abc import Iterator

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.primitives import (
    lacking_within,
    met,
    missing_dims,
    nothing_summed,
    spread_of,
    spread_within,
    summed,
)
from eggrad.engine.networks.sums_and_products import every_sum, with_choices_together
from eggrad.engine.terms.term import Term
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


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_known(c: Number, n: Dims, a: Tensor, b: Tensor) -> Statement:
    """A choice by a number that is not 0 is its first branch."""
    return fn("where", const(c, n), a, b) >> a, nonzero(c)


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_of_otherwise(n: Dims, a: Tensor, b: Tensor) -> Statement:
    """A choice by 0 is its second branch."""
    return fn("where", const(0, n), a, b) >> b


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_of_same(c: Tensor, a: Tensor) -> Statement:
    """A choice between equals is one of them."""
    return fn("where", c, a, a) >> a


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_within_choice(c: Tensor, a: Tensor, b: Tensor, d: Tensor) -> Statement:
    """What is chosen twice by one condition is chosen once."""
    return fn("where", c, fn("where", c, a, b), d) >> fn("where", c, a, d)


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_within_otherwise(c: Tensor, a: Tensor, b: Tensor, d: Tensor) -> Statement:
    """What is not chosen twice by one condition is not chosen once."""
    return fn("where", c, a, fn("where", c, b, d)) >> fn("where", c, a, d)


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_by_negation(c: Tensor, a: Tensor, b: Tensor) -> Statement:
    """A choice by the opposite condition has its branches exchanged."""
    return fn("where", fn("logical_not", c), a, b) >> fn("where", c, b, a)


@branches.rule(cite=OF_CHOICE, replaces=True)
def choice_by_spread_negation(s: Spec, c: Tensor, n: Dims, a: Tensor, b: Tensor) -> Statement:
    """The same for the opposite of a condition on fewer axes, which ones spread."""
    negation = ein(s, fn("logical_not", c), const(1, n))
    return (
        fn("where", negation, a, b) >> fn("where", ein(s, c, const(1, n)), b, a),
        sums_nothing(s),
    )


@branches.bulk_rule(cite=OF_CHOICE)
def sum_of_choices(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Choices by one condition are added branch by branch, with their coefficients in the sum."""
    for cls, form in every_sum(graph):
        found = with_choices_together(graph, cls, form)
        if found is not None:
            yield cls, found


@branches.rule(cite="definition of the function", replaces=True)
def negation_of_negation(f: Name, p: Tensor) -> Statement:
    """The opposite of the opposite of a test is the test."""
    return fn("logical_not", fn("logical_not", fn(f, p))) >> fn(f, p), is_test(f)


@branches.rule(cite="definition of the function", replaces=True)
def negation_of_negated_comparison(f: Name, p: Tensor, q: Tensor) -> Statement:
    """The opposite of the opposite of a comparison is the comparison."""
    return fn("logical_not", fn("logical_not", fn(f, p, q))) >> fn(f, p, q), is_test(f)


@branches.rule(cite="definition of the function", replaces=True)
def test_or_opposite(f: Name, p: Tensor) -> Statement:
    """Either a test holds or its opposite."""
    return add(fn(f, p), fn("logical_not", fn(f, p))) >> const(1, dims(p)), is_test(f)


@branches.rule(cite="definition of the function", replaces=True)
def comparison_or_opposite(f: Name, p: Tensor, q: Tensor) -> Statement:
    """Either a comparison holds or its opposite."""
    return add(fn(f, p, q), fn("logical_not", fn(f, p, q))) >> const(1, dims(p)), is_test(f)


def _moved(choice: tuple[Spec, Tensor, Dims, Dims], s: Spec, first: Tensor, b: Tensor) -> Law:
    """A choice of a product as a product with a choice, where the first factor is finite.

    The choice has the spec that spreads its condition, the condition, and the axes of the ones
    and of the 0 that it has.
    """
    t, c, m, n = choice
    within = ein(spread_within(t, s), c, const(1, lacking_within(t, s, dims(b))))
    whole = fn("where", ein(t, c, const(1, m)), ein(s, first, b), const(0, n))
    return whole >> ein(s, first, fn("where", within, b, const(0, dims(b))))


@branches.rule(cite=OF_CHOICE)
def choice_times_delta(  # noqa: PLR0917
    t: Spec, s: Spec, c: Tensor, d: Dims, b: Tensor, m: Dims, n: Dims
) -> Statement:
    """A choice of δ·b is δ times a choice of b."""
    return _moved((t, c, m, n), s, delta(d), b)


@branches.rule(cite=OF_CHOICE)
def choice_times_indicator(  # noqa: PLR0917
    t: Spec, s: Spec, c: Tensor, d: Dims, p: Constraints, b: Tensor, m: Dims, n: Dims
) -> Statement:
    """A choice of [p]·b is [p] times a choice of b."""
    return _moved((t, c, m, n), s, indicator(d, p), b)
