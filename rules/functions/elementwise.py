"""Identities of the element-wise functions, and what they are where a sign is known."""

from eggrad.engine.laws.primitives import (
    before_constant,
    constant_spreads,
    is_increasing,
    keeps_sign,
    magnitude,
    sign_of,
    spread_by_constant,
    undoes,
)
from eggrad.engine.laws.properties import nonzero as nowhere_zero
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


@functions.rule(cite=HANDBOOK)
def log_of_exp(a: Tensor) -> Statement:
    """log exp a = a."""
    return fn("log", fn("exp", a)) >> a


@functions.rule(cite=HANDBOOK, domain="a > 0", widens=True)
def exp_of_log(a: Tensor) -> Statement:
    """exp log a = a."""
    return fn("exp", fn("log", a)) >> a, positive(a)


@functions.rule(cite=HANDBOOK, domain="-1 ≤ a ≤ 1", widens=True)
def function_of_inverse(f: Name, g: Name, a: Tensor) -> Statement:
    """sin arcsin a = a and cos arccos a = a."""
    return fn(f, fn(g, a)) >> a, undoes(f, g), within_one(a)


@functions.rule(cite="a function of every entry", replaces=True)
def function_of_spread(f: Name, s: Spec, n: Dims, a: Tensor) -> Statement:
    """f(a ⊗ 1) = f(a) ⊗ 1."""
    inner = fn(f, ein1(before_constant(s), a))
    return (
        fn(f, ein(s, const(1, n), a)) >> ein(spread_by_constant(s), const(1, n), inner),
        constant_spreads(s),
    )


@functions.rule(cite=HANDBOOK)
def tangent_of_inverse(a: Tensor) -> Statement:
    """tan arctan a = a."""
    return fn("tan", fn("arctan", a)) >> a


@functions.rule(cite=HANDBOOK)
def odd_function(f: Name, a: Tensor) -> Statement:
    """f(-a) = -f(a) for sin, tan, arcsin, arctan, tanh and sign."""
    return fn(f, scale(-1, a)) >> scale(-1, fn(f, a)), is_odd(f)


@functions.rule(cite=HANDBOOK)
def even_function(f: Name, a: Tensor) -> Statement:
    """f(-a) = f(a) for cos and abs."""
    return fn(f, scale(-1, a)) >> fn(f, a), is_even(f)


@functions.rule(cite=HANDBOOK)
def product_of_exp(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """exp a·exp b = exp(a + b)."""
    return ein(s, fn("exp", a), fn("exp", b)) >> fn("exp", add(a, b)), is_elementwise(s)


@functions.rule(cite=HANDBOOK)
def power_of_exp(a: Tensor, p: Number) -> Statement:
    """(exp a)ᵖ = exp(p·a)."""
    return power(fn("exp", a), p) >> fn("exp", scale(p, a))


@functions.rule(cite=HANDBOOK)
def exp_of_multiple(a: Tensor, p: Number) -> Statement:
    """exp(p·a) = (exp a)ᵖ for whole p; for fractions exp a may overflow where exp(p·a) does not."""
    return fn("exp", scale(p, a)) >> power(fn("exp", a), p), is_whole(p)


@functions.rule(cite=HANDBOOK)
def sine_cosine(a: Tensor) -> Statement:
    """sin² + cos² = 1."""
    return add(power(fn("sin", a), 2), power(fn("cos", a), 2)) >> const(1, dims(a))


@functions.rule(cite=HANDBOOK, domain="cos a ≠ 0")
def sine_over_cosine(s: Spec, a: Tensor) -> Statement:
    """sin / cos = tan."""
    return ein(s, fn("sin", a), power(fn("cos", a), -1)) >> fn("tan", a), is_elementwise(s)


@functions.rule(cite=DEFINITION)
def square_of_abs(a: Tensor) -> Statement:
    """|a|² = a²."""
    return power(fn("abs", a), 2) >> power(a, 2)


@functions.rule(cite=DEFINITION)
def abs_of_multiple(c: Number, a: Tensor) -> Statement:
    """|c·a| = |c|·|a|."""
    return fn("abs", scale(c, a)) >> scale(magnitude(c), fn("abs", a))


@functions.rule(cite=DEFINITION)
def sign_of_multiple(c: Number, a: Tensor) -> Statement:
    """sign(c·a) = sign c·sign a."""
    return fn("sign", scale(c, a)) >> scale(sign_of(c), fn("sign", a))


@functions.rule(cite=DEFINITION)
def relu_of_multiple(c: Number, a: Tensor) -> Statement:
    """relu(c·a) = c·relu a for c > 0."""
    return fn("relu", scale(c, a)) >> scale(c, fn("relu", a)), is_positive(c)


@functions.rule(cite=DEFINITION)
def sign_of_sign(a: Tensor) -> Statement:
    """sign sign a = sign a."""
    return fn("sign", fn("sign", a)) >> fn("sign", a)


@functions.rule(cite=DEFINITION)
def sign_of_relu(a: Tensor) -> Statement:
    """sign relu a = relu sign a."""
    return fn("sign", fn("relu", a)) >> fn("relu", fn("sign", a))


@functions.rule(cite=DEFINITION)
def sign_times_abs(s: Spec, a: Tensor) -> Statement:
    """sign a·|a| = a."""
    return ein(s, fn("sign", a), fn("abs", a)) >> a, is_elementwise(s)


@functions.rule(cite=DEFINITION)
def sign_times_itself(s: Spec, a: Tensor) -> Statement:
    """sign a·a = |a|."""
    return ein(s, fn("sign", a), a) >> fn("abs", a), is_elementwise(s)


@functions.rule(cite=DEFINITION)
def step_times_itself(s: Spec, a: Tensor) -> Statement:
    """relu sign a·a = relu a."""
    return ein(s, fn("relu", fn("sign", a)), a) >> fn("relu", a), is_elementwise(s)


@functions.rule(cite=DEFINITION)
def step_times_relu(s: Spec, a: Tensor) -> Statement:
    """relu sign a·relu a = relu a."""
    return (
        ein(s, fn("relu", fn("sign", a)), fn("relu", a)) >> fn("relu", a),
        is_elementwise(s),
    )


@functions.rule(cite=DEFINITION)
def square_of_step(s: Spec, a: Tensor) -> Statement:
    """(relu sign a)² = relu sign a."""
    step = fn("relu", fn("sign", a))
    return ein(s, step, step) >> step, is_elementwise(s)


@functions.rule(cite=DEFINITION)
def relu_parts(a: Tensor) -> Statement:
    """relu a - relu(-a) = a."""
    return subtract(fn("relu", a), fn("relu", scale(-1, a))) >> a


@functions.rule(cite=DEFINITION)
def abs_parts(a: Tensor) -> Statement:
    """relu a + relu(-a) = |a|."""
    return add(fn("relu", a), fn("relu", scale(-1, a))) >> fn("abs", a)


@functions.rule(cite=DEFINITION)
def relu_by_abs(a: Tensor) -> Statement:
    """a + |a| = 2·relu a."""
    return add(a, fn("abs", a)) >> scale(2, fn("relu", a))


@functions.rule(cite=DEFINITION)
def maximum_of_same(a: Tensor) -> Statement:
    """max(a, a) = a."""
    return fn("maximum", a, a) >> a


@functions.rule(cite=DEFINITION)
def minimum_of_same(a: Tensor) -> Statement:
    """min(a, a) = a."""
    return fn("minimum", a, a) >> a


@functions.rule(cite=ORDER)
def maximum_of_increasing(f: Name, a: Tensor, b: Tensor) -> Statement:
    """max(f(a), f(b)) = f(max(a, b)), for an f that never falls, where f(a) is not a itself."""
    return (
        fn("maximum", fn(f, a), fn(f, b)) >> fn(f, fn("maximum", a, b)),
        is_increasing(f),
        differ(fn(f, a), a),
        differ(fn(f, b), b),
    )


@functions.rule(cite=ORDER)
def minimum_of_increasing(f: Name, a: Tensor, b: Tensor) -> Statement:
    """min(f(a), f(b)) = f(min(a, b)), for an f that never falls, where f(a) is not a itself."""
    return (
        fn("minimum", fn(f, a), fn(f, b)) >> fn(f, fn("minimum", a, b)),
        is_increasing(f),
        differ(fn(f, a), a),
        differ(fn(f, b), b),
    )


@identities.rule(cite=HANDBOOK)
def log_of_power(a: Tensor, p: Number) -> Statement:
    """log(aᵖ) = p·log a, for an odd integer or a fraction p: where one side is real, a > 0."""
    return fn("log", power(a, p)) >> scale(p, fn("log", a)), keeps_sign(p)


@identities.rule(cite=HANDBOOK)
def tangent_of(s: Spec, a: Tensor) -> Statement:
    """tan·cos = sin, where cos a ≠ 0."""
    return ein(s, fn("tan", a), fn("cos", a)) >> fn("sin", a), is_elementwise(s)


@signs.rule(cite=DEFINITION, domain="a ≠ 0", widens=True)
def quotient_by_abs(s: Spec, a: Tensor) -> Statement:
    """a / |a| = sign a."""
    return (
        ein(s, a, power(fn("abs", a), -1)) >> fn("sign", a),
        is_elementwise(s),
        nowhere_zero(fn("abs", a)),
    )


@signs.rule(cite=DEFINITION, domain="a ≠ 0", widens=True)
def abs_over_itself(s: Spec, a: Tensor) -> Statement:
    """|a| / a = sign a."""
    return (
        ein(s, fn("abs", a), power(a, -1)) >> fn("sign", a),
        is_elementwise(s),
        nowhere_zero(a),
    )


@signs.rule(cite=DEFINITION, domain="a ≥ 0")
def abs_of_nonnegative(a: Tensor) -> Statement:
    """|a| = a for what is nonnegative."""
    return fn("abs", a) >> a, nonnegative(a)


@signs.rule(cite=DEFINITION, domain="a ≥ 0")
def relu_of_nonnegative(a: Tensor) -> Statement:
    """relu a = a for what is nonnegative."""
    return fn("relu", a) >> a, nonnegative(a)


@signs.rule(cite=DEFINITION, domain="a > 0")
def sign_of_positive(a: Tensor) -> Statement:
    """sign a = 1 for what is positive."""
    return fn("sign", a) >> const(1, dims(a)), positive(a)
