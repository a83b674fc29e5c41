"""Distributions under SciPy's names: `from eggrad.stats import norm`.

>>> from eggrad.stats import norm
>>> import eggrad as eg
>>> eg.stats.norm is norm
True
"""

from typing import Any

from eggrad.frontend.expression import stats as _home
from eggrad.frontend.expression.stats import *  # noqa: F403

__all__: list[str] = []
__all__ += _home.__all__


def __getattr__(name: str) -> Any:
    """What is made at first use, or has a hint."""
    return getattr(_home, name)
