"""Networks that are their own mirror image: one half is computed, and used twice.

Second derivatives are symmetric. Their networks, such as `Jᵢₐ eᵢ Jᵢᵦ` with a chain of many
factors for J, are mapped onto themselves when the axes of the first and of the second
differentiation are exchanged. A search for the cheapest order of the factors does not see that
the two J are one array.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Indices
from eggrad.engine.networks.contraction_order import contract, contract_terms, scaled
from eggrad.engine.networks.networks import (
    Factor,
    Network,
    connected_order,
    network_key,
    product_network,
)
from eggrad.engine.terms.term import Term

__all__ = ["SUMS", "exchanges", "expanded", "halved", "mirror_image"]

MAX_FACTORS = 64
MAX_NETWORKS = 4
MAX_STEPS = 2_000
# The signs of the operands.
SUMS: Mapping[str, tuple[int, ...]] = {"add": (1, 1), "subtract": (1, -1), "negate": (-1,)}

Renaming = dict[int, int]
Axes = tuple[int, ...]


def exchanges(graph: Snapshot) -> Iterator[tuple[int, Axes]]:
    """Classes with the axes that exchanging the two differentiations exchanges.

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
                    own = [twin.get(i, i) for i in part]
                    once = len({*part}) == len(part)
                    if once and {*own} == {*part} and own != [*part]:
                        yield child, tuple(map(part.index, own))


def expanded(graph: Snapshot, cls: int) -> list[Network] | None:
    """The networks whose sum a class is, matrices that are sums multiplied out; None if many.

    Equal ones are one, with the sum of their coefficients.
    """
    node = graph.choice[cls]
    waiting = [(product_network(graph, cls, node, MAX_FACTORS, quotients=True), 1)]
    found: dict[object, Network] = {}
    while waiting:
        network, sign = waiting.pop()
        place = next((k for k, f in enumerate(network.factors) if _is_sum(graph, f)), None)
        if place is None:
            own = _normal(graph, network, sign)
            key = network_key(replace(own, coefficient=Fraction(1)))
            before = found[key].coefficient if key in found else 0
            found[key] = replace(own, coefficient=own.coefficient + before)
        else:
            waiting += [(n, s * sign) for n, s in _distributed(graph, network, place)]
        if len(found) + len(waiting) > MAX_NETWORKS:
            return None
    return [n for n in found.values() if n.coefficient]


def _is_sum(graph: Snapshot, factor: Factor) -> bool:
    cls, part = factor
    return len(part) > 1 and graph.choice[cls].constructor in SUMS


def _normal(graph: Snapshot, network: Network, sign: int) -> Network:
    """The network with its sign, and constants along axes that other factors have as a number."""
    number = network.coefficient * sign
    factors = list(network.factors)
    for factor in network.factors:
        cls, part = factor
        node = graph.choice[cls]
        others = {i for f in factors if f is not factor for i in f[1]}
        if node.constructor == "constant" and others.issuperset(part):
            number *= node.value
            factors.remove(factor)
    return replace(network, factors=tuple(factors), coefficient=number)


def _distributed(graph: Snapshot, network: Network, place: int) -> Iterator[tuple[Network, int]]:
    """The network with a sum among its factors replaced by each term of the sum, and its sign."""
    node = graph.choice[network.factors[place][0]]
    for child, sign in zip(node.children, SUMS[node.constructor], strict=True):
        inner = product_network(graph, child, graph.choice[child], MAX_FACTORS, quotients=True)
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
                extended = _exchanged(part, theirs, names)
                if extended is not None:
                    stack.append((at + 1, extended, places | {order[at]: k, k: order[at]}))
    return None


def _exchanged(part: Indices, theirs: Indices, names: Renaming) -> Renaming | None:
    extended = dict(names)
    for i, j in zip(part, theirs, strict=True):
        if extended.setdefault(i, j) != j or extended.setdefault(j, i) != i:
            return None
    return extended


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
        shown = _shown(network, part)
        pool.append((contract(graph, network, inside, shown), shown))
        pool.append((pool[-1][0], tuple(names[i] for i in shown)))
    if not found:
        return None
    return scaled(network.coefficient, contract_terms(graph, network, pool, network.out))


def _parts(network: Network, names: Mapping[int, int]) -> Iterable[Sequence[int]]:
    """The places of factors that indices connect which the exchange does not leave alone."""
    group = list(range(len(network.factors)))
    first: dict[int, int] = {}
    for k, (_, part) in enumerate(network.factors):
        for i in part:
            if names[i] != i:
                own, other = group[k], group[first.setdefault(i, k)]
                group = [other if g == own else g for g in group]
    return [[k for k, g in enumerate(group) if g == leader] for leader in dict.fromkeys(group)]


def _shown(network: Network, part: Sequence[int]) -> Indices:
    """The indices of some factors that the output or other factors have too."""
    inside = {i for k in part for i in network.factors[k][1]}
    others = {i for k, f in enumerate(network.factors) if k not in part for i in f[1]}
    rest = sorted(i for i in inside & others if i not in network.out)
    return tuple(i for i in network.out if i in inside) + tuple(rest)
