"""Sums, differences, quotients and products of two operands.

What holds for whole sums and products, in any order and nesting, is in `sums` and `products`.
"""

from eggrad.rules.notation import *

LAWS_OF_EXPONENTS = "laws of exponents"

BASE = "a ≥ 0 where an exponent is a fraction, a ≠ 0 where one is negative"


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


preprocessing.state(
    TABLE,
    subtract_is_add=(a - b >> a + -1 * b).noted("a - b = a + (-1)·b."),
    negate_is_scale=(-a >> -1 * a).noted("-a = (-1)·a."),
    divide_is_product=(a / b >> ein(meet(dims(a), dims(b)), a, b**-1)).noted(
        "a / b = a·b⁻¹.", domain="b ≠ 0"
    ),
)

presentation.state(
    TABLE,
    product_is_divide=(ein(s, a, b**-1) >> a / b)
    .when(meets(s, dims(a), dims(b)))
    .noted("a·b⁻¹ = a / b, entry by entry.", domain="b ≠ 0"),
    product_is_divide_by_power=(ein(s, a, b**p) >> a / b**-p)
    .when(meets(s, dims(a), dims(b)), p < -1)
    .noted("a·b⁻ᵖ = a / bᵖ, entry by entry.", domain="b ≠ 0", cite="laws of exponents"),
    scale_is_divide=(c * b**-1 >> c / b).noted(domain="b ≠ 0"),
    add_is_subtract=(a + -1 * b >> a - b).noted("a + (-1)·b = a - b."),
    scale_is_negate=(-1 * a >> -a).noted("(-1)·a = -a."),
    multiple_of_product=(c * ein(s, a, b) >> ein(s, c * a, b)).noted(
        "c·(a·b) = (c·a)·b: the smaller factor may take the number.", cite=RING
    ),
    multiple_of_product_right=(c * ein(s, a, b) >> ein(s, a, c * b)).noted(
        "c·(a·b) = a·(c·b): the smaller factor may take the number.", cite=RING
    ),
    double_is_add=(2 * a >> a + a).noted(cite=RING),
    square_is_product=(a**2 >> a * a).noted("a² = a·a.", cite="definition of powers"),
)

sums_of_two.state(RING, add_same=(a + a >> 2 * a).noted(replaces=True))

distribution.state(
    RING,
    product_over_delta=(ein(s, delta(n) + b, a) >> ein(s, delta(n), a) + ein(s, b, a)).noted(
        "(δ + b)·a = δ·a + b·a: the delta may go."
    ),
    product_over_delta_multiple=(
        ein(s, k * delta(n) + b, a) >> k * ein(s, delta(n), a) + ein(s, b, a)
    ).noted("(k·δ + b)·a = k·(δ·a) + b·a: the delta may go."),
    scale_over_sum=c * (a + b) >> c * a + c * b,
)

powers.state(
    LAWS_OF_EXPONENTS,
    product_is_square=(a * a >> a**2).noted("a·a = a².", cite="definition of powers"),
    power_of_product=(ein(s, a, b) ** p >> ein(s, a**p, b**p))
    .when(is_integer(p), sums_nothing(s))
    .noted("(a·b)ᵖ = aᵖ·bᵖ, for an integer p and a product that sums nothing."),
    product_with_tensor_power=(a * a**b >> a ** (b + const(1, ())))
    .when(positive(a))
    .noted("a·aᵇ = a^(b+1), for a positive a and any exponent.", domain="a > 0"),
    power_of_multiple=((c * a) ** p >> whole_power(c, p) * a**p).noted(
        "(c·a)ᵖ = cᵖ·aᵖ, for an integer p."
    ),
)

exponents.state(
    LAWS_OF_EXPONENTS,
    product_of_powers=(a**p * a**q >> a ** exponent_sum(p, q))
    .when(keeps_domain(p, q))
    .noted("aᵖ·a^q = a^(p+q), where that needs no more than the factors do.", replaces=True),
    product_of_narrower_powers=(a**p * a**q >> a ** exponent_sum(p, q))
    .when(known(needed_by_product(p, q), a))
    .noted(
        "aᵖ·a^q = a^(p+q), where a factor alone needs a ≥ 0 or a ≠ 0, and a is known so.",
        domain=BASE,
        replaces=True,
        widens=True,
    ),
    product_with_power=(a * a**p >> a ** exponent_sum(p, 1))
    .when(keeps_domain(p, 1))
    .noted("a·aᵖ = a^(p+1), where that needs no more than aᵖ does.", replaces=True),
    product_with_narrower_power=(a * a**p >> a ** exponent_sum(p, 1))
    .when(known(needed_by_product(p, 1), a))
    .noted("a·a⁻¹ = 1, where a ≠ 0.", domain=BASE, replaces=True, widens=True),
    power_of_power=((a**p) ** q >> a ** exponent_product(p, q))
    .when(p != 1, keeps_domain_twice(p, q))
    .noted("(aᵖ)^q = a^(p·q), where that needs no more than the left side does.", replaces=True),
    power_of_narrower_power=((a**p) ** q >> a ** exponent_product(p, q))
    .when(p != 1, known(needed_by_power(p, q), a))
    .noted(
        "(aᵖ)^q = a^(p·q), where the left side needs a ≥ 0 or a ≠ 0, and a is known so.",
        domain=BASE,
        replaces=True,
        widens=True,
    ),
    root_of_square=((a**2) ** HALF >> abs(a)).noted(cite="definition of the absolute value"),
)
