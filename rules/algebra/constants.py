"""Constants, zeros, ones and rational multiples: exact arithmetic."""

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


multiples.state(
    ARITHMETIC,
    REPLACES,
    scale_by_one=1 * a >> a,
    scale_scale=(c * (k * a) >> times(c, k) * a)
    .when(k != 1, a != k * a)
    .noted("c·(k·a) = (c·k)·a, unless k·a = a, where numbers would be multiplied without end."),
    scale_constant=(c * const(k, n) >> const(times(c, k), n)).noted("c·k is a constant."),
    add_constants=(const(c, n) + const(k, n) >> const(c + k, n)).noted("c + k is a constant."),
    add_zero=a + 0 >> a,
    constant_without_entries=(const(c, n) >> const(0, n))
    .when(c != 0, is_empty(n))
    .noted("A constant with an axis of length 0 is 0.", cite="tensors without entries are equal"),
    product_with_zero=(ein(s, const(0, n), a) >> const(0, result_dims(s, n, dims(a)))).noted(
        "0·a = 0, for any product."
    ),
    product_of_constants=(
        ein(s, const(c, n), const(k, m)) >> const(times(c, k), result_dims(s, n, m))
    )
    .when(sums_nothing(s))
    .noted("Constants spread along each other's axes are one constant."),
    product_with_constant=(ein(s, const(c, n), a) >> c * ein1(absorbed(s), a))
    .when(c != 0)
    .noted(
        "A constant factor on axes that the other factor has is a number.",
        cite="the unit of the product; axes that the other operand has",
    ),
)

# A constant factor with fewer axes, `dims`; those of sizes `summed` have been summed.
SHRUNK = shrunk(s, n)

constants.state(
    ARITHMETIC,
    REPLACES,
    power_of_constant=(const(c, n) ** p >> const(raised(c, p), n)).noted(
        "cᵖ is a constant where it is rational."
    ),
    function_of_constant=(f(const(c, n)) >> const(function_value(f, c), n)).noted(
        "f(c) is a constant where it is rational."
    ),
    power_one=a**1 >> a,
    power_of_one_exponent=(fn("pow", a, const(c, n)) >> a**c).noted(
        "A power whose exponents are all the same has that number as its exponent.",
        cite="definition of the power",
    ),
    power_zero=(a**0 >> 1).noted(cite="the convention 0⁰ = 1, NumPy's and C's"),
    product_scale=(ein(s, c * a, b) >> c * ein(s, a, b)).noted("(c·a)·b = c·(a·b)."),
    unary_scale=(ein1(s, c * a) >> c * ein1(s, a))
    .when(~is_identity(s))
    .noted("Transposes, diagonals and sums of c·a are c times those of a."),
    product_with_ones=(
        ein(s, const(c, n), a)
        >> c
        * ein(
            scaled_as(s),
            ein1("A->", const(1, SHRUNK.summed)),
            ein(SHRUNK.spec, const(1, SHRUNK.dims), a),
        )
    )
    .when(c != 0)
    .noted(
        "Of a constant's axes, those of a go; others stay as ones, or are summed to their size.",
        cite="the unit of the product; Σᵢ 1 = n",
    ),
    broadcast_number=(ein(s, const(c, n), a) >> c * ein(s, const(1, n), a))
    .when(c != 1, c != 0, constant_spreads(s))
    .noted(
        "A constant that spreads a tensor along new axes is a multiple of ones.",
        cite="the unit of the product",
    ),
    unary_constant=(ein1(s, const(c, n)) >> const(c, result_dims(s, n)))
    .when(sums_nothing(s))
    .noted("Transposes and diagonals of a constant are constants.", cite="every entry is the same"),
    sum_of_constant=(
        ein1(s, const(c, n))
        >> ein(
            scaled_as(s),
            size(summed_dims(s, n)[0]),
            ein1(one_sum_less(s, n)[0], const(c, one_sum_less(s, n)[1])),
        )
    ).noted("Σᵢ c = n·c, one summed index at a time.", cite="Σᵢ 1 = n"),
    size_is_number=(size(i) >> const(as_number(i), ())).noted(
        "A size that is an integer is that constant.", cite="a size that is a number"
    ),
)
