"""What generated code calls for indicators: products through views, and arrays of 0 and 1."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from operator import mul
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from eggrad.engine.indices.affine import form
from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.indicator_plan import IndicatorPlan, RunningSum, View, plan
from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.binding import Array, check_shape

Numbers = tuple[tuple[str | int, tuple[int, ...]], ...]
"""Constraints with all sizes known: relations, each with a coefficient for every axis, and 1."""

# The last few arrays of zeros and ones are kept, unless they are large.
_KEPT: Final = 16
_LARGEST_KEPT: Final = 1_000_000
_LARGEST: Final = 1 << 62


def zeros_and_ones(constraints: Numbers, shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """The array that is 1 where constraints hold; nobody may write to it.

    >>> zeros_and_ones((("=", (1, -1, 1)),), (2, 3))
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    make = _kept_array if prod(shape) <= _LARGEST_KEPT else _array
    return make(constraints, shape, dtype)


def _array(constraints: Numbers, shape: tuple[int, ...], dtype: Any) -> Array:
    result = np.ones(shape, dtype)
    axes = np.ogrid[tuple(slice(n) for n in shape)]
    for relation, coefficients in constraints:
        kind = _integers(coefficients, shape)
        grid = [axis.astype(kind, copy=False) for axis in axes]
        result *= holds(relation, coefficients, grid)
    result.flags.writeable = False
    return result


def holds(relation: str | int, coefficients: Sequence[int], grid: Sequence[Any]) -> Any:
    """Whether a constraint holds, for the indices of all axes, ready to be broadcast."""
    *steps, start = coefficients
    value = sum((c * axis for c, axis in zip(steps, grid, strict=True) if c), start)
    if relation == ">=":
        return value >= 0
    return (value % relation if isinstance(relation, int) else value) == 0


def _integers(coefficients: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The type of the values of a form: Python's integers where 64 bits might be too few."""
    *factors, start = coefficients
    size = abs(start) + sum(abs(c) * n for c, n in zip(factors, shape, strict=True))
    return np.int64 if size < _LARGEST else object


_kept_array = lru_cache(maxsize=_KEPT)(_array)


def indicator_product(
    spec: tuple[Indices, Indices, Indices],
    constraints: Numbers,
    shape: tuple[int, ...],
    array: Array,
) -> Array:
    """The product of an indicator of a shape with an array; perhaps a view of the array.

    >>> indicator_product(((0, 1), (1,), (0,)), (("=", (2, -1, 1)),), (3, 7), np.arange(7.0))
    array([1., 3., 5.])
    """
    # A scalar may be Python's.
    array = np.asarray(array)
    planned = product_plan(spec, constraints, shape, array.shape)
    part, other, out = spec
    if planned is None:
        if {*part, *other} <= {*out}:
            mask = zeros_and_ones(constraints, shape, np.bool_)
            return _chosen(mask, part, array, other, out)[()]
        ones = zeros_and_ones(constraints, shape, array.dtype)
        return np.einsum(ones, [*part], array, [*other], [*out])[()]
    value, labels = _reduced(_entries(array, planned.source, planned), planned)
    if labels is planned.target.labels and planned.is_whole:
        return value[()]
    lengths = dict(zip(part + other, shape + array.shape, strict=True))
    result = np.zeros([lengths[i] for i in out], array.dtype)
    spread = value.transpose([labels.index(i) for i in planned.target.labels if i in labels])
    missing = tuple(k for k, i in enumerate(planned.target.labels) if i not in labels)
    _write(result, planned, np.expand_dims(spread, missing) if missing else spread)
    return result[()]


@lru_cache(maxsize=1024)
def product_plan(
    spec: tuple[Indices, Indices, Indices],
    constraints: Numbers,
    shape: tuple[int, ...],
    other: tuple[int, ...],
) -> IndicatorPlan | None:
    """How a product with an array of shape `other` is computed; None if as one with an array.

    >>> product_plan(((0, 1), (1,), (0,)), (("=", (2, -3, 0)),), (3, 3), (3,)) is None
    True
    """
    part, source, target = spec
    lengths = dict(zip(part + source, shape + other, strict=True))
    found = plan(as_constraints(part, constraints), source, target, lengths)
    if found is None or not found.is_whole:
        check_shape(shape if found is None else tuple(lengths[i] for i in target))
    return found


def as_constraints(part: Indices, constraints: Numbers) -> Constraints:
    """Constraints on the indices of an indicator's axes."""
    return tuple(
        (relation, form([*zip(part, numbers, strict=False), ("", numbers[-1])]))
        for relation, numbers in constraints
    )


def _entries(array: Array, view: View, planned: IndicatorPlan) -> Array:
    """The entries of an array that a view names, with one axis for each of its labels."""
    extents = [planned.extent(i) for i in view.labels]
    if planned.is_empty or 0 in array.shape:
        return np.zeros(extents, array.dtype)
    # One entry takes no step, of whatever length.
    strides = [
        sum(map(mul, step, array.strides)) if n > 1 else 0
        for step, n in zip(view.steps, extents, strict=True)
    ]
    if array.flags.c_contiguous and not array.dtype.hasobject:
        # A tenth of the time that `as_strided` takes; it needs an array in one piece.
        start = sum(map(mul, view.start, array.strides))
        return np.ndarray(extents, array.dtype, array, start, strides)
    return as_strided(array[tuple(slice(k, None) for k in view.start)], extents, strides)


def _reduced(value: Array, planned: IndicatorPlan) -> tuple[Array, Indices]:
    """What is left when the mask is multiplied, and free indices that the target lacks are summed.

    With the indices of its axes, those of the target in the target's order where it has them all.
    """
    if planned.running is not None:
        return _running_sum(value, planned, planned.running), planned.target.labels
    labels, kept = planned.source.labels, planned.kept
    if kept == planned.target.labels:
        kept = planned.target.labels
    if planned.mask:
        shape = tuple(planned.extent(i) for i in planned.masked)
        if {*kept} == {*labels, *planned.masked}:
            mask = zeros_and_ones(planned.mask_numbers, shape, np.bool_)
            result = _chosen(mask, planned.masked, value, labels, kept)
        else:
            mask = zeros_and_ones(planned.mask_numbers, shape, value.dtype)
            result = np.einsum(value, [*labels], mask, [*planned.masked], [*kept])
    elif {*labels} == {*kept}:
        result = value.transpose([labels.index(i) for i in kept])
    else:
        result = np.einsum(value, [*labels], [*kept])
    return (result * planned.repetitions if planned.repetitions != 1 else result), kept


def _chosen(mask: Array, part: Indices, value: Array, labels: Indices, wanted: Indices) -> Array:
    """The entries of an array where a condition on indices holds, 0 elsewhere, with axes `wanted`.

    A product with 0 would keep the sign of a number, and be none of an infinite one.
    """
    spread = _spread(mask, part, wanted), _spread(value, labels, wanted)
    return np.where(*spread, np.zeros((), value.dtype))


def _spread(value: Array, labels: Indices, wanted: Indices) -> Array:
    """An array ready to be broadcast along other axes."""
    present = tuple(i for i in wanted if i in labels)
    if present != labels:
        value = value.transpose([labels.index(i) for i in present])
    return value[tuple(slice(None) if i in present else None for i in wanted)]


def _running_sum(value: Array, planned: IndicatorPlan, running: RunningSum) -> Array:
    """The sums of the first entries along an axis, or of the last ones, from a cumulative one."""
    axis, kept, wanted = running.axis, running.labels, planned.target.labels
    count = planned.extent(kept[axis])
    value = np.flip(value, axis) if running.backward else value
    if running.entries == (1, 1) and count == value.shape[axis]:
        sums = np.cumsum(value, axis)
    else:
        length = value.shape[axis]
        sums = np.zeros((*value.shape[:axis], length + 1, *value.shape[axis + 1 :]), value.dtype)
        after_first = (slice(None),) * axis + (slice(1, None),)
        np.cumsum(value, axis, out=sums[after_first])
        sums = sums.take(summand_counts(running, count, length), axis)
    return sums.transpose([kept.index(i) for i in wanted])


def summand_counts(running: RunningSum, count: int, length: int) -> Array:
    """How many of the first entries along an axis of some length are in each of some sums."""
    every = np.arange(count, dtype=_integers(running.entries, (count,)))
    step, first = running.entries
    return np.clip(step * every + first, 0, length).astype(np.intp)


def _write(result: Array, planned: IndicatorPlan, value: Array) -> None:
    """Write entries through the target's view; where several meet, add them one by one."""
    entries = _entries(result, planned.target, planned)
    if not entries.size:
        return
    if planned.injective:
        entries[...] = value
        return
    value = np.broadcast_to(value, entries.shape)
    apart = planned.apart
    for place in np.ndindex(tuple(entries.shape[k] for k in apart)):
        at: list[Any] = [slice(None)] * entries.ndim
        for k, i in zip(apart, place, strict=True):
            at[k] = i
        entries[tuple(at)] += value[tuple(at)]
