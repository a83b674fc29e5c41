"""Sums of products in a normal form: e-classes of an e-graph as polynomials in atoms.

A polynomial maps monomials, networks in canonical form, to their coefficients. For expressions
made of sums, products, deltas and numbers two are equal at all sizes exactly where their
polynomials are. All else is an atom: a function of a polynomial, a power of a sum, an inverse.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import cast

from eggrad.engine.extraction.extract import operands_first
from eggrad.engine.extraction.snapshot import ENode
from eggrad.engine.indices.linear_combinations import exact
from eggrad.engine.indices.spec import Dims, Indices, Size, sizes
from eggrad.engine.normal_forms import functions as normal_functions
from eggrad.engine.normal_forms.networks import BITS, Factor, Monomial, Number, TooLarge, length
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials
from eggrad.engine.normal_forms.relations import replaced


def _checked(polynomial: Polynomial) -> Polynomial:
    """The polynomial; raises `TooLarge` if its numbers are long."""
    exponents = (f.exponent for m in polynomial for f in m.factors)
    if any(length(n) > BITS for n in chain(polynomial.values(), exponents)):
        raise TooLarge
    return polynomial


class NormalForms(Polynomials):
    """The polynomials of the e-classes of a snapshot, read off the cheapest trees."""

    def polynomial(self, cls: int) -> Polynomial:
        """The polynomial of an e-class; an atom where it would have too many terms."""
        choice = self.graph.choice
        for c in operands_first([cls], lambda c: choice[c].children, self.done):
            self.products = 0
            try:
                self.done[c] = _checked(self._read(c, choice[c]))
            except TooLarge:
                self.products = 0
                self.done[c] = normal_functions.of_class(self, c)
        return self.done[cls]

    def _read(self, cls: int, node: ENode) -> Polynomial:
        dims = self.graph.dims[cls]
        parts = [self.done[c] for c in node.children]
        axes = tuple(range(len(dims)))
        if self.laws and cls in self.decomposed:
            return self._composed(cls)
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
            case "scale" | "negate":
                return self.sum([(parts[0], node.value)])
            case "ein" | "ein1":
                of_all = sizes(node.spec, *(self.graph.dims[c] for c in node.children))
                operands = list(zip(parts, node.spec, strict=False))
                return self.contract(operands, node.spec[-1], of_all)
            case "divide":
                orders = [len(self.graph.dims[c]) for c in node.children]
                lower = normal_functions.power_of_class(self, node.children[1], -1)
                return self.entrywise([parts[0], lower], orders, dims)
            case _:
                return normal_functions.of_node(self, cls, node, parts)

    def _composed(self, cls: int) -> Polynomial:
        """A matrix as l·l' or as v·diag(λ)·v', by what it is decomposed into."""
        parts = self.decomposed[cls]
        forms = {name: normal_functions.of_class(self, part) for name, part in parts.items()}
        sizes = dict.fromkeys(range(3), self.graph.dims[cls][0])
        if "cholesky" in forms:
            factor = forms["cholesky"]
            return self.contract([(factor, (0, 2)), (factor, (1, 2))], (0, 1), sizes)
        vectors, values = forms.get("eigenvectors"), forms["eigenvalues"]
        if vectors is None:
            atom = self.atoms.number("eigenvectors", cls)
            vectors = self.product([Factor(atom, 1, (0, 1))], self.graph.dims[cls])
        placed = [(vectors, (0, 2)), (values, (2,)), (vectors, (1, 2))]
        return self.contract(placed, (0, 1), sizes)

    def factors(self, cls: int) -> list[tuple[Polynomial, Number]]:
        """An e-class as a product of powers, entry by entry: sums that are squared stay sums."""
        node = self.graph.choice[cls]
        dims = self.graph.dims[cls]
        children = node.children
        axes = tuple(range(len(dims)))
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
                    (
                        self.contract(
                            [(p, tuple(places[i] for i in part))], axes, dict(enumerate(dims))
                        ),
                        e,
                    )
                    for c, part in zip(children, parts, strict=True)
                    for p, e in self.factors(c)
                ]
        return [(self.polynomial(cls), 1)]

    def matrix_product(self, left: int, right: int, turned: str = "") -> Polynomial | None:
        """The product of two e-classes that are matrices; None where it is too large.

        The transpose of one counts where "left" or "right" is `turned`.
        """
        spec = (
            (1, 0) if turned == "left" else (0, 1),
            (2, 1) if turned == "right" else (1, 2),
            (0, 2),
        )
        operands = list(zip(map(self.polynomial, (left, right)), spec, strict=False))
        self.products = 0
        try:
            of_all = sizes(spec, self.graph.dims[left], self.graph.dims[right])
            return self.contract(operands, (0, 2), of_all)
        except TooLarge:
            return None

    def vanishes(
        self,
        operands: Sequence[tuple[Polynomial, Indices]],
        out: Indices,
        sizes: Mapping[int, Size],
    ) -> bool:
        """Whether a product of polynomials is 0; where it is too large it is not seen."""
        self.products = 0
        try:
            return not self.contract(operands, out, sizes)
        except TooLarge:
            return False

    def cleared(self, polynomial: Polynomial, dims: Dims) -> Polynomial:
        """The polynomial over its common denominator; as it is where that is too large."""
        self.products = 0
        try:
            return normal_functions.cleared(self, polynomial, dims)
        except TooLarge:
            return polynomial

    def replaced(self, monomial: Monomial) -> Polynomial | None:
        """A monomial in which a relation between its atoms was used; None where none applies."""
        return replaced(self, monomial)
