"""Products and sums with rational functions of exponentials among their factors and terms."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import cast

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.networks.exponential_field import Exponential, direction
from eggrad.engine.networks.exponential_reading import (
    broadcast,
    elements,
    exponential,
    is_exponential,
)
from eggrad.engine.networks.exponential_writing import Writer, written_products
from eggrad.engine.networks.networks import (
    Factor,
    LinearForm,
    Network,
    along_deltas,
    as_term,
    contract,
    linear_forms,
    network_key,
    product_network,
    smallest_first,
)
from eggrad.engine.networks.sums_and_products import (
    MAX_DISTRIBUTED,
    Inserted,
    base_of,
    exponent_and_cofactor,
    multiple,
    power_times_sum,
    total,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term


def with_sum_as_product(graph: Snapshot, network: Network) -> Network:
    """The network with one factor that is a sum replaced by a product that it is as well."""
    for place, (cls, _) in enumerate(network.factors):
        if graph.choice[cls].constructor == "add":
            for m in graph.members[cls]:
                if m.constructor == "ein" and any(exponential(graph, c) for c in m.children):
                    return network.with_factor(place, product_network(graph, cls, m))
    return network


def _of_one_exponential(graph: Snapshot, network: Network) -> Iterable[tuple[int, ...]]:
    """The places of factors whose product is a rational function of one exponential.

    Their axes are among those of the largest.

    They are functions of exp z, with one z or with multiples of it: with q = exp z, the product of
    q / (1 + q) and tanh z is no product of powers of q and q ± 1, though each of them is one.
    """
    exponentials: dict[int, Exponential] = {}
    for k, (cls, part) in enumerate(network.factors):
        element = exponential(graph, cls)
        if element and len(set(part)) == len(part):
            exponentials[k] = element
    largest = max((network.factors[k][1] for k in exponentials), key=len, default=())
    exponentials = {
        k: broadcast(e, network.factors[k][1], largest)
        for k, e in exponentials.items()
        if set(network.factors[k][1]) <= set(largest)
    }
    plain = [k for k, e in exponentials.items() if not e.step]
    groups: dict[object, list[int]] = {}
    for k, e in exponentials.items():
        if e.step:
            groups.setdefault(("of z", e.step), [*plain]).append(k)
            groups.setdefault(("of multiples of z", direction(e.step)), [*plain]).append(k)
    return dict.fromkeys(tuple(sorted(ks)) for ks in groups.values() or [plain])


def multiplied_first(graph: Snapshot, network: Network, chosen: Sequence[int]) -> Term:
    """The product of some factors times the rest, or summed where there is no rest."""
    largest = max((network.factors[k][1] for k in chosen), key=len)
    inner = contract(graph, network, [network.factors[k] for k in chosen], largest)
    rest = [(graph.term(c), i) for k, (c, i) in enumerate(network.factors) if k not in chosen]
    return as_term(graph, network, [(inner, largest), *rest], smallest_first)


def on_the_same_axes(network: Network, chosen: Callable[[int], bool]) -> list[list[int]]:
    """The places of several of the factors, not all, that are chosen and have the same axes."""
    grouped: dict[Indices, list[int]] = {}
    for place, (cls, part) in enumerate(network.factors):
        if chosen(cls) and len({*part}) == len(part):
            grouped.setdefault(part, []).append(place)
    return [g for g in grouped.values() if 1 < len(g) < len(network.factors)]


def exponentials_first(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """A product whose factors that are functions of one exponential are multiplied first."""
    closed = along_deltas(graph, network)
    for variant in (closed, with_sum_as_product(graph, closed)):
        for chosen in _of_one_exponential(graph, variant):
            step = ("exponentials first", cls, variant, chosen)
            if len(chosen) > 1 and len(variant.factors) > 2 and graph.first_time(step):
                yield multiplied_first(graph, variant, chosen)


def over_their_sum_first(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """A product in which exponentials are divided by their sum first."""
    places: dict[int, list[int]] = {}
    for k, (c, _) in enumerate(network.factors if len(network.factors) > 2 else ()):
        places.setdefault(c, []).append(k)
    for divisor, below in places.items():
        base, power = base_of(graph, divisor)
        for m in graph.members[base] if power < 0 else ():
            if m.constructor == "ein1" and exponential(graph, m.children[0]):
                source, kept = m.spec
                for j, k in product(places.get(m.children[0], ()), below):
                    indices, part = network.factors[j][1], network.factors[k][1]
                    step = ("over their sum first", cls, network, j, k)
                    along = tuple(indices[source.index(i)] for i in kept)
                    if along == part and graph.first_time(step):
                        yield multiplied_first(graph, network, (j, k))


def without_common_base(
    graph: Snapshot, network: Network, place: int, parts: Sequence[Inserted]
) -> bool:
    """Whether all terms of the sum have exponentials beside another one, and no base in common.

    Those beside each other share axes. Of a term with a sum among its factors that is said of each
    term of that sum.
    """
    if exponential(graph, network.factors[place][0]):
        return False
    bases: list[set[int]] = []
    for inside, others in parts:
        beside = [set(part) for cls, part in others if exponential(graph, cls)]
        found = [set[int]()]
        for cls, part in inside:
            if any(other.issubset(part) or other.issuperset(part) for other in beside):
                found = [before | more for before in found for more in _bases_of(graph, cls)]
        bases += found
    return all(bases) and not set.intersection(*bases)


def with_whole_exponentials(
    graph: Snapshot, network: Network, place: int, form: LinearForm
) -> list[Network]:
    """The products that distributing a sum gives, its exponentials not as products."""

    def part(cls: int, c: Fraction) -> Network:
        if not exponential(graph, cls):
            return along_deltas(graph, network.with_factor(place, multiple(graph, cls, c)))
        sizes = dict(enumerate(graph.dims[cls]))
        return network.with_factor(place, Network(((cls, (*sizes,)),), (*sizes,), sizes, c))

    return [part(cls, c) for cls, c in form.items()]


def _bases_of(graph: Snapshot, cls: int) -> list[set[int]]:
    """The base of an exponential; of a sum, those of the exponentials in each of its terms."""
    bases = _bases_in(graph, [cls])
    for form, _ in linear_forms(graph, cls)[-1:]:
        if not bases and len(form) <= MAX_DISTRIBUTED:
            products = [[c for c, _ in multiple(graph, t, n).factors] for t, n in form.items()]
            pairs = zip(form, products, strict=True)
            return [_bases_in(graph, [t]) or _bases_in(graph, factors) for t, factors in pairs]
    return [bases]


def _bases_in(graph: Snapshot, classes: Iterable[int]) -> set[int]:
    """The bases of those of some e-classes that are exponentials."""
    return {base_of(graph, c)[0] for c in classes if exponential(graph, c)}


def _exponential_powers(graph: Snapshot, network: Network) -> dict[Factor, Fraction]:
    """The exponentials on free indices of a product, with their exponents."""
    powers = [
        (base_of(graph, cls), part)
        for cls, part in network.factors
        if set(part) <= set(network.out) and exponential(graph, cls)
    ]
    return collected(((base, part), p) for (base, p), part in powers)


def _sums_of_products(graph: Snapshot, cls: int, form: LinearForm) -> list[Network]:
    """The terms of a short sum that is no rational function of one exponential itself."""
    if not 2 <= len(form) <= MAX_DISTRIBUTED or cls in elements(graph):
        return []
    return [multiple(graph, t, c) for t, c in form.items()]


def exponentials_out(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum as the negative power of an exponential that all its terms have, times the rest."""
    parts = _sums_of_products(graph, cls, form)
    shared = [_exponential_powers(graph, n) for n in parts]
    for base in shared[0] if shared else ():
        p = max(powers.get(base, Fraction(0)) for powers in shared)
        if p < 0:
            found = (exponent_and_cofactor(graph, n, base) for n in parts)
            rests = [(q - p, cofactor) for q, cofactor in found]
            yield power_times_sum(graph, cls, base, terms.constant(p), rests, search=smallest_first)


def _cofactor_and_exponential(graph: Snapshot, network: Network) -> tuple[Network, Exponential]:
    """A product without its element-wise exponential factors, and these with its number."""
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


def sum_of(summands: Iterator[Exponential]) -> Exponential | None:
    """The sum of some elements, if it is one."""
    return reduce(lambda known, e: known and known.plus(e), summands, next(summands, None))


def exponential_sums(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum of one product times functions of one exponential as it times their sum."""
    parts = [_cofactor_and_exponential(graph, n) for n in _sums_of_products(graph, cls, form)]
    whole = sum_of(element for _, element in parts)
    if len({network_key(rest) for rest, _ in parts}) == 1 and is_exponential(whole):
        rest, _ = parts[0]
        indices = {i for _, part in rest.factors for i in part}
        shown = tuple(i for i in rest.out if i in indices)
        first = contract(graph, rest, rest.factors, shown)
        dims = tuple(rest.sizes[i] for i in rest.out)
        for term in written_products(Writer(graph, dims), cast(Exponential, whole)):
            yield terms.einsum(canonical([shown, rest.out], rest.out), first, term)


def bounded_terms_first(graph: Snapshot, _: int, form: LinearForm) -> Iterator[Term]:
    """A sum in which bounded functions of one exponential are added first."""
    found = {t: element for t in form if (element := elements(graph).get(t)) is not None}
    alike = 1 < len(found) < len(form) <= MAX_DISTRIBUTED
    if alike and all(element.is_bounded for element in found.values()):
        numbers = (Exponential(numerator=(form[t],)).times(element) for t, element in found.items())
        if is_exponential(sum_of(n for n in numbers if n)):
            rest = {t: c for t, c in form.items() if t not in found}
            first = total(graph, {t: form[t] for t in found})
            yield terms.add(total(graph, rest), first)
