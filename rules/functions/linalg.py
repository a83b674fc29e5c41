"""Inverses, determinants, adjugates, and what holds at symmetric matrices alone."""

from eggrad.engine.laws.primitives import (
    is_declared,
    is_square,
    matrix_identity,
    multiplies_matrices,
    one_axis,
    reciprocal,
    reversed_axes,
    without_scalar,
)
from eggrad.rules.notation import *

COFACTORS = "the adjugate is the transposed matrix of cofactors"

SCALARS: Spec = ((), (), ())
SCALED: Spec = ((), (0, 1), (0, 1))
# A delta times a vector: the matrix with that diagonal.
DIAGONAL: Spec = ((0, 1), (0,), (0, 1))

linalg = Ruleset("linalg", "inverses, determinants, adjugates", "the number of matrix functions")


@linalg.rule(cite=f"{COOKBOOK}, section 1", exceptions="a singular")
def inverse_of_inverse(a: Tensor) -> Statement:
    """(a⁻¹)⁻¹ = a."""
    return inv(inv(a)) >> a


@linalg.rule(cite=f"{COOKBOOK}, equation 3", domain="a invertible")
def inverse_of_transpose(s: Spec, a: Tensor) -> Statement:
    """(a')⁻¹ = (a⁻¹)'."""
    return inv(ein1(s, a)) >> ein1(s, inv(a)), is_transpose(s)


@linalg.rule(cite=f"{COOKBOOK}, equation 3", domain="a + b invertible")
def transposed_inverse_of_sum(a: Tensor, b: Tensor) -> Statement:
    """(a + b)⁻¹ = ((a' + b')⁻¹)': where a sum is its own transpose, its inverse is."""
    return inv(add(a, b)) >> ein1(TRANSPOSE, inv(ein1(TRANSPOSE, add(a, b))))


@linalg.rule(cite=f"{COOKBOOK}, equation 3", domain="a·b invertible")
def transposed_inverse_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """(a·b)⁻¹ = (((a·b)')⁻¹)': where a product is its own transpose, its inverse is."""
    return inv(ein(s, a, b)) >> ein1(TRANSPOSE, inv(ein1(TRANSPOSE, ein(s, a, b))))


@linalg.rule(cite=f"{COOKBOOK}, equation 20")
def det_of_transpose(s: Spec, a: Tensor) -> Statement:
    """det a' = det a."""
    return det(ein1(s, a)) >> det(a), is_transpose(s)


@linalg.rule(cite=COFACTORS)
def adjugate_of_transpose(s: Spec, a: Tensor) -> Statement:
    """adj(a') = adj(a)'."""
    return adj(ein1(s, a)) >> ein1(s, adj(a)), is_transpose(s)


@linalg.rule(cite=COFACTORS)
def transposed_adjugate_of_sum(a: Tensor, b: Tensor) -> Statement:
    """adj(a + b) = adj(a' + b')': where a sum is its own transpose, its adjugate is."""
    return adj(add(a, b)) >> ein1(TRANSPOSE, adj(ein1(TRANSPOSE, add(a, b))))


@linalg.rule(cite=COFACTORS)
def transposed_adjugate_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """adj(a·b) = adj((a·b)')': where a product is its own transpose, its adjugate is."""
    return adj(ein(s, a, b)) >> ein1(TRANSPOSE, adj(ein1(TRANSPOSE, ein(s, a, b))))


@linalg.rule(cite=f"{COOKBOOK}, equation 1", domain="a and b invertible")
def inverse_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """(a·b)⁻¹ = b⁻¹·a⁻¹, for square matrices."""
    return (
        inv(ein(s, a, b)) >> ein(reversed_axes(s), inv(a), inv(b)),
        multiplies_matrices(s),
        is_square(dims(a)),
    )


@linalg.rule(cite="Cauchy and Binet; Cookbook, equation 22")
def adjugate_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """adj(a·b) = adj(b)·adj(a), for square matrices."""
    return (
        adj(ein(s, a, b)) >> ein(reversed_axes(s), adj(a), adj(b)),
        multiplies_matrices(s),
        is_square(dims(a)),
    )


@linalg.rule(cite=f"{COOKBOOK}, equation 22")
def determinant_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """det(a·b) = det a·det b, for square matrices."""
    return (
        det(ein(s, a, b)) >> ein(SCALARS, det(a), det(b)),
        multiplies_matrices(s),
        is_square(dims(a)),
    )


@linalg.rule(cite=f"{COOKBOOK}, equation 145", domain="a invertible", widens=True)
def inverse_times_matrix(s: Spec, a: Tensor) -> Statement:
    """a⁻¹·a = δ."""
    return (
        ein(s, inv(a), a) >> delta(matrix_identity(s, dims(a))),
        is_matrix_product(s),
        invertible_almost(a),
    )


@linalg.rule(cite=f"{COOKBOOK}, equation 145", domain="a invertible", widens=True)
def matrix_times_inverse(s: Spec, a: Tensor) -> Statement:
    """a·a⁻¹ = δ."""
    return (
        ein(s, a, inv(a)) >> delta(matrix_identity(s, dims(a))),
        is_matrix_product(s),
        invertible_almost(a),
    )


@linalg.rule(cite=f"{COOKBOOK}, equation 21", domain="a invertible")
def det_of_inverse(a: Tensor) -> Statement:
    """det a⁻¹ = (det a)⁻¹."""
    return det(inv(a)) >> power(det(a), -1)


@linalg.rule(cite="definition of the function", replaces=True)
def log_of_modulus_of_determinant(a: Tensor) -> Statement:
    """log |det a| is one function: the determinant itself may overflow."""
    return fn("log", fn("abs", det(a))) >> logabsdet(a)


@linalg.rule(cite="definition of the function", replaces=True)
def sign_of_determinant(a: Tensor) -> Statement:
    """sign(det a) is one function: the determinant itself may overflow."""
    return fn("sign", det(a)) >> signdet(a)


@linalg.rule(cite=f"{COOKBOOK}, equation 20")
def logabsdet_of_transpose(s: Spec, a: Tensor) -> Statement:
    """log |det a'| = log |det a|."""
    return logabsdet(ein1(s, a)) >> logabsdet(a), is_transpose(s)


@linalg.rule(cite=f"{COOKBOOK}, equation 20")
def signdet_of_transpose(s: Spec, a: Tensor) -> Statement:
    """sign det a' = sign det a."""
    return signdet(ein1(s, a)) >> signdet(a), is_transpose(s)


@linalg.rule(cite=f"{COOKBOOK}, equation 21", exceptions="a singular")
def logabsdet_of_inverse(a: Tensor) -> Statement:
    """log |det a⁻¹| = -log |det a|."""
    return logabsdet(inv(a)) >> scale(-1, logabsdet(a))


@linalg.rule(cite=f"{COOKBOOK}, equation 21", exceptions="a singular")
def signdet_of_inverse(a: Tensor) -> Statement:
    """sign det a⁻¹ = sign det a."""
    return signdet(inv(a)) >> signdet(a)


@linalg.rule(cite=f"{COOKBOOK}, equation 22")
def logabsdet_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """log |det(a·b)| = log |det a| + log |det b|, for square matrices."""
    both = add(logabsdet(a), logabsdet(b))
    return logabsdet(ein(s, a, b)) >> both, multiplies_matrices(s), is_square(dims(a))


@linalg.rule(cite=f"{COOKBOOK}, equation 22")
def signdet_of_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """sign det(a·b) = sign det a·sign det b, for square matrices."""
    both = ein(SCALARS, signdet(a), signdet(b))
    return signdet(ein(s, a, b)) >> both, multiplies_matrices(s), is_square(dims(a))


@linalg.rule(cite="det δ = 1")
def logabsdet_of_identity(n: Dims) -> Statement:
    """log |det δ| = 0."""
    return logabsdet(delta(n)) >> const(0, ()), one_axis(n)


@linalg.rule(cite="det δ = 1")
def signdet_of_identity(n: Dims) -> Statement:
    """sign det δ = 1."""
    return signdet(delta(n)) >> const(1, ()), one_axis(n)


@linalg.rule(cite=f"{COOKBOOK}, section 1", domain="a invertible, c ≠ 0")
def inverse_of_multiple(c: Number, a: Tensor) -> Statement:
    """(c·a)⁻¹ = c⁻¹·a⁻¹."""
    return inv(scale(c, a)) >> scale(reciprocal(c), inv(a))


@linalg.rule(cite=f"{COOKBOOK}, section 1", domain="a invertible, c ≠ 0")
def inverse_of_scaled(c: Tensor, a: Tensor) -> Statement:
    """(c·a)⁻¹ = c⁻¹·a⁻¹, for a scalar c."""
    return inv(ein(SCALED, c, a)) >> ein(SCALED, power(c, -1), inv(a))


@linalg.rule(cite=f"{COOKBOOK}, equation 146", domain="a invertible")
def adjugate_over_determinant(s: Spec, a: Tensor) -> Statement:
    """adj(a) / det a = a⁻¹."""
    return ein(s, power(det(a), -1), adj(a)) >> ein1(without_scalar(s), inv(a))


@linalg.rule(cite=f"{COOKBOOK}, equation 146", domain="a invertible")
def adjugate_of_invertible(a: Tensor) -> Statement:
    """adj(a) = det a·a⁻¹, for an a that is known to be invertible."""
    return adj(a) >> ein(SCALED, det(a), inv(a)), invertible(a)


@linalg.rule(cite="Laplace expansion")
def adjugate_times_matrix(s: Spec, a: Tensor) -> Statement:
    """adj(a)·a = det a·δ."""
    return ein(s, adj(a), a) >> ein(
        SCALED, det(a), delta(matrix_identity(s, dims(a)))
    ), is_matrix_product(s)


@linalg.rule(cite="Laplace expansion")
def matrix_times_adjugate(s: Spec, a: Tensor) -> Statement:
    """a·adj(a) = det a·δ."""
    return ein(s, a, adj(a)) >> ein(
        SCALED, det(a), delta(matrix_identity(s, dims(a)))
    ), is_matrix_product(s)


@linalg.rule(cite="cofactors(1) is the first derivative of det")
def first_cofactors(a: Tensor) -> Statement:
    """cofactors(1, a) = adj(a)'."""
    return cofactors(1, a) >> ein1(TRANSPOSE, adj(a))


@linalg.rule(cite="the inverse of the identity")
def inverse_of_delta(n: Dims) -> Statement:
    """δ⁻¹ = δ."""
    return inv(delta(n)) >> delta(n), one_axis(n)


@linalg.rule(cite="the inverse of a diagonal matrix", domain="every entry of a ≠ 0")
def inverse_of_diagonal(n: Dims, a: Tensor) -> Statement:
    """diag(a)⁻¹ = diag(a⁻¹)."""
    return inv(ein(DIAGONAL, delta(n), a)) >> ein(DIAGONAL, delta(n), power(a, -1)), one_axis(n)


@linalg.rule(cite="the determinant of the identity")
def determinant_of_delta(n: Dims) -> Statement:
    """det δ = 1."""
    return det(delta(n)) >> const(1, ()), one_axis(n)


# Equal values at symmetric matrices have equal derivatives only within their space, so these laws
# are applied where a term is printed, compiled or compared, and no more differentiated.
symmetric = Ruleset(
    "symmetric", "what holds at symmetric matrices alone", "the number of transposed variables"
)


@symmetric.rule(cite="declared", thin=True)
def symmetric_variable(x: Variable) -> Statement:
    """X = X' for a variable that is declared symmetric; so are its inverse, and X + X'."""
    return declared(x) >> ein1(TRANSPOSE, declared(x)), is_declared(x, "symmetric")
