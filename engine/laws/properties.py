"""The properties that a tensor may be known to have, and what each says of its values.

A property is a fact about a class: true of every member wherever it is defined, at all values
that the variables may have.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.laws.language import Known, Node, Parameter, Tensor, known
from eggrad.engine.laws.matching import Arguments, matcher_of_terms, views
from eggrad.engine.laws.rule import Fact, Ruleset
from eggrad.engine.terms.functions import function_of
from eggrad.engine.terms.term import Term, postorder

__all__ = [
    "DEFINED",
    "INVERTIBLE",
    "INVERTIBLE_ALMOST",
    "NONNEGATIVE",
    "NONZERO",
    "NONZERO_ALMOST",
    "POSITIVE",
    "POSITIVE_ALMOST",
    "PROPERTIES",
    "TOTAL",
    "WITHIN_ONE",
    "Assumption",
    "Knowledge",
    "NumberedFacts",
    "defined",
    "invertible",
    "invertible_almost",
    "needed",
    "nonnegative",
    "nonzero",
    "nonzero_almost",
    "positive",
    "positive_almost",
    "total",
    "within_one",
]

NONNEGATIVE: Final = "nonnegative"
POSITIVE: Final = "positive"
NONZERO: Final = "nonzero"
NONZERO_ALMOST: Final = "nonzero almost everywhere"
POSITIVE_ALMOST: Final = "positive almost everywhere"
WITHIN_ONE: Final = "between -1 and 1"
INVERTIBLE: Final = "invertible"
INVERTIBLE_ALMOST: Final = "invertible almost everywhere"
TOTAL: Final = "defined everywhere"
# What the facts about domains ask for; no class is said to have it.
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


# What is known of terms: properties that facts conclude, and those that are assumed.
#
# egglog concludes facts of classes; this is for terms that are in no e-graph, as those of a proof.


Assumption = tuple[str, Term]
"""A property of a term."""


class Knowledge:
    """What facts say of terms, each looked at once, and what is assumed of some."""

    def __init__(
        self, rulesets: Iterable[Ruleset] = (), assumed: Iterable[Assumption] = ()
    ) -> None:
        """Take the facts of some rulesets."""
        self.assumed = tuple(assumed)
        facts = [f for s in rulesets for f in s.facts]
        self._of_form = [f for f in facts if isinstance(f.claim.tensor, Node)]
        self._others = [f for f in facts if isinstance(f.claim.tensor, Parameter)]
        self._matcher = matcher_of_terms(self.knows)
        self._known: dict[Term, set[str]] = {}

    def knows(self, p: str, term: Term) -> bool:
        """Whether a term has a property."""
        if term not in self._known:
            for t in postorder(term, operands=lambda t: () if t in self._known else t.args):
                if t not in self._known:
                    self._learn(t)
        return p in self._known[term]

    def _learn(self, t: Term) -> None:
        """Conclude what follows for a term of whose operands all is known."""
        found = self._known[t] = {p for p, other in self.assumed if other is t}
        for constructor, arguments in views(t):
            for fact in self._of_form:
                if self._says(fact, constructor, arguments):
                    found.add(str(fact.claim.property))
        size = -1
        while size < len(found):
            size = len(found)
            for fact in self._others:
                p = str(fact.claim.property)
                if p not in found and self._matcher.follows(fact, t):
                    found.add(p)

    def _says(self, fact: Fact, constructor: str, arguments: Arguments) -> bool:
        form = fact.claim.tensor
        fits = isinstance(form, Node) and form.constructor == constructor
        return fits and self._matcher.concludes(fact, arguments)


class NumberedFacts(Container[tuple[str, int]]):
    """What is known of terms that have numbers, worked out when it is asked for."""

    def __init__(
        self, knowledge: Knowledge, terms: Iterable[Term], numbers: dict[Term, int]
    ) -> None:
        """Name the terms."""
        self._knowledge = knowledge
        self._terms = {numbers[t]: t for t in terms}

    def __contains__(self, key: object) -> bool:
        """Whether a property is known of the term with a number."""
        p, number = key if isinstance(key, tuple) else ("", -1)
        return number in self._terms and self._knowledge.knows(p, self._terms[number])


def needed(facts: Sequence[Fact], roots: Iterable[Term]) -> tuple[Assumption, ...]:
    """What has to hold for some terms to be defined, by facts about what is defined.

    What a step function multiplies may be left out where it is undefined.
    """
    own = list(roots)
    steps = _with_steps(own)
    found: dict[Assumption, None] = {}
    matcher = matcher_of_terms()
    for t in postorder(*own, operands=lambda t: _decisive(t, steps)):
        for constructor, arguments in views(t):
            for fact in facts:
                whole = fact.conditions[0]
                assert isinstance(whole, Known)
                assert isinstance(whole.tensor, Node)
                if whole.tensor.constructor == constructor:
                    found |= dict.fromkeys(matcher.needs(fact, whole.tensor, arguments))
    return tuple(a for a in found if a[1].op != "constant")


def _with_steps(roots: Iterable[Term]) -> set[Term]:
    """The terms that have a step function in them, so that they may be 0."""
    found: set[Term] = set()
    for t in postorder(*roots):
        own = function_of(t.op, t.data)
        # What it multiplies may be left out where it is 0.
        if (own and own.vanishes) or not found.isdisjoint(t.args):
            found.add(t)
    return found


def _decisive(t: Term, steps: set[Term]) -> tuple[Term, ...]:
    """The operands without which a term is undefined if they are."""
    if t.op == "where":
        return t.args[:1]
    if t.op != "einsum" or len(t.args) < 2:
        return t.args
    a, b = t.args
    return tuple(x for x, other in ((a, b), (b, a)) if other not in steps)
