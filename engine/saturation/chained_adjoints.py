"""Adjoints through functions of functions that no term has as a whole, at once."""

from collections.abc import Sequence
from dataclasses import dataclass

from eggrad.engine.laws.differentiation import check_slopes
from eggrad.engine.saturation.report import Budget, Result
from eggrad.engine.saturation.run import Derived
from eggrad.engine.saturation.stages import System
from eggrad.engine.terms.term import Term

__all__ = ["Level", "pull_back_levels"]


@dataclass(frozen=True)
class Level:
    """A scalar term, and the variables in it whose adjoints are wanted.

    `above` is the number of an earlier level and the variable there whose value the term is;
    None for the first level alone.
    """

    term: Term
    wrt: tuple[Term, ...]
    above: tuple[int, Term] | None = None


def pull_back_levels(
    system: System, levels: Sequence[Level], cotangent: Term, budget: Budget | None = None
) -> Result:
    """The adjoints of all variables of all levels, given that of the first level's term.

    The adjoint of a level's term is that of the variable above it, so a chain of levels
    multiplies derivatives. Terms are in the order of the levels and of their variables.
    """
    for level in levels:
        check_slopes(level.term, *level.wrt)
    rules = system.derivative_rules(*(level.term for level in levels))
    found: list[dict[Term, Term]] = []
    for level in levels:
        adjoint = cotangent
        if level.above is not None:
            place, variable = level.above
            adjoint = found[place][variable]
        adjoints = rules.reverse(level.term, level.wrt, adjoint)
        found.append(dict(zip(level.wrt, adjoints, strict=True)))
    roots = [t for level in found for t in level.values()]
    return system.refined(roots, Derived((cotangent,), rules.matches), budget)
