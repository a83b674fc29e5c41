"""Exact numbers of any size as texts and as floating-point numbers.

Python converts at most 4300 digits at once, and no fraction beyond the greatest float.
"""

from fractions import Fraction
from math import inf
from typing import Final

__all__ = ["as_float", "digits", "fraction_of", "fraction_text", "integer"]

_CHUNK: Final = 4000
_LARGE: Final = 10**_CHUNK


def digits(value: int) -> str:
    """The decimal digits of an integer from 0 up.

    >>> len(digits(10**5000))
    5001
    """
    chunks: list[str] = []
    while value >= _LARGE:
        value, rest = divmod(value, _LARGE)
        chunks.append(str(rest).rjust(_CHUNK, "0"))
    return str(value) + "".join(reversed(chunks))


def integer(text: str) -> int:
    """The integer that some decimal digits say.

    >>> integer(digits(10**5000)) == 10**5000
    True
    """
    value = 0
    for start in range(0, len(text), _CHUNK):
        chunk = text[start : start + _CHUNK]
        value = value * 10 ** len(chunk) + int(chunk)
    return value


def fraction_text(value: Fraction) -> str:
    """A fraction as `str` writes it, of any size.

    >>> fraction_text(Fraction(-1, 2))
    '-1/2'
    """
    sign = "-" if value < 0 else ""
    below = f"/{digits(value.denominator)}" if value.denominator > 1 else ""
    return sign + digits(abs(value.numerator)) + below


def fraction_of(text: str) -> Fraction:
    """The fraction whose text this is.

    >>> fraction_of("-1/2")
    Fraction(-1, 2)
    """
    above, _, below = text.removeprefix("-").partition("/")
    value = Fraction(integer(above), integer(below or "1"))
    return -value if text.startswith("-") else value


def as_float(number: Fraction | int) -> float:
    """The nearest floating-point number; infinite beyond all of them.

    >>> as_float(Fraction(1, 4)), as_float(Fraction(-(10**400)))
    (0.25, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
