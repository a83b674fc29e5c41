"""Parts of networks: one split in two, and what two of them have in common."""

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.networks.contraction_order import contract, scaled
from eggrad.engine.networks.networks import Factor, Network
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["common_part", "factored", "split"]


def split(graph: Snapshot, network: Network, chosen: Sequence[int]) -> Term:
    """The network as the product of two parts: the factors at some places, and the rest."""
    first = [f for k, f in enumerate(network.factors) if k in chosen]
    rest = [f for k, f in enumerate(network.factors) if k not in chosen]
    left = {i for _, part in first for i in part}
    right = {i for _, part in rest for i in part}
    first_out = first[0][1] if len(first) == 1 else _interface(left, right, network.out)
    rest_out = _interface(right, left, network.out, first_out)
    a = contract(graph, network, first, first_out)
    b = contract(graph, network, rest, rest_out)
    whole = terms.einsum(canonical([first_out, rest_out], network.out), a, b)
    return scaled(network.coefficient, whole)


def _interface(own: set[int], other: set[int], out: Indices, guide: Indices = ()) -> Indices:
    """The indices that a part shows: the output's in their order, then the shared ones.

    The order of the shared ones follows the other part, so that two splits with the same other
    part have the same spec.
    """
    shown = [i for i in out if i in own]
    shared = [i for i in dict.fromkeys(guide) if i in own and i not in out]
    rest = sorted(i for i in own & other if i not in out and i not in shared)
    return tuple(shown + shared + rest)


def factored(graph: Snapshot, networks: Sequence[Network], free: bool = False) -> Term | None:
    """The sum of some networks as what all have in common times the sum of what is left.

    None where they have nothing in common, or where what is left has different axes. With `free`
    factors are left where they are that the networks sum over.
    """
    first, *others = networks
    factors = enumerate(first.factors)
    shared = [k for k, (_, part) in factors if not free or set(part) <= set(first.out)]
    for other in others:
        shared = [shared[i] for i, _ in common_part(_restricted(first, shared), other)]
    if not shared:
        return None
    common = [first.factors[i] for i in shared]
    inside = {i for _, part in common for i in part}
    rests: list[tuple[Network, list[Factor]]] = []
    sizes = dict(first.sizes)
    for network in networks:
        places = dict(common_part(_restricted(first, shared), network))
        names = dict(zip(network.out, first.out, strict=True))
        for i, j in places.items():
            names.update(zip(network.factors[j][1], common[i][1], strict=True))
        fresh = max(sizes, default=-1) + 1
        names = {i: names.get(i, fresh + i) for i in network.sizes}
        sizes = {names[i]: d for i, d in network.sizes.items()} | sizes
        left = [f for k, f in enumerate(network.factors) if k not in places.values()]
        rests.append((network, [(c, tuple(names[i] for i in part)) for c, part in left]))
    shown = [
        _interface({i for _, part in rest for i in part}, inside, first.out)
        for _, rest in rests
        if rest
    ]
    if not shown or any(s != shown[0] for s in shown):
        return None
    axes = shown[0]
    summands = [
        scaled(
            n.coefficient,
            contract(graph, Network((), axes, sizes), rest, axes)
            if rest
            else terms.constant(1, tuple(sizes[i] for i in axes)),
        )
        for n, rest in rests
    ]
    kept = _interface(inside, set(axes), first.out)
    whole = contract(graph, Network((), kept, sizes), common, kept)
    return terms.einsum(canonical([kept, axes], first.out), whole, reduce(terms.add, summands))


def _restricted(network: Network, places: Sequence[int]) -> Network:
    """The network with some of its factors alone."""
    return replace(network, factors=tuple(network.factors[i] for i in places))


def common_part(a: Network, b: Network) -> list[tuple[int, int]]:
    """Places of factors that two networks with the same output share, index by index."""
    best: list[tuple[int, int]] = []
    tries = 0
    start: list[tuple[int, int]] = []
    stack: list[tuple[int, list[tuple[int, int]], dict[int, int]]] = [
        (0, start, {i: i for i in a.out})
    ]
    while stack and tries < 300:
        tries += 1
        k, pairs, names = stack.pop()
        if len(pairs) > len(best):
            best = pairs
        if k == len(a.factors) or len(pairs) + len(a.factors) - k <= len(best):
            continue
        stack.append((k + 1, pairs, names))
        cls, part = a.factors[k]
        taken = {j for _, j in pairs}
        for j, (other, theirs) in reversed(list(enumerate(b.factors))):
            if other == cls and j not in taken:
                extended = _match(part, theirs, names)
                if extended is not None:
                    stack.append((k + 1, [*pairs, (k, j)], extended))
    return best


def _match(part: Indices, theirs: Indices, names: dict[int, int]) -> dict[int, int] | None:
    extended = dict(names)
    for i, j in zip(part, theirs, strict=True):
        if extended.setdefault(i, j) != j:
            return None
    return extended if len(set(extended.values())) == len(extended) else None
