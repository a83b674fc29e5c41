"""Contraction networks: a product of many factors, in any order and nesting.

Associativity and commutativity alone cost 3^n e-nodes. So a product class is read as a network
of factors, and what is wanted of it (the cheapest order, a split into two parts) is built
straight away.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import islice, permutations, product
from typing import Any, cast

import opt_einsum

from eggrad.engine import term as terms
from eggrad.engine.snapshot import ENode, Snapshot
from eggrad.engine.spec import Indices, Size, Spec, canonical, scaling
from eggrad.engine.term import Term

__all__ = [
    "Factor",
    "Network",
    "contract",
    "factored",
    "network_key",
    "price_of",
    "product_network",
    "scaled",
    "split",
]

MAX_FACTORS = 8
MAX_LABELLINGS = 120
MAX_ORDERS = 24
PRODUCTS = ("ein", "ein1", "scale")

Factor = tuple[int, Indices]


@dataclass(frozen=True)
class Network:
    """`coefficient` times the sum, over the indices not in `out`, of the product of factors.

    `price` is what the nodes cost that it was read from, its factors not included.
    """

    factors: tuple[Factor, ...]
    out: Indices
    sizes: dict[int, Size] = field(compare=False)
    coefficient: Fraction = Fraction(1)
    price: int = field(default=0, compare=False)


def product_network(graph: Snapshot, cls: int, member: ENode, limit: int = MAX_FACTORS) -> Network:
    """Flatten a member of a class through operands whose cheapest member is a product."""
    out = tuple(range(len(graph.dims[cls])))
    sizes: dict[int, Size] = dict(zip(out, graph.dims[cls], strict=True))
    coefficient = Fraction(1)
    price = 0
    factors: list[Factor] = []
    waiting: list[tuple[int, Indices, ENode | None]] = [(cls, out, member)]
    while waiting:
        c, part, chosen = waiting.pop(0)
        node = chosen or graph.choice[c]
        room = len(factors) + len(waiting) + 2 <= limit or node.constructor != "ein"
        if node.constructor not in PRODUCTS or not room:
            factors.append((c, part))
        elif node.constructor == "scale":
            coefficient *= Fraction(cast(Fraction, node.data[0]))
            waiting.insert(0, (node.children[0], part, None))
        else:
            price += graph.cost(c, node)
            spec = cast(Spec, node.data[0])
            names: dict[int, int] = {}
            for i, own in zip(spec[-1], part, strict=True):
                names[i] = own
            operands: list[tuple[int, Indices, ENode | None]] = []
            for child, indices in zip(node.children, spec, strict=False):
                for i, size in zip(indices, graph.dims[child], strict=True):
                    if i not in names:
                        names[i] = len(sizes)
                        sizes[len(sizes)] = size
                operands.append((child, tuple(names[i] for i in indices), None))
            waiting = operands + waiting
    return Network(tuple(factors), out, sizes, coefficient, price)


def network_key(network: Network) -> tuple[object, ...]:
    """The same for two networks that differ in order and names of summed indices only.

    Equal factors are tried in every order, up to a bound; beyond it the key may tell apart
    what is equal, never the reverse.
    """

    def colour(factor: Factor) -> tuple[object, ...]:
        cls, part = factor
        return (cls, tuple(i if i in network.out else -1 - part.index(i) for i in part))

    groups: dict[tuple[object, ...], list[Factor]] = {}
    for f in sorted(network.factors, key=lambda f: repr(colour(f))):
        groups.setdefault(colour(f), []).append(f)
    # `product` stores what it draws from: each group's orders are cut first.
    orders = product(*(islice(permutations(g), MAX_ORDERS) for g in groups.values()))
    best: tuple[object, ...] | None = None
    for order in islice(orders, MAX_LABELLINGS):
        flat = [f for group in order for f in group]
        names = {i: i for i in network.out}
        parts: list[tuple[int, Indices]] = []
        for cls, part in flat:
            for i in part:
                names.setdefault(i, len(names))
            parts.append((cls, tuple(names[i] for i in part)))
        key = tuple(parts)
        if best is None or key < best:
            best = key
    return (best, network.out, network.coefficient)


@lru_cache(maxsize=4096)
def _path(
    parts: tuple[Indices, ...], out: Indices, lengths: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, ...], ...]:
    """The order of pairwise contractions with the fewest operations."""
    inputs: Any = [frozenset(p) for p in parts]
    output: Any = frozenset(out)
    sizes: Any = dict(lengths)
    search: Any = (
        opt_einsum.paths.optimal if len(parts) <= 4 else opt_einsum.paths.dynamic_programming
    )
    found = search(inputs, output, sizes)
    return tuple(tuple(step) for step in found)


def contract(graph: Snapshot, network: Network, factors: Sequence[Factor], out: Indices) -> Term:
    """The product of some factors as a term with axes `out`, in the cheapest order."""
    if not factors:
        return terms.constant(1)
    used = sorted({i for _, part in factors for i in part})
    lengths = tuple((i, graph.model.length(network.sizes[i])) for i in used)
    pool = [(graph.term(c), part) for c, part in factors]
    if len(pool) == 1:
        (only, part), path = pool[0], ()
        return only if part == out else terms.einsum(canonical([part], out), only)
    path = _path(tuple(part for _, part in factors), out, lengths)
    for step in path:
        chosen = [pool[k] for k in sorted(step)]
        pool = [p for k, p in enumerate(pool) if k not in step]
        while len(chosen) > 1:
            (a, left), (b, right), *rest = chosen
            later = {i for _, part in [*rest, *pool] for i in part}
            final = not rest and not pool
            kept = out if final else _kept(left + right, later, out)
            chosen = [(terms.einsum(canonical([left, right], kept), a, b), kept), *rest]
        pool.append(chosen[0])
    return pool[0][0]


def _kept(indices: Indices, later: Iterable[int], out: Indices) -> Indices:
    """Indices that are still needed: those of the output in its order, then the others."""
    wanted = set(later) | set(out)
    distinct = [i for i in dict.fromkeys(indices) if i in wanted]
    return tuple([i for i in out if i in distinct] + [i for i in distinct if i not in out])


def price_of(graph: Snapshot, whole: Term, network: Network) -> int:
    """What the products of a term cost, down to the factors of a network."""
    factors = {graph.term(c) for c, _ in network.factors}
    stack, seen, price = [whole], {whole}, 0
    while stack:
        t = stack.pop()
        if t in factors:
            continue
        deltas = tuple(a.op == "delta" for a in t.args)
        constructor = "ein" if len(t.args) == 2 else "ein1"
        price += graph.model.node(
            constructor, (t.data,), tuple(a.dims for a in t.args), t.dims, deltas
        )
        for a in t.args:
            if a not in seen:
                seen.add(a)
                stack.append(a)
    return price


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


def scaled(coefficient: Fraction, term: Term) -> Term:
    """A rational multiple of a term."""
    if coefficient == 1:
        return term
    return terms.einsum(scaling(term.order), terms.constant(coefficient), term)


def factored(graph: Snapshot, a: Network, b: Network) -> Term | None:
    """The sum of two networks as what they have in common times the sum of what is left.

    None where they have nothing in common, or where what is left has different axes.
    """
    shared = common_part(a, b)
    if not shared:
        return None
    common = [a.factors[i] for i, _ in shared]
    names = {j: i for i, j in zip(a.out, b.out, strict=True)}
    for i, j in shared:
        names.update(zip(b.factors[j][1], a.factors[i][1], strict=True))
    fresh = max(a.sizes, default=-1) + 1
    names = {i: names.get(i, fresh + i) for i in b.sizes}
    left = [f for k, f in enumerate(a.factors) if k not in {i for i, _ in shared}]
    right = [
        (c, tuple(names[i] for i in part))
        for k, (c, part) in enumerate(b.factors)
        if k not in {j for _, j in shared}
    ]
    sizes = {**{names[i]: d for i, d in b.sizes.items()}, **a.sizes}
    inside = {i for _, part in common for i in part}
    shown = [
        _interface({i for _, part in rest for i in part}, inside, a.out)
        for rest in (left, right)
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
        for n, rest in ((a, left), (b, right))
    ]
    kept = _interface(inside, set(axes), a.out)
    first = contract(graph, Network((), kept, sizes), common, kept)
    return terms.einsum(canonical([kept, axes], a.out), first, terms.add(*summands))


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
