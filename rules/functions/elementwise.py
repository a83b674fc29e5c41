"""Identities of the element-wise functions, and what they are where a sign is known."""

from eggrad.rules.notation import *

functions = Ruleset(
    "functions", "element-wise functions: shorter forms", "the number of element-wise functions"
)

identities = Ruleset(
    "identities", "element-wise functions: other forms", "none: ended by the budget of its stage"
)

signs = Ruleset(
    "signs",
    "signs, and functions of what is positive by its form",
    "the number of element-wise functions",
)


functions.state(
    DEFINITION,
    log_of_exp=(log(exp(a)) >> a).noted(cite=HANDBOOK),
    exp_of_log=(exp(log(a)) >> a)
    .when(positive(a))
    .noted(domain="a > 0", widens=True, cite=HANDBOOK),
    function_of_inverse=(f(h(a)) >> a)
    .when(undoes(f, h), within_one(a))
    .noted(
        "sin arcsin a = a and cos arccos a = a.", domain="-1 ≤ a ≤ 1", widens=True, cite=HANDBOOK
    ),
    function_of_spread=(
        f(ein(s, const(1, n), a))
        >> ein(spread_apart(s)[1], const(1, n), f(ein1(spread_apart(s)[0], a)))
    ).noted("f(a ⊗ 1) = f(a) ⊗ 1.", replaces=True, cite="a function of every entry"),
)

functions.state(
    HANDBOOK,
    tangent_of_inverse=tan(arctan(a)) >> a,
    odd_function=(f(-1 * a) >> -1 * f(a))
    .when(f.parity == "odd")
    .noted("f(-a) = -f(a) for sin, tan, arcsin, arctan, tanh and sign."),
    even_function=(f(-1 * a) >> f(a))
    .when(f.parity == "even")
    .noted("f(-a) = f(a) for cos and abs."),
    product_of_exp=exp(a) * exp(b) >> exp(a + b),
    power_of_exp=exp(a) ** p >> exp(p * a),
    exp_of_multiple=(exp(p * a) >> exp(a) ** p)
    .when(is_integer(p))
    .noted("exp(p·a) = (exp a)ᵖ for whole p; else exp a may overflow where exp(p·a) does not."),
    sine_cosine=sin(a) ** 2 + cos(a) ** 2 >> 1,
    sine_over_cosine=(sin(a) * cos(a) ** -1 >> tan(a)).noted(domain="cos a ≠ 0"),
)

functions.state(
    DEFINITION,
    square_of_abs=abs(a) ** 2 >> a**2,
    abs_of_multiple=abs(c * a) >> magnitude(c) * abs(a),
    sign_of_multiple=sign(c * a) >> sign_of(c) * sign(a),
    relu_of_multiple=(relu(c * a) >> c * relu(a)).when(c > 0),
    sign_of_sign=sign(sign(a)) >> sign(a),
    sign_of_relu=sign(relu(a)) >> relu(sign(a)),
    sign_times_abs=sign(a) * abs(a) >> a,
    sign_times_itself=sign(a) * a >> abs(a),
    step_times_itself=relu(sign(a)) * a >> relu(a),
    step_times_relu=relu(sign(a)) * relu(a) >> relu(a),
    square_of_step=relu(sign(a)) * relu(sign(a)) >> relu(sign(a)),
    relu_parts=relu(a) - relu(-1 * a) >> a,
    abs_parts=relu(a) + relu(-1 * a) >> abs(a),
    relu_by_abs=a + abs(a) >> 2 * relu(a),
    maximum_of_same=maximum(a, a) >> a,
    minimum_of_same=minimum(a, a) >> a,
    maximum_of_increasing=(maximum(f(a), f(b)) >> f(maximum(a, b)))
    .when(f.total, f.monotone == "increasing", a != f(a), b != f(b))
    .noted(
        "max(f(a), f(b)) = f(max(a, b)), for an f that never falls; f(a) = a would have no end.",
        cite=ORDER,
    ),
    minimum_of_increasing=(minimum(f(a), f(b)) >> f(minimum(a, b)))
    .when(f.total, f.monotone == "increasing", a != f(a), b != f(b))
    .noted(
        "min(f(a), f(b)) = f(min(a, b)), for an f that never falls; f(a) = a would have no end.",
        cite=ORDER,
    ),
)

identities.state(
    HANDBOOK,
    log_of_power=(log(a**p) >> p * log(a))
    .when(keeps_sign(p))
    .noted("log(aᵖ) = p·log a, for an odd integer or a fraction p: where one side is real, a > 0."),
    tangent_of=(tan(a) * cos(a) >> sin(a)).noted("tan·cos = sin, where cos a ≠ 0."),
)

signs.state(
    DEFINITION,
    quotient_by_abs=(a * abs(a) ** -1 >> sign(a))
    .when(nonzero(abs(a)))
    .noted(domain="a ≠ 0", widens=True),
    abs_over_itself=(abs(a) * a**-1 >> sign(a)).when(nonzero(a)).noted(domain="a ≠ 0", widens=True),
    abs_of_nonnegative=(abs(a) >> a)
    .when(nonnegative(a))
    .noted("|a| = a for what is nonnegative.", domain="a ≥ 0"),
    relu_of_nonnegative=(relu(a) >> a)
    .when(nonnegative(a))
    .noted("relu a = a for what is nonnegative.", domain="a ≥ 0"),
    sign_of_positive=(sign(a) >> 1)
    .when(positive(a))
    .noted("sign a = 1 for what is positive.", domain="a > 0"),
)
