"""A function of large arrays, called for some places along one axis at a time."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from eggrad.engine.binding import Array
from eggrad.engine.blas_threads import blas_threads

__all__ = ["BLOCK", "by_strips"]

# So many entries stay in the cache from one use to the next.
BLOCK: Final = 200_000
# Several threads of BLAS divide each product otherwise, so that what one has read is in another's
# cache. Strips keep what they make below 32 MiB then: the C library gives larger pieces back to the
# system, which has to clear them each time.
THREADED_BLOCK: Final = 4_000_000
# BLAS takes rows by eights.
ROWS: Final = 8


def by_strips(
    function: Callable[..., Sequence[Any]],
    operands: Sequence[Any],
    axes: Sequence[int | None],
    kept: Sequence[int | None],
    width: int,
) -> list[Any]:
    """The results of `function(*operands)`, computed from strips of the operands.

    `axes` has the axis along which each operand is cut, None for one that is needed whole;
    `kept` the axis along which the strips of each result lie side by side, None for a sum of
    the strips' results. `width` is the number of entries of all at one place of the axis.

    >>> A, x = np.arange(6.0).reshape(3, 2), np.ones(2)
    >>> by_strips(lambda A, x: [A.dot(x), A.sum(axis=0)], [A, x], [0, None], [0, None], 10**7)
    [array([1., 5., 9.]), array([6., 9.])]
    """
    cut = [(k, axis) for k, axis in enumerate(axes) if axis is not None]
    length = max(operands[k].shape[axis] for k, axis in cut)
    block = BLOCK if blas_threads() == 1 else THREADED_BLOCK
    size = max(1, block // max(1, width))
    size -= size % ROWS if size > ROWS else 0
    if length <= size:
        return [*function(*operands)]
    strip = list(operands)
    results: list[Any] = []
    for start in range(0, length, size):
        places = slice(start, start + size)
        for k, axis in cut:
            strip[k] = operands[k][_at(axis, places)]
        found = function(*strip)
        if not start:
            results = [_room(f, axis, length) for f, axis in zip(found, kept, strict=True)]
        for k, (value, axis) in enumerate(zip(found, kept, strict=True)):
            if axis is not None:
                results[k][_at(axis, places)] = value
            elif start:
                results[k] += value
    return results


def _at(axis: int, places: slice) -> slice | tuple[slice, ...]:
    return (*[slice(None)] * axis, places) if axis else places


def _room(first: Any, axis: int | None, length: int) -> Array | Any:
    """An array for the strips of a result of which the first is there; a sum begins with it."""
    if axis is None:
        return first
    return np.empty((*first.shape[:axis], length, *first.shape[axis + 1 :]), first.dtype)
