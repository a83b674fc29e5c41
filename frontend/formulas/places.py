"""Entries of values: in brackets, as `A[1,2:4]`, and below, as `A_{ij}` with the ranges of sums."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from lark import Token

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import (
    AffineForm,
    as_size,
    coefficient,
    form,
    plus,
    resized,
    size_form,
    times,
)  # fmt: skip
from eggrad.engine.indices.spec import Size
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression.expression import Expression, expression, unified
from eggrad.frontend.formulas.advice import AdvisedShapeError
from eggrad.frontend.formulas.values import Value, at_indices, single, vec
from eggrad.frontend.text.phrases import Misread
from eggrad.frontend.text.sizes import unknown
from eggrad.frontend.text.words import offset_of

# More digits than this are no index of an array.
_DIGITS: Final = 18

# In brackets, counted from 1: `A[1,2]`, `A[1,:]`, `A[:,2]`, `x[2:4]`, `x[2:n]`, `x[end]` -----

_PLACE: Final = r"[0-9]+|[^\W\d][\w+\-*\s]*"
_PART: Final = re.compile(
    rf"\s*(?:(?P<first>{_PLACE})\s*)?(?P<range>:\s*(?P<last>{_PLACE})?)?\s*\Z"
)


def in_brackets(a: Value, token: str) -> Value:
    """What `a[...]` is: a row of a matrix is a row, a part of a vector one of its kind.

    >>> from eggrad.frontend.expression.functions import variable
    >>> from eggrad.frontend.formulas.values import value
    >>> in_brackets(value(variable("A", ("m", "n"))), "[1,:]").shape
    '1 x n'
    """
    f = single(f"{token} of", a)
    parts = token[1:-1].split(",")
    if a.order == 2 and parts == [":"]:
        # MATLAB's columns one below the other.
        return vec(a)
    if len(parts) != a.order or not a.order:
        raise _wrong_count(a, token)
    key = tuple(_key(part, d) for part, d in zip(parts, f.shape, strict=True))
    for k, size in zip(key, f.shape, strict=True):
        last = k.stop if isinstance(k, slice) else k + 1
        if isinstance(size, int) and last is not None and last > size:
            raise ShapeError(f"{token} of {a.shape}: index {last} is out of range")
    axes = (*a.rows, *a.columns)
    return Value(f[key], tuple(i for i, k in zip(axes, key, strict=True) if isinstance(k, slice)))


def _wrong_count(a: Value, written: str) -> ShapeError:
    """The error of a value with another number of indices than it has axes."""
    what = f"{written} of {a.shape}: "
    if not a.order:
        return ShapeError(f"{what}a scalar has no entries")
    if a.order == 1:
        return AdvisedShapeError(f"{what}a vector has one index", "index of a vector")
    return AdvisedShapeError(f"{what}a matrix has two indices", "indices of a matrix")


def kept_axes(token: str) -> tuple[bool, ...]:
    """For each index in brackets whether it keeps an axis; what is no index is an error later."""
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
    place = resized(size_form(text.strip()), {"end": size})
    behind = dict(plus(place, times(-1, size_form(size))))
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
        raise ShapeError(f"unit: place {place} is not within {size} entries, counted from 1")
    here = plus(form([(0, -1), ("", -1)]), size_form(place))
    return expression(terms.indicator((size,), [("=", here)]))


# Below: `A_{i,j+1}`, `x_3`, and over what sums go, `_{i=1}^n` ------------------------------

_LETTERS: Final = r"\\?[A-Za-z\N{GREEK SMALL LETTER ALPHA}-ω]+"
_MINUS: Final = "\N{MINUS SIGN}"
_SIGN: Final = rf"[+\-{_MINUS}]"
_ITEM: Final = re.compile(rf"{_LETTERS}|\d+")
# An index with a number, as index notation writes some.
_INDEX: Final = re.compile(r"[^\W\d]\d+")
_FORM: Final = re.compile(rf"\s*({_LETTERS})?\s*(?:({_SIGN})?\s*(\d+))?\s*")
_COEFFICIENT: Final = re.compile(r"(\d)\s*(?=[^\W\d])")
_NO_LETTER: Final = re.compile(r"\\(?:mathrm|mathbf|text|[,;!])|[{}\s]")
_COMPARISON: Final = re.compile(r"(.+?)(=|≥|>=|≤|<=|<|>|\|)(.+)", re.DOTALL)
_CONDITION: Final = re.compile(r"[<>]|\\(?:ne|neq|in|le|leq|ge|geq|not)(?![A-Za-z])")


class Place(NamedTuple):
    """A place along an axis, counted from 1: an index and a number, such as `i - 1`."""

    letter: str
    number: int


class Range(NamedTuple):
    """The values of an index, the last one among them; None where they are those of an axis."""

    letter: str
    first: AffineForm | None = None
    last: AffineForm | None = None


class Bound(NamedTuple):
    """An index of a sum: what it is called in values, and which values it has."""

    label: str
    range: Range


def indices_below(below: Token) -> tuple[Token, ...]:
    """The indices and numbers that a text below a name says; `Misread` for another text.

    >>> indices_below(Token("SUB", "i,j", 0)), indices_below(Token("SUB", "{i-1}", 0))
    ((Token('INDEX', 'i'), Token('INDEX', 'j')), (Token('INDEX', 'i-1'),))
    """
    found: list[Token] = []
    for match in re.finditer(r"[^,]+", below):
        part, start = _NO_LETTER.sub("", match[0]), offset_of(below) + match.start()
        start += len(match[0]) - len(match[0].lstrip("{ "))
        if _INDEX.fullmatch(part):
            found.append(Token("INDEX", part, start))
            continue
        if re.search(_SIGN, part):
            items = [part]
            if not _FORM.fullmatch(part):
                raise Misread(f"{part!r} is no index, such as i or i+1", below)
        else:
            # Letters side by side are indices, digits one number.
            runs = _ITEM.findall(part)
            whole = ("\\", *"0123456789")
            items = [i for r in runs for i in ([r] if r.startswith(whole) else r)]
            if not runs or "".join(runs) != part:
                raise Misread(f"{below.strip()} is no list of indices", below)
        for item in items:
            found.append(Token("INDEX", item.removeprefix("\\"), start))
            start += len(item)
    if not found:
        raise Misread(f"{below.strip()} is no list of indices", below)
    return tuple(found)


def indices_over(bounds: Token) -> tuple[Token, ...]:
    """The indices that a sum goes over, and where it begins and ends, of a text `i=1^n`.

    >>> indices_over(Token("SUM", "i,j^", 0)), indices_over(Token("SUM", "i=1^n", 0))[2]
    ((Token('INDEX', 'i'), Token('INDEX', 'j')), Token('END', 'n'))
    """
    below, _, above = bounds.partition("^")
    names, equals, first = below.partition("=")
    if _CONDITION.search(below):
        raise Misread(
            f"a sum goes over whole axes, or from one number to another, not over {below.strip()}",
            bounds,
        )
    found = indices_below(Token("SUB", names, offset_of(bounds)))
    if any(p.number or not p.letter for p in map(place, found)):
        raise Misread(f"{below.strip()} is no list of indices", bounds)
    if bool(equals) != bool(above.strip()):
        one, other = ("begins", "ends") if equals else ("ends", "begins")
        reason = f"a sum that {one} somewhere {other} somewhere, as in _{{i=1}}^n"
        raise Misread(reason, bounds)
    ends = [Token("END", _NO_LETTER.sub("", e), offset_of(bounds)) for e in (first, above)]
    return (*found, *(ends if equals else ()))


def place(index: str) -> Place:
    """The place that a text says.

    >>> place("i"), place("12"), place("i-1")
    (Place(letter='i', number=0), Place(letter='', number=12), Place(letter='i', number=-1))
    """
    if index.isdecimal():
        return Place("", int(index[:_DIGITS]))
    name, sign, number = (
        re.split(rf"({_SIGN})", index, maxsplit=1) if re.search(_SIGN, index) else (index, "", "0")
    )
    return Place(name.strip(), int(number[:9]) * (1 if sign == "+" else -1))


def end(text: str) -> AffineForm:
    """Where a sum begins or ends: a number, a size, or a size and a number."""
    plain = _COEFFICIENT.sub(r"\1*", text.replace(_MINUS, "-").replace("\\", ""))
    if not re.fullmatch(r"[\w+*-]+", plain) or len(plain) > 40:
        raise UnsupportedOperation(f"{str(text)!r} is no end of a sum, such as 1, n or n-1")
    return size_form(int(plain[:_DIGITS]) if plain.isdecimal() else plain)


def condition(token: str, sizes: Collection[Size]) -> tuple[list[str], Any]:
    """The indices of a condition such as `[i+1=j]` or `[2|i]`, and the relation between them."""
    found = _COMPARISON.fullmatch(token[1:-1])
    if found is None:
        raise UnsupportedOperation(f"{token} is no condition, such as [i+1=j] or [2|i]")
    left, sign, right = found.groups()
    texts = (_COEFFICIENT.sub(r"\1*", part.strip()) for part in (left, right))
    one, other = (dict(_numeric(size_form(t))) for t in texts)
    names = [str(key) for key in {**one, **other} if key and str(key) not in sizes]
    if not names:
        raise UnsupportedOperation(f"{token} speaks of no index")
    axis = {n: k for k, n in enumerate(names)}
    first, second = (
        form((axis.get(str(key), key) if key else "", c) for key, c in f.items())
        for f in (one, other)
    )
    if sign == "|":
        divisor = dict(first)
        if set(divisor) != {""} or divisor[""] < 1:
            raise UnsupportedOperation(f"{token}: a number stands before the bar, as in [2|i]")
        return names, (divisor[""], second)
    above, under = (first, second) if sign in ("=", "≥", ">=", ">") else (second, first)
    difference = plus(above, times(-1, under))
    if sign in ("<", ">"):
        difference = plus(difference, form([("", -1)]))
    return names, ("=" if sign == "=" else ">=", difference)


def _numeric(f: AffineForm) -> AffineForm:
    """A form in which a text of digits is a number."""
    return form(
        ("", c * int(key)) if isinstance(key, str) and key.isdecimal() else (key, c) for key, c in f
    )


def entry(a: Value, below: Sequence[Place], scope: Mapping[str, Bound]) -> Value:
    """The entries of a vector or a matrix; `x_i` of a matrix is a row of it, as a column."""
    found = list(below)
    axes = [*a.rows, *a.columns]
    if len(axes) == 2 and len(found) == 1 and not found[0].letter and 10 < found[0].number < 100:
        found = [Place("", k) for k in divmod(found[0].number, 10)]
    if len(found) > len(axes) or (len(found) < len(axes) and not found[0].letter):
        raise _wrong_count(a, f"[{','.join(p.letter or str(p.number) for p in found)}]")
    if len(found) < len(axes):
        axes = [_axis_of(a, found[0], scope)]
    names: dict[str, str] = {}
    entries = a.entries
    keys: list[Any] = [slice(None)] * entries.ndim
    for axis, place in zip(axes, found, strict=True):
        at = a.axes.index(axis)
        entries, keys[at] = _part(entries, at, place, scope)
        names[axis] = scope[place.letter].label if place.letter else ""
    if any(key != slice(None) for key in keys):
        entries = entries[tuple(keys)]
    labels = [names.get(i, i) for i in a.axes]
    rest = {i: "↓0" for i in (*a.rows, *a.columns) if i not in axes}
    return at_indices(entries, [i for i in labels if i]).renamed(rest)


def _axis_of(a: Value, place: Place, scope: Mapping[str, Bound]) -> str:
    """Whether one index of a matrix counts rows or columns: what its range says."""
    rows, columns = a.sizes
    last = scope[place.letter].range.last
    if rows == columns:
        raise ShapeError(
            f"one index of {a.shape} is that of a row, or of a column; write both indices"
        )
    return a.columns[0] if last and as_size(last) == columns else a.rows[0]


def _part(
    entries: Expression, axis: int, place: Place, scope: Mapping[str, Bound]
) -> tuple[Expression, slice | int]:
    """Which part of an axis a place goes over."""
    size = entries.shape[axis]
    if not place.letter:
        if not place.number:
            raise UnsupportedOperation("'0' is no index: they are counted from 1")
        if isinstance(size, int) and place.number > size:
            raise ShapeError(f"{place.number} is no place among {size}: they count from 1")
        return entries, place.number - 1
    bound = scope[place.letter].range
    if bound.first is None or bound.last is None:
        if place.number:
            raise UnsupportedOperation(
                f"with {place.letter} and a number the sum needs its ends, as in _{{i=2}}^n"
            )
        return entries, slice(None)
    first = plus(bound.first, form([("", place.number - 1)]))
    last = plus(bound.last, form([("", place.number)]))
    behind = plus(last, times(-1, size_form(size)))
    start = coefficient(first, "")
    if {*dict(first)} <= {""} and start >= 0:
        if unknown(size) and {*dict(last)} != {""}:
            # An axis that a sum leaves before its end, as to n - 1, has the whole size.
            whole = plus(last, form([("", -min(0, coefficient(last, "")))]))
            (entries,) = unified([entries], [(as_size(whole), size)], "indices")
            return entries, slice(start or None, min(0, coefficient(last, "")) or None)
        if unknown(size) and not start:
            (entries,) = unified([entries], [(as_size(last), size)], "indices")
            return entries, slice(None)
        if {*dict(behind)} <= {""} and coefficient(behind, "") <= 0:
            return entries, slice(start or None, coefficient(behind, "") or None)
        if {*dict(last)} <= {""} and not isinstance(size, int):
            return entries, slice(start or None, coefficient(last, ""))
    begin, end = (as_size(plus(f, form([("", place.number)]))) for f in (bound.first, bound.last))
    raise ShapeError(
        f"the places go from {begin} to {end} here, those of the axis from 1 to {size}"
    )
