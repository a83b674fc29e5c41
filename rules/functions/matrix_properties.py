"""What follows from the form of a matrix: symmetric, definite, diagonal, triangular, orthogonal.

Most of them are true in a space without interior alone, so only terms that nobody differentiates
any more are asked for them.
"""

from eggrad.rules.notation import *

HORN = "Horn, Johnson 2013, Matrix Analysis"

DEFINITE = f"{HORN}, chapter 7"

STRUCTURE = f"{HORN}, section 0.9"

matrix_properties = Ruleset(
    "matrix_properties",
    "what is known of matrices: symmetric, definite, diagonal, triangular, orthogonal",
    "none: an e-class has each property once",
)

# Declared.

matrix_properties.state(
    "declared",
    declared_symmetric=symmetric(declared(X)).when(is_declared(X, "symmetric")),
    declared_skew=skew(declared(X)).when(is_declared(X, "skew")),
    declared_lower=lower(declared(X)).when(is_declared(X, "lower triangular")),
    declared_upper=upper(declared(X)).when(is_declared(X, "upper triangular")),
    declared_diagonal=diagonal(declared(X)).when(is_declared(X, "diagonal")),
    declared_semidefinite=semidefinite(declared(X)).when(is_declared(X, "positive semidefinite")),
    declared_definite=definite(declared(X)).when(is_declared(X, "positive definite")),
    declared_orthogonal=orthogonal(declared(X)).when(is_declared(X, "orthogonal")),
    declared_integer=integer(declared(X)).when(is_declared(X, "integer")),
)

# Symmetric.

matrix_properties.state(
    f"{COOKBOOK}, equation 4",
    symmetric_constant=symmetric(const(c, n))
    .when(is_square(n))
    .noted("A square matrix of equal entries is symmetric.", cite="every entry is the same"),
    semidefinite_is_symmetric=symmetric(a).when(semidefinite(a)).noted(cite="definition"),
    diagonal_is_symmetric=symmetric(a).when(diagonal(a)).noted(cite="definition"),
    symmetric_transpose=symmetric(a.T).when(symmetric(a)),
    symmetric_sum=symmetric(a + b).when(symmetric(a), symmetric(b)),
    symmetric_part=symmetric(a + a.T).noted(cite=f"{HORN}, section 0.2"),
    symmetric_multiple=symmetric(c * a).when(symmetric(a)),
    symmetric_scaled=symmetric(ein(s, b, a))
    .when(symmetric(a), is_scaled(s))
    .noted("b·a is symmetric if a is, for a scalar b."),
    symmetric_entries=symmetric(a * b)
    .when(symmetric(a), symmetric(b))
    .noted(cite="entry by entry"),
    symmetric_function=symmetric(f(a)).when(symmetric(a)).noted(cite="entry by entry"),
    symmetric_power=symmetric(a**b).when(symmetric(a)).noted(cite="entry by entry"),
    symmetric_inverse=symmetric(inv(a)).when(symmetric(a)).noted(cite=f"{COOKBOOK}, equation 3"),
    symmetric_adjugate=symmetric(adj(a))
    .when(symmetric(a))
    .noted(cite="the cofactors of a transpose are those of the matrix, transposed"),
    symmetric_congruence=symmetric(ein(s, ein(t, b, a), b))
    .when(symmetric(a), is_congruence(t, s))
    .noted("b'·a·b is symmetric if a is.", cite=f"{HORN}, section 4.5"),
)

# Skew.

matrix_properties.state(
    f"{HORN}, section 0.2",
    skew_transpose=skew(a.T).when(skew(a)),
    skew_sum=skew(a + b).when(skew(a), skew(b)),
    skew_part=skew(a + -1 * a.T),
    skew_multiple=skew(c * a).when(skew(a)),
    skew_scaled=skew(ein(s, b, a))
    .when(skew(a), is_scaled(s))
    .noted("b·a is skew if a is, for a scalar b."),
    skew_function=skew(f(a))
    .when(skew(a), f.parity == "odd")
    .noted("f(a), entry by entry, is skew if a is and f is odd.", cite="entry by entry"),
    skew_inverse=skew(inv(a)).when(skew(a)).noted(cite=f"{COOKBOOK}, equation 3"),
    skew_congruence=skew(ein(s, ein(t, b, a), b))
    .when(skew(a), is_congruence(t, s))
    .noted("b'·a·b is skew if a is.", cite=f"{HORN}, section 4.5"),
)

# Triangular and diagonal.

matrix_properties.state(
    STRUCTURE,
    diagonal_is_lower=lower(a).when(diagonal(a)).noted(cite="definition"),
    lower_transpose=lower(a.T).when(upper(a)),
    lower_sum=lower(a + b).when(lower(a), lower(b)),
    lower_multiple=lower(c * a).when(lower(a)),
    lower_product=lower(a @ b).when(lower(a), lower(b)),
    lower_inverse=lower(inv(a)).when(lower(a)),
    diagonal_is_upper=upper(a).when(diagonal(a)).noted(cite="definition"),
    upper_transpose=upper(a.T).when(lower(a)),
    upper_sum=upper(a + b).when(upper(a), upper(b)),
    upper_multiple=upper(c * a).when(upper(a)),
    upper_product=upper(a @ b).when(upper(a), upper(b)),
    upper_inverse=upper(inv(a)).when(upper(a)),
    triangular_both_ways=diagonal(a).when(lower(a), upper(a)).noted(cite="definition"),
    diagonal_delta=diagonal(delta(n))
    .when(one_axis(n))
    .noted("δ is diagonal.", cite="definition of the delta"),
    diagonal_of_vector=diagonal(ein(s, delta(n), a))
    .when(one_axis(n), makes_diagonal(s))
    .noted("δ times a vector or a scalar is diagonal.", cite="definition of the delta"),
    diagonal_transpose=diagonal(a.T).when(diagonal(a)),
    diagonal_sum=diagonal(a + b).when(diagonal(a), diagonal(b)),
    diagonal_multiple=diagonal(c * a).when(diagonal(a)),
    diagonal_product=diagonal(ein(s, a, b)).when(diagonal(a), diagonal(b), is_matrix_product(s)),
    diagonal_entries=diagonal(a * b).when(diagonal(a), total(b)).noted(cite="entry by entry"),
    diagonal_function=diagonal(f(a))
    .when(diagonal(a), f.zero_at_zero_alone)
    .noted("f(a), entry by entry, is diagonal if a is and f(0) = 0.", cite="entry by entry"),
    diagonal_inverse=diagonal(inv(a)).when(diagonal(a)),
)

# Definite.

matrix_properties.state(
    DEFINITE,
    definite_is_semidefinite=semidefinite(a).when(definite(a)),
    semidefinite_gram=semidefinite(ein(s, a, a))
    .when(is_gram(s))
    .noted("a'·a is positive semidefinite."),
    semidefinite_congruence=semidefinite(ein(s, ein(t, b, a), b))
    .when(semidefinite(a), is_congruence(t, s))
    .noted("b'·a·b is positive semidefinite if a is."),
    semidefinite_sum=semidefinite(a + b).when(semidefinite(a), semidefinite(b)),
    semidefinite_multiple=semidefinite(c * a).when(semidefinite(a), c >= 0),
    semidefinite_scaled=semidefinite(ein(s, b, a))
    .when(semidefinite(a), nonnegative(b), is_scaled(s))
    .noted("b·a is positive semidefinite if a is, for a scalar b ≥ 0."),
    semidefinite_transpose=semidefinite(a.T).when(semidefinite(a)),
    semidefinite_entries=semidefinite(a * b)
    .when(semidefinite(a), semidefinite(b))
    .noted(cite="Schur 1911"),
    semidefinite_diagonal=semidefinite(ein(s, delta(n), a))
    .when(nonnegative(a), one_axis(n), makes_diagonal(s))
    .noted("A diagonal matrix of nonnegative entries is positive semidefinite."),
    nonnegative_diagonal=semidefinite(a).when(diagonal(a), nonnegative(a)),
    semidefinite_and_invertible=definite(a).when(semidefinite(a), invertible(a)),
    definite_is_invertible=invertible(a).when(definite(a)),
    definite_delta=definite(delta(n)).when(one_axis(n)).noted("δ is positive definite."),
    definite_sum=definite(a + b).when(definite(a), semidefinite(b)),
    definite_multiple=definite(c * a).when(definite(a), c > 0),
    definite_scaled=definite(ein(s, b, a))
    .when(definite(a), positive(b), is_scaled(s))
    .noted("b·a is positive definite if a is, for a scalar b > 0."),
    definite_inverse=definite(inv(a)).when(semidefinite(a)),
    definite_adjugate=definite(adj(a)).when(definite(a)),
    definite_transpose=definite(a.T).when(definite(a)),
    definite_entries=definite(a * b).when(definite(a), definite(b)).noted(cite="Schur 1911"),
    definite_gram=definite(ein(s, a, a))
    .when(invertible(a), is_gram(s))
    .noted("a'·a is positive definite if a is invertible."),
    definite_congruence=definite(ein(s, ein(t, b, a), b))
    .when(definite(a), invertible(b), is_congruence(t, s))
    .noted("b'·a·b is positive definite if a is, for an invertible b."),
    definite_diagonal=definite(ein(s, delta(n), a))
    .when(positive(a), one_axis(n), makes_diagonal(s))
    .noted("A diagonal matrix of positive entries is positive definite."),
)

# Bounds by eigenvalues.

EIGENVALUES = of_each("eigenvalues", a)
OF_ALL = ((0,), ())

matrix_properties.state(
    f"{HORN}, section 4.2",
    below_greatest_eigenvalue=semidefinite(
        ein(",ij->ij", extreme("max", OF_ALL, EIGENVALUES), delta(n)) + -1 * a
    )
    .when(symmetric(a))
    .noted("λ·δ - a is positive semidefinite for the greatest eigenvalue λ of a symmetric a."),
    above_least_eigenvalue=semidefinite(
        a + -1 * ein(",ij->ij", extreme("min", OF_ALL, EIGENVALUES), delta(n))
    )
    .when(symmetric(a))
    .noted("a - λ·δ is positive semidefinite for the least eigenvalue λ of a symmetric a."),
    below_spectral_radius=semidefinite(
        ein(",ij->ij", extreme("max", OF_ALL, abs(EIGENVALUES)), delta(n)) + -1 * a
    )
    .when(symmetric(a))
    .noted("ρ·δ - a is positive semidefinite for the greatest |λ| = ρ of a symmetric a."),
    above_negative_spectral_radius=semidefinite(
        ein(",ij->ij", extreme("max", OF_ALL, abs(EIGENVALUES)), delta(n)) + a
    )
    .when(symmetric(a))
    .noted("ρ·δ + a is positive semidefinite for the greatest |λ| = ρ of a symmetric a."),
    below_squared_length=semidefinite(
        ein(",ij->ij", ein("i,i->", a, a), delta(n)) + -1 * ein("i,j->ij", a, a)
    ).noted("(a'·a)·δ - a·a' is positive semidefinite for a vector a.", cite="Cauchy 1821"),
)

# Orthogonal.

matrix_properties.state(
    f"{HORN}, section 2.1",
    orthogonal_is_invertible=invertible(a).when(orthogonal(a)),
    orthogonal_delta=orthogonal(delta(n)).when(one_axis(n)).noted("δ is orthogonal."),
    orthogonal_transpose=orthogonal(a.T).when(orthogonal(a)),
    orthogonal_inverse=orthogonal(inv(a)).when(orthogonal(a)),
    orthogonal_product=orthogonal(ein(s, a, b)).when(
        orthogonal(a), orthogonal(b), is_matrix_product(s)
    ),
    orthogonal_negative=orthogonal(c * a)
    .when(orthogonal(a), is_unit(c))
    .noted("-a is orthogonal if a is."),
)

# Signs of scalars.

matrix_properties.state(
    "the product of eigenvalues",
    nonnegative_quadratic_form=nonnegative(ein(s, ein(t, b, a), b))
    .when(semidefinite(a), is_quadratic_form(t, s))
    .noted("b'·a·b ≥ 0 for a positive semidefinite a.", cite="definition"),
    nonnegative_diagonal_entries=nonnegative(ein1(s, a))
    .when(semidefinite(a), is_diagonal_of(s, dims(a)))
    .noted(
        "The diagonal of a positive semidefinite matrix is nonnegative, and so is its trace.",
        cite=DEFINITE,
    ),
    positive_diagonal_entries=positive(ein1("ii->i", a)).when(definite(a)).noted(cite=DEFINITE),
    nonnegative_trace_of_product=nonnegative(ein(s, a, b))
    .when(semidefinite(a), semidefinite(b), is_trace_of_product(s))
    .noted("tr(a·b) ≥ 0 for positive semidefinite matrices.", cite=f"{HORN}, section 7.5"),
    nonnegative_determinant=nonnegative(det(a)).when(semidefinite(a)),
    determinant_of_definite=positive(det(a)).when(definite(a)),
    determinant_of_definite_product=positive(det(ein(s, a, b)))
    .when(definite(a), definite(b), is_matrix_product(s))
    .noted("det(a·b) > 0 for positive definite matrices."),
    determinant_of_skew=nonnegative(det(a))
    .when(skew(a))
    .noted(cite="Cayley 1849: the square of the Pfaffian"),
)

# Integers and probabilities.

matrix_properties.state(
    "the ring of integers",
    integer_constant=integer(const(c, n))
    .when(is_integer(c))
    .noted("A constant is an integer if its number is.", cite=ORDER),
    integer_indicator=integer(indicator(n, P)).noted(
        "An indicator is 0 or 1.", cite="definition of an indicator"
    ),
    integer_delta=integer(delta(n)).noted(cite="definition of the delta"),
    integer_size=integer(size(i)).noted("A size is an integer.", cite="a size is a count"),
    integer_selection=integer(selection(n, a)).noted(cite="definition of a selection"),
    integer_argsort=integer(argsort(j, a)).noted("Places are integers.", cite="places are counted"),
    integer_sum=integer(a + b).when(integer(a), integer(b)),
    integer_difference=integer(a - b).when(integer(a), integer(b)),
    integer_negative=integer(-a).when(integer(a)),
    integer_choice=integer(where(d, a, b))
    .when(integer(a), integer(b))
    .noted(cite="definition of the choice"),
    integer_test=integer(f(a))
    .when(f.is_test)
    .noted("A test is 1 or 0.", cite="definition of the function"),
    integer_comparison=integer(f(a, b))
    .when(f.is_test)
    .noted("A comparison is 1 or 0.", cite="definition of the function"),
    integer_product=integer(ein(s, a, b))
    .when(integer(a), integer(b))
    .noted("A product, summed or not, is an integer if its factors are."),
    integer_multiple=integer(c * a)
    .when(integer(a), is_integer(c))
    .noted("c·a is an integer if c and a are."),
    integer_entries=integer(ein1(s, a))
    .when(integer(a))
    .noted("Entries of integers, and sums of them, are integers."),
    integer_power=integer(a**p)
    .when(integer(a), is_integer(p), p >= 0)
    .noted("aᵖ is an integer if a is, for a natural p."),
    integer_function=integer(f(a))
    .when(is_integer_valued(f))
    .noted("⌊a⌋, ⌈a⌉ and signs are integers.", cite="definition of the function"),
    function_of_integer=integer(f(a))
    .when(integer(a), keeps_integers(f))
    .noted("|a| and relu a are integers if a is.", cite="definition of the function"),
    function_of_integers=integer(f(a, b))
    .when(integer(a), integer(b), keeps_integers(f))
    .noted(
        "The maximum and the minimum of a and b are integers if both are.",
        cite="definition of the function",
    ),
    integer_determinant=integer(det(a)).when(integer(a)).noted(cite="Leibniz formula"),
    declared_probability=probability(declared(X))
    .when(is_declared(X, "probability"))
    .noted(
        "The entries of a variable that is declared a probability are, together.", cite="declared"
    ),
    probability_is_nonnegative=nonnegative(a).when(probability(a)).noted(cite="definition"),
    probability_at_most_one=at_most_one(a).when(probability(a)).noted(cite="definition"),
)

# Signs, such as labels.

matrix_properties.state(
    "definition",
    declared_signs=of_signs(declared(X)).when(is_declared(X, "signs")).noted(cite="declared"),
    signs_are_integers=integer(a).when(of_signs(a)),
    signs_are_not_zero=nowhere_zero(a).when(of_signs(a)),
    signs_are_within_one=within_one(a).when(of_signs(a)),
    signs_of_product=of_signs(ein(s, a, b))
    .when(of_signs(a), of_signs(b), sums_nothing(s))
    .noted("a·b is 1 or -1 if both a and b are, where nothing is summed."),
    signs_of_entries=of_signs(ein1(s, a)).when(of_signs(a), sums_nothing(s)),
    signs_of_multiple=of_signs(c * a).when(of_signs(a), is_unit(c)).noted("-a is 1 or -1 if a is."),
    signs_of_sign=of_signs(sign(a))
    .when(nowhere_zero(a))
    .noted("The sign of what is nowhere 0 is 1 or -1."),
)

# Decompositions.

matrix_properties.state(
    DEFINITE,
    positive_eigenvalues=positive(of_each("eigenvalues", a)).when(definite(a)),
    nonnegative_eigenvalues=nonnegative(of_each("eigenvalues", a)).when(semidefinite(a)),
    nonnegative_singular_values=nonnegative(of_each("singular_values", a)).noted(
        "Singular values are at least 0.", cite="definition"
    ),
    orthogonal_eigenvectors=orthogonal(of_each("eigenvectors", a))
    .when(is_square(dims(a)))
    .noted("The eigenvectors are orthogonal, and their length is 1.", cite="definition"),
    invertible_factor=invertible(of_each("cholesky", a)).when(definite(a)),
    positive_diagonal_of_factor=positive(ein1("ii->i", of_each("cholesky", a)))
    .when(definite(a))
    .noted("The diagonal of Cholesky's factor is positive."),
    invertible_exponential=invertible(of_each("matrix_exponential", a))
    .when(is_square(dims(a)))
    .noted("The exponential of a matrix is invertible.", cite="its inverse is that of -a"),
)
