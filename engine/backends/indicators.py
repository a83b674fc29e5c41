"""How a product with an indicator is computed in libraries without views: what is read where.

The plan is that of views (`engine/indices/indicator_plan.py`), with all sizes numbers: free
indices, of which the places that are read and those that are written are affine forms.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import prod

import numpy as np

from eggrad.engine.indices.indicator_plan import Plan, View
from eggrad.engine.indices.spec import Indices
from eggrad.engine.runtime.indicators import Numbers, product_plan

Slice = tuple[int, int, int]
"""Where entries along an axis begin, their step, and how many there are (or the axis's length)."""


@dataclass(frozen=True)
class Gather:
    """The entries that are read, what is done with them, and where the result has them.

    The free indices have the lengths `extents`; those in `seen` are read from the array, by
    `slices` of its axes, then in the order `order`, or at the places `read` of the flat array:
    a coefficient for each index, and a start. Where `mask` does not hold entries are 0. `summed`
    are the axes of the free indices that the result lacks, `count` how often others are repeated.
    `running` is the axis of a cumulative sum, the number of summands of each result, and whether
    it runs backwards; `running_target` is the axis that these results are along. The result of
    shape `shape` has what is left in the order `target`, as it is (`write` is None), by `pads` of
    its axes, of which one that is new is -1 in `target`, or added at the places `write` of the flat
    result.
    """

    extents: tuple[int, ...]
    seen: frozenset[int]
    slices: tuple[Slice, ...] | None
    order: tuple[int, ...]
    read: tuple[int, ...]
    mask: Numbers
    summed: tuple[int, ...]
    count: int
    running: tuple[int, tuple[int, ...], bool] | None
    running_target: int
    target: tuple[int, ...]
    shape: tuple[int, ...]
    pads: tuple[Slice, ...] | None
    write: tuple[int, ...] | None


@lru_cache(maxsize=1024)
def gather(
    spec: tuple[Indices, Indices, Indices],
    constraints: Numbers,
    shape: tuple[int, ...],
    other: tuple[int, ...],
) -> Gather | None:
    """How a product of an indicator with an array of shape `other` is computed.

    None if it takes an array of zeros and ones.

    >>> windows = ((0, 1), (1,), (0,)), (("=", (2, -1, 1)),), (3, 7), (7,)
    >>> gather(*windows).slices
    ((1, 2, 3),)
    """
    own = product_plan(spec, constraints, shape, other)
    if own is None:
        return None
    part, source, out = spec
    lengths = dict(zip(part + source, shape + other, strict=True))
    wanted = own.target.labels
    # Free indices of the target first, in its order, then those that are summed.
    labels = tuple(dict.fromkeys((*wanted, *own.source.labels, *own.masked)))
    extents = tuple(own.extent(i) for i in labels)
    slices, order = _slices(own.source, own, labels)
    result = tuple(lengths[i] for i in out)
    mask = own.numbers(labels)
    whole = own.is_whole and wanted == out
    pads, target = (None, tuple(range(len(wanted)))) if whole else _pads(own, result)
    running, running_target = _running(own, labels, mask, extents)
    return Gather(
        extents,
        frozenset(labels.index(i) for i in own.source.labels),
        slices,
        order,
        _flat(own.source, labels, other),
        mask,
        tuple(range(len(wanted), len(labels))),
        own.repetitions,
        running,
        running_target,
        target,
        result,
        pads,
        None if whole else _flat(own.target, wanted, result),
    )


def _flat(view: View, labels: Indices, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The place in the flat array: a coefficient for each label, and a start."""
    strides = [prod(shape[k + 1 :]) for k in range(len(shape))]
    steps = dict(zip(view.labels, view.steps, strict=True))
    start = int(np.dot(view.start, strides)) if shape else 0
    return (*(int(np.dot(steps[i], strides)) if i in steps else 0 for i in labels), start)


def _slices(
    view: View, own: Plan, labels: Indices
) -> tuple[tuple[Slice, ...] | None, tuple[int, ...]]:
    """A slice of each axis, and the order of the axes then; None where an index moves along two.

    An axis along which no index moves has one entry; it is last in the order.
    """
    moved: dict[int, tuple[int, int]] = {}
    for label, step in zip(view.labels, view.steps, strict=True):
        axes = [axis for axis, s in enumerate(step) if s]
        if len(axes) != 1 or axes[0] in moved:
            return None, ()
        moved[axes[0]] = label, step[axes[0]]
    found: list[Slice] = []
    for axis, start in enumerate(view.start):
        label, step = moved.get(axis, (-1, 1))
        found.append((start, step, own.extent(label) if label >= 0 else 1))
    by_label = {label: axis for axis, (label, _) in moved.items()}
    order = [by_label[i] for i in labels if i in by_label]
    fixed = [axis for axis in range(len(view.start)) if axis not in moved]
    return tuple(found), (*order, *fixed)


def _pads(own: Plan, shape: tuple[int, ...]) -> tuple[tuple[Slice, ...] | None, tuple[int, ...]]:
    """Where the result has its entries along each axis; None where an axis has two indices."""
    view = own.target
    everything = tuple(range(len(view.labels)))
    places: list[int] = []
    found: list[Slice] = []
    for axis, start in enumerate(view.start):
        moving = [k for k, s in enumerate(view.steps) if s[axis]]
        if len(moving) > 1 or any(k in places for k in moving):
            return None, everything
        places.append(moving[0] if moving else -1)
        found.append((start, view.steps[moving[0]][axis] if moving else 1, shape[axis]))
    if {*places} - {-1} != {*everything}:
        return None, everything
    return tuple(found), tuple(places)


def _running(
    own: Plan, labels: Indices, mask: Numbers, extents: tuple[int, ...]
) -> tuple[tuple[int, tuple[int, ...], bool] | None, int]:
    """The cumulative sum that the mask asks for: its axis, how many summands, and its direction."""
    kept = len(own.target.labels)
    if len(mask) != 1 or mask[0][0] != ">=" or len(labels) != kept + 1:
        return None, 0
    *steps, start = mask[0][1]
    gone = kept
    new = [k for k in range(kept) if steps[k]]
    unread = [k for k, i in enumerate(labels) if i not in own.source.labels]
    if len(new) != 1 or unread != new or abs(steps[gone]) != 1:
        return None, 0
    length = extents[gone]
    if steps[gone] > 0:
        start += length - 1
    counts = np.clip(steps[new[0]] * np.arange(extents[new[0]]) + start + 1, 0, length)
    return (gone, tuple(int(n) for n in counts), steps[gone] > 0), new[0]
