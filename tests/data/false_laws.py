"""Laws that are false: everywhere, at one point, far out, in a window, at ties, at some sizes."""

# pyright: reportGeneralTypeIssues=false

from eggrad.rules.notation import *

laws = Ruleset("laws", "false laws, to be refuted", "nothing")
THIRD = Number(1, 3)


def f(name: str, *args: Any) -> Tensor:
    """A function of tensors, by its name."""
    return fn(name, *args)


# What each is false at stands beside it.
laws.state(
    "nobody",
    # Far out, or in a window.
    relu_shifted=relu(a + 41) >> a + 41,
    minimum_of_large=minimum(a, 300) >> a,
    maximum_of_low=maximum(a, -250) >> a,
    sign_far=sign(a - 57) >> -1,
    modulus_far=abs(a + 33) >> a + 33,
    window_of_relu=relu(Number(1, 40) - abs(a - Number(13, 6))) >> 0,
    remainder_of_large=mod(relu(a), 700) >> relu(a),
    capped_exponential=minimum(exp(a), 10**9) >> exp(a),
    choice_far=where(greater(a, 45), a, 0) >> 0,
    floor_of_part=floor(Number(1, 90) * a) >> -1 * relu(sign(-1 * a)),
    # At one point.
    square_is_positive=sign((a - 4) ** 2) >> 1,
    sign_of_modulus=sign(abs(a + 3)) >> 1,
    quotient_by_itself=a / a >> 1,
    power_of_difference=(a - 2) * (a - 2) ** -1 >> 1,
    test_of_seven=equal(a, 7) >> 0,
    inequality_of_nine=not_equal(a, Number(9, 4)) >> 1,
    strict_for_weak=greater(a, b) >> greater_equal(a, b),
    negation_of_strict=logical_not(greater(a, b)) >> greater(b, a),
    sign_by_choice=where(greater(a, 0), 1 + 0 * a, -1) >> sign(a),
    # At ties, integers and halves.
    ceiling_above_floor=ceil(a) >> floor(a) + 1,
    rounding_by_floor=f("round", 3 * a) >> floor(3 * a + HALF),
    truncation_is_floor=trunc(a) >> floor(a),
    floor_of_sum=floor(a + b) >> floor(a) + floor(b),
    floor_of_double=floor(2 * a) >> 2 * floor(a),
    remainder_of_negative=mod(-1 * a, 3) >> 3 - mod(a, 3),
    # In slopes and curvature.
    tangent_line=tanh(Number(1, 500) * a) >> Number(1, 500) * a,
    sine_line=sin(Number(1, 300) * a) >> Number(1, 300) * a,
    arcsine_of_sine=arcsin(sin(Number(1, 9) * a)) >> Number(1, 9) * a,
    logarithm_of_sum=log(a + b) >> log(a) + log(b),
    exponential_of_product=exp(a * b) >> exp(a) * exp(b),
    cosine_of_sum_alone=cos(a + b) >> cos(a) * cos(b) + sin(a) * sin(b),
    root_of_sum=(a**2 + b**2) ** HALF >> abs(a) + abs(b),
    root_of_fourth=(a**4) ** HALF >> a**2 + 0 * log(a),
    # Of signs and domains.
    root_of_plain_square=(a**2) ** HALF >> a,
    exponential_of_logarithm=exp(log(a)) >> a,
    logarithm_of_plain_square=log(a**2) >> 2 * log(a),
    relu_of_any_multiple=relu(c * a) >> c * relu(a),
    modulus_of_any_multiple=abs(c * a) >> c * abs(a),
    maximum_times=maximum(c * a, c * b) >> c * maximum(a, b),
    # Of matrices and indices.
    determinant_of_triple=det(3 * a) >> 9 * det(a),
    determinant_of_sum=det(a + b) >> det(a) + det(b),
    inverse_of_sum=inv(a + b) >> inv(a) + inv(b),
    commuting=a @ b >> b @ a,
    gram_is_square=a.T @ a >> a @ a,
    transposed_in_order=(a @ b).T >> a.T @ b.T,
    inverse_in_order=inv(a @ b) >> inv(a) @ inv(b),
    adjugate_of_double=adj(2 * a) >> 2 * adj(a),
    trace_of_product=ein1("ii->", a @ b) >> ein(",->", ein1("ii->", a), ein1("ii->", b)),
    sum_of_squares=ein1("i->", a * a) >> ein(",->", ein1("i->", a), ein1("i->", a)),
)
