"""Entries of terms, chosen by conditions on indices, and keys as NumPy writes them.

What is chosen is a product with an indicator. Keys are literal: `x[3]`, `x[2:5]`, `x[::-1]`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import (
    AffineForm,
    as_size,
    form,
    indices,
    last_index,
    plus,
    size_form,
    times,
)
from eggrad.engine.indices.constraints import Constraint, Constraints, renamed_all
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Dims, Size
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term


def select(a: Term, new: Dims, constraints: Constraints, out: Sequence[int]) -> Term:
    """The sum of the entries whose indices meet the constraints, for the axes `out`.

    Index `k` is that of axis `k` of `a`; those after belong to new axes of sizes `new`. What is
    not in `out` is summed.

    >>> fourth = ("=", form([(0, 1), ("", -3)]))
    >>> select(terms.variable("x", ("n",)), (), (fourth,), ()).dims
    ()
    """
    whole: tuple[Size, ...] = (*a.dims, *new)
    mentioned = {i for _, g in constraints for i in indices(g)}
    met = [i for i in dict.fromkeys((*out, *range(len(whole)))) if i in mentioned]
    if not met:
        return terms.einsum(specs.canonical([range(a.order)], out), a)
    conditions = renamed_all(constraints, {i: k for k, i in enumerate(met)})
    indicator = terms.indicator([whole[i] for i in met], conditions)
    return terms.einsum(specs.canonical([met, range(a.order)], out), indicator, a)


def expand(a: Term, places: Iterable[int]) -> Term:
    """New axes of length 1, at some places of the result.

    >>> expand(terms.variable("x", ("n",)), [0]).dims
    (1, 'n')
    """
    new = set(places)
    if not new:
        return a
    total = a.order + len(new)
    old = [k for k in range(total) if k not in new]
    spec = specs.canonical((old, sorted(new)), range(total))
    return terms.einsum(spec, a, terms.constant(1, (1,) * len(new)))


def is_plain(key: object) -> bool:
    """Whether a key has integers, slices, `None` and an ellipsis alone: no arrays.

    >>> is_plain((0, slice(2))), is_plain([0, 1])
    (True, False)
    """
    parts = cast(tuple[object, ...], key) if isinstance(key, tuple) else (key,)
    return all(k is None or k is Ellipsis or isinstance(k, slice) or _is_integer(k) for k in parts)


Chosen = tuple[AffineForm, Size | None]
"""Where an axis is read, as a form in its new index 0, and the new size; None where it goes."""


@dataclass(frozen=True)
class Picked:
    """What a key picks: what to `select`, and the places of new axes in the result of that."""

    text: str
    sizes: tuple[Size, ...]
    constraints: tuple[Constraint, ...]
    out: tuple[int, ...]
    new_axes: tuple[int, ...]


def pick(key: Any, shape: Dims) -> Picked:
    """What a key of integers, slices of integers, `None` and an ellipsis picks.

    The result has fewer, shorter or further axes. Along an axis whose size is a symbol an index
    counts from either end, and says that the axis is at least so long: a shorter one is a
    `ShapeError` when a value is computed. `x[1:]` of n entries has n - 1; a slice whose length
    would be no such form, as of `x[::2]`, raises `UnsupportedOperation`; an index out of range
    raises `ShapeError`.

    >>> pick((0, slice(3)), ("m", "n")).sizes, pick(0, ("m", "n")).out
    ((3,), (1,))
    """
    keys = _complete(key if isinstance(key, tuple) else (key,), len(shape))
    what = f"[{', '.join(map(_text, keys))}]"
    chosen = [
        _chosen(k, d, what) for k, d in zip((k for k in keys if k is not None), shape, strict=True)
    ]
    constraints: list[Constraint] = []
    new: list[Size] = []
    out: list[int] = []
    for axis, choice in enumerate(chosen):
        if choice is None:
            out.append(axis)
            continue
        place, size = choice
        if size is not None:
            out.append(len(shape) + len(new))
            new.append(size)
        value = ((out[-1] if key == 0 else key, -c) for key, c in place)
        constraints.append(("=", form([(axis, 1), *value])))
    return Picked(what, tuple(new), tuple(constraints), tuple(out), tuple(_new_axes(keys)))


def _complete(keys: tuple[Any, ...], order: int) -> tuple[Any, ...]:
    """A key for every axis, and None for each new one."""
    for k in keys:
        places = (k.start, k.stop, k.step) if isinstance(k, slice) else (k,)
        if any(isinstance(p, int) and abs(p) > MAXIMAL_SIZE for p in places):
            raise ShapeError(f"an index is an integer up to {MAXIMAL_SIZE}")
    known = sum(k is not None and k is not Ellipsis for k in keys)
    ellipses = sum(k is Ellipsis for k in keys)
    if known > order or ellipses > 1:
        what = "more than one ellipsis" if ellipses > 1 else f"{known} indices"
        few = "is a scalar, which has no entries" if not order else f"has {order} axes"
        raise ShapeError(f"{what}: the expression {few}")
    rest = (slice(None),) * (order - known)
    place = next((p for p, k in enumerate(keys) if k is Ellipsis), len(keys))
    return (*keys[:place], *rest, *keys[place + 1 :])


def _is_integer(key: object) -> bool:
    # An array has the method as well, of whatever shape, and so has an expression.
    shape = getattr(key, "shape", ()) or getattr(key, "variables", ())
    truth = isinstance(key, bool) or getattr(getattr(key, "dtype", None), "kind", "") == "b"
    is_array = isinstance(key, np.ndarray) and key.dtype.kind not in "iu"
    return hasattr(type(key), "__index__") and not (truth or shape or is_array)


def _new_axes(keys: Sequence[Any]) -> list[int]:
    """The places of new axes in the result."""
    left = [k for k in keys if k is None or isinstance(k, slice)]
    return [place for place, k in enumerate(left) if k is None]


def _chosen(key: Any, size: Size, what: str) -> Chosen | None:
    """What a key makes of an axis; None where it keeps it as it is."""
    if not isinstance(key, slice):
        return _entry(index(key), size, what), None
    try:
        ends = [None if k is None else index(k) for k in (key.start, key.stop, key.step)]
    except TypeError:
        raise UnsupportedOperation(f"{what}: the ends of a slice are integers") from None
    start, stop, step = ends
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


def _counted(place: int, size: Size) -> AffineForm:
    """A place as a form; a negative one counts from the end."""
    return form([("", place), *(size_form(size) if place < 0 else ())])


def _part(places: range, origin: AffineForm, size: Size) -> Chosen | None:
    """The entries at some places, counted from an origin."""
    if isinstance(size, int) and places == range(size):
        return None
    return form([*origin, ("", places.start), (0, places.step)]), len(places)


def _entry(place: int, size: Size, what: str) -> AffineForm:
    if isinstance(size, int) and not -size <= place < size:
        raise ShapeError(
            f"{what}: index {place} is out of range for an axis of size {size}, whose entries are "
            f"0 to {size - 1}"
            if size
            else f"{what}: index {place} is out of range for an axis of size 0, which has no entry"
        )
    return _counted(place, size)


def _text(key: Any) -> str:
    """A key as it is written."""
    if not isinstance(key, slice):
        return str(key)
    start, stop, step = ("" if k is None else str(k) for k in (key.start, key.stop, key.step))
    return cast(str, f"{start}:{stop}{':' + step if step else ''}")
