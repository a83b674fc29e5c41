"""The values of element-wise definitions, with NumPy: all entries at once, sums in blocks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from eggrad.engine.affine import Affine
from eggrad.engine.errors import ShapeError
from eggrad.engine.index_conditions import Condition
from eggrad.frontend.elementwise_functions import FUNCTIONS
from eggrad.frontend.elementwise_printer import format_form, format_value
from eggrad.frontend.elementwise_syntax import (
    Binary,
    Call,
    Choice,
    IndexValue,
    Negative,
    Node,
    Number,
    Read,
    Sum,
)

__all__ = ["evaluate"]

Array = NDArray[Any]
MOST_ENTRIES: Final = 1 << 18
"""How many entries an intermediate result may have before sums are taken in blocks."""


@dataclass(frozen=True)
class Axis:
    """An index in a block: its first value, how many, and its axis, counted from the last."""

    first: int
    length: int
    place: int


@dataclass(frozen=True)
class Scope:
    """The indices of a block, and where the block is needed: everywhere, or at `live` points.

    A sum's axis is in front of all others, so that values from outside it broadcast.
    """

    axes: Mapping[str, Axis]
    live: Array | None = None

    @property
    def entries(self) -> int:
        """The number of points."""
        return prod(a.length for a in self.axes.values())

    def values(self, axis: Axis) -> Array:
        """The values of an index, along its axis."""
        numbers = np.arange(axis.first, axis.first + axis.length)
        return numbers.reshape((axis.length,) + (1,) * axis.place)

    def at(self, mask: Array) -> "Scope":
        """The same block, needed where the mask says so as well."""
        return replace(self, live=mask if self.live is None else self.live & mask)


def evaluate(
    sizes: Mapping[str, Affine],
    body: Node,
    arrays: Mapping[str, Array],
    symbols: Mapping[str, int],
) -> Array:
    """All entries of a definition, whose head has indices of these `sizes`.

    Raises `ShapeError` where an entry outside of an array is needed, or a size is negative.
    """
    lengths = [int(size.substitute(symbols).constant) for size in sizes.values()]
    for name, length in zip(sizes, lengths, strict=True):
        if length < 0:
            raise ShapeError(f"the index {name} would have {length} values")
    result = np.empty(lengths)
    evaluator = _Evaluator(arrays, symbols)
    rows = max(1, MOST_ENTRIES // max(1, prod(lengths[1:]))) if lengths else 1
    with np.errstate(all="ignore"):
        for start in range(0, lengths[0] if lengths else 1, rows):
            firsts = [start, *(0 for _ in lengths[1:])][: len(lengths)]
            counts = [min(rows, lengths[0] - start), *lengths[1:]] if lengths else []
            places = range(len(lengths) - 1, -1, -1)
            blocks = zip(firsts, counts, places, strict=True)
            axes = dict(zip(sizes, (Axis(*b) for b in blocks), strict=True))
            if prod(counts):
                rows_here = slice(start, start + rows) if lengths else ...
                result[rows_here] = evaluator.value(body, Scope(axes))
    return result


class _Evaluator:
    """Values of nodes as arrays that broadcast to the block of their scope."""

    def __init__(self, arrays: Mapping[str, Array], symbols: Mapping[str, int]) -> None:
        self.arrays = arrays
        self.symbols = symbols

    def value(self, node: Node, scope: Scope) -> Any:
        match node:
            case Number(number):
                return float(number)
            case IndexValue(form):
                numerator, divisor = self.form(form, scope)
                return numerator / divisor
            case Read():
                return self.entries(node, scope)
            case Call(function, argument):
                return FUNCTIONS[function](self.value(argument, scope))
            case Negative(operand):
                return -self.value(operand, scope)
            case Binary():
                return self.combined(node, scope)
            case Sum():
                return self.total(node, scope)
            case Choice(conditions, then, otherwise):
                mask = np.logical_and.reduce(
                    np.broadcast_arrays(*(self.holds(c, scope) for c in conditions))
                )
                one = self.value(then, scope.at(mask)) if mask.any() else 0.0
                other = self.value(otherwise, scope.at(~mask)) if not mask.all() else 0.0
                return np.where(mask, one, other)

    def combined(self, node: Binary, scope: Scope) -> Any:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        match node.operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                return np.divide(left, right)
            case _:
                return np.power(left, right)

    def form(self, form: Affine, scope: Scope) -> tuple[Any, int]:
        """A form as integers and their divisor."""
        whole = form.integral().substitute(self.symbols)
        result: Any = whole.constant
        for name, c in whole.items():
            result = result + c * scope.values(scope.axes[name])
        return result, form.denominator

    def holds(self, condition: Condition, scope: Scope) -> Array:
        value, _ = self.form(condition.form, scope)
        if condition.relation == "|":
            return np.asarray(value % condition.modulus == 0)
        return np.asarray(value == 0 if condition.relation == "=" else value >= 0)

    def entries(self, node: Read, scope: Scope) -> Any:
        """The entries of an array: a view where all of them are there, else those needed."""
        array = self.arrays[node.name]
        forms = [f.substitute(self.symbols) for f in node.indices]
        if all(_inside(f, scope, n) for f, n in zip(forms, array.shape, strict=True)):
            return _view(array, forms, scope)
        places: list[Any] = []
        for form, length in zip(forms, array.shape, strict=True):
            numerator, divisor = self.form(form, scope)
            place, rest = numerator // divisor, numerator % divisor
            wrong = (rest != 0) | (place < 0) | (place >= length)
            if scope.live is not None:
                wrong = wrong & scope.live
            if np.any(wrong):
                raise self.outside(node, scope, wrong)
            places.append(np.clip(place, 0, max(0, length - 1)))
        if array.size == 0:
            return 0.0
        return array[tuple(places)]

    def outside(self, node: Read, scope: Scope, wrong: Array) -> ShapeError:
        """The error for the first point at which an entry is needed that is not there."""
        point = [int(p[0]) for p in np.nonzero(np.atleast_1d(wrong))]
        at = {
            name: axis.first + (point[-1 - axis.place] if axis.place < np.ndim(wrong) else 0)
            for name, axis in scope.axes.items()
        }
        needed = [f.substitute(self.symbols).substitute(at) for f in node.indices]
        where = ", ".join(f"{n} = {v}" for n, v in at.items())
        shown = "; ".join(map(format_form, needed))
        return ShapeError(
            f"{node.name} has no such entry: {format_value(node)} is {node.name}[{shown}] "
            f"where {where}; its shape is {self.arrays[node.name].shape}"
        )

    def total(self, node: Sum, scope: Scope) -> Any:
        lows = [_upwards(*self.form(f, scope)) for f in node.range.lower]
        highs = [_downwards(*self.form(f, scope)) for f in node.range.upper]
        low: Any = lows[0]
        for other in lows[1:]:
            low = np.maximum(low, other)
        high: Any = highs[0]
        for other in highs[1:]:
            high = np.minimum(high, other)
        first, last = int(np.min(low)), int(np.max(high))
        dependent = np.ndim(low) > 0 or np.ndim(high) > 0
        place = 1 + max((a.place for a in scope.axes.values()), default=-1)
        block = max(1, MOST_ENTRIES // max(1, scope.entries))
        result: Any = 0.0
        for start in range(first, last + 1, block):
            axis = Axis(start, min(block, last + 1 - start), place)
            inner = replace(scope, axes={**scope.axes, node.index: axis})
            if dependent:
                own = inner.values(axis)
                mask: Array = (own >= low) & (own <= high)
                found = np.where(mask, self.value(node.body, inner.at(mask)), 0.0)
            else:
                found = self.value(node.body, inner)
            result = result + _summed(found, axis)
        return result


def _summed(found: Any, axis: Axis) -> Any:
    """The sum over the leading axis, which a value that does not depend on it may lack."""
    if np.ndim(found) <= axis.place:
        return found * axis.length
    if found.shape[0] == 1:
        return found[0] * axis.length
    return found.sum(axis=0)


def _inside(form: Affine, scope: Scope, length: int) -> bool:
    """Whether a form is an integer within an axis at all points of a block."""
    if form.denominator != 1:
        return False
    least = most = form.constant
    for name, c in form.items():
        axis = scope.axes[name]
        ends = (c * axis.first, c * (axis.first + axis.length - 1))
        least, most = least + min(ends), most + max(ends)
    return least >= 0 and most < length


def _view(array: Array, forms: list[Affine], scope: Scope) -> Array:
    """The entries at affine places, as a view: one stride for each index."""
    firsts = (f.constant + sum(c * scope.axes[n].first for n, c in f.items()) for f in forms)
    start = tuple(slice(int(first), None) for first in firsts)
    strides: dict[int, int] = {}
    lengths: dict[int, int] = {}
    for form, own in zip(forms, array.strides, strict=True):
        for name, c in form.items():
            axis = scope.axes[name]
            strides[axis.place] = strides.get(axis.place, 0) + int(c) * own
            lengths[axis.place] = axis.length
    places = range(max(lengths, default=-1), -1, -1)
    shape = tuple(lengths.get(p, 1) for p in places)
    return as_strided(
        array[start], shape, tuple(strides.get(p, 0) for p in places), writeable=False
    )


def _upwards(numerator: Any, divisor: int) -> Any:
    return -(-numerator // divisor)


def _downwards(numerator: Any, divisor: int) -> Any:
    return numerator // divisor
