"""Sums of products in a normal form: classes of an e-graph as polynomials in atoms.

A polynomial maps monomials, networks in canonical form, to their coefficients. For expressions
made of sums, products, deltas and numbers two are equal at all sizes exactly where their
polynomials are. All else is an atom: a function of a polynomial, a power of a sum, an inverse.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Final, cast

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.affine import Form
from eggrad.engine.indices.range_splitting import MOST
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.normal_forms import atoms as normal_atoms
from eggrad.engine.normal_forms import functions as normal_functions
from eggrad.engine.normal_forms.index_ranges import known_sizes, singled_sizes
from eggrad.engine.normal_forms.networks import (
    BITS,
    UNIT,
    Atoms,
    Factor,
    Monomial,
    Number,
    TooLarge,
    canonical,
    exact,
    length,
)
from eggrad.engine.normal_forms.relations import replaced

__all__ = ["NormalForms", "Polynomial"]

Polynomial = Mapping[Monomial, Number]

# Terms that one polynomial may have, and products of monomials that one class may take.
TERMS: Final = 2_000
PRODUCTS: Final = 4_000
# Factors of one network, which a square of a square has many of.
FACTORS: Final = 128
# Relations used inside of each other.
DEPTH: Final = 40


def _checked(polynomial: Polynomial) -> Polynomial:
    """The polynomial; raises `TooLarge` if its numbers are long."""
    exponents = (f.exponent for m in polynomial for f in m.factors)
    if any(length(n) > BITS for n in chain(polynomial.values(), exponents)):
        raise TooLarge
    return polynomial


class NormalForms:
    """The polynomials of the classes of a snapshot, read off the cheapest trees.

    `laws` says what is known of atoms beside their names: "exponentials" (exp of a sum is a
    product), "denominators" (p·p⁻¹ = 1) and "inverses" (p·inv(p) = δ).
    """

    def __init__(
        self,
        graph: Snapshot,
        laws: Collection[str] = (),
        *,
        least: bool = False,
        by_places: bool = False,
    ) -> None:
        """Prepare; polynomials are worked out when asked for.

        `least` chooses the other leading term of a sum among those of the highest degree: what one
        choice does not reduce, the other may. With `by_places` a sum over a short axis of which
        single places are spoken of is the sum of its places.
        """
        self.singled = singled_sizes(graph, MOST) if by_places else frozenset[int]()
        self.least = least
        self.graph = graph
        self.laws = frozenset(laws)
        self.atoms = Atoms()
        self.products = 0
        self.taken_apart = 0
        self._depth = 0
        self._done: dict[int, Polynomial] = {}
        self._reduced: dict[Monomial, Polynomial | None] = {}

    @cached_property
    def known(self) -> tuple[Form, ...]:
        """Forms of sizes that are not negative."""
        return known_sizes(self.graph)

    def polynomial(self, cls: int) -> Polynomial:
        """The polynomial of a class; an atom where it would have too many terms."""
        stack = [cls]
        while stack:
            c = stack[-1]
            if c in self._done:
                stack.pop()
                continue
            node = self.graph.choice[c]
            if missing := [x for x in node.children if x not in self._done]:
                stack.extend(reversed(missing))
                continue
            self.products = 0
            try:
                self._done[c] = _checked(self._read(c, node))
            except TooLarge:
                self.products = 0
                self._done[c] = normal_atoms.of_class(self, c)
        return self._done[cls]

    def _read(self, cls: int, node: ENode) -> Polynomial:
        dims = self.graph.dims[cls]
        parts = [self._done[c] for c in node.children]
        axes = tuple(range(len(dims)))
        match node.constructor:
            case "constant":
                return self.number(node.value, dims)
            case "delta":
                half = axes[: len(axes) // 2]
                return self.contract([], half * 2, dict(zip(half, dims, strict=False)))
            case "size":
                size = cast(Size, node.data[0])
                return self.contract([], (), {0: size})
            case "add":
                return self.sum([(parts[0], 1), (parts[1], 1)])
            case "subtract":
                return self.sum([(parts[0], 1), (parts[1], -1)])
            case "negate":
                return self.sum([(parts[0], -1)])
            case "scale":
                return self.sum([(parts[0], node.value)])
            case "ein" | "ein1":
                spec = node.spec
                sizes = {
                    i: d
                    for c, part in zip(node.children, spec, strict=False)
                    for i, d in zip(part, self.graph.dims[c], strict=True)
                }
                return self.contract(list(zip(parts, spec, strict=False)), spec[-1], sizes)
            case "divide":
                orders = [len(self.graph.dims[c]) for c in node.children]
                lower = normal_functions.power_of_class(self, node.children[1], -1)
                return self.entrywise([parts[0], lower], orders, dims)
            case _:
                return normal_functions.of_node(self, cls, node, parts)

    def factors(self, cls: int) -> list[tuple[Polynomial, Number]]:
        """A class as a product of powers, entry by entry: sums that are squared stay sums."""
        node = self.graph.choice[cls]
        dims = self.graph.dims[cls]
        axes = tuple(range(len(dims)))
        sizes = dict(zip(axes, dims, strict=True))
        children = node.children
        if node.constructor == "power":
            exponent = normal_functions.constant_of(self.polynomial(children[1]))
            if isinstance(exponent, int):
                return [(p, exact(e * exponent)) for p, e in self.factors(children[0])]
        if node.constructor == "scale":
            value = node.value
            return [(self.number(value, dims), 1), *self.factors(children[0])]
        if node.constructor == "ein":
            *parts, out = node.spec
            if len(set(out)) == len(out) and {i for part in parts for i in part} == set(out):
                places = {i: k for k, i in enumerate(out)}
                return [
                    (self.contract([(p, tuple(places[i] for i in part))], axes, sizes), e)
                    for c, part in zip(children, parts, strict=True)
                    for p, e in self.factors(c)
                ]
        return [(self.polynomial(cls), 1)]

    def number(self, value: Fraction | int, dims: Dims) -> Polynomial:
        """The polynomial of a constant."""
        axes = tuple(range(len(dims)))
        ones = self.contract([], axes, dict(zip(axes, dims, strict=True)))
        return self.sum([(ones, value)])

    def entrywise(
        self, factors: Sequence[Polynomial], orders: Sequence[int], dims: Dims
    ) -> Polynomial:
        """The product entry by entry; factors without axes meet every entry."""
        axes = tuple(range(len(dims)))
        sizes = dict(zip(axes, dims, strict=True))
        parts = [(p, axes[:n]) for p, n in zip(factors, orders, strict=True)]
        return self.contract(parts, axes, sizes)

    def sum(self, summands: Iterable[tuple[Polynomial, Number]]) -> Polynomial:
        """A sum of multiples."""
        found: dict[Monomial, Number] = {}
        for polynomial, number in summands:
            for m, c in polynomial.items():
                found[m] = found.get(m, 0) + c * number
        return {m: exact(c) for m, c in found.items() if c}

    def contract(
        self,
        operands: Sequence[tuple[Polynomial, Indices]],
        out: Indices,
        sizes: Mapping[int, Size],
    ) -> Polynomial:
        """The einsum of polynomials: each with the names of its axes, `sizes` of these."""
        partial: list[tuple[list[tuple[Monomial, Indices]], Number]] = [([], 1)]
        for polynomial, part in operands:
            if len(partial) * len(polynomial) > TERMS:
                raise TooLarge
            partial = [
                ([*chosen, (m, part)], number * c)
                for chosen, number in partial
                for m, c in polynomial.items()
            ]
        return self.sum((self.joined(chosen, out, sizes), number) for chosen, number in partial)

    def joined(
        self,
        monomials: Sequence[tuple[Monomial, Indices]],
        out: Indices,
        sizes: Mapping[int, Size],
        factors: Sequence[Factor] = (),
    ) -> Polynomial:
        """The product of monomials, and of further factors on the same index names."""
        self.products += 1
        if self.products > PRODUCTS:
            raise TooLarge
        parent = {i: i for i in (UNIT, *sizes)}
        named: dict[int, Size] = dict(sizes)
        network: list[Factor] = list(factors)

        def root(i: int) -> int:
            while parent[i] != i:
                i = parent[i]
            return i

        for m, part in monomials:
            names = {UNIT: UNIT}
            for own, outer in zip(m.out, part, strict=True):
                if own == UNIT:
                    continue
                if own in names:
                    parent[root(outer)] = root(names[own])
                names.setdefault(own, outer)
            for own, size in enumerate(m.sizes):
                if own not in names:
                    names[own] = fresh = max(named, default=-1) + 1
                    named[fresh] = size
                    parent[fresh] = fresh
            if len(network) + len(m.factors) > FACTORS:
                raise TooLarge
            network += [f._replace(part=tuple(names[i] for i in f.part)) for f in m.factors]
        tied = [f._replace(part=tuple(root(i) for i in f.part)) for f in network]
        ends = {root(i): named[i] for i in named}
        found = canonical(self.atoms, tied, [root(i) for i in out], ends)
        if found is None:
            return {}
        reduced = self.reduced(found[0])
        return self.sum([(reduced, found[1])])

    def matrix_product(self, left: int, right: int) -> Polynomial | None:
        """The product of two classes that are matrices; None where it is too large."""
        (n, m), (_, k) = self.graph.dims[left], self.graph.dims[right]
        own = [(self.polynomial(left), (0, 1)), (self.polynomial(right), (1, 2))]
        self.products = 0
        try:
            return self.contract(own, (0, 2), {0: n, 1: m, 2: k})
        except TooLarge:
            return None

    def cleared(self, polynomial: Polynomial, dims: Dims) -> Polynomial:
        """The polynomial over its common denominator; as it is where that is too large."""
        self.products = 0
        try:
            return normal_functions.cleared(self, polynomial, dims)
        except TooLarge:
            return polynomial

    def reduced(self, monomial: Monomial) -> Polynomial:
        """A monomial with the relations between its atoms used."""
        if monomial not in self._reduced:
            if self._depth > DEPTH:
                raise TooLarge
            self._depth += 1
            try:
                self._reduced[monomial] = replaced(self, monomial)
            finally:
                self._depth -= 1
        found = self._reduced[monomial]
        return {monomial: 1} if found is None else found
