"""Identities that the rules prove, each with rules that suffice."""

from collections.abc import Sequence
from fractions import Fraction

from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    delta,
    divide,
    einsum,
    negate,
    power,
    size,
    subtract,
    variable,
)
from eggrad.rules.standard import RULESETS

__all__ = ["IDENTITIES", "chosen"]

n, m = "n", "m"
x, y, z = (variable(name, (n,)) for name in "xyz")
A, B = variable("A", (n, m)), variable("B", (m, n))
C, E = variable("C", (n, n)), variable("E", (n, n))
Q = variable("Q", (n, n), ["invertible"])
ones = constant(1, (n,))
tanh, exp = apply("tanh", x), apply("exp", x)


def product(a: Term, b: Term) -> Term:
    return einsum("ij,jk->ik", a, b)


def applied(a: Term, v: Term) -> Term:
    return einsum("ij,j->i", a, v)


def dot(a: Term, b: Term) -> Term:
    return einsum("i,i->", a, b)


def entries(a: Term, b: Term) -> Term:
    return einsum("i,i->i", a, b)


def transposed(a: Term) -> Term:
    return einsum("ij->ji", a)


def trace(a: Term) -> Term:
    return einsum("ii->", a)


def multiple(number: int, a: Term) -> Term:
    return einsum(",i->i", constant(number), a)


def power_of(a: Term, exponent: int | Fraction) -> Term:
    return power(a, constant(exponent))


# Both sides, and rules that suffice, of which none can be left out.
IDENTITIES: dict[str, tuple[Term, Term, str]] = {
    "log exp": (apply("log", exp), x, "log_of_exp"),
    "cyclic trace": (
        trace(product(A, B)),
        trace(product(B, A)),
        "unary_of_product same_network",
    ),
    "cyclic trace of three": (
        trace(product(product(C, E), Q)),
        trace(product(Q, product(C, E))),
        "unary_of_product same_network",
    ),
    "transpose of a product": (
        transposed(product(A, B)),
        product(transposed(B), transposed(A)),
        "product_of_unary unary_of_product",
    ),
    "transpose of three": (
        transposed(product(product(C, E), Q)),
        product(transposed(Q), product(transposed(E), transposed(C))),
        "unary_of_product same_network",
    ),
    "product with the identity": (product(delta((n,)), C), C, "delta_sift unary_identity"),
    "trace by a delta": (einsum("ij,ij->", delta((n,)), C), trace(C), "delta_sift"),
    "product of deltas": (
        product(delta((n,)), delta((n,))),
        delta((n,)),
        "delta_times_delta delta_alone product_with_constant unary_identity scale_by_one",
    ),
    "product with a diagonal matrix": (
        product(einsum("ij,j->ij", delta((n,)), x), C),
        einsum("i,ij->ij", x, C),
        "factor_apart delta_sift unary_of_product",
    ),
    "trace of the identity": (
        trace(delta((n,))),
        size(n),
        "delta_alone delta_of_nothing unary_identity scale_by_one product_with_constant "
        "sum_of_constant",
    ),
    "distributivity": (
        entries(add(x, y), apply("exp", z)),
        add(entries(x, apply("exp", z)), entries(y, apply("exp", z))),
        "common_factors same_network",
    ),
    "distributivity of matrices": (
        product(add(C, E), Q),
        add(product(C, Q), product(E, Q)),
        "common_factors same_network",
    ),
    "exp of a sum": (
        entries(exp, apply("exp", y)),
        apply("exp", add(y, x)),
        "product_of_exp same_sum",
    ),
    "one over exp": (
        power_of(exp, -1),
        apply("exp", negate(x)),
        "power_of_exp negate_is_scale",
    ),
    "tanh' by a square": (
        subtract(ones, entries(tanh, tanh)),
        subtract(ones, power_of(tanh, 2)),
        "square_is_product",
    ),
    "tanh' without a difference": (
        subtract(ones, power_of(tanh, 2)),
        add(negate(entries(tanh, tanh)), ones),
        "square_is_product same_sum",
    ),
    "tanh' as a product": (
        subtract(ones, power_of(tanh, 2)),
        entries(subtract(ones, tanh), add(ones, tanh)),
        "exponential_fraction",
    ),
    "sigmoid": (
        divide(exp, add(ones, exp)),
        divide(ones, add(ones, apply("exp", negate(x)))),
        "exponential_fraction",
    ),
    "sine and cosine": (
        add(power_of(apply("sin", x), 2), power_of(apply("cos", x), 2)),
        ones,
        "sine_cosine",
    ),
    "quotient of a product": (
        divide(entries(x, y), y),
        x,
        "divide_is_product factors_together product_with_narrower_power power_zero "
        "product_with_constant scale_by_one unary_identity",
    ),
    "inverse beside its matrix": (
        product(apply("inv", Q), product(Q, C)),
        C,
        "factors_together inverse_times_matrix delta_sift unary_identity unary_of_unary",
    ),
    "solution of a system": (
        applied(Q, applied(apply("inv", Q), x)),
        x,
        "factors_together matrix_times_inverse delta_sift unary_identity",
    ),
    "inverse of an inverse": (
        apply("inv", transposed(apply("inv", Q))),
        transposed(Q),
        "inverse_of_transpose inverse_of_inverse",
    ),
    "determinant of an inverse": (
        apply("det", transposed(apply("inv", Q))),
        divide(constant(1), apply("det", Q)),
        "divide_is_product det_of_transpose det_of_inverse scale_by_one",
    ),
    "adjugate": (
        product(apply("adj", Q), Q),
        einsum(",ij->ij", apply("det", Q), delta((n,))),
        "adjugate_times_matrix",
    ),
    "what is added and subtracted": (add(x, subtract(y, x)), y, "like_terms"),
    "like terms": (add(multiple(2, x), multiple(3, x)), multiple(5, x), "like_terms"),
    "like terms after a rewrite": (
        add(multiple(2, x), apply("log", apply("exp", multiple(-2, x)))),
        constant(0, (n,)),
        "log_of_exp like_terms",
    ),
    "odd function": (
        apply("sin", negate(x)),
        negate(apply("sin", x)),
        "negate_is_scale odd_function",
    ),
    "tangent": (
        divide(apply("sin", x), apply("cos", x)),
        apply("tan", x),
        "divide_is_product sine_over_cosine",
    ),
    "parts of relu": (
        subtract(apply("relu", x), apply("relu", negate(x))),
        x,
        "negate_is_scale relu_parts",
    ),
    "quadratic form": (
        dot(x, applied(C, x)),
        dot(applied(transposed(C), x), x),
        "same_network",
    ),
    "outer product applied": (
        applied(einsum("i,j->ij", x, y), z),
        einsum(",i->i", dot(y, z), x),
        "same_network",
    ),
    "both operands at once": (entries(tanh, tanh), power_of(tanh, 2), "square_is_product"),
    "everything cancels": (
        entries(negate(negate(x)), negate(negate(x))),
        entries(x, x),
        "negate_is_scale scale_scale scale_by_one",
    ),
}


def chosen(names: str | Sequence[str]) -> list[Ruleset]:
    """The rulesets with the named rules alone."""
    wanted = names.split() if isinstance(names, str) else list(names)
    found: list[Ruleset] = []
    for full in RULESETS:
        every = [r.name for r in full.laws]
        found.append(full.without(*(name for name in every if name not in wanted)))
    assert len(set(wanted)) == sum(len(s.rules) + len(s.bulk_rules) for s in found)
    return found
