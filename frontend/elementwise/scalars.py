"""Bodies of element-wise definitions as scalar terms, and back.

What depends on indices, the entries of arguments, sums and choices, is a variable there.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Final

from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import Term
from eggrad.frontend.elementwise.functions import applied
from eggrad.frontend.elementwise.syntax import (
    ZERO,
    Binary,
    Call,
    Choice,
    IndexValue,
    Negative,
    Node,
    Number,
    Read,
    Sum,
    binary,
    negative,
)
from eggrad.frontend.text.words import format_number

__all__ = ["Opaque", "Scalars", "added"]

Opaque = Read | Sum | Choice | IndexValue
ONE: Final = Fraction(1)
HALF: Final = Fraction(1, 2)


class Scalars:
    """A name for every part that is no operation on numbers; equal parts have one."""

    def __init__(self) -> None:
        """Begin without any part."""
        self._names: dict[Opaque, str] = {}
        self._parts: dict[str, Opaque] = {}

    def variable(self, part: Opaque) -> Term:
        """The variable that stands for a part."""
        if part not in self._names:
            name = f"v{len(self._names)}"
            self._names[part] = name
            self._parts[name] = part
        return terms.variable(self._names[part])

    def term(self, node: Node) -> Term:
        """The scalar term of a node.

        >>> Scalars().term(Call("exp", (Negative(Number(Fraction(2))),))).op
        'exp'
        """
        match node:
            case Number(value):
                return terms.constant(value)
            case Negative(operand):
                return terms.negate(self.term(operand))
            case Binary(operator, left, right):
                return _operation(operator, self.term(left), self.term(right))
            case Call(function, arguments, declared):
                return applied(function, declared, [self.term(a) for a in arguments])
            case _:
                return self.variable(node)

    def node(self, term: Term) -> Node:
        """The node of a scalar term: signs and numbers in front, divisors at the end.

        >>> x = terms.variable("v0")
        >>> own = Scalars()
        >>> _ = own.variable(Read("x", ()))
        >>> own.node(terms.einsum(",->", x, x))
        Binary(operator='**', left=Read(name='x', indices=()), right=Number(value=Fraction(2, 1)))
        """
        match term.op:
            case "variable":
                return self._parts[term.name]
            case "add" | "subtract":
                return self._sum(term)
            case "constant" | "negate" | "einsum" | "divide":
                return self._product(term)
            case "power" if _is_negative_power(term):
                return self._product(term)
            case "power":
                base = self.node(term.args[0])
                if term.args[1].data == HALF:
                    return Call("sqrt", (base,))
                return Binary("**", base, self.node(term.args[1]))
            case function:
                own = term.data if isinstance(term.data, OwnFunction) else None
                return Call(function, tuple(map(self.node, term.args)), own)

    def _sum(self, term: Term) -> Node:
        """Differences instead of sums with negatives, first what has no sign; equal ones once."""
        summands = [self._product(t, Fraction(n)) for t, n in _summands(term).items()]
        return reduce(added, sorted(summands, key=_is_negative))

    def _product(self, term: Term, number: Fraction = ONE) -> Node:
        """A multiple of a product over a product, with one number and one sign in front."""
        over: list[Term] = []
        under: list[Term] = []
        stack = [(term, True)]
        while stack:
            t, above = stack.pop()
            if t.op == "constant" and t.data:
                value = t.value
                number = number * value if above else number / value
            elif t.op == "negate":
                number = -number
                stack.append((t.args[0], above))
            elif t.op == "add" and t.args[0] is t.args[1]:
                number = number * 2 if above else number / 2
                stack.append((t.args[0], above))
            elif t.op == "einsum":
                stack += [(a, above) for a in reversed(t.args)]
            elif t.op == "divide":
                stack += [(t.args[1], not above), (t.args[0], above)]
            elif t.op == "power" and _is_negative_power(t):
                base, exponent = t.args
                positive = terms.constant(-exponent.value)
                stack.append((_power(base, positive), not above))
            else:
                (over if above else under).append(t)
        top, bottom = self._powers(over), self._powers(under)
        return _quotient(number, top, bottom)

    def _powers(self, factors: Sequence[Term]) -> list[Node]:
        counts = Counter(factors)
        return [
            Binary("**", self._factor(t), Number(Fraction(n))) if n > 1 else self._factor(t)
            for t, n in counts.items()
        ]

    def _factor(self, term: Term) -> Node:
        return ZERO if term.op == "constant" else self.node(term)


def _summands(term: Term) -> dict[Term, int]:
    """The terms that a sum adds, and how often each."""
    counts: dict[Term, int] = {}
    stack = [(term, 1)]
    while stack:
        t, sign = stack.pop()
        if t.op in ("add", "subtract"):
            left, right = t.args
            stack += [(right, -sign if t.op == "subtract" else sign), (left, sign)]
        else:
            counts[t] = counts.get(t, 0) + sign
    return counts


def added(left: Node, right: Node) -> Node:
    """A sum; a difference where the right side is negative, one side where the other is zero."""
    if left == ZERO:
        return right
    if right == ZERO:
        return left
    if _is_negative(right):
        return binary("-", left, _opposite(right))
    return binary("+", left, right)


def _operation(operator: str, left: Term, right: Term) -> Term:
    match operator:
        case "+":
            return terms.add(left, right)
        case "-":
            return terms.subtract(left, right)
        case "*":
            return terms.einsum(",->", left, right)
        case "/":
            return terms.divide(left, right)
        case _:
            return terms.power(left, right)


def _quotient(number: Fraction, top: list[Node], bottom: list[Node]) -> Node:
    size, divisor = abs(number), number.denominator
    # A decimal fraction where people would write one: x / 2, but 0.1 * x, and 0.5 alone.
    short = divisor % 10 == 0 or not (top or bottom)
    if divisor > 1 and not (short and "." in format_number(size)):
        bottom = [*bottom, Number(Fraction(divisor))]
        size = Fraction(size.numerator)
    alone = not top or size != 1
    if alone:
        top = [Number(size if number >= 0 else -size), *top]
    result = top[0]
    for other in top[1:]:
        result = binary("*", result, other)
    for other in bottom:
        result = binary("/", result, other)
    return result if alone or number > 0 else negative(result)


def _is_negative_power(term: Term) -> bool:
    exponent = term.args[1]
    return exponent.op == "constant" and exponent.value < 0


def _power(base: Term, exponent: Term) -> Term:
    return base if exponent.data == 1 else terms.power(base, exponent)


def _is_negative(node: Node) -> bool:
    return isinstance(node, Negative) or (_leading(node) < 0)


def _leading(node: Node) -> Fraction:
    """The number with which a product begins; 1 where there is none."""
    while isinstance(node, Binary) and node.operator in ("*", "/"):
        node = node.left
    return node.value if isinstance(node, Number) else Fraction(1)


def _opposite(node: Node) -> Node:
    """A negative summand with the other sign."""
    match node:
        case Negative(operand):
            return operand
        case Number(value):
            return Number(-value)
        case Binary(operator, left, right):
            return binary(operator, _opposite(left), right)
        case _:
            return negative(node)
