"""The products of classes, read as networks of factors, and products of terms on named indices."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from math import prod

from eggrad.engine.costs.cost import Model
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Indices, Size, canonical, hadamard
from eggrad.engine.networks.contraction_order import contract, order_price, scaled
from eggrad.engine.networks.networks import Network, network_key, product_network
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = [
    "Placed", "as_term", "cheaper_orders", "cheapest_network", "every_network", "like",
    "multiplied", "networks", "numbered", "pairs_to_join", "quotients_of", "united",
]  # fmt: skip

Placed = tuple[Term, Indices]

# Of a class with many products the first few are looked at.
MAX_PRODUCTS = 12


def networks(graph: Snapshot, cls: int) -> Iterable[tuple[object, Network]]:
    """The distinct networks of a class's products, each with its key."""

    def read() -> dict[object, Network]:
        found: dict[object, Network] = {}
        products_here = [m for m in graph.members[cls] if m.constructor == "ein"][:MAX_PRODUCTS]
        current = [m for m in products_here if not m.retired]
        # Where -1 was taken out of two factors in turn, two classes are each the other's negative.
        if all(m.retired for m in graph.members[cls]):
            current = products_here
        for member in current:
            network = product_network(graph, cls, member)
            found.setdefault(network_key(network), network)
        return found

    return graph.remember(("networks", cls), read).items()


def every_network(graph: Snapshot) -> Iterator[tuple[int, Network]]:
    """The distinct networks of all products, each with the class it is of."""
    return ((cls, network) for cls in graph.classes for _, network in networks(graph, cls))


def united(graph: Snapshot, keyed: Iterable[tuple[int, Hashable]]) -> Iterator[tuple[int, Term]]:
    """For classes that have a key in common, and axes, a term of the first one."""
    known: dict[Hashable, int] = {}
    for cls, key in keyed:
        first = known.setdefault((key, graph.dims[cls]), cls)
        if first != cls:
            yield cls, graph.term(first)


def as_term(graph: Snapshot, network: Network) -> Term:
    """A network as a term, in a cheap order."""
    whole = contract(graph, network, network.factors, network.out)
    return scaled(network.coefficient, whole)


def cheaper_orders(graph: Snapshot, exact: bool) -> Iterator[tuple[int, Term]]:
    """Products in a cheaper order than those that are there."""
    for cls, network in every_network(graph):
        # What all products of the network may cost, to be the cheapest tree of the class.
        most = graph.tree_cost[cls] - sum(graph.tree_cost[c] for c, _ in network.factors)
        most = min(most, network.price)
        step = ("order", exact, cls, network, most)
        fresh = len(network.factors) > 2 and graph.first_time(step)
        if fresh and order_price(graph, network, exact=exact) < most:
            whole = contract(graph, network, network.factors, network.out, exact=exact)
            yield cls, scaled(network.coefficient, whole)


def pairs_to_join(graph: Snapshot, network: Network) -> Iterator[tuple[int, int]]:
    """Places of factors with equal indices of which one has a common base or function."""
    for j, (b, right) in enumerate(network.factors):
        for i, (a, left) in enumerate(network.factors[:j]):
            alike = left == right and graph.bases(a) & graph.bases(b)
            if alike or graph.inverse_of(a, b) or graph.inverse_of(b, a):
                yield i, j


def cheapest_network(graph: Snapshot, cls: int) -> Network:
    """The cheapest member of a class as a network."""
    read = partial(product_network, graph, cls, graph.choice[cls])
    return graph.remember(("cheapest network", cls), read)


def numbered(graph: Snapshot, cls: int, number: Fraction) -> Network:
    """A multiple of a class as a network."""
    network = cheapest_network(graph, cls)
    return replace(network, coefficient=network.coefficient * number)


def like(network: Network) -> object:
    """The same for networks that are multiples of one another."""
    return network_key(replace(network, coefficient=Fraction(1)))


def quotients_of(graph: Snapshot, product: ENode) -> Iterator[Term]:
    """The element-wise products with a negative power as quotients."""
    if product.constructor == "ein":
        a, b = product.children
        both = ((a, b), (b, a)) if product.spec == hadamard(len(graph.dims[a])) else ()
        for above, below in both:
            for base, p in graph.exponents(below).items():
                if p < 0:
                    divisor = graph.term(base)
                    divisor = divisor if p == -1 else terms.power(divisor, terms.constant(-p))
                    yield terms.divide(graph.term(above), divisor)


def multiplied(
    model: Model, factors: list[Placed], out: Indices, sizes: Mapping[int, Size]
) -> Term:
    """The product of some terms with axes `out`; the pair with the smallest product goes first.

    >>> from eggrad.engine.costs.cost import CostModel
    >>> a, x = terms.variable("a", ("m", "n")), terms.variable("x", ("n",))
    >>> whole = multiplied(CostModel(), [(a, (0, 1)), (x, (1,))], (0,), {0: "m", 1: "n"})
    >>> whole is terms.einsum("ij,j->i", a, x)
    True
    """
    lengths = {i: model.length(d) for i, d in sizes.items()}
    pool = list(factors)
    while len(pool) > 1:
        options = list(combinations(range(len(pool)), 2))
        i, j = min(options, key=lambda pair: _price(pool, pair, out, lengths))
        (a, left), (b, right) = pool[i], pool[j]
        kept = _kept(pool, (i, j), out)
        joined: Placed = (terms.einsum(canonical([left, right], kept), a, b), kept)
        pool = [joined, *(f for k, f in enumerate(pool) if k not in (i, j))]
    ((whole, own),) = pool
    return whole if own == out else terms.einsum(canonical([own], out), whole)


def _kept(pool: list[Placed], pair: tuple[int, int], out: Indices) -> Indices:
    """The indices of a pair that others need, in the order of the output for the last pair."""
    later = {i for k, (_, part) in enumerate(pool) if k not in pair for i in part}
    found = dict.fromkeys((*pool[pair[0]][1], *pool[pair[1]][1]))
    if len(pool) == 2:
        return out
    return tuple(i for i in found if i in later or i in out)


def _price(
    pool: list[Placed], pair: tuple[int, int], out: Indices, lengths: Mapping[int, int]
) -> tuple[int, int]:
    """Entries of the result, then multiplications."""
    indices = {*pool[pair[0]][1], *pool[pair[1]][1]}
    kept = _kept(pool, pair, out)
    return prod(lengths[i] for i in kept), prod(lengths[i] for i in indices)
