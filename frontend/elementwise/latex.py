"""Element-wise definitions as LaTeX: subscripts, sums with their ranges, cases."""

import re
from collections.abc import Mapping, Sequence

from eggrad.engine.indices.integer_conditions import Condition
from eggrad.engine.indices.rational_affine import Affine
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
from eggrad.frontend.printing.latex_printer import latex_function, latex_name, latex_number
from eggrad.frontend.text.precedence import levels
from eggrad.frontend.text.words import format_number

__all__ = ["format_latex_definition"]

# How tightly a text binds: what stands as an operand must bind at least as its place asks.
_ANY, _SUM, _TERM, _PRODUCT, _POWER, _ATOM = levels("elementwise latex")


def format_latex_definition(name: str, lengths: Mapping[str, Affine], body: Node) -> str:
    r"""The whole definition, with the ranges of its indices.

    >>> i, n = Affine.of("i"), Affine.of("n")
    >>> format_latex_definition("f", {"i": n - 1}, Read("x", (i + 1,)))
    'f_{i} = x_{i + 1}, \\quad 0 \\le i < n - 1'
    """
    left = _read(name, list(map(Affine.of, lengths)))
    spans = ", \\; ".join(rf"0 \le {latex_name(i)} < {_form(n)}" for i, n in lengths.items())
    return f"{left} = {_text(body, _ANY)}" + (rf", \quad {spans}" if spans else "")


def _text(node: Node, place: int) -> str:
    text, level = _written(node)
    return text if level >= place else rf"\left({text}\right)"


def _written(node: Node) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    match node:
        case Number(value):
            return latex_number(format_number(value)), _ATOM if value >= 0 else _SUM
        case IndexValue(form):
            return _form(form), _ATOM if form.bare() else _SUM
        case Read(name, indices):
            return _read(name, indices), _ATOM
        case Call("abs", (argument,)):
            return rf"\left|{_text(argument, _ANY)}\right|", _ATOM
        case Call("sqrt", (argument,)):
            return rf"\sqrt{{{_text(argument, _ANY)}}}", _ATOM
        case Call(function, arguments, declared):
            inside = ", ".join(_text(a, _ANY) for a in arguments)
            known = (declared and declared.latex) or latex_function(function)
            return rf"{known}\left({inside}\right)", _POWER
        case Negative(operand):
            return f"-{_text(operand, _TERM)}", _SUM
        case Binary("/", over, under):
            return rf"\frac{{{_text(over, _ANY)}}}{{{_text(under, _ANY)}}}", _POWER
        case Binary("**", base, exponent):
            return f"{_text(base, _ATOM)}^{{{_text(exponent, _ANY)}}}", _POWER
        case Binary("*", left, right):
            second = _text(right, _POWER)
            # Digits side by side would be read as one number, or as a mixed one.
            digits = isinstance(right, Number) or re.match(r"(\\frac\{)*\d", second)
            dot = r" \cdot " if digits else r" \, "
            return f"{_text(left, _PRODUCT)}{dot}{second}", _PRODUCT
        case Binary(operator, left, right):
            return f"{_text(left, _SUM)} {operator} {_text(right, _TERM)}", _SUM
        case Sum(index, own, body):
            low, high = _bound(own.lower, "max", "ceil"), _bound(own.upper, "min", "floor")
            sign = rf"\sum_{{{latex_name(index)} = {low}}}^{{{high}}}"
            return f"{sign} {_text(body, _TERM)}", _TERM
        case Choice(conditions, then, otherwise):
            joined = r" \text{ and } ".join(map(_condition, conditions))
            rows = rf"{_text(then, _ANY)} & \text{{if }} {joined} \\ {_text(otherwise, _ANY)}"
            return rf"\begin{{cases}} {rows} & \text{{otherwise}} \end{{cases}}", _TERM


def _read(name: str, indices: Sequence[Affine]) -> str:
    shown, below = latex_name(name), ", ".join(map(_form, indices))
    if not below:
        return shown
    # A letter has one subscript only.
    return f"{{{shown}}}_{{{below}}}" if "_" in shown else f"{shown}_{{{below}}}"


def _form(form: Affine) -> str:
    """An affine form; one with a divisor as a fraction."""
    divisor = form.denominator
    if divisor > 1:
        return rf"\frac{{{_form(form.integral())}}}{{{divisor}}}"
    return format_form(form, latex_name, times="")


def _condition(condition: Condition) -> str:
    if condition.relation == "|":
        return rf"{condition.modulus} \mid {_form(condition.form)}"
    above = Affine({n: c for n, c in condition.form.items() if c > 0})
    below = above - condition.form
    if not above.names:
        above, below = above + condition.form.constant, below + condition.form.constant
    sign = "=" if condition.relation == "=" else r"\ge"
    return f"{_form(above)} {sign} {_form(below)}"


def _bound(forms: Sequence[Affine], extreme: str, rounding: str) -> str:
    """The greatest or the least of some forms; each is rounded inward where it is a fraction."""
    shown = [
        rf"\l{rounding} {_form(f)} \r{rounding}" if f.denominator > 1 else _form(f) for f in forms
    ]
    return shown[0] if len(shown) == 1 else rf"\{extreme}({', '.join(shown)})"
