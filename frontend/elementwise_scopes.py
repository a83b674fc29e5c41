"""Blocks of index values, over which element-wise definitions are evaluated at once."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from eggrad.engine.rational_affine import Affine, Rational
from eggrad.frontend.elementwise_syntax import Node

__all__ = ["Axis", "Scope", "extremes", "inside", "view"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Axis:
    """An index in a block: its first value, how many, and its axis, counted from the last."""

    first: int
    length: int
    place: int


@dataclass(frozen=True)
class Scope:
    """The indices of a block, and where the block is needed: everywhere, or at `live` points.

    A sum's axis is in front of all others, so that values from outside it broadcast. `found` has
    the values of sums and functions in this block: derivatives repeat them.
    """

    axes: Mapping[str, Axis]
    live: Array | None = None
    found: dict[Node, Any] = field(init=False, compare=False, default_factory=dict[Node, Any])

    @property
    def entries(self) -> int:
        """The number of points."""
        return prod(a.length for a in self.axes.values())

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes, those in front first."""
        lengths = {a.place: a.length for a in self.axes.values()}
        return tuple(lengths.get(p, 1) for p in range(self.place_in_front() - 1, -1, -1))

    def values(self, axis: Axis) -> Array:
        """The values of an index, along its axis."""
        numbers = np.arange(axis.first, axis.first + axis.length)
        return numbers.reshape((axis.length,) + (1,) * axis.place)

    def at(self, mask: Array) -> "Scope":
        """The same block, needed where the mask says so as well."""
        return replace(self, live=mask if self.live is None else self.live & mask)

    def place_in_front(self) -> int:
        """The place of an axis before all others."""
        return 1 + max((a.place for a in self.axes.values()), default=-1)

    def narrowed(self, names: Container[str]) -> "Scope":
        """The block of some of the indices, needed where it is for any value of the others."""
        axes = {n: a for n, a in self.axes.items() if n in names}
        inner = replace(self, axes=axes)
        if self.live is None or len(axes) == len(self.axes):
            return inner
        live = np.broadcast_to(self.live, self.shape)
        depth = len(self.shape)
        gone = tuple(depth - 1 - a.place for n, a in self.axes.items() if n not in names)
        live = live.any(axis=gone, keepdims=True)
        return replace(inner, live=live.reshape(inner.shape))

    def restricted(self, constraints: Sequence[Affine]) -> "Scope | None":
        """The block where constraints of one index each hold; None if there is no such point."""
        axes = dict(self.axes)
        for form in constraints:
            for name, c in form.items():
                axis = axes[name]
                low, high = axis.first, axis.first + axis.length - 1
                if c > 0:
                    low = max(low, ceil(-form.constant / c))
                else:
                    high = min(high, floor(form.constant / -c))
                if low > high:
                    return None
                axes[name] = replace(axis, first=low, length=high - low + 1)
            if form.is_constant and form.constant < 0:
                return None
        return self.cut(axes)

    def around(self, inner: "Scope") -> "Iterator[Scope]":
        """Blocks that make up the rest beside a block within this one."""
        axes = dict(self.axes)
        for name, own in inner.axes.items():
            first, end = axes[name].first, axes[name].first + axes[name].length
            for start, stop in ((first, own.first), (own.first + own.length, end)):
                if start < stop:
                    part = replace(own, first=start, length=stop - start)
                    yield self.cut({**axes, name: part})
            axes[name] = own

    def cut(self, axes: Mapping[str, Axis]) -> "Scope":
        """A block within this one."""
        inner = replace(self, axes=axes)
        if self.live is None:
            return inner
        return replace(inner, live=np.broadcast_to(self.live, self.shape)[inner.part_of(self)])

    def part_of(self, outer: "Scope") -> tuple[slice, ...]:
        """Where the block is in an array of a larger block, whose axes of length 1 stay."""
        places = sorted((a.place, n) for n, a in self.axes.items())
        parts: dict[int, slice] = {}
        for place, name in places:
            start = self.axes[name].first - outer.axes[name].first
            parts[place] = slice(start, start + self.axes[name].length)
        depth = outer.place_in_front()
        return tuple(parts.get(p, slice(None)) for p in range(depth - 1, -1, -1))


def extremes(form: Affine, scope: Scope) -> tuple[Rational, Rational]:
    """The least and the greatest value of a form in a block."""
    least = most = form.constant
    for name, c in form.items():
        axis = scope.axes[name]
        ends = (c * axis.first, c * (axis.first + axis.length - 1))
        least, most = least + min(ends), most + max(ends)
    return least, most


def inside(form: Affine, scope: Scope, length: int) -> bool:
    """Whether a form is an integer within an axis at all points of a block."""
    least, most = extremes(form, scope)
    return form.denominator == 1 and least >= 0 and most < length


def view(array: Array, forms: Sequence[Affine], scope: Scope) -> Array:
    """The entries at affine places, as a view: one stride for each index."""
    firsts = (f.constant + sum(c * scope.axes[n].first for n, c in f.items()) for f in forms)
    start = tuple(slice(int(first), None) for first in firsts)
    strides: dict[int, int] = {}
    lengths: dict[int, int] = {}
    for form, own in zip(forms, array.strides, strict=True):
        for name, c in form.items():
            axis = scope.axes[name]
            strides[axis.place] = strides.get(axis.place, 0) + int(c) * own
            lengths[axis.place] = axis.length
    places = range(max(lengths, default=-1), -1, -1)
    shape = tuple(lengths.get(p, 1) for p in places)
    return as_strided(
        array[start],
        shape,
        # One entry takes no step, of whatever length.
        tuple(strides[p] if lengths.get(p, 1) > 1 else 0 for p in places),
        writeable=False,
    )
