"""From a text of the matrix language to its syntax, or to what is wrong with it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.matrix.functions import FUNCTIONS
from eggrad.frontend.matrix.products import BESIDE, first_token
from eggrad.frontend.text.errors import place_words
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated

_OPERAND: Final = ("a number", "a name", "'('", "'-'")
_OPERATOR: Final = ("'+'", "'-'", "'*'", "'.*'", "'/'", "'./'", "'^'", "'.^'", '"\'"')
_AFTER: Final = ("NUMBER", "NAME", "RPAR", "TRANSPOSE", "INDICES", "RAISED", "DOT_RAISED")
_INSTEAD: Final = {
    "**": "a power is written with '^', that of entries with '.^'",
    "@": "a product of matrices is written with '*'",
    "[": "an index in brackets, as in x[3] or A[1,:], has no brackets within",
    "]": "this bracket closes nothing",
    "=": "an equation is no expression",
    "\\": "to solve a system, write inv(A)*b",
    **dict.fromkeys(
        "<>≤≥!&",
        "a choice is written where(greater(x, y), a, b), with the functions "
        "greater, greater_equal, equal, not_equal, logical_and, logical_or and logical_not",
    ),
}


def stray_character(text: str, offset: int) -> ParseError:
    """What to say of a character with which no word of the language begins."""
    character = text[offset]
    if character in _INSTEAD:
        return ParseError(_INSTEAD[character], text, offset)
    if character == "." and offset and text[offset - 1].isdigit():
        return ParseError("a number has one decimal point", text, offset)
    return ParseError(f"the character {character!r} has no meaning here", text, offset)


def unexpected_token(text: str, before: Sequence[Token], token: Token) -> ParseError:
    """What to say of a token that cannot stand after those before it."""
    ended = token.type == "$END"
    shown = "the end" if ended else repr(str(token))
    offset = len(text.rstrip()) if ended else token.start_pos or 0
    opened = _opened(before)
    last = before[-1] if before else None
    if not last and ended:
        return ParseError("the expression is empty", text, 0, _OPERAND)
    if token.type == "EQUAL":
        return ParseError("only a name stands before '='", text, offset, ("';'",))
    kinds = [t.type for t in before]
    if ended and "EQUAL" in kinds and not opened:
        if last and last.type == "SEMICOLON":
            return ParseError("the expression after the named part is missing", text, offset)
        if kinds.count("EQUAL") > kinds.count("SEMICOLON"):
            reason = "after a named part follow a ';' and an expression"
            return ParseError(reason, text, offset, ("';'",))
    if last and last.type in _AFTER:
        if token.type in _CLOSING and not opened:
            sign = "bracket" if token.type == "RPAR" else "bar"
            return ParseError(f"this {sign} closes nothing", text, offset)
        if ended and opened:
            sign = "bracket" if opened[-1].type == "LPAR" else "bar"
            return ParseError(f"this {sign} is never closed", text, opened[-1].start_pos or 0)
        if token.type == "COMMA":
            return ParseError("a comma separates the arguments of a function", text, offset)
        if last.type == "NAME" and str(last) in FUNCTIONS:
            reason = f"the argument of {last} stands in brackets"
            return ParseError(reason, text, offset, ("'('",))
        missing = f"an operator is missing before {shown}"
        if re.match(r"[\w(]", str(token)):
            missing += "; a product is written with '*'"
        return ParseError(missing, text, offset, _OPERATOR)
    if last and last.type == "TIMES" and token.type == "TIMES":
        return ParseError(_INSTEAD["**"], text, last.start_pos or 0)
    where = f", after {str(last)!r} at {place_words(text, last.start_pos or 0)}" if last else ""
    return ParseError(f"an operand is missing before {shown}{where}", text, offset, _OPERAND)


_CLOSING: Final = {
    "RPAR": ("LPAR",),
    "BAR": ("BAR", "LOG_BAR"),
    "NORM": ("NORM",),
    "NORM_INDEX": ("NORM",),
}


def _opened(before: Sequence[Token]) -> list[Token]:
    """The brackets and bars that are not closed; a bar after an operand closes."""
    opened: list[Token] = []
    ends = False
    for t in before:
        closes = opened and opened[-1].type in _CLOSING.get(t.type, ())
        if closes and (ends or t.type == "RPAR"):
            opened.pop()
            ends = True
        elif t.type in ("LPAR", "BAR", "LOG_BAR", "NORM"):
            opened.append(t)
            ends = False
        else:
            ends = t.type in _AFTER
    return opened


# What the grammar builds -------------------------------------------------------------------


Definition = tuple[Token, Phrase]


def read(text: str) -> tuple[tuple[Definition, ...], Phrase]:
    """The named parts and the expression; raises `ParseError` where the grammar has no such text.

    >>> [part.what for part in read("A*x - y'")[1].operands]
    ['TIMES', 'TRANSPOSE']
    """
    return cast(tuple[tuple[Definition, ...], Phrase], _GRAMMAR.read(_with_norms(text)))


def _with_norms(text: str) -> str:
    """The text, as long, with the bars of norms for double bars, where no others stand."""
    doubled = "|" not in text.replace("||", "") and "log||" not in text
    return text.replace("||", "‖ ") if doubled else text


_LOWERED: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_NORMS: Final = {"1": "norm1", "₁": "norm1", "2": "norm2", "₂": "norm2", "F": "normF"}
_PRODUCTS: Final = ("TIMES", "DIVIDE", "DOT_TIMES", "DOT_DIVIDE", BESIDE)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs; an operator's phrase is called as its token."""

    def start(self, *parts: Any) -> tuple[tuple[Definition, ...], Phrase]:
        return parts[:-1], parts[-1]

    def definition(self, name: Token, phrase: Phrase) -> Definition:
        return name, phrase

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Phrase(token.type, token, (left, right))

    def beside(self, left: Phrase, right: Phrase) -> Phrase:
        first = first_token(right)
        if first.type == "NUMBER" and not right.sealed:
            raise Misread(f"an operator is missing before {str(first)!r}", first)
        return Phrase(BESIDE, first, (left, right))

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what in ("POWER", "DOT_POWER") and not base.sealed:
            raise Misread("powers of powers need brackets, as in (a^b)^c or a^(b^c)", token)
        return Phrase(token.type, token, (base, exponent))

    def raised(self, base: Phrase, token: Token) -> Phrase:
        plain = token.translate(_LOWERED)
        digits = plain.lstrip("-⊙∘")
        number = Phrase("number", Token.new_borrow_pos("NUMBER", digits, token))
        exponent = negated(token, number) if "-" in plain else number
        kind = "POWER" if token.type == "RAISED" else "DOT_POWER"
        return self.power(base, Token.new_borrow_pos(kind, str(token), token), exponent)

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand, _PRODUCTS)

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def transposed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase(token.type, token, (operand,))

    def indexed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("indexed", token, (operand,))

    def number(self, token: Token) -> Phrase:
        return Phrase("number", token)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token)

    def call(self, token: Token, *operands: Phrase) -> Phrase:
        return Phrase("call", token, operands)

    def between(self, token: Token, operand: Phrase, closed: Token) -> Phrase:
        if closed.type == "NORM_INDEX":
            norm = _NORMS.get(closed.strip("‖ _"))
            if norm is None:
                raise Misread("the norms are ‖x‖, ‖x‖_1, ‖x‖_2 and ‖X‖_F", closed)
            token = Token.new_borrow_pos("NAME", norm, token)
        return Phrase("call", token, (operand,))

    def group(self, phrase: Phrase) -> Phrase:
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)


_GRAMMAR: Final = Grammar(
    Path(__file__).parent / "matrix.lark", _Builder, stray_character, unexpected_token
)
