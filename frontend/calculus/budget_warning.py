"""What users are told when a budget has cut a search short; loaded without the engine."""

import warnings
from typing import TYPE_CHECKING

from eggrad.engine.guard import outside

if TYPE_CHECKING:
    from eggrad.engine.saturation.schedule import Report


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
        warnings.warn(message, BudgetWarning, stacklevel=outside())
