"""Words and forms that people read: names of functions, norms, traces, transposes of wholes.

They serve no computation: what is printed in matrix notation or LaTeX is chosen among them.
"""

from eggrad.engine.networks.fractions import in_lowest_terms
from eggrad.engine.networks.sums_and_products import (
    all_distributed,
    distributed_where,
    every_network,
    every_sum,
    inverts,
    matrices_out_of_sum,
    powers_out_of_sum,
    with_base_in_power,
    with_matrix_powers,
    with_means,
)
from eggrad.rules.functions.branches import OF_CHOICE
from eggrad.rules.notation import *

names = Ruleset(
    "names",
    "functions of whole vectors by their names",
    "none: one further e-node for each function",
)

reading = Ruleset(
    "reading", "forms that people read", "none: a few further e-nodes of each e-class"
)


names.state(
    BLANCHARD,
    sum_of_exp=(ein1(s, exp(a)) >> exp(logsumexp(s, a)))
    .when(sums_axes(s))
    .noted("Σ exp a = exp(log Σ exp a), and the logarithm is computed around the largest a."),
    exp_over_sum=(exp_difference(a, ein(t, logsumexp(s, a), const(1, n))) >> softmax(s, a))
    .when(spreads_again(t, s))
    .noted("exp(a - log Σ exp a) = exp a / Σ exp a, with one exponential for each entry."),
    exp_less_log_of_sum=(
        exp(a + -1 * ein(t, logsumexp(s, a), const(1, n)))
        >> exp_difference(a, ein(t, logsumexp(s, a), const(1, n)))
    )
    .when(spreads_again(t, s))
    .noted(
        "exp(a + (-1)·log Σ exp a) is the exponential of a difference, which does not overflow."
    ),
    root_of_sum_of_squares=(ein(s, a, a) ** p >> norm(squared_sum(s), a) ** doubled(p)).noted(
        "(Σ a²)ᵖ = ‖a‖²ᵖ, for p = ±1/2, ±3/2, …: the squares need not be representable.",
        domain="a ≠ 0 where the exponent is negative",
        cite=BLUE,
    ),
)

reading.state(
    "definition of the norm",
    sum_of_squares_is_squared_norm=(ein(s, a, a) >> norm(squared_sum(s), a) ** 2).noted(
        "Σ a² = ‖a‖²."
    ),
    sum_of_moduli_is_norm=(ein1("i->", abs(a)) >> norm1(parse_spec("i->"), a)).noted(
        "Σ |a| = ‖a‖₁, for a vector."
    ),
    positive_part_of_sign=(relu(sign(a)) >> step(a)).noted(
        "max(sign a, 0) = [a > 0].", cite=DEFINITION
    ),
    choice_of_multiple=(where(d, c * a, const(0, n)) >> c * where(d, a, const(0, n))).noted(
        "A choice between c·a and 0 is c times one of a.", cite=OF_CHOICE
    ),
    mean_of_tests=(
        where(greater_equal(a, b), (1 + equal(a, b)) ** -1, const(0, n))
        >> HALF * (1 + sign(a + -1 * b))
    )
    .when(total(a), total(b))
    .noted(
        "What is 1 where a > b, 1/2 where a = b, else 0, is (1 + sign(a - b))/2.", cite=DEFINITION
    ),
    mean_of_tests_times=(
        where(greater_equal(a, b), d * (1 + equal(a, b)) ** -1, const(0, n))
        >> HALF * (d + d * sign(a + -1 * b))
    )
    .when(total(a), total(b), total(d))
    .noted(
        "What is d where a > b, half of it where a = b, else 0, is (d + d·sign(a - b))/2.",
        cite=DEFINITION,
    ),
    product_is_divide_by_root=(ein(s, a, b**p) >> a / b**-p)
    .when(meets(s, dims(a), dims(b)), ~is_integer(p), p < 0)
    .noted(
        "a·b⁻ᵖ = a / bᵖ, entry by entry, for a fraction p.",
        domain="b > 0",
        cite="laws of exponents",
    ),
    transposed_product=(ein(s, a, b) >> ein(compose(((0, 1), (1, 0)), s), a, b).T)
    .when(multiplies_matrices(s))
    .noted(
        "a·b = (b'·a')', for matrices: a whole may be transposed instead of its factors.",
        cite="transpose of a product",
    ),
    sum_of_transposes=(a.T + b.T >> (a + b).T).noted(
        "a' + b' = (a + b)', before products take the transposes up.", cite="linearity"
    ),
    sign_into_function=(c * ein1(s, f(a + -1 * b)) >> -c * ein1(s, f(b + -1 * a)))
    .when(c < 0, f.parity == "odd")
    .noted("(-c)·Σ f(a + (-1)·b) = c·Σ f(b + (-1)·a), for an odd f.", cite="f is odd"),
    sign_into_function_of_factor=(c * ein(s, f(a + -1 * b), d) >> -c * ein(s, f(b + -1 * a), d))
    .when(c < 0, f.parity == "odd")
    .noted("(-c)·(f(a + (-1)·b)·d) = c·(f(b + (-1)·a)·d), for an odd f.", cite="f is odd"),
    quotient_of_roots=(a**p * b**q >> (a / b) ** p)
    .when(~is_integer(p), opposite(p, q))
    .noted(
        "aᵖ·b⁻ᵖ = (a/b)ᵖ, for a fraction p.",
        domain="a ≥ 0, b > 0",
        cite="laws of exponents",
        widens=True,
    ),
    sign_into_factor=(c * ein(s, a + -1 * b, d) >> -c * ein(s, b + -1 * a, d))
    .when(c < 0)
    .noted("(-c)·((a + (-1)·b)·d) = c·((b + (-1)·a)·d).", cite=RING),
)


def _inverse_of_scaled(matrix: str, vector: str, out: str) -> Row:
    """The law for a matrix whose rows or columns a vector multiplies, or the transpose of that."""
    inverse = ein(f"{matrix[::-1]},{vector}->{out[::-1]}", inv(a), b**-1)
    return (inv(ein(f"{matrix},{vector}->{out}", a, b)) >> inverse).when(is_square(dims(a)))


reading.state(
    f"{COOKBOOK}, equation 1",
    inverse_of_scaled_rows=_inverse_of_scaled("ij", "i", "ij").noted(
        "(diag(b)·a)⁻¹ = a⁻¹·diag(b)⁻¹.", domain="a invertible, b ≠ 0"
    ),
    inverse_of_scaled_columns=_inverse_of_scaled("ij", "j", "ij").noted(
        "(a·diag(b))⁻¹ = diag(b)⁻¹·a⁻¹.", domain="a invertible, b ≠ 0"
    ),
    inverse_of_turned_rows=_inverse_of_scaled("ij", "i", "ji").noted(
        "(a'·diag(b))⁻¹ = diag(b)⁻¹·(a⁻¹)'.", domain="a invertible, b ≠ 0"
    ),
    inverse_of_turned_columns=_inverse_of_scaled("ij", "j", "ji").noted(
        "(diag(b)·a')⁻¹ = (a⁻¹)'·diag(b)⁻¹.", domain="a invertible, b ≠ 0"
    ),
)

reading.state(
    RING,
    matrix_out_of_sum=Bulk(matrices_out_of_sum, every_sum).noted(
        "d·M + u·v'·M = (diag(d) + u·v')·M, where all terms of a sum have a matrix at one end."
    ),
    terms_distributed=Bulk(all_distributed, every_sum).noted(
        "(1 - a)·b + (b - 1)·a = b - a: distributed where there are no more terms then."
    ),
    sum_times_inverted=Bulk(distributed_where(inverts), every_network).noted(
        "(a + (c·d)⁻¹)·c = a·c + d⁻¹, for matrices: distributed where an inverse goes.",
        sizeless=True,
    ),
    power_out_of_sum=Bulk(powers_out_of_sum, every_sum).noted(
        "a·xᵖ + b·x^(p+k) = xᵖ·(a + b·xᵏ), for a whole k and an exponent p that is no number.",
        cite="laws of exponents",
        exceptions="x = 0",
        sizeless=True,
    ),
    fraction_in_lowest_terms=Bulk(in_lowest_terms).noted(
        "a/c + b/d = (a·d + b·c)/(c·d), without the factors that are above and below.",
        exceptions="what is divided by is 0",
        sizeless=True,
    ),
    mean=Bulk(with_means, every_network).noted(
        "Σ a / n is the mean of the n entries of a vector.", cite=DEFINITION, sizeless=True
    ),
    base_in_power=Bulk(with_base_in_power, every_network).noted(
        "a·b·(a·b)ᵖ = (a·b)^(p+1), for an exponent p that is no number.",
        cite="laws of exponents",
        exceptions="a·b = 0",
        sizeless=True,
    ),
    matrix_powers=Bulk(with_matrix_powers, every_network).noted(
        "A·A·…·A = Aᵏ, for equal matrices that follow each other in a product.",
        cite="definition of powers",
    ),
)
