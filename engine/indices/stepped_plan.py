"""How a product of an indicator with two arrays is computed, step by step.

`Σ_k x[i+k]·w[k]` reads each entry of `x` for several `k`. For one `k` after the other both arrays
and the result are views, and only entries are multiplied that count. A band `|i - j| ≤ 3` takes
seven steps, one for each diagonal. Here all sizes are numbers.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import Final

from eggrad.engine.indices.affine import AffineForm, coefficient, form, indices, plus
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.indicator_plan import (
    Range,
    View,
    choices,
    free_ranges,
    inserted,
    is_injective,
    narrow,
    view_of,
)
from eggrad.engine.indices.spec import Indices

# Ways to compute a product of an indicator with two arrays in steps, and what they cost.
#
# The equalities give some indices as forms of the others, in several ways. Of the free indices some
# are stepped through: those without which each condition is a range of one index, those that lead
# to the same entry of the result, and those whose windows would overlap.


MOST_STEPS: Final = 4096
# Steps are not taken if they take this many times as long as an intermediate result.
_FAR_TOO_LONG: Final = 10
# Nanoseconds, roughly: of a call, of an entry that is copied or added to another one, and of one
# multiplication by BLAS, in a correlation, entry by entry, and where windows overlap.
_CALL: Final = 10_000
_MOVED: Final = 1.0
_BY_MATRICES: Final = 0.05
_DIRECT: Final = 0.5
_ONE_BY_ONE: Final = 1.0
_IN_WINDOWS: Final = 2.0


@dataclass(frozen=True)
class ViewStep:
    """Where the views of both arrays and of the result begin, and how long each index is."""

    starts: tuple[tuple[int, ...], ...]
    extents: tuple[int, ...]


@dataclass(frozen=True)
class SteppedPlan:
    """`target[labels] += Σ left[labels] · right[labels]`, in each of some steps.

    `moves` says, for both arrays and the target, how far each label moves along each axis. A plan
    is `direct` if it is one correlation or convolution of two vectors. It is worth it if it is
    faster than an intermediate result, or that would be large. Where views are `overlapping`, to
    copy one is to store such a result.
    """

    labels: Indices
    moves: tuple[tuple[tuple[int, ...], ...], ...]
    steps: tuple[ViewStep, ...]
    overlapping: bool
    direct: bool
    is_worth_it: bool

    @property
    def is_plain(self) -> bool:
        """Whether views are all that it takes."""
        return len(self.steps) < 2 and not self.direct and not self.overlapping


@dataclass(frozen=True)
class Solution:
    """The free indices' ranges, and the conditions that no range says; others are known forms.

    `axes` are the indices of both arrays and of the target.
    """

    known: Mapping[int, AffineForm]
    axes: tuple[Indices, Indices, Indices]
    ranges: Mapping[int, Range]
    conditions: Sequence[Constraint]

    def ways(self) -> "Iterator[Way]":
        """With as few steps as it takes, and with those that pull windows apart."""
        if not self.conditions and self.free and self._is_direct():
            yield Way(self, (), _CALL + _DIRECT * self.free, overlapping=True, direct=True)
            return
        needed, shifts = self._needed(), self._shifts()
        for chosen in dict.fromkeys((needed, (*needed, *(i for i in shifts if i not in needed)))):
            count = prod(map(self.width, chosen))
            overlapping = not {*shifts}.issubset(chosen)
            price = _CALL * count + self._price(chosen, overlapping=overlapping)
            if count <= MOST_STEPS and _CALL * count < _FAR_TOO_LONG * self.price_if_stored(
                self.largest
            ):
                yield Way(self, chosen, price, overlapping=overlapping, direct=False)

    @cached_property
    def views(self) -> tuple[View, View, View]:
        """The views of both arrays and of the target, from where all ranges begin."""
        left, right, target = (view_of(labels, self.known, self.ranges) for labels in self.axes)
        return left, right, target

    def width(self, index: int) -> int:
        """How many values a free index takes."""
        low, high = self.ranges[index]
        return max(0, high - low)

    @cached_property
    def free(self) -> int:
        """How many values all free indices take."""
        return prod(map(self.width, self.ranges))

    def price_if_stored(self, entries: int) -> float:
        """The time where a view with this number of entries is stored as an array."""
        return 2 * _CALL + _MOVED * entries + self._rate(()) * self.free

    @property
    def largest(self) -> int:
        """The entries of the largest view."""
        return max(prod(map(self.width, view.labels)) for view in self.views)

    def _price(self, chosen: Collection[int], *, overlapping: bool) -> float:
        """The time of all multiplications, and of the copies that matrices take."""
        if overlapping:
            return _IN_WINDOWS * self.free
        copied = _MOVED * self._moved(chosen) if self._is_by_matrices(chosen) else 0
        return copied + self._rate(chosen) * self.free

    def _moved(self, chosen: Collection[int]) -> int:
        """The entries that become matrices in all steps, and those of the products of these."""
        left, right, target = ({*view.labels} for view in self.views)
        return sum(prod(map(self.width, labels)) for labels in (left, right, target.union(chosen)))

    def _rate(self, chosen: Collection[int]) -> float:
        """The time of one multiplication, those of matrices being the fastest."""
        return _BY_MATRICES if self._is_by_matrices(chosen) else _ONE_BY_ONE

    def _is_by_matrices(self, chosen: Collection[int]) -> bool:
        """Whether each step is a product of matrices."""
        left, right, target = ({*view.labels}.difference(chosen) for view in self.views)
        return all([(left & right) - target, (left & target) - right, (right & target) - left])

    def _needed(self) -> tuple[int, ...]:
        """The indices of the fewest steps in which conditions are ranges and no entries meet."""
        target = self.views[2]
        width = {i: self.width(i) for i in target.labels}
        wanted = dict.fromkeys(i for _, f in self.conditions for i in indices(f))
        wanted |= dict.fromkeys(i for along in target.along if len(along) > 1 for i in along)
        subsets = [
            subset for count in range(len(wanted) + 1) for subset in combinations(wanted, count)
        ]
        subsets.sort(key=lambda subset: prod(map(self.width, subset)))
        return next(
            subset
            for subset in subsets
            if is_injective(target, width | dict.fromkeys(subset, 1))
            # The others fixed, each condition is a range of one index.
            and all(len({*indices(f)} - {*subset}) <= (r == ">=") for r, f in self.conditions)
        )

    def _shifts(self) -> list[int]:
        """All but the longest of the indices that go along one axis of an array together."""
        found: dict[int, None] = {}
        for view in self.views[:2]:
            for along in view.along:
                ordered = sorted(along, key=lambda i: (self.width(i), i))
                found.update(dict.fromkeys(ordered[:-1]))
        return list(found)

    def _is_direct(self) -> bool:
        """Whether one of three vectors has two indices, in steps of one length, the others one."""
        one, other, both = sorted(self.views, key=lambda view: len(view.labels))
        if len(self.ranges) != 2 or any(len(view.start) != 1 for view in self.views):
            return False
        lengths = {abs(step) for (step,) in both.steps}
        counts = [len(view.labels) for view in (one, other, both)]
        return counts == [1, 1, 2] and len(lengths) == 1 and one.labels != other.labels


@dataclass(frozen=True)
class Way:
    """A solution, and the indices to step through; steps are made for the cheapest way alone."""

    solution: Solution
    chosen: Sequence[int]
    price: float
    overlapping: bool
    direct: bool

    def plan(self, is_worth_it: bool) -> SteppedPlan:
        """The plan with all its steps."""
        solution = self.solution
        every = dict.fromkeys(
            (*solution.views[2].labels, *solution.views[0].labels, *solution.ranges)
        )
        labels = tuple(i for i in every if i not in self.chosen)
        moves = tuple(
            tuple(
                view.steps[view.labels.index(i)] if i in view.labels else (0,) * len(view.start)
                for i in labels
            )
            for view in solution.views
        )
        steps = tuple(
            ViewStep(
                tuple(_start(view, solution.ranges, ranges) for view in solution.views),
                tuple(ranges[i][1] - ranges[i][0] for i in labels),
            )
            for ranges in self._ranges()
        )
        return SteppedPlan(labels, moves, steps, self.overlapping, self.direct, is_worth_it)

    def _ranges(self) -> Iterator[Mapping[int, Range]]:
        """The ranges of all indices at each step."""
        solution = self.solution
        for values in product(*(range(*solution.ranges[i]) for i in self.chosen)):
            fixed = {i: (v, v + 1) for i, v in zip(self.chosen, values, strict=True)}
            ranges = _narrowed({**solution.ranges, **fixed}, solution.conditions)
            if ranges is not None:
                yield ranges


def _start(view: View, before: Mapping[int, Range], ranges: Mapping[int, Range]) -> tuple[int, ...]:
    """Where a view begins, given where it began before some ranges were narrowed."""
    moved = [(ranges[i][0] - before[i][0], s) for i, s in zip(view.labels, view.steps, strict=True)]
    return tuple(at + sum(k * s[axis] for k, s in moved) for axis, at in enumerate(view.start))


def _narrowed(
    ranges: dict[int, Range], conditions: Sequence[Constraint]
) -> dict[int, Range] | None:
    """The ranges in which conditions of one index hold, the others fixed; None where none is."""
    fixed = {i: form([("", low)]) for i, (low, high) in ranges.items() if high - low == 1}
    for relation, f in conditions:
        left = inserted(f, fixed)
        narrow(ranges, relation, left)
        value = coefficient(left, "")
        if not indices(left) and (value < 0 if relation == ">=" else value % int(relation)):
            return None
    return ranges if all(low < high for low, high in ranges.values()) else None


# Entries that an intermediate result may have, and how many times those of operands and result.
_FEW: Final = 1 << 15
_MOST_TIMES: Final = 3


def is_small(entries: int, operands: int) -> bool:
    """Whether an intermediate result takes little space beside operands of these sizes.

    >>> is_small(1000, 10), is_small(10**6, 10), is_small(10**6, 10**6)
    (True, False, True)
    """
    return entries <= max(_FEW, _MOST_TIMES * operands)


def stepped_plan(
    constraints: Constraints,
    sources: tuple[Indices, Indices],
    target: Indices,
    lengths: Mapping[int, int],
    stored: int | None = None,
) -> SteppedPlan | None:
    """The cheapest plan for a product of an indicator with arrays of indices `sources`.

    `lengths` has the size of every index, `stored` is how many entries the other way stores, if
    that is known. None where it would take too many steps.

    >>> window = (("=", ((0, 1), (1, -1), (2, -1))),)
    >>> found = stepped_plan(window, ((0,), (2,)), (1,), {0: 9, 1: 7, 2: 3})
    >>> found.direct, found.moves
    (True, (((1,), (1,)), ((0,), (1,)), ((1,), (0,))))
    """
    solutions = [
        Solution(known, (*sources, target), *free_ranges(known, banded, sizes))
        for banded, sizes in _with_bands(constraints, lengths)
        for known in choices(banded)
    ]
    ways = [way for solution in solutions for way in solution.ways()]
    if not ways:
        return None
    best = min(ways, key=lambda way: way.price)
    other = max(solutions, key=lambda s: s.free) if stored is None else best.solution
    entries = other.largest if stored is None else stored
    operands = sum(prod(lengths[i] for i in part) for part in (*sources, target))
    slower = best.price >= other.price_if_stored(entries) and not best.direct
    return best.plan(not slower or not is_small(entries, operands))


def _with_bands(
    constraints: Constraints, lengths: Mapping[int, int]
) -> Iterator[tuple[Constraints, Mapping[int, int]]]:
    """The constraints, and those in which `0 ≤ f ≤ w` is `f = k` for one more index `k`."""
    yield constraints, lengths
    bounds = [f for relation, f in constraints if relation == ">="]
    for f, g in combinations(bounds, 2):
        total = plus(f, g)
        width = coefficient(total, "") + 1
        if not indices(total) and len(indices(f)) > 1 and 0 < width <= MOST_STEPS:
            index = max(lengths) + 1
            band: Constraint = ("=", form([*f, (index, -1)]))
            rest = (c for c in constraints if c not in ((">=", f), (">=", g)))
            yield (band, *rest), {**lengths, index: width}
