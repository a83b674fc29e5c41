"""Numbers of as many digits as are asked for, in arrays of objects: the oracle computes with them.

NumPy asks the entries of such an array for methods of its functions' names, so that a definition in
NumPy's words is one for these numbers as well. mpmath computes (https://mpmath.org).
"""

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]

# An exponential of a larger number, or a power of more digits, is beyond all use.
LARGEST: Final = 1e9


def _of_two(name: str, *, turned: bool = False) -> Callable[["Number", Any], "Number"]:
    """A method for an operation on two numbers: what is infinite, complex or undefined is NaN."""
    apply = getattr(operator, name)

    def method(self: "Number", other: Any) -> "Number":
        value = other.value if isinstance(other, Number) else self.value.context.mpf(other)
        return self.made(apply, *((value, self.value) if turned else (self.value, value)))

    return method


def _compared(name: str) -> Callable[["Number", Any], bool]:
    compare = getattr(operator, name)

    def method(self: "Number", other: Any) -> bool:
        return bool(compare(self.value, other.value if isinstance(other, Number) else other))

    return method


def _function(name: str) -> Callable[["Number"], "Number"]:
    """A method for one of mpmath's functions."""
    return lambda self: self.made(getattr(self.value.context, name), self.value)


def _rounded(name: str) -> Callable[["Number"], "Number"]:
    """A method that makes integers; NaN stays."""
    apply = _function(name)
    return lambda self: apply(self) if self.is_finite else self


class Number:
    """A real number of some digits, or NaN; the digits are those of its mpmath context.

    >>> third = number_of(30)(Fraction(1, 3))
    >>> third * 3 - 1 == 0, (third - 1).sqrt().is_finite
    (True, False)
    """

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        """Take a number of mpmath's."""
        self.value = value

    def made(self, function: Callable[..., Any], *args: Any) -> "Number":
        """The value of a function; NaN where mpmath has no finite real one."""
        context = self.value.context
        try:
            found = function(*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            return Number(context.nan)
        real = isinstance(found, context.mpf) and context.isfinite(found)
        return Number(found if real else context.nan)

    @property
    def is_finite(self) -> bool:
        """Whether it is a number."""
        return bool(self.value == self.value)

    def exp(self) -> "Number":
        """The exponential."""
        return self._bounded("exp", self.value, self.value)

    def expm1(self) -> "Number":
        """The exponential less 1."""
        return self._bounded("expm1", self.value, self.value)

    def _bounded(self, name: str, size: Any, *args: Any) -> "Number":
        within = abs(size) <= LARGEST
        context = self.value.context
        return self.made(getattr(context, name), *args) if within else Number(context.nan)

    def __pow__(self, other: Any) -> "Number":
        """A real power."""
        context = self.value.context
        exponent = other.value if isinstance(other, Number) else context.mpf(other)
        digits = context.mag(self.value) * exponent if self.value and self.is_finite else 0
        return self._bounded("power", digits, self.value, exponent)

    def __rpow__(self, other: Any) -> "Number":
        """A real power of another number."""
        return Number(self.value.context.mpf(other)) ** self

    def __neg__(self) -> "Number":
        """The negative."""
        return Number(-self.value)

    def __pos__(self) -> "Number":
        """The number itself."""
        return self

    def __abs__(self) -> "Number":
        """The absolute value."""
        return Number(abs(self.value))

    def __bool__(self) -> bool:
        """Whether it is not 0; NaN is not, as in NumPy."""
        return bool(self.value != 0)

    def __float__(self) -> float:
        """The nearest number of double precision."""
        return float(self.value)

    def __int__(self) -> int:
        """The integer between it and 0 that is next to it."""
        return int(self.value)

    def __repr__(self) -> str:
        """As mpmath shows it."""
        return str(self.value)

    __add__, __radd__ = _of_two("add"), _of_two("add", turned=True)
    __sub__, __rsub__ = _of_two("sub"), _of_two("sub", turned=True)
    __mul__, __rmul__ = _of_two("mul"), _of_two("mul", turned=True)
    __truediv__, __rtruediv__ = _of_two("truediv"), _of_two("truediv", turned=True)
    __mod__, __rmod__ = _of_two("mod"), _of_two("mod", turned=True)
    __lt__, __le__, __gt__, __ge__ = map(_compared, ("lt", "le", "gt", "ge"))
    __eq__, __ne__ = map(_compared, ("eq", "ne"))  # type: ignore[assignment]
    __floor__, __ceil__, rint = map(_rounded, ("floor", "ceil", "nint"))
    sin, cos, tan, sqrt, log = map(_function, ("sin", "cos", "tan", "sqrt", "log"))
    arcsin, arccos, arctan = map(_function, ("asin", "acos", "atan"))
    sinh, cosh, tanh, log1p = map(_function, ("sinh", "cosh", "tanh", "log1p"))
    arcsinh = _function("asinh")

    def arctan2(self, other: "Number") -> "Number":
        """The angle of a point of which it is the second coordinate."""
        return self.made(self.value.context.atan2, self.value, other.value)

    def __trunc__(self) -> "Number":
        """The integer between it and 0 that is next to it."""
        return self.__floor__() if self.value > 0 else self.__ceil__()

    def log2(self) -> "Number":
        """The logarithm to base 2."""
        return self.made(lambda x: x.context.log(x, 2), self.value)


@lru_cache(maxsize=4)
def number_of(digits: int) -> Callable[[Any], Number]:
    """What makes a number of some digits: of a float or an integer as it is, of a fraction rounded.

    >>> number_of(20)(Fraction(1, 3))
    0.33333333333333333333
    """
    # mpmath takes a tenth of a second to load, and is needed where two terms seem to differ.
    from mpmath import MPContext

    context = MPContext()
    context.dps = digits

    def make(value: Any) -> Number:
        if isinstance(value, Number):
            return value
        if isinstance(value, Fraction):
            return Number(context.mpf(value.numerator) / value.denominator)
        found = context.mpf(value if isinstance(value, int) else float(value))
        return Number(found if context.isfinite(found) else context.nan)

    return make


def numbers(values: Any, digits: int) -> Array:
    """Values as an array of numbers of some digits.

    >>> numbers([1, 2], 20)
    array([1.0, 2.0], dtype=object)
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(np.frompyfunc(number_of(digits), 1, 1)(values), object)


def eigenvalues(matrix: Array) -> Array:
    """Those of a symmetric matrix of numbers, the least one first."""
    return _by_mpmath(
        matrix, lambda context, mp_matrix: context.eigsy(mp_matrix, eigvals_only=True)
    )


def singular_values(matrix: Array) -> Array:
    """Those of a matrix of numbers, the greatest one first."""
    return _by_mpmath(matrix, lambda context, mp_matrix: context.svd_r(mp_matrix, compute_uv=False))


def _by_mpmath(matrix: Array, function: Callable[[Any, Any], Any]) -> Array:
    context = matrix.flat[0].value.context
    if not all(x.is_finite for x in matrix.flat):
        return np.full(min(matrix.shape), Number(context.nan))
    found = function(context, context.matrix([[x.value for x in row] for row in matrix]))
    return np.array([Number(x) for x in found], object)
