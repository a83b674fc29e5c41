"""The order in which the factors of a network are multiplied, two at a time."""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from eggrad.engine import term as terms
from eggrad.engine.contraction_path import contraction_path
from eggrad.engine.networks import Factor, Network
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.spec import Indices, Spec, canonical, scaling
from eggrad.engine.term import Term

__all__ = ["contract", "contract_terms", "price_of", "scaled"]


def contract(
    graph: Snapshot,
    network: Network,
    factors: Sequence[Factor],
    out: Indices,
    *,
    exact: bool = False,
) -> Term:
    """The product of some factors as a term with axes `out`, in a cheap order.

    The order is opt_einsum's; with `exact`, and few factors, no other takes fewer operations.
    """
    pool = [(graph.term(c), part) for c, part in factors]
    return contract_terms(graph, network, pool, out, exact=exact)


def contract_terms(
    graph: Snapshot,
    network: Network,
    pool: Sequence[tuple[Term, Indices]],
    out: Indices,
    *,
    exact: bool = False,
) -> Term:
    """The product of some terms on a network's indices; `exact` as for `contract`."""
    if not pool:
        return terms.constant(1)
    used = sorted({i for _, part in pool for i in part})
    lengths = tuple((i, graph.model.length(network.sizes[i])) for i in used)
    if len(pool) == 1:
        ((only, part),) = pool
        return only if part == out else terms.einsum(canonical([part], out), only)
    made = [t for t, _ in pool]
    for i, j, spec in _products(tuple(part for _, part in pool), out, lengths, exact):
        made.append(terms.einsum(spec, made[i], made[j]))
    return made[-1]


@lru_cache(maxsize=4096)
def _products(
    parts: tuple[Indices, ...], out: Indices, lengths: tuple[tuple[int, int], ...], exact: bool
) -> tuple[tuple[int, int, Spec], ...]:
    """The products of two: the numbers of both, and their spec.

    The operands have the first numbers; each product has the next.
    """
    left = dict(enumerate(parts))
    found: list[tuple[int, int, Spec]] = []
    sets = [frozenset(p) for p in parts]
    for i, j in contraction_path(sets, frozenset(out), dict(lengths), exact=exact):
        a, b = left.pop(i), left.pop(j)
        kept = _kept(a + b, {x for part in left.values() for x in part}, out) if left else out
        left[len(parts) + len(found)] = kept
        found.append((i, j, canonical([a, b], kept)))
    return tuple(found)


def _kept(indices: Indices, later: set[int], out: Indices) -> Indices:
    """Indices that are still needed: those of the output in its order, then the others."""
    distinct = [i for i in dict.fromkeys(indices) if i in later or i in out]
    return tuple([i for i in out if i in distinct] + [i for i in distinct if i not in out])


def price_of(graph: Snapshot, whole: Term, network: Network) -> int:
    """What the products of a term cost, down to the factors of a network."""
    factors = {graph.term(c) for c, _ in network.factors}
    stack, seen, price = [whole], {whole}, 0
    while stack:
        t = stack.pop()
        if t in factors:
            continue
        deltas = tuple(terms.term_sparsity(a) for a in t.args)
        constructor = "ein" if len(t.args) == 2 else "ein1"
        price += graph.model.node(
            constructor, (t.data,), tuple(a.dims for a in t.args), t.dims, deltas
        )
        for a in t.args:
            if a not in seen:
                seen.add(a)
                stack.append(a)
    return price


def scaled(coefficient: Fraction, term: Term) -> Term:
    """A rational multiple of a term."""
    if coefficient == 1:
        return term
    return terms.einsum(scaling(term.order), terms.constant(coefficient), term)
