"""Rational functions of exponentials, and their logarithms, without overflow and cancellation."""

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.exponential_field import Exponential
from eggrad.engine.networks.exponential_logarithms import joined_over_mixed, logarithms_of_mixed
from eggrad.engine.networks.exponential_polynomials import joined_polynomials, written_polynomials
from eggrad.engine.networks.exponential_products import (
    MAX_SUMMANDS,
    apart,
    exponential_powers,
    joinable,
    joined,
    meeting,
    multiples,
    opened,
    pulled_out,
    put_in,
    sum_of,
    unlike,
)
from eggrad.engine.networks.exponential_reading import elements, exponential, is_exponential
from eggrad.engine.networks.exponential_writing import (
    written,
    written_in_tangents,
    written_logarithms,
    written_products,
    written_sums,
    written_tangents,
)
from eggrad.engine.networks.homogeneous import divisors, normalised
from eggrad.engine.networks.networks import along_deltas, network_key
from eggrad.engine.networks.sums_and_products import (
    as_term,
    every_network,
    every_sum,
    numbered,
    short_sums,
    total,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.notation import BLANCHARD, HIGHAM, MAECHLER

FUNCTIONS = f"{HIGHAM}, section 1.14"


exponentials = Ruleset(
    "exponentials",
    "rational functions of exponentials, without overflow and cancellation",
    "none: a few further e-nodes of each e-class",
)


@exponentials.bulk_rule(cite="definition of the hyperbolic tangent", stable=True, sizeless=True)
def tangent_of_half(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(exp z - 1) / (exp z + 1) = tanh(z / 2), and powers of it."""
    return written(graph, written_tangents)


@exponentials.bulk_rule(cite=f"{FUNCTIONS}; {BLANCHARD}", sizeless=True)
def exponential_fraction(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A rational function of exp z is a product of powers of exp z, exp z - 1 and exp z + 1."""
    return written(graph, written_products)


@exponentials.bulk_rule(cite=FUNCTIONS, stable=True, sizeless=True)
def exponential_polynomial(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A polynomial in exp z over a power of 1 + exp z is a sum of terms that are at most 1."""
    return written(graph, written_sums)


@exponentials.bulk_rule(cite=FUNCTIONS, stable=True, sizeless=True)
def tangent_polynomial(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Such a polynomial is one in tanh(z/2), times a power of cosh(z/2), if no end cancels."""
    return written(graph, written_in_tangents)


@exponentials.bulk_rule(cite=f"{BLANCHARD}; {MAECHLER}", stable=True, sizeless=True)
def logarithm_of_fraction(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The log of such a product is a sum of terms of one sign: log(1 + exp z) and the like."""
    for cls in graph.classes:
        for member in graph.members[cls]:
            if member.constructor == "function" and member.data[0] == "log":
                element = exponential(graph, member.children[0])
                if element is not None:
                    for term in written_logarithms(graph, graph.dims[cls], element):
                        yield cls, term


@exponentials.bulk_rule(cite="associativity and commutativity of the product")
def exponentials_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The exponentials among the factors of a product are multiplied first."""
    for cls, own in every_network(graph):
        closed = along_deltas(graph, own)
        for network in (closed, opened(graph, closed)):
            for chosen in joinable(graph, network):
                step = ("exponentials together", cls, network, chosen)
                if len(chosen) > 1 and len(network.factors) > 2 and graph.first_time(step):
                    yield cls, joined(graph, network, chosen)


@exponentials.bulk_rule(cite="ring axioms")
def exponential_into_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """e·(a·f + b·g) = a·e·f + b·e·g, for exponentials e, f and g, where f and g are not alike."""
    for cls, network in every_network(graph):
        for place, form in short_sums(graph, network):
            if exponential(graph, network.factors[place][0]):
                continue
            parts = [put_in(graph, network, place, t, c) for t, c in form.items()]
            bases = [own for p in parts for own in meeting(graph, network, place, p)]
            step = ("exponential into", cls, network, place)
            if unlike(bases) and graph.first_time(step):
                yield cls, reduce(terms.add, [as_term(graph, p) for p in parts])


@exponentials.bulk_rule(cite=f"{BLANCHARD}; ring axioms", sizeless=True)
def homogeneous_function(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """f(e) / sᵈ = f(e / s), for an f of degree d in exponentials e, and an exponential s."""
    for divisor in divisors(graph):
        yield from normalised(graph, divisor)


@exponentials.bulk_rule(cite="ring axioms")
def exponential_out_of_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·sᵖ + b·s^q = sᵖ·(a + b·s^(q-p)), for an exponential s that all terms have as a factor."""
    for cls, form in every_sum(graph):
        if 2 <= len(form) <= MAX_SUMMANDS and cls not in elements(graph):
            parts = [numbered(graph, t, c) for t, c in form.items()]
            shared = [exponential_powers(graph, n) for n in parts]
            for base in shared[0]:
                p = max(own.get(base, Fraction(0)) for own in shared)
                if p < 0:
                    yield cls, pulled_out(graph, parts, base, p)


@exponentials.bulk_rule(cite="ring axioms")
def exponential_summands(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·f + a·g = a·(f + g), where f and g are rational functions of the same exponential."""
    for cls, form in every_sum(graph):
        if 2 <= len(form) <= MAX_SUMMANDS and cls not in elements(graph):
            parts = [apart(graph, numbered(graph, t, c)) for t, c in form.items()]
            keys = {network_key(rest) for rest, _ in parts}
            whole = sum_of([element for _, element in parts])
            if len(keys) == 1 and whole is not None and is_exponential(whole):
                yield from ((cls, t) for t in multiples(graph, parts[0][0], whole))


@exponentials.bulk_rule(cite=f"{FUNCTIONS}; ring axioms", sizeless=True)
def exponential_coefficients(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Σ fₖ·mₖ, with rational functions fₖ of one exponential, is written with stable fₖ."""
    return written_polynomials(graph)


@exponentials.bulk_rule(cite="associativity and commutativity of the product")
def exponential_coefficients_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The factors of a product that have exponentials and the same axes are multiplied first."""
    for cls, network in every_network(graph):
        yield from ((cls, term) for term in joined_polynomials(graph, network))


@exponentials.bulk_rule(cite=BLANCHARD, stable=True, sizeless=True)
def logarithm_of_positive_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """log(a + b) = logaddexp(log a, log b), for a and b made of exponentials; a/b likewise."""
    return logarithms_of_mixed(graph)


@exponentials.bulk_rule(cite="associativity and commutativity of the product")
def quotients_of_positive_sums_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """What is divided by a sum of exponentials is multiplied by its positive factors first."""
    for cls, network in every_network(graph):
        yield from ((cls, term) for term in joined_over_mixed(graph, network))


@exponentials.bulk_rule(cite="ring axioms", stable=True)
def bounded_exponentials_added_first(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a + f + g = a + (f + g), for bounded rational functions f and g of the same exponential."""
    for cls, form in every_sum(graph):
        found = {t: own for t in form if (own := elements(graph).get(t)) is not None}
        alike = 1 < len(found) < len(form) <= MAX_SUMMANDS
        if alike and all(own.is_bounded for own in found.values()):
            numbers = [Exponential(numerator=(form[t],)).times(own) for t, own in found.items()]
            if is_exponential(sum_of([n for n in numbers if n])):
                rest = {t: c for t, c in form.items() if t not in found}
                first = total(graph, {t: form[t] for t in found})
                yield cls, terms.add(total(graph, rest), first)
