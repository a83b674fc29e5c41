"""What users are told when a budget has cut a search short; loaded without the engine."""

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eggrad.engine.saturation.schedule import Report

__all__ = ["BudgetWarning", "warn_of"]


class BudgetWarning(UserWarning):
    """A budget ended before the rules did: the result is right, but a shorter one may exist."""


def warn_of(report: "Report") -> None:
    """Warn, at the line that called eggrad, of what a report says was cut short.

    >>> from eggrad.engine.saturation.schedule import Report
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of(Report(notes=["more than 2 seconds"]))
    >>> print(caught[0].message)
    the budget ended first (more than 2 seconds): a shorter form may exist
    """
    if report.notes:
        reasons = "; ".join(dict.fromkeys(report.notes))
        message = f"the budget ended first ({reasons}): a shorter form may exist"
        warnings.warn(message, BudgetWarning, stacklevel=_outside())


def _outside() -> int:
    """The level of the first frame that is not in this package, for who calls `warnings.warn`."""
    package = __name__.partition(".")[0]
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame, level = frame.f_back, level + 1
    return level
