"""What intervals the entries of a tensor are in, and what is decided by them."""

from eggrad.rules.notation import *

ranges = Ruleset(
    "ranges",
    "what is decided by the range of a tensor",
    "the number of element-wise functions",
    decides=("abs", "maximum", "minimum", "relu", "sign"),
)

# At most 0.

ranges.state(
    ORDER,
    declared_negative=negative(declared(X)).when(is_declared(X, "negative")).noted(cite="declared"),
    negative_is_nonpositive=nonpositive(a).when(negative(a)),
    nonpositive_constant=nonpositive(const(c, n))
    .when(c <= 0)
    .noted("A constant is at most 0 if its number is."),
    negative_constant=negative(const(c, n))
    .when(c < 0)
    .noted("A constant is below 0 if its number is."),
    negative_multiple=negative(c * a).when(positive(a), c < 0),
    nonpositive_multiple=nonpositive(c * a).when(nonnegative(a), c <= 0),
    multiple_of_negative=positive(c * a).when(negative(a), c < 0),
    multiple_of_nonpositive=nonnegative(c * a).when(nonpositive(a), c <= 0),
    nonpositive_sum=nonpositive(a + b).when(nonpositive(a), nonpositive(b)),
    negative_sum=negative(a + b).when(negative(a), nonpositive(b)),
    nonpositive_product=nonpositive(ein(s, a, b))
    .when(nonpositive(a), nonnegative(b))
    .noted("A product, summed or not, of a ≤ 0 and b ≥ 0 is at most 0."),
    product_with_nonpositive=nonpositive(ein(s, a, b))
    .when(nonnegative(a), nonpositive(b))
    .noted("A product, summed or not, of a ≥ 0 and b ≤ 0 is at most 0."),
    product_of_nonpositive=nonnegative(ein(s, a, b))
    .when(nonpositive(a), nonpositive(b))
    .noted("A product, summed or not, of a ≤ 0 and b ≤ 0 is at least 0."),
    nonpositive_entries=nonpositive(ein1(s, a))
    .when(nonpositive(a))
    .noted("Entries of what is at most 0, and sums of them, are."),
    function_of_nonpositive=nonpositive(f(a))
    .when(nonpositive(a), f.parity == "odd", f.keeps_sign)
    .noted(
        "f(a) ≤ 0 for a ≤ 0, for an odd f that has the sign of its operand.",
        cite="range of the function",
    ),
    logarithm_of_part=nonpositive(log(a)).when(at_most_one(a)).noted(cite="range of the function"),
    logarithm_above_one=nonnegative(log(a))
    .when(at_least_one(a))
    .noted(cite="range of the function"),
)

# At least 1, at most 1.

ranges.state(
    ORDER,
    at_least_one_is_positive=positive(a).when(at_least_one(a)),
    constant_at_least_one=at_least_one(const(c, n))
    .when(c >= 1)
    .noted("A constant is at least 1 if its number is."),
    sum_at_least_one=at_least_one(a + b).when(at_least_one(a), nonnegative(b)),
    multiple_at_least_one=at_least_one(c * a).when(at_least_one(a), c >= 1),
    product_at_least_one=at_least_one(ein(s, a, b))
    .when(at_least_one(a), at_least_one(b), sums_nothing(s))
    .noted("a·b ≥ 1 for a ≥ 1 and b ≥ 1, where nothing is summed."),
    power_at_least_one=at_least_one(a**p).when(at_least_one(a), p > 0).noted(cite="real powers"),
    exponential_at_least_one=at_least_one(exp(a))
    .when(nonnegative(a))
    .noted(cite="range of the function"),
    hyperbolic_cosine=at_least_one(k * (exp(a) + exp(-1 * a)))
    .when(k >= HALF)
    .noted(cite="range of the hyperbolic cosine"),
    nonpositive_is_at_most_one=at_most_one(a).when(nonpositive(a)),
    within_one_is_at_most_one=at_most_one(a).when(within_one(a)),
    between_zero_and_one=within_one(a).when(nonnegative(a), at_most_one(a)),
    constant_at_most_one=at_most_one(const(c, n))
    .when(c <= 1)
    .noted("A constant is at most 1 if its number is."),
    delta_at_most_one=at_most_one(delta(n)).noted(cite="definition of the delta"),
    indicator_at_most_one=at_most_one(indicator(n, P)).noted(
        "An indicator is 0 or 1.", cite="definition of an indicator"
    ),
    selection_at_most_one=at_most_one(selection(n, a)).noted(cite="definition of a selection"),
    sum_at_most_one=at_most_one(a + b).when(at_most_one(a), nonpositive(b)),
    multiple_at_most_one=at_most_one(c * a).when(at_most_one(a), c >= 0, c <= 1),
    product_at_most_one=at_most_one(ein(s, a, b))
    .when(nonnegative(a), at_most_one(a), nonnegative(b), at_most_one(b), sums_nothing(s))
    .noted("a·b ≤ 1 for a and b between 0 and 1, where nothing is summed."),
    entries_at_most_one=at_most_one(ein1(s, a))
    .when(at_most_one(a), sums_nothing(s))
    .noted("Entries of what is at most 1 are at most 1."),
    power_at_most_one=at_most_one(a**p)
    .when(nonnegative(a), at_most_one(a), is_integer(p), p >= 0)
    .noted("aᵖ ≤ 1 for a between 0 and 1, and a natural p.", cite="real powers"),
    power_within_one=within_one(a**p)
    .when(within_one(a), is_integer(p), p >= 0)
    .noted("aᵖ is between -1 and 1 if a is, for a natural p.", cite="real powers"),
    reciprocal_at_most_one=at_most_one(a**p).when(at_least_one(a), p < 0).noted(cite="real powers"),
    exponential_at_most_one=at_most_one(exp(a))
    .when(nonpositive(a))
    .noted(cite="range of the function"),
    share_at_most_one=at_most_one(ein(s, a, ein1(t, a) ** -1))
    .when(nonnegative(a), is_share(s, t))
    .noted("a / Σ a ≤ 1 for a ≥ 0, as in softmax."),
)

# Sums with a number.

ranges.state(
    ORDER,
    nonpositive_below_number=nonpositive(a + c).when(at_most_one(a), c <= -1),
    nonnegative_above_number=nonnegative(a + c).when(at_least_one(a), c >= -1),
    nonnegative_number_less_part=nonnegative(-1 * a + c).when(at_most_one(a), c >= 1),
    nonnegative_number_with_part=nonnegative(a + c).when(within_one(a), c >= 1),
)

# What they decide.

ranges.state(
    ORDER,
    relu_of_nonpositive=(relu(a) >> 0)
    .when(nonpositive(a))
    .noted("relu a = 0 for what is at most 0.", domain="a ≤ 0", cite=DEFINITION),
    sign_of_negative=(sign(a) >> -1)
    .when(negative(a))
    .noted("sign a = -1 for what is negative.", domain="a < 0", cite=DEFINITION),
    maximum_by_sign=(maximum(a, b) >> a)
    .when(nonnegative(a), nonpositive(b))
    .noted(domain="b ≤ 0 ≤ a"),
    maximum_by_sign_of_second=(maximum(a, b) >> b)
    .when(nonpositive(a), nonnegative(b))
    .noted(domain="a ≤ 0 ≤ b"),
    minimum_by_sign=(minimum(a, b) >> b)
    .when(nonnegative(a), nonpositive(b))
    .noted(domain="b ≤ 0 ≤ a"),
    minimum_by_sign_of_second=(minimum(a, b) >> a)
    .when(nonpositive(a), nonnegative(b))
    .noted(domain="a ≤ 0 ≤ b"),
    maximum_by_one=(maximum(a, b) >> a)
    .when(at_least_one(a), at_most_one(b))
    .noted(domain="b ≤ 1 ≤ a"),
    maximum_by_one_of_second=(maximum(a, b) >> b)
    .when(at_most_one(a), at_least_one(b))
    .noted(domain="a ≤ 1 ≤ b"),
    minimum_by_one=(minimum(a, b) >> b)
    .when(at_least_one(a), at_most_one(b))
    .noted(domain="b ≤ 1 ≤ a"),
    minimum_by_one_of_second=(minimum(a, b) >> a)
    .when(at_most_one(a), at_least_one(b))
    .noted(domain="a ≤ 1 ≤ b"),
)

# Infinities.

ranges.state(
    "order of the extended reals",
    bounded_by_infinity=(f(a, array(E)) >> a)
    .when(never_takes(f, E))
    .noted("max(a, -∞) = a and min(a, ∞) = a."),
    bounded_by_spread_infinity=(f(a, ein(s, array(E), const(1, n))) >> a)
    .when(never_takes(f, E), sums_nothing(s))
    .noted("max(a, -∞) = a and min(a, ∞) = a, where ones spread the infinity."),
)
