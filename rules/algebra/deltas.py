"""Elimination of Kronecker deltas."""

from eggrad.engine.laws.delta_algebra import (
    delta_kept,
    delta_ones,
    delta_product,
    delta_reduced,
    delta_reduces,
    delta_sifts,
    delta_spread,
    sifted,
)
from eggrad.engine.laws.index_algebra import join
from eggrad.engine.laws.language import Dims, Spec, Statement, Tensor, const, delta, ein, ein1
from eggrad.engine.laws.rule import Ruleset

LAUE = "Laue, Mitterreiter, Giesen 2018, section 4: removal of multiplication by delta tensors"

deltas = Ruleset("delta", "elimination of Kronecker deltas", "the number of pairs of deltas")
delta_products = Ruleset(
    "delta_products",
    "products of deltas alone, settled before any other rule looks",
    "the number of deltas, then of their pairs",
)


@deltas.rule(cite=LAUE, replaces=True)
def delta_sift(s: Spec, n: Dims, a: Tensor) -> Statement:
    """Σⱼ δᵢⱼ·aⱼ = aᵢ, where each pair has a summed index or two equal ones."""
    return ein(s, delta(n), a) >> ein1(sifted(s, n), a), delta_sifts(s, n)


@deltas.rule(cite=LAUE, replaces=True)
def delta_sift_partly(s: Spec, n: Dims, a: Tensor) -> Statement:
    """Σⱼ δᵢⱼ·δₖₗ·aⱼₗ = δₖₗ·aᵢₖ: pairs that can go do, and leave ones where nothing else is."""
    return ein(s, delta(n), a) >> ein(
        delta_spread(s, n),
        ein(delta_reduced(s, n), delta(delta_kept(s, n)), a),
        const(1, delta_ones(s, n)),
    ), delta_reduces(s, n)


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_alone(s: Spec, n: Dims) -> Statement:
    """Σⱼ δᵢⱼ = 1, Σᵢ δᵢᵢ = n, and δᵢⱼ = δⱼᵢ."""
    return ein1(s, delta(n)) >> ein(
        delta_spread(s, n),
        ein1(delta_reduced(s, n), delta(delta_kept(s, n))),
        const(1, delta_ones(s, n)),
    ), delta_reduces(s, n)


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_of_nothing() -> Statement:
    """The delta of no axes is 1."""
    return delta(()) >> const(1, ())


@delta_products.rule(cite="definition of the delta (thesis, equation 4.2)", replaces=True)
def delta_times_delta(s: Spec, n: Dims, m: Dims) -> Statement:
    """δᵢⱼ·δₖₗ is the delta of both pairs."""
    return ein(s, delta(n), delta(m)) >> ein1(delta_product(s, n, m), delta(join(n, m)))
