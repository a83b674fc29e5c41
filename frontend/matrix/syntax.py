"""From a text of the matrix language to its syntax."""

from pathlib import Path
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eggrad.frontend.matrix.diagnosis import stray_character, unexpected_token
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated

__all__ = ["read"]


Definition = tuple[Token, Phrase]


def read(text: str) -> tuple[tuple[Definition, ...], Phrase]:
    """The named parts and the expression; raises `ParseError` where the grammar has no such text.

    >>> [part.what for part in read("A*x - y'")[1].operands]
    ['TIMES', 'TRANSPOSE']
    """
    return cast(tuple[tuple[Definition, ...], Phrase], _GRAMMAR.read(text))


_PRODUCTS: Final = ("TIMES", "DIVIDE", "DOT_TIMES", "DOT_DIVIDE")


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
            raise Misread("powers of powers need brackets, as in (a^b)^c or a^(b^c)", token)
        return Phrase(token.type, token, (base, exponent))

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

    def group(self, phrase: Phrase) -> Phrase:
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)


_GRAMMAR: Final = Grammar(
    Path(__file__).parent / "matrix.lark", _Builder, stray_character, unexpected_token
)
