"""Signs: laws of `sign`, and what it, `abs` and `relu` are where a sign is known."""

from eggrad.engine.laws.language import Spec, Statement, Tensor, const, dims, ein, fn, power
from eggrad.engine.laws.properties import nonnegative, nonzero, positive
from eggrad.engine.laws.rule import Ruleset
from eggrad.rules.algebra.algebra import is_elementwise
from eggrad.rules.functions.elementwise import DEFINITION

signs = Ruleset(
    "signs",
    "signs, and functions of what is positive by its form",
    "the number of element-wise functions",
)


@signs.rule(cite=DEFINITION, domain="a ≠ 0", widens=True)
def quotient_by_abs(s: Spec, a: Tensor) -> Statement:
    """a / |a| = sign a."""
    return (
        ein(s, a, power(fn("abs", a), -1)) >> fn("sign", a),
        is_elementwise(s),
        nonzero(fn("abs", a)),
    )


@signs.rule(cite=DEFINITION, domain="a ≠ 0", widens=True)
def abs_over_itself(s: Spec, a: Tensor) -> Statement:
    """|a| / a = sign a."""
    return (
        ein(s, fn("abs", a), power(a, -1)) >> fn("sign", a),
        is_elementwise(s),
        nonzero(a),
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
