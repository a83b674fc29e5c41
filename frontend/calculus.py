"""Differentiation and simplification with the standard rules: rules and engine brought together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eggrad.engine.binding import symbols
from eggrad.engine.cost import CostModel
from eggrad.engine.rule import Ruleset
from eggrad.engine.spec import Size
from eggrad.engine.stages import Budget, Report, Result
from eggrad.engine.term import Term
from eggrad.rules.standard import STANDARD, system

__all__ = ["Budget", "differentiate", "lower", "simplify"]


def differentiate(
    term: Term,
    wrt: Sequence[Term],
    mode: str = "auto",
    budget: Budget | None = None,
    *,
    exact: bool = False,
) -> Result:
    """The derivative of a term with respect to each variable in turn.

    Every order starts again from the extracted derivative before it, in a fresh e-graph. `exact`
    is about the last one.

    >>> from eggrad.engine.term import apply, variable
    >>> x = variable("x")
    >>> differentiate(apply("exp", x), [x, x]).term is apply("exp", x)
    True
    """
    report = Report()
    for order, x in enumerate(wrt, 1):
        last = order == len(wrt)
        result = system().differentiate(term, x, mode, budget, exact=exact and last)
        term = result.term
        report = report.joined(result.report)
    return Result((term,), report)


def simplify(
    term: Term,
    budget: Budget | None = None,
    rules: Sequence[Ruleset] | None = None,
    sizes: Mapping[str, int] | int | None = None,
    *,
    exact: bool = False,
) -> Result:
    """An equal, cheaper term; `rules` replaces the standard rulesets of simplification.

    `sizes` maps size symbols, or is the size of every symbol.

    >>> from eggrad.engine.term import add, constant, variable
    >>> x = variable("x")
    >>> simplify(add(x, constant(0))).term is x
    True
    """
    at = _sizes([term], sizes)
    if rules is None:
        return system().simplify([term], budget, at, exact=exact)
    own = replace(STANDARD, simplify=tuple(rules), explore=(), present=())
    return system(own).simplify([term], budget, at, exact=exact)


def lower(
    roots: Sequence[Term],
    sizes: Mapping[str, int] | int | None = None,
    budget: Budget | None = None,
) -> Result:
    """Equal terms to generate code from, cheapest together at the given sizes."""
    return system().lower(roots, CostModel(_sizes(roots, sizes)), budget)


def _sizes(roots: Sequence[Term], sizes: Mapping[str, int] | int | None) -> dict[Size, int]:
    return dict.fromkeys(symbols(*roots), sizes) if isinstance(sizes, int) else {**(sizes or {})}
