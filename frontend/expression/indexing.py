"""Indexing by literals, as NumPy writes it: `x[3]`, `A[:, 1]`, `x[2:5]`, `x[::-1]`."""

from collections.abc import Iterator, Sequence
from operator import index
from typing import Any, cast

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import Form, as_size, form, last_index, plus, size_form, times
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Size
from eggrad.frontend.expression.axes import expanded
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.expression.selection import selected

__all__ = ["entries", "indexed"]

Chosen = tuple[Form, Size | None]
"""Where an axis is read, as a form in its new index 0, and the new size; None where it goes."""


def indexed(f: Expression, key: Any) -> Expression:
    """What `f[key]` is, for integers, slices of integers, `None` and an ellipsis.

    The result has fewer, shorter or further axes. Along an axis whose size is a symbol an index
    counts from either end, and says that the axis is at least so long: a shorter one is a
    `ShapeError` when a value is computed. `x[1:]` of n entries has n - 1; a slice whose length
    would be no such form, as of `x[::2]`, raises `UnsupportedOperation`; an index out of range
    raises `ShapeError`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A = variable("A", ("m", "n"))
    >>> indexed(A, 0).shape, indexed(A, (slice(None), slice(3))).shape
    (('n',), ('m', 3))
    """
    keys = _complete(key if isinstance(key, tuple) else (key,), f)
    what = f"[{', '.join(map(_text, keys))}]"
    chosen = [
        _chosen(k, d, what)
        for k, d in zip((k for k in keys if k is not None), f.shape, strict=True)
    ]
    places = _new_axes(keys)
    constraints: list[Constraint] = []
    new: list[Size] = []
    out: list[int] = []
    for axis, own in enumerate(chosen):
        if own is None:
            out.append(axis)
            continue
        place, size = own
        if size is not None:
            out.append(f.ndim + len(new))
            new.append(size)
        value = ((out[-1] if key == 0 else key, -c) for key, c in place)
        constraints.append(("=", form([(axis, 1), *value])))
    result = selected(what, f, tuple(new), constraints, out) if constraints else f
    return expanded(result, places)


def entries(f: Expression) -> Iterator[Expression]:
    """The parts along the first axis, which has to have an integer size."""
    if not f.ndim:
        raise UnsupportedOperation("a scalar has no entries")
    if not isinstance(f.shape[0], int):
        raise UnsupportedOperation(
            f"how many entries there are along an axis of size {f.shape[0]} is not known; give the "
            "size as an integer, or write einsum, sum, logsumexp or a product of the whole"
        )
    return (indexed(f, k) for k in range(f.shape[0]))


def _complete(keys: tuple[Any, ...], f: Expression) -> tuple[Any, ...]:
    """A key for every axis, and None for each new one."""
    for k in keys:
        if not (k is None or k is Ellipsis or isinstance(k, slice) or _is_integer(k)):
            raise UnsupportedOperation(
                f"an expression is indexed by integers, slices, None and ..., not by a "
                f"{type(k).__name__}; numpy.stack joins entries that are picked one by one"
            )
        places = (k.start, k.stop, k.step) if isinstance(k, slice) else (k,)
        if any(isinstance(p, int) and abs(p) > MAXIMAL_SIZE for p in places):
            raise ShapeError(f"an index is an integer up to {MAXIMAL_SIZE}")
    known = sum(k is not None and k is not Ellipsis for k in keys)
    ellipses = sum(k is Ellipsis for k in keys)
    if known > f.ndim or ellipses > 1:
        what = "more than one ellipsis" if ellipses > 1 else f"{known} indices"
        raise ShapeError(f"{what}: the expression has {f.ndim} axes")
    rest = (slice(None),) * (f.ndim - known)
    place = next((p for p, k in enumerate(keys) if k is Ellipsis), len(keys))
    return (*keys[:place], *rest, *keys[place + 1 :])


def _is_integer(key: object) -> bool:
    # An array has the method as well, of whatever shape.
    return hasattr(key, "__index__") and not isinstance(key, bool) and not getattr(key, "shape", ())


def _new_axes(keys: Sequence[Any]) -> list[int]:
    """The places of new axes in the result."""
    left = [k for k in keys if k is None or isinstance(k, slice)]
    return [place for place, k in enumerate(left) if k is None]


def _chosen(key: Any, size: Size, what: str) -> Chosen | None:
    """What a key makes of an axis; None where it keeps it as it is."""
    if not isinstance(key, slice):
        return _entry(index(key), size, what), None
    start, stop, step = (None if k is None else index(k) for k in (key.start, key.stop, key.step))
    step = 1 if step is None else step
    if step == 0:
        raise ShapeError(f"{what}: the step of a slice is not 0")
    if isinstance(size, int):
        return _part(range(*slice(start, stop, step).indices(size)), (), size)
    if start is None and stop is None and abs(step) == 1:
        return None if step == 1 else (form([*last_index(size), (0, -1)]), size)
    # What is left out is the end that the step comes to last.
    if start is None:
        start = 0 if step > 0 else -1
    to_the_end = stop is None
    if stop is None:
        stop = 0 if step > 0 and start < 0 else -1 if step < 0 and start >= 0 else None
    if stop is not None and (to_the_end or (start < 0) == (stop < 0)):
        return _part(range(start, stop, step), () if start >= 0 else size_form(size), size)
    near, far = (start, stop) if step > 0 else (stop, start)
    if abs(step) != 1 or (near is not None and near < 0) or (far is not None and far >= 0):
        raise UnsupportedOperation(
            f"{what} of an axis of size {size} has a length that no size says; give the size as an "
            "integer, or count both ends from the same side"
        )
    first = _counted(start, size)
    before = form([("", -1)]) if step < 0 else size_form(size)
    end = before if stop is None else _counted(stop, size)
    return form([*first, (0, step)]), as_size(times(step, plus(end, times(-1, first))))


def _counted(place: int, size: Size) -> Form:
    """A place as a form; a negative one counts from the end."""
    return form([("", place), *(size_form(size) if place < 0 else ())])


def _part(places: range, origin: Form, size: Size) -> Chosen | None:
    """The entries at some places, counted from an origin."""
    if isinstance(size, int) and places == range(size):
        return None
    return form([*origin, ("", places.start), (0, places.step)]), len(places)


def _entry(place: int, size: Size, what: str) -> Form:
    if isinstance(size, int) and not -size <= place < size:
        raise ShapeError(f"{what}: index {place} is out of range for an axis of size {size}")
    return _counted(place, size)


def _text(key: Any) -> str:
    """A key as it is written."""
    if not isinstance(key, slice):
        return str(key)
    start, stop, step = ("" if k is None else str(k) for k in (key.start, key.stop, key.step))
    return cast(str, f"{start}:{stop}{':' + step if step else ''}")
