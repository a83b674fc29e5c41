"""Transposes, diagonals, traces and sums: unary specs."""

from eggrad.engine.laws.primitives import (
    after_summing,
    first_spec,
    has_other_spec,
    is_empty,
    summed_alone,
    sums,
    sums_alone,
)
from eggrad.rules.notation import *

EINSUM = "thesis equation 2.1 (the definition of the product)"


unary = Ruleset("unary", "transposes, diagonals, traces and sums", "the number of unary products")
short_axes = Ruleset(
    "short_axes",
    "axes of length 0 or 1, settled before any other rule looks",
    "the number of products without entries, and of specs that are not the first of those alike",
)
summation = Ruleset(
    "summation", "sums taken before products", "none: one further member for each operand"
)


@short_axes.rule(cite="a sum without terms is 0", replaces=True)
def unary_without_entries(s: Spec, a: Tensor) -> Statement:
    """Sums over what has no entries are 0, and so is what has none itself."""
    return ein1(s, a) >> const(0, result_dims1(s, dims(a))), is_empty(dims(a))


@short_axes.rule(cite="a sum without terms is 0", replaces=True)
def product_without_entries(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """A product with what has no entries is 0, or has none itself."""
    whole = const(0, result_dims(s, dims(a), dims(b)))
    return ein(s, a, b) >> whole, is_empty(dims(a), dims(b))


@short_axes.rule(cite=EINSUM, replaces=True)
def unary_by_first_spec(s: Spec, a: Tensor) -> Statement:
    """The only index of an axis of length 1 is 0, however a spec calls it."""
    return ein1(s, a) >> ein1(first_spec(s, dims(a)), a), has_other_spec(s, dims(a))


@short_axes.rule(cite=EINSUM, replaces=True)
def product_by_first_spec(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """The only index of an axis of length 1 is 0, in products as well."""
    return (
        ein(s, a, b) >> ein(first_spec(s, dims(a), dims(b)), a, b),
        has_other_spec(s, dims(a), dims(b)),
    )


@unary.rule(cite=EINSUM, replaces=True)
def unary_identity(s: Spec, a: Tensor) -> Statement:
    """A transpose that changes nothing is nothing."""
    return ein1(s, a) >> a, is_identity(s)


@unary.rule(cite=EINSUM, replaces=True)
def unary_of_unary(s: Spec, t: Spec, a: Tensor) -> Statement:
    """Two unary products are one."""
    return ein1(s, ein1(t, a)) >> ein1(inline(s, t), a), changes(t)


@unary.rule(cite=EINSUM)
def unary_of_product(s: Spec, t: Spec, a: Tensor, b: Tensor) -> Statement:
    """A product can transpose, take diagonals and sum by itself."""
    return ein1(s, ein(t, a, b)) >> ein(compose(s, t), a, b), changes(s)


@unary.rule(cite=EINSUM)
def product_of_unary(s: Spec, t: Spec, a: Tensor, b: Tensor) -> Statement:
    """A product can transpose, take the diagonal of and sum its operand by itself."""
    return ein(s, ein1(t, a), b) >> ein(inline(s, t), a, b), changes(t)


@unary.rule(cite=EINSUM)
def sum_of_squares(s: Spec, a: Tensor) -> Statement:
    """Σ a² is the product of a with itself."""
    return ein1(s, power(a, 2)) >> ein(compose(s, elementwise(dims(a))), a, a), sums(s)


@unary.rule(cite="linearity")
def unary_of_sum(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """Transposes, diagonals and sums of a + b are those of a plus those of b."""
    return ein1(s, add(a, b)) >> add(ein1(s, a), ein1(s, b)), changes(s)


@unary.rule(cite="element-wise functions act on entries")
def unary_of_function(s: Spec, f: str, a: Tensor) -> Statement:
    """Transposes and diagonals of f(a) are f of those of a."""
    return ein1(s, fn(f, a)) >> fn(f, ein1(s, a)), changes(s), nothing_summed(s)


@unary.rule(cite="element-wise functions act on entries")
def unary_of_power(s: Spec, a: Tensor, p: Tensor) -> Statement:
    """Transposes and diagonals of aᵖ are powers of those of a."""
    return ein1(s, power(a, p)) >> power(ein1(s, a), p), changes(s), nothing_summed(s)


@summation.rule(cite="linearity")
def sum_before_product(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """Σᵢⱼ aᵢⱼ·bᵢ = Σᵢ (Σⱼ aᵢⱼ)·bᵢ: what only one factor depends on is summed first."""
    return ein(s, a, b) >> ein(after_summing(s), ein1(summed_alone(s), a), b), sums_alone(s)


@summation.rule(cite="linearity")
def sum_before_product_right(s: Spec, a: Tensor, b: Tensor) -> Statement:
    """Σᵢⱼ aᵢ·bᵢⱼ = Σᵢ aᵢ·(Σⱼ bᵢⱼ): the same for the other factor."""
    turned = swap(s)
    return (
        ein(s, a, b) >> ein(after_summing(turned), ein1(summed_alone(turned), b), a),
        sums_alone(turned),
    )
