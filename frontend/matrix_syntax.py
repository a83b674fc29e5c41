"""From a text of the matrix language to its syntax."""

from functools import cache
from itertools import takewhile
from typing import Any, cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from eggrad.engine.errors import ParseError
from eggrad.frontend.matrix_diagnosis import stray_character, unexpected_token
from eggrad.frontend.text_syntax import Phrase

__all__ = ["read"]


def read(text: str) -> Phrase:
    """The syntax of a text; raises `ParseError` where the grammar does not allow it.

    >>> [part.what for part in read("A*x - y'").operands]
    ['TIMES', 'TRANSPOSE']
    """
    try:
        return cast(Phrase, _parser().parse(text))
    except UnexpectedCharacters as error:
        found = stray_character(text, error.pos_in_stream)
    except UnexpectedToken as error:
        end = len(text) if error.token.type == "$END" else cast(int, error.token.start_pos)
        before = takewhile(lambda t: cast(int, t.start_pos) < end, _parser().lex(text))
        found = unexpected_token(text, list(before), error.token)
    except ChainedPower as error:
        found = ParseError(
            "powers of powers need brackets, as in (a^b)^c or a^(b^c)", text, error.offset
        )
    raise found


class ChainedPower(Exception):
    """A power of a power without brackets."""

    def __init__(self, offset: int) -> None:
        """Remember where the second power is."""
        super().__init__(offset)
        self.offset = offset


@cache
def _parser() -> Lark:
    return Lark.open(
        "matrix.lark",
        rel_to=__file__,
        parser="lalr",
        lexer="basic",
        transformer=_Builder(),
        maybe_placeholders=False,
    )


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs; an operator's phrase is called as its token."""

    def start(self, phrase: Phrase) -> Phrase:
        return phrase

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Phrase(token.type, token, (left, right))

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what in ("POWER", "DOT_POWER") and not base.sealed:
            raise ChainedPower(cast(int, token.start_pos))
        return Phrase(token.type, token, (base, exponent))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        if operand.what == "number" and not operand.sealed:
            number = Token.new_borrow_pos("NUMBER", "-" + operand.token, token)
            return Phrase("number", number, sealed=True)
        return Phrase("negate", token, (operand,))

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def transposed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase(token.type, token, (operand,))

    def number(self, token: Token) -> Phrase:
        return Phrase("number", token)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token)

    def call(self, token: Token, *operands: Phrase) -> Phrase:
        return Phrase("call", token, operands)

    def group(self, phrase: Phrase) -> Phrase:
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)
