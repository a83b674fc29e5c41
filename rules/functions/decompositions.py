"""Eigenvalues, singular values, Cholesky's factor and the exponential of a matrix, for comparing.

What is decomposed is put together again, and what sums of its parts are is said by the matrix.
"""

from eggrad.rules.notation import *

GOLUB = "Golub, Van Loan 2013, Matrix Computations"
HIGHAM_2008 = "Higham 2008, Functions of Matrices"
HORN = "Horn, Johnson 2013, Matrix Analysis"

decompositions = Ruleset(
    "decompositions",
    "matrices and what they are decomposed into, for comparing",
    "none: ended by the budget of its stage",
)

EIGENVALUES, EIGENVECTORS = of_each("eigenvalues", a), of_each("eigenvectors", a)
SINGULAR_VALUES = of_each("singular_values", a)
LEFT, RIGHT = of_each("left_singular_vectors", a), of_each("right_singular_vectors", a)
FACTOR = of_each("cholesky", a)
ORTHONORMAL = of_each("orthonormal_factor", a)
EXPONENTIAL = of_each("matrix_exponential", a)


decompositions.state(
    f"{HORN}, section 2.5",
    sum_of_eigenvalues=(ein1("i->", EIGENVALUES) >> ein1("ii->", a)).noted(
        "The sum of the eigenvalues is the trace.", cite=f"{HORN}, section 1.2"
    ),
    sum_of_squared_eigenvalues=(ein("i,i->", EIGENVALUES, EIGENVALUES) >> ein("ij,ij->", a, a))
    .when(symmetric(a))
    .noted("The sum of the squared eigenvalues is that of the squared entries, for a symmetric a."),
    sum_of_reciprocal_eigenvalues=(ein1("i->", EIGENVALUES**-1) >> ein1("ii->", inv(a)))
    .when(symmetric(a))
    .noted("The sum of 1/λ over the eigenvalues λ is the trace of a⁻¹, for a symmetric a."),
    sum_of_logarithms_of_eigenvalues=(ein1("i->", log(EIGENVALUES)) >> logabsdet(a))
    .when(definite(a))
    .noted(
        "The sum of the logarithms of the eigenvalues is log det a, for a positive definite a.",
        cite=f"{HORN}, section 1.2",
    ),
    sum_of_logarithms_of_moduli=(ein1("i->", log(abs(EIGENVALUES))) >> logabsdet(a))
    .when(symmetric(a))
    .noted(
        "The sum of log |λ| over the eigenvalues λ is log |det a|, for a symmetric a.",
        cite=f"{HORN}, section 1.2",
    ),
    eigenvalues_of_shifted=(
        of_each("eigenvalues", a + ein(",ij->ij", b, delta(n)))
        >> EIGENVALUES + ein(",n->n", b, const(1, n))
    )
    .when(one_axis(n))
    .noted("The eigenvalues of a + b·δ are those of a, with b added.", cite=f"{HORN}, section 1.1"),
    eigenvalues_beside_multiple=(
        of_each("eigenvalues", a + c * delta(n)) >> EIGENVALUES + const(c, n)
    )
    .when(one_axis(n))
    .noted("The eigenvalues of a + c·δ are those of a, with c added.", cite=f"{HORN}, section 1.1"),
    eigenvalues_beside_identity=(of_each("eigenvalues", a + delta(n)) >> EIGENVALUES + const(1, n))
    .when(one_axis(n))
    .noted("The eigenvalues of a + δ are those of a, with 1 added.", cite=f"{HORN}, section 1.1"),
    eigenvalues_of_multiple=(of_each("eigenvalues", c * a) >> c * EIGENVALUES)
    .when(c > 0)
    .noted("The eigenvalues of c·a are c times those of a, in the same order for c > 0."),
    eigenvalues_of_scaled=(
        of_each("eigenvalues", ein(",ij->ij", b, a)) >> ein(",i->i", b, EIGENVALUES)
    )
    .when(nonnegative(b))
    .noted("The eigenvalues of b·a are b times those of a, in the same order for b ≥ 0."),
    spectral_decomposition=(
        ein("ij,kj->ik", ein("ij,j->ij", EIGENVECTORS, EIGENVALUES), EIGENVECTORS) >> a
    )
    .when(symmetric(a))
    .noted("v·diag(λ)·v' = a, for the eigenvectors v and eigenvalues λ of a symmetric a."),
    eigenvectors_times_matrix=(
        ein("ij,jk->ik", a, EIGENVECTORS) >> ein("ij,j->ij", EIGENVECTORS, EIGENVALUES)
    )
    .when(symmetric(a))
    .noted("a·v = v·diag(λ), for the eigenvectors v and eigenvalues λ of a symmetric a."),
    eigenvectors_are_orthonormal=(
        ein("ij,ik->jk", EIGENVECTORS, EIGENVECTORS) >> delta(dims(a)[-1:])
    ).noted("v'·v = δ, for the eigenvectors v."),
    rows_of_eigenvectors=(
        ein("ij,kj->ik", EIGENVECTORS, EIGENVECTORS) >> delta(dims(a)[-1:])
    ).noted("v·v' = δ, for the eigenvectors v."),
)

decompositions.state(
    f"{HORN}, section 2.6",
    sum_of_squared_singular_values=(
        ein("i,i->", SINGULAR_VALUES, SINGULAR_VALUES) >> ein("ij,ij->", a, a)
    ).noted("The sum of the squared singular values is that of the squared entries."),
    sum_of_singular_values=(ein1("i->", SINGULAR_VALUES) >> ein1("ii->", a))
    .when(semidefinite(a), is_square(dims(a)))
    .noted("The singular values of a positive semidefinite matrix are its eigenvalues."),
    sum_of_logarithms_of_singular_values=(ein1("i->", log(SINGULAR_VALUES)) >> logabsdet(a))
    .when(is_square(dims(a)))
    .noted("Σ log σ = log |det a|, over the singular values σ of a square matrix."),
    singular_values_of_transpose=(of_each("singular_values", a.T) >> SINGULAR_VALUES).noted(
        "A matrix and its transpose have the same singular values."
    ),
    singular_values_of_multiple=(
        of_each("singular_values", c * a) >> magnitude(c) * SINGULAR_VALUES
    ).noted("The singular values of c·a are |c| times those of a."),
    singular_value_decomposition=(
        ein("ij,kj->ik", ein("ij,j->ij", LEFT, SINGULAR_VALUES), RIGHT) >> a
    ).noted("u·diag(σ)·v' = a, for the singular vectors and values of a."),
    left_singular_vectors_are_orthonormal=(
        ein("ij,ik->jk", LEFT, LEFT) >> delta(dims(SINGULAR_VALUES))
    ).noted("u'·u = δ, for the left singular vectors u."),
    right_singular_vectors_are_orthonormal=(
        ein("ij,ik->jk", RIGHT, RIGHT) >> delta(dims(SINGULAR_VALUES))
    ).noted("v'·v = δ, for the right singular vectors v."),
    orthonormal_factor_is_orthonormal=(
        ein("ij,ik->jk", ORTHONORMAL, ORTHONORMAL) >> delta(dims(a)[-1:])
    ).noted("q'·q = δ, for the factor q of a = q·r.", cite=f"{GOLUB}, section 5.2"),
)

decompositions.state(
    f"{GOLUB}, section 4.2",
    product_of_factors=(ein("ij,kj->ik", FACTOR, FACTOR) >> a)
    .when(definite(a))
    .noted("l·l' = a, for Cholesky's factor l of a positive definite a."),
    product_of_inverted_factors=(ein("ij,ik->jk", inv(FACTOR), inv(FACTOR)) >> inv(a))
    .when(definite(a))
    .noted("(l⁻¹)'·l⁻¹ = a⁻¹, for Cholesky's factor l of a positive definite a."),
    determinant_of_factor=(det(FACTOR) >> det(a) ** HALF)
    .when(definite(a))
    .noted("det l = (det a)^½, for Cholesky's factor l of a positive definite a."),
    determinant_by_factor=(ein1("i->", log(ein1("ii->i", FACTOR))) >> HALF * logabsdet(a))
    .when(definite(a))
    .noted("Σ log lᵢᵢ = log(det a)/2, for Cholesky's factor l of a positive definite a."),
)

decompositions.state(
    f"{HIGHAM_2008}, section 10.1",
    determinant_of_exponential=(det(EXPONENTIAL) >> exp(ein1("ii->", a))).noted(
        "The determinant of the exponential is the exponential of the trace."
    ),
    logarithm_of_exponential=(logabsdet(EXPONENTIAL) >> ein1("ii->", a)).noted(
        "The logarithm of the determinant of the exponential is the trace."
    ),
    inverse_of_exponential=(inv(EXPONENTIAL) >> of_each("matrix_exponential", -1 * a)).noted(
        "The inverse of the exponential of a is that of -a."
    ),
    exponential_times_inverse=(
        ein(s, EXPONENTIAL, of_each("matrix_exponential", -1 * a)) >> delta(dims(a)[-1:])
    )
    .when(is_matrix_product(s))
    .noted("The exponential of a times that of -a is δ."),
    exponential_of_transpose=(of_each("matrix_exponential", a.T) >> EXPONENTIAL.T)
    .when(is_matrix(dims(a)))
    .noted("The exponential of a' is the transposed one of a."),
)
