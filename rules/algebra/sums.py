"""Sums of many terms, in any order and nesting."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import product

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.linear import linear_forms
from eggrad.engine.networks.networks import scaled
from eggrad.engine.readings.sums_and_products import (
    as_term,
    cancels,
    cheapest_network,
    disjoint,
    distributed,
    distributions,
    every_network,
    every_sum,
    joint,
    like,
    may_cancel,
    number,
    repeated,
    sharing,
    short_sums,
    total,
    united,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import RING

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
