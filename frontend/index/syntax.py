"""From the tokens of index notation to its phrases, or to what is wrong with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.index.tokens import indices, raised_number, tokens
from eggrad.frontend.text.errors import place_words
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated
from eggrad.frontend.text.words import offset_of

_OPERAND: Final = ("a number", "a name", "'('", "a sum")
_AFTER: Final = ("NUMBER", "NAME", "RPAR", "LOWER", "UPPER", "RAISED", "DELTA", "CONDITION")
_PRODUCTS: Final = ("TIMES", "DIVIDE", "BESIDE")


class Line(NamedTuple):
    """An expression, and the name with indices that stands before its equals sign."""

    head: Phrase | None
    body: Phrase


def read(text: str, names: Sequence[str], functions: Sequence[str]) -> list[Line]:
    """The lines of a text; raises `ParseError` where the grammar has none such.

    >>> [line.body.what for line in read("x_i A_ij", ["x", "A"], [])]
    ['BESIDE']
    """
    return cast("list[Line]", _GRAMMAR.read_tokens(text, tokens(text, names, functions)))


def _unexpected_token(text: str, before: Sequence[Token], token: Token) -> ParseError:
    """What to say of a token that cannot stand after those before it."""
    ended = token.type == "$END"
    shown = "the end" if ended else repr(str(token))
    offset = len(text.rstrip()) if ended else offset_of(token)
    last = before[-1] if before else None
    opened: list[Token] = []
    for t in before:
        if t.type == "LPAR":
            opened.append(t)
        elif t.type == "RPAR" and opened:
            opened.pop()
    if last is None and ended:
        return ParseError("the expression is empty", text, 0, _OPERAND)
    if token.type == "EQUAL":
        return ParseError("one equals sign stands in a line", text, offset, ("';'",))
    if last and last.type in _AFTER:
        if token.type == "RPAR" and not opened:
            return ParseError("this bracket closes nothing", text, offset)
        if ended and opened:
            return ParseError("this bracket is never closed", text, offset_of(opened[-1]))
        if token.type == "COMMA":
            return ParseError("a comma separates the arguments of a function", text, offset)
    if last and last.type in ("SUM", "EXTREME"):
        reason = f"after {str(last)!r} come the indices that it goes over, as in {last}_i"
        return ParseError(reason, text, offset_of(last), ("'_'",))
    if last and last.type == "FUNCTION":
        reason = f"the argument of {last} stands in brackets"
        return ParseError(reason, text, offset, ("'('",))
    where = f", after {str(last)!r} at {place_words(text, offset_of(last))}" if last else ""
    return ParseError(f"an operand is missing before {shown}{where}", text, offset, _OPERAND)


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


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs; the indices of one are its `sizes`."""

    def start(self, *parts: Any) -> list[Line]:
        return [p for p in parts if isinstance(p, Line)]

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
        first = _first_token(right)
        unclear = left.what == "DIVIDE" or (left.what == "number" and "//" in left.token)
        if unclear and not left.sealed:
            a, b = (left.token, "") if left.what == "number" else map(_shown, left.operands)
            over = str(a).replace("//", "/") if left.what == "number" else f"{a}/{b}"
            top, _, under = over.partition("/")
            c = _shown(right)
            raise Misread(
                f"{over} {c} is ({over})*{c} or {top}/({under}*{c}); write brackets", first
            )
        return Phrase("BESIDE", first, (left, right))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand, _PRODUCTS)

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def big_sum(self, sign: Token, below: Token, *rest: Any) -> Phrase:
        """A sum; where its ends are written they have to be those of the axes."""
        *marks, body = rest
        if marks and marks[-1].type == "MINUS":
            body = negated(marks.pop(), body, _PRODUCTS)
        names, equals, first = below.strip("_{} ").partition("=")
        if not (equals or marks):
            return Phrase("sum", sign, (body,), _below(below))
        if not (equals and marks) or first.strip() != "1":
            reason = "a sum goes over a whole axis, as sum_i or sum_{i=1}^n"
            raise Misread(reason, below)
        at = offset_of(below) + below.index(names)
        summed = _below(Token("LOWER", names, at, below.line, at + 1))
        last = marks[-1]
        end = Token("END", last.strip("^{} "), last.start_pos)
        return Phrase("sum", sign, (body,), (*summed, end))

    def extreme(self, sign: Token, below: Token, body: Phrase) -> Phrase:
        return Phrase("extreme", sign, (body,), _below(below))

    def lower(self, operand: Phrase, token: Token) -> Phrase:
        return _with_indices(operand, token, _below(token))

    def upper(self, operand: Phrase, token: Token) -> Phrase:
        """An index or an exponent; which of them, the names of the variables decide."""
        _check_no_power(operand, token)
        if operand.what in ("use", "delta") and not operand.sealed:
            return Phrase("upper", token, (operand,), _below(token) if indices(token) else ())
        return Phrase("upper", token, (operand,), ())

    def raised(self, base: Phrase, token: Token) -> Phrase:
        exponent = Phrase("number", Token.new_borrow_pos("NUMBER", raised_number(token), token))
        return Phrase("power", token, (base, exponent))

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        _check_no_power(base, token)
        return Phrase("power", token, (base, exponent))

    def number(self, token: Token) -> Phrase:
        return Phrase("number", token)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token, (), ())

    def delta(self, token: Token) -> Phrase:
        return Phrase("delta", token, (), ())

    def condition(self, token: Token) -> Phrase:
        return Phrase("condition", token)

    def call(self, token: Token, *rest: Any) -> Phrase:
        args = tuple(r for r in rest if isinstance(r, Phrase))
        return Phrase("call", token, args)

    def group(self, _left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)


def _with_indices(operand: Phrase, token: Token, below: tuple[Token, ...]) -> Phrase:
    if operand.what in ("use", "delta", "upper") and not operand.sealed:
        known = operand.sizes or ()
        return Phrase(operand.what, operand.token, operand.operands, (*known, *below))
    return Phrase("stated", token, (operand,), below)


def _check_no_power(base: Phrase, token: Token) -> None:
    if base.what in ("power", "upper") and not base.sealed:
        raise Misread("powers of powers need brackets, as in (a^b)^c or a^(b^c)", token)


def _literal(phrase: Phrase) -> bool:
    return phrase.what == "number" and phrase.token.isdecimal() and not phrase.sealed


def _first_token(phrase: Phrase) -> Token:
    while phrase.operands and phrase.what not in ("call", "sum", "extreme", "negate"):
        phrase = phrase.operands[0]
    return phrase.token


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
    _unexpected_token,
)
