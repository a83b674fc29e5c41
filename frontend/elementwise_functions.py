"""Functions of element-wise definitions with NumPy."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from eggrad.engine import functions as records
from eggrad.frontend.numpy_ufuncs import COMPOSED

__all__ = ["FUNCTIONS"]

_OWN: Final = [f for f in records.UNARY if not records.FUNCTIONS[f].is_test and f != "relu"]

FUNCTIONS: Final[dict[str, Callable[[Any], Any]]] = {
    **{name: getattr(np, name) for name in (*_OWN, *COMPOSED)},
    "relu": lambda x: np.where(x > 0, x, 0 * x),
}
