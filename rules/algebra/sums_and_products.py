"""Sums and products as wholes, in any order and nesting: linear forms and networks."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import islice, product
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import hadamard
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.networks import linear_forms, scaled, split
from eggrad.engine.networks.shared_work import (
    SUMS,
    exchanges,
    expanded,
    halved,
    made_from_others,
    with_common_pairs,
)
from eggrad.engine.networks.sums_and_products import (
    as_term,
    cancels,
    cheaper_orders,
    cheapest_network,
    deltas_put_in,
    disjoint,
    distributed,
    distributions,
    every_network,
    every_sum,
    hadamard_pairs,
    is_alike,
    joint,
    like,
    long_products,
    lowest_power_out,
    may_cancel,
    networks,
    number,
    pairs_to_join,
    picks_beside,
    powers_from_others,
    quotients_of,
    repeated,
    sharing,
    short_sums,
    total,
    united,
    with_divisor_apart,
    with_inverse_apart,
    with_sums_together,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import RING

LAUE = "Laue, Mitterreiter, Giesen 2018, section 4"

# Of a product a few pairs of factors are looked at.
MAX_PAIRS = 6

products = Ruleset(
    "products", "contraction networks", "none: one further e-node a network and split"
)
halves = Ruleset(
    "halves", "products that are their own mirror image", "none: one further e-node a network"
)
long_powers = Ruleset(
    "long_powers",
    "products of more factors than networks have, before they are loaded",
    "the number of factors",
)
orders = Ruleset(
    "orders",
    "the cheapest orders of products, and powers by others",
    "none: further e-nodes that no rule sees",
)
quotients = Ruleset(
    "quotients",
    "quotients, where a product of multiples hides them from `presentation`",
    "none: each e-class gets those of its e-nodes once",
)


@products.bulk_rule(cite="associativity and commutativity of the product; opt_einsum")
def contraction_order(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product of factors is the same in every order; a cheaper order is a further e-node."""
    return cheaper_orders(graph, exact=False)


@long_powers.bulk_rule(
    cite="definition of powers; associativity and commutativity",
    exceptions="a factor that divides is 0",
    sizeless=True,
)
def equal_factors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·(b·(a·b/…)) = aᵖ·b^q, for any number of factors and divisors, few of them different."""
    return long_products(graph)


@orders.bulk_rule(cite="associativity and commutativity of the product")
def cheapest_order(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product of factors is the same in every order; the cheapest of all is a further e-node."""
    return cheaper_orders(graph, exact=True)


@orders.bulk_rule(cite="associativity and commutativity of the product")
def shared_factors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product that has all factors of another is what the others make of that one."""
    return made_from_others(graph)


@orders.bulk_rule(cite="associativity and commutativity of the product")
def common_pairs(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """x·(W·y) and t·(W·y), for products with two factors in common: they are multiplied once."""
    return with_common_pairs(graph)


@orders.bulk_rule(cite="laws of exponents", sizeless=True)
def power_by_lower_power(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """aᵖ = a^q·a^(p-q) and a⁻ᵖ = (aᵖ)⁻¹, where the other power is there."""
    return powers_from_others(graph)


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


@products.bulk_rule(cite="associativity of the product")
def divisor_apart(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·(b·(a·b)⁻¹) = (a·b)·(a·b)⁻¹, for a product that is a scalar."""
    for cls in graph.classes:
        yield from ((cls, term) for term in with_divisor_apart(graph, cls))


@products.bulk_rule(cite="associativity of the product")
def inverse_apart(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """b·(a·b)⁻¹ = (b·b⁻¹)·a⁻¹, where the inverse of a product is known as a product of inverses."""
    for cls, network in every_network(graph):
        for k, (factor, _) in enumerate(network.factors):
            if graph.has(factor, ("inv", "adj")) and graph.first_time(("inverse", cls, network, k)):
                yield from ((cls, term) for term in with_inverse_apart(graph, network, k))


@products.bulk_rule(cite="associativity and commutativity of the product")
def powers_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·(b·aᵖ) = (a·aᵖ)·b, entry by entry, where a may itself be a product."""
    for cls in graph.classes:
        for m in graph.members[cls]:
            order = len(graph.dims[cls])
            if m.constructor == "ein" and m.spec == hadamard(order) and not m.subsumed:
                step = ("powers together", cls, m.children)
                if graph.first_time(step):
                    yield from ((cls, t) for t in islice(hadamard_pairs(graph, cls, m), MAX_PAIRS))


@quotients.bulk_rule(cite="definition of powers", domain="b ≠ 0", sizeless=True)
def product_as_quotient(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·b⁻ᵖ = a / bᵖ, entry by entry, where no other quotient is known."""
    for cls in graph.classes:
        members = graph.members[cls]
        if all(m.constructor != "divide" for m in members):
            yield from ((cls, t) for m in members for t in quotients_of(graph, m))


# Sums of many terms, in any order and nesting.


MAX_PAIRED = 6
# Of more groups of terms that share a factor, in all sums, those are tried that have no terms in
# common, all at once: each alone would be the beginning of as many sums as there are subsets.
MAX_GROUPS = 20

sums = Ruleset("sums", "sums of many terms", "the number of terms")


@sums.bulk_rule(cite=RING)
def like_terms(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Σ cᵢ·t = (Σ cᵢ)·t among the terms of a sum, whatever their order and nesting."""
    for cls in graph.classes:
        for form, leaves in linear_forms(graph, cls):
            if not form:
                yield cls, terms.constant(0, graph.dims[cls])
            elif len(form) < leaves:
                yield cls, total(graph, form)


@sums.bulk_rule(cite=RING)
def constants_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """c + a + d = a + (c + d), for the constants c and d among the terms of a sum."""
    for cls, form in every_sum(graph):
        known = {t: c * n for t, c in form.items() if (n := number(graph, t)) is not None}
        if len(known) > 1:
            joined = terms.constant(sum(known.values(), Fraction(0)), graph.dims[cls])
            rest = {t: c for t, c in form.items() if t not in known}
            yield cls, terms.add(total(graph, rest), joined) if rest else joined


@sums.bulk_rule(cite=RING)
def common_number(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """c·a ± c·b = c·(a ± b), for a number that all terms of a sum have in common."""
    for cls, form in every_sum(graph):
        numbers = set(form.values())
        numbers = numbers if len(numbers) == 1 else {abs(c) for c in numbers}
        if len(form) > 1 and len(numbers) == 1 and numbers != {1}:
            (number,) = numbers
            yield cls, scaled(number, total(graph, {t: c / number for t, c in form.items()}))


@sums.bulk_rule(cite=RING)
def same_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Sums of the same multiples of the same terms are equal."""
    return united(graph, ((cls, frozenset(form.items())) for cls, form in every_sum(graph)))


@sums.bulk_rule(cite=RING)
def common_factors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·b + a·c + d = a·(b + c) + d, for terms that share a factor, with all that they share."""
    sums_here = list(every_sum(graph))
    shared = [sharing(graph, form) for _, form in sums_here]
    few = sum(map(len, shared)) <= MAX_GROUPS
    for (cls, form), found in zip(sums_here, shared, strict=True):
        short = few and len(form) <= MAX_PAIRED
        chosen = [[g] for g in found] if short else [disjoint(found)]
        for groups, free in product(chosen, (False, True)):
            pairs = [(g, j) for g in groups if (j := joint(graph, form, g, free)) is not None]
            step = ("common factors", cls, frozenset(form.items()), tuple(pairs))
            if pairs and graph.first_time(step):
                taken = {t for g, _ in pairs for t in g}
                rest = {t: c for t, c in form.items() if t not in taken}
                summands = [j for _, j in pairs] + ([total(graph, rest)] if rest else [])
                yield cls, reduce(terms.add, summands)


@sums.bulk_rule(cite=RING, sizeless=True)
def lowest_power_of_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·sᵖ + b·sᵖ⁺¹ = sᵖ·(a + b·s), for a sum s, where fewer terms are left of a + b·s."""
    for cls, form in every_sum(graph):
        if 2 <= len(form) <= MAX_PAIRED:
            yield from ((cls, term) for term in lowest_power_out(graph, cls, form))


@sums.bulk_rule(cite="linearity")
def sum_of_unary(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Σᵢ a + Σᵢ b = Σᵢ (a + b), and a' + b' = (a + b)', among the terms of a sum."""
    for cls, form in every_sum(graph):
        found = with_sums_together(graph, cls, form)
        if found is not None:
            yield cls, found


@sums.bulk_rule(cite=RING)
def distribute_to_meet(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(a + b)·c + d = a·c + b·c + d, where one of the products is like another term."""
    for cls, form in every_sum(graph):
        if not 2 <= len(form) <= MAX_PAIRED:
            continue
        keys = {t: like(cheapest_network(graph, t)) for t in form}
        for t in form:
            others = {keys[u] for u in form if u != t}
            for parts, own in distributions(graph, t):
                if not others.isdisjoint(own):
                    rest = {u: c for u, c in form.items() if u != t}
                    products = [scaled(form[t], as_term(graph, p)) for p in parts]
                    yield cls, reduce(terms.add, [total(graph, rest), *products])


@sums.bulk_rule(cite=f"{RING}; {LAUE}: deltas inside nested products")
def distribute_over_deltas(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(δ·a + δ·b)·c = δ·a·c + δ·b·c, where the product sums an index of a delta, which goes."""
    for cls, network in every_network(graph):
        for place, form in short_sums(graph, network):
            parts = distributed(graph, network, place, form)
            found = [deltas_put_in(graph, network, place, p) for p in parts]
            summed = any(not {*part} <= {*network.out} for own in found for part in own)
            step = ("distribute over deltas", cls, network, place)
            if all(found) and summed and graph.first_time(step):
                yield cls, reduce(terms.add, [as_term(graph, p) for p in parts])


@sums.bulk_rule(cite=RING)
def distribute_over_units(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """([i = k]·a + b)·c = [i = k]·a·c + b·c, where the first product needs one entry of c alone."""
    for cls, network in every_network(graph):
        for place, form in short_sums(graph, network):
            parts = distributed(graph, network, place, form)
            meets = any(picks_beside(graph, network, place, p) for p in parts)
            if meets and graph.first_time(("distribute over units", cls, network, place)):
                yield cls, reduce(terms.add, [as_term(graph, p) for p in parts])


@sums.bulk_rule(cite=f"{RING}; linearity of the sum")
def distribute_over_spread(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Σⱼ (aᵢⱼ + bᵢ)·cᵢⱼ = Σⱼ aᵢⱼ·cᵢⱼ + bᵢ·Σⱼ cᵢⱼ, where a term is alike along a summed axis."""
    for cls, network in every_network(graph):
        for place, form in short_sums(graph, network):
            summed = {*network.factors[place][1]} - {*network.out}
            step = ("distribute over spread", cls, network, place)
            if not summed or len(form) == 1 or not graph.first_time(step):
                continue
            parts = distributed(graph, network, place, form)
            if any(is_alike(graph, network, place, p, summed) for p in parts):
                yield cls, reduce(terms.add, [as_term(graph, p) for p in parts])


@sums.bulk_rule(cite=RING)
def distribute_to_cancel(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(a·c⁻¹ + b)·c = a + b·c, where the factor c goes from one of the products."""
    for cls, network in every_network(graph):
        for k, form in short_sums(graph, network):
            if not may_cancel(graph, network, form):
                continue
            parts = distributed(graph, network, k, form)
            if any(cancels(graph, network, k, p) for p in parts):
                products = [as_term(graph, p) for p in parts]
                yield cls, reduce(terms.add, products)


@sums.bulk_rule(cite=RING)
def distribute_to_repeat(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """r·(r·b)·(a + b) = (r·b)·(r·a + r·b), where r·b, among the factors, is computed anyway."""
    for cls, network in every_network(graph):
        twice = [f for f, n in Counter(network.factors).items() if n > 1]
        for place, form in short_sums(graph, network) if twice else ():
            for factor in twice:
                if factor[1] == network.factors[place][1]:
                    found = repeated(graph, network, place, form, factor)
                    step = ("distribute to repeat", cls, network, place, factor)
                    if found is not None and graph.first_time(step):
                        yield cls, found
