"""From phrases to expressions: names, sizes, shapes and values, for every notation.

A notation has a grammar that makes phrases; here they get values. The words of advice in errors
are those of the notation.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import count, islice
from typing import Final, Literal

from lark import Token

from eggrad.engine.errors import EggradError, ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import AffineForm, as_size, plus, size_form, size_symbols
from eggrad.engine.indices.affine import times as multiple
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import broadcast, expanded
from eggrad.frontend.expression.expression import (
    Expression,
    applied,
    as_expression,
    expression,
    unified,
)  # fmt: skip
from eggrad.frontend.formulas import places, values
from eggrad.frontend.formulas.advice import AdvisedShapeError, Words
from eggrad.frontend.formulas.functions import CONSTANTS, Known, check_call, cross, extreme, norm
from eggrad.frontend.formulas.names import is_greek, may_be_product
from eggrad.frontend.formulas.places import Bound, Range
from eggrad.frontend.formulas.syntax import EQUATION, Line, call, factors_of, sign_of_transpose
from eggrad.frontend.formulas.values import Value, entrywise, product, total, value
from eggrad.frontend.text.errors import (
    TextShapeError,
    TextShapeQuestion,
    TextUnknownVariable,
    suggestion,
)
from eggrad.frontend.text.phrases import Phrase, Problem
from eggrad.frontend.text.sizes import UNKNOWN, unknown
from eggrad.frontend.text.words import MAXIMAL_DIGITS, offset_of, read_number

Scope = Mapping[str, Bound]
Guessed = Literal["", "lax", "strict"]
"""Whether dims were guessed: not, with scalars behind what they multiply, or before it alone."""
_Task = tuple[Phrase, Scope]


def _entry_by_entry(symbol: str, build: Callable[..., Expression]) -> Callable[..., Value]:
    return lambda *args: entrywise(symbol, build, *args)


def _pointwise(a: Value, b: Value) -> Value:
    r"""`\cdot`: the inner product of columns, or of one and those of a matrix, or a product."""
    columns = [v.order == 1 and not v.is_row for v in (a, b)]
    if columns[0] and b.order == 2:
        return values.times(values.transposed(a), b)
    return values.inner(a, b) if all(columns) else values.times(a, b)


def _crossed(a: Value, b: Value) -> Value:
    r"""`\times`: a multiple, or the cross product of vectors."""
    if not a.order or not b.order:
        return values.times(a, b)
    if a.order == b.order == 1:
        return cross(a, b)
    raise ShapeError(
        rf"\times of {a.shape} and {b.shape}: a product of matrices has no sign, one of "
        r"entries \odot; cross products are not read"
    )


def _natural_power(exponent: Value) -> Value:
    """`e^a`: of a scalar, or of every entry of a vector."""
    if exponent.order == 2:
        raise AdvisedShapeError(
            f"e^ of {exponent.shape}: the exponential of a matrix, or that of its entries",
            "exponential of entries",
        )
    return exponent.mapped(language.exp)


_OPERATORS: Final[dict[str, Callable[..., Value]]] = {
    "PLUS": _entry_by_entry("+", arithmetic.add),
    "MINUS": _entry_by_entry("-", arithmetic.subtract),
    "TIMES": values.times,
    "DOT": _pointwise,
    "CROSS": _crossed,
    "DOT_TIMES": values.multiply,
    "DIVIDE": values.divide,
    "DOT_DIVIDE": _entry_by_entry("./", arithmetic.divide),
    "POWER": values.power,
    "DOT_POWER": _entry_by_entry(".^", arithmetic.power),
    "TRANSPOSE": values.transposed,
    "natural power": _natural_power,
    "negate": lambda a: a.mapped(lambda f: -f),
    "group": lambda a: a,
    **{
        sign: _entry_by_entry(sign, compare)
        for sign, compare in (
            (">", partial(applied, "greater")),
            (">=", partial(applied, "greater_equal")),
            ("<", lambda a, b: applied("greater", b, a)),
            ("<=", lambda a, b: applied("greater_equal", b, a)),
            ("==", partial(applied, "equal")),
            ("!=", partial(applied, "not_equal")),
        )
    },
}  # fmt: skip
NOT_WRITTEN: Final = "the name of a scalar does not stand here"
_NAMELESS: Final = re.compile(rf"{re.escape(UNKNOWN)}\w+")
# Products whose factors are contracted together where they are summed.


class Reader:
    """Looks names up and applies operators, each at its place in the text."""

    def __init__(
        self,
        text: str,
        dims: Mapping[str, Sequence[Size]],
        assume: Mapping[str, Iterable[str]],
        functions: Mapping[str, Known],
        *,
        words: Words,
        defined: Collection[str] = (),
        guessed: Guessed = "",
    ) -> None:
        """`functions` are all that may be called; a size that begins with `?` is not known.

        Names that the text defines may have dims as well. Where dims were `guessed` no scalar's
        name is read where a number or a tensor belongs.
        """
        self.text = text
        self.functions = functions
        self._words = words
        self._guessed = guessed
        self._dims = dims
        self.variables = {
            name: language.variable(name, axes, assume.get(name, ()))
            for name, axes in dims.items()
            if name not in defined
        }
        # Variables, and parts that have a name.
        self.names = {name: _whole(f) for name, f in self.variables.items()}
        known = [d for axes in dims.values() for d in axes if not unknown(d)]
        self.sizes = {size for d in known for size in size_symbols(d) or (d,)}
        # The places of what has a size that nobody has said, by that size.
        self._unknown: dict[str, Token] = {}
        self._fresh = count(1)

    # Lines ---------------------------------------------------------------------------------

    def problem(self, lines: Sequence[Line]) -> Problem:
        """What lines say: named parts, an expression, and variables with their final sizes."""
        *parts, last = lines
        self._learn_sizes(lines)
        for line in parts:
            if not line.name:
                reason = "a name stands before a part, as in t = …; the last one is the expression"
                raise self._error(reason, line.body.token)
            if str(line.name) in self.names:
                raise self._error(f"the name {str(line.name)!r} is taken already", line.name)
            self.names[str(line.name)] = self._named(line)
        if last.name and (str(last.name) in self.names or may_be_product(last.name)):
            raise self._error(EQUATION, last.name)
        try:
            below = last.below
            found = (
                values.single("the result is", self.value(last.body))
                if below is None
                else self.entries(last, below)
            )
        except UnsupportedOperation as error:
            raise self._failed(error, last.body.token) from error
        # Sizes that were not known and have not met any that was are called after their variable.
        pairs = [
            (d.removeprefix(UNKNOWN), d)
            for d in symbols(found.term)
            if d.startswith(UNKNOWN) and d not in self._unknown
        ]
        whole, *placed = unified([found, *self.variables.values()], pairs, "sizes")
        fixed = {s for v in placed for d in v.shape for s in size_symbols(d)}
        for size in symbols(whole.term):
            if size in self._unknown and size not in fixed:
                token = self._unknown[size]
                what = f"the axis of {token}" if token.type == "INDEX" else f"this {token}"
                unknown_size = AdvisedShapeError(
                    f"nothing says how long {what} is", "size of a constant"
                )
                raise self._failed(unknown_size, token)
        return Problem(whole.term, None, tuple(v.term for v in placed))

    def _learn_sizes(self, lines: Sequence[Line]) -> None:
        """Names at which sums end are sizes, where no variable is called so.

        Where dims were guessed those of constants are: an axis that they meet is as long.
        """
        stack = [line.body for line in lines]
        while stack:
            phrase = stack.pop()
            stack.extend(phrase.operands)
            if self._guessed and phrase.what == "call" and phrase.token in CONSTANTS:
                has_entry = phrase.token in ("vector", "matrix", "unit")
                for size in phrase.operands[has_entry:]:
                    if size.what == "use" and str(size.token) not in {*self.names, *self.sizes}:
                        self.sizes.add(str(size.token))
                        self._unknown[str(size.token)] = size.token
            for end in (t for t in phrase.sizes or () if t.type == "END"):
                try:
                    ends = {str(s) for s, _ in places.end(end) if s}
                except UnsupportedOperation as error:
                    raise self._failed(error, end) from error
                self.sizes |= ends.difference(self.names)

    def _named(self, line: Line) -> Value:
        """The value of a line; where its name has indices those are its axes."""
        below = line.below
        return self.value(line.body) if below is None else _whole(self.entries(line, below))

    def entries(self, line: Line, below: Sequence[Token]) -> Expression:
        """The value of a line, with an axis for each index that stands on the left of it."""
        phrase, name = line.body, line.name
        letters = [str(i) for i in below]
        found = self.value(phrase, {i: Bound(i, Range(i)) for i in letters})
        if found.order:
            reason = f"the right of '=' is {found.shape}, the left an entry; write its indices"
            raise TextShapeError(reason, self.text, offset_of(phrase.token))
        dims = self._dims.get(str(name)) if name else None
        if name and dims is not None and len(dims) != len(below):
            raise self._wrong_number(name, len(dims), below)
        sizes = found.lengths()
        for k, i in enumerate(below):
            if str(i) not in sizes:
                sizes[str(i)] = dims[k] if dims else self._unknown_size(i)
        made = found.ordered([i for i in letters if i in found.axes])
        missing = [k for k, i in enumerate(letters) if i not in found.axes]
        if missing:
            made = broadcast(
                expanded(made, missing) if made.ndim else made, [sizes[i] for i in letters]
            )
        for i, d, p in zip(letters, made.shape, dims or made.shape, strict=True):
            if d != p and not (unknown(d) or unknown(p)):
                reason = f"the index {i} has {p} values on the left and {d} on the right"
                raise TextShapeError(reason, self.text, offset_of(name or phrase.token))
        if not dims:
            return made
        pairs = [(d, p) if unknown(p) else (p, d) for d, p in zip(made.shape, dims, strict=True)]
        return unified([made], pairs, "indices")[0]

    def _error(self, reason: str, place: Token, *expected: str) -> ParseError:
        return ParseError(reason, self.text, offset_of(place), expected)

    # Phrases -------------------------------------------------------------------------------

    def value(self, root: Phrase, scope: Scope | None = None) -> Value:
        """The value of a phrase, operands first; texts may be deeper than Python's stack."""
        done: list[Value] = []
        stack: list[tuple[Phrase, Scope, list[_Task] | None]] = [(root, scope or {}, None)]
        while stack:
            phrase, local, operands = stack.pop()
            try:
                if operands is None:
                    phrase = self._composed(phrase)
                    operands = self._operands(phrase, local)
                    stack.append((phrase, local, operands))
                    stack.extend((p, s, None) for p, s in reversed(operands))
                else:
                    args = done[len(done) - len(operands) :]
                    del done[len(done) - len(operands) :]
                    inner = operands[0][1] if operands else local
                    done.append(self._computed(phrase, args, local, inner))
            except (ShapeError, UnsupportedOperation) as error:
                raise self._failed(error, phrase.token) from error
        return done.pop()

    def _failed(self, error: EggradError, token: Token) -> EggradError:
        """The same error, at a place of the text and in the words of the notation."""
        if isinstance(error, ParseError):
            return error
        if isinstance(error, AdvisedShapeError):
            kind = TextShapeQuestion if error.asks else TextShapeError
            return kind(self._lettered(error.said(self._words)), self.text, offset_of(token))
        kind = TextShapeError if isinstance(error, ShapeError) else ParseError
        return kind(self._lettered(str(error)), self.text, offset_of(token))

    def _lettered(self, message: str) -> str:
        """A message with letters for sizes that have no name."""
        free = (letter for letter in "mnkpqrst" if letter not in self.sizes)
        inner = dict.fromkeys(_NAMELESS.findall(message))
        letters = dict(zip(inner, free, strict=False))
        return _NAMELESS.sub(lambda size: letters.get(size[0], size[0]), message)

    def _operands(self, phrase: Phrase, scope: Scope) -> list[_Task]:
        """What has a value before a phrase has one, and what indices mean there."""
        if phrase.what == "POWER" and self._may_transpose(phrase, scope):
            return [(phrase.operands[0], scope)]
        if phrase.what == "call" and phrase.token in CONSTANTS:
            return []
        if phrase.what not in ("sum", "extreme"):
            return [(p, scope) for p in phrase.operands]
        bound = dict(scope)
        ends = [places.end(t) for t in phrase.sizes or () if t.type == "END"]
        for i in _letters(phrase):
            if str(i) in bound:
                reason = f"the index {i} is taken already outside of this {phrase.token}"
                raise ParseError(reason, self.text, offset_of(i))
            if str(i) in self.variables and not self.variables[str(i)].ndim:
                reason = f"the index {i} of this {phrase.token} is the name of a variable as well"
                raise ParseError(reason, self.text, offset_of(i))
            bound[str(i)] = Bound(f"{i}#{next(self._fresh)}", Range(str(i), *ends))
        (body,) = phrase.operands
        # A sum of a product is one contraction.
        whole = phrase.what == "sum" and body.what == "TIMES" and not phrase.sealed
        return [(p, bound) for p in (factors_of(body) if whole else (body,))]

    def _composed(self, phrase: Phrase) -> Phrase:
        """`sum(abs, x)` is the sum of what the other function makes of the entries."""
        if phrase.what != "call" or len(phrase.operands) != 2:
            return phrase
        outer, (inner, argument) = phrase.token, phrase.operands
        name = str(inner.token)
        known = self.functions.get(name) if inner.what == "use" and name not in self.names else None
        if known is None or not known.of_entries or outer not in ("sum", "mean", "max", "min"):
            return phrase
        return call(str(outer), outer, call(name, inner.token, argument))

    def _may_transpose(self, phrase: Phrase, scope: Scope) -> bool:
        """Whether a power is `A^T` or `A^{-T}`, with no scalar or index of that name."""
        name = sign_of_transpose(phrase)
        scalar = name in self.names and not self.names[name].order
        return bool(name) and name not in scope and not scalar

    def _transposed(self, phrase: Phrase, base: Value, scope: Scope) -> Value:
        """`A^T`, `A^{-T}` and of a number the power."""
        _, exponent = phrase.operands
        if base.free and not base.order:
            raise ShapeError("an entry has no transpose")
        if not base.order and not any(v.dims for v in base.entries.variables):
            # Of scalars, as in (1 + r)^t.
            return values.power(base, self.value(exponent, scope))
        inverse = exponent.what == "negate"
        return values.transposed(self._call(Token("NAME", "inv"), [base]) if inverse else base)

    def _computed(self, phrase: Phrase, args: Sequence[Value], scope: Scope, inner: Scope) -> Value:
        """What a phrase is, given its operands; an error says nothing of the place."""
        token = phrase.token
        if self._guessed:
            self._check_guess(phrase, args)
        match phrase.what:
            case "number":
                return value(as_expression(self._number(token)))
            case "use" if str(token) in scope:
                raise UnsupportedOperation(f"the index {token} stands as a number; it is none")
            case "use":
                return self._look_up(token)
            case "pi":
                return value(as_expression(math.pi))
            case "POWER" if len(args) == 1:
                return self._transposed(phrase, args[0], scope)
            case "indexed":
                return places.in_brackets(args[0], token)
            case "below":
                return self._below(phrase, args[0], scope)
            case "upper":
                raise UnsupportedOperation(f"the index {token} above belongs to no sum")
            case "sum" | "extreme":
                return self._reduced(phrase, args, inner)
            case "norm":
                return norm(args[0], str((phrase.sizes or ("",))[0]))
            case "delta":
                return self._delta(phrase, scope)
            case "indicator":
                return self._indicator(token, scope)
            case "list":
                place = offset_of(phrase.operands[1].token)
                raise ParseError("a comma separates the arguments of a function", self.text, place)
            case "call" if token in CONSTANTS:
                return self._constant(phrase)
            case "call":
                return self._call(token, args)
            case operator:
                return _OPERATORS[operator](*args)

    def _check_guess(self, phrase: Phrase, args: Sequence[Value]) -> None:
        """Raise where a scalar's name stands as nobody writes it."""
        row = self.functions.get(str(phrase.token)) if phrase.what == "call" else None
        tensors = [a.order > 0 for a in args]
        inside = [a.entries.variables for a in args]
        match phrase.what:
            case "PLUS" | "MINUS" | "DOT_TIMES" | "DOT_DIVIDE":
                wrong = _are_mixed(phrase, args)
            case "TIMES" if self._guessed == "strict" and tensors == [True, False]:
                wrong = bool(inside[1]) and not any(v.dims for v in inside[1])
            case "TRANSPOSE":
                wrong = not any(tensors)
            case "natural power" if self._guessed == "strict":
                wrong = any(tensors)
            case "call" if row and (row.of_entries or len(args) > row.least == 1):
                wrong = _are_mixed(phrase, args)
            case "norm" | "call":
                of_names = not any(v.dims for found in inside for v in found)
                wrong = bool(args) and of_names and not (row and row.of_scalars)
            case _:
                wrong = False
        if wrong:
            raise ShapeError(NOT_WRITTEN)

    def _number(self, token: Token) -> object:
        found = read_number(token)
        if found is None:
            raise UnsupportedOperation(
                f"a number has at most {MAXIMAL_DIGITS} digits and an exponent up to that"
            )
        return found

    def _look_up(self, token: Token) -> Value:
        name = str(token)
        if name in self.names:
            return self.names[name]
        if (name in self.functions and not is_greek(name)) or name in CONSTANTS:
            raise ParseError(
                f"{name} is a function; its arguments follow in brackets",
                self.text,
                offset_of(token) + len(name),
                ("'('",),
            )
        if name in self.sizes:
            return value(expression(terms.size(name)))
        if token.type == "EULER":
            return value(language.exp(as_expression(1)))
        near = suggestion(name, self.names)
        known = tuple(islice(self.names, 10))
        error = TextUnknownVariable(
            f"no variable is called {shown(name)}{near}", self.text, offset_of(token), known
        )
        error.name = name
        raise error

    def _call(self, token: Token, args: Sequence[Value]) -> Value:
        name = str(token)
        if name in self.names and name not in self.functions:
            raise UnsupportedOperation(
                f"{shown(name)} is no function; a product is written {name} * ("
            )
        check_call(name, len(args), self.functions)
        return self.functions[name].apply(*args)

    # Indices -------------------------------------------------------------------------------

    def _below(self, phrase: Phrase, base: Value, scope: Scope) -> Value:
        """The entries of a value at the indices that stand below it."""
        below = phrase.sizes or ()
        found = [places.place(i) for i in below]
        name = phrase.operands[0]
        for i, p in zip(below, found, strict=True):
            if p.letter and p.letter not in scope:
                also = ""
                if not scope and name.what == "use":
                    also = f", and no variable is called {name.token}_{p.letter}"
                raise ParseError(
                    f"the index {p.letter} belongs to no sum{also}",
                    self.text,
                    offset_of(i),
                    (rf"\sum_{p.letter}", "a number"),
                )
        if name.what == "use" and base.order and len(found) > len(base.axes):
            raise self._wrong_number(name.token, len(base.axes), below)
        return places.entry(base, found, scope)

    def _wrong_number(self, name: Token, right: int, below: Sequence[Token]) -> ParseError:
        axes, found = "axis" if right == 1 else "axes", "index" if len(below) == 1 else "indices"
        return TextShapeError(
            f"{name} has {right} {axes}, but {len(below)} {found}",
            self.text,
            offset_of(below[right] if len(below) > right else name),
        )

    def _reduced(self, phrase: Phrase, args: Sequence[Value], inner: Scope) -> Value:
        """The sum or the extreme of a value, or the sum of the product of several."""
        labels: list[str] = []
        there = {i for a in args for i in a.axes}
        for i in _letters(phrase):
            labels.append(inner[str(i)].label)
            if labels[-1] not in there:
                reason = f"the index {i} of this {phrase.token} does not stand behind it"
                if phrase.what == "extreme":
                    reason += "; the formula alone is read without what stands before it"
                raise ParseError(reason, self.text, offset_of(i))
        if phrase.what == "extreme":
            return extreme(str(phrase.token), args[0], labels)
        if len(args) > 1:
            args = [_contracted(args, labels, phrase.operands[0])]
        return total(args[0], labels)

    def _delta(self, phrase: Phrase, scope: Scope) -> Value:
        """Kronecker's delta of two indices, or of two groups of them."""
        below = phrase.sizes or ()
        if not below or len(below) % 2:
            raise UnsupportedOperation(f"{phrase.token} has two indices, not {len(below)}")
        sizes = [self._unknown_size(phrase.token) for _ in below[::2]]
        return self._at(language.delta(sizes), below, scope)

    def _indicator(self, token: Token, scope: Scope) -> Value:
        """What is 1 where a condition on indices holds, and 0 elsewhere."""
        names, relation = places.condition(token, self.sizes)
        below = [Token("INDEX", n, offset_of(token) + max(0, token.find(n))) for n in names]
        sizes = [self._unknown_size(i) for i in below]
        return self._at(expression(terms.indicator(sizes, [relation])), below, scope)

    def _at(self, whole: Expression, below: Sequence[Token], scope: Scope) -> Value:
        for i in below:
            if str(i) not in scope:
                raise ParseError(f"the index {i} belongs to no sum", self.text, offset_of(i))
        return values.at_indices(whole, [scope[str(i)].label for i in below])

    # Constants and sizes -------------------------------------------------------------------

    def _constant(self, phrase: Phrase) -> Value:
        """An array of equal entries or an identity matrix, of given sizes or of unknown ones."""
        name, operands = str(phrase.token), phrase.operands
        if name == "size":
            if len(operands) != 1:
                raise UnsupportedOperation("size takes the name of a size, as size(n)")
            return value(expression(terms.size(self._size(operands[0]))))
        if name == "unit":
            return self._unit(phrase)
        entry = value(as_expression(0 if name == "zeros" else 1))
        axes = {"vector": 1, "eye": 1}.get(name, 2)
        if name in ("vector", "matrix"):
            check_call(name, len(operands), self.functions)
            entry, operands = self.value(operands[0]), operands[1:]
            if entry.order:
                raise ShapeError(f"{name} of {entry.shape}: the value of the entries is a scalar")
        elif name in ("ones", "zeros"):
            axes = max(1, len(operands))
        if len(operands) not in (0, axes) or axes > 2:
            most = "1 or 2 sizes" if name in ("ones", "zeros") else f"{axes} size{'s' * (axes > 1)}"
            raise UnsupportedOperation(f"{name} takes {most}, not {len(operands)}")
        sizes = tuple(map(self._size, operands)) or self._unknown_sizes(phrase.token, axes)
        if name == "eye":
            return value(language.delta(sizes))
        # What has one row or one column is a vector.
        row = len(sizes) == 2 and sizes[0] == 1
        sizes = sizes[1:] if row else sizes[:1] if sizes[1:] == (1,) else sizes
        return value(broadcast(entry.expression, sizes), row)

    def _unit(self, phrase: Phrase) -> Value:
        """The vector whose only entry that is not 0 is a 1."""
        place, *sizes = phrase.operands or (None,)
        is_fraction = place and place.what == "number" and not place.token.isdecimal()
        if place is None or is_fraction or len(sizes) > 1:
            raise UnsupportedOperation("unit takes a place from 1 up and a size, as unit(2, n)")
        lengths = tuple(map(self._size, sizes)) or self._unknown_sizes(phrase.token, 1)
        return value(places.unit(self._size(place), lengths[0]))

    def _unknown_sizes(self, token: Token, number: int) -> tuple[str, ...]:
        return tuple(self._unknown_size(token) for _ in range(number))

    def _unknown_size(self, token: Token) -> str:
        size = f"{UNKNOWN}{next(self._fresh)}"
        self._unknown[size] = token
        return size

    def _size(self, phrase: Phrase) -> Size:
        size = as_size(self._size_form(phrase))
        if isinstance(size, int) and size < 0:
            raise TextShapeError(f"a size is not {size}", self.text, offset_of(phrase.token))
        return size

    def _size_form(self, phrase: Phrase) -> AffineForm:
        if phrase.what in ("PLUS", "MINUS"):
            left, right = map(self._size_form, phrase.operands)
            return plus(left, right if phrase.what == "PLUS" else multiple(-1, right))
        if phrase.what == "TIMES" and phrase.operands[0].token.isdecimal():
            factor, size = phrase.operands
            return multiple(int(factor.token), self._size_form(size))
        text = str(phrase.token)
        if phrase.what == "number" and text.isdecimal():
            return size_form(int(text))
        if phrase.what != "use" or text not in self.sizes:
            known = sorted(map(str, self.sizes))
            raise ParseError(
                f"{shown(text)} is no size{suggestion(text, known)}",
                self.text,
                offset_of(phrase.token),
                (*known, "an integer"),
            )
        return size_form(text)


def _whole(f: Expression) -> Value:
    """A tensor by its name; the axes of one that is no matrix count rows, all of them."""
    return value(f) if f.ndim < 3 else values.column(f)


def _letters(phrase: Phrase) -> list[Token]:
    """The indices that a sum or an extreme goes over."""
    return [i for i in phrase.sizes or () if i.type == "INDEX"]


def _contracted(args: Sequence[Value], labels: Sequence[str], body: Phrase) -> Value:
    """The product of factors, summed; those that are no scalars are multiplied from the left."""
    if not any(a.order for a in args):
        return product(args, labels)
    found = args[0]
    for a in args[1:]:
        found = values.times(found, a)
    return found


def _are_mixed(phrase: Phrase, args: Sequence[Value]) -> bool:
    """Whether the name of a scalar meets a tensor; numbers do, and `mean(x)` meets x."""
    inside = [a.entries.variables for a in args]
    met = {v for a, found in zip(args, inside, strict=True) if a.order for v in found}
    scalars = [
        part.what in ("call", "norm") and not met.isdisjoint(found)
        for a, part, found in zip(args, phrase.operands, inside, strict=True)
        if found and not a.order
    ]
    return bool(met) and not all(scalars)


def check_calls(text: str, phrases: Sequence[Phrase], functions: Mapping[str, Known]) -> None:
    """Raise where a function is not known or takes other arguments, before kinds are looked at."""
    stack = [*phrases]
    while stack:
        phrase = stack.pop()
        stack.extend(phrase.operands)
        if phrase.what == "call":
            try:
                check_call(str(phrase.token), len(phrase.operands), functions)
            except UnsupportedOperation as error:
                raise ParseError(str(error), text, offset_of(phrase.token)) from error
