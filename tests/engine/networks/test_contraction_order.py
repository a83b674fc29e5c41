"""The Jacobian of a chain with a bottleneck takes as few operations as the best of all orders."""

from functools import cache

import eggrad as eg
from eggrad.engine.costs.cost import count

WIDTHS = ("n0", "n1", "n2", "k", "n3", "n4", "n5")
SIZES = dict.fromkeys(WIDTHS, 100) | {"k": 5}


def chain() -> tuple[eg.Expression, list[eg.Expression]]:
    """A6 tanh(A5 .. tanh(A1 x)), and the derivatives of its layers."""
    z = eg.variable("x", WIDTHS[:1])
    slopes: list[eg.Expression] = []
    for k in range(1, 6):
        z = eg.tanh(eg.variable(f"A{k}", (WIDTHS[k], WIDTHS[k - 1])) @ z)
        slopes.append(1 - z**2)
    return eg.variable("A6", (WIDTHS[6], WIDTHS[5])) @ z, slopes


def product(rows: int, inner: int, columns: int) -> int:
    """Operations of a matrix product, multiplications and additions."""
    return rows * columns * (2 * inner - 1)


# The factors from left to right: matrices, and slopes that scale rows or columns.
LENGTHS = [SIZES[w] for w in reversed(WIDTHS)]


@cache
def cheapest(first: int, last: int) -> int:
    """The fewest operations for the matrices `first` to `last` with the slopes between them."""
    if first == last:
        return 0
    rows, columns = LENGTHS[first], LENGTHS[last + 1]
    return min(
        cheapest(first, k)
        + cheapest(k + 1, last)
        + min(rows * LENGTHS[k + 1], LENGTHS[k + 1] * columns)
        + product(rows, LENGTHS[k + 1], columns)
        for k in range(first, last)
    )


def one_way(order: range) -> int:
    """Operations of forward or reverse mode: one matrix after the other."""
    total = 0
    ends = LENGTHS[0] if order.step > 0 else LENGTHS[-1]
    for k in order:
        rows, columns = LENGTHS[k], LENGTHS[k + 1]
        if order.step > 0:
            total += ends * rows + product(ends, rows, columns)
        else:
            total += columns * ends + product(rows, columns, ends)
    return total


def test_no_order_is_cheaper() -> None:
    f, slopes = chain()
    jacobian = eg.simplify(eg.jacobian(f, "x"), sizes=SIZES)
    ours = count([jacobian.term], SIZES) - count([s.term for s in slopes], SIZES)
    assert ours <= 1.01 * cheapest(0, 5)
    assert ours < one_way(range(1, 6))
    assert ours < one_way(range(4, -1, -1))
