"""What holds wherever two terms that are compared are finite, and so may be assumed of them."""

from collections.abc import Sequence
from typing import Final

from eggrad.engine.laws.knowledge import Assumption, Knowledge, claimed, needed
from eggrad.engine.laws.nonzero_sums import seldom_zero
from eggrad.engine.laws.properties import (
    INVERTIBLE,
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO_ALMOST,
    POSITIVE,
)
from eggrad.engine.saturation.schedule import Strategy
from eggrad.engine.terms.term import Term, apply, postorder
from eggrad.rules.functions.properties import domains, ties

# What cannot be assumed of a term that is known to be something else.
_EXCLUDED: Final = {POSITIVE: (NEGATIVE, NONPOSITIVE), NONNEGATIVE: (NEGATIVE,)}


def domain_of(a: Term, b: Term, strategy: Strategy) -> tuple[Assumption, ...]:
    """What two terms need to be defined, and what is true somewhere.

    `g > 0` is not, where g is declared negative.

    >>> from eggrad.engine.terms.term import variable
    >>> from eggrad.rules.standard import EQUIVALENCE
    >>> [p for p, _ in domain_of(apply("log", variable("x")), variable("x"), EQUIVALENCE)]
    ['positive']
    """
    knowledge = Knowledge(strategy.rulesets)
    return tuple(
        (p, t)
        for p, t in needed(domains.facts, (a, b))
        if not any(knowledge.knows(other, t) for other in _EXCLUDED.get(p, ()))
    )


def away_from_jumps(
    a: Term, b: Term, strategy: Strategy, known: Sequence[Assumption]
) -> tuple[Assumption, ...]:
    """That operands are not where functions jump, for those jumps that are at ties alone."""
    claims = claimed(ties.facts, postorder(a, b))
    of_zero = {u: apply("det", u[1]) if u[0] == INVERTIBLE else u[1] for u in claims}
    knowledge = Knowledge(strategy.rulesets, seldom_zero([*of_zero.values()]))
    return tuple(
        u for u, t in of_zero.items() if u not in known and knowledge.knows(NONZERO_ALMOST, t)
    )
