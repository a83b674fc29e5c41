"""What generated code calls for selections: entries that integers choose, and sums into them."""

from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.binding import Array

# From so many entries for each place on, rows are added one by one.
_LONG_ROWS: Final = 64


def places_along(index: Array, sizes: tuple[int, ...]) -> tuple[Array, ...]:
    """The places that integers say along axes of some sizes, negative ones counted from the end.

    Of several axes the last axis of `index` has the place along each. `ShapeError` for a place out
    of range, `UnsupportedOperation` for what is no integer.

    >>> places_along(np.array([0, -1]), (3,))
    (array([0, 2]),)
    """
    given = np.asarray(index)
    with np.errstate(invalid="ignore"):
        whole = given.astype(np.intp, copy=False)
    if given.dtype.kind == "f" and not (whole == given).all():
        raise UnsupportedOperation("an index is an integer, other numbers were given")
    along = (whole,) if len(sizes) == 1 else tuple(np.moveaxis(whole, -1, 0))
    return tuple(_counted(own, n) for own, n in zip(along, sizes, strict=True))


def _counted(places: Array, size: int) -> Array:
    if not places.size:
        return places
    low, high = places.min(), places.max()
    if low < -size or high >= size:
        wrong = low if low < -size else high
        raise ShapeError(f"index {wrong} is out of range for an axis of size {size}")
    return np.where(places < 0, places + size, places) if low < 0 else places


def selection(index: Array, sizes: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """The array that is 1 where the last indices are the places that integers say, 0 elsewhere.

    >>> selection(np.array([2, 0]), (3,))
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    along = places_along(index, sizes)
    result = np.zeros((*along[0].shape, *sizes), dtype)
    result[(*np.ogrid[tuple(map(slice, along[0].shape))], *along)] = 1
    return result


def selected(array: Array, axis: int, index: Array) -> Array:
    """The entries at some places along an axis; the axes of `index` take its place.

    >>> selected(np.array([5.0, 6.0, 7.0]), 0, np.array([[2, 0]]))
    array([[7., 5.]])
    """
    (places,) = places_along(index, array.shape[axis : axis + 1])
    return array.take(places, axis)


def selected_product(
    spec: tuple[Indices, Indices, Indices], sizes: tuple[int, ...], index: Array, array: Array
) -> Array:
    """The product of a selection from axes of some sizes with an array.

    >>> spec = ((0, 1), (0,), (1,))
    >>> selected_product(spec, (3,), np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0]))
    array([2., 0., 5.])
    """
    own, other, out = spec
    array = np.asarray(array)
    along = places_along(index, sizes)
    rows, chosen = own[: len(own) - len(sizes)], own[len(own) - len(sizes) :]
    length = dict(zip(rows, along[0].shape, strict=True)) | dict(zip(chosen, sizes, strict=True))
    length |= dict(zip(other, array.shape, strict=True))
    places = dict(zip(chosen, along, strict=True))
    value, labels = _read(array, other, rows, places)
    written = tuple(i for i in chosen if i in out)
    if not written:
        found = _summed(value, labels, out, length, (*rows, *out))
        # Others may write to the result.
        shared = np.may_share_memory(found, array) or not found.flags.writeable
        return found.copy() if shared else found
    kept = tuple(i for i in out if i not in written and i not in rows)
    value = _summed(value, labels, (*rows, *kept), length, rows)
    shared = tuple(i for i in rows if i in out)
    key = [*(places[i] for i in written), *_ranges(shared, rows, length)]
    target = np.zeros([length[i] for i in (*written, *shared, *kept)], value.dtype)
    if len(shared) == len(rows):
        target[tuple(key)] = value
    else:
        _add(target, key, value)
    order = (*written, *shared, *kept)
    return target.transpose([order.index(i) for i in out])


def _read(
    array: Array, labels: Indices, rows: Indices, places: dict[int, Array]
) -> tuple[Array, Indices]:
    """The entries of an array at the places along those of its axes that are chosen from."""
    if not any(i in places for i in labels):
        return array, labels
    met = [k for k, i in enumerate(labels) if i in places or i in rows]
    rest = [k for k in range(len(labels)) if k not in met]
    length = dict(zip(labels, array.shape, strict=True))
    key = [
        places[labels[k]] if labels[k] in places else _ranges((labels[k],), rows, length)[0]
        for k in met
    ]
    return array.transpose([*met, *rest])[tuple(key)], (*rows, *(labels[k] for k in rest))


def _ranges(axes: Indices, rows: Indices, length: dict[int, int]) -> list[Array]:
    """Every place along some of the axes of `rows`, ready to be broadcast with theirs."""
    return [np.arange(length[i]).reshape([length[i] if j == i else 1 for j in rows]) for i in axes]


def _summed(
    value: Array, labels: Indices, out: Indices, length: dict[int, int], repeated: Indices
) -> Array:
    """The array summed to the axes `out`; along those of `repeated` that it lacks it is alike."""
    kept = tuple(i for i in out if i in labels)
    gone = tuple(k for k, i in enumerate(labels) if i not in out)
    found = value.sum(gone) if gone else value
    left = [i for i in labels if i in out]
    found = np.asarray(found).transpose([left.index(i) for i in kept])
    times = prod(length[i] for i in {*repeated} if i not in labels and i not in out)
    missing = [k for k, i in enumerate(out) if i not in labels]
    if missing:
        found = np.broadcast_to(np.expand_dims(found, missing), [length[i] for i in out])
    return found * float(times) if times != 1 else found


def _add(target: Array, key: list[Array], value: Array) -> None:
    """Add to the entries of a target at some places, which may meet."""
    count = len(key)
    shape, rest = target.shape[:count], target.shape[count:]
    flat = np.ravel_multi_index(tuple(np.broadcast_arrays(*key)), shape).ravel()
    entries = prod(rest)
    rows = value.reshape(flat.size, entries)
    into = target.reshape(prod(shape), entries)
    if target.dtype != np.float64 or entries > _LONG_ROWS:
        np.add.at(into, flat, rows)
        return
    every = (flat[:, None] * entries + np.arange(entries)).ravel()
    into += np.bincount(every, rows.ravel(), into.size).reshape(into.shape)
