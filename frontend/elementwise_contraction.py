"""Sums of products of two arrays read at affine places, as products with an indicator."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.indicators import Numbers
from eggrad.engine.integer_ranges import within
from eggrad.engine.numerals import as_float
from eggrad.engine.rational_affine import Affine
from eggrad.engine.spec import Indices
from eggrad.engine.stepped_products import product_of_two
from eggrad.frontend.elementwise_scopes import Axis, Scope, extremes, inside
from eggrad.frontend.elementwise_syntax import Binary, Node, Number, Read, Sum

__all__ = ["contracted"]

Array = NDArray[Any]


def contracted(node: Sum, scope: Scope, arrays: Mapping[str, Array]) -> Array | None:
    """A sum in a block where it is one of products of one or two entries, and a number.

    Axes on which nothing depends have length 1. None for another sum, where an entry may be
    needed that is not there, and where it would take too much time or space.

    >>> from eggrad.engine.integer_ranges import Range
    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> body = Binary("*", Read("x", (i + k,)), Read("w", (k,)))
    >>> node = Sum("k", Range((Affine({}),), (Affine({}, 2),)), body)
    >>> contracted(node, Scope({"i": Axis(0, 2, 0)}), {"x": np.arange(4.0), "w": np.ones(3)})
    array([3., 6.])
    """
    found = _product(node)
    if found is None:
        return None
    shapes = tuple(arrays[r.name].shape for r in found.reads)
    own = _contraction(found, tuple(scope.axes.items()), shapes)
    if own is None:
        return None
    operands = [arrays[r.name][part] for r, part in zip(found.reads, own.parts, strict=True)]
    if own.factor != 1:
        # Before the sum: what is small with the factor may overflow without.
        least = min(range(len(operands)), key=lambda k: operands[k].size)
        operands[least] = own.factor * operands[least]
    left, right = (*operands, np.ones(()))[:2]
    value = product_of_two(own.spec, own.constraints, own.shape, left, right)
    return None if value is None else np.asarray(value).reshape(own.result)


@dataclass(frozen=True, eq=False)
class _Product:
    """Nested sums of a number times one or two readings; made once, so known by its identity."""

    sums: tuple[Sum, ...]
    factor: float
    reads: tuple[Read, ...]


@lru_cache(maxsize=1024)
def _product(node: Sum) -> _Product | None:
    sums: list[Sum] = []
    body: Node = node
    while isinstance(body, Sum):
        sums.append(body)
        body = body.body
    factor, reads = Fraction(1), list[Read]()
    for operand in _factors(body):
        if isinstance(operand, Number):
            factor *= operand.value
        elif isinstance(operand, Read):
            reads.append(operand)
        else:
            return None
    whole = all(f.denominator == 1 for r in reads for f in r.indices)
    if not whole or not 0 < len(reads) < 3:
        return None
    return _Product(tuple(sums), as_float(factor), tuple(reads))


def _factors(body: Node) -> Iterator[Node]:
    if isinstance(body, Binary) and body.operator == "*":
        yield from _factors(body.left)
        yield from _factors(body.right)
    else:
        yield body


@dataclass(frozen=True)
class _Contraction:
    """What `product_of_two` needs beside the parts of the arrays, and what is done afterwards."""

    spec: tuple[Indices, Indices, Indices, Indices]
    constraints: Numbers
    shape: tuple[int, ...]
    parts: tuple[tuple[slice, ...], ...]
    factor: float
    result: tuple[int, ...]


@lru_cache(maxsize=1024)
def _contraction(
    product: _Product, axes: tuple[tuple[str, Axis], ...], shapes: tuple[tuple[int, ...], ...]
) -> _Contraction | None:
    scope = Scope(dict(axes))
    bounds: list[Affine] = []
    for own in product.sums:
        bounds += own.range.constraints(own.index)
        scope = _with_sum(own, scope)
    if any(a.length == 0 for a in scope.axes.values()):
        return None
    said = [f for f in bounds if not _certain(f, scope)]
    for read, shape in zip(product.reads, shapes, strict=True):
        ends = (f for form, n in zip(read.indices, shape, strict=True) for f in within(form, n))
        if not all(f in said or _certain(f, scope) for f in ends):
            return None
    labels = _Labels(scope)
    reads = [
        labels.of_read(r.indices, shape) for r, shape in zip(product.reads, shapes, strict=True)
    ]
    for f in said:
        labels.constrain(">=", f)
    return labels.contraction(reads, product.factor, len(axes))


def _certain(form: Affine, scope: Scope) -> bool:
    return extremes(form, scope)[0] >= 0


class _Labels:
    """Numbers for the indices of a block, and for the axes of arrays read at several at once."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._number = {name: k for k, name in enumerate(scope.axes)}
        self._lengths = [a.length for a in scope.axes.values()]
        self._constraints: list[tuple[str, dict[int, int], int]] = []

    def of_read(
        self, forms: Sequence[Affine], shape: Sequence[int]
    ) -> tuple[tuple[slice, ...], Indices]:
        """The part of an array that is read, and a label for each of its axes."""
        found = [self._of_axis(f, n) for f, n in zip(forms, shape, strict=True)]
        return tuple(part for part, _ in found), tuple(label for _, label in found)

    def _of_axis(self, form: Affine, length: int) -> tuple[slice, int]:
        coefficients, start = self._counted(form)
        if [*coefficients.values()] == [1] and inside(form, self._scope, length):
            (label,) = coefficients
            return slice(start, start + self._lengths[label]), label
        label = len(self._lengths)
        self._lengths.append(length)
        self._constraints.append(("=", {**coefficients, label: -1}, start))
        return slice(None), label

    def constrain(self, relation: str, form: Affine) -> None:
        """Add a constraint on the indices."""
        self._constraints.append((relation, *self._counted(form)))

    def _counted(self, form: Affine) -> tuple[dict[int, int], int]:
        """An integer form in indices that are counted from the first one in the block."""
        first = {n: self._scope.axes[n].first for n in form.names}
        start = form.constant + sum(c * first[n] for n, c in form.items())
        return {self._number[n]: int(c) for n, c in form.items()}, int(start)

    def contraction(
        self, reads: Sequence[tuple[tuple[slice, ...], Indices]], factor: float, outer: int
    ) -> "_Contraction":
        """The contraction of parts of arrays, of which the first indices stay, so many."""
        constrained = {k for _, own, _ in self._constraints for k in own}
        used = constrained.union(*(labels for _, labels in reads))
        part = tuple(sorted(constrained))
        for k in range(outer, len(self._scope.axes)):
            factor *= 1 if k in used else self._lengths[k]
        both = (*(labels for _, labels in reads), ())[:2]
        # An array's axes are in the order of the places, the last one first.
        places = {a.place: k for k, a in enumerate(self._scope.axes.values()) if k < outer}
        depth = 1 + max(places, default=-1)
        kept = [places[p] if places.get(p) in used else None for p in range(depth - 1, -1, -1)]
        return _Contraction(
            (part, both[0], both[1], tuple(k for k in kept if k is not None)),
            tuple((r, (*(own.get(k, 0) for k in part), c)) for r, own, c in self._constraints),
            tuple(self._lengths[k] for k in part),
            tuple(own for own, _ in reads),
            factor,
            tuple(1 if k is None else self._lengths[k] for k in kept),
        )


def _with_sum(node: Sum, scope: Scope) -> Scope:
    """The block with the index of a sum, as far as it may go anywhere in the block."""
    low = max(ceil(extremes(f, scope)[0]) for f in node.range.lower)
    high = min(floor(extremes(f, scope)[1]) for f in node.range.upper)
    axis = Axis(low, max(0, high - low + 1), scope.place_in_front())
    return Scope({**scope.axes, node.index: axis})
