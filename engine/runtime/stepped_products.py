"""Products of an indicator with two arrays, for generated code: view by view, step by step.

A plan (`engine/indices/stepped_plan.py`) says which entries meet at each step. Here a kernel is
chosen for the product of two views, the views are placed in contiguous arrays, and the products of
all steps are added.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.indices.indicator_plan import plan
from eggrad.engine.indices.spec import Indices
from eggrad.engine.indices.stepped_plan import SteppedPlan, ViewStep, stepped_plan
from eggrad.engine.runtime.indicators import (
    Numbers,
    as_constraints,
    indicator_product,
)
from eggrad.engine.terms.binding import Array

# Kernels: what multiplies two views into a third one --------------------------------------------

Order = Sequence[int | None]
"""The labels of a view's axes; None for an axis of length 1. One that does not move repeats."""
Add = Callable[[Array, Array, Array], None]
Moves = Mapping[int, int]
"""How far each label moves in memory, of those that do."""
# Rows of a result so long are better written one after the other than along its last axes.
LONG: Final = 16


def _as_it_is(view: Array) -> Array:
    return view


@dataclass(frozen=True)
class Kernel:
    """Adds the product of two views, each made `ready` before, to a third one.

    Where the product is one of matrices, and those of several steps may be one, `first` is the
    operand whose rows the result has.
    """

    add: Add
    ready: tuple[Callable[[Array], Array], Callable[[Array], Array]] = (_as_it_is, _as_it_is)
    first: int | None = None


def direct_kernel(left: int, right: int, target: int) -> Kernel:
    """The kernel of three vectors by their numbers of labels: that with two is seen in windows.

    >>> found = np.zeros(4)
    >>> direct_kernel(1, 1, 2).add(np.ones(2), np.ones(3), found)
    >>> found
    array([1., 2., 2., 1.])
    """
    return Kernel((_correlate, _exchanged(_correlate), _convolve)[(left, right, target).index(2)])


def _correlate(left: Array, right: Array, target: Array) -> None:
    # NumPy conjugates the second one.
    target += np.correlate(left, right.conj())


def _exchanged(add: Add) -> Add:
    return lambda left, right, target: add(right, left, target)


def _convolve(left: Array, right: Array, target: Array) -> None:
    target += np.convolve(left, right)


def kernel_of(
    labels: Indices,
    left: Moves,
    right: Moves,
    target: Moves,
    *,
    whole: Mapping[int, int] | None = None,
    copies: bool = True,
) -> tuple[tuple[Order, Order, Order], Kernel]:
    """The orders of axes and the kernel, given which labels move where.

    A label that does not move in the target is summed. `whole` has the lengths of those that take
    whole axes of it at every step. Without `copies` no view is made a matrix.

    >>> kernel_of((0, 1), {0: 1}, {0: 3, 1: 1}, {0: 2, 1: 1})[0]
    ((0, 1), (0, 1), (0, 1))
    >>> kernel_of((0, 1, 2), {0: 3, 2: 1}, {2: 5, 1: 1}, {0: 5, 1: 1})[0]
    ((0, 2), (2, 1), (0, 1))
    """
    kept = tuple(i for i in labels if i in target)
    summed = tuple(i for i in labels if i not in target)
    if not summed:
        return (kept, kept, kept), Kernel(_multiply)
    both = left.keys() & right.keys()
    if (
        copies
        and both.issuperset(summed)
        and {*left, *right}.issuperset(kept)
        and not both.issuperset(kept)
    ):
        return _matrices(kept, summed, left, right, whole or {})
    # What no view has is repeated in the first one.
    first = (*left, *(i for i in labels if i not in left and i not in right))
    second = (*right,)
    return (first, second, kept), Kernel(partial(_add_sum, ([*first], [*second], [*kept])))


def _multiply(left: Array, right: Array, target: Array) -> None:
    target += left * right


def _add_sum(
    axes: tuple[list[int], list[int], list[int]], left: Array, right: Array, target: Array
) -> None:
    """A product summed over what the target lacks, entry by entry."""
    first, second, kept = axes
    arguments: list[Any] = [left, first, right, second, kept]
    target += np.einsum(*arguments)


def _matrices(
    kept: Indices, summed: Indices, left: Moves, right: Moves, whole: Mapping[int, int]
) -> tuple[tuple[Order, Order, Order], Kernel]:
    """A product of matrices, perhaps one for each value of some labels in front.

    Rows come from the array whose labels, but for shared ones, lie side by side in the target, so
    that the result is in its order; what is in front of them there belongs to the other array, or
    to both. But where steps write parts of the columns and all of long rows, these become the
    columns.
    """
    exchanged = not _side_by_side(kept, left, right) and _side_by_side(kept, right, left)
    one, other = (right, left) if exchanged else (left, right)
    rows = tuple(i for i in kept if i in one and i not in other)
    front = kept.index(rows[0]) if rows else 0
    lead = tuple(i for k, i in enumerate(kept) if k < front or (i in one and i in other))
    columns = tuple(i for i in kept if i not in (*rows, *lead))
    in_parts = not whole.keys() >= {*columns}
    turned = in_parts and prod(whole.get(i, 0) for i in rows) >= LONG
    if turned:
        one, other, rows, columns, exchanged = other, one, columns, rows, not exchanged
    longer = max(one, other, key=len)
    inner = tuple(sorted(summed, key=lambda i: -abs(longer[i])))
    first = _Matrix.of(lead, (rows, inner), one)
    second = _Matrix.of(lead, (inner, columns), other)
    operands = (second, first) if exchanged else (first, second)
    add = _exchanged(_add_product) if exchanged else _add_product
    kernel = Kernel(add, (operands[0].ready, operands[1].ready), None if turned else int(exchanged))
    return (operands[0].order, operands[1].order, (*lead, *rows, *columns)), kernel


def _side_by_side(kept: Indices, one: Moves, other: Moves) -> bool:
    """Whether the labels of one array alone lie side by side, and those of both in front."""
    places = [k for k, i in enumerate(kept) if i in one and i not in other]
    shared = [k for k, i in enumerate(kept) if i in one and i in other]
    return len(places) == places[-1] - places[0] + 1 if places else not shared


@dataclass(frozen=True)
class _Matrix:
    """A view as matrices: some axes in front, then two groups of axes, perhaps the other first."""

    order: Order
    lead: int
    first: int
    turned: bool

    @classmethod
    def of(cls, lead: Indices, groups: tuple[Indices, Indices], moves: Moves) -> "_Matrix":
        """The group that has the closest entries comes last, as it is copied the fastest."""
        turned = _closest(groups[0], moves) < _closest(groups[1], moves)
        one, other = groups[::-1] if turned else groups
        front = tuple(i if i in moves else None for i in lead)
        return cls((*front, *one, *other), len(lead), len(one), turned)

    def ready(self, view: Array) -> Array:
        """The matrices, in memory as BLAS needs them."""
        lead, rest = view.shape[: self.lead], view.shape[self.lead :]
        matrices = view.reshape(*lead, prod(rest[: self.first]), prod(rest[self.first :]))
        if matrices.itemsize not in matrices.strides[-2:]:
            matrices = matrices.copy()
        return matrices.swapaxes(-1, -2) if self.turned else matrices


def _closest(group: Indices, moves: Moves) -> float:
    return min((abs(moves[i]) for i in group), default=np.inf)


def add_products(
    matrices: Sequence[Array], fixed: Array, targets: Sequence[Array], *, by_rows: bool
) -> None:
    """Add the products of several matrices with another one to a view each, in one product.

    They have one shape, and their rows are those of the products, or else their columns are.

    >>> found = np.zeros((2, 1, 1))
    >>> add_products([np.ones((1, 2)), np.eye(1, 2)], np.ones((2, 1)), [*found], by_rows=True)
    >>> found.ravel()
    array([2., 1.])
    """
    axis = -2 if by_rows else -1
    together = np.concatenate(matrices, axis)
    product = together @ fixed if by_rows else fixed @ together
    parts = np.split(product, len(matrices), axis)
    for part, target in zip(parts, targets, strict=True):
        np.add(target, part.reshape(target.shape), out=target)


def _add_product(left: Array, right: Array, target: Array) -> None:
    target += (left @ right).reshape(target.shape)


# Layouts: where the views lie in contiguous arrays ----------------------------------------------

Place = tuple[tuple[int, ...], int, tuple[int, ...]]
"""A view of a contiguous array: its shape, where it begins, and its strides, both in bytes."""


def whole_labels(plan: SteppedPlan, shape: tuple[int, ...]) -> dict[int, int]:
    """The labels that take a whole axis of the target at every step, and the length of each."""
    found: dict[int, int] = {}
    for place, (label, moves) in enumerate(zip(plan.labels, plan.moves[2], strict=True)):
        axes = [k for k, step in enumerate(moves) if step]
        if len(axes) == 1 and all(s.extents[place] == shape[axes[0]] for s in plan.steps):
            found[label] = shape[axes[0]]
    return found


def axes_as_written(plan: SteppedPlan, order: Order, count: int) -> tuple[int, ...]:
    """The axes of the target in the order in which a kernel writes them.

    As they are, where there is one along which only steps lead.
    """
    moves = dict(zip(plan.labels, plan.moves[2], strict=True))
    along = [k for i in order if i is not None for k, step in enumerate(moves[i]) if step]
    every = tuple(range(count))
    return tuple(dict.fromkeys(along)) if {*along} == {*every} else every


@dataclass(frozen=True)
class Layout:
    """How many bytes each label moves in a contiguous array, the first or second or result."""

    operand: int
    moves: Mapping[int, int]
    strides: tuple[int, ...]

    @classmethod
    def of(
        cls,
        plan: SteppedPlan,
        operand: int,
        shape: tuple[int, ...],
        size: int,
        axes: Sequence[int] | None = None,
    ) -> "Layout":
        """Find it for an array of a shape, of entries of a size, its axes in some order."""
        order = range(len(shape)) if axes is None else axes
        inside = {k: order[place + 1 :] for place, k in enumerate(order)}
        strides = tuple(size * prod(shape[i] for i in inside[k]) for k in range(len(shape)))
        pairs = zip(plan.labels, plan.moves[operand], strict=True)
        moves = {i: sum(map(int.__mul__, m, strides)) for i, m in pairs if any(m)}
        return cls(operand, moves, strides)

    def start(self, step: ViewStep) -> int:
        """Where the first entry is."""
        return sum(map(int.__mul__, step.starts[self.operand], self.strides))

    def places(self, plan: SteppedPlan, order: Order) -> tuple[Place, ...]:
        """The view at every step, its labels in some order; equal ones are one object."""
        strides = tuple(0 if i is None else self.moves.get(i, 0) for i in order)
        same: dict[Place, Place] = {}
        found: list[Place] = []
        for step in plan.steps:
            extents = dict(zip(plan.labels, step.extents, strict=True))
            shape = tuple(1 if i is None else extents[i] for i in order)
            found.append((shape, self.start(step), strides))
        return tuple(same.setdefault(p, p) for p in found)


def along_one_axis(plan: SteppedPlan, layouts: Sequence[Layout]) -> tuple[tuple[Place], ...]:
    """One view of each of three vectors, of which one has two labels along its only axis."""
    (step,) = plan.steps
    lengths = dict(zip(plan.labels, step.extents, strict=True))
    (both,) = (layout for layout in layouts if len(layout.moves) == 2)
    first, second = both.moves
    turned = both.moves[first] != both.moves[second]
    found: list[tuple[Place]] = []
    for layout in layouts:
        start, moves = layout.start(step), dict(layout.moves)
        if turned and second in moves:
            # Counted from its end, the second label moves as the first does.
            start += moves[second] * (lengths[second] - 1)
            moves[second] *= -1
        length = sum(lengths[i] - 1 for i in moves) + 1
        found.append((((length,), start, tuple(moves.values())[:1]),))
    return tuple(found)


# Products ---------------------------------------------------------------------------------------

Specs = tuple[Indices, Indices, Indices, Indices]
# A product of matrices with this many times the entries of one of them.
MUCH_LARGER: Final = 8


def stepped_product(
    spec: Specs, constraints: Numbers, shape: tuple[int, ...], left: Array, right: Array
) -> Array:
    """The product of an indicator of a shape with two arrays.

    `spec` has the indices of the indicator, of both arrays and of the result.

    >>> window = (("=", (1, -1, -1, 0)),)
    >>> spec = ((0, 1, 2), (0,), (2,), (1,))
    >>> stepped_product(spec, window, (4, 3, 2), np.array([1.0, 2.0, 4.0, 8.0]), np.ones(2))
    array([ 3.,  6., 12.])
    """
    left, right = np.asarray(left, order="C"), np.asarray(right, order="C")
    sizes = (left.itemsize, right.itemsize, np.result_type(left, right).itemsize)
    way = _cheaper_way(spec, constraints, (shape, left.shape, right.shape), sizes)
    return way.product(left, right)


@dataclass(frozen=True)
class _Stored:
    """The product of the indicator with one array, as large as `entries`, then with the other."""

    spec: Specs
    constraints: Numbers
    shape: tuple[int, ...]
    kept: Indices
    entries: int
    exchanged: bool

    @classmethod
    def of(
        cls, spec: Specs, constraints: Numbers, shape: tuple[int, ...], lengths: Mapping[int, int]
    ) -> "_Stored":
        """Store what has fewer entries."""
        part, left, right, out = spec
        found: list[_Stored] = []
        for one, other, exchanged in ((left, right, False), (right, left, True)):
            kept = tuple(i for i in dict.fromkeys((*part, *one)) if i in (*other, *out))
            ordered = (part, one, other, out)
            # It may be larger than the memory: then it is not the cheaper way.
            by_views = plan(as_constraints(part, constraints), one, kept, dict(lengths))
            entries = max(prod(lengths[i] for i in kept), 0 if by_views else prod(shape))
            found.append(cls(ordered, constraints, shape, kept, entries, exchanged))
        return min(found, key=lambda s: s.entries)

    def product(self, left: Array, right: Array) -> Array:
        """Compute it."""
        part, one, other, out = self.spec
        first, second = (right, left) if self.exchanged else (left, right)
        stored = indicator_product((part, one, self.kept), self.constraints, self.shape, first)
        return np.einsum(stored, [*self.kept], second, [*other], [*out], optimize=True)


@dataclass(frozen=True)
class _Steps:
    """With which kernel, and where, in both arrays and in the result.

    The result is made with a shape; `axes[k]` is the place of its axis k there.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    kernel: Kernel
    places: tuple[tuple[Place, ...], ...]

    def product(self, left: Array, right: Array) -> Array:
        """Add the products of all views."""
        result = np.zeros(self.shape, np.result_type(left, right))
        self._add(left, right, result)
        return result.transpose(self.axes)[()]

    def _add(self, left: Array, right: Array, result: Array) -> None:
        first, second, written = self.places
        ones = _views(left, first, self.kernel.ready[0])
        others = _views(right, second, self.kernel.ready[1])
        targets = [
            np.ndarray(dims, result.dtype, result, start, strides)
            for dims, start, strides in written
        ]
        if self.moving is None:
            for one, other, target in zip(ones, others, targets, strict=True):
                self.kernel.add(one, other, target)
            return
        moving, fixed = (others, next(ones)) if self.moving else (ones, next(others))
        matrices = [*moving]
        count = max(1, (left.size + right.size + result.size) // targets[0].size)
        for k in range(0, len(targets), count):
            some = slice(k, k + count)
            add_products(
                matrices[some], fixed, targets[some], by_rows=self.moving == self.kernel.first
            )

    @cached_property
    def moving(self) -> int | None:
        """The small matrix that is another one at each step, where the other operand is the same.

        Then a few products are one, with more rows.
        """
        if self.kernel.first is None or len(self.places[2]) < 2:
            return None
        entries = prod(self.places[2][0][0])
        for moving, fixed in ((0, 1), (1, 0)):
            shapes = {dims for dims, _, _ in self.places[moving]}
            is_small = all(0 < MUCH_LARGER * prod(dims) <= entries for dims in shapes)
            if is_small and len(shapes) == len({*self.places[fixed]}) == 1:
                return moving
        return None


def _views(
    array: Array, places: Sequence[Place], ready: Callable[[Array], Array]
) -> Iterator[Array]:
    """The views at some places, made ready for a kernel; the same place only once."""
    before: Place | None = None
    found = array
    for place in places:
        if place is not before:
            before = dims, start, strides = place
            found = ready(np.ndarray(dims, array.dtype, array, start, strides))
        yield found


@lru_cache(maxsize=1024)
def _cheaper_way(
    spec: Specs,
    constraints: Numbers,
    shapes: tuple[tuple[int, ...], ...],
    sizes: tuple[int, int, int],
) -> _Stored | _Steps:
    """For arrays of these shapes, whose entries have these sizes in bytes."""
    part, left, right, target = spec
    lengths = dict(zip(part + left + right, sum(shapes, ()), strict=True))
    out = tuple(lengths[i] for i in target)
    stored = _Stored.of(spec, constraints, shapes[0], lengths)
    on_indices = as_constraints(part, constraints)
    steps = stepped_plan(on_indices, (left, right), target, lengths, stored.entries)
    if steps is None or not steps.is_worth_it:
        return stored
    layouts = [Layout.of(steps, k, dims, sizes[k]) for k, dims in enumerate((*shapes[1:], out))]
    if steps.direct:
        kernel = direct_kernel(*(len(a.moves) for a in layouts))
        return _Steps(out, tuple(range(len(out))), kernel, along_one_axis(steps, layouts))
    moves = (a.moves for a in layouts)
    whole = whole_labels(steps, out)
    orders, kernel = kernel_of(steps.labels, *moves, whole=whole, copies=not steps.overlapping)
    axes = axes_as_written(steps, orders[2], len(out))
    layouts[2] = Layout.of(steps, 2, out, sizes[2], axes)
    places = (layout.places(steps, order) for layout, order in zip(layouts, orders, strict=True))
    shape = tuple(out[k] for k in axes)
    return _Steps(shape, tuple(map(axes.index, range(len(out)))), kernel, tuple(places))
