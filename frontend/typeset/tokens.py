r"""LaTeX cut into the tokens of formulas: macros resolved, bars paired, arguments in braces.

Every letter is a name by itself, as in LaTeX; longer names are those of a macro such as
`\mathrm{loss}`, and those that an index below makes, `W_1`, where there is such a variable.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.text.errors import suggestion

_ITEM: Final = re.compile(
    r"\\[lr]vert\s*\\[lr]vert(?![A-Za-z])|\\[A-Za-z]+\*?|\\.|:=|\|\||\s+|%[^\n]*"
    r"|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|.",
    re.DOTALL,
)
_MINUS: Final = "\N{MINUS SIGN}"
_TACK: Final = "\N{DOWN TACK}"
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ",
        (
            *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"),
            *("kappa", "lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi"),
            *("chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma"),
            *("Upsilon", "Phi", "Psi", "Omega"),
        ),
        strict=True,
    )
)
_TYPED: Final = {name: letter for letter, name in _GREEK.items()}
_SPACE: Final = {
    *("\\,", "\\;", "\\:", "\\!", "\\ ", "\\>", "\\/", "~", "&", "\\quad", "\\qquad"),
    *("\\displaystyle", "\\textstyle", "\\limits", "\\nolimits", "\\nonumber", "\\notag"),
    *(
        "\\big",
        "\\Big",
        "\\bigg",
        "\\Bigg",
        "\\thinspace",
        "\\rm",
        "\\bf",
        "\\it",
        "\\sf",
        "\\cal",
        "$",
        "$$",
        "\\[",
        "\\]",
        "\\(",
        "\\)",
    ),
}
_OPENING: Final = {"\\left", "\\bigl", "\\Bigl", "\\biggl", "\\Biggl"}
_CLOSING: Final = {"\\right", "\\bigr", "\\Bigr", "\\biggr", "\\Biggr"}
_ENVIRONMENTS: Final = {
    *("equation", "align", "aligned", "gather", "gathered", "displaymath", "math", "split"),
    *("multline", "eqnarray"),
}
_STYLES: Final = {
    *("\\mathbf", "\\boldsymbol", "\\bm", "\\mathrm", "\\mathit", "\\mathsf", "\\mathcal"),
    *("\\mathbb", "\\mathtt", "\\text", "\\textbf", "\\textrm", "\\textit", "\\textsf", "\\pmb"),
    *(
        "\\operatorname",
        "\\operatorname*",
        "\\vec",
        "\\symbf",
        "\\mathnormal",
        "\\mbox",
        "\\mathop",
    ),
}
_ACCENTS: Final = {f"\\{a}": a.removeprefix("wide") for a in ("hat", "bar", "tilde", "widehat")}
_ACCENTS["\\widetilde"] = "tilde"
_ACCENTS["\\overline"] = "bar"
_BRACKETS: Final = {
    "(": ")",
    "[": "]",
    "\\{": "\\}",
    "\\lbrace": "\\rbrace",
    "\\lbrack": "\\rbrack",
}
_ANGLES: Final = {"\\langle", "\\rangle", "⟨", "⟩", "<", ">"}
_CLOSED: Final = {right: left for left, right in _BRACKETS.items()}
_BARS: Final = {
    **{"|": ("BAR", 0), "\\vert": ("BAR", 0), "\\lvert": ("BAR", 1), "\\rvert": ("BAR", -1)},
    **{"\\|": ("NORM", 0), "||": ("NORM", 0), "‖": ("NORM", 0), "\\Vert": ("NORM", 0)},
    **{"\\lVert": ("NORM", 1), "\\rVert": ("NORM", -1)},
}
_OPERATORS: Final = {
    **{"+": "PLUS", "-": "MINUS", _MINUS: "MINUS", "*": "DOT", "\\cdot": "DOT", "\\ast": "DOT"},
    **{
        "·": "DOT",
        "⋅": "DOT",
        "\\times": "CROSS",
        "\N{MULTIPLICATION SIGN}": "CROSS",
        "/": "DIVIDE",
        "\\odot": "ODOT",
    },
    **{"⊙": "ODOT", "∘": "ODOT", "\\circ": "ODOT", "\\oslash": "OSLASH", "\\otimes": "OTIMES"},
    **{
        "⊗": "OTIMES",
        ",": "COMMA",
        "=": "EQUAL",
        ":=": "EQUAL",
        "\\langle": "LANGLE",
        "\\rangle": "RANGLE",
    },
    **{"⟨": "LANGLE", "⟩": "RANGLE"},
}
FUNCTIONS: Final = {
    **{f: f for f in ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh")},
    **{
        f: f for f in ("exp", "log", "sqrt", "det", "max", "min", "tr", "diag", "vec", "inv", "adj")
    },
    **{f: f for f in ("relu", "sigmoid", "softplus", "softmax", "logsumexp", "abs", "sign", "sum")},
    **{"ln": "log", "Tr": "tr", "trace": "tr", "Trace": "tr", "Diag": "diag", "sgn": "sign"},
    **{"ReLU": "relu", "Vec": "vec", "logdet": "logdet", "logistic": "sigmoid", "LSE": "logsumexp"},
    **{"arctanh": "arctanh", "artanh": "arctanh", "lse": "logsumexp", "SoftMax": "softmax"},
}
"""What functions are called in LaTeX, and in matrix notation."""
_COMMANDS: Final = {
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log"),
    *("ln", "det", "max", "min", "tr", "Tr", "diag", "relu", "softmax", "sigmoid", "sgn", "vec"),
}
_REFUSED: Final = {
    "\\prod": "products over an index are not read; their logarithm is a sum",
    "\\int": "integrals are not read",
    "\\partial": "derivatives are not read: eggrad takes them, of the formula alone",
    "\\nabla": "derivatives are not read: eggrad takes them, of the formula alone",
    "\\pm": "one formula has one sign; write + or -",
    "\\mp": "one formula has one sign; write + or -",
    "\\ldots": "what three dots stand for is not read; write a sum",
    "\\cdots": "what three dots stand for is not read; write a sum",
    "\\dots": "what three dots stand for is not read; write a sum",
    "\\argmin": "the formula after it is what is read; leave it out",
    "\\arg": "the formula after it is what is read; leave it out",
    "\\over": "a fraction is written \\frac{}{}",
    "\\lim": "limits are not read",
    "\\mid": "a condition is not read",
    "\\middle": "a condition is not read",
    "\\infty": "infinity is no number",
    "\\dagger": "tensors are real: a transpose is written ^\\top",
    "\\backslash": "to solve a system, write A^{-1} b",
    "\\mathbb{E}": "expectations are not read; write a sum",
    "\\le": "a comparison is no expression",
    "\\leq": "a comparison is no expression",
    "\\ge": "a comparison is no expression",
    "\\geq": "a comparison is no expression",
    "<": "a comparison is no expression",
    ">": "a comparison is no expression",
    "!": "factorials are not read",
    "#": "the character '#' has no meaning here",
}
_TRANSPOSES: Final = {"T", "\\top", "\\intercal", "\\prime", "'", _TACK, "\\transpose", "\\tran"}
_OPERAND_ENDS: Final = {
    *("NUMBER", "NAME", "EULER", "PI", "CONSTANT", "RPAR", "RBRACE", "RBAR", "RNORM", "RANGLE"),
    *("SUB", "TRANSPOSE", "INVERSE_TRANSPOSE"),
}


class _Item(NamedTuple):
    text: str
    place: int


@dataclass
class _Cutter:
    """Goes over the items of a text, and collects tokens."""

    text: str
    names: Collection[str]
    functions: Collection[str]
    scalars: Collection[str]
    items: list[_Item] = field(default_factory=list[_Item])
    found: list[Token] = field(default_factory=list[Token])
    at: int = 0
    # What is open: its kind, its item, and whether \left stands before it.
    opened: list[tuple[str, _Item, bool]] = field(default_factory=list[tuple[str, _Item, bool]])
    # Macros whose arguments have begun: each with how many follow, and how many brackets are open.
    pending: list[tuple[_Item, int, int]] = field(default_factory=list[tuple[_Item, int, int]])


def tokens(
    text: str, names: Collection[str], functions: Collection[str], scalars: Collection[str]
) -> list[Token]:
    r"""The tokens of a formula; raises `ParseError` for what has no meaning.

    `scalars` are those of the names that have no axes: `c^T` is a power where T is one of them.

    >>> [t.type for t in tokens(r"x^\top A x", ["A", "x"], [], [])]
    ['NAME', 'TRANSPOSE', 'NAME', 'NAME']
    """
    every_name = tuple(dict.fromkeys((*names, *_defined(text))))
    cutter = _Cutter(text, every_name, functions, scalars)
    cutter.items = [_Item(m[0], m.start()) for m in _ITEM.finditer(text)]
    _cut(cutter)
    return _without_head(cutter)


_DEFINED: Final = re.compile(r"(?:\A|\\\\|\}|\n)[\s&]*([A-Za-z])_\{?(\d+)\}?\s*&?\s*=")


def _defined(text: str) -> list[str]:
    """The names that rows of a formula give to parts, as in `t_{1} &= …`."""
    return [f"{m[1]}_{m[2]}" for m in _DEFINED.finditer(text)] if "\\\\" in text else []


def _without_head(cutter: _Cutter) -> list[Token]:
    """The tokens without `f(x) =` in front of the last row, and without a point at the end."""
    rows: list[list[Token]] = [[]]
    for token in cutter.found:
        if token.type == "SEMICOLON":
            rows.append([])
        else:
            rows[-1].append(token)
    # A comma at the end belongs to the sentence around a formula.
    while rows[-1] and rows[-1][-1].type == "COMMA":
        rows[-1].pop()
    rows = [row for row in rows if row]
    if not rows:
        return []
    last = rows[-1]
    signs = [k for k, t in enumerate(last) if t.type == "EQUAL"]
    if len(signs) == 1 and _is_head(last[: signs[0]], cutter.names):
        rows[-1] = last[signs[0] + 1 :]
        if not rows[-1]:
            raise ParseError(
                "the expression after '=' is missing", cutter.text, len(cutter.text.rstrip())
            )
    elif signs:
        place = last[signs[-1]].start_pos or 0
        raise ParseError("an equation is no expression; write one side of it", cutter.text, place)
    found: list[Token] = []
    for row in rows:
        found += [Token.new_borrow_pos("SEMICOLON", ";", row[0])] * bool(found and row) + row
    return found


def _is_head(head: Sequence[Token], names: Collection[str]) -> bool:
    """Whether tokens say what a formula is called: `f`, `f(x)`, `L(w, b)`, and no variable."""
    kinds = [t.type for t in head]
    if kinds[:1] != ["NAME"] or str(head[0]) in names:
        return False
    rest = [k for k in kinds[1:] if k not in ("SUB", "NAME", "COMMA")]
    return not rest or (rest[0] == "LPAR" and rest[-1] == "RPAR" and len(rest) == 2)


# One item after another ------------------------------------------------------------------


def _cut(c: _Cutter) -> None:
    while c.at < len(c.items):
        item = c.items[c.at]
        c.at += 1
        _cut_item(c, item)
    for kind, item, _ in reversed(c.opened):
        shown = "brace" if kind == "{" else "bar" if kind in ("BAR", "NORM") else "bracket"
        raise ParseError(f"this {shown} is never closed", c.text, item.place)


def _number(c: _Cutter, item: _Item) -> None:
    """A number; an exponent after e would be set as a difference."""
    _, e, exponent = item.text.partition("e")
    if e:
        reason = (
            f"{item.text} is a number, or a difference with e; write 10^{{{exponent}}}, or a sign "
            "before e"
        )
        raise ParseError(reason, c.text, item.place)
    _emit(c, "NUMBER", item.text, item.place)


def _cut_item(c: _Cutter, item: _Item) -> None:
    text = item.text
    if text.isspace() or text.startswith("%") or text in _SPACE:
        return
    if text in ("\\begin", "\\end", "\\label", "\\tag"):
        _environment(c, item)
    elif text in _OPENING or text in _CLOSING:
        _delimiter(c, item)
    elif text in _BARS or text.startswith(("\\lvert", "\\rvert")):
        _bar(c, item, 0, False)
    elif text in _BRACKETS or text in _CLOSED:
        _bracket(c, item, False)
    elif text == "{":
        c.opened.append(("{", item, False))
        _emit(c, "LBRACE", "{", item.place)
    elif text == "}":
        _close(c, "{", item, False)
        _emit(c, "RBRACE", "}", item.place)
        if c.pending and c.pending[-1][2] == len(c.opened):
            _next_argument(c)
    elif text in ("\\\\", ";"):
        _emit(c, "SEMICOLON", ";", item.place)
    elif text == "_":
        _below(c, item)
    elif text == "^":
        _above(c, item)
    elif text in ("'", _TACK, "ᵀ"):
        _emit(c, "TRANSPOSE", "'", item.place)
    elif text in ("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"):
        _emit(c, "FRAC", text, item.place)
        _arguments(c, item, 2)
    elif text == "\\sqrt":
        if _peek(c) == "[":
            place = c.items[c.at].place
            raise ParseError("roots are square; others are powers, as in x^{1/3}", c.text, place)
        _emit(c, "SQRT", text, item.place)
        _arguments(c, item, 1)
    elif text in ("\\sum", "∑", "Σ") and not (text == "Σ" and {"Σ", "Sigma"} & {*c.names}):
        _sum(c, item)
    elif text[0].isdecimal() or (text[0] == "." and len(text) > 1):
        _number(c, item)
    elif text in _OPERATORS:
        _emit(c, _OPERATORS[text], text, item.place)
    elif text in _STYLES or text in _ACCENTS:
        _styled(c, item)
    elif text in _REFUSED:
        raise ParseError(_REFUSED[text], c.text, item.place)
    elif text in (".", ":") and all(i.text.isspace() or i.text in _SPACE for i in c.items[c.at :]):
        return
    else:
        _name(c, text, item.place)


def _emit(c: _Cutter, kind: str, text: str, place: int) -> None:
    c.found.append(Token(kind, text, place))


def _peek(c: _Cutter) -> str:
    """The next item that is no space, which is then the next one."""
    while c.at < len(c.items) and (c.items[c.at].text.isspace() or c.items[c.at].text in _SPACE):
        c.at += 1
    return c.items[c.at].text if c.at < len(c.items) else ""


def _braced(c: _Cutter, after: _Item) -> tuple[str, int]:
    """The text of an argument: in braces, or one item; and where it begins."""
    first = _peek(c)
    if not first or first == "}":
        raise ParseError(f"{after.text} has no argument", c.text, after.place, ("'{'",))
    item = c.items[c.at]
    if first != "{":
        c.at += 1
        return first, item.place
    depth, start = 0, c.at
    while c.at < len(c.items):
        depth += {"{": 1, "}": -1}.get(c.items[c.at].text, 0)
        c.at += 1
        if not depth:
            inner = c.text[item.place + 1 : c.items[c.at - 1].place]
            return inner, c.items[min(start + 1, len(c.items) - 1)].place
    raise ParseError("this brace is never closed", c.text, item.place)


def _arguments(c: _Cutter, after: _Item, number: int) -> None:
    """What follows are arguments; those without braces get them."""
    c.pending.append((after, number, len(c.opened)))
    _next_argument(c)


def _next_argument(c: _Cutter) -> None:
    after, number, depth = c.pending.pop()
    if not number:
        return
    c.pending.append((after, number - 1, depth))
    first = _peek(c)
    if first == "{":
        return
    if not first or first in ("}", ")", "&", "^", "_", "\\right", "+", "="):
        wanted = "two arguments" if after.text.endswith("frac") else "an argument"
        raise ParseError(f"{after.text} needs {wanted}", c.text, after.place, ("'{'",))
    item = c.items[c.at]
    if first in _STYLES or first in _ACCENTS or first in ("\\frac", "\\sqrt", "\\left"):
        reason = f"the argument of {after.text} stands in braces"
        raise ParseError(reason, c.text, item.place, ("'{'",))
    rest: list[_Item] = []
    if item.text.isdigit() and len(item.text) > 1:
        # In TeX an argument without braces is one digit.
        rest = [_Item(item.text[1:], item.place + 1)]
        item = _Item(item.text[0], item.place)
    braces = (_Item("{", item.place), item, _Item("}", item.place + len(item.text)))
    c.items[c.at : c.at + 1] = [*braces, *rest]


# Environments and brackets ---------------------------------------------------------------


def _environment(c: _Cutter, item: _Item) -> None:
    name, place = _braced(c, item)
    if item.text in ("\\label", "\\tag"):
        return
    if name.rstrip("*") not in _ENVIRONMENTS:
        known = "equation, align, aligned, gather, split"
        raise ParseError(f"no formula stands in {name!r}", c.text, place, (known,))


def _delimiter(c: _Cutter, item: _Item) -> None:
    opening = item.text in _OPENING
    stretched = item.text in ("\\left", "\\right")
    following = _peek(c)
    if not following:
        raise ParseError(f"a bracket follows {item.text}", c.text, item.place, ("'('",))
    bracket = c.items[c.at]
    c.at += 1
    if following in _BARS:
        _bar(c, bracket, 1 if opening else -1, stretched)
    elif following in _ANGLES:
        if stretched and opening:
            c.opened.append(("<", item, True))
        elif stretched:
            _close(c, "<", item, True)
        _emit(c, "LANGLE" if opening else "RANGLE", following, bracket.place)
    elif following in (_BRACKETS if opening else _CLOSED):
        _bracket(c, bracket, stretched)
    else:
        raise ParseError(
            f"after {item.text} stands a bracket, not {following}", c.text, bracket.place, ("'('",)
        )


def _bracket(c: _Cutter, item: _Item, stretched: bool) -> None:
    if item.text in _BRACKETS:
        c.opened.append((item.text, item, stretched))
        _emit(c, "LPAR", item.text, item.place)
    else:
        _close(c, _CLOSED[item.text], item, stretched)
        _emit(c, "RPAR", item.text, item.place)


def _close(c: _Cutter, kind: str, item: _Item, stretched: bool) -> None:
    r"""Close the bracket that was opened last; those with \left need \right."""
    if not c.opened:
        shown = "brace" if kind == "{" else "bar" if kind in ("BAR", "NORM") else "bracket"
        raise ParseError(f"this {shown} closes nothing", c.text, item.place)
    before, opening, with_left = c.opened[-1]
    if before != kind:
        raise ParseError(
            f"{item.text} does not close {opening.text}", c.text, item.place, (_partner(before),)
        )
    if with_left != stretched:
        missing = "\\right" if with_left else "\\left"
        place = item.place if with_left else opening.place
        raise ParseError(f"{missing} is missing before this bracket", c.text, place, (missing,))
    c.opened.pop()


def _partner(kind: str) -> str:
    named = {"{": "'}'", "BAR": "'|'", "NORM": r"'\|'", "<": r"\rangle"}
    return named.get(kind) or f"'{_BRACKETS[kind]}'"


def _bar(c: _Cutter, item: _Item, side: int, stretched: bool) -> None:
    """A bar opens where an operand begins, and closes where one has ended."""
    # Two single bars are a double one.
    kind, default = _BARS.get(item.text) or ("NORM", 1 if item.text.startswith("\\l") else -1)
    side = side or default
    inside = bool(c.opened) and c.opened[-1][0] == kind
    ended = bool(c.found) and c.found[-1].type in _OPERAND_ENDS
    if not side:
        side = -1 if inside and ended else 1
    if side > 0:
        c.opened.append((kind, item, stretched))
        _emit(c, f"L{kind}", item.text, item.place)
    else:
        _close(c, kind, item, stretched)
        _emit(c, f"R{kind}", item.text, item.place)


# Names, and what stands above and below ----------------------------------------------------


def _name(c: _Cutter, text: str, place: int) -> None:
    plain = text.removeprefix("\\").removeprefix("var")
    if plain in _GREEK:
        plain = plain if plain in c.names else _GREEK[plain]
    elif text.startswith("\\"):
        if plain in _COMMANDS and not (plain in c.names and len(plain) > 3):
            _emit(c, "FUNCTION", FUNCTIONS[plain], place)
            return
        if plain not in _TYPED and plain not in c.names and plain not in c.functions:
            near = suggestion(
                plain, (*sorted(_COMMANDS), *_TYPED, "frac", "sum", "odot", "top", "mathbf")
            )
            near = near.replace("'", "'\\", 1)
            raise ParseError(f"the macro {text} is not known{near}", c.text, place)
        plain = _TYPED[plain] if _TYPED.get(plain) in c.names and plain not in c.names else plain
    elif not text.isalpha():
        raise ParseError(f"the character {text!r} has no meaning here", c.text, place)
    if plain == "sigma" and _peek(c) in ("(", "\\left", "\\bigl", "\\Bigl"):
        _sigma(c, plain, place)
    elif plain in c.functions and plain not in c.names:
        _emit(c, "FUNCTION", plain, place)
    else:
        _named(c, plain, place)


def _sigma(c: _Cutter, name: str, place: int) -> None:
    """The logistic function, where no variable is called sigma."""
    if name in c.names or "\N{GREEK SMALL LETTER SIGMA}" in c.names:
        raise ParseError(
            r"\sigma is a variable here: this is a product, or the logistic function; write "
            r"\sigma \cdot ( or \operatorname{sigmoid}(",
            c.text,
            place,
        )
    _emit(c, "FUNCTION", "sigmoid", place)


def _named(c: _Cutter, name: str, place: int) -> None:
    """The token of a name; `W_1` is one where there is such a variable."""
    if _peek(c) == "_":
        here = c.at
        c.at += 1
        below = plain_words(_braced(c, c.items[here])[0])
        joint = next((n for n in (f"{name}_{below}", f"{name}{below}") if n in c.names), None)
        if joint and below:
            _emit(c, "NAME", joint, place)
            return
        c.at = here
    if name in c.names:
        _emit(c, "NAME", name, place)
    elif name == "e":
        _emit(c, "EULER", name, place)
    elif name == "pi":
        _emit(c, "PI", name, place)
    elif name == "I":
        _emit(c, "CONSTANT", "eye", place)
    else:
        _emit(c, "NAME", name, place)


_STYLE: Final = re.compile(r"\\(?:mathbf|boldsymbol|bm|mathrm|mathit|mathsf|text|textrm|mbox)\s*")


def plain_words(text: str) -> str:
    r"""The words of a text without macros of style: `x` of `\mathrm{x}`."""
    return re.sub(r"[{}\\\s]|\\[,;]", "", _STYLE.sub("", text)).replace("\\_", "_")


def _styled(c: _Cutter, item: _Item) -> None:
    """A name, a function or a constant in another style of letters."""
    here = c.at
    argument, place = _braced(c, item)
    if item.text not in _ACCENTS and _FORMULA.search(argument):
        # Letters of a style in a whole formula.
        c.at = here
        return
    accent = _ACCENTS.get(item.text)
    inner = argument.replace("\\_", "_").strip()
    word = plain_words(inner)
    if accent:
        known = [
            n for n in (f"{word}_{accent}", f"{word}{accent}", f"{accent}_{word}") if n in c.names
        ]
        _named(c, known[0] if known else f"{word}_{accent}", item.place)
    elif item.text in ("\\mathbf", "\\mathbb", "\\boldsymbol", "\\bm", "\\vec") and word in (
        "0",
        "1",
    ):
        _emit(c, "CONSTANT", "ones" if word == "1" else "zeros", item.place)
    elif word in c.names:
        _named(c, word, item.place)
    elif inner.startswith("\\") or word in _GREEK:
        _name(c, inner if inner.startswith("\\") and inner[1:].isalpha() else word, place)
    elif word in c.functions or word in FUNCTIONS:
        _emit(c, "FUNCTION", word if word in c.functions else FUNCTIONS[word], item.place)
    elif len(word) > 1 and all(letter in c.names for letter in word):
        for k, letter in enumerate(word):
            _emit(c, "NAME", letter, place + k)
    elif not word:
        raise ParseError(f"{item.text} has no argument", c.text, item.place, ("'{'",))
    elif item.text == "\\mathbb":
        reason = _REFUSED.get(f"\\mathbb{{{word}}}", f"\\mathbb{{{word}}} has no meaning here")
        raise ParseError(reason, c.text, item.place)
    elif item.text.startswith("\\operatorname"):
        near = suggestion(word, [*FUNCTIONS, *c.functions])
        raise ParseError(f"no function is called {word!r}{near}", c.text, item.place)
    else:
        _named(c, word, item.place)


def _below(c: _Cutter, item: _Item) -> None:
    text, place = _argument(c, item)
    _emit(c, "SUB", text, place)


_FORMULA: Final = re.compile(r"(?<!\\)[_^+*/=-]|\\(?:top|frac)")
# What has another meaning where it stands above has few signs.
_SHORT: Final = 24


def _above(c: _Cutter, item: _Item) -> None:
    first = _peek(c)
    here = c.at
    depth = 0
    for k, inner in enumerate(c.items[here : here + _SHORT]):
        depth += {"{": 1, "}": -1}.get(inner.text, 0)
        if not depth and (k or first != "{") and first not in _STYLES:
            break
    else:
        depth = 0 if first in _STYLES else depth
    if depth > 0:
        _emit(c, "POWER", "^", item.place)
        _arguments(c, item, 1)
        return
    text, place = _argument(c, item)
    word = plain_words(text.replace("\\top", _TACK)) if "\\" in text else text.strip()
    last = c.found[-1].type if c.found else ""
    if last == "FUNCTION":
        word = ""
    if _transposes(c, text, word):
        _emit(c, "TRANSPOSE", text, place)
    elif word.startswith(("-", _MINUS)) and _transposes(
        c, text.strip()[1:].strip(), word[1:].strip()
    ):
        _emit(c, "INVERSE_TRANSPOSE", text, place)
    elif text.strip() in (
        "*",
        "\\ast",
        "\\dagger",
        "H",
        "\\star",
        "+",
        "\\mathsf{H}",
        "\\mathrm{H}",
    ):
        raise ParseError(
            f"^{text.strip()} has no meaning here: tensors are real, and have transposes and "
            "inverses alone",
            c.text,
            place,
            ("^\\top", "^{-1}"),
        )
    elif re.fullmatch(r"\(.*\)", text.strip(), re.DOTALL):
        raise ParseError(
            f"^{{{text.strip()}}} is a power, or counts something; write it without brackets, or "
            "below",
            c.text,
            place,
        )
    else:
        entries = re.match(r"\s*\\(?:odot|circ)(?![A-Za-z])", text)
        c.at = here
        if entries:
            _emit(c, "DOT_POWER", "^", item.place)
            _peek(c)
            sign = next(
                k for k in range(c.at, len(c.items)) if c.items[k].text in ("\\odot", "\\circ")
            )
            del c.items[sign]
            if not text[entries.end() :].strip():
                raise ParseError("an exponent is missing", c.text, place)
        else:
            _emit(c, "POWER", "^", item.place)
        _arguments(c, item, 1)


def _argument(c: _Cutter, item: _Item) -> tuple[str, int]:
    """The text of what stands above or below: in braces, or one item with its argument."""
    _peek(c)
    first = c.items[c.at] if c.at < len(c.items) else item
    text, place = _braced(c, item)
    if first.text in _STYLES:
        argument, _ = _braced(c, first)
        return f"{first.text}{{{argument}}}", place
    if len(text) > 1 and text.isdigit() and first.text != "{":
        return text[0], place
    return text, place


def _transposes(c: _Cutter, text: str, word: str) -> bool:
    """Whether what stands above is the sign of a transpose."""
    styled = re.fullmatch(
        r"\s*\{?\s*\\(?:mathsf|mathrm|text|textsf|mathbf|mathtt|rm|sf|bf)\s*\{?\s*T\s*\}*\s*", text
    )
    return (
        bool(styled)
        or (word in _TRANSPOSES | {"prime", "intercal"} and not (word == "T" and "T" in c.scalars))
        or text.strip() in _TRANSPOSES - {"T"}
    )


def _sum(c: _Cutter, item: _Item) -> None:
    """The sign of a sum with all that stands above and below it: `_{i=1}^n`."""
    bounds = {"_": "", "^": ""}
    places = {"_": item.place}
    while (sign := _peek(c)) in bounds:
        if bounds[sign]:
            raise ParseError(f"this sum has two {sign}", c.text, c.items[c.at].place)
        mark = c.items[c.at]
        c.at += 1
        bounds[sign], places[sign] = _braced(c, mark)
    if not bounds["_"].strip():
        reason = "a sum says over which index it goes"
        raise ParseError(reason, c.text, item.place, ("an index, as in \\sum_i",))
    _emit(c, "SUM", f"{bounds['_']}^{bounds['^']}", places["_"])
