"""Special functions under SciPy's names: `from eggrad.special import gammaln`.

>>> from eggrad.special import gammaln
>>> import eggrad as eg
>>> eg.special.gammaln is gammaln
True
"""

from typing import Any

from eggrad.frontend.expression import special as _home
from eggrad.frontend.expression.special import *  # noqa: F403

__all__: list[str] = []
__all__ += _home.__all__


def __getattr__(name: str) -> Any:
    """What is made at first use, or has a hint."""
    return getattr(_home, name)
