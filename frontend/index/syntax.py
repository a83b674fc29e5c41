"""From the tokens of index notation to its phrases, or to what is wrong with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.syntax import (
    PRODUCTS,
    Builder,
    Expected,
    Line,
    first_token,
    inline,
    unexpected,
)  # fmt: skip
from eggrad.frontend.index.tokens import indices, raised_number, tokens
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated
from eggrad.frontend.text.words import offset_of


def read(text: str, names: Sequence[str], functions: Sequence[str]) -> list[Line]:
    """The lines of a text; raises `ParseError` where the grammar has none such.

    >>> [line.body.what for line in read("x_i A_ij", ["x", "A"], [])]
    ['TIMES']
    """
    return cast("list[Line]", _GRAMMAR.read_tokens(text, tokens(text, names, functions)))


def _below(token: Token) -> tuple[Token, ...]:
    """The indices of a token, each at its place."""
    found = indices(token)
    if not found:
        shown = token.strip("_^{}")
        raise Misread(
            f"{shown!r} is no list of indices: they are small letters, or numbers from 1 up", token
        )
    start = offset_of(token)
    return tuple(Token("INDEX", i, start + k, token.line, start + k + 1) for i, k in found)


@inline
class _Builder(Builder):
    """Makes phrases; the indices of one are its `sizes`."""

    def line(self, *parts: Any) -> Line:
        if len(parts) == 1:
            return Line(None, parts[0])
        head, sign, body = parts
        if head.what == "upper" and head.sizes and head.operands[0].what == "use":
            (name,) = head.operands
            head = Phrase("use", name.token, (), (*(name.sizes or ()), *head.sizes))
        if head.what != "use":
            raise Misread("only a name with indices stands before '='", sign)
        return Line(head, body)

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type == "DIVIDE" and _literal(left) and _literal(right) and right.token.strip("0"):
            value = f"{left.token}//{right.token}"
            return Phrase("number", Token.new_borrow_pos("NUMBER", value, left.token))
        return Phrase(token.type, token, (left, right))

    def beside(self, left: Phrase, right: Phrase) -> Phrase:
        first = first_token(right)
        fraction = left.what == "number" and "//" in left.token
        if (left.what == "DIVIDE" or fraction) and not left.sealed:
            over = "/".join(map(_shown, left.operands)) or left.token.replace("//", "/")
            top, _, under = over.partition("/")
            c = _shown(right)
            raise Misread(
                f"{over} {c} is ({over})*{c} or {top}/({under}*{c}); write brackets", first
            )
        return Phrase("TIMES", first, (left, right))

    def big_sum(self, sign: Token, below: Token, *rest: Any) -> Phrase:
        """A sum, over whole axes or from one number to another."""
        *marks, body = rest
        if marks and marks[-1].type == "MINUS":
            body = negated(marks.pop(), body, PRODUCTS)
        names, equals, first = below.strip("_{} ").partition("=")
        if bool(equals) != bool(marks):
            one, other = ("begins", "ends") if equals else ("ends", "begins")
            reason = f"a sum that {one} somewhere {other} somewhere, as in _{{i=1}}^n"
            raise Misread(reason, below)
        at = offset_of(below) + below.index(names)
        summed = _below(Token("LOWER", names, at))
        ends = [first.strip(), marks[-1].strip("^{} ")] if equals else []
        return Phrase("sum", sign, (body,), (*summed, *(Token("END", e, at) for e in ends)))

    def extreme(self, sign: Token, below: Token, body: Phrase) -> Phrase:
        name = Token.new_borrow_pos("NAME", sign.removeprefix("\\"), sign)
        return Phrase("extreme", name, (body,), _below(below))

    def lower(self, operand: Phrase, token: Token) -> Phrase:
        below = _below(token)
        if operand.what in ("use", "delta", "upper") and not operand.sealed:
            known = (*(operand.sizes or ()), *below)
            return Phrase(operand.what, operand.token, operand.operands, known)
        return Phrase("stated", token, (operand,), below)

    def upper(self, operand: Phrase, token: Token) -> Phrase:
        """An index or an exponent; which of them, the names of the variables decide."""
        if operand.what in ("POWER", "upper") and not operand.sealed:
            raise Misread(self.nested, token)
        named = operand.what in ("use", "delta") and not operand.sealed and indices(token)
        return Phrase("upper", token, (operand,), _below(token) if named else ())

    def raised(self, base: Phrase, token: Token) -> Phrase:
        exponent = Phrase("number", Token.new_borrow_pos("NUMBER", raised_number(token), token))
        return Phrase("POWER", token, (base, exponent))

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what == "upper" and not base.sealed:
            raise Misread(self.nested, token)
        return super().power(base, token, exponent)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token, (), ())

    def delta(self, token: Token) -> Phrase:
        return Phrase("delta", token, (), ())

    def condition(self, token: Token) -> Phrase:
        return Phrase("indicator", token)

    def call(self, token: Token, *rest: Any) -> Phrase:
        name = Token.new_borrow_pos("NAME", token.removeprefix("\\"), token)
        return super().call(name, *rest)


def _literal(phrase: Phrase) -> bool:
    return phrase.what == "number" and phrase.token.isdecimal() and not phrase.sealed


def _shown(phrase: Phrase) -> str:
    """A short text for a phrase; what is long is left out."""
    below = "".join(phrase.sizes or ())
    if phrase.what in ("use", "delta", "number") and not phrase.sealed:
        return f"{phrase.token}_{below}" if below else str(phrase.token)
    return f"{phrase.token}(…)" if phrase.what == "call" else "(…)"


_GRAMMAR: Final = Grammar(
    Path(__file__).parent / "index.lark",
    _Builder,
    lambda text, offset: ParseError("this has no meaning here", text, offset),
    unexpected(
        Expected(
            operand=("a number", "a name", "'('", "a sum"),
            operator=("'+'", "'-'", "'*'", "'/'", "'^'"),
            ends=("NUMBER", "NAME", "RPAR", "LOWER", "UPPER", "RAISED", "DELTA", "CONDITION"),
        )
    ),
)
