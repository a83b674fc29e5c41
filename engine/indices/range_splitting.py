"""Conditions on indices as sums of simpler ones, so that equal sums of them look the same.

What a bound says of the first or the last few places of an axis becomes single places: `[i ≥ 2]`
is `1 - [i = 0] - [i = 1]`. Any other bound is itself or `1 -` its opposite, whichever comes first
in an order of conditions that does not depend on the names of indices.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from eggrad.engine.indices import affine
from eggrad.engine.indices.affine import AffineForm
from eggrad.engine.indices.constraints import (
    Constraint,
    Constraints,
    canonical,
    in_first_order,
    never,
    renamed_all,
    solved,
)
from eggrad.engine.indices.spec import Dims, Indices, Size

# Places that a bound speaks of which are told apart.
MOST: Final = 16
# Terms that conditions are split into, at most.
TERMS: Final = 200

# What one condition says may say something of the next, not for ever.
ROUNDS: Final = 8

Split = dict[Constraints, int]
"""Conditions, each with the number that it is multiplied by."""

_Ways = list[tuple[Constraints, int]]


@lru_cache(maxsize=8192)
def split(dims: Dims, constraints: Constraints, known: tuple[AffineForm, ...] = ()) -> Split:
    """Conditions on the indices of axes as a sum of multiples of simpler ones.

    `known` are forms of size symbols that are not negative. Where the sum would be too long it is
    the conditions themselves.

    >>> split(("n",), ((">=", ((0, 1), ("", -1))),))
    {(('=', ((0, 1),)),): -1, (): 1}
    >>> split(("n", "n"), ((">=", ((0, 1), (1, -1), ("", -1))),))
    {(('>=', ((0, -1), (1, 1))),): -1, (): 1}
    """
    found: Split = {}
    waiting = [(constraints, 1)]
    while waiting:
        if len(found) + len(waiting) > TERMS:
            return {constraints: 1}
        conditions, number = waiting.pop()
        reduced = canonical(dims, conditions)
        for _ in range(ROUNDS):
            before, reduced = reduced, _told(reduced, dims, known)
            if reduced == before:
                break
        if never(reduced):
            continue
        for k, constraint in enumerate(reduced):
            rest = (*reduced[:k], *reduced[k + 1 :])
            ways = _ways(constraint, rest, dims)
            if ways:
                waiting += [((*rest, *way), number * factor) for way, factor in ways]
                break
        else:
            found[reduced] = found.get(reduced, 0) + number
    return {p: number for p, number in found.items() if number}


def connected(constraints: Constraints) -> list[Constraints]:
    """The conditions in groups that no index connects.

    >>> connected((("=", ((0, 1),)), (">=", ((1, 1), (2, -1))), ("=", ((2, 1),))))
    [(('=', ((0, 1),)),), (('>=', ((1, 1), (2, -1))), ('=', ((2, 1),)))]
    """
    groups: list[list[Constraint]] = []
    for constraint in constraints:
        indices = {*affine.indices(constraint[1])}
        met = [g for g in groups if any(indices.intersection(affine.indices(f)) for _, f in g)]
        groups = [g for g in groups if g not in met]
        groups.append([c for g in met for c in g] + [constraint])
    return [tuple(c for c in constraints if c in g) for g in groups]


def _told(constraints: Constraints, dims: Dims, known: Sequence[AffineForm]) -> Constraints:
    """The conditions without those that hold anyhow; never, if one cannot hold.

    What holds at one corner of the axes alone says so of each index.
    """
    kept: list[Constraint] = []
    for relation, f in constraints:
        if isinstance(relation, int):
            kept.append((relation, f))
            continue
        lowest, highest = _least_place(f, dims), _least_place(affine.times(-1, f), dims)
        # The least value is `low`, the greatest `-high`.
        low, high = (max(_least(g[1], k) for k in ((), *known)) for g in (lowest, highest))
        if (low > 0 and relation == "=") or high > 0:
            return canonical((), [(">=", affine.form([("", -1)]))])
        if relation == "=" or low < 0:
            corner = next((g for g in (highest, lowest) if not g[1]), None)
            kept += [(relation, f)] if corner is None or len(affine.indices(f)) < 2 else corner[0]
    return canonical(dims, kept)


def _least_place(f: AffineForm, dims: Dims) -> tuple[Constraints, AffineForm]:
    """Where a form has its least value, and that value as a form of sizes."""
    corner: Constraints = ()
    for i in affine.indices(f):
        at = affine.last_index(dims[i]) if affine.coefficient(f, i) < 0 else ()
        corner += place(i, at)
        f = affine.substituted(f, i, at)
    return corner, f


def _least(f: AffineForm, known: AffineForm) -> float:
    """A lower bound of a form of size symbols, given one that is not negative."""
    low = affine.least(affine.plus(f, affine.times(-1, known)), ())
    return float("-inf") if low is None else low


def _ways(constraint: Constraint, rest: Constraints, dims: Dims) -> _Ways:
    """A condition as a sum of others, beside the rest of them; nothing where it stays."""
    relation, f = constraint
    indices = affine.indices(f)
    if relation != ">=" or not indices:
        return []
    opposite = (">=", affine.plus(affine.times(-1, f), affine.form([("", -1)])))
    if len(indices) == 1 and abs(affine.coefficient(f, indices[0])) == 1:
        below = affine.coefficient(f, indices[0]) > 0
        last = solved(f, indices[0])
        ways = _up_to(indices[0], affine.plus(last, affine.form([("", -below)])), dims[indices[0]])
        if ways:
            return _complement(ways) if below else ways
    met = next(g for g in connected((*rest, constraint)) if constraint in g)
    turned = canonical(dims, [c if c != constraint else opposite for c in met])
    if never(turned):
        return [((), 1)]
    return _complement([((opposite,), 1)]) if _key(dims, turned) < _key(dims, met) else []


def on_own_axes(dims: Dims, constraints: Constraints) -> tuple[Indices, Dims, Constraints]:
    """The indices that conditions speak of, the sizes of their axes, and the conditions on these.

    >>> on_own_axes(("n", "m", "k"), (("=", ((1, 1),)),))
    ((1,), ('m',), (('=', ((0, 1),)),))
    """
    part = tuple(sorted({i for _, f in constraints for i in affine.indices(f)}))
    renamed = renamed_all(constraints, {i: k for k, i in enumerate(part)})
    return part, tuple(dims[i] for i in part), renamed


def _key(dims: Dims, constraints: Constraints) -> str:
    """The same for the same conditions, whatever their indices are called."""
    found = in_first_order(*on_own_axes(dims, constraints)[1:])
    return repr((found.dims, found.constraints))


def _complement(ways: _Ways) -> _Ways:
    return [((), 1), *((way, -number) for way, number in ways)]


def place(index: int, at: AffineForm) -> Constraints:
    """The condition that an index has a value."""
    return (("=", affine.plus(((index, 1),), affine.times(-1, at))),)


def _up_to(index: int, last: AffineForm, size: Size) -> _Ways:
    """The places up to one that is a number, or all but those from one counted from the end.

    Where both is so, the fewer.
    """
    rest = affine.form([*affine.size_form(size), ("", -1), *affine.times(-1, last)])
    if not any(key for key, _ in last):
        count = affine.coefficient(last, "") + 1
        if count <= MOST and (any(key for key, _ in rest) or count <= affine.coefficient(rest, "")):
            return [(place(index, affine.form([("", k)])), 1) for k in range(count)]
    if any(key for key, _ in rest) or affine.coefficient(rest, "") > MOST:
        return []
    beyond = (
        affine.form([*affine.size_form(size), ("", -1 - k)])
        for k in range(affine.coefficient(rest, ""))
    )
    return _complement([(place(index, at), 1) for at in beyond])
