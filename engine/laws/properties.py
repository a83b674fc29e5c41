"""The properties that a tensor may be known to have, and what each says of its values.

A property is a fact about an e-class: true of every e-node wherever it is defined, at all values
that the variables may have.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.laws.language import known
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
SIGNS: Final = "signs"
SYMMETRIC: Final = "symmetric"
SKEW: Final = "skew"
LOWER: Final = "lower triangular"
UPPER: Final = "upper triangular"
DIAGONAL: Final = "diagonal"
SEMIDEFINITE: Final = "positive semidefinite"
DEFINITE: Final = "positive definite"
ORTHOGONAL: Final = "orthogonal"
# How a tensor depends on the variables of a question, entry by entry, where it is defined.
CONSTANT: Final = "constant"
AFFINE: Final = "affine"
CONVEX: Final = "convex"
CONCAVE: Final = "concave"
LOG_CONVEX: Final = "log-convex"
LOG_CONCAVE: Final = "log-concave"
# Nowhere negative, and its square root is convex.
ROOT_CONVEX: Final = "root-convex"
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
    largest = np.abs(np.asarray(matrix, float)).max(initial=0.0)
    # What is small and not 0 has lost what was added to it.
    defined = bool(np.isfinite(largest)) and matrix.size > 0 and not 0 < largest < ROUNDING
    return not defined or bool(np.linalg.cond(np.asarray(matrix, float)) < SINGULAR)


def _declared(word: str, domain: str) -> Property:
    """The property that a word declares of a variable."""
    assumption = ASSUMPTIONS[word]

    def holds(values: NDArray[Any]) -> bool:
        if assumption.of_matrices and (values.ndim != 2 or values.shape[0] != values.shape[1]):
            return False
        if not np.isfinite(values).all():
            return True
        weaker = assumption.implies & {"symmetric"}
        # What is 0 comes out as a part of what was rounded, which nobody knows here.
        rounded = np.where(np.abs(values) < ROUNDING, 0.0, np.asarray(values, float))
        return failure([word, *weaker], rounded) is None

    return Property(assumption.sentence, domain, holds)


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
    SIGNS: Property(
        ASSUMPTIONS[SIGNS].sentence,
        "{} signs",
        _entrywise(lambda v: abs(abs(v) - 1) <= 1e-9),
        lambda v: np.where(v < 0, -1.0, 1.0),
    ),
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
    definition = PROPERTIES[name]
    largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
    change = ROUNDING * (1 + largest)
    return any(definition.holds(values + c) for c in (0.0, change, -change))


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
        draw = PROPERTIES[name].drawn
        if draw is not None and found is not None:
            found = draw(found)
    return found


# What says that a tensor has a property, or asks for it.
nonnegative = partial(known, NONNEGATIVE)
positive = partial(known, POSITIVE)
nonzero = partial(known, NONZERO)
nonzero_almost = partial(known, NONZERO_ALMOST)
positive_almost = partial(known, POSITIVE_ALMOST)
within_one = partial(known, WITHIN_ONE)
total = partial(known, TOTAL)
invertible = partial(known, INVERTIBLE)
defined = partial(known, DEFINED)
invertible_almost = partial(known, INVERTIBLE_ALMOST)
negative = partial(known, NEGATIVE)
nonpositive = partial(known, NONPOSITIVE)
at_least_one = partial(known, AT_LEAST_ONE)
at_most_one = partial(known, AT_MOST_ONE)
integer = partial(known, INTEGER)
probability = partial(known, PROBABILITY)
of_signs = partial(known, SIGNS)
symmetric = partial(known, SYMMETRIC)
skew = partial(known, SKEW)
lower = partial(known, LOWER)
upper = partial(known, UPPER)
diagonal = partial(known, DIAGONAL)
semidefinite = partial(known, SEMIDEFINITE)
definite = partial(known, DEFINITE)
orthogonal = partial(known, ORTHOGONAL)
constant = partial(known, CONSTANT)
affine = partial(known, AFFINE)
convex = partial(known, CONVEX)
concave = partial(known, CONCAVE)
log_convex = partial(known, LOG_CONVEX)
log_concave = partial(known, LOG_CONCAVE)
root_convex = partial(known, ROOT_CONVEX)

NAMES: Final[Mapping[str, str]] = {
    function.args[0]: name
    for name, function in [*globals().items()]
    if isinstance(function, partial)
}
"""What laws call each property by."""
