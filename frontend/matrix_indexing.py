"""Indexing in matrix notation: `A[1,2]`, `A[1,:]`, `A[:,2]`, `x[2:4]`, counted from 1."""

import re
from typing import Any, Final, cast

from lark import Token

from eggrad.engine import term as terms
from eggrad.engine.affine import form
from eggrad.engine.constraints import Constraints
from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indicator_code import by_views, slices
from eggrad.engine.spec import Size, Spec
from eggrad.engine.term import Term
from eggrad.frontend.expression import Expression, expression
from eggrad.frontend.indexing import indexed
from eggrad.frontend.matrix_values import Value

__all__ = ["chosen_entries", "format_key", "kept_axes", "key_of", "unit", "unit_place"]

_PART: Final = re.compile(r"\s*(?:(?P<first>[0-9]+)\s*)?(?P<range>:\s*(?P<last>[0-9]+)?)?\s*\Z")
# More digits than this are no index of an array.
_DIGITS: Final = 18


def chosen_entries(a: Value, token: Token) -> Value:
    """What `a[...]` is: a row of a matrix is a row, a part of a vector one of its kind.

    >>> from eggrad.frontend.functions import variable
    >>> chosen_entries(Value(variable("A", ("m", "n"))), Token("INDICES", "[1,:]")).shape
    '1 x n'
    """
    key = tuple(map(_key, token[1:-1].split(",")))
    if len(key) != a.order or not a.order:
        wanted = "a scalar has no entries"
        if a.order:
            wanted = "a vector has one index" if a.order == 1 else "a matrix has two indices"
            wanted += ", as in x[3]" if a.order == 1 else ", as in A[1,2], A[1,:] or A[:,2]"
        raise ShapeError(f"{token} of {a.shape}: {wanted}")
    for k, size in zip(key, a.sizes if a.order == 2 else a.expression.shape, strict=False):
        last = k.stop if isinstance(k, slice) else k + 1
        if isinstance(size, int) and last is not None and last > size:
            raise ShapeError(f"{token} of {a.shape}: index {last} is out of range")
    found = indexed(a.expression, key)
    row = a.turned if a.order == 1 else found.ndim == 1 and not isinstance(key[0], slice)
    return Value(found, row)


def kept_axes(token: Token) -> tuple[bool, ...]:
    """For each index whether it keeps an axis; an error of its own is raised later."""
    return tuple(":" in part for part in token[1:-1].split(","))


def _key(part: str) -> Any:
    """An index counted from 0, or a slice of such."""
    match = _PART.match(part)
    first, last = (match["first"], match["last"]) if match else (None, None)
    is_range = match is not None and match["range"] is not None
    if match is None or (bool(first) != bool(last) if is_range else not first):
        raise UnsupportedOperation(
            f"{part.strip()!r} is no index: they are integers from 1 up, ':', and ranges as in 2:4"
        )
    if max(len(first or ""), len(last or "")) > _DIGITS or "0" in (first, last):
        raise UnsupportedOperation(f"{part.strip()!r} is no index: they are counted from 1")
    if not is_range:
        return int(cast(str, first)) - 1
    if first and last and int(last) < int(first):
        raise ShapeError(f"{part.strip()!r} is an empty range")
    return slice(int(first) - 1, int(cast(str, last))) if first else slice(None)


def unit(place: int, size: Size) -> Expression:
    """The vector with a 1 at a place, counted from 1."""
    if place < 1 or (isinstance(size, int) and place > size):
        raise ShapeError(f"unit: place {place} is not within {size} entries")
    return expression(terms.indicator((size,), [("=", form([(0, 1), ("", 1 - place)]))]))


# Out ---------------------------------------------------------------------------------------


def key_of(node: Term) -> tuple[Term, list[str]] | None:
    """What a product with an indicator takes entries of, and the key in NumPy's writing."""
    if not by_views(node):
        return None
    first = node.args[0].op == "indicator"
    indicator, array = node.args if first else node.args[::-1]
    left, right, out = cast(Spec, node.data)
    spec = (left, right, out) if first else (right, left, out)
    key = slices(indicator, array, spec)
    if key is None or any(k.count(":") > 1 for k in key):
        return None
    return array, [*key, *[":"] * (array.order - len(key))]


def format_key(key: list[str]) -> str:
    """A key, counted from 1.

    >>> format_key(["0", ":", "1:4"])
    '[1,:,2:4]'
    """
    return f"[{','.join(map(_counted, key))}]"


def _counted(part: str) -> str:
    start, colon, stop = part.partition(":")
    return part if part == ":" else f"{int(start or 0) + 1}{colon}{stop}"


def unit_place(leaf: Term) -> tuple[tuple[int, Size], ...] | None:
    """Of an array with a single one: the index of each axis, counted from 1, and its size."""
    found: dict[int, int] = {}
    for relation, f in cast(Constraints, leaf.data):
        match f:
            case ((int() as axis, 1),) if relation == "=":
                found[axis] = 1
            case ((int() as axis, 1), ("", int() as number)) if relation == "=" and number < 0:
                found[axis] = 1 - number
            case _:
                return None
    if len(found) < leaf.order or not 1 <= leaf.order <= 2:
        return None
    return tuple((found[k], d) for k, d in enumerate(leaf.dims))
