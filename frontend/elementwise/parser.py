"""Element-wise definitions in: names looked up, sizes found, phrases made nodes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, cast

from lark import Token

from eggrad.engine.errors import EggradError, ParseError, ShapeError
from eggrad.engine.indices.integer_conditions import Condition, Range, divisible, nonnegative, zero
from eggrad.engine.indices.rational_affine import COEFFICIENT, Affine
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS, OwnFunction
from eggrad.frontend.elementwise import syntax
from eggrad.frontend.elementwise.paths import Path, misread_at
from eggrad.frontend.elementwise.printer import format_form
from eggrad.frontend.elementwise.reader import Declared, Nested, read
from eggrad.frontend.elementwise.syntax import Node, fresh_name, greatest, least
from eggrad.frontend.text.errors import TextShapeError, TextUnknownVariable, suggestion
from eggrad.frontend.text.functions import COMPOSED
from eggrad.frontend.text.phrases import Phrase
from eggrad.frontend.text.words import MAXIMAL_DIGITS, offset_of, read_number

Size = int | str


class IndexReader:
    """Reads affine forms, each problem shown at its place in the text.

    `given` has what stands for a name that is no index, `symbols` the sizes that remain names;
    `others` are names of arguments, for messages. A scope has what each index in sight is called.
    """

    def __init__(
        self,
        text: str,
        given: Mapping[str, Affine],
        symbols: set[str],
        others: Mapping[str, object],
    ) -> None:
        """Begin with what is known."""
        self.text = text
        self.given = given
        self.symbols = symbols
        self.others = others

    def bounds(self, phrase: Phrase, extreme: str, scope: Mapping[str, str]) -> tuple[Affine, ...]:
        """The forms of a bound: one, or those whose `extreme` it is."""
        if phrase.what not in ("max", "min"):
            return (self.form(phrase, scope),)
        if phrase.what != extreme:
            reason = "a lower bound is the greatest of several"
            if extreme == "min":
                reason = "an upper bound is the least of several"
            raise self._error(reason, phrase.token, f"'{extreme}'")
        forms = [self.form(o, scope) for o in phrase.operands]
        return greatest(forms) if extreme == "max" else least(forms)

    def conditions(self, phrase: Phrase, scope: Mapping[str, str]) -> Iterator[Condition]:
        """The conditions that a chain of relations makes."""
        for pair in phrase.operands:
            left, right = (self.form(o, scope) for o in pair.operands)
            if pair.what == "DIVIDES":
                if not left.is_constant or type(left.constant) is not int or left.constant < 1:
                    raise self._error("only positive integers divide", pair.token)
                yield divisible(right, left.constant)
                continue
            difference = right - left if pair.what.startswith("LESS") else left - right
            if pair.what == "EQUAL":
                yield zero(difference)
            else:
                # Both sides may be fractions, which are less by the least fraction at least.
                strict = not pair.what.endswith("EQUAL")
                yield nonnegative(difference.integral() - int(strict))

    def form(self, phrase: Phrase, scope: Mapping[str, str]) -> Affine:
        """An index, a bound or a size."""
        found = self._form(phrase, scope)
        if not found.is_short:
            reason = f"an index has numbers up to {COEFFICIENT}, this one has larger ones"
            raise self._error(reason, phrase.token)
        return found

    def _form(self, phrase: Phrase, scope: Mapping[str, str]) -> Affine:
        token, operands = phrase.token, phrase.operands
        match phrase.what:
            case "number":
                return Affine({}, read_decimal(self.text, token))
            case "use":
                return self.name(token, scope)
            case "negate":
                return -self.form(operands[0], scope)
            case "PLUS" | "MINUS" | "TIMES" | "DIVIDE":
                left, right = (self.form(o, scope) for o in operands)
                return self._combined(phrase, left, right)
            case _:
                raise self._error(
                    "an index is a sum of multiples of indices and sizes, as in 2*i - k + 1", token
                )

    def _combined(self, phrase: Phrase, left: Affine, right: Affine) -> Affine:
        if phrase.what == "PLUS":
            return left + right
        if phrase.what == "MINUS":
            return left - right
        if right.is_constant and (right.constant or phrase.what == "TIMES"):
            return left * right.constant if phrase.what == "TIMES" else left / right.constant
        if left.is_constant and phrase.what == "TIMES":
            return right * left.constant
        symbols = [n for n in (*left.names, *right.names) if n in self.symbols]
        reason = "an index has no products of indices"
        if symbols:
            reason = (
                f"the coefficient {symbols[0]} is a symbol; give it a number, "
                f"sizes={{{symbols[0]!r}: ...}}"
            )
        elif phrase.what == "DIVIDE":
            reason = "an index is divided by numbers alone"
        raise self._error(reason, phrase.token)

    def name(self, token: Token, scope: Mapping[str, str]) -> Affine:
        """What a name stands for: an index, a number that is given, or a size."""
        name = str(token)
        if name in scope:
            return Affine.of(scope[name])
        if name in self.given:
            return self.given[name]
        if name in self.symbols:
            return Affine.of(name)
        known = [*scope, *sorted({*self.symbols, *self.given} - set(scope))]
        near = suggestion(name, known)
        if name in self.others:
            near = "; the entries of an argument are no indices"
        raise TextUnknownVariable(
            f"no index or size is called {shown(name)}{near}",
            self.text,
            offset_of(token),
            tuple(known),
        )

    def _error(self, reason: str, token: Token, *expected: str) -> ParseError:
        return ParseError(reason, self.text, offset_of(token), expected)


def read_decimal(text: str, token: Token) -> Fraction:
    """The exact value of a number; raises `ParseError` for one of too many digits."""
    found = read_number(token)
    if found is None:
        reason = f"a number has at most {MAXIMAL_DIGITS} digits and an exponent up to that"
        raise ParseError(reason, text, offset_of(token))
    return found


def phrases_within(phrase: Phrase) -> Iterator[Phrase]:
    """The phrase and all below it."""
    yield phrase
    for operand in phrase.operands:
        yield from phrases_within(operand)


def as_form(what: str, size: Size) -> Affine:
    """A size that is an integer, a symbol, or an affine form of symbols as text.

    >>> as_form("x", "2*N - 1")
    Affine({'N': 2}, -1)
    """
    if isinstance(size, str):
        text = f"size[] = {size}"
        try:
            phrase = read(text).body
            symbols = {str(p.token) for p in phrases_within(phrase) if p.what == "use"}
            return IndexReader(text, {}, symbols, {}).form(phrase, {})
        except EggradError:
            pass
    elif type(size) is int and size >= 0:
        return Affine({}, size)
    raise ShapeError(
        f"{what}: a size is a name, an integer from 0 up or a form like 2*N - 1, not {shown(size)}"
    )


# Whole definitions -------------------------------------------------------------------------


ARITIES: Final = {f: FUNCTIONS[f].arity for f in ELEMENTWISE} | dict.fromkeys(COMPOSED, 1)
_OPERATORS: Final = {"PLUS": "+", "MINUS": "-", "TIMES": "*", "DIVIDE": "/", "POWER": "**"}


@dataclass(frozen=True)
class Parsed:
    """The head's name, the size of each of its indices, the arguments' shapes, and the body."""

    name: str
    sizes: dict[str, Affine]
    shapes: dict[str, tuple[Affine, ...]]
    body: Node


def parse(
    text: str,
    shapes: Mapping[str, Sequence[Size]],
    sizes: Mapping[str, Size] | None = None,
    functions: Sequence[OwnFunction] = (),
) -> Parsed:
    """See `eggrad.parse_elementwise`."""
    syntax_of_text = read(text)
    names = [str(d.name) for d in syntax_of_text.indices]
    given = {n: as_form(n, size) for n, size in (sizes or {}).items()}
    numbers = {n: f for n, f in given.items() if n not in names}
    lengths = {n: f.substitute(numbers) for n, f in given.items()}
    arguments = {
        n: tuple(as_form(n, size).substitute(numbers) for size in shape)
        for n, shape in shapes.items()
    }
    reader = _Reader(text, arguments, lengths, functions)
    if str(syntax_of_text.name) in arguments:
        reason = f"{syntax_of_text.name} is what is defined here, and cannot be an argument"
        raise reader.error(reason, syntax_of_text.name)
    found = reader.head(syntax_of_text.indices, syntax_of_text.body)
    reader.sizes = found
    body = reader.value(syntax_of_text.body, {n: n for n in names}, Path())
    return Parsed(str(syntax_of_text.name), found, arguments, body)


class _Reader:
    """Turns phrases into nodes, each problem shown at its place in the text."""

    def __init__(
        self,
        text: str,
        shapes: Mapping[str, tuple[Affine, ...]],
        given: Mapping[str, Affine],
        functions: Sequence[OwnFunction],
    ) -> None:
        self.text = text
        self.functions = {f.name: f for f in functions}
        self.shapes = shapes
        self.given = given
        forms = [*given.values(), *(size for shape in shapes.values() for size in shape)]
        self.symbols = {n for form in forms for n in form.names}
        self.indices = IndexReader(text, given, self.symbols, shapes)
        self.sizes: dict[str, Affine] = {}

    def head(self, indices: Sequence[Declared], body: Phrase) -> dict[str, Affine]:
        """The size of each index of the head; what these sizes mention are sizes, too."""
        found: dict[str, Affine] = {}
        names = {str(d.name) for d in indices}
        for declared in indices:
            name = str(declared.name)
            if name in found:
                raise self.error(f"there are two indices called {name!r}", declared.name)
            if declared.size is not None:
                used = {str(p.token) for p in phrases_within(declared.size) if p.what == "use"}
                self.symbols |= used - names - set(self.given)
            found[name] = self._length(declared, body, {})
            if found[name] != self.given.get(name, found[name]):
                shown = format_form(self.given[name])
                raise self.error(f"the size of {name} is given as {shown} too", declared.name)
        for declared in indices:
            if str(declared.name) in self.symbols:
                reason = f"{declared.name} is an index here, and the name of a size"
                raise self.error(reason, declared.name)
        return found

    def _length(self, declared: Declared, body: Phrase, scope: Mapping[str, str]) -> Affine:
        """How many values an index has: as it says itself, as is given, or as one reading says."""
        name = str(declared.name)
        if declared.size is not None:
            return self.indices.form(declared.size, scope)
        if name in self.given:
            return self.given[name]
        found = list(dict.fromkeys(self._readings(name, body)))
        if len(found) == 1:
            return found[0]
        why = "no argument is read at it alone, under no condition"
        if found:
            why = f"it could be {' or '.join(map(format_form, found))}"
        raise self.error(
            f"nothing says how many values {name} has: {why}",
            declared.name,
            f"'{name}<N'",
            f"sizes={{{name!r}: ...}}",
        )

    def _readings(self, name: str, phrase: Phrase) -> Iterator[Affine]:
        """The sizes of the axes that are read at an index alone, under no condition."""
        if phrase.what == "choice":
            return
        if phrase.what == "read":
            shape = self.shapes.get(str(phrase.token), ())
            for index, size in zip(phrase.operands, shape, strict=False):
                if index.what == "use" and str(index.token) == name:
                    yield size
        if phrase.what == "sum" and str(cast(Declared, cast(Nested, phrase).declared).name) == name:
            return
        for operand in phrase.operands:
            yield from self._readings(name, operand)

    def value(self, phrase: Phrase, scope: Mapping[str, str], path: Path) -> Node:
        """The node of a phrase; `scope` has what each index in sight is called in nodes."""
        token, operands = phrase.token, phrase.operands
        match phrase.what:
            case "number":
                return syntax.Number(read_decimal(self.text, token))
            case "use":
                return self._use(token, scope)
            case "read":
                return self._read(phrase, scope, path)
            case "call":
                return self._call(phrase, scope, path)
            case "negate":
                return syntax.negative(self.value(operands[0], scope, path))
            case "sum":
                return self._sum(cast(Nested, phrase), scope, path)
            case "choice":
                *conditions, then, otherwise = operands
                holding = tuple(c for p in conditions for c in self.indices.conditions(p, scope))
                one = self.value(then, scope, path.where(holding))
                other = self.value(otherwise, scope, path.elsewhere(holding))
                return syntax.choice(holding, one, other)
            case operator:
                left, right = (self.value(o, scope, path) for o in operands)
                return syntax.binary(_OPERATORS[operator], left, right)

    def _call(self, phrase: Phrase, scope: Mapping[str, str], path: Path) -> Node:
        name = str(phrase.token)
        declared = self.functions.get(name)
        if declared is None and name not in ARITIES:
            raise self._no_function(phrase.token)
        arity = declared.arity if declared else ARITIES[name]
        if len(phrase.operands) != arity:
            reason = f"{name} has {arity} argument{'s' * (arity != 1)}"
            raise self.error(f"{reason}, not {len(phrase.operands)}", phrase.token)
        arguments = tuple(self.value(o, scope, path) for o in phrase.operands)
        return syntax.Call(name, arguments, declared)

    def _no_function(self, token: Token) -> ParseError:
        name = str(token)
        if name in self.shapes:
            return self.error(f"{name} is no function; an entry of it is {name}[...]", token)
        if name == "sum":
            return self.error("a sum has an index, as in sum{k}_0^4 or sum{k<5}", token, "'{'")
        near = suggestion(name, [*ARITIES, *self.functions])
        return self.error(
            f"no function is called {name!r}{near}", token, *([] if near else ARITIES)
        )

    def _use(self, token: Token, scope: Mapping[str, str]) -> Node:
        shape = self.shapes.get(str(token))
        if shape is not None and str(token) not in scope:
            if shape:
                places = "; ".join("..." for _ in shape)
                raise self.error(
                    f"an entry of {token} is {token}[{places}]", token, "'['", after=True
                )
            return syntax.Read(str(token), ())
        return syntax.index_value(self.indices.name(token, scope))

    def _read(self, phrase: Phrase, scope: Mapping[str, str], path: Path) -> Node:
        name = str(phrase.token)
        shape = self.shapes.get(name)
        if shape is None:
            known = tuple(self.shapes)
            near = suggestion(name, known)
            raise TextUnknownVariable(
                f"no argument is called {shown(name)}{near}",
                self.text,
                offset_of(phrase.token),
                known,
            )
        if len(shape) != len(phrase.operands):
            axes = f"{len(shape)} {'axis' if len(shape) == 1 else 'axes'}"
            raise TextShapeError(
                f"{name} has {axes}, here it has {len(phrase.operands)}",
                self.text,
                offset_of(phrase.token),
            )
        forms = tuple(self.indices.form(o, scope) for o in phrase.operands)
        for form, size in zip(forms, shape, strict=True):
            point = misread_at(form, size, path, self.sizes)
            if point is not None:
                raise self._misread(phrase.token, form, size, point)
        return syntax.Read(name, forms)

    def _misread(
        self, token: Token, form: Affine, size: Affine, point: Mapping[str, int]
    ) -> TextShapeError:
        where = ", ".join(f"{n} = {v}" for n, v in point.items())
        place = format_form(form.substitute(point))
        shown = f"{format_form(form)} is {place}{' where ' if where else ''}{where}"
        count = f"{size.constant} entr{'y' if size.constant == 1 else 'ies'}"
        reason = f"{token} has no such entry: {shown}, and there are {count}, from 0 on"
        return TextShapeError(reason, self.text, offset_of(token))

    def _sum(self, phrase: Nested, scope: Mapping[str, str], path: Path) -> Node:
        declared = cast(Declared, phrase.declared)
        *bounds, body = phrase.operands
        if bounds:
            if declared.size is not None:
                raise self.error("this sum has two upper bounds", declared.name)
            span = Range(
                self.indices.bounds(bounds[0], "max", scope),
                self.indices.bounds(bounds[1], "min", scope),
            )
        else:
            length = self._length(declared, body, scope)
            span = Range((Affine({}, 0),), (length - 1,))
        # An index of the same name around the sum is out of sight in it; nodes have no such pair.
        name = fresh_name(str(declared.name), {*scope.values(), *self.symbols})
        inner = {**scope, str(declared.name): name}
        return syntax.Sum(name, span, self.value(body, inner, path.summed(name, span)))

    def error(self, reason: str, token: Token, *expected: str, after: bool = False) -> ParseError:
        place = offset_of(token) + (len(token) if after else 0)
        return ParseError(reason, self.text, place, expected)
