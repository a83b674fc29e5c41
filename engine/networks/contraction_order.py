"""The order in which the factors of a network are multiplied, two at a time."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from eggrad.engine.costs.contraction_path import contraction_path
from eggrad.engine.costs.cost import Model
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.sparsity import Sparsity
from eggrad.engine.indices.spec import Dims, Indices, Spec, canonical, output_dims, scaling
from eggrad.engine.networks.networks import Factor, Network
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["contract", "contract_terms", "order_price", "scaled"]


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
    if len(pool) == 1:
        ((only, part),) = pool
        return only if part == out else terms.einsum(canonical([part], out), only)
    made = [t for t, _ in pool]
    parts = tuple(part for _, part in pool)
    for i, j, spec in _products(parts, out, _lengths(graph.model, network, parts), exact):
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


def order_price(graph: Snapshot, network: Network, *, exact: bool = False) -> int:
    """What the products cost that `contract` makes of all factors, worked out once for all alike.

    Alike are networks whose factors have the same sizes and are equal in the same places.
    """
    numbers: dict[int, int] = {}
    factors = tuple(
        (numbers.setdefault(c, len(numbers)), part, graph.dims[c], graph.sparsity.get(c, False))
        for c, part in network.factors
    )
    return graph.remember(
        ("order price", exact, factors, network.out),
        lambda: _price(graph.model, factors, network, exact),
    )


def _price(
    model: Model,
    factors: Sequence[tuple[int, Indices, Dims, Sparsity]],
    network: Network,
    exact: bool,
) -> int:
    """The price of all products; one that occurs twice is computed once."""
    parts = tuple(part for _, part, _, _ in factors)
    made = [(number, dims, sparsity) for number, _, dims, sparsity in factors]
    known: dict[tuple[int, int, Spec], int] = {}
    price = 0
    for i, j, spec in _products(parts, network.out, _lengths(model, network, parts), exact):
        (a, left, first), (b, right, second) = made[i], made[j]
        out = output_dims(spec, left, right)
        if (a, b, spec) not in known:
            known[a, b, spec] = len(factors) + len(known)
            price += model.node("ein", (spec,), (left, right), out, (first, second))
        made.append((known[a, b, spec], out, False))
    return price


def _lengths(
    model: Model, network: Network, parts: Iterable[Indices]
) -> tuple[tuple[int, int], ...]:
    used = sorted({i for part in parts for i in part})
    return tuple((i, model.length(network.sizes[i])) for i in used)


def scaled(coefficient: Fraction, term: Term) -> Term:
    """A rational multiple of a term."""
    if coefficient == 1:
        return term
    return terms.einsum(scaling(term.order), terms.constant(coefficient), term)
