"""Element-wise definitions by Python loops, from the text alone: what others are judged by.

It reads the notation by itself, by turning it into Python: no code is shared with what is tested.
"""

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Entries:
    """An array whose places are exact integers; others are mistakes."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, places: tuple[Fraction, ...]) -> float:
        for place, length in zip(places, self.array.shape, strict=True):
            if place.denominator != 1 or not 0 <= place < length:
                raise IndexError(places)
        return float(self.array[tuple(int(p) for p in places)])


def _sum(low: Fraction, high: Fraction, body: Callable[[Fraction], float]) -> float:
    return math.fsum(body(Fraction(k)) for k in range(math.ceil(low), math.floor(high) + 1))


NAMES: dict[str, Any] = {
    "Fraction": Fraction,
    "SUM": _sum,
    "most": lambda *a: max(a),
    "least": lambda *a: min(a),
    **{f: getattr(math, f) for f in ("sin", "cos", "exp", "tanh", "sqrt")},
    "abs": abs,
    "relu": lambda x: max(x, 0.0),
    "sign": lambda x: float(np.sign(x)),
}
TOKEN = re.compile(r"\s*(\*\*|>=|[A-Za-z][A-Za-z_0-9]*|[0-9.]+|.)")


class _Translator:
    """From the notation to Python, by recursive descent over what its printer writes."""

    def __init__(self, text: str) -> None:
        self.tokens = TOKEN.findall(text)
        self.at = 0

    def next(self, *expected: str) -> str:
        token = self.tokens[self.at]
        assert not expected or token in expected, (token, expected)
        self.at += 1
        return token

    @property
    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def until(self, *ends: str) -> str:
        parts: list[str] = []
        while self.peek and self.peek not in ends:
            parts.append(self.part())
        return " ".join(parts)

    def part(self) -> str:
        token = self.next()
        if token == "sum" and self.peek == "{":
            self.next("{")
            index = self.next()
            self.next("}")
            self.next("_")
            low = self.bound()
            self.next("^")
            high = self.bound()
            return f"SUM({low}, {high}, lambda {index}: {self.group()})"
        if token == "if":
            self.next("{")
            conditions = [self.condition()]
            while self.next("and", "}") == "and":
                conditions.append(self.condition())
            self.next("then")
            then = self.group()
            self.next("else")
            return f"({then} if {' and '.join(conditions)} else {self.group()})"
        if token == "(":
            return self.closed("(", ")")
        if token == "[":
            return self.listed()
        return f"Fraction('{token}')" if token[0].isdigit() else token

    def group(self) -> str:
        self.next("(")
        return self.closed("(", ")")

    def closed(self, opening: str, closing: str) -> str:
        inner = self.until(closing)
        self.next(closing)
        return f"{opening}{inner}{closing}"

    def listed(self) -> str:
        parts = [self.until(";", "]")]
        while self.next(";", "]") == ";":
            parts.append(self.until(";", "]"))
        return f"[{', '.join(parts)},]" if parts != [""] else "[()]"

    def bound(self) -> str:
        if self.peek == "(" and self.tokens[self.at + 1] in ("max", "min"):
            self.next("(")
            extreme = "most" if self.next() == "max" else "least"
            self.next("[")
            inner = self.listed().strip("[]")
            self.next(")")
            return f"{extreme}({inner})"
        return self.group() if self.peek == "(" else self.part()

    def condition(self) -> str:
        form = self.until("and", "}").replace(" = ", " == ")
        if " | " in form:
            divisor, multiple = form.split(" | ")
            return f"(({multiple}) % {divisor} == 0)"
        return f"({form})"


def brute_force(
    text: str, sizes: Mapping[str, int], values: Mapping[str, Any], **numbers: int
) -> Array:
    """All entries of a definition; `sizes` are those of its indices, `numbers` of size symbols."""
    head, body = text.split("=", 1)
    indices = [i.strip() for i in head[head.index("[") + 1 : head.index("]")].split(";")]
    indices = [i for i in indices if i]
    source = f"lambda {', '.join(indices)}: {_Translator(body).until()}"
    arrays = {n: Entries(np.asarray(v, float)) for n, v in values.items()}
    function = eval(source, {**NAMES, **{n: Fraction(v) for n, v in numbers.items()}, **arrays})
    result = np.empty([sizes[i] for i in indices])
    for point in product(*(range(n) for n in result.shape)):
        result[point] = float(function(*map(Fraction, point)))
    return result


def central_difference(f: Callable[[Array], Array], x: Array, cotangent: Array) -> Array:
    """The derivative of `sum(cotangent * f(x))` by every entry of x, to fourth order."""
    result = np.empty_like(x)
    h = 1e-3
    for place in np.ndindex(x.shape):

        def at(step: float, place: tuple[int, ...] = place) -> float:
            moved = x.copy()
            moved[place] += step
            return float((cotangent * f(moved)).sum())

        near, far = at(h) - at(-h), at(2 * h) - at(-2 * h)
        result[place] = (8 * near - far) / (12 * h)
    return result
