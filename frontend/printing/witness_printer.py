"""The values at which two expressions differ, as texts: six digits, more where these agree."""

from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np

__all__ = ["format_sides", "format_values"]

_FEW: Final = 6
_MANY: Final = 17


def format_values(value: Any, digits: int = _FEW) -> str:
    """Numbers as nested lists, with so many digits.

    >>> format_values(np.array([[2.0, 1 / 3]])), format_values(Fraction(10**400))
    ('[[2.0, 0.333333]]', '1e+400')
    """

    def plain(v: Any) -> str:
        if isinstance(v, list):
            return f"[{', '.join(map(plain, v))}]"
        if isinstance(v, Fraction):
            return _decimal(v, digits)
        return repr(float(v)) if float(v).is_integer() else f"{v:.{digits}g}"

    return plain(np.asarray(value).tolist())


def format_sides(left: Any, right: Any) -> Iterator[str]:
    r"""Two results that differ, in as many digits as show it; else their difference as well.

    >>> tenth = Fraction(1, 10)
    >>> print("\n".join(format_sides(tenth, tenth + Fraction(1, 10**400))))
    left = 0.1
    right = 0.1
    right - left = 1e-400
    """
    for digits in (_FEW, _MANY):
        texts = [format_values(side, digits) for side in (left, right)]
        if texts[0] != texts[1]:
            break
    yield f"left = {texts[0]}"
    yield f"right = {texts[1]}"
    if texts[0] == texts[1]:
        yield f"right - left = {format_values(np.asarray(right) - np.asarray(left))}"


def _decimal(value: Fraction, digits: int) -> str:
    """A fraction of any size in so many digits."""
    if value.denominator == 1 and abs(value) < 10**digits:
        return f"{value.numerator}.0"
    own = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    quotient = own.divide(Decimal(value.numerator), Decimal(value.denominator))
    text = f"{quotient.normalize(own):.{digits}g}"
    return text if "." in text or "e" in text else f"{text}.0"
