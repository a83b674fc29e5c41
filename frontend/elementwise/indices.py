"""Indices, bounds and conditions of element-wise definitions: from phrases to affine forms."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from eggrad.engine.errors import EggradError, ParseError, ShapeError
from eggrad.engine.indices.integer_conditions import Condition, divisible, nonnegative, zero
from eggrad.engine.indices.rational_affine import COEFFICIENT, Affine
from eggrad.frontend.elementwise.syntax import greatest, least
from eggrad.frontend.text.errors import TextUnknownVariable, suggestion
from eggrad.frontend.text.words import MAXIMAL_DIGITS, offset_of, read_number

if TYPE_CHECKING:
    from lark import Token

    from eggrad.frontend.text.phrases import Phrase

__all__ = ["IndexReader", "Size", "as_form", "phrases_within", "read_decimal"]

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

    def bounds(
        self, phrase: "Phrase", extreme: str, scope: Mapping[str, str]
    ) -> tuple[Affine, ...]:
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

    def conditions(self, phrase: "Phrase", scope: Mapping[str, str]) -> Iterator[Condition]:
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

    def form(self, phrase: "Phrase", scope: Mapping[str, str]) -> Affine:
        """An index, a bound or a size."""
        found = self._form(phrase, scope)
        if not found.is_short:
            reason = f"an index has numbers up to {COEFFICIENT}, this one has larger ones"
            raise self._error(reason, phrase.token)
        return found

    def _form(self, phrase: "Phrase", scope: Mapping[str, str]) -> Affine:
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

    def _combined(self, phrase: "Phrase", left: Affine, right: Affine) -> Affine:
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

    def name(self, token: "Token", scope: Mapping[str, str]) -> Affine:
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
            f"no index or size is called {name!r}{near}",
            self.text,
            offset_of(token),
            tuple(known),
        )

    def _error(self, reason: str, token: "Token", *expected: str) -> ParseError:
        return ParseError(reason, self.text, offset_of(token), expected)


def read_decimal(text: str, token: "Token") -> Fraction:
    """The exact value of a number; raises `ParseError` for one of too many digits."""
    found = read_number(token)
    if found is None:
        reason = f"a number has at most {MAXIMAL_DIGITS} digits and an exponent up to that"
        raise ParseError(reason, text, offset_of(token))
    return found


def phrases_within(phrase: "Phrase") -> "Iterator[Phrase]":
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
        from eggrad.frontend.elementwise.reader import read

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
        f"{what}: a size is a name, an integer from 0 up or a form like 2*N - 1, not {size!r}"
    )
