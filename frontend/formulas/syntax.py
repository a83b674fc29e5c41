# ruff: noqa: D102 - methods of builders are called as the rules of grammars
"""What the grammars of formulas share: how phrases are made, lines, and words about mistakes."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple, TypeVar, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.text.errors import place_words
from eggrad.frontend.text.phrases import Misread, Phrase, negated
from eggrad.frontend.text.words import offset_of

PRODUCTS: Final = ("TIMES", "DOT", "CROSS", "DIVIDE", "DOT_TIMES", "DOT_DIVIDE", "BESIDE")
_POWERS: Final = ("POWER", "DOT_POWER", "natural power")
# Signs of what a phrase is called, where that is not the type of its token.
_SIGNS: Final = {"ODOT": "DOT_TIMES", "OSLASH": "DOT_DIVIDE"}
_CLOSING: Final = {
    **{"RPAR": ("LPAR",), "BAR": ("BAR", "LOG_BAR"), "NORM": ("NORM",), "NORM_INDEX": ("NORM",)},
}
_RELATIONS: Final = {"≤": "<=", "≥": ">=", "≠": "!=", "~=": "!=", "=": "==", r"\le": "<="} | {
    **{r"\leq": "<=", r"\ge": ">=", r"\geq": ">=", r"\ne": "!=", r"\neq": "!="},
    **{r"\lt": "<", r"\gt": ">", r"\leqslant": "<=", r"\geqslant": ">="},
}


_T = TypeVar("_T")


class Line(NamedTuple):
    """What stands on the right of an equals sign, or alone; and what stands on its left."""

    head: Phrase | None
    body: Phrase

    @property
    def name(self) -> Token | None:
        """The name on the left, `f` of `f_ij` and of `f(x)`."""
        if self.head is None:
            return None
        return self.head.operands[0].token if self.head.what == "below" else self.head.token


def inline(builder: type[_T]) -> type[_T]:
    """Let methods take the parts of a rule one by one."""
    return cast("type[_T]", v_args(inline=True)(builder))


@inline
class Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs; an operator's phrase is called as its token."""

    nested = "powers of powers need brackets, as in (a^b)^c or a^(b^c)"

    def start(self, *parts: Any) -> list[Line]:
        return [p for p in parts if isinstance(p, Line)]

    def line(self, *parts: Any) -> Line:
        if len(parts) == 1:
            return Line(None, parts[0])
        head, sign, body = parts
        named = head.operands[0] if head.what == "below" else head
        arguments = head.what == "call" and head.operands
        plain = named.what == "use" or (arguments and all(map(_is_argument, head.operands)))
        if not plain or head.sealed:
            raise Misread("an equation is no expression; write one side of it", sign)
        return Line(head, body)

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Phrase(_SIGNS.get(token.type, token.type), token, (left, right))

    def compared(self, *parts: Any) -> Phrase:
        left, token, right = (p for p in parts if not _is_bracket(p))
        return Phrase(_RELATIONS.get(str(token), str(token)), token, (left, right), sealed=True)

    def chosen(self, value: Phrase, token: Token, condition: Phrase, *rest: Any) -> Phrase:
        """`a if x > 0 else b`."""
        return call("where", token, condition, value, rest[-1])

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what in _POWERS and not base.sealed:
            raise Misread(self.nested, token)
        return Phrase(token.type, token, (base, exponent))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand, PRODUCTS)

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def transposed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("TRANSPOSE", token, (operand,))

    def number(self, token: Token) -> Phrase:
        return Phrase("number", token)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token)

    def call(self, token: Token, *rest: Any) -> Phrase:
        return Phrase("call", token, tuple(r for r in rest if isinstance(r, Phrase)))

    def group(self, *parts: Any) -> Phrase:
        (phrase,) = (p for p in parts if isinstance(p, Phrase))
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)


def _is_argument(phrase: Phrase) -> bool:
    return phrase.what == "use" or (phrase.what == "below" and phrase.operands[0].what == "use")


def _is_bracket(part: Any) -> bool:
    return isinstance(part, Token) and part.type in ("LPAR", "RPAR")


def call(name: str, place: Token, *operands: Phrase) -> Phrase:
    """A call of a function that is written in another way."""
    return Phrase("call", Token("NAME", name, place.start_pos), operands)


def first_token(phrase: Phrase) -> Token:
    """The token with which a phrase begins, but for brackets."""
    while phrase.operands and phrase.what not in ("call", "negate", "sum", "extreme"):
        phrase = phrase.operands[0]
    return phrase.token


def shown(phrase: Phrase, depth: int = 2) -> str:
    """A short text for a phrase; what is long is left out."""
    inner = [shown(o, depth - 1) for o in phrase.operands] if depth else []
    match phrase.what:
        case "use" | "number" | "pi":
            return str(phrase.token)
        case "TRANSPOSE" | "indexed" if depth:
            return f"{inner[0]}{phrase.token}"
        case "call" if depth:
            return f"{phrase.token}({', '.join(inner)})"
        case "POWER" | "DOT_POWER" if depth:
            return f"{inner[0]}{phrase.token}{inner[1]}"
        case _:
            return "(…)"


def unclear(token: Token, left: Phrase, right: Phrase, sign: str) -> Misread:
    """The error of a product without a sign beside another operator."""
    a, b = map(shown, left.operands)
    c, op = shown(right), str(left.token)
    reason = f"{a}{op}{b} {c} is ({a}{op}{b}){sign}{c} or {a}{op}({b}{sign}{c}); write brackets"
    return Misread(reason, token)


def as_lines(text: str) -> str:
    r"""The text, as long, with a semicolon for each line break that ends the definition of a part.

    >>> as_lines("t = A*x\nt'*t"), as_lines("x'*\nx")
    ("t = A*x;t'*t", "x'*\nx")
    """
    if "\n" not in text or "=" not in text:
        return text
    lines = text.split("\n")
    for k, line in enumerate(lines[:-1]):
        opened = sum(line.count(c) for c in "([{") - sum(line.count(c) for c in ")]}")
        following = next((rest.strip() for rest in lines[k + 1 :] if rest.strip()), "")
        ends = _DEFINES.match(line) and not opened and not _CONTINUES.match(following)
        lines[k] = line + (";" if ends and following and not line.rstrip().endswith(";") else "\n")
    return "".join(lines)


_DEFINES: Final = re.compile(r"\s*[^\W\d][^=<>!]*=(?!=)")
_CONTINUES: Final = re.compile(r"[-+*/.^'·]")


# What is wrong -----------------------------------------------------------------------------


class Expected(NamedTuple):
    """What a notation says of texts that its grammar has not: the signs that it has itself."""

    operand: Sequence[str]
    operator: Sequence[str]
    # The types of tokens with which an operand ends.
    ends: Collection[str]
    sign_missing: str = "; a product is written with '*'"
    functions: Collection[str] = ()
    # Whether the indices of sums are in their tokens.
    sums: bool = False


def unexpected(notation: Expected) -> Callable[[str, Sequence[Token], Token], ParseError]:
    """What to say of a token that cannot stand after those before it."""

    def said(text: str, before: Sequence[Token], token: Token) -> ParseError:
        ended = token.type == "$END"
        offset = len(text.rstrip()) if ended else offset_of(token)
        shown = "the end" if ended else repr(text[offset : offset + max(1, len(token))])
        last = before[-1] if before else None
        opened = _opened(before, notation.ends)
        if last is None and ended:
            return ParseError("the expression is empty", text, 0, notation.operand)
        if token.type == "EQUAL":
            return ParseError("one equals sign stands in a line", text, offset, ("';'",))
        if token.type == "COMPARE":
            return ParseError(COMPARED, text, offset)
        after_operand = last is not None and last.type in notation.ends
        if token.type == "RANGLE":
            return ParseError("an inner product has two parts", text, offset, ("','",))
        if last is not None and last.type in ("SUM", "EXTREME"):
            if notation.sums:
                return ParseError("the body of the sum is missing", text, offset, notation.operand)
            reason = f"after {str(last)!r} come the indices that it goes over, as in {last}_i"
            return ParseError(reason, text, offset_of(last), ("'_'",))
        is_function = last is not None and (
            last.type == "FUNCTION" or (last.type == "NAME" and str(last) in notation.functions)
        )
        if last is not None and is_function and not (ended and last.type == "NAME"):
            if last.type == "FUNCTION" and "'^'" not in notation.operator:
                reason = f"the argument of {last} is missing"
                return ParseError(reason, text, offset, ("'('", "an operand"))
            reason = f"the argument of {last} stands in brackets"
            return ParseError(reason, text, offset, ("'('",))
        if after_operand:
            if token.type in _CLOSING and not opened:
                sign = "bracket" if token.type == "RPAR" else "bar"
                return ParseError(f"this {sign} closes nothing", text, offset)
            if ended and opened:
                sign = "bracket" if opened[-1].type == "LPAR" else "bar"
                return ParseError(f"this {sign} is never closed", text, offset_of(opened[-1]))
            if token.type == "COMMA":
                return ParseError("a comma separates the arguments of a function", text, offset)
            missing = f"an operator is missing before {shown}"
            if re.match(r"[\w(]", text[offset : offset + 1]):
                missing += notation.sign_missing
            return ParseError(missing, text, offset, notation.operator)
        if token.type in ("RBRACE", "RPAR", "RBAR", "RNORM", "RANGLE") and not notation.functions:
            shown = f"the end of this {'brace' if token.type == 'RBRACE' else 'bracket'}"
        where = f", after {str(last)!r} at {place_words(text, offset_of(last))}" if last else ""
        return ParseError(
            f"an operand is missing before {shown}{where}", text, offset, notation.operand
        )

    return said


COMPARED: Final = (
    "a comparison is no expression; a choice is written where(x > y, a, b), or a if x > y else b"
)


def _opened(before: Sequence[Token], ends: Collection[str]) -> list[Token]:
    """The brackets and bars that are not closed; a bar after an operand closes."""
    opened: list[Token] = []
    ended = False
    for t in before:
        closes = opened and opened[-1].type in _CLOSING.get(t.type, ())
        if closes and (ended or t.type == "RPAR"):
            opened.pop()
            ended = True
        elif t.type in ("LPAR", "BAR", "LOG_BAR", "NORM"):
            opened.append(t)
            ended = False
        else:
            ended = t.type in ends
    return opened
