"""Maxima and minima along axes: what they depend on, and how they meet each other."""

from eggrad.engine.indices.spec import canonical
from eggrad.rules.common.notation import *

extremes = Ruleset(
    "extremes", "maxima and minima along axes", "the number of maxima, the axes of what is in them"
)


@primitive
def spread_back(s: Spec) -> Spec:
    """The product of what is left of a reduction with ones along the axes that went."""
    source, out = s
    return canonical([out, [i for i in source if i not in out]], source)


@primitive
def reduced_dims(s: Spec, n: Dims) -> Dims:
    """The sizes of the axes that a reduction takes away."""
    return tuple(d for i, d in zip(s[0], n, strict=True) if i not in s[1])


@primitive
def by_shares(s: Spec, x: Dims) -> Spec:
    """Multiply shares by a Jacobian for axes `x`, and sum over the axes that go."""
    axes = tuple(("x", k) for k in range(len(x)))
    return canonical([s[0], (*s[0], *axes)], (*s[1], *axes))


@primitive
def to_shares(s: Spec, g: Dims) -> Spec:
    """Multiply a cotangent, whose last axes are those that are left, by shares."""
    lead = tuple(("g", k) for k in range(len(g) - len(s[1])))
    return canonical([(*lead, *s[1]), s[0]], (*lead, *s[0]))


@primitive
def turned_first(s: Spec, t: Spec) -> Spec:
    """The reduction `s` of what `t` transposes, with the axes that are left in the old order."""
    whole = compose(s, t)
    return canonical([whole[0]], [i for i in whole[0] if i in whole[1]])


@primitive
def turned_after(s: Spec, t: Spec) -> Spec:
    """How the result of `turned_first` is transposed."""
    whole = compose(s, t)
    return canonical([[i for i in whole[0] if i in whole[1]]], whole[1])


def shares(f: Name, s: Spec, a: Tensor) -> Tensor:
    """What every entry counts for the extreme: where several attain it, the same for each."""
    attained = fn("equal", a, spread(s, a, extreme(f, s, a)))
    return divide(attained, spread(s, a, ein1(s, attained)))


def spread(s: Spec, a: Tensor, b: Tensor) -> Tensor:
    """A reduction b of a, on the axes of a."""
    return ein(spread_back(s), b, const(1, reduced_dims(s, dims(a))))


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
