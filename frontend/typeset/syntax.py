"""From the tokens of LaTeX to phrases, or to what is wrong with them."""

from collections.abc import Collection
from functools import reduce
from pathlib import Path
from typing import Any, Final, cast

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.places import indices_below, indices_over
from eggrad.frontend.formulas.syntax import (
    COMPARED,
    PRODUCTS,
    Builder,
    Expected,
    Line,
    call,
    first_token,
    inline,
    unexpected,
)  # fmt: skip
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated
from eggrad.frontend.typeset.tokens import plain_words, tokens

_OPPOSITE: Final = {">": "<=", "<=": ">", "<": ">=", ">=": "<", "==": "!=", "!=": "=="}


def read(
    text: str,
    names: Collection[str],
    functions: Collection[str],
    scalars: Collection[str],
    guessing: bool = False,
) -> list[Line]:
    r"""The lines, the last of which is the expression; `ParseError` where the grammar has none.

    >>> read(r"\frac12 x^\top A x", ["A", "x"], [], [])[0].body.what
    'TIMES'
    """
    cut = tokens(text, names, functions, scalars, guessing)
    return cast("list[Line]", _GRAMMAR.read_tokens(text, cut))


@inline
class _Builder(Builder):
    nested = "powers of powers need braces, as in {a^b}^c or a^{b^c}"

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type == "DIVIDE" and right.what == "TIMES" and not right.sealed:
            raise _unclear(token, left, right, "/")
        if token.type == "DOT" and str(token) == "*":
            return Phrase("TIMES", token, (left, right), sealed=True)
        return super().binary(left, token, right)

    def entrywise(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type == "COLON":
            return call("⟨⟩", token, left, right)
        if token.type == "OTIMES":
            for side in (left, right):
                if side.what == "TIMES" and not side.sealed:
                    reason = (
                        r"\otimes beside a product without a sign is of the whole product, or of "
                        "its nearest factor; write brackets"
                    )
                    raise Misread(reason, token)
            return call("⊗", token, left, right)
        return super().binary(left, token, right)

    def beside(self, left: Phrase, right: Phrase) -> Phrase:
        first = first_token(right)
        if left.what == "DIVIDE" and not left.sealed:
            over, under = map(_shown, left.operands)
            c = _shown(right)
            raise Misread(
                rf"{over}/{under} {c} is ({over}/{under}) {c} or {over}/({under} {c}); write "
                r"\frac{}{} or brackets",
                first,
            )
        if right.what == "number" and not right.sealed:
            raise Misread(rf"a sign is missing before {str(first)!r}; a product is \cdot", first)
        open_call = _open_call(left)
        if open_call is not None and right.what == "pi" and open_call.operands[0].what == "number":
            # The logarithm of 2 pi is that of the product.
            product = Phrase("TIMES", first, (open_call.operands[0], right))
            return _replaced(left, Phrase("call", open_call.token, (product,)))
        if open_call is not None and not _is_call(right):
            function = open_call.token
            below = "".join(open_call.sizes or ())
            name = f"{function.strip('|')}_{below}".rstrip("_")
            argument = _shown(open_call.operands[0])
            c = _shown(right)
            raise Misread(
                rf"\{name} {argument} {c} is \{name}({argument}) {c} or \{name}({argument} {c}); "
                "write brackets",
                first,
            )
        return Phrase("TIMES", first, (left, right))

    def cases(self, token: Token, *rows: Any) -> Phrase:
        """The value of the first condition that holds; the last one needs none."""
        found = [r for r in rows if isinstance(r, tuple)]
        *before, (last, condition) = found
        if condition is not None:
            previous = before[-1][1] if len(before) == 1 else None
            opposite = previous is not None and _OPPOSITE.get(previous.what) == condition.what
            if not opposite or _texts(previous) != _texts(condition):
                raise Misread(r"the last case is \text{otherwise}", condition.token)
        if any(c is None for _, c in before):
            raise Misread("the cases before the last one have conditions", token)
        return reduce(
            lambda other, row: call("where", token, row[1], row[0], other), before[::-1], last
        )

    def row(self, value: Phrase, *rest: Any) -> tuple[Phrase, Phrase | None]:
        condition = next((r for r in rest if isinstance(r, Phrase)), None)
        if condition is not None and condition.what not in _OPPOSITE:
            raise Misread("a condition is a comparison, as in x > 0", condition.token)
        return value, condition

    def big_sum(self, sign: Token, *body: Any) -> Phrase:
        summand = negated(body[0], body[1], PRODUCTS) if len(body) == 2 else body[0]
        return Phrase(
            "sum", Token.new_borrow_pos("SUM", "sum", sign), (summand,), indices_over(sign)
        )

    def applied(self, name: Token, argument: Phrase) -> Phrase:
        """A function of what follows; what stands above or below the brackets is of the value."""
        marks: list[Phrase] = []
        while argument.what in _MARKS and not argument.sealed:
            marks.append(argument)
            argument = argument.operands[0]
        if argument.what not in ("group", "list") and marks:
            argument, marks = marks[0], []
        # The marks of other functions stay with them.
        operands = argument.operands if argument.what in ("list", "group") else (argument,)
        found = _function(name, operands, argument.what in ("list", "group"))
        for mark in reversed(marks):
            found = Phrase(mark.what, mark.token, (found, *mark.operands[1:]), mark.sizes)
        return found

    def applied_power(
        self, name: Token, sign: Token, _l: Token, power: Phrase, _r: Token, argument: Phrase
    ) -> Phrase:
        if power.what == "number" and power.token.startswith("-"):
            reason = rf"\{name}^{{{power.token}}} is the inverse function, or one over it"
            raise Misread(reason, sign)
        return Phrase("POWER", sign, (self.applied(name, argument), power))

    def applied_below(self, name: Token, below: Token, argument: Phrase) -> Phrase:
        if str(name) in ("max", "min"):
            body = argument.operands[0] if argument.what == "group" else argument
            over = indices_below(below)
            token = Token.new_borrow_pos("NAME", str(name), below)
            return Phrase("extreme", token, (body,), over, sealed=argument.what == "group")
        base = below.strip("{} ")
        if base in ("\\odot", "\\circ", "⊙") and f"{name}⊙" in OF_ENTRIES:
            return self.applied(Token.new_borrow_pos("FUNCTION", f"{name}⊙", name), argument)
        if str(name) != "log" or not base.isdecimal() or int(base[:9]) < 2:
            raise Misread(f"{name} has nothing below", below)
        number = Phrase("number", Token("NUMBER", base, below.start_pos))
        over = (self.applied(name, argument), call("log", below, number))
        return Phrase("DIVIDE", name, over, sealed=True)

    def below(self, operand: Phrase, token: Token) -> Phrase:
        if operand.what in ("POWER", "TRANSPOSE") and not operand.sealed:
            # What stands below is nearer than what stands above, in whatever order they come.
            base, *rest = operand.operands
            return Phrase(operand.what, operand.token, (self.below(base, token), *rest))
        if operand.what == "call" and operand.token == "⟨⟩" and plain_words(token) == "F":
            return operand
        if operand.what == "norm":
            which = Token.new_borrow_pos("NAME", plain_words(token).replace("\\", ""), token)
            return Phrase("norm", token, operand.operands, (which,))
        if (
            operand.what == "call"
            and operand.token in ("ones", "zeros", "eye")
            and not operand.sealed
        ):
            return call(str(operand.token), operand.token, *_sizes(operand.token, token))
        return Phrase("below", token, (operand,), indices_below(token))

    def inverse_transposed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("TRANSPOSE", token, (call("inv", token, operand),))

    def transposed(self, operand: Phrase, token: Token) -> Phrase:
        if operand.what == "number":
            raise Misread(r"a number has no transpose; a vector of ones is \mathbf{1}", token)
        return super().transposed(operand, token)

    def power(self, base: Phrase, sign: Token, _l: Token, exponent: Phrase, _r: Token) -> Phrase:
        if base.what == "use" and base.token.type == "EULER":
            return Phrase("natural power", sign, (exponent,))
        return super().power(base, sign, exponent)

    def pi(self, token: Token) -> Phrase:
        return Phrase("pi", token)

    def constant(self, token: Token) -> Phrase:
        return call(str(token), token)

    def group(self, left: Token, *parts: Any) -> Phrase:
        phrases = tuple(p for p in parts if isinstance(p, Phrase))
        return Phrase("group" if len(phrases) == 1 else "list", left, phrases)

    def condition(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        """1 where a comparison in square brackets holds, else 0."""
        if left == "(":
            raise Misread(COMPARED, phrase.token)
        return phrase

    def braces(self, *parts: Any) -> Phrase:
        return super().group(*parts)

    def bars(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return call("|", left, phrase)

    def norm(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return Phrase("norm", left, (phrase,))

    def inner(self, left: Token, a: Phrase, _comma: Token, b: Phrase, _right: Token) -> Phrase:
        return call("⟨⟩", left, a, b)

    def fraction(self, sign: Token, *parts: Any) -> Phrase:
        over, under = (p for p in parts if isinstance(p, Phrase))
        return Phrase("DIVIDE", sign, (over, under), sealed=True)

    def over(
        self, _left: Token, above: Phrase, sign: Token, under: Phrase, _right: Token
    ) -> Phrase:
        return Phrase("DIVIDE", sign, (above, under), sealed=True)

    def root(self, sign: Token, _left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return call("sqrt", sign, phrase)


_MARKS: Final = ("POWER", "TRANSPOSE", "DOT_POWER", "below")


def _function(name: Token, operands: tuple[Phrase, ...], bracketed: bool) -> Phrase:
    """A call; `sealed` where its argument stands in brackets: nothing else belongs to it."""
    (first, *rest) = operands
    function = str(name)
    inner = str(first.token) if first.what == "call" and not rest else ""
    if function in ("log", "ln") and inner in ("det", "|"):
        # Of a matrix it is the logarithm of the determinant.
        logs = {"det": "logdet", "|": "log|"}
        closed = bracketed or (inner == "det" and first.sealed)
        return Phrase(
            "call", Token("NAME", logs[inner], name.start_pos), first.operands, sealed=closed
        )
    if function in ("log", "ln") and inner == "gamma":
        token = Token("NAME", "gammaln", name.start_pos)
        return Phrase("call", token, first.operands, sealed=bracketed or first.sealed)
    closed = bracketed or (first.what == "call" and first.sealed)
    return Phrase("call", Token("NAME", function, name.start_pos), operands, sealed=closed)


def _sizes(name: Token, below: Token) -> list[Phrase]:
    r"""The sizes below a constant, as in `I_n` or `\mathbf{1}_{m \times n}`."""
    text = below.strip("{} ").replace("\\times", ",").replace("×", ",")
    texts = [p.strip() for p in text.split(",")]
    found: list[Phrase] = []
    for part in dict.fromkeys(texts) if name == "eye" else texts:
        if not part.isidentifier() and not part.isdecimal():
            raise Misread(rf"{part!r} is no size, such as n or m \times n", below)
        kind, what = ("NUMBER", "number") if part.isdecimal() else ("NAME", "use")
        found.append(Phrase(what, Token(kind, part, below.start_pos)))
    return found


def _texts(condition: Phrase) -> list[str]:
    """The words of both sides of a condition, to tell whether two conditions have the same."""
    found: list[str] = []
    stack = [*condition.operands]
    while stack:
        phrase = stack.pop()
        found += [phrase.what, str(phrase.token)]
        stack.extend(phrase.operands)
    return found


def _is_call(phrase: Phrase) -> bool:
    first = phrase
    while first.what in ("POWER", "TRANSPOSE", "TIMES") and first.operands:
        first = first.operands[0]
    return first.what in ("call", "sum", "extreme")


# Calls that are written with signs on both sides, or without arguments.
_CLOSED: Final = ("sqrt", "|", "⟨⟩", "⊗", "ones", "zeros", "eye", "where")
# Functions whose argument may stand without brackets.
_OPEN: Final = ("call", "extreme")


def _open_call(phrase: Phrase) -> Phrase | None:
    """The last factor where it is a function whose argument has no brackets."""
    while phrase.what in ("TIMES", "DOT", "negate") and not phrase.sealed:
        phrase = phrase.operands[-1]
    is_open = phrase.what in _OPEN and not phrase.sealed and phrase.token not in _CLOSED
    return phrase if is_open else None


def _replaced(left: Phrase, last: Phrase) -> Phrase:
    """A product or a negative with another last factor."""
    if left.what not in ("TIMES", "DOT", "negate"):
        return last
    return Phrase(left.what, left.token, (*left.operands[:-1], _replaced(left.operands[-1], last)))


def _unclear(token: Token, left: Phrase, right: Phrase, sign: str) -> Misread:
    a, b = _shown(left), _shown(right)
    return Misread(f"{a}{sign}{b} has two readings; write brackets", token)


def _shown(phrase: Phrase) -> str:
    """A short text for a phrase; what is long is left out."""
    if phrase.what in ("use", "number", "pi"):
        return str(phrase.token)
    if phrase.what in ("TRANSPOSE", "POWER") and phrase.operands[0].what in ("use", "number"):
        above = r"\top" if phrase.what == "TRANSPOSE" else _shown(phrase.operands[1])
        return f"{_shown(phrase.operands[0])}^{above}"
    return f"{phrase.token}(…)" if phrase.what == "call" else "(…)"


_GRAMMAR: Final = Grammar(
    Path(__file__).parent / "typeset.lark",
    _Builder,
    lambda text, offset: ParseError("this has no meaning here", text, offset),
    unexpected(
        Expected(
            operand=("a number", "a name", "'('"),
            operator=(r"'\cdot'",),
            ends=("NUMBER", "NAME", "RPAR", "RBRACE", "SUB", "TRANSPOSE", "RBAR", "RNORM"),
            sign_missing=r"; a product is \cdot",
            sums=True,
        )
    ),
)
