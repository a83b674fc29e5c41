"""Numbers of Python and NumPy as the fractions that their users mean."""

from fractions import Fraction
from math import isqrt
from numbers import Integral, Rational, Real
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation

__all__ = ["exact"]

_LARGEST: Final = 10_000
_CHANCE: Final = 1_000


def exact(value: object) -> Fraction | None:
    """A Python or NumPy number as an exact fraction; None for all else.

    A floating-point number is the fraction with a small denominator that rounds to it, such as
    1/3, else what its decimal text says.

    >>> exact(1 / 3), exact(0.1), exact(0.30000000000000004)
    (Fraction(1, 3), Fraction(1, 10), Fraction(7500000000000001, 25000000000000000))
    """
    if isinstance(value, Integral | Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, np.bool_):
        return Fraction(int(value))
    if not isinstance(value, Real):
        return None
    text = str(value)
    if text in ("inf", "-inf", "nan"):
        raise UnsupportedOperation(f"a constant is a finite number, not {text}")
    small = _small_fraction(value) if isinstance(value, float | np.floating) else None
    return Fraction(text) if small is None else small


def _small_fraction(value: "float | np.floating[Any]") -> Fraction | None:
    """The only fraction of a small denominator that rounds to a number; None where there is none.

    A random number of so many digits has one by a chance of less than one in a thousand.
    """
    kind = type(value)
    steps = int(1 / np.finfo(kind).eps)
    most = min(_LARGEST, isqrt(steps // _CHANCE))
    own = Fraction(*value.as_integer_ratio())
    # Farther from 0 numbers lie less densely, and several fractions would round to one.
    if most < 2 or abs(own) * most**2 >= steps:
        return None
    found = own.limit_denominator(most)
    return found if kind(found.numerator) / kind(found.denominator) == value else None
