"""What follows from the form of a tensor: signs, ranges, zeros, and whether a matrix is invertible.

Laws that are true of a part of the reals alone ask for these facts before they unite e-classes.
Each is true of the form, wherever it is defined, or of a variable as it is declared.
"""

from eggrad.rules.notation import *

RANGE = "range of the function"

properties = Ruleset(
    "properties",
    "what is known of an e-class: signs, ranges, zeros, whether it is invertible",
    "none: an e-class has each property once",
)

# Declared.

properties.state(
    "declared",
    declared_nonnegative=nonnegative(declared(X)).when(is_declared(X, "nonnegative")),
    declared_positive=positive(declared(X)).when(is_declared(X, "positive")),
    invertible_variable=invertible(declared(X)).when(is_declared(X, "invertible")),
)

# Total.

properties.state(
    ORDER,
    total_extreme=total(extreme(f, s, a))
    .when(total(a), is_extreme(f))
    .noted(
        "A maximum or minimum of what is defined is.",
        cite="an entry of it, and NumPy refuses where there is none",
    ),
    total_array=total(array(E))
    .when(are_all(E, "finite"))
    .noted(
        "An array of finite numbers is defined whatever the values are.",
        cite="numbers, none of them infinite",
    ),
    total_constant=total(const(c, n)).noted("A constant is defined."),
    total_delta=total(delta(n)).noted(cite="definition of the delta"),
    total_indicator=total(indicator(n, P)).noted(
        "An indicator is defined.", cite="definition of an indicator"
    ),
    total_size=total(size(i)).noted("A size is defined.", cite="a size is a count"),
    total_function=total(f(a))
    .when(f.total, ~f.grows, total(a))
    .noted("f(a) is defined where a is, for a function that is defined for all reals.", cite=RANGE),
    total_function_of_two=total(f(a, b))
    .when(f.total, ~f.grows, total(a), total(b))
    .noted(
        "f(a, b) is defined where a and b are, for a function that is defined for all reals.",
        cite=RANGE,
    ),
    total_test=total(f(a))
    .when(f.is_test)
    .noted(
        "A test is 1 or 0, whatever its operand is.",
        cite="NumPy: a comparison with what is undefined is false",
    ),
    total_comparison=total(f(a, b))
    .when(f.is_test)
    .noted(
        "A comparison is 1 or 0, whatever its operands are.",
        cite="NumPy: a comparison with what is undefined is false",
    ),
    total_choice=total(where(d, a, b))
    .when(total(d), total(a), total(b))
    .noted(cite="definition of the choice"),
    total_sum=total(a + b).when(total(a), total(b)),
    total_power_of_positive=total(a**p).when(total(a), positive(a)).noted(cite="real powers"),
    total_multiple=total(c * a).when(total(a)),
    total_product=total(ein(s, a, b))
    .when(total(a), total(b))
    .noted("A product is defined where its factors are."),
    total_entries=total(ein1(s, a))
    .when(total(a))
    .noted("Entries of a tensor, and sums of them, are defined where it is."),
    total_power=total(a**p)
    .when(is_integer(p), p >= 0, total(a))
    .noted("aᵖ is defined where a is, for a natural p.", cite="integer powers"),
)

# Nonnegative.

properties.state(
    ORDER,
    positive_is_nonnegative=nonnegative(a).when(positive(a)),
    nonnegative_extreme=nonnegative(extreme(f, s, a))
    .when(nonnegative(a), is_extreme(f))
    .noted("A maximum or minimum of nonnegative entries is nonnegative."),
    nonnegative_array=nonnegative(array(E))
    .when(are_all(E, "nonnegative"))
    .noted("An array of numbers is nonnegative if all of them are."),
    nonnegative_constant=nonnegative(const(c, n))
    .when(c >= 0)
    .noted("A constant is nonnegative if its number is."),
    nonnegative_delta=nonnegative(delta(n)).noted(cite="definition of the delta"),
    nonnegative_indicator=nonnegative(indicator(n, P)).noted(
        "An indicator is 0 or 1.", cite="definition of an indicator"
    ),
    nonnegative_selection=nonnegative(selection(n, a)).noted(cite="definition of a selection"),
    nonnegative_size=nonnegative(size(i)).noted(
        "A size is no negative number.", cite="a size is a count"
    ),
    nonnegative_function=nonnegative(f(a))
    .when(f.is_never_negative)
    .noted("exp, abs, relu and arccos are nowhere negative.", cite=RANGE),
    nonnegative_comparison=nonnegative(f(a, b))
    .when(f.is_test)
    .noted("A comparison is 1 or 0.", cite=RANGE),
    function_of_nonnegative=nonnegative(f(a))
    .when(f.keeps_sign, nonnegative(a))
    .noted("f(a) ≥ 0 for a ≥ 0, where f has the sign of its operand.", cite=RANGE),
    nonnegative_power=nonnegative(a**p)
    .when(never_negative_power(p))
    .noted("aᵖ ≥ 0 for an even p, and for a fraction.", cite="real powers"),
    power_of_nonnegative=nonnegative(a**b).when(nonnegative(a)).noted(cite="real powers"),
    nonnegative_multiple=nonnegative(c * a).when(nonnegative(a), c > 0),
    nonnegative_sum=nonnegative(a + b).when(nonnegative(a), nonnegative(b)),
    nonnegative_quotient=nonnegative(a / b).when(nonnegative(a), nonnegative(b)),
    nonnegative_product=nonnegative(ein(s, a, b))
    .when(nonnegative(a), nonnegative(b))
    .noted("A product, summed or not, of nonnegative tensors is nonnegative."),
    nonnegative_square=nonnegative(ein(s, a, a))
    .when(s[0] == s[1])
    .noted("A square, and a sum of squares, is nonnegative."),
    nonnegative_entries=nonnegative(ein1(s, a))
    .when(nonnegative(a))
    .noted("Entries of a nonnegative tensor, and sums of them, are nonnegative."),
)

# Positive.

properties.state(
    ORDER,
    positive_extreme=positive(extreme(f, s, a))
    .when(positive(a), is_extreme(f))
    .noted("A maximum or minimum of positive entries is positive."),
    positive_array=positive(array(E))
    .when(are_all(E, "positive"))
    .noted("An array of numbers is positive if all of them are."),
    positive_constant=positive(const(c, n))
    .when(c > 0)
    .noted("A constant is positive if its number is."),
    positive_exponential=positive(exp(a)).noted(cite=RANGE),
    function_of_positive=positive(f(a))
    .when(f.keeps_sign, positive(a))
    .noted("f(a) > 0 for a > 0, where f has the sign of its operand.", cite=RANGE),
    power_of_positive=positive(a**b).when(positive(a)).noted(cite="real powers"),
    positive_multiple=positive(c * a).when(positive(a), c > 0),
    positive_sum=positive(a + b).when(positive(a), nonnegative(b)),
    positive_product=positive(ein(s, a, b))
    .when(positive(a), positive(b), sums_nothing(s))
    .noted("a·b > 0 for a > 0 and b > 0, where nothing is summed: a sum over no entry is 0."),
    positive_quotient=positive(a / b).when(positive(a), positive(b)),
    positive_entries=positive(ein1(s, a))
    .when(positive(a), sums_nothing(s))
    .noted("Entries of a positive tensor are positive."),
)

# Nonzero.

properties.state(
    ORDER,
    positive_is_nonzero=nonzero(a).when(positive(a)),
    nowhere_zero_multiple=nonzero(c * a)
    .when(nonzero(a), c != 0)
    .noted("c·a ≠ 0 for c ≠ 0 and a ≠ 0, at all values."),
    nonzero_is_nonzero_almost=nonzero_almost(a)
    .when(nonzero(a))
    .noted("What is nowhere 0 is 0 at values without interior."),
    nonnegative_and_nonzero=positive_almost(a)
    .when(nonnegative(a), nonzero_almost(a))
    .noted("a > 0 but for exceptions, where a ≥ 0 and a ≠ 0 but for exceptions."),
    nonzero_variable=nonzero_almost(declared(X))
    .when(is_seldom_zero(X))
    .noted(
        "An entry of a variable is 0 at values without interior, if nothing is declared of it.",
        cite="a point has no interior",
    ),
    nonzero_array=nonzero(array(E))
    .when(are_all(E, "nonzero"))
    .noted("An array of numbers is nowhere 0 if none of them is."),
    nonzero_constant=nonzero_almost(const(c, n)).when(c != 0).noted("A constant that is not 0."),
    nonzero_size=nonzero_almost(size(i)).noted(
        "A size is not 0.", cite="axes have entries, or nothing is computed of them"
    ),
    nonzero_function=nonzero_almost(f(a))
    .when(nonzero_almost(a), f.zero_at_zero_alone)
    .noted("f(a) ≠ 0 for a ≠ 0, where f is 0 at 0 alone.", cite=RANGE),
    power_of_nonzero=nonzero_almost(a**b).when(nonzero_almost(a)).noted(cite="real powers"),
    nonzero_multiple=nonzero_almost(c * a).when(nonzero_almost(a), c != 0),
    nonzero_product=nonzero_almost(ein(s, a, b))
    .when(nonzero_almost(a), nonzero_almost(b), sums_nothing(s))
    .noted(
        "a·b ≠ 0 for a ≠ 0 and b ≠ 0, where nothing is summed.",
        cite="the union of two sets without interior, of which one is closed, has none",
    ),
    nonzero_quotient=nonzero_almost(a / b).when(nonzero_almost(a)),
    nonzero_entries=nonzero_almost(ein1(s, a))
    .when(nonzero_almost(a), sums_nothing(s))
    .noted("Entries of what is nowhere 0 are not 0."),
    nonzero_sum=nonzero_almost(a + b)
    .when(positive_almost(a), nonnegative(b))
    .noted("a + b ≠ 0 for a > 0 and b ≥ 0, exceptions of a apart."),
    nonzero_sum_of_products=nonzero_almost(ein(s, a, b))
    .when(positive_almost(a), positive_almost(b))
    .noted("Σ a·b ≠ 0 for a > 0 and b > 0, exceptions apart."),
    nonzero_sum_of_squares=nonzero_almost(ein(s, a, a))
    .when(nonzero_almost(a), s[0] == s[1])
    .noted("Σ a² ≠ 0 for a ≠ 0, exceptions apart."),
    nonzero_sum_of_entries=nonzero_almost(ein1(s, a))
    .when(positive_almost(a))
    .noted("Σ a ≠ 0 for a > 0, exceptions apart."),
)

# Between -1 and 1.

properties.state(
    ORDER,
    bounded_function=within_one(f(a))
    .when(f.is_within_one)
    .noted("sin, cos, tanh and sign are between -1 and 1.", cite=RANGE),
    bounded_constant=within_one(const(c, n))
    .when(c >= -1, c <= 1)
    .noted("A constant is between -1 and 1 if its number is."),
    bounded_multiple=within_one(c * a).when(within_one(a), c >= -1, c <= 1),
    bounded_product=within_one(ein(s, a, b))
    .when(within_one(a), within_one(b), sums_nothing(s))
    .noted("a·b is between -1 and 1 if both a and b are, and nothing is summed."),
)

# Invertible.

properties.state(
    "the inverse of a transpose",
    invertible_delta=invertible(delta(n))
    .when(one_axis(n))
    .noted("δ is invertible.", cite="the inverse of the identity"),
    invertible_diagonal=invertible(ein("ij,i->ij", delta(n), a))
    .when(one_axis(n), nonzero(a))
    .noted("diag(a) is invertible if no entry of a is 0.", cite="the inverse of a diagonal matrix"),
    invertible_inverse=invertible(inv(a)).noted(cite="the inverse of an inverse"),
    invertible_transpose=invertible(a.T).when(invertible(a)),
    invertible_product=invertible(ein(s, a, b))
    .when(invertible(a), invertible(b), is_matrix_product(s))
    .noted(cite="the inverse of a product"),
    invertible_multiple=invertible(c * a)
    .when(invertible(a), c != 0)
    .noted(cite="the inverse of a multiple"),
    invertible_is_invertible_almost=invertible_almost(a)
    .when(invertible(a))
    .noted(
        "What is invertible is so, exceptions apart.", cite="a set without values has no interior"
    ),
    square_variable_is_invertible=invertible_almost(declared(X))
    .when(is_square(X[1]), is_seldom_singular(X))
    .noted(
        "A square variable is invertible, exceptions apart.",
        cite="a polynomial that is not 0, such as det X, has zeros without interior",
    ),
    transpose_invertible_almost=invertible_almost(a.T).when(invertible_almost(a)),
    product_invertible_almost=invertible_almost(ein(s, a, b))
    .when(invertible_almost(a), invertible_almost(b), is_matrix_product(s))
    .noted("So is a·b if a and b are.", cite="the inverse of a product"),
    multiple_invertible_almost=invertible_almost(c * a)
    .when(invertible_almost(a), c != 0)
    .noted(cite="the inverse of a multiple"),
    nonzero_determinant=nonzero_almost(det(a))
    .when(invertible_almost(a))
    .noted(
        "det a ≠ 0 for an invertible a, exceptions apart.",
        cite="a determinant is 0 where a matrix is singular",
    ),
    positive_determinant=positive(det(declared(X)))
    .when(is_declared(X, "positive definite"))
    .noted(cite="the product of eigenvalues, which are positive"),
)


# Domains -----------------------------------------------------------------------------------

domains = Ruleset(
    "domains",
    "what has to hold for a term to be defined, exceptions apart",
    "none: they are asked of given terms alone",
)


domains.state(
    "real powers",
    comparison_needs_first=total(a)
    .when(defined(f(a, b)), f.is_test)
    .noted(
        "A comparison says something of its operands where the first one is defined.",
        cite="NumPy: a comparison with what is undefined is false",
    ),
    comparison_needs_second=total(b)
    .when(defined(f(a, b)), f.is_test)
    .noted(
        "A comparison says something of its operands where the second one is defined.",
        cite="NumPy: a comparison with what is undefined is false",
    ),
    logarithm_needs=positive(a)
    .when(defined(log(a)))
    .noted("log a is defined for a > 0.", cite="Abramowitz, Stegun 1964, section 4.1"),
    root_needs=nonnegative(a)
    .when(defined(a**p), ~is_integer(p), p > 0)
    .noted("aᵖ is defined for a ≥ 0, where p is a positive fraction."),
    negative_root_needs=positive(a)
    .when(defined(a**p), ~is_integer(p), p < 0)
    .noted("aᵖ is defined for a > 0, where p is a negative fraction."),
    any_power_needs=positive(a)
    .when(defined(a**b), is_no_number(b))
    .noted("aᵇ is defined for a > 0, but for integers b, where b is no number."),
    negative_power_needs=nonzero(a)
    .when(defined(a**p), p < 0)
    .noted("aᵖ is defined for a ≠ 0, where p is negative."),
    quotient_needs=nonzero(b)
    .when(defined(a / b))
    .noted("a / b is defined for b ≠ 0.", cite="definition of the quotient"),
    inverse_function_needs=within_one(a)
    .when(defined(f(a)), f.domain == (-1, 1))
    .noted(
        "arcsin a and arccos a are defined for a between -1 and 1.",
        cite="Abramowitz, Stegun 1964, section 4.4",
    ),
    inverse_needs=invertible(a)
    .when(defined(inv(a)))
    .noted("a⁻¹ is defined for an invertible a.", cite="definition of the inverse"),
    adjugate_may_need=invertible(a)
    .when(defined(adj(a)))
    .noted(
        "adj a is det a·a⁻¹ for an invertible a; the others have no interior.",
        cite="The Matrix Cookbook, equation 146",
    ),
)


# Ties --------------------------------------------------------------------------------------

ties = Ruleset(
    "ties",
    "where a function jumps: terms that are equal elsewhere may differ there",
    "none: they are asked of given terms alone",
)


ties.state(
    "definition of the function",
    sign_jumps=nonzero(a).when(defined(sign(a))).noted("The sign of a jumps at a = 0."),
    choice_jumps=nonzero(d)
    .when(defined(where(d, a, b)))
    .noted("A choice by d jumps at d = 0.", cite="definition of the choice"),
    comparison_jumps=nonzero(a - b)
    .when(defined(f(a, b)), f.is_test, a != 0, b != 0)
    .noted("A comparison of a and b jumps at a = b."),
    comparison_with_zero_jumps=nonzero(a)
    .when(defined(f(a, const(0, n))), f.is_test)
    .noted("A comparison of a and 0 jumps at a = 0."),
    comparison_of_zero_jumps=nonzero(a)
    .when(defined(f(const(0, n), a)), f.is_test)
    .noted("A comparison of 0 and a jumps at a = 0."),
    rounding_jumps=nonzero(a - floor(a))
    .when(defined(f(a)), jumps_at_integers(f))
    .noted("⌊a⌋ and ⌈a⌉ jump at integers."),
    pseudoinverse_jumps=invertible(a)
    .when(defined(of_each("pseudoinverse", a)), is_square(dims(a)))
    .noted(
        "The pseudoinverse of a square matrix jumps where it is singular.",
        cite="Stewart 1977, On the perturbation of pseudo-inverses",
    ),
)
