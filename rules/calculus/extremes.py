"""Maxima and minima along axes: what they depend on, and how they meet each other."""

from eggrad.rules.notation import *
from eggrad.rules.notation.reductions import spread

CONSTANT = "it is constant but for jumps"

extremes = Ruleset(
    "extremes", "maxima and minima along axes", "the number of maxima, the axes of what is in them"
)


def shares(f: Name, s: Spec, a: Tensor) -> Tensor:
    """What every entry counts for the extreme: where several attain it, the same for each."""
    attained = fn("equal", a, spread(s, a, extreme(f, s, a)))
    return divide(attained, spread(s, a, ein1(s, attained)))


extremes.state(
    "associativity of the maximum",
    extreme_of_extreme=(extreme(f, s, extreme(f, t, a)) >> extreme(f, compose(s, t), a))
    .when(is_extreme(f))
    .noted("max max a = max a, along the axes of both; likewise for minima.", replaces=True),
    extreme_of_transposed=(
        extreme(f, s, a.T) >> ein1(turned(s, TRANSPOSE)[1], extreme(f, turned(s, TRANSPOSE)[0], a))
    )
    .when(is_extreme(f))
    .noted(
        "The maximum of what is transposed is that along the axes that were meant.",
        cite="commutativity of the maximum",
    ),
)
