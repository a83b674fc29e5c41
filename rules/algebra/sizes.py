"""The numbers of sizes that are made of others, such as n - 1."""

from eggrad.rules.notation import *

sizes = Ruleset(
    "sizes", "numbers of sizes that are made of others", "the number of symbols in a size"
)


sizes.state(
    "arithmetic",
    REPLACES,
    size_of_difference=(size(i) >> size(as_difference(i)[0]) - size(as_difference(i)[1])).noted(
        "The number of indices of an axis of size m - n is m - n."
    ),
    size_of_sum=(size(i) >> size(as_sum(i)[0]) + size(as_sum(i)[1])).noted(
        "The number of indices of an axis of size m + n is m + n."
    ),
    size_of_multiple=(size(i) >> multiplier(i) * size(multiplicand(i))).noted(
        "The number of indices of an axis of size 2n is 2n."
    ),
)
