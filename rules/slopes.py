"""Derivatives of the element-wise functions (thesis, table 4.1), for both modes.

At their kinks `abs`, `sign` and `relu` have the slope 0, as the thesis has it.
"""

from fractions import Fraction

from eggrad.engine.index_algebra import elementwise
from eggrad.engine.language import (
    Statement,
    Tensor,
    add,
    const,
    dims,
    ein,
    fn,
    negate,
    power,
    slope,
    subtract,
)
from eggrad.engine.rule import Ruleset

TABLE = "thesis table 4.1"

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
