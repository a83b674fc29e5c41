"""NumPy's functions of order on expressions: sorting, places of entries, quantiles, entries taken.

What is sorted are entries chosen by `argsort`, so derivatives go to the places chosen.
"""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import exact, shown
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression.expression import Expression, as_expression, combine
from eggrad.frontend.expression.gathering import gathered, has_integers, take_along
from eggrad.frontend.expression.numpy_arrays import literal
from eggrad.frontend.expression.numpy_functions import (
    integer_size,
    lined_up,
    stack,
)
from eggrad.frontend.expression.numpy_protocols import by_name, implements
from eggrad.frontend.text.doors import checked_word

_STABLE: Final = ("quicksort", "mergesort", "heapsort", "stable")


def argsort(
    a: Any, axis: int | None = -1, kind: str = "stable", *, stable: object = None
) -> Expression:
    """`numpy.argsort`; equal entries in their order, whatever `kind` says."""
    checked_word("argsort", "kind", kind, _STABLE)
    operand, k = lined_up("argsort", a, axis)
    return combine("argsort", [operand], [], lambda t: terms.numeric("argsort", t, data=k))


def sort(
    a: Any, axis: int | None = -1, kind: str = "stable", *, stable: object = None
) -> Expression:
    """`numpy.sort`."""
    operand, k = lined_up("sort", a, axis)
    return take_along(operand, k, argsort(operand, k, kind))


def argmin(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Expression:
    """`numpy.argmin`; of several the first."""
    operand = as_expression(a)
    flat, k = lined_up("argmin", operand, axis)
    if flat.shape[k] == 0:
        raise ShapeError("argmin, argmax: no entries along the axis")
    first = argsort(flat, k)[ax.along(k, 0)]
    if not keepdims:
        return first
    return ax.expanded(first, range(operand.ndim) if axis is None else [k])


def argmax(a: Any, axis: int | None = None, *, keepdims: bool = False) -> Expression:
    """`numpy.argmax`; of several the first."""
    return argmin(-as_expression(a), axis, keepdims=keepdims)


# Quantiles ---------------------------------------------------------------------------------


def percentile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Expression:
    """`numpy.percentile`, for known percentages."""
    parts = np.asarray(q, dtype=object)
    return quantile(
        a, np.vectorize(_hundredth, otypes=[object])(parts), axis, method=method, keepdims=keepdims
    )


def _hundredth(q: object) -> Fraction | None:
    number = exact(q)
    return None if number is None else Fraction(number) / 100


# Where a quantile lies between two entries: what counts of the upper one.
_METHODS: Final[dict[str, Callable[[Fraction], Fraction]]] = {
    "linear": lambda part: part,
    "lower": lambda part: Fraction(0),
    "higher": lambda part: Fraction(part > 0),
    "midpoint": lambda part: Fraction(part > 0) / 2,
}


def quantile(
    a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False
) -> Expression:
    """`numpy.quantile`, for known parts, along axes whose sizes are integers."""
    if method not in _METHODS:
        raise UnsupportedOperation(
            f"quantile: the method is one of {', '.join(_METHODS)}, not {shown(method)}"
        )
    operand = as_expression(a)
    gone = ax.wanted_axes("quantile", axis, operand.ndim)
    kept = [k for k in range(operand.ndim) if k not in gone]
    lined = ax.permuted(operand, [*kept, *gone])
    if len(gone) > 1:
        lined = ax.merged(lined, len(kept), len(gone))
    elif not gone:
        lined = ax.expanded(lined, [operand.ndim])
    size = integer_size("quantile", lined, len(kept))
    if not size:
        raise ShapeError("quantile, median: no entries along the axis")
    ordered = sort(lined, -1)
    parts = np.asarray(q, dtype=object)
    found = [_between(ordered, part, size, method) for part in parts.ravel().tolist()]
    if keepdims:
        found = [ax.expanded(f, gone) for f in found]
    if not parts.ndim:
        return found[0]
    joined = stack(found, 0)
    return joined if parts.ndim == 1 else ax.split_axis(joined, 0, parts.shape)


def _between(ordered: Expression, q: object, size: int, method: str) -> Expression:
    """The entry at a part of the last axis, or what lies between two."""
    part = exact(q)
    if part is None or not 0 <= part <= 1:
        raise UnsupportedOperation(f"quantile: a part is a number from 0 to 1, not {shown(q)}")
    place = Fraction(part) * (size - 1)
    low = floor(place)
    above = _METHODS[method](place - low)
    below = ordered[..., low]
    if not above:
        return below
    return (1 - above) * below + above * ordered[..., low + 1]


# Entries at places -------------------------------------------------------------------------


def take(a: Any, indices: Any, axis: int | None = None, *, mode: str = "raise") -> Expression:
    """`numpy.take`, at known integers or at those of an expression."""
    operand, k = lined_up("take", a, axis)
    if mode != "raise":
        indices = _within(indices, operand, k, mode)
    if not isinstance(indices, Expression):
        indices = literal("take", indices)
        if not indices.size:
            indices = indices.astype(np.intp)
        if indices.dtype.kind not in "iu":
            raise UnsupportedOperation("take: the indices are integers")
        if not indices.ndim:
            return operand[ax.along(k, int(indices))]
    return gathered(operand, ax.along(k, indices))


def _within(indices: Any, f: Expression, axis: int, mode: str) -> Any:
    size = integer_size("take", f, axis)
    if isinstance(indices, Expression) or mode not in ("wrap", "clip"):
        raise UnsupportedOperation(
            "take: the mode is 'raise', or 'wrap' or 'clip' of known indices"
        )
    places = np.asarray(indices)
    return places % size if mode == "wrap" else places.clip(0, size - 1)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Expression:
    """`numpy.take_along_axis`."""
    operand, k = lined_up("take_along_axis", arr, axis)
    if isinstance(indices, Expression):
        if not has_integers(indices):
            raise UnsupportedOperation("take_along_axis: the indices are integers, as of argsort")
        return take_along(operand, k, indices)
    places = literal("take_along_axis", indices)
    if places.dtype.kind not in "iu":
        raise UnsupportedOperation("take_along_axis: the indices are integers")
    return take_along(operand, k, places)


implements(
    functions=by_name(sort, argsort, argmax, argmin, percentile, quantile, take, take_along_axis)
    | {
        # All entries are sorted, which is one way to part them.
        np.partition: lambda a, kth, axis=-1, kind="introselect": sort(a, axis),
        np.argpartition: lambda a, kth, axis=-1, kind="introselect": argsort(a, axis),
        np.median: lambda a, axis=None, *, keepdims=False: quantile(
            a, Fraction(1, 2), axis, keepdims=keepdims
        ),
    }
)
