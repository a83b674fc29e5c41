"""Numbers of mpmath with first and second derivatives, for arrays of objects.

NumPy asks the entries of such an array for methods of its functions' names, so that a formula in
NumPy's words is one for them as well.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partialmethod
from typing import Any

import mpmath as mp

# Exponentials of larger numbers would take all memory.
LARGEST = mp.mpf(2) ** 4000


@dataclass(eq=False)
class Jet:
    """A number, and its derivatives by numbered variables where they are not 0.

    Each result is made larger by the part `noise` of itself: what depends on it was rounded.
    """

    value: Any
    slopes: dict[int, Any] = field(default_factory=dict)
    curves: dict[tuple[int, int], Any] = field(default_factory=dict)
    noise: Any = 0

    def __post_init__(self) -> None:
        """Blur a result; the parts by different amounts, so that none of them cancel."""
        if isinstance(self.value, mp.mpc):
            raise ValueError("the value is not real")
        if self.noise:
            self.value *= 1 + self.noise
            self.slopes = {i: s * (1 + 2 * self.noise) for i, s in self.slopes.items()}
            self.curves = {i: c * (1 + 3 * self.noise) for i, c in self.curves.items()}

    def curve(self, i: int, j: int) -> Any:
        """The second derivative by two variables."""
        return self.curves.get((min(i, j), max(i, j)), mp.mpf(0))

    def lifted(self, other: Any) -> "Jet":
        """Another operand, which may be a number of Python's."""
        return other if isinstance(other, Jet) else Jet(_number(other))

    def through(self, value: Any, first: Any, second: Any) -> "Jet":
        """A function of this number, by its value and derivatives."""
        slopes = {i: first * s for i, s in self.slopes.items()}
        curves = {i: first * c for i, c in self.curves.items()}
        if second:
            for i, s in self.slopes.items():
                for j, t in self.slopes.items():
                    if i <= j:
                        curves[i, j] = curves.get((i, j), 0) + second * s * t
        return Jet(value, slopes, curves, self.noise)

    def applied(self, name: str) -> "Jet":
        """One of the functions."""
        function, slopes = FUNCTIONS[name]
        value = function(self.value)
        if isinstance(value, mp.mpc):
            raise ValueError("the value is not real")
        return self.through(value, *(slopes(self.value, value) if self.slopes else (0, 0)))

    def __add__(self, other: Any) -> "Jet":
        other = self.lifted(other)
        slopes, curves = _sum(self.slopes, other.slopes), _sum(self.curves, other.curves)
        return Jet(self.value + other.value, slopes, curves, self.noise or other.noise)

    def __mul__(self, other: Any) -> "Jet":
        other = self.lifted(other)
        a, b = self.value, other.value
        slopes = _sum(_scaled(self.slopes, b), _scaled(other.slopes, a))
        curves = _sum(_scaled(self.curves, b), _scaled(other.curves, a))
        for i, s in self.slopes.items():
            for j, t in other.slopes.items():
                place = (i, j) if i < j else (j, i)
                curves[place] = curves.get(place, 0) + (2 * s * t if i == j else s * t)
        return Jet(a * b, slopes, curves, self.noise or other.noise)

    def __truediv__(self, other: Any) -> "Jet":
        return self * self.lifted(other) ** -1

    def __pow__(self, other: Any) -> "Jet":
        if isinstance(other, Jet):
            return (other * self.applied("log")).applied("exp")
        v, p = self.value, _number(other)
        return self.through(
            v**p, p and p * v ** (p - 1), p * (p - 1) and p * (p - 1) * v ** (p - 2)
        )

    def __rpow__(self, other: Any) -> "Jet":
        return self.lifted(other) ** self

    def __neg__(self) -> "Jet":
        return self.through(-self.value, mp.mpf(-1), 0)

    def __sub__(self, other: Any) -> "Jet":
        return self + -self.lifted(other)

    def __rsub__(self, other: Any) -> "Jet":
        return self.lifted(other) + -self

    def __rtruediv__(self, other: Any) -> "Jet":
        return self.lifted(other) * self**-1

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> "Jet":
        return self if self.value >= 0 else -self

    def __lt__(self, other: Any) -> bool:
        return self.value < self.lifted(other).value

    def __le__(self, other: Any) -> bool:
        return self.value <= self.lifted(other).value

    def __gt__(self, other: Any) -> bool:
        return self.value > self.lifted(other).value

    def __ge__(self, other: Any) -> bool:
        return self.value >= self.lifted(other).value


def _number(value: Any) -> Any:
    """An exact number of Python's for mpmath."""
    fraction = Fraction(value)
    return mp.mpf(int(fraction.numerator)) / int(fraction.denominator)


def _sum(one: dict[Any, Any], other: dict[Any, Any]) -> dict[Any, Any]:
    found = dict(one)
    for i, v in other.items():
        found[i] = found[i] + v if i in found else v
    return found


def _scaled(one: dict[Any, Any], by: Any) -> dict[Any, Any]:
    return {i: v * by for i, v in one.items()}


def _exp(x: Any) -> Any:
    if abs(x) < LARGEST:
        return mp.exp(x)
    if x > 0:
        raise OverflowError("an exponential of a number that is too large")
    return mp.mpf(0)


# Each function by NumPy's name: of x the value y, and of both the first two derivatives.
Slopes = Callable[[Any, Any], tuple[Any, Any]]
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Slopes]] = {
    "exp": (_exp, lambda x, y: (y, y)),
    "expm1": (
        lambda x: mp.expm1(x) if abs(x) < 1 else _exp(x) - 1,
        lambda x, y: (_exp(x), _exp(x)),
    ),
    "log": (mp.log, lambda x, y: (1 / x, -1 / x**2)),
    "log1p": (mp.log1p, lambda x, y: (1 / (1 + x), -1 / (1 + x) ** 2)),
    "sqrt": (mp.sqrt, lambda x, y: (1 / (2 * y), -1 / (4 * x * y))),
    "sin": (mp.sin, lambda x, y: (mp.cos(x), -y)),
    "cos": (mp.cos, lambda x, y: (-mp.sin(x), -y)),
    "tan": (mp.tan, lambda x, y: (1 + y**2, 2 * y * (1 + y**2))),
    "arcsin": (mp.asin, lambda x, y: (1 / mp.sqrt(1 - x**2), x / mp.sqrt(1 - x**2) ** 3)),
    "arctan": (mp.atan, lambda x, y: (1 / (1 + x**2), -2 * x / (1 + x**2) ** 2)),
    "sinh": (mp.sinh, lambda x, y: (mp.cosh(x), y)),
    "cosh": (mp.cosh, lambda x, y: (mp.sinh(x), y)),
    "tanh": (mp.tanh, lambda x, y: (mp.sech(x) ** 2, -2 * y * mp.sech(x) ** 2)),
}


for _name in FUNCTIONS:
    setattr(Jet, _name, partialmethod(Jet.applied, _name))
