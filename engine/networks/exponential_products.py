"""Products and sums with rational functions of exponentials among their factors and terms."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Indices, Size, canonical
from eggrad.engine.networks.exponential_field import (
    Exponential,
    direction,
)
from eggrad.engine.networks.exponential_reading import (
    elements,
    exponential,
    spread_over,
)
from eggrad.engine.networks.exponential_writing import (
    written_products,
)
from eggrad.engine.networks.networks import (
    Factor,
    Network,
    along_deltas,
    contract,
    linear_forms,
    product_network,
    scaled,
)
from eggrad.engine.networks.sums_and_products import Placed, base_of, multiplied, numbered
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

# The terms of a sum that is looked at.
MAX_SUMMANDS = 6


def opened(graph: Snapshot, network: Network) -> Network:
    """The network with one factor that is a sum replaced by a product that it is as well."""
    for place, (cls, _) in enumerate(network.factors):
        if graph.choice[cls].constructor == "add":
            for m in graph.members[cls]:
                if m.constructor == "ein" and any(exponential(graph, c) for c in m.children):
                    return network.with_factor(place, product_network(graph, cls, m))
    return network


def joinable(graph: Snapshot, network: Network) -> Iterable[tuple[int, ...]]:
    """The places of exponential factors within the axes of the largest whose product is one.

    They are functions of exp z, with one z or with multiples of it: with q = exp z, the product of
    q / (1 + q) and tanh z is no product of powers of q and q ± 1, though each of them is one.
    """
    own: dict[int, Exponential] = {}
    for k, (cls, part) in enumerate(network.factors):
        element = exponential(graph, cls)
        if element and len(set(part)) == len(part):
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
    whole = multiplied(graph.model, [(inner, largest), *rest], network.out, network.sizes)
    return scaled(network.coefficient, whole)


def unlike(bases: Sequence[set[int]]) -> bool:
    """Whether there are some in every set, and none is in all."""
    first = bases[0] if bases else set[int]()
    return all(bases) and bool(first) and not any(all(b in own for own in bases) for b in first)


def put_in(graph: Snapshot, outer: Network, place: int, cls: int, number: Fraction) -> Network:
    """A network with a multiple of an e-class at some place; an exponential is not taken apart."""
    if not exponential(graph, cls):
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
        if exponential(graph, cls)
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
    """The bases of those of some e-classes that are exponentials."""
    return {base_of(graph, c)[0] for c in classes if exponential(graph, c)}


def exponential_powers(graph: Snapshot, network: Network) -> dict[Factor, Fraction]:
    """The exponentials on free indices of a product, with their exponents."""
    found: dict[Factor, Fraction] = {}
    for cls, part in network.factors:
        if set(part) <= set(network.out) and exponential(graph, cls):
            base, p = base_of(graph, cls)
            found[base, part] = found.get((base, part), Fraction(0)) + p
    return found


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
    return multiplied(graph.model, factors, out, sizes)


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


def multiples(graph: Snapshot, rest: Network, element: Exponential) -> Iterator[Term]:
    """An element times a network."""
    own = {i for _, part in rest.factors for i in part}
    shown = tuple(i for i in rest.out if i in own)
    first = contract(graph, rest, rest.factors, shown)
    dims = tuple(rest.sizes[i] for i in rest.out)
    for term in written_products(graph, dims, element):
        yield terms.einsum(canonical([shown, rest.out], rest.out), first, term)
