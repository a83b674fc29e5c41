"""Conditions on indices as sums of simpler ones, so that equal sums of them look the same.

What a bound says of the first or the last few places of an axis becomes single places: `[i ≥ 2]`
is `1 - [i = 0] - [i = 1]`. Any other bound is itself or `1 -` its opposite, whichever is said with
a number from 0 up.
"""

from collections.abc import Sequence
from typing import Final

from eggrad.engine.affine import (
    Form,
    coefficient,
    form,
    indices,
    least,
    plus,
    size_form,
    times,
)
from eggrad.engine.constraints import Constraint, Constraints, canonical, never, solved
from eggrad.engine.spec import Dims, Size

__all__ = ["MOST", "Split", "connected", "split"]

# Places that a bound speaks of which are told apart.
MOST: Final = 16
# Terms that conditions are split into, at most.
TERMS: Final = 200

Split = dict[Constraints, int]
"""Conditions, each with the number that it is multiplied by."""

_Ways = list[tuple[Constraints, int]]


def split(dims: Dims, constraints: Constraints, known: Sequence[Form] = ()) -> Split:
    """Conditions on the indices of axes as a sum of multiples of simpler ones.

    `known` are forms of size symbols that are not negative. Where the sum would be too long it is
    the conditions themselves.

    >>> split(("n",), ((">=", ((0, 1), ("", -1))),))
    {(('=', ((0, 1),)),): -1, (): 1}
    >>> split(("n", "m"), ((">=", ((0, 1), (1, -1), ("", -1))),))
    {(('>=', ((0, -1), (1, 1))),): -1, (): 1}
    """
    found: Split = {}
    waiting = [(constraints, 1)]
    while waiting:
        if len(found) + len(waiting) > TERMS:
            return {constraints: 1}
        conditions, number = waiting.pop()
        own = _told(canonical(dims, conditions), known)
        if never(own):
            continue
        for place, constraint in enumerate(own):
            ways = _ways(constraint, dims)
            if ways:
                rest = (*own[:place], *own[place + 1 :])
                waiting += [((*rest, *way), number * times) for way, times in ways]
                break
        else:
            found[own] = found.get(own, 0) + number
    return {p: number for p, number in found.items() if number}


def connected(constraints: Constraints) -> list[Constraints]:
    """The conditions in groups that no index connects.

    >>> connected((("=", ((0, 1),)), (">=", ((1, 1), (2, -1))), ("=", ((2, 1),))))
    [(('=', ((0, 1),)),), (('>=', ((1, 1), (2, -1))), ('=', ((2, 1),)))]
    """
    groups: list[list[Constraint]] = []
    for constraint in constraints:
        own = {*indices(constraint[1])}
        met = [g for g in groups if any(own.intersection(indices(f)) for _, f in g)]
        groups = [g for g in groups if g not in met]
        groups.append([c for g in met for c in g] + [constraint])
    return [tuple(c for c in constraints if c in g) for g in groups]


def _told(constraints: Constraints, known: Sequence[Form]) -> Constraints:
    """The conditions without those on sizes that are known to hold; never, if one does not."""
    kept: list[Constraint] = []
    for relation, f in constraints:
        if indices(f) or isinstance(relation, int):
            kept.append((relation, f))
            continue
        low, high = (max(_least(times(s, f), k) for k in ((), *known)) for s in (1, -1))
        if (low > 0 and relation == "=") or high > 0:
            return canonical((), [(">=", (("", -1),))])
        if relation == "=" or low < 0:
            kept.append((relation, f))
    return tuple(kept)


def _least(f: Form, known: Form) -> float:
    """A lower bound of a form of size symbols, given one that is not negative."""
    low = least(plus(f, times(-1, known)), ())
    return float("-inf") if low is None else low


def _ways(constraint: Constraint, dims: Dims) -> _Ways:
    """A condition as a sum of others; nothing where it stays."""
    relation, f = constraint
    own = indices(f)
    if relation != ">=" or not own:
        return []
    if len(own) == 1 and abs(coefficient(f, own[0])) == 1:
        bound = solved(f, own[0])
        if coefficient(f, own[0]) < 0:
            return _up_to(own[0], bound, dims[own[0]])
        below = _up_to(own[0], plus(bound, form([("", -1)])), dims[own[0]])
        opposite = (">=", plus(times(-1, f), form([("", -1)])))
        return _complement(below or [((opposite,), 1)])
    if coefficient(f, "") < 0:
        return _complement([(((">=", plus(times(-1, f), form([("", -1)]))),), 1)])
    return []


def _complement(ways: _Ways) -> _Ways:
    return [((), 1), *((way, -number) for way, number in ways)]


def _place(index: int, at: Form) -> Constraints:
    return (("=", plus(((index, 1),), times(-1, at))),)


def _up_to(index: int, last: Form, size: Size) -> _Ways:
    """The places up to one that is a number, or is counted from the end of the axis."""
    if not any(key for key, _ in last):
        count = coefficient(last, "") + 1
        if count <= MOST:
            return [(_place(index, form([("", k)])), 1) for k in range(count)]
    rest = form([*size_form(size), ("", -1), *times(-1, last)])
    if any(key for key, _ in rest) or coefficient(rest, "") > MOST:
        return []
    beyond = (form([*size_form(size), ("", -1 - k)]) for k in range(coefficient(rest, "")))
    return _complement([(_place(index, at), 1) for at in beyond])
