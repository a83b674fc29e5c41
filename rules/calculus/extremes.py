"""Maxima and minima along axes: what they depend on, and how they meet each other."""

from eggrad.engine.laws.primitives import turned_after, turned_first
from eggrad.rules.notation import *
from eggrad.rules.notation.reductions import spread

extremes = Ruleset(
    "extremes", "maxima and minima along axes", "the number of maxima, the axes of what is in them"
)


def shares(f: Name, s: Spec, a: Tensor) -> Tensor:
    """What every entry counts for the extreme: where several attain it, the same for each."""
    attained = fn("equal", a, spread(s, a, extreme(f, s, a)))
    return divide(attained, spread(s, a, ein1(s, attained)))


@extremes.rule(cite="associativity of the maximum", replaces=True)
def extreme_of_extreme(f: Name, s: Spec, t: Spec, a: Tensor) -> Statement:
    """max max a = max a, along the axes of both; likewise for minima."""
    return extreme(f, s, extreme(f, t, a)) >> extreme(f, compose(s, t), a), is_extreme(f)


@extremes.rule(cite="commutativity of the maximum")
def extreme_of_transposed(f: Name, s: Spec, t: Spec, a: Tensor) -> Statement:
    """The maximum of what is transposed is that along the axes that were meant."""
    return (
        extreme(f, s, ein1(t, a)) >> ein1(turned_after(s, t), extreme(f, turned_first(s, t), a)),
        is_extreme(f),
        is_transpose(t),
    )
