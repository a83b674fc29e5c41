"""Functions by others, determinants and inverses by smaller ones: what comparing needs.

They make terms longer, so no simplification runs them.
"""

from eggrad.rules.functions.branches import OF_CHOICE
from eggrad.rules.notation import *

definitions = Ruleset(
    "definitions",
    "functions, determinants and inverses by others, for comparing",
    "none: ended by the budget of its stage",
)


definitions.state(
    "definition of the function",
    total_variable=total(declared(X)).noted(
        cite="the values of variables are numbers, wherever terms are compared"
    ),
    tanh_by_exp=(tanh(a) >> 1 - 2 * (exp(a) ** 2 + 1) ** -1).noted(
        cite=f"{HANDBOOK}, equation 4.5.3"
    ),
    tan_by_sine=(tan(a) >> sin(a) * cos(a) ** -1).noted(
        domain="cos a ≠ 0", cite=f"{HANDBOOK}, equation 4.3.3"
    ),
    relu_as_mean=relu(a) >> HALF * (a + abs(a)),
    sine_of_sum=(sin(a + b) >> sin(a) * cos(b) + cos(a) * sin(b)).noted(
        cite=f"{HANDBOOK}, equation 4.3.16"
    ),
    cosine_of_sum=(cos(a + b) >> cos(a) * cos(b) - sin(a) * sin(b)).noted(
        cite=f"{HANDBOOK}, equation 4.3.17"
    ),
    sine_of_double=(sin(2 * a) >> 2 * (sin(a) * cos(a))).noted(
        cite=f"{HANDBOOK}, equations 4.3.24 and 4.3.25"
    ),
    cosine_of_double=(cos(2 * a) >> 1 - 2 * sin(a) ** 2).noted(cite=f"{HANDBOOK}, equation 4.3.25"),
    maximum_by_abs=maximum(a, b) >> HALF * (a + b + abs(a - b)),
    minimum_by_abs=minimum(a, b) >> HALF * (a + b - abs(a - b)),
)


definitions.state(
    "definition of the function",
    comparison_by_sign=(greater(a, b) >> HALF * (abs(sign(a - b)) + sign(a - b)))
    .when(total(a), total(b))
    .noted("[a > b] = (|s| + s)/2, where s = sign(a - b)."),
    weak_comparison_by_sign=(greater_equal(a, b) >> 1 - HALF * (abs(sign(a - b)) - sign(a - b)))
    .when(total(a), total(b))
    .noted("[a ≥ b] = 1 - (|s| - s)/2, where s = sign(a - b)."),
    sign_of_difference=(sign(a + -1 * b) >> -1 * sign(b + -1 * a)).noted(cite="sign is odd"),
    equality_by_sign=(equal(a, b) >> 1 - abs(sign(a - b))).when(total(a), total(b)),
    inequality_by_sign=(not_equal(a, b) >> abs(sign(a - b))).when(total(a), total(b)),
    negation_by_sign=(logical_not(a) >> 1 - abs(sign(a))).when(total(a)),
    conjunction_by_sign=(logical_and(a, b) >> abs(sign(a)) * abs(sign(b))).when(total(a), total(b)),
    disjunction_by_sign=(logical_or(a, b) >> 1 - (1 - abs(sign(a))) * (1 - abs(sign(b)))).when(
        total(a), total(b)
    ),
    choice_by_sign=(where(d, a, b) >> abs(sign(d)) * (a - b) + b)
    .when(total(d), total(a), total(b))
    .noted("A choice is |sign d|·(a - b) + b, where both branches are defined.", cite=OF_CHOICE),
    sign_of_test=(sign(f(a)) >> f(a))
    .when(f.is_test)
    .noted("The sign of a test is the test: 1 or 0."),
    sign_of_comparison=(sign(f(a, b)) >> f(a, b))
    .when(f.is_test)
    .noted("The sign of a comparison is the comparison: 1 or 0."),
    modulus_of_comparison=(abs(f(a, b)) >> f(a, b))
    .when(f.is_test)
    .noted("A comparison is nowhere negative."),
    modulus_of_sign=(abs(sign(a)) >> 1)
    .when(nonzero(a))
    .noted("|sign a| = 1 for what is nowhere 0.", domain="a ≠ 0"),
    square_of_sign=(sign(a) ** 2 >> 1)
    .when(nonzero(a))
    .noted("(sign a)² = 1 for what is nowhere 0.", domain="a ≠ 0"),
    floor_of_negative=floor(-1 * a) >> -1 * ceil(a),
    ceiling_by_floor=(ceil(a) >> floor(a) + 1)
    .when(nonzero(a - floor(a)))
    .noted("⌈a⌉ = ⌊a⌋ + 1 for what is no integer.", domain="a no integer"),
    truncation_by_floor=(trunc(a) >> floor(a) + relu(sign(-1 * a)))
    .when(nonzero(a - floor(a)))
    .noted(
        "Towards 0 is down, and one more below 0, for what is no integer.", domain="a no integer"
    ),
    relu_by_choice=(where(greater(a, const(0, n)), a, const(0, n)) >> relu(a))
    .when(total(a))
    .noted("What is positive, or else 0, is relu, if it is defined: where not, a comparison is 0."),
    modulus_by_choice=(where(greater_equal(a, const(0, n)), a, -1 * a) >> abs(a)).noted(
        "|a| is a where a ≥ 0, and -a elsewhere."
    ),
    maximum_by_choice=(where(greater(a, b), a, b) >> maximum(a, b))
    .when(total(a), total(b))
    .noted("max(a, b) is a where a > b, and b elsewhere."),
    maximum_by_weak_choice=(where(greater_equal(a, b), a, b) >> maximum(a, b))
    .when(total(a), total(b))
    .noted("max(a, b) is a where a ≥ b, and b elsewhere."),
    determinant_of_scaled=(
        det(ein(",ij->ij", b, a)) >> ein(",->", b ** size(dims(a)[0]), det(a))
    ).noted("det(b·a) = bⁿ·det a, for a scalar b and n rows.", cite=f"{COOKBOOK}, equation 19"),
    determinant_of_multiple=(
        det(c * a) >> ein(",->", const(c, ()) ** size(dims(a)[0]), det(a))
    ).noted("det(c·a) = cⁿ·det a, for a number c and n rows.", cite=f"{COOKBOOK}, equation 19"),
    determinant_with_identity=(
        det(delta(n) + ein(s, u, v))
        >> det(delta(inner_axis(s, dims(u))) + ein(exchanged_product(s), v, u))
    )
    .when(one_axis(n), multiplies_matrices(s))
    .noted(
        "det(δ + u·v) = det(δ + v·u), where the second δ has the other size.",
        cite="Sylvester 1851; Harville 1997, corollary 18.1.2",
    ),
    determinant_with_multiple=(
        det(delta(n) + c * ein(s, u, v))
        >> det(delta(inner_axis(s, dims(u))) + c * ein(exchanged_product(s), v, u))
    )
    .when(one_axis(n), multiplies_matrices(s))
    .noted(
        "det(δ + c·u·v) = det(δ + c·v·u), where the second δ has the other size.",
        cite="Sylvester 1851; Harville 1997, corollary 18.1.2",
    ),
    determinant_with_scaled=(
        det(delta(n) + ein(",ij->ij", b, ein(s, u, v)))
        >> det(delta(inner_axis(s, dims(u))) + ein(",ij->ij", b, ein(exchanged_product(s), v, u)))
    )
    .when(one_axis(n), multiplies_matrices(s))
    .noted(
        "det(δ + b·u·v) = det(δ + b·v·u), for a scalar b.",
        cite="Sylvester 1851; Harville 1997, corollary 18.1.2",
    ),
    determinant_with_scaled_identity=(
        det(a + ein(",ij->ij", b, delta(n)))
        >> ein(",->", b ** size(n[0]), det(delta(n) + ein(",ij->ij", b**-1, a)))
    )
    .when(one_axis(n), nonzero(b))
    .noted(
        "det(a + b·δ) = bⁿ·det(δ + b⁻¹·a), for a scalar b that is nowhere 0.",
        domain="b ≠ 0",
        cite=f"{COOKBOOK}, equation 19",
    ),
    determinant_of_diagonal=(det(ein("ij,i->ij", delta(n), a)) >> exp(ein1("i->", log(a))))
    .when(one_axis(n), positive(a))
    .noted(
        "det diag(a) = exp(Σ log a), for a > 0.",
        domain="a > 0",
        cite="the determinant of a diagonal matrix",
    ),
    modulus_of_diagonal_determinant=(
        logabsdet(ein("ij,i->ij", delta(n), a)) >> ein1("i->", log(abs(a)))
    )
    .when(one_axis(n))
    .noted(
        "log |det diag(a)| = Σ log |a|.",
        cite="the determinant of a diagonal matrix",
    ),
    determinant_out_of_sum=(det(a + b) >> ein(",->", det(a), det(delta(dims(a)[-1:]) + inv(a) @ b)))
    .when(invertible(a))
    .noted(
        "det(a + b) = det a·det(δ + a⁻¹·b), for an a that is known to be invertible.",
        domain="a invertible",
        cite="Harville 1997, theorem 18.1.1",
    ),
    determinant_with_outer_product=(
        det(delta(n) + ein("i,j->ij", u, v)) >> const(1, ()) + ein("i,i->", u, v)
    )
    .when(one_axis(n))
    .noted("det(δ + u·v') = 1 + v'·u, for vectors.", cite="Harville 1997, corollary 18.1.3"),
    determinant_with_multiple_of_outer_product=(
        det(delta(n) + c * ein("i,j->ij", u, v)) >> const(1, ()) + c * ein("i,i->", u, v)
    )
    .when(one_axis(n))
    .noted("det(δ + c·u·v') = 1 + c·v'·u, for vectors.", cite="Harville 1997, corollary 18.1.3"),
    determinant_with_scaled_outer_product=(
        det(delta(n) + ein(",ij->ij", b, ein("i,j->ij", u, v)))
        >> const(1, ()) + ein(",->", b, ein("i,i->", u, v))
    )
    .when(one_axis(n))
    .noted(
        "det(δ + b·u·v') = 1 + b·v'·u, for vectors and a scalar b.",
        cite="Harville 1997, corollary 18.1.3",
    ),
    arctangent_of_reciprocal=(arctan(a**-1) >> 2 * arctan(const(1, dims(a))) - arctan(a))
    .when(positive(a))
    .noted(domain="a > 0", cite=f"{HANDBOOK}, equation 4.4.3"),
    modulus_of_nonpositive=(abs(a) >> -1 * a)
    .when(nonpositive(a))
    .noted("|a| = -a for what is at most 0.", domain="a ≤ 0"),
)


# Pseudoinverses of one matrix ----------------------------------------------------------------

PSEUDOINVERSE = "Penrose 1955, A generalized inverse for matrices"


definitions.state(
    PSEUDOINVERSE,
    pseudoinverse_of_invertible=(of_each("pseudoinverse", a) >> inv(a))
    .when(is_square(dims(a)), invertible(a))
    .noted("The pseudoinverse of an invertible matrix is the inverse.", domain="a invertible"),
    pseudoinverse_by_columns=(
        of_each("pseudoinverse", a) >> ein("ij,kj->ik", inv(ein("ij,ik->jk", a, a)), a)
    )
    .when(is_matrix(dims(a)), invertible(ein("ij,ik->jk", a, a)))
    .noted("a⁺ = (a'·a)⁻¹·a', where the columns are independent.", domain="a'·a invertible"),
    pseudoinverse_by_rows=(
        of_each("pseudoinverse", a) >> ein("ij,ik->jk", a, inv(ein("ij,kj->ik", a, a)))
    )
    .when(is_matrix(dims(a)), invertible(ein("ij,kj->ik", a, a)))
    .noted("a⁺ = a'·(a·a')⁻¹, where the rows are independent.", domain="a·a' invertible"),
    pseudoinverse_of_transpose=of_each("pseudoinverse", a.T) >> of_each("pseudoinverse", a).T,
    pseudoinverse_of_pseudoinverse=of_each("pseudoinverse", of_each("pseudoinverse", a)) >> a,
    pseudoinverse_of_multiple=(
        of_each("pseudoinverse", c * a) >> reciprocal(c) * of_each("pseudoinverse", a)
    ).when(c != 0),
    pseudoinverse_between=(a @ of_each("pseudoinverse", a)) @ a >> a,
    pseudoinverse_around=(of_each("pseudoinverse", a) @ a) @ of_each("pseudoinverse", a)
    >> of_each("pseudoinverse", a),
    projection_on_columns=(
        (a @ of_each("pseudoinverse", a)).T >> a @ of_each("pseudoinverse", a)
    ).noted("a·a⁺ is symmetric."),
    projection_on_rows=(
        (of_each("pseudoinverse", a) @ a).T >> of_each("pseudoinverse", a) @ a
    ).noted("a⁺·a is symmetric."),
)
