"""Contraction networks: a product of many factors, in any order and nesting.

Associativity and commutativity alone cost 3^n e-nodes. So a product class is read as a network
of factors, and what is wanted of it (the cheapest order, a split into two parts) is built
straight away.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, permutations, product

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.spec import Indices, Size

__all__ = [
    "Factor", "Network", "along_deltas", "connected_order", "network_key", "product_network",
]  # fmt: skip

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

    def with_factor(self, place: int, inner: "Network") -> "Network":
        """The network with the factor at a place replaced by a product that it is.

        >>> whole = Network(((7, (0,)),), (0,), {0: "n"})
        >>> whole.with_factor(0, Network(((8, (0,)), (9, (0,))), (0,), {0: "n"})).factors
        ((8, (0,)), (9, (0,)))
        """
        part = self.factors[place][1]
        fresh = max(self.sizes, default=-1) + 1
        names = {i: fresh + i for i in inner.sizes} | dict(zip(inner.out, part, strict=True))
        factors = tuple((c, tuple(names[i] for i in indices)) for c, indices in inner.factors)
        return Network(
            (*self.factors[:place], *factors, *self.factors[place + 1 :]),
            self.out,
            {names[i]: d for i, d in inner.sizes.items()} | self.sizes,
            self.coefficient * inner.coefficient,
            self.price + inner.price,
        )


def product_network(
    graph: Snapshot, cls: int, member: ENode, limit: int = MAX_FACTORS, quotients: bool = False
) -> Network:
    """Flatten a member of a class through operands whose cheapest member is a product.

    With `quotients` also through those whose cheapest member is a quotient.
    """
    dims, choice = graph.dims, graph.choice
    out = tuple(range(len(dims[cls])))
    sizes: dict[int, Size] = dict(zip(out, dims[cls], strict=True))
    coefficient = Fraction(1)
    price = 0
    factors: list[Factor] = []
    # The next one is the last.
    waiting: list[tuple[int, Indices, ENode | None]] = [(cls, out, member)]
    while waiting:
        c, part, chosen = waiting.pop()
        node = chosen or (_as_product(graph, c) if quotients else choice[c])
        room = node.constructor != "ein" or len(factors) + len(waiting) + 2 <= limit
        if node.constructor not in PRODUCTS or not room:
            factors.append((c, part))
        elif node.constructor == "scale":
            coefficient *= node.value
            waiting.append((node.children[0], part, None))
        else:
            price += graph.cost(c, node)
            spec = node.spec
            names = dict(zip(spec[-1], part, strict=True))
            for child, indices in zip(node.children, spec, strict=False):
                for i, size in zip(indices, dims[child], strict=True):
                    if i not in names:
                        names[i] = len(sizes)
                        sizes[len(sizes)] = size
            for child, indices in zip(reversed(node.children), spec[-2::-1], strict=True):
                waiting.append((child, tuple([names[i] for i in indices]), None))
    return Network(tuple(factors), out, sizes, coefficient, price)


def along_deltas(graph: Snapshot, network: Network) -> Network:
    """The network with one index for each two that a delta makes equal, but in deltas."""
    deltas = [part for c, part in network.factors if graph.sparsity.get(c) is True]
    names: dict[int, int] = {}
    for part in deltas:
        for i, j in zip(part, part[len(part) // 2 :], strict=False):
            a, b = names.get(i, i), names.get(j, j)
            names |= {k: min(a, b) for k in (i, j, *names) if names.get(k, k) in (a, b)}
    factors = tuple(
        (c, part if part in deltas else tuple(names.get(i, i) for i in part))
        for c, part in network.factors
    )
    return replace(network, factors=factors) if names else network


def connected_order(factors: Sequence[Factor], start: Iterable[int]) -> list[int]:
    """The places of some factors, each after one that it shares an index with.

    `start` are indices of what comes before them.

    >>> connected_order([(7, (0, 1)), (8, (2,)), (9, (2, 1))], [0])
    [0, 2, 1]
    """
    known = set(start)
    rest = dict.fromkeys(range(len(factors)))
    order: list[int] = []
    while rest:
        k = next((k for k in rest if known.intersection(factors[k][1])), next(iter(rest)))
        del rest[k]
        order.append(k)
        known.update(factors[k][1])
    return order


def _as_product(graph: Snapshot, cls: int) -> ENode:
    """The cheapest member; for a quotient a product that it equals, if there is one."""
    node = graph.choice[cls]
    if node.constructor != "divide":
        return node
    members = (m for m in graph.members[cls] if m.constructor == "ein" and not m.retired)
    return next(members, node)


@lru_cache(maxsize=4096)
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
