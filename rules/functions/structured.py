"""Equalities that need the structure of a matrix: orthogonal, triangular, diagonal, skew.

They are thin: true at matrices of that structure alone, so nobody differentiates what they make.
"""

from eggrad.engine.laws.primitives import is_square, last_axis
from eggrad.engine.laws.properties import (
    definite,
    diagonal,
    distribution,
    lower,
    orthogonal,
    skew,
    upper,
    whole,
)
from eggrad.engine.laws.structure_primitives import (
    is_diagonal_of,
    is_matrix_gram,
    is_total_sum,
    rounds,
)
from eggrad.rules.functions.linalg import DIAGONAL
from eggrad.rules.notation import *

HORN = "Horn, Johnson 2013, Matrix Analysis"
MAIN: Spec = ((0, 0), (0,))
TOTAL: Spec = ((0,), ())

structured = Ruleset(
    "structured",
    "what holds at matrices of some structure alone",
    "the number of functions, transposes and inverses",
)


def logarithms(a: Tensor) -> Tensor:
    """Σ log |aᵢᵢ|."""
    return ein1(TOTAL, fn("log", fn("abs", ein1(MAIN, a))))


@structured.rule(cite="definition", domain="a skew", thin=True)
def transpose_of_skew(s: Spec, a: Tensor) -> Statement:
    """a' = -a for what is skew."""
    return ein1(s, a) >> scale(-1, a), is_transpose(s), skew(a), is_square(dims(a))


@structured.rule(cite="definition", domain="a skew", thin=True)
def diagonal_of_skew(s: Spec, a: Tensor) -> Statement:
    """The diagonal of what is skew is 0, and so is the trace."""
    zeros = const(0, result_dims1(s, dims(a)))
    return ein1(s, a) >> zeros, is_diagonal_of(s, dims(a)), skew(a)


@structured.rule(cite="definition", domain="a orthogonal", thin=True)
def inverse_of_orthogonal(a: Tensor) -> Statement:
    """a⁻¹ = a' for what is orthogonal."""
    return inv(a) >> ein1(TRANSPOSE, a), orthogonal(a)


@structured.rule(cite=f"{HORN}, section 2.1", domain="a orthogonal", thin=True)
def square_of_orthogonal_determinant(a: Tensor) -> Statement:
    """(det a)² = 1 for what is orthogonal."""
    return power(det(a), 2) >> const(1, ()), orthogonal(a)


@structured.rule(cite=f"{HORN}, section 2.1", domain="a orthogonal", thin=True)
def modulus_of_orthogonal_determinant(a: Tensor) -> Statement:
    """|det a| = 1 for what is orthogonal."""
    return fn("abs", det(a)) >> const(1, ()), orthogonal(a)


@structured.rule(cite=f"{HORN}, section 2.1", domain="a orthogonal", thin=True)
def reciprocal_of_orthogonal_determinant(a: Tensor) -> Statement:
    """(det a)⁻¹ = det a for what is orthogonal."""
    return power(det(a), -1) >> det(a), orthogonal(a)


@structured.rule(cite=f"{HORN}, section 2.1", domain="a orthogonal", thin=True)
def logarithm_of_orthogonal_determinant(a: Tensor) -> Statement:
    """log |det a| = 0 for what is orthogonal."""
    return logabsdet(a) >> const(0, ()), orthogonal(a)


@structured.rule(cite=f"{HORN}, section 2.1", domain="a orthogonal", thin=True)
def product_with_transpose(s: Spec, a: Tensor) -> Statement:
    """a'·a = δ for what is orthogonal."""
    return (
        ein(s, a, a) >> delta(last_axis(dims(a))),
        is_matrix_gram(s),
        orthogonal(a),
        is_square(dims(a)),
    )


@structured.rule(cite="the product of eigenvalues", domain="a positive definite", thin=True)
def sign_of_definite_determinant(a: Tensor) -> Statement:
    """sign det a = 1 for what is positive definite."""
    return signdet(a) >> const(1, ()), definite(a)


@structured.rule(cite="the product of eigenvalues", domain="a positive definite", thin=True)
def logarithm_of_definite_determinant(a: Tensor) -> Statement:
    """log det a = log |det a| for what is positive definite."""
    return fn("log", det(a)) >> logabsdet(a), definite(a)


@structured.rule(cite=f"{HORN}, section 0.9", domain="a lower triangular", thin=True)
def logarithm_of_lower_determinant(a: Tensor) -> Statement:
    """log |det a| = Σ log |aᵢᵢ| for what is lower triangular."""
    return logabsdet(a) >> logarithms(a), lower(a)


@structured.rule(cite=f"{HORN}, section 0.9", domain="a upper triangular", thin=True)
def logarithm_of_upper_determinant(a: Tensor) -> Statement:
    """log |det a| = Σ log |aᵢᵢ| for what is upper triangular."""
    return logabsdet(a) >> logarithms(a), upper(a)


@structured.rule(cite=f"{HORN}, section 0.9", domain="a lower triangular", thin=True)
def modulus_of_lower_determinant(a: Tensor) -> Statement:
    """|det a| is the product of the moduli on the diagonal, for what is lower triangular."""
    return fn("abs", det(a)) >> fn("exp", logarithms(a)), lower(a)


@structured.rule(cite=f"{HORN}, section 0.9", domain="a upper triangular", thin=True)
def modulus_of_upper_determinant(a: Tensor) -> Statement:
    """|det a| is the product of the moduli on the diagonal, for what is upper triangular."""
    return fn("abs", det(a)) >> fn("exp", logarithms(a)), upper(a)


@structured.rule(cite="definition", domain="a diagonal", thin=True)
def inverse_of_diagonal_matrix(a: Tensor) -> Statement:
    """a⁻¹ has the reciprocals of the diagonal, for what is diagonal."""
    reciprocals = power(ein1(MAIN, a), -1)
    return inv(a) >> ein(DIAGONAL, delta(last_axis(dims(a))), reciprocals), diagonal(a)


@structured.rule(cite="definition", domain="a a probability", thin=True)
def sum_of_probability(s: Spec, a: Tensor) -> Statement:
    """Σ a = 1 for a probability."""
    return ein1(s, a) >> const(1, ()), is_total_sum(s), distribution(a)


@structured.rule(cite="definition of the function", domain="a integer", thin=True)
def rounding_of_integer(f: Name, a: Tensor) -> Statement:
    """⌊a⌋ = a for integers, and so with the other ways to round."""
    return fn(f, a) >> a, rounds(f), whole(a)
