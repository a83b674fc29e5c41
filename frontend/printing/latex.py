"""Terms in LaTeX: matrix notation where there is one, index notation elsewhere; and definitions.

The text is for math mode, and needs `amsmath` alone.
"""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.integer_conditions import Condition
from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.terms.functions import Function, OwnFunction
from eggrad.engine.terms.term import Term, own_functions
from eggrad.frontend.elementwise.printer import format_form
from eggrad.frontend.elementwise.syntax import (
    Binary,
    Call,
    Choice,
    IndexValue,
    Negative,
    Node,
    Number,
    Read,
    Sum,
)
from eggrad.frontend.printing.index import Indexed, format_index
from eggrad.frontend.printing.matrix import (
    HALVES,
    Formula,
    needs_no_brackets,
    sizes_are_names,
    written,
)
from eggrad.frontend.text.words import format_number

WORDS: Final[Mapping[str, str]] = {
    **{
        name: rf"\{name}"
        for name in (
            *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh"),
            *("exp", "log", "det"),
        )
    },
    "maximum": r"\max",
    "minimum": r"\min",
    "abs": r"\left|{}\right|",
    "floor": r"\left\lfloor {} \right\rfloor",
    "ceil": r"\left\lceil {} \right\rceil",
    "inv": r"{}^{{-1}}",
    "logabsdet": r"\log\left|\det\left({}\right)\right|",
    "signdet": r"\operatorname{sign}\det",
}
"""What LaTeX calls functions, or with places for operands the whole; others are upright names."""
_SUM, _ENTRIES, _PRODUCT, _POWER, _ATOM = levels("latex")
_LEVELS: Final = {"add": _SUM, "subtract": _SUM, "multiply": _ENTRIES, "times": _PRODUCT}
_SIGNS: Final = {"add": " + ", "subtract": " - ", "times": " ", "multiply": r" \odot "}
_COMPARISONS: Final = {"greater": ">", "greater_equal": r"\ge", "equal": "=", "not_equal": r"\ne"}
_OPENED: Final = r"\left["
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


# No space is wanted after a sign.
_AFTER_SIGN: Final = re.compile(r"(\\(?:sum|max|min)_\{[^{}]*\}) \\, ")


def format_latex(root: Term) -> str:
    r"""A formula, with its named parts on separate lines.

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
    r"""A formula in index notation, with its named parts on separate lines.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> format_latex_index(einsum("ij,j->i", A, x))
    '{f}_{i} = \\sum_{j} {A}_{ij} \\, {x}_{j}'
    """
    functions = {f.name: f for f in own_functions(root)}
    style = partial(_index_style, functions)
    lines = format_index(root, style).split("; ")
    return _aligned([("", _AFTER_SIGN.sub(r"\1 ", line)) for line in lines])


def _aligned(lines: Sequence[tuple[str, str]]) -> str:
    if len(lines) == 1:
        return lines[0][1]
    rows = [rf"{latex_name(name)} &= {text}" if name else rf"& {text}" for name, text in lines]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def latex_name(name: str) -> str:
    r"""A name, its digits and what follows an underscore below it.

    >>> latex_name("W1"), latex_name("alpha_x"), latex_name("loss"), latex_name("3")
    ('W_{1}', '\\alpha_{\\mathrm{x}}', '\\mathrm{loss}', '3')
    """
    if name.isdecimal():
        return name
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


def _style(form: Formula, args: Sequence[Text]) -> Text:
    match form.op:
        case "name":
            return latex_name(form.text), _ATOM
        case "number":
            return _fraction(form.text)
        case "constant":
            return rf"\{form.text}", _ATOM
        case "call":
            return _call(form, args)
        case "index":
            return f"{{{_bracketed(args[0], _ATOM)}}}_{{{form.text[1:-1]}}}", _ATOM
        case "transpose":
            if args[0][0].endswith("^{-1}") and args[0][1] == _POWER:
                return rf"{args[0][0].removesuffix('1}')}\top}}", _POWER
            return rf"{_bracketed(args[0], _ATOM)}^\top", _POWER
        case "negate":
            return f"-{_bracketed(args[0], _ENTRIES)}", _SUM
        case "divide":
            return rf"\frac{{{args[0][0]}}}{{{args[1][0]}}}", _POWER
        case "divide_entries":
            over = rf"{_bracketed(args[0], _ENTRIES)} \oslash {_bracketed(args[1], _PRODUCT)}"
            return over, _ENTRIES
        case "power" | "power_entries":
            sign = r"\odot " * (form.op == "power_entries")
            return f"{_bracketed(args[0], _ATOM)}^{{{sign}{_exponent(args[1][0])}}}", _POWER
        case operator:
            level = _LEVELS[operator]
            left, right = args
            least = level + 1
            if operator == "add" or needs_no_brackets(form):
                least = level
            if operator == "times" and form.args[0].op == "number":
                # A multiple's number needs no brackets around the rest.
                level = least = min(level, max(right[1], _ENTRIES))
            sign, second = _SIGNS[operator], _bracketed(right, least)
            if operator == "times" and re.match(r"(\\frac\{)?\d", second):
                sign = r" \cdot "
            return f"{_bracketed(left, level)}{sign}{second}", level


def _fraction(text: str) -> Text:
    """A number, its halves, quarters and eighths as fractions."""
    over, under = Fraction(text).as_integer_ratio()
    if under in HALVES:
        return rf"\frac{{{over}}}{{{under}}}", _POWER
    return latex_number(text), _ATOM


def _exponent(text: str) -> str:
    """An exponent; a fraction of numbers in one line."""
    return re.sub(r"^(-?)\\frac\{(\d+)\}\{(\d+)\}$", r"\1\2/\3", text)


def _call(form: Formula, args: Sequence[Text]) -> Text:
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
            which = "F" if form.args[0].order == 2 else "2"
            return rf"\left\lVert {texts[0]} \right\rVert_{which}", _ATOM
        case "norm1":
            return rf"\left\lVert {texts[0]} \right\rVert_1", _ATOM
        case name if name in _COMPARISONS:
            return rf"\left[{f' {_COMPARISONS[name]} '.join(texts)}\right]", _ATOM
        case "where" if form.args[0].text in _COMPARISONS and texts[0].startswith(_OPENED):
            test = texts[0].removeprefix(_OPENED).removesuffix(r"\right]")
            rows = rf"{texts[1]} & \text{{if }} {test} \\ {texts[2]} & \text{{otherwise}}"
            return rf"\begin{{cases}} {rows} \end{{cases}}", _SUM
        case "step":
            return rf"\left[{texts[0]} > 0\right]", _ATOM
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
        case "abs" if form.order:
            # Bars around a vector or a matrix are a norm or a determinant.
            return rf"\operatorname{{abs}}\left({texts[0]}\right)", _ATOM
        case name:
            written = latex_function(name, form.function)
            if "{}" in written:
                return written.format(*texts), _ATOM
            return rf"{written}\left({', '.join(texts)}\right)", _ATOM


def _bracketed(part: Text, least: int) -> str:
    return bracketed(part, least, r"\left(", r"\right)")


def _index_style(functions: Mapping[str, Function], token: Indexed, letters: Sequence[str]) -> str:
    if token.raising:
        return "^{" if token.raising > 0 else "}"
    names = list(map(latex_name, token.names))
    if token.is_condition:
        text = token.text.replace("≥", r" \ge ").replace("|", r" \mid ")
        return text.format(*letters, *names)
    of_matrix = re.fullmatch(r"(\w+)\((?:\{0\}|\w+)\)|(?:\{0\}|\w+)⁻¹", token.text)
    if of_matrix:
        return _function_of_matrix(token.text, of_matrix[1] or "", names, letters)
    text = re.sub("[⁻⁰-⁹¹²³]+", lambda m: f"^{{{m[0].translate(_RAISED)}}}", token.text)
    below = f"_{{{''.join(letters)}}}" if letters else ""
    if text in ("Σ", "max", "min"):
        below = f"_{{{', '.join(letters)}}}"
    if text in _IN_INDICES:
        return _IN_INDICES[text] + below
    opened = re.fullmatch(r"(\w+)\(", text)
    if opened:
        return latex_function(opened[1], functions.get(opened[1])) + "("
    stem, raised, exponent = latex_number(text).partition("^")
    stem = latex_name(stem) if re.fullmatch(r"[^\W\d]\w*", stem) else stem.format(*names)
    return (f"{{{stem}}}{below}" if letters else stem) + raised + exponent


def _function_of_matrix(
    text: str, function: str, names: Sequence[str], letters: Sequence[str]
) -> str:
    """A scalar, or an entry of a matrix: that of an inverse is not the inverse of an entry."""
    operand = text.removeprefix(f"{function}(").rstrip(")⁻¹")
    matrix = names[0] if names else latex_name(operand)
    if function:
        known = latex_function(function)
        shown = known.format(matrix) if "{}" in known else rf"{known}\left({matrix}\right)"
    else:
        shown = f"{matrix}^{{-1}}"
    return rf"\left({shown}\right)_{{{''.join(letters)}}}" if letters else shown


def latex_number(text: str) -> str:
    """A number, with a power of ten."""
    return re.sub(r"^([\d.]+)e(-?\d+)$", r"\1 \\cdot 10^{\2}", text)


def latex_function(name: str, declared: Function | None = None) -> str:
    """The name of a function, upright, if it has no other; a declared one may bring its own."""
    escaped = name.replace("_", r"\_")
    own = declared.latex if isinstance(declared, OwnFunction) else ""
    return own or WORDS.get(name, rf"\operatorname{{{escaped}}}")


# Element-wise definitions: subscripts, sums with their ranges, cases -----------------------


# How tightly a text binds: what stands as an operand must bind at least as its place asks.
_ENTRY_ANY, _ENTRY_SUM, _ENTRY_TERM, _ENTRY_PRODUCT, _ENTRY_POWER, _ENTRY_ATOM = levels(
    "elementwise latex"
)


def format_latex_definition(name: str, lengths: Mapping[str, Affine], body: Node) -> str:
    r"""The whole definition, with the ranges of its indices.

    >>> i, n = Affine.of("i"), Affine.of("n")
    >>> format_latex_definition("f", {"i": n - 1}, Read("x", (i + 1,)))
    'f_{i} = x_{i + 1}, \\quad 0 \\le i < n - 1'
    """
    left = _entry_read(name, list(map(Affine.of, lengths)))
    spans = ", \\; ".join(rf"0 \le {latex_name(i)} < {_entry_form(n)}" for i, n in lengths.items())
    return f"{left} = {_entry_text(body, _ENTRY_ANY)}" + (rf", \quad {spans}" if spans else "")


def _entry_text(node: Node, place: int) -> str:
    text, level = _entry_written(node)
    return text if level >= place else rf"\left({text}\right)"


def _entry_written(node: Node) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    match node:
        case Number(value):
            return latex_number(format_number(value)), _ENTRY_ATOM if value >= 0 else _ENTRY_SUM
        case IndexValue(form):
            return _entry_form(form), _ENTRY_ATOM if form.bare() else _ENTRY_SUM
        case Read(name, indices):
            return _entry_read(name, indices), _ENTRY_ATOM
        case Call("abs", (argument,)):
            return rf"\left|{_entry_text(argument, _ENTRY_ANY)}\right|", _ENTRY_ATOM
        case Call("sqrt", (argument,)):
            return rf"\sqrt{{{_entry_text(argument, _ENTRY_ANY)}}}", _ENTRY_ATOM
        case Call(function, arguments, declared):
            inside = ", ".join(_entry_text(a, _ENTRY_ANY) for a in arguments)
            return rf"{latex_function(function, declared)}\left({inside}\right)", _ENTRY_POWER
        case Negative(operand):
            return f"-{_entry_text(operand, _ENTRY_TERM)}", _ENTRY_SUM
        case Binary("/", over, under):
            return (
                rf"\frac{{{_entry_text(over, _ENTRY_ANY)}}}{{{_entry_text(under, _ENTRY_ANY)}}}",
                _ENTRY_POWER,
            )
        case Binary("**", base, exponent):
            return (
                f"{_entry_text(base, _ENTRY_ATOM)}^{{{_entry_text(exponent, _ENTRY_ANY)}}}",
                _ENTRY_POWER,
            )
        case Binary("*", left, right):
            second = _entry_text(right, _ENTRY_POWER)
            # Digits side by side would be read as one number, or as a mixed one.
            digits = isinstance(right, Number) or re.match(r"(\\frac\{)*\d", second)
            dot = r" \cdot " if digits else r" \, "
            return f"{_entry_text(left, _ENTRY_PRODUCT)}{dot}{second}", _ENTRY_PRODUCT
        case Binary(operator, left, right):
            return (
                f"{_entry_text(left, _ENTRY_SUM)} {operator} {_entry_text(right, _ENTRY_TERM)}",
                _ENTRY_SUM,
            )
        case Sum(index, span, body):
            low, high = (
                _entry_bound(span.lower, "max", "ceil"),
                _entry_bound(span.upper, "min", "floor"),
            )
            sign = rf"\sum_{{{latex_name(index)} = {low}}}^{{{high}}}"
            return f"{sign} {_entry_text(body, _ENTRY_TERM)}", _ENTRY_TERM
        case Choice(conditions, then, otherwise):
            joined = r" \text{ and } ".join(map(_entry_condition, conditions))
            holds, fails = (_entry_text(node, _ENTRY_ANY) for node in (then, otherwise))
            rows = rf"{holds} & \text{{if }} {joined} \\ {fails} & \text{{otherwise}}"
            return rf"\begin{{cases}} {rows} \end{{cases}}", _ENTRY_TERM


def _entry_read(name: str, indices: Sequence[Affine]) -> str:
    shown, below = latex_name(name), ", ".join(map(_entry_form, indices))
    if not below:
        return shown
    # A letter has one subscript only.
    return f"{{{shown}}}_{{{below}}}" if "_" in shown else f"{shown}_{{{below}}}"


def _entry_form(form: Affine) -> str:
    """An affine form; one with a divisor as a fraction."""
    divisor = form.denominator
    if divisor > 1:
        return rf"\frac{{{_entry_form(form.integral())}}}{{{divisor}}}"
    return format_form(form, latex_name, times="")


def _entry_condition(condition: Condition) -> str:
    if condition.relation == "|":
        return rf"{condition.modulus} \mid {_entry_form(condition.form)}"
    above = Affine({n: c for n, c in condition.form.items() if c > 0})
    below = above - condition.form
    if not above.names:
        above, below = above + condition.form.constant, below + condition.form.constant
    sign = "=" if condition.relation == "=" else r"\ge"
    return f"{_entry_form(above)} {sign} {_entry_form(below)}"


def _entry_bound(forms: Sequence[Affine], extreme: str, rounding: str) -> str:
    """The greatest or the least of some forms; each is rounded inward where it is a fraction."""
    shown = [
        rf"\l{rounding} {_entry_form(f)} \r{rounding}" if f.denominator > 1 else _entry_form(f)
        for f in forms
    ]
    return shown[0] if len(shown) == 1 else rf"\{extreme}({', '.join(shown)})"
