"""What parsers share: phrases, which say what was written where; grammars; and problems."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from eggrad.engine.errors import ParseError
from eggrad.engine.terms.term import Term
from eggrad.frontend.text.words import offset_of


class Phrase:
    """A part of an expression: what it is, the token that says so, and its operands."""

    __slots__ = ("operands", "sealed", "sizes", "token", "what")

    def __init__(
        self,
        what: str,
        token: Token,
        operands: tuple["Phrase", ...] = (),
        sizes: tuple[Token, ...] | None = None,
        sealed: bool = False,
    ) -> None:
        """`sealed` literals take no sign: `-(1)` is the negative of 1, `-1` is a number."""
        self.what = what
        self.token = token
        self.operands = operands
        self.sizes = sizes
        self.sealed = sealed


def negated(token: Token, operand: Phrase, products: Collection[str] = ()) -> Phrase:
    """The negative; a number, and what is first in one of the products, takes the sign itself."""
    kind = type(operand)
    chain = [operand]
    while chain[-1].what in products and not chain[-1].sealed:
        chain.append(chain[-1].operands[0])
    first = chain.pop()
    if first.what != "number" or first.sealed:
        return kind("negate", token, (operand,))
    number = Token.new_borrow_pos("NUMBER", "-" + first.token, token)
    found = kind("number", number, sealed=True)
    found.sizes = first.sizes
    for product in reversed(chain):
        found = kind(product.what, product.token, (found, product.operands[1]))
    return found


class Misread(Exception):
    """What a grammar allows and its builder does not: the reason, and the place."""

    def __init__(self, reason: str, token: Token) -> None:
        """Remember why, and the token where that shows."""
        super().__init__(reason)
        self.reason = reason
        self.offset = offset_of(token)


class Grammar:
    """A grammar in a file, what it builds, and what it says of other texts."""

    def __init__(
        self,
        file: Path,
        builder: Callable[[], Transformer[Token, Any]],
        stray_character: Callable[[str, int], ParseError],
        unexpected_token: Callable[[str, list[Token], Token], ParseError],
        functions: Sequence[str] = (),
    ) -> None:
        """`builder` makes phrases while the parser runs, so that no tree is walked after it.

        `functions` are the words that the grammar calls `<functions>`.
        """
        self._functions = functions
        self._file = file
        self._builder = builder
        self._stray_character = stray_character
        self._unexpected_token = unexpected_token

    @cached_property
    def _parser(self) -> Lark:
        grammar = self._file.read_text("utf-8")
        return Lark(
            grammar.replace("<functions>", "|".join(self._functions)),
            parser="lalr",
            lexer="basic",
            transformer=self._builder(),
            maybe_placeholders=False,
        )

    def read(
        self, text: str, cut: Callable[[Sequence[Token]], Iterable[Token]] | None = None
    ) -> Any:
        """What the builder makes of a text; raises `ParseError` where the grammar has none.

        `cut` cuts the tokens further.
        """

        def lex() -> Iterator[Token]:
            return self._parser.lex(text)

        if cut is None:
            return self._read(text, lambda: self._parser.parse(text), lex)
        return self.read_tokens(text, self._read(text, lambda: list(cut(list(lex()))), lex))

    def read_tokens(self, text: str, tokens: Sequence[Token]) -> Any:
        """What the builder makes of a text that has been cut into tokens already.

        Raises `ParseError` as `read` does.
        """
        return self._read(text, lambda: self._fed(tokens), lambda: iter(tokens))

    def _fed(self, tokens: Sequence[Token]) -> Any:
        parser = self._parser.parse_interactive("")
        for token in tokens:
            parser.feed_token(token)
        return parser.feed_eof(tokens[-1] if tokens else None)

    def _read(self, text: str, parse: Callable[[], Any], lex: Callable[[], Iterator[Token]]) -> Any:
        try:
            return parse()
        except UnexpectedCharacters as error:
            found = self._stray_character(text, error.pos_in_stream)
        except UnexpectedToken as error:
            ended = error.token.type == "$END"
            end = len(text) if ended else offset_of(error.token)
            before = takewhile(lambda t: offset_of(t) < end, lex())
            found = self._unexpected_token(text, list(before), error.token)
        except Misread as error:
            found = ParseError(error.reason, text, error.offset)
        raise found


@dataclass(frozen=True)
class Problem:
    """What a text of the thesis's language says.

    `term` is the expression. `wrt` holds the variables of `derivative wrt` in turn, or is None
    where the text has no such part. `declared` holds every declared variable, in that order.
    """

    term: Term
    wrt: tuple[Term, ...] | None
    declared: tuple[Term, ...]
