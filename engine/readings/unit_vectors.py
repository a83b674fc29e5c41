"""Products with inverse norms, read and written with unit vectors."""

from collections.abc import Iterator
from fractions import Fraction

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.spec import Indices, Spec, canonical
from eggrad.engine.networks.contraction_order import scaled
from eggrad.engine.networks.networks import Network
from eggrad.engine.readings.products import Placed, multiplied
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["with_units"]


def with_units(graph: Snapshot, network: Network) -> Iterator[Term]:
    """The product with unit vectors in place of vectors beside the inverse of their norm."""
    for squares, part, p in _inverse_lengths(graph, network):
        term = _with_units(graph, network, squares, part, p)
        if term is not None:
            yield term


def _with_units(
    graph: Snapshot, network: Network, squares: int, part: Indices, p: Fraction
) -> Term | None:
    """The product with as many unit vectors as there are vectors and inverse norms."""
    found = _squared(graph, squares)
    if found is None:
        return None
    vector, (source, kept) = found
    length = terms.numeric("norm", graph.term(vector), data=(source, kept))
    inverse = terms.power(length, terms.constant(-1))
    unit = terms.einsum(canonical([source, kept], source), graph.term(vector), inverse)
    left = int(-2 * p)
    factors: list[Placed] = []
    for cls, indices in network.factors:
        if indices == part and _power_of_squares(graph, cls)[0] == squares:
            continue
        placed = dict(zip(source, indices, strict=False))
        if cls == vector and left and tuple(placed[i] for i in kept) == part:
            factors.append((unit, indices))
            left -= 1
        else:
            factors.append((graph.term(cls), indices))
    if left == int(-2 * p):
        return None
    if left:
        factors.append((terms.power(length, terms.constant(-left)), part))
    whole = multiplied(graph.model, factors, network.out, network.sizes)
    return scaled(network.coefficient, whole)


def _inverse_lengths(graph: Snapshot, network: Network) -> Iterator[tuple[int, Indices, Fraction]]:
    """The sums of squares that a product has to a negative power: class, indices, exponent."""
    found: dict[tuple[int, Indices], Fraction] = {}
    for cls, part in network.factors:
        base, p = _power_of_squares(graph, cls)
        if p < 0:
            found[base, part] = found.get((base, part), Fraction(0)) + p
    for (base, part), p in found.items():
        if p.denominator <= 2:
            yield base, part, p


def _power_of_squares(graph: Snapshot, cls: int) -> tuple[int, Fraction]:
    """A class as a power of a sum of squares, of exponent 0 if it is none."""
    for base, p in graph.exponents(cls).items():
        if _squared(graph, base) is not None:
            return base, p
    return cls, Fraction(0)


def _squared(graph: Snapshot, cls: int) -> tuple[int, Spec] | None:
    """The class whose squares another one sums, and the unary spec of the sum."""
    for m in graph.members[cls]:
        if m.constructor == "ein" and m.children[0] == m.children[1]:
            first, second, out = m.spec
            in_order = out == tuple(i for i in first if i in out)
            if first == second and in_order and len(set(first)) == len(first) > len(out):
                return m.children[0], (first, out)
    return None
