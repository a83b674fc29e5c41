"""Sums, differences, quotients and products of two operands.

What holds for whole sums and products, in any order and nesting, is in `sums` and `products`.
"""

from fractions import Fraction

from eggrad.engine.laws.primitives import (
    below_minus_one,
    keeps_domain,
    keeps_domain_twice,
    meets,
    needed_by_power,
    needed_by_product,
    opposite,
    whole_power,
)
from eggrad.rules.notation import *

LAWS_OF_EXPONENTS = "laws of exponents"
BASE = "a ≥ 0 where an exponent is a fraction, a ≠ 0 where one is negative"
ONE, HALF = Fraction(1), Fraction(1, 2)
TABLE = "thesis table 3.1"

preprocessing = Ruleset(
    "preprocessing",
    "the thesis's preprocessing equalities",
    "the number of differences, negatives and quotients without an equal sum or product",
)
presentation = Ruleset(
    "presentation",
    "shorter ways to write the same, for extraction to choose from",
    "none: run for a few iterations at the end",
)
sums_of_two = Ruleset("sums_of_two", "sums of two operands", "the number of operands")
exponents = Ruleset(
    "exponents",
    "powers of one base joined, settled before any other rule looks",
    "the number of powers",
)
powers = Ruleset("powers", "rational powers and their products", "the number of powers")
distribution = Ruleset(
    "distribution", "products distributed over sums", "none: ended by the budget of its stage"
)


@preprocessing.rule(cite=TABLE)
def subtract_is_add(a: Tensor, b: Tensor) -> Statement:
    """a - b = a + (-1)·b."""
    return subtract(a, b) >> add(a, scale(-1, b))


@preprocessing.rule(cite=TABLE)
def negate_is_scale(a: Tensor) -> Statement:
    """-a = (-1)·a."""
    return negate(a) >> scale(-1, a)


@preprocessing.rule(cite=TABLE, domain="b ≠ 0")
def divide_is_product(a: Tensor, b: Tensor) -> Statement:
    """a / b = a·b⁻¹."""
    return divide(a, b) >> ein(meet(dims(a), dims(b)), a, power(b, -1))


@presentation.rule(cite=TABLE, domain="b ≠ 0")
def product_is_divide(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """a·b⁻¹ = a / b, entry by entry."""
    return ein(s, a, power(b, -1)) >> divide(a, b), meets(s, dims(a), dims(b))


@presentation.rule(cite="laws of exponents", domain="b ≠ 0")
def product_is_divide_by_power(s: Spec, a: Tensor, b: Tensor, p: Number) -> Statement:
    """a·b⁻ᵖ = a / bᵖ, entry by entry."""
    return (
        ein(s, a, power(b, p)) >> divide(a, power(b, opposite(p))),
        meets(s, dims(a), dims(b)),
        below_minus_one(p),
    )


@presentation.rule(cite=TABLE, domain="b ≠ 0")
def scale_is_divide(c: Number, b: Tensor) -> Statement:
    """c·b⁻¹ = c / b."""
    return scale(c, power(b, -1)) >> divide(const(c, ()), b)


@sums_of_two.rule(cite=RING, replaces=True)
def add_same(a: Tensor) -> Statement:
    """a + a = 2·a."""
    return add(a, a) >> scale(2, a)


@presentation.rule(cite=TABLE)
def add_is_subtract(a: Tensor, b: Tensor) -> Statement:
    """a + (-1)·b = a - b."""
    return add(a, scale(-1, b)) >> subtract(a, b)


@presentation.rule(cite=TABLE)
def scale_is_negate(a: Tensor) -> Statement:
    """(-1)·a = -a."""
    return scale(-1, a) >> negate(a)


@presentation.rule(cite=RING)
def multiple_of_product(s: Spec, c: Number, a: Tensor, b: Tensor) -> Statement:
    """c·(a·b) = (c·a)·b: the smaller factor may take the number."""
    return scale(c, ein(s, a, b)) >> ein(s, scale(c, a), b)


@presentation.rule(cite=RING)
def multiple_of_product_right(s: Spec, c: Number, a: Tensor, b: Tensor) -> Statement:
    """c·(a·b) = a·(c·b): the smaller factor may take the number."""
    return scale(c, ein(s, a, b)) >> ein(s, a, scale(c, b))


@presentation.rule(cite=RING)
def double_is_add(a: Tensor) -> Statement:
    """2·a = a + a."""
    return scale(2, a) >> add(a, a)


@distribution.rule(cite=RING)
def product_over_delta(s: Spec, n: Dims, b: Tensor, c: Tensor) -> Statement:
    """(δ + b)·c = δ·c + b·c: the delta may go."""
    return ein(s, add(delta(n), b), c) >> add(ein(s, delta(n), c), ein(s, b, c))


@distribution.rule(cite=RING)
def product_over_delta_multiple(s: Spec, k: Number, n: Dims, b: Tensor, c: Tensor) -> Statement:
    """(k·δ + b)·c = k·(δ·c) + b·c: the delta may go."""
    return ein(s, add(scale(k, delta(n)), b), c) >> add(scale(k, ein(s, delta(n), c)), ein(s, b, c))


@distribution.rule(cite=RING)
def scale_over_sum(c: Number, a: Tensor, b: Tensor) -> Statement:
    """c·(a + b) = c·a + c·b."""
    return scale(c, add(a, b)) >> add(scale(c, a), scale(c, b))


@presentation.rule(cite="definition of powers")
def square_is_product(a: Tensor) -> Statement:
    """a² = a·a."""
    return power(a, 2) >> ein(elementwise(dims(a)), a, a)


@powers.rule(cite="definition of powers")
def product_is_square(s: Spec, a: Tensor) -> Statement:
    """a·a = a²."""
    return ein(s, a, a) >> power(a, 2), is_elementwise(s)


@exponents.rule(cite=LAWS_OF_EXPONENTS, replaces=True)
def product_of_powers(s: Spec, a: Tensor, p: Number, q: Number) -> Statement:
    """aᵖ·a^q = a^(p+q), where that needs no more than the factors do."""
    joined = power(a, exponent_sum(p, q))
    return ein(s, power(a, p), power(a, q)) >> joined, is_elementwise(s), keeps_domain(p, q)


@exponents.rule(cite=LAWS_OF_EXPONENTS, domain=BASE, replaces=True, widens=True)
def product_of_narrower_powers(s: Spec, a: Tensor, p: Number, q: Number) -> Statement:
    """aᵖ·a^q = a^(p+q), where a factor needs a ≥ 0 or a ≠ 0, and the whole does not."""
    return (
        ein(s, power(a, p), power(a, q)) >> power(a, exponent_sum(p, q)),
        is_elementwise(s),
        known(needed_by_product(p, q), a),
    )


@exponents.rule(cite=LAWS_OF_EXPONENTS, replaces=True)
def product_with_power(s: Spec, a: Tensor, p: Number) -> Statement:
    """a·aᵖ = a^(p+1), where that needs no more than aᵖ does."""
    joined = power(a, exponent_sum(p, ONE))
    return ein(s, a, power(a, p)) >> joined, is_elementwise(s), keeps_domain(p, ONE)


@exponents.rule(cite=LAWS_OF_EXPONENTS, domain=BASE, replaces=True, widens=True)
def product_with_narrower_power(s: Spec, a: Tensor, p: Number) -> Statement:
    """a·a⁻¹ = 1, where a ≠ 0."""
    return (
        ein(s, a, power(a, p)) >> power(a, exponent_sum(p, ONE)),
        is_elementwise(s),
        known(needed_by_product(p, ONE), a),
    )


@exponents.rule(cite=LAWS_OF_EXPONENTS, replaces=True)
def power_of_power(a: Tensor, p: Number, q: Number) -> Statement:
    """(aᵖ)^q = a^(p·q), where that needs no more than the left side does."""
    return (
        power(power(a, p), q) >> power(a, exponent_product(p, q)),
        not_one(p),
        keeps_domain_twice(p, q),
    )


@exponents.rule(cite=LAWS_OF_EXPONENTS, domain=BASE, replaces=True, widens=True)
def power_of_narrower_power(a: Tensor, p: Number, q: Number) -> Statement:
    """(aᵖ)^q = a^(p·q), where the left side needs a ≥ 0 or a ≠ 0, and the right one does not."""
    return (
        power(power(a, p), q) >> power(a, exponent_product(p, q)),
        not_one(p),
        known(needed_by_power(p, q), a),
    )


@exponents.rule(cite="definition of the absolute value")
def root_of_square(a: Tensor) -> Statement:
    """√(a²) = |a|."""
    return power(power(a, 2), HALF) >> fn("abs", a)


@powers.rule(cite=LAWS_OF_EXPONENTS)
def power_of_product(s: Spec, a: Tensor, b: Tensor, p: Number) -> Statement:
    """(a·b)ᵖ = aᵖ·bᵖ, for an integer p and a product that sums nothing."""
    return (
        power(ein(s, a, b), p) >> ein(s, power(a, p), power(b, p)),
        is_whole(p),
        sums_nothing(s),
    )


@powers.rule(cite=LAWS_OF_EXPONENTS, domain="a > 0")
def product_with_tensor_power(s: Spec, a: Tensor, p: Tensor) -> Statement:
    """a·aᵖ = a^(p+1), for a positive a and any exponent."""
    joined = power(a, add(p, const(1, ())))
    return ein(s, a, power(a, p)) >> joined, is_elementwise(s), positive(a)


@powers.rule(cite=LAWS_OF_EXPONENTS)
def power_of_multiple(c: Number, a: Tensor, p: Number) -> Statement:
    """(c·a)ᵖ = cᵖ·aᵖ, for an integer p."""
    return power(scale(c, a), p) >> scale(whole_power(c, p), power(a, p))
