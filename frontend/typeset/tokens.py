r"""LaTeX and Unicode cut into the tokens of formulas: macros resolved, bars paired, braces set.

Every letter is a name by itself, as in LaTeX; longer names are those of a macro such as
`\mathrm{loss}`, those that an index below makes, `W_1`, where there is such a variable, and words
of functions, `tr(`.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from lark import Token

from eggrad.engine.errors import ParseError
from eggrad.frontend.formulas.names import GREEK, is_greek, may_be_product
from eggrad.frontend.formulas.syntax import ends_operand, plain_words
from eggrad.frontend.text.errors import TextUnknownVariable, suggestion

# Unicode as LaTeX writes it --------------------------------------------------------------

_BELOW: Final = dict(
    zip("₀₁₂₃₄₅₆₇₈₉₌₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789=+-aehijklmnoprstuvx", strict=True)
)
_ABOVE: Final = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ",
        "0123456789+-Tabcdefghijklmnoprstuvwxyz",
        strict=True,
    )
)
_TYPED: Final = {name: letter for letter, name in GREEK.items()}
_AS_LATEX: Final = {
    **{"½": r"\frac{1}{2}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}", "𝟏": r"\mathbf{1}"},
    **{"𝟎": r"\mathbf{0}", "√": r"\sqrt", "∑": r"\sum", "≤": r"\le", "≥": r"\ge", "≠": r"\ne"},
    **{"’": "'", "′": "'", "∥": r"\|", "‖": r"\|", "ǁ": r"\|", "∂": r"\partial"},
    **{"∇": r"\nabla", "∫": r"\int", "∏": r"\prod", "∞": r"\infty", "∈": r"\in", "±": r"\pm"},
}

# What is written so ----------------------------------------------------------------------

_ITEM: Final = re.compile(
    r"\\[lr]vert\s*\\[lr]vert(?![A-Za-z])|\\operatorname\*|\\[A-Za-z]+|\\.|:=|\|\||[<>=!]=|\s+|%[^\n]*"
    rf"|[{''.join(_BELOW)}]+|[{''.join(_ABOVE)}]+"
    r"|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|[A-Za-z]+|.",
    re.DOTALL,
)
_MINUS: Final = "\N{MINUS SIGN}"
_TACK: Final = "\N{DOWN TACK}"


def _macros(words: str) -> set[str]:
    return {f"\\{word}" for word in words.split()}


_SPACE: Final = {
    *_macros(", ; : ! > / quad qquad displaystyle textstyle scriptstyle limits nolimits nonumber"),
    *_macros("notag big Big bigg Bigg thinspace cal hfill mathstrut ( ) [ ]"),
    *("\\ ", "~", "&", "$", "$$"),
}
_OPENING: Final = _macros("left bigl Bigl biggl Biggl")
_CLOSING: Final = _macros("right bigr Bigr biggr Biggr")
_ENVIRONMENTS: Final = {
    *[
        "equation",
        "align",
        "aligned",
        "gather",
        "gathered",
        "displaymath",
        "math",
        "split",
        "multline",
        "eqnarray",
    ]
}
_STYLES: Final = _macros(
    "mathbf boldsymbol bm mathrm mathit mathsf mathcal mathbb mathtt text textbf textrm textit "
    "textsf pmb operatorname operatorname* vec symbf mathnormal mbox mathop mathfrak mathscr"
)
# Styles of all that follows in the braces.
_SWITCHES: Final = _macros("rm bf sf tt boldmath it")
_ACCENTS: Final = {
    **{
        f"\\{a}": a.removeprefix("wide")
        for a in ["hat", "bar", "tilde", "widehat", "widetilde", "dot"]
    },
    "\\overline": "bar",
}
_BRACKETS: Final = {
    "(": ")",
    "[": "]",
    "\\{": "\\}",
    "\\lbrace": "\\rbrace",
    "\\lbrack": "\\rbrack",
}
_CLOSED: Final = {right: left for left, right in _BRACKETS.items()}
_ANGLES: Final = {"\\langle", "\\rangle", "⟨", "⟩", "<", ">"}
_BARS: Final = {
    **{"|": ("BAR", 0), "\\vert": ("BAR", 0), "\\lvert": ("BAR", 1), "\\rvert": ("BAR", -1)},
    **{"\\|": ("NORM", 0), "||": ("NORM", 0), "\\Vert": ("NORM", 0)},
    **{"\\lVert": ("NORM", 1), "\\rVert": ("NORM", -1)},
}
_OPERATORS: Final = {
    **{"+": "PLUS", **dict.fromkeys(("-", _MINUS, "–"), "MINUS"), "/": "DIVIDE"},
    "*": "TIMES",
    **dict.fromkeys(("\\cdot", "\\ast", "·", "⋅", "•"), "DOT"),
    **dict.fromkeys(("\\times", "×"), "CROSS"),
    **dict.fromkeys(("\\odot", "\\circ", "\\circledast", "⊙", "∘", "⊛"), "ODOT"),
    **dict.fromkeys(("\\oslash", "⊘"), "OSLASH"),
    **dict.fromkeys(("\\otimes", "⊗"), "OTIMES"),
    **{",": "COMMA", "=": "EQUAL", ":=": "EQUAL", ":": "COLON", "\\colon": "COLON"},
    **dict.fromkeys(("\\equiv", "\\triangleq", "\\coloneqq", "\\doteq"), "EQUAL"),
    **dict.fromkeys(("\\langle", "⟨"), "LANGLE"),
    **dict.fromkeys(("\\rangle", "⟩"), "RANGLE"),
    **dict.fromkeys(("<", ">", "<=", ">=", "==", "!="), "COMPARE"),
    **dict.fromkeys(_macros("le leq ge geq ne neq lt gt leqslant geqslant"), "COMPARE"),
    "\\over": "OVER",
}
# Macros of functions; other functions are those of \operatorname.
_COMMANDS: Final = {
    *[
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "ln",
        "det",
        "max",
        "min",
        "tr",
        "Tr",
        "diag",
    ],
    *["relu", "softmax", "sigmoid", "sgn", "sign", "vec", "logsumexp", "erf", "trace", "Diag"],
}
_REFUSED: Final = {
    "\\prod": "products over an index are not read; their logarithm is a sum",
    "\\int": "integrals are not read",
    **dict.fromkeys(
        ("\\partial", "\\nabla", "\\dot", "\\ddot"),
        "derivatives are not read: eggrad takes them, of the formula alone",
    ),
    **dict.fromkeys(("\\pm", "\\mp"), "one formula has one sign; write + or -"),
    **dict.fromkeys(
        _macros("ldots cdots dots vdots ddots"),
        "what three dots stand for is not read; write a sum",
    ),
    **dict.fromkeys(
        _macros("argmin argmax arg"), "the formula after it is what is read; leave it out"
    ),
    "\\lim": "limits are not read",
    **dict.fromkeys(("\\mid", "\\middle"), "a condition is not read"),
    "\\infty": "infinity is no number",
    "\\dagger": "tensors are real: a transpose is written ^\\top",
    "\\backslash": "to solve a system, write A^{-1} b",
    "\\mathbb{E}": "expectations are not read; write a sum",
    "\\in": "a formula stands without what is said about its variables",
    "!": "factorials are not read",
}
_TRANSPOSES: Final = {"\\top", "\\intercal", "\\prime", "'", _TACK, "\\transpose", "\\tran"}
_NO_POWERS: Final = {
    *["*", "\\ast", "\\dagger", "H", "\\star", "+", "\\mathsf{H}", "\\mathrm{H}", "\\dag"]
}


class _Item(NamedTuple):
    text: str
    place: int

    @property
    def is_space(self) -> bool:
        return self.text.isspace() or self.text in _SPACE or self.text.startswith("%")


@dataclass
class _Cutter:
    """Goes over the items of a text, and collects tokens."""

    text: str
    names: Collection[str]
    functions: Collection[str]
    items: list[_Item] = field(default_factory=list[_Item])
    found: list[Token] = field(default_factory=list[Token])
    at: int = 0
    # What is open: its kind, its item, and whether \left stands before it.
    opened: list[tuple[str, _Item, bool]] = field(default_factory=list[tuple[str, _Item, bool]])
    # Macros whose arguments have begun: each with how many follow, and how many brackets are open.
    pending: list[tuple[_Item, int, int]] = field(default_factory=list[tuple[_Item, int, int]])

    def emit(self, kind: str, text: str, place: int) -> None:
        self.found.append(Token(kind, text, place))

    def error(self, reason: str, place: int, *expected: str) -> ParseError:
        return ParseError(reason, self.text, place, expected)

    def peek(self) -> str:
        """The next item that is no space, which is then the next one."""
        in_cases = bool(self.opened) and self.opened[-1][0] == "cases"
        while self.at < len(self.items) and self.items[self.at].is_space:
            if in_cases and self.items[self.at].text == "&":
                break
            self.at += 1
        return self.items[self.at].text if self.at < len(self.items) else ""

    def split(self, length: int) -> None:
        """Let the next item have this many characters, and what follows be another one."""
        item = self.items[self.at]
        if len(item.text) > length:
            rest = _Item(item.text[length:], item.place + length)
            self.items[self.at : self.at + 1] = [_Item(item.text[:length], item.place), rest]


def tokens(text: str, names: Collection[str], functions: Collection[str]) -> list[Token]:
    r"""The tokens of a formula; raises `ParseError` for what has no meaning.

    >>> [t.type for t in tokens(r"x^\top A x", ["A", "x"], [])]
    ['NAME', 'TRANSPOSE', 'NAME', 'NAME']
    """
    every_name = tuple(dict.fromkeys((*names, *_defined(text))))
    items = _without_head(_without_remarks(_without_braces(list(_items(text)))), every_name)
    items = _without_objective(items, every_name)
    cutter = _Cutter(text, every_name, functions, items)
    while cutter.at < len(cutter.items):
        item = cutter.items[cutter.at]
        cutter.at += 1
        _cut(cutter, item)
    for kind, item, _ in reversed(cutter.opened):
        raise cutter.error(f"this {_sign(kind)} is never closed", item.place)
    while cutter.found and cutter.found[-1].type in ("COMMA", "SEMICOLON", "COLON"):
        # What ends a sentence or a row belongs to the text around a formula.
        cutter.found.pop()
    return cutter.found


def _without_braces(items: list[_Item]) -> list[_Item]:
    r"""The items of `{\displaystyle x}`, as Wikipedia has it behind its letters, without braces."""
    found = [item for item in items if not item.text.isspace()]
    begins = (k for k, item in enumerate(found[1:]) if item.text == "\\displaystyle")
    first = next((k for k in begins if found[k].text == "{"), None)
    if first is None:
        return items
    items, found = items[items.index(found[first]) :], found[first:]
    opened = [*accumulate({"{": 1, "}": -1}.get(item.text, 0) for item in found)]
    around = (*found[:2], found[-1]) if opened.index(min(opened)) == len(found) - 1 else ()
    return [item for item in items if item not in around]


def _without_remarks(items: list[_Item]) -> list[_Item]:
    r"""The items without empty braces, and without `, \quad 0 \leq k \leq 2` behind them."""
    texts = [item.text for item in items]
    empty = {k for k in range(len(texts) - 1) if texts[k : k + 2] == ["{", "}"]}
    comma = next(
        (k for k, t in enumerate(texts) if t == "," and _REMARK.match("".join(texts[k:]))), None
    )
    return [i for k, i in enumerate(items[:comma]) if not {k, k - 1} & empty]


_REMARK: Final = re.compile(
    r",(?:\s|~|\\[ ,;])*(?:\\q?quad|\\(?:text|mathrm)\s*\{\s*(?:for|where|with|if)\b)"
    r"(?!.*=[^=]*\Z)",
    re.DOTALL,
)


def _without_head(items: list[_Item], names: Collection[str]) -> list[_Item]:
    """The items of `f(x) = x` and `L_{ridge}(w; X) = x` without what stands before the sign."""
    breaks = [k for k, item in enumerate(items) if item.text == "\\\\"]
    # What follows the last row is no row.
    after = ((k, next((i.text for i in items[k + 1 :] if not i.is_space), "\\end")) for k in breaks)
    rows = [k + 1 for k, following in after if following != "\\end"]
    start = 0 if not rows or any(item.text == "cases" for item in items) else rows[-1]
    signs = ("=", ":=", "\\mapsto", "↦")
    opened = accumulate({"{": 1, "}": -1}.get(item.text, 0) for item in items[start:])
    outside = (k for k, depth in enumerate(opened, start) if not depth)
    sign = next((k for k in outside if items[k].text in signs), None)
    if sign is None:
        return items
    head = _HEAD.fullmatch("".join(item.text for item in items[start:sign]).rstrip(":"))
    if head is None:
        return items
    another = head["accent"] or re.search("[-+=]", head["below"])
    if head["name"].removeprefix("\\") in names and not another:
        return items
    if not head["arguments"] and _INDICES.fullmatch(head["below"]):
        letters = re.sub(r"[\W_]", "", head["below"])
        body = "".join(item.text for item in items[sign + 1 :])
        if re.search(rf"_\s*\{{?[^{{}}]*[{letters}]|\^\s*\{{?\s*[{letters}]\b", body):
            return items
    return [*items[:start], *items[sign + 1 :]]


# Indices of an entry, no word.
_INDICES: Final = re.compile(r"_\{?\s*[a-z](?:\s*,?\s*[a-z]){0,2}\s*\}?")
_BELOW_IT: Final = r"(?:_(?:\{[^{}]*\}|\\[a-z]+|\w)|\^(?:\{[^{}]*\}|\\?[\w*]))*"
_HEAD: Final = re.compile(
    r"[\s&$]*(?:\\[\[(]|\\begin\{[a-z]+\*?\})?[\s&]*(?:\\(?:log|ln)\s*|log\s)?"
    r"(?:[A-Za-z]\s*:\s*)?(?P<accent>\\(?:wide)?(?:hat|tilde|bar|dot|ddot|vec)\s*\{?)?"
    r"(?:\\[a-z]+\s*\{)?(?P<name>\\?[A-Za-z]+|[^\W\d_])\}?\s*"
    rf"(?P<below>{_BELOW_IT})\s*(?P<arguments>(?:\\left|\\[bB]ig+l?)?\s*[(\[].*[)\]])?[\s&]*",
    re.DOTALL,
)


def _without_objective(items: list[_Item], names: Collection[str]) -> list[_Item]:
    r"""The items without `\min_w` at their beginning, where w is no index: the objective."""
    text = "".join(item.text for item in items)
    found = OBJECTIVE.match(text)
    if found is None:
        return items
    below = plain_words(re.split(r"\\in\b|∈", found["below"])[0]).split(",")
    if all(name not in names and re.fullmatch("[i-n]", name) for name in below):
        return items
    length, k = 0, 0
    while length < found.end():
        length += len(items[k].text)
        k += 1
    return items[k:]


OBJECTIVE: Final = re.compile(
    r"[\s$]*(?:\\\[)?(?P<sign>\\(?:arg)?(?:min|max)|\\operatorname\*?\s*\{\s*(?:arg\s*(?:\\,)?\s*)?"
    r"(?:min|max)(?:imize)?\s*\}|\\arg\s*\\(?:min|max))\s*"
    r"(?:\\limits\s*)?_(?P<below>\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w+)(?:\s|\\[,;:!]|\\q?quad)*"
)
"""An optimisation's sign in front of its objective."""


def _items(text: str) -> Iterator[_Item]:
    """The items of a text, those of Unicode as LaTeX writes them."""
    plain = "".join(
        unicodedata.normalize("NFKC", c)
        if "\U0001d400" <= c <= "\U0001d7ff" and c not in "𝟏𝟎"
        else c
        for c in text
    )
    for match in _ITEM.finditer(plain):
        item, place = match[0], match.start()
        if item[0] in _BELOW or item[0] in _ABOVE:
            sign, letters = ("_", _BELOW) if item[0] in _BELOW else ("^", _ABOVE)
            item = f"{sign}{{{''.join(letters[c] for c in item)}}}"
        else:
            item = _AS_LATEX.get(item, item)
        if item == match[0]:
            yield _Item(item, place)
        else:
            yield from (_Item(m[0], place) for m in _ITEM.finditer(item))


_DEFINED: Final = re.compile(r"(?:\A|\\\\|\}|\n)[\s&]*([A-Za-z])_\{?(\d+)\}?\s*&?\s*=")


def _defined(text: str) -> list[str]:
    """The names that rows of a formula give to parts, as in `t_{1} &= …`."""
    return [f"{m[1]}_{m[2]}" for m in _DEFINED.finditer(text)] if "\\\\" in text else []


def _sign(kind: str) -> str:
    return "brace" if kind == "{" else "bar" if kind in ("BAR", "NORM") else "bracket"


_DERIVATIVE: Final = re.compile(
    r"\\\w?frac\s*\{\s*(?:\\mathrm\s*)?\{?d\}?(?:\s*\^\s*\{?\d\}?)?\s*\w?\s*\}\s*\{\s*(?:\\mathrm\s*)?\{?d"
)


# One item after another ------------------------------------------------------------------


def _cut(c: _Cutter, item: _Item) -> None:
    text = item.text
    if text in _SWITCHES or (
        item.is_space and not (text == "&" and c.opened and c.opened[-1][0] == "cases")
    ):
        return
    if text in ("\\begin", "\\end", "\\label", "\\tag"):
        _environment(c, item)
    elif text == "&":
        c.emit("AMP", text, item.place)
    elif text in _OPENING or text in _CLOSING:
        _delimiter(c, item)
    elif text in _BARS or text.startswith(("\\lvert", "\\rvert")):
        _bar(c, item, 0, False)
    elif text in _BRACKETS or text in _CLOSED:
        _bracket(c, item, False)
    elif text == "{" and (switched := _switched(c)):
        _styled(c, *switched)
    elif text == "{":
        c.opened.append(("{", item, False))
        c.emit("LBRACE", "{", item.place)
    elif text == "}":
        _close(c, "{", item, False)
        c.emit("RBRACE", "}", item.place)
        if c.pending and c.pending[-1][2] == len(c.opened):
            _next_argument(c)
    elif text in ("\\\\", ";"):
        inside = text == ";" and c.opened and c.opened[-1][0] in _BRACKETS
        c.emit("COMMA" if inside else "SEMICOLON", ";", item.place)
    elif text == "_":
        c.emit("SUB", *_argument(c, item))
    elif text == "^":
        _above(c, item)
    else:
        _cut_operand(c, item)


def _cut_operand(c: _Cutter, item: _Item) -> None:
    text = item.text
    if text in ("'", _TACK):
        c.emit("TRANSPOSE", "'", item.place)
    elif text == "\\infty" and c.found and c.found[-1].type == "RNORM":
        c.emit("SUB", text, item.place)
    elif text in ("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"):
        if _DERIVATIVE.match(c.text, item.place):
            raise c.error(_REFUSED["\\partial"], item.place)
        c.emit("FRAC", text, item.place)
        _arguments(c, item, 2)
    elif text == "\\sqrt":
        _root(c, item)
    elif text == "\\sum" or (text == "Σ" and not {"Σ", "Sigma"} & {*c.names} and _sums(c)):
        _sum(c, item)
    elif text[0].isdecimal() or (text[0] == "." and len(text) > 1):
        _number(c, item)
    elif text in _STYLES or text in _ACCENTS:
        here = c.at
        if not _styled(c, item, *_braced(c, item)):
            c.at = here
    elif text in _OPERATORS:
        _operator(c, item)
    elif text in _REFUSED:
        raise c.error(_REFUSED[text], item.place)
    elif text != "." or c.peek() not in ("", "\\end"):
        _name(c, text, item.place)


def _operator(c: _Cutter, item: _Item) -> None:
    kind = _OPERATORS[item.text]
    ahead = c.peek()
    if kind == "COLON" and ahead == "=":
        c.at += 1
        kind = "EQUAL"
    c.emit(kind, item.text, item.place)


def _number(c: _Cutter, item: _Item) -> None:
    """A number; an exponent after e would be set as a difference."""
    _, e, exponent = item.text.partition("e")
    if e:
        reason = (
            f"{item.text} is a number, or a difference with e; write 10^{{{exponent}}}, or a sign "
            "before e"
        )
        raise c.error(reason, item.place)
    c.emit("NUMBER", item.text, item.place)


def _root(c: _Cutter, item: _Item) -> None:
    ahead = c.peek()
    if ahead == "[":
        reason = "roots are square; others are powers, as in x^{1/3}"
        raise c.error(reason, c.items[c.at].place)
    if ahead == "(":
        c.emit("FUNCTION", "sqrt", item.place)
        return
    c.emit("SQRT", item.text, item.place)
    _arguments(c, item, 1)


def _only_index(c: _Cutter) -> str:
    """The index that a sum goes over that names none: that of all the names below."""
    found = {*re.findall(r"[^\W_]\}?\s*_\s*\{?\s*([i-n])\b", _spelled(c.text))}
    return found.pop() if len(found) == 1 else ""


def _braced(c: _Cutter, after: _Item) -> tuple[str, int]:
    """The text of an argument: in braces, or one item; and where it begins."""
    first = c.peek()
    if not first or first == "}":
        raise c.error(f"{after.text} has no argument", after.place, "'{'")
    if first != "{":
        if first[0].isalnum():
            # In TeX an argument without braces is one letter, or one digit.
            c.split(1)
        item = c.items[c.at]
        c.at += 1
        return item.text, item.place
    depth, start = 0, c.at
    while c.at < len(c.items):
        depth += {"{": 1, "}": -1}.get(c.items[c.at].text, 0)
        c.at += 1
        if not depth:
            inner = c.items[start + 1 : c.at - 1]
            place = inner[0].place if inner else c.items[c.at - 1].place
            return "".join(i.text for i in inner), place
    raise c.error("this brace is never closed", c.items[start].place)


def _argument(c: _Cutter, item: _Item) -> tuple[str, int]:
    """The text of what stands above or below: in braces, or one item with its argument."""
    first = c.peek()
    styled = first in _STYLES
    text, place = _braced(c, item)
    if styled:
        argument, _ = _braced(c, _Item(first, place))
        return f"{first}{{{argument}}}", place
    return text, place


def _arguments(c: _Cutter, after: _Item, number: int) -> None:
    """What follows are arguments; those without braces get them."""
    c.pending.append((after, number, len(c.opened)))
    _next_argument(c)


def _next_argument(c: _Cutter) -> None:
    after, number, depth = c.pending.pop()
    if not number:
        return
    c.pending.append((after, number - 1, depth))
    first = c.peek()
    if first == "{":
        return
    if not first or first in ("}", ")", "&", "^", "_", "\\right", "+", "="):
        wanted = "two arguments" if after.text.endswith("frac") else "an argument"
        raise c.error(f"{after.text} needs {wanted}", after.place, "'{'")
    if first in _STYLES or first in _ACCENTS or first in ("\\frac", "\\sqrt", "\\left"):
        reason = f"the argument of {after.text} stands in braces"
        raise c.error(reason, c.items[c.at].place, "'{'")
    if first[0].isalnum() and after.place < c.items[c.at].place:
        c.split(1 if c.text[after.place] == "\\" or after.text == "^" else len(first))
    item = c.items[c.at]
    end = _Item("}", item.place + len(item.text))
    c.items[c.at : c.at + 1] = [_Item("{", item.place), item, end]


# Environments, brackets and bars ---------------------------------------------------------


def _environment(c: _Cutter, item: _Item) -> None:
    name, place = _braced(c, item)
    if item.text in ("\\label", "\\tag"):
        return
    if name == "cases" and item.text == "\\begin":
        c.opened.append(("cases", item, False))
        c.emit("CASES", name, item.place)
    elif name == "cases":
        if c.found and c.found[-1].type == "SEMICOLON":
            c.found.pop()
        _close(c, "cases", item, False)
        c.emit("END", name, item.place)
    elif name.rstrip("*") not in _ENVIRONMENTS:
        known = "equation, align, aligned, gather, split, cases"
        raise c.error(f"no formula stands in {name!r}", place, known)


def _delimiter(c: _Cutter, item: _Item) -> None:
    opening = item.text in _OPENING
    stretched = item.text in ("\\left", "\\right")
    following = c.peek()
    if not following:
        raise c.error(f"a bracket follows {item.text}", item.place, "'('")
    bracket = c.items[c.at]
    c.at += 1
    if following in _BARS:
        _bar(c, bracket, 1 if opening else -1, stretched)
    elif following in _ANGLES:
        if stretched and opening:
            c.opened.append(("<", item, True))
        elif stretched:
            _close(c, "<", item, True)
        c.emit("LANGLE" if opening else "RANGLE", following, bracket.place)
    elif following in (_BRACKETS if opening else _CLOSED):
        _bracket(c, bracket, stretched)
    else:
        reason = f"after {item.text} stands a bracket, not {following}"
        raise c.error(reason, bracket.place, "'('")


def _bracket(c: _Cutter, item: _Item, stretched: bool) -> None:
    if item.text in _BRACKETS:
        c.opened.append((item.text, item, stretched))
        c.emit("LPAR", item.text, item.place)
    else:
        _close(c, _CLOSED[item.text], item, stretched)
        c.emit("RPAR", item.text, item.place)


def _close(c: _Cutter, kind: str, item: _Item, stretched: bool) -> None:
    r"""Close the bracket that was opened last; those with \left need \right."""
    if not c.opened:
        raise c.error(f"this {_sign(kind)} closes nothing", item.place)
    before, opening, with_left = c.opened[-1]
    if before != kind:
        named = {"{": "'}'", "BAR": "'|'", "NORM": r"'\|'", "<": r"\rangle", "cases": r"\end"}
        partner = named.get(before) or f"'{_BRACKETS[before]}'"
        raise c.error(f"{item.text} does not close {opening.text}", item.place, partner)
    if with_left != stretched:
        missing = "\\right" if with_left else "\\left"
        place = item.place if with_left else opening.place
        raise c.error(f"{missing} is missing before this bracket", place, missing)
    c.opened.pop()


def _bar(c: _Cutter, item: _Item, side: int, stretched: bool) -> None:
    """A bar opens where an operand begins, and closes where one has ended."""
    # Two single bars are a double one.
    kind, default = _BARS.get(item.text) or ("NORM", 1 if item.text.startswith("\\l") else -1)
    side = side or default
    side = side or (-1 if c.opened and c.opened[-1][0] == kind and ends_operand(c.found) else 1)
    if side > 0:
        c.opened.append((kind, item, stretched))
        c.emit(f"L{kind}", item.text, item.place)
    else:
        _close(c, kind, item, stretched)
        c.emit(f"R{kind}", item.text, item.place)


# Names, and what stands above and below ----------------------------------------------------


def _name(c: _Cutter, text: str, place: int) -> None:
    plain = text.removeprefix("\\").removeprefix("var")
    if plain in GREEK:
        plain = plain if plain in c.names else GREEK[plain]
    elif text.startswith("\\"):
        if plain in _COMMANDS and not (plain in c.names and len(plain) > 3):
            c.emit("FUNCTION", plain, place)
            return
        if plain not in _TYPED and plain not in c.names and plain not in c.functions:
            known = (*sorted(_COMMANDS), *_TYPED, "frac", "sum", "odot", "top", "mathbf")
            near = suggestion(plain, known).replace("'", "'\\", 1)
            raise c.error(f"the macro {text} is not known{near}", place)
        plain = _TYPED[plain] if _TYPED.get(plain) in c.names and plain not in c.names else plain
    elif not text.isalpha():
        raise c.error(f"the character {text!r} has no meaning here", place)
    elif text == "sum" and c.peek() == "_":
        _sum(c, _Item(text, place))
        return
    elif len(text) > 1:
        _word(c, text, place)
        return
    called = c.peek() in ("(", "\\left", "\\bigl", "\\Bigl")
    if plain == "sigma" and called:
        _sigma(c, plain, place)
    elif plain == "Gamma" and called and not {"Gamma", "Γ"} & {*c.names}:
        c.emit("FUNCTION", "gamma", place)
    elif (
        plain in c.functions
        and plain not in c.names
        and len(plain) > 1
        and (called or not is_greek(plain))
    ):
        c.emit("FUNCTION", plain, place)
    else:
        _named(c, plain, place)


def _word(c: _Cutter, text: str, place: int) -> None:
    """Letters side by side: the word of a function, or names by themselves."""
    called = c.peek() in ("(", "\\left", "\\bigl", "\\Bigl", "{", "|", "[")
    words = [text[-k:] for k in range(len(text), 1, -1) if text[-k:] in c.functions]
    word = next((w for w in words if called or not all(i in c.names for i in w)), "")
    letters = text.removesuffix(word)
    unknown = [i for i in letters if i not in c.names]
    spelt = len(letters) > 2 and letters.islower() and re.search("[aeiouy]", letters)
    if spelt and len(unknown) == len(letters):
        near = suggestion(text, (*c.functions, *c.names))
        raise TextUnknownVariable(
            f"no function or variable is called {text!r}{near}; letters that are multiplied have "
            "spaces between them",
            c.text,
            place,
        )
    if not letters:
        c.emit("FUNCTION", word, place)
        return
    rest = [_Item(letter, place + k) for k, letter in enumerate(letters)]
    c.items[c.at : c.at] = [*rest, *([_Item(word, place + len(letters))] if word else [])]


def _sigma(c: _Cutter, name: str, place: int) -> None:
    """The logistic function, where no variable is called sigma."""
    if name in c.names or "\N{GREEK SMALL LETTER SIGMA}" in c.names:
        raise c.error(
            r"\sigma is a variable here: this is a product, or the logistic function; write "
            r"\sigma \cdot ( or \operatorname{sigmoid}(",
            place,
        )
    c.emit("FUNCTION", "sigmoid", place)


def _written(name: str) -> str:
    """A pattern for how a name may be written."""
    return f"(?:{_TYPED[name]}|{name})" if name in _TYPED else name


def _named(c: _Cutter, name: str, place: int) -> None:
    """The token of a name; `W_1` is one where there is such a variable."""
    if c.peek() == "_":
        here = c.at
        c.at += 1
        below = plain_words(_argument(c, c.items[here])[0])
        joint = next((n for n in (f"{name}_{below}", f"{name}{below}") if n in c.names), None)
        # A name that stands with numbers below alone is one name with each.
        numbered = below.isdecimal() and not re.search(
            rf"{_written(name)}(?![A-Za-z])(?!\s*\}}?\s*(?:_\s*\{{?\s*\d|[₀-₉]))", c.text
        )
        if (
            joint is None
            and (name not in c.names or (below.islower() and below not in _OFTEN_INDICES))
            and (
                numbered
                or re.fullmatch(r"[A-Z]\w*|0|max|min", below)
                or _is_label(c.text, name, below)
            )
        ):
            # Neither an index nor a place: a part of the name.
            joint = f"{name}_{below}"
        if joint and below:
            c.emit("NAME", joint, place)
            return
        c.at = here
    if name in c.names:
        c.emit("NAME", name, place)
    elif name == "E" and c.peek() == "[":
        raise c.error(_REFUSED["\\mathbb{E}"], place)
    elif name == "delta" and c.peek() == "_" and _DELTA.match(c.text, c.items[c.at].place):
        c.emit("DELTA", name, place)
    elif name == "I":
        c.emit("CONSTANT", "eye", place)
    else:
        kind = {"e": "EULER", "pi": "PI"}.get(name, "NAME")
        c.emit("NAME" if c.peek() == "_" else kind, name, place)


# Letters that stand below as indices rather than as labels.
_OFTEN_INDICES: Final = frozenset("ijklmnt")


def _spelled(text: str) -> str:
    """A text with lowered letters as LaTeX has them: `x_i` for xᵢ."""
    return "".join(f"_{_BELOW[c]}" if c in _BELOW else c for c in text)


def _is_label(text: str, name: str, below: str) -> bool:
    """Whether a letter is no index but a part of one name, as in `R_f`."""
    if name == "I" or not re.fullmatch("[a-z]", below):
        return False
    text = _spelled(text)
    upright = re.search(rf"_\s*\{{?\s*\\(?:text|mathrm|rm)\s*\{{?\s*{below}\b", text)
    if upright:
        return True
    # Rather an index, if anything is.
    others = rf"\\sum|[∑Σ]|[_^]\s*\{{(?=[^{{}}\\]*{below})[^{{}}\\]{{2,}}\}}"
    if below in _OFTEN_INDICES and re.search(others, text):
        return False
    met = re.findall(rf"(\\?[^\W_]+)\}}?\s*_\s*(?:\{{|\\\w+|\s)*{below}(?![A-Za-z])", text)
    return bool(met) and {GREEK.get(m, m.removeprefix("\\")) for m in met} == {name}


# Kronecker's delta has two indices.
_DELTA: Final = re.compile(r"_\s*\{\s*[a-z]\s*,?\s*[a-z]\s*\}|[ᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ]{2}")
_FORMULA: Final = re.compile(r"(?<!\\)[_^+*/=-]|\\(?:top|frac)")
_OTHERWISE: Final = re.compile(r"\s*(,|if|for|when|otherwise|else|where)\b[\s,.]*\Z|\s*,\s*\Z")


def _switched(c: _Cutter) -> tuple[_Item, str, int] | None:
    r"""What stands in braces after a switch of style, as in `{\rm Tr}`."""
    here = c.at
    if c.peek() in _SWITCHES:
        switch = c.items[c.at]
        c.at += 1
        word = c.items[c.at] if c.peek().isalpha() else None
        c.at += 1
        if word and c.peek() == "}":
            c.at += 1
            return switch, word.text, word.place
    c.at = here
    return None


def _styled(c: _Cutter, item: _Item, argument: str, place: int) -> bool:
    """Whether an argument is a name, a function or a constant in another style of letters."""
    in_cases = bool(c.opened) and c.opened[-1][0] == "cases"
    if in_cases and _OTHERWISE.match(argument):
        if argument.strip(" ,.") in ("otherwise", "else"):
            c.emit("OTHERWISE", argument, place)
        return True
    if item.text not in _ACCENTS and _FORMULA.search(argument):
        # Letters of a style in a whole formula.
        return False
    accent = _ACCENTS.get(item.text)
    inner = argument.replace("\\_", "_").strip()
    word = plain_words(inner)
    bold = item.text in _macros("mathbf mathbb boldsymbol bm vec symbf pmb bf")
    if accent and word.isidentifier():
        joint = (f"{word}_{accent}", f"{word}{accent}", f"{accent}_{word}")
        _named(c, next((n for n in joint if n in c.names), joint[0]), item.place)
    elif item.text == "\\mathbb" and word == "I":
        # The sign of a condition, or of the identity.
        indicates = _condition_below(c) or c.peek() in _CONDITIONS
        c.emit("CONSTANT", "ones" if indicates else "eye", item.place)
    elif bold and word in ("0", "1"):
        c.emit("CONSTANT", "zeros" if word == "0" else "ones", item.place)
        _condition_below(c)
    elif word in c.names:
        _named(c, word, item.place)
    elif inner.startswith("\\") or word in GREEK:
        _name(c, inner if inner.startswith("\\") and inner[1:].isalpha() else word, place)
    elif word in c.functions:
        c.emit("FUNCTION", word, item.place)
    elif len(word) > 1 and (
        all(letter in c.names for letter in word) or (bold and may_be_product(word))
    ):
        for k, letter in enumerate(word):
            c.emit("NAME", letter, place + k)
    elif not word:
        raise c.error(f"{item.text} has no argument", item.place, "'{'")
    elif not word.replace("-", "").isidentifier():
        raise c.error(f"{inner!r} is no name", place)
    elif item.text == "\\mathbb":
        reason = _REFUSED.get(f"\\mathbb{{{word}}}", f"\\mathbb{{{word}}} has no meaning here")
        raise c.error(reason, item.place)
    elif item.text.startswith("\\operatorname"):
        near = suggestion(word, c.functions)
        raise c.error(f"no function is called {word!r}{near}", item.place)
    else:
        _named(c, word, item.place)
    return True


_CONDITIONS: Final = ("(", "[", "{", "\\{", "\\left")


def _condition_below(c: _Cutter) -> bool:
    r"""Whether a condition stands below \mathbb{1}; it is then in brackets behind it."""
    if c.peek() != "_" or c.at + 1 >= len(c.items) or c.items[c.at + 1].text != "{":
        return False
    end = _partner_of(c, c.at + 1)
    inside = c.items[c.at + 2 : end]
    if end is None or not any(_OPERATORS.get(i.text) == "COMPARE" for i in inside):
        return False
    c.items[end] = c.items[end]._replace(text="]")
    c.items[c.at : c.at + 2] = [c.items[c.at + 1]._replace(text="[")]
    return True


# What has another meaning where it stands above has few signs.
_SHORT: Final = 24


def _above(c: _Cutter, item: _Item) -> None:
    first = c.peek()
    if first == "(" and (end := _partner_of(c, c.at)) is not None:
        # What stands in brackets belongs together, though TeX takes the bracket alone.
        c.items[c.at] = c.items[c.at]._replace(text="{")
        c.items[end] = c.items[end]._replace(text="}")
        first = "{"
    here = c.at
    if first == "{" and not _is_short(c):
        c.emit("POWER", "^", item.place)
        _arguments(c, item, 1)
        return
    text, place = _argument(c, item)
    word = plain_words(text.replace("\\top", _TACK)) if "\\" in text else text.strip()
    after_function = bool(c.found) and c.found[-1].type == "FUNCTION"
    if _transposes(text, word) and not after_function:
        c.emit("TRANSPOSE", text, place)
    elif _is_index_above(c, text):
        c.emit("UPPER", text, place)
    elif word[:1] in ("-", _MINUS) and _transposes(text.strip()[1:].strip(), word[1:].strip()):
        c.emit("INVERSE_TRANSPOSE", text, place)
    elif text.strip() in _NO_POWERS:
        reason = f"^{text.strip()} has no meaning here: tensors are real, and have transposes and "
        raise c.error(f"{reason}inverses alone", place, "^\\top", "^{-1}")
    elif (counted := re.fullmatch(r"\s*\(\s*([a-z])\s*\)\s*", text)) and re.search(
        rf"(?:\\sum|∑|Σ)[^=]*_\s*\{{?\s*{counted[1]}\b", c.text
    ):
        # What a sum counts is an index, wherever it stands.
        c.emit("SUB", counted[1], place)
    elif re.fullmatch(r"[(\[].*[)\]]", text.strip(), re.DOTALL):
        reason = f"^{{{text.strip()}}} is a power, or counts something; write it without brackets, "
        raise c.error(f"{reason}or below", place)
    else:
        entries = re.match(r"\s*\\(?:odot|circ)(?![A-Za-z])", text)
        if entries and not text[entries.end() :].strip() and not after_function:
            raise c.error("an exponent is missing", place)
        c.at = here
        if entries:
            signs = ("\\odot", "\\circ")
            del c.items[next(k for k in range(here, len(c.items)) if c.items[k].text in signs)]
        c.emit("DOT_POWER" if entries else "POWER", "^", item.place)
        _arguments(c, item, 1)


def _is_index_above(c: _Cutter, text: str) -> bool:
    """Whether what stands above are indices that stand below as well, as in `g^{ij} x_i x_j`."""
    letters = re.findall(r"\\[a-z]+|[a-z]", text)
    return (
        bool(letters)
        and "".join(letters) == re.sub(r"\s", "", text)
        and not re.search(r"\\sum|[∑Σ]", c.text)
        and all(
            letter.removeprefix("\\") not in c.names
            and re.search(rf"_\s*(?:\{{[^{{}}]*)?{re.escape(letter)}", c.text)
            for letter in letters
        )
    )


def _partner_of(c: _Cutter, start: int) -> int | None:
    """Where the bracket or brace is closed that is opened there."""
    depth = 0
    opening = c.items[start].text
    closing = ")" if opening == "(" else "}"
    for k in range(start, len(c.items)):
        depth += {opening: 1, closing: -1}.get(c.items[k].text, 0)
        if not depth:
            return k
    return None


def _is_short(c: _Cutter) -> bool:
    """Whether the braces that begin here are closed after a few items."""
    depth = 0
    for inner in c.items[c.at : c.at + _SHORT]:
        depth += {"{": 1, "}": -1}.get(inner.text, 0)
        if not depth:
            return True
    return False


_STYLED_T: Final = re.compile(
    r"\s*\{?\s*\\(?:mathsf|mathrm|text|textsf|mathbf|mathtt|rm|sf|bf)\s*\{?\s*T\s*\}*\s*"
)


def _transposes(text: str, word: str) -> bool:
    """Whether what stands above is the sign of a transpose."""
    return bool(
        _STYLED_T.fullmatch(text)
        or word in _TRANSPOSES | {"prime", "intercal"}
        or text.strip() in _TRANSPOSES
    )


def _sums(c: _Cutter) -> bool:
    """Whether Σ is the sign of a sum: an index stands below it, or below what follows."""
    ahead = [i.text for i in c.items[c.at :] if not i.is_space][:2]
    return ahead[:1] == ["_"] or (ahead[1:] == ["_"] and ahead[0].isalpha())


def _sum(c: _Cutter, item: _Item) -> None:
    """The sign of a sum with all that stands above and below it: `_{i=1}^n`."""
    bounds = {"_": "", "^": ""}
    places = {"_": item.place}
    while (sign := c.peek()) in bounds:
        if bounds[sign]:
            raise c.error(f"this sum has two {sign}", c.items[c.at].place)
        mark = c.items[c.at]
        c.at += 1
        bounds[sign], places[sign] = _braced(c, mark)
    if not bounds["_"].strip() and (only := _only_index(c)):
        bounds["_"] = only
    if not bounds["_"].strip():
        raise c.error("a sum says over which index it goes", item.place, "an index, as in \\sum_i")
    c.emit("SUM", f"{bounds['_']}^{bounds['^']}", places["_"])
