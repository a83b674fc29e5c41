"""The order in which the factors of a network are multiplied, two at a time."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import opt_einsum

from eggrad.engine import term as terms
from eggrad.engine.networks import Factor, Network
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.spec import Indices, Spec, canonical, scaling
from eggrad.engine.term import Term

__all__ = ["contract", "contract_terms", "price_of", "scaled"]

# Dynamic programming takes milliseconds for so many factors, and up to a minute for twice as many.
MAX_PROGRAMMED = 18


def contract(graph: Snapshot, network: Network, factors: Sequence[Factor], out: Indices) -> Term:
    """The product of some factors as a term with axes `out`, in the cheapest order."""
    pool = [(graph.term(c), part) for c, part in factors]
    return contract_terms(graph, network, pool, out)


def contract_terms(
    graph: Snapshot, network: Network, pool: Sequence[tuple[Term, Indices]], out: Indices
) -> Term:
    """The product of some terms on a network's indices, in the cheapest order."""
    if not pool:
        return terms.constant(1)
    used = sorted({i for _, part in pool for i in part})
    lengths = tuple((i, graph.model.length(network.sizes[i])) for i in used)
    if len(pool) == 1:
        ((only, part),) = pool
        return only if part == out else terms.einsum(canonical([part], out), only)
    made = [t for t, _ in pool]
    for i, j, spec in _products(tuple(part for _, part in pool), out, lengths):
        made.append(terms.einsum(spec, made[i], made[j]))
    return made[-1]


@lru_cache(maxsize=4096)
def _products(
    parts: tuple[Indices, ...], out: Indices, lengths: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int, Spec], ...]:
    """The products of two with the fewest operations: the numbers of both, and their spec.

    The operands have the first numbers; each product has the next.
    """
    left = list(enumerate(parts))
    found: list[tuple[int, int, Spec]] = []
    for step in _path(parts, out, dict(lengths)):
        # One operand alone, which the path would sum over some axes, only goes to the end.
        chosen = [left[k] for k in sorted(step)]
        left = [operand for k, operand in enumerate(left) if k not in step]
        if len(chosen) == 2:
            (i, a), (j, b) = chosen
            kept = _kept(a + b, {x for _, part in left for x in part}, out) if left else out
            chosen = [(len(parts) + len(found), kept)]
            found.append((i, j, canonical([a, b], kept)))
        left += chosen
    return tuple(found)


def _path(
    parts: tuple[Indices, ...], out: Indices, lengths: dict[int, int]
) -> Iterable[Sequence[int]]:
    """The steps that opt_einsum finds: places among what is left."""
    search: Any = opt_einsum.paths.greedy
    if len(parts) <= MAX_PROGRAMMED:
        small = len(parts) <= 4
        search = opt_einsum.paths.optimal if small else opt_einsum.paths.dynamic_programming
    return search([frozenset(p) for p in parts], frozenset(out), lengths)


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
        deltas = tuple(a.op == "delta" for a in t.args)
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
