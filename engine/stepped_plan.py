"""How a product of an indicator with two arrays is computed, step by step.

`Σ_k x[i+k]·w[k]` reads each entry of `x` for several `k`. For one `k` after the other both arrays
and the result are views, and only entries are multiplied that count. A band `|i - j| ≤ 3` takes
seven steps, one for each diagonal. Here all sizes are numbers.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod
from typing import Final

from eggrad.engine.affine import Form, coefficient, form, indices, plus
from eggrad.engine.constraints import Constraint, Constraints
from eggrad.engine.indicator_plan import (
    Range,
    View,
    choices,
    inserted,
    inside,
    is_certain,
    is_injective,
    narrow,
    view_of,
)
from eggrad.engine.spec import Indices

__all__ = ["Step", "SteppedPlan", "is_small", "stepped_plan"]

MOST_STEPS: Final = 4096
# An intermediate result may have so many entries, or so many times those of operands and result.
_FEW: Final = 1 << 15
_MOST_TIMES: Final = 2
# Nanoseconds, roughly: of a call, of an entry of an intermediate result, and of one multiplication
# by BLAS, in a correlation, entry by entry, and where windows overlap.
_CALL: Final = 10_000
_STORED: Final = 2.0
_BY_MATRICES: Final = 0.1
_FAR_TOO_LONG: Final = 10
_DIRECT: Final = 0.5
_ONE_BY_ONE: Final = 1.0
_IN_WINDOWS: Final = 2.0


@dataclass(frozen=True)
class Step:
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
    steps: tuple[Step, ...]
    price: float
    overlapping: bool
    direct: bool = False
    is_worth_it: bool = True

    @property
    def is_plain(self) -> bool:
        """Whether views are all that it takes."""
        return len(self.steps) < 2 and not self.direct and not self.overlapping


def is_small(entries: int, operands: int) -> bool:
    """Whether an intermediate result takes little space beside operands of so many entries.

    >>> is_small(1000, 10), is_small(10**6, 10), is_small(10**6, 10**6)
    (True, False, True)
    """
    return entries <= max(_FEW, _MOST_TIMES * operands)


def stepped_plan(
    constraints: Constraints,
    sources: tuple[Indices, Indices],
    target: Indices,
    lengths: Mapping[int, int],
) -> SteppedPlan | None:
    """The cheapest plan for a product of an indicator with arrays of indices `sources`.

    `lengths` has the size of every index. None where it would take too many steps.

    >>> window = (("=", ((0, 1), (1, -1), (2, -1))),)
    >>> found = stepped_plan(window, ((0,), (2,)), (1,), {0: 9, 1: 7, 2: 3})
    >>> found.direct, found.moves
    (True, (((1,), (1,)), ((0,), (1,)), ((1,), (0,))))
    """
    solutions = [
        _Solution.of(known, own, (*sources, target), sizes)
        for own, sizes in _with_bands(constraints, lengths)
        for known in choices(own)
    ]
    plans = [found for solution in solutions for found in solution.plans()]
    if not plans:
        return None
    best = min(plans, key=lambda p: p.price)
    stored = max(solutions, key=lambda s: s.free)
    operands = sum(prod(lengths[i] for i in own) for own in (*sources, target))
    slower = best.price >= stored.price_if_stored and not best.direct
    return replace(best, is_worth_it=not slower or not is_small(stored.largest, operands))


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


@dataclass(frozen=True)
class _Solution:
    """The free indices' ranges and conditions, where some indices are known forms of others.

    `axes` are the indices of both arrays and of the target.
    """

    known: Mapping[int, Form]
    axes: tuple[Indices, Indices, Indices]
    ranges: Mapping[int, Range]
    conditions: Sequence[Constraint]

    @classmethod
    def of(
        cls,
        known: Mapping[int, Form],
        constraints: Constraints,
        axes: tuple[Indices, Indices, Indices],
        lengths: Mapping[int, int],
    ) -> "_Solution":
        """Keep the conditions that no range says."""
        ranges = {i: (0, n) for i, n in lengths.items() if i not in known}
        conditions = [(r, inserted(f, known)) for r, f in constraints if r != "="]
        conditions += [(">=", f) for f in inside(known, lengths)]
        for condition in conditions * 2:
            narrow(ranges, *condition)
        left = [c for c in conditions if not is_certain(ranges, *c)]
        return cls(known, axes, ranges, left)

    def plans(self) -> Iterator[SteppedPlan]:
        """With as few steps as it takes, and with those that pull windows apart."""
        if not self.conditions and self._is_direct():
            found = self._stepping_through(())
            # Without a step there is nothing to multiply.
            yield replace(found, direct=bool(found.steps), price=_CALL + _DIRECT * self.free)
            return
        needed = self._needed()
        shifts = [i for i in self._shifts() if i not in needed]
        for chosen in dict.fromkeys((needed, (*needed, *shifts))):
            count = prod(self._width(i) for i in chosen)
            if count <= MOST_STEPS and _CALL * count < _FAR_TOO_LONG * self.price_if_stored:
                yield self._stepping_through(chosen)

    @property
    def free(self) -> int:
        """How many values all free indices take."""
        return prod(map(self._width, self.ranges))

    @property
    def price_if_stored(self) -> float:
        """The time where the largest view is an array of its own."""
        return 2 * _CALL + _STORED * self.largest + self._rate(()) * self.free

    @property
    def largest(self) -> int:
        """The entries of the largest view."""
        return max(prod(map(self._width, view.labels)) for view in self._views(self.ranges))

    def _rate(self, chosen: Collection[int]) -> float:
        """The time of one multiplication, those of matrices being the fastest."""
        left, right, target = ({*v.labels}.difference(chosen) for v in self._views(self.ranges))
        groups = (left & right) - target, (left & target) - right, (right & target) - left
        return _BY_MATRICES if all(groups) else _ONE_BY_ONE

    def _views(self, ranges: Mapping[int, Range]) -> list[View]:
        return [view_of(own, self.known, ranges) for own in self.axes]

    def _width(self, index: int) -> int:
        low, high = self.ranges[index]
        return max(0, high - low)

    def _needed(self) -> tuple[int, ...]:
        """The indices of the fewest steps in which conditions are ranges and no entries meet."""
        width = {i: self._width(i) for i in self.ranges}
        target = self._views(self.ranges)[2]
        order = sorted(width, key=lambda i: (width[i], i))
        subsets = (own for count in range(len(order) + 1) for own in combinations(order, count))
        enough = (
            own
            for own in subsets
            if is_injective(target, width | dict.fromkeys(own, 1))
            and all(_is_range(*c, own) for c in self.conditions)
        )
        return min(enough, key=lambda own: prod(width[i] for i in own))

    def _shifts(self) -> list[int]:
        """All but the longest of the indices that go along one axis of an array together."""
        found: dict[int, None] = {}
        for view in self._views(self.ranges)[:2]:
            for axis in range(len(view.start)):
                own = [i for i, s in zip(view.labels, view.steps, strict=True) if s[axis]]
                own.sort(key=lambda i: (self._width(i), i))
                found.update(dict.fromkeys(own[:-1]))
        return list(found)

    def _is_direct(self) -> bool:
        """Whether one of three vectors has two indices, in steps of one length, the others one."""
        views = sorted(self._views(self.ranges), key=lambda view: len(view.labels))
        if len(self.ranges) != 2 or any(len(view.start) != 1 for view in views):
            return False
        one, other, both = views
        lengths = {abs(step) for (step,) in both.steps}
        counts = [len(view.labels) for view in views]
        return counts == [1, 1, 2] and len(lengths) == 1 and one.labels != other.labels

    def _stepping_through(self, chosen: Sequence[int]) -> SteppedPlan:
        """The plan that steps through the chosen indices."""
        views = self._views(self.ranges)
        every = dict.fromkeys((*views[2].labels, *views[0].labels, *self.ranges))
        labels = tuple(i for i in every if i not in chosen)
        moves = tuple(
            tuple(
                view.steps[view.labels.index(i)] if i in view.labels else (0,) * len(view.start)
                for i in labels
            )
            for view in views
        )
        steps: list[Step] = []
        for values in product(*(range(*self.ranges[i]) for i in chosen)):
            fixed = {i: (v, v + 1) for i, v in zip(chosen, values, strict=True)}
            ranges = _narrowed({**self.ranges, **fixed}, self.conditions)
            if ranges is not None:
                starts = tuple(view.start for view in self._views(ranges))
                steps.append(Step(starts, tuple(ranges[i][1] - ranges[i][0] for i in labels)))
        overlapping = not {*self._shifts()}.issubset(chosen)
        rate = _IN_WINDOWS if overlapping else self._rate(chosen)
        price = _CALL * len(steps) + rate * sum(prod(step.extents) for step in steps)
        return SteppedPlan(labels, moves, tuple(steps), price, overlapping)


def _is_range(relation: object, f: Form, fixed: Sequence[int]) -> bool:
    """Whether a condition is a range of one index, the others fixed."""
    return len({*indices(f)}.difference(fixed)) <= (relation == ">=")


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
