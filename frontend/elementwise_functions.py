"""Functions of element-wise definitions with NumPy."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from eggrad.engine.functions import FUNCTIONS as RECORDS
from eggrad.engine.functions import UNARY

__all__ = ["FUNCTIONS"]

FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    **{f: getattr(np, f) for f in UNARY if f != "relu" and not RECORDS[f].is_test},
    "relu": lambda x: np.where(x > 0, x, 0 * x),
    "sqrt": np.sqrt,
    "sinh": np.sinh,
    "cosh": np.cosh,
}
