"""Indexing in matrix notation: `A[1,2]`, `A[1,:]`, `A[:,2]`, `x[2:4]`, `x[2:n]`, counted from 1."""

import re
from typing import Any, Final

from lark import Token

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import (
    coefficient,
    form,
    plus,
    resized,
    size_form,
    times,
)
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.matrix.values import Value, single

__all__ = ["chosen_entries", "kept_axes", "unit"]

_PLACE: Final = r"[0-9]+|[^\W\d][\w+\-*\s]*"
_PART: Final = re.compile(
    rf"\s*(?:(?P<first>{_PLACE})\s*)?(?P<range>:\s*(?P<last>{_PLACE})?)?\s*\Z"
)
# More digits than this are no index of an array.
_DIGITS: Final = 18


def chosen_entries(a: Value, token: Token) -> Value:
    """What `a[...]` is: a row of a matrix is a row, a part of a vector one of its kind.

    >>> from eggrad.frontend.expression.functions import variable
    >>> chosen_entries(Value(variable("A", ("m", "n"))), Token("INDICES", "[1,:]")).shape
    '1 x n'
    """
    single(f"{token} of", a)
    parts = token[1:-1].split(",")
    if len(parts) != a.order or not a.order:
        wanted = "a scalar has no entries"
        if a.order:
            wanted = "a vector has one index" if a.order == 1 else "a matrix has two indices"
            wanted += ", as in x[3]" if a.order == 1 else ", as in A[1,2], A[1,:] or A[:,2]"
        raise ShapeError(f"{token} of {a.shape}: {wanted}")
    sizes = a.sizes if a.order == 2 else a.expression.shape
    key = tuple(
        _key(part, str(d) if isinstance(d, str) else d)
        for part, d in zip(parts, sizes, strict=True)
    )
    for k, size in zip(key, sizes, strict=True):
        last = k.stop if isinstance(k, slice) else k + 1
        if isinstance(size, int) and last is not None and last > size:
            raise ShapeError(f"{token} of {a.shape}: index {last} is out of range")
    found = a.expression[key]
    row = a.turned if a.order == 1 else found.ndim == 1 and not isinstance(key[0], slice)
    return Value(found, row)


def kept_axes(token: Token) -> tuple[bool, ...]:
    """For each index whether it keeps an axis; an error of its own is raised later."""
    return tuple(":" in part for part in token[1:-1].split(","))


def _key(part: str, size: Size) -> Any:
    """An index as Python counts it, or a slice of such."""
    match = _PART.match(part)
    first, last = (match["first"], match["last"]) if match else (None, None)
    is_range = match is not None and match["range"] is not None
    if match is None or (bool(first) != bool(last) if is_range else not first):
        raise UnsupportedOperation(
            f"{part.strip()!r} is no index: they are integers from 1 up, ':', and ranges as in 2:4"
        )
    if first is None or last is None:
        return slice(None) if first is None else _place(first, size, part) - 1
    start, stop = _place(first, size, part) - 1, _place(last, size, part)
    if (start < 0) == (stop <= 0) and stop <= start:
        raise ShapeError(f"{part.strip()!r} is an empty range")
    return slice(start, stop or None)


def _place(text: str, size: Size, part: str) -> int:
    """A place, counted from 1; the last one is 0, those before are negative."""
    if text.isdecimal():
        if len(text) > _DIGITS or text == "0":
            raise UnsupportedOperation(f"{part.strip()!r} is no index: they are counted from 1")
        return int(text)
    own = resized(size_form(text.strip()), {"end": size})
    behind = dict(plus(own, times(-1, size_form(size))))
    number = behind.pop("", 0)
    if behind or number > 0:
        raise UnsupportedOperation(
            f"{text.strip()!r} is no place among {size}: they count from 1, or back from {size}, "
            f"as in 2:{size}"
        )
    return number


def unit(place: Size, size: Size) -> Expression:
    """The vector with a 1 at a place, counted from 1."""
    behind = plus(size_form(place), times(-1, size_form(size)))
    if place == 0 or ({*dict(behind)} <= {""} and coefficient(behind, "") > 0):
        raise ShapeError(f"unit: place {place} is not within {size} entries")
    at = form([(0, 1), ("", 1), *times(-1, size_form(place))])
    return expression(terms.indicator((size,), [("=", at)]))
