"""Constants, zeros, ones and rational multiples: exact arithmetic."""

from eggrad.engine.laws.primitives import (
    absorbed,
    as_number,
    constant_is_absorbed,
    constant_kept,
    constant_kept_dims,
    constant_shrinks,
    constant_spreads,
    constant_summed_dims,
    distinct,
    function_value,
    kept_axes,
    kept_spec,
    raised,
    scaled_as,
    summed_dims,
    sums_all,
)
from eggrad.rules.notation import *

ARITHMETIC = "arithmetic of rationals"

constants = Ruleset(
    "constants",
    "constants, zeros, ones, rational multiples",
    "the number of nodes, constants first",
)

multiples = Ruleset(
    "multiples",
    "zeros and multiples of multiples, settled before any other rule looks",
    "the number of multiples and zeros",
)


@multiples.rule(cite=ARITHMETIC, replaces=True)
def scale_by_one(a: Tensor) -> Statement:
    """1·a = a."""
    return scale(1, a) >> a


@multiples.rule(cite=ARITHMETIC, replaces=True)
def scale_scale(c: Number, d: Number, a: Tensor) -> Statement:
    """c·(d·a) = (c·d)·a, unless d·a = a, where numbers would be multiplied without end."""
    return scale(c, scale(d, a)) >> scale(times(c, d), a), not_one(d), differ(scale(d, a), a)


@multiples.rule(cite=ARITHMETIC, replaces=True)
def scale_constant(c: Number, d: Number, n: Dims) -> Statement:
    """c·d is a constant."""
    return scale(c, const(d, n)) >> const(times(c, d), n)


@multiples.rule(cite=ARITHMETIC, replaces=True)
def add_constants(c: Number, d: Number, n: Dims) -> Statement:
    """c + d is a constant."""
    return add(const(c, n), const(d, n)) >> const(plus(c, d), n)


@multiples.rule(cite=ARITHMETIC, replaces=True)
def add_zero(a: Tensor, n: Dims) -> Statement:
    """a + 0 = a."""
    return add(a, const(0, n)) >> a


@constants.rule(cite=ARITHMETIC, replaces=True)
def power_of_constant(c: Number, n: Dims, p: Number) -> Statement:
    """cᵖ is a constant where it is rational."""
    return power(const(c, n), p) >> const(raised(c, p), n)


@constants.rule(cite=ARITHMETIC, replaces=True)
def function_of_constant(f: Name, c: Number, n: Dims) -> Statement:
    """f(c) is a constant where it is rational."""
    return fn(f, const(c, n)) >> const(function_value(f, c), n)


@constants.rule(cite=ARITHMETIC, replaces=True)
def power_one(a: Tensor) -> Statement:
    """a¹ = a."""
    return power(a, 1) >> a


@constants.rule(cite="definition of the power", replaces=True)
def power_of_one_exponent(a: Tensor, c: Number, n: Dims) -> Statement:
    """A power whose exponents are all the same has that number as its exponent."""
    return fn("pow", a, const(c, n)) >> power(a, c)


@constants.rule(cite="the convention 0⁰ = 1, NumPy's and C's", replaces=True)
def power_zero(a: Tensor) -> Statement:
    """a⁰ = 1."""
    return power(a, 0) >> const(1, dims(a))


@constants.rule(cite=ARITHMETIC, replaces=True)
def product_scale(s: Spec, c: Number, a: Tensor, b: Tensor) -> Statement:
    """(c·a)·b = c·(a·b)."""
    return ein(s, scale(c, a), b) >> scale(c, ein(s, a, b))


@constants.rule(cite=ARITHMETIC, replaces=True)
def unary_scale(s: Spec, c: Number, a: Tensor) -> Statement:
    """Transposes, diagonals and sums of c·a are c times those of a."""
    return ein1(s, scale(c, a)) >> scale(c, ein1(s, a)), changes(s)


@multiples.rule(cite=ARITHMETIC, replaces=True)
def product_with_zero(s: Spec, n: Dims, a: Tensor) -> Statement:
    """0·a = 0, for any product."""
    return ein(s, const(0, n), a) >> const(0, result_dims(s, n, dims(a)))


@multiples.rule(cite="the unit of the product; axes that the other operand has", replaces=True)
def product_with_constant(s: Spec, c: Number, n: Dims, a: Tensor) -> Statement:
    """A constant factor on axes that the other factor has is a number."""
    return (
        ein(s, const(c, n), a) >> scale(c, ein1(absorbed(s), a)),
        constant_is_absorbed(s),
        nonzero(c),
    )


@constants.rule(cite="the unit of the product; Σᵢ 1 = n", replaces=True)
def product_with_ones(s: Spec, c: Number, n: Dims, a: Tensor) -> Statement:
    """A constant factor keeps only the axes that nothing else has; those summed give their size."""
    summed = constant_summed_dims(s, n)
    count = ein1(sums_all(summed), const(1, summed))
    kept = ein(constant_kept(s), const(1, constant_kept_dims(s, n)), a)
    whole = scale(c, ein(scaled_as(s), count, kept))
    return ein(s, const(c, n), a) >> whole, constant_shrinks(s), nonzero(c)


@constants.rule(cite="the unit of the product", replaces=True)
def broadcast_number(s: Spec, c: Number, n: Dims, a: Tensor) -> Statement:
    """A constant that spreads a tensor along new axes is a multiple of ones."""
    return (
        ein(s, const(c, n), a) >> scale(c, ein(s, const(1, n), a)),
        not_one(c),
        nonzero(c),
        constant_spreads(s),
    )


@constants.rule(cite=ARITHMETIC, replaces=True)
def outer_product_of_constants(s: Spec, c: Number, n: Dims, d: Number, m: Dims) -> Statement:
    """An outer product of constants is a constant."""
    return ein(s, const(c, n), const(d, m)) >> const(times(c, d), result_dims(s, n, m)), distinct(s)


@constants.rule(cite="every entry is the same", replaces=True)
def unary_constant(s: Spec, c: Number, n: Dims) -> Statement:
    """Transposes and diagonals of a constant are constants."""
    return ein1(s, const(c, n)) >> const(c, result_dims1(s, n)), nothing_summed(s)


@constants.rule(cite="Σᵢ 1 = n", replaces=True)
def sum_of_constant(s: Spec, c: Number, n: Dims) -> Statement:
    """Σᵢ c = n·c, one summed index at a time."""
    return ein1(s, const(c, n)) >> ein(
        scaled_as(s),
        size(first_size(summed_dims(s, n))),
        ein1(kept_spec(s), const(c, kept_axes(s, n))),
    )


@constants.rule(cite="a size that is a number", replaces=True)
def size_is_number(d: object) -> Statement:
    """A size that is an integer is that constant."""
    return size(d) >> const(as_number(d), ())
