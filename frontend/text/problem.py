"""A problem: an expression, what it is to be differentiated by, and what was declared."""

from dataclasses import dataclass

from eggrad.engine.terms.term import Term

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """What a text of the thesis's language says.

    `term` is the expression. `wrt` holds the variables of `derivative wrt` in turn, or is None
    where the text has no such part. `declared` holds every declared variable, in that order.
    """

    term: Term
    wrt: tuple[Term, ...] | None
    declared: tuple[Term, ...]
