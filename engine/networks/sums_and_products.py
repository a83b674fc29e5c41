"""Sums and products as wholes: read as linear forms and networks, and written as terms."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations, islice, pairwise, product
from operator import or_
from typing import Any, cast

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices import affine
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import MATRIX_PRODUCT, Indices, Size, Spec, canonical, hadamard
from eggrad.engine.networks.networks import (
    MAX_FACTORS,
    Factor,
    LinearForm,
    Network,
    Placed,
    Search,
    as_term,
    cheap_path,
    cheapest_path,
    connected_order,
    constants_in_coefficient,
    contract_terms,
    factored,
    like_terms_added,
    linear_forms,
    network_key,
    order_price,
    product_network,
    raised,
    scaled,
    smallest_first,
    split,
    unscaled_key,
    with_product,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

# Of an e-class with many products the first few are looked at.
MAX_PRODUCTS = 12
# Of a product a few pairs of factors are looked at.
MAX_PAIRS = 6


def networks(graph: Snapshot, cls: int) -> Iterable[tuple[object, Network]]:
    """The distinct networks of an e-class's products, each with its key."""

    def read() -> dict[object, Network]:
        found: dict[object, Network] = {}
        products_here = [m for m in graph.members[cls] if m.constructor == "ein"][:MAX_PRODUCTS]
        current = [m for m in products_here if not m.subsumed]
        # Where -1 was taken out of two factors in turn, each e-class is the other's negative.
        if all(m.subsumed for m in graph.members[cls]):
            current = products_here
        for member in current:
            network = product_network(graph, cls, member, quotients="by scalars")
            if not _may_shrink(graph, network):
                network = product_network(graph, cls, member)
            found.setdefault(network_key(network), network)
        return found

    return graph.remember(("networks", cls), read).items()


def _may_shrink(graph: Snapshot, network: Network) -> bool:
    """Whether a factor divides what another one is a power of, or an indicator fixes an index."""
    powers = [(base_of(graph, c), part) for c, part in network.factors]
    signs = {(base, part, p > 0) for (base, p), part in powers}
    opposed = any((base, part, not positive) in signs for base, part, positive in signs)
    return opposed or any(_fixed_indices(graph, f) for f in network.factors)


def every_class(graph: Snapshot) -> Iterator[tuple[int]]:
    """All e-classes, for laws that look at one after the other."""
    return ((cls,) for cls in graph.classes)


def every_network(graph: Snapshot) -> Iterator[tuple[int, Network]]:
    """The distinct networks of all products, each with the e-class it is of."""
    return ((cls, network) for cls in graph.classes for _, network in networks(graph, cls))


def united(graph: Snapshot, keyed: Iterable[tuple[int, Hashable]]) -> Iterator[tuple[int, Term]]:
    """For e-classes that have a key in common, and axes, a term of the first one."""
    known: dict[Hashable, int] = {}
    for cls, key in keyed:
        first = known.setdefault((key, graph.dims[cls]), cls)
        if first != cls:
            yield cls, graph.term(first)


def same_networks(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The e-classes of products with the same factors on the same indices."""
    keyed = ((cls, key) for cls in graph.classes for key, _ in networks(graph, cls))
    return united(graph, keyed)


def same_sums(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The e-classes of sums with the same linear form."""
    return united(graph, ((cls, frozenset(form.items())) for cls, form in every_sum(graph)))


def cheaper_orders(graph: Snapshot, search: Search) -> Iterator[tuple[int, Term]]:
    """Products in a cheaper order than those that are there."""
    for cls, network in every_network(graph):
        # What all products of the network may cost, to be the cheapest tree of the e-class.
        most = graph.tree_cost[cls] - sum(graph.tree_cost[c] for c, _ in network.factors)
        most = min(most, network.price)
        step = ("order", search, cls, network, most)
        fresh = len(network.factors) > 2 and graph.first_time(step)
        if fresh and order_price(graph, network, search=search) < most:
            yield cls, as_term(graph, network, search=search)


def split_off(
    graph: Snapshot, places_of: Callable[[Snapshot, Network], Iterable[tuple[int, ...]]]
) -> Iterator[tuple[int, Term]]:
    """Products as those of some factors times the rest, for the places that are named."""
    for cls, network in every_network(graph):
        for places in places_of(graph, network) if len(network.factors) > 2 else ():
            if graph.first_time(("split off", cls, network, places)):
                yield cls, split(graph, network, places)


def single_factors(graph: Snapshot, network: Network) -> Iterator[tuple[int]]:
    """The places of deltas and constants, of inverses, adjugates and determinants."""
    for k, (cls, _) in enumerate(network.factors):
        if graph.has(cls, ("delta", "constant", "inv", "adj", "det")):
            yield (k,)


def divisor_split_off(graph: Snapshot, cls: int) -> Iterator[Term]:
    """The products of an e-class as a factor that divides by the product of all others, times it.

    It is a scalar, and may be the divisor of a quotient.
    """
    products_here = [] if graph.dims[cls] else graph.members[cls]
    for node in products_here if _scalar_divisors(graph) else ():
        if node.constructor != "ein":
            continue
        network = product_network(graph, cls, node, quotients="by scalars")
        for k, (factor, _) in enumerate(network.factors):
            if factor in _scalar_divisors(graph):
                rest = (*network.factors[:k], *network.factors[k + 1 :])
                base = cheapest_network(graph, _scalar_divisors(graph)[factor])
                if unscaled_key(replace(network, factors=rest)) == unscaled_key(base):
                    yield split(graph, network, [k])


def _scalar_divisors(graph: Snapshot) -> Mapping[int, int]:
    """The e-classes of negative powers that are scalars, each with its base."""

    def read() -> dict[int, int]:
        scalars = (c for c in graph.classes if not graph.dims[c])
        powers = ((c, *base_of(graph, c)) for c in scalars if graph.has(c, ("power",)))
        return {c: base for c, base, p in powers if p < 0}

    return graph.remember("scalar divisors", read)


def pairs_to_join(graph: Snapshot, network: Network) -> Iterator[tuple[int, int]]:
    """Places of a few pairs of factors whose product other rules can simplify.

    They have the same indices and a common base or function, or are inverse to each other, or one
    is an indicator that fixes an index of the other.
    """
    return islice(_pairs_to_join(graph, network), MAX_PAIRS)


def _pairs_to_join(graph: Snapshot, network: Network) -> Iterator[tuple[int, int]]:
    fixed = [_fixed_indices(graph, f) for f in network.factors]
    for j, (b, right) in enumerate(network.factors):
        for i, (a, left) in enumerate(network.factors[:j]):
            alike = left == right and graph.bases(a) & graph.bases(b)
            inverse = _are_inverse(graph, (a, left), (b, right))
            inverse |= graph.over_determinant(a, b) or graph.over_determinant(b, a)
            if alike or inverse or not (fixed[i].isdisjoint(right) and fixed[j].isdisjoint(left)):
                yield i, j


def _fixed_indices(graph: Snapshot, factor: Factor) -> set[int]:
    """The indices that have one value alone, where a factor is an indicator that is not 0."""
    cls, part = factor
    known = graph.sparsity.get(cls)
    conditions = known if isinstance(known, tuple) else ()
    axes = [affine.indices(f) for relation, f in conditions if relation == "="]
    return {part[indices[0]] for indices in axes if len(indices) == 1}


def _are_inverse(graph: Snapshot, first: Factor, second: Factor) -> bool:
    """Whether of two factors that share an index one is the inverse or adjugate of the other."""
    (a, left), (b, right) = first, second
    known = graph.inverse_of(a, b) or graph.inverse_of(b, a)
    return known and not {*left}.isdisjoint(right)


def cheapest_network(graph: Snapshot, cls: int) -> Network:
    """The cheapest e-node of an e-class as a network."""
    read = partial(product_network, graph, cls, graph.choice[cls])
    return graph.remember(("cheapest network", cls), read)


def multiple(graph: Snapshot, cls: int, number: Fraction) -> Network:
    """A multiple of an e-class as a network."""
    network = cheapest_network(graph, cls)
    return replace(network, coefficient=network.coefficient * number)


# Powers of powers of powers are looked through, this many times.
MAX_TOWER = 4


def as_quotients(graph: Snapshot, cls: int) -> Iterator[Term]:
    """Of an e-class without quotients the element-wise products with a negative power as such."""
    members = graph.members[cls]
    if any(m.constructor == "divide" for m in members):
        return
    for a, b in (m.children for m in members if is_hadamard(graph, m)):
        for above, below in ((a, b), (b, a)):
            for base, p in graph.exponents(below).items():
                if p < 0:
                    yield terms.divide(graph.term(above), raised(graph.term(base), -p))


def is_hadamard(graph: Snapshot, member: ENode) -> bool:
    """Whether an e-node is a product entry by entry of two tensors with the same axes."""
    return member.constructor == "ein" and member.spec == hadamard(
        len(graph.dims[member.children[0]])
    )


# Products without sums, of any number of factors.


@dataclass(frozen=True)
class LongProduct:
    """A number times factors with their exponents, and how many numbers that one is made of."""

    factors: Counter[Factor]
    number: Fraction = Fraction(1)
    numbers: int = 0

    @property
    def is_long(self) -> bool:
        """Whether it has more factors than networks have, some of them equal, or numbers."""
        kinds = len(self.factors) + min(self.numbers, 1)
        return sum(map(abs, self.factors.values())) + self.numbers > max(MAX_FACTORS, kinds)

    @property
    def is_short(self) -> bool:
        """Whether it has few different factors, none of which cancels, and is not 0."""
        few = 0 < len(self.factors) <= MAX_FACTORS
        return few and self.number != 0 and all(self.factors.values())


def long_products(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Products of more factors than networks have, with powers in place of equal ones.

    Numbers are one. Each e-class is looked at once; terms have their operands before them. A
    product of too many different factors is one factor itself of those that it is in, and what only
    a longer product has is left as it is.
    """
    known: dict[int, LongProduct] = {}
    longest: dict[int, None] = {}
    for cls, (m, *_) in graph.members.items():
        found = _long_product(graph, known, m)
        if found is not None and found.is_short:
            known[cls] = found
            longest[cls] = None
            for child in m.children:
                longest.pop(child, None)
    written: dict[Hashable, Term] = {}
    for cls in longest:
        found = known[cls]
        if found.is_long:
            key = (frozenset(found.factors.items()), found.number, graph.dims[cls])
            if key not in written:
                written[key] = _product_of_powers(graph, found, cls)
            yield cls, written[key]


def _long_product(
    graph: Snapshot, known: Mapping[int, LongProduct], m: ENode
) -> LongProduct | None:
    """A product or quotient that sums nothing, its factors on its axes."""

    def inside(cls: int) -> LongProduct:
        found = known.get(cls)
        return found or LongProduct(Counter({(cls, tuple(range(len(graph.dims[cls])))): 1}))

    if m.constructor == "scale":
        inner = inside(m.children[0])
        # The factor 1, the cotangent of a scalar result, does not count as a number.
        return LongProduct(inner.factors, m.value * inner.number, inner.numbers + (m.value != 1))
    if m.constructor == "power" and (p := graph.number(m.children[1])) and p.denominator == 1:
        inner, n = inside(m.children[0]), int(p)
        factors = Counter({f: k * n for f, k in inner.factors.items()})
        return (
            LongProduct(factors, inner.number**n, inner.numbers * abs(n)) if inner.number else None
        )
    if m.constructor == "divide":
        above, below = map(inside, m.children)
        # Where all of a factor cancels, other laws say so.
        every = (*above.factors, *below.factors)
        factors = Counter({f: above.factors[f] - below.factors[f] for f in every})
        if not below.number:
            return None
        return LongProduct(factors, above.number / below.number, above.numbers + below.numbers)
    if m.constructor != "ein" or not {i for part in m.spec[:-1] for i in part} <= {*m.spec[-1]}:
        return None
    factors, number, numbers = Counter[Factor](), Fraction(1), 0
    place = {i: k for k, i in enumerate(m.spec[-1])}
    for child, part in zip(m.children, m.spec, strict=False):
        if not part and (c := graph.number(child)) is not None:
            number, numbers = number * c, numbers + 1
            continue
        factor = inside(child)
        number, numbers = number * factor.number, numbers + factor.numbers
        for (base, indices), n in factor.factors.items():
            factors[base, tuple(place[part[i]] for i in indices)] += n
    return LongProduct(factors, number, numbers)


def _product_of_powers(graph: Snapshot, found: LongProduct, cls: int) -> Term:
    """The product of powers, with the axes of an e-class."""
    sizes = dict(enumerate(graph.dims[cls]))
    pool = [(raised(graph.term(base), n), part) for (base, part), n in found.factors.items()]
    return scaled(found.number, as_term(graph, Network((), tuple(sizes), sizes), pool))


# Powers of one base.


def powers_from_others(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Each power by the next lower one of its base, and those of negative exponents by inverses."""
    known: dict[int, dict[Fraction, int]] = {}
    for cls in graph.classes:
        for m in graph.members[cls]:
            if m.constructor == "power" and (p := graph.number(m.children[1])):
                known.setdefault(m.children[0], {})[p] = cls
    for base, powers in known.items():
        for sign in (1, -1):
            exponents = sorted((p for p in {*powers, Fraction(sign)} if p * sign > 0), key=abs)
            for p, q in pairwise(exponents):
                # No more is needed of the base than the whole needs: both have one sign.
                if (q - p).denominator == 1 and q in powers:
                    parts = (_power(graph, base, powers, p), _power(graph, base, powers, q - p))
                    yield powers[q], terms.einsum(hadamard(parts[0].order), *parts)
        for p, cls in powers.items():
            if p < -1 and -p in powers:
                yield cls, raised(graph.term(powers[-p]), -1)


def _power(graph: Snapshot, base: int, powers: Mapping[Fraction, int], p: Fraction) -> Term:
    return graph.term(powers[p]) if p in powers else raised(graph.term(base), p)


# Powers of matrices, and matrices that all terms of a sum have.


def with_means(graph: Snapshot, _: int, network: Network) -> Iterator[Term]:
    """The product with a mean in place of a vector's sum and what divides by its length."""
    for i in {*network.sizes} - {*network.out}:
        summed = [k for k, (_, part) in enumerate(network.factors) if i in part]
        lengths = [
            k for k, (c, _) in enumerate(network.factors) if _divides_by(graph, c, network.sizes[i])
        ]
        if lengths and all(network.factors[k][1] == (i,) for k in summed):
            powers = Counter(network.factors[k][0] for k in summed)
            entries = [raised(graph.term(c), p) for c, p in powers.items()]
            whole = reduce(partial(terms.einsum, hadamard(1)), entries)
            mean = terms.numeric("mean", whole, data=((0,), ()))
            yield with_product(graph, network, (*summed, lengths[0]), (mean, ()))


def _divides_by(graph: Snapshot, cls: int, size: Size) -> bool:
    """Whether an e-class is the reciprocal of a size."""
    bases = [base for base, p in graph.exponents(cls).items() if p == -1]
    return any(
        m.data == (size,) and m.constructor == "size" for b in bases for m in graph.members[b]
    )


def determinants_of_powers(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Determinants of a matrix times itself, any number of times, as powers of its own; and logs.

    Terms have their operands before them.
    """
    powers: dict[int, tuple[int, int]] = {}
    determinants: dict[int, tuple[Term, int]] = {}
    for cls, (m, *_) in graph.members.items():
        if m.constructor == "ein" and m.spec == MATRIX_PRODUCT:
            (a, j), (b, k) = (powers.get(c, (c, 1)) for c in m.children)
            if a == b:
                powers[cls] = a, j + k
        elif m.constructor == "det" and m.children[0] in powers:
            base, k = powers[m.children[0]]
            determinants[cls] = terms.apply("det", graph.term(base)), k
            yield cls, raised(determinants[cls][0], k)
        elif m.data[:1] == ("log",) and m.children[0] in determinants:
            det, k = determinants[m.children[0]]
            log = terms.apply("log", det) if k % 2 else terms.apply("logabsdet", det.args[0])
            yield cls, scaled(Fraction(k), log)


def with_matrix_powers(graph: Snapshot, _: int, network: Network) -> Iterator[Term]:
    """The product with powers in place of equal matrices that follow each other."""
    pool: list[Placed] = []
    left = list(network.factors)
    while left:
        cls, part = left.pop(0)
        count = 1
        while (found := _adjacent_equal(graph, network, left, cls, part)) is not None:
            place, part = found
            del left[place]
            count += 1
        base = graph.term(cls)
        pool.append((base if count == 1 else terms.numeric("matrix_power", base, data=count), part))
    if len(pool) < len(network.factors):
        whole = contract_terms(graph, network, pool, network.out)
        yield scaled(network.coefficient, whole)


def _adjacent_equal(
    graph: Snapshot, network: Network, left: Sequence[Factor], cls: int, part: Indices
) -> tuple[int, Indices] | None:
    """The place of an equal matrix that one is multiplied by, and the indices of their product.

    Nothing else has the index that both share.
    """
    if len(part) != 2 or part[0] == part[1]:
        return None
    for place, (other, indices) in enumerate(left):
        if other != cls or {*indices} == {*part} or indices[0] == indices[1]:
            continue
        for axes in (indices, indices[::-1]) if cls in graph.symmetric else (indices,):
            for first, second in ((part, axes), (axes, part)):
                if first[1] == second[0] and _joins_two_alone(network, first[1]):
                    return place, (first[0], second[1])
    return None


def _joins_two_alone(network: Network, index: int) -> bool:
    """Whether an index is summed, and two factors alone have it."""
    users = sum(part.count(index) for _, part in network.factors)
    return users == 2 and index not in network.out


def matrices_out_of_sum(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """d·M + u·v'·M = (diag(d) + u·v')·M, for a matrix at one end of all terms of a sum."""
    step = ("matrix out of sum", cls, frozenset(form.items()))
    of_matrices = len(graph.dims[cls]) == 2 and 2 <= len(form) <= MAX_DISTRIBUTED
    if not of_matrices or not graph.first_time(step):
        return
    products = [multiple(graph, t, c) for t, c in form.items()]
    for axis in (0, 1):
        for key in dict.fromkeys(_outer_matrices(graph, products[0], axis)):
            ends = [_outer_matrices(graph, p, axis).get(key) for p in products]
            if None not in ends:
                yield _times_cofactors(
                    graph, cls, key, axis, list(zip(products, cast(list[int], ends), strict=True))
                )


def _outer_matrices(graph: Snapshot, network: Network, axis: int) -> dict[tuple[int, int], int]:
    """The matrix that alone has an axis of the result, if any: e-class and axis, and its place."""
    index = network.out[axis]
    users = [(k, part) for k, (_, part) in enumerate(network.factors) if index in part]
    if len(users) != 1 or len({*users[0][1]}) != 2 or len(users[0][1]) != 2:
        return {}
    ((place, part),) = users
    cls = network.factors[place][0]
    sides = (0, 1) if cls in graph.symmetric else (part.index(index),)
    return {} if graph.sparsity.get(cls) else {(cls, side): place for side in sides}


def _times_cofactors(
    graph: Snapshot, cls: int, key: tuple[int, int], axis: int, places: list[tuple[Network, int]]
) -> Term:
    """The sum of the cofactors of a matrix, which some products have at a place, times it."""
    matrix, side = key
    summands: list[Term] = []
    for network, place in places:
        kept, (_, part) = network.out[1 - axis], network.factors[place]
        inner = next(i for i in part if i != network.out[axis])
        pool = [(graph.term(c), p) for k, (c, p) in enumerate(network.factors) if k != place]
        summed = inner
        if inner == kept:
            # Here the matrix's other index is the result's: a diagonal matrix is left.
            summed = max(network.sizes) + 1
            pool.append((terms.delta((network.sizes[inner],)), (inner, summed)))
        elif all(inner not in p for _, p in pool):
            pool.append((terms.constant(1, (network.sizes[inner],)), (inner,)))
        sizes = network.sizes | {summed: network.sizes[inner]}
        rest = contract_terms(graph, replace(network, sizes=sizes), pool, (kept, summed))
        summands.append(scaled(network.coefficient, rest))
    spec = canonical([(0, 1), (1, 2) if side else (2, 1)], (0, 2))
    whole = terms.einsum(spec, reduce(terms.add, summands), graph.term(matrix))
    return whole if axis == 1 else terms.einsum(canonical([(0, 1)], (1, 0)), whole)


# Products in an order in which other laws can simplify them.


def from_left(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """The product, its factors multiplied from the left where they follow each other.

    There is none where a part would have more than two axes.
    """
    if len(network.factors) < 3 or not graph.first_time(("from left", cls, network)):
        return
    order = connected_order(network.factors, network.out[:1])
    pool = [network.factors[k] for k in order]
    (first, part), *rest = pool
    whole = graph.term(first)
    for k, (factor, indices) in enumerate(rest):
        later = {i for _, other in rest[k + 1 :] for i in other} | {*network.out}
        kept = tuple(i for i in dict.fromkeys((*part, *indices)) if i in later)
        kept = network.out if k == len(rest) - 1 else kept
        if len(kept) > 2:
            return
        whole = terms.einsum(canonical([part, indices], kept), whole, graph.term(factor))
        part = kept
    yield scaled(network.coefficient, whole)


def inverses_split_off(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """The product with an inverse as a product of inverses, and one of these beside its matrix."""
    for place, (factor, _) in enumerate(network.factors):
        step = ("inverse", cls, network, place)
        known = graph.inverts(factor) and graph.first_time(step)
        inner = product_of_inverses(graph, factor) if known else None
        if inner is not None:
            whole = network.with_factor(place, inner)
            inside = range(place, place + len(inner.factors))
            for i, j in product(inside, range(len(whole.factors))):
                if j not in inside and _are_inverse(graph, whole.factors[i], whole.factors[j]):
                    yield split(graph, whole, [min(i, j), max(i, j)])


def product_of_inverses(graph: Snapshot, cls: int) -> Network | None:
    """An inverse or an adjugate as a product of such, multiplied out as far as they are known.

    A matrix that is neither is no part of it: in X⁻¹ = X⁻²·X every power of X would bring the next.
    """

    def of_two(c: int) -> Network | None:
        products_here = (m for m in graph.members[c] if m.constructor == "ein" and not m.subsumed)
        for member in products_here:
            inverted = [graph.inverts(child) for child in member.children]
            of_vectors = (len(graph.dims[child]) < 2 for child in member.children)
            if any(inverted) and all(map(or_, inverted, of_vectors)):
                return product_network(graph, c, member, limit=2)
        return None

    found = of_two(cls)
    place = 0
    while found is not None and place < len(found.factors) < MAX_FACTORS:
        inner = of_two(found.factors[place][0])
        if inner is None:
            place += 1
        else:
            found = found.with_factor(place, inner)
    return found


def powers_multiplied_first(graph: Snapshot, cls: int) -> Iterator[Term]:
    """The products entry by entry with two powers of one base multiplied first, a few of each."""
    for m in graph.members[cls]:
        step = ("powers multiplied first", cls, m.children)
        if is_hadamard(graph, m) and not m.subsumed and graph.first_time(step):
            yield from islice(_with_powers_first(graph, cls, m), MAX_PAIRS)


def _with_powers_first(graph: Snapshot, cls: int, member: ENode) -> Iterator[Term]:
    factors = hadamard_factors(graph, cls, member)
    known = [graph.exponents(c) for c in factors]
    times = partial(terms.einsum, member.spec)
    for i, j in combinations(range(len(factors)), 2):
        if known[i].keys() & known[j].keys():
            rest = [graph.term(c) for k, c in enumerate(factors) if k not in (i, j)]
            yield reduce(times, [times(graph.term(factors[i]), graph.term(factors[j])), *rest])


def hadamard_factors(graph: Snapshot, cls: int, member: ENode) -> list[int]:
    """The factors of a product entry by entry, at most eight."""
    found: list[int] = []
    stack = [*reversed(member.children)] if member.constructor == "ein" else []
    while stack:
        c = stack.pop()
        node = graph.choice[c]
        if is_hadamard(graph, node) and len(found) + len(stack) + 2 <= MAX_FACTORS:
            stack += reversed(node.children)
        else:
            found.append(c)
    return found


# Indicators of several conditions as products of indicators.


def conditions_split(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """The product with an indicator for each set of indices that conditions are on."""
    pool = [placed for c, part in network.factors for placed in _by_indices(graph.term(c), part)]
    if len(pool) > len(network.factors) and graph.first_time(("conditions", cls, network)):
        yield as_term(graph, network, pool, cheapest_path)


def _by_indices(factor: Term, part: Indices) -> list[Placed]:
    """An indicator as the product of those of each set of indices, if that is what it is.

    >>> a, b = (">=", ((0, 1), (2, -1))), (">=", ((1, 1), (2, -1)))
    >>> whole = terms.indicator(("n", "n", "n"), [a, b])
    >>> [indices for _, indices in _by_indices(whole, (5, 6, 7))]
    [(5, 7), (6, 7)]
    """
    groups: dict[Indices, list[Constraint]] = {}
    for relation, f in factor.constraints if factor.op == "indicator" else ():
        groups.setdefault(tuple(sorted(affine.indices(f))), []).append((relation, f))
    if len(groups) < 2:
        return [(factor, part)]
    found: list[Placed] = []
    for indices, constraints in groups.items():
        axis = {i: k for k, i in enumerate(indices)}
        renamed = [(relation, affine.renamed(f, axis)) for relation, f in constraints]
        dims = tuple(factor.dims[i] for i in indices)
        found.append((terms.indicator(dims, renamed), tuple(part[i] for i in indices)))
    return found


# Products with inverse norms, read and written with unit vectors.


def with_units(graph: Snapshot, _: int, network: Network) -> Iterator[Term]:
    """The product with as many unit vectors as there are vectors and inverses of their norm."""
    powers = ((_power_of_squares(graph, cls), part) for cls, part in network.factors)
    found = collected(((squares, part), p) for (squares, p), part in powers)
    for (squares, part), p in found.items():
        known = _squared(graph, squares) if p < 0 and p.denominator <= 2 else None
        if known is None:
            continue
        vector, (source, kept) = known
        length = terms.numeric("norm", graph.term(vector), data=(source, kept))
        unit = terms.einsum(
            canonical([source, kept], source), graph.term(vector), raised(length, -1)
        )
        left = int(-2 * p)
        factors: list[Placed] = []
        for cls, indices in network.factors:
            if indices == part and _power_of_squares(graph, cls)[0] == squares:
                continue
            placed = dict(zip(source, indices, strict=False))
            replaced = cls == vector and left and tuple(placed[i] for i in kept) == part
            factors.append((unit if replaced else graph.term(cls), indices))
            left -= bool(replaced)
        if left < int(-2 * p):
            if left:
                factors.append((raised(length, -left), part))
            yield as_term(graph, network, factors, smallest_first)


def _power_of_squares(graph: Snapshot, cls: int) -> tuple[int, Fraction]:
    """An e-class as a power of a sum of squares, of exponent 0 if it is none."""
    for base, p in graph.exponents(cls).items():
        if _squared(graph, base) is not None:
            return base, p
    return cls, Fraction(0)


def _squared(graph: Snapshot, cls: int) -> tuple[int, Spec] | None:
    """The e-class whose squares another one sums, and the unary spec of the sum."""
    for m in graph.members[cls]:
        if m.constructor == "ein" and m.children[0] == m.children[1]:
            first, second, out = m.spec
            in_order = out == tuple(i for i in first if i in out)
            if first == second and in_order and len(set(first)) == len(first) > len(out):
                return m.children[0], (first, out)
    return None


# The sums of e-classes as linear forms: what their terms share, and what distributing gives.


# The terms of a sum that is distributed.
MAX_DISTRIBUTED = 6


def every_sum(graph: Snapshot) -> Iterator[tuple[int, LinearForm]]:
    """The distinct linear forms of all sums, each with the e-class it is of."""
    return ((cls, form) for cls in graph.classes for form, _ in linear_forms(graph, cls))


def total(graph: Snapshot, form: LinearForm) -> Term:
    """A linear form of at least one term as sums and differences, what is added first."""
    summands = [(c, graph.term(cls)) for cls, c in form.items()]
    (number, first), *rest = sorted(summands, key=lambda s: s[0] < 0)
    whole = scaled(number, first)
    for c, t in rest:
        whole = terms.subtract(whole, scaled(-c, t)) if c < 0 else terms.add(whole, scaled(c, t))
    return whole


def choices_gathered(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum in which choices by one condition are one choice; none where no two have the same."""

    def read(m: ENode) -> tuple[Hashable, tuple[int, ...]] | None:
        return (m.children[0], m.children[1:]) if m.data[:1] == ("where",) else None

    def chosen(condition: Any, branches: Sequence[Term]) -> Term:
        return terms.apply("where", graph.term(condition), *branches)

    return _gathered(graph, cls, form, read, chosen)


def axis_sums_gathered(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum in which sums over the same axes are one sum, as are diagonals and transposes.

    None where no two terms are of one kind.
    """

    def read(m: ENode) -> tuple[Hashable, tuple[int, ...]] | None:
        key = (m.spec, graph.dims[m.children[0]]) if m.constructor == "ein1" else None
        return key and (key, m.children)

    def summed(key: Any, operands: Sequence[Term]) -> Term:
        return terms.einsum(key[0], *operands)

    return _gathered(graph, cls, form, read, summed)


def _gathered(
    graph: Snapshot,
    cls: int,
    form: LinearForm,
    read: Callable[[ENode], tuple[Hashable, tuple[int, ...]] | None],
    made: Callable[[Any, Sequence[Term]], Term],
) -> Iterator[Term]:
    """A sum in which the results of one linear operation are one result, of sums of its operands.

    `read` is which operation an e-node is, and of what. Of an e-class that has several of one
    operation the cheapest counts: of two with ten each there would be a hundred sums.
    """
    known = {t: _cheapest_of_each(graph, t, read) for t in form}
    users: dict[Hashable, list[int]] = {}
    for t, operations in known.items():
        for key in operations:
            users.setdefault(key, []).append(t)
    keys = {tuple(group): key for key, group in users.items() if len(group) > 1}
    groups = without_overlaps(sorted(keys, key=len, reverse=True))
    if not groups or not graph.first_time((made.__qualname__, cls, frozenset(form.items()))):
        return
    taken = {t for group in groups for t in group}
    rest = {t: c for t, c in form.items() if t not in taken}
    summands = [total(graph, rest)] if rest else []
    for group in groups:
        operands = zip(*(known[t][keys[group]] for t in group), strict=True)
        numbers = [form[t] for t in group]
        sums = [_sum(graph, list(zip(classes, numbers, strict=True))) for classes in operands]
        summands.append(made(keys[group], sums))
    yield reduce(terms.add, summands)


def _cheapest_of_each(
    graph: Snapshot, cls: int, read: Callable[[ENode], tuple[Hashable, tuple[int, ...]] | None]
) -> dict[Hashable, tuple[int, ...]]:
    """The cheapest operands of each operation that `read` finds in an e-class."""
    found: dict[Hashable, tuple[int, ...]] = {}
    prices: dict[Hashable, int] = {}
    for m in graph.members[cls]:
        operation = None if m.subsumed else read(m)
        if operation is not None:
            key, operands = operation
            price = sum(graph.tree_cost[c] for c in operands)
            if key not in prices or price < prices[key]:
                prices[key], found[key] = price, operands
    return found


def _sum(graph: Snapshot, summands: Sequence[tuple[int, Fraction]]) -> Term:
    """The sum of multiples of e-classes with the same axes."""
    form = {t: c for t, c in collected(summands).items() if graph.number(t) != 0}
    return total(graph, form) if form else terms.constant(0, graph.dims[summands[0][0]])


def with_a_common_factor(graph: Snapshot, form: LinearForm) -> list[tuple[int, ...]]:
    """The groups of terms that have a factor in common, on the same axes, the largest first."""
    if len(form) < 2:
        return []
    users: dict[object, list[int]] = {}
    for t in form:
        network = cheapest_network(graph, t)
        shown = ((c, tuple(i if i in network.out else -1 for i in p)) for c, p in network.factors)
        for key in dict.fromkeys(shown):
            users.setdefault(key, []).append(t)
    groups = dict.fromkeys(tuple(group) for group in users.values() if len(group) > 1)
    return sorted(groups, key=len, reverse=True)


def without_overlaps(groups: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Some groups in their order, without those that overlap one before them."""
    taken: set[int] = set()
    chosen: list[tuple[int, ...]] = []
    for group in groups:
        if taken.isdisjoint(group):
            taken.update(group)
            chosen.append(group)
    return chosen


def common_factors_out(
    graph: Snapshot, form: LinearForm, group: Sequence[int], free: bool
) -> Term | None:
    """Some terms of a sum as their common factors times the sum of the cofactors.

    With `free` as the common factors that none of them sums over, if they sum over anything.
    """
    whole = [(t, form[t]) for t in group]
    products = [multiple(graph, t, c) for t, c in whole]
    if free and not any(len(n.sizes) > len(n.out) for n in products):
        return None
    return graph.remember(
        ("common factors out", free, *whole), partial(factored, graph, products, free)
    )


def distributions(graph: Snapshot, cls: int) -> list[tuple[list[Network], set[object]]]:
    """The ways to distribute a sum in the cheapest network of an e-class, with the terms' keys."""

    def ways() -> list[tuple[list[Network], set[object]]]:
        network = cheapest_network(graph, cls)
        every = [distributed(graph, network, k, form) for k, form in short_sums(graph, network)]
        return [(parts, {unscaled_key(p) for p in parts}) for parts in every]

    return graph.remember(("distributions", cls), ways)


def short_sums(graph: Snapshot, network: Network) -> Iterator[tuple[int, LinearForm]]:
    """Places of factors that are short sums, with these."""
    for k, (factor, _) in enumerate(network.factors):
        for form, _ in linear_forms(graph, factor)[:1]:
            if len(form) <= MAX_DISTRIBUTED:
                yield k, form


def distributed(graph: Snapshot, network: Network, place: int, form: LinearForm) -> list[Network]:
    """The products that distributing a sum at some place gives."""
    return [network.with_factor(place, multiple(graph, u, c)) for u, c in form.items()]


def all_distributed(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum whose terms are distributed, if it has no more terms then.

    Of each term the first factor that is a short sum is distributed, of two terms at least.
    """
    step = ("terms distributed", cls, frozenset(form.items()))
    if not 2 <= len(form) <= MAX_DISTRIBUTED or not graph.first_time(step):
        return
    several = 0
    parts: list[Network] = []
    for t, c in form.items():
        network = multiple(graph, t, c)
        first = next(short_sums(graph, network), None)
        several += first is not None
        parts += distributed(graph, network, *first) if first else [network]
    left = like_terms_added(parts, unscaled_key)
    if several >= 2 and 1 <= len(left) <= len(form):
        yield reduce(terms.add, [as_term(graph, n) for n in left])


def powers_out_of_sum(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum of products with powers of one base, whose exponents differ by whole numbers.

    The lowest power is taken out. Some exponent is no number: those that are have other laws.
    """
    if not 2 <= len(form) <= MAX_DISTRIBUTED:
        return
    products = [multiple(graph, t, c) for t, c in form.items()]
    bases = dict.fromkeys(
        (base, part)
        for network in products
        for factor, part in network.factors
        for base in _tensor_powers(graph, factor)
        if {*part} <= {*network.out}
    )
    for base, part in bases:
        found = [_symbolic_exponent(graph, network, base, part) for network in products]
        kinds = {frozenset(exponent.items()) for exponent, _, _ in found}
        lowest = min(number for _, number, _ in found)
        whole = all((number - lowest).denominator == 1 for _, number, _ in found)
        if len(kinds) == 1 and kinds != {frozenset()} and whole:
            rests = [(number - lowest, cofactor) for _, number, cofactor in found]
            parts = [scaled(c, graph.term(e)) for e, c in found[0][0].items()]
            constant = [terms.constant(lowest)] if lowest else []
            exponent = reduce(terms.add, [*parts, *constant])
            yield power_times_sum(graph, cls, (base, part), exponent, rests)


def with_base_in_power(graph: Snapshot, _: int, network: Network) -> Iterator[Term]:
    """The product with a power of a base instead of that and the factors that the base has."""
    for place, (factor, part) in enumerate(network.factors):
        others = Counter(f for k, f in enumerate(network.factors) if k != place)
        for base, exponent in _tensor_powers(graph, factor).items():
            inner = cheapest_network(graph, base)
            names = dict(zip(inner.out, part, strict=True))
            factors = Counter(
                (c, tuple(names.get(i, -1) for i in indices)) for c, indices in inner.factors
            )
            if factors <= others:
                one_more = terms.add(graph.term(exponent), terms.constant(1))
                pool = [(graph.term(c), p) for c, p in (others - factors).elements()]
                pool.append((terms.power(graph.term(base), one_more), part))
                yield scaled(1 / inner.coefficient, as_term(graph, network, pool))


def lowest_power_out(graph: Snapshot, cls: int, form: LinearForm) -> Iterator[Term]:
    """A sum in which some products have a power p of a sum s, and others the power p + 1 of it.

    `sᵖ` is taken out where the terms of the rest, s among them, are fewer then: some cancel. Sums
    of exponentials have other laws (`engine/networks/exponential_products.py`).
    """
    if not 2 <= len(form) <= MAX_DISTRIBUTED:
        return
    products = [constants_in_coefficient(graph, multiple(graph, t, c)) for t, c in form.items()]
    if any(len(n.sizes) > len(n.out) for n in products):
        return
    divisors = dict.fromkeys(
        (base, part)
        for network in products
        for factor, part in network.factors
        for base, p in [base_of(graph, factor)]
        if p < 0 and linear_forms(graph, base) and not _has_exponential(graph, base)
    )
    for divisor in divisors:
        found = [exponent_and_cofactor(graph, network, divisor) for network in products]
        lowest = min(p for p, _ in found)
        if {p - lowest for p, _ in found} != {0, 1}:
            continue
        expanded = [
            n
            for p, rest in found
            for n in ([rest] if p == lowest else _times_sum(graph, rest, divisor))
        ]
        left = like_terms_added(expanded, partial(_bases, graph))
        if len(left) < len(form):
            rests = [(Fraction(0), n) for n in left]
            yield power_times_sum(graph, cls, divisor, terms.constant(lowest), rests)


def _has_exponential(graph: Snapshot, total: int) -> bool:
    """Whether a term of a sum is an exponential, or its inverse."""
    terms_of = linear_forms(graph, total)[0][0]
    bases = (base_of(graph, t)[0] for t in terms_of)
    members = (m for base in bases for m in graph.members[base])
    return any(m.constructor == "function" and m.data[0] == "exp" for m in members)


def exponent_and_cofactor(
    graph: Snapshot, network: Network, base: Factor
) -> tuple[Fraction, Network]:
    """The exponent of a base in a product, and the product of the other factors."""
    powers = [(part, base_of(graph, c)) for c, part in network.factors]
    exponents = [p if (b, part) == base else None for part, (b, p) in powers]
    rest = tuple(f for f, p in zip(network.factors, exponents, strict=True) if p is None)
    return sum((p for p in exponents if p), Fraction(0)), replace(network, factors=rest)


def _times_sum(graph: Snapshot, network: Network, total: Factor) -> Iterator[Network]:
    """A product times each term of a sum."""
    whole = replace(network, factors=(*network.factors, total))
    for t, c in linear_forms(graph, total[0])[0][0].items():
        summand = multiple(graph, t, c)
        if len(summand.sizes) > len(summand.out):
            summand = replace(summand, factors=((t, summand.out),), coefficient=c)
        product = whole.with_factor(len(network.factors), summand)
        yield constants_in_coefficient(graph, product)


def _bases(graph: Snapshot, network: Network) -> frozenset[tuple[Factor, Fraction]]:
    """The bases in a product, with their axes and exponents."""
    powers = ((base_of(graph, c), part) for c, part in network.factors)
    return frozenset(collected(((base, part), p) for (base, p), part in powers).items())


def base_of(graph: Snapshot, cls: int) -> tuple[int, Fraction]:
    """An e-class as a power of one that is none itself."""
    exponent = Fraction(1)
    for _ in range(MAX_TOWER):
        power = next(((b, p) for b, p in graph.exponents(cls).items() if b != cls), None)
        if power is None:
            break
        cls, exponent = power[0], exponent * power[1]
    return cls, exponent


def _tensor_powers(graph: Snapshot, cls: int) -> dict[int, int]:
    """The bases of which an e-class is a power whose exponent is no number, with the exponents."""
    powers = (m.children for m in graph.members[cls] if m.constructor == "power")
    return {base: e for base, e in powers if graph.number(e) is None}


def _symbolic_exponent(
    graph: Snapshot, network: Network, base: int, part: Indices
) -> tuple[LinearForm, Fraction, Network]:
    """The exponent of a base in a product, its number by itself, and the cofactor."""
    exponents: list[tuple[int, Fraction]] = []
    total = Fraction(0)
    rest: list[Factor] = []
    for factor, indices in network.factors:
        if indices != part:
            rest.append((factor, indices))
        elif base in (tensors := _tensor_powers(graph, factor)):
            e = tensors[base]
            for t, c in (linear_forms(graph, e) or [({e: Fraction(1)}, 1)])[0][0].items():
                known = graph.number(t)
                if known is None:
                    exponents.append((t, c))
                else:
                    total += c * known
        elif base in (numbers := graph.exponents(factor)):
            total += numbers[base]
        else:
            rest.append((factor, indices))
    return collected(exponents), total, replace(network, factors=tuple(rest))


def power_times_sum(
    graph: Snapshot,
    cls: int,
    base: Factor,
    exponent: Term,
    rests: Sequence[tuple[Fraction, Network]],
    *,
    search: Search = cheap_path,
) -> Term:
    """A power of a base times the sum of products, each times a power of the base itself."""
    term, part = graph.term(base[0]), base[1]
    total = terms.constant(0, graph.dims[cls])
    for k, (p, network) in enumerate(rests):
        pool = [(graph.term(c), indices) for c, indices in network.factors]
        if p:
            pool.append((raised(term, p), part))
        summand = as_term(graph, network, pool, search)
        total = terms.add(total, summand) if k else summand
    out = tuple(range(len(graph.dims[cls])))
    return terms.einsum(canonical([part, out], out), terms.power(term, exponent), total)


def with_repeated_factor(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
    """A network with a factor that it has twice in each term of a sum that it has.

    Only where one of these products is then among the factors.
    """
    twice = [f for f, n in Counter(network.factors).items() if n > 1]
    for place, form in short_sums(graph, network) if twice else ():
        for factor in twice:
            if factor[1] == network.factors[place][1]:
                found = _repeated(graph, network, place, form, factor)
                step = ("with repeated factor", cls, network, place, factor)
                if found is not None and graph.first_time(step):
                    yield found


def _repeated(
    graph: Snapshot, network: Network, place: int, form: LinearForm, factor: Factor
) -> Term | None:
    r, part = factor
    for t in form:
        summand = cheapest_network(graph, t)
        inside = [
            (c, tuple(part[i] for i in p)) for c, p in summand.factors if {*p} <= {*summand.out}
        ]
        taken = Counter([network.factors[place], factor, factor, *inside])
        if len(inside) == len(summand.factors) and taken <= Counter(network.factors):
            times = partial(terms.einsum, hadamard(len(part)), graph.term(r))
            summands = [scaled(c, times(graph.term(u))) for u, c in form.items()]
            left = Counter(network.factors) - taken
            pool = [(graph.term(c), p) for c, p in left.elements()]
            pool += [(times(graph.term(t)), part), (reduce(terms.add, summands), part)]
            number = network.coefficient / summand.coefficient
            return as_term(graph, replace(network, coefficient=number), pool)
    return None


# Where distributing a sum in a product is worth it.

# What a term of a sum puts into a product, and the factors that are beside the sum.
Inserted = tuple[Sequence[Factor], Sequence[Factor]]


def distributed_where(
    worth: Callable[[Snapshot, Network, int, Sequence[Inserted]], bool],
    parts_of: Callable[[Snapshot, Network, int, LinearForm], list[Network]] = distributed,
    *,
    once: bool = True,
) -> Callable[[Snapshot, int, Network], Iterator[Term]]:
    """The products with a short sum as sums of products, where a test says that it is worth it.

    The test is given the place of the sum, and what each of its terms puts there; `parts_of` makes
    the products. Not `once`, they are written again as their factors get cheaper.
    """

    def find(graph: Snapshot, cls: int, network: Network) -> Iterator[Term]:
        for place, form in short_sums(graph, network):
            parts = parts_of(graph, network, place, form)
            found = [inserted(network, place, p) for p in parts]
            step = (worth.__qualname__, cls, network, place)
            if worth(graph, network, place, found) and (not once or graph.first_time(step)):
                yield reduce(terms.add, [as_term(graph, p) for p in parts])

    return find


def inserted(outer: Network, place: int, product: Network) -> Inserted:
    """The factors that a product has in place of a factor of the outer one, and the others."""
    end = len(product.factors) - (len(outer.factors) - place - 1)
    return product.factors[place:end], (*product.factors[:place], *product.factors[end:])


def sums_over_deltas(
    graph: Snapshot, network: Network, place: int, parts: Sequence[Inserted]
) -> bool:
    """Whether all terms of the sum have deltas, and the product sums an index of one."""
    deltas = [[p for c, p in inside if graph.sparsity.get(c) is True and p] for inside, _ in parts]
    return all(deltas) and any(not {*p} <= {*network.out} for of_term in deltas for p in of_term)


def needs_one_entry(
    graph: Snapshot, network: Network, place: int, parts: Sequence[Inserted]
) -> bool:
    """Whether an indicator in a term of the sum fixes an index of a factor beside it."""
    return any(
        not _fixed_indices(graph, f).isdisjoint(i for _, p in beside for i in p)
        for inside, beside in parts
        for f in inside
    )


def sums_what_is_constant(
    graph: Snapshot, network: Network, place: int, parts: Sequence[Inserted]
) -> bool:
    """Whether a term of the sum has equal entries along an axis over which the product sums."""
    summed = {*network.factors[place][1]} - {*network.out}
    varying = [
        {i for c, p in inside if not graph.has(c, ("constant",)) for i in p} for inside, _ in parts
    ]
    return len(parts) > 1 and any(not summed <= indices for indices in varying)


def cancels(graph: Snapshot, network: Network, place: int, parts: Sequence[Inserted]) -> bool:
    """Whether a term of the sum has a power of a base, and the factor beside it its inverse."""
    return any(
        left == right and opposed(graph.exponents(a), graph.exponents(b))
        for inside, beside in parts
        for a, left in inside
        for b, right in beside
    )


def inverts(graph: Snapshot, network: Network, place: int, parts: Sequence[Inserted]) -> bool:
    """Whether a term of the sum has the inverse of a matrix beside it, also as a factor of one."""
    return any(
        _are_inverse(graph, f, other)
        for inside, beside in parts
        for factor in inside
        for f in _inverses_in(graph, factor)
        for other in beside
    )


def _inverses_in(graph: Snapshot, factor: Factor) -> list[Factor]:
    """A factor, if it is an inverse, and the inverses that it is the product of."""
    cls, part = factor
    if not graph.inverts(cls):
        return []
    inner = product_of_inverses(graph, cls)
    known = dict(zip(inner.out, part, strict=True)) if inner else {}
    within = ((c, tuple(known.get(i, -1) for i in p)) for c, p in (inner.factors if inner else ()))
    return [factor, *within]


def opposed(a: Mapping[int, Fraction], b: Mapping[int, Fraction]) -> bool:
    """Whether two tensors are powers of one base, of which one exponent is negative."""
    return any((a[base] < 0) != (b[base] < 0) for base in a.keys() & b.keys())
