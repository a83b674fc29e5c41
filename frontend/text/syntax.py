"""From text to syntax: what was written where, before any name or shape is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from lark import Token, Transformer, v_args

from eggrad.frontend.text.diagnosis import stray_character, unexpected_token
from eggrad.frontend.text.phrases import Grammar, Phrase, negated
from eggrad.frontend.text.words import FUNCTION_NAMES, OPERATORS, unquoted

__all__ = ["Declaration", "Text", "read"]

Tokens = tuple[Token, ...]


@dataclass(frozen=True, eq=False)
class Declaration:
    """A declared variable: a name and either its order or its sizes."""

    name: Token
    order: Token | None
    sizes: Tokens
    assumptions: tuple[tuple[str, Token], ...]


@dataclass(frozen=True, eq=False)
class Text:
    """A whole text: declarations, named parts, the expression, the names after `wrt`."""

    declarations: tuple[Declaration, ...]
    definitions: tuple[tuple[Token, Phrase], ...]
    expression: Phrase
    wrt: Tokens | None


def read(text: str, functions: Sequence[str] = ()) -> Text:
    """The syntax of a text; raises `ParseError` where the grammar does not allow it.

    `functions` are further names of functions.

    >>> read("declare x 1 expression sin(x)").expression.what
    'call'
    """
    return cast(Text, _grammar((*FUNCTION_NAMES, *functions)).read(text))


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs."""

    def start(self, _declare: Token, declared: Any, defined: Any, _word: Token, *rest: Any) -> Text:
        return Text(declared, defined, rest[0], rest[1] if len(rest) > 1 else None)

    def declarations(self, *found: Declaration) -> tuple[Declaration, ...]:
        return found

    def definitions(self, *found: tuple[Token, Phrase]) -> tuple[tuple[Token, Phrase], ...]:
        return found

    def declaration(self, name: Token, shape: Any, assumptions: Any = ()) -> Declaration:
        if isinstance(shape, Token):
            return Declaration(name, shape, (), assumptions)
        return Declaration(name, None, shape, assumptions)

    def sizes(self, *found: Token) -> Tokens:
        return found

    def size(self, token: Token) -> Token:
        return token

    def name(self, token: Token) -> Token:
        return token

    def assumptions(self, *found: Any) -> Any:
        return found

    def assumption(self, *words: Token) -> tuple[str, Token]:
        return " ".join(unquoted(word) for word in words), words[0]

    def definition(self, _let: Token, name: Token, phrase: Phrase) -> tuple[Token, Phrase]:
        return name, phrase

    def argument(self, _derivative: Token, *rest: Token) -> Tokens:
        return tuple(token for token in rest if token.type != "WRT")

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Phrase(OPERATORS.get(token.type, "product"), token, (left, right))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand)

    def number(self, token: Token, sizes: Tokens | None = None) -> Phrase:
        return Phrase("number", token, (), sizes)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token)

    def call(self, token: Token, *operands: Phrase) -> Phrase:
        what = {"UNARY_SPEC": "product", "EXTREME_SPEC": "extreme"}.get(token.type, "call")
        return Phrase(what, token, operands)

    def delta(self, token: Token, shape: Any) -> Phrase:
        if isinstance(shape, Token):
            return Phrase("delta", shape)
        return Phrase("delta", token, (), shape)

    def indicator(self, token: Token, sizes: Tokens) -> Phrase:
        return Phrase("indicator", token, (), sizes)

    def array(self, token: Token, sizes: Tokens | None = None) -> Phrase:
        return Phrase("array", token, (), sizes)

    def size_value(self, _size: Token, name: Token) -> Phrase:
        return Phrase("size", name)

    def group(self, operand: Phrase) -> Phrase:
        operand.sealed = True
        return operand


@lru_cache(maxsize=16)
def _grammar(functions: tuple[str, ...]) -> Grammar:
    return Grammar(
        Path(__file__).parent / "text.lark", _Builder, stray_character, unexpected_token, functions
    )
