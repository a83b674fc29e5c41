"""The matrix language in: from text to an expression."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import count, islice
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError, ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import AffineForm, as_size, plus, size_form, size_symbols, times
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.functions import Function
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import broadcast
from eggrad.frontend.expression.expression import Expression, as_expression, expression, unified
from eggrad.frontend.matrix import values
from eggrad.frontend.matrix.declarations import Declared, completed_dims
from eggrad.frontend.matrix.functions import (
    CONSTANTS,
    Known,
    check_call,
    check_calls,
    known_functions,
)
from eggrad.frontend.matrix.inference import inferred_orders
from eggrad.frontend.matrix.products import Products, has_variable_e
from eggrad.frontend.matrix.syntax import Definition, read
from eggrad.frontend.matrix.values import MatrixValue, chosen_entries, unit
from eggrad.frontend.text.errors import TextShapeError, TextUnknownVariable, suggestion
from eggrad.frontend.text.phrases import Phrase, Problem
from eggrad.frontend.text.sizes import UNKNOWN, unknown
from eggrad.frontend.text.words import MAXIMAL_DIGITS, offset_of, read_number

_BINARY: Final[dict[str, Callable[[MatrixValue, MatrixValue], MatrixValue]]] = {
    "PLUS": values.add,
    "MINUS": values.subtract,
    "TIMES": values.times,
    "DOT_TIMES": values.multiply,
    "DIVIDE": lambda a, b: values.divide(a, b, elementwise=False),
    "DOT_DIVIDE": lambda a, b: values.divide(a, b, elementwise=True),
    "POWER": lambda a, b: values.power(a, b, elementwise=False),
    "DOT_POWER": lambda a, b: values.power(a, b, elementwise=True),
}


def read_problem(
    text: str,
    dims: Declared | None,
    assume: Mapping[str, Iterable[str]],
    declared: Sequence[Function] = (),
) -> Problem:
    """What a text of the matrix language says, with nothing to differentiate by.

    See `eggrad.parse_matrix`; `declared` are further functions.
    """
    functions = known_functions(declared)
    definitions, phrase = read(text)
    names = None if dims is None else {*dims, *(str(name) for name, _ in definitions)}
    if names is None and has_variable_e([*(part for _, part in definitions), phrase]):
        names = {"e"}
    signs = Products(text, names, {*functions, *CONSTANTS})
    definitions = tuple((name, signs.signed(part)) for name, part in definitions)
    phrase = signs.signed(phrase)
    if dims is None:
        check_calls(text, [*(part for _, part in definitions), phrase], functions)
        dims = inferred_orders(text, definitions, phrase)
    reader = Reader(text, completed_dims(dims, assume), assume, functions)
    return problem_of(reader, definitions, phrase)


def problem_of(reader: "Reader", definitions: Sequence[Definition], phrase: Phrase) -> Problem:
    """What parts with names and an expression say, all of them with signs."""
    for name, part in definitions:
        reader.define(name, part)
    found = reader.result(phrase)
    reader.check_sizes(found)
    return finished(found, [v.expression for v in reader.variables.values()])


def finished(found: Expression, variables: Sequence[Expression]) -> Problem:
    """The expression of a text and its variables, each size with its final name."""
    # Sizes that were not known and have not met any that was are called after their variable.
    pairs = [(d.removeprefix(UNKNOWN), d) for d in symbols(found.term) if d.startswith(UNKNOWN)]
    whole, *placed = unified([found, *variables], pairs, "sizes")
    return Problem(whole.term, None, tuple(v.term for v in placed))


class Reader:
    """Looks names up and applies operators, each at its place in the text."""

    def __init__(
        self,
        text: str,
        dims: Mapping[str, Sequence[Size]],
        assume: Mapping[str, Iterable[str]],
        functions: Known,
    ) -> None:
        """`functions` are all that may be called; a size that begins with `?` is not known."""
        for name, axes in dims.items():
            if len(axes) > 2:
                raise ShapeError(f"variable {name}: a matrix has at most two axes, not {len(axes)}")
        self.text = text
        self.functions = functions
        self.variables = {
            name: MatrixValue(language.variable(name, axes, assume.get(name, ())))
            for name, axes in dims.items()
        }
        # Variables, and parts that have a name.
        self.names = dict(self.variables)
        known = [d for axes in dims.values() for d in axes if not unknown(d)]
        symbols_of = (size_symbols(d) or (d,) for d in known)
        self.sizes = {size for names in symbols_of for size in names}
        # The places of constants whose size is not given, by that size.
        self._unknown: dict[str, Token] = {}
        self._fresh = count(1)

    def define(self, name: Token, phrase: Phrase) -> None:
        """Give a name to a part."""
        if str(name) in self.names:
            raise ParseError(f"the name {str(name)!r} is taken already", self.text, offset_of(name))
        self.names[str(name)] = self.value(phrase)

    def result(self, phrase: Phrase) -> Expression:
        """The expression of the whole text."""
        found = self.value(phrase)
        try:
            return values.single("the result is", found)
        except UnsupportedOperation as error:
            raise ParseError(str(error), self.text, offset_of(phrase.token)) from error

    def value(self, root: Phrase) -> MatrixValue:
        """The value of a phrase, operands first; texts may be deeper than Python's stack."""
        done: list[MatrixValue] = []
        stack: list[tuple[Phrase, bool]] = [(root, False)]
        while stack:
            phrase, ready = stack.pop()
            operands = self._operands(phrase)
            if operands and not ready:
                stack.append((phrase, True))
                stack.extend((operand, False) for operand in reversed(operands))
            else:
                args = done[len(done) - len(operands) :]
                del done[len(done) - len(operands) :]
                done.append(self._applied(phrase, args))
        return done.pop()

    def _operands(self, phrase: Phrase) -> tuple[Phrase, ...]:
        """What has a value before a phrase has one."""
        if phrase.what == "POWER" and self._is_transposition(phrase):
            return phrase.operands[:1]
        return () if phrase.what == "call" and phrase.token in CONSTANTS else phrase.operands

    def _is_transposition(self, phrase: Phrase) -> bool:
        """Whether a power is `A^T`, with no scalar of that name."""
        exponent = phrase.operands[1]
        scalar = "T" in self.names and not self.names["T"].order
        return exponent.what == "use" and exponent.token == "T" and not scalar

    def _applied(self, phrase: Phrase, args: Sequence[MatrixValue]) -> MatrixValue:
        token = phrase.token
        try:
            return self.computed(phrase, args)
        except ShapeError as error:
            if isinstance(error, ParseError):
                raise
            raise TextShapeError(str(error), self.text, offset_of(token)) from error
        except UnsupportedOperation as error:
            raise ParseError(str(error), self.text, offset_of(token)) from error

    def computed(self, phrase: Phrase, args: Sequence[MatrixValue]) -> MatrixValue:
        """What a phrase is, given its operands; an error says nothing of the place."""
        token = phrase.token
        match phrase.what:
            case "number":
                return MatrixValue(as_expression(self._number(token)))
            case "use":
                return self._look_up(token)
            case "negate":
                return args[0].mapped(lambda f: -f)
            case "TRANSPOSE":
                return values.transposed(args[0])
            case "POWER" if len(args) == 1:
                return values.transposed(args[0])
            case "natural power":
                return _natural_power(args[0])
            case "pi":
                return MatrixValue(as_expression(math.pi))
            case "indexed":
                return chosen_entries(args[0], token)
            case "call" if token in CONSTANTS:
                return self._constant(phrase)
            case "call":
                return self._call(token, args)
            case operator:
                return _BINARY[operator](*args)

    def _number(self, token: Token) -> Fraction:
        value = read_number(token)
        if value is None:
            raise UnsupportedOperation(
                f"a number has at most {MAXIMAL_DIGITS} digits and an exponent up to that"
            )
        return value

    def _look_up(self, token: Token) -> MatrixValue:
        name = str(token)
        if name in self.names:
            return self.names[name]
        if name in self.functions or name in CONSTANTS:
            raise ParseError(
                f"{name} is a function; its arguments follow in brackets",
                self.text,
                offset_of(token) + len(name),
                ("'('",),
            )
        if name == "e":
            return MatrixValue(language.exp(as_expression(1)))
        near = suggestion(name, self.names)
        if name == "T":
            near = "; the inverse of a transpose is written inv(A)'"
        known = tuple(islice(self.names, 10))
        raise TextUnknownVariable(
            f"no variable is called {shown(name)}{near}", self.text, offset_of(token), known
        )

    def _call(self, token: Token, args: Sequence[MatrixValue]) -> MatrixValue:
        name = str(token)
        if name in self.names:
            raise UnsupportedOperation(
                f"{shown(name)} is no function; a product is written {name} * ("
            )
        check_call(name, len(args), self.functions)
        return self.functions[name][0](*args)

    def _constant(self, phrase: Phrase) -> MatrixValue:
        """An array of equal entries or an identity matrix, of given sizes or of unknown ones."""
        name, operands = str(phrase.token), phrase.operands
        if name == "size":
            if len(operands) != 1:
                raise UnsupportedOperation("size takes the name of a size, as size(n)")
            return MatrixValue(expression(terms.size(self._size(operands[0]))))
        if name == "unit":
            return self._unit(phrase)
        entry = MatrixValue(as_expression(0 if name == "zeros" else 1))
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
            return MatrixValue(language.delta(sizes))
        return MatrixValue(broadcast(entry.expression, sizes))

    def _unit(self, phrase: Phrase) -> MatrixValue:
        """The vector whose only entry that is not 0 is a 1."""
        place, *sizes = phrase.operands or (None,)
        is_fraction = place and place.what == "number" and not place.token.isdecimal()
        if place is None or is_fraction or len(sizes) > 1:
            raise UnsupportedOperation("unit takes a place from 1 up and a size, as unit(2, n)")
        lengths = tuple(map(self._size, sizes)) or self._unknown_sizes(phrase.token, 1)
        return MatrixValue(unit(self._size(place), lengths[0]))

    def _unknown_sizes(self, token: Token, number: int) -> tuple[str, ...]:
        sizes = tuple(f"{UNKNOWN}{next(self._fresh)}" for _ in range(number))
        self._unknown.update(dict.fromkeys(sizes, token))
        return sizes

    def _size(self, phrase: Phrase) -> Size:
        size = as_size(self._size_form(phrase))
        if isinstance(size, int) and size < 0:
            raise TextShapeError(f"a size is not {size}", self.text, offset_of(phrase.token))
        return size

    def _size_form(self, phrase: Phrase) -> AffineForm:
        if phrase.what in ("PLUS", "MINUS"):
            left, right = map(self._size_form, phrase.operands)
            return plus(left, right if phrase.what == "PLUS" else times(-1, right))
        if phrase.what == "TIMES" and phrase.operands[0].token.isdecimal():
            return times(int(phrase.operands[0].token), self._size_form(phrase.operands[1]))
        return size_form(self._simple_size(phrase))

    def _simple_size(self, phrase: Phrase) -> Size:
        text = str(phrase.token)
        if phrase.what == "number" and text.isdecimal():
            return int(text)
        if phrase.what != "use" or text not in self.sizes:
            known = sorted(map(str, self.sizes))
            raise ParseError(
                f"{shown(text)} is no size{suggestion(text, known)}",
                self.text,
                offset_of(phrase.token),
                (*known, "an integer"),
            )
        return text

    def check_sizes(self, found: Expression) -> None:
        """Raise where a constant met nothing that has a size."""
        for size in symbols(found.term):
            if size in self._unknown:
                token = self._unknown[size]
                raise TextShapeError(
                    f"nothing says how long this {token} is; a size can follow, as in vector(1, n)",
                    self.text,
                    offset_of(token),
                )


def _natural_power(exponent: MatrixValue) -> MatrixValue:
    """`e^a`: of a scalar, or of every entry of a vector."""
    if exponent.order == 2:
        raise ShapeError(
            f"e^ of {exponent.shape}: the exponential of a matrix, or that of its entries; the "
            "second is written exp(…)"
        )
    return exponent.mapped(language.exp)
