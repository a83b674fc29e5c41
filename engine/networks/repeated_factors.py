"""Networks in which one matrix occurs several times, on one summed index: symmetric products."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.networks.contraction_order import contract_terms, scaled
from eggrad.engine.networks.networks import Network
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["symmetric_products_of"]


# Weights of more factors are no few numbers.
MAX_WEIGHTS = 8


@dataclass(frozen=True)
class _Repeated:
    """A matrix class with axes (summed, own) or the reverse, and the own indices, two or three."""

    cls: int
    summed_first: bool
    own: Indices


def symmetric_products_of(graph: Snapshot, networks: Sequence[Network]) -> Iterator[Term]:
    """The sum of some networks as one symmetric product whose weights are what else they have.

    `Σ_s w_s A_sa A_sb + Σ_s v_s A_sa A_sb` has the weights w + v. There is none where the networks
    have no two or three factors of that kind in common, or nothing else, and a second where there
    are two ways to compute it.
    """
    first, *others = (_repeated(n) for n in networks)
    for found, summed in first.items():
        indices = [summed, *(o.get(found) for o in others)]
        if None not in indices:
            rests = [_rest(n, found, s) for n, s in zip(networks, indices, strict=True)]
            if any(rests) and max(map(len, rests)) <= MAX_WEIGHTS:
                yield from _products(graph, networks, found, indices, rests)
                return


def _repeated(network: Network) -> dict[_Repeated, int]:
    """The factors that occur two or three times, each with the index that is summed."""
    groups: dict[tuple[int, bool, int], list[int]] = {}
    for cls, part in network.factors:
        if len(part) == 2:
            for place in (0, 1):
                summed, own = part[place], part[1 - place]
                users = sum(own in p for _, p in network.factors)
                if summed not in network.out and own in network.out and users == 1:
                    groups.setdefault((cls, place == 0, summed), []).append(own)
    return {
        _Repeated(cls, first, tuple(sorted(own))): summed
        for (cls, first, summed), own in groups.items()
        if len(own) in (2, 3)
    }


def _rest(network: Network, found: _Repeated, summed: int | None) -> list[tuple[int, Indices]]:
    taken = {frozenset((summed, i)) for i in found.own}
    return [
        (cls, part)
        for cls, part in network.factors
        if not (cls == found.cls and len(part) == 2 and frozenset(part) in taken)
    ]


def _products(
    graph: Snapshot,
    networks: Sequence[Network],
    found: _Repeated,
    indices: Sequence[int | None],
    rests: Sequence[Sequence[tuple[int, Indices]]],
) -> Iterator[Term]:
    out = networks[0].out
    inner = tuple(i for i in out if i not in found.own)
    made = inner + found.own
    matrix = graph.term(found.cls)
    if not found.summed_first:
        matrix = terms.einsum("ij->ji", matrix)

    def weights(wanted: Callable[[int], Indices], numbers: Sequence[Fraction]) -> Term:
        """All else, on the summed index and the inner ones."""
        every: list[Term] = []
        for network, number, summed, rest in zip(networks, numbers, indices, rests, strict=True):
            assert summed is not None
            every.append(scaled(number, _weights(graph, network, rest, wanted(summed))))
        return reduce(terms.add, every)

    numbers = [n.coefficient for n in networks]
    by_rows = weights(lambda summed: (summed, *inner), numbers)
    ways = [terms.numeric("symmetric_product", matrix, by_rows, data=len(found.own))]
    if inner and len(found.own) == 2:
        # The number of all goes to the result: there may be more weights.
        common = numbers[0] or Fraction(1)
        shares = [n / common for n in numbers]
        by_columns = weights(lambda summed: (*inner, summed), shares)
        ways.append(scaled(common, terms.numeric("product_of_pairs", matrix, by_columns)))
    for whole in ways:
        yield whole if made == out else terms.einsum(canonical([made], out), whole)


def _weights(
    graph: Snapshot, network: Network, rest: Sequence[tuple[int, Indices]], wanted: Indices
) -> Term:
    pool = [(graph.term(cls), part) for cls, part in rest]
    present = {i for _, part in rest for i in part}
    # Weights are the same along an axis that nothing else has.
    missing = tuple(i for i in wanted if i not in present)
    if missing or not pool:
        ones = terms.constant(1, tuple(network.sizes[i] for i in missing))
        pool.append((ones, missing))
    return contract_terms(graph, network, pool, wanted)
