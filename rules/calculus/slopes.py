"""Derivatives of the element-wise functions (thesis, table 4.1), for both modes.

At their kinks `abs`, `sign` and `relu` have the slope 0, as the thesis has it. Where two operands
are the same, the maximum and the minimum give each an equal share.
"""

from fractions import Fraction

from eggrad.engine.laws.primitives import is_stepwise
from eggrad.rules.notation import *

TABLE = "thesis table 4.1"
SUBGRADIENT = "the mean of the subgradients at a tie"
QUOTIENT = "a mod b = a - b·⌊a / b⌋"

slopes = Ruleset(
    "slopes", "derivatives of the element-wise functions", "the number of slopes without a value"
)


def squared(a: Tensor) -> Tensor:
    """The element-wise square."""
    return ein(elementwise(dims(a)), a, a)


@slopes.rule(cite=TABLE)
def slope_sin(a: Tensor) -> Statement:
    """sin' = cos."""
    return slope("sin", a) >> fn("cos", a)


@slopes.rule(cite=TABLE)
def slope_cos(a: Tensor) -> Statement:
    """cos' = -sin."""
    return slope("cos", a) >> negate(fn("sin", a))


@slopes.rule(cite=TABLE)
def slope_tan(a: Tensor) -> Statement:
    """tan' = 1 / cos²."""
    return slope("tan", a) >> power(fn("cos", a), -2)


@slopes.rule(cite=TABLE, domain="|a| < 1")
def slope_arcsin(a: Tensor) -> Statement:
    """arcsin' = 1 / √(1 - a²)."""
    return slope("arcsin", a) >> power(subtract(const(1, dims(a)), squared(a)), Fraction(-1, 2))


@slopes.rule(cite=TABLE, domain="|a| < 1")
def slope_arccos(a: Tensor) -> Statement:
    """arccos' = -1 / √(1 - a²)."""
    return slope("arccos", a) >> negate(
        power(subtract(const(1, dims(a)), squared(a)), Fraction(-1, 2))
    )


@slopes.rule(cite=TABLE)
def slope_arctan(a: Tensor) -> Statement:
    """arctan' = 1 / (1 + a²)."""
    return slope("arctan", a) >> power(add(const(1, dims(a)), squared(a)), -1)


@slopes.rule(cite=TABLE)
def slope_tanh(a: Tensor) -> Statement:
    """tanh' = 1 - tanh²."""
    return slope("tanh", a) >> subtract(const(1, dims(a)), squared(fn("tanh", a)))


@slopes.rule(cite=TABLE)
def slope_exp(a: Tensor) -> Statement:
    """exp' = exp."""
    return slope("exp", a) >> fn("exp", a)


@slopes.rule(cite=TABLE, domain="a > 0")
def slope_log(a: Tensor) -> Statement:
    """log' = 1 / a."""
    return slope("log", a) >> power(a, -1)


@slopes.rule(cite=TABLE)
def slope_abs(a: Tensor) -> Statement:
    """abs' = sign."""
    return slope("abs", a) >> fn("sign", a)


@slopes.rule(cite=TABLE)
def slope_sign(a: Tensor) -> Statement:
    """sign' = 0."""
    return slope("sign", a) >> const(0, dims(a))


@slopes.rule(cite=TABLE)
def slope_relu(a: Tensor) -> Statement:
    """relu' = relu(sign)."""
    return slope("relu", a) >> fn("relu", fn("sign", a))


def unless_zero(a: Tensor, b: Tensor) -> Tensor:
    """0 where a is 0, and b elsewhere."""
    zero = const(0, dims(a))
    return fn("where", fn("equal", a, zero), zero, b)


def step(a: Tensor, b: Tensor) -> Tensor:
    """1 where a > b, 0 where a < b, 1/2 where they are the same: what is 0 stays so in products."""
    share = power(add(const(1, dims(a)), fn("equal", a, b)), -1)
    return fn("where", fn("greater_equal", a, b), share, const(0, dims(a)))


@slopes.rule(cite=SUBGRADIENT)
def slope_maximum_first(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) follows a where a > b."""
    return slope("maximum", a, b) >> step(a, b)


@slopes.rule(cite=SUBGRADIENT)
def slope_maximum_second(a: Tensor, b: Tensor) -> Statement:
    """max(a, b) follows b where a < b."""
    return slope("maximum", a, b, place=1) >> step(b, a)


@slopes.rule(cite=SUBGRADIENT)
def slope_minimum_first(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) follows a where a < b."""
    return slope("minimum", a, b) >> step(b, a)


@slopes.rule(cite=SUBGRADIENT)
def slope_minimum_second(a: Tensor, b: Tensor) -> Statement:
    """min(a, b) follows b where a > b."""
    return slope("minimum", a, b, place=1) >> step(a, b)


@slopes.rule(cite=QUOTIENT, domain="b ≠ 0")
def slope_mod_first(a: Tensor, b: Tensor) -> Statement:
    """a mod b grows as a does between multiples of b."""
    return slope("mod", a, b) >> const(1, dims(a))


@slopes.rule(cite=QUOTIENT, domain="b ≠ 0")
def slope_mod_second(a: Tensor, b: Tensor) -> Statement:
    """a mod b = a - b·⌊a / b⌋ falls by ⌊a / b⌋ as b grows."""
    return slope("mod", a, b, place=1) >> negate(fn("floor", divide(a, b)))


@slopes.rule(cite=TABLE, domain="a > 0, or b an integer")
def slope_pow_base(a: Tensor, b: Tensor) -> Statement:
    """The slope of aᵇ by a is b·a^(b-1), and 0 for b = 0, whatever a is."""
    lowered = fn("pow", a, subtract(b, const(1, dims(b))))
    return slope("pow", a, b) >> unless_zero(b, ein(elementwise(dims(a)), b, lowered))


@slopes.rule(cite=TABLE, domain="a > 0, or a = 0 and b > 0")
def slope_pow_exponent(a: Tensor, b: Tensor) -> Statement:
    """The slope of aᵇ by b is aᵇ·log a, and 0 for a = 0."""
    product = ein(elementwise(dims(a)), fn("pow", a, b), fn("log", a))
    return slope("pow", a, b, place=1) >> unless_zero(a, product)


@slopes.rule(cite="it is constant where it is continuous")
def slope_of_steps(f: Name, a: Tensor) -> Statement:
    """The slope of what is constant but for jumps is 0: of floor, ceil, round and tests."""
    return slope(f, a) >> const(0, dims(a)), is_stepwise(f)


@slopes.rule(cite="it is constant where it is continuous")
def slope_of_comparison_first(f: Name, a: Tensor, b: Tensor) -> Statement:
    """The slope of a comparison by its first operand is 0."""
    return slope(f, a, b) >> const(0, dims(a)), is_test(f)


@slopes.rule(cite="it is constant where it is continuous")
def slope_of_comparison_second(f: Name, a: Tensor, b: Tensor) -> Statement:
    """The slope of a comparison by its second operand is 0."""
    return slope(f, a, b, place=1) >> const(0, dims(a)), is_test(f)


@slopes.rule(cite="it is constant where it is continuous")
def slope_of_condition(c: Tensor, a: Tensor, b: Tensor) -> Statement:
    """A choice does not change with the numbers that are compared."""
    return slope("where", c, a, b) >> const(0, dims(a))


@slopes.rule(cite="definition of the choice")
def slope_of_chosen(c: Tensor, a: Tensor, b: Tensor) -> Statement:
    """A choice follows its first branch where the condition is not 0."""
    chosen = fn("logical_not", fn("logical_not", c))
    return slope("where", c, a, b, place=1) >> chosen


@slopes.rule(cite="definition of the choice")
def slope_of_otherwise(c: Tensor, a: Tensor, b: Tensor) -> Statement:
    """A choice follows its second branch where the condition is 0."""
    return slope("where", c, a, b, place=2) >> fn("logical_not", c)
