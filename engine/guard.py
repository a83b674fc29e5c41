"""The guard around optional search: what fails there never costs the answer."""

import sys
import warnings
from collections.abc import Callable
from typing import Final, TypeVar

from eggrad.engine.errors import (
    BudgetExceeded,
    MissingRule,
    RuleError,
    UnsoundRules,
    UnsupportedOperation,
)

_T = TypeVar("_T")
# What a search may tell its user. Any other error is ours: its terms were right as they came.
_OF_USERS: Final = (BudgetExceeded, MissingRule, RuleError, UnsoundRules, UnsupportedOperation)


class SearchFailure(RuntimeWarning):
    """A mistake of eggrad's ended a search: the result is right, but a better one may exist."""


def optional(doing: str, search: Callable[[], _T], otherwise: Callable[[], _T]) -> _T:
    """What a search finds; where it ends by a mistake of ours, with a warning, what is there else.

    Errors about budgets and users' rules, and interrupts, pass.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     optional("simplifying", lambda: 1 // 0, lambda: 7)
    7
    >>> print(caught[0].message)
    simplifying failed (ZeroDivisionError: integer division or modulo by zero): the result is ...
    """
    try:
        return search()
    except _OF_USERS:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:200]
        message = (
            f"{doing} failed ({said}): the result is right as it stands, but a better form may "
            "exist; this is a mistake of eggrad's, please report it with the expression"
        )
        warnings.warn(message, SearchFailure, stacklevel=outside())
    return otherwise()


def outside() -> int:
    """The level of the first frame that is not in this package, for who calls `warnings.warn`.

    >>> outside()
    2
    """
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
