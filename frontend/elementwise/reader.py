"""From the text of an element-wise definition to phrases, before any name is looked at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.engine.indices.texts import shown
from eggrad.frontend.text.errors import place_words
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated

_CLOSING: Final = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_OPERAND: Final = ("a number", "a name", "'('", "'-'")
_OPERATOR: Final = ("'+'", "'-'", "'*'", "'/'", "'**'")
_VALUES: Final = ("NUMBER", "NAME", "RPAR", "RSQB")
_RELATIONS: Final = ("'='", "'>='", "'<='", "'|'")
_KEYWORDS: Final = ("THEN", "ELSE", "_AND", "EXTREME", "SUM", "IF")


def stray_character(text: str, offset: int) -> ParseError:
    """What to say of a character with which no word of the language begins."""
    character = text[offset]
    if character == "." and offset and text[offset - 1].isdigit():
        return ParseError("a number has one decimal point", text, offset)
    if text.startswith("!=", offset):
        reason = "a condition is not negated; what holds elsewhere stands after 'else'"
        return ParseError(reason, text, offset)
    return ParseError(f"the character {shown(character)} has no meaning here", text, offset)


def unexpected_token(text: str, before: Sequence[Token], token: Token) -> ParseError:
    """What to say of a token that cannot stand after those before it."""
    ended = token.type == "$END"
    shown = "the end" if ended else repr(str(token))
    offset = len(text.rstrip()) if ended else token.start_pos or 0

    def fail(reason: str, *expected: str, at: int = offset) -> ParseError:
        return ParseError(reason, text, at, expected)

    kinds = [t.type for t in before]
    previous = kinds[-1] if kinds else ""
    opened = _opened(before)
    opener = opened[-1] if opened else None
    if "EQUAL" not in kinds and not (opener and ended and previous in _VALUES):
        return fail(*_in_head(kinds, shown))
    if token.type in _CLOSING.values():
        if opener is None:
            return fail(f"this {token} closes no bracket")
        if _CLOSING[opener.type] != token.type:
            where = place_words(text, opener.start_pos or 0)
            return fail(f"this {token} does not fit the {opener} at {where}")
    if opener and ended and previous in _VALUES:
        return fail("this bracket is never closed", at=opener.start_pos or 0)
    if problem := _in_sum(kinds, token):
        return fail(*problem)
    if previous in _VALUES and ended and kinds.count("THEN") > kinds.count("ELSE"):
        return fail("a choice has a second value, after 'else'", "'else'")
    if opener and opener.type == "LBRACE" and previous in _VALUES:
        return fail(f"{shown} is no relation", *_RELATIONS)
    if previous == "RBRACE":
        return fail("after the condition follows 'then'", "'then'")
    if token.type == "EQUAL" and previous in _VALUES:
        return fail("only the head stands before '='; a condition is in braces after 'if'")
    if previous in _VALUES:
        return _instead_of_operator(fail, before, token, shown)
    if previous in _KEYWORDS and str(before[-1]) in ("then", "else") and ended:
        return fail(f"the value after {str(before[-1])!r} is missing", *_OPERAND)
    after = f", after {str(before[-1])!r}" if before else ""
    return fail(f"an operand is missing before {shown}{after}", *_OPERAND)


def _in_head(kinds: Sequence[str], shown: str) -> tuple[str, ...]:
    """What is wrong before the '=' of a definition."""
    if not kinds:
        return ("a definition begins with a head such as f[i; j] =", "a name")
    if kinds == ["NAME"]:
        reason = f"after the name of what is defined follow its indices, not {shown}"
        return (reason, "'['")
    if kinds[-1] == "RSQB":
        return ("after the head follows '='", "'='")
    if "LESS" in kinds:
        return (f"{shown} is no size", "a name", "a number", "']'")
    if kinds[-1] in ("LSQB", "_SEPARATOR"):
        return (f"the head has names of indices, {shown} is none", "a name")
    return (f"{shown} has no meaning in the head", "'<'", "';'", "']'")


def _in_sum(kinds: Sequence[str], token: Token) -> tuple[str, ...] | None:
    """What is wrong between the word 'sum' and its body."""
    recent = kinds[-4:]
    if recent[-2:] == ["SUM", "LBRACE"]:
        return ("the index of the sum is missing", "a name")
    if recent[-3:] == ["SUM", "LBRACE", "NAME"]:
        return ("a sum has one index, as in sum{k}_0^4 or sum{k<5}", "'}'", "'<'")
    if recent == ["SUM", "LBRACE", "NAME", "RBRACE"]:
        return ("after the index of a sum follow its bounds or its body", "'_'", "'('")
    if recent[-2:-1] == ["CIRCUMFLEX"] and token.type == "$END":
        return ("the body of the sum is missing", *_OPERAND)
    if _started(kinds) and token.type != "CIRCUMFLEX":
        return ("a sum has a lower and an upper bound, as in sum{k}_0^(n - 1)", "'^'")
    return None


def _started(kinds: Sequence[str]) -> bool:
    """Whether a lower bound has just been read."""
    return len(kinds) > 2 and kinds[-2] == "_LOWER" and kinds[-1] in ("NUMBER", "NAME")


def _instead_of_operator(
    fail: Callable[..., ParseError], before: Sequence[Token], token: Token, shown: str
) -> ParseError:
    if token.type == "CIRCUMFLEX":
        return fail("a power is written with '**'", "'**'")
    if token.type == "_SEPARATOR":
        return fail(f"{shown} separates indices and bounds, and here is neither", *_OPERATOR)
    last = before[-1]
    if last.type == "NUMBER" and token.type == "NAME" and last.end_pos == token.start_pos:
        return fail(f"a product is written with '*': {last}*{token}", *_OPERATOR)
    if last.type == token.type == "NUMBER":
        return fail("a number has one decimal point")
    if token.type in ("LESS", "GREATER", "LESS_EQUAL", "GREATER_EQUAL", "DIVIDES"):
        return fail(f"{shown} stands in conditions alone: if {{i >= k}} then ... else ...")
    if token.type in ("THEN", "ELSE"):
        return fail(f"there is no 'if' that this {token} belongs to")
    return fail(f"an operator is missing before {shown}", *_OPERATOR)


def _opened(before: Sequence[Token]) -> list[Token]:
    """The brackets that are open."""
    found: list[Token] = []
    for token in before:
        if token.type in _CLOSING:
            found.append(token)
        elif token.type in _CLOSING.values() and found:
            found.pop()
    return found


# What the grammar builds -------------------------------------------------------------------


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
