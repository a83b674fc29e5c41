"""Derivatives of the element-wise functions (thesis, table 4.1), for both modes.

At their kinks `abs`, `sign` and `relu` have the slope 0, as the thesis has it. Where two operands
are the same, the maximum and the minimum give each an equal share.
"""

from eggrad.rules.notation import *

TABLE = "thesis table 4.1"

SUBGRADIENT = "the mean of the subgradients at a tie"

QUOTIENT = "a mod b = a - b·⌊a / b⌋"

slopes = Ruleset(
    "slopes", "derivatives of the element-wise functions", "the number of slopes without a value"
)


slopes.state(
    TABLE,
    slope_sin=slope("sin", a) >> cos(a),
    slope_cos=slope("cos", a) >> -sin(a),
    slope_tan=slope("tan", a) >> cos(a) ** -2,
    slope_arcsin=(slope("arcsin", a) >> (1 - a * a) ** -HALF).noted(domain="|a| < 1"),
    slope_arccos=(slope("arccos", a) >> -((1 - a * a) ** -HALF)).noted(domain="|a| < 1"),
    slope_arctan=slope("arctan", a) >> (1 + a * a) ** -1,
    slope_tanh=slope("tanh", a) >> 1 - tanh(a) * tanh(a),
    slope_exp=slope("exp", a) >> exp(a),
    slope_log=(slope("log", a) >> a**-1).noted(domain="a > 0"),
    slope_abs=slope("abs", a) >> sign(a),
    slope_sign=slope("sign", a) >> 0,
    slope_relu=slope("relu", a) >> relu(sign(a)),
)


def step(a: Tensor, b: Tensor) -> Tensor:
    """1 where a > b, 0 where a < b, 1/2 where they are the same: what is 0 stays so in products."""
    return where(a >= b, (1 + equal(a, b)) ** -1, 0)


slopes.state(
    SUBGRADIENT,
    slope_maximum_first=(slope("maximum", a, b) >> step(a, b)).noted(
        "max(a, b) follows a where a > b."
    ),
    slope_maximum_second=(slope("maximum", a, b, place=1) >> step(b, a)).noted(
        "max(a, b) follows b where a < b."
    ),
    slope_minimum_first=(slope("minimum", a, b) >> step(b, a)).noted(
        "min(a, b) follows a where a < b."
    ),
    slope_minimum_second=(slope("minimum", a, b, place=1) >> step(a, b)).noted(
        "min(a, b) follows b where a > b."
    ),
    slope_bounded_by_infinity=(slope(f, a, array(E)) >> 1)
    .when(never_takes(f, E))
    .noted("max(a, -∞) and min(a, ∞) follow a.", cite="max(a, -∞) = a"),
    slope_bounded_by_spread_infinity=(slope(f, a, ein(s, array(E), const(1, n))) >> 1)
    .when(never_takes(f, E), sums_nothing(s))
    .noted(
        "max(a, -∞) and min(a, ∞) follow a, where ones spread the infinity.", cite="max(a, -∞) = a"
    ),
    slope_mod_first=(slope("mod", a, b) >> 1).noted(
        "a mod b grows as a does between multiples of b.", domain="b ≠ 0", cite=QUOTIENT
    ),
    slope_mod_second=(slope("mod", a, b, place=1) >> -floor(a / b)).noted(
        "a mod b = a - b·⌊a / b⌋ falls by ⌊a / b⌋ as b grows.", domain="b ≠ 0", cite=QUOTIENT
    ),
    slope_pow_base=(slope("pow", a, b) >> where(equal(b, 0), 0, b * fn("pow", a, b - 1))).noted(
        "The slope of aᵇ by a is b·a^(b-1), and 0 for b = 0, whatever a is.",
        domain="a > 0, or b an integer",
        cite=TABLE,
    ),
    slope_pow_exponent=(
        slope("pow", a, b, place=1) >> where(equal(a, 0), 0, fn("pow", a, b) * log(a))
    ).noted(
        "The slope of aᵇ by b is aᵇ·log a, and 0 for a = 0.",
        domain="a > 0, or a = 0 and b > 0",
        cite=TABLE,
    ),
)

slopes.state(
    "it is constant where it is continuous",
    slope_of_steps=(slope(f, a) >> 0)
    .when(f.stepwise)
    .noted("The slope of what is constant but for jumps is 0: of floor, ceil, round and tests."),
    slope_of_comparison_first=(slope(f, a, b) >> 0)
    .when(f.is_test)
    .noted("The slope of a comparison by its first operand is 0."),
    slope_of_comparison_second=(slope(f, a, b, place=1) >> 0)
    .when(f.is_test)
    .noted("The slope of a comparison by its second operand is 0."),
    slope_of_condition=(slope("where", d, a, b) >> 0).noted(
        "A choice does not change with the numbers that are compared."
    ),
)

slopes.state(
    SUBGRADIENT,
    slope_of_chosen=(slope("where", d, a, b, place=1) >> logical_not(logical_not(d))).noted(
        "A choice follows its first branch where the condition is not 0.",
        cite="definition of the choice",
    ),
    slope_of_otherwise=(slope("where", d, a, b, place=2) >> logical_not(d)).noted(
        "A choice follows its second branch where the condition is 0.",
        cite="definition of the choice",
    ),
)
