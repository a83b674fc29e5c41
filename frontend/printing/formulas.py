"""Formulas of linear algebra, put together so that they read well.

Signs are moved to the front, numbers as well, and transposes to where they are short; nothing
else is changed.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from eggrad.engine.terms.functions import Function
from eggrad.frontend.text.words import format_number

__all__ = ["Form", "negated", "number", "operation", "turned"]

# The transpose of longer formulas is taken as a whole.
LONG: Final = 100


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A formula: an operation with its operands, or a text. `order` is the number of axes.

    A `shared` one occurs more than once; its transpose is taken as a whole. A `symmetric` one is
    its own transpose. `function` is what a `call` applies, if it is an element-wise function.

    Operations are `name`, `number`, `call` and `index` with a text, the operators `add`,
    `subtract`, `negate`, `times`, `multiply` (of entries), `divide`, `divide_entries`, `power`,
    `power_entries`, and `transpose`.
    """

    op: str
    args: tuple["Form", ...] = ()
    text: str = ""
    order: int = 0
    shared: bool = False
    symmetric: bool = False
    function: Function | None = None
    weight: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the parts."""
        object.__setattr__(self, "weight", 1 + sum(a.weight for a in self.args))


def negated(a: Form) -> Form:
    """`-a`."""
    return a.args[0] if a.op == "negate" else Form("negate", (a,), order=a.order)


def operation(op: str, a: Form, b: Form, order: int) -> Form:
    """An operation of two; a sign is that of the whole, and a sum of equals is a multiple."""
    if op in ("add", "subtract"):
        if b.op == "negate":
            return operation("subtract" if op == "add" else "add", a, b.args[0], order)
        if op == "add" and a.op == "negate":
            return operation("subtract", b, a.args[0], order)
        if op == "add" and a is b and a.text not in _ARRAYS:
            return operation("times", number(Fraction(2)), a, order)
        return Form(op, (a, b), order=order)
    if op == "times" and order == 2 and a.op == "power" and a.args[0] is b:
        exponent = number(Fraction(a.args[1].text) + 1)
        return Form("power", (b, exponent), order=2)
    inner = b.op == "times" and b.args[0].op == "number" and not b.shared
    if op == "times" and inner and a.op != "number":
        # Numbers come first.
        return operation("times", b.args[0], operation("times", a, b.args[1], order), order)
    negative = (a.op == "negate") != (b.op == "negate")
    parts = tuple(f.args[0] if f.op == "negate" else f for f in (a, b))
    whole = Form(op, parts, order=order)
    if op == "times" and "1" in (parts[0].text, parts[1].text):
        whole = parts[0] if parts[1].text == "1" else parts[1]
    return negated(whole) if negative else whole


def turned(a: Form) -> Form:
    """The transpose: of a sum or a product of vectors also by parts, if that is as short."""
    if not a.order or a.symmetric:
        return a
    if a.op == "transpose":
        return a.args[0]
    if a.op == "negate":
        return negated(turned(a.args[0]))
    whole = Form("transpose", (a,), order=a.order)
    if a.op not in _BY_PARTS or a.shared or a.weight > LONG:
        return whole
    first, second = map(turned, a.args)
    if a.op == "times" and first.order and second.order:
        first, second = second, first
    parts = Form(a.op, (first, second), order=a.order)
    # Of a matrix only a multiple, or what becomes shorter.
    multiple = a.op == "times" and not (first.order and second.order)
    return parts if parts.weight <= whole.weight - (a.order == 2 and not multiple) else whole


_ARRAYS: Final = ("ones", "zeros", "vector", "matrix")
_BY_PARTS: Final = ("add", "subtract", "times", "multiply", "divide")


def number(value: Fraction) -> Form:
    """A number; what has no decimal fraction is a quotient."""
    if value < 0:
        return negated(number(-value))
    text = format_number(value)
    if "//" not in text:
        return Form("number", text=text)
    return Form("divide", tuple(Form("number", text=part) for part in text.split("//")))
