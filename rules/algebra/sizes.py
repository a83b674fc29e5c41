"""The numbers of sizes that are made of others, such as n - 1."""

from eggrad.rules.notation import *

sizes = Ruleset(
    "sizes", "numbers of sizes that are made of others", "the number of symbols in a size"
)


sizes.state(
    "arithmetic",
    REPLACES,
    size_of_difference=(size(i) >> size(minuend(i)) - size(subtrahend(i))).noted(
        "The number of indices of an axis of size m - n is m - n."
    ),
    size_of_sum=(size(i) >> size(first_summand(i)) + size(other_summands(i))).noted(
        "The number of indices of an axis of size m + n is m + n."
    ),
    size_of_multiple=(size(i) >> multiplier(i) * size(multiplicand(i))).noted(
        "The number of indices of an axis of size 2n is 2n."
    ),
)
