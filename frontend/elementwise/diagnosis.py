"""What is wrong where the grammar of element-wise definitions cannot go on."""

from collections.abc import Callable, Sequence
from typing import Final

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.text.errors import place_words

__all__ = ["stray_character", "unexpected_token"]

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
    return ParseError(f"the character {character!r} has no meaning here", text, offset)


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
