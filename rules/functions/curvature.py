"""How a tensor depends on some variables, entry by entry: constant, affine, convex, concave.

A function is convex where it is defined, which is a convex set: what these facts conclude has a
convex domain if its operands have. Of the variables of a question it is assumed that they are
affine, of all others that they are constant.
"""

from eggrad.engine.normal_forms.squares import sums_of_squares
from eggrad.rules.notation import *

BOYD = "Boyd, Vandenberghe 2004, Convex Optimization"

COMPOSITION = f"{BOYD}, section 3.2.4"

curvature = Ruleset(
    "curvature",
    "what is known of how an e-class depends on some variables: convex, concave, affine, constant",
    "none: an e-class has each property once",
)

# Constant.

curvature.state(
    "it contains no variable of the question",
    constant_number=constant(const(c, n)),
    constant_array=constant(array(E)),
    constant_delta=constant(delta(n)),
    constant_indicator=constant(indicator(n, P)),
    constant_size=constant(size(i)),
    constant_selection=constant(selection(n, a)).when(constant(a)),
    constant_function=constant(f(a))
    .when(constant(a))
    .noted("A function of what is constant is constant."),
    constant_function_of_two=constant(f(a, b))
    .when(constant(a), constant(b))
    .noted("A function of two constant operands is constant."),
    constant_choice=constant(where(d, a, b)).when(constant(d), constant(a), constant(b)),
    constant_extreme=constant(extreme(f, s, a))
    .when(constant(a))
    .noted("The greatest and the least entries of what is constant are constant."),
    constant_sum=constant(a + b).when(constant(a), constant(b)),
    constant_multiple=constant(c * a).when(constant(a)),
    constant_quotient=constant(a / b).when(constant(a), constant(b)),
    constant_power=constant(a**b).when(constant(a), constant(b)),
    constant_product=constant(ein(s, a, b)).when(constant(a), constant(b)),
    constant_entries=constant(ein1(s, a))
    .when(constant(a))
    .noted("Entries and sums of entries of what is constant are constant."),
    constant_inverse=constant(inv(a)).when(constant(a)),
    constant_determinant=constant(det(a)).when(constant(a)),
)

# Affine.

curvature.state(
    f"{BOYD}, section 2.3.2",
    constant_is_affine=affine(a).when(constant(a)),
    affine_sum=affine(a + b).when(affine(a), affine(b)),
    affine_multiple=affine(c * a).when(affine(a)),
    affine_product=affine(ein(s, a, b)).when(affine(a), constant(b)),
    affine_entries=affine(ein1(s, a))
    .when(affine(a))
    .noted("Entries and sums of entries of what is affine are affine."),
    affine_quotient=affine(a / b).when(affine(a), constant(b)),
    affine_choice=affine(where(d, a, b)).when(constant(d), affine(a), affine(b)),
)

# Convex and concave: sums, multiples, extremes.

curvature.state(
    f"{BOYD}, section 3.2.1",
    affine_is_convex=convex(a).when(affine(a)),
    affine_is_concave=concave(a).when(affine(a)),
    convex_both_ways=affine(a).when(convex(a), concave(a)).noted(cite="definition"),
    convex_sum=convex(a + b).when(convex(a), convex(b)),
    concave_sum=concave(a + b).when(concave(a), concave(b)),
    convex_multiple=convex(c * a).when(convex(a), c >= 0),
    concave_multiple=concave(c * a).when(concave(a), c >= 0),
    multiple_of_concave=convex(c * a).when(concave(a), c <= 0),
    multiple_of_convex=concave(c * a).when(convex(a), c <= 0),
    part_of_convex_multiple=convex(a).when(convex(c * a), c > 0),
    part_of_concave_multiple=concave(a).when(concave(c * a), c > 0),
    part_of_convex_opposite=concave(a).when(convex(c * a), c < 0),
    part_of_concave_opposite=convex(a).when(concave(c * a), c < 0),
    convex_product=convex(ein(s, a, b)).when(convex(a), constant(b), nonnegative(b)),
    concave_product=concave(ein(s, a, b)).when(concave(a), constant(b), nonnegative(b)),
    product_of_concave=convex(ein(s, a, b)).when(concave(a), constant(b), nonpositive(b)),
    product_of_convex=concave(ein(s, a, b)).when(convex(a), constant(b), nonpositive(b)),
    convex_entries=convex(ein1(s, a))
    .when(convex(a))
    .noted("Entries and sums of entries of what is convex are convex."),
    concave_entries=concave(ein1(s, a))
    .when(concave(a))
    .noted("Entries and sums of entries of what is concave are concave."),
    convex_quotient=convex(a / b).when(convex(a), constant(b), positive(b)),
    concave_quotient=concave(a / b).when(concave(a), constant(b), positive(b)),
    convex_choice=convex(where(d, a, b)).when(constant(d), convex(a), convex(b)),
    concave_choice=concave(where(d, a, b)).when(constant(d), concave(a), concave(b)),
    convex_of_affine_two=convex(f(a, b))
    .when(f.curvature == "convex", affine(a), affine(b))
    .noted("A convex function of two affine operands is convex."),
    concave_of_affine_two=concave(f(a, b))
    .when(f.curvature == "concave", affine(a), affine(b))
    .noted("A concave function of two affine operands is concave."),
    convex_maximum=convex(maximum(a, b))
    .when(convex(a), convex(b))
    .noted(cite=f"{BOYD}, section 3.2.3"),
    concave_minimum=concave(minimum(a, b))
    .when(concave(a), concave(b))
    .noted(cite=f"{BOYD}, section 3.2.3"),
    convex_extreme=convex(extreme("max", s, a))
    .when(convex(a))
    .noted(cite=f"{BOYD}, section 3.2.3"),
    concave_extreme=concave(extreme("min", s, a))
    .when(concave(a))
    .noted(cite=f"{BOYD}, section 3.2.3"),
)

# Functions of one entry.

curvature.state(
    COMPOSITION,
    convex_of_affine=convex(f(a))
    .when(f.curvature == "convex", affine(a))
    .noted("A convex function of what is affine is convex."),
    concave_of_affine=concave(f(a))
    .when(f.curvature == "concave", affine(a))
    .noted("A concave function of what is affine is concave."),
    convex_of_convex=convex(f(a))
    .when(f.curvature == "convex", f.monotone == "increasing", convex(a))
    .noted("A convex function that never falls, of what is convex, is convex."),
    concave_of_concave=concave(f(a))
    .when(f.curvature == "concave", f.monotone == "increasing", concave(a))
    .noted("A concave function that never falls, of what is concave, is concave."),
    convex_of_concave=convex(f(a))
    .when(f.curvature == "convex", f.monotone == "decreasing", concave(a))
    .noted("A convex function that never rises, of what is concave, is convex."),
    concave_of_convex=concave(f(a))
    .when(f.curvature == "concave", f.monotone == "decreasing", convex(a))
    .noted("A concave function that never rises, of what is convex, is concave."),
    power_of_affine=convex(a**p)
    .when(affine(a), p >= 1, ~is_integer(p))
    .noted("aᵖ is convex if a is affine, for a p > 1 that is no integer."),
    power_of_convex=convex(a**p).when(convex(a), nonnegative(a), p >= 1),
    root_of_concave=concave(a**p)
    .when(concave(a), p > 0, p <= 1, ~is_integer(p))
    .noted("aᵖ is concave if a is, for 0 < p < 1."),
    negative_power=convex(a**p).when(concave(a), nonnegative(a), p < 0),
    negative_root=convex(a**p)
    .when(concave(a), p < 0, ~is_integer(p))
    .noted("aᵖ is convex if a is concave, for a p < 0 that is no integer."),
    entropy=convex(ein(s, a, log(a)))
    .when(affine(a), s[0] == s[1])
    .noted("a·log a is convex if a is affine, entry by entry or summed."),
)

# Squares of norms, whose roots are convex.

curvature.state(
    COMPOSITION,
    quadratic_over_linear=convex(ein(s, a, a) / b)
    .when(affine(a), concave(b), nonnegative(b), s[0] == s[1])
    .noted(
        "a² / b is convex if a is affine, b is concave and b ≥ 0, for a² entry by entry or summed."
    ),
    square_of_norm=root_convex(ein(s, a, a))
    .when(affine(a), s[0] == s[1])
    .noted("a² is root-convex if a is affine, entry by entry or summed."),
    square_of_norm_of_convex=root_convex(ein(s, a, a))
    .when(convex(a), nonnegative(a), s[0] == s[1])
    .noted("a² is root-convex if a is convex and a ≥ 0, entry by entry or summed."),
    square_of_norm_by_matrix=root_convex(ein(s, ein(t, a, b), a))
    .when(affine(a), constant(b), semidefinite(b), is_quadratic_form(t, s))
    .noted("a'·b·a is root-convex if a is affine, b is constant and b is positive semidefinite."),
    even_power_of_norm=root_convex(a**p)
    .when(affine(a), is_even_power(p), p > 0)
    .noted("aᵖ is root-convex if a is affine, for an even p > 0."),
    power_of_norm=root_convex(a**p).when(convex(a), nonnegative(a), p >= 2),
    root_convex_constant=root_convex(a).when(constant(a), nonnegative(a)),
    root_convex_sum=root_convex(a + b).when(root_convex(a), root_convex(b)),
    root_convex_multiple=root_convex(c * a).when(root_convex(a), c >= 0),
    root_convex_product=root_convex(ein(s, a, b)).when(root_convex(a), constant(b), nonnegative(b)),
    root_convex_entries=root_convex(ein1(s, a))
    .when(root_convex(a))
    .noted("Entries and sums of entries of what is root-convex are root-convex."),
    root_convex_quotient=root_convex(a / b).when(root_convex(a), constant(b), nonnegative(b)),
    root_convex_is_convex=convex(a).when(root_convex(a)),
    convex_root=convex(a**p).when(root_convex(a), p >= HALF),
)

# Logarithms of sums.

curvature.state(
    f"{BOYD}, section 3.5",
    log_convex_exponential=log_convex(exp(a)).when(convex(a)),
    log_convex_constant=log_convex(a).when(constant(a), positive(a)),
    log_convex_sum=log_convex(a + b).when(log_convex(a), log_convex(b)),
    log_convex_multiple=log_convex(c * a).when(log_convex(a), c > 0),
    log_convex_product=log_convex(ein(s, a, b)).when(log_convex(a), log_convex(b)),
    log_convex_entries=log_convex(ein1(s, a))
    .when(log_convex(a))
    .noted("Entries and sums of entries of what is log-convex are log-convex."),
    log_convex_power=log_convex(a**p).when(log_convex(a), p > 0),
    log_convex_reciprocal=log_convex(a**p).when(concave(a), nonnegative(a), p < 0),
    log_convex_quotient=log_convex(a / b).when(log_convex(a), log_concave(b)),
    reciprocal_of_log_concave=log_convex(a**p).when(log_concave(a), p < 0),
    log_convex_is_convex=convex(a).when(log_convex(a)),
    convex_logarithm=convex(log(a)).when(log_convex(a)),
    log_concave_exponential=log_concave(exp(a)).when(concave(a)),
    log_concave_positive=log_concave(a).when(concave(a), positive(a)),
    log_concave_multiple=log_concave(c * a).when(log_concave(a), c > 0),
    log_concave_product=log_concave(ein(s, a, b))
    .when(log_concave(a), log_concave(b), sums_nothing(s))
    .noted("a·b is log-concave if a and b are, where nothing is summed."),
    log_concave_power=log_concave(a**p).when(log_concave(a), p > 0),
    reciprocal_of_log_convex=log_concave(a**p).when(log_convex(a), p < 0),
    log_concave_quotient=log_concave(a / b).when(log_concave(a), log_convex(b)),
    concave_logarithm=concave(log(a)).when(log_concave(a)),
)

# Determinants, inverses and eigenvalues.

curvature.state(
    f"{BOYD}, section 3.1.5",
    concave_log_determinant=concave(log(det(a))).when(affine(a), definite(a)),
    matrix_fractional=convex(ein(s, ein(t, b, inv(a)), b))
    .when(affine(b), affine(a), definite(a), is_quadratic_form(t, s))
    .noted("b'·a⁻¹·b is convex if b is affine, a is affine and a is positive definite."),
    greatest_eigenvalue=convex(extreme("max", s, of_each("eigenvalues", a)))
    .when(affine(a), s[1] == ())
    .noted("The greatest eigenvalue of what is affine is convex."),
    least_eigenvalue=concave(extreme("min", s, of_each("eigenvalues", a)))
    .when(affine(a), s[1] == ())
    .noted("The least eigenvalue of what is affine is concave."),
    spectral_norm=convex(extreme("max", s, of_each("singular_values", a)))
    .when(affine(a), s[1] == ())
    .noted("The greatest singular value of what is affine is convex."),
    nuclear_norm=convex(ein1(s, of_each("singular_values", a)))
    .when(affine(a), s[1] == ())
    .noted("The sum of the singular values of what is affine is convex."),
    convex_trace_of_inverse=convex(ein1(s, inv(a)))
    .when(affine(a), definite(a), is_diagonal_of(s, dims(a)))
    .noted("The diagonal of a⁻¹, or its sum, is convex if a is affine and positive definite."),
)

squares = Ruleset(
    "sums_of_squares",
    "scalars as sums of squares",
    "none: what is asked about gets one e-node more",
)

squares.state(
    "fields of fractions",
    complement_of_reciprocal=(1 + -1 * (1 + a) ** -1) >> a * (1 + a) ** -1,
    complement_of_quotient=(1 + -1 * (b / (b + a))) >> a / (b + a),
)

squares.state(
    "Choi, Lam, Reznick 1995, Sums of squares of real polynomials",
    by_gram_matrix=Bulk(sums_of_squares).noted(
        "A sum of products is a sum of squares, if the matrix of its coefficients is positive "
        "semidefinite."
    ),
)
