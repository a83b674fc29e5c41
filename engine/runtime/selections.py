"""What generated code calls for selections: entries that integers choose, and sums into them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.binding import Array

# From so many entries for each place on, rows are added one by one.
_LONG_ROWS: Final = 64


Index = Array | tuple[Array, ...]
"""The place along an axis; along several one array for each, or one with these last."""


def places_along(index: Index, sizes: tuple[int, ...]) -> tuple[Array, ...]:
    """The places that integers say along axes of some sizes, negative ones counted from the end.

    `ShapeError` for a place out of range, `UnsupportedOperation` for what is no integer.

    >>> places_along(np.array([0, -1]), (3,))
    (array([0, 2]),)
    """
    along = places_apart(index, len(sizes))
    return tuple(_counted(_whole(places), n) for places, n in zip(along, sizes, strict=True))


def places_apart(index: Any, count: int) -> tuple[Any, ...]:
    """The places along each of some axes, arrays of any library.

    >>> places_apart(np.array([[0, 1], [2, 3]]), 2)
    (array([0, 2]), array([1, 3]))
    """
    if isinstance(index, tuple):
        return index
    return (index,) if count == 1 else tuple(index[..., k] for k in range(count))


def _whole(index: Array) -> Array:
    given = np.asarray(index)
    with np.errstate(invalid="ignore"):
        whole = given.astype(np.intp, copy=False)
    if given.dtype.kind == "f" and not (whole == given).all():
        raise UnsupportedOperation("an index is an integer, other numbers were given")
    return whole


def _counted(places: Array, size: int) -> Array:
    if not places.size:
        return places
    low, high = places.min(), places.max()
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise ShapeError(f"index {wrong} is out of range for an axis of size {size}")
    return np.where(places < 0, places + size, places) if low < 0 else places


def selection(index: Index, sizes: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """The array that is 1 where the last indices are the places that integers say, 0 elsewhere.

    >>> selection(np.array([2, 0]), (3,))
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    try:
        return _selection(_as_given(index, sizes), sizes, dtype)
    except IndexError:
        return _selection(places_along(index, sizes), sizes, dtype)


def _selection(along: tuple[Array, ...], sizes: tuple[int, ...], dtype: Any) -> Array:
    shape = along[0].shape
    result = np.zeros((*shape, *sizes), dtype)
    result[(*(_every(k, shape) for k in range(len(shape))), *along)] = 1
    return result


def selected(array: Array, axis: int, index: Array) -> Array:
    """The entries at some places along an axis; the axes of `index` take its place.

    >>> selected(np.array([5.0, 6.0, 7.0]), 0, np.array([[2, 0]]))
    array([[7., 5.]])
    """
    try:
        return array.take(index, axis)
    except (IndexError, TypeError):
        (places,) = places_along(index, array.shape[axis : axis + 1])
        return array.take(places, axis)


def selected_product(
    spec: tuple[Indices, Indices, Indices], sizes: tuple[int, ...], index: Index, array: Array
) -> Array:
    """The product of a selection from axes of some sizes with an array.

    >>> spec = ((0, 1), (0,), (1,))
    >>> selected_product(spec, (3,), np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]))
    array([2., 0., 5.])
    """
    plan = selection_plan(spec, len(sizes))
    array = np.asarray(array)
    if plan.reads_places:
        try:
            return plan.product(_as_given(index, sizes), sizes, array)
        except (IndexError, ValueError):
            pass
    return plan.product(places_along(index, sizes), sizes, array)


def _as_given(index: Index, sizes: tuple[int, ...]) -> tuple[Array, ...]:
    """Places along each of some axes as they are, if they are integers; NumPy checks their range.

    What reads or writes there raises `IndexError` or `ValueError`, also where it cannot count from
    the end. `places_along` looks at every place before, and says which of them is wrong.
    """
    every = index if isinstance(index, tuple) else (index,)
    if any(not isinstance(places, np.ndarray) or places.dtype.kind != "i" for places in every):
        return places_along(index, sizes)
    return places_apart(index, len(sizes))


def _every(axis: int, shape: Sequence[int]) -> Array:
    """Every place along one of some axes, ready to be broadcast with those along the others."""
    places = np.arange(shape[axis])
    return places if axis == len(shape) - 1 else places.reshape(-1, *(1,) * (len(shape) - axis - 1))


@dataclass(frozen=True)
class Sum:
    """How an array is summed to other axes: those that go, the order of the rest, what it lacks.

    `missing` are axes of the result along which it is alike, each with its row; so is the array
    along the rows `alike`, which are summed.
    """

    gone: Indices
    order: Indices
    missing: tuple[tuple[int, int], ...]
    alike: Indices

    @classmethod
    def to(cls, out: Indices, labels: Indices, rows: Indices) -> "Sum":
        """From the axes `labels` to the axes `out`."""
        left = [i for i in labels if i in out]
        order = tuple(left.index(i) for i in out if i in left)
        return cls(
            tuple(k for k, i in enumerate(labels) if i not in out),
            () if order == tuple(range(len(order))) else order,
            tuple((k, rows.index(i)) for k, i in enumerate(out) if i not in labels),
            tuple(k for k, i in enumerate(rows) if i not in labels and i not in out),
        )

    def of(self, value: Array, shape: Sequence[int]) -> Array:
        """The sum of an array, where rows have that shape."""
        if self.gone:
            value = np.add.reduce(value, self.gone)
        if self.order:
            value = value.transpose(self.order)
        if self.missing:
            value = np.expand_dims(value, tuple(k for k, _ in self.missing))
            lengths = list(value.shape)
            for k, row in self.missing:
                lengths[k] = shape[row]
            value = np.broadcast_to(value, lengths)
        return value * float(prod(shape[k] for k in self.alike)) if self.alike else value


@dataclass(frozen=True)
class SelectionPlan:
    """How a selection is multiplied with an array: entries are read, summed, and written.

    Keys say an axis that is chosen from by its number k, a row by ~k. `read` is None where the
    array has none of the former; else `order` has its axes that are read before the others.
    `written` is None where the result has no axis that is chosen from; else it has `written`, then
    rows, then what the array has beside them, and `last` is the order in which they are wanted.
    """

    order: Indices
    read: Indices | None
    sums: Sum
    written: Indices | None
    last: Indices
    rows: int
    reads_places: bool

    def product(self, along: tuple[Array, ...], sizes: tuple[int, ...], array: Array) -> Array:
        """The product, given the places along each axis that is chosen from."""
        shape = along[0].shape
        value = array
        if self.read is not None:
            value = array.transpose(self.order)[self._key(self.read, along, shape)]
        value = self.sums.of(value, shape)
        if self.written is None:
            # Others may write to the result.
            shared = np.may_share_memory(value, array) or not value.flags.writeable
            return value.copy() if shared else value[()]
        key = self._key(self.written, along, shape)
        lengths = [sizes[k] if k >= 0 else shape[~k] for k in self.written]
        lengths += value.shape[self.rows :]
        if sum(k < 0 for k in self.written) == self.rows:
            target = np.zeros(lengths, value.dtype)
            target[key] = value
        else:
            target = _added(key, value, lengths)
        return target.transpose(self.last) if self.last else target

    def _key(
        self, places: Indices, along: tuple[Array, ...], shape: Sequence[int]
    ) -> tuple[Array, ...]:
        return tuple(along[k] if k >= 0 else _every(~k, shape) for k in places)


@lru_cache(maxsize=1024)
def selection_plan(spec: tuple[Indices, Indices, Indices], count: int) -> SelectionPlan:
    """How a selection from so many axes is multiplied."""
    part, labels, out = spec
    rows, chosen = part[: len(part) - count], part[len(part) - count :]
    number = {i: ~k for k, i in enumerate(rows)} | {i: k for k, i in enumerate(chosen)}
    order, read = tuple(range(len(labels))), None
    if {*labels} & {*chosen}:
        met = [k for k, i in enumerate(labels) if i in number]
        rest = [k for k in order if k not in met]
        order, read = (*met, *rest), tuple(number[labels[k]] for k in met)
        labels = (*rows, *(labels[k] for k in rest))
    wanted = tuple(i for i in out if i in chosen)
    if not wanted:
        known = read is not None and {*chosen} <= {*spec[1]}
        return SelectionPlan(order, read, Sum.to(out, labels, rows), None, (), len(rows), known)
    kept = tuple(i for i in out if i not in number)
    written = (*wanted, *(i for i in rows if i in out))
    last = tuple((*written, *kept).index(i) for i in out)
    return SelectionPlan(
        order,
        read,
        Sum.to((*rows, *kept), labels, rows),
        tuple(number[i] for i in written),
        () if last == tuple(range(len(last))) else last,
        len(rows),
        {*chosen} <= {*spec[1], *out},
    )


def _added(key: tuple[Array, ...], value: Array, shape: Sequence[int]) -> Array:
    """Values added to zeros at some places along the first axes, which may meet."""
    lengths, rest = shape[: len(key)], shape[len(key) :]
    (flat,) = key if len(key) == 1 else (np.ravel_multi_index(np.broadcast_arrays(*key), lengths),)
    places, entries = prod(lengths), prod(rest)
    rows = value.reshape(flat.size, entries)
    if value.dtype != np.float64 or entries > _LONG_ROWS:
        target = np.zeros((places, entries), value.dtype)
        np.add.at(target, flat.ravel(), rows)
        return target.reshape(shape)
    every = (
        flat.ravel()
        if entries == 1
        else np.add.outer(flat.ravel() * entries, np.arange(entries)).ravel()
    )
    # Places beyond the last make it longer, which is no such shape.
    return np.bincount(every, rows.ravel(), places * entries).reshape(shape)
