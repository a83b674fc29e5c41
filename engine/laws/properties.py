"""The properties that a tensor may be known to have, and what each says of its values.

A property is a fact about an e-class: true of every e-node wherever it is defined, at all values
that the variables may have.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.laws.language import Tensor, known
from eggrad.engine.terms.assumptions import ASSUMPTIONS, are_thin, drawn, failure

NONNEGATIVE: Final = "nonnegative"
POSITIVE: Final = "positive"
NONZERO: Final = "nonzero"
NONZERO_ALMOST: Final = "nonzero almost everywhere"
POSITIVE_ALMOST: Final = "positive almost everywhere"
WITHIN_ONE: Final = "between -1 and 1"
INVERTIBLE: Final = "invertible"
INVERTIBLE_ALMOST: Final = "invertible almost everywhere"
TOTAL: Final = "defined everywhere"
NEGATIVE: Final = "negative"
NONPOSITIVE: Final = "nonpositive"
AT_LEAST_ONE: Final = "at least 1"
AT_MOST_ONE: Final = "at most 1"
INTEGER: Final = "integer"
PROBABILITY: Final = "probability"
SYMMETRIC: Final = "symmetric"
SKEW: Final = "skew"
LOWER: Final = "lower triangular"
UPPER: Final = "upper triangular"
DIAGONAL: Final = "diagonal"
SEMIDEFINITE: Final = "positive semidefinite"
DEFINITE: Final = "positive definite"
ORTHOGONAL: Final = "orthogonal"
# What the facts about domains ask for; no e-class is said to have it.
DEFINED: Final = "defined"


# What rounding makes of a number, as a part of the largest.
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Property:
    """What a property says: in one sentence, as a domain of some text, and of values.

    `holds` is asked at values that nobody has chosen, such as normal numbers: an exception
    without interior is not among them. Entries that are undefined say nothing. `drawn` makes
    numbers that have the property of others, where normal ones seldom have it.
    """

    sentence: str
    domain: str
    holds: Callable[[NDArray[Any]], bool]
    drawn: Callable[[NDArray[Any]], NDArray[Any]] | None = None


def _entrywise(test: Callable[[NDArray[Any]], NDArray[Any]]) -> Callable[[NDArray[Any]], bool]:
    return lambda values: bool(test(values[np.isfinite(values)]).all())


def _is_regular(matrix: NDArray[Any]) -> bool:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return False
    defined = bool(np.isfinite(matrix).all()) and matrix.size > 0
    return not defined or bool(np.linalg.cond(np.asarray(matrix, float)) < SINGULAR)


def _declared(word: str, domain: str) -> Property:
    """The property that a word declares of a variable."""
    own = ASSUMPTIONS[word]

    def holds(values: NDArray[Any]) -> bool:
        if own.of_matrices and (values.ndim != 2 or values.shape[0] != values.shape[1]):
            return False
        if not np.isfinite(values).all():
            return True
        weaker = own.implies & {"symmetric"}
        # What is 0 comes out as a part of what was rounded, which nobody knows here.
        rounded = np.where(np.abs(values) < ROUNDING, 0.0, np.asarray(values, float))
        return failure([word, *weaker], rounded) is None

    return Property(own.sentence, domain, holds)


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
    NEGATIVE: Property(
        "Every entry is below 0.", "{} < 0", _entrywise(lambda v: v < 0), lambda v: -0.1 - abs(v)
    ),
    NONPOSITIVE: Property(
        "Every entry is at most 0.", "{} <= 0", _entrywise(lambda v: v <= 0), lambda v: -abs(v)
    ),
    AT_LEAST_ONE: Property(
        "Every entry is at least 1.", "{} >= 1", _entrywise(lambda v: v >= 1), lambda v: 1 + abs(v)
    ),
    AT_MOST_ONE: Property(
        "Every entry is at most 1.", "{} <= 1", _entrywise(lambda v: v <= 1), lambda v: 1 - abs(v)
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
    INTEGER: Property(
        ASSUMPTIONS[INTEGER].sentence,
        "{} integer",
        _entrywise(lambda v: abs(v - np.rint(v)) <= 1e-9 * (1 + abs(v))),
    ),
    PROBABILITY: _declared(PROBABILITY, "{} probability"),
    SYMMETRIC: _declared(SYMMETRIC, "{} symmetric"),
    SKEW: _declared(SKEW, "{} skew"),
    LOWER: _declared(LOWER, "{} lower triangular"),
    UPPER: _declared(UPPER, "{} upper triangular"),
    DIAGONAL: _declared(DIAGONAL, "{} diagonal"),
    SEMIDEFINITE: _declared(SEMIDEFINITE, "{} positive semidefinite"),
    DEFINITE: _declared(DEFINITE, "{} positive definite"),
    ORTHOGONAL: _declared(ORTHOGONAL, "{} orthogonal"),
}

THIN: Final = frozenset(p for p in PROPERTIES if are_thin([p]))
"""Properties of tensors in a space without interior: no law that is differentiated uses them."""


def holds(name: str, values: NDArray[Any]) -> bool:
    """Whether numbers have a property, but for rounding: what is 0 may come out below.

    >>> holds("nonnegative", np.array([-1e-17, 1.0])), holds("nonnegative", np.array([-1.0]))
    (True, False)
    """
    own = PROPERTIES[name]
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    change = ROUNDING * (1 + largest)
    return any(own.holds(values + c) for c in (0.0, change, -change))


def drawn_with(
    names: Collection[str], values: NDArray[Any], rng: np.random.Generator
) -> NDArray[Any] | None:
    """Numbers that have some properties, made of others; None where none are found.

    >>> drawn_with(["at least 1"], np.array([-1.0]), np.random.default_rng(0))
    array([2.])
    """
    words = [n for n in names if n in ASSUMPTIONS]
    needs = [ASSUMPTIONS[w].axes for w in words]
    square = values.ndim == 2 and values.shape[0] == values.shape[1]
    if ("square" in needs and not square) or ("some" in needs and not values.ndim):
        return None
    found = drawn(words, values, rng) if words else values
    for name in names:
        own = PROPERTIES[name].drawn
        if own is not None and found is not None:
            found = own(found)
    return found


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


def negative(a: Tensor) -> Tensor:
    """Every entry of `a` is below 0."""
    return known(NEGATIVE, a)


def nonpositive(a: Tensor) -> Tensor:
    """Every entry of `a` is at most 0."""
    return known(NONPOSITIVE, a)


def at_least_one(a: Tensor) -> Tensor:
    """Every entry of `a` is at least 1."""
    return known(AT_LEAST_ONE, a)


def at_most_one(a: Tensor) -> Tensor:
    """Every entry of `a` is at most 1."""
    return known(AT_MOST_ONE, a)


def whole(a: Tensor) -> Tensor:
    """Every entry of `a` is an integer."""
    return known(INTEGER, a)


def distribution(a: Tensor) -> Tensor:
    """No entry of `a` is below 0, and their sum is 1."""
    return known(PROBABILITY, a)


def symmetric(a: Tensor) -> Tensor:
    """The matrix `a` is its transpose."""
    return known(SYMMETRIC, a)


def skew(a: Tensor) -> Tensor:
    """The matrix `a` is the negative of its transpose."""
    return known(SKEW, a)


def lower(a: Tensor) -> Tensor:
    """Every entry of the matrix `a` above the diagonal is 0."""
    return known(LOWER, a)


def upper(a: Tensor) -> Tensor:
    """Every entry of the matrix `a` below the diagonal is 0."""
    return known(UPPER, a)


def diagonal(a: Tensor) -> Tensor:
    """Every entry of the matrix `a` beside the diagonal is 0."""
    return known(DIAGONAL, a)


def semidefinite(a: Tensor) -> Tensor:
    """The matrix `a` is symmetric, and no eigenvalue of it is below 0."""
    return known(SEMIDEFINITE, a)


def definite(a: Tensor) -> Tensor:
    """The matrix `a` is symmetric, and every eigenvalue is above 0."""
    return known(DEFINITE, a)


def orthogonal(a: Tensor) -> Tensor:
    """The columns of `a` are orthogonal, and their length is 1."""
    return known(ORTHOGONAL, a)
