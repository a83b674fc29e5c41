"""Formulas at values where they overflow or cancel as they are written, judged by 1,000 digits."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from tests.support.places import lines_of

# exp(-1000) beside 1 has 435 digits.
DIGITS = 1000
# A program may round once for each of the largest numbers on the way, a thousand.
TOLERANCE = 1e-10


@dataclass(frozen=True)
class Extreme:
    """A formula, what it is differentiated by, and where it is evaluated."""

    text: str
    wrt: tuple[str, ...]
    at: str

    @property
    def values(self) -> dict[str, Array]:
        """The values of the variables, in the order in which they are given."""
        pairs = (own.split(" = ") for own in self.at.split("; "))
        return {name: np.array(eval(value), float) for name, value in pairs}

    @property
    def name(self) -> str:
        """What a test is called."""
        by = f" by {', '.join(self.wrt)}" * bool(self.wrt)
        return f"{self.text}{by} at {self.at}"


def _read(line: str) -> Extreme:
    text, wrt, at = (part.strip() for part in line.split(" |"))
    return Extreme(text, tuple(wrt.split()), at)


EXTREMES = tuple(map(_read, lines_of("extremes.txt")))


@cache
def expression(case: Extreme) -> eg.Expression:
    """The formula, or its derivative."""
    values = case.values
    axes = {length: letter for letter, length in zip("mnk", _lengths(values), strict=False)}
    dims = {name: tuple(axes[d] for d in v.shape) for name, v in values.items()}
    f = eg.parse_matrix(case.text, dims)
    return eg.derivative(f, *case.wrt) if case.wrt else f


def _lengths(values: dict[str, Array]) -> list[int]:
    return [*dict.fromkeys(d for v in values.values() for d in v.shape)]


@cache
def true_value(case: Extreme) -> Any:
    """The value, with so many digits that what overflows or cancels in floats does not."""
    term = expression(case).thin.term
    (found,) = oracle.evaluate([term], case.values, digits=DIGITS)
    return np.asarray(found, float)


def check(found: Any, case: Extreme, tolerance: float = TOLERANCE) -> None:
    """Whether a value is the true one, in each entry."""
    wanted = true_value(case)
    found = np.asarray(found, float).reshape(wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=1e-300, err_msg=case.name)
