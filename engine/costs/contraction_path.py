"""Contraction paths: in which order the factors of a network are multiplied, two at a time.

A path has the numbers of the two that each product multiplies; the factors have the first
numbers, each product the next. A product costs a multiplication for each point of its indices,
and an addition for each point but one of every sum.
"""

from collections.abc import Mapping, Sequence
from math import inf, prod
from typing import Any, Final

import opt_einsum

__all__ = ["contraction_path"]

# The cheapest of all paths takes 2 ms for so many factors, three times that for one more.
MAX_EXACT: Final = 8
# Dynamic programming takes milliseconds for so many factors, and up to a minute for twice as many.
MAX_PROGRAMMED: Final = 18

IndexSet = frozenset[int]
Path = list[tuple[int, int]]


def contraction_path(
    factors: Sequence[IndexSet], out: IndexSet, lengths: Mapping[int, int], *, exact: bool = False
) -> Path:
    """A cheap path, the one that opt_einsum finds; with `exact`, and few factors, the cheapest.

    The searches of opt_einsum 3.4 do not see what it is worth to multiply vectors on one index
    before a matrix meets them: their paths cost up to a hundred times more than the cheapest.

    >>> vector, matrix, lengths = frozenset({1}), frozenset({0, 1}), {0: 100, 1: 100}
    >>> contraction_path([vector, vector, matrix], frozenset({0}), lengths, exact=True)
    [(0, 1), (2, 3)]
    """
    if exact and len(factors) <= MAX_EXACT:
        return _cheapest(factors, out, lengths)
    return _found_by_opt_einsum(factors, out, lengths)


def _found_by_opt_einsum(
    factors: Sequence[IndexSet], out: IndexSet, lengths: Mapping[int, int]
) -> Path:
    search: Any = opt_einsum.paths.greedy
    if len(factors) <= MAX_PROGRAMMED:
        small = len(factors) <= 4
        search = opt_einsum.paths.optimal if small else opt_einsum.paths.dynamic_programming
    left = list(range(len(factors)))
    path: Path = []
    for step in search(factors, out, lengths):
        # One operand alone, which the path would sum over some axes, only goes to the end.
        chosen = [left[k] for k in sorted(step)]
        left = [operand for k, operand in enumerate(left) if k not in step]
        if len(chosen) == 2:
            path.append((chosen[0], chosen[1]))
            chosen = [len(factors) + len(path) - 1]
        left += chosen
    return path


def _cheapest(factors: Sequence[IndexSet], out: IndexSet, lengths: Mapping[int, int]) -> Path:
    """The cheapest path of all: sets of factors, small ones first, are split in two every way.

    A set is a number, with a bit for each factor.
    """
    count = len(factors)
    every = range(1 << count)
    inside = [IndexSet().union(*(f for k, f in enumerate(factors) if m >> k & 1)) for m in every]
    kept = [inside[m] & (inside[~m] | out) for m in every]
    price: list[float] = [inf for _ in every]
    for k, own in enumerate(factors):
        kept[1 << k], price[1 << k] = own, 0
    halves: dict[int, int] = {}
    sizes: dict[IndexSet, int] = {}

    def size(indices: IndexSet) -> int:
        if indices not in sizes:
            sizes[indices] = prod(lengths[i] for i in indices)
        return sizes[indices]

    for whole in every:
        half = (whole - 1) & whole
        while half > whole ^ half:
            below = price[half] + price[whole ^ half]
            if below < price[whole]:
                points = kept[half] | kept[whole ^ half]
                total = below + 2 * size(points) - size(kept[whole])
                if total < price[whole]:
                    price[whole], halves[whole] = total, half
            half = (half - 1) & whole
    return _numbered(halves, count)


def _numbered(halves: Mapping[int, int], count: int) -> Path:
    """The path that splits all factors, and their parts, as is said."""
    numbers = {1 << k: k for k in range(count)}
    path: Path = []
    stack = [(1 << count) - 1]
    while stack:
        whole = stack[-1]
        parts = [] if whole in numbers else [halves[whole], whole ^ halves[whole]]
        missing = [p for p in parts if p not in numbers]
        stack += missing
        if not missing:
            stack.pop()
            if parts:
                i, j = sorted(numbers[p] for p in parts)
                path.append((i, j))
                numbers[whole] = count + len(path) - 1
    return path
