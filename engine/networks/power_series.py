"""Truncated Laurent series with rational coefficients, exactly, and the functions of them.

A series is what an e-class is near 0 of another one, its place. Functions are composed by the
differential equations that they solve, so that nothing is tabulated.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from eggrad.engine.indices.spec import Indices

# An e-class, and where each of its axes is among those of the whole.
Place = tuple[int, Indices]

# What has a higher order, or coefficients of more bits, is not read.
MOST_ORDER: Final = 16
MOST_BITS: Final = 500


@dataclass(frozen=True)
class Series:
    """`zˡ·(c₀ + c₁·z + …)`, with c₀ ≠ 0: what comes after the last coefficient is unknown.

    Without a place it is a number, of which nothing is unknown.
    """

    coefficients: tuple[Fraction, ...]
    low: int = 0
    place: Place | None = None

    @property
    def end(self) -> int:
        """The first power of which nothing is known."""
        return self.low + len(self.coefficients)

    def plus(self, other: "Series") -> "Series | None":
        """The sum; None where the places differ, or nothing that is known is left."""
        a, b = self, other
        if a.place is None and b.place is None:
            return number(a.coefficients[0] + b.coefficients[0])
        if a.place and b.place and a.place != b.place:
            return None
        low = min(a.low, b.low)
        end = min(s.end for s in (a, b) if s.place)
        total = [Fraction(0)] * (end - low)
        for s in (a, b):
            for k, c in enumerate(s.coefficients[: max(end - s.low, 0)], s.low - low):
                total[k] += c
        return _made(total, low, a.place or b.place)

    def times(self, other: "Series") -> "Series | None":
        """The product; None where the places differ."""
        a, b = self, other
        if a.place and b.place and a.place != b.place:
            return None
        if a.place is None or b.place is None:
            one, rest = (a, b) if a.place is None else (b, a)
            c = one.coefficients[0]
            return _made([c * d for d in rest.coefficients], rest.low, rest.place)
        length = min(len(a.coefficients), len(b.coefficients))
        total = [Fraction(0)] * length
        known = [(k, c) for k, c in enumerate(b.coefficients) if c]
        for j, c in enumerate(a.coefficients[:length]):
            if c:
                for k, d in known:
                    if j + k >= length:
                        break
                    total[j + k] += c * d
        return _made(total, a.low + b.low, a.place)

    def power(self, p: Fraction) -> "Series | None":
        """A power, by Miller's recurrence; None where its first coefficient is not rational."""
        first = self.coefficients[0]
        scale = _power(first, p)
        if scale is None or (self.low and p.denominator != 1):
            return None
        if self.place is None:
            return number(scale)
        known = [(k, c / first) for k, c in enumerate(self.coefficients) if c][1:]
        total = [Fraction(1)]
        for n in range(1, len(self.coefficients)):
            parts = ((p * k - (n - k)) * c * total[n - k] for k, c in known if k <= n)
            total.append(sum(parts, Fraction(0)) / n)
        return _made([scale * c for c in total], int(self.low * p), self.place)

    def derivative(self) -> "Series | None":
        """The derivative by the place of a series that goes to 0."""
        slopes = [k * c for k, c in enumerate(self.coefficients, self.low)]
        return _made(slopes, self.low - 1, self.place)

    def integral(self) -> "Series | None":
        """The integral, from 0, of a series without negative powers."""
        areas = [c / (k + 1) for k, c in enumerate(self.coefficients, self.low)]
        return _made(areas, self.low + 1, self.place)


def number(c: Fraction) -> Series | None:
    """A number as a series; None for 0."""
    return Series((c,)) if c else None


def place_itself(place: Place, order: int) -> Series:
    """The series z, with as many coefficients."""
    return Series((Fraction(1), *[Fraction(0)] * (order - 1)), 1, place)


def _made(coefficients: list[Fraction], low: int, place: Place | None) -> Series | None:
    """The series without its first zeros; None where nothing is left, or it is too long."""
    first = next((k for k, c in enumerate(coefficients) if c), None)
    if first is None or abs(low + first) > MOST_ORDER:
        return None
    rest = tuple(coefficients[first:])
    sizes = (max(c.numerator.bit_length(), c.denominator.bit_length()) for c in rest)
    return Series(rest, low + first, place) if max(sizes) <= MOST_BITS else None


def _power(c: Fraction, p: Fraction) -> Fraction | None:
    """A rational power of a number, if it is rational."""
    if abs(p) > MOST_ORDER or p.denominator > MOST_ORDER:
        return None
    root = c
    if p.denominator > 1:
        if c <= 0 or max(c.numerator, c.denominator) >= 2**53:
            return None
        ends = (round(k ** (1 / p.denominator)) for k in (c.numerator, c.denominator))
        root = Fraction(*ends)
        if root**p.denominator != c:
            return None
    return root**p.numerator


# Functions of series that go to 0.

_ONE: Final = Series((Fraction(1),))
_MINUS_ONE: Final = Series((Fraction(-1),))


def _waves(p: Series, sign: int) -> tuple[Series | None, Series | None]:
    """What solves `u' = p'·v`, `v' = ±p'·u`: the sine and cosine, or the hyperbolic ones."""
    slopes = [(k, k * c) for k, c in enumerate(p.coefficients, p.low) if c]
    odd, even = [Fraction(0)], [Fraction(1)]
    for n in range(1, p.end):
        parts = [(c, n - k) for k, c in slopes if k <= n]
        odd_next = sum((c * even[j] for c, j in parts), Fraction(0)) / n
        even.append(sign * sum((c * odd[j] for c, j in parts), Fraction(0)) / n)
        odd.append(odd_next)
    return _made(odd, 0, p.place), _made(even, 0, p.place)


def _quotient(a: Series | None, b: Series | None) -> Series | None:
    inverse = b and b.power(Fraction(-1))
    return a and inverse and a.times(inverse)


def _exp(p: Series) -> Series | None:
    odd, even = _waves(p, 1)
    return odd and even and even.plus(odd)


def _expm1(p: Series) -> Series | None:
    whole = _exp(p)
    return whole and whole.plus(_MINUS_ONE)


def _log1p(p: Series) -> Series | None:
    return _by_slope(p, p.plus(_ONE), Fraction(-1))


def _by_slope(p: Series, base: Series | None, exponent: Fraction) -> Series | None:
    """The function of p whose slope is a power of a base."""
    slope, inner = base and base.power(exponent), p.derivative()
    whole = slope and inner and slope.times(inner)
    return whole and whole.integral()


def _with_square(p: Series, sign: int) -> Series | None:
    """`1 + sign·p²`."""
    square = p.times(p)
    signed = square and square.times(Series((Fraction(sign),)))
    return signed and signed.plus(_ONE)


def _sigmoid(p: Series) -> Series | None:
    falling = p.times(_MINUS_ONE)
    whole = falling and _exp(falling)
    return whole and _quotient(_ONE, whole.plus(_ONE))


def _log_cosh(p: Series) -> Series | None:
    even = _waves(p, 1)[1]
    rest = even and even.plus(_MINUS_ONE)
    return rest and _log1p(rest)


OF_VANISHING: Final[Mapping[str, Callable[[Series], Series | None]]] = MappingProxyType(
    {
        "sin": lambda p: _waves(p, -1)[0],
        "cos": lambda p: _waves(p, -1)[1],
        "tan": lambda p: _quotient(*_waves(p, -1)),
        "sinh": lambda p: _waves(p, 1)[0],
        "cosh": lambda p: _waves(p, 1)[1],
        "tanh": lambda p: _quotient(*_waves(p, 1)),
        "exp": _exp,
        "expm1": _expm1,
        "log1p": _log1p,
        "arctan": lambda p: _by_slope(p, _with_square(p, 1), Fraction(-1)),
        "arcsin": lambda p: _by_slope(p, _with_square(p, -1), Fraction(-1, 2)),
        "area_sine": lambda p: _by_slope(p, _with_square(p, 1), Fraction(-1, 2)),
        "sigmoid": _sigmoid,
        "log_cosh": _log_cosh,
    }
)
"""The series of functions, by their names, given one that goes to 0."""


def function_of_series(name: str, p: Series) -> Series | None:
    """A function of a series, if it has one with rational coefficients.

    >>> x = place_itself((0, ()), 4)
    >>> [str(c) for c in function_of_series("sin", x).coefficients]
    ['1', '0', '-1/6', '0']
    """
    if p.place is None:
        return None
    if name == "log":
        rest = p.plus(_MINUS_ONE) if p.low == 0 and p.coefficients[0] == 1 else None
        return rest and _log1p(rest)
    known = OF_VANISHING.get(name)
    return known(p) if known is not None and p.low > 0 else None


def moved(series: Series, part: Indices, every: Indices) -> Series:
    """A series of an operand in the axes of a product, of which its axes are a part."""
    if series.place is None or part == every:
        return series
    cls, axes = series.place
    return replace(series, place=(cls, tuple(part[k] for k in axes)))
