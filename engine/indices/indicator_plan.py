"""How a product with an indicator is computed without the indicator: by views.

Each equality gives one index as an affine form of the others, which stay *free*. Then the other
operand is read through a view with one axis for each free index, and the result is written
through another one: `Σ_b [b = 2i + 1] x_b` is `x[1::2]`, and the sum over `i` its adjoint.
Here all sizes are numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import cast

from eggrad.engine.indices import affine
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.constraints import Constraints, renamed_all, solved
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec, sizes

Range = tuple[int, int]


@dataclass(frozen=True)
class View:
    """An array's entries at affine forms of free indices: where it begins, and its steps.

    `steps` has for each index in `labels` how far it moves along each axis of the array.
    """

    labels: Indices
    start: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]

    @cached_property
    def along(self) -> tuple[Indices, ...]:
        """The indices that move along each axis of the array."""
        pairs = list(zip(self.labels, self.steps, strict=True))
        return tuple(tuple(i for i, step in pairs if step[axis]) for axis in range(len(self.start)))

    @cached_property
    def slices(self) -> tuple[tuple[int | None, int, int], ...] | None:
        """For each axis the index that moves along it, where it begins, and its step.

        None where an index moves along two axes, or two indices along one.
        """
        every = [i for indices in self.along for i in indices]
        if len({*every}) < len(every) or any(len(indices) > 1 for indices in self.along):
            return None
        steps = dict(zip(self.labels, self.steps, strict=True))
        return tuple(
            (indices[0], start, steps[indices[0]][axis]) if indices else (None, start, 1)
            for axis, (indices, start) in enumerate(zip(self.along, self.start, strict=True))
        )


@dataclass(frozen=True)
class RunningSum:
    """The sum of an array's entries up to each place along an axis; from there on if `backward`.

    `labels` are the indices of its axes, which lie as those of the array. `entries` says how many
    there are in each sum: a step, and the number in the first sum; none if that is negative, and
    never more than there are.
    """

    axis: int
    backward: bool
    labels: Indices
    entries: tuple[int, int] = (1, 1)

    @classmethod
    def of(cls, f: AffineForm, source: Indices, target: Indices) -> "RunningSum | None":
        """That where `f >= 0`, if it tells one index of the array from the one in its place."""
        gone = [i for i in source if i not in target]
        new = [i for i in target if i not in source]
        if not len(gone) == len(new) == 1 or {*affine.indices(f)} != {*gone, *new}:
            return None
        sign = affine.coefficient(f, gone[0])
        if abs(sign) != 1:
            return None
        labels = tuple(new[0] if i == gone[0] else i for i in source)
        return cls(source.index(gone[0]), sign > 0, labels)


@dataclass(frozen=True)
class IndicatorPlan:
    """`target[labels] = Σ source[labels] · mask`, for the free indices within `ranges`.

    `mask` are the constraints that no range says. Without `injective` several free indices meet
    one entry of the target, and are added.
    """

    ranges: dict[int, Range]
    source: View
    target: View
    mask: Constraints
    injective: bool
    # Whether the target is all of an array, its axes the free indices themselves.
    is_whole: bool
    # Places of labels of the target; of one index for each of these, no two entries meet.
    apart: tuple[int, ...]

    def extent(self, index: int) -> int:
        """How many values a free index takes."""
        low, high = self.ranges[index]
        return max(0, high - low)

    @cached_property
    def is_empty(self) -> bool:
        """Whether a free index takes no value, so that the product is 0."""
        return any(self.extent(i) == 0 for i in self.ranges)

    @cached_property
    def kept(self) -> Indices:
        """The indices of the product before it is written; in the target's order if it has all."""
        known = {*self.source.labels, *self.masked}
        return tuple(i for i in self.target.labels if i in known)

    @cached_property
    def masked(self) -> Indices:
        """The indices of the mask, those of the target first, in its order."""
        found = dict.fromkeys(i for _, f in self.mask for i in affine.indices(f))
        return tuple(dict.fromkeys([*(i for i in self.target.labels if i in found), *found]))

    @cached_property
    def mask_numbers(self) -> tuple[tuple[str | int, tuple[int, ...]], ...]:
        """The mask's constraints, on indices that are counted from where their ranges begin."""
        return self.numbers(self.masked)

    def numbers(self, axes: Indices) -> tuple[tuple[str | int, tuple[int, ...]], ...]:
        """The same for indices in another order."""
        found: list[tuple[str | int, tuple[int, ...]]] = []
        for relation, f in self.mask:
            start = affine.evaluate(f, lambda k: self.ranges[cast(int, k)][0])
            found.append((relation, (*(affine.coefficient(f, i) for i in axes), start)))
        return tuple(found)

    @cached_property
    def running(self) -> RunningSum | None:
        """The running sum that the mask asks for; None where it says something else."""
        if len(self.mask) != 1 or self.mask[0][0] != ">=" or self.repetitions != 1:
            return None
        found = RunningSum.of(self.mask[0][1], self.source.labels, self.target.labels)
        if found is None:
            return None
        gone, new = self.source.labels[found.axis], found.labels[found.axis]
        ((_, (step, _, start)),) = self.numbers((new, gone))
        last = self.extent(gone) - 1 if found.backward else 0
        return replace(found, entries=(step, start + last + 1))

    @cached_property
    def repetitions(self) -> int:
        """How many values the indices take that only the sum has."""
        known = {*self.target.labels, *self.source.labels, *self.masked}
        return prod(self.extent(i) for i in self.ranges if i not in known)

    @property
    def is_view(self) -> bool:
        """Whether the result is a view of the array."""
        return not self.mask and self.is_whole and {*self.source.labels} == {*self.target.labels}

    @property
    def work(self) -> int:
        """How many entries are read or written."""
        points = prod(self.extent(i) for i in self.ranges)
        return points * (1 + 3 * bool(self.mask) + 3 * (not self.injective))


def plan(
    constraints: Constraints, source: Indices, target: Indices, lengths: dict[int, int]
) -> IndicatorPlan | None:
    """The cheapest plan for a product of an indicator with an array of indices `source`.

    `lengths` has the size of every index. None where an equality determines no index, or where
    something outside of the array would be read.

    >>> found = plan((("=", ((0, 2), (1, -1), ("", 1))),), (1,), (0,), {0: 3, 1: 7})
    >>> found.source
    View(labels=(0,), start=(1,), steps=((2,),))
    """
    found = (_planned(k, constraints, source, target, lengths) for k in choices(constraints))
    plans = (p for p in found if p is not None)
    return min(plans, key=lambda p: (p.work, not p.is_view, not p.is_whole), default=None)


def choices(constraints: Constraints) -> Iterator[dict[int, AffineForm]]:
    """Every way to give some indices in terms of the others by the equalities."""
    equalities = [f for relation, f in constraints if relation == "="]
    units = [
        [i for i in affine.indices(f) if abs(affine.coefficient(f, i)) == 1] for f in equalities
    ]
    for chosen in product(*units):
        known = _solutions(equalities, chosen)
        if known is not None:
            yield known


def _solutions(
    equalities: Sequence[AffineForm], chosen: Sequence[int]
) -> dict[int, AffineForm] | None:
    """Each chosen index in terms of those that are not chosen; None where that cannot be."""
    known: dict[int, AffineForm] = {}
    for f, index in zip(equalities, chosen, strict=True):
        reduced = f
        for i, value in known.items():
            reduced = affine.substituted(reduced, i, value)
        if abs(affine.coefficient(reduced, index)) != 1:
            return None
        value = solved(reduced, index)
        known = {i: affine.substituted(g, index, value) for i, g in known.items()} | {index: value}
    return known


def _planned(
    known: dict[int, AffineForm],
    constraints: Constraints,
    source: Indices,
    target: Indices,
    lengths: dict[int, int],
) -> IndicatorPlan | None:
    ranges, mask = free_ranges(known, constraints, lengths)
    # A mask comes too late for what lies outside of an array.
    within = _inside(known, lengths)
    if any(relation == ">=" and f in within for relation, f in mask):
        return None
    read, written = view_of(source, known, ranges), view_of(target, known, ranges)
    whole = written.labels == target and all(ranges[i] == (0, lengths[i]) for i in target)
    apart = _apart(written, ranges)
    return IndicatorPlan(ranges, read, written, mask, not apart, whole, apart)


def free_ranges(
    known: Mapping[int, AffineForm], constraints: Constraints, lengths: Mapping[int, int]
) -> tuple[dict[int, Range], Constraints]:
    """The ranges of the indices that are not known, and the conditions that no range says.

    >>> known = {1: ((0, 1), ("", 2))}
    >>> free_ranges(known, (("=", ((0, 1), (1, -1), ("", 2))),), {0: 5, 1: 4})
    ({0: (0, 2)}, ())
    """
    ranges = {i: (0, n) for i, n in lengths.items() if i not in known}
    conditions = [(relation, inserted(f, known)) for relation, f in constraints if relation != "="]
    conditions += [(">=", f) for f in _inside(known, lengths)]
    for condition in conditions * 2:
        narrow(ranges, *condition)
    return ranges, tuple(c for c in conditions if not _is_certain(ranges, *c))


def _inside(known: Mapping[int, AffineForm], lengths: Mapping[int, int]) -> list[AffineForm]:
    """What is not negative because known indices lie in the ranges of their axes."""
    ends = (
        (f, affine.plus(affine.times(-1, f), affine.form([("", lengths[i] - 1)])))
        for i, f in known.items()
    )
    return [f for pair in ends for f in pair]


def inserted(f: AffineForm, known: Mapping[int, AffineForm]) -> AffineForm:
    """The form with known indices put in."""
    for i, value in known.items():
        f = affine.substituted(f, i, value)
    return f


def narrow(ranges: dict[int, Range], relation: object, f: AffineForm) -> None:
    """Use an inequality of one index as a bound of its range."""
    indices = affine.indices(f)
    if relation != ">=" or len(indices) != 1:
        return
    (i,) = indices
    c, number = affine.coefficient(f, i), affine.coefficient(f, "")
    low, high = ranges[i]
    # c·i + number >= 0
    ranges[i] = (max(low, -(number // c)), high) if c > 0 else (low, min(high, number // -c + 1))


def _is_certain(ranges: dict[int, Range], relation: object, f: AffineForm) -> bool:
    """Whether a constraint holds for all indices within their ranges."""
    if any(low >= high for low, high in ranges.values()):
        return True
    if relation != ">=":
        return not f
    ends = {i: (low, high - 1) for i, (low, high) in ranges.items()}
    return sum(c * (ends[k][c < 0] if isinstance(k, int) else 1) for k, c in f) >= 0


def view_of(axes: Indices, known: Mapping[int, AffineForm], ranges: Mapping[int, Range]) -> View:
    """An array's entries where its axes have the indices `axes`, some of them known forms."""
    forms = [known.get(i, affine.form([(i, 1)])) for i in axes]
    labels = tuple(dict.fromkeys(i for f in forms for i in affine.indices(f)))
    start = tuple(affine.evaluate(f, lambda k: ranges[cast(int, k)][0]) for f in forms)
    return View(
        labels, start, tuple(tuple(affine.coefficient(f, i) for f in forms) for i in labels)
    )


def _apart(view: View, ranges: dict[int, Range]) -> tuple[int, ...]:
    """The fewest places of labels without which no two indices certainly meet one entry."""
    width = {i: ranges[i][1] - ranges[i][0] for i in view.labels}
    order = sorted(range(len(view.labels)), key=lambda k: width[view.labels[k]])
    for count in range(len(order) + 1):
        for apart in combinations(order, count):
            fixed = {view.labels[k] for k in apart}
            if is_injective(view, width | dict.fromkeys(fixed, 1)):
                return apart
    return tuple(order)


def is_injective(view: View, width: dict[int, int]) -> bool:
    """Whether the entries are certainly different ones for different indices.

    So it is where each index is told by an axis: alone, or as a digit of a mixed radix.
    """
    told = {i for i in view.labels if width[i] <= 1}
    before = -1
    while before != len(told):
        before = len(told)
        for axis in range(len(view.start)):
            steps = zip(view.labels, view.steps, strict=True)
            digits = sorted((abs(s[axis]), i) for i, s in steps if s[axis] and i not in told)
            reach = 0
            for c, i in digits:
                if c <= reach:
                    break
                reach += c * (width[i] - 1)
            else:
                told.update(i for _, i in digits)
    return len(told) == len(view.labels)


# Which operands of a product are mostly zeros, as far as costs go.


@dataclass(frozen=True)
class Chosen:
    """What costs know of a selection: how many of its axes, the last ones, have one entry each."""

    count: int


Sparsity = bool | Constraints | Chosen
"""False for what has any entries, True for a delta, its constraints for an indicator."""


def stored_places(
    spec: object,
    args: Sequence[Dims],
    sparsity: Sequence[Sparsity],
    length: Callable[[Size], int],
) -> tuple[int, ...]:
    """The operands that are indicators or selections and have to be there as arrays.

    >>> stored_places(((0, 1), (1, 2), (0, 2)), [(3, 4), (4, 5)], [Chosen(1), Chosen(1)], int)
    (1,)
    """
    every = tuple(k for k, known in enumerate(sparsity) if known and known is not True)
    if not every or not isinstance(spec, tuple):
        return every
    selecting = selection_place(cast(Spec, spec), sparsity)
    if selecting is not None:
        return tuple(k for k in every if k != selecting)
    return every if plan_of(spec, args, sparsity, length) is None else ()


def selection_place(spec: Sequence[Indices], sparsity: Sequence[Sparsity]) -> int | None:
    """Which operand of a product is a selection that is never stored; None where none is.

    >>> selection_place(((0, 1), (1, 2), (0, 2)), [Chosen(1), False])
    0
    """
    if any(len({*part}) < len(part) for part in spec):
        return None
    places = (k for k, known in enumerate(sparsity) if isinstance(known, Chosen))
    return next(places, None)


def visited_dims(
    spec: Sequence[Indices],
    args: Sequence[Dims],
    sparsity: Sequence[Sparsity],
    length: Callable[[Size], int],
) -> dict[int, Size]:
    """The indices of a product with their sizes, without those that an indicator gives.

    It gives none where the product is computed from an array of zeros and ones.
    """
    space = sizes(tuple(spec), *args)
    selecting = selection_place(spec, sparsity)
    if selecting is not None:
        count = cast(Chosen, sparsity[selecting]).count
        chosen = spec[selecting][len(spec[selecting]) - count :]
        return {i: d for i, d in space.items() if i not in chosen}
    planned = plan_of(spec, args, sparsity, length)
    return {i: d for i, d in space.items() if planned is None or i in planned.ranges}


def plan_of(
    spec: object,
    args: Sequence[Dims],
    sparsity: Sequence[Sparsity],
    length: Callable[[Size], int],
) -> IndicatorPlan | None:
    """How a product with an indicator is computed through views; None where it is not.

    >>> product = ((0, 1), (1,), (0,))
    >>> next_entry = (("=", ((0, 1), (1, -1), ("", 1))),)
    >>> plan_of(product, [(4, 5), (5,)], [next_entry, False], int).is_view
    True
    """
    place, known = _only_indicator(sparsity)
    if not known or not isinstance(spec, tuple) or len(args) != 2:
        return None
    parts = cast(Spec, spec)
    if any(len(set(part)) < len(part) for part in parts):
        return None
    lengths = {i: length(d) for i, d in sizes(parts, *args).items()}
    numbers = numbered(known, parts[place], length)
    return plan(numbers, parts[1 - place], parts[-1], lengths)


def running_sum_of(
    spec: Spec, args: Sequence[Dims], sparsity: Sequence[Sparsity]
) -> RunningSum | None:
    """The running sum that a product with one indicator is; None where it is something else.

    >>> product, dims = ((0, 1), (1, 2), (0, 2)), [("n", "n"), ("n", "p")]
    >>> triangle = (("=", ((0, 1), (1, -1))),), ((">=", ((0, 1), (1, -1))),)
    >>> [running_sum_of(product, dims, [t, False]) for t in triangle]
    [None, RunningSum(axis=0, backward=False, labels=(0, 2), entries=(1, 1))]
    """
    place, known = _only_indicator(sparsity)
    one = len(known) == 1 and known[0][0] == ">=" and len(args) == 2
    if not one or any(len({*p}) < len(p) for p in spec):
        return None
    f = affine.renamed(known[0][1], dict(enumerate(spec[place])))
    found = RunningSum.of(f, spec[1 - place], spec[-1])
    if found is None:
        return None
    gone, new = spec[1 - place][found.axis], found.labels[found.axis]
    size_of = sizes(spec, *args)
    whole = f in (affine.form([(new, 1), (gone, -1)]), affine.form([(new, -1), (gone, 1)]))
    return found if whole and size_of[gone] == size_of[new] else None


def numbered(constraints: Constraints, part: Indices, length: Callable[[Size], int]) -> Constraints:
    """An indicator's constraints on the indices that its axes have in a product, at some sizes.

    >>> numbered((("=", ((0, 1), (1, -1), ("n", 1))),), (5, 3), lambda size: 9)
    (('=', ((3, -1), (5, 1), ('', 9))),)
    """

    def at_sizes(f: AffineForm) -> AffineForm:
        return affine.form(
            ("", c * length(k)) if isinstance(k, str) and k else (k, c) for k, c in f
        )

    return tuple((r, at_sizes(f)) for r, f in renamed_all(constraints, dict(enumerate(part))))


def _only_indicator(sparsity: Sequence[Sparsity]) -> tuple[int, Constraints]:
    """The place of the only indicator and its constraints; none where there are several."""
    found = [(k, known) for k, known in enumerate(sparsity) if known and isinstance(known, tuple)]
    return cast(tuple[int, Constraints], found[0]) if len(found) == 1 else (0, ())
