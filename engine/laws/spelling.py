"""Patterns in the notation that files of rules have."""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeGuard

from eggrad.engine.indices.spec import MATRIX_PRODUCT, TRANSPOSE, format_spec
from eggrad.engine.laws import language
from eggrad.engine.laws.language import (
    Attribute,
    Call,
    Comparison,
    Condition,
    Differ,
    Known,
    Law,
    Literal,
    Negation,
    Node,
    Parameter,
    Part,
    Tensor,
    Variable,
    joined,
    opposite,
    plus,
    repeated,
)
from eggrad.engine.laws.properties import NAMES
from eggrad.engine.terms.term import FUNCTION_NODES

# How tightly what is written binds in Python.
COMPARED, SUM, PRODUCT, SIGNED, POWER, ATOM = range(6)

Spelled = tuple[str, int]

_INFIX: Final = {
    "divide": ("/", PRODUCT, PRODUCT, SIGNED),
    "scale": ("*", PRODUCT, SIGNED, SIGNED),
    "power": ("**", POWER, ATOM, SIGNED),
}
_SHORT: Final = {"constant": "const", "derivative": "D"}


def spelled_row(statement: Law | Known, conditions: Sequence[Tensor]) -> str:
    """A law or a fact as a file states it, then its conditions."""
    letters = [_elementwise_letter(c) for c in conditions]
    products = {p.name for p in letters if p}
    whole = spelled(statement, products)
    rest = [spelled(c, products) for c, p in zip(conditions, letters, strict=True) if p is None]
    whole = f"({whole})" if rest and isinstance(statement, Law) else whole
    return f"{whole}.when({', '.join(rest)})" if rest else whole


def _elementwise_letter(c: object) -> Parameter | None:
    """The letter of a spec that has to be that of an element-wise product."""
    if isinstance(c, Call) and name_of(c.function) == "is_elementwise":
        return c.args[0] if isinstance(c.args[0], Parameter) else None
    return None


def spelled(pattern: object, products: Collection[str] = ()) -> str:
    """A pattern as a file has it; `products` are letters of specs of element-wise products.

    >>> from eggrad.engine.laws.language import fn, tensors
    >>> a, b = tensors("a b")
    >>> spelled(2 * (a + b) @ b.T)
    '(2 * (a + b)) @ b.T'
    """
    return _Speller(products).spell(pattern)[0]


class _Speller:
    """Spells patterns, some of whose products are element-wise."""

    def __init__(self, products: Collection[str]) -> None:
        self.products = products

    def at(self, level: int, pattern: object) -> str:
        """What is spelled, in brackets if it binds less tightly."""
        text, binding = self.spell(pattern)
        return text if binding >= level else f"({text})"

    def listed(self, parts: Sequence[object]) -> str:
        """Arguments."""
        return ", ".join(self.spell(p)[0] for p in parts)

    def spell(self, pattern: object) -> Spelled:
        """What is spelled, and how tightly it binds."""
        match pattern:
            case Parameter(name=name):
                return name, ATOM
            case Literal(value=value):
                return self.spell(value)
            case Law(left=left, right=right, both=both):
                return (
                    f"{self.spell(left)[0]} {'==' if both else '>>'} {self.spell(right)[0]}",
                    COMPARED,
                )
            case Differ(first=first, second=second):
                return f"{self.at(SUM, first)} != {self.at(SUM, second)}", COMPARED
            case Known(property=str(p), tensor=tensor) if p in NAMES:
                return f"{NAMES[p]}({self.spell(tensor)[0]})", ATOM
            case Known(property=p, tensor=tensor):
                return f"known({self.spell(p)[0]}, {self.spell(tensor)[0]})", ATOM
            case Call(function=Comparison() as comparison, args=(c,)):
                return (
                    f"{self.at(SUM, c)} {comparison.sign} {self.spell(comparison.number)[0]}",
                    COMPARED,
                )
            case Call(function=function, args=(x, y)) if name_of(function) == "is_same":
                return f"{self.spell(x)[0]} == {self.spell(y)[0]}", COMPARED
            case Call(function=Negation() as negation, args=args):
                text, level = self.spell(Call(negation.test, args))
                return (f"~{text}", SIGNED) if level == ATOM else (text.replace("==", "!="), level)
            case Call(
                function=(Part() as part) | Condition(function=Part() as part), args=(whole,)
            ):
                return f"{self.at(ATOM, whole)}{part.__name__}", ATOM
            case Call(function=Attribute() | Condition(function=Attribute()), args=(f,)):
                return f"{self.at(ATOM, f)}.{name_of(pattern.function)}", ATOM
            case Call(function=function, args=(c,)) if function is opposite:
                return f"-{self.at(SIGNED, c)}", SIGNED
            case Call(function=function, args=(c, d)) if function in (plus, joined):
                return f"{self.at(SUM, c)} + {self.at(PRODUCT, d)}", SUM
            case Call(function=function, args=(c, d)) if function is repeated:
                return f"{self.at(PRODUCT, c)} * {self.at(SIGNED, d)}", PRODUCT
            case Call(function=function, args=args):
                return f"{name_of(function)}({self.listed(args)})", ATOM
            case Node(constructor=name, args=args):
                return self.node(name, args)
            case Fraction(numerator=1 | -1 as sign, denominator=2):
                return ("HALF", ATOM) if sign == 1 else ("-HALF", SIGNED)
            case Fraction(denominator=1):
                return str(pattern), ATOM if pattern >= 0 else SIGNED
            case Fraction(numerator=above, denominator=below):
                return f"Number({above}, {below})", ATOM
            case _:
                return repr(pattern), ATOM

    def node(self, name: str, args: tuple[Any, ...]) -> Spelled:
        """A constructor and what it is applied to."""
        match name, args:
            case "negate", (a,):
                return f"-{self.at(SIGNED, a)}", SIGNED
            case (("add" | "subtract"), (a, b)):
                sign = "+" if name == "add" else "-"
                return f"{self.summand(SUM, a, b)} {sign} {self.summand(PRODUCT, b, a)}", SUM
            case (("divide" | "scale" | "power"), (a, b)):
                sign, level, first, second = _INFIX[name]
                number = name == "divide" and _of_scalars(a)
                left = self.spell(a.args[0])[0] if number else self.at(first, a)
                right = b.args[0] if name == "power" and _of_scalars(b) else b
                between = sign if name == "power" else f" {sign} "
                return f"{left}{between}{self.at(second, right)}", level
            case "ein", (s, a, b) if self.is_elementwise(s):
                return f"{self.at(PRODUCT, a)} * {self.at(SIGNED, b)}", PRODUCT
            case "ein", (tuple() as s, a, b) if s == MATRIX_PRODUCT:
                return f"{self.at(SIGNED, a)} @ {self.at(SIGNED, b)}", PRODUCT
            case "ein1", (tuple() as s, a) if s == TRANSPOSE:
                return f"{self.at(ATOM, a)}.T", ATOM
            case (("ein" | "ein1"), (Call(args=(str() as text, *_)), *operands)):
                return f"{name}({text!r}, {self.listed(operands)})", ATOM
            case (("ein" | "ein1"), (tuple() as s, *operands)):
                return f"{name}({format_spec(s)!r}, {self.listed(operands)})", ATOM
            case (("numeric" | "numeric2"), (operation, data, *operands)):
                return self.numeric(operation, data, operands), ATOM
            case (("slope" | "slope2" | "slope3"), (function, place, *operands)):
                at = f", place={place}" if place else ""
                return f"slope({self.spell(function)[0]}, {self.listed(operands)}{at})", ATOM
            case "variable", (Parameter(name=x, kind=kind),) if kind == Variable:
                return f"declared({x})", ATOM
            case _, (str() as function, *operands) if name in FUNCTION_NODES.values():
                known = function == "abs" or isinstance(getattr(language, function, None), partial)
                listed = self.listed(operands)
                return f"{function}({listed})" if known else f"fn({function!r}, {listed})", ATOM
            case _, (function, *operands) if name in FUNCTION_NODES.values():
                return f"{self.spell(function)[0]}({self.listed(operands)})", ATOM
            case _:
                return f"{_SHORT.get(name, name)}({self.listed(args)})", ATOM

    def numeric(self, operation: object, data: object, operands: Sequence[object]) -> str:
        """An operation of which the notation has a function, or that is called by its name."""
        if isinstance(operation, str) and hasattr(language, operation):
            return f"{operation}({self.listed(operands if data is None else [data, *operands])})"
        if data is None:
            return f"of_each({self.listed([operation, *operands])})"
        return f"extreme({self.listed([operation, data, *operands])})"

    def summand(self, level: int, a: object, beside: object) -> str:
        """A term of a sum; a number if all its entries are that, and those of the other not."""
        if _is_spread(a) and not _is_spread(beside):
            return self.at(level, a.args[0])
        return self.at(level, a)

    def is_elementwise(self, s: object) -> bool:
        """Whether a spec is that of an element-wise product."""
        if isinstance(s, Parameter):
            return s.name in self.products
        return isinstance(s, Call) and name_of(s.function) == "elementwise"


def _is_spread(a: object) -> TypeGuard[Node]:
    """Whether it is a number for each entry of a pattern beside."""
    return (
        isinstance(a, Node)
        and a.constructor == "constant"
        and (isinstance(n := a.args[1], Parameter) or (isinstance(n, Call) and n.function is None))
    )


def _of_scalars(a: object) -> bool:
    return isinstance(a, Node) and a.constructor == "constant" and a.args[1] == ()


def name_of(function: Callable[..., Any] | None) -> str:
    """What a primitive or a condition is called."""
    plain = function.function if isinstance(function, Condition) else function
    return "dims" if plain is None else plain.__name__
