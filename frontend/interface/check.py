"""The numeric check of a derivative: central differences at random points (thesis, section 4.7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eggrad.engine.errors import BudgetExceeded, EggradError
from eggrad.engine.oracle.oracle import numeric_derivative, random_values, value
from eggrad.engine.terms.binding import check_memory, concrete, symbols
from eggrad.engine.terms.term import Term, postorder, variables

if TYPE_CHECKING:
    from eggrad.engine.terms.binding import Array

TOLERANCE: Final = 1e-6
_POINTS: Final = 3
_DRAWS: Final = 60
_SIZES: Final = (3, 2, 4)
# The function is evaluated so often for each entry of its argument, at one point.
_EVALUATIONS: Final = 8
_MOST_WORK: Final = 10**10


@dataclass(frozen=True)
class Check:
    """The largest error found, at how many points, and the sizes of the axes there.

    An error is the difference in one entry, divided by 1 + the largest entry.
    """

    error: float
    points: int
    sizes: Mapping[str, int]

    @property
    def passed(self) -> bool:
        """Whether the error is within the thesis's limit."""
        return self.error <= TOLERANCE

    def __str__(self) -> str:
        """Say it in a line."""
        at = " ".join(f"{symbol}={n}" for symbol, n in self.sizes.items())
        where = f" with {at}" if at else ""
        points = f"{self.points} random points" if self.points > 1 else "one random point"
        return f"largest error {self.error:.1e} against central differences at {points}{where}"


def check_derivatives(chain: Sequence[Term], wrt: Sequence[str]) -> Check:
    """Compare each term of `chain` but the first with differences of the one before it.

    `chain` holds a function, its derivative with respect to `wrt[0]`, the derivative of that with
    respect to `wrt[1]`, and so on. A point counts only where differences at two step sizes agree:
    elsewhere (near a pole, at a kink, outside the domain) they say nothing.

    >>> from eggrad.engine.terms.term import apply, delta, einsum, variable
    >>> x = variable("x", ("n",))
    >>> gradient = einsum("ij,j->ij", delta(("n",)), apply("cos", x))
    >>> check_derivatives([apply("sin", x), gradient], ["x"]).passed
    True
    """
    sizes = {s: _SIZES[i % len(_SIZES)] for i, s in enumerate(symbols(*chain))}
    _check_work(chain, wrt, sizes)
    rng = np.random.default_rng(0)
    error, points = 0.0, 0
    for draw in range(_DRAWS):
        values = _draw(variables(*chain), sizes, rng, draw)
        found = _error_at(chain, wrt, values, sizes)
        if found is not None:
            error, points = max(error, found), points + 1
        if points == _POINTS:
            break
    if not points:
        raise EggradError(
            f"no check: central differences settle at none of {_DRAWS} random points; "
            "is the expression defined anywhere?"
        )
    return Check(error, points, sizes)


def _check_work(chain: Sequence[Term], wrt: Sequence[str], sizes: Mapping[str, int]) -> None:
    """Raise where sizes given as integers make the check too large."""

    def entries(*terms: Term) -> int:
        return sum(prod(concrete(t.dims, sizes)) for t in terms)

    check_memory([t.dims for t in postorder(*chain)], sizes, together=True)
    arguments = {v.name: entries(v) for v in variables(*chain)}
    each = (arguments.get(n, 0) * entries(*postorder(f)) for f, n in zip(chain, wrt, strict=False))
    work = _EVALUATIONS * sum(each)
    if work > _MOST_WORK:
        raise BudgetExceeded(
            f"central differences would compute {work:.1e} entries, at most {_MOST_WORK:.0e} are "
            "allowed; check it with smaller sizes"
        )


def _draw(
    unknowns: Sequence[Term], sizes: Mapping[str, int], rng: "np.random.Generator", draw: int
) -> "dict[str, Array]":
    """Values of all signs, positive ones, and small ones in turn: each domain gets its chance."""
    values = random_values(unknowns, sizes, rng)
    match draw % 3:
        case 1:
            return {name: 0.3 + np.abs(array) for name, array in values.items()}
        case 2:
            return {name: 0.9 * np.tanh(array) for name, array in values.items()}
        case _:
            return values


def _error_at(
    chain: Sequence[Term], wrt: Sequence[str], values: "dict[str, Any]", sizes: Mapping[str, int]
) -> float | None:
    unknowns = {v.name: v for v in variables(*chain)}
    largest = 0.0
    for before, after, name in zip(chain, chain[1:], wrt, strict=False):
        ours = value(after, values, sizes)
        if name in unknowns:
            expected, narrow = (
                numeric_derivative(before, unknowns[name], values, sizes, step)
                for step in (1e-3, 2e-4)
            )
        else:
            expected = narrow = np.zeros_like(ours)
        if expected.shape != ours.shape:
            raise EggradError(f"the derivative has shape {ours.shape}, not {expected.shape}")
        scale = 1 + np.max(np.abs(expected), initial=0.0)
        unsettled = np.max(np.abs(expected - narrow), initial=0.0) / scale
        if not unsettled <= TOLERANCE / 10:
            return None
        error = np.max(np.abs(ours - expected), initial=0.0) / scale
        largest = max(largest, np.inf if np.isnan(error) else float(error))
    return largest
