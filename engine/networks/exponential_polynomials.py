"""Polynomials in e-classes whose coefficients are rational functions of one exponential.

The derivatives of a cross-entropy `c·log p + (1 - c)·log(1 - p)` are such, with p a sigmoid:
functions of exp z, which may overflow or cancel, meet factors that are none. Read exactly, each
coefficient is written so that it does neither.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from typing import Final

from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.networks.exponential_field import Exponential
from eggrad.engine.networks.exponential_products import multiplied_first, on_the_same_axes
from eggrad.engine.networks.exponential_reading import (
    Arithmetic,
    broadcast,
    elements,
    exponential,
    is_exponential,
)
from eggrad.engine.networks.exponential_writing import Writer, stable_terms
from eggrad.engine.networks.networks import (
    Network,
    as_term,
    raised,
    read_by_operands,
    scaled,
    smallest_first,
)
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

# E-classes that are no such polynomials, with their axes in the whole, and their exponents.
Monomial = tuple[tuple[int, Indices, int], ...]
Polynomial = Mapping[Monomial, Exponential]

_READ: Final = ("scale", "negate", "add", "subtract", "ein", "divide", "power")
# Monomials, and different coefficients, of what is looked at.
MOST_MONOMIALS: Final = 8
MOST_COEFFICIENTS: Final = 4
MOST_EXPONENT: Final = 4
_ONE: Final = Exponential()


def polynomials(graph: Snapshot) -> Mapping[int, Polynomial]:
    """The e-classes that are such polynomials, but for rational functions of one exponential."""
    return graph.remember("exponential polynomials", lambda: _read(graph))


def _read(graph: Snapshot) -> dict[int, Polynomial]:
    if not any(map(is_exponential, elements(graph).values())):
        return {}
    found = read_by_operands(graph, partial(_of_class, graph))
    known = elements(graph)
    return {
        c: polynomial
        for c, polynomial in found.items()
        if c not in known and not _is_itself(c, polynomial)
    }


def _is_itself(cls: int, polynomial: Polynomial) -> bool:
    return any(c == cls for monomial in polynomial for c, _, _ in monomial)


def _of_class(graph: Snapshot, cls: int, found: Mapping[int, Polynomial]) -> Polynomial | None:
    """An e-class by its operands; one without exponentials is itself."""
    known = elements(graph)
    if cls in known:
        return {(): known[cls]}

    def is_plain(c: int) -> bool:
        return not is_exponential(known[c]) if c in known else _is_itself(c, found.get(c, {}))

    nodes = [m for m in graph.members[cls] if m.constructor in _READ]
    if all(is_plain(c) for m in nodes for c in m.children):
        return {((cls, tuple(range(len(graph.dims[cls]))), 1),): _ONE}
    ready = (m for m in nodes if all(c in found for c in m.children))
    ways = (_ARITHMETIC.read(graph, m, found, known) for m in ready)
    return min((w for w in ways if w is not None), key=len, default=None)


def _broadcast(polynomial: Polynomial, part: Indices, every: Indices) -> Polynomial:
    return {
        tuple((c, tuple(part[k] for k in axes), p) for c, axes, p in monomial): (
            broadcast(coefficient, part, every)
        )
        for monomial, coefficient in polynomial.items()
    }


def _number(c: Fraction) -> Polynomial:
    return {(): Exponential(numerator=(c,))}


def _plus(a: Polynomial, b: Polynomial) -> Polynomial | None:
    total = dict(a)
    for monomial, coefficient in b.items():
        other = total.pop(monomial, None)
        if other is None:
            total[monomial] = coefficient
        elif other != coefficient.times(Exponential(numerator=(Fraction(-1),))):
            added = other.plus(coefficient)
            if added is None:
                return None
            total[monomial] = added
    return total if len(total) <= MOST_MONOMIALS else None


def _times(a: Polynomial, b: Polynomial) -> Polynomial | None:
    if len(a) * len(b) > MOST_MONOMIALS**2:
        return None
    total: Polynomial | None = {}
    for (first, c), (second, d) in product(a.items(), b.items()):
        coefficient = c.times(d)
        total = _plus(total, {_joined(first, second): coefficient}) if coefficient else None
        if total is None:
            return None
    return total


def _joined(a: Monomial, b: Monomial) -> Monomial:
    exponents = collected(((c, axes), p) for c, axes, p in (*a, *b))
    return tuple(sorted((c, axes, p) for (c, axes), p in exponents.items()))


def _power(a: Polynomial, p: Fraction) -> Polynomial | None:
    if p.denominator != 1 or not 0 < abs(p) <= MOST_EXPONENT:
        return None
    if len(a) == 1:
        ((monomial, coefficient),) = a.items()
        coefficient = coefficient.power(p)
        return coefficient and {
            tuple((c, axes, q * int(p)) for c, axes, q in monomial): coefficient
        }
    total: Polynomial | None = a
    for _ in range(int(p) - 1):
        total = total and _times(total, a)
    return total if p > 0 else None


_ARITHMETIC: Final = Arithmetic(_number, _plus, _times, _power, _broadcast)


def written_polynomials(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """Each such e-class with coefficients that neither overflow nor cancel."""
    for cls, polynomial in polynomials(graph).items():
        term = _written(graph, graph.dims[cls], polynomial)
        if term is not None:
            yield cls, term


def _written(graph: Snapshot, dims: Dims, polynomial: Polynomial) -> Term | None:
    """The common factors times the sum of all coefficients, each with what it belongs to.

    None for a single monomial, which is a product of what is written elsewhere.
    """
    if not polynomial:
        return terms.constant(0, dims)
    if len(polynomial) == 1:
        return None
    common = reduce(_common, polynomial)
    inverse = tuple((c, axes, -p) for c, axes, p in common)
    grouped: dict[Exponential, dict[Monomial, Fraction]] = {}
    for monomial, coefficient in polynomial.items():
        number = coefficient.numerator[0]
        unit = coefficient.times(Exponential(numerator=(1 / number,)))
        grouped.setdefault(unit or coefficient, {})[_joined(monomial, inverse)] = number
    if len(grouped) > MOST_COEFFICIENTS:
        return None
    keys = [key for e in grouped for form in (e.form, e.step) for key, _ in form]
    rest = [(c, part) for parts in grouped.values() for m in parts for c, part, _ in m]
    axes = tuple(sorted({k for _, part in (*keys, *rest) for k in part}))
    whole = tuple(range(len(dims)))
    inner = tuple(dims[k] for k in axes)
    summands: list[Term] = []
    for unit, parts in grouped.items():
        sums = [
            scaled(number, _product(graph, inner, _placed(monomial, axes)))
            for monomial, number in parts.items()
        ]
        factor = reduce(terms.add, sums)
        if is_exponential(unit):
            stable = next(stable_terms(Writer(graph, inner), broadcast(unit, whole, axes)), None)
            if stable is None:
                return None
            spec = (tuple(range(len(axes))),) * 3
            factor = stable if parts == {(): 1} else terms.einsum(spec, stable, factor)
        summands.append(factor)
    total = reduce(terms.add, summands)
    pool = [(total, axes), *_factors(graph, common)]
    return as_term(graph, Network((), whole, dict(enumerate(dims))), pool, smallest_first)


def _common(a: Monomial, b: Monomial) -> Monomial:
    other = {(c, axes): p for c, axes, p in b}
    least = ((c, axes, min(p, other.get((c, axes), 0))) for c, axes, p in a)
    return tuple(factor for factor in least if factor[2] > 0)


def _placed(monomial: Monomial, axes: Indices) -> Monomial:
    return tuple((c, tuple(map(axes.index, part)), p) for c, part, p in monomial)


def _factors(graph: Snapshot, monomial: Monomial) -> list[tuple[Term, Indices]]:
    return [(raised(graph.term(c), p), axes) for c, axes, p in monomial]


def _product(graph: Snapshot, dims: Dims, monomial: Monomial) -> Term:
    network = Network((), tuple(range(len(dims))), dict(enumerate(dims)))
    return as_term(graph, network, _factors(graph, monomial), smallest_first)


def polynomials_first(graph: Snapshot, _: int, network: Network) -> Iterator[Term]:
    """A product whose factors with exponentials, on the same axes, are multiplied first."""
    known = polynomials(graph)
    yield from (
        multiplied_first(graph, network, places)
        for places in on_the_same_axes(
            network, lambda c: c in known or exponential(graph, c) is not None
        )
        if any(network.factors[k][0] in known for k in places)
    )
