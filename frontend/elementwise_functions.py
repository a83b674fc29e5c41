"""Functions of element-wise definitions with NumPy."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from eggrad.engine.functions import UNARY

__all__ = ["FUNCTIONS"]

FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    **{name: getattr(np, name) for name in UNARY if name != "relu"},
    "relu": lambda x: np.where(x > 0, x, 0 * x),
    "sqrt": np.sqrt,
    "sinh": np.sinh,
    "cosh": np.cosh,
}
