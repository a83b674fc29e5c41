"""Matrix notation cut into tokens: its signs, MATLAB's and Julia's, and its names.

Which names there are decides whether `x'Ax` has the name `Ax` or the names A and x, and whether
brackets behind a name are those of a function.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.names import FRACTIONS, is_greek, is_word, may_be_product, splits
from eggrad.frontend.formulas.syntax import COMPARED, ends_operand
from eggrad.frontend.text.errors import TextQuestion, TextUnknownVariable
from eggrad.frontend.text.words import offset_of

_RAISED: Final = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_LOWERED: Final = str.maketrans(_RAISED, "-0123456789")
_LETTER: Final = r"[^\W\dᵀ⁰¹²³⁴-⁹½¼¾]"
_PATTERNS: Final = {
    # Which norm, after the bars that close: ‖x‖_1, ‖x‖₂.
    "SUB": r"(?<=‖)\s*(?:_\*|_[^\Wᵀ⁰¹²³⁴-⁹]+|[₁₂∞])",
    "": r"\s+",
    "IF": r"if\b",
    "ELSE": r"else\b",
    # What begins with _ right behind something is an index.
    "NAME": rf"(?!(?<=[\w)'\]])_){_LETTER}[^\Wᵀ⁰¹²³⁴-⁹½¼¾]*",
    # A point before * / or ^ belongs to the operator: 1./x is 1 ./ x.
    "NUMBER": r"(?:[0-9]+(?:\.(?![*/^'])[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[½¼¾]",
    "FUNCTION": "[∑√]",
    "RAISED": rf"[⊙∘]?⁻?[{_RAISED[1:]}]+",
    "DOT_TIMES": r"\.\*|[⊙∘]",
    "DOT_DIVIDE": r"\./|⊘",
    "DOT_POWER": r"\.\^",
    "PLUS": r"\.?\+",
    "MINUS": r"\.?[-−–]",
    "TIMES": r"\*",
    "DOT": "[·⋅]",
    "CROSS": "×",
    "OTIMES": "⊗",
    "DIVIDE": "/",
    "SOLVE": r"\\",
    "POWER": r"\^",
    "TRANSPOSE": r"\.?['′’ᵀ⊤]",
    "INDICES": r"(?<!\s)\[[^\]\[]*\]",
    "COMPARE": "[><=!~]=|[><≥≤≠]",
    "EQUAL": ":?=",
    "BAR": r"\|",
    "NORM": "‖",
    "LPAR": r"\(",
    "RPAR": r"\)",
    "COMMA": ",",
    "SEMICOLON": ";",
    "LANGLE": "⟨",
    "RANGLE": "⟩",
}
_TOKEN: Final = re.compile("|".join(f"(?P<T{k}>{p})" for k, p in enumerate(_PATTERNS.values())))
_KINDS: Final = tuple(_PATTERNS)
_WRITTEN: Final = FRACTIONS | {"∑": "sum", "√": "sqrt"}
DERIVATIVE: Final = "derivatives are not read: eggrad takes them, of the formula alone"
_POWER: Final = "a power is written with '^', that of entries with '.^'"
_INSTEAD: Final = {
    "@": "a product of matrices is written with '*'",
    "[": "an index in brackets, as in x[3] or A[1,:], has no brackets within",
    " [": "an index in brackets stands right behind its name, as in x[3]; lists are not read",
    "]": "this bracket closes nothing",
    "_": "an index stands right behind the name of a variable, as in x_1^2",
    "&": COMPARED,
    "!": "factorials are not read; n! is gamma(n + 1)",
    "∫": "integrals are not read",
    "∏": "products over an index are not read; their logarithm is a sum",
    **dict.fromkeys("∂∇", DERIVATIVE),
}


def tokens(text: str, names: Collection[str] | None, functions: Collection[str]) -> list[Token]:
    """The tokens of a text; `names` are those of variables, None where nobody says them.

    >>> [t.value for t in tokens("Ax", ["A", "x"], [])], [t.type for t in tokens("x'", None, [])]
    (['A', 'x'], ['NAME', 'TRANSPOSE'])
    """
    return list(_with_names(text, _cut(as_lines(_as_elsewhere(text))), names, functions))


def _cut(text: str) -> list[Token]:
    # Two bars are those of a norm where no others stand.
    doubled = "|" not in text.replace("||", "") and "log||" not in text
    text = text.replace("||", "‖ ") if doubled else text
    found: list[Token] = []
    opened: list[str] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise _stray(text, place)
        kind, written = _KINDS[int((match.lastgroup or "T0")[1:])], match[0]
        if kind == "RAISED":
            found += _power(written, place)
        elif kind in ("BAR", "NORM"):
            side = "R" if ends_operand(found) else "L"
            if side == "R" and kind not in opened:
                if written not in text[match.end() :]:
                    raise ParseError("this bar closes nothing", text, place)
                side = "L"
            opened.append(kind) if side == "L" else opened.remove(kind)
            found.append(Token(side + kind, written, place))
        elif kind:
            plain = written.strip().replace("₁", "_1").replace("₂", "_2").replace("∞", "_infty")
            found.append(
                Token(kind, plain if kind == "SUB" else _WRITTEN.get(written, written), place)
            )
        if kind == "TIMES" and [t.type for t in found[-2:]] == ["TIMES", "TIMES"]:
            raise ParseError(_POWER, text, offset_of(found[-2]))
        place = match.end()
    return found


def _power(raised: str, place: int) -> list[Token]:
    """The tokens of an exponent in raised digits."""
    digits = raised.translate(_LOWERED).lstrip("⊙∘")
    kind = "POWER" if raised[0] in _RAISED else "DOT_POWER"
    minus = [Token("MINUS", "-", place)] if digits[0] == "-" else []
    return [Token(kind, raised, place), *minus, Token("NUMBER", digits.lstrip("-"), place)]


def _stray(text: str, place: int) -> ParseError:
    """What to say of a character with which no token begins."""
    character = text[place]
    if character == "." and place and text[place - 1].isdigit():
        return ParseError("a number has one decimal point", text, place)
    apart = character == "[" and text[:place].endswith(" ")
    unknown = f"the character {character!r} has no meaning here"
    reason = _INSTEAD.get(" " * apart + character, unknown)
    return ParseError(reason, text, place)


def _with_names(
    text: str, cut: Sequence[Token], names: Collection[str] | None, functions: Collection[str]
) -> Iterator[Token]:
    """The tokens with names apart, and functions before their brackets."""
    known = names or ()
    following = (*cut[1:], Token("END", ""))[: len(cut)]
    # `e` that stands elsewhere than below an exponent is a variable, where nobody says what is one.
    pairs = list(zip(cut, following, strict=True))
    bare = names is None and any(
        t == "e" and not after.type.endswith("POWER") for t, after in pairs
    )
    # Names that stand somewhere without brackets behind them.
    alone = {str(t) for t, after in pairs if t.type == "NAME" and after.type != "LPAR"}
    known_names = _Names(text, names, functions, bare, alone)
    waiting = pairs[::-1]
    before = Token("", "")
    while waiting:
        token, after = waiting.pop()
        name, place = str(token), offset_of(token)
        if token.type == "NAME" and name[0] == "T" and before.type == "POWER" and name not in known:
            # The sign of a transpose, and what stands beside it.
            if rest := name[1:]:
                waiting.append((Token("NAME", rest, place + 1), after))
            found = [Token("NAME", "T", place)]
        elif token.type not in ("NAME", "FUNCTION") or name in known:
            found = [token]
        else:
            if _DERIVATIVE.match(text, place):
                raise ParseError(DERIVATIVE, text, place)
            entry = after.type == "LPAR" and _ENTRY.match(text, offset_of(after))
            if name not in functions and (entry or name in alone):
                # No function: what stands in brackets is a factor, or says which entry.
                after = Token("", "")
            found = _named(known_names, token, after)
        yield from found
        before = found[-1]


_ENTRY: Final = re.compile(r"\(\s*\d+\s*(?:,\s*\d+\s*)?\)")
_DERIVATIVE: Final = re.compile(r"[fgh]'+\(|[a-z]''|d\w?/d\w\b")


# Functions glued to their arguments.
_GLUED: Final = re.compile(r"(?:arc)?(?:sin|cos|tan|exp|log|ln)[t-zθ]\Z")


class _Names(NamedTuple):
    """What is known of the names of a text."""

    text: str
    variables: Collection[str] | None
    functions: Collection[str]
    # Whether `e` is a variable.
    bare: bool
    # Those that stand somewhere without brackets behind them.
    alone: Collection[str]


def _named(names: _Names, token: Token, after: Token) -> list[Token]:
    """The tokens of a name that no variable has."""
    text = names.text
    name, place = str(token), offset_of(token)
    called = after.type == "LPAR" or (name == "log" and after.type == "LBAR")
    if token.type == "FUNCTION" or (name in names.functions and (called or not is_greek(name))):
        if after.type == "COMMA":
            # Said as an argument, as in sum(abs, x).
            return [Token("NAME", name, place)]
        if not called:
            at = offset_of(after) if after.type != "END" else len(text.rstrip())
            raise ParseError(f"the argument of {name} stands in brackets", text, at, ("'('",))
        return [Token("FUNCTION", name, place)]
    if name == "I":
        return [Token("CONSTANT", "eye", place)]
    if name in ("pi", "π") or (name == "e" and not names.bare):
        return [Token("EULER" if name == "e" else "PI", name, place)]
    if _GLUED.match(name):
        raise ParseError(f"no function or variable is called {name!r}", text, place)
    ways = splits(name, names.variables or ())
    if len(ways) > 1:
        readings = " or ".join("*".join(way) for way in ways)
        raise TextUnknownVariable(f"{name!r} is {readings}; write the signs", text, place)
    if names.variables is None and not ways and may_be_product(name):
        raise TextQuestion(
            f"{name!r} is one name, or {'*'.join(name)}; write the signs, or say which variables "
            "there are",
            text,
            place,
        )
    if not ways:
        return [Token("FUNCTION" if called else "WORD" if is_word(name) else "NAME", name, place)]
    starts = accumulate((len(part) for part in ways[0]), initial=place)
    return [Token("NAME", part, at) for part, at in zip(ways[0], starts, strict=False)]


# Lines, and what others write ----------------------------------------------------------------


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
        ends = _DEFINES.match(line) and not opened and not re.match(r"[-+*/.^'·]", following)
        lines[k] += ";" if ends and following and not line.rstrip().endswith(";") else "\n"
    return "".join(lines)


def heads(text: str) -> set[str]:
    """The names that lines before the last one give to parts.

    >>> heads("t = A*x; t'*t")
    {'t'}
    """
    parts = as_lines(text).rstrip(" ;\n").split(";")[:-1]
    return {m[1] for part in parts if (m := _DEFINES.match(part))}


_DEFINES: Final = re.compile(r"\s*([^\W\d]\w*)[^=<>!]*?:?=(?!=)")


def _as_elsewhere(text: str) -> str:
    """The text, as long, for what MATLAB and Julia write otherwise.

    >>> _as_elsewhere("f = @(x) sum(x(2:end)) + norm(A, 'fro')"), _as_elsewhere("x -> exp.(x)")
    ('f =      sum(x[2:end]) + norm(A,  fro )', '     exp (x)')
    """
    text = _RANGE.sub(r"[\1]", text)
    for pattern in (_ARGUMENTS, _BROADCAST, _QUOTED, _REMARKS):
        text = pattern.sub(lambda m: " " * len(m[1]) + m[2] + " " * len(m[3]), text)
    return text


_RANGE: Final = re.compile(r"(?<=[\w)])\(([^()\[\]]*:[^()\[\]]*|\s*end\s*)\)")
_ARGUMENTS: Final = re.compile(r"(@\([\w\s,]*\)|(?<![^=\s])[\w(][\w\s,)]*->)()()")
_BROADCAST: Final = re.compile(r"(\.)(?<=\w\.)(\()()")
# `return`, a comment, the point at the end of a sentence.
_REMARKS: Final = re.compile(
    r"(^\s*return\b|(?<=\s)#[^\n]*|(?<=;)\s*%[^\n]*|(?<=[\w)'])\.\s*\Z)()()"
)
_QUOTED: Final = re.compile(r"(?<=,)(\s*['\"])(fro)(['\"])")
