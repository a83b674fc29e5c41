"""Transposes, diagonals, traces and sums: unary specs."""

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


short_axes.state(
    "a sum without terms is 0",
    REPLACES,
    unary_without_entries=(ein1(s, a) >> const(0, result_dims(s, dims(a))))
    .when(is_empty(dims(a)))
    .noted("Sums over what has no entries are 0, and so is what has none itself."),
    product_without_entries=(ein(s, a, b) >> const(0, result_dims(s, dims(a), dims(b))))
    .when(is_empty(dims(a), dims(b)))
    .noted("A product with what has no entries is 0, or has none itself."),
    unary_by_first_spec=(ein1(s, a) >> ein1(first_spec(s, dims(a)), a))
    .when(has_other_spec(s, dims(a)))
    .noted("The only index of an axis of length 1 is 0, however a spec calls it.", cite=EINSUM),
    product_by_first_spec=(ein(s, a, b) >> ein(first_spec(s, dims(a), dims(b)), a, b))
    .when(has_other_spec(s, dims(a), dims(b)))
    .noted("The only index of an axis of length 1 is 0, in products as well.", cite=EINSUM),
)

unary.state(
    EINSUM,
    unary_identity=(ein1(s, a) >> a)
    .when(is_identity(s))
    .noted("A transpose that changes nothing is nothing.", replaces=True),
    unary_of_unary=(ein1(s, ein1(t, a)) >> ein1(inline(s, t), a))
    .when(~is_identity(t))
    .noted("Two unary products are one.", replaces=True),
    unary_of_product=(ein1(s, ein(t, a, b)) >> ein(compose(s, t), a, b))
    .when(~is_identity(s))
    .noted("A product can transpose, take diagonals and sum by itself."),
    product_of_unary=(ein(s, ein1(t, a), b) >> ein(inline(s, t), a, b))
    .when(~is_identity(t))
    .noted("A product can transpose, take the diagonal of and sum its operand by itself."),
    sum_of_squares=(ein1(s, a**2) >> ein(compose(s, elementwise(dims(a))), a, a))
    .when(~sums_nothing(s))
    .noted("Σ a² is the product of a with itself."),
    unary_of_sum=(ein1(s, a + b) >> ein1(s, a) + ein1(s, b))
    .when(~is_identity(s))
    .noted(
        "Transposes, diagonals and sums of a + b are those of a plus those of b.", cite="linearity"
    ),
    unary_of_function=(ein1(s, f(a)) >> f(ein1(s, a)))
    .when(~is_identity(s), sums_nothing(s))
    .noted(
        "Transposes and diagonals of f(a) are f of those of a.",
        cite="element-wise functions act on entries",
    ),
    unary_of_power=(ein1(s, a**b) >> ein1(s, a) ** b)
    .when(~is_identity(s), sums_nothing(s))
    .noted(
        "Transposes and diagonals of aᵇ are powers of those of a, for a scalar b.",
        cite="element-wise functions act on entries",
    ),
)

summation.state(
    "linearity",
    sum_before_product=(ein(s, a, b) >> ein(lone_sum(s)[1], ein1(lone_sum(s)[0], a), b)).noted(
        "Σᵢⱼ aᵢⱼ·bᵢ = Σᵢ (Σⱼ aᵢⱼ)·bᵢ: what only one factor depends on is summed first."
    ),
    sum_before_product_right=(
        ein(s, a, b) >> ein(lone_sum(swap(s))[1], ein1(lone_sum(swap(s))[0], b), a)
    ).noted("Σᵢⱼ aᵢ·bᵢⱼ = Σᵢ aᵢ·(Σⱼ bᵢⱼ): the same for the other factor."),
)
