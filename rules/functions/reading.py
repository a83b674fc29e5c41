"""Words and forms that people read: names of functions, norms, traces, transposes of wholes.

They serve no computation: what is printed in matrix notation or LaTeX is chosen among them.
"""

from collections.abc import Iterator

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.language import exp_difference, logsumexp, norm, softmax
from eggrad.engine.laws.primitives import (
    doubled,
    is_negative,
    is_negative_fraction,
    meets,
    multiplies_matrices,
    opposite,
    spreads_again,
    squared_sum,
    sums_axes,
)
from eggrad.engine.networks.sums_and_products import (
    MAX_DISTRIBUTED,
    all_distributed,
    every_network,
    every_sum,
    from_left,
    matrices_out_of_sum,
    powers_out_of_sum,
    with_matrix_powers,
)
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import *

TRACE: Spec = ((0, 0), ())
CROSSWISE: Spec = ((0, 1), (1, 0), ())

names = Ruleset(
    "names",
    "functions of whole vectors by their names",
    "none: one further e-node for each function",
)
reading = Ruleset(
    "reading",
    "forms that people read",
    "none: a few further e-nodes of each e-class",
)


@names.rule(cite=BLANCHARD)
def sum_of_exp(s: Spec, a: Tensor) -> Statement:
    """Σ exp a = exp(log Σ exp a), and the logarithm is computed around the largest a."""
    return ein1(s, fn("exp", a)) >> fn("exp", logsumexp(s, a)), sums_axes(s)


@names.rule(cite=BLANCHARD)
def exp_over_sum(t: Spec, s: Spec, a: Tensor, n: Dims) -> Statement:
    """exp(a - log Σ exp a) = exp a / Σ exp a, with one exponential for each entry."""
    total = ein(t, logsumexp(s, a), const(1, n))
    return exp_difference(a, total) >> softmax(s, a), spreads_again(t, s)


@names.rule(cite=BLANCHARD)
def exp_less_log_of_sum(t: Spec, s: Spec, a: Tensor, n: Dims) -> Statement:
    """exp(a + (-1)·log Σ exp a) is the exponential of a difference, which does not overflow."""
    total = ein(t, logsumexp(s, a), const(1, n))
    return (
        fn("exp", add(a, scale(-1, total))) >> exp_difference(a, total),
        spreads_again(t, s),
    )


@names.rule(cite=BLUE, domain="a ≠ 0 where the exponent is negative")
def root_of_sum_of_squares(s: Spec, a: Tensor, p: Number) -> Statement:
    """(Σ a²)ᵖ = ‖a‖²ᵖ, for p = ±1/2, ±3/2, …: the squares need not be representable."""
    return power(ein(s, a, a), p) >> power(norm(squared_sum(s), a), doubled(p))


@reading.rule(cite="definition of the norm")
def sum_of_squares_is_squared_norm(s: Spec, a: Tensor) -> Statement:
    """Σ a² = ‖a‖²."""
    return ein(s, a, a) >> power(norm(squared_sum(s), a), 2)


@reading.rule(cite="laws of exponents", domain="b > 0")
def product_is_divide_by_root(s: Spec, a: Tensor, b: Tensor, p: Number) -> Statement:
    """a·b⁻ᵖ = a / bᵖ, entry by entry, for a fraction p."""
    return (
        ein(s, a, power(b, p)) >> divide(a, power(b, opposite(p))),
        meets(s, dims(a), dims(b)),
        is_negative_fraction(p),
    )


@reading.rule(cite="transpose of a product")
def transposed_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """a·b = (b'·a')', for matrices: a whole may be transposed instead of its factors."""
    return ein(s, a, b) >> ein1(TRANSPOSE, ein(compose(TRANSPOSE, s), a, b)), multiplies_matrices(s)


@reading.rule(cite="linearity")
def sum_of_transposes(a: Tensor, b: Tensor) -> Statement:
    """a' + b' = (a + b)', before products take the transposes up."""
    return add(ein1(TRANSPOSE, a), ein1(TRANSPOSE, b)) >> ein1(TRANSPOSE, add(a, b))


@reading.rule(cite="definition of the trace")
def trace_of_product(a: Tensor, b: Tensor) -> Statement:
    """Σᵢⱼ aᵢⱼ·bⱼᵢ = tr(a·b)."""
    return ein(CROSSWISE, a, b) >> ein1(TRACE, ein(MATRIX_PRODUCT, a, b))


@reading.rule(cite=RING)
def sign_into_factor(s: Spec, c: Number, a: Tensor, b: Tensor, d: Tensor) -> Statement:
    """(-c)·((a + (-1)·b)·d) = c·((b + (-1)·a)·d)."""
    turned = ein(s, add(b, scale(-1, a)), d)
    return scale(c, ein(s, add(a, scale(-1, b)), d)) >> scale(opposite(c), turned), is_negative(c)


@reading.bulk_rule(cite=RING)
def matrix_out_of_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """d·M + u·v'·M = (diag(d) + u·v')·M, where all terms of a sum have a matrix at one end."""
    for cls, form in every_sum(graph):
        if graph.first_time(("matrix out of sum", cls, frozenset(form.items()))):
            yield from ((cls, term) for term in matrices_out_of_sum(graph, cls, form))


@reading.bulk_rule(cite=RING)
def terms_distributed(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(1 - a)·b + (b - 1)·a = b - a: distributed where there are no more terms then."""
    for cls, form in every_sum(graph):
        step = ("terms distributed", cls, frozenset(form.items()))
        if 2 <= len(form) <= MAX_DISTRIBUTED and graph.first_time(step):
            found = all_distributed(graph, form)
            if found is not None:
                yield cls, found


@reading.bulk_rule(cite="laws of exponents", exceptions="x = 0", sizeless=True)
def power_out_of_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·xᵖ + b·x^(p+k) = xᵖ·(a + b·xᵏ), for a whole k and an exponent p that is no number."""
    for cls, form in every_sum(graph):
        if 2 <= len(form) <= MAX_DISTRIBUTED:
            yield from ((cls, term) for term in powers_out_of_sum(graph, cls, form))


@reading.bulk_rule(cite="associativity of the product", sizeless=True)
def product_from_left(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A·(B·(C·x)) = A·B·C·x, which needs no brackets; operations decide between such orders."""
    for cls, network in every_network(graph):
        if len(network.factors) > 2 and graph.first_time(("from left", cls, network)):
            found = from_left(graph, network)
            if found is not None:
                yield cls, found


@reading.bulk_rule(cite="definition of powers")
def matrix_powers(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A·A·…·A = Aᵏ, for equal matrices that follow each other in a product."""
    for cls, network in every_network(graph):
        yield from ((cls, term) for term in with_matrix_powers(graph, network))
