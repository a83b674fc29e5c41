"""The numbers of sizes that are made of others, such as n - 1."""

from eggrad.engine.indices.spec import Size
from eggrad.engine.laws.primitives import (
    first_summand,
    minuend,
    multiplicand,
    multiplier,
    other_summands,
    subtrahend,
)
from eggrad.rules.notation import *

sizes = Ruleset(
    "sizes", "numbers of sizes that are made of others", "the number of symbols in a size"
)


@sizes.rule(cite="arithmetic", replaces=True)
def size_of_difference(d: Size) -> Statement:
    """The number of indices of an axis of size m - n is m - n."""
    return size(d) >> subtract(size(minuend(d)), size(subtrahend(d)))


@sizes.rule(cite="arithmetic", replaces=True)
def size_of_sum(d: Size) -> Statement:
    """The number of indices of an axis of size m + n is m + n."""
    return size(d) >> add(size(first_summand(d)), size(other_summands(d)))


@sizes.rule(cite="arithmetic", replaces=True)
def size_of_multiple(d: Size) -> Statement:
    """The number of indices of an axis of size 2n is 2n."""
    return size(d) >> scale(multiplier(d), size(multiplicand(d)))
