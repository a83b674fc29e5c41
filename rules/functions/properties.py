"""What follows from the form of a tensor: signs, ranges, zeros, and whether a matrix is invertible.

Laws that are true of a part of the reals alone ask for these facts before they unite e-classes.
Each is true of the form, wherever it is defined, or of a variable as it is declared.
"""

from eggrad.engine.laws.primitives import (
    are_all,
    at_least_zero,
    at_most_one,
    has_operands_sign,
    is_bounded,
    is_declared,
    is_inverse_of_bounded,
    is_natural,
    is_negative,
    is_negative_fraction,
    is_never_negative,
    is_no_number,
    is_positive_fraction,
    is_same_twice,
    is_square,
    is_square_variable,
    is_total_and_tame,
    is_zero_at_zero,
    jumps_at_integers,
    never_negative_power,
    one_axis,
)
from eggrad.engine.laws.properties import defined, positive_almost
from eggrad.engine.laws.properties import nonzero as nowhere_zero
from eggrad.engine.laws.structure_primitives import is_seldom_singular, is_seldom_zero
from eggrad.rules.notation import *

RANGE = "range of the function"

properties = Ruleset(
    "properties",
    "what is known of an e-class: signs, ranges, zeros, whether it is invertible",
    "none: an e-class has each property once",
)


# Total -------------------------------------------------------------------------------------


@properties.fact(cite="an entry of it, and NumPy refuses where there is none")
def total_extreme(f: Name, s: Spec, a: Tensor) -> Claim:
    """A maximum or minimum of what is defined is."""
    return total(extreme(f, s, a)), total(a), is_extreme(f)


@properties.fact(cite="numbers, none of them infinite")
def total_array(c: Entries) -> Claim:
    """An array of finite numbers is defined whatever the values are."""
    return total(array(c)), are_all(c, "finite")


@properties.fact(cite=ORDER)
def total_constant(c: Number, n: Dims) -> Claim:
    """A constant is defined."""
    return total(const(c, n))


@properties.fact(cite="definition of the delta")
def total_delta(n: Dims) -> Claim:
    """δ is defined."""
    return total(delta(n))


@properties.fact(cite="definition of an indicator")
def total_indicator(n: Dims, p: Constraints) -> Claim:
    """An indicator is defined."""
    return total(indicator(n, p))


@properties.fact(cite="a size is a count")
def total_size(d: object) -> Claim:
    """A size is defined."""
    return total(size(d))


@properties.fact(cite=RANGE)
def total_function(f: str, a: Tensor) -> Claim:
    """f(a) is defined where a is, for a function that is defined for all reals."""
    return total(fn(f, a)), is_total_and_tame(f), total(a)


@properties.fact(cite=RANGE)
def total_function_of_two(f: str, a: Tensor, b: Tensor) -> Claim:
    """f(a, b) is defined where a and b are, for a function that is defined for all reals."""
    return total(fn(f, a, b)), is_total_and_tame(f), total(a), total(b)


@properties.fact(cite="NumPy: a comparison with what is undefined is false")
def total_test(f: str, a: Tensor) -> Claim:
    """A test is 1 or 0, whatever its operand is."""
    return total(fn(f, a)), is_test(f)


@properties.fact(cite="NumPy: a comparison with what is undefined is false")
def total_comparison(f: str, a: Tensor, b: Tensor) -> Claim:
    """A comparison is 1 or 0, whatever its operands are."""
    return total(fn(f, a, b)), is_test(f)


@properties.fact(cite="definition of the choice")
def total_choice(c: Tensor, a: Tensor, b: Tensor) -> Claim:
    """A choice is defined where its condition and both branches are."""
    return total(fn("where", c, a, b)), total(c), total(a), total(b)


@properties.fact(cite=ORDER)
def total_sum(a: Tensor, b: Tensor) -> Claim:
    """A sum is defined where its terms are."""
    return total(add(a, b)), total(a), total(b)


@properties.fact(cite="real powers")
def total_power_of_positive(a: Tensor, p: Number) -> Claim:
    """aᵖ is defined where a is, for a > 0."""
    return total(power(a, p)), total(a), positive(a)


@properties.fact(cite=ORDER)
def total_multiple(c: Number, a: Tensor) -> Claim:
    """A multiple is defined where the tensor is."""
    return total(scale(c, a)), total(a)


@properties.fact(cite=ORDER)
def total_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """A product is defined where its factors are."""
    return total(ein(s, a, b)), total(a), total(b)


@properties.fact(cite=ORDER)
def total_entries(s: Spec, a: Tensor) -> Claim:
    """Entries of a tensor, and sums of them, are defined where it is."""
    return total(ein1(s, a)), total(a)


@properties.fact(cite="integer powers")
def total_power(a: Tensor, p: Number) -> Claim:
    """aᵖ is defined where a is, for a natural p."""
    return total(power(a, p)), is_natural(p), total(a)


# Nonnegative -------------------------------------------------------------------------------


@properties.fact(cite=ORDER)
def positive_is_nonnegative(a: Tensor) -> Claim:
    """a ≥ 0 where a > 0."""
    return nonnegative(a), positive(a)


@properties.fact(cite=ORDER)
def nonnegative_extreme(f: Name, s: Spec, a: Tensor) -> Claim:
    """A maximum or minimum of nonnegative entries is nonnegative."""
    return nonnegative(extreme(f, s, a)), nonnegative(a), is_extreme(f)


@properties.fact(cite=ORDER)
def nonnegative_array(c: Entries) -> Claim:
    """An array of numbers is nonnegative if all of them are."""
    return nonnegative(array(c)), are_all(c, "nonnegative")


@properties.fact(cite="declared")
def declared_nonnegative(x: Variable) -> Claim:
    """A variable that is declared nonnegative is."""
    return nonnegative(declared(x)), is_declared(x, "nonnegative")


@properties.fact(cite=ORDER)
def nonnegative_constant(c: Number, n: Dims) -> Claim:
    """A constant is nonnegative if its number is."""
    return nonnegative(const(c, n)), at_least_zero(c)


@properties.fact(cite="definition of the delta")
def nonnegative_delta(n: Dims) -> Claim:
    """δ is 0 or 1."""
    return nonnegative(delta(n))


@properties.fact(cite="definition of an indicator")
def nonnegative_indicator(n: Dims, p: Constraints) -> Claim:
    """An indicator is 0 or 1."""
    return nonnegative(indicator(n, p))


@properties.fact(cite="definition of a selection")
def nonnegative_selection(n: Dims, a: Tensor) -> Claim:
    """A selection is 0 or 1."""
    return nonnegative(selection(n, a))


@properties.fact(cite="a size is a count")
def nonnegative_size(d: object) -> Claim:
    """A size is no negative number."""
    return nonnegative(size(d))


@properties.fact(cite=RANGE)
def nonnegative_function(f: str, a: Tensor) -> Claim:
    """exp, abs, relu and arccos are nowhere negative."""
    return nonnegative(fn(f, a)), is_never_negative(f)


@properties.fact(cite=RANGE)
def nonnegative_comparison(f: str, a: Tensor, b: Tensor) -> Claim:
    """A comparison is 1 or 0."""
    return nonnegative(fn(f, a, b)), is_test(f)


@properties.fact(cite=RANGE)
def function_of_nonnegative(f: str, a: Tensor) -> Claim:
    """f(a) ≥ 0 for a ≥ 0, where f has the sign of its operand."""
    return nonnegative(fn(f, a)), has_operands_sign(f), nonnegative(a)


@properties.fact(cite="real powers")
def nonnegative_power(a: Tensor, p: Number) -> Claim:
    """aᵖ ≥ 0 for an even p, and for a fraction."""
    return nonnegative(power(a, p)), never_negative_power(p)


@properties.fact(cite="real powers")
def power_of_nonnegative(a: Tensor, b: Tensor) -> Claim:
    """aᵇ ≥ 0 for a ≥ 0."""
    return nonnegative(power(a, b)), nonnegative(a)


@properties.fact(cite=ORDER)
def nonnegative_multiple(c: Number, a: Tensor) -> Claim:
    """c·a ≥ 0 for c > 0 and a ≥ 0."""
    return nonnegative(scale(c, a)), nonnegative(a), is_positive(c)


@properties.fact(cite=ORDER)
def nonnegative_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b ≥ 0 for a ≥ 0 and b ≥ 0."""
    return nonnegative(add(a, b)), nonnegative(a), nonnegative(b)


@properties.fact(cite=ORDER)
def nonnegative_quotient(a: Tensor, b: Tensor) -> Claim:
    """a / b ≥ 0 for a ≥ 0 and b ≥ 0."""
    return nonnegative(divide(a, b)), nonnegative(a), nonnegative(b)


@properties.fact(cite=ORDER)
def nonnegative_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """A product, summed or not, of nonnegative tensors is nonnegative."""
    return nonnegative(ein(s, a, b)), nonnegative(a), nonnegative(b)


@properties.fact(cite=ORDER)
def nonnegative_square(s: Spec, a: Tensor) -> Claim:
    """A square, and a sum of squares, is nonnegative."""
    return nonnegative(ein(s, a, a)), is_same_twice(s)


@properties.fact(cite=ORDER)
def nonnegative_entries(s: Spec, a: Tensor) -> Claim:
    """Entries of a nonnegative tensor, and sums of them, are nonnegative."""
    return nonnegative(ein1(s, a)), nonnegative(a)


# Positive ----------------------------------------------------------------------------------


@properties.fact(cite="declared")
def declared_positive(x: Variable) -> Claim:
    """A variable that is declared positive is."""
    return positive(declared(x)), is_declared(x, "positive")


@properties.fact(cite=ORDER)
def positive_extreme(f: Name, s: Spec, a: Tensor) -> Claim:
    """A maximum or minimum of positive entries is positive."""
    return positive(extreme(f, s, a)), positive(a), is_extreme(f)


@properties.fact(cite=ORDER)
def positive_array(c: Entries) -> Claim:
    """An array of numbers is positive if all of them are."""
    return positive(array(c)), are_all(c, "positive")


@properties.fact(cite=ORDER)
def positive_constant(c: Number, n: Dims) -> Claim:
    """A constant is positive if its number is."""
    return positive(const(c, n)), is_positive(c)


@properties.fact(cite=RANGE)
def positive_exponential(a: Tensor) -> Claim:
    """exp a > 0."""
    return positive(fn("exp", a))


@properties.fact(cite=RANGE)
def function_of_positive(f: str, a: Tensor) -> Claim:
    """f(a) > 0 for a > 0, where f has the sign of its operand."""
    return positive(fn(f, a)), has_operands_sign(f), positive(a)


@properties.fact(cite="real powers")
def power_of_positive(a: Tensor, b: Tensor) -> Claim:
    """aᵇ > 0 for a > 0."""
    return positive(power(a, b)), positive(a)


@properties.fact(cite=ORDER)
def positive_multiple(c: Number, a: Tensor) -> Claim:
    """c·a > 0 for c > 0 and a > 0."""
    return positive(scale(c, a)), positive(a), is_positive(c)


@properties.fact(cite=ORDER)
def positive_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b > 0 for a > 0 and b ≥ 0."""
    return positive(add(a, b)), positive(a), nonnegative(b)


@properties.fact(cite=ORDER)
def positive_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b > 0 for a > 0 and b > 0, where nothing is summed: a sum over no entry is 0."""
    return positive(ein(s, a, b)), positive(a), positive(b), sums_nothing(s)


@properties.fact(cite=ORDER)
def positive_quotient(a: Tensor, b: Tensor) -> Claim:
    """a / b > 0 for a > 0 and b > 0."""
    return positive(divide(a, b)), positive(a), positive(b)


@properties.fact(cite=ORDER)
def positive_entries(s: Spec, a: Tensor) -> Claim:
    """Entries of a positive tensor are positive."""
    return positive(ein1(s, a)), positive(a), sums_nothing(s)


# Nonzero -----------------------------------------------------------------------------------


@properties.fact(cite=ORDER)
def positive_is_nonzero(a: Tensor) -> Claim:
    """a ≠ 0 where a > 0."""
    return nowhere_zero(a), positive(a)


@properties.fact(cite=ORDER)
def nowhere_zero_multiple(c: Number, a: Tensor) -> Claim:
    """c·a ≠ 0 for c ≠ 0 and a ≠ 0, at all values."""
    return nowhere_zero(scale(c, a)), nowhere_zero(a), nonzero(c)


@properties.fact(cite=ORDER)
def nonzero_is_nonzero_almost(a: Tensor) -> Claim:
    """What is nowhere 0 is 0 at values without interior."""
    return nonzero_almost(a), nowhere_zero(a)


@properties.fact(cite=ORDER)
def nonnegative_and_nonzero(a: Tensor) -> Claim:
    """a > 0 but for exceptions, where a ≥ 0 and a ≠ 0 but for exceptions."""
    return positive_almost(a), nonnegative(a), nonzero_almost(a)


@properties.fact(cite="a point has no interior")
def nonzero_variable(x: Variable) -> Claim:
    """An entry of a variable is 0 at values without interior, if nothing is declared of it."""
    return nonzero_almost(declared(x)), is_seldom_zero(x)


@properties.fact(cite=ORDER)
def nonzero_array(c: Entries) -> Claim:
    """An array of numbers is nowhere 0 if none of them is."""
    return nowhere_zero(array(c)), are_all(c, "nonzero")


@properties.fact(cite=ORDER)
def nonzero_constant(c: Number, n: Dims) -> Claim:
    """A constant that is not 0."""
    return nonzero_almost(const(c, n)), nonzero(c)


@properties.fact(cite="axes have entries, or nothing is computed of them")
def nonzero_size(d: object) -> Claim:
    """A size is not 0."""
    return nonzero_almost(size(d))


@properties.fact(cite=RANGE)
def nonzero_function(f: str, a: Tensor) -> Claim:
    """f(a) ≠ 0 for a ≠ 0, where f is 0 at 0 alone."""
    return nonzero_almost(fn(f, a)), nonzero_almost(a), is_zero_at_zero(f)


@properties.fact(cite="real powers")
def power_of_nonzero(a: Tensor, b: Tensor) -> Claim:
    """aᵇ ≠ 0 for a ≠ 0."""
    return nonzero_almost(power(a, b)), nonzero_almost(a)


@properties.fact(cite=ORDER)
def nonzero_multiple(c: Number, a: Tensor) -> Claim:
    """c·a ≠ 0 for c ≠ 0 and a ≠ 0."""
    return nonzero_almost(scale(c, a)), nonzero_almost(a), nonzero(c)


@properties.fact(cite="the union of two sets without interior, of which one is closed, has none")
def nonzero_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b ≠ 0 for a ≠ 0 and b ≠ 0, where nothing is summed."""
    return nonzero_almost(ein(s, a, b)), nonzero_almost(a), nonzero_almost(b), sums_nothing(s)


@properties.fact(cite=ORDER)
def nonzero_quotient(a: Tensor, b: Tensor) -> Claim:
    """a / b ≠ 0 for a ≠ 0."""
    return nonzero_almost(divide(a, b)), nonzero_almost(a)


@properties.fact(cite=ORDER)
def nonzero_entries(s: Spec, a: Tensor) -> Claim:
    """Entries of what is nowhere 0 are not 0."""
    return nonzero_almost(ein1(s, a)), nonzero_almost(a), sums_nothing(s)


@properties.fact(cite=ORDER)
def nonzero_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b ≠ 0 for a > 0 and b ≥ 0, exceptions of a apart."""
    return nonzero_almost(add(a, b)), positive_almost(a), nonnegative(b)


@properties.fact(cite=ORDER)
def nonzero_sum_of_products(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """Σ a·b ≠ 0 for a > 0 and b > 0, exceptions apart."""
    return nonzero_almost(ein(s, a, b)), positive_almost(a), positive_almost(b)


@properties.fact(cite=ORDER)
def nonzero_sum_of_squares(s: Spec, a: Tensor) -> Claim:
    """Σ a² ≠ 0 for a ≠ 0, exceptions apart."""
    return nonzero_almost(ein(s, a, a)), nonzero_almost(a), is_same_twice(s)


@properties.fact(cite=ORDER)
def nonzero_sum_of_entries(s: Spec, a: Tensor) -> Claim:
    """Σ a ≠ 0 for a > 0, exceptions apart."""
    return nonzero_almost(ein1(s, a)), positive_almost(a)


# Between -1 and 1 --------------------------------------------------------------------------


@properties.fact(cite=RANGE)
def bounded_function(f: str, a: Tensor) -> Claim:
    """sin, cos, tanh and sign are between -1 and 1."""
    return within_one(fn(f, a)), is_bounded(f)


@properties.fact(cite=ORDER)
def bounded_constant(c: Number, n: Dims) -> Claim:
    """A constant is between -1 and 1 if its number is."""
    return within_one(const(c, n)), at_most_one(c)


@properties.fact(cite=ORDER)
def bounded_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is between -1 and 1 if both c and a are."""
    return within_one(scale(c, a)), within_one(a), at_most_one(c)


@properties.fact(cite=ORDER)
def bounded_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b is between -1 and 1 if both a and b are, and nothing is summed."""
    return within_one(ein(s, a, b)), within_one(a), within_one(b), sums_nothing(s)


# Invertible --------------------------------------------------------------------------------


@properties.fact(cite="declared")
def invertible_variable(x: Variable) -> Claim:
    """A variable that is declared invertible, or positive definite, is."""
    return invertible(declared(x)), is_declared(x, "invertible")


@properties.fact(cite="the inverse of the identity")
def invertible_delta(n: Dims) -> Claim:
    """δ is invertible."""
    return invertible(delta(n)), one_axis(n)


@properties.fact(cite="the inverse of an inverse")
def invertible_inverse(a: Tensor) -> Claim:
    """a⁻¹ is invertible where it is defined."""
    return invertible(inv(a))


@properties.fact(cite="the inverse of a transpose")
def invertible_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is invertible if a is."""
    return invertible(ein1(s, a)), invertible(a), is_transpose(s)


@properties.fact(cite="the inverse of a product")
def invertible_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b is invertible if a and b are."""
    return invertible(ein(s, a, b)), invertible(a), invertible(b), is_matrix_product(s)


@properties.fact(cite="the inverse of a multiple")
def invertible_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is invertible if a is, and c ≠ 0."""
    return invertible(scale(c, a)), invertible(a), nonzero(c)


@properties.fact(cite="a set without values has no interior")
def invertible_is_invertible_almost(a: Tensor) -> Claim:
    """What is invertible is so, exceptions apart."""
    return invertible_almost(a), invertible(a)


@properties.fact(cite="a polynomial that is not 0, such as det X, has zeros without interior")
def square_variable_is_invertible(x: Variable) -> Claim:
    """A square variable is invertible, exceptions apart."""
    return invertible_almost(declared(x)), is_square_variable(x), is_seldom_singular(x)


@properties.fact(cite="the inverse of a transpose")
def transpose_invertible_almost(s: Spec, a: Tensor) -> Claim:
    """So is a' if a is."""
    return invertible_almost(ein1(s, a)), invertible_almost(a), is_transpose(s)


@properties.fact(cite="the inverse of a product")
def product_invertible_almost(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """So is a·b if a and b are."""
    return (
        invertible_almost(ein(s, a, b)),
        invertible_almost(a),
        invertible_almost(b),
        is_matrix_product(s),
    )


@properties.fact(cite="the inverse of a multiple")
def multiple_invertible_almost(c: Number, a: Tensor) -> Claim:
    """So is c·a if a is, and c ≠ 0."""
    return invertible_almost(scale(c, a)), invertible_almost(a), nonzero(c)


@properties.fact(cite="a determinant is 0 where a matrix is singular")
def nonzero_determinant(a: Tensor) -> Claim:
    """det a ≠ 0 for an invertible a, exceptions apart."""
    return nonzero_almost(det(a)), invertible_almost(a)


@properties.fact(cite="the product of eigenvalues, which are positive")
def positive_determinant(x: Variable) -> Claim:
    """det X > 0 for a variable that is declared positive definite."""
    return positive(det(declared(x))), is_declared(x, "positive definite")


# Domains -----------------------------------------------------------------------------------

domains = Ruleset(
    "domains",
    "what has to hold for a term to be defined, exceptions apart",
    "none: they are asked of given terms alone",
)


@domains.fact(cite="NumPy: a comparison with what is undefined is false")
def comparison_needs_first(f: str, a: Tensor, b: Tensor) -> Claim:
    """A comparison says something of its operands where the first one is defined."""
    return total(a), defined(fn(f, a, b)), is_test(f)


@domains.fact(cite="NumPy: a comparison with what is undefined is false")
def comparison_needs_second(f: str, a: Tensor, b: Tensor) -> Claim:
    """A comparison says something of its operands where the second one is defined."""
    return total(b), defined(fn(f, a, b)), is_test(f)


@domains.fact(cite="Abramowitz, Stegun 1964, section 4.1")
def logarithm_needs(a: Tensor) -> Claim:
    """log a is defined for a > 0."""
    return positive(a), defined(fn("log", a))


@domains.fact(cite="real powers")
def root_needs(a: Tensor, p: Number) -> Claim:
    """aᵖ is defined for a ≥ 0, where p is a positive fraction."""
    return nonnegative(a), defined(power(a, p)), is_positive_fraction(p)


@domains.fact(cite="real powers")
def negative_root_needs(a: Tensor, p: Number) -> Claim:
    """aᵖ is defined for a > 0, where p is a negative fraction."""
    return positive(a), defined(power(a, p)), is_negative_fraction(p)


@domains.fact(cite="real powers")
def any_power_needs(a: Tensor, b: Tensor) -> Claim:
    """aᵇ is defined for a > 0, but for integers b, where b is no number."""
    return positive(a), defined(power(a, b)), is_no_number(b)


@domains.fact(cite="real powers")
def negative_power_needs(a: Tensor, p: Number) -> Claim:
    """aᵖ is defined for a ≠ 0, where p is negative."""
    return nowhere_zero(a), defined(power(a, p)), is_negative(p)


@domains.fact(cite="definition of the quotient")
def quotient_needs(a: Tensor, b: Tensor) -> Claim:
    """a / b is defined for b ≠ 0."""
    return nowhere_zero(b), defined(divide(a, b))


@domains.fact(cite="Abramowitz, Stegun 1964, section 4.4")
def inverse_function_needs(f: str, a: Tensor) -> Claim:
    """arcsin a and arccos a are defined for a between -1 and 1."""
    return within_one(a), defined(fn(f, a)), is_inverse_of_bounded(f)


@domains.fact(cite="definition of the inverse")
def inverse_needs(a: Tensor) -> Claim:
    """a⁻¹ is defined for an invertible a."""
    return invertible(a), defined(inv(a))


@domains.fact(cite="The Matrix Cookbook, equation 146")
def adjugate_may_need(a: Tensor) -> Claim:
    """adj a is det a·a⁻¹ for an invertible a; the others have no interior."""
    return invertible(a), defined(adj(a))


# Ties --------------------------------------------------------------------------------------

ties = Ruleset(
    "ties",
    "where a function jumps: terms that are equal elsewhere may differ there",
    "none: they are asked of given terms alone",
)


@ties.fact(cite="definition of the function")
def sign_jumps(a: Tensor) -> Claim:
    """The sign of a jumps at a = 0."""
    return nowhere_zero(a), defined(fn("sign", a))


@ties.fact(cite="definition of the choice")
def choice_jumps(c: Tensor, a: Tensor, b: Tensor) -> Claim:
    """A choice by c jumps at c = 0."""
    return nowhere_zero(c), defined(fn("where", c, a, b))


@ties.fact(cite="definition of the function")
def comparison_jumps(f: str, a: Tensor, b: Tensor) -> Claim:
    """A comparison of a and b jumps at a = b."""
    return (
        nowhere_zero(subtract(a, b)),
        defined(fn(f, a, b)),
        is_test(f),
        differ(a, const(0, dims(a))),
        differ(b, const(0, dims(b))),
    )


@ties.fact(cite="definition of the function")
def comparison_with_zero_jumps(f: str, a: Tensor, n: Dims) -> Claim:
    """A comparison of a and 0 jumps at a = 0."""
    return nowhere_zero(a), defined(fn(f, a, const(0, n))), is_test(f)


@ties.fact(cite="definition of the function")
def comparison_of_zero_jumps(f: str, n: Dims, a: Tensor) -> Claim:
    """A comparison of 0 and a jumps at a = 0."""
    return nowhere_zero(a), defined(fn(f, const(0, n), a)), is_test(f)


@ties.fact(cite="definition of the function")
def rounding_jumps(f: str, a: Tensor) -> Claim:
    """⌊a⌋ and ⌈a⌉ jump at integers."""
    return nowhere_zero(subtract(a, fn("floor", a))), defined(fn(f, a)), jumps_at_integers(f)


@ties.fact(cite="Stewart 1977, On the perturbation of pseudo-inverses")
def pseudoinverse_jumps(a: Tensor) -> Claim:
    """The pseudoinverse of a square matrix jumps where it is singular."""
    return invertible(a), defined(of_each("pseudoinverse", a)), is_square(dims(a))
