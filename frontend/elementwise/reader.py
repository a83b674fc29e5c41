"""From the text of an element-wise definition to phrases, before any name is looked at."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.elementwise.diagnosis import stray_character, unexpected_token
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated

__all__ = ["Declared", "Text", "is_name", "read"]

MOST_LEVELS = 150
"""Definitions are walked recursively; nobody writes deeper ones."""


@dataclass(frozen=True)
class Declared:
    """An index where it is introduced, and its size if that is given."""

    name: Token
    size: Phrase | None


@dataclass(frozen=True, eq=False)
class Text:
    """A whole definition: the head's name, its indices, and the value of an entry."""

    name: Token
    indices: tuple[Declared, ...]
    body: Phrase


def read(text: str) -> Text:
    """The phrases of a text; raises `ParseError` where the grammar has no such text.

    >>> read("f[i; j] = exp (x[i + j])").body.what
    'call'
    """
    return cast(Text, _GRAMMAR.read(text))


def is_name(text: str) -> bool:
    """Whether arguments and sizes may be called so.

    >>> is_name("x_1"), is_name("max"), is_name("2x")
    (True, False, False)
    """
    try:
        found = read(f"{text}[] = {text}[]").body
    except ParseError:
        return False
    return found.what == "read" and found.token == text


class Nested(Phrase):
    """A phrase that knows how deep it is, and what a sum or a condition has beside operands."""

    __slots__ = ("declared", "depth")

    def __init__(
        self,
        what: str,
        token: Token,
        operands: tuple[Phrase, ...] = (),
        declared: Declared | None = None,
        sealed: bool = False,
    ) -> None:
        """A phrase of an element-wise definition; `declared` is the index of a sum."""
        super().__init__(what, token, operands, sealed=sealed)
        self.declared = declared
        self.depth = 1 + max((cast(Nested, o).depth for o in operands), default=0)
        if self.depth > MOST_LEVELS:
            raise Misread(f"this is nested more than {MOST_LEVELS} levels deep", token)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs; an operator's phrase is called as its token."""

    def start(self, name: Token, *parts: Any) -> Text:
        return Text(name, tuple(parts[:-2]), parts[-1])

    def declared(self, name: Token, _less: Token | None = None, size: Any = None) -> Declared:
        return Declared(name, size)

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Nested(token.type, token, (left, right))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand, ("TIMES", "DIVIDE"))

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def number(self, token: Token) -> Phrase:
        return Nested("number", token)

    def use(self, token: Token) -> Phrase:
        return Nested("use", token)

    def read(self, token: Token, *indices: Phrase) -> Phrase:
        return Nested("read", token, indices)

    def call(self, token: Token, *arguments: Phrase) -> Phrase:
        return Nested("call", token, arguments)

    def range(self, lower: Phrase, upper: Phrase) -> tuple[Phrase, Phrase]:
        return lower, upper

    def extreme(self, token: Token, *forms: Phrase) -> Phrase:
        return Nested(str(token), token, forms)

    def total(self, token: Token, declared: Declared, *rest: Any) -> Phrase:
        *span, body = rest
        return Nested("sum", token, (*span[0], body) if span else (body,), declared)

    def relation(self, token: Token) -> Token:
        return token

    def condition(self, *parts: Any) -> Phrase:
        """A chain `a < b <= c`, as pairs, of which each is a phrase called as its relation."""
        pairs = [
            Nested(parts[at].type, parts[at], (parts[at - 1], parts[at + 1]))
            for at in range(1, len(parts), 2)
        ]
        return Nested("condition", parts[1], tuple(pairs))

    def choice(self, token: Token, *parts: Any) -> Phrase:
        *conditions, _then, one, _else, other = parts
        return Nested("choice", token, (*conditions, one, other))

    def group(self, phrase: Phrase) -> Phrase:
        phrase.sealed = True
        return phrase


_GRAMMAR: Final = Grammar(
    Path(__file__).parent / "elementwise.lark", _Builder, stray_character, unexpected_token
)
