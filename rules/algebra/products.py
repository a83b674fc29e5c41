"""Products of many factors, in any order and nesting: contraction networks."""

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import islice
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.contraction_order import contract, order_price, scaled
from eggrad.engine.networks.networks import Network, network_key, product_network
from eggrad.engine.networks.parts import split
from eggrad.engine.networks.shared_factors import made_from_others
from eggrad.engine.networks.symmetry import SUMS, exchanges, expanded, halved
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

LAUE = "Laue, Mitterreiter, Giesen 2018, section 4"

# Of a class with many products the first few are looked at, of a product a few pairs.
MAX_PRODUCTS = 12
MAX_PAIRS = 6

products = Ruleset(
    "products", "contraction networks", "none: one further member a network and split"
)
halves = Ruleset(
    "halves", "products that are their own mirror image", "none: one further member a network"
)
orders = Ruleset("orders", "the cheapest orders of products", "the cost of a network")


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


@products.bulk_rule(cite="associativity and commutativity of the product; opt_einsum")
def contraction_order(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product of factors is the same in every order; a cheaper order is a further member."""
    return cheaper_orders(graph, exact=False)


@orders.bulk_rule(cite="associativity and commutativity of the product")
def cheapest_order(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product of factors is the same in every order; the cheapest of all is a further member."""
    return cheaper_orders(graph, exact=True)


@orders.bulk_rule(cite="associativity and commutativity of the product")
def shared_factors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product that has all factors of another is what the others make of that one."""
    return made_from_others(graph)


def cheaper_orders(graph: Snapshot, exact: bool) -> Iterator[tuple[int, Term]]:
    """Products in a cheaper order than those that are there."""
    for cls in graph.classes:
        for _, network in networks(graph, cls):
            # What all products of the network may cost, to be the cheapest tree of the class.
            most = graph.tree_cost[cls] - sum(graph.tree_cost[c] for c, _ in network.factors)
            most = min(most, network.price)
            step = ("order", exact, cls, network, most)
            fresh = len(network.factors) > 2 and graph.first_time(step)
            if fresh and order_price(graph, network, exact=exact) < most:
                whole = contract(graph, network, network.factors, network.out, exact=exact)
                yield cls, scaled(network.coefficient, whole)


@halves.bulk_rule(cite="a second derivative is symmetric; ring axioms")
def symmetric_halves(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product (or a sum of such) that is its own mirror image is half of it, taken twice."""
    for cls, axes in dict.fromkeys(exchanges(graph)):
        if graph.choice[cls].constructor in ("ein", *SUMS):
            summands = [halved(graph, n, axes) for n in expanded(graph, cls) or []]
            if summands and None not in summands:
                yield cls, reduce(terms.add, cast(list[Term], summands))


@products.bulk_rule(cite="associativity and commutativity of the product")
def same_network(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Products with the same factors on the same indices are equal."""
    known: dict[object, int] = {}
    for cls in graph.classes:
        for key, _ in networks(graph, cls):
            first = known.setdefault((key, graph.dims[cls]), cls)
            if first != cls:
                yield cls, graph.term(first)


@products.bulk_rule(cite=f"{LAUE}: deltas inside nested products; associativity")
def factor_apart(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product is each delta, constant or single factor times the rest of it."""
    for cls in graph.classes:
        for _, network in networks(graph, cls):
            if len(network.factors) > 2:
                for k, (factor, _) in enumerate(network.factors):
                    apart = graph.has(factor, ("delta", "constant", "inv", "adj", "det"))
                    if apart and graph.first_time(("apart", cls, network, k)):
                        yield cls, split(graph, network, [k])


@products.bulk_rule(cite="associativity and commutativity of the product")
def factors_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Two factors on the same indices, or two that rules can join, are multiplied first."""
    for cls in graph.classes:
        for _, network in networks(graph, cls):
            if len(network.factors) > 2:
                for i, j in islice(pairs_to_join(graph, network), MAX_PAIRS):
                    if graph.first_time(("together", cls, network, i, j)):
                        yield cls, split(graph, network, [i, j])


def pairs_to_join(graph: Snapshot, network: Network) -> Iterator[tuple[int, int]]:
    """Places of factors with equal indices of which one has a common base or function."""
    for j, (b, right) in enumerate(network.factors):
        for i, (a, left) in enumerate(network.factors[:j]):
            if (
                (left == right and graph.bases(a) & graph.bases(b))
                or graph.inverse_of(a, b)
                or graph.inverse_of(b, a)
            ):
                yield i, j
