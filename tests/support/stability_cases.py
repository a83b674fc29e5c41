"""Formulas that lose digits or overflow as they are written, and what they should give.

Each is Python text in `x` and names that NumPy, JAX, mpmath and eggrad all have.
"""

from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

import eggrad as eg
from eggrad.engine.terms.binding import Array
from tests.support.places import lines_of

__all__ = ["CASES", "Case", "derivatives", "evaluated", "exact", "points", "worst_error"]

DIGITS = 60
NAMES = ("exp", "log", "cos", "tanh", "arcsin")
# Smaller values have fewer digits.
SMALLEST, LARGEST = 2.3e-308, 1.79e308
X = eg.variable("x", ("n",))


@dataclass(frozen=True)
class Case:
    """A formula, where it is evaluated, and how often it is differentiated."""

    formula: str
    domain: str = "real"
    orders: int = 2


def read(formula: str, domain: str = "real", orders: str = "2") -> Case:
    return Case(formula, domain, int(orders))


CASES = tuple(read(*line.split(" | ")) for line in lines_of("stability_formulas.txt"))


def points(domain: str) -> Array:
    """Extreme arguments and a logarithmic range."""
    if domain == "unit":
        return np.concatenate([np.logspace(-12, -0.01, 25), 1 - np.logspace(-12, -1, 12)])
    extreme = [1e3, 1e-12, 1.0, 30.0, 700.0]
    found = np.concatenate([extreme, np.logspace(-12, 3, 46)])
    return found if domain == "positive" else np.concatenate([found, -found])


def evaluated(formula: str, x: Any, functions: Any) -> Any:
    """A formula with the functions of a module."""
    names = {name: getattr(functions, name) for name in NAMES if hasattr(functions, name)}
    return eval(formula, {"arcsin": getattr(functions, "asin", None), **names, "x": x})


def derivatives(case: Case) -> list[eg.Expression]:
    """The formula and its derivatives, entry by entry."""
    found = [evaluated(case.formula, X, eg)]
    for _ in range(case.orders):
        found.append(eg.gradient(eg.sum(found[-1]), X))
    return found


def exact(case: Case, order: int, at: Array) -> list[Any]:
    """The value or a derivative at each point, to 60 digits and more.

    Differences need as many digits as the value is small.
    """

    def function(t: Any) -> Any:
        return evaluated(case.formula, t, mpmath)

    with mpmath.workdps(DIGITS + 800):
        numbers = [mpmath.mpf(float(t)) for t in at]
        found = [mpmath.diff(function, t, order) if order else function(t) for t in numbers]
        return [mpmath.re(v) for v in found]


def fits(case: Case, orders: int, at: Array) -> Array:
    """The points at which the value and its derivatives are no larger than a double can be."""
    found = np.ones(len(at), bool)
    for order in range(orders):
        found &= [abs(v) < LARGEST for v in exact(case, order, at)]
    return at[found]


def worst_error(values: Any, true: list[Any]) -> float:
    """The largest relative error where the true value is a normal double."""
    worst = 0.0
    for value, expected in zip(np.asarray(values), true, strict=True):
        if SMALLEST < abs(expected) < LARGEST:
            with mpmath.workdps(DIGITS):
                finite = np.isfinite(value)
                error = float(abs(mpmath.mpf(float(value)) / expected - 1)) if finite else np.inf
            worst = max(worst, error)
    return worst
