"""Products of many factors, in any order and nesting: contraction networks; quotients."""

from collections.abc import Iterator
from functools import reduce
from itertools import islice
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.networks import split
from eggrad.engine.networks.shared_work import SUMS, exchanges, expanded, halved, made_from_others
from eggrad.engine.readings.sums_and_products import (
    cheaper_orders,
    every_network,
    networks,
    pairs_to_join,
    quotients_of,
    united,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

LAUE = "Laue, Mitterreiter, Giesen 2018, section 4"

# Of a product a few pairs of factors are looked at.
MAX_PAIRS = 6

products = Ruleset(
    "products", "contraction networks", "none: one further member a network and split"
)
halves = Ruleset(
    "halves", "products that are their own mirror image", "none: one further member a network"
)
orders = Ruleset("orders", "the cheapest orders of products", "the cost of a network")
quotients = Ruleset(
    "quotients",
    "quotients, where a product of multiples hides them from `presentation`",
    "none: each class gets those of its members once",
)


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
    return united(graph, ((cls, key) for cls in graph.classes for key, _ in networks(graph, cls)))


@products.bulk_rule(cite=f"{LAUE}: deltas inside nested products; associativity")
def factor_apart(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product is each delta, constant or single factor times the rest of it."""
    for cls, network in every_network(graph):
        if len(network.factors) > 2:
            for k, (factor, _) in enumerate(network.factors):
                apart = graph.has(factor, ("delta", "constant", "inv", "adj", "det"))
                if apart and graph.first_time(("apart", cls, network, k)):
                    yield cls, split(graph, network, [k])


@products.bulk_rule(cite="associativity and commutativity of the product")
def factors_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Two factors on the same indices, or two that rules can join, are multiplied first."""
    for cls, network in every_network(graph):
        if len(network.factors) > 2:
            for i, j in islice(pairs_to_join(graph, network), MAX_PAIRS):
                if graph.first_time(("together", cls, network, i, j)):
                    yield cls, split(graph, network, [i, j])


@quotients.bulk_rule(cite="definition of powers", domain="b ≠ 0", sizeless=True)
def product_as_quotient(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·b⁻ᵖ = a / bᵖ, entry by entry, where no other quotient is known."""
    for cls in graph.classes:
        members = graph.members[cls]
        if all(m.constructor != "divide" for m in members):
            yield from ((cls, t) for m in members for t in quotients_of(graph, m))
