"""Numbers and functions of element-wise definitions with NumPy."""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any, Final

import numpy as np

from eggrad.engine.term import ELEMENTWISE

__all__ = ["FUNCTIONS", "as_float"]

FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    **{name: getattr(np, name) for name in ELEMENTWISE if name != "relu"},
    "relu": lambda x: np.where(x > 0, x, 0 * x),
    "sqrt": np.sqrt,
    "sinh": np.sinh,
    "cosh": np.cosh,
}


def as_float(number: Fraction) -> float:
    """The nearest floating-point number; infinite beyond all of them.

    >>> as_float(Fraction(1, 4)), as_float(Fraction(-(10**400)))
    (0.25, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf
