"""Upper bounds of second derivatives along a line: numbers times the square of the direction.

A second derivative is a sum of products that are quadratic in the direction. Of each square it is
asked what its factor, which depends on the point, is at most; squares with constant factors are
bounded by eigenvalues. A bound comes with a form of the difference that facts show to be
nonnegative: a bound of a factor is guessed from values, and a form is looked for that shows it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations, count
from math import ceil
from typing import Final, NamedTuple

import numpy as np

from eggrad.engine.equality.curvature import find_properties, in_variables
from eggrad.engine.indices.spec import Dims, Indices, Size, canonical, hadamard, scaling
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.laws.properties import (
    AFFINE,
    CONSTANT,
    DEFINITE,
    NONNEGATIVE,
    POSITIVE,
    SEMIDEFINITE,
    SYMMETRIC,
)
from eggrad.engine.networks.networks import Placed, scaled
from eggrad.engine.oracle.oracle import evaluate
from eggrad.engine.saturation.schedule import Budget
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.assumptions import ASSUMPTIONS, drawn
from eggrad.engine.terms.binding import Array, concrete, symbols
from eggrad.engine.terms.term import Term, is_multiple, postorder, rebuild, variables
from eggrad.engine.terms.term_patterns import entry_by_entry, substituted

ONE: Final = terms.constant(1)
HALF: Final = Fraction(1, 2)
# Values at which factors are looked at: on a line, and of tensors by their scales.
LINE: Final = np.concatenate([[0.0], *(s * np.geomspace(1e-3, 60, 4000) for s in (1, -1))])
SCALES: Final = (0.3, 1.0, 3.0, 10.0, 100.0)
ZOOMS: Final = 3
DRAWS: Final = 20
CLOSE: Final = 1e-6
# Products that a second derivative may have.
MOST: Final = 200
# How deep its products may be in each other.
DEPTH: Final = 100
# Summands of a sum whose square is bounded by theirs.
SUMMANDS: Final = 4
LARGE: Final = 1e6


class _OpenBound(Exception):
    """No bound was found."""


@dataclass(frozen=True)
class Bound:
    """A number as multiples of scalars, and terms that are nonnegative.

    A second derivative along x', times the `sign`, is the number times x'·x', less these terms.
    """

    sign: int
    number: Mapping[Term, Fraction]
    rest: tuple[Term, ...]


@dataclass(frozen=True)
class _Product:
    """`number` times the sum over all indices of the product of factors."""

    number: Fraction
    factors: tuple[Placed, ...]


@dataclass(frozen=True)
class _Square:
    """A tensor, what the product of two of it is multiplied by, and the factors of one."""

    root: Term
    rest: _Product
    half: Sequence[Placed]


def upper_bound(
    system: System,
    second: Term,
    along: Mapping[Term, Term],
    sign: int = 1,
    budget: Budget | None = None,
    *,
    least: bool = False,
) -> Bound | None:
    """What a second derivative along directions, times a sign, is at most, if that is found.

    `along` has the direction of each variable. A square with a factor below 0 is at most 0, or,
    with `least`, that factor times the least eigenvalue of the square.
    """
    bounds = _Bounds(system, along, budget, least)
    try:
        return bounds.of(second, sign)
    except _OpenBound:
        return None


def as_term(number: Mapping[Term, Fraction]) -> Term:
    """A sum of multiples of scalars."""
    parts = [terms.constant(c) if t is ONE else scaled(c, t) for t, c in number.items() if c]
    return reduce(terms.add, parts) if parts else terms.constant(0)


def greatest(bounds: Sequence[Bound]) -> Mapping[Term, Fraction]:
    """Multiples of scalars that are nonnegative, no less than those of some bounds."""
    every = dict.fromkeys(t for b in bounds for t in b.number)
    return {t: max(b.number.get(t, Fraction(0)) for b in bounds) for t in every}


def product(a: Term, b: Term) -> Term:
    """A scalar times a scalar."""
    if a.op == "constant":
        return scaled(a.value, b)
    return terms.einsum(",->", a, b)


def length(xs: Collection[Term]) -> Term:
    """The sum of the squares of all entries."""
    axes = [tuple(range(x.order)) for x in xs]
    squares = [terms.einsum(canonical([a, a], ()), x, x) for a, x in zip(axes, xs, strict=True)]
    return reduce(terms.add, squares)


class _Kind(NamedTuple):
    """Whether a term has directions in it, is linear in them, and depends on the variables.

    `depth` is how deep products are in each other.
    """

    turns: bool
    is_linear: bool
    moves: bool
    depth: int


@dataclass
class _Bounds:
    """The search for a bound."""

    system: System
    along: Mapping[Term, Term]
    budget: Budget | None
    least: bool
    sizes: dict[int, Size] = field(default_factory=dict[int, Size])
    rest: list[Term] = field(default_factory=list[Term])
    knowledge: Knowledge = field(init=False)
    kinds: dict[Term, _Kind] = field(default_factory=dict[Term, _Kind])
    numbers: dict[Term, dict[Term, Fraction]] = field(
        default_factory=dict[Term, dict[Term, Fraction]]
    )

    def __post_init__(self) -> None:
        """Know nothing yet."""
        self.knowledge = Knowledge(self.system.strategy.rulesets)

    def of(self, second: Term, sign: int) -> Bound:
        """The bound of a term, times a sign."""
        groups: dict[Term, list[_Product]] = {}
        steady: list[_Product] = []
        for p in self.collected(self.read(_without_differences(second), Fraction(sign))):
            if any(self.moves(t) for t, _ in p.factors):
                root, rest = self.square(p)
                groups.setdefault(root, []).append(rest)
            else:
                steady.append(p)
        for p in steady:
            square = next((q for q in self.squares(p) if q.root in groups), None)
            if square is None:
                self.bound_steady(p)
            else:
                groups[square.root].append(square.rest)
        for root, products in groups.items():
            self.bound_square(root, products)
        return self.joint(sign)

    def joint(self, sign: int) -> Bound:
        """One bound for all directions."""
        each = [self.numbers.get(d, {}) for d in self.along.values()]
        found = {
            t: max(n.get(t, Fraction(0)) for n in each)
            for t in dict.fromkeys(chain.from_iterable(each))
        }
        if len(each) > 1 and not all(self.knows(NONNEGATIVE, t) for t in found):
            raise _OpenBound
        for d, number in zip(self.along.values(), each, strict=True):
            left = {t: c - number.get(t, Fraction(0)) for t, c in found.items()}
            if any(left.values()):
                self.rest.append(product(as_term(left), length([d])))
        return Bound(sign, found, tuple(self.rest))

    # Reading.

    def read(self, t: Term, number: Fraction = Fraction(1)) -> list[_Product]:
        """A scalar as a sum of products."""
        if self.kind(t).depth > DEPTH:
            raise _OpenBound
        return [_Product(number * c, tuple(f)) for c, f in self.summands(t, ())]

    def collected(self, products: Iterable[_Product]) -> list[_Product]:
        """Products, those with the same factors as one."""
        found: dict[Term, _Product] = {}
        for p in products:
            key = self.contracted(p.factors, ())
            number = p.number + (found[key].number if key in found else 0)
            found[key] = _Product(number, p.factors)
        return [p for p in found.values() if p.number]

    def fresh(self, size: Size) -> int:
        """A new index."""
        self.sizes[len(self.sizes)] = size
        return len(self.sizes) - 1

    def summands(self, t: Term, part: Indices) -> list[tuple[Fraction, list[Placed]]]:
        """A term on some indices as a sum of products; sums without directions stay together."""
        kind = self.kind(t)
        match t.op:
            case "add" if kind.turns and not kind.is_linear:
                return [(n * c, f) for n, a in _summands(t) for c, f in self.summands(a, part)]
            case "constant":
                ones = [(terms.constant(1, t.dims), part)] if part else []
                return [(t.value, ones)]
            case "einsum":
                *inner, out = t.spec
                names = dict(zip(out, part, strict=True))
                for a, indices in zip(t.args, inner, strict=True):
                    for i, d in zip(indices, a.dims, strict=True):
                        if i not in names:
                            names[i] = self.fresh(d)
                found = [
                    self.summands(a, tuple(names[i] for i in indices))
                    for a, indices in zip(t.args, inner, strict=True)
                ]
                return _multiplied(found)
            case "divide" if not self.turns(t.args[1]):
                upper, lower = t.args
                below = terms.power(lower, terms.constant(-1))
                placed: list[Placed] = [(below, part if lower.dims else ())]
                return _multiplied(
                    [self.summands(upper, part if upper.dims else ()), [(Fraction(1), placed)]]
                )
            case "power" if kind.turns and t.args[1] is terms.constant(2):
                return _multiplied([self.summands(t.args[0], part) for _ in range(2)])
            case _:
                if kind.turns and not kind.is_linear:
                    raise _OpenBound
                return [(Fraction(1), [(t, part)])]

    def kind(self, t: Term) -> _Kind:
        """What is known of a term, worked out once."""
        known, directions = self.kinds, {*self.along.values()}
        for a in postorder(t, operands=lambda a: () if a in known else a.args):
            if a not in known:
                parts = [known[b] for b in a.args]
                turning = [k for k in parts if k.turns]
                steady = [k for k in parts if not k.turns]
                ways = len(parts) if a.op == "add" else 1
                linear = (
                    a.op in ("add", "einsum")
                    and len(turning) == ways
                    and all(k.is_linear for k in turning)
                    and not any(k.moves for k in steady)
                )
                known[a] = _Kind(
                    bool(turning) or a in directions,
                    linear or a in directions,
                    any(k.moves for k in parts) or a in self.along,
                    max((k.depth for k in parts), default=0) + (a.op != "add"),
                )
        return known[t]

    def turns(self, t: Term) -> bool:
        """Whether a term has directions in it."""
        return self.kind(t).turns

    def moves(self, t: Term) -> bool:
        """Whether a term depends on the variables."""
        return self.kind(t).moves

    def knows(self, p: str, t: Term) -> bool:
        """Whether facts show a property of a term as it stands."""
        return self.knowledge.knows(p, t)

    # Squares.

    def contracted(self, factors: Sequence[Placed], out: Indices) -> Term:
        """The product of some factors, in an order that depends on what they are alone."""
        left = _ordered(factors)
        if not left:
            return ONE
        whole, part = left.pop(0)
        while left:
            k = next((k for k, (_, p) in enumerate(left) if {*p} & {*part}), 0)
            t, other = left.pop(k)
            needed = {*out}.union(*(p for _, p in left))
            kept = tuple(i for i in dict.fromkeys((*part, *other)) if i in needed)
            whole, part = terms.einsum(canonical([part, other], kept), whole, t), kept
        return whole if part == out else terms.einsum(canonical([part], out), whole)

    def square(self, p: _Product) -> tuple[Term, _Product]:
        """A product as the square of what is linear in a direction, and what it is multiplied by.

        The square is of a tensor that does not depend on the variables, if there is one.
        """
        found = [(q.root, q.rest) for q in self.squares(p)]
        if not found:
            raise _OpenBound
        return next(((v, r) for v, r in found if not self.moves(v)), found[0])

    def squares(self, p: _Product) -> Iterator[_Square]:
        """All ways to see a product as a square; in the rest its axes are -1, -2, and so on."""
        ends = [k for k, (t, _) in enumerate(p.factors) if _turns(t)]
        if len(ends) != 2:
            raise _OpenBound
        first, second = ends
        moving = frozenset(i for t, part in p.factors if self.moves(t) for i in part)
        shared = frozenset(p.factors[first][1]) & frozenset(p.factors[second][1])
        single = [frozenset({i}) for i in sorted({i for _, part in p.factors for i in part})]
        cuts = [moving, *(moving | s for s in single), moving | shared, frozenset[int](), *single]
        for cut in dict.fromkeys(cuts):
            halves = [self.piece(p.factors, k, cut) for k in ends]
            if second in halves[0]:
                continue
            placed = [_ordered([p.factors[k] for k in half]) for half in halves]
            outs = [
                tuple(i for i in dict.fromkeys(i for _, q in half for i in q) if i in cut)
                for half in placed
            ]
            root, other = (self.contracted(*h) for h in zip(placed, outs, strict=True))
            if root is other and outs[0] == outs[1]:
                names = {i: -1 - k for k, i in enumerate(outs[0])}
                every = [(t, tuple(names.get(i, i) for i in q)) for t, q in p.factors]
                left = [f for k, f in enumerate(every) if k not in {*halves[0], *halves[1]}]
                half = [f for k, f in enumerate(every) if k in halves[0]]
                yield _Square(root, _Product(p.number, tuple(left)), half)

    def piece(self, factors: Sequence[Placed], start: int, cut: frozenset[int]) -> set[int]:
        """The places of what is connected with a factor by indices that are not cut."""
        found, seen = {start}, {*factors[start][1]} - cut
        while True:
            new = {k for k, (_, p) in enumerate(factors) if seen & {*p}} - found
            if not new:
                return found
            found |= new
            seen |= {i for k in new for i in factors[k][1]} - cut

    def pieces(self, factors: Sequence[Placed], cut: frozenset[int]) -> list[list[Placed]]:
        """The parts of a product that no index but those that are cut connects."""
        left, found = dict.fromkeys(range(len(factors))), list[list[Placed]]()
        while left:
            here = self.piece(factors, next(iter(left)), cut)
            found.append([factors[k] for k in sorted(here)])
            for k in here:
                del left[k]
        return found

    def bound_square(self, root: Term, products: Sequence[_Product]) -> None:
        """Bound the square of a tensor, entry by entry times a sum of products."""
        axes = tuple(-1 - k for k in range(root.order))
        by_weight: dict[tuple[Placed, ...], list[tuple[Fraction, list[Placed]]]] = {}
        for p in products:
            moving: list[Placed] = []
            steady: dict[bool, list[Placed]] = {False: [], True: []}
            for part in self.pieces(p.factors, frozenset(axes)):
                stays = not any(self.moves(t) for t, _ in part)
                (steady[_meets(part, {*axes})] if stays else moving).extend(part)
            number, weights = p.number, list[Placed]()
            for factors in steady.values():
                out = tuple(i for i in axes if _meets(factors, {i}))
                weight = self.simple(self.contracted(factors, out))
                if weight.op == "constant":
                    number *= weight.value
                elif self.knows(NONNEGATIVE, weight):
                    weights.append((weight, out))
                else:
                    raise _OpenBound
            by_weight.setdefault(tuple(weights), []).append((number, moving))
        for weights, summands in by_weight.items():
            here = tuple(i for i in axes if any(_meets(f, {i}) for _, f in summands))
            each = (scaled(c, self.spread(f, here, root.dims)) for c, f in summands)
            factor = reduce(terms.add, each)
            if self.moves(root):
                most, less = Fraction(0), self.shown(scaled(Fraction(-1), factor))
            else:
                most, less = self.most(factor)
            if less is not None:
                self.rest.append(self.weighted(root, [*weights, (less, here)]))
            if most:
                for p in self.read(self.weighted(root, weights), most):
                    self.bound_steady(p)

    def spread(self, factors: Sequence[Placed], out: Indices, dims: Dims) -> Term:
        """A product on some axes of a square, repeated along those that none of its factors has."""
        present = {i for _, part in factors for i in part}
        missing = tuple(i for i in out if i not in present)
        if missing:
            ones = terms.constant(1, tuple(dims[-1 - i] for i in missing))
            factors = [*factors, (ones, missing)]
        return self.contracted(factors, out)

    def weighted(self, root: Term, weights: Iterable[Placed]) -> Term:
        """The sum of a tensor's squares, each with a weight."""
        axes = tuple(-1 - k for k in range(root.order))
        whole = terms.einsum(canonical([axes, axes], axes), root, root)
        for t, part in weights:
            if t is not ONE:
                whole = terms.einsum(canonical([part, axes], axes), t, whole)
        return terms.einsum(canonical([axes], ()), whole) if axes else whole

    def simple(self, t: Term) -> Term:
        """A simpler form."""
        return t if t is ONE else self.system.simplify([t], self.budget).term

    def shown(self, t: Term) -> Term:
        """A form that facts show to be nonnegative."""
        found = find_properties(self.system, t, (NONNEGATIVE,), self.budget)
        if found.form is None:
            raise _OpenBound
        return found.form

    # Factors that depend on the variables.

    def most(self, factor: Term) -> tuple[Fraction, Term | None]:
        """What a factor is at most, and what it is less than that, if it is no number."""
        if factor.op == "constant":
            return factor.value, None
        moved, places = self.by_places(factor)
        found = self.most_at_once(moved)
        if found is None:
            most, less = Fraction(0), list[Term]()
            for number, t in _summands(moved):
                sign = 1 if number > 0 else -1
                part = self.most_at_once(scaled(Fraction(sign), t))
                if part is None:
                    raise _OpenBound
                most += abs(number) * part[0]
                less.append(scaled(abs(number), part[1]))
            found = most, reduce(terms.add, less)
        return found[0], substituted(found[1], places)

    def by_places(self, t: Term) -> tuple[Term, dict[Term, Term]]:
        """A term with variables in place of what is affine in it, and what these stand for."""
        if len(variables(t)) == 1 and entry_by_entry(t) is not None:
            return t, {}
        known = Knowledge(self.system.strategy.rulesets, in_variables(t, [*self.along]))
        names, places = count(), dict[Term, Term]()
        taken = {v.name for v in variables(t)}

        def new(a: Term) -> Term:
            name = next(n for n in (f"z{k}" for k in names) if n not in taken)
            words = [w for w in (POSITIVE, NONNEGATIVE) if known.knows(w, a)]
            return terms.variable(name, a.dims, words)

        def below(a: Term) -> tuple[Term, ...]:
            return () if known.knows(AFFINE, a) else a.args

        for a in postorder(t, operands=below):
            if known.knows(AFFINE, a) and not known.knows(CONSTANT, a):
                places[a] = new(a)
        return substituted(t, places), {z: a for a, z in places.items()}

    def most_at_once(self, t: Term) -> tuple[Fraction, Term] | None:
        """What a term is at most, found for all of its summands together."""
        if t.op == "constant":
            return t.value, terms.constant(0, t.dims)
        alone = entry_by_entry(t)
        if alone is not None:
            words = {
                terms.variable(v.name): terms.variable(v.name, (), _of_entries(v))
                for v in variables(t)
            }
            alone = substituted(alone, words)
        asked = t if alone is None else alone
        highest = _highest(asked)
        for most in _short(highest) if highest is not None else ():
            gap = terms.subtract(terms.constant(most, asked.dims), asked)
            found = find_properties(self.system, gap, (NONNEGATIVE,), self.budget)
            if found.form is not None:
                return most, found.form if alone is None else _of_tensors(found.form, t)
        return None

    # Squares whose factors are constant.

    def add(self, direction: Term, number: Fraction, t: Term) -> None:
        """Add a multiple of a scalar to what is multiplied by the square of a direction."""
        if t.op == "constant":
            number, t = number * t.value, ONE
        elif is_multiple(t):
            number, t = number * t.args[0].value, t.args[1]
        known = self.numbers.setdefault(direction, {})
        known[t] = known.get(t, Fraction(0)) + number

    def bound_steady(self, p: _Product) -> None:
        """Bound a product that is quadratic in one direction and constant otherwise."""
        ends = [f for f in p.factors if _turns(f[0])]
        if len(ends) != 2 or ends[0][0] is not ends[1][0]:
            raise _OpenBound
        if ends[0][0] not in self.along.values():
            self.bound_sum(p, ends)
            return
        (d, a), (_, b) = ends
        rest = [f for f in p.factors if f[0] is not d]
        parts = self.pieces(rest, frozenset())
        outside = [f for part in parts if not _meets(part, {*a, *b}) for f in part]
        inside = [f for part in parts if _meets(part, {*a, *b}) for f in part]
        weight = self.simple(self.contracted(outside, ()))
        if weight.op != "constant" and not self.knows(NONNEGATIVE, weight):
            raise _OpenBound
        if a == b and not inside:
            self.add(d, p.number, weight)
            return
        at = [k for k in range(d.order) if a[k] != b[k] or _meets(inside, {a[k]})]
        if len(at) != 1:
            raise _OpenBound
        (k,) = at
        whole = self.matrix(inside, a[k], b[k])
        value, less = self.bounded(whole, p.number > 0)
        if value is not None:
            self.add(d, abs(p.number), product(weight, value))
        axes = tuple(range(d.order))
        after = (*axes[:k], d.order, *axes[k + 1 :])
        half = terms.einsum(canonical([axes, (k, d.order)], after), d, less)
        form = terms.einsum(canonical([axes, axes], ()), half, d)
        self.rest.append(product(weight, scaled(abs(p.number), form)))

    def bound_sum(self, p: _Product, ends: Sequence[Placed]) -> None:
        """Bound the square of a sum, by as many times the squares of its summands."""
        (root, a), (_, b) = ends
        names = {i: -1 - k for k, i in enumerate(a)}
        rest = [(t, tuple(names.get(i, i) for i in part)) for t, part in p.factors if t is not root]
        out = tuple(i for i in names.values() if _meets(rest, {i}))
        weight = self.contracted(rest, out)
        if a != b or (rest and not self.knows(NONNEGATIVE, weight)):
            raise _OpenBound
        if p.number < 0 and not self.least:
            self.rest.append(scaled(-p.number, self.weighted(root, [(weight, out)])))
            return
        summands = [scaled(c, t) for c, t in _summands(root)]
        if p.number < 0 or len(summands) > SUMMANDS:
            raise _OpenBound
        for first, second in combinations(summands, 2):
            gap = terms.add(first, scaled(Fraction(-1), second))
            self.rest.append(scaled(p.number, self.weighted(gap, [(weight, out)])))
        for t in summands:
            for q in self.read(self.weighted(t, [(weight, out)]), len(summands) * p.number):
                self.bound_steady(q)

    def matrix(self, factors: Sequence[Placed], i: int, j: int) -> Term:
        """A matrix with two indices, diagonal if they are the same: a'·a, or a'·diag(b)·a."""
        if i == j:
            return _diagonal(self.contracted(factors, (i,)))
        end = terms.variable("'", (self.sizes[i],))
        p = _Product(Fraction(1), (*factors, (end, (i,)), (end, (j,))))
        for square in self.squares(p):
            axes = tuple(-1 - k for k in range(square.root.order))
            (last,) = (f[1][0] for f in square.half if f[0] is end)
            weight = [f for f in square.rest.factors if f[0] is not end]
            if last not in axes and len(axes) <= 1:
                half = [f for f in square.half if f[0] is not end]
                root = self.contracted(half, (*axes, last))
                middle = _diagonal(self.contracted(weight, axes)) if weight else None
                return _gram(root, middle)
        return self.contracted(factors, (i, j))

    def bounded(self, whole: Term, is_above: bool) -> tuple[Term | None, Term]:
        """What a matrix, or else its opposite, is at most, and how much less it is.

        Of the opposite of a semidefinite matrix it is 0, or the least eigenvalue is asked for.
        """
        if not self.knows(SYMMETRIC, whole):
            whole = scaled(HALF, terms.add(whole, terms.einsum("ij->ji", whole)))
        is_semidefinite = self.knows(SEMIDEFINITE, whole)
        of_rank_one = whole.op == "einsum" and whole.args[0].order == 1
        least = self.least or self.knows(DEFINITE, whole)
        if not is_above and is_semidefinite and (of_rank_one or not least):
            return None, whole
        if is_above and of_rank_one:
            value, way = terms.einsum("i,i->", *whole.args), -1
        else:
            value, way = terms.numeric("eigenvalues", whole), -1 if is_above else 1
            if not is_semidefinite and not least:
                value, is_above = terms.apply("abs", value), True
            value = terms.numeric("max" if is_above else "min", value, data=((0,), ()))
        bound = terms.einsum(",ij->ij", value, terms.delta(whole.dims[:1]))
        if is_above:
            return value, terms.add(bound, scaled(Fraction(way), whole))
        return scaled(Fraction(-1), value), terms.add(whole, scaled(Fraction(-1), bound))


def _diagonal(vector: Term) -> Term:
    return terms.einsum("ij,i->ij", terms.delta(vector.dims), vector)


def _gram(root: Term, middle: Term | None) -> Term:
    """r'·r or r'·m·r of a matrix, or r·r' of a vector."""
    if root.order == 1:
        return terms.einsum("i,j->ij", root, root)
    if middle is None:
        return terms.einsum("ki,kj->ij", root, root)
    return terms.einsum("ik,kj->ij", terms.einsum("ki,kj->ij", root, middle), root)


def _meets(factors: Iterable[Placed], indices: set[int]) -> bool:
    return any(indices & {*part} for _, part in factors)


def _turns(t: Term) -> bool:
    """Whether a term has directions in it: no text has such names."""
    return any(v.name.endswith("'") for v in variables(t))


def _ordered(factors: Iterable[Placed]) -> list[Placed]:
    return sorted(factors, key=lambda f: (not _turns(f[0]), repr(f[0])))


def _multiplied(
    factors: Sequence[Sequence[tuple[Fraction, list[Placed]]]],
) -> list[tuple[Fraction, list[Placed]]]:
    """The product of sums of products, multiplied out."""
    found: list[tuple[Fraction, list[Placed]]] = [(Fraction(1), [])]
    for summands in factors:
        found = [(c * d, [*f, *g]) for c, f in found for d, g in summands]
        if len(found) > MOST:
            raise _OpenBound
    return found


def _without_differences(t: Term) -> Term:
    """A term with sums of multiples for differences, as facts speak of it."""
    done: dict[Term, Term] = {}
    for a in postorder(t):
        args = tuple(done[b] for b in a.args)
        match a.op:
            case "subtract":
                done[a] = terms.add(args[0], scaled(Fraction(-1), args[1]))
            case "negate":
                done[a] = scaled(Fraction(-1), args[0])
            case _:
                done[a] = rebuild(a, args)
    return done[t]


def _summands(t: Term) -> Iterator[tuple[Fraction, Term]]:
    """The summands of a term, multiples taken apart."""
    stack = [(Fraction(1), t)]
    while stack:
        number, a = stack.pop()
        if a.op == "add":
            stack += [(number, b) for b in reversed(a.args)]
        elif is_multiple(a):
            stack.append((number * a.args[0].value, a.args[1]))
        else:
            yield number, a


def _of_tensors(form: Term, t: Term) -> Term:
    """A term of scalars with the variables of another in their place, entry by entry."""
    done: dict[Term, Term] = {}
    ones, spec = terms.constant(1, t.dims), scaling(t.order)
    places = {v.name: v if v.dims else terms.einsum(spec, v, ones) for v in variables(t)}
    for a in postorder(form):
        args = tuple(done[b] for b in a.args)
        match a.op:
            case "variable":
                done[a] = places[a.name]
            case "constant":
                done[a] = terms.constant(a.value, t.dims)
            case "einsum" if is_multiple(a):
                done[a] = scaled(a.args[0].value, args[1])
            case "einsum":
                done[a] = terms.einsum(hadamard(t.order), *args)
            case "power":
                done[a] = terms.power(args[0], a.args[1])
            case _:
                done[a] = rebuild(a, args)
    return done[form]


def _highest(t: Term) -> float | None:
    """The greatest value of a term that is seen, None where it has none or is unbounded."""
    moved = variables(t)
    if not t.dims and [v.dims for v in moved] == [()]:
        highest = _highest_on_line(_of_tensors(t, terms.variable(moved[0].name, ("z",))), moved[0])
    else:
        highest = max((_greatest(t, *point) for point in _points(t, moved)), default=-np.inf)
    return highest if abs(highest) < LARGE else None


def _of_entries(v: Term) -> tuple[str, ...]:
    """What is declared of each entry of a variable."""
    return tuple(w for w in v.assumed if ASSUMPTIONS[w].axes == "any")


def _highest_on_line(t: Term, x: Term) -> float:
    """The greatest entry of a function of each entry of a vector."""
    places, highest = LINE, -np.inf
    for _ in range(ZOOMS):
        places = drawn(x.assumed, places, np.random.default_rng(0))
        if places is None:
            return -np.inf
        seen = evaluate([t], {x.name: places})[0]
        seen = np.where(np.isfinite(seen), seen, -np.inf)
        order = np.argsort(places)
        k = int(np.argmax(seen[order]))
        ends = places[order][[max(k - 1, 0), min(k + 1, len(places) - 1)]]
        highest = float(seen.max())
        places = np.linspace(float(ends[0]), float(ends[1]), 401)
    return highest


def _greatest(t: Term, values: Mapping[str, Array], sizes: Mapping[str, int]) -> float:
    seen = evaluate([t], values, sizes)[0]
    return float(seen[np.isfinite(seen)].max(initial=-np.inf))


def _points(
    t: Term, moved: Sequence[Term]
) -> Iterator[tuple[Mapping[str, Array], Mapping[str, int]]]:
    names = symbols(t, *moved)
    for k in range(DRAWS):
        rng = np.random.default_rng(k)
        sizes = {s: 1 + (j + k) % 3 for j, s in enumerate(names)}
        for scale in SCALES:
            values: dict[str, Array] = {}
            for v in moved:
                found = drawn(v.assumed, scale * rng.normal(size=concrete(v.dims, sizes)), rng)
                if found is not None:
                    values[v.name] = found
            if len(values) == len(moved):
                yield values, sizes


def _short(value: float) -> list[Fraction]:
    """Short numbers that are about a value, and some that are above it."""
    near = [Fraction(value).limit_denominator(d) for d in (1, 8, 64)]
    close = [n for n in near if abs(float(n) - value) <= CLOSE * (1 + abs(value))]
    above = [Fraction(ceil(value * d), d) for d in (20, 2, 1)]
    return [*dict.fromkeys([*close[:1], *above])]
