"""Functions of matrices under SciPy's names: `from eggrad.linalg import cholesky`.

>>> from eggrad.linalg import cholesky
>>> import eggrad as eg
>>> eg.linalg.cholesky is cholesky
True
"""

from typing import Any

from eggrad.frontend.expression import linalg as _home
from eggrad.frontend.expression.linalg import *  # noqa: F403

__all__: list[str] = []
__all__ += _home.__all__


def __getattr__(name: str) -> Any:
    """What is made at first use, or has a hint."""
    return getattr(_home, name)
