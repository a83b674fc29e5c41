"""From the tokens of LaTeX to phrases of matrix notation, or to what is wrong with them."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.products import NATURAL_POWER, PI, first_token
from eggrad.frontend.matrix.syntax import Definition
from eggrad.frontend.text.errors import place_words
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated
from eggrad.frontend.text.words import offset_of
from eggrad.frontend.typeset.tokens import plain_words, tokens

_OPERAND: Final = ("a number", "a name", "'('")
_SIGNS: Final = {
    **{"PLUS": "PLUS", "MINUS": "MINUS", "ODOT": "DOT_TIMES", "OSLASH": "DOT_DIVIDE"},
    **{"DOT": "DOT", "CROSS": "CROSS", "DIVIDE": "DIVIDE", "OTIMES": "OTIMES"},
}
_PRODUCTS: Final = ("TIMES", "DOT", "CROSS", "DIVIDE", "DOT_TIMES", "DOT_DIVIDE")


def read(
    text: str, names: Collection[str], functions: Collection[str], scalars: Collection[str]
) -> tuple[tuple[Definition, ...], Phrase]:
    r"""The named parts and the expression; raises `ParseError` where the grammar has no such text.

    >>> read(r"\frac12 x^\top A x", ["A", "x"], [], [])[1].what
    'TIMES'
    """
    cut = tokens(text, names, functions, scalars)
    found = _GRAMMAR.read_tokens(text, cut)
    return cast(tuple[tuple[Definition, ...], Phrase], found)


def _unexpected_token(text: str, before: Sequence[Token], token: Token) -> ParseError:
    """What to say of a token that cannot stand after those before it."""
    ended = token.type == "$END"
    offset = len(text.rstrip()) if ended else offset_of(token)
    shown = "the end" if ended else repr(text[offset : offset + max(1, len(token))])
    last = before[-1] if before else None
    if token.type in ("RBRACE", "RPAR", "RBAR", "RNORM", "RANGLE"):
        shown = f"the end of this {'brace' if token.type == 'RBRACE' else 'bracket'}"
    if last is None and ended:
        return ParseError("the expression is empty", text, 0, _OPERAND)
    if last is not None and last.type == "FUNCTION":
        reason = f"the argument of {last} is missing"
        return ParseError(reason, text, offset, ("'('", "an operand"))
    if last is not None and last.type == "SUM":
        return ParseError("the body of the sum is missing", text, offset, _OPERAND)
    if token.type == "COMMA":
        return ParseError("a comma separates the arguments of a function", text, offset)
    if token.type == "EQUAL":
        return ParseError("an equation is no expression", text, offset)
    if token.type == "SEMICOLON":
        return ParseError(
            "a row before the last one gives a name to a part", text, offset, ("'='",)
        )
    if token.type == "NUMBER" and last is not None:
        return ParseError(f"a sign is missing before {shown}", text, offset, (r"'\cdot'",))
    where = f", after {str(last)!r} at {place_words(text, offset_of(last))}" if last else ""
    return ParseError(f"an operand is missing before {shown}{where}", text, offset, _OPERAND)


def _call(name: str, place: Token, *operands: Phrase) -> Phrase:
    """A call of a function of matrix notation, written in another way."""
    return Phrase("call", Token("NAME", name, place.start_pos), operands)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs.

    What matrix notation has is called as it is there; `sizes` has the index below a phrase.
    """

    def start(self, *parts: Any) -> tuple[tuple[Definition, ...], Phrase]:
        statements = [p for p in parts if not isinstance(p, Token)]
        return tuple(statements[:-1]), statements[-1]

    def definition(self, name: Token, _sign: Token, phrase: Phrase) -> Definition:
        return name, phrase

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type == "DIVIDE" and _is_beside(right):
            raise _unclear(token, left, right, "/")
        return Phrase(_SIGNS[token.type], token, (left, right))

    def entrywise(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type == "OTIMES":
            for side in (left, right):
                if side.what == "TIMES" and not side.sealed:
                    reason = (
                        r"\otimes beside a product without a sign is of the whole product, or of "
                        "its nearest factor; write brackets"
                    )
                    raise Misread(reason, token)
        return Phrase(_SIGNS[token.type], token, (left, right))

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
        if open_call is not None and not _is_call(right):
            function = open_call.token
            name = f"{function.type}_{function}" if open_call.what == "extreme" else str(function)
            argument = _shown(open_call.operands[0])
            c = _shown(right)
            raise Misread(
                rf"\{name} {argument} {c} is \{name}({argument}) {c} or \{name}({argument} {c}); "
                "write brackets",
                first,
            )
        return Phrase("TIMES", first, (left, right))

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand, _PRODUCTS)

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def big_sum(self, sign: Token, *body: Any) -> Phrase:
        summand = negated(body[0], body[1], _PRODUCTS) if len(body) == 2 else body[0]
        return Phrase("sum", sign, (summand,))

    def applied(self, name: Token, argument: Phrase) -> Phrase:
        """A function of what follows; what stands above the brackets is of the value."""
        marks: list[Phrase] = []
        while argument.what in ("POWER", "TRANSPOSE", "DOT_POWER") and not argument.sealed:
            marks.append(argument)
            argument = argument.operands[0]
        if argument.what not in ("group", "list") and marks:
            argument, marks = marks[0], []
        # The marks of other functions stay with them.
        operands = argument.operands if argument.what in ("list", "group") else (argument,)
        found = _function(name, operands, argument.what in ("list", "group"))
        for mark in reversed(marks):
            found = Phrase(mark.what, mark.token, (found, *mark.operands[1:]))
        return found

    def applied_power(
        self, name: Token, sign: Token, _l: Token, power: Phrase, _r: Token, argument: Phrase
    ) -> Phrase:
        if power.what == "number" and power.token.startswith("-"):
            reason = rf"\{name}^{{{power.token}}} is the inverse function, or one over it"
            raise Misread(reason, sign)
        inner = self.applied(name, argument)
        return Phrase("POWER", sign, (inner, power))

    def applied_below(self, name: Token, below: Token, argument: Phrase) -> Phrase:
        if str(name) in ("max", "min"):
            body = argument.operands[0] if argument.what == "group" else argument
            token = Token(str(name), str(below), below.start_pos)
            return Phrase("extreme", token, (body,), sealed=argument.what == "group")
        base = below.strip("{} ")
        if str(name) != "log" or not base.isdecimal() or int(base[:9]) < 2:
            raise Misread(f"{name} has nothing below", below)
        number = Phrase("number", Token("NUMBER", base, below.start_pos))
        return Phrase(
            "DIVIDE", name, (self.applied(name, argument), _call("log", below, number)), sealed=True
        )

    def below(self, operand: Phrase, token: Token) -> Phrase:
        if operand.what in ("POWER", "TRANSPOSE") and not operand.sealed:
            # What stands below is nearer than what stands above, in whatever order they come.
            base, *rest = operand.operands
            return Phrase(operand.what, operand.token, (self.below(base, token), *rest))
        if operand.what == "inner" and plain_words(token) == "F":
            return operand
        return Phrase("below", token, (operand,))

    def transposed(self, operand: Phrase, token: Token) -> Phrase:
        if operand.what == "number":
            raise Misread(r"a number has no transpose; a vector of ones is \mathbf{1}", token)
        return Phrase("TRANSPOSE", token, (operand,))

    def inverse_transposed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("TRANSPOSE", token, (_call("inv", token, operand),))

    def power(self, base: Phrase, sign: Token, _l: Token, exponent: Phrase, _r: Token) -> Phrase:
        if base.what in ("POWER", "DOT_POWER", NATURAL_POWER) and not base.sealed:
            raise Misread("powers of powers need braces, as in {a^b}^c or a^{b^c}", sign)
        if base.what == "use" and base.token.type == "EULER":
            return Phrase(NATURAL_POWER, sign, (exponent,))
        kind = "DOT_POWER" if sign.type == "DOT_POWER" else "POWER"
        return Phrase(kind, sign, (base, exponent))

    def number(self, token: Token) -> Phrase:
        return Phrase("number", token)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token)

    def pi(self, token: Token) -> Phrase:
        return Phrase(PI, token)

    def constant(self, token: Token) -> Phrase:
        return Phrase("constant", token)

    def group(self, left: Token, *parts: Any) -> Phrase:
        phrases = tuple(p for p in parts if isinstance(p, Phrase))
        return Phrase("group" if len(phrases) == 1 else "list", left, phrases)

    def braces(self, _left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)

    def bars(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return Phrase("bars", left, (phrase,))

    def norm(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return Phrase("norm", left, (phrase,))

    def inner(self, left: Token, a: Phrase, _comma: Token, b: Phrase, _right: Token) -> Phrase:
        return Phrase("inner", left, (a, b))

    def fraction(self, sign: Token, *parts: Any) -> Phrase:
        over, under = (p for p in parts if isinstance(p, Phrase))
        return Phrase("DIVIDE", sign, (over, under), sealed=True)

    def root(self, sign: Token, _left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return _call("sqrt", sign, phrase)


def _function(name: Token, operands: tuple[Phrase, ...], bracketed: bool) -> Phrase:
    """A call; `sealed` where its argument stands in brackets: nothing else belongs to it."""
    (first, *rest) = operands
    function = str(name)
    if function == "log" and not rest and first.what == "call" and first.token == "det":
        token = Token("NAME", "logdet", name.start_pos)
        return Phrase("call", token, first.operands, sealed=bracketed or first.sealed)
    if function == "log" and not rest and first.what == "bars":
        # Of a matrix it is the logarithm of the determinant.
        return Phrase("log bars", name, first.operands, sealed=bracketed)
    token = Token("NAME", function, name.start_pos)
    closed = bracketed or (first.what == "call" and first.sealed)
    return Phrase("call", token, operands, sealed=closed)


def _is_call(phrase: Phrase) -> bool:
    first = phrase
    while first.what in ("POWER", "TRANSPOSE", "TIMES") and first.operands:
        first = first.operands[0]
    return first.what in ("call", "sum", "log bars", "extreme")


# Functions whose argument may stand without brackets.
_OPEN: Final = ("call", "log bars", "extreme")


def _open_call(phrase: Phrase) -> Phrase | None:
    """The last factor where it is a function whose argument has no brackets."""
    while phrase.what in ("TIMES", "DOT", "negate") and not phrase.sealed:
        phrase = phrase.operands[-1]
    is_open = phrase.what in _OPEN and not phrase.sealed and phrase.token != "sqrt"
    return phrase if is_open else None


def _is_beside(phrase: Phrase) -> bool:
    return phrase.what == "TIMES" and not phrase.sealed


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
    _unexpected_token,
)
