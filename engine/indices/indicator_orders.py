"""In which order an indicator's axes are listed says nothing: one order is the first of all."""

from functools import lru_cache
from itertools import permutations
from typing import Final, NamedTuple

from eggrad.engine.indices.constraints import Constraints, canonical, renamed_all
from eggrad.engine.indices.spec import Dims, Indices

__all__ = ["Ordered", "in_first_order"]

# Axes of which all orders are tried.
MOST: Final = 5


class Ordered(NamedTuple):
    """An indicator with its axes in their first order.

    `axes` has the place of each of them before; `symmetries` are the orders that change nothing.
    """

    dims: Dims
    constraints: Constraints
    axes: Indices
    symmetries: tuple[Indices, ...]


@lru_cache(maxsize=4096)
def in_first_order(dims: Dims, constraints: Constraints) -> Ordered:
    """The same indicator whatever the order of its axes is, for up to five of them.

    >>> in_first_order(("n", "m"), ((">=", ((0, 1), (1, -1))),))[:3]
    (('m', 'n'), (('>=', ((0, -1), (1, 1))),), (1, 0))
    """
    count = len(dims)
    orders = permutations(range(count)) if count <= MOST else [tuple(range(count))]
    found: dict[tuple[Dims, Constraints], list[Indices]] = {}
    for axes in orders:
        sizes = tuple(dims[k] for k in axes)
        places = {k: place for place, k in enumerate(axes)}
        own = canonical(sizes, renamed_all(constraints, places))
        found.setdefault((sizes, own), []).append(axes)
    first = min(found, key=repr)
    axes, *others = found[first]
    return Ordered(*first, axes, tuple(tuple(axes.index(k) for k in other) for other in others))
