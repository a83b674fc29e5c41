"""Relations between the atoms of normal forms: p·p⁻¹ = 1, p·inv(p) = δ, i² = -1.

What conditions say of indices comes first.

With p = l + r and a leading monomial l, a product in which p⁻¹ meets l is rewritten by
l·p⁻¹ = 1 - r·p⁻¹. Leading monomials have the highest degree, so this ends. In the same way
l·inv(p) = δ - r·inv(p). Where the inverse of what l ends with is there as well, r goes first:
x⁻¹·r·inv(p) = x⁻¹ - x⁻¹·l·inv(p), in which x⁻¹ meets l.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import floor
from typing import cast

from eggrad.engine.indices.affine import is_simple, size_form
from eggrad.engine.indices.linear_combinations import exact
from eggrad.engine.indices.spec import Indices, Size
from eggrad.engine.laws.properties import ORTHOGONAL, PROBABILITY
from eggrad.engine.networks.networks import connected_order, matched
from eggrad.engine.normal_forms.functions import class_of_argument, leading, power
from eggrad.engine.normal_forms.indicators import settled
from eggrad.engine.normal_forms.networks import UNIT, Factor, Monomial, Number, pieces, raised
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials
from eggrad.engine.normal_forms.signs import is_nonnegative, is_unit


@dataclass(frozen=True)
class _Place:
    """A factor of a monomial to which a relation may apply, and the rest of the monomial."""

    forms: Polynomials
    monomial: Monomial
    factor: Factor
    rest: Sequence[Factor]

    @property
    def sizes(self) -> dict[int, Size]:
        """The sizes of the indices of the monomial."""
        return dict(enumerate(self.monomial.sizes))

    @property
    def argument(self) -> dict[Monomial, Number]:
        """The polynomial that the factor is a function of."""
        return dict(self.forms.atoms.function(self.factor.atom)[1])

    def raised(self, exponent: Number) -> list[Factor]:
        """The factor to another exponent."""
        return [self.factor._replace(exponent=exact(exponent))] if exponent else []

    def product(
        self,
        factors: Sequence[Factor],
        *operands: tuple[Polynomial, Indices],
        sizes: Mapping[int, Size] | None = None,
    ) -> Polynomial:
        """Some factors times polynomials on some indices, with the output of the monomial."""
        used = self.sizes if sizes is None else sizes
        return self.forms.contract(operands, self.monomial.out, used, factors)


def _inverted(at: _Place) -> Polynomial | None:
    """Use l·inv(p) = δ - r·inv(p), or the same from the right."""
    base, part = at.argument, at.factor.part
    if not base:
        # Zero has no inverse that a relation could be about.
        return None
    first = leading(base, at.forms.least)
    others = {m: c for m, c in base.items() if m != first}
    patterns = [first, *([leading(others, at.forms.least)] if others else [])]
    for pattern, near in product(patterns, (0, 1)):
        inner, outer = part[near], part[1 - near]
        if UNIT in (inner, outer):
            return None
        for end, left in _meets(at, pattern, inner, near):
            busy = {*at.monomial.out, outer, *(i for f in left for i in f.part)}
            if end != inner and inner in busy:
                continue
            if pattern is first or _cancels(at.forms, left, first, (near, end)):
                return _cancelled(at, left, pattern, near, end)
    return None


def _cancels(
    forms: Polynomials, left: Sequence[Factor], first: Monomial, ends: tuple[int, int]
) -> bool:
    """Whether the inverse of the factor that a leading monomial ends with is at an index."""
    near, end = ends
    last = {f.atom for f in first.factors if len(f.part) == 2 and f.part[near] == first.out[near]}
    for f in left:
        if forms.atoms.kind(f.atom) == "inv" and f.part[1 - near] == end:
            inverse_of = forms.atoms.function(f.atom)[1]
            if len(inverse_of) == 1 and {g.atom for g in inverse_of[0][0].factors} <= last:
                return True
    return any(_inverts(forms, atom, f.atom) for atom in last for f in left if end in f.part)


def _inverts(forms: Polynomials, inverse: int, atom: int) -> bool:
    """Whether an atom is the inverse of another one."""
    if forms.atoms.kind(inverse) != "inv":
        return False
    ((m, c), *more) = forms.atoms.function(inverse)[1] or [(Monomial((), (), ()), 0)]
    return not more and c == 1 and len(m.factors) == 1 and m.factors[0].atom == atom
    return False


def _cancelled(
    at: _Place, left: Sequence[Factor], pattern: Monomial, near: int, end: int
) -> Polynomial:
    """What remains when a monomial of its argument, from the index `end` on, meets the inverse."""
    base, sizes = at.argument, at.sizes
    inner, outer = at.factor.part[near], at.factor.part[1 - near]
    kept = {i for f in left for i in f.part} | {*at.monomial.out, end, outer}
    identity: Polynomial = {Monomial((), (0, 0), (sizes[end],)): 1}
    kept_sizes = {i: d for i, d in sizes.items() if i in kept}
    diagonal = at.product(left, (identity, (end, outer)), sizes=kept_sizes)
    number = Fraction(base.pop(pattern))
    # Where the leading monomial is diagonal, the index of the inverse is still there.
    hinge = max(sizes) + 1 if end == inner else inner
    again = at.factor._replace(part=(hinge, outer) if near == 0 else (outer, hinge))
    axes = (end, hinge) if near == 0 else (hinge, end)
    rest = at.product([*left, again], (base, axes), sizes=kept_sizes | {hinge: sizes[inner]})
    return at.forms.sum([(diagonal, 1 / number), (rest, -1 / number)])


def _meets(
    at: _Place, first: Monomial, inner: int, near: int
) -> Iterator[tuple[int, list[Factor]]]:
    """Where the other factors contain `first` on the index `inner` of an inverse, its axis `near`.

    Yields the index of its other axis and the factors that are left. Indices that `first` sums
    occur nowhere else.
    """
    # p·inv(p): the columns of p meet the rows of its inverse, and the other way round.
    close, away = first.out[1 - near], first.out[near]
    start: tuple[int, list[Factor], dict[int, int]] = (0, list(at.rest), {close: inner, UNIT: UNIT})
    order = connected_order([(f.atom, f.part) for f in first.factors], [close])
    pattern = [first.factors[k] for k in order]
    stack: list[tuple[int, list[Factor], dict[int, int]]] = [start]
    while stack:
        place, left, names = stack.pop()
        if place == len(pattern):
            summed = {names[i] for i in range(len(first.sizes)) if i not in first.out}
            busy = {i for f in left for i in f.part} | set(at.monomial.out)
            if away in names and not summed & (busy | {names[away], inner}):
                yield names[away], left
            continue
        wanted = pattern[place]
        for k, f in enumerate(left):
            if f.atom == wanted.atom and f.exponent == wanted.exponent:
                for part in at.forms.atoms.alike(f.atom, f.part):
                    extended = matched(wanted.part, part, names, apart=False)
                    if extended is not None:
                        stack.append((place + 1, [*left[:k], *left[k + 1 :]], extended))


def replaced(forms: Polynomials, monomial: Monomial) -> Polynomial | None:
    """A monomial in which a relation was used; None where none applies."""
    conditions = settled(forms, monomial)
    if conditions is not None:
        return conditions
    for place, factor in enumerate(monomial.factors):
        rest = [*monomial.factors[:place], *monomial.factors[place + 1 :]]
        at = _Place(forms, monomial, factor, rest)
        kind = forms.atoms.kind(factor.atom)
        if _has_power(factor) and is_unit(forms, factor.atom):
            return at.product([*rest, *at.raised(factor.exponent % 2)])
        if kind == "unit":
            ordered = _in_order(at)
            if ordered is not None:
                return ordered
        if kind == "root" and isinstance(factor.exponent, int):
            return _raised(at)
        if kind == "root" and not 0 < factor.exponent < 1:
            shortened = _of_number(at)
            if shortened is not None:
                return shortened
        if kind == "power" and factor.exponent > 0:
            return _raised(at)
        found = None
        if kind == "size":
            found = _size_sum(at)
        elif kind == "det":
            found = _determinant(at)
        elif kind in ("class", "eigenvectors") and factor.exponent in (1, 2):
            found = _structured(at)
        elif kind == "imaginary":
            found = _turned(at)
        elif kind == "power" and "denominators" in forms.laws:
            found = _divided(at)
            if found is None:
                found = _separated(at)
        elif kind == "inv" and factor.exponent == 1 and "inverses" in forms.laws:
            found = _inverted(at)
        if found is not None:
            return found
    return None


def _has_power(factor: Factor) -> bool:
    return isinstance(factor.exponent, int) and factor.exponent != 1


def _raised(at: _Place) -> Polynomial:
    """A power whose exponent has become an integer, as that power of its base."""
    sizes, part = at.sizes, at.factor.part
    dims = tuple(1 if i == UNIT else sizes[i] for i in part)
    return at.product(at.rest, (power(at.forms, at.argument, at.factor.exponent, dims), part))


def _in_order(at: _Place) -> Polynomial | None:
    """Use that p ≥ q, or p + q ≥ 0, of two units u and v: u·v = 1 - u + v, or u + v - 1."""
    forms = at.forms
    for k, other in enumerate(at.rest):
        if forms.atoms.kind(other.atom) != "unit" or other.part != at.factor.part:
            continue
        p, q = (dict(forms.atoms.function(f.atom)[1]) for f in (at.factor, other))
        left = [*at.rest[:k], *at.rest[k + 1 :]]
        ways = [at.product(left), at.product([*left, at.factor]), at.product([*left, other])]
        for signs, numbers in (((1, -1), (1, -1, 1)), ((-1, 1), (1, 1, -1)), ((1, 1), (-1, 1, 1))):
            if is_nonnegative(forms, forms.sum(zip((p, q), signs, strict=True))):
                return forms.sum(zip(ways, numbers, strict=True))
    return None


def _of_number(at: _Place) -> Polynomial | None:
    """The root of a number to an exponent between 0 and 1, times a power of the number."""
    ((m, c), *more) = at.argument.items() or [(Monomial((), (), ()), 0)]
    if more or m.factors or c <= 0:
        return None
    whole = floor(at.factor.exponent)
    found = at.product([*at.rest, *at.raised(at.factor.exponent - whole)])
    return at.forms.sum([(found, raised(Fraction(c), whole))])


def _determinant(at: _Place) -> Polynomial | None:
    """Use (det q)² = 1 where q is orthogonal."""
    exponent = at.factor.exponent
    fits = exponent != 1 and exponent == int(exponent)
    matrix = class_of_argument(at.forms, at.factor.atom) if fits else None
    if matrix is None or not at.forms.graph.knows(matrix, ORTHOGONAL):
        return None
    return at.product([*at.rest, *at.raised(exponent % 2)])


def _structured(at: _Place) -> Polynomial | None:
    """Use q'·q = q·q' = δ where q is orthogonal, and Σ p = 1 where p is a probability."""
    forms, sizes, factor, rest = at.forms, at.sizes, at.factor, at.rest
    cls = cast(int, forms.atoms.what(factor.atom))
    of_class = forms.atoms.kind(factor.atom) == "class"
    busy = {*at.monomial.out, UNIT, *(i for f in rest for i in f.part)}
    if of_class and factor.exponent == 1 and forms.graph.knows(cls, PROBABILITY):
        if busy.isdisjoint(factor.part) and len(set(factor.part)) == len(factor.part):
            left = {i: d for i, d in sizes.items() if i not in factor.part}
            return at.product(rest, sizes=left)
        return None
    if len(factor.part) != 2 or (of_class and not forms.graph.knows(cls, ORTHOGONAL)):
        return None
    if factor.exponent == 2:
        # The squares of a row, or of a column, add up to 1.
        alone = [i for i in factor.part if i not in busy and factor.part.count(i) == 1]
        left = {i: d for i, d in sizes.items() if i != alone[0]} if alone else sizes
        return at.product(rest, sizes=left) if alone else None
    for k, other in enumerate(rest):
        if other.atom != factor.atom or other.exponent != 1:
            continue
        left = [*rest[:k], *rest[k + 1 :]]
        busy = {*at.monomial.out, UNIT, *(i for f in left for i in f.part)}
        for near, part in product((0, 1), forms.atoms.alike(other.atom, other.part)):
            inner, ends = factor.part[near], (factor.part[1 - near], part[1 - near])
            if part[near] == inner and inner not in busy and inner not in ends:
                if UNIT in ends:
                    return None
                identity: Polynomial = {Monomial((), (0, 0), (sizes[ends[0]],)): 1}
                other_sizes = {i: d for i, d in sizes.items() if i != inner}
                return at.product(left, (identity, ends), sizes=other_sizes)
    return None


def _size_sum(at: _Place) -> Polynomial | None:
    """A size that is made of others as the sum that it is."""
    exponent, atoms = at.factor.exponent, at.forms.atoms
    size = cast(Size, atoms.what(at.factor.atom))
    if is_simple(size) or not isinstance(exponent, int) or exponent < 1:
        return None
    left = [*at.rest, *at.raised(exponent - 1)]
    ways = (
        ([Factor(atoms.number("size", key), 1, ())] if key else [], number)
        for key, number in size_form(size)
    )
    return at.forms.sum((at.product([*left, *factors]), c) for factors, c in ways)


def _turned(at: _Place) -> Polynomial | None:
    """Use i² = -1."""
    exponent = at.factor.exponent
    if exponent == 1:
        return None
    found = at.product([*at.rest, *at.raised(exponent % 2)])
    return at.forms.sum([(found, 1 if exponent % 4 < 2 else -1)])


def _divided(at: _Place) -> Polynomial | None:
    """Use l·p⁻ᵏ = p¹⁻ᵏ - r·p⁻ᵏ where all of l is among the other factors."""
    base, part = at.argument, at.factor.part
    first = leading(base, at.forms.least)
    left = _without(at, first)
    if left is None:
        return None
    used = {*part, *at.monomial.out, *(i for f in left for i in f.part)}
    sizes = {i: d for i, d in at.sizes.items() if i in used}
    del base[first]
    lower = at.product([*left, *at.raised(at.factor.exponent + 1)], sizes=sizes)
    others = at.product([*left, at.factor], (base, part), sizes=sizes)
    return at.forms.sum([(lower, 1), (others, -1)])


def _separated(at: _Place) -> Polynomial | None:
    """Use 1 = (p - q) / r, with p = q + r for a number r, where a⁻¹ meets p⁻ᵏ and a divides q."""
    base, part = at.argument, at.factor.part
    numbers = [m for m in base if not m.factors and len(set(m.out)) == len(m.out)]
    if not numbers or len(base) < 2:
        return None
    powers = [_powers(m, part) for m in base if m != numbers[0]]
    poles = [f for f in at.rest if f.exponent < 0]
    if not any(all(p.get((f.atom, f.part), 0) > 0 for p in powers) for f in poles):
        return None
    number = Fraction(base.pop(numbers[0]))
    lower = at.product([*at.rest, *at.raised(at.factor.exponent + 1)])
    others = at.product([*at.rest, at.factor], (base, part))
    return at.forms.sum([(lower, 1 / number), (others, -1 / number)])


def _powers(m: Monomial, part: Sequence[int]) -> dict[tuple[int, tuple[int, ...]], Number]:
    """The exponents of the atoms of a monomial whose axes are `part`, where nothing is summed."""
    names = dict(zip(m.out, part, strict=True)) | {UNIT: UNIT}
    if any(i not in names for f in m.factors for i in f.part):
        return {}
    return {(f.atom, tuple(names[i] for i in f.part)): f.exponent for f in m.factors}


def _without(at: _Place, first: Monomial) -> list[Factor] | None:
    """The other factors without those of a monomial on the same indices; None where one is not."""
    atoms, part = at.forms.atoms, at.factor.part
    names = dict(zip(first.out, part, strict=True)) | {UNIT: UNIT}
    if (
        len(names) - (UNIT not in first.out) != len(set(first.out))
        or matched(first.out, part, {}, apart=False) is None
    ):
        return None
    fresh = len(at.monomial.sizes)
    for i in range(len(first.sizes)):
        if i not in names:
            names[i] = fresh = fresh + 1
    wanted = [f._replace(part=tuple(names[i] for i in f.part)) for f in first.factors]
    fixed = {i: i for i in (*part, *at.monomial.out, UNIT)}
    left = list(at.rest)
    whole: Counter[object] = Counter()
    for piece, key, order in pieces(atoms, wanted, fixed):
        if order:
            whole[key] += 1
            continue
        (f,) = piece
        least = atoms.least(f.atom, f.part)
        same = [g for g in left if g.atom == f.atom and atoms.least(g.atom, g.part) == least]
        if not same or not 0 < f.exponent / same[0].exponent <= 1:
            return None
        left.remove(same[0])
        if same[0].exponent != f.exponent:
            left.append(same[0]._replace(exponent=exact(same[0].exponent - f.exponent)))
    for piece, key, order in pieces(atoms, left, fixed):
        if order and whole[key]:
            whole[key] -= 1
            for f in piece:
                left.remove(f)
    return None if any(whole.values()) else left
