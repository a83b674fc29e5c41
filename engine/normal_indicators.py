"""Conditions on the indices of a monomial: all of them together, as sums of simpler ones.

Indices that conditions say are equal are one, what an equality determines and nothing else has is
summed, and what is left is split (`engine/range_splitting.py`). So `Σᵢ [i ≥ 1] xᵢ` is `Σᵢ xᵢ - x₀`.
Where single places of short axes are spoken of, a sum over such an axis is the sum of its places.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, cast

from eggrad.engine.affine import (
    Form,
    coefficient,
    form,
    indices,
    is_simple,
    last_index,
    plus,
    size_form,
    times,
)
from eggrad.engine.constraints import (
    Constraints,
    canonical,
    never,
    renamed_all,
    solved,
    substituted_all,
)
from eggrad.engine.index_ranges import taken_indices
from eggrad.engine.indicator_orders import in_first_order
from eggrad.engine.normal_networks import (
    UNIT,
    Atoms,
    Factor,
    Monomial,
    Number,
    exact,
)
from eggrad.engine.normal_networks import canonical as canonical_network
from eggrad.engine.range_splitting import MOST, Split, connected, split
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.spec import Dims, Indices, Size

if TYPE_CHECKING:
    from eggrad.engine.normal_form import NormalForms, Polynomial

__all__ = ["indicator_factor", "known_sizes", "settled", "singled_sizes", "size_sum"]

_Conditions = tuple[Dims, Constraints]
# Places that a monomial's sums are taken apart into.
MOST_PLACES: Final = 64
# One index is at most another, on axes of one size.
_IN_ORDER: Constraints = ((">=", ((0, -1), (1, 1))),)


def known_sizes(graph: Snapshot) -> tuple[Form, ...]:
    """Forms of sizes that are not negative: where one were, some class would have no value."""
    made = {d for dims in graph.dims.values() for d in dims if not is_simple(d)}
    taken = {pair for own in _indicators(graph) for pair in taken_indices(*own)}
    found = {form([*size_form(size), ("", -1 - index)]) for size, index in taken}
    return tuple(sorted(found.union(map(size_form, made)), key=str))


def singled_sizes(graph: Snapshot) -> frozenset[int]:
    """The sizes of short axes of which a condition speaks of a single place."""
    return frozenset(
        size
        for dims, constraints in _indicators(graph)
        for relation, f in constraints
        if relation == "=" and len(indices(f)) == 1
        if isinstance(size := dims[indices(f)[0]], int) and size <= MOST
    )


def _indicators(graph: Snapshot) -> Iterator[_Conditions]:
    for cls, members in graph.members.items():
        for m in members:
            if m.constructor == "indicator":
                yield graph.dims[cls], cast(Constraints, m.data[1])


def indicator_factor(atoms: Atoms, part: Indices, dims: Dims, constraints: Constraints) -> Factor:
    """An indicator on some indices as an atom, the same for every order of its axes."""
    found = in_first_order(dims, constraints)
    number = atoms.number("indicator", (found.dims, found.constraints), found.symmetries)
    return Factor(number, 1, atoms.least(number, [part[k] for k in found.axes]))


def size_sum(
    forms: "NormalForms", monomial: Monomial, rest: Sequence[Factor], factor: Factor
) -> "Polynomial | None":
    """A size that is made of others as the sum that it is."""
    size = cast(Size, forms.atoms.what(factor.atom))
    if is_simple(size) or not isinstance(factor.exponent, int) or factor.exponent < 1:
        return None
    less = factor._replace(exponent=exact(factor.exponent - 1))
    left = [*rest, less] if less.exponent else [*rest]
    sizes = dict(enumerate(monomial.sizes))
    terms: list[tuple[Polynomial, Number]] = []
    for key, number in size_form(size):
        own = [Factor(forms.atoms.number("size", key), 1, ())] if key else []
        terms.append((forms.joined([], monomial.out, sizes, [*left, *own]), number))
    return forms.sum(terms)


def settled(forms: "NormalForms", monomial: Monomial) -> "Polynomial | None":
    """A monomial with its conditions taken together and split; None where nothing changes."""
    own = [f for f in monomial.factors if _is_condition(forms.atoms, f)]
    network = _Network(monomial, [f for f in monomial.factors if f not in own])
    if own:
        if not network.restrict(_together(forms.atoms, own)):
            return {}
        ways = [network.split(g, forms.known).items() for g in connected(network.constraints)]
        found: list[tuple[list[Factor], int]] = []
        for chosen in product(*ways):
            groups = (c for conditions, _ in chosen for c in connected(conditions))
            factors = [network.factor(forms.atoms, c) for c in groups]
            found.append((factors, prod(number for _, number in chosen)))
        same = [(Counter(f), n) for f, n in found] == [(Counter(own), 1)]
        if not (network.unchanged and same):
            return forms.sum(
                (forms.joined([], network.out, network.sizes, [*network.rest, *factors]), number)
                for factors, number in found
            )
        if (turned := _in_order(forms, monomial, own)) is not None:
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
    forms: "NormalForms", monomial: Monomial, conditions: Sequence[Factor]
) -> "Polynomial | None":
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
    forms: "NormalForms", monomial: Monomial, constraints: Constraints
) -> "Polynomial | None":
    """The sum over an axis of which single places are spoken of, as the sum of its places."""
    equalities = [indices(f) for relation, f in constraints if relation == "="]
    told = {*monomial.out, *(own[0] for own in equalities if len(own) == 1)}
    sizes = dict(enumerate(monomial.sizes))
    short = {i: n for i, n in sizes.items() if n in forms.singled and i not in told}
    if not short or prod(cast(Sequence[int], short.values())) > MOST_PLACES:
        return None
    i, size = next(iter(short.items()))
    places = (
        indicator_factor(forms.atoms, (i,), (size,), _place(0, k)) for k in range(cast(int, size))
    )
    return forms.sum(
        (forms.joined([], monomial.out, sizes, [*monomial.factors, f]), 1) for f in places
    )


def _place(index: int, place: int) -> Constraints:
    return (("=", form([(index, 1), ("", -place)])),)


class _Network:
    """A monomial without its conditions, and what they make of its indices."""

    def __init__(self, monomial: Monomial, rest: Sequence[Factor]) -> None:
        """Begin without conditions."""
        self.dims = monomial.sizes
        self.sizes: dict[int, Size] = dict(enumerate(monomial.sizes))
        self.out = monomial.out
        self.rest = list(rest)
        self.constraints: Constraints = ()
        self.unchanged = True

    def restrict(self, constraints: Constraints) -> bool:
        """Take in all conditions; False if they hold nowhere."""
        self.constraints = canonical(self.dims, constraints)
        while self._identify() or self._sum():
            self.unchanged = False
        return not never(self.constraints)

    def _identify(self) -> bool:
        """Give two indices that are equal one name, where there are any."""
        known: dict[tuple[object, Size], int] = {}
        for relation, f in self.constraints:
            own = indices(f)
            if relation != "=":
                continue
            match f:
                case ((int() as i, 1), (int() as j, -1)) if self.dims[i] == self.dims[j]:
                    return self._rename(j, i)
                case ((int() as j, 1), *more) if len(own) == 1:
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
        self.constraints = canonical(self.dims, renamed_all(self.constraints, names))
        return True

    def _sum(self) -> bool:
        """Sum over an index that an equality gives and nothing else has, if there is one."""
        used = {*self.out, *(i for f in self.rest for i in f.part)}
        for place, (relation, f) in enumerate(self.constraints):
            for i in indices(f) if relation == "=" else ():
                if abs(coefficient(f, i)) == 1 and i not in used:
                    value = solved(f, i)
                    last = plus(last_index(self.dims[i]), times(-1, value))
                    others = self.constraints[:place] + self.constraints[place + 1 :]
                    others = substituted_all(others, i, value)
                    del self.sizes[i]
                    self.constraints = canonical(self.dims, (*others, (">=", value), (">=", last)))
                    return True
        return False

    def split(self, group: Constraints, known: Sequence[Form]) -> Split:
        """Conditions as a sum of others, those on the output's axes in one of several ways."""
        found: Split = {}
        for conditions, number in split(self.dims, group, known).items():
            for way, factor in self._of_output(conditions):
                found[way] = found.get(way, 0) + number * factor
        return found

    def _of_output(self, conditions: Constraints) -> list[tuple[Constraints, int]]:
        """`[i ≤ j] = 1 - [i ≥ j] + [i = j]`, and the last place of an axis by the others."""
        for place, (relation, f) in enumerate(conditions):
            ways: list[tuple[Constraints, int]] = []
            match f:
                case ((int() as i, -1), (int() as j, 1)) if (
                    relation == ">=" and i in self.out and self.dims[i] == self.dims[j]
                ):
                    turned = times(-1, f)
                    ways = [((), 1), (((">=", turned),), -1), ((("=", turned),), 1)]
                case ((int() as i, 1), ("", int() as last)) if relation == "=" and i in self.out:
                    size = self.dims[i]
                    if isinstance(size, int) and size <= MOST and size == 1 - last:
                        ways = [((), 1), *((_place(i, k), -1) for k in range(size - 1))]
                case _:
                    pass
            if ways:
                rest = (*conditions[:place], *conditions[place + 1 :])
                return [(canonical(self.dims, (*rest, *way)), n) for way, n in ways]
        return [(conditions, 1)]

    def factor(self, atoms: Atoms, conditions: Constraints) -> Factor:
        """Connected conditions as an atom on their indices."""
        part = tuple(sorted({i for _, f in conditions for i in indices(f)}))
        places = {i: k for k, i in enumerate(part)}
        dims = tuple(self.dims[i] for i in part)
        return indicator_factor(atoms, part, dims, renamed_all(conditions, places))
