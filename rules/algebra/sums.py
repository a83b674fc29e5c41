"""Sums of many terms, in any order and nesting."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import hadamard
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.contraction_order import contract, contract_terms, scaled
from eggrad.engine.networks.linear import LinearForm, linear_forms
from eggrad.engine.networks.networks import Factor, Network, network_key, product_network
from eggrad.engine.networks.parts import factored
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.algebra.products import networks

RING = "ring axioms"
MAX_PAIRED = 6
MAX_DISTRIBUTED = 6
# Of more groups of terms that share a factor, in all sums, those are tried that have no terms in
# common, all at once: each alone would be the beginning of as many sums as there are subsets.
MAX_GROUPS = 20

sums = Ruleset("sums", "sums of many terms", "the number of terms")


def total(graph: Snapshot, form: LinearForm) -> Term:
    """A linear form of at least one term as sums and differences, what is added first."""
    summands = [(c, graph.term(cls)) for cls, c in form.items()]
    (number, first), *rest = sorted(summands, key=lambda s: s[0] < 0)
    whole = scaled(number, first)
    for c, t in rest:
        whole = terms.subtract(whole, scaled(-c, t)) if c < 0 else terms.add(whole, scaled(c, t))
    return whole


def number(graph: Snapshot, cls: int) -> Fraction | None:
    """The value of a class that is a constant."""
    values = (m.data[0] for m in graph.members[cls] if m.constructor == "constant")
    return next((Fraction(cast(Fraction, v)) for v in values), None)


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
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            known = {t: c * n for t, c in form.items() if (n := number(graph, t)) is not None}
            if len(known) > 1:
                joined = terms.constant(sum(known.values(), Fraction(0)), graph.dims[cls])
                rest = {t: c for t, c in form.items() if t not in known}
                yield cls, terms.add(total(graph, rest), joined) if rest else joined


@sums.bulk_rule(cite=RING)
def common_number(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """c·a ± c·b = c·(a ± b), for a number that all terms of a sum have in common."""
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            numbers = set(form.values())
            numbers = numbers if len(numbers) == 1 else {abs(c) for c in numbers}
            if len(form) > 1 and len(numbers) == 1 and numbers != {1}:
                (number,) = numbers
                yield cls, scaled(number, total(graph, {t: c / number for t, c in form.items()}))


@sums.bulk_rule(cite=RING)
def same_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Sums of the same multiples of the same terms are equal."""
    known: dict[object, int] = {}
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            first = known.setdefault((frozenset(form.items()), graph.dims[cls]), cls)
            if first != cls:
                yield cls, graph.term(first)


@sums.bulk_rule(cite=RING)
def common_factors(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·b + a·c + d = a·(b + c) + d, for terms that share a factor, with all that they share."""
    sums_here = [(cls, form) for cls in graph.classes for form, _ in linear_forms(graph, cls)]
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


def joint(graph: Snapshot, form: LinearForm, group: Sequence[int], free: bool) -> Term | None:
    """Some terms of a sum as what their networks share times the rest.

    With `free` that is what none of them sums over, if they sum over anything.
    """
    whole = [(t, form[t]) for t in group]
    products = [numbered(graph, t, c) for t, c in whole]
    if free and not any(len(n.sizes) > len(n.out) for n in products):
        return None
    return graph.remember(("joint", free, *whole), partial(factored, graph, products, free))


def sharing(graph: Snapshot, form: LinearForm) -> list[tuple[int, ...]]:
    """The terms that share a factor with the same axes, largest groups first."""
    if len(form) < 2:
        return []
    users: dict[object, list[int]] = {}
    for t in form:
        network = cheapest_network(graph, t)
        shown = ((c, tuple(i if i in network.out else -1 for i in p)) for c, p in network.factors)
        for key in dict.fromkeys(shown):
            users.setdefault(key, []).append(t)
    groups = dict.fromkeys(tuple(own) for own in users.values() if len(own) > 1)
    return sorted(groups, key=len, reverse=True)


def disjoint(groups: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The first of some groups, and those after it that have no terms with others in common."""
    taken: set[int] = set()
    chosen: list[tuple[int, ...]] = []
    for group in groups:
        if taken.isdisjoint(group):
            taken.update(group)
            chosen.append(group)
    return chosen


@sums.bulk_rule(cite=RING)
def distribute_to_meet(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(a + b)·c + d = a·c + b·c + d, where one of the products is like another term."""
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            if not 2 <= len(form) <= MAX_PAIRED:
                continue
            keys = {t: like(cheapest_network(graph, t)) for t in form}
            for t in form:
                others = {keys[u] for u in form if u != t}
                for parts, own in distributions(graph, t):
                    if not others.isdisjoint(own):
                        rest = {u: c for u, c in form.items() if u != t}
                        products = [
                            scaled(form[t] * p.coefficient, contract(graph, p, p.factors, p.out))
                            for p in parts
                        ]
                        yield cls, reduce(terms.add, [total(graph, rest), *products])


@sums.bulk_rule(cite=RING)
def distribute_to_cancel(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(a·c⁻¹ + b)·c = a + b·c, where the factor c goes from one of the products."""
    for cls in graph.classes:
        for _, network in networks(graph, cls):
            for k, form in short_sums(graph, network):
                if not may_cancel(graph, network, form):
                    continue
                parts = distributed(graph, network, k, form)
                if any(cancels(graph, network, k, p) for p in parts):
                    products = [
                        scaled(p.coefficient, contract(graph, p, p.factors, p.out)) for p in parts
                    ]
                    yield cls, reduce(terms.add, products)


@sums.bulk_rule(cite=RING)
def distribute_to_repeat(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """r·(r·b)·(a + b) = (r·b)·(r·a + r·b), where r·b, among the factors, is computed anyway."""
    for cls in graph.classes:
        for _, network in networks(graph, cls):
            twice = [f for f, n in Counter(network.factors).items() if n > 1]
            for place, form in short_sums(graph, network) if twice else ():
                for factor in twice:
                    if factor[1] == network.factors[place][1]:
                        found = repeated(graph, network, place, form, factor)
                        step = ("distribute to repeat", cls, network, place, factor)
                        if found is not None and graph.first_time(step):
                            yield cls, found


def repeated(
    graph: Snapshot, network: Network, place: int, form: LinearForm, factor: Factor
) -> Term | None:
    """A network with a factor in each term of a sum, if one of these is then among the factors."""
    r, part = factor
    for t in form:
        own = cheapest_network(graph, t)
        inside = [(c, tuple(part[i] for i in p)) for c, p in own.factors if {*p} <= {*own.out}]
        taken = Counter([network.factors[place], factor, factor, *inside])
        if len(inside) == len(own.factors) and taken <= Counter(network.factors):
            times = partial(terms.einsum, hadamard(len(part)), graph.term(r))
            summands = [scaled(c, times(graph.term(u))) for u, c in form.items()]
            left = Counter(network.factors) - taken
            pool = [(graph.term(c), p) for c, p in left.elements()]
            pool += [(times(graph.term(t)), part), (reduce(terms.add, summands), part)]
            number = network.coefficient / own.coefficient
            return scaled(number, contract_terms(graph, network, pool, network.out))
    return None


def cancels(graph: Snapshot, outer: Network, place: int, product: Network) -> bool:
    """Whether what was put in at a place is inverse, entry by entry, to a factor beside it."""
    after = len(outer.factors) - place - 1
    end = len(product.factors) - after
    inside = product.factors[place:end]
    beside = (*product.factors[:place], *product.factors[end:])
    return any(
        left == right and opposed(graph.exponents(a), graph.exponents(b))
        for a, left in inside
        for b, right in beside
    )


def opposed(a: Mapping[int, Fraction], b: Mapping[int, Fraction]) -> bool:
    """Whether two tensors are powers of one base, of which one exponent is negative."""
    return any((a[base] < 0) != (b[base] < 0) for base in a.keys() & b.keys())


def may_cancel(graph: Snapshot, network: Network, form: LinearForm) -> bool:
    """Whether there is a negative power at all among the factors, those of the sum included."""
    inside = [f for u in form for f in cheapest_network(graph, u).factors]
    every = [graph.exponents(c) for c, _ in (*network.factors, *inside)]
    return any(e < 0 for exponents in every for e in exponents.values())


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


def distributions(graph: Snapshot, cls: int) -> list[tuple[list[Network], set[object]]]:
    """The ways to distribute a sum in the cheapest network of a class, and what is like them."""

    def ways() -> list[tuple[list[Network], set[object]]]:
        network = cheapest_network(graph, cls)
        every = [distributed(graph, network, k, form) for k, form in short_sums(graph, network)]
        return [(parts, {like(p) for p in parts}) for parts in every]

    return graph.remember(("distributions", cls), ways)


def short_sums(graph: Snapshot, network: Network) -> Iterator[tuple[int, LinearForm]]:
    """Places of factors that are short sums, with these."""
    for k, (factor, _) in enumerate(network.factors):
        for form, _ in linear_forms(graph, factor)[:1]:
            if len(form) <= MAX_DISTRIBUTED:
                yield k, form


def distributed(graph: Snapshot, network: Network, place: int, form: LinearForm) -> list[Network]:
    """The products that distributing a sum at some place gives."""
    return [network.with_factor(place, numbered(graph, u, c)) for u, c in form.items()]
