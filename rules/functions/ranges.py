"""What intervals the entries of a tensor are in, and what is decided by them."""

from eggrad.engine.laws.primitives import is_declared, is_natural, is_negative
from eggrad.engine.laws.properties import at_least_one, at_most_one, negative, nonpositive
from eggrad.engine.laws.structure_primitives import (
    is_at_most_zero,
    is_below_zero,
    is_half_at_least,
    is_minus_one,
    is_minus_one_at_least,
    is_minus_one_at_most,
    is_odd_with_sign,
    is_one_at_least,
    is_one_at_most,
    is_proper_part,
    is_share,
)
from eggrad.rules.notation import *

ranges = Ruleset(
    "ranges",
    "what is decided by the range of a tensor",
    "the number of element-wise functions",
    decides=("abs", "maximum", "minimum", "relu", "sign"),
)


# At most 0 ---------------------------------------------------------------------------------


@ranges.fact(cite="declared")
def declared_negative(x: Variable) -> Claim:
    """A variable that is declared negative is."""
    return negative(declared(x)), is_declared(x, "negative")


@ranges.fact(cite=ORDER)
def negative_is_nonpositive(a: Tensor) -> Claim:
    """a ≤ 0 where a < 0."""
    return nonpositive(a), negative(a)


@ranges.fact(cite=ORDER)
def nonpositive_constant(c: Number, n: Dims) -> Claim:
    """A constant is at most 0 if its number is."""
    return nonpositive(const(c, n)), is_at_most_zero(c)


@ranges.fact(cite=ORDER)
def negative_constant(c: Number, n: Dims) -> Claim:
    """A constant is below 0 if its number is."""
    return negative(const(c, n)), is_below_zero(c)


@ranges.fact(cite=ORDER)
def negative_multiple(c: Number, a: Tensor) -> Claim:
    """c·a < 0 for c < 0 and a > 0."""
    return negative(scale(c, a)), positive(a), is_below_zero(c)


@ranges.fact(cite=ORDER)
def nonpositive_multiple(c: Number, a: Tensor) -> Claim:
    """c·a ≤ 0 for c ≤ 0 and a ≥ 0."""
    return nonpositive(scale(c, a)), nonnegative(a), is_at_most_zero(c)


@ranges.fact(cite=ORDER)
def multiple_of_negative(c: Number, a: Tensor) -> Claim:
    """c·a > 0 for c < 0 and a < 0."""
    return positive(scale(c, a)), negative(a), is_below_zero(c)


@ranges.fact(cite=ORDER)
def multiple_of_nonpositive(c: Number, a: Tensor) -> Claim:
    """c·a ≥ 0 for c ≤ 0 and a ≤ 0."""
    return nonnegative(scale(c, a)), nonpositive(a), is_at_most_zero(c)


@ranges.fact(cite=ORDER)
def nonpositive_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b ≤ 0 for a ≤ 0 and b ≤ 0."""
    return nonpositive(add(a, b)), nonpositive(a), nonpositive(b)


@ranges.fact(cite=ORDER)
def negative_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b < 0 for a < 0 and b ≤ 0."""
    return negative(add(a, b)), negative(a), nonpositive(b)


@ranges.fact(cite=ORDER)
def sum_with_negative(a: Tensor, b: Tensor) -> Claim:
    """a + b < 0 for a ≤ 0 and b < 0."""
    return negative(add(a, b)), nonpositive(a), negative(b)


@ranges.fact(cite=ORDER)
def nonpositive_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """A product, summed or not, of a ≤ 0 and b ≥ 0 is at most 0."""
    return nonpositive(ein(s, a, b)), nonpositive(a), nonnegative(b)


@ranges.fact(cite=ORDER)
def product_with_nonpositive(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """A product, summed or not, of a ≥ 0 and b ≤ 0 is at most 0."""
    return nonpositive(ein(s, a, b)), nonnegative(a), nonpositive(b)


@ranges.fact(cite=ORDER)
def product_of_nonpositive(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """A product, summed or not, of a ≤ 0 and b ≤ 0 is at least 0."""
    return nonnegative(ein(s, a, b)), nonpositive(a), nonpositive(b)


@ranges.fact(cite=ORDER)
def nonpositive_entries(s: Spec, a: Tensor) -> Claim:
    """Entries of what is at most 0, and sums of them, are."""
    return nonpositive(ein1(s, a)), nonpositive(a)


@ranges.fact(cite="range of the function")
def function_of_nonpositive(f: str, a: Tensor) -> Claim:
    """f(a) ≤ 0 for a ≤ 0, for an odd f that has the sign of its operand."""
    return nonpositive(fn(f, a)), nonpositive(a), is_odd_with_sign(f)


@ranges.fact(cite="range of the function")
def logarithm_of_part(a: Tensor) -> Claim:
    """log a ≤ 0 for a ≤ 1."""
    return nonpositive(fn("log", a)), at_most_one(a)


@ranges.fact(cite="range of the function")
def logarithm_above_one(a: Tensor) -> Claim:
    """log a ≥ 0 for a ≥ 1."""
    return nonnegative(fn("log", a)), at_least_one(a)


# At least 1, at most 1 ---------------------------------------------------------------------


@ranges.fact(cite=ORDER)
def at_least_one_is_positive(a: Tensor) -> Claim:
    """a > 0 where a ≥ 1."""
    return positive(a), at_least_one(a)


@ranges.fact(cite=ORDER)
def constant_at_least_one(c: Number, n: Dims) -> Claim:
    """A constant is at least 1 if its number is."""
    return at_least_one(const(c, n)), is_one_at_least(c)


@ranges.fact(cite=ORDER)
def sum_at_least_one(a: Tensor, b: Tensor) -> Claim:
    """a + b ≥ 1 for a ≥ 1 and b ≥ 0."""
    return at_least_one(add(a, b)), at_least_one(a), nonnegative(b)


@ranges.fact(cite=ORDER)
def sum_with_at_least_one(a: Tensor, b: Tensor) -> Claim:
    """a + b ≥ 1 for a ≥ 0 and b ≥ 1."""
    return at_least_one(add(a, b)), nonnegative(a), at_least_one(b)


@ranges.fact(cite=ORDER)
def multiple_at_least_one(c: Number, a: Tensor) -> Claim:
    """c·a ≥ 1 for c ≥ 1 and a ≥ 1."""
    return at_least_one(scale(c, a)), at_least_one(a), is_one_at_least(c)


@ranges.fact(cite=ORDER)
def product_at_least_one(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b ≥ 1 for a ≥ 1 and b ≥ 1, where nothing is summed."""
    return at_least_one(ein(s, a, b)), at_least_one(a), at_least_one(b), sums_nothing(s)


@ranges.fact(cite="real powers")
def power_at_least_one(a: Tensor, p: Number) -> Claim:
    """aᵖ ≥ 1 for a ≥ 1 and p > 0."""
    return at_least_one(power(a, p)), at_least_one(a), is_positive(p)


@ranges.fact(cite="range of the function")
def exponential_at_least_one(a: Tensor) -> Claim:
    """exp a ≥ 1 for a ≥ 0."""
    return at_least_one(fn("exp", a)), nonnegative(a)


@ranges.fact(cite="range of the hyperbolic cosine")
def hyperbolic_cosine(k: Number, c: Number, a: Tensor) -> Claim:
    """k·(exp a + exp(-a)) ≥ 1 for k ≥ 1/2."""
    whole = scale(k, add(fn("exp", a), fn("exp", scale(c, a))))
    return at_least_one(whole), is_half_at_least(k), is_minus_one(c)


@ranges.fact(cite=ORDER)
def nonpositive_is_at_most_one(a: Tensor) -> Claim:
    """a ≤ 1 where a ≤ 0."""
    return at_most_one(a), nonpositive(a)


@ranges.fact(cite=ORDER)
def within_one_is_at_most_one(a: Tensor) -> Claim:
    """a ≤ 1 where a is between -1 and 1."""
    return at_most_one(a), within_one(a)


@ranges.fact(cite=ORDER)
def between_zero_and_one(a: Tensor) -> Claim:
    """a is between -1 and 1 where it is between 0 and 1."""
    return within_one(a), nonnegative(a), at_most_one(a)


@ranges.fact(cite=ORDER)
def constant_at_most_one(c: Number, n: Dims) -> Claim:
    """A constant is at most 1 if its number is."""
    return at_most_one(const(c, n)), is_one_at_most(c)


@ranges.fact(cite="definition of the delta")
def delta_at_most_one(n: Dims) -> Claim:
    """δ is 0 or 1."""
    return at_most_one(delta(n))


@ranges.fact(cite="definition of an indicator")
def indicator_at_most_one(n: Dims, p: Constraints) -> Claim:
    """An indicator is 0 or 1."""
    return at_most_one(indicator(n, p))


@ranges.fact(cite="definition of a selection")
def selection_at_most_one(n: Dims, a: Tensor) -> Claim:
    """A selection is 0 or 1."""
    return at_most_one(selection(n, a))


@ranges.fact(cite=ORDER)
def sum_at_most_one(a: Tensor, b: Tensor) -> Claim:
    """a + b ≤ 1 for a ≤ 1 and b ≤ 0."""
    return at_most_one(add(a, b)), at_most_one(a), nonpositive(b)


@ranges.fact(cite=ORDER)
def sum_with_at_most_one(a: Tensor, b: Tensor) -> Claim:
    """a + b ≤ 1 for a ≤ 0 and b ≤ 1."""
    return at_most_one(add(a, b)), nonpositive(a), at_most_one(b)


@ranges.fact(cite=ORDER)
def multiple_at_most_one(c: Number, a: Tensor) -> Claim:
    """c·a ≤ 1 for a ≤ 1 and c between 0 and 1."""
    return at_most_one(scale(c, a)), at_most_one(a), is_proper_part(c)


@ranges.fact(cite=ORDER)
def product_at_most_one(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b ≤ 1 for a and b between 0 and 1, where nothing is summed."""
    return (
        at_most_one(ein(s, a, b)),
        nonnegative(a),
        at_most_one(a),
        nonnegative(b),
        at_most_one(b),
        sums_nothing(s),
    )


@ranges.fact(cite="real powers")
def power_at_most_one(a: Tensor, p: Number) -> Claim:
    """aᵖ ≤ 1 for a between 0 and 1, and a natural p."""
    return at_most_one(power(a, p)), nonnegative(a), at_most_one(a), is_natural(p)


@ranges.fact(cite="real powers")
def reciprocal_at_most_one(a: Tensor, p: Number) -> Claim:
    """aᵖ ≤ 1 for a ≥ 1 and p < 0."""
    return at_most_one(power(a, p)), at_least_one(a), is_negative(p)


@ranges.fact(cite="range of the function")
def exponential_at_most_one(a: Tensor) -> Claim:
    """exp a ≤ 1 for a ≤ 0."""
    return at_most_one(fn("exp", a)), nonpositive(a)


@ranges.fact(cite=ORDER)
def share_at_most_one(s: Spec, t: Spec, a: Tensor, p: Number) -> Claim:
    """a / Σ a ≤ 1 for a ≥ 0, as in softmax."""
    share = ein(s, a, power(ein1(t, a), p))
    return at_most_one(share), nonnegative(a), is_share(s, t), is_minus_one(p)


# Sums with a number ------------------------------------------------------------------------


@ranges.fact(cite=ORDER)
def nonpositive_below_number(c: Number, n: Dims, a: Tensor) -> Claim:
    """a + c ≤ 0 for a ≤ 1 and c ≤ -1."""
    return nonpositive(add(a, const(c, n))), at_most_one(a), is_minus_one_at_most(c)


@ranges.fact(cite=ORDER)
def nonnegative_above_number(c: Number, n: Dims, a: Tensor) -> Claim:
    """a + c ≥ 0 for a ≥ 1 and c ≥ -1."""
    return nonnegative(add(a, const(c, n))), at_least_one(a), is_minus_one_at_least(c)


@ranges.fact(cite=ORDER)
def nonnegative_number_less_part(c: Number, k: Number, n: Dims, a: Tensor) -> Claim:
    """c - a ≥ 0 for a ≤ 1 and c ≥ 1."""
    whole = add(scale(k, a), const(c, n))
    return nonnegative(whole), at_most_one(a), is_one_at_least(c), is_minus_one(k)


@ranges.fact(cite=ORDER)
def nonnegative_number_with_part(c: Number, n: Dims, a: Tensor) -> Claim:
    """a + c ≥ 0 for a between -1 and 1 and c ≥ 1."""
    return nonnegative(add(a, const(c, n))), within_one(a), is_one_at_least(c)


# What they decide --------------------------------------------------------------------------


@ranges.rule(cite=DEFINITION, domain="a ≤ 0")
def relu_of_nonpositive(a: Tensor) -> Statement:
    """relu a = 0 for what is at most 0."""
    return fn("relu", a) >> const(0, dims(a)), nonpositive(a)


@ranges.rule(cite=DEFINITION, domain="a < 0")
def sign_of_negative(a: Tensor) -> Statement:
    """sign a = -1 for what is negative."""
    return fn("sign", a) >> const(-1, dims(a)), negative(a)


@ranges.rule(cite=ORDER, domain="b ≤ 0 ≤ a")
def maximum_by_sign(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) = a for a ≥ 0 and b ≤ 0."""
    return fn("maximum", a, b) >> a, nonnegative(a), nonpositive(b)


@ranges.rule(cite=ORDER, domain="a ≤ 0 ≤ b")
def maximum_by_sign_of_second(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) = b for a ≤ 0 and b ≥ 0."""
    return fn("maximum", a, b) >> b, nonpositive(a), nonnegative(b)


@ranges.rule(cite=ORDER, domain="b ≤ 0 ≤ a")
def minimum_by_sign(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) = b for a ≥ 0 and b ≤ 0."""
    return fn("minimum", a, b) >> b, nonnegative(a), nonpositive(b)


@ranges.rule(cite=ORDER, domain="a ≤ 0 ≤ b")
def minimum_by_sign_of_second(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) = a for a ≤ 0 and b ≥ 0."""
    return fn("minimum", a, b) >> a, nonpositive(a), nonnegative(b)


@ranges.rule(cite=ORDER, domain="b ≤ 1 ≤ a")
def maximum_by_one(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) = a for a ≥ 1 and b ≤ 1."""
    return fn("maximum", a, b) >> a, at_least_one(a), at_most_one(b)


@ranges.rule(cite=ORDER, domain="a ≤ 1 ≤ b")
def maximum_by_one_of_second(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) = b for a ≤ 1 and b ≥ 1."""
    return fn("maximum", a, b) >> b, at_most_one(a), at_least_one(b)


@ranges.rule(cite=ORDER, domain="b ≤ 1 ≤ a")
def minimum_by_one(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) = b for a ≥ 1 and b ≤ 1."""
    return fn("minimum", a, b) >> b, at_least_one(a), at_most_one(b)


@ranges.rule(cite=ORDER, domain="a ≤ 1 ≤ b")
def minimum_by_one_of_second(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) = a for a ≤ 1 and b ≥ 1."""
    return fn("minimum", a, b) >> a, at_most_one(a), at_least_one(b)
