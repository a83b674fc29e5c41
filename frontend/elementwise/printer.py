"""Element-wise definitions as text, in the notation of Urban and van der Smagt."""

from collections.abc import Callable, Sequence
from typing import Final

from eggrad.engine.indices.integer_conditions import Condition
from eggrad.engine.indices.rational_affine import Affine, Rational
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
from eggrad.frontend.text.precedence import levels
from eggrad.frontend.text.words import format_number

__all__ = ["format_condition", "format_definition", "format_form", "format_value"]

# How tightly a text binds: what stands as an operand must bind at least as its place asks.
_ANY, _SUM, _TERM, _PRODUCT, _SIGNED, _POWER, _ATOM = levels("elementwise")
_PLACES: Final = {
    "+": (_SUM, _SUM, _TERM),
    "-": (_SUM, _SUM, _TERM),
    "*": (_PRODUCT, _PRODUCT, _SIGNED),
    "/": (_PRODUCT, _PRODUCT, _SIGNED),
    "**": (_POWER, _ATOM, _SIGNED),
}


def format_definition(name: str, indices: Sequence[str], body: Node) -> str:
    """The whole definition.

    >>> format_definition("f", ["i", "j"], Read("x", (Affine.of("i") + Affine.of("j"),)))
    'f[i; j] = x[i + j]'
    """
    return f"{name}[{'; '.join(indices)}] = {format_value(body)}"


def format_form(form: Affine, name: Callable[[str], str] = str, times: str = "*") -> str:
    """An affine form; `name` writes a name, `times` stands after a coefficient.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> [format_form(f) for f in (k / 2, 3 - i, (k - 2 * i + 1) / 3)]
    ['k/2', '3 - i', '(k - 2*i + 1)/3']
    """
    divisor = form.denominator
    whole = form.integral()
    terms: list[tuple[str, Rational]] = list(whole.items())
    if whole.constant or not terms:
        terms.append(("", whole.constant))
    # A form begins without a sign where it can: 3 - i, but i - k + 3.
    first = next((at for at, t in enumerate(terms) if t[1] > 0), 0)
    terms.insert(0, terms.pop(first))
    text = ""
    for symbol, c in terms:
        factors = [str(abs(c))] if abs(c) != 1 or not symbol else []
        shown = times.join([*factors, name(symbol)] if symbol else factors)
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += sign + shown
    if divisor == 1:
        return text
    return f"({text})/{divisor}" if len(terms) > 1 else f"{text}/{divisor}"


def format_condition(condition: Condition) -> str:
    """A condition.

    >>> from eggrad.engine.indices.integer_conditions import divisible
    >>> format_condition(divisible(Affine.of("i"), 2))
    '2 | i'
    """
    form = format_form(condition.form)
    if condition.relation == "|":
        return f"{condition.modulus} | {form}"
    return f"{form} {condition.relation} 0"


def format_value(node: Node) -> str:
    """The text of a value.

    >>> from fractions import Fraction
    >>> two = Number(Fraction(2))
    >>> format_value(Binary("**", Binary("+", Call("exp", (two,)), Negative(two)), two))
    '(exp (2) + -2) ** 2'
    """
    return _text(node, _ANY)


def _text(node: Node, place: int) -> str:
    text, level = _written(node)
    return text if level >= place else f"({text})"


def _written(node: Node) -> tuple[str, int]:
    """The text of a node, and how tightly it binds."""
    match node:
        case Number(value):
            return format_number(value), _ATOM if value >= 0 else _SIGNED
        case IndexValue(form):
            return _index_value(form)
        case Read(name, indices):
            return f"{name}[{'; '.join(map(format_form, indices))}]", _ATOM
        case Call(function, arguments):
            return f"{function} ({'; '.join(_text(a, _ANY) for a in arguments)})", _ATOM
        case Negative(operand):
            # What follows a minus directly would be read as a negative number.
            return f"-{_text(operand, _ATOM if _begins_with_number(operand) else _PRODUCT)}", _TERM
        case Binary(operator, left, right):
            level, first, second = _PLACES[operator]
            return f"{_text(left, first)} {operator} {_text(right, second)}", level
        case Sum(index, own, body):
            low, high = _bound("max", own.lower), _bound("min", own.upper)
            return f"sum{{{index}}}_{low}^{high} ({_text(body, _ANY)})", _ATOM
        case Choice(conditions, then, otherwise):
            joined = " and ".join(map(format_condition, conditions))
            one, other = _text(then, _ANY), _text(otherwise, _ANY)
            return f"if {{{joined}}} then ({one}) else ({other})", _ANY


def _begins_with_number(node: Node) -> bool:
    while isinstance(node, Binary) and node.operator in ("*", "/"):
        node = node.left
    return isinstance(node, Number)


def _bound(extreme: str, forms: Sequence[Affine]) -> str:
    if len(forms) > 1:
        return f"({extreme} [{'; '.join(map(format_form, forms))}])"
    (form,) = forms
    text = format_form(form)
    return text if text.isalnum() or form.bare() else f"({text})"


def _index_value(form: Affine) -> tuple[str, int]:
    """An index, or a form of indices, as the arithmetic that it is."""
    text = format_form(form)
    if form.bare() or text.isdigit():
        return text, _ATOM
    several = len(form.names) + bool(form.constant) > 1 and form.denominator == 1
    return text, _SUM if several else _TERM if text.startswith("-") else _PRODUCT
