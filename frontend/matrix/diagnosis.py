"""What is wrong where the grammar of the matrix language cannot go on."""

import re
from collections.abc import Sequence
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.matrix.functions import FUNCTIONS
from eggrad.frontend.text.errors import place_words

__all__ = ["stray_character", "unexpected_token"]

_OPERAND: Final = ("a number", "a name", "'('", "'-'")
_OPERATOR: Final = ("'+'", "'-'", "'*'", "'.*'", "'/'", "'./'", "'^'", "'.^'", '"\'"')
_AFTER: Final = ("NUMBER", "NAME", "RPAR", "TRANSPOSE", "INDICES")
_INSTEAD: Final = {
    "**": "a power is written with '^', that of entries with '.^'",
    "@": "a product of matrices is written with '*'",
    "[": "an index in brackets, as in x[3] or A[1,:], has no brackets within",
    "]": "this bracket closes nothing",
    "=": "an equation is no expression",
    "\\": "to solve a system, write inv(A)*b",
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
    opened: list[Token] = []
    for t in before:
        if t.type == "LPAR":
            opened.append(t)
        elif t.type == "RPAR":
            opened.pop()
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
        if token.type == "RPAR" and not opened:
            return ParseError("this bracket closes nothing", text, offset)
        if ended and opened:
            return ParseError("this bracket is never closed", text, opened[-1].start_pos or 0)
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
