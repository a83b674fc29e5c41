"""Arithmetic of polynomials in atoms: sums and contractions, with relations used at once."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.linear_combinations import collected, exact
from eggrad.engine.indices.range_splitting import MOST
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.laws.properties import DEFINITE, SYMMETRIC
from eggrad.engine.normal_forms.index_ranges import known_sizes, singled_sizes, written_sizes
from eggrad.engine.normal_forms.networks import (
    UNIT,
    Atoms,
    Factor,
    Monomial,
    Number,
    TooLarge,
    canonical,
)

Polynomial = Mapping[Monomial, Number]

# Terms that one polynomial may have, and products of monomials that one e-class may take.
TERMS: Final = 2_000
PRODUCTS: Final = 4_000
# Factors of one network, which a square of a square has many of.
FACTORS: Final = 128
# Relations used inside of each other.
DEPTH: Final = 40


class Polynomials(ABC):
    """Polynomials whose atoms are functions of e-classes of a snapshot, or of other polynomials.

    `laws` says what is known of atoms beside their names: "exponentials" (exp of a sum is a
    product, also of imaginary numbers, by which sines are written), "denominators" (p·p⁻¹ = 1),
    "units" (|p| = u·p with u² = 1) and "inverses" (p·inv(p) = δ).
    """

    def __init__(
        self,
        graph: Snapshot,
        laws: Collection[str] = (),
        *,
        least: bool = False,
        by_places: bool = False,
        written_out: bool = False,
    ) -> None:
        """Begin without atoms.

        `least` chooses the other leading term of a sum among those of the highest degree: what one
        choice does not reduce, the other may. With `by_places` a sum over a short axis of which
        single places are spoken of is the sum of its places, and short determinants that are
        `written_out` speak of them.
        """
        self.written = written_sizes(graph) if written_out else frozenset[int]()
        self.singled = singled_sizes(graph, MOST) if by_places else frozenset[int]()
        self.singled |= self.written
        self.least = least
        self.graph = graph
        self.laws = frozenset(laws)
        self.atoms = Atoms()
        self.done: dict[int, Polynomial] = {}
        self.products = 0
        self.taken_apart = 0
        self._depth = 0
        self._reduced: dict[Monomial, Polynomial | None] = {}

    @cached_property
    def known(self) -> tuple[AffineForm, ...]:
        """Forms of sizes that are not negative."""
        return known_sizes(self.graph)

    @cached_property
    def decomposed(self) -> Mapping[int, Mapping[str, int]]:
        """Symmetric matrices of which decompositions occur, each with the e-classes of these."""
        graph = self.graph
        found: dict[int, dict[str, int]] = {}
        for cls in graph.classes:
            for m in graph.members[cls]:
                if m.operation in ("cholesky", "eigenvalues", "eigenvectors"):
                    found.setdefault(m.children[0], {})[m.operation] = cls
        return {
            a: parts
            for a, parts in found.items()
            if len(graph.dims[a]) == 2
            if graph.knows(a, DEFINITE if "cholesky" in parts else SYMMETRIC)
            if "cholesky" in parts or "eigenvalues" in parts
        }

    @abstractmethod
    def polynomial(self, cls: int) -> Polynomial:
        """The polynomial of an e-class; an atom where it would have too many terms."""

    @abstractmethod
    def factors(self, cls: int) -> list[tuple[Polynomial, Number]]:
        """An e-class as a product of powers, entry by entry: sums that are squared stay sums."""

    @abstractmethod
    def replaced(self, monomial: Monomial) -> Polynomial | None:
        """A monomial in which a relation between atoms was used; None where none applies."""

    def number(self, value: Fraction | int, dims: Dims) -> Polynomial:
        """The polynomial of a constant."""
        return self.sum([(self.product([], dims), value)])

    def product(self, factors: Sequence[Factor], dims: Dims) -> Polynomial:
        """The product of factors whose indices are axes of the result."""
        return self.joined([], tuple(range(len(dims))), dict(enumerate(dims)), factors)

    def entrywise(
        self, factors: Sequence[Polynomial], orders: Sequence[int], dims: Dims
    ) -> Polynomial:
        """The product entry by entry; factors without axes meet every entry."""
        axes = tuple(range(len(dims)))
        parts = [(p, axes[:n]) for p, n in zip(factors, orders, strict=True)]
        return self.contract(parts, axes, dict(enumerate(dims)))

    def sum(self, summands: Iterable[tuple[Polynomial, Number]]) -> Polynomial:
        """A sum of multiples."""
        found = collected((m, c * number) for p, number in summands for m, c in p.items())
        return {m: exact(c) for m, c in found.items()}

    def contract(
        self,
        operands: Sequence[tuple[Polynomial, Indices]],
        out: Indices,
        sizes: Mapping[int, Size],
        factors: Sequence[Factor] = (),
    ) -> Polynomial:
        """The einsum of polynomials, each with the names of its axes, and of further factors.

        `sizes` has those of all names.
        """
        partial: list[tuple[list[tuple[Monomial, Indices]], Number]] = [([], 1)]
        for polynomial, part in operands:
            if len(partial) * len(polynomial) > TERMS:
                raise TooLarge
            partial = [
                ([*chosen, (m, part)], number * c)
                for chosen, number in partial
                for m, c in polynomial.items()
            ]
        return self.sum((self.joined(chosen, out, sizes, factors), n) for chosen, n in partial)

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
            for inner, outer in zip(m.out, part, strict=True):
                if inner == UNIT:
                    continue
                if inner in names:
                    parent[root(outer)] = root(names[inner])
                names.setdefault(inner, outer)
            for inner, size in enumerate(m.sizes):
                if inner not in names:
                    names[inner] = fresh = max(named, default=-1) + 1
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

    def reduced(self, monomial: Monomial) -> Polynomial:
        """A monomial with the relations between its atoms used."""
        if monomial not in self._reduced:
            if self._depth > DEPTH:
                raise TooLarge
            self._depth += 1
            try:
                self._reduced[monomial] = self.replaced(monomial)
            finally:
                self._depth -= 1
        found = self._reduced[monomial]
        return {monomial: 1} if found is None else found
