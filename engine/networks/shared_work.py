"""Parts of products that are computed once: mirror images, repeated and shared factors."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import prod

from eggrad.engine.extraction import extract
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.networks.networks import (
    SIGNS,
    Factor,
    Network,
    as_term,
    connected_order,
    constants_in_coefficient,
    contract,
    interface,
    like_terms_added,
    matched,
    product_network,
    scaled,
    unscaled_key,
    with_product,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

MAX_FACTORS = 64
MAX_NETWORKS = 4
MAX_STEPS = 2_000

Renaming = dict[int, int]
Axes = tuple[int, ...]


def exchanges(graph: Snapshot) -> Iterator[tuple[int, Axes]]:
    """E-classes with the axes that exchanging the two differentiations exchanges.

    These are the roots whose axes come in two equal halves, and the factors of their products: of
    `Mₐᵦₛ xⱼₛ xₗₛ`, where (a, j) and (b, l) are exchanged, also M, where a and b are.
    """
    for cls in graph.root_classes:
        dims, node = graph.dims[cls], graph.choice[cls]
        half = len(dims) // 2
        if half and dims[:half] == dims[half:]:
            axes = (*range(half, 2 * half), *range(half))
            yield cls, axes
            if node.constructor == "ein":
                spec = node.spec
                twin = {i: spec[-1][axes[k]] for k, i in enumerate(spec[-1])}
                for child, part in zip(node.children, spec, strict=False):
                    mirrored = [twin.get(i, i) for i in part]
                    once = len({*part}) == len(part)
                    if once and {*mirrored} == {*part} and mirrored != [*part]:
                        yield child, tuple(map(part.index, mirrored))


def expanded(graph: Snapshot, cls: int) -> list[Network] | None:
    """The networks whose sum an e-class is, matrices that are sums multiplied out; None if many.

    Equal ones are one, with the sum of their coefficients.
    """
    node = graph.choice[cls]
    waiting = [(product_network(graph, cls, node, MAX_FACTORS, quotients="all"), 1)]
    found: list[Network] = []
    while waiting:
        network, sign = waiting.pop()
        place = next((k for k, f in enumerate(network.factors) if _is_sum(graph, f)), None)
        if place is None:
            signed = replace(network, coefficient=network.coefficient * sign)
            found.append(constants_in_coefficient(graph, signed))
        else:
            waiting += [(n, s * sign) for n, s in _distributed(graph, network, place)]
        if len({*map(unscaled_key, found)}) + len(waiting) > MAX_NETWORKS:
            return None
    return like_terms_added(found, unscaled_key)


def _is_sum(graph: Snapshot, factor: Factor) -> bool:
    cls, part = factor
    return len(part) > 1 and graph.choice[cls].constructor in SIGNS


def _distributed(graph: Snapshot, network: Network, place: int) -> Iterator[tuple[Network, int]]:
    """The network with a sum among its factors replaced by each term of the sum, and its sign."""
    node = graph.choice[network.factors[place][0]]
    for child, sign in zip(node.children, SIGNS[node.constructor], strict=True):
        inner = product_network(graph, child, graph.choice[child], MAX_FACTORS, quotients="all")
        yield network.with_factor(place, inner), sign


def mirror_image(network: Network, axes: Axes) -> tuple[Renaming, dict[int, int]] | None:
    """An exchange of the output's axes, on indices and on places of factors.

    `axes` has for each axis the one that it is exchanged with, itself where it stays. None where
    the network is not mapped onto itself.

    >>> factors = ((7, (2, 0)), (8, (2,)), (7, (2, 1)))
    >>> mirror_image(Network(factors, (0, 1), {0: "n", 1: "n", 2: "m"}), (1, 0))
    ({0: 1, 1: 0, 2: 2}, {0: 2, 2: 0, 1: 1})
    """
    start = {i: network.out[other] for i, other in zip(network.out, axes, strict=True)}
    order = connected_order(network.factors, [i for i, j in start.items() if i < j])
    stack: list[tuple[int, Renaming, dict[int, int]]] = [(0, start, {})]
    for _ in range(MAX_STEPS):
        if not stack:
            return None
        at, names, places = stack.pop()
        while at < len(order) and order[at] in places:
            at += 1
        if at == len(order):
            return names, places
        cls, part = network.factors[order[at]]
        for k in reversed(range(len(network.factors))):
            other, theirs = network.factors[k]
            if other == cls and k not in places:
                extended = matched((*part, *theirs), (*theirs, *part), names)
                if extended is not None:
                    stack.append((at + 1, extended, places | {order[at]: k, k: order[at]}))
    return None


def halved(graph: Snapshot, network: Network, axes: Axes) -> Term | None:
    """The network with each part that has a mirror image computed once; None if there is none.

    `axes` are exchanged, as for `mirror_image`.
    """
    image = mirror_image(network, axes)
    if image is None:
        return None
    names, places = image
    pool: list[tuple[Term, Indices]] = []
    done: set[int] = set()
    found = False
    for part in _parts(network, names):
        if done.intersection(part):
            continue
        twin = {places[k] for k in part}
        done |= set(part) | twin
        if twin == set(part) or len(part) == 1:
            alone = (network.factors[k] for k in sorted({*part, *twin}))
            pool += [(graph.term(cls), indices) for cls, indices in alone]
            continue
        found = True
        inside = [network.factors[k] for k in part]
        rest = {i for k, f in enumerate(network.factors) if k not in part for i in f[1]}
        shown = interface({i for _, indices in inside for i in indices}, rest, network.out)
        pool.append((contract(graph, network, inside, shown), shown))
        pool.append((pool[-1][0], tuple(names[i] for i in shown)))
    if not found:
        return None
    return as_term(graph, network, pool)


def _parts(network: Network, names: Mapping[int, int]) -> Iterable[Sequence[int]]:
    """The places of factors that indices connect which the exchange does not leave alone."""
    group = list(range(len(network.factors)))
    first: dict[int, int] = {}
    for k, (_, part) in enumerate(network.factors):
        for i in part:
            if names[i] != i:
                old, new = group[k], group[first.setdefault(i, k)]
                group = [new if g == old else g for g in group]
    return [[k for k, g in enumerate(group) if g == leader] for leader in dict.fromkeys(group)]


# Networks in which one matrix occurs several times, on one summed index: symmetric products.


# Weights of more factors are no few numbers.
MAX_WEIGHTS = 8


@dataclass(frozen=True)
class _Repeated:
    """A matrix's e-class with axes (summed, kept) or the reverse, and two or three kept indices."""

    cls: int
    summed_first: bool
    kept: Indices


def symmetric_products_of(graph: Snapshot, networks: Sequence[Network]) -> Iterator[Term]:
    """The sum of some networks as one symmetric product whose weights are what else they have.

    `Σ_s w_s A_sa A_sb + Σ_s v_s A_sa A_sb` has the weights w + v. There is none where the networks
    have no two or three factors of that kind in common, or nothing else, and a second where there
    are two ways to compute it.
    """
    first, *others = (_repeated(n) for n in networks)
    for found in first:
        if all(found in other for other in others):
            summed = [repeated[found] for repeated in (first, *others)]
            rests = [_cofactor(n, found, s) for n, s in zip(networks, summed, strict=True)]
            lengths = [len(rest.factors) for rest in rests]
            if any(lengths) and max(lengths) <= MAX_WEIGHTS:
                yield from _symmetric_products(graph, found, list(zip(rests, summed, strict=True)))
                return


def _repeated(network: Network) -> dict[_Repeated, int]:
    """The factors that occur two or three times, each with the index that is summed."""
    groups: dict[tuple[int, bool, int], list[int]] = {}
    for cls, part in network.factors:
        if len(part) == 2:
            for place in (0, 1):
                summed, kept = part[place], part[1 - place]
                users = sum(kept in p for _, p in network.factors)
                if summed not in network.out and kept in network.out and users == 1:
                    groups.setdefault((cls, place == 0, summed), []).append(kept)
    return {
        _Repeated(cls, first, tuple(sorted(indices))): summed
        for (cls, first, summed), indices in groups.items()
        if len(indices) in (2, 3)
    }


def _cofactor(network: Network, found: _Repeated, summed: int) -> Network:
    taken = {frozenset((summed, i)) for i in found.kept}
    rest = (
        (cls, part)
        for cls, part in network.factors
        if not (cls == found.cls and len(part) == 2 and frozenset(part) in taken)
    )
    return replace(network, factors=tuple(rest))


def _symmetric_products(
    graph: Snapshot, found: _Repeated, rests: Sequence[tuple[Network, int]]
) -> Iterator[Term]:
    """The product by rows of the weights, and by columns; each cofactor has its summed index."""
    out = rests[0][0].out
    inner = tuple(i for i in out if i not in found.kept)
    made = inner + found.kept
    matrix = graph.term(found.cls)
    if not found.summed_first:
        matrix = terms.einsum("ij->ji", matrix)

    def weights(wanted: Callable[[int], Indices], common: Fraction = Fraction(1)) -> Term:
        """All else, on the summed index and the inner ones."""
        parts = (
            replace(rest, out=wanted(summed), coefficient=rest.coefficient / common)
            for rest, summed in rests
        )
        return reduce(terms.add, [as_term(graph, part) for part in parts])

    by_rows = weights(lambda summed: (summed, *inner))
    ways = [terms.numeric("symmetric_product", matrix, by_rows, data=len(found.kept))]
    if inner and len(found.kept) == 2:
        # The number of all goes to the result: there may be more weights.
        common = rests[0][0].coefficient or Fraction(1)
        by_columns = weights(lambda summed: (*inner, summed), common)
        ways.append(scaled(common, terms.numeric("product_of_pairs", matrix, by_columns)))
    for whole in ways:
        yield whole if made == out else terms.einsum(canonical([made], out), whole)


# Products that have all factors of another one, which is computed anyway.
#
# A search for the cheapest order of some factors does not see the other products of a DAG: of
# `J' diag(p) J` and `p' J`, say, with a chain of many factors for J.


# Of larger DAGs products are not compared.
MAX_CLASSES = 400


def made_from_others(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The products of the cheapest DAG that have all factors of others, made from those."""
    choice, _, networks = _shared_products(graph)
    classes = {cls: Counter(c for c, _ in n.factors) for cls, n in networks.items()}
    for cls, large in networks.items():
        below = {*extract.used(choice, [cls])}
        for other, small in networks.items():
            if other not in below and len(small.factors) > 2 and classes[other] < classes[cls]:
                found = embedding(small, large)
                if found is not None:
                    names, places = found
                    made = (graph.term(other), tuple(names[i] for i in small.out))
                    whole = replace(large, coefficient=large.coefficient / small.coefficient)
                    yield cls, with_product(graph, whole, places, made)


def _shared_products(
    graph: Snapshot,
) -> tuple[dict[int, ENode], list[int], dict[int, Network]]:
    """A cheap DAG of the roots, its e-classes, and its products, unless it is large.

    Those that are merely factors of one other product are in that one.
    """
    choice = graph.remember("cheap DAG", lambda: graph.cheap_dag(graph.root_classes))
    used = extract.used(choice, graph.root_classes)
    if len(used) > MAX_CLASSES:
        return choice, [], {}
    products = [c for c in used if choice[c].constructor == "ein"]
    inside = Counter(c for p in products for c in choice[p].children)
    others = (choice[c] for c in used if choice[c].constructor != "ein")
    outside = {*graph.root_classes, *(c for node in others for c in node.children)}
    wholes = (c for c in products if c in outside or inside[c] > 1)
    return choice, used, {c: product_network(graph, c, choice[c], MAX_FACTORS) for c in wholes}


# Products of two factors that several products have in common.
#
# `x' W y` may be computed as `(x' W) y`, and `t' W y` as `(t' W) y`: with `W y` first the large W
# is read once. Neither gains by that alone.


# A product that takes a smaller share of the time of all is no matter.
WORTH = Fraction(1, 20)
# Of a product with more factors the pairs are not looked at.
MAX_PAIRED = 8
# How many e-classes of which a factor is a multiple are looked at.
MULTIPLES = 4


def with_common_pairs(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The products of the cheapest DAG that have two factors in common, with these two first."""
    choice, used, networks = _shared_products(graph)
    least = WORTH * sum(graph.cost(cls, choice[cls]) for cls in used)
    found: dict[object, list[tuple[int, Network, _Pair]]] = {}
    for cls, whole in networks.items():
        if len(whole.factors) <= MAX_PAIRED:
            network = _of_multiples(graph, whole, used)
            for places in combinations(range(len(network.factors)), 2):
                pair = _pair(graph, network, places)
                if pair is not None and pair.price >= least:
                    found.setdefault(pair.key, []).append((cls, network, pair))
    for uses in found.values():
        for cls, network, pair in uses if len(uses) > 1 else ():
            made = (pair.term, pair.out)
            yield cls, with_product(graph, network, pair.places, made)


def _of_multiples(graph: Snapshot, network: Network, used: Collection[int]) -> Network:
    """The network with its factors' multiples as one number: `2·a` times b is 2 times `a·b`."""
    number = network.coefficient
    factors: list[Factor] = []
    for cls, part in network.factors:
        known = {cls: Fraction(1)}
        waiting = [cls]
        for c in waiting:
            for m in graph.members[c]:
                fresh = m.constructor == "scale" and m.children[0] not in known
                if fresh and len(known) < MULTIPLES:
                    known[m.children[0]] = known[c] * m.value
                    waiting.append(m.children[0])
        chosen = min(known, key=lambda c: (c not in used, c))
        number *= known[chosen]
        factors.append((chosen, part))
    return replace(network, factors=tuple(factors), coefficient=number)


@dataclass(frozen=True)
class _Pair:
    """The product of two factors of a network; those with one key are one product."""

    places: tuple[int, int]
    key: object
    term: Term
    out: Indices
    price: int


def _pair(graph: Snapshot, network: Network, places: tuple[int, int]) -> _Pair | None:
    """Two factors that are summed over an index, unless that makes more than the larger one has."""
    (a, left), (b, right) = ordered = sorted(
        (network.factors[k] for k in places), key=lambda f: (-len(f[1]), f[0])
    )
    others = {i for k, (_, part) in enumerate(network.factors) if k not in places for i in part}
    needed = {*network.out, *others}
    out = tuple(i for i in dict.fromkeys(left + right) if i in needed)
    summed = {*left} & {*right} - needed
    if not summed or any(len({*part}) < len(part) for _, part in ordered):
        return None
    lengths = {i: graph.model.length(network.sizes[i]) for i in left + right}
    if prod(lengths[i] for i in out) > max(prod(lengths[i] for i in p) for p in (left, right)):
        return None
    spec = canonical([left, right], out)
    dims = (graph.dims[a], graph.dims[b])
    sparsity = (graph.sparsity.get(a, False), graph.sparsity.get(b, False))
    made = tuple(network.sizes[i] for i in out)
    price = graph.model.node("ein", (spec,), dims, made, sparsity)
    term = terms.einsum(spec, graph.term(a), graph.term(b))
    return _Pair(places, (a, b, spec), term, out, price)


def embedding(small: Network, large: Network) -> tuple[dict[int, int], set[int]] | None:
    """Where a network has the factors of a smaller one: its indices for theirs, and the places.

    None where it has not, or where what the smaller one sums over is needed elsewhere.

    >>> small = Network(((7, (0, 1)), (8, (1,))), (0,), {0: "m", 1: "n"})
    >>> large = Network(((8, (5,)), (7, (3, 5)), (9, (3,))), (3,), {3: "m", 5: "n"})
    >>> embedding(small, large)
    ({0: 3, 1: 5}, {0, 1})
    """
    order = connected_order(small.factors, small.out)
    stack: list[tuple[dict[int, int], tuple[int, ...]]] = [({}, ())]
    for _ in range(MAX_STEPS):
        if not stack:
            return None
        names, places = stack.pop()
        if len(places) == len(order):
            rest = (part for k, (_, part) in enumerate(large.factors) if k not in places)
            needed = {i for part in (large.out, *rest) for i in part}
            if all(i in small.out or j not in needed for i, j in names.items()):
                return names, {*places}
            continue
        cls, part = small.factors[order[len(places)]]
        for k, (other, theirs) in reversed([*enumerate(large.factors)]):
            if other == cls and k not in places:
                extended = matched(part, theirs, names)
                if extended is not None:
                    stack.append((extended, (*places, k)))
    return None
