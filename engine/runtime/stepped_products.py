"""Products of an indicator with two arrays, for generated code: view by view, step by step."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Final

import numpy as np

from eggrad.engine.indices.spec import Indices
from eggrad.engine.indices.stepped_plan import stepped_plan
from eggrad.engine.runtime.indicators import (
    Numbers,
    as_constraints,
    indicator_product,
    product_plan,
)
from eggrad.engine.runtime.stepped_layouts import (
    Layout,
    Place,
    along_one_axis,
    axes_as_written,
    whole_labels,
)
from eggrad.engine.runtime.view_kernels import Kernel, add_products, direct_kernel, kernel_of
from eggrad.engine.terms.binding import Array

__all__ = ["stepped_product"]

Specs = tuple[Indices, Indices, Indices, Indices]
# A product of matrices that has so many times the entries of one of them.
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
            own = (part, one, other, out)
            dims = tuple(lengths[i] for i in one)
            plan = product_plan((part, one, kept), constraints, shape, dims)
            entries = max(prod(lengths[i] for i in kept), 0 if plan else prod(shape))
            found.append(cls(own, constraints, shape, kept, entries, exchanged))
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
        first, second, own = self.places
        ones = _views(left, first, self.kernel.ready[0])
        others = _views(right, second, self.kernel.ready[1])
        targets = [
            np.ndarray(dims, result.dtype, result, start, strides) for dims, start, strides in own
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
    own_constraints = as_constraints(part, constraints)
    plan = stepped_plan(own_constraints, (left, right), target, lengths, stored.entries)
    if plan is None or not plan.is_worth_it:
        return stored
    own = [Layout.of(plan, k, dims, sizes[k]) for k, dims in enumerate((*shapes[1:], out))]
    if plan.direct:
        kernel = direct_kernel(*(len(a.moves) for a in own))
        return _Steps(out, tuple(range(len(out))), kernel, along_one_axis(plan, own))
    moves = (a.moves for a in own)
    whole = whole_labels(plan, out)
    orders, kernel = kernel_of(plan.labels, *moves, whole=whole, copies=not plan.overlapping)
    axes = axes_as_written(plan, orders[2], len(out))
    own[2] = Layout.of(plan, 2, out, sizes[2], axes)
    places = (layout.places(plan, order) for layout, order in zip(own, orders, strict=True))
    shape = tuple(out[k] for k in axes)
    return _Steps(shape, tuple(map(axes.index, range(len(out)))), kernel, tuple(places))
