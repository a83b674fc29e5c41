"""Rational functions of exponentials, and their logarithms, without overflow and cancellation."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Indices, Size, canonical
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.networks.contraction_order import contract, scaled
from eggrad.engine.networks.exponential_field import Exponential, direction
from eggrad.engine.networks.linear import linear_forms
from eggrad.engine.networks.networks import (
    Factor,
    Network,
    along_deltas,
    network_key,
    product_network,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.rules.algebra.placed_products import Placed, multiplied
from eggrad.rules.algebra.products import networks
from eggrad.rules.algebra.sums import numbered, short_sums, total
from eggrad.rules.numerics.exponential_reading import elements, is_exponential, spread_over
from eggrad.rules.numerics.exponential_writing import (
    written_logarithms,
    written_products,
    written_sums,
    written_tangents,
)
from eggrad.rules.numerics.homogeneous import divisors, normalised

HIGHAM = "Higham 2002, Accuracy and Stability of Numerical Algorithms, section 1.14"
BLANCHARD = "Blanchard, Higham, Higham 2021, log-sum-exp and softmax"
MAECHLER = "Maechler 2012, Accurately computing log(1 - exp(-|a|))"

MAX_SUMMANDS = 6
# Powers of powers of powers are looked through, this many times.
MAX_TOWER = 4

exponentials = Ruleset(
    "exponentials",
    "rational functions of exponentials, without overflow and cancellation",
    "none: a few further members of each class",
)


@exponentials.bulk_rule(cite="definition of the hyperbolic tangent", stable=True, sizeless=True)
def tangent_of_half(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """(exp z - 1) / (exp z + 1) = tanh(z / 2), and powers of it."""
    for cls, element in elements(graph).items():
        if element.step:
            for term in written_tangents(graph, graph.dims[cls], element):
                yield cls, term


@exponentials.bulk_rule(cite=f"{HIGHAM}; {BLANCHARD}", sizeless=True)
def exponential_fraction(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A rational function of exp z is a product of powers of exp z, exp z - 1 and exp z + 1."""
    for cls, element in elements(graph).items():
        if is_exponential(element):
            for term in written_products(graph, graph.dims[cls], element):
                yield cls, term


@exponentials.bulk_rule(cite=HIGHAM, stable=True, sizeless=True)
def exponential_polynomial(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """A polynomial in exp z over a power of 1 + exp z is a sum of terms that are at most 1."""
    for cls, element in elements(graph).items():
        if element.step:
            for term in written_sums(graph, graph.dims[cls], element):
                yield cls, term


@exponentials.bulk_rule(cite=f"{BLANCHARD}; {MAECHLER}", stable=True, sizeless=True)
def logarithm_of_fraction(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The log of such a product is a sum of terms of one sign: log(1 + exp z) and the like."""
    for cls in graph.classes:
        for member in graph.members[cls]:
            if member.constructor == "function" and member.data[0] == "log":
                element = elements(graph).get(member.children[0])
                if element is not None and is_exponential(element):
                    for term in written_logarithms(graph, graph.dims[cls], element):
                        yield cls, term


@exponentials.bulk_rule(cite="associativity and commutativity of the product")
def exponentials_together(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The exponentials among the factors of a product are multiplied first."""
    for cls in graph.classes:
        for _, own in networks(graph, cls):
            closed = along_deltas(graph, own)
            for network in (closed, opened(graph, closed)):
                for chosen in joinable(graph, network):
                    step = ("exponentials together", cls, network, chosen)
                    if len(chosen) > 1 and len(network.factors) > 2 and graph.first_time(step):
                        yield cls, joined(graph, network, chosen)


def opened(graph: Snapshot, network: Network) -> Network:
    """The network with one factor that is a sum replaced by a product that it is as well."""
    for place, (cls, _) in enumerate(network.factors):
        if graph.choice[cls].constructor == "add":
            for m in graph.members[cls]:
                factors = [elements(graph).get(c) for c in m.children]
                if m.constructor == "ein" and any(map(is_exponential, factors)):
                    return network.with_factor(place, product_network(graph, cls, m))
    return network


def joinable(graph: Snapshot, network: Network) -> Iterable[tuple[int, ...]]:
    """The places of exponential factors within the axes of the largest whose product is one.

    They are functions of exp z, with one z or with multiples of it: with q = exp z, the product of
    q / (1 + q) and tanh z is no product of powers of q and q ± 1, though each of them is one.
    """
    own: dict[int, Exponential] = {}
    for k, (cls, part) in enumerate(network.factors):
        element = elements(graph).get(cls)
        if element and is_exponential(element) and len(set(part)) == len(part):
            own[k] = element
    largest = max((network.factors[k][1] for k in own), key=len, default=())
    own = {
        k: spread_over(e, network.factors[k][1], largest)
        for k, e in own.items()
        if set(network.factors[k][1]) <= set(largest)
    }
    plain = [k for k, e in own.items() if not e.step]
    groups: dict[object, list[int]] = {}
    for k, e in own.items():
        if e.step:
            groups.setdefault(("of z", e.step), [*plain]).append(k)
            groups.setdefault(("of multiples of z", direction(e.step)), [*plain]).append(k)
    return dict.fromkeys(tuple(sorted(ks)) for ks in groups.values() or [plain])


def joined(graph: Snapshot, network: Network, chosen: Sequence[int]) -> Term:
    """The product of some factors times the rest, or summed where there is no rest."""
    largest = max((network.factors[k][1] for k in chosen), key=len)
    inner = contract(graph, network, [network.factors[k] for k in chosen], largest)
    rest = [(graph.term(c), i) for k, (c, i) in enumerate(network.factors) if k not in chosen]
    lengths = {i: graph.model.length(d) for i, d in network.sizes.items()}
    whole = multiplied([(inner, largest), *rest], network.out, lengths)
    return scaled(network.coefficient, whole)


@exponentials.bulk_rule(cite="ring axioms")
def exponential_into_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """e·(a·f + b·g) = a·e·f + b·e·g, for exponentials e, f and g, where f and g are not alike."""
    for cls in graph.classes:
        for _, network in networks(graph, cls):
            for place, form in short_sums(graph, network):
                if is_exponential(elements(graph).get(network.factors[place][0])):
                    continue
                parts = [put_in(graph, network, place, t, c) for t, c in form.items()]
                bases = [own for p in parts for own in meeting(graph, network, place, p)]
                fresh = unlike(bases) and graph.first_time(
                    ("exponential into", cls, network, place)
                )
                if fresh:
                    products = [
                        scaled(p.coefficient, contract(graph, p, p.factors, p.out)) for p in parts
                    ]
                    yield cls, reduce(terms.add, products)


def unlike(bases: Sequence[set[int]]) -> bool:
    """Whether there are some in every set, and none is in all."""
    first = bases[0] if bases else set[int]()
    return all(bases) and bool(first) and not any(all(b in own for own in bases) for b in first)


def put_in(graph: Snapshot, outer: Network, place: int, cls: int, number: Fraction) -> Network:
    """A network with a multiple of a class at some place; an exponential is not taken apart."""
    if not is_exponential(elements(graph).get(cls)):
        return along_deltas(graph, outer.with_factor(place, numbered(graph, cls, number)))
    part = outer.factors[place][1]
    factors = (*outer.factors[:place], (cls, part), *outer.factors[place + 1 :])
    return replace(outer, factors=factors, coefficient=outer.coefficient * number)


def meeting(graph: Snapshot, outer: Network, place: int, product: Network) -> list[set[int]]:
    """The bases of exponentials that were put in at a place and meet one beside it.

    There is one set, or one for each term of a sum among the factors that were put in.
    """
    end = len(product.factors) - len(outer.factors) + place + 1
    inside = product.factors[place:end]
    beside = [
        set(part)
        for cls, part in (*product.factors[:place], *product.factors[end:])
        if is_exponential(elements(graph).get(cls))
    ]
    found = [set[int]()]
    for cls, part in inside:
        if any(other.issubset(part) or other.issuperset(part) for other in beside):
            found = [own | more for own in found for more in bases_of(graph, cls)]
    return found


def bases_of(graph: Snapshot, cls: int) -> list[set[int]]:
    """The base of an exponential; of a sum, those of the exponentials in each of its terms."""
    own = bases_in(graph, [cls])
    for form, _ in linear_forms(graph, cls)[-1:]:
        if not own and len(form) <= MAX_SUMMANDS:
            products = [[c for c, _ in numbered(graph, t, n).factors] for t, n in form.items()]
            pairs = zip(form, products, strict=True)
            return [bases_in(graph, [t]) or bases_in(graph, factors) for t, factors in pairs]
    return [own]


def bases_in(graph: Snapshot, classes: Iterable[int]) -> set[int]:
    """The bases of those of some classes that are exponentials."""
    return {base_of(graph, c)[0] for c in classes if is_exponential(elements(graph).get(c))}


@exponentials.bulk_rule(cite=f"{BLANCHARD}; ring axioms", sizeless=True)
def homogeneous_function(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """f(e) / sᵈ = f(e / s), for an f of degree d in exponentials e, and an exponential s."""
    for divisor in divisors(graph):
        yield from normalised(graph, divisor)


@exponentials.bulk_rule(cite="ring axioms")
def exponential_out_of_sum(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·sᵖ + b·s^q = sᵖ·(a + b·s^(q-p)), for an exponential s that all terms have as a factor."""
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            if 2 <= len(form) <= MAX_SUMMANDS and cls not in elements(graph):
                parts = [numbered(graph, t, c) for t, c in form.items()]
                shared = [exponential_powers(graph, n) for n in parts]
                for base in shared[0]:
                    powers = [own.get(base, Fraction(0)) for own in shared]
                    p = max(powers)
                    if p < 0:
                        yield cls, pulled_out(graph, parts, base, p)


def exponential_powers(graph: Snapshot, network: Network) -> dict[Factor, Fraction]:
    """The exponentials on free indices of a product, with their exponents."""
    found: dict[Factor, Fraction] = {}
    for cls, part in network.factors:
        if set(part) <= set(network.out) and is_exponential(elements(graph).get(cls)):
            base, p = base_of(graph, cls)
            found[base, part] = found.get((base, part), Fraction(0)) + p
    return found


def base_of(graph: Snapshot, cls: int) -> tuple[int, Fraction]:
    """A class as a power of one that is none itself."""
    exponent = Fraction(1)
    for _ in range(MAX_TOWER):
        powers = ((b, p) for b, p in graph.exponents(cls).items() if b != cls)
        cls, p = next(powers, (cls, Fraction(1)))
        exponent *= p
    return cls, exponent


def pulled_out(graph: Snapshot, parts: list[Network], base: Factor, p: Fraction) -> Term:
    """Some products, each divided by a power of a base, added up, times that power."""
    cls, part = base
    out = parts[0].out
    summands: list[Term] = []
    for n in parts:
        own = [f for f in n.factors if f[1] == part and base_of(graph, f[0])[0] == cls]
        rest = [(graph.term(c), i) for c, i in n.factors if (c, i) not in own]
        q = sum((base_of(graph, c)[1] for c, _ in own), -p)
        if q:
            rest.append((terms.power(graph.term(cls), terms.constant(q)), part))
        summands.append(scaled(n.coefficient, spread(graph, rest, out, n.sizes)))
    factor = terms.power(graph.term(cls), terms.constant(p))
    return terms.einsum(canonical([part, out], out), factor, reduce(terms.add, summands))


def spread(graph: Snapshot, factors: list[Placed], out: Indices, sizes: dict[int, Size]) -> Term:
    """The product of some terms, spread over the axes that none of them has."""
    missing = tuple(i for i in out if all(i not in part for _, part in factors))
    if missing or not factors:
        ones = terms.constant(1, tuple(sizes[i] for i in missing))
        factors = [*factors, (ones, missing)]
    return multiplied(factors, out, {i: graph.model.length(d) for i, d in sizes.items()})


@exponentials.bulk_rule(cite="ring axioms")
def exponential_summands(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a·f + a·g = a·(f + g), where f and g are rational functions of the same exponential."""
    for cls in graph.classes:
        if cls in elements(graph):
            continue
        for form, _ in linear_forms(graph, cls):
            if 2 <= len(form) <= MAX_SUMMANDS:
                parts = [apart(graph, numbered(graph, t, c)) for t, c in form.items()]
                keys = {network_key(rest) for rest, _ in parts}
                total = sum_of([element for _, element in parts])
                if len(keys) == 1 and total is not None and is_exponential(total):
                    yield from ((cls, t) for t in times(graph, parts[0][0], total))


@exponentials.bulk_rule(cite="ring axioms", stable=True)
def bounded_exponentials_added_first(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """a + f + g = a + (f + g), for bounded rational functions f and g of the same exponential."""
    for cls in graph.classes:
        for form, _ in linear_forms(graph, cls):
            found = {t: own for t in form if (own := elements(graph).get(t)) is not None}
            alike = 1 < len(found) < len(form) <= MAX_SUMMANDS
            if alike and all(own.is_bounded for own in found.values()):
                numbers = [Exponential(numerator=(form[t],)).times(own) for t, own in found.items()]
                if is_exponential(sum_of([n for n in numbers if n])):
                    rest = {t: c for t, c in form.items() if t not in found}
                    first = total(graph, {t: form[t] for t in found})
                    yield cls, terms.add(total(graph, rest), first)


def apart(graph: Snapshot, network: Network) -> tuple[Network, Exponential]:
    """The element-wise exponential factors of a product, and the rest of it without its number."""
    product = Exponential(numerator=(network.coefficient,))
    rest: list[Factor] = []
    for cls, part in network.factors:
        element = elements(graph).get(cls)
        again = product.times(element) if element and part == network.out else None
        if again is None:
            rest.append((cls, part))
        else:
            product = again
    return replace(network, factors=tuple(rest), coefficient=Fraction(1)), product


def sum_of(summands: list[Exponential]) -> Exponential | None:
    """The sum of some elements, if it is one."""
    total: Exponential | None = summands[0]
    for element in summands[1:]:
        total = total and total.plus(element)
    return total


def times(graph: Snapshot, rest: Network, element: Exponential) -> Iterator[Term]:
    """An element times a network."""
    own = {i for _, part in rest.factors for i in part}
    shown = tuple(i for i in rest.out if i in own)
    first = contract(graph, rest, rest.factors, shown)
    dims = tuple(rest.sizes[i] for i in rest.out)
    for term in written_products(graph, dims, element):
        yield terms.einsum(canonical([shown, rest.out], rest.out), first, term)
