"""Kronecker deltas, and indicators, their general case: gathers, shifts, windows, triangles.

`[p]` is 1 where the conditions p on the indices hold, and 0 elsewhere.
"""

from eggrad.engine.laws.indicator_primitives import (
    both,
    both_spec,
    composed,
    composed_constraints,
    composed_dims,
    composes,
    described,
    fixed_spec,
    fixes_entries,
    fixing_constraints,
    fixing_dims,
    holds_always,
    holds_never,
    indicator_constraints,
    indicator_core,
    indicator_dims,
    indicator_ones,
    indicator_spread,
    is_total,
    pair_spec,
    paired_size,
    picks,
    picks_one,
    reduces,
    unpaired,
    unpaired_dims,
    without_fixed,
)
from eggrad.engine.laws.primitives import (
    delta_kept,
    delta_ones,
    delta_product,
    delta_reduced,
    delta_reduces,
    delta_sifts,
    delta_spread,
    has_length_one,
    is_empty,
    longer,
    longer_pairs,
    ones_of_pairs,
    sifted,
)
from eggrad.rules.notation import *

DELTAS = "Laue, Mitterreiter, Giesen 2018, section 4: removal of multiplication by delta tensors"
IVERSON = "Iverson's brackets (Graham, Knuth, Patashnik, Concrete Mathematics, section 2.1)"
NO_ENTRIES = "tensors without entries are equal"
URBAN = "Urban, van der Smagt 2018, Automatic Differentiation for Tensor Algebras, section 3"

deltas = Ruleset("delta", "elimination of Kronecker deltas", "the number of pairs of deltas")
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


@deltas.rule(cite=DELTAS, replaces=True)
def delta_sift(s: Spec, n: Dims, a: Tensor) -> Statement:
    """Σⱼ δᵢⱼ·aⱼ = aᵢ, where each pair has a summed index or two equal ones."""
    return ein(s, delta(n), a) >> ein1(sifted(s, n), a), delta_sifts(s, n)


@deltas.rule(cite=DELTAS, replaces=True)
def delta_sift_partly(s: Spec, n: Dims, a: Tensor) -> Statement:
    """Σⱼ δᵢⱼ·δₖₗ·aⱼₗ = δₖₗ·aᵢₖ: pairs that can go do, and leave ones where nothing else is."""
    reduced = ein(delta_reduced(s, n), delta(delta_kept(s, n)), a)
    spread = ein(delta_spread(s, n), reduced, const(1, delta_ones(s, n)))
    return ein(s, delta(n), a) >> spread, delta_reduces(s, n)


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_alone(s: Spec, n: Dims) -> Statement:
    """Σⱼ δᵢⱼ = 1, Σᵢ δᵢᵢ = n, and δᵢⱼ = δⱼᵢ."""
    reduced = ein1(delta_reduced(s, n), delta(delta_kept(s, n)))
    spread = ein(delta_spread(s, n), reduced, const(1, delta_ones(s, n)))
    return ein1(s, delta(n)) >> spread, delta_reduces(s, n)


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_of_nothing() -> Statement:
    """The delta of no axes is 1."""
    return delta(()) >> const(1, ())


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_of_length_one(n: Dims) -> Statement:
    """On axes of length 1, δᵢⱼ = 1."""
    ones = const(1, ones_of_pairs(n))
    return delta(n) >> ein(longer_pairs(n), delta(longer(n)), ones), has_length_one(n)


@delta_products.rule(cite=NO_ENTRIES, replaces=True)
def delta_without_entries(n: Dims) -> Statement:
    """A delta on axes of length 0 is 0."""
    return delta(n) >> const(0, join(n, n)), is_empty(n)


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_times_delta(s: Spec, n: Dims, m: Dims) -> Statement:
    """δᵢⱼ·δₖₗ is the delta of both pairs."""
    return ein(s, delta(n), delta(m)) >> ein1(delta_product(s, n, m), delta(join(n, m)))


@indicator_products.rule(cite=IVERSON, replaces=True)
def indicator_of_nothing(n: Dims, p: Constraints) -> Statement:
    """An indicator without conditions is 1."""
    return indicator(n, p) >> const(1, n), holds_always(p)


@indicator_products.rule(cite=IVERSON, replaces=True)
def indicator_of_contradiction(n: Dims, p: Constraints) -> Statement:
    """An indicator whose conditions hold nowhere is 0."""
    return indicator(n, p) >> const(0, n), holds_never(p)


@indicator_products.rule(cite=IVERSON, replaces=True)
def indicator_is_delta(n: Dims, p: Constraints) -> Statement:
    """[i = j]·[p] = δᵢⱼ·[p] where both axes have the same size."""
    return indicator(n, p) >> ein(
        pair_spec(n, p), delta(paired_size(n, p)), indicator(unpaired_dims(n, p), unpaired(n, p))
    )


@indicator_products.rule(cite=IVERSON, replaces=True)
def indicator_alone(s: Spec, n: Dims, p: Constraints) -> Statement:
    """Σⱼ [j = f(i)]·[p] = [p at j = f(i)]·[f(i) in range]; axes without a condition are ones."""
    left = indicator(indicator_dims(s, n, p), indicator_constraints(s, n, p))
    core = ein1(indicator_core(s, n, p), left)
    spread = ein(indicator_spread(s, n, p), core, const(1, indicator_ones(s, n, p)))
    return ein1(s, indicator(n, p)) >> spread, reduces(s, n, p)


@indicator_products.rule(cite=IVERSON, replaces=True)
def indicator_times_indicator(
    s: Spec, n: Dims, p: Constraints, m: Dims, q: Constraints
) -> Statement:
    """[p]·[q] = [p and q]."""
    return ein(s, indicator(n, p), indicator(m, q)) >> ein1(
        both_spec(s), indicator(join(n, m), both(n, p, m, q))
    )


@indicators.rule(cite=URBAN, replaces=True)
def indicator_of_gathered(
    s: Spec, t: Spec, a: Tensor, *, n: Dims, p: Constraints, m: Dims, q: Constraints
) -> Statement:
    """Σⱼ [j = f(i)]·Σₖ [k = g(j)]·aₖ = Σₖ [k = g(f(i))]·[f(i) in range]·aₖ."""
    both_of = (s, described(n, p), t, described(m, q))
    both_at_once = indicator(composed_dims(*both_of), composed_constraints(*both_of))
    gathered = ein(s, indicator(n, p), ein(t, indicator(m, q), a))
    return gathered >> ein(composed(*both_of), both_at_once, a), composes(*both_of)


@indicators.rule(cite=IVERSON, domain="all entries defined", widens=True)
def fixed_entry(s: Spec, n: Dims, p: Constraints, a: Tensor) -> Statement:
    """[i = k]·aᵢ = [i = k]·aₖ: entries that are not selected have no say."""
    entry = ein(
        fixed_spec(s, n, p), indicator(fixing_dims(s, n, p), fixing_constraints(s, n, p)), a
    )
    return (
        ein(s, indicator(n, p), a) >> ein(without_fixed(s, n, p), indicator(n, p), entry),
        fixes_entries(s, n, p),
        total(a),
    )


@gathers.rule(cite="element-wise functions act on entries", domain="f(a) defined", widens=True)
def gathered_function(f: str, s: Spec, n: Dims, p: Constraints, a: Tensor) -> Statement:
    """Σⱼ [j = g(i)]·f(aⱼ) = f(Σⱼ [j = g(i)]·aⱼ), g always in range, or f(0) = 0."""
    return ein(s, indicator(n, p), fn(f, a)) >> fn(f, ein(s, indicator(n, p), a)), picks(f, s, n, p)


@gathers.rule(cite="element-wise functions act on entries")
def function_of_gathered(f: str, s: Spec, n: Dims, p: Constraints, a: Tensor) -> Statement:
    """f(Σⱼ [j = g(i)]·aⱼ) = Σⱼ [j = g(i)]·f(aⱼ), where all f(aⱼ) have a value."""
    return (
        fn(f, ein(s, indicator(n, p), a)) == ein(s, indicator(n, p), fn(f, a)),
        picks(f, s, n, p),
        is_total(f),
    )


@gathers.rule(cite="element-wise functions act on entries", domain="aᵉ defined", widens=True)
def gathered_power(s: Spec, n: Dims, p: Constraints, a: Tensor, e: Tensor) -> Statement:
    """Σⱼ [j = g(i)]·aⱼᵉ = (Σⱼ [j = g(i)]·aⱼ)ᵉ, where g is always in range."""
    return ein(s, indicator(n, p), power(a, e)) >> power(ein(s, indicator(n, p), a), e), picks_one(
        s, n, p
    )
