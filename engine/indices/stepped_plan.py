"""How a product of an indicator with two arrays is computed, step by step.

`Σ_k x[i+k]·w[k]` reads each entry of `x` for several `k`. For one `k` after the other both arrays
and the result are views, and only entries are multiplied that count. A band `|i - j| ≤ 3` takes
seven steps, one for each diagonal. Here all sizes are numbers.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from math import prod
from typing import Final

from eggrad.engine.indices.affine import coefficient, form, indices, plus
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.indicator_plan import choices
from eggrad.engine.indices.spec import Indices
from eggrad.engine.indices.stepped_solutions import MOST_STEPS, Solution, SteppedPlan

__all__ = ["is_small", "stepped_plan"]

# An intermediate result may have so many entries, or so many times those of operands and result.
_FEW: Final = 1 << 15
_MOST_TIMES: Final = 3


def is_small(entries: int, operands: int) -> bool:
    """Whether an intermediate result takes little space beside operands of so many entries.

    >>> is_small(1000, 10), is_small(10**6, 10), is_small(10**6, 10**6)
    (True, False, True)
    """
    return entries <= max(_FEW, _MOST_TIMES * operands)


def stepped_plan(
    constraints: Constraints,
    sources: tuple[Indices, Indices],
    target: Indices,
    lengths: Mapping[int, int],
    stored: int | None = None,
) -> SteppedPlan | None:
    """The cheapest plan for a product of an indicator with arrays of indices `sources`.

    `lengths` has the size of every index, `stored` is how many entries the other way stores, if
    that is known. None where it would take too many steps.

    >>> window = (("=", ((0, 1), (1, -1), (2, -1))),)
    >>> found = stepped_plan(window, ((0,), (2,)), (1,), {0: 9, 1: 7, 2: 3})
    >>> found.direct, found.moves
    (True, (((1,), (1,)), ((0,), (1,)), ((1,), (0,))))
    """
    solutions = [
        Solution.of(known, own, (*sources, target), sizes)
        for own, sizes in _with_bands(constraints, lengths)
        for known in choices(own)
    ]
    ways = [way for solution in solutions for way in solution.ways()]
    if not ways:
        return None
    best = min(ways, key=lambda way: way.price)
    other = max(solutions, key=lambda s: s.free) if stored is None else best.solution
    entries = other.largest if stored is None else stored
    operands = sum(prod(lengths[i] for i in own) for own in (*sources, target))
    slower = best.price >= other.price_if_stored(entries) and not best.direct
    return best.plan(not slower or not is_small(entries, operands))


def _with_bands(
    constraints: Constraints, lengths: Mapping[int, int]
) -> Iterator[tuple[Constraints, Mapping[int, int]]]:
    """The constraints, and those in which `0 ≤ f ≤ w` is `f = k` for one more index `k`."""
    yield constraints, lengths
    bounds = [f for relation, f in constraints if relation == ">="]
    for f, g in combinations(bounds, 2):
        total = plus(f, g)
        width = coefficient(total, "") + 1
        if not indices(total) and len(indices(f)) > 1 and 0 < width <= MOST_STEPS:
            index = max(lengths) + 1
            band: Constraint = ("=", form([*f, (index, -1)]))
            rest = (c for c in constraints if c not in ((">=", f), (">=", g)))
            yield (band, *rest), {**lengths, index: width}
