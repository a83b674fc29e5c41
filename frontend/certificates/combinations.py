"""Why two sums of products are equal: a combination of instances of laws, such as p·p⁻¹ = 1.

The difference of both sides of a law, times the rest of a monomial, is 0. The difference of two
terms is looked for among the sums of such products, by elimination, so that no order of monomials
decides what is found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from eggrad.frontend.certificates.arithmetic import (
    ONE,
    UNIT,
    Arithmetic,
    Dims,
    Factor,
    Indices,
    Monomial,
    Polynomial,
    Refused,
    Terms,
    added,
    renumbered,
    times,
)

Row = dict[int, Fraction]

# Products that are tried, monomials that they have, and entries that elimination looks at.
MOST: Final = 300
MONOMIALS: Final = 400
ENTRIES: Final = 200_000


class Relation(NamedTuple):
    """Both sides of a law's instance; `law` says which, or `of` what a·a⁻¹ = 1 is."""

    left: int
    right: int
    law: Any = None
    of: int = -1


class Part(NamedTuple):
    """A number times the product of a term and a side of a relation."""

    number: Fraction
    relation: Relation
    factor: int
    spec: tuple[Indices, Indices, Indices]


@dataclass(frozen=True)
class _Candidate:
    """A relation times factors; `hole` are the indices of the relation among theirs."""

    relation: Relation
    factors: tuple[Factor, ...]
    hole: Indices
    out: Indices
    sizes: tuple[tuple[int, Any], ...]

    @property
    def key(self) -> object:
        """What it is known by."""
        return self.relation.left, self.relation.right, self.factors, self.hole, self.out


class Combinations(Arithmetic):
    """Arithmetic that finds out which relations make two terms equal."""

    def __init__(self, terms: Terms) -> None:
        """Begin without atoms."""
        super().__init__(terms)
        self._terms = terms

    def parts(self, before: int, after: int, relations: Iterable[Relation]) -> list[Part] | None:
        """A combination that is the difference of two terms; None where none was found."""
        try:
            wanted = self.difference(before, after)
            if len(wanted) > MONOMIALS:
                return None
            found = self._combined(wanted, [*relations]) if wanted else []
        except Refused:
            return None
        return None if found is None else [self._part(c, n) for c, n in found]

    def difference(self, left: int, right: int) -> Polynomial:
        """The difference of two terms, multiplied out."""
        return added([self.polynomial(left), times(-1, self.polynomial(right))])

    def _combined(
        self, wanted: Polynomial, relations: list[Relation]
    ) -> list[tuple[_Candidate, Fraction]] | None:
        """Elimination: the values of candidates in rows, each reduced by those before it."""
        numbers: dict[Monomial, int] = {}

        def numbered(p: Polynomial) -> Row:
            return {numbers.setdefault(m, len(numbers)): c for m, c in p.items()}

        rows: dict[int, tuple[Row, Row]] = {}
        tried: list[_Candidate] = []
        rest, used = numbered(wanted), Row()
        looked = 0
        for candidate, value in self._candidates(wanted, relations):
            row, made = numbered(value), {len(tried): ONE}
            tried.append(candidate)
            looked += _reduce(rows, row, made)
            if row:
                pivot = min(row)
                rows[pivot] = row, made
                looked += _reduce(rows, rest, used)
            if not rest or len(tried) == MOST or looked > ENTRIES:
                break
        return None if rest else [(tried[k], -n) for k, n in sorted(used.items()) if n]

    def _candidates(
        self, wanted: Polynomial, relations: list[Relation]
    ) -> Iterator[tuple[_Candidate, Polynomial]]:
        """Products in which monomials occur, those of what is wanted first, with their values."""
        queue = sorted(wanted, key=_rank)
        reached = {*queue}
        seen: set[object] = set()
        relations += self._reciprocals()
        for place, m in enumerate(queue):
            for r in relations:
                for c in self._ways(r, m, place < len(wanted)):
                    if c.key not in seen:
                        seen.add(c.key)
                        value = self._value(c)
                        new = sorted({*value} - reached, key=_rank)
                        reached |= {*new}
                        queue += new
                        yield c, value
            if len(queue) > MONOMIALS:
                return

    def divisors(self) -> list[int]:
        """Terms that are divided by."""
        needs = frozenset[object]().union(*self._needs.values())
        divided = {n[0] for n in needs if isinstance(n, tuple) and n[-1] == "divided by"}
        atoms = [a for a in range(len(self._names)) if a in divided]
        return [self.power_of(a, ONE) for a in atoms]

    def _reciprocals(self) -> Iterator[Relation]:
        """That a·a⁻¹ = 1, for the sums that are divided by."""
        make = self._terms.make
        for what in [*self._names]:
            match what:
                case ("sum", None, _, base):
                    a = self._sum(base)
                    axes = tuple(range(len(self._terms.dims(a))))
                    inverse = make("power", None, (a, self._terms.number(-ONE)))
                    one = self._terms.number(ONE, self._terms.dims(a))
                    yield Relation(make("einsum", (axes,) * 3, (a, inverse)), one, None, a)
                case _:
                    pass

    def _ways(self, r: Relation, m: Monomial, first: bool) -> Iterator[_Candidate]:
        """The products of a relation and other factors in which a monomial occurs."""
        factors, out, sizes = m
        dims = self._terms.dims(r.left)
        for piece in (*self.polynomial(r.left), *self.polynomial(r.right)):
            for left, names in _without(factors, piece[0], {}) if piece[0] else ():
                if all(i in names for i in piece[1]):
                    hole = tuple(names[i] for i in piece[1])
                    yield _candidate(r, left, hole, out, sizes)
        if not first or any(piece[0] for piece in self.polynomial(r.right)):
            return
        shown = [i for i in dict.fromkeys(out) if i != UNIT and out.count(i) == 1]
        if dims and len(dims) == 2 and r.law:
            for i in shown:
                if sizes[i] == dims[0]:
                    k = len(sizes)
                    moved = [(a, e, tuple(k if j == i else j for j in p)) for a, e, p in factors]
                    for hole in ((i, k), (k, i)):
                        yield _candidate(r, moved, hole, out, (*sizes, sizes[i]))
        elif tuple(sizes[i] for i in shown[: len(dims)]) == dims:
            yield _candidate(r, factors, tuple(shown[: len(dims)]), out, sizes)

    def _value(self, c: _Candidate) -> Polynomial:
        """The difference of both sides of a relation, times the factors."""
        sides = self.polynomial(c.relation.left), times(-1, self.polynomial(c.relation.right))
        sizes = dict(c.sizes)
        return added(self._product([(p, c.hole)], c.out, sizes, c.factors) for p in sides)

    # Terms of polynomials ------------------------------------------------------------------

    def term(self, p: Polynomial) -> int:
        """A term of a polynomial."""
        return self._sum(p.items())

    def on(self, p: Polynomial, kept: Indices) -> Polynomial:
        """A polynomial on some of its axes."""
        return added(self._on(m, c, kept) for m, c in p.items())

    def multiplied(self, p: Polynomial, factors: Sequence[Factor], dims: Dims) -> Polynomial:
        """A polynomial times factors, on its axes."""
        axes = tuple(range(len(dims)))
        return self._product([(p, axes)], axes, dict(enumerate(dims)), factors)

    def _part(self, c: _Candidate, number: Fraction) -> Part:
        names = tuple(dict.fromkeys((*c.out, *c.hole)))
        factor = self._term(c.factors, names, dict(c.sizes))
        return Part(number, c.relation, factor, (names, c.hole, c.out))

    def _sum(self, p: Iterable[tuple[Monomial, Fraction]]) -> int:
        """A term of a polynomial."""
        wanted, found = dict(p), None
        for t, known in self._done.items() if wanted else ():
            if known == wanted:
                return t
        for (factors, out, sizes), c in sorted(wanted.items(), key=lambda term: _rank(term[0])):
            t = self._term(factors, out, dict(enumerate(sizes)))
            t = t if c == 1 else self._terms.times(self._terms.number(c), t)
            found = t if found is None else self._terms.make("add", None, (found, t))
        if found is None:
            raise Refused("a sum without summands")
        return found

    def _term(self, factors: Iterable[Factor], out: Indices, sizes: Mapping[int, Any]) -> int:
        """A term of a product."""
        make, size = self._terms.make, {UNIT: 1, **sizes}
        shown: list[int] = []
        placed = [(self.power_of(a, e), part) for a, e, part in factors]
        for i in out:
            j = max((*size, *shown)) + 1 if i in shown else i
            if i in shown:
                size[j] = size[i]
                placed.append((make("delta", None, (), (size[i], size[i])), (i, j)))
            shown.append(j)
        used = {i for _, part in placed for i in part}
        ones = [(self._terms.number(ONE, (size[i],)), (i,)) for i in shown if i not in used]
        placed += ones or ([] if placed else [(self._terms.number(ONE), ())])
        (whole, names), *more = placed
        for t, part in more:
            joined = tuple(dict.fromkeys((*names, *part)))
            whole = make("einsum", renumbered((names, part, joined)), (whole, t))
            names = joined
        return whole if names == (*shown,) else make("einsum", renumbered((names, shown)), (whole,))

    def power_of(self, atom: int, exponent: Fraction) -> int:
        """A term of a power of an atom."""
        make = self._terms.make
        op, data, dims, *parts = self._names[atom]
        args = tuple(map(self._sum, parts))
        t = args[0] if op == "sum" else make(op, data, args, dims)
        if exponent == 1:
            return t
        return make("power", None, (t, self._terms.number(exponent)))


def _rank(m: Monomial) -> tuple[Any, ...]:
    return m[0], m[1], tuple(map(str, m[2]))


def _candidate(
    r: Relation, factors: Iterable[Factor], hole: Indices, out: Indices, sizes: Sequence[Any]
) -> _Candidate:
    powers: dict[tuple[int, Indices], Fraction] = {}
    for a, e, part in factors:
        powers[a, part] = powers.get((a, part), Fraction(0)) + e
    kept = tuple(sorted((a, e, part) for (a, part), e in powers.items() if e))
    used = {*hole, *out, *(i for _, _, part in kept for i in part)}
    return _Candidate(r, kept, hole, out, tuple((i, d) for i, d in enumerate(sizes) if i in used))


def _without(
    factors: tuple[Factor, ...], pattern: tuple[Factor, ...], names: dict[int, int]
) -> Iterator[tuple[tuple[Factor, ...], dict[int, int]]]:
    """Ways to take the factors of a pattern away, with the names of its indices."""
    if not pattern:
        yield factors, names
        return
    atom, wanted, part = pattern[0]
    for k, (a, e, indices) in enumerate(factors):
        if a != atom or (e != wanted and (e - wanted) * wanted < 0):
            continue
        known = {UNIT: UNIT, **names}
        if all(known.setdefault(i, j) == j for i, j in zip(part, indices, strict=True)):
            left = ((a, e - wanted, indices),) if e != wanted else ()
            yield from _without(factors[:k] + left + factors[k + 1 :], pattern[1:], known)


def _reduce(rows: Mapping[int, tuple[Row, Row]], row: Row, made: Row) -> int:
    """Take multiples of rows away, and what these are made of from what the row is made of.

    Returns how many entries were looked at.
    """
    looked = 0
    waiting = [m for m in row if m in rows]
    while waiting:
        m = waiting.pop()
        if m in row:
            other, of = rows[m]
            c = -row[m] / other[m]
            looked += len(other) + len(of)
            _add(row, c, other)
            _add(made, c, of)
            waiting += [n for n in other if n in rows and n in row]
    return looked


def _add(row: Row, number: Fraction, other: Row) -> None:
    for m, c in other.items():
        total = row.get(m, 0) + number * c
        if total:
            row[m] = total
        else:
            row.pop(m, None)
