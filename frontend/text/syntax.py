"""From text to syntax: what was written where, before any name or shape is looked at.

Where the grammar cannot go on there is one plain sentence for each kind of mistake.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.text.errors import place_words, suggestion
from eggrad.frontend.text.phrases import Grammar, Phrase, negated
from eggrad.frontend.text.words import FUNCTION_NAMES, OPERATORS, RESERVED, unquoted

_PAIRS: Final = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_NAMES: Final = ("NAME", "QUOTED")
_OPERANDS: Final = (*_NAMES, "NUMBER", "FUNCTION", "DELTA", "INDICATOR", "SIZE", "LPAR")
_KEYWORDS: Final = ("DECLARE", "LET", "EXPRESSION", "DERIVATIVE", "WRT")
_OPERAND: Final = ("a number", "a name", "a function", "'('", "'-'")
_OPERATOR: Final = ("'+'", "'-'", "'*(...)'", "'/'", "'^'")
_ORDER: Final = ("a number of axes", "sizes in brackets")


def stray_character(text: str, offset: int) -> ParseError:
    """What to say of a character with which no word of the language begins."""
    character, rest = text[offset], text[offset:]
    if character == "`":
        return ParseError("this quote is never closed", text, offset, ("'`'",))
    if character == "*":
        opened = re.match(r"\*\s*(?=\()[^>)]+>[^()]*(?!\))", rest)
        if rest.startswith("**"):
            return ParseError("a power is written with '^'", text, offset, ("'^'",))
        if opened and not rest.startswith(")", opened.end()):
            return ParseError("this bracket is never closed", text, text.index("(", offset))
        if re.match(r"\*\s*\([^()]*,[^()]*\)", rest):
            reason = "the index strings of this product have no '->'"
        else:
            reason = "a product needs index strings, as in A *(ij,j->i) x or 2 *(,i->i) x"
        return ParseError(reason, text, offset, ("'*(...,...->...)'",))
    if character == "." and text[offset - 1].isdigit():
        return ParseError("a number has one decimal point", text, offset)
    if re.match(r"\.[0-9]", rest):
        return ParseError("a number begins with a digit", text, offset, ("a digit",))
    return ParseError(f"the character {character!r} has no meaning here", text, offset)


def unexpected_token(text: str, before: Sequence[Token], token: Token) -> ParseError:
    """What to say of a token that cannot stand after those before it."""
    return _Place(text, tuple(before), token).diagnosis()


@dataclass(frozen=True)
class _Place:
    """The token that does not fit and everything before it."""

    text: str
    before: tuple[Token, ...]
    token: Token

    @property
    def kind(self) -> str:
        return self.token.type

    @property
    def shown(self) -> str:
        return "the end" if self.kind == "$END" else repr(str(self.token))

    def previous(self, steps: int = 1) -> str:
        return self.before[-steps].type if len(self.before) >= steps else ""

    def fail(self, reason: str, *expected: str, at: Token | None = None) -> ParseError:
        found = at or self.token
        ended = found.type == "$END"
        return ParseError(
            reason, self.text, len(self.text.rstrip()) if ended else found.start_pos or 0, expected
        )

    def diagnosis(self) -> ParseError:
        if not self.before:
            return self.fail("a text begins with the keyword 'declare'", "'declare'")
        opened: list[Token] = []
        for token in self.before:
            if token.type in _PAIRS:
                opened.append(token)
            elif token.type in _PAIRS.values() and opened:
                opened.pop()
        opener = opened[-1] if opened else None
        if self.kind in _PAIRS.values():
            if opener is None:
                return self.fail(f"this {self.token} closes no bracket")
            if _PAIRS[opener.type] != self.kind:
                where = place_words(self.text, opener.start_pos or 0)
                return self.fail(f"this {self.token} does not fit the {opener} at {where}")
        section = next((t.type for t in reversed(self.before) if t.type in _KEYWORDS), "")
        if opener and (self.kind in _KEYWORDS or self.kind == "$END") and self._after_operand():
            return self.fail("this bracket is never closed", at=opener)
        if opener and opener.type == "LSQB":
            return self.fail(f"{self.shown} is no size", "a name", "an integer", "','", "']'")
        if opener and opener.type == "LBRACE":
            return self.fail(f"{self.shown} is no property", "a property", "','", "'}'")
        if section == "DECLARE":
            return self._in_declarations()
        return self._in_argument() if section in ("DERIVATIVE", "WRT") else self._in_expression()

    def _after_operand(self) -> bool:
        return self.previous() in (*_NAMES, "NUMBER", *_PAIRS.values())

    def _reserved(self) -> ParseError | None:
        if str(self.token) not in RESERVED:
            return None
        return self.fail(f"{self.shown} is a word of the language and no name", "a name")

    def _in_declarations(self) -> ParseError:
        if self.previous() in _NAMES:
            name = str(self.before[-1])
            if name in self.before[:-1]:
                reason = "the keyword 'expression' is missing"
                return self.fail(reason, "a name", "'expression'", at=self.before[-1])
            near = suggestion(name, ["expression"]) or f", as in {name} 2"
            return self.fail(f"the variable {name!r} has no order{near}", *_ORDER)
        if self.previous() == "LBRACE":
            return self.fail(f"{self.shown} is no property", "a property")
        if self.kind == "LSQB":
            return self.fail("a variable has either an order or sizes", "a name", "'expression'")
        if self.kind not in ("DERIVATIVE", "$END"):
            following = self.text[(self.token.end_pos or 0) :].lstrip()
            reserved = None if following.startswith("(") else self._reserved()
            if reserved:
                return reserved
        return self.fail("the keyword 'expression' is missing", "a name", "'expression'")

    def _in_argument(self) -> ParseError:
        if self.previous() == "DERIVATIVE":
            return self.fail("the word 'wrt' is missing after 'derivative'", "'wrt'")
        if self.previous() == "WRT":
            if self.kind == "$END":
                return self.fail("the variable after 'wrt' is missing", "a name")
            return self._reserved() or self.fail(f"{self.shown} is no name", "a name")
        return self.fail(f"{self.shown} stands after the end of the text", "'wrt'", "the end")

    def _in_expression(self) -> ParseError:
        if self.previous() == "LET":
            return self._reserved() or self.fail("the name after 'let' is missing", "a name")
        if self.previous() == "FUNCTION":
            reason = f"the argument of {self.before[-1]} stands in brackets"
            return self.fail(reason, "'('")
        if self.previous() == "INDICATOR":
            return self.fail("an indicator has sizes, as in indicator[i-j=0][m,n]", "'['")
        if self.previous() == "DELTA":
            return self.fail("a delta has an order or sizes, as in delta(1)", "'('", "'['")
        if self.previous(2) == "DELTA" or self.previous(3) == "DELTA":
            return self.fail("the order of a delta is an integer, as in delta(1)", "an integer")
        if self.previous(2) == "SIZE" or self.previous(3) == "SIZE":
            return self.fail("the argument of size is the name of a size", "a name")
        return self._instead_of_operator() if self._after_operand() else self._instead_of_operand()

    def _instead_of_operator(self) -> ParseError:
        last = self.before[-1]
        if self.kind == "LPAR" and last.type == "NAME":
            return self._unknown_function(last)
        if self.kind == "LSQB":
            return self.fail("sizes stand only after numbers and deltas", *_OPERATOR)
        if self.kind == "UNARY_SPEC":
            return self.fail("a product of two needs an index string for each", "','")
        if self.kind in ("$END", "DERIVATIVE", "WRT") and all(
            t.type != "EXPRESSION" for t in self.before
        ):
            return self.fail("the keyword 'expression' is missing", *_OPERATOR, "'expression'")
        if self.kind == "WRT":
            return self.fail("the word 'derivative' is missing before 'wrt'", "'derivative'")
        if self.kind == "LET":
            return self.fail("a 'let' stands before 'expression'", *_OPERATOR)
        if self.kind in _KEYWORDS:
            return self.fail(f"the keyword {self.shown} stands here a second time", *_OPERATOR)
        if last.type == "NUMBER" and last.end_pos == self.token.start_pos and self.kind == "NAME":
            reason = f"{last + self.token} is no number; a product is written 2 *(,i->i) x"
            return self.fail(reason, *_OPERATOR)
        if self.kind in _OPERANDS:
            return self.fail(f"an operator is missing before {self.shown}", *_OPERATOR)
        return self.fail(f"{self.shown} has no meaning here", *_OPERATOR)

    def _unknown_function(self, name: Token) -> ParseError:
        declared = {unquoted(t) for t in self.before if t.type in _NAMES and t is not name}
        if str(name) in declared:
            reason = f"{str(name)!r} is no function; a product is written A *(ij,j->i) x"
            return self.fail(reason, *_OPERATOR)
        near = suggestion(str(name), FUNCTION_NAMES)
        return self.fail(f"no function is called {str(name)!r}{near}", *FUNCTION_NAMES, at=name)

    def _instead_of_operand(self) -> ParseError:
        ends = self.kind in _KEYWORDS or self.kind == "$END"
        if self.previous() == "EXPRESSION" and ends:
            return self.fail("the expression is empty", *_OPERAND)
        if self.previous() == "LPAR" and self.kind == "RPAR":
            return self.fail("there is nothing between these brackets", *_OPERAND)
        if self.kind == "BINARY_SPEC":
            return self.fail("this product has no left operand", *_OPERAND)
        return self.fail(f"an operand is missing before {self.shown}", *_OPERAND)


# What the grammar builds -------------------------------------------------------------------


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

    def selection(self, token: Token, sizes: Tokens, *operands: Phrase) -> Phrase:
        return Phrase("selection", token, operands, sizes)

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
