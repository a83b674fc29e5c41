"""NumPy's functions that arrange entries: join, repeat, pad, turn, insert and delete them."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any, Final, NamedTuple, cast

import numpy as np

from eggrad.engine.errors import MISTAKES, ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import as_size, form, size_form, times
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import numpy_functions as whole
from eggrad.frontend.expression.axes import placed, selected
from eggrad.frontend.expression.broadcasting import array_term
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    add,
    as_expression,
    expression,
)
from eggrad.frontend.expression.numpy_functions import (
    MOST_PLACES,
    concatenate,
    diag,
    flip,
    in_a_row,
    integer_size,
    lined_up,
    listed_size,
    moveaxis,
    one_axis,
    reshape,
    shifted,
    size_sum,
    split,
    stack,
    swapaxes,
)
from eggrad.frontend.expression.numpy_protocols import by_name, check_dtype, implements
from eggrad.frontend.text.doors import checked_count, checked_integer

_MOST_CALLS: Final = 1000
_MOST_COPIES: Final = 64


def fixed(array: Any) -> Expression:
    """An array as a constant, while a function is traced as well.

    >>> fixed([1, 2]).shape
    (2,)
    """
    return expression(array_term(np.asarray(array, float)))


def literal(what: str, value: Any) -> Array:
    """Numbers that are known while an expression is made."""
    if isinstance(value, Expression | Condition):
        raise UnsupportedOperation(
            f"{what}: numbers are wanted here that are known before values are; write "
            "numpy.where(condition, a, b) where a choice depends on values"
        )
    try:
        found = np.asarray(value)
    except MISTAKES as error:
        raise UnsupportedOperation(f"{what}: {shown(value)} is no array: {error}") from error
    if found.dtype.kind not in "biufc":
        raise UnsupportedOperation(f"{what}: numbers are wanted, not {shown(value)}")
    return found


def gathered(f: Expression, axis: int, places: Sequence[int]) -> Expression:
    """The entries at some places of an axis, where neighbours are slices; -1 is the last.

    >>> from eggrad.frontend.expression.functions import variable
    >>> gathered(variable("x", ("n",)), 0, [0, 1, 2, 2, 2]).shape
    (5,)
    """
    parts: list[Expression] = []
    rest = list(places)
    while rest:
        step = next((b - a for a, b in pairwise(rest[:2])), 1)
        count = next((k for k in range(1, len(rest)) if rest[k] - rest[k - 1] != step), len(rest))
        first, last = rest[0], rest[count - 1]
        if step and (first < 0) == (last < 0):
            stop: int | None = last + (1 if step > 0 else -1)
            # An end between the last place and the first counts from the other side.
            stop = None if (stop == 0 and first < 0) or (stop == -1 and first >= 0) else stop
            parts.append(f[ax.along(axis, slice(first, stop, step))])
        else:
            count = count if not step else 1
            entry = ax.expanded(f[ax.along(axis, first)], [axis])
            parts.append(stretched(entry, axis, count))
        del rest[:count]
    if not parts:
        return f[ax.along(axis, slice(0, 0))]
    return concatenate(parts, axis) if len(parts) > 1 else parts[0]


def stretched(f: Expression, axis: int, size: Size) -> Expression:
    """What is one entry long along an axis, repeated there."""
    shape = list(f.shape)
    shape[axis] = size
    return ax.broadcast(f, shape)


# Copies -----------------------------------------------------------------------------------


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Expression:
    """`numpy.repeat`; the numbers of copies are literal."""
    operand, k = lined_up("repeat", a, axis)
    counts = literal("repeat", repeats)
    if counts.dtype.kind not in "iu" or (counts < 0).any() or counts.ndim > 1:
        raise ShapeError("repeat: the numbers of copies are integers from 0 up")
    if counts.size == 1:
        count = int(counts.reshape(()))
        size, new = as_size(form(times(count, size_form(operand.shape[k])))), operand.ndim
        # Entry i is at the places from count * i to before count * (i + 1).
        first = form([(new, 1), (k, -count)])
        last = form([(k, count), ("", count - 1), (new, -1)])
        out = [new if i == k else i for i in range(operand.ndim)]
        return selected("repeat", operand, (size,), [(">=", first), (">=", last)], out)
    size = integer_size("repeat", operand, k)
    if counts.size != size:
        raise ShapeError(f"repeat: {counts.size} numbers of copies for {size} entries")
    return gathered(operand, k, np.repeat(np.arange(size), counts).tolist())


def tile(A: Any, reps: Any) -> Expression:  # noqa: N803 - NumPy's name
    """`numpy.tile`."""
    counts = [checked_integer("tile", "reps", r) for r in np.atleast_1d(literal("tile", reps))]
    result = as_expression(A)
    result = ax.expanded(result, range(max(0, len(counts) - result.ndim)))
    counts = [1] * (result.ndim - len(counts)) + counts
    for k, count in enumerate(counts):
        if count < 0:
            raise ShapeError("tile: the numbers of copies are integers from 0 up")
        result = _copies(result, k, count)
    return result


def _copies(f: Expression, axis: int, count: int) -> Expression:
    """Copies after one another along an axis."""
    size = f.shape[axis]
    if count == 1:
        return f
    if isinstance(size, int):
        shape = (*f.shape[:axis], count, *f.shape[axis:])
        return ax.merged(ax.broadcast(ax.expanded(f, [axis]), shape), axis, 2)
    if count > _MOST_COPIES:
        raise UnsupportedOperation(
            f"tile: {_MOST_COPIES} copies at most of an axis of size {size}; give it as an integer"
        )
    places = [shifted(*[size] * k) for k in range(count)]
    if not places:
        return f[ax.along(axis, slice(0, 0))]
    return placed("tile", f, axis, as_size(form(times(count, size_form(size)))), places)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> Expression:
    """`numpy.full` with `like=`; a size may be a symbol."""
    if dtype is not None:
        check_dtype("numpy.full", dtype)
    return whole.full_like(language.ones(whole.sizes("full", shape)), fill_value)


def ones(shape: Any, dtype: Any = None, order: str = "C") -> Expression:
    """`numpy.ones` with `like=`; a size may be a symbol."""
    if dtype is not None:
        check_dtype("numpy.ones", dtype)
    return language.ones(whole.sizes("ones", shape))


def zeros(shape: Any, dtype: Any = None, order: str = "C") -> Expression:
    """`numpy.zeros` with `like=`; NumPy takes integers alone for sizes."""
    if dtype is not None:
        check_dtype("numpy.zeros", dtype)
    return language.zeros(whole.sizes("zeros", shape))


def eye(
    N: Any,  # noqa: N803 - NumPy's name
    M: Any = None,  # noqa: N803
    k: int = 0,
    dtype: Any = None,
    order: str = "C",
) -> Expression:
    """`numpy.eye` with `like=`; a size may be a symbol."""
    rows, columns = whole.sizes("eye", (N, N if M is None else M))
    on_diagonal = form([(1, 1), (0, -1), ("", -checked_integer("eye", "k", k))])
    if dtype is not None:
        check_dtype("numpy.eye", dtype)
    if rows == columns and not k:
        return language.eye(rows)
    return selected("eye", ones((rows, columns)), (), [("=", on_diagonal)], (0, 1))


def identity(n: Any, dtype: Any = None) -> Expression:
    """`numpy.identity` with `like=`; the size may be a symbol."""
    return eye(n, dtype=dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Expression:
    """`numpy.arange` with `like=`, of integers; the end may be a symbol where it begins with 0."""
    first, end = (0, start) if stop is None else (start, stop)
    if dtype is not None:
        check_dtype("numpy.arange", dtype)
    if isinstance(end, str) and (first, step) == (0, 1):
        return whole.cumsum(language.ones(end)) - 1
    first, end, step = (checked_integer("arange", "a bound", k) for k in (first, end, step))
    if not step:
        raise ShapeError("arange: the step is not 0")
    count = max(0, -((first - end) // step))
    checked_count("arange", "the number of entries", count, 0, MOST_PLACES)
    return fixed(range(first, end, step))


def resize(a: Any, new_shape: Any) -> Expression:
    """`numpy.resize`: the entries again and again, as many as are wanted."""
    shape = tuple(checked_count("resize", "a size", d) for d in whole.sizes("resize", new_shape))
    entries = in_a_row(a)
    size, wanted = integer_size("resize", entries, 0), int(np.prod(shape))
    if not size:
        return whole.full_like(entries, 0, shape=shape)
    entries = _copies(entries, 0, -(-wanted // size))
    return ax.reshaped(entries[:wanted], shape)


def linspace(  # noqa: PLR0917 - NumPy's arguments
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    axis: int = 0,
) -> Any:
    """`numpy.linspace`."""
    first, last, count = (
        as_expression(start),
        as_expression(stop),
        checked_count("linspace", "num", num, 0, MOST_PLACES),
    )
    parts = count - 1 if endpoint else count
    step = (last - first) / parts if parts else last - first
    weights = reshape(fixed(np.arange(count)), (count, *[1] * step.ndim))
    found = moveaxis(first + weights * step, 0, axis)
    return (found, step) if retstep else found


def broadcast_arrays(*args: Any) -> tuple[Expression, ...]:
    """`numpy.broadcast_arrays`."""
    operands = [as_expression(a) for a in args]
    total = reduce(add, (a * 0 for a in operands))
    return tuple(ax.broadcast(a, total.shape) for a in operands)


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """`numpy.meshgrid`."""
    if indexing not in ("xy", "ij"):
        raise UnsupportedOperation(f"meshgrid: indexing is 'xy' or 'ij', not {shown(indexing)}")
    parts = [in_a_row(x) for x in xi]
    order = len(parts)
    grids = [ax.expanded(p, [m for m in range(order) if m != k]) for k, p in enumerate(parts)]
    if indexing == "xy" and order > 1:
        grids = [swapaxes(p, 0, 1) for p in grids]
    return tuple(grids) if sparse else broadcast_arrays(*grids)


# Axes -------------------------------------------------------------------------------------


def _at_least(order: int, places: Mapping[int, Sequence[int]]) -> Callable[..., Any]:
    """The function that adds axes at some places, by how many there are."""

    def function(*arys: Any) -> Any:
        operands = [as_expression(a) for a in arys]
        found = tuple(ax.expanded(a, places.get(a.ndim, ())) for a in operands)
        return found[0] if len(found) == 1 else found

    function.__name__ = f"atleast_{order}d"
    return function


atleast_1d = _at_least(1, {0: [0]})
atleast_2d = _at_least(2, {0: [0, 1], 1: [0]})
atleast_3d = _at_least(3, {0: [0, 1, 2], 1: [0, 2], 2: [2]})


def rollaxis(a: Any, axis: int, start: int = 0) -> Expression:
    """`numpy.rollaxis`."""
    operand = as_expression(a)
    k, start = one_axis("rollaxis", axis, operand), checked_integer("rollaxis", "start", start)
    to = start + operand.ndim if start < 0 else start
    if not 0 <= to <= operand.ndim:
        raise ShapeError(f"rollaxis: there is no place {start} among {operand.ndim} axes")
    return moveaxis(operand, k, to - 1 if k < to else to)


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Expression:
    """`numpy.rot90`."""
    operand = as_expression(m)
    pair = ax.normalized("rot90", axes, operand.ndim)
    if len(pair) != 2:
        raise ShapeError(f"rot90: axes are two, as (0, 1), not {shown(axes)}")
    first, second = pair
    turns = checked_integer("rot90", "k", k) % 4
    if turns == 2:
        return flip(operand, (first, second))
    if turns == 1:
        return swapaxes(flip(operand, second), first, second)
    return flip(swapaxes(operand, first, second), second) if turns else operand


def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, writeable: bool = False
) -> Expression:
    """`numpy.lib.stride_tricks.sliding_window_view`: new last axes run through each window."""
    view = as_expression(x)
    lengths = whole.sizes("sliding_window_view", window_shape)
    sizes = [checked_count("sliding_window_view", "a size", d) for d in lengths]
    axes = [
        ax.normalized("sliding_window_view", k, view.ndim)[0]
        for k in (range(view.ndim) if axis is None else np.atleast_1d(axis))
    ]
    if len(sizes) != len(axes):
        raise ShapeError(f"sliding_window_view: {len(sizes)} sizes for {len(axes)} axes")
    for k, size in zip(axes, sizes, strict=True):
        length = size_sum(view.shape[k], 1 - size)
        if size < 0 or (isinstance(length, int) and length < 0):
            raise ShapeError(f"sliding_window_view: no window of {size} entries on axis {k}")
        new = view.ndim
        met = ("=", form([(k, 1), (new, -1), (new + 1, -1)]))
        out = [new if i == k else i for i in range(view.ndim)]
        view = selected("sliding_window_view", view, (length, size), [met], [*out, new + 1])
    return view


# Joining and splitting --------------------------------------------------------------------


def append(arr: Any, values: Any, axis: int | None = None) -> Expression:
    """`numpy.append`."""
    if axis is None:
        return concatenate([in_a_row(arr), in_a_row(values)])
    return concatenate([arr, values], axis)


def block(arrays: Any) -> Expression:
    """`numpy.block` of nested lists."""
    depth = _depth(arrays)
    order = max(depth, *(a.ndim for a in _leaves(arrays)))
    return _block(arrays, depth, order)


def _depth(arrays: Any) -> int:
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(a) for a in cast("list[Any]", arrays)}
    if len(depths) != 1:
        raise ShapeError("block: lists are nested equally deep, and none is empty")
    return 1 + depths.pop()


def _leaves(arrays: Any) -> list[Expression]:
    if isinstance(arrays, list):
        return [leaf for a in cast("list[Any]", arrays) for leaf in _leaves(a)]
    return [as_expression(arrays)]


def _block(arrays: Any, depth: int, order: int) -> Expression:
    if isinstance(arrays, list):
        parts = [_block(a, depth - 1, order) for a in cast("list[Any]", arrays)]
        return concatenate(parts, order - depth)
    leaf = as_expression(arrays)
    return ax.expanded(leaf, range(order - leaf.ndim))


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Expression]:
    """`numpy.array_split`: into parts as equal as can be."""
    if isinstance(indices_or_sections, tuple | list | np.ndarray):
        return split(ary, indices_or_sections, axis)
    operand = as_expression(ary)
    k = one_axis("array_split", axis, operand)
    size, count = (
        integer_size("array_split", operand, k),
        checked_integer("array_split", "the number of parts", indices_or_sections),
    )
    if count < 1:
        raise ShapeError(f"array_split: into {count} parts")
    lengths = [size // count + (i < size % count) for i in range(count)]
    return split(operand, np.cumsum(lengths)[:-1].tolist(), k)


def _split_along(name: str, axis: int, least: int) -> Callable[..., list[Expression]]:
    def function(ary: Any, indices_or_sections: Any) -> list[Expression]:
        operand = as_expression(ary)
        if operand.ndim < least:
            raise ShapeError(f"{name}: {least} axes are wanted, the argument has {operand.ndim}")
        return split(operand, indices_or_sections, min(axis, operand.ndim - 1))

    function.__name__ = name
    return function


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Expression, ...]:
    """`numpy.unstack`."""
    operand = as_expression(x)
    k = one_axis("unstack", axis, operand)
    return tuple(operand[ax.along(k, i)] for i in range(integer_size("unstack", operand, k)))


def delete(arr: Any, obj: Any, axis: int | None = None) -> Expression:
    """`numpy.delete` at literal places."""
    operand, k = lined_up("delete", arr, axis)
    size = operand.shape[k]
    if isinstance(size, int):
        listed_size("delete", operand, k)
        gone = obj if isinstance(obj, slice) else literal("delete", obj)
        gone = slice(0) if isinstance(gone, np.ndarray) and not gone.size else gone
        try:
            left = np.delete(np.arange(size), gone)
        except (IndexError, ValueError) as error:
            raise ShapeError(f"delete: {error}") from None
        return gathered(operand, k, left.tolist())
    if not hasattr(obj, "__index__"):
        integer_size("delete", operand, k)
    place = checked_integer("delete", "obj", obj)
    first = operand[ax.along(k, slice(None, place))]
    if place == -1:
        return first
    return concatenate([first, operand[ax.along(k, slice(place + 1, None))]], k)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Expression:
    """`numpy.insert` at literal places."""
    operand, k = lined_up("insert", arr, axis)
    size = listed_size("insert", operand, k)
    if isinstance(obj, slice):
        obj = list(range(*obj.indices(size)))
    places = literal("insert", obj)
    if places.dtype == bool:
        if places.shape != (size,):
            raise ShapeError(f"insert: a mask of shape {places.shape} for {size} entries")
        places = np.flatnonzero(places)
    new = as_expression(values)
    if not places.ndim and new.ndim:
        # NumPy's rule: values at one place have the axes that are left.
        new = moveaxis(ax.expanded(new, range(operand.ndim - new.ndim)), 0, k)
    lengths = {d for d in (new.shape[k] if new.ndim == operand.ndim else 1, places.size) if d != 1}
    if len(lengths) > 1 and places.size != 1:
        raise ShapeError(f"insert: {new.shape} at {places.size} places")
    count = cast(int, next(iter(lengths), 1))
    shape = (*operand.shape[:k], count, *operand.shape[k + 1 :])
    new = ax.broadcast(new, shape)
    # Where entries come from, in the old ones and the new ones after each other.
    indices = np.arange(size, size + count)
    try:
        source = np.insert(np.arange(size), places, indices if places.size > 1 else indices[:count])
    except (IndexError, ValueError) as error:
        raise ShapeError(f"insert: {error}") from None
    return gathered(concatenate([operand, new], k), k, source.tolist())


def _truths(what: str, value: Any) -> Array:
    """Literal truth values, or numbers that stand for such."""
    array = literal(what, value)
    if array.dtype.kind not in "biuf":
        raise UnsupportedOperation(
            f"{what}: condition is a list of truth values, not {shown(value)}"
        )
    return array


def compress(condition: Any, a: Any, axis: int | None = None) -> Expression:
    """`numpy.compress` by literal truth values."""
    operand, k = lined_up("compress", a, axis)
    return gathered(operand, k, np.flatnonzero(_truths("compress", condition)).tolist())


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Expression:
    """`numpy.ediff1d`."""
    entries = in_a_row(ary)
    parts = [
        p if p is None else in_a_row(p) for p in (to_begin, entries[1:] - entries[:-1], to_end)
    ]
    return concatenate([p for p in parts if p is not None])


# Calls along axes -------------------------------------------------------------------------


def apply_along_axis(
    func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any
) -> Expression:
    """`numpy.apply_along_axis`, where the sizes of the other axes are integers."""
    operand = as_expression(arr)
    if not callable(func1d):
        raise UnsupportedOperation(
            f"apply_along_axis: func1d is a function of a vector, not {shown(func1d)}"
        )
    k = one_axis("apply_along_axis", axis, operand)
    operand = moveaxis(operand, k, -1)
    sizes = [integer_size("apply_along_axis", operand, i) for i in range(operand.ndim - 1)]
    count = int(np.prod(sizes))
    if not 0 < count <= _MOST_CALLS:
        raise UnsupportedOperation(
            f"apply_along_axis: of 1 to {_MOST_CALLS} vectors, not of {count}; write the function "
            "for all of them at once"
        )
    found = stack(
        [as_expression(func1d(operand[place], *args, **kwargs)) for place in np.ndindex(*sizes)]
    )
    found = ax.reshaped(found, (*sizes, *found.shape[1:]))
    new = range(len(sizes), found.ndim)
    return ax.moved(found, list(new), list(range(k, k + len(new))))


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Expression:
    """`numpy.apply_over_axes`."""
    result = as_expression(a)
    if not callable(func):
        raise UnsupportedOperation(
            f"apply_over_axes: func is a function of an array and an axis, not {shown(func)}"
        )
    for axis in ax.normalized("apply_over_axes", axes, result.ndim):
        found = as_expression(func(result, axis))
        result = ax.expanded(found, [axis]) if found.ndim < result.ndim else found
    return result


# Padding ----------------------------------------------------------------------------------


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Expression:
    """`numpy.pad` in every mode but "median" and "empty"."""
    result = as_expression(array)
    known = {
        **dict.fromkeys(("edge", "wrap"), ()),
        **dict.fromkeys(("reflect", "symmetric"), ("reflect_type",)),
        **dict.fromkeys(("mean", "maximum", "minimum"), ("stat_length",)),
        "constant": ("constant_values",),
        "linear_ramp": ("end_values",),
    }
    if mode not in known:
        raise UnsupportedOperation(f"pad: the mode is one of {', '.join(known)}, not {shown(mode)}")
    if wrong := [name for name in options if name not in known[mode]]:
        raise UnsupportedOperation(f"pad: the mode {shown(mode)} has no option {shown(wrong[0])}")
    if isinstance(pad_width, Mapping):
        given = {ax.normalized("pad", k, result.ndim)[0]: w for k, w in pad_width.items()}
        pad_width = [np.broadcast_to(given.get(k, 0), 2) for k in range(result.ndim)]
    widths = _by_axes("the widths", literal("pad", pad_width), result)
    if widths.dtype.kind not in "iu" or (widths < 0).any():
        raise ShapeError("pad: the widths are integers from 0 up")
    option = next(iter(known[mode]), "")
    value = options.get(option, 0)
    values = (
        [[value] * 2] * result.ndim
        if value is None or isinstance(value, str | Expression)
        else _by_axes(option, literal("pad", value), result).tolist()
    )
    for k, ((before, after), chosen) in enumerate(zip(widths.tolist(), values, strict=True)):
        if before or after:
            result = _PADDED[mode](result, k, _Ends(mode, before, after, chosen))
    return result


def _by_axes(what: str, numbers: Array, f: Expression) -> Array:
    try:
        return np.broadcast_to(numbers, (f.ndim, 2))
    except ValueError:
        raise ShapeError(f"pad: {what} are a pair for each of {f.ndim} axes") from None


class _Ends(NamedTuple):
    """What is added at the two ends of an axis: how many entries, and what the mode asks."""

    mode: str
    before: int
    after: int
    values: Sequence[Any]


def _constant(f: Expression, axis: int, ends: _Ends) -> Expression:
    before, after, values = ends.before, ends.after, ends.values
    if not any(isinstance(v, Expression) or v for v in values):
        size = size_sum(f.shape[axis], before, after)
        return placed("pad", f, axis, size, [shifted(before)])
    parts = [
        ax.broadcast(as_expression(v), (*f.shape[:axis], width, *f.shape[axis + 1 :]))
        for v, width in zip(values, (before, after), strict=True)
    ]
    return concatenate([parts[0], f, parts[1]], axis)


def _repeated(f: Expression, axis: int, ends: _Ends) -> Expression:
    """Entries again, at places that NumPy says of a vector of places."""
    mode, before, after, values = ends
    size = f.shape[axis]
    # An axis of a symbol is taken to be long enough: places count from its nearer end.
    length = size if isinstance(size, int) else 2 * (before + after) + 2
    if not length:
        raise ShapeError(
            f"pad: an axis without entries has none to repeat, in the mode {shown(mode)}"
        )
    odd = mode in ("reflect", "symmetric") and values[0] == "odd"
    if odd and not isinstance(size, int):
        integer_size("pad", f, axis)
    if odd:
        odd_mode: Any = mode
        made = np.pad(np.eye(length), ((before, after), (0, 0)), odd_mode, reflect_type="odd")
        product = whole.tensordot(fixed(made), f, ([1], [axis]))
        return moveaxis(product, 0, axis)
    places = np.pad(np.arange(length), (before, after), cast(Any, mode))
    counted = [int(i) if 2 * i < length else int(i) - length for i in places]
    parts = [
        gathered(f, axis, part)
        for part in (counted[:before], counted[len(counted) - after :])
        if part
    ]
    return concatenate([*parts[: bool(before)], f, *parts[bool(before) :]], axis)


def _statistic(f: Expression, axis: int, ends: _Ends) -> Expression:
    mode, before, after, values = ends
    function = {"mean": whole.mean, "maximum": whole.amax, "minimum": whole.amin}[mode]
    parts: list[Expression] = []
    for length, width, first in zip(values, (before, after), (True, False), strict=True):
        size = f.shape[axis]
        if not length or (isinstance(size, int) and length >= size):
            part = f
        else:
            part = f[ax.along(axis, slice(0, length) if first else slice(-length, None))]
        parts.append(stretched(function(part, axis, keepdims=True), axis, width))
    return concatenate([parts[0], f, parts[1]], axis)


def _ramp(f: Expression, axis: int, ends: _Ends) -> Expression:
    before, after, values = ends.before, ends.after, ends.values
    parts: list[Expression] = []
    for end, width, first in zip(values, (before, after), (True, False), strict=True):
        steps = np.arange(width) / max(width, 1)
        part = fixed(steps if first else 1 - np.append(steps[1:], 1)) if width else fixed([])
        shape = [1] * f.ndim
        shape[axis] = width
        weight = reshape(part, shape)
        edge = f[ax.along(axis, slice(0, 1) if first else slice(-1, None))]
        parts.append(end * (1 - weight) + edge * weight)
    return concatenate([parts[0], f, parts[1]], axis)


_PADDED: Final[Mapping[str, Callable[..., Expression]]] = {
    "constant": _constant,
    **dict.fromkeys(("edge", "reflect", "symmetric", "wrap"), _repeated),
    **dict.fromkeys(("mean", "maximum", "minimum"), _statistic),
    "linear_ramp": _ramp,
}


implements(
    functions=by_name(repeat, tile, resize, linspace, meshgrid, broadcast_arrays, rollaxis, rot90)
    | by_name(atleast_1d, atleast_2d, atleast_3d, append, block, array_split, delete, insert, pad)
    | by_name(compress, ediff1d, apply_along_axis, apply_over_axes)
    | by_name(full, ones, zeros, eye, identity, arange)
    | (by_name(unstack) if hasattr(np, "unstack") else {})
    | by_name(sliding_window_view, library=np.lib.stride_tricks)
    | {
        # Expressions never change, so a copy is the same.
        np.copy: lambda a, order="K", subok=False: as_expression(a),
        np.diagflat: lambda v, k=0: diag(in_a_row(v), k),
        np.dstack: lambda tup: concatenate([atleast_3d(a) for a in tup], 2),
        np.vsplit: _split_along("vsplit", 0, 2),
        np.hsplit: _split_along("hsplit", 1, 1),
        np.dsplit: _split_along("dsplit", 2, 3),
        np.extract: lambda condition, arr: compress(np.ravel(literal("extract", condition)), arr),
    }
)
