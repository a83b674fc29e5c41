# ruff: noqa: D102 - methods of builders are called as the rules of the grammar
"""From the tokens of a formula to its lines of phrases, or to what is wrong with them."""

import re
from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from lark import Token, Transformer, v_args

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.places import indices_below, indices_over
from eggrad.frontend.text.errors import place_words
from eggrad.frontend.text.phrases import Grammar, Misread, Phrase, negated
from eggrad.frontend.text.words import offset_of

_PRODUCTS: Final = ("TIMES", "DOT", "CROSS", "DIVIDE", "DOT_TIMES", "DOT_DIVIDE")
_POWERS: Final = ("POWER", "DOT_POWER", "natural power")
# Signs that are called otherwise: those between operands that are calls, and those that are set.
_CALLED: Final = {"OTIMES": "⊗", "COLON": "⟨⟩", "SOLVE": "\\"}
_SET: Final = {"ODOT": "DOT_TIMES", "OSLASH": "DOT_DIVIDE"}
_RELATIONS: Final = {
    **{"≤": "<=", "≥": ">=", "≠": "!=", "~=": "!=", "=": "==", r"\le": "<=", r"\leq": "<="},
    **{r"\ge": ">=", r"\geq": ">=", r"\ne": "!=", r"\neq": "!=", r"\lt": "<", r"\gt": ">"},
    **{r"\leqslant": "<=", r"\geqslant": ">="},
}
_OPPOSITE: Final = {">": "<=", "<=": ">", "<": ">=", ">=": "<", "==": "!=", "!=": "=="}
_MARKS: Final = ("POWER", "TRANSPOSE", "DOT_POWER", "below", "indexed")
# Calls that are written with signs on both sides, or without arguments.
_CLOSED: Final = ("sqrt", "|", "⟨⟩", "⊗", "ones", "zeros", "eye", "where")
# What begins with its own token.
_WHOLE: Final = (*("call", "negate", "sum", "extreme", "group", "list", "norm", "natural power"),)
# The logarithm of one function is another one.
_LOGARITHMS: Final = {"det": "logdet", "|": "log|", "gamma": "gammaln"}
# Norms by the words of MATLAB.
_NORMS: Final = {"fro": "F", "Inf": "infty", "inf": "infty"}
EQUATION: Final = "an equation is no expression; write one side of it"
COMPARED: Final = (
    "a comparison is no expression; a choice is written where(x > y, a, b), or a if x > y else b"
)


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

    @property
    def below(self) -> tuple[Token, ...] | None:
        """The indices of the name on the left, None where it has none."""
        return self.head.sizes if self.head is not None and self.head.what == "below" else None


class Spelling(NamedTuple):
    """How a notation spells what messages speak of."""

    operand: tuple[str, ...]
    operator: tuple[str, ...]
    sign_missing: str
    times: str = "*"
    macro: str = ""
    brackets: str = "write brackets"
    nested: str = "powers of powers need brackets, as in (a^b)^c or a^(b^c)"
    # What follows a function, and a sign of a sum.
    after_function: str = "the argument of {} stands in brackets"


def call(name: str, place: Token, *operands: Phrase, sealed: bool = False) -> Phrase:
    """A call of a function, at a place."""
    return Phrase("call", Token("NAME", name, place.start_pos), operands, sealed=sealed)


class Builder(Transformer[Token, Any]):
    """Makes phrases while the parser runs; an operator's phrase is called as its token."""

    def __init__(self, spelling: Spelling) -> None:
        """`spelling` is that of the notation."""
        super().__init__()
        self._spelling = spelling

    def start(self, *parts: Any) -> list[Line]:
        return [p for p in parts if isinstance(p, Line)]

    def line(self, *parts: Any) -> Line:
        if len(parts) == 1:
            return Line(None, parts[0])
        head, sign, body = parts
        if head.what == "upper" and head.sizes:
            head = Phrase("below", head.token, head.operands, head.sizes)
        named = head.operands[0] if head.what == "below" else head
        arguments = head.operands if head.what == "call" else ()
        if named.what != "use" and not (arguments and all(map(_is_name, arguments))):
            raise Misread(EQUATION, sign)
        return Line(head, body)

    def binary(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        if token.type in _CALLED:
            if token.type == "OTIMES" and any(p.what == "TIMES" for p in (left, right)):
                raise Misread(
                    f"{token} beside a product is of the whole product, or of its nearest factor; "
                    "write brackets",
                    token,
                )
            return call(_CALLED[token.type], token, left, right)
        if token.type == "DIVIDE" and right.what == "TIMES":
            a, b = map(self._shown, (left, right))
            raise Misread(f"{a}/{b} has two readings; {self._spelling.brackets}", token)
        return Phrase(_SET.get(token.type, token.type), token, (left, right))

    def beside(self, left: Phrase, right: Phrase) -> Phrase:
        first = first_token(right)
        spelling = self._spelling
        if entry := _entry(left, right) or _indicated(left, right):
            return entry
        divided = left.what in ("DIVIDE", "DOT_DIVIDE", "DOT_TIMES") and not left.sealed
        if divided and not _is_fraction_before(left, first):
            raise self._unclear(left, right, first)
        fraction = right.what == "DIVIDE" and right.sealed
        if spelling.sign_missing and first.type == "NUMBER" and not fraction:
            missing = f"an operator is missing before {str(first)!r}"
            if spelling.macro:
                missing = f"a sign is missing before {str(first)!r}{spelling.sign_missing}"
            raise Misread(missing, first)
        # TeX sets e^xy as another product than it looks like.
        glued = left.what == "natural power" or (left.what in _POWERS and not spelling.macro)
        if glued and left.operands[-1].what == "use":
            above = left.operands[-1].token
            if above != "T" and offset_of(above) + len(above) == offset_of(first):
                raise self._unclear(left, right, left.token)
        for word in (_last_token(left), first):
            if word.type == "WORD" and (left if word is first else right).what != "number":
                raise Misread(f"no function or variable is called {str(word)!r}", word)
        open_call = _open_call(left)
        if open_call is not None and _is_multiple(open_call, right):
            # The logarithm of 2 pi, or the sine of 2 x.
            product = Phrase("TIMES", first, (open_call.operands[0], right))
            return _replaced(left, Phrase("call", open_call.token, (product,)))
        if open_call is not None and not _is_call(right):
            below = "".join(open_call.sizes or ())
            name = f"{spelling.macro}{open_call.token.strip('|')}_{below}".rstrip("_")
            a, c = self._shown(open_call.operands[0]), self._shown(right)
            raise Misread(
                f"{name} {a} {c} is {name}({a}) {c} or {name}({a} {c}); write brackets", first
            )
        return Phrase("TIMES", first, (left, right))

    def _unclear(self, left: Phrase, right: Phrase, token: Token) -> Misread:
        """The error of a product without a sign beside another operator."""
        *base, b = map(self._shown, left.operands)
        a, c, sign = base[0] if base else "e", self._shown(right), self._spelling.times
        op = str(left.token)
        reason = f"{a}{op}{b} {c} is ({a}{op}{b}){sign}{c} or {a}{op}({b}{sign}{c})"
        return Misread(f"{reason}; {self._spelling.brackets}", token)

    def _shown(self, phrase: Phrase, depth: int = 2) -> str:
        """A short text for a phrase; what is long is left out."""
        inner = [self._shown(o, depth - 1) for o in phrase.operands] if depth else []
        match phrase.what:
            case "use" | "number" | "pi":
                return str(phrase.token)
            case "below" if depth and inner[0][0] != "(":
                return f"{inner[0]}_{''.join(phrase.sizes or ())}"
            case "TRANSPOSE" | "indexed" if depth:
                above = r"^\top" if self._spelling.macro else phrase.token
                return f"{inner[0]}{above}"
            case "call" if depth:
                inside = "…" if self._spelling.macro else ", ".join(inner)
                return f"{phrase.token}({inside})"
            case "POWER" | "DOT_POWER" if depth:
                return f"{inner[0]}{'^' if self._spelling.macro else phrase.token}{inner[1]}"
            case _:
                return "(…)"

    def compared(self, left: Phrase, token: Token, right: Phrase) -> Phrase:
        return Phrase(_RELATIONS.get(str(token), str(token)), token, (left, right))

    def chosen(self, value: Phrase, token: Token, condition: Phrase, *rest: Any) -> Phrase:
        """`a if x > 0 else b`."""
        return call("where", token, condition, value, rest[-1])

    def comparison(self, phrase: Phrase) -> Phrase:
        return phrase

    def cases(self, token: Token, *rows: Any) -> Phrase:
        """The value of the first condition that holds; the last one needs none."""
        *before, (last, condition) = (r for r in rows if isinstance(r, tuple))
        if condition is not None:
            previous = before[-1][1] if len(before) == 1 else None
            opposite = previous is not None and _OPPOSITE.get(previous.what) == condition.what
            if previous is None or not opposite or _texts(previous) != _texts(condition):
                raise Misread(r"the last case is \text{otherwise}", condition.token)
        if any(c is None for _, c in before):
            raise Misread("the cases before the last one have conditions", token)
        return reduce(lambda no, row: call("where", token, row[1], row[0], no), before[::-1], last)

    def row(self, value: Phrase, *rest: Any) -> tuple[Phrase, Phrase | None]:
        condition = next((r for r in rest if isinstance(r, Phrase)), None)
        if condition is not None and condition.what not in _OPPOSITE:
            raise Misread("a condition is a comparison, as in x > 0", condition.token)
        return value, condition

    def minus(self, token: Token, operand: Phrase) -> Phrase:
        return negated(token, operand, _PRODUCTS)

    def plus(self, _token: Token, operand: Phrase) -> Phrase:
        return operand

    def big_sum(self, sign: Token, *body: Any) -> Phrase:
        summand = negated(body[0], body[1], _PRODUCTS) if len(body) == 2 else body[0]
        over = indices_over(sign)
        return Phrase("sum", Token("SUM", "sum", sign.start_pos), (summand,), over)

    # Functions -------------------------------------------------------------------------------

    def applied(self, name: Token, argument: Phrase) -> Phrase:
        """A function of what follows; what stands above or below the brackets is of the value."""
        marks: list[Phrase] = []
        while argument.what in _MARKS:
            marks.append(argument)
            argument = argument.operands[0]
        bracketed = argument.what in ("group", "list")
        if not bracketed and marks:
            argument, marks = marks[0], []
        # The marks of other functions stay with them.
        found = _function(name, argument.operands if bracketed else (argument,), bracketed)
        for mark in reversed(marks):
            found = Phrase(mark.what, mark.token, (found, *mark.operands[1:]), mark.sizes)
        return found

    def applied_power(self, name: Token, sign: Token, power: Phrase, argument: Phrase) -> Phrase:
        if power.what == "number" and power.token.startswith("-"):
            function = f"{self._spelling.macro}{name}^{{{power.token}}}"
            raise Misread(f"{function} is the inverse function, or one over it", sign)
        return Phrase("POWER", sign, (self.applied(name, argument), power))

    def applied_below(self, name: Token, below: Token, argument: Phrase) -> Phrase:
        if str(name) in ("max", "min"):
            bracketed = argument.what == "group"
            body = argument.operands[0] if bracketed else argument
            token = Token("NAME", str(name), below.start_pos)
            return Phrase("extreme", token, (body,), indices_below(below), sealed=bracketed)
        base = below.strip("{} _")
        if base in (r"\odot", r"\circ"):
            return self.applied(Token("FUNCTION", f"{name}⊙", name.start_pos), argument)
        if str(name) != "log" or not base.isdecimal() or int(base[:9]) < 2:
            raise Misread(f"{name} has nothing below", below)
        number = Phrase("number", Token("NUMBER", base, below.start_pos))
        over = (self.applied(name, argument), call("log", below, number))
        return Phrase("DIVIDE", name, over, sealed=True)

    def call(self, token: Token, *_: Token) -> Phrase:
        return call(str(token), token)

    # What stands behind ----------------------------------------------------------------------

    def below(self, operand: Phrase, token: Token) -> Phrase:
        if operand.what in ("POWER", "TRANSPOSE") and not _is_inverse(operand):
            # What stands below is nearer than what stands above, in whatever order they come.
            base, *rest = operand.operands
            return Phrase(operand.what, operand.token, (self.below(base, token), *rest))
        if operand.what == "call" and operand.token == "⟨⟩" and plain_words(token) == "F":
            return operand
        if operand.what == "norm":
            which = plain_words(token).removeprefix("_")
            which = Token("NAME", _NORMS.get(which, which), token.start_pos)
            return Phrase("norm", token, operand.operands, (which,))
        if operand.what == "call" and operand.token in ("ones", "zeros", "eye"):
            return call(str(operand.token), operand.token, *_sizes(operand.token, token))
        found = indices_below(token)
        if operand.what in ("below", "upper", "delta"):
            found = (*(operand.sizes or ()), *found)
            return Phrase(operand.what, operand.token, operand.operands, found)
        return Phrase("below", token, (operand,), found)

    def upper(self, operand: Phrase, token: Token) -> Phrase:
        """An index or an exponent; which of them, the names of the variables decide."""
        if operand.what in ("POWER", "upper"):
            raise Misread(self._spelling.nested, token)
        # Signs that are no indices stay as they are written.
        found = () if token.startswith("^") else indices_below(token)
        return Phrase("upper", token, (operand,), found)

    def indexed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("indexed", token, (operand,))

    def transposed(self, operand: Phrase, token: Token) -> Phrase:
        if operand.what == "number" and self._spelling.macro:
            operand = self._ones(operand, token)
        return Phrase("TRANSPOSE", token, (operand,))

    def inverse_transposed(self, operand: Phrase, token: Token) -> Phrase:
        return Phrase("TRANSPOSE", token, (call("inv", token, operand),))

    def _ones(self, number: Phrase, sign: Token) -> Phrase:
        """What is meant by a number that is transposed: a 1 stands for ones where it is set."""
        if number.token == "1" and self._spelling.macro:
            return call("ones", number.token)
        ones = r"\mathbf{1}" if self._spelling.macro else "vector(1)"
        raise Misread(f"a number has no transpose; a vector of ones is {ones}", sign)

    def power(self, base: Phrase, token: Token, exponent: Phrase) -> Phrase:
        if base.what == "number" and base.token == "1" and exponent.token == "T":
            return Phrase("TRANSPOSE", token, (self._ones(base, token),))
        if base.what in (*_POWERS, "upper") and not base.sealed:
            raise Misread(self._spelling.nested, token)
        if base.what == "use" and base.token.type == "EULER":
            return Phrase("natural power", token, (exponent,))
        return Phrase(token.type, token, (base, exponent))

    # Atoms -----------------------------------------------------------------------------------

    def number(self, token: Token) -> Phrase:
        return Phrase("number", token)

    def use(self, token: Token) -> Phrase:
        return Phrase("use", token)

    def pi(self, token: Token) -> Phrase:
        return Phrase("pi", token)

    def delta(self, token: Token) -> Phrase:
        return Phrase("delta", token)

    def indicator(self, token: Token) -> Phrase:
        return Phrase("indicator", token)

    def group(self, left: Token, *parts: Any) -> Phrase:
        phrases = tuple(p for p in parts if isinstance(p, Phrase))
        if phrases[0].what in _OPPOSITE and left == "[":
            # 1 where a comparison in square brackets holds, else 0.
            return phrases[0]
        return Phrase("group" if len(phrases) == 1 else "list", left, phrases)

    def braces(self, *parts: Any) -> Phrase:
        (phrase,) = (p for p in parts if isinstance(p, Phrase))
        return Phrase(phrase.what, phrase.token, phrase.operands, phrase.sizes, sealed=True)

    def bars(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return call("|", left, phrase)

    def norm(self, left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return Phrase("norm", left, (phrase,))

    def inner(self, left: Token, *parts: Any) -> Phrase:
        return call("⟨⟩", left, *(p for p in parts if isinstance(p, Phrase)))

    def over(self, *parts: Any) -> Phrase:
        sign = next(t for t in parts if isinstance(t, Token) and t.type in ("FRAC", "OVER"))
        operands = tuple(p for p in parts if isinstance(p, Phrase))
        return Phrase("DIVIDE", sign, operands, sealed=True)

    def root(self, sign: Token, _left: Token, phrase: Phrase, _right: Token) -> Phrase:
        return call("sqrt", sign, phrase)


def _function(name: Token, operands: tuple[Phrase, ...], bracketed: bool) -> Phrase:
    """A call; `sealed` where its argument stands in brackets: nothing else belongs to it."""
    (first, *rest) = operands
    if str(name) == "norm" and rest and str(rest[0].token) in _NORMS:
        return Phrase("norm", name, (first,), (Token("NAME", _NORMS[str(rest[0].token)]),))
    inner = str(first.token) if first.what == "call" and not rest else ""
    sealed = bracketed or (first.what == "call" and first.sealed)
    if str(name) in ("log", "ln") and inner in _LOGARITHMS:
        return call(_LOGARITHMS[inner], name, *first.operands, sealed=sealed and inner != "|")
    return call(str(name), name, *operands, sealed=sealed)


def _sizes(name: Token, below: Token) -> list[Phrase]:
    r"""The sizes below a constant, as in `I_n` or `\mathbf{1}_{m \times n}`."""
    text = below.strip("{} _").replace(r"\times", ",").replace("×", ",")
    texts = [p.strip() for p in text.split(",")]
    found: list[Phrase] = []
    for part in dict.fromkeys(texts) if name == "eye" else texts:
        if not part.isidentifier() and not part.isdecimal():
            raise Misread(rf"{part!r} is no size, such as n or m \times n", below)
        kind, what = ("NUMBER", "number") if part.isdecimal() else ("NAME", "use")
        found.append(Phrase(what, Token(kind, part, below.start_pos)))
    return found


def _entry(left: Phrase, right: Phrase) -> Phrase | None:
    """MATLAB's `x(1)`, an entry; a product with a number begins with it."""
    before = left.operands[0] if left.what == "TIMES" else None
    name = left.operands[1] if before else left
    marks: list[Phrase] = []
    while right.what in ("POWER", "DOT_POWER", "TRANSPOSE"):
        marks.append(right)
        right = right.operands[0]
    numbers = right.operands if right.what in ("group", "list") else ()
    integers = all(n.what == "number" and n.token.isdecimal() for n in numbers)
    if name.what != "use" or not numbers or not integers:
        return None
    indices = f"[{','.join(n.token for n in numbers)}]"
    found = Phrase("indexed", Token("INDICES", indices, right.token.start_pos), (name,))
    for mark in reversed(marks):
        found = Phrase(mark.what, mark.token, (found, *mark.operands[1:]))
    return Phrase("TIMES", name.token, (before, found)) if before else found


def _is_fraction_before(left: Phrase, first: Token) -> bool:
    """Whether a fraction of numbers stands apart from what follows, as in `1/2 x`."""
    under = left.operands[-1].token
    numbers = left.what == "DIVIDE" and all(p.what == "number" for p in left.operands)
    return numbers and offset_of(under) + len(under) < offset_of(first)


def _indicated(left: Phrase, right: Phrase) -> Phrase | None:
    r"""The condition of `\mathbb{1}[x > 0]`, with brackets or braces of any kind."""
    inside = right.operands[0] if right.what == "group" else right
    is_one = left.what == "call" and left.token == "ones" and not left.operands
    return inside if is_one and inside.what in _OPPOSITE else None


def first_token(phrase: Phrase) -> Token:
    """The token with which a phrase begins, but for brackets."""
    while phrase.operands and phrase.what not in _WHOLE:
        phrase = phrase.operands[0]
    return phrase.token


def factors_of(root: Phrase) -> list[Phrase]:
    """The factors of a product that are in no brackets, from the left; it may be the only one."""
    found: list[Phrase] = []
    phrase = root
    while phrase.what == "TIMES":
        phrase, last = phrase.operands
        found.append(last)
    return [phrase, *reversed(found)]


def _last_token(phrase: Phrase) -> Token:
    while phrase.what in ("TIMES", "negate"):
        phrase = phrase.operands[-1]
    return phrase.token


def _is_name(phrase: Phrase) -> bool:
    return phrase.what == "use" or (phrase.what == "below" and phrase.operands[0].what == "use")


def _is_inverse(phrase: Phrase) -> bool:
    """Whether a power is `A^{-1}`: what stands below is then an index of the inverse."""
    exponent = phrase.operands[-1]
    return phrase.what == "POWER" and exponent.what == "number" and exponent.token == "-1"


def _is_call(phrase: Phrase) -> bool:
    while phrase.what in ("POWER", "TRANSPOSE", "TIMES"):
        phrase = phrase.operands[0]
    return phrase.what in ("call", "sum", "extreme")


def _open_call(phrase: Phrase) -> Phrase | None:
    """The last factor where it is a function whose argument has no brackets."""
    while phrase.what in ("TIMES", "DOT", "negate") and not phrase.sealed:
        phrase = phrase.operands[-1]
    is_open = phrase.what in ("call", "extreme") and not phrase.sealed and bool(phrase.operands)
    return phrase if is_open and phrase.token not in _CLOSED else None


def _is_multiple(call: Phrase, right: Phrase) -> bool:
    """Whether a function of a number is that of its product with what follows."""
    factor = call.operands[0]
    numbers = factor.operands if factor.what == "TIMES" else (factor,)
    known = ("pi",) if call.token in ("log", "ln") else ("pi", "use", "below")
    return right.what in known and all(p.what in ("number", "pi") for p in numbers)


def _replaced(left: Phrase, last: Phrase) -> Phrase:
    """A product or a negative with another last factor."""
    if left.what not in ("TIMES", "DOT", "negate"):
        return last
    return Phrase(left.what, left.token, (*left.operands[:-1], _replaced(left.operands[-1], last)))


def sign_of_transpose(phrase: Phrase) -> str:
    """The name above that may be the sign of a transpose, as in `A^T` or `A^{-t}`; "" elsewhere."""
    if phrase.what != "POWER" or phrase.operands[0].what in ("number", "pi"):
        return ""
    above = phrase.operands[1]
    above = above.operands[0] if above.what == "negate" else above
    return str(above.token) if above.what == "use" and above.token in ("T", "t") else ""


def _texts(condition: Phrase) -> list[str]:
    """The words of both sides of a condition, to tell whether two conditions have the same."""
    found: list[str] = []
    stack = [*condition.operands]
    while stack:
        phrase = stack.pop()
        found += [phrase.what, str(phrase.token)]
        stack.extend(phrase.operands)
    return found


_STYLE: Final = re.compile(r"\\(?:mathbf|boldsymbol|bm|mathrm|mathit|mathsf|text|textrm|mbox)\s*")


def plain_words(text: str) -> str:
    r"""The words of a text without macros of style: `x` of `\mathrm{x}`."""
    return re.sub(r"[{}\\\s]|\\[,;]", "", _STYLE.sub("", text)).replace("\\_", "_")


# What is wrong -----------------------------------------------------------------------------

_ENDS: Final = (
    *("NUMBER", "NAME", "WORD", "EULER", "PI", "CONSTANT", "DELTA", "CONDITION", "RPAR", "RBRACE"),
    *("RBAR", "RNORM", "RANGLE", "SUB", "UPPER", "INDICES", "TRANSPOSE", "INVERSE_TRANSPOSE"),
)
_NAMED: Final = {"RBRACE": "brace", "RPAR": "bracket", "RANGLE": "bracket", "RBAR": "bracket"}
_PAIRS: Final = {"RPAR": "LPAR", "RBRACE": "LBRACE", "RBAR": "LBAR", "RNORM": "LNORM"}


class Formulas:
    """The grammar of formulas, and what a notation says of texts that have none."""

    def __init__(self, spelling: Spelling) -> None:
        """`spelling` is that of the notation."""
        self._spelling = spelling
        build = cast("type[Builder]", v_args(inline=True)(Builder))
        file = Path(__file__).parent / "formulas.lark"
        self._grammar = Grammar(file, lambda: build(spelling), _no_character, self._mistake)

    def read(self, text: str, tokens: Sequence[Token]) -> list[Line]:
        """The lines of a text; raises `ParseError` where the grammar has none such."""
        return cast("list[Line]", self._grammar.read_tokens(text, tokens))

    def _mistake(self, text: str, before: Sequence[Token], token: Token) -> ParseError:
        """What to say of a token that cannot stand after those before it."""
        spelling = self._spelling
        ended = token.type == "$END"
        offset = len(text.rstrip()) if ended else offset_of(token)
        shown = "the end" if ended else repr(text[offset : offset + max(1, len(token))])
        last = before[-1] if before else None

        def error(reason: str, *expected: str, at: int = offset) -> ParseError:
            return ParseError(reason, text, at, expected)

        if last is None and ended:
            return error("the expression is empty", *spelling.operand, at=0)
        if token.type == "EQUAL":
            return error("one equals sign stands in a line", "';'")
        if token.type == "COMPARE":
            return error(COMPARED)
        if token.type == "RANGLE":
            return error("an inner product has two parts", "','")
        if last is not None and last.type == "SUM":
            return error("the body of the sum is missing", *spelling.operand)
        if last is not None and last.type == "FUNCTION":
            return error(spelling.after_function.format(last), "'('")
        if last is not None and last.type in _ENDS:
            opened = _opened(before)
            if token.type in _PAIRS and not opened:
                return error(f"this {'bracket' if token.type == 'RPAR' else 'bar'} closes nothing")
            if ended and opened:
                kind = "bracket" if opened[-1].type == "LPAR" else "bar"
                return error(f"this {kind} is never closed", at=offset_of(opened[-1]))
            if token.type == "COMMA":
                return error("a comma separates the arguments of a function")
            missing = f"an operator is missing before {shown}"
            if re.match(r"[\w(]", text[offset : offset + 1]):
                missing += spelling.sign_missing
            return error(missing, *spelling.operator)
        if token.type in _NAMED and spelling.macro:
            shown = f"the end of this {_NAMED[token.type]}"
        where = f", after {str(last)!r} at {place_words(text, offset_of(last))}" if last else ""
        return error(f"an operand is missing before {shown}{where}", *spelling.operand)


def _no_character(text: str, offset: int) -> ParseError:
    return ParseError("this has no meaning here", text, offset)


def _opened(before: Sequence[Token]) -> list[Token]:
    """The brackets and bars that are not closed."""
    opened: list[Token] = []
    for t in before:
        if t.type in _PAIRS.values():
            opened.append(t)
        elif t.type in _PAIRS and opened:
            opened.pop()
    return opened


def ends_operand(found: Sequence[Token]) -> bool:
    """Whether an operand has ended with the last token: a bar that follows may close."""
    return bool(found) and found[-1].type in _ENDS and found[-1] != "log"
