"""Sums and products as wholes, in any order and nesting: linear forms and networks."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.rule import Bulk, Ruleset
from eggrad.engine.networks.networks import (
    SIGNS,
    LinearForm,
    as_term,
    cheap_path,
    cheapest_path,
    linear_forms,
    scaled,
    unscaled_key,
)
from eggrad.engine.networks.shared_work import (
    exchanges,
    expanded,
    halved,
    made_from_others,
    with_common_pairs,
)
from eggrad.engine.networks.sums_and_products import (
    as_quotients,
    axis_sums_gathered,
    cancels,
    cheaper_orders,
    cheapest_network,
    common_factors_out,
    determinants_of_powers,
    distributed_where,
    distributions,
    divisor_split_off,
    every_class,
    every_network,
    every_sum,
    inverses_split_off,
    long_products,
    lowest_power_out,
    needs_one_entry,
    pairs_to_join,
    powers_from_others,
    powers_multiplied_first,
    same_networks,
    same_sums,
    single_factors,
    split_off,
    sums_over_deltas,
    sums_what_is_constant,
    total,
    with_a_common_factor,
    with_repeated_factor,
    without_overlaps,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import COOKBOOK, LAUE_2018, RING

products = Ruleset(
    "products", "contraction networks", "none: one further e-node a network and split"
)
halves = Ruleset(
    "halves", "products that are their own mirror image", "none: one further e-node a network"
)
long_powers = Ruleset(
    "long_powers",
    "products of more factors than networks have, and determinants of them, before they are loaded",
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


products.state(
    "associativity and commutativity of the product",
    contraction_order=Bulk(partial(cheaper_orders, search=cheap_path)).noted(
        "A product of factors is the same in every order; a cheaper order is a further e-node.",
        cite="associativity and commutativity of the product; opt_einsum",
    ),
    same_network=Bulk(same_networks).noted(
        "Products with the same factors on the same indices are equal."
    ),
    factor_apart=Bulk(partial(split_off, places_of=single_factors)).noted(
        "A product is each delta, constant or single factor times the rest of it.",
        cite=f"{LAUE_2018}: deltas inside nested products; associativity",
    ),
    factors_together=Bulk(partial(split_off, places_of=pairs_to_join)).noted(
        "Two factors on the same indices, or two that rules can join, are multiplied first."
    ),
    divisor_apart=Bulk(divisor_split_off, every_class).noted(
        "a·(b·(a·b)⁻¹) = (a·b)·(a·b)⁻¹, for a product that is a scalar.",
        cite="associativity of the product",
    ),
    inverse_apart=Bulk(inverses_split_off, every_network).noted(
        "b·(a·b)⁻¹ = (b·b⁻¹)·a⁻¹, where the inverse of a product is known as a product of "
        "inverses.",
        cite="associativity of the product",
    ),
    powers_together=Bulk(powers_multiplied_first, every_class).noted(
        "a·(b·aᵖ) = (a·aᵖ)·b, entry by entry, where a may itself be a product."
    ),
)

long_powers.state(
    "definition of powers; associativity and commutativity",
    equal_factors=Bulk(long_products).noted(
        "a·(2·(b·(3·(a·b/…)))) = 6·(aᵖ·b^q), for any number of factors and divisors, few of them "
        "different.",
        exceptions="a factor that divides is 0",
        sizeless=True,
    ),
    determinant_of_power=Bulk(determinants_of_powers).noted(
        "det(a·a·…·a) = (det a)ᵏ, for any number of equal matrices; log of it is k·log |det a|.",
        cite=f"{COOKBOOK}, equation 22",
        sizeless=True,
    ),
)

orders.state(
    "associativity and commutativity of the product",
    cheapest_order=Bulk(partial(cheaper_orders, search=cheapest_path)).noted(
        "A product of factors is the same in every order; the cheapest of all is a further e-node."
    ),
    shared_factors=Bulk(made_from_others).noted(
        "A product that has all factors of another is what the others make of that one."
    ),
    common_pairs=Bulk(with_common_pairs).noted(
        "x·(W·y) and t·(W·y), for products with two factors in common: they are multiplied once."
    ),
    power_by_lower_power=Bulk(powers_from_others).noted(
        "aᵖ = a^q·a^(p-q) and a⁻ᵖ = (aᵖ)⁻¹, where the other power is there.",
        cite="laws of exponents",
        sizeless=True,
    ),
)

quotients.state(
    "definition of powers",
    product_as_quotient=Bulk(as_quotients, every_class).noted(
        "a·b⁻ᵖ = a / bᵖ, entry by entry, where no other quotient is known.",
        domain="b ≠ 0",
        sizeless=True,
    ),
)


@halves.bulk_rule(cite="a second derivative is symmetric; ring axioms")
def symmetric_halves(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A product (or a sum of such) that is its own mirror image is half of it, taken twice."""
    for cls, axes in dict.fromkeys(exchanges(graph)):
        if graph.choice[cls].constructor in ("ein", *SIGNS):
            summands = [halved(graph, n, axes) for n in expanded(graph, cls) or []]
            if summands and None not in summands:
                yield cls, reduce(terms.add, cast(list[Term], summands))


# Sums of many terms, in any order and nesting.


MAX_PAIRED = 6
# Of more groups of terms that share a factor, in all sums, those are tried that have no terms in
# common, all at once: each alone would be the beginning of as many sums as there are subsets.
MAX_GROUPS = 20

sums = Ruleset("sums", "sums of many terms", "the number of terms")
equal_sums = Ruleset("equal_sums", "sums that are the same", "the number of e-classes")


@sums.bulk_rule(cite=RING)
def like_terms(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Σ cᵢ·t = (Σ cᵢ)·t among the terms of a sum, whatever their order and nesting."""
    for cls in graph.classes:
        for form, leaves in linear_forms(graph, cls):
            if not form:
                yield cls, terms.constant(0, graph.dims[cls])
            elif len(form) < leaves:
                yield cls, total(graph, form)


@sums.bulk_rule(each=every_sum, cite=RING)
def constants_together(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """c + a + d = a + (c + d), for the constants c and d among the terms of a sum."""
    known = {t: c * n for t, c in form.items() if (n := graph.number(t)) is not None}
    if len(known) > 1:
        joined = terms.constant(sum(known.values(), Fraction(0)), graph.dims[cls])
        rest = {t: c for t, c in form.items() if t not in known}
        yield terms.add(total(graph, rest), joined) if rest else joined


@sums.bulk_rule(each=every_sum, cite=RING)
def common_number(graph: Snapshot, _: int, form: LinearForm) -> Iterator[Term]:
    """c·a ± c·b = c·(a ± b), for a number that all terms of a sum have in common."""
    numbers = set(form.values())
    numbers = numbers if len(numbers) == 1 else {abs(c) for c in numbers}
    if len(form) > 1 and len(numbers) == 1 and numbers != {1}:
        (number,) = numbers
        yield scaled(number, total(graph, {t: c / number for t, c in form.items()}))


equal_sums.state(
    RING,
    same_sum=Bulk(same_sums).noted("Sums of the same multiples of the same terms are equal."),
)


@sums.bulk_rule(cite=RING)
def common_factors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·b + a·c + d = a·(b + c) + d, for terms that share a factor, with all that they share."""
    sums_here = list(every_sum(graph))
    shared = [with_a_common_factor(graph, form) for _, form in sums_here]
    few = sum(map(len, shared)) <= MAX_GROUPS
    for (cls, form), found in zip(sums_here, shared, strict=True):
        short = few and len(form) <= MAX_PAIRED
        chosen = [[g] for g in found] if short else [without_overlaps(found)]
        for groups, free in product(chosen, (False, True)):
            made = ((g, common_factors_out(graph, form, g, free)) for g in groups)
            pairs = [(g, term) for g, term in made if term is not None]
            step = ("common factors", cls, frozenset(form.items()), tuple(pairs))
            if pairs and graph.first_time(step):
                taken = {t for g, _ in pairs for t in g}
                rest = {t: c for t, c in form.items() if t not in taken}
                summands = [term for _, term in pairs] + ([total(graph, rest)] if rest else [])
                yield cls, reduce(terms.add, summands)


sums.state(
    RING,
    lowest_power_of_sum=Bulk(lowest_power_out, every_sum).noted(
        "a·sᵖ + b·sᵖ⁺¹ = sᵖ·(a + b·s), for a sum s, where fewer terms are left of a + b·s.",
        sizeless=True,
    ),
    sum_of_unary=Bulk(axis_sums_gathered, every_sum).noted(
        "Σᵢ a + Σᵢ b = Σᵢ (a + b), and a' + b' = (a + b)', among the terms of a sum.",
        cite="linearity",
    ),
)


@sums.bulk_rule(each=every_sum, cite=RING)
def distribute_to_meet(graph: Snapshot, _: int, form: LinearForm) -> Iterator[Term]:
    """(a + b)·c + d = a·c + b·c + d, where one of the products is like another term."""
    if not 2 <= len(form) <= MAX_PAIRED:
        return
    keys = {t: unscaled_key(cheapest_network(graph, t)) for t in form}
    for t in form:
        others = {keys[u] for u in form if u != t}
        for parts, part_keys in distributions(graph, t):
            if not others.isdisjoint(part_keys):
                rest = {u: c for u, c in form.items() if u != t}
                products = [scaled(form[t], as_term(graph, p)) for p in parts]
                yield reduce(terms.add, [total(graph, rest), *products])


sums.state(
    RING,
    distribute_over_deltas=Bulk(distributed_where(sums_over_deltas), every_network).noted(
        "(δ·a + δ·b)·c = δ·a·c + δ·b·c, where the product sums an index of a delta, which goes.",
        cite=f"{RING}; {LAUE_2018}: deltas inside nested products",
    ),
    distribute_over_units=Bulk(distributed_where(needs_one_entry), every_network).noted(
        "([i = k]·a + b)·c = [i = k]·a·c + b·c, where the first product needs one entry of c alone."
    ),
    distribute_over_spread=Bulk(distributed_where(sums_what_is_constant), every_network).noted(
        "Σⱼ (aᵢⱼ + bᵢ)·cᵢⱼ = Σⱼ aᵢⱼ·cᵢⱼ + bᵢ·Σⱼ cᵢⱼ, where a term is alike along a summed axis.",
        cite=f"{RING}; linearity of the sum",
    ),
    distribute_to_cancel=Bulk(distributed_where(cancels, once=False), every_network).noted(
        "(a·c⁻¹ + b)·c = a + b·c, where the factor c goes from one of the products."
    ),
    distribute_to_repeat=Bulk(with_repeated_factor, every_network).noted(
        "r·(r·b)·(a + b) = (r·b)·(r·a + r·b), where r·b, among the factors, is computed anyway."
    ),
)
