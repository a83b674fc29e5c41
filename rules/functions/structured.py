"""Equalities that need the structure of a matrix: orthogonal, triangular, diagonal, skew.

They are thin: true at matrices of that structure alone, so nobody differentiates what they make.
"""

from eggrad.rules.notation import *

HORN = "Horn, Johnson 2013, Matrix Analysis"

structured = Ruleset(
    "structured",
    "what holds at matrices of some structure alone",
    "the number of functions, transposes and inverses",
)


structured.state(
    "definition",
    transpose_of_skew=(a.T >> -1 * a)
    .when(skew(a), is_square(dims(a)))
    .noted("a' = -a for what is skew.", domain="a skew", thin=True),
    diagonal_of_skew=(ein1(s, a) >> const(0, result_dims(s, dims(a))))
    .when(is_diagonal_of(s, dims(a)), skew(a))
    .noted("The diagonal of what is skew is 0, and so is the trace.", domain="a skew", thin=True),
    inverse_of_orthogonal=(inv(a) >> a.T)
    .when(orthogonal(a))
    .noted("a⁻¹ = a' for what is orthogonal.", domain="a orthogonal", thin=True),
)

structured.state(
    f"{HORN}, section 2.1",
    square_of_orthogonal_determinant=(det(a) ** 2 >> const(1, ()))
    .when(orthogonal(a))
    .noted("(det a)² = 1 for what is orthogonal.", domain="a orthogonal", thin=True),
    modulus_of_orthogonal_determinant=(abs(det(a)) >> const(1, ()))
    .when(orthogonal(a))
    .noted("|det a| = 1 for what is orthogonal.", domain="a orthogonal", thin=True),
    reciprocal_of_orthogonal_determinant=(det(a) ** -1 >> det(a))
    .when(orthogonal(a))
    .noted("(det a)⁻¹ = det a for what is orthogonal.", domain="a orthogonal", thin=True),
    logarithm_of_orthogonal_determinant=(logabsdet(a) >> const(0, ()))
    .when(orthogonal(a))
    .noted("log |det a| = 0 for what is orthogonal.", domain="a orthogonal", thin=True),
    product_with_transpose=(ein(s, a, a) >> delta(dims(a)[-1:]))
    .when(is_matrix_gram(s), orthogonal(a), is_square(dims(a)))
    .noted("a'·a = δ for what is orthogonal.", domain="a orthogonal", thin=True),
)

structured.state(
    "definition",
    sign_of_definite_determinant=(signdet(a) >> const(1, ()))
    .when(definite(a))
    .noted(
        "sign det a = 1 for what is positive definite.",
        domain="a positive definite",
        thin=True,
        cite="the product of eigenvalues",
    ),
    logarithm_of_definite_determinant=(log(det(a)) >> logabsdet(a))
    .when(definite(a))
    .noted(
        "log det a = log |det a| for what is positive definite.",
        domain="a positive definite",
        thin=True,
        cite="the product of eigenvalues",
    ),
)

structured.state(
    f"{HORN}, section 0.9",
    logarithm_of_lower_determinant=(logabsdet(a) >> ein1("i->", log(abs(ein1("ii->i", a)))))
    .when(lower(a))
    .noted(
        "log |det a| = Σ log |aᵢᵢ| for what is lower triangular.",
        domain="a lower triangular",
        thin=True,
    ),
    logarithm_of_upper_determinant=(logabsdet(a) >> ein1("i->", log(abs(ein1("ii->i", a)))))
    .when(upper(a))
    .noted(
        "log |det a| = Σ log |aᵢᵢ| for what is upper triangular.",
        domain="a upper triangular",
        thin=True,
    ),
    modulus_of_lower_determinant=(abs(det(a)) >> exp(ein1("i->", log(abs(ein1("ii->i", a))))))
    .when(lower(a), nonzero_almost(det(a)))
    .noted(
        "|det a| is the product of the moduli on the diagonal, for what is lower triangular.",
        domain="a lower triangular",
        thin=True,
    ),
    modulus_of_upper_determinant=(abs(det(a)) >> exp(ein1("i->", log(abs(ein1("ii->i", a))))))
    .when(upper(a), nonzero_almost(det(a)))
    .noted(
        "|det a| is the product of the moduli on the diagonal, for what is upper triangular.",
        domain="a upper triangular",
        thin=True,
    ),
)

structured.state(
    "definition",
    inverse_of_diagonal_matrix=(
        inv(a) >> ein("ij,i->ij", delta(dims(a)[-1:]), ein1("ii->i", a) ** -1)
    )
    .when(diagonal(a))
    .noted(
        "a⁻¹ has the reciprocals of the diagonal, for what is diagonal.",
        domain="a diagonal",
        thin=True,
    ),
    sum_of_probability=(ein1(s, a) >> const(1, ()))
    .when(is_total_sum(s), probability(a))
    .noted("Σ a = 1 for a probability.", domain="a a probability", thin=True),
    rounding_of_integer=(f(a) >> a)
    .when(rounds(f), integer(a))
    .noted(
        "⌊a⌋ = a for integers, and so with the other ways to round.",
        domain="a integer",
        thin=True,
        cite="definition of the function",
    ),
)

structured.state(
    "(±1)² = 1",
    even_power_of_signs=(a**p >> const(1, dims(a)))
    .when(is_even_power(p), of_signs(a))
    .noted("aᵖ = 1 for an even p, for signs.", domain="a signs", thin=True),
    odd_power_of_signs=(a**p >> a)
    .when(is_odd_power(p), of_signs(a))
    .noted("aᵖ = a for an odd p, for signs.", domain="a signs", thin=True),
    modulus_of_signs=(abs(a) >> const(1, dims(a)))
    .when(of_signs(a))
    .noted("|a| = 1 for signs.", domain="a signs", thin=True),
    sign_of_signs=(sign(a) >> a)
    .when(of_signs(a))
    .noted("sign a = a for signs.", domain="a signs", thin=True),
)
