"""What multiplies two views into a third one: which NumPy function, and the order of their axes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.indices.spec import Indices
from eggrad.engine.terms.binding import Array

__all__ = ["Kernel", "Order", "add_products", "direct_kernel", "kernel_of"]

Order = Sequence[int | None]
"""The labels of a view's axes; None for an axis of length 1. One that does not move repeats."""
Add = Callable[[Array, Array, Array], None]
Moves = Mapping[int, int]
"""How far each label moves in memory, of those that do."""
# Rows of a result so long are better written one after the other than along its last axes.
LONG: Final = 16


def _as_it_is(view: Array) -> Array:
    return view


@dataclass(frozen=True)
class Kernel:
    """Adds the product of two views, each made `ready` before, to a third one.

    Where the product is one of matrices, and those of several steps may be one, `first` is the
    operand whose rows the result has.
    """

    add: Add
    ready: tuple[Callable[[Array], Array], Callable[[Array], Array]] = (_as_it_is, _as_it_is)
    first: int | None = None


def direct_kernel(left: int, right: int, target: int) -> Kernel:
    """The kernel of three vectors with so many labels each: that with two is seen through windows.

    >>> found = np.zeros(4)
    >>> direct_kernel(1, 1, 2).add(np.ones(2), np.ones(3), found)
    >>> found
    array([1., 2., 2., 1.])
    """
    return Kernel((_correlate, _exchanged(_correlate), _convolve)[(left, right, target).index(2)])


def _correlate(left: Array, right: Array, target: Array) -> None:
    # NumPy conjugates the second one.
    target += np.correlate(left, right.conj())


def _exchanged(add: Add) -> Add:
    return lambda left, right, target: add(right, left, target)


def _convolve(left: Array, right: Array, target: Array) -> None:
    target += np.convolve(left, right)


def kernel_of(
    labels: Indices,
    left: Moves,
    right: Moves,
    target: Moves,
    *,
    whole: Mapping[int, int] | None = None,
    copies: bool = True,
) -> tuple[tuple[Order, Order, Order], Kernel]:
    """The orders of axes and the kernel, given which labels move where.

    A label that does not move in the target is summed. `whole` has the lengths of those that take
    whole axes of it at every step. Without `copies` no view is made a matrix.

    >>> kernel_of((0, 1), {0: 1}, {0: 3, 1: 1}, {0: 2, 1: 1})[0]
    ((0, 1), (0, 1), (0, 1))
    >>> kernel_of((0, 1, 2), {0: 3, 2: 1}, {2: 5, 1: 1}, {0: 5, 1: 1})[0]
    ((0, 2), (2, 1), (0, 1))
    """
    kept = tuple(i for i in labels if i in target)
    summed = tuple(i for i in labels if i not in target)
    if not summed:
        return (kept, kept, kept), Kernel(_multiply)
    both = left.keys() & right.keys()
    if (
        copies
        and both.issuperset(summed)
        and {*left, *right}.issuperset(kept)
        and not both.issuperset(kept)
    ):
        return _matrices(kept, summed, left, right, whole or {})
    # What no view has is repeated in the first one.
    first = (*left, *(i for i in labels if i not in left and i not in right))
    second = (*right,)
    return (first, second, kept), Kernel(_Sum(first, second, kept).add)


def _multiply(left: Array, right: Array, target: Array) -> None:
    target += left * right


class _Sum:
    """A product summed over what the target lacks, entry by entry."""

    def __init__(self, left: Indices, right: Indices, kept: Indices) -> None:
        self._axes = [*left], [*right], [*kept]

    def add(self, left: Array, right: Array, target: Array) -> None:
        first, second, kept = self._axes
        arguments: list[Any] = [left, first, right, second, kept]
        target += np.einsum(*arguments)


def _matrices(
    kept: Indices, summed: Indices, left: Moves, right: Moves, whole: Mapping[int, int]
) -> tuple[tuple[Order, Order, Order], Kernel]:
    """A product of matrices, perhaps one for each value of some labels in front.

    Rows come from the array whose own labels lie side by side in the target, so that the result
    is in its order; what is in front of them there belongs to the other array, or to both. But
    where steps write parts of the columns and all of long rows, these become the columns.
    """
    exchanged = not _side_by_side(kept, left, right) and _side_by_side(kept, right, left)
    one, other = (right, left) if exchanged else (left, right)
    rows = tuple(i for i in kept if i in one and i not in other)
    front = kept.index(rows[0]) if rows else 0
    lead = tuple(i for k, i in enumerate(kept) if k < front or (i in one and i in other))
    columns = tuple(i for i in kept if i not in (*rows, *lead))
    in_parts = not whole.keys() >= {*columns}
    turned = in_parts and prod(whole.get(i, 0) for i in rows) >= LONG
    if turned:
        one, other, rows, columns, exchanged = other, one, columns, rows, not exchanged
    longer = max(one, other, key=len)
    inner = tuple(sorted(summed, key=lambda i: -abs(longer[i])))
    first = _Matrix.of(lead, (rows, inner), one)
    second = _Matrix.of(lead, (inner, columns), other)
    operands = (second, first) if exchanged else (first, second)
    add = _exchanged(_add_product) if exchanged else _add_product
    kernel = Kernel(add, (operands[0].ready, operands[1].ready), None if turned else int(exchanged))
    return (operands[0].order, operands[1].order, (*lead, *rows, *columns)), kernel


def _side_by_side(kept: Indices, one: Moves, other: Moves) -> bool:
    """Whether the labels of one array alone lie side by side, and those of both in front."""
    places = [k for k, i in enumerate(kept) if i in one and i not in other]
    shared = [k for k, i in enumerate(kept) if i in one and i in other]
    return len(places) == places[-1] - places[0] + 1 if places else not shared


@dataclass(frozen=True)
class _Matrix:
    """A view as matrices: some axes in front, then two groups of axes, perhaps the other first."""

    order: Order
    lead: int
    first: int
    turned: bool

    @classmethod
    def of(cls, lead: Indices, groups: tuple[Indices, Indices], moves: Moves) -> "_Matrix":
        """The group that has the closest entries comes last, as it is copied the fastest."""
        turned = _closest(groups[0], moves) < _closest(groups[1], moves)
        one, other = groups[::-1] if turned else groups
        front = tuple(i if i in moves else None for i in lead)
        return cls((*front, *one, *other), len(lead), len(one), turned)

    def ready(self, view: Array) -> Array:
        """The matrices, in memory as BLAS needs them."""
        lead, rest = view.shape[: self.lead], view.shape[self.lead :]
        own = view.reshape(*lead, prod(rest[: self.first]), prod(rest[self.first :]))
        if own.itemsize not in own.strides[-2:]:
            own = own.copy()
        return own.swapaxes(-1, -2) if self.turned else own


def _closest(group: Indices, moves: Moves) -> float:
    return min((abs(moves[i]) for i in group), default=np.inf)


def add_products(
    matrices: Sequence[Array], fixed: Array, targets: Sequence[Array], *, by_rows: bool
) -> None:
    """Add the products of several matrices with another one to a view each, in one product.

    They have one shape, and their rows are those of the products, or else their columns are.

    >>> found = np.zeros((2, 1, 1))
    >>> add_products([np.ones((1, 2)), np.eye(1, 2)], np.ones((2, 1)), [*found], by_rows=True)
    >>> found.ravel()
    array([2., 1.])
    """
    axis = -2 if by_rows else -1
    together = np.concatenate(matrices, axis)
    product = together @ fixed if by_rows else fixed @ together
    parts = np.split(product, len(matrices), axis)
    for part, target in zip(parts, targets, strict=True):
        np.add(target, part.reshape(target.shape), out=target)


def _add_product(left: Array, right: Array, target: Array) -> None:
    target += (left @ right).reshape(target.shape)
