"""Sums of fractions over a common denominator, in lowest terms, entry by entry.

The derivatives of quotients are such sums: the quotient rule squares a denominator of which a
factor often goes again. E-classes are read as polynomials over powers of polynomials.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import product
from math import gcd, lcm
from typing import Final

from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import Dims, Indices
from eggrad.engine.networks.exponential_field import Exponential
from eggrad.engine.networks.exponential_reading import Arithmetic, elements, is_exponential
from eggrad.engine.networks.networks import (
    Network,
    Placed,
    as_term,
    raised,
    read_by_operands,
    scaled,
    smallest_first,
)
from eggrad.engine.networks.sums_and_products import every_sum, is_hadamard
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

# E-classes that are no such fractions, with their axes in the whole, and their exponents.
Monomial = tuple[tuple[int, Indices, Fraction], ...]
# In order, so that a polynomial is a key.
Polynomial = tuple[tuple[Monomial, Fraction], ...]

_READ: Final = ("scale", "negate", "add", "subtract", "ein", "divide", "power")
MOST_MONOMIALS: Final = 8
MOST_EXPONENT: Final = 4
ONE: Final[Polynomial] = (((), Fraction(1)),)


@dataclass(frozen=True)
class Quotient:
    """A polynomial, with exponents of any sign, over powers of sums of several monomials."""

    above: Polynomial
    below: tuple[tuple[Polynomial, int], ...] = ()

    @property
    def is_fraction(self) -> bool:
        """Whether something is divided by."""
        return bool(self.below) or any(p < 0 for m, _ in self.above for _, _, p in m)


def _polynomial(items: Iterable[tuple[Monomial, Fraction]]) -> Polynomial:
    return tuple(sorted(collected(items).items()))


def _joined(*monomials: Monomial) -> Monomial:
    exponents = collected(((c, axes), p) for m in monomials for c, axes, p in m)
    return tuple(sorted((c, axes, p) for (c, axes), p in exponents.items()))


def times_polynomials(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    pairs = product(a, b)
    return _polynomial((_joined(first, second), c * d) for (first, c), (second, d) in pairs)


def _product(below: Mapping[Polynomial, int], start: Polynomial = ONE) -> Polynomial:
    return reduce(times_polynomials, (p for p, k in below.items() for _ in range(k)), start)


def _number(c: Fraction) -> Quotient:
    return Quotient(_polynomial([((), c)]))


def _plus(a: Quotient, b: Quotient) -> Quotient | None:
    first, second = Counter(dict(a.below)), Counter(dict(b.below))
    whole = first | second
    if sum(whole.values()) > MOST_EXPONENT:
        return None
    parts = (_product(whole - own, q.above) for own, q in ((first, a), (second, b)))
    return _lowest(_polynomial(item for part in parts for item in part), whole)


def _times(a: Quotient, b: Quotient) -> Quotient | None:
    if len(a.above) * len(b.above) > MOST_MONOMIALS**2:
        return None
    return _lowest(
        times_polynomials(a.above, b.above), Counter(dict(a.below)) + Counter(dict(b.below))
    )


def _power(a: Quotient, p: Fraction) -> Quotient | None:
    if p.denominator != 1:
        # Of a product the signs of the factors would be lost.
        is_atom = not a.below and len(a.above) == 1 and a.above[0][1] == 1
        ((c, axes, q),) = a.above[0][0] if is_atom and len(a.above[0][0]) == 1 else ((0, (), 0),)
        return Quotient((((((c, axes, p),)), Fraction(1)),)) if q == 1 else None
    if not 0 < abs(p) <= MOST_EXPONENT or not a.above:
        return None
    if p < 0:
        common, number = _content(a.above)
        inverse = tuple((c, axes, -q) for c, axes, q in common)
        rest = _divided_by(a.above, common, number)
        above = _product(dict(a.below), ((inverse, 1 / number),))
        a = Quotient(above, () if rest == ONE else ((rest, 1),))
    return reduce(lambda whole, _: whole and _times(whole, a), range(abs(int(p)) - 1), a)


def _broadcast(a: Quotient, part: Indices, _: Indices) -> Quotient:
    def placed(polynomial: Polynomial) -> Polynomial:
        return _polynomial(
            (tuple((c, tuple(part[k] for k in axes), p) for c, axes, p in monomial), number)
            for monomial, number in polynomial
        )

    return Quotient(placed(a.above), tuple((placed(p), k) for p, k in a.below))


_ARITHMETIC: Final = Arithmetic(_number, _plus, _times, _power, _broadcast)


def _content(polynomial: Polynomial) -> tuple[Monomial, Fraction]:
    """What all monomials have as a factor, and all numbers, with the sign of the first."""
    every = dict.fromkeys((c, axes) for m, _ in polynomial for c, axes, _ in m)
    known = [{(c, axes): p for c, axes, p in m} for m, _ in polynomial]
    least = ((c, axes, min(m.get((c, axes), Fraction(0)) for m in known)) for c, axes in every)
    numbers = [number for _, number in polynomial]
    size = Fraction(gcd(*(n.numerator for n in numbers)), lcm(*(n.denominator for n in numbers)))
    common = tuple(sorted(factor for factor in least if factor[2]))
    return common, size if numbers[0] > 0 else -size


def _divided_by(polynomial: Polynomial, common: Monomial, number: Fraction) -> Polynomial:
    inverse = tuple((c, axes, -p) for c, axes, p in common)
    return _polynomial((_joined(m, inverse), n / number) for m, n in polynomial)


def _lowest(above: Polynomial, below: Mapping[Polynomial, int]) -> Quotient | None:
    """The quotient without the factors that are above and below; None where it is long."""
    left = dict(below)
    for factor in below:
        while left[factor] and (rest := _divided(above, factor)) is not None:
            above = rest
            left[factor] -= 1
    kept = tuple(sorted((p, k) for p, k in left.items() if k and above))
    return Quotient(above, kept) if len(above) <= MOST_MONOMIALS else None


def _divided(a: Polynomial, b: Polynomial) -> Polynomial | None:
    """The quotient of two polynomials, if there is no remainder."""
    if not a:
        return None
    common, number = _content(a)
    rest = dict(_divided_by(a, common, number))
    atoms = sorted({(c, axes) for m in (*rest, *dict(b)) for c, axes, _ in m})

    def order(monomial: Monomial) -> tuple[Fraction, ...]:
        known = {(c, axes): p for c, axes, p in monomial}
        return tuple(known.get(atom, Fraction(0)) for atom in atoms)

    lead, by = max(b, key=lambda item: order(item[0]))
    inverse = tuple((c, axes, -p) for c, axes, p in lead)
    found: list[tuple[Monomial, Fraction]] = []
    while rest:
        first = max(rest, key=order)
        step = _joined(first, inverse), rest[first] / by
        if any(p < 0 for _, _, p in step[0]) or len(found) > MOST_MONOMIALS:
            return None
        found.append(step)
        minus = ((_joined(step[0], m), -step[1] * n) for m, n in b)
        rest = dict(collected([*rest.items(), *minus]))
    return _polynomial((_joined(m, common), n * number) for m, n in found)


def quotients(
    graph: Snapshot, *, whole_sums: bool = False, roots: bool = False
) -> dict[int, Quotient]:
    """What e-classes are; with `whole_sums` those without fractions stand for themselves.

    With `roots` the powers of a sum with fractions as exponents are powers of one thing.
    """
    read = partial(_read, graph, whole_sums=whole_sums, roots=roots)
    return graph.remember(("quotients", whole_sums, roots), read)


def polynomial_of(graph: Snapshot, cls: int) -> Polynomial:
    """An e-class as a polynomial in others; in itself where it is none."""
    found = quotients(graph, roots=True).get(cls)
    return (_atom(graph, cls) if found is None or found.below else found).above


def polynomial_term(graph: Snapshot, dims: Dims, polynomial: Polynomial) -> Term:
    """A polynomial that is not 0, on axes of which its monomials may lack some."""
    term, axes = _placed_sum(graph, dims, polynomial)
    return _of_pool(graph, dims, [(term, axes)], Fraction(1))


def _read(graph: Snapshot, *, whole_sums: bool, roots: bool) -> dict[int, Quotient]:
    numbers = {c: Exponential(numerator=(n,)) for c in graph.classes if (n := graph.number(c))}

    def of_class(cls: int, found: Mapping[int, Quotient]) -> Quotient | None:
        number = graph.number(cls)
        if number is not None:
            return _number(number)
        atom = _atom(graph, cls)
        if graph.choice[cls].constructor not in _READ:
            return atom
        ready = [
            m
            for m in graph.members[cls]
            if m.constructor in _READ and all(c in found for c in m.children)
        ]
        ways = [_ARITHMETIC.read(graph, m, found, numbers) for m in ready]
        ways += [_root(graph, m, found) for m in ready if roots and m.constructor == "power"]
        best = min((w for w in ways if w is not None), key=_size, default=atom if ready else None)
        is_whole = best and whole_sums and not best.is_fraction and len(best.above) > 1
        return atom if is_whole else best

    return read_by_operands(graph, of_class)


def _root(graph: Snapshot, m: ENode, found: Mapping[int, Quotient]) -> Quotient | None:
    """A power of a sum, whose exponent is a fraction, as one of what the sum stands for."""
    base, exponent = m.children
    p = graph.number(exponent)
    if p is None or p.denominator == 1 or len(found[base].above) == 1:
        return None
    (((_, axes, _),), _), *_ = _atom(graph, base).above
    return Quotient(((((base, axes, p),), Fraction(1)),))


def _atom(graph: Snapshot, cls: int) -> Quotient:
    axes = tuple(range(len(graph.dims[cls])))
    return Quotient(((((cls, axes, Fraction(1)),), Fraction(1)),))


def _size(q: Quotient) -> int:
    return len(q.above) + sum(k * len(p) for p, k in q.below)


def in_lowest_terms(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The largest such fractions over one denominator, and as sums of monomials; once."""
    for whole_sums in (True, False) if graph.first_time("fractions") else ():
        known = quotients(graph, whole_sums=whole_sums)
        fractions = {cls for cls, quotient in known.items() if quotient.is_fraction}
        found = {
            cls: quotient
            for cls, quotient in known.items()
            if not fractions.isdisjoint((cls, *graph.choice[cls].children))
            and quotient != _atom(graph, cls)
            and _is_plain(graph, quotient)
            and any(
                q.below or len(q.above) > 1
                for c in (cls, *graph.choice[cls].children)
                if (q := known.get(c))
            )
        }
        inside = {c for cls in found for c in graph.choice[cls].children}
        for cls, quotient in found.items():
            if cls not in inside:
                yield cls, _written(graph, graph.dims[cls], quotient)
                if quotient.above and not quotient.below:
                    yield cls, _sum(graph, graph.dims[cls], quotient.above)


# Of more monomials the sum may lose digits itself.
MOST_ABOVE: Final = 2
# The largest numerators and denominators of numbers, which are multiplied out.
LARGEST: Final = 2**60


def over_common_denominator(graph: Snapshot) -> Iterator[tuple[int, Term]]:
    """The sums of fractions whose largest or least terms cancel, over one denominator.

    And such a sum divided by another one that goes into its numerator.
    """
    sums = {
        cls: [*form]
        for cls, form in every_sum(graph)
        if len(form) > 1 and any(_divides(graph, t) for t in form)
    }
    divided = [
        (cls, [*m.children])
        for cls in (graph.classes if sums else ())
        for m in graph.members[cls]
        if is_hadamard(graph, m) and not sums.keys().isdisjoint(m.children)
        if any(_divides(graph, c) and c not in sums for c in m.children)
    ]
    yield from _over_one(graph, sums.items(), _cancels)
    yield from _over_one(graph, divided, _is_lower)


def _over_one(
    graph: Snapshot,
    found: Iterable[tuple[int, Sequence[int]]],
    is_worth: Callable[[Quotient, Sequence[Quotient]], bool],
) -> Iterator[tuple[int, Term]]:
    """E-classes with some parts as one quotient each, where that is worth it."""
    for cls, parts in found:
        if graph.first_time((is_worth.__name__, cls, *parts)):
            known = quotients(graph, roots=True)
            whole, read = known.get(cls), [known[c] for c in parts if c in known]
            is_short = whole is not None and _is_short(graph, whole)
            if whole and is_short and len(read) == len(parts) and is_worth(whole, read):
                yield cls, _written(graph, graph.dims[cls], whole)


def _is_lower(whole: Quotient, factors: Sequence[Quotient]) -> bool:
    """Whether a sum that is divided by has gone, and one term is left."""
    before, after = (sum(k for q in qs for _, k in q.below) for qs in (factors, [whole]))
    return len(whole.above) == 1 and after < before


def _is_short(graph: Snapshot, whole: Quotient) -> bool:
    """Whether a quotient is one of few terms, and has no number that may overflow."""
    numbers = (c for p in (whole.above, *(q for q, _ in whole.below)) for _, c in p)
    small = all(max(abs(c.numerator), c.denominator) <= LARGEST for c in numbers)
    few = 0 < len(whole.above) <= MOST_ABOVE and whole.is_fraction
    return few and small and _is_plain(graph, whole)


def _divides(graph: Snapshot, cls: int) -> bool:
    """Whether an e-class is a power with a negative exponent, or has one as a factor."""
    factors = (c for m in graph.members[cls] if m.constructor == "ein" for c in m.children)
    return any(p < 0 for c in (cls, *factors) for p in graph.exponents(c).values())


def _cancels(whole: Quotient, parts: Sequence[Quotient]) -> bool:
    """Whether a sum tends to 0 faster than a term, or to infinity slower, as an atom does."""
    known = [q for q in parts if q.above]
    atoms = {(c, axes) for q in known for c, axes in _atoms(q)}
    return any(
        max(sign * _degree(q, atom, sign) for q in known) > sign * _degree(whole, atom, sign)
        for atom in atoms
        for sign in (1, -1)
    )


def _atoms(q: Quotient) -> Iterator[tuple[int, Indices]]:
    sums = (q.above, *(p for p, _ in q.below))
    return ((c, axes) for p in sums for m, _ in p for c, axes, _ in m)


def _degree(q: Quotient, atom: tuple[int, Indices], sign: int) -> Fraction:
    """The exponent of an atom in what counts where it is large, or with the sign -1, small."""

    def of(polynomial: Polynomial) -> Fraction:
        powers = [{(c, axes): p for c, axes, p in m}.get(atom, Fraction(0)) for m, _ in polynomial]
        return sign * max(sign * p for p in powers)

    return of(q.above) - sum(k * of(p) for p, k in q.below)


def is_plain(graph: Snapshot, *sums: Polynomial) -> bool:
    """Whether polynomials have no exponentials, which have laws of their own."""
    known = elements(graph)
    atoms = {c for p in sums for m, _ in p for c, _, _ in m}
    return not any(c in known and is_exponential(known[c]) for c in atoms)


def _is_plain(graph: Snapshot, quotient: Quotient) -> bool:
    return is_plain(graph, quotient.above, *(p for p, _ in quotient.below))


def _written(graph: Snapshot, dims: Dims, quotient: Quotient) -> Term:
    if not quotient.above:
        return terms.constant(0, dims)
    common, number = _content(quotient.above)
    rest = _divided_by(quotient.above, common, number)
    pool = _factors(graph, common)
    pool += [_placed_sum(graph, dims, rest)] * (rest != ONE)
    for factor, k in quotient.below:
        term, axes = _placed_sum(graph, dims, factor)
        pool.append((raised(term, -k), axes))
    return _of_pool(graph, dims, pool, number)


def _of_pool(graph: Snapshot, dims: Dims, pool: list[Placed], number: Fraction) -> Term:
    network = Network((), tuple(range(len(dims))), dict(enumerate(dims)))
    return scaled(number, as_term(graph, network, pool, smallest_first))


def _factors(graph: Snapshot, monomial: Monomial) -> list[Placed]:
    return [(raised(graph.term(c), p), axes) for c, axes, p in monomial]


def _placed_sum(graph: Snapshot, dims: Dims, polynomial: Polynomial) -> Placed:
    """A sum on those axes alone that its monomials have."""
    axes = tuple(sorted({k for m, _ in polynomial for _, part, _ in m for k in part}))
    places = {k: n for n, k in enumerate(axes)}
    inner = tuple(
        (tuple((c, tuple(places[k] for k in part), p) for c, part, p in m), number)
        for m, number in polynomial
    )
    return _sum(graph, tuple(dims[k] for k in axes), inner), axes


def _sum(graph: Snapshot, dims: Dims, polynomial: Polynomial) -> Term:
    of_each = (_of_pool(graph, dims, _factors(graph, m), number) for m, number in polynomial)
    return reduce(terms.add, of_each)
