"""Terms in LaTeX: matrix notation where there is one, index notation elsewhere.

The text is for math mode, and needs `amsmath` alone.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.functions import FUNCTIONS, MATRIX_FUNCTIONS, Function
from eggrad.engine.terms.term import Term, own_functions
from eggrad.frontend.printing.formulas import Form
from eggrad.frontend.printing.index_pieces import Indexed
from eggrad.frontend.printing.index_printer import format_index
from eggrad.frontend.printing.matrix_form import sizes_are_names
from eggrad.frontend.printing.matrix_printer import written
from eggrad.frontend.text.precedence import Text, bracketed, levels

__all__ = ["format_latex", "format_latex_index", "latex_function", "latex_name", "latex_number"]

_SUM, _ENTRIES, _PRODUCT, _POWER, _ATOM = levels("latex")
_LEVELS: Final = {"add": _SUM, "subtract": _SUM, "multiply": _ENTRIES, "times": _PRODUCT}
_SIGNS: Final = {"add": " + ", "subtract": " - ", "times": " ", "multiply": r" \odot "}
_TIMES: Final = r" \times "
_GREEK: Final = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
    *("lambda", "mu", "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi"),
    *("omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi"),
    "Omega",
)
_TYPED: Final = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", _GREEK, strict=True))
_RAISED: Final = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_IN_INDICES: Final = {"δ": r"\delta", "Σ": r"\sum", "max": r"\max", "min": r"\min", " ": r" \, "}


def format_latex(root: Term) -> str:
    r"""A formula, with its named parts on lines of their own.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> format_latex(einsum("ij,j->i", A, x))
    'A x'
    """
    if not sizes_are_names(root):
        return format_latex_index(root)
    try:
        return _aligned(written(root, _style))
    except UnsupportedOperation:
        return format_latex_index(root)


def format_latex_index(root: Term) -> str:
    r"""A formula in index notation, with its named parts on lines of their own.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> format_latex_index(einsum("ij,j->i", A, x))
    '{f}_{i} = {A}_{ij} \\, {x}_{j}'
    """
    own = {f.name: f for f in own_functions(root)}
    style = partial(_index_style, own)
    return _aligned([("", line) for line in format_index(root, style).split("; ")])


def _aligned(lines: Sequence[tuple[str, str]]) -> str:
    if len(lines) == 1:
        return lines[0][1]
    rows = [rf"{latex_name(name)} &= {text}" if name else rf"& {text}" for name, text in lines]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def latex_name(name: str) -> str:
    r"""A name, its digits and what follows an underscore below it.

    >>> latex_name("W1"), latex_name("alpha_x"), latex_name("loss")
    ('W_{1}', '\\alpha_{\\mathrm{x}}', '\\mathrm{loss}')
    """
    if name != name.strip("_"):
        return _upright(name)
    stem, _, rest = name.partition("_")
    if not rest:
        digits = re.search(r"\d*$", stem)
        rest = digits[0] if digits else ""
        stem = stem.removesuffix(rest)
    greek = stem in _GREEK or stem in _TYPED
    text = rf"\{_TYPED.get(stem, stem)}" if greek else stem
    if not greek and (len(stem) > 1 or not stem.isalpha()):
        text = _upright(stem)
    below = rest if rest.isdigit() else _upright(rest)
    return f"{text}_{{{below}}}" if rest else text


def _upright(text: str) -> str:
    printable = "".join(c if c.isprintable() and c not in "\\^~" else " " for c in text)
    escaped = re.sub(r"([_#%&${}])", r"\\\1", printable)
    return rf"\mathrm{{{escaped}}}" if text.isascii() else rf"\text{{{escaped}}}"


def _style(form: Form, args: Sequence[Text]) -> Text:
    match form.op:
        case "name":
            return latex_name(form.text), _ATOM
        case "number":
            return latex_number(form.text), _ATOM
        case "call":
            return _call(form, args)
        case "index":
            return f"{{{_bracketed(args[0], _ATOM)}}}_{{{form.text[1:-1]}}}", _ATOM
        case "transpose":
            return rf"{_bracketed(args[0], _ATOM)}^\top", _POWER
        case "negate":
            return f"-{_bracketed(args[0], _ENTRIES)}", _SUM
        case "divide":
            return rf"\frac{{{args[0][0]}}}{{{args[1][0]}}}", _POWER
        case "divide_entries":
            over = rf"{_bracketed(args[0], _ENTRIES)} \oslash {_bracketed(args[1], _PRODUCT)}"
            return over, _ENTRIES
        case "power":
            return f"{_bracketed(args[0], _ATOM)}^{{{args[1][0]}}}", _POWER
        case "power_entries":
            return rf"{_bracketed(args[0], _ATOM)}^{{\odot {args[1][0]}}}", _POWER
        case operator:
            level = _LEVELS[operator]
            left, right = args
            least = level + 1
            if operator == "add" or (operator == "times" and not form.args[0].order):
                least = level
            sign, second = _SIGNS[operator], _bracketed(right, least)
            if operator == "times" and second[0].isdigit():
                sign = r" \cdot "
            return f"{_bracketed(left, level)}{sign}{second}", level


def _call(form: Form, args: Sequence[Text]) -> Text:
    texts = [text for text, _ in args]
    match form.text:
        case "eye":
            return f"I_{{{texts[0]}}}", _ATOM
        case "unit":
            return f"e_{{{texts[0]}}}", _ATOM
        case "ones" | "zeros":
            digit = 1 if form.text == "ones" else 0
            return rf"\mathbf{{{digit}}}_{{{_TIMES.join(texts)}}}", _ATOM
        case "vector" | "matrix":
            ones = rf"\mathbf{{1}}_{{{_TIMES.join(texts[1:])}}}"
            return rf"{_bracketed(args[0], _ATOM)} \, {ones}", _PRODUCT
        case "size":
            return texts[0], _ATOM
        case "inv":
            return f"{_bracketed(args[0], _ATOM)}^{{-1}}", _POWER
        case "sqrt":
            return rf"\sqrt{{{texts[0]}}}", _ATOM
        case "norm2":
            return rf"\left\lVert {texts[0]} \right\rVert_2", _ATOM
        case "logdet":
            return rf"\log\det\left({texts[0]}\right)", _POWER
        case "sum" if len(texts) > 1:
            inner = texts[0]
            if texts[1] == "2":
                return rf"\left({inner}\right) \mathbf{{1}}", _PRODUCT
            return rf"\mathbf{{1}}^\top \left({inner}\right)", _PRODUCT
        case "max" | "min" as name:
            return rf"\{name}\left({', '.join(texts)}\right)", _ATOM
        case "rowmax" | "rowmin" | "colmax" | "colmin" as name:
            below = "j" if name.startswith("row") else "i"
            return rf"\{name[3:]}_{below} \left({texts[0]}\right)_{{ij}}", _ATOM
        case name:
            written = (form.function and form.function.latex) or latex_function(name)
            if "{}" in written:
                return written.format(*texts), _ATOM
            return rf"{written}\left({', '.join(texts)}\right)", _ATOM


def _bracketed(part: Text, least: int) -> str:
    return bracketed(part, least, r"\left(", r"\right)")


def _index_style(own: Mapping[str, Function], token: Indexed, letters: Sequence[str]) -> str:
    if token.raising:
        return "^{" if token.raising > 0 else "}"
    names = list(map(latex_name, token.names))
    if token.is_condition:
        text = token.text.replace("≥", r" \ge ").replace("|", r" \mid ")
        return text.format(*letters, *names)
    text = re.sub("[⁻⁰-⁹¹²³]+", lambda m: f"^{{{m[0].translate(_RAISED)}}}", token.text)
    below = f"_{{{''.join(letters)}}}" if letters else ""
    if text in _IN_INDICES:
        return _IN_INDICES[text] + below
    opened = re.fullmatch(r"(\w+)\(", text)
    if opened:
        known = own.get(opened[1])
        return ((known and known.latex) or latex_function(opened[1])) + "("
    stem, raised, exponent = latex_number(text).partition("^")
    stem = latex_name(stem) if re.fullmatch(r"[^\W\d]\w*", stem) else stem.format(*names)
    return (f"{{{stem}}}{below}" if letters else stem) + raised + exponent


def latex_number(text: str) -> str:
    """A number, with a power of ten."""
    return re.sub(r"^([\d.]+)e(-?\d+)$", r"\1 \\cdot 10^{\2}", text)


def latex_function(name: str) -> str:
    """The name of a function, upright."""
    known = FUNCTIONS.get(name) or MATRIX_FUNCTIONS.get(name)
    escaped = name.replace("_", r"\_")
    return (known.latex if known else "") or rf"\operatorname{{{escaped}}}"
