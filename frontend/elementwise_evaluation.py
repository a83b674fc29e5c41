"""The values of element-wise definitions, with NumPy: all entries at once, sums in blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from math import prod
from operator import floordiv
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.array_limits import check_shape
from eggrad.engine.errors import BudgetExceeded, ShapeError
from eggrad.engine.index_conditions import Condition
from eggrad.engine.integer_ranges import Range
from eggrad.engine.numerals import as_float
from eggrad.engine.rational_affine import Affine
from eggrad.frontend.elementwise_contraction import contracted
from eggrad.frontend.elementwise_functions import FUNCTIONS
from eggrad.frontend.elementwise_printer import format_form, format_value
from eggrad.frontend.elementwise_scopes import Axis, Scope, inside, view
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
    names_within,
)

__all__ = ["evaluate"]

Array = NDArray[Any]
STEP_ENTRIES: Final = 64
"""How many entries a step of a sum must have on average for steps to be worth it."""
MOST_TERMS: Final = 10**10
"""How many terms a sum may have, at all points of a block together."""
LARGEST: Final = 1 << 62
MOST_ENTRIES: Final = 1 << 18
"""How many entries an intermediate result may have before sums are taken in blocks."""


def evaluate(sizes: Mapping[str, int], body: Node, arrays: Mapping[str, Array]) -> Array:
    """All entries of a definition, whose head has indices of these `sizes`.

    Raises `ShapeError` where an entry outside of an array is needed, or a size is negative, and
    `BudgetExceeded` for more entries than the memory has.
    """
    lengths = list(sizes.values())
    for name, length in sizes.items():
        if length < 0:
            raise ShapeError(f"the index {name} would have {length} values")
    check_shape(tuple(lengths))
    result = np.empty(lengths)
    evaluator = _Evaluator(arrays)
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

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.arrays = arrays

    def value(self, node: Node, scope: Scope) -> Any:
        match node:
            case Number(number):
                return as_float(number)
            case IndexValue(form):
                return self.number(form, scope)
            case Read():
                return self.entries(node, scope)
            case Call() | Sum():
                if node not in scope.found:
                    scope.found[node] = self.computed(node, scope)
                return scope.found[node]
            case Negative(operand):
                return -self.value(operand, scope)
            case Binary():
                return self.combined(node, scope)
            case Choice(conditions, then, otherwise):
                mask = np.logical_and.reduce(
                    np.broadcast_arrays(*(self.holds(c, scope) for c in conditions))
                )
                one = self.value(then, scope.at(mask)) if mask.any() else 0.0
                other = self.value(otherwise, scope.at(~mask)) if not mask.all() else 0.0
                return np.where(mask, one, other)

    def computed(self, node: Call | Sum, scope: Scope) -> Any:
        if isinstance(node, Sum):
            return self.total(node, scope.narrowed(names_within(node)))
        own = node.declared.function_for("numpy") if node.declared else FUNCTIONS[node.function]
        return own(*(self.value(a, scope) for a in node.arguments))

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

    def number(self, form: Affine, scope: Scope) -> Any:
        """A form as a floating-point number."""
        if _has_room(form.integral(), scope):
            numerator, divisor = self.form(form, scope)
            return numerator / divisor
        result: Any = as_float(form.constant)
        for name, c in form.items():
            result = result + as_float(c) * scope.values(scope.axes[name])
        return result

    def form(self, form: Affine, scope: Scope) -> tuple[Any, int]:
        """A form as integers and their divisor."""
        whole = form.integral()
        if not _has_room(whole, scope):
            raise ShapeError(f"the index {format_form(form)} is too large for any array")
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
        if all(inside(f, scope, n) for f, n in zip(node.indices, array.shape, strict=True)):
            return view(array, node.indices, scope)
        places: list[Any] = []
        for form, length in zip(node.indices, array.shape, strict=True):
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
        needed = [f.substitute(at) for f in node.indices]
        where = ", ".join(f"{n} = {v}" for n, v in at.items())
        shown = "; ".join(map(format_form, needed))
        return ShapeError(
            f"{node.name} has no such entry: {format_value(node)} is {node.name}[{shown}] "
            f"where {where}; its shape is {self.arrays[node.name].shape}"
        )

    def total(self, node: Sum, scope: Scope) -> Any:
        found = contracted(node, scope, self.arrays)
        if found is not None:
            return found
        forms = (*node.range.lower, *node.range.upper)
        if any(n in scope.axes for f in forms for n in f.names):
            bounds = node.range.constraints(node.index)
            simple = all(len(set(f.names) - {node.index}) < 2 for f in bounds)
            spread = self.extent(node, scope)
            inner = self.interior(node, scope, bounds, spread) if simple else None
            if inner is not None and 2 * inner.entries >= scope.entries:
                return self.by_parts(node, scope, inner, spread)
            if simple and len(spread) * STEP_ENTRIES <= scope.entries:
                return self.by_steps(node, scope, bounds, spread)
            return self.in_blocks(node, scope, masked=True)
        return self.in_blocks(node, scope, masked=False)

    def bounds(self, node: Sum, scope: Scope) -> tuple[Any, Any]:
        """The first and last value of a sum's index, at every point."""
        low, *lows = (_upwards(*self.form(f, scope)) for f in node.range.lower)
        high, *highs = (floordiv(*self.form(f, scope)) for f in node.range.upper)
        return reduce(np.maximum, lows, low), reduce(np.minimum, highs, high)

    def extent(self, node: Sum, scope: Scope) -> range:
        """All values of a sum's index."""
        bounds = self.bounds(node, scope)
        low, high = int(np.min(bounds[0])), int(np.max(bounds[1]))
        terms = max(0, high - low + 1) * scope.entries
        if terms > MOST_TERMS:
            raise BudgetExceeded(
                f"the sum over {node.index} has {terms:.1e} terms, at most {MOST_TERMS:.0e} are "
                "computed"
            )
        return range(low, high + 1)

    def interior(
        self, node: Sum, scope: Scope, bounds: Sequence[Affine], spread: range
    ) -> Scope | None:
        """The part of the block at whose points the index has all its values."""
        if not spread:
            return None
        ends = ((f, spread[0] if f[node.index] > 0 else spread[-1]) for f in bounds)
        return scope.restricted([f.substitute({node.index: end}) for f, end in ends])

    def by_parts(self, node: Sum, scope: Scope, inner: Scope, spread: range) -> Array:
        """Without bounds that depend on other indices in the interior, with masks around it."""
        result = np.zeros(scope.shape)
        constant = Range((Affine({}, spread[0]),), (Affine({}, spread[-1]),))
        whole = replace(node, range=constant)
        result[inner.part_of(scope)] = self.total(whole, inner)
        for part in scope.around(inner):
            result[part.part_of(scope)] = self.in_blocks(node, part, masked=True)
        return result

    def by_steps(self, node: Sum, scope: Scope, bounds: Sequence[Affine], spread: range) -> Array:
        """One value of the index after the other, each on the part of the block that has it."""
        place = scope.place_in_front()
        result = np.zeros(scope.shape)
        for value in spread:
            own = [f.substitute({node.index: value}) for f in bounds]
            part = scope.restricted(own)
            if part is not None:
                axis = Axis(value, 1, place)
                inner = replace(part, axes={**part.axes, node.index: axis})
                result[part.part_of(scope)] += _summed(self.value(node.body, inner), axis)
        return result

    def in_blocks(self, node: Sum, scope: Scope, masked: bool) -> Any:
        """As many values of the index at once as fit, all points of the block alike."""
        spread = self.extent(node, scope)
        low, high = self.bounds(node, scope)
        block = max(1, MOST_ENTRIES // max(1, scope.entries))
        result: Any = 0.0
        for start in spread[::block]:
            axis = Axis(start, min(block, spread.stop - start), scope.place_in_front())
            inner = replace(scope, axes={**scope.axes, node.index: axis})
            if masked:
                own = inner.values(axis)
                mask: Array = (own >= low) & (own <= high)
                found = np.where(mask, self.value(node.body, inner.at(mask)), 0.0)
            else:
                found = self.value(node.body, inner)
            result = result + _summed(found, axis)
        return result


def _has_room(whole: Affine, scope: Scope) -> bool:
    """Whether 64 bits have room for an integer form and its parts everywhere in a block."""
    size = abs(whole.constant)
    for name, c in whole.items():
        axis = scope.axes[name]
        size += abs(c) * (abs(axis.first) + axis.length)
    return size < LARGEST


def _summed(found: Any, axis: Axis) -> Any:
    """The sum over the leading axis, which a value that does not depend on it may lack."""
    if np.ndim(found) <= axis.place:
        return found * axis.length
    if found.shape[0] == 1:
        return found[0] * axis.length
    return found.sum(axis=0)


def _upwards(numerator: Any, divisor: int) -> Any:
    return -(-numerator // divisor)
