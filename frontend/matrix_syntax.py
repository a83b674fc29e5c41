"""From a text of the matrix language to its syntax."""

from functools import cache
from itertools import takewhile
from typing import Any, Final, cast

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from eggrad.engine.errors import ParseError
from eggrad.frontend.matrix_diagnosis import stray_character, unexpected_token
from eggrad.frontend.text_syntax import Phrase

__all__ = ["read"]


Definition = tuple[Token, Phrase]


def read(text: str) -> tuple[tuple[Definition, ...], Phrase]:
    """The named parts and the expression; raises `ParseError` where the grammar has no such text.

    >>> [part.what for part in read("A*x - y'")[1].operands]
    ['TIMES', 'TRANSPOSE']
    """
    try:
        return cast(tuple[tuple[Definition, ...], Phrase], _parser().parse(text))
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


_PRODUCTS: Final = ("TIMES", "DIVIDE", "DOT_TIMES", "DOT_DIVIDE")


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

    def start(self, *parts: Any) -> tuple[tuple[Definition, ...], Phrase]:
        return parts[:-1], parts[-1]

    def definition(self, name: Token, phrase: Phrase) -> Definition:
        return name, phrase

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Phrase(token.type, token, (left, right))

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what in ("POWER", "DOT_POWER") and not base.sealed:
            raise ChainedPower(cast(int, token.start_pos))
        return Phrase(token.type, token, (base, exponent))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        """The negative; a product that begins with a number begins with its negative."""
        chain = [operand]
        while chain[-1].what in _PRODUCTS and not chain[-1].sealed:
            chain.append(chain[-1].operands[0])
        first = chain.pop()
        if first.what != "number" or first.sealed:
            return Phrase("negate", token, (operand,))
        number = Token.new_borrow_pos("NUMBER", "-" + first.token, token)
        found = Phrase("number", number, sealed=True)
        for product in reversed(chain):
            found = Phrase(product.what, product.token, (found, product.operands[1]))
        return found

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

    def group(self, phrase: Phrase) -> Phrase:
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)
