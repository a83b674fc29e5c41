"""What follows from the form of a matrix: symmetric, definite, diagonal, triangular, orthogonal.

Most of them are true in a space without interior alone, so only terms that nobody differentiates
any more are asked for them.
"""

from eggrad.engine.laws.primitives import (
    at_least_zero,
    is_declared,
    is_square,
    is_zero_at_zero,
    one_axis,
)
from eggrad.engine.laws.primitives import is_natural as is_natural_number
from eggrad.engine.laws.properties import (
    at_most_one,
    definite,
    diagonal,
    distribution,
    lower,
    orthogonal,
    semidefinite,
    skew,
    symmetric,
    upper,
    whole,
)
from eggrad.engine.laws.structure_primitives import (
    is_congruence,
    is_diagonal_form,
    is_diagonal_of,
    is_gram,
    is_integer,
    is_integer_valued,
    is_main_diagonal,
    is_minus_one,
    is_plain_product,
    is_quadratic_form,
    is_scaled,
    is_trace_of_product,
    is_unit,
    keeps_integers,
)
from eggrad.rules.notation import *

HORN = "Horn, Johnson 2013, Matrix Analysis"
DEFINITE = f"{HORN}, chapter 7"
STRUCTURE = f"{HORN}, section 0.9"

matrix_properties = Ruleset(
    "matrix_properties",
    "what is known of matrices: symmetric, definite, diagonal, triangular, orthogonal",
    "none: an e-class has each property once",
)


# Symmetric ---------------------------------------------------------------------------------


@matrix_properties.fact(cite="declared")
def declared_symmetric(x: Variable) -> Claim:
    """A variable that is declared symmetric is."""
    return symmetric(declared(x)), is_declared(x, "symmetric")


@matrix_properties.fact(cite="every entry is the same")
def symmetric_constant(c: Number, n: Dims) -> Claim:
    """A square matrix of equal entries is symmetric."""
    return symmetric(const(c, n)), is_square(n)


@matrix_properties.fact(cite="definition")
def semidefinite_is_symmetric(a: Tensor) -> Claim:
    """What is positive semidefinite is symmetric."""
    return symmetric(a), semidefinite(a)


@matrix_properties.fact(cite="definition")
def diagonal_is_symmetric(a: Tensor) -> Claim:
    """What is diagonal is symmetric."""
    return symmetric(a), diagonal(a)


@matrix_properties.fact(cite=f"{COOKBOOK}, equation 4")
def symmetric_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is symmetric if a is."""
    return symmetric(ein1(s, a)), symmetric(a), is_transpose(s)


@matrix_properties.fact(cite=f"{COOKBOOK}, equation 4")
def symmetric_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is symmetric if a and b are."""
    return symmetric(add(a, b)), symmetric(a), symmetric(b)


@matrix_properties.fact(cite=f"{HORN}, section 0.2")
def symmetric_part(s: Spec, a: Tensor) -> Claim:
    """a + a' is symmetric."""
    return symmetric(add(a, ein1(s, a))), is_transpose(s)


@matrix_properties.fact(cite=f"{COOKBOOK}, equation 4")
def symmetric_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is symmetric if a is."""
    return symmetric(scale(c, a)), symmetric(a)


@matrix_properties.fact(cite=f"{COOKBOOK}, equation 4")
def symmetric_scaled(s: Spec, c: Tensor, a: Tensor) -> Claim:
    """c·a is symmetric if a is, for a scalar c."""
    return symmetric(ein(s, c, a)), symmetric(a), is_scaled(s)


@matrix_properties.fact(cite="entry by entry")
def symmetric_entries(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """The product of a and b entry by entry is symmetric if both are."""
    return symmetric(ein(s, a, b)), symmetric(a), symmetric(b), is_elementwise(s)


@matrix_properties.fact(cite="entry by entry")
def symmetric_function(f: str, a: Tensor) -> Claim:
    """f(a), entry by entry, is symmetric if a is."""
    return symmetric(fn(f, a)), symmetric(a)


@matrix_properties.fact(cite="entry by entry")
def symmetric_power(a: Tensor, p: Tensor) -> Claim:
    """aᵖ, entry by entry, is symmetric if a is."""
    return symmetric(power(a, p)), symmetric(a)


@matrix_properties.fact(cite=f"{COOKBOOK}, equation 3")
def symmetric_inverse(a: Tensor) -> Claim:
    """a⁻¹ is symmetric if a is."""
    return symmetric(inv(a)), symmetric(a)


@matrix_properties.fact(cite="the cofactors of a transpose are those of the matrix, transposed")
def symmetric_adjugate(a: Tensor) -> Claim:
    """adj(a) is symmetric if a is."""
    return symmetric(adj(a)), symmetric(a)


@matrix_properties.fact(cite=f"{HORN}, section 4.5")
def symmetric_congruence(s: Spec, t: Spec, x: Tensor, a: Tensor) -> Claim:
    """x'·a·x is symmetric if a is."""
    return symmetric(ein(s, ein(t, x, a), x)), symmetric(a), is_congruence(t, s)


# Skew --------------------------------------------------------------------------------------


@matrix_properties.fact(cite="declared")
def declared_skew(x: Variable) -> Claim:
    """A variable that is declared skew is."""
    return skew(declared(x)), is_declared(x, "skew")


@matrix_properties.fact(cite=f"{HORN}, section 0.2")
def skew_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is skew if a is."""
    return skew(ein1(s, a)), skew(a), is_transpose(s)


@matrix_properties.fact(cite=f"{HORN}, section 0.2")
def skew_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is skew if a and b are."""
    return skew(add(a, b)), skew(a), skew(b)


@matrix_properties.fact(cite=f"{HORN}, section 0.2")
def skew_part(s: Spec, c: Number, a: Tensor) -> Claim:
    """a - a' is skew."""
    return skew(add(a, scale(c, ein1(s, a)))), is_transpose(s), is_minus_one(c)


@matrix_properties.fact(cite=f"{HORN}, section 0.2")
def skew_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is skew if a is."""
    return skew(scale(c, a)), skew(a)


@matrix_properties.fact(cite=f"{HORN}, section 0.2")
def skew_scaled(s: Spec, c: Tensor, a: Tensor) -> Claim:
    """c·a is skew if a is, for a scalar c."""
    return skew(ein(s, c, a)), skew(a), is_scaled(s)


@matrix_properties.fact(cite="entry by entry")
def skew_function(f: Name, a: Tensor) -> Claim:
    """f(a), entry by entry, is skew if a is and f is odd."""
    return skew(fn(f, a)), skew(a), is_odd(f)


@matrix_properties.fact(cite=f"{COOKBOOK}, equation 3")
def skew_inverse(a: Tensor) -> Claim:
    """a⁻¹ is skew if a is."""
    return skew(inv(a)), skew(a)


@matrix_properties.fact(cite=f"{HORN}, section 4.5")
def skew_congruence(s: Spec, t: Spec, x: Tensor, a: Tensor) -> Claim:
    """x'·a·x is skew if a is."""
    return skew(ein(s, ein(t, x, a), x)), skew(a), is_congruence(t, s)


# Triangular and diagonal -------------------------------------------------------------------


@matrix_properties.fact(cite="declared")
def declared_lower(x: Variable) -> Claim:
    """A variable that is declared lower triangular is."""
    return lower(declared(x)), is_declared(x, "lower triangular")


@matrix_properties.fact(cite="definition")
def diagonal_is_lower(a: Tensor) -> Claim:
    """What is diagonal is lower triangular."""
    return lower(a), diagonal(a)


@matrix_properties.fact(cite=STRUCTURE)
def lower_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is lower triangular if a is upper triangular."""
    return lower(ein1(s, a)), upper(a), is_transpose(s)


@matrix_properties.fact(cite=STRUCTURE)
def lower_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is lower triangular if a and b are."""
    return lower(add(a, b)), lower(a), lower(b)


@matrix_properties.fact(cite=STRUCTURE)
def lower_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is lower triangular if a is."""
    return lower(scale(c, a)), lower(a)


@matrix_properties.fact(cite=STRUCTURE)
def lower_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b is lower triangular if a and b are."""
    return lower(ein(s, a, b)), lower(a), lower(b), is_plain_product(s)


@matrix_properties.fact(cite=STRUCTURE)
def lower_inverse(a: Tensor) -> Claim:
    """a⁻¹ is lower triangular if a is."""
    return lower(inv(a)), lower(a)


@matrix_properties.fact(cite="declared")
def declared_upper(x: Variable) -> Claim:
    """A variable that is declared upper triangular is."""
    return upper(declared(x)), is_declared(x, "upper triangular")


@matrix_properties.fact(cite="definition")
def diagonal_is_upper(a: Tensor) -> Claim:
    """What is diagonal is upper triangular."""
    return upper(a), diagonal(a)


@matrix_properties.fact(cite=STRUCTURE)
def upper_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is upper triangular if a is lower triangular."""
    return upper(ein1(s, a)), lower(a), is_transpose(s)


@matrix_properties.fact(cite=STRUCTURE)
def upper_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is upper triangular if a and b are."""
    return upper(add(a, b)), upper(a), upper(b)


@matrix_properties.fact(cite=STRUCTURE)
def upper_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is upper triangular if a is."""
    return upper(scale(c, a)), upper(a)


@matrix_properties.fact(cite=STRUCTURE)
def upper_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b is upper triangular if a and b are."""
    return upper(ein(s, a, b)), upper(a), upper(b), is_plain_product(s)


@matrix_properties.fact(cite=STRUCTURE)
def upper_inverse(a: Tensor) -> Claim:
    """a⁻¹ is upper triangular if a is."""
    return upper(inv(a)), upper(a)


@matrix_properties.fact(cite="declared")
def declared_diagonal(x: Variable) -> Claim:
    """A variable that is declared diagonal is."""
    return diagonal(declared(x)), is_declared(x, "diagonal")


@matrix_properties.fact(cite="definition")
def triangular_both_ways(a: Tensor) -> Claim:
    """What is lower and upper triangular is diagonal."""
    return diagonal(a), lower(a), upper(a)


@matrix_properties.fact(cite="definition of the delta")
def diagonal_delta(n: Dims) -> Claim:
    """δ is diagonal."""
    return diagonal(delta(n)), one_axis(n)


@matrix_properties.fact(cite="definition of the delta")
def diagonal_of_vector(s: Spec, n: Dims, a: Tensor) -> Claim:
    """δ times a vector or a scalar is diagonal."""
    return diagonal(ein(s, delta(n), a)), one_axis(n), is_diagonal_form(s)


@matrix_properties.fact(cite=STRUCTURE)
def diagonal_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is diagonal if a is."""
    return diagonal(ein1(s, a)), diagonal(a), is_transpose(s)


@matrix_properties.fact(cite=STRUCTURE)
def diagonal_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is diagonal if a and b are."""
    return diagonal(add(a, b)), diagonal(a), diagonal(b)


@matrix_properties.fact(cite=STRUCTURE)
def diagonal_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is diagonal if a is."""
    return diagonal(scale(c, a)), diagonal(a)


@matrix_properties.fact(cite=STRUCTURE)
def diagonal_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b is diagonal if a and b are."""
    return diagonal(ein(s, a, b)), diagonal(a), diagonal(b), is_matrix_product(s)


@matrix_properties.fact(cite="entry by entry")
def diagonal_entries(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """The product entry by entry is diagonal if the first factor is."""
    return diagonal(ein(s, a, b)), diagonal(a), total(b), is_elementwise(s)


@matrix_properties.fact(cite="entry by entry")
def diagonal_function(f: str, a: Tensor) -> Claim:
    """f(a), entry by entry, is diagonal if a is and f(0) = 0."""
    return diagonal(fn(f, a)), diagonal(a), is_zero_at_zero(f)


@matrix_properties.fact(cite=STRUCTURE)
def diagonal_inverse(a: Tensor) -> Claim:
    """a⁻¹ is diagonal if a is."""
    return diagonal(inv(a)), diagonal(a)


# Definite ----------------------------------------------------------------------------------


@matrix_properties.fact(cite="declared")
def declared_semidefinite(x: Variable) -> Claim:
    """A variable that is declared positive semidefinite is."""
    return semidefinite(declared(x)), is_declared(x, "positive semidefinite")


@matrix_properties.fact(cite=DEFINITE)
def definite_is_semidefinite(a: Tensor) -> Claim:
    """What is positive definite is positive semidefinite."""
    return semidefinite(a), definite(a)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_gram(s: Spec, a: Tensor) -> Claim:
    """a'·a is positive semidefinite."""
    return semidefinite(ein(s, a, a)), is_gram(s)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_congruence(s: Spec, t: Spec, x: Tensor, a: Tensor) -> Claim:
    """x'·a·x is positive semidefinite if a is."""
    return semidefinite(ein(s, ein(t, x, a), x)), semidefinite(a), is_congruence(t, s)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is positive semidefinite if a and b are."""
    return semidefinite(add(a, b)), semidefinite(a), semidefinite(b)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is positive semidefinite if a is, for c ≥ 0."""
    return semidefinite(scale(c, a)), semidefinite(a), at_least_zero(c)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_scaled(s: Spec, c: Tensor, a: Tensor) -> Claim:
    """c·a is positive semidefinite if a is, for a scalar c ≥ 0."""
    return semidefinite(ein(s, c, a)), semidefinite(a), nonnegative(c), is_scaled(s)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is positive semidefinite if a is."""
    return semidefinite(ein1(s, a)), semidefinite(a), is_transpose(s)


@matrix_properties.fact(cite="Schur 1911")
def semidefinite_entries(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """The product entry by entry is positive semidefinite if a and b are."""
    return semidefinite(ein(s, a, b)), semidefinite(a), semidefinite(b), is_elementwise(s)


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_diagonal(s: Spec, n: Dims, a: Tensor) -> Claim:
    """A diagonal matrix of nonnegative entries is positive semidefinite."""
    return (
        semidefinite(ein(s, delta(n), a)),
        nonnegative(a),
        one_axis(n),
        is_diagonal_form(s),
    )


@matrix_properties.fact(cite=DEFINITE)
def nonnegative_diagonal(a: Tensor) -> Claim:
    """What is diagonal and nonnegative is positive semidefinite."""
    return semidefinite(a), diagonal(a), nonnegative(a)


@matrix_properties.fact(cite="declared")
def declared_definite(x: Variable) -> Claim:
    """A variable that is declared positive definite is."""
    return definite(declared(x)), is_declared(x, "positive definite")


@matrix_properties.fact(cite=DEFINITE)
def semidefinite_and_invertible(a: Tensor) -> Claim:
    """What is positive semidefinite and invertible is positive definite."""
    return definite(a), semidefinite(a), invertible(a)


@matrix_properties.fact(cite=DEFINITE)
def definite_is_invertible(a: Tensor) -> Claim:
    """What is positive definite is invertible."""
    return invertible(a), definite(a)


@matrix_properties.fact(cite=DEFINITE)
def definite_delta(n: Dims) -> Claim:
    """δ is positive definite."""
    return definite(delta(n)), one_axis(n)


@matrix_properties.fact(cite=DEFINITE)
def definite_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is positive definite if a is, and b is positive semidefinite."""
    return definite(add(a, b)), definite(a), semidefinite(b)


@matrix_properties.fact(cite=DEFINITE)
def sum_with_definite(a: Tensor, b: Tensor) -> Claim:
    """a + b is positive definite if b is, and a is positive semidefinite."""
    return definite(add(a, b)), semidefinite(a), definite(b)


@matrix_properties.fact(cite=DEFINITE)
def definite_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is positive definite if a is, for c > 0."""
    return definite(scale(c, a)), definite(a), is_positive(c)


@matrix_properties.fact(cite=DEFINITE)
def definite_scaled(s: Spec, c: Tensor, a: Tensor) -> Claim:
    """c·a is positive definite if a is, for a scalar c > 0."""
    return definite(ein(s, c, a)), definite(a), positive(c), is_scaled(s)


@matrix_properties.fact(cite=DEFINITE)
def definite_inverse(a: Tensor) -> Claim:
    """a⁻¹ is positive definite if a is positive semidefinite."""
    return definite(inv(a)), semidefinite(a)


@matrix_properties.fact(cite=DEFINITE)
def definite_adjugate(a: Tensor) -> Claim:
    """adj(a) is positive definite if a is."""
    return definite(adj(a)), definite(a)


@matrix_properties.fact(cite=DEFINITE)
def definite_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is positive definite if a is."""
    return definite(ein1(s, a)), definite(a), is_transpose(s)


@matrix_properties.fact(cite="Schur 1911")
def definite_entries(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """The product entry by entry is positive definite if a and b are."""
    return definite(ein(s, a, b)), definite(a), definite(b), is_elementwise(s)


@matrix_properties.fact(cite=DEFINITE)
def definite_gram(s: Spec, a: Tensor) -> Claim:
    """a'·a is positive definite if a is invertible."""
    return definite(ein(s, a, a)), invertible(a), is_gram(s)


@matrix_properties.fact(cite=DEFINITE)
def definite_congruence(s: Spec, t: Spec, x: Tensor, a: Tensor) -> Claim:
    """x'·a·x is positive definite if a is, for an invertible x."""
    return definite(ein(s, ein(t, x, a), x)), definite(a), invertible(x), is_congruence(t, s)


@matrix_properties.fact(cite=DEFINITE)
def definite_diagonal(s: Spec, n: Dims, a: Tensor) -> Claim:
    """A diagonal matrix of positive entries is positive definite."""
    return definite(ein(s, delta(n), a)), positive(a), one_axis(n), is_diagonal_form(s)


# Orthogonal --------------------------------------------------------------------------------


@matrix_properties.fact(cite="declared")
def declared_orthogonal(x: Variable) -> Claim:
    """A variable that is declared orthogonal is."""
    return orthogonal(declared(x)), is_declared(x, "orthogonal")


@matrix_properties.fact(cite=f"{HORN}, section 2.1")
def orthogonal_is_invertible(a: Tensor) -> Claim:
    """What is orthogonal is invertible."""
    return invertible(a), orthogonal(a)


@matrix_properties.fact(cite=f"{HORN}, section 2.1")
def orthogonal_delta(n: Dims) -> Claim:
    """δ is orthogonal."""
    return orthogonal(delta(n)), one_axis(n)


@matrix_properties.fact(cite=f"{HORN}, section 2.1")
def orthogonal_transpose(s: Spec, a: Tensor) -> Claim:
    """a' is orthogonal if a is."""
    return orthogonal(ein1(s, a)), orthogonal(a), is_transpose(s)


@matrix_properties.fact(cite=f"{HORN}, section 2.1")
def orthogonal_inverse(a: Tensor) -> Claim:
    """a⁻¹ is orthogonal if a is."""
    return orthogonal(inv(a)), orthogonal(a)


@matrix_properties.fact(cite=f"{HORN}, section 2.1")
def orthogonal_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """a·b is orthogonal if a and b are."""
    return orthogonal(ein(s, a, b)), orthogonal(a), orthogonal(b), is_matrix_product(s)


@matrix_properties.fact(cite=f"{HORN}, section 2.1")
def orthogonal_negative(c: Number, a: Tensor) -> Claim:
    """-a is orthogonal if a is."""
    return orthogonal(scale(c, a)), orthogonal(a), is_unit(c)


# Signs of scalars --------------------------------------------------------------------------


@matrix_properties.fact(cite="definition")
def nonnegative_quadratic_form(s: Spec, t: Spec, x: Tensor, a: Tensor) -> Claim:
    """x'·a·x ≥ 0 for a positive semidefinite a."""
    return nonnegative(ein(s, ein(t, x, a), x)), semidefinite(a), is_quadratic_form(t, s)


@matrix_properties.fact(cite=DEFINITE)
def nonnegative_diagonal_entries(s: Spec, a: Tensor) -> Claim:
    """The diagonal of a positive semidefinite matrix is nonnegative, and so is its trace."""
    return nonnegative(ein1(s, a)), semidefinite(a), is_diagonal_of(s, dims(a))


@matrix_properties.fact(cite=DEFINITE)
def positive_diagonal_entries(s: Spec, a: Tensor) -> Claim:
    """The diagonal of a positive definite matrix is positive."""
    return positive(ein1(s, a)), definite(a), is_main_diagonal(s)


@matrix_properties.fact(cite=f"{HORN}, section 7.5")
def nonnegative_trace_of_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """tr(a·b) ≥ 0 for positive semidefinite matrices."""
    return nonnegative(ein(s, a, b)), semidefinite(a), semidefinite(b), is_trace_of_product(s)


@matrix_properties.fact(cite="the product of eigenvalues")
def nonnegative_determinant(a: Tensor) -> Claim:
    """det a ≥ 0 for a positive semidefinite a."""
    return nonnegative(det(a)), semidefinite(a)


@matrix_properties.fact(cite="the product of eigenvalues")
def determinant_of_definite(a: Tensor) -> Claim:
    """det a > 0 for a positive definite a."""
    return positive(det(a)), definite(a)


@matrix_properties.fact(cite="the product of eigenvalues")
def determinant_of_definite_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """det(a·b) > 0 for positive definite matrices."""
    return positive(det(ein(s, a, b))), definite(a), definite(b), is_matrix_product(s)


@matrix_properties.fact(cite="Cayley 1849: the square of the Pfaffian")
def determinant_of_skew(a: Tensor) -> Claim:
    """det a ≥ 0 for a skew a."""
    return nonnegative(det(a)), skew(a)


# Integers and probabilities ----------------------------------------------------------------


@matrix_properties.fact(cite="declared")
def declared_integer(x: Variable) -> Claim:
    """A variable that is declared integer is."""
    return whole(declared(x)), is_declared(x, "integer")


@matrix_properties.fact(cite=ORDER)
def integer_constant(c: Number, n: Dims) -> Claim:
    """A constant is an integer if its number is."""
    return whole(const(c, n)), is_integer(c)


@matrix_properties.fact(cite="definition of an indicator")
def integer_indicator(n: Dims, p: Constraints) -> Claim:
    """An indicator is 0 or 1."""
    return whole(indicator(n, p))


@matrix_properties.fact(cite="definition of the delta")
def integer_delta(n: Dims) -> Claim:
    """δ is 0 or 1."""
    return whole(delta(n))


@matrix_properties.fact(cite="a size is a count")
def integer_size(d: object) -> Claim:
    """A size is an integer."""
    return whole(size(d))


@matrix_properties.fact(cite="definition of a selection")
def integer_selection(n: Dims, a: Tensor) -> Claim:
    """A selection is 0 or 1."""
    return whole(selection(n, a))


@matrix_properties.fact(cite="places are counted")
def integer_argsort(k: int, a: Tensor) -> Claim:
    """Places are integers."""
    return whole(argsort(k, a))


@matrix_properties.fact(cite="the ring of integers")
def integer_sum(a: Tensor, b: Tensor) -> Claim:
    """a + b is an integer if a and b are."""
    return whole(add(a, b)), whole(a), whole(b)


@matrix_properties.fact(cite="the ring of integers")
def integer_product(s: Spec, a: Tensor, b: Tensor) -> Claim:
    """A product, summed or not, is an integer if its factors are."""
    return whole(ein(s, a, b)), whole(a), whole(b)


@matrix_properties.fact(cite="the ring of integers")
def integer_multiple(c: Number, a: Tensor) -> Claim:
    """c·a is an integer if c and a are."""
    return whole(scale(c, a)), whole(a), is_integer(c)


@matrix_properties.fact(cite="the ring of integers")
def integer_entries(s: Spec, a: Tensor) -> Claim:
    """Entries of integers, and sums of them, are integers."""
    return whole(ein1(s, a)), whole(a)


@matrix_properties.fact(cite="the ring of integers")
def integer_power(a: Tensor, p: Number) -> Claim:
    """aᵖ is an integer if a is, for a natural p."""
    return whole(power(a, p)), whole(a), is_natural_number(p)


@matrix_properties.fact(cite="definition of the function")
def integer_function(f: str, a: Tensor) -> Claim:
    """⌊a⌋, ⌈a⌉ and signs are integers."""
    return whole(fn(f, a)), is_integer_valued(f)


@matrix_properties.fact(cite="definition of the function")
def function_of_integer(f: str, a: Tensor) -> Claim:
    """|a| and relu a are integers if a is."""
    return whole(fn(f, a)), whole(a), keeps_integers(f)


@matrix_properties.fact(cite="definition of the function")
def function_of_integers(f: str, a: Tensor, b: Tensor) -> Claim:
    """The maximum and the minimum of a and b are integers if both are."""
    return whole(fn(f, a, b)), whole(a), whole(b), keeps_integers(f)


@matrix_properties.fact(cite="Leibniz formula")
def integer_determinant(a: Tensor) -> Claim:
    """det a is an integer if a is."""
    return whole(det(a)), whole(a)


@matrix_properties.fact(cite="declared")
def declared_probability(x: Variable) -> Claim:
    """The entries of a variable that is declared a probability are, together."""
    return distribution(declared(x)), is_declared(x, "probability")


@matrix_properties.fact(cite="definition")
def probability_is_nonnegative(a: Tensor) -> Claim:
    """A probability is nonnegative."""
    return nonnegative(a), distribution(a)


@matrix_properties.fact(cite="definition")
def probability_at_most_one(a: Tensor) -> Claim:
    """A probability is at most 1."""
    return at_most_one(a), distribution(a)
