"""Conditions on the indices of a monomial: all of them together, as sums of simpler ones.

Indices that conditions say are equal are one, what an equality determines and nothing else has is
summed, and what is left is split (`engine/indices/range_splitting.py`). So `Σᵢ [i ≥ 1] xᵢ` is
`Σᵢ xᵢ - x₀`. Where single places of short axes are spoken of, a sum over such an axis is the sum
of its places.
"""

from collections import Counter
from collections.abc import Sequence, Set
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import Final, cast

from eggrad.engine.indices import affine
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.constraints import (
    Constraints,
    canonical,
    in_first_order,
    never,
    renamed_all,
    solved,
    substituted_all,
)
from eggrad.engine.indices.linear_combinations import collected, exact
from eggrad.engine.indices.range_splitting import Split, connected, on_own_axes, place, split
from eggrad.engine.indices.spec import Dims, Indices, Size
from eggrad.engine.normal_forms.networks import UNIT, Atoms, Factor, Monomial
from eggrad.engine.normal_forms.networks import canonical as canonical_network
from eggrad.engine.normal_forms.polynomials import Polynomial, Polynomials

_Conditions = tuple[Dims, Constraints]
_canonical_group = lru_cache(maxsize=8192)(canonical)
# Places that a monomial's sums are taken apart into.
MOST_PLACES: Final = 64
# Places that all sums of one reading of the e-classes are taken apart into.
MOST_TAKEN_APART: Final = 600
# One index is at most another, on axes of one size.
_IN_ORDER: Constraints = ((">=", ((0, -1), (1, 1))),)


def indicator_factor(atoms: Atoms, part: Indices, dims: Dims, constraints: Constraints) -> Factor:
    """An indicator on some indices as an atom, the same for every order of its axes."""
    found = in_first_order(dims, constraints)
    number = atoms.number("indicator", (found.dims, found.constraints), found.symmetries)
    return Factor(number, 1, atoms.least(number, [part[k] for k in found.axes]))


def settled(forms: Polynomials, monomial: Monomial) -> Polynomial | None:
    """A monomial with its conditions taken together and split; None where nothing changes."""
    indicators = [f for f in monomial.factors if _is_condition(forms.atoms, f)]
    short = forms.singled if forms.taken_apart <= MOST_TAKEN_APART else frozenset[int]()
    network = _Network(monomial, [f for f in monomial.factors if f not in indicators], short)
    if indicators:
        if not network.restrict(_together(forms.atoms, indicators)):
            return {}
        ways = [network.split(g, forms.known).items() for g in connected(network.constraints)]
        found: list[tuple[list[Factor], int]] = []
        for chosen in product(*ways):
            groups = (c for conditions, _ in chosen for c in connected(conditions))
            factors = [network.factor(forms.atoms, c) for c in groups]
            found.append((factors, prod(number for _, number in chosen)))
        forms.taken_apart += network.taken_apart
        same = [(Counter(f), n) for f, n in found] == [(Counter(indicators), 1)]
        if not (network.unchanged and same):
            return forms.sum(
                (forms.joined([], network.out, network.sizes, [*network.rest, *factors]), number)
                for factors, number in found
            )
        if (turned := _in_order(forms, monomial, indicators)) is not None:
            return turned
    return _place_by_place(forms, monomial, network.constraints)


def _is_condition(atoms: Atoms, factor: Factor) -> bool:
    return atoms.kind(factor.atom) == "indicator" and factor.exponent > 0


def _together(atoms: Atoms, factors: Sequence[Factor]) -> Constraints:
    """The conditions of several factors, on the indices of their monomial."""
    found: Constraints = ()
    for f in factors:
        _, constraints = cast(_Conditions, atoms.what(f.atom))
        # The only index of an axis of size 1 is 0.
        for axis in (k for k, i in enumerate(f.part) if i == UNIT):
            constraints = substituted_all(constraints, axis, ())
        found += renamed_all(constraints, dict(enumerate(f.part)))
    return found


def _in_order(
    forms: Polynomials, monomial: Monomial, conditions: Sequence[Factor]
) -> Polynomial | None:
    """`Σ [i ≤ j] aᵢⱼ = Σ aᵢⱼ + Σ aᵢᵢ - Σ [i ≤ j] aⱼᵢ`, where that has the lesser monomial."""
    sizes = dict(enumerate(monomial.sizes))
    for f in conditions:
        dims, constraints = cast(_Conditions, forms.atoms.what(f.atom))
        if constraints != _IN_ORDER or len({*dims}) > 1 or {*f.part} & {*monomial.out}:
            continue
        i, j = f.part
        rest = [g for g in monomial.factors if g != f]
        turned = [*rest, f._replace(part=(j, i))]
        other = canonical_network(forms.atoms, turned, monomial.out, sizes)
        if other is None or other[0].rank > monomial.rank:
            continue
        tied = [g._replace(part=tuple(i if k == j else k for k in g.part)) for g in rest]
        fewer = {k: d for k, d in sizes.items() if k != j}
        both = forms.sum(
            [
                (forms.joined([], monomial.out, sizes, rest), 1),
                (forms.joined([], monomial.out, fewer, tied), 1),
            ]
        )
        if other[0] == monomial:
            return forms.sum([(both, exact(Fraction(1, 2)))])
        return forms.sum([(both, 1), (forms.joined([], monomial.out, sizes, turned), -1)])
    return None


def _place_by_place(
    forms: Polynomials, monomial: Monomial, constraints: Constraints
) -> Polynomial | None:
    """The sum over an axis of which single places are spoken of, as the sum of its places."""
    equalities = [affine.indices(f) for relation, f in constraints if relation == "="]
    told = {*monomial.out, *(indices[0] for indices in equalities if len(indices) == 1)}
    sizes = dict(enumerate(monomial.sizes))
    short = {
        i: n
        for i, n in sizes.items()
        if isinstance(n, int) and n in forms.singled and i not in told
    }
    if not short or prod(short.values()) > MOST_PLACES or forms.taken_apart > MOST_TAKEN_APART:
        return None
    i, size = next(iter(short.items()))
    forms.taken_apart += size
    places = (
        indicator_factor(forms.atoms, (i,), (size,), place(0, affine.form([("", k)])))
        for k in range(size)
    )
    return forms.sum(
        (forms.joined([], monomial.out, sizes, [*monomial.factors, f]), 1) for f in places
    )


class _Network:
    """A monomial without its conditions, and what they make of its indices."""

    def __init__(self, monomial: Monomial, rest: Sequence[Factor], short: Set[int]) -> None:
        """Begin without conditions; the last place of an axis of a `short` size is all others."""
        self.taken_apart = 0
        self._short = short
        self.dims = monomial.sizes
        self.sizes: dict[int, Size] = dict(enumerate(monomial.sizes))
        self.out = monomial.out
        self.rest = list(rest)
        self.constraints: Constraints = ()
        self.unchanged = True

    def restrict(self, constraints: Constraints) -> bool:
        """Take in all conditions; False if they hold nowhere."""
        self.constraints = self._canonical(constraints)
        while self._identify() or self._sum():
            self.unchanged = False
        return not never(self.constraints)

    def _identify(self) -> bool:
        """Give two indices that are equal one name, where there are any."""
        known: dict[tuple[object, Size], int] = {}
        for relation, f in self.constraints:
            indices = affine.indices(f)
            if relation != "=":
                continue
            match f:
                case ((int() as i, 1), (int() as j, -1)) if self.dims[i] == self.dims[j]:
                    return self._rename(j, i)
                case ((int() as j, 1), *more) if len(indices) == 1:
                    i = known.setdefault((tuple(more), self.dims[j]), j)
                    if i != j:
                        return self._rename(j, i)
                case _:
                    pass
        return False

    def _rename(self, gone: int, kept: int) -> bool:
        names = {i: kept if i == gone else i for i in (UNIT, *self.sizes)}
        del self.sizes[gone]
        self.out = tuple(names[i] for i in self.out)
        self.rest = [f._replace(part=tuple(names[i] for i in f.part)) for f in self.rest]
        self.constraints = self._canonical(renamed_all(self.constraints, names))
        return True

    def _sum(self) -> bool:
        """Sum over an index that an equality gives and nothing else has, if there is one."""
        used = {*self.out, *(i for f in self.rest for i in f.part)}
        for k, (relation, f) in enumerate(self.constraints):
            for i in affine.indices(f) if relation == "=" else ():
                if abs(affine.coefficient(f, i)) == 1 and i not in used:
                    value = solved(f, i)
                    last = affine.plus(affine.last_index(self.dims[i]), affine.times(-1, value))
                    others = self.constraints[:k] + self.constraints[k + 1 :]
                    others = substituted_all(others, i, value)
                    del self.sizes[i]
                    self.constraints = self._canonical((*others, (">=", value), (">=", last)))
                    return True
        return False

    def _canonical(self, constraints: Constraints) -> Constraints:
        """Conditions in canonical form, each group that indices connect by itself."""
        found: Constraints = ()
        for group in connected(constraints):
            part, dims, local = on_own_axes(self.dims, group)
            known = _canonical_group(dims, local)
            if never(known):
                return known
            found += renamed_all(known, dict(enumerate(part)))
        return found

    def split(self, group: Constraints, known: tuple[AffineForm, ...]) -> Split:
        """Connected conditions as a sum of others, in one way for the output's axes."""
        part, dims, local = on_own_axes(self.dims, group)
        return collected(
            (way, number * factor)
            for conditions, number in split(dims, local, known).items()
            for way, factor in self._of_output(renamed_all(conditions, dict(enumerate(part))))
        )

    def _of_output(self, conditions: Constraints) -> list[tuple[Constraints, int]]:
        """`[i ≤ j] = 1 - [i ≥ j] + [i = j]`, and the last place of an axis by the others."""
        for number, (relation, f) in enumerate(conditions):
            ways: list[tuple[Constraints, int]] = []
            match f:
                case ((int() as i, -1), (int() as j, 1)) if (
                    relation == ">=" and i in self.out and self.dims[i] == self.dims[j]
                ):
                    turned = affine.times(-1, f)
                    ways = [((), 1), (((">=", turned),), -1), ((("=", turned),), 1)]
                case ((int() as i, 1), ("", int() as last)) if relation == "=" and i in self.out:
                    size = self.dims[i]
                    if isinstance(size, int) and size in self._short and size == 1 - last:
                        self.taken_apart += size
                        others = [place(i, affine.form([("", k)])) for k in range(size - 1)]
                        ways = [((), 1), *((other, -1) for other in others)]
                case _:
                    pass
            if ways:
                rest = (*conditions[:number], *conditions[number + 1 :])
                return [(self._canonical((*rest, *way)), n) for way, n in ways]
        return [(conditions, 1)]

    def factor(self, atoms: Atoms, conditions: Constraints) -> Factor:
        """Connected conditions as an atom on their indices."""
        return indicator_factor(atoms, *on_own_axes(self.dims, conditions))
