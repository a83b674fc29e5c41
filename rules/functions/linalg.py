"""Inverses, determinants, adjugates, and what holds at symmetric matrices alone."""

from eggrad.rules.notation import *

COFACTORS = "the adjugate is the transposed matrix of cofactors"

linalg = Ruleset("linalg", "inverses, determinants, adjugates", "the number of matrix functions")


linalg.state(
    f"{COOKBOOK}, section 1",
    inverse_of_inverse=(inv(inv(a)) >> a).noted(exceptions="a singular"),
    inverse_of_transpose=(inv(a.T) >> inv(a).T).noted(
        domain="a invertible", cite=f"{COOKBOOK}, equation 3"
    ),
    transposed_inverse_of_sum=(inv(a + b) >> inv((a + b).T).T).noted(
        "(a + b)⁻¹ = ((a' + b')⁻¹)': where a sum is its own transpose, its inverse is.",
        domain="a + b invertible",
        cite=f"{COOKBOOK}, equation 3",
    ),
    transposed_inverse_of_product=(inv(ein(s, a, b)) >> inv(ein(s, a, b).T).T).noted(
        "(a·b)⁻¹ = (((a·b)')⁻¹)': where a product is its own transpose, its inverse is.",
        domain="a·b invertible",
        cite=f"{COOKBOOK}, equation 3",
    ),
    det_of_transpose=(det(a.T) >> det(a)).noted(cite=f"{COOKBOOK}, equation 20"),
    adjugate_of_transpose=(adj(a.T) >> adj(a).T).noted(cite=COFACTORS),
    transposed_adjugate_of_sum=(adj(a + b) >> adj((a + b).T).T).noted(
        "adj(a + b) = adj(a' + b')': where a sum is its own transpose, its adjugate is.",
        cite=COFACTORS,
    ),
    transposed_adjugate_of_product=(adj(ein(s, a, b)) >> adj(ein(s, a, b).T).T).noted(
        "adj(a·b) = adj((a·b)')': where a product is its own transpose, its adjugate is.",
        cite=COFACTORS,
    ),
    inverse_of_product=(inv(ein(s, a, b)) >> ein(reversed_axes(s), inv(a), inv(b)))
    .when(multiplies_matrices(s), is_square(dims(a)))
    .noted(
        "(a·b)⁻¹ = b⁻¹·a⁻¹, for square matrices.",
        domain="a and b invertible",
        cite=f"{COOKBOOK}, equation 1",
    ),
    adjugate_of_product=(adj(ein(s, a, b)) >> ein(reversed_axes(s), adj(a), adj(b)))
    .when(multiplies_matrices(s), is_square(dims(a)))
    .noted(
        "adj(a·b) = adj(b)·adj(a), for square matrices.",
        cite="Cauchy and Binet; Cookbook, equation 22",
    ),
    determinant_of_product=(det(ein(s, a, b)) >> ein(",->", det(a), det(b)))
    .when(multiplies_matrices(s), is_square(dims(a)))
    .noted("det(a·b) = det a·det b, for square matrices.", cite=f"{COOKBOOK}, equation 22"),
    inverse_times_matrix=(ein(s, inv(a), a) >> delta(dims(a)[:1]))
    .when(is_matrix_product(s), invertible_almost(a))
    .noted("a⁻¹·a = δ.", domain="a invertible", widens=True, cite=f"{COOKBOOK}, equation 145"),
    matrix_times_inverse=(ein(s, a, inv(a)) >> delta(dims(a)[:1]))
    .when(is_matrix_product(s), invertible_almost(a))
    .noted("a·a⁻¹ = δ.", domain="a invertible", widens=True, cite=f"{COOKBOOK}, equation 145"),
    diagonal_of_inverse_times_matrix=(ein("ij,ji->i", inv(a), a) >> const(1, dims(a)[:1]))
    .when(invertible_almost(a))
    .noted(
        "(a⁻¹·a)ᵢᵢ = 1, where no more than the diagonal is computed.",
        domain="a invertible",
        widens=True,
        cite=f"{COOKBOOK}, equation 145",
    ),
    diagonal_of_matrix_times_inverse=(ein("ij,ji->j", inv(a), a) >> const(1, dims(a)[:1]))
    .when(invertible_almost(a))
    .noted(
        "(a·a⁻¹)ᵢᵢ = 1, where no more than the diagonal is computed.",
        domain="a invertible",
        widens=True,
        cite=f"{COOKBOOK}, equation 145",
    ),
    det_of_inverse=(det(inv(a)) >> det(a) ** -1).noted(
        domain="a invertible", cite=f"{COOKBOOK}, equation 21"
    ),
    log_of_modulus_of_determinant=(log(abs(det(a))) >> logabsdet(a)).noted(
        "log |det a| is one function: the determinant itself may overflow.",
        replaces=True,
        cite="definition of the function",
    ),
    sign_of_determinant=(sign(det(a)) >> signdet(a)).noted(
        "sign(det a) is one function: the determinant itself may overflow.",
        replaces=True,
        cite="definition of the function",
    ),
    logabsdet_of_transpose=(logabsdet(a.T) >> logabsdet(a)).noted(
        "log |det a'| = log |det a|.", cite=f"{COOKBOOK}, equation 20"
    ),
    signdet_of_transpose=(signdet(a.T) >> signdet(a)).noted(
        "sign det a' = sign det a.", cite=f"{COOKBOOK}, equation 20"
    ),
    logabsdet_of_inverse=(logabsdet(inv(a)) >> -1 * logabsdet(a)).noted(
        "log |det a⁻¹| = -log |det a|.", exceptions="a singular", cite=f"{COOKBOOK}, equation 21"
    ),
    signdet_of_inverse=(signdet(inv(a)) >> signdet(a)).noted(
        "sign det a⁻¹ = sign det a.", exceptions="a singular", cite=f"{COOKBOOK}, equation 21"
    ),
    logabsdet_of_product=(logabsdet(ein(s, a, b)) >> logabsdet(a) + logabsdet(b))
    .when(multiplies_matrices(s), is_square(dims(a)))
    .noted(
        "log |det(a·b)| = log |det a| + log |det b|, for square matrices.",
        cite=f"{COOKBOOK}, equation 22",
    ),
    signdet_of_product=(signdet(ein(s, a, b)) >> ein(",->", signdet(a), signdet(b)))
    .when(multiplies_matrices(s), is_square(dims(a)))
    .noted(
        "sign det(a·b) = sign det a·sign det b, for square matrices.",
        cite=f"{COOKBOOK}, equation 22",
    ),
    logabsdet_of_identity=(logabsdet(delta(n)) >> const(0, ()))
    .when(one_axis(n))
    .noted("log |det δ| = 0.", cite="det δ = 1"),
    signdet_of_identity=(signdet(delta(n)) >> const(1, ()))
    .when(one_axis(n))
    .noted("sign det δ = 1.", cite="det δ = 1"),
    inverse_of_multiple=(inv(c * a) >> reciprocal(c) * inv(a)).noted(domain="a invertible, c ≠ 0"),
    inverse_of_scaled=(inv(ein(",ij->ij", b, a)) >> ein(",ij->ij", b**-1, inv(a))).noted(
        "(b·a)⁻¹ = b⁻¹·a⁻¹, for a scalar b.", domain="a invertible, b ≠ 0"
    ),
    adjugate_over_determinant=(
        ein(s, det(a) ** -1, adj(a)) >> ein1(without_scalar(s), inv(a))
    ).noted("adj(a) / det a = a⁻¹.", domain="a invertible", cite=f"{COOKBOOK}, equation 146"),
    adjugate_of_invertible=(adj(a) >> ein(",ij->ij", det(a), inv(a)))
    .when(invertible(a))
    .noted(
        "adj(a) = det a·a⁻¹, for an a that is known to be invertible.",
        domain="a invertible",
        cite=f"{COOKBOOK}, equation 146",
    ),
    adjugate_times_matrix=(ein(s, adj(a), a) >> ein(",ij->ij", det(a), delta(dims(a)[:1])))
    .when(is_matrix_product(s))
    .noted(cite="Laplace expansion"),
    matrix_times_adjugate=(ein(s, a, adj(a)) >> ein(",ij->ij", det(a), delta(dims(a)[:1])))
    .when(is_matrix_product(s))
    .noted(cite="Laplace expansion"),
    first_cofactors=(cofactors(1, a) >> adj(a).T).noted(
        cite="cofactors(1) is the first derivative of det"
    ),
    inverse_of_delta=(inv(delta(n)) >> delta(n))
    .when(one_axis(n))
    .noted(cite="the inverse of the identity"),
    inverse_of_diagonal=(inv(ein("ij,i->ij", delta(n), a)) >> ein("ij,i->ij", delta(n), a**-1))
    .when(one_axis(n))
    .noted(
        "diag(a)⁻¹ = diag(a⁻¹).",
        domain="every entry of a ≠ 0",
        cite="the inverse of a diagonal matrix",
    ),
    determinant_of_delta=(det(delta(n)) >> const(1, ()))
    .when(one_axis(n))
    .noted(cite="the determinant of the identity"),
)


# Equal values at symmetric matrices have equal derivatives only within their space, so these laws
# are applied where a term is printed, compiled or compared, and no more differentiated.
symmetric = Ruleset(
    "symmetric", "what holds at symmetric matrices alone", "the number of transposed variables"
)


symmetric.state(
    "declared",
    symmetric_variable=(declared(X) >> declared(X).T)
    .when(is_declared(X, "symmetric"))
    .noted(
        "X = X' for a variable that is declared symmetric; so are its inverse, and X + X'.",
        thin=True,
    ),
)
