"""Sums of many terms, in any order and nesting."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from eggrad.engine.networks import common_part, product_network, scaled, split
from eggrad.engine.linear import LinearForm, linear_forms
from eggrad.engine.rule import Ruleset
from eggrad.engine.snapshot import Snapshot
from eggrad.engine import term as terms
from eggrad.engine.term import Term

RING = "ring axioms"
MAX_PAIRED = 12

sums = Ruleset("sums", "sums of many terms", "the number of terms")


def total(graph: Snapshot, form: LinearForm) -> Term:
    """A linear form as a chain of sums and differences, in a fixed order."""
    summands = sorted(
        ((c, graph.term(cls)) for cls, c in form.items()), key=lambda p: (p[0] < 0, 0)
    )
    if not summands:
        raise ValueError("an empty linear form has no axes")
    first, *rest = summands
    whole = scaled(first[0], first[1])
    for c, t in rest:
        whole = (
            terms.subtract(whole, scaled(-c, t)) if c < 0 else terms.add(whole, scaled(c, t))
        )
    return whole


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
def common_number(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """c·a ± c·b = c·(a ± b), for a number that all terms of a sum have in common."""
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            numbers = {abs(c) for c in form.values()}
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
def common_network(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Two terms of a sum with factors in common: those apart from each, and the two side by side."""
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            if not 2 <= len(form) <= MAX_PAIRED:
                continue
            networks = {c: product_network(graph, c, graph.choice[c]) for c in form}
            for a, b in combinations(form, 2):
                shared = common_part(networks[a], networks[b])
                if shared:
                    for c, places in ((a, [i for i, _ in shared]), (b, [j for _, j in shared])):
                        if len(places) < len(networks[c].factors):
                            yield c, split(graph, networks[c], places)
                    if len(form) > 2:
                        pair = {a: form[a], b: form[b]}
                        rest = {c: k for c, k in form.items() if c not in pair}
                        yield cls, terms.add(total(graph, pair), total(graph, rest))
