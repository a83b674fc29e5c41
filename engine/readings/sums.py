"""The sums of classes as linear forms: what their terms share, and what distributing gives."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import hadamard
from eggrad.engine.networks.contraction_order import contract_terms, scaled
from eggrad.engine.networks.linear import LinearForm, linear_forms
from eggrad.engine.networks.networks import Factor, Network
from eggrad.engine.networks.parts import factored
from eggrad.engine.readings.products import cheapest_network, like, numbered
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = [
    "cancels", "disjoint", "distributed", "distributions", "every_sum", "joint", "may_cancel",
    "number", "repeated", "sharing", "short_sums", "total",
]  # fmt: skip

# The terms of a sum that is distributed.
MAX_DISTRIBUTED = 6


def every_sum(graph: Snapshot) -> Iterator[tuple[int, LinearForm]]:
    """The distinct linear forms of all sums, each with the class it is of."""
    return ((cls, form) for cls in graph.classes for form, _ in linear_forms(graph, cls))


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


def joint(graph: Snapshot, form: LinearForm, group: Sequence[int], free: bool) -> Term | None:
    """Some terms of a sum as what their networks share times the rest.

    With `free` that is what none of them sums over, if they sum over anything.
    """
    whole = [(t, form[t]) for t in group]
    products = [numbered(graph, t, c) for t, c in whole]
    if free and not any(len(n.sizes) > len(n.out) for n in products):
        return None
    return graph.remember(("joint", free, *whole), partial(factored, graph, products, free))


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
