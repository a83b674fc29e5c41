"""Kronecker deltas, and indicators, their general case: gathers, shifts, windows, triangles.

`[P]` is 1 where the conditions P on the indices hold, and 0 elsewhere.
"""

from eggrad.rules.notation import *

DELTAS = f"{LAUE_2018}: removal of multiplication by delta tensors"

IVERSON = "Iverson's brackets (Graham, Knuth, Patashnik, Concrete Mathematics, section 2.1)"

NO_ENTRIES = "tensors without entries are equal"

URBAN = "Urban, van der Smagt 2018, Automatic Differentiation for Tensor Algebras, section 3"

deltas = Ruleset(
    "delta", "elimination of Kronecker deltas", "the number of pairs of indices in deltas"
)

delta_products = Ruleset(
    "delta_products",
    "products of deltas alone, settled before any other rule looks",
    "the number of deltas, then of their pairs",
)

indicators = Ruleset(
    "indicator", "elimination of indicators", "the number of indicators, then of their axes"
)

indicator_products = Ruleset(
    "indicator_products",
    "indicators alone, settled before any other rule looks",
    "the number of indicators, then of their axes",
)

gathers = Ruleset(
    "gather", "functions of entries that are picked", "none: one further member for each function"
)


# What is left of a delta, or an indicator, as first or only operand: of axes `dims`, with others by
# `spec`; then by `spread` with ones along axes of sizes `ones`, for which nothing else is left.
SIFTED, REDUCED = sifted(s, n), reduced(s, n, P)

deltas.state(
    DELTAS,
    REPLACES,
    delta_sift=(ein(s, delta(n), a) >> ein1(SIFTED.spec[1:], a))
    .when(SIFTED.is_gone)
    .noted(
        "Σⱼ δᵢⱼ·aⱼ = aᵢ, where each pair has a summed or two equal indices, and no ones are left."
    ),
    delta_sift_partly=(
        ein(s, delta(n), a)
        >> ein(SIFTED.spread, ein(SIFTED.spec, delta(SIFTED.dims), a), const(1, SIFTED.ones))
    )
    .when(SIFTED.is_smaller)
    .noted("Σⱼ δᵢⱼ·δₖₗ·aⱼₗ = δₖₗ·aᵢₖ: pairs with a summed index go, and may leave ones."),
)

LONGER = longer_pairs(n)

delta_products.state(
    "definition of the delta (thesis, equation 4.2)",
    REPLACES,
    delta_alone=(
        ein1(s, delta(n))
        >> ein(SIFTED.spread, ein1(SIFTED.spec, delta(SIFTED.dims)), const(1, SIFTED.ones))
    )
    .when(SIFTED.is_smaller)
    .noted("Σⱼ δᵢⱼ = 1, Σᵢ δᵢᵢ = n, and δᵢⱼ = δⱼᵢ."),
    delta_of_nothing=(delta(()) >> const(1, ())).noted("The delta of no axes is 1."),
    delta_of_length_one=(delta(n) >> ein(LONGER[0], delta(LONGER[1]), const(1, LONGER[2])))
    .when(has_length_one(n))
    .noted("On axes of length 1, δᵢⱼ = 1."),
    delta_without_entries=(delta(n) >> const(0, n + n))
    .when(is_empty(n))
    .noted("A delta on axes of length 0 is 0.", cite=NO_ENTRIES),
    delta_times_delta=(
        ein(s, delta(n), delta(m)) >> ein1(delta_product(s, n, m), delta(n + m))
    ).noted("δᵢⱼ·δₖₗ is the delta of both pairs."),
)

PAIRED = paired(n, P)

indicator_products.state(
    IVERSON,
    REPLACES,
    indicator_of_nothing=(indicator(n, P) >> const(1, n))
    .when(holds_always(P))
    .noted("An indicator without conditions is 1."),
    indicator_of_contradiction=(indicator(n, P) >> const(0, n))
    .when(holds_never(P))
    .noted("An indicator whose conditions hold nowhere is 0."),
    indicator_is_delta=(
        indicator(n, P)
        >> ein(PAIRED.spec, delta(PAIRED.size), indicator(PAIRED.dims, PAIRED.constraints))
    ).noted("[i = j]·[P] = δᵢⱼ·[P] where both axes have the same size."),
    indicator_alone=(
        ein1(s, indicator(n, P))
        >> ein(
            REDUCED.spread,
            ein1(REDUCED.spec, indicator(REDUCED.dims, REDUCED.constraints)),
            const(1, REDUCED.ones),
        )
    )
    .when(REDUCED.is_smaller)
    .noted(
        "Σⱼ [j = g(i)]·[P] = [P at j = g(i)]·[g(i) in range]; axes without a condition become ones."
    ),
    indicator_times_indicator=(
        ein(s, indicator(n, P), indicator(m, Q))
        >> ein1(both_spec(s), indicator(n + m, both(n, P, m, Q)))
    ).noted("[P]·[Q] = [P and Q]."),
)


TWICE = composed(s, described(n, P), t, described(m, Q))

FIXED = fixing(s, n, P)

indicators.state(
    URBAN,
    indicator_of_gathered=(
        ein(s, indicator(n, P), ein(t, indicator(m, Q), a))
        >> ein(TWICE.spec, indicator(TWICE.dims, TWICE.constraints), a)
    ).noted("Σⱼ [j = g(i)]·Σₖ [k = h(j)]·aₖ = Σₖ [k = h(g(i))]·[g(i) in range]·aₖ.", replaces=True),
)

indicators.state(
    IVERSON,
    fixed_entry=(
        ein(s, indicator(n, P), a)
        >> ein(
            FIXED.rest,
            indicator(n, P),
            ein(FIXED.spec, indicator(FIXED.dims, FIXED.constraints), a),
        )
    )
    .when(total(a))
    .noted(
        "[i = k]·aᵢ = [i = k]·aₖ, for a number k: only the entry at k counts.",
        domain="all entries defined",
        widens=True,
    ),
)

gathers.state(
    "element-wise functions act on entries",
    gathered_function=(ein(s, indicator(n, P), f(a)) >> f(ein(s, indicator(n, P), a)))
    .when(picks(f, s, n, P))
    .noted(
        "Σⱼ [j = g(i)]·f(aⱼ) = f(Σⱼ [j = g(i)]·aⱼ), g always in range, or f(0) = 0.",
        domain="f(a) defined",
        widens=True,
    ),
    function_of_gathered=(f(ein(s, indicator(n, P), a)) == ein(s, indicator(n, P), f(a)))
    .when(picks(f, s, n, P), f.total)
    .noted("f(Σⱼ [j = g(i)]·aⱼ) = Σⱼ [j = g(i)]·f(aⱼ), where all f(aⱼ) have a value."),
    gathered_power=(ein(s, indicator(n, P), a**e) >> ein(s, indicator(n, P), a) ** e)
    .when(picks_one(s, n, P))
    .noted(
        "Σⱼ [j = g(i)]·aⱼᵉ = (Σⱼ [j = g(i)]·aⱼ)ᵉ, where g is always in range.",
        domain="aᵉ defined",
        widens=True,
    ),
)
