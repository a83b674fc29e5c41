r"""Sums over indices in LaTeX: `\sum_i (y_i - w^\top x_i)^2`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from eggrad.engine.errors import ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import as_size, form, plus, size_form, times
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import Expression, applied, unified
from eggrad.frontend.index.entries import entries, total
from eggrad.frontend.formulas.functions import ENTRYWISE, EXTREME_FUNCTIONS
from eggrad.frontend.formulas.values import MatrixValue
from eggrad.frontend.text.errors import TextShapeError
from eggrad.frontend.text.phrases import Phrase
from eggrad.frontend.text.sizes import unknown
from eggrad.frontend.text.words import offset_of
from eggrad.frontend.typeset.below import Place, Range, places, ranges
from eggrad.frontend.typeset.indexed import (
    Indexed,
    combined,
    extreme,
    indexed,
    inner,
    multiplied,
    norm1,
    norm2,
    summed,
)
from eggrad.frontend.typeset.tokens import plain_words


class MatrixReader(Protocol):
    """What reads the parts that depend on no index."""

    text: str
    variables: dict[str, MatrixValue]

    def value(self, root: Phrase) -> MatrixValue:
        """The value of a phrase."""
        ...

    def computed(self, phrase: Phrase, args: Sequence[MatrixValue]) -> MatrixValue:
        """What a phrase is, given its operands."""
        ...


class _Bound(NamedTuple):
    """An index of a sum: what it is called in entries, and which values it has."""

    label: str
    range: Range


Scope = Mapping[str, _Bound]
_REDUCING: Final = ("sum", "extreme")


class Sums:
    """Computes sums over indices, and what stands in them."""

    def __init__(self, reader: MatrixReader, fresh: Iterator[int]) -> None:
        """`fresh` numbers the indices that nobody has written."""
        self._reader = reader
        self._fresh = fresh

    def value(self, root: Phrase) -> MatrixValue:
        """The value of a sum; texts may be deeper than Python's stack."""
        dependent = _dependent(root)
        done: list[Indexed] = []
        stack: list[tuple[Phrase, Scope, list[tuple[Phrase, Scope]] | None]] = [(root, {}, None)]
        while stack:
            phrase, scope, operands = stack.pop()
            if id(phrase) not in dependent:
                done.append(indexed(self._reader.value(phrase), self._fresh))
                continue
            try:
                if operands is None:
                    operands = self._operands(phrase, scope)
                    stack.append((phrase, scope, operands))
                    stack.extend((p, s, None) for p, s in reversed(operands))
                    continue
                args = done[len(done) - len(operands) :]
                del done[len(done) - len(operands) :]
                done.append(self._applied(phrase, scope, operands, args))
            except ShapeError as error:
                if isinstance(error, ParseError):
                    raise
                place = offset_of(phrase.token)
                raise TextShapeError(str(error), self._reader.text, place) from error
            except UnsupportedOperation as error:
                place = offset_of(phrase.token)
                raise ParseError(str(error), self._reader.text, place) from error
        return done.pop().value()

    def _operands(self, phrase: Phrase, scope: Scope) -> list[tuple[Phrase, Scope]]:
        if phrase.what == "below" and phrase.operands[0].what == "norm":
            return [(p, scope) for p in phrase.operands[0].operands]
        if phrase.what not in _REDUCING:
            return [(p, scope) for p in phrase.operands]
        bound = dict(scope)
        for found in ranges(phrase.token if phrase.what == "sum" else f"{_over(phrase)}^"):
            if found.letter in bound:
                reason = f"the index {found.letter} is taken already outside of this sum"
                raise UnsupportedOperation(reason)
            if phrase.what == "sum" and found.letter in self._reader.variables:
                reason = f"the index {found.letter} of this sum is the name of a variable as well"
                raise UnsupportedOperation(reason)
            bound[found.letter] = _Bound(f"{found.letter}#{next(self._fresh)}", found)
        return [(phrase.operands[0], bound)]

    def _applied(
        self,
        phrase: Phrase,
        scope: Scope,
        operands: Sequence[tuple[Phrase, Scope]],
        args: Sequence[Indexed],
    ) -> Indexed:
        if phrase.what in _REDUCING:
            labels = [b.label for i, b in operands[0][1].items() if i not in scope]
            return self._over_indices(phrase, labels, args[0])
        if phrase.what == "below" and phrase.operands[0].what != "norm":
            return self._entry(phrase, scope, args[0])
        if not any(a.free for a in args):
            found = self._reader.computed(phrase, [a.value() for a in args])
            return indexed(found, self._fresh)
        return self._computed(phrase, args)

    def _over_indices(self, phrase: Phrase, labels: Sequence[str], body: Indexed) -> Indexed:
        for label in labels:
            if label not in body.entries.indices:
                name = label.partition("#")[0]
                reason = f"the index {name} of this sum does not stand behind it"
                if phrase.what == "extreme":
                    what = phrase.token.type
                    reason = (
                        rf"{name} is no index of what stands behind \{what}; the formula alone is "
                        rf"read without \{what}_{name}"
                    )
                raise ParseError(
                    reason,
                    self._reader.text,
                    offset_of(phrase.token),
                )
        if phrase.what == "extreme":
            return extreme(phrase.token.type, body, labels)
        return Indexed(total(body.entries, labels), body.rows, body.columns)

    def _computed(self, phrase: Phrase, args: Sequence[Indexed]) -> Indexed:
        """What depends on an index."""
        first, last = args[0], args[-1]
        match phrase.what:
            case "group":
                return args[0]
            case "negate":
                return args[0].mapped(lambda f: -f)
            case "TRANSPOSE":
                return args[0].transposed()
            case "PLUS":
                return combined("+", first, last, arithmetic.add)
            case "MINUS":
                return combined("-", first, last, arithmetic.subtract)
            case "DOT_TIMES":
                return combined(r"\odot", first, last, arithmetic.multiply)
            case "DOT_DIVIDE":
                return combined(r"\oslash", first, last, arithmetic.divide)
            case "DIVIDE":
                if not args[1].is_scalar:
                    raise ShapeError(
                        f"/ of {args[0].shape} and {args[1].shape}: the right has to be a scalar"
                    )
                return combined("/", first, last, arithmetic.divide)
            case "DOT" if phrase.token != "*" and all(a.rows and not a.columns for a in args):
                return inner(first, last)
            case "CROSS" if not any(a.is_scalar for a in args):
                raise ShapeError(r"\times of vectors: cross products are not read")
            case "TIMES" | "DOT" | "CROSS":
                return multiplied(first, last)
            case "inner":
                return inner(first, last)
            case "natural power":
                return args[0].mapped(language.exp)
            case "POWER" if all(a.is_scalar for a in args):
                return combined("^", first, last, arithmetic.power)
            case "DOT_POWER":
                return combined("^", first, last, arithmetic.power)
            case "bars" if args[0].is_scalar:
                return args[0].mapped(language.abs)
            case "log bars" if args[0].is_scalar:
                return args[0].mapped(lambda f: language.log(language.abs(f)))
            case "norm" | "below":
                return _norm(phrase, args[0])
            case "call":
                return self._call(phrase, args)
            case _:
                raise UnsupportedOperation(
                    "this is not read where it depends on the index of a sum"
                )

    def _call(self, phrase: Phrase, args: Sequence[Indexed]) -> Indexed:
        name = str(phrase.token)
        if name in ENTRYWISE and len(args) == 1:
            return args[0].mapped(ENTRYWISE[name])
        if name in EXTREME_FUNCTIONS and len(args) == 2:
            return combined(
                name, args[0], args[1], lambda p, q: applied(EXTREME_FUNCTIONS[name], p, q)
            )
        if name in ("norm1", "norm2", "sum") and len(args) == 1:
            return {"norm1": norm1, "norm2": norm2, "sum": summed}[name](args[0])
        raise UnsupportedOperation(f"{name} of what depends on the index of a sum is not read")

    # Entries -------------------------------------------------------------------------------

    def _entry(self, phrase: Phrase, scope: Scope, base: Indexed) -> Indexed:
        """The entries of a vector or a matrix; `x_i` of a matrix is a row of it, as a column."""
        found = list(places(phrase.token))
        for place in found:
            if place.letter and place.letter not in scope:
                raise ParseError(
                    f"the index {place.letter} belongs to no sum",
                    self._reader.text,
                    offset_of(phrase.token),
                    (rf"\sum_{place.letter}",),
                )
        axes = [i for i in (base.rows, base.columns) if i]
        if len(axes) == 2 and len(found) == 1 and 10 < found[0].number < 100:
            found = [Place("", k) for k in divmod(found[0].number, 10)]
        if len(found) > len(axes):
            raise ShapeError(f"{base.shape} has no {len(found)} indices")
        if len(found) < len(axes):
            axes = [self._axis_of(base, found[0], scope)]
        names: dict[str, str] = {}
        value = base.entries.expression
        keys: list[Any] = [slice(None)] * value.ndim
        for axis, place in zip(axes, found, strict=True):
            at = base.entries.indices.index(axis)
            value, keys[at] = _key(value, at, place, scope)
            names[axis] = scope[place.letter].label if place.letter else ""
        if any(key != slice(None) for key in keys):
            value = value[tuple(keys)]
        labels = [names.get(i, i) for i in base.entries.indices]
        rest = [i for i in (base.rows, base.columns) if i and i not in axes]
        return Indexed(entries(value, [i for i in labels if i]), rest[0] if rest else None)

    def _axis_of(self, base: Indexed, place: Place, scope: Scope) -> str:
        """Whether one index of a matrix counts rows or columns: what its range says."""
        rows, columns = base.rows, base.columns
        assert rows
        assert columns
        bound = scope.get(place.letter)
        last = as_size(bound.range.last) if bound and bound.range.last else None
        sizes = base.entries.sizes()
        if sizes[rows] == sizes[columns]:
            raise ShapeError(
                f"one index of {base.shape} is that of a row, or of a column; write both indices"
            )
        return columns if last == sizes[columns] else rows


def _key(
    value: Expression, axis: int, place: Place, scope: Scope
) -> tuple[Expression, slice | int]:
    """Which part of an axis a place goes over."""
    size = value.shape[axis]
    if not place.letter:
        if not place.number or (isinstance(size, int) and place.number > size):
            raise ShapeError(f"{place.number} is no place among {size}: they count from 1")
        return value, place.number - 1
    bound = scope[place.letter].range
    if bound.first is None or bound.last is None:
        if place.number:
            raise UnsupportedOperation(
                f"with {place.letter} and a number the sum needs its ends, as in _{{i=2}}^n"
            )
        return value, slice(None)
    start = dict(plus(bound.first, form([("", place.number - 1)])))
    last = plus(bound.last, form([("", place.number)]))
    if unknown(size) and set(start) <= {""} and not start.get("", 0):
        (value,) = unified([value], [(as_size(last), size)], "indices")
        return value, slice(None)
    behind = dict(plus(last, times(-1, size_form(size))))
    fixed = dict(last)
    if set(start) <= {""} and start.get("", 0) >= 0:
        first = start.get("", 0)
        if set(behind) <= {""} and behind.get("", 0) <= 0:
            stop = behind.get("", 0) or None
            return value, slice(first or None, stop)
        if set(fixed) <= {""} and not isinstance(size, int):
            return value, slice(first or None, fixed.get("", 0))
    begin, end = (as_size(plus(f, form([("", place.number)]))) for f in (bound.first, bound.last))
    raise ShapeError(
        f"the places go from {begin} to {end} here, those of the axis from 1 to {size}"
    )


def _norm(phrase: Phrase, a: Indexed) -> Indexed:
    below = plain_words(phrase.token) if phrase.what == "below" else ""
    if a.is_scalar:
        return a.mapped(language.abs)
    if (a.rows and a.columns and below == "F") or (
        not (a.rows and a.columns) and below in ("", "2")
    ):
        return norm2(a)
    if below == "1" and not (a.rows and a.columns):
        return norm1(a)
    raise UnsupportedOperation("this norm is not read where it depends on the index of a sum")


def _over(phrase: Phrase) -> str:
    return str(phrase.token)


def _dependent(root: Phrase) -> set[int]:
    """The phrases in which indices of sums stand, and the sums."""
    order = [root]
    for phrase in order:
        order.extend(phrase.operands)
    found: set[int] = set()
    for phrase in reversed(order):
        indexed_here = phrase.what == "below" and any(p.letter for p in _places(phrase))
        if phrase.what in _REDUCING or indexed_here or any(id(p) in found for p in phrase.operands):
            found.add(id(phrase))
    return found


def _places(phrase: Phrase) -> tuple[Place, ...]:
    if phrase.operands[0].what in ("norm", "constant"):
        return ()
    return places(phrase.token)
