"""Terms for a terminal: matrix notation with raised exponents, bars and signs, in one line."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.indices.precedence import Text, bracketed, levels
from eggrad.engine.terms.term import Term
from eggrad.frontend.printing.matrix import COMPARED, COMPARISONS, HALVES, Formula, infix, written
from eggrad.frontend.text.words import MATRIX_WORDS

_SUM, _PRODUCT, _POWER, _TRANSPOSE, _ATOM = levels("matrix")
_MINUS: Final = "\N{MINUS SIGN}"
# How tightly each operator binds, and its sign.
_OPERATORS: Final = {
    "add": (_SUM, " + "),
    "subtract": (_SUM, f" {_MINUS} "),
    "times": (_PRODUCT, "·"),
    "multiply": (_PRODUCT, " ⊙ "),
    "divide": (_PRODUCT, "/"),
    "divide_entries": (_PRODUCT, " ⊘ "),
}
_SIGNS: Final = {"sum": "∑", "sqrt": "√"}
_FRACTIONS: Final = {Fraction(k + 1, 4): sign for k, sign in enumerate("¼½¾")}
_COMPARISONS: Final = {"greater_equal": "≥", "equal": "=", "not_equal": "≠"}
_RAISED: Final = str.maketrans(f"{_MINUS}0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_unicode(root: Term, scope: Sequence[Term] = ()) -> str:
    """A term of at most two axes as `eggrad.parse_matrix` reads it, too.

    >>> from eggrad.engine.terms.term import apply, einsum, variable
    >>> A, x = variable("A", ("n", "n")), variable("x", ("n",))
    >>> format_unicode(einsum("ij,i->j", apply("inv", A), x)), format_unicode(apply("det", A))
    ('A⁻¹ᵀ·x', '|A|')
    """
    return "".join(
        f"{name} = {text}; " if name else text for name, text in written(root, _style, scope)
    )


def _style(form: Formula, args: Sequence[Text]) -> Text:
    match form.op:
        case "number":
            return _number(form.text)
        case "constant":
            return "π", _ATOM
        case "name":
            return form.text, _ATOM
        case "call" if form.text in COMPARISONS:
            sign = _COMPARISONS.get(form.text, COMPARISONS[form.text])
            return f" {sign} ".join(text for text, _ in args), COMPARED
        case "call":
            return _call(form, args)
        case "index":
            return f"{bracketed(args[0], _ATOM)}{form.text}", _ATOM
        case "transpose":
            inverse = args[0][0].endswith("⁻¹") and args[0][1] == _POWER
            return f"{args[0][0] if inverse else bracketed(args[0], _TRANSPOSE)}ᵀ", _TRANSPOSE
        case "negate":
            return f"{_MINUS}{bracketed(args[0], _PRODUCT)}", _SUM
        case "power" | "power_entries":
            return _power(form, args)
        case _:
            return infix(form, args, _OPERATORS, _MINUS)


def _number(text: str) -> Text:
    """A number, its halves, quarters and eighths as fractions."""
    value = Fraction(text)
    if value.denominator not in HALVES:
        return text, _ATOM
    sign = _FRACTIONS.get(value)
    return (sign, _ATOM) if sign else (str(value), _PRODUCT)


def _power(form: Formula, args: Sequence[Text]) -> Text:
    base, (exponent, level) = bracketed(args[0], _TRANSPOSE), args[1]
    of_entries = form.op == "power_entries"
    if re.fullmatch("[0-9]+", exponent.removeprefix(_MINUS)):
        return f"{base}{'⊙' * of_entries}{exponent.translate(_RAISED)}", _POWER
    sign = ".^" if of_entries else "^"
    return f"{base}{sign}{exponent if level == _ATOM else f'({exponent})'}", _POWER


def _call(form: Formula, args: Sequence[Text]) -> Text:
    texts = [text for text, _ in args]
    # `log|` is one sign: a name that ends so cannot stand before a bar.
    if not texts or not texts[0].endswith("log"):
        match form.text:
            case "norm2":
                return f"‖{texts[0]}‖", _ATOM
            case "norm1":
                return f"‖{texts[0]}‖₁", _ATOM
            case "det":
                return f"|{texts[0]}|", _ATOM
            case "abs" if not form.order:
                return f"|{texts[0]}|", _ATOM
            case "logdet":
                return f"log|{texts[0]}|", _ATOM
            case _:
                pass
    if form.text == "logabsdet":
        return f"log|det({texts[0]})|", _ATOM
    if form.text == "inv":
        return f"{bracketed(args[0], _TRANSPOSE)}⁻¹", _POWER
    name = MATRIX_WORDS.get(form.text, form.text)
    return f"{_SIGNS.get(name, name)}({', '.join(texts)})", _ATOM
