"""Forms that lose no digits, for code to be generated from: laws on few nodes.

What holds for whole rational functions of exponentials is in `exponentials`.
"""

from collections.abc import Iterator
from fractions import Fraction

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.indicator_primitives import (
    entries_first,
    picks_one,
    summed_after,
    sums_beside,
)
from eggrad.engine.laws.language import (
    cholesky,
    exp_difference,
    expm1,
    hypot,
    inverse_from_cholesky,
    log1mexp,
    log1mexp_exp,
    log1p,
    log_softmax,
    logdet,
    logdet_from_cholesky,
    logsumexp,
    sigmoid,
    softmax,
    softplus,
    solve,
)
from eggrad.engine.laws.primitives import (
    before_constant,
    constant_spreads,
    doubled,
    is_declared,
    is_negative_fraction,
    is_positive,
    matrix_axes,
    missing_dims,
    opposite,
    right_axes,
    solution_axes,
    spread_by_constant,
    spread_of,
    spreads_again,
    summed,
)
from eggrad.engine.networks.sums_and_products import every_network, with_units
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import *
from eggrad.rules.notation.reductions import spread

HALF = Fraction(1, 2)

stability = Ruleset(
    "stability",
    "forms that lose no digits, for code to be generated from",
    "the number of sums that may cancel, and of functions that may overflow",
)
shifts = Ruleset(
    "shifts",
    "functions of sums of exponentials, for languages that have none of them",
    "the number of these functions",
)
lengths = Ruleset("lengths", "vectors divided by their norms", "none: one further member a product")


def growth(a: Tensor, c: Number, p: Number) -> Tensor:
    """(1 + c/a)ᵖ - 1."""
    return expm1(scale(p, log1p(scale(c, power(a, -1)))))


@stability.rule(cite="a power of every entry", replaces=True)
def power_of_spread(s: Spec, n: Dims, a: Tensor, p: Tensor) -> Statement:
    """(a ⊗ 1)ᵖ = aᵖ ⊗ 1."""
    inner = power(ein1(before_constant(s), a), p)
    return (
        power(ein(s, const(1, n), a), p) >> ein(spread_by_constant(s), const(1, n), inner),
        constant_spreads(s),
    )


@stability.rule(cite=f"{HIGHAM}, section 1.14.1", domain="a > -1")
def log_of_one_plus(a: Tensor, n: Dims) -> Statement:
    """log(1 + a) = log1p a."""
    return fn("log", add(const(1, n), a)) >> log1p(a)


@stability.rule(cite=f"{HIGHAM}, section 1.14.1", domain="-1 < a < 1", stable=True)
def log_of_quotient(s: Spec, a: Tensor, n: Dims) -> Statement:
    """log((1 + a)/(1 - a)) = log1p a - log1p(-a): the terms have different signs."""
    one = const(1, n)
    quotient = ein(s, add(one, a), power(add(one, scale(-1, a)), -1))
    return (
        fn("log", quotient) >> add(log1p(a), scale(-1, log1p(scale(-1, a)))),
        is_elementwise(s),
    )


@stability.rule(cite=MAECHLER, stable=True)
def log_of_double_exponential(a: Tensor) -> Statement:
    """log(1 - exp(-exp a)) is a where exp a is too small to count."""
    return log1mexp(scale(-1, fn("exp", a))) >> log1mexp_exp(a)


@stability.rule(cite=MAECHLER, stable=True)
def double_exponential_in_quotient(s: Spec, a: Tensor) -> Statement:
    """exp a/(exp(exp a) - 1) = exp(a - exp a - log(1 - exp(-exp a))): neither has to be 0."""
    power_of_both = add(fn("exp", a), log1mexp_exp(a))
    return (
        ein(s, fn("exp", a), power(expm1(fn("exp", a)), -1)) >> exp_difference(a, power_of_both),
        is_elementwise(s),
    )


@stability.rule(cite=BLUE, stable=True)
def quotient_of_square(s: Spec, a: Tensor, c: Number, n: Dims) -> Statement:
    """a²/(c + a²) = (a/hypot(a, √c))² for c > 0: no square overflows."""
    square = power(a, 2)
    length = hypot(a, power(const(c, n), HALF))
    return (
        ein(s, square, power(add(const(c, n), square), -1))
        >> power(ein(s, a, power(length, -1)), 2),
        is_elementwise(s),
        is_positive(c),
    )


@stability.rule(cite=BLANCHARD)
def less_log_of_sum(t: Spec, s: Spec, a: Tensor, n: Dims) -> Statement:
    """a - log Σ exp a is the logarithm of a softmax: where a is large, the sum rounds it away."""
    total = ein(t, logsumexp(s, a), const(1, n))
    return add(a, scale(-1, total)) >> log_softmax(s, a), spreads_again(t, s)


@stability.rule(cite=BLANCHARD)
def softmax_of_shifted(t: Spec, s: Spec, a: Tensor, b: Tensor, n: Dims) -> Statement:
    """softmax(a - b) = softmax a, where b is alike along its axes: the kernel shifts by itself."""
    shifted = add(a, scale(-1, ein(t, b, const(1, n))))
    return softmax(s, shifted) >> softmax(s, a), spreads_again(t, s)


@stability.rule(cite=BLANCHARD)
def log_softmax_of_shifted(t: Spec, s: Spec, a: Tensor, b: Tensor, n: Dims) -> Statement:
    """log softmax(a - b) = log softmax a, where b is alike along its axes."""
    shifted = add(a, scale(-1, ein(t, b, const(1, n))))
    return log_softmax(s, shifted) >> log_softmax(s, a), spreads_again(t, s)


def _below(s: Spec, a: Tensor) -> Tensor:
    """How far a is below its maximum along the axes that are summed."""
    return subtract(a, spread(s, a, extreme("max", s, a)))


@shifts.rule(cite=BLANCHARD, replaces=True)
def sum_of_shifted(s: Spec, a: Tensor) -> Statement:
    """log Σ exp a = log Σ exp(a - m) + m, where m = max a: no exponential is above 1."""
    total = ein1(s, fn("exp", _below(s, a)))
    return logsumexp(s, a) >> add(fn("log", total), extreme("max", s, a))


@shifts.rule(cite=BLANCHARD, replaces=True)
def shares_of_shifted(s: Spec, a: Tensor) -> Statement:
    """softmax a = exp(a - m)/Σ exp(a - m), where m = max a."""
    powers = fn("exp", _below(s, a))
    return softmax(s, a) >> divide(powers, spread(s, a, ein1(s, powers)))


@shifts.rule(cite=BLANCHARD, replaces=True)
def logarithms_of_shares_of_shifted(s: Spec, a: Tensor) -> Statement:
    """log softmax a = a - m - log Σ exp(a - m), where m = max a."""
    below = _below(s, a)
    return log_softmax(s, a) >> subtract(below, spread(s, a, fn("log", ein1(s, fn("exp", below)))))


@stability.rule(cite=MAECHLER, stable=True)
def double_exponential_in_complement(s: Spec, a: Tensor) -> Statement:
    """exp a/(exp(-exp a) - 1) = -exp(a - log(1 - exp(-exp a))): neither has to be 0."""
    complement = expm1(scale(-1, fn("exp", a)))
    return (
        ein(s, fn("exp", a), power(complement, -1))
        >> scale(-1, exp_difference(a, log1mexp_exp(a))),
        is_elementwise(s),
    )


@stability.rule(cite=MAECHLER, stable=True)
def exponential_beside_sigmoid(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """exp a · sigmoid b = exp(a - log(1 + exp(-b))): nothing infinite is multiplied by 0."""
    n, m = dims(a), dims(b)
    first = ein(spread_of(s, 0), a, const(1, missing_dims(s, 0, n, m)))
    second = ein(spread_of(s, 1), softplus(scale(-1, b)), const(1, missing_dims(s, 1, n, m)))
    return ein(s, fn("exp", a), sigmoid(b)) >> ein1(summed(s), exp_difference(first, second))


@stability.rule(cite=BLANCHARD)
def log_of_entry(t: Spec, n: Dims, p: Constraints, s: Spec, a: Tensor) -> Statement:
    """The logarithm of an entry of a softmax is that entry of the logarithm."""
    return (
        fn("log", ein(t, indicator(n, p), softmax(s, a)))
        >> ein(t, indicator(n, p), log_softmax(s, a)),
        picks_one(t, n, p),
    )


@stability.rule(cite="element-wise functions act on entries")
def exponential_of_entry(s: Spec, n: Dims, p: Constraints, a: Tensor) -> Statement:
    """An entry of exp a is exp of the entry: what is divided by others of them is a softmax."""
    picked = ein(s, indicator(n, p), fn("exp", a))
    return picked >> fn("exp", ein(s, indicator(n, p), a)), picks_one(s, n, p)


@stability.rule(cite="linearity")
def entries_before_sum(s: Spec, n: Dims, p: Constraints, a: Tensor) -> Statement:
    """Σᵢⱼ [j = k]·aᵢⱼ = Σᵢ (Σⱼ [j = k]·aᵢⱼ): entries are taken before the others are summed."""
    first = ein(entries_first(s), indicator(n, p), a)
    return ein(s, indicator(n, p), a) >> ein1(summed_after(s), first), sums_beside(s)


@stability.rule(cite=f"{HIGHAM}, section 1.7", stable=True)
def one_minus_cosine(a: Tensor, n: Dims) -> Statement:
    """1 - cos a = 2·sin²(a/2)."""
    return add(const(1, n), scale(-1, fn("cos", a))) >> scale(
        2, power(fn("sin", scale(HALF, a)), 2)
    )


@stability.rule(cite="logarithm of a power", domain="a ≠ 0", stable=True)
def log_of_square(a: Tensor) -> Statement:
    """log(a²) = 2·log|a|."""
    return fn("log", power(a, 2)) >> scale(2, fn("log", fn("abs", a)))


@stability.rule(cite=f"{HIGHAM}, section 1.7", domain="a ≥ 0", stable=True)
def difference_of_roots(a: Tensor, c: Number, n: Dims) -> Statement:
    """√(a + c) - √a = c/(√(a + c) + √a)."""
    high, low = power(add(a, const(c, n)), HALF), power(a, HALF)
    return add(high, scale(-1, low)) >> divide(const(c, ()), add(high, low)), nonzero(c)


@stability.rule(cite=f"{HIGHAM}, section 1.7", domain="a ≥ 0", stable=True)
def difference_of_roots_reversed(a: Tensor, c: Number, n: Dims) -> Statement:
    """√a - √(a + c) = -c/(√(a + c) + √a)."""
    high, low = power(add(a, const(c, n)), HALF), power(a, HALF)
    return (
        add(low, scale(-1, high)) >> divide(const(opposite(c), ()), add(high, low)),
        nonzero(c),
    )


@stability.rule(cite=f"{HIGHAM}, section 1.14.1", domain="a > 0")
def difference_of_powers(a: Tensor, c: Number, p: Number, n: Dims) -> Statement:
    """(a + c)ᵖ - aᵖ = aᵖ·expm1(p·log1p(c/a)), for a fraction p < 0."""
    return (
        add(power(add(a, const(c, n)), p), scale(-1, power(a, p)))
        >> ein(elementwise(n), power(a, p), growth(a, c, p)),
        is_negative_fraction(p),
    )


@stability.rule(cite=f"{HIGHAM}, section 1.14.1", domain="a > 0")
def difference_of_powers_reversed(a: Tensor, c: Number, p: Number, n: Dims) -> Statement:
    """aᵖ - (a + c)ᵖ = -aᵖ·expm1(p·log1p(c/a)), for a fraction p < 0."""
    return (
        add(power(a, p), scale(-1, power(add(a, const(c, n)), p)))
        >> scale(-1, ein(elementwise(n), power(a, p), growth(a, c, p))),
        is_negative_fraction(p),
    )


@stability.rule(cite=f"{HIGHAM}, section 1.7; Kahan: x² - y² as a product", stable=True)
def one_minus_square(x: Variable, n: Dims) -> Statement:
    """1 - x² = (1 - x)·(1 + x), for a variable: it has no rounding error that x² would hide."""
    a, one = declared(x), const(1, n)
    return add(one, scale(-1, power(a, 2))) >> ein(
        elementwise(n), add(one, scale(-1, a)), add(one, a)
    )


@stability.rule(cite=BLUE, domain="not both 0 where the exponent is negative")
def root_of_two_squares(a: Tensor, b: Tensor, p: Number) -> Statement:
    """(a² + b²)ᵖ = hypot(a, b)²ᵖ, for p = ±1/2, ±3/2, …."""
    return power(add(power(a, 2), power(b, 2)), p) >> power(hypot(a, b), doubled(p))


@stability.rule(cite=f"{HIGHAM}, section 14.6", domain="det a > 0")
def log_of_determinant(a: Tensor) -> Statement:
    """log det a is summed over the pivots: their product may overflow."""
    return fn("log", det(a)) >> logdet("", a)


@stability.rule(cite=f"{HIGHAM}, sections 10.1 and 14.6")
def log_of_definite_determinant(x: Variable) -> Statement:
    """log det X is twice the sum over the diagonal of its Cholesky factor."""
    return (
        fn("log", det(declared(x))) >> logdet("positive definite", declared(x)),
        is_declared(x, "positive definite"),
    )


@stability.rule(cite=f"{HIGHAM}, sections 10.1 and 14.6")
def log_of_positive_determinant(x: Variable) -> Statement:
    """log |det X| is log det X where X is positive definite, by Cholesky's factor."""
    a = declared(x)
    return logabsdet(a) >> logdet("positive definite", a), is_declared(x, "positive definite")


@stability.rule(cite=f"{HIGHAM}, sections 10.1 and 14.6")
def log_determinant_by_cholesky(x: Variable) -> Statement:
    """log det X is twice the sum of log Lᵢᵢ, with the Cholesky factor L at hand."""
    a = declared(x)
    return logdet("positive definite", a) >> logdet_from_cholesky(cholesky(a)), is_declared(
        x, "positive definite"
    )


@stability.rule(cite=f"{HIGHAM}, section 14.3")
def inverse_by_cholesky(x: Variable) -> Statement:
    """X⁻¹ = L⁻ᵀ·L⁻¹, with the Cholesky factor L."""
    return inv(declared(x)) >> inverse_from_cholesky(cholesky(declared(x))), is_declared(
        x, "positive definite"
    )


@stability.rule(cite=f"{HIGHAM}, section 14.1", domain="a invertible")
def inverse_times_tensor(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """a⁻¹·b is the solution x of a·x = b: no inverse is needed."""
    return ein(s, inv(a), b) >> ein1(
        solution_axes(s), solve(ein1(matrix_axes(s), a), ein1(right_axes(s), b))
    )


@lengths.bulk_rule(cite=BLUE, exceptions="a = 0", stable=True)
def unit_vectors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·a·(Σ a²)ᵖ = u·u·‖a‖²ᵖ⁺² with the unit vector u = a/‖a‖, for a half p < 0."""
    for cls, network in every_network(graph):
        yield from ((cls, term) for term in with_units(graph, network))
