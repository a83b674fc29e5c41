"""Functions whose widths go up and down, and the cheapest order of eliminating their nodes.

The Jacobian of a DAG is what is left when every node between is eliminated: its edges carry local
Jacobians, and eliminating a node multiplies those before it with those after it (Griewank, Walther
2008, Evaluating Derivatives, chapter 9). What is left does not depend on the order, so the cheapest
one follows subset by subset.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from math import prod
from random import Random
from typing import Final

from eggrad.engine.costs.cost import count
from eggrad.engine.indices.spec import Dims, canonical
from eggrad.engine.terms import term as t
from eggrad.engine.terms.term import Term

NARROW, WIDE = 2, 40
Edge = tuple[int, int]


@dataclass
class Network:
    """A function of a variable `x`: its nodes, and the local Jacobians between them."""

    nodes: list[Term] = field(default_factory=list[Term])
    # Whether the Jacobian of a node by an earlier one is diagonal.
    edges: dict[Edge, bool] = field(default_factory=dict[Edge, bool])
    slopes: int = 0

    def join(self, node: Term, operands: Mapping[int, bool], slopes: int = 0) -> None:
        """Add a node, of which operands have diagonal Jacobians, and the work of its slopes."""
        self.edges.update({(len(self.nodes), a): diagonal for a, diagonal in operands.items()})
        self.nodes.append(node)
        self.slopes += slopes

    @property
    def root(self) -> Term:
        """The function."""
        return self.nodes[-1]

    @property
    def x(self) -> Term:
        """What it is a function of."""
        return self.nodes[0]

    def best(self, sizes: Mapping[str, int]) -> int:
        """The operations of the Jacobian in the cheapest order, those of the nodes included."""
        return count(self.nodes[:-1], sizes) + self.slopes + self._cheapest()

    def _cheapest(self) -> int:
        widths = [prod(int(d) for d in node.dims) for node in self.nodes]

        @cache
        def edges_without(gone: frozenset[int]) -> Mapping[Edge, bool]:
            found = dict(self.edges)
            for v in gone:
                found = _eliminated(found, v, widths)[0]
            return found

        @cache
        def least(gone: frozenset[int]) -> int:
            if not gone:
                return 0
            return min(
                least(gone - {v}) + _eliminated(edges_without(gone - {v}), v, widths)[1]
                for v in gone
            )

        return least(frozenset(range(1, len(self.nodes) - 1)))


def _eliminated(
    edges: Mapping[Edge, bool], v: int, widths: list[int]
) -> tuple[dict[Edge, bool], int]:
    """The edges without a node, and the operations that it takes."""
    after = {k: diagonal for (k, a), diagonal in edges.items() if a == v}
    before = {a: diagonal for (k, a), diagonal in edges.items() if k == v}
    found = {e: diagonal for e, diagonal in edges.items() if v not in e}
    work = 0
    for k, left in after.items():
        for a, right in before.items():
            entries = widths[k] if left and right else widths[k] * widths[a]
            work += entries if left or right else (2 * widths[v] - 1) * entries
            work += entries if (k, a) in found else 0
            found[k, a] = left and right and found.get((k, a), True)
    return found, work


MOST: Final = 12


def random_network(random: Random) -> Network:
    """A function of at most twelve nodes: layers up and down, branches, products, normalisations.

    >>> len(random_network(Random(0)).nodes) <= 12
    True
    """
    own = Network([t.variable("x", (WIDE,))])
    wanted = random.randint(7, MOST - 3)
    while len(own.nodes) < wanted:
        k = len(own.nodes) - 1
        a = own.nodes[k]
        like = [i for i, b in enumerate(own.nodes[:k]) if b.dims == a.dims]
        match random.choice(("layer", "layer", "layer", "function", "sum", "product", "normalise")):
            case "layer":
                _layer(own, k, random)
            case "function":
                _function(own, k, random)
            case "sum" if like:
                i = random.choice(like)
                own.join(t.add(a, own.nodes[i]), {k: True, i: True})
            case "product" if like:
                i = random.choice(like)
                own.join(_entrywise(a, own.nodes[i]), {k: True, i: True})
            case "normalise" if a.order == 1:
                _normalise(own, k)
            case _:
                continue
    _layer(own, len(own.nodes) - 1, random, (WIDE,))
    return own


def _layer(own: Network, k: int, random: Random, shape: Dims = ()) -> None:
    """A dense linear map to few entries or many, on one to three axes."""
    a = own.nodes[k]
    shape = shape or random.choice([(NARROW,), (3,), (WIDE,), (8, 5), (2, 2, 2), (3, 3, 4)])
    weights = t.variable(f"W{len(own.nodes)}", (*shape, *a.dims))
    rows, columns = tuple(range(len(shape))), tuple(range(len(shape), len(shape) + a.order))
    own.join(t.einsum(canonical([(*rows, *columns), columns], rows), weights, a), {k: False})


def _function(own: Network, k: int, random: Random) -> None:
    a, entries = own.nodes[k], prod(map(int, own.nodes[k].dims))
    name, work = random.choice((("tanh", 2), ("sin", 1), ("exp", 0)))
    own.join(t.apply(name, a), {k: True}, work * entries)


def _normalise(own: Network, k: int) -> None:
    """A vector over its squared length, whose Jacobian has a row and a column."""
    a, entries = own.nodes[k], int(own.nodes[k].dims[0])
    own.join(t.einsum("i,i->", a, a), {k: False}, entries)
    own.join(t.power(own.nodes[-1], t.constant(-1)), {k + 1: True}, 3)
    own.join(t.einsum(",i->i", own.nodes[-1], a), {k: True, k + 2: False})


def _entrywise(a: Term, b: Term) -> Term:
    axes = tuple(range(a.order))
    return t.einsum(canonical([axes, axes], axes), a, b)
