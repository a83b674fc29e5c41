"""Element-wise definitions as LaTeX: subscripts, sums with their ranges, cases."""

import re
from collections.abc import Mapping, Sequence

from eggrad.engine.indices.conditions import Condition
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
_ENTRY_ANY, _ENTRY_SUM, _ENTRY_TERM, _ENTRY_PRODUCT, _ENTRY_POWER, _ENTRY_ATOM = levels("elementwise latex")


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
            known = (declared and declared.latex) or latex_function(function)
            return rf"{known}\left({inside}\right)", _ENTRY_POWER
        case Negative(operand):
            return f"-{_entry_text(operand, _ENTRY_TERM)}", _ENTRY_SUM
        case Binary("/", over, under):
            return rf"\frac{{{_entry_text(over, _ENTRY_ANY)}}}{{{_entry_text(under, _ENTRY_ANY)}}}", _ENTRY_POWER
        case Binary("**", base, exponent):
            return f"{_entry_text(base, _ENTRY_ATOM)}^{{{_entry_text(exponent, _ENTRY_ANY)}}}", _ENTRY_POWER
        case Binary("*", left, right):
            second = _entry_text(right, _ENTRY_POWER)
            # Digits side by side would be read as one number, or as a mixed one.
            digits = isinstance(right, Number) or re.match(r"(\\frac\{)*\d", second)
            dot = r" \cdot " if digits else r" \, "
            return f"{_entry_text(left, _ENTRY_PRODUCT)}{dot}{second}", _ENTRY_PRODUCT
        case Binary(operator, left, right):
            return f"{_entry_text(left, _ENTRY_SUM)} {operator} {_entry_text(right, _ENTRY_TERM)}", _ENTRY_SUM
        case Sum(index, own, body):
            low, high = _entry_bound(own.lower, "max", "ceil"), _entry_bound(own.upper, "min", "floor")
            sign = rf"\sum_{{{latex_name(index)} = {low}}}^{{{high}}}"
            return f"{sign} {_entry_text(body, _ENTRY_TERM)}", _ENTRY_TERM
        case Choice(conditions, then, otherwise):
            joined = r" \text{ and } ".join(map(_entry_condition, conditions))
            rows = rf"{_entry_text(then, _ENTRY_ANY)} & \text{{if }} {joined} \\ {_entry_text(otherwise, _ENTRY_ANY)}"
            return rf"\begin{{cases}} {rows} & \text{{otherwise}} \end{{cases}}", _ENTRY_TERM


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
        rf"\l{rounding} {_entry_form(f)} \r{rounding}" if f.denominator > 1 else _entry_form(f) for f in forms
    ]
    return shown[0] if len(shown) == 1 else rf"\{extreme}({', '.join(shown)})"
