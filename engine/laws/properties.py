"""The properties that a tensor may be known to have, and what each says of its values.

A property is a fact about an e-class: true of every e-node wherever it is defined, at all values
that the variables may have.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.laws.language import Tensor, known

NONNEGATIVE: Final = "nonnegative"
POSITIVE: Final = "positive"
NONZERO: Final = "nonzero"
NONZERO_ALMOST: Final = "nonzero almost everywhere"
POSITIVE_ALMOST: Final = "positive almost everywhere"
WITHIN_ONE: Final = "between -1 and 1"
INVERTIBLE: Final = "invertible"
INVERTIBLE_ALMOST: Final = "invertible almost everywhere"
TOTAL: Final = "defined everywhere"
# What the facts about domains ask for; no e-class is said to have it.
DEFINED: Final = "defined"


@dataclass(frozen=True)
class Property:
    """What a property says: in one sentence, as a domain of some text, and of values.

    `holds` is asked at values that nobody has chosen, such as normal numbers: an exception
    without interior is not among them. Entries that are undefined say nothing.
    """

    sentence: str
    domain: str
    holds: Callable[[NDArray[Any]], bool]


def _entrywise(test: Callable[[NDArray[Any]], NDArray[Any]]) -> Callable[[NDArray[Any]], bool]:
    return lambda values: bool(test(values[np.isfinite(values)]).all())


def _is_regular(matrix: NDArray[Any]) -> bool:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return False
    defined = bool(np.isfinite(matrix).all()) and matrix.size > 0
    return not defined or bool(np.linalg.cond(np.asarray(matrix, float)) < SINGULAR)


# A matrix of a larger condition number is singular but for rounding.
SINGULAR: Final = 1e12

PROPERTIES: Final[Mapping[str, Property]] = {
    NONNEGATIVE: Property("Every entry is at least 0.", "{} >= 0", _entrywise(lambda v: v >= 0)),
    POSITIVE: Property("Every entry is above 0.", "{} > 0", _entrywise(lambda v: v > 0)),
    NONZERO: Property("No entry is 0.", "{} != 0", _entrywise(lambda v: v != 0)),
    NONZERO_ALMOST: Property(
        "The values at which an entry is 0 have no interior.",
        "{} != 0",
        _entrywise(lambda v: v != 0),
    ),
    POSITIVE_ALMOST: Property(
        "Every entry is at least 0, and nonzero almost everywhere.",
        "{} > 0",
        _entrywise(lambda v: v > 0),
    ),
    WITHIN_ONE: Property(
        "Every entry is between -1 and 1.", "-1 <= {} <= 1", _entrywise(lambda v: abs(v) <= 1)
    ),
    TOTAL: Property(
        "Every entry is defined at all values, and does not overflow at modest ones.",
        "{} defined",
        lambda values: bool(np.isfinite(values).all()),
    ),
    INVERTIBLE: Property("The matrix has an inverse.", "{} invertible", _is_regular),
    INVERTIBLE_ALMOST: Property(
        "The values at which it is singular have no interior.", "{} invertible", _is_regular
    ),
}


def nonnegative(a: Tensor) -> Tensor:
    """Every entry of `a` is at least 0."""
    return known(NONNEGATIVE, a)


def positive(a: Tensor) -> Tensor:
    """Every entry of `a` is above 0."""
    return known(POSITIVE, a)


def nonzero(a: Tensor) -> Tensor:
    """No entry of `a` is 0."""
    return known(NONZERO, a)


def nonzero_almost(a: Tensor) -> Tensor:
    """The values at which an entry of `a` is 0 have no interior."""
    return known(NONZERO_ALMOST, a)


def positive_almost(a: Tensor) -> Tensor:
    """Every entry of `a` is at least 0, and nonzero almost everywhere."""
    return known(POSITIVE_ALMOST, a)


def within_one(a: Tensor) -> Tensor:
    """Every entry of `a` is between -1 and 1."""
    return known(WITHIN_ONE, a)


def total(a: Tensor) -> Tensor:
    """Every entry of `a` is defined at all values."""
    return known(TOTAL, a)


def invertible(a: Tensor) -> Tensor:
    """The matrix `a` has an inverse."""
    return known(INVERTIBLE, a)


def defined(a: Tensor) -> Tensor:
    """Every entry of `a` is defined: what a fact about a domain begins with."""
    return known(DEFINED, a)


def invertible_almost(a: Tensor) -> Tensor:
    """The values at which the matrix `a` is singular have no interior."""
    return known(INVERTIBLE_ALMOST, a)
