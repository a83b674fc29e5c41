"""From a text of the matrix language to its lines of phrases, or to what is wrong with it."""

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.functions import ALIASES, CONSTANTS, FUNCTIONS
from eggrad.frontend.formulas.syntax import (
    COMPARED,
    Builder,
    Expected,
    Line,
    as_lines,
    call,
    first_token,
    inline,
    unclear,
    unexpected,
)  # fmt: skip
from eggrad.frontend.matrix.tokens import with_names
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated
from eggrad.frontend.text.words import offset_of

_KNOWN: Final = frozenset((*FUNCTIONS, *ALIASES, *CONSTANTS))
_POWER: Final = "a power is written with '^', that of entries with '.^'"
_INSTEAD: Final = {
    "@": "a product of matrices is written with '*'",
    "[": "an index in brackets, as in x[3] or A[1,:], has no brackets within",
    "]": "this bracket closes nothing",
    "\\": "to solve a system, write inv(A)*b",
    **dict.fromkeys("!&", COMPARED),
}


def stray_character(text: str, offset: int) -> ParseError:
    """What to say of a character with which no word of the language begins."""
    character = text[offset]
    if character == "." and offset and text[offset - 1].isdigit():
        return ParseError("a number has one decimal point", text, offset)
    reason = _INSTEAD.get(character, f"the character {character!r} has no meaning here")
    return ParseError(reason, text, offset)


_unexpected: Final = unexpected(
    Expected(
        operand=("a number", "a name", "'('", "'-'"),
        operator=("'+'", "'-'", "'*'", "'.*'", "'/'", "'./'", "'^'", "'.^'", '"\'"'),
        ends=(
            "NUMBER",
            "NAME",
            "WORD",
            "EULER",
            "PI",
            "RPAR",
            "TRANSPOSE",
            "INDICES",
            "RAISED",
            "DOT_RAISED",
        ),
    )
)


def _mistake(text: str, before: list[Token], token: Token) -> ParseError:
    if token.type == "TIMES" and before and before[-1].type == "TIMES":
        return ParseError(_POWER, text, before[-1].start_pos or 0)
    return _unexpected(text, before, token)


def read(
    text: str, names: Collection[str] | None = None, functions: Collection[str] = _KNOWN
) -> list[Line]:
    """The lines, the last of which is the expression; `ParseError` where the grammar has none.

    >>> [part.what for part in read("A*x - y'")[0].body.operands]
    ['TIMES', 'TRANSPOSE']
    """

    def cut(found: Sequence[Token]) -> Iterator[Token]:
        return with_names(text, found, names, functions)

    return cast("list[Line]", _GRAMMAR.read(as_lines(_with_norms(_as_elsewhere(text))), cut))


def _as_elsewhere(text: str) -> str:
    """The text, as long, for what MATLAB and Julia write otherwise.

    >>> _as_elsewhere("f = @(x) sum(x(2:end)) + norm(A, 'fro')"), _as_elsewhere("x -> exp.(x)")
    ('f =      sum(x[2:end]) + norm(A,  fro )', '     exp (x)')
    """
    text = _RANGE.sub(r"[\1]", text)
    for pattern in (_ARGUMENTS, _BROADCAST, _QUOTED):
        text = pattern.sub(lambda m: " " * len(m[1]) + m[2] + " " * len(m[3]), text)
    return text


_RANGE: Final = re.compile(r"(?<=[\w)])\(([^()\[\]]*:[^()\[\]]*)\)")
_ARGUMENTS: Final = re.compile(r"(@\([\w\s,]*\)|(?<![^=\s])[\w(][\w\s,)]*->)()()")
_BROADCAST: Final = re.compile(r"(\.)(?<=\w\.)(\()()")
_QUOTED: Final = re.compile(r"(?<=,)(\s*['\"])(fro)(['\"])")


def heads(text: str) -> set[str]:
    """The names that lines before the last one give to parts.

    >>> heads("t = A*x; t'*t")
    {'t'}
    """
    parts = as_lines(text).split(";")[:-1]
    return {m[1] for part in parts if (m := _HEAD.match(part))}


_HEAD: Final = re.compile(r"\s*([^\W\d]\w*)\s*:?=(?!=)")


def _with_norms(text: str) -> str:
    """The text, as long, with the bars of norms for double bars, where no others stand."""
    doubled = "|" not in text.replace("||", "") and "log||" not in text
    return text.replace("||", "‖ ") if doubled else text


_LOWERED: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_FRACTIONS: Final = {"½": "0.5", "¼": "0.25", "¾": "0.75"}


def _entry(left: Phrase, right: Phrase) -> Phrase | None:
    """MATLAB's `x(1)`, an entry; a product with a number begins with it."""
    before = left.operands[0] if left.what == "TIMES" and not left.sealed else None
    name = left.operands[1] if before else left
    marks: list[Phrase] = []
    while right.what in ("POWER", "DOT_POWER", "TRANSPOSE") and not right.sealed:
        marks.append(right)
        right = right.operands[0]
    if name.what != "use" or right.what != "number" or not (right.sealed and right.token.isdigit()):
        return None
    token = Token("INDICES", f"[{right.token}]", offset_of(right.token))
    found = Phrase("indexed", token, (name,))
    for mark in reversed(marks):
        found = Phrase(mark.what, mark.token, (found, *mark.operands[1:]))
    return Phrase("TIMES", name.token, (before, found)) if before else found


def _last_token(phrase: Phrase) -> Token:
    while phrase.what in ("TIMES", "negate") and not phrase.sealed:
        phrase = phrase.operands[-1]
    return phrase.token


@inline
class _Builder(Builder):
    def beside(self, left: Phrase, right: Phrase) -> Phrase:
        first = first_token(right)
        if entry := _entry(left, right):
            return entry
        if first.type == "NUMBER" and not right.sealed:
            raise Misread(f"an operator is missing before {str(first)!r}", first)
        for word in (_last_token(left), first):
            other = left if word is first else right
            if word.type == "WORD" and other.what != "number":
                raise Misread(
                    f"no function or variable is called {str(word)!r}{suggestion(word, _KNOWN)}; a "
                    "product is written with '*'",
                    word,
                )
        if left.what in ("DIVIDE", "DOT_DIVIDE", "DOT_TIMES") and not left.sealed:
            raise unclear(first, left, right, "*")
        if left.what in ("POWER", "DOT_POWER") and not left.sealed:
            above = left.operands[1].token
            if left.operands[1].what == "use" and offset_of(above) + len(above) == offset_of(first):
                raise unclear(left.token, left, right, "*")
        return Phrase("TIMES", first, (left, right))

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what == "use" and base.token.type == "EULER":
            return Phrase("natural power", token, (exponent,))
        return super().power(base, token, exponent)

    def call(self, token: Token, *rest: Any) -> Phrase:
        if token == "norm" and len(rest) > 1 and rest[1].what == "use" and rest[1].token in _NORMS:
            which = Token("NAME", _NORMS[rest[1].token])
            return Phrase("norm", token, rest[:1], (which,))
        return super().call(token, *rest)

    def pi(self, token: Token) -> Phrase:
        return Phrase("pi", token)

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type == "OTIMES":
            return call("⊗", token, left, right)
        return super().binary(left, token, right)

    def number(self, token: Token) -> Phrase:
        decimal = _FRACTIONS.get(str(token), str(token))
        return Phrase("number", Token.new_borrow_pos("NUMBER", decimal, token))

    def raised(self, base: Phrase, token: Token) -> Phrase:
        plain = token.translate(_LOWERED)
        digits = plain.lstrip("-⊙∘")
        number = Phrase("number", Token.new_borrow_pos("NUMBER", digits, token))
        exponent = negated(token, number) if "-" in plain else number
        kind = "POWER" if token.type == "RAISED" else "DOT_POWER"
        return self.power(base, Token.new_borrow_pos(kind, str(token), token), exponent)

    def indexed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("indexed", token, (operand,))

    def between(self, token: Token, operand: Phrase, closed: Token) -> Phrase:
        if token.type != "NORM":
            return Phrase("call", token, (operand,))
        which = re.sub(r"[‖_\s]", "", closed).translate(_SUBSCRIPTS)
        return Phrase("norm", closed, (operand,), (Token("NAME", which),))

    def inner(self, token: Token, left: Phrase, right: Phrase, _closed: Token) -> Phrase:
        return call("⟨⟩", token, left, right)


_NORMS: Final = {"fro": "F", "Inf": "infty", "inf": "infty"}
_SUBSCRIPTS: Final = str.maketrans({"₁": "1", "₂": "2", "∞": "infty"})
_GRAMMAR: Final = Grammar(
    Path(__file__).parent / "matrix.lark", _Builder, stray_character, _mistake
)
