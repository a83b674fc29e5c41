"""Sums of products of two arrays read at affine places: by correlation, or shift by shift."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from eggrad.engine.integer_ranges import within
from eggrad.engine.rational_affine import Affine
from eggrad.frontend.elementwise_scopes import Scope, extremes, inside, view

__all__ = ["Operand", "contracted", "padded"]

Array = NDArray[Any]
Places = tuple[int, ...]
# Beyond so many shifts, or with fewer points at each, one pass of np.einsum is faster.
MOST_SHIFTS: Final = 128
LEAST_POINTS: Final = 64


class Operand(NamedTuple):
    """An array and where it is read; beyond the ends `padded`, (axis, 0 or -1), it is 0."""

    array: Array
    forms: Sequence[Affine]
    padded: Collection[tuple[int, int]] = ()


class Factor(NamedTuple):
    """An array and the places of its axes, none of which has length 1."""

    array: Array
    places: Places

    def at(self, values: Mapping[int, int]) -> "Factor":
        """The part at values of some indices."""
        part = tuple(values.get(p, slice(None)) for p in self.places)
        return Factor(self.array[part], tuple(p for p in self.places if p not in values))


def padded(
    reads: Sequence[tuple[Array, Sequence[Affine]]], bounds: Sequence[Affine]
) -> list[Operand] | None:
    """Arrays to be read without the bounds, which only say that an entry is there.

    None where one of the bounds says something else, or zeros would meet infinite values.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> (own, _) = padded([(np.ones(4), [i - k]), (np.ones(2), [k])], [3 - i + k])
    >>> own.padded, padded([(np.ones(4), [i - k]), (np.ones(2), [k])], [2 - i + k])
    ([(0, -1)], None)
    """
    said: set[Affine] = set()
    found: list[Operand] = []
    for array, forms in reads:
        ends = {
            (axis, end): bound
            for axis, (form, n) in enumerate(zip(forms, array.shape, strict=True))
            for end, bound in zip((0, -1), within(form, n), strict=True)
        }
        own = [end for end, form in ends.items() if form in bounds]
        said.update(ends[end] for end in own)
        found.append(Operand(array, forms, own))
    finite = not said or all(np.isfinite(array).all() for array, _ in reads)
    return found if finite and said.issuperset(bounds) else None


def contracted(operands: Sequence[Operand], scope: Scope, summed: Sequence[int]) -> Array | None:
    """The product of two arrays at some places, summed over the axes in front, without copies.

    None where a place may be outside of an array. Axes on which nothing depends have length 1.

    >>> from eggrad.frontend.elementwise_scopes import Axis
    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> block = Scope({"i": Axis(0, 2, 0), "k": Axis(0, 3, 1)})
    >>> contracted([Operand(np.arange(4), [i + k]), Operand(np.ones(3), [k])], block, [1])
    array([3., 6.])
    """
    own = [_padded(operand, scope) for operand in operands]
    if not all(
        inside(f, scope, n)
        for operand in own
        for f, n in zip(operand.forms, operand.array.shape, strict=True)
    ):
        return None
    shifts = {place for operand in own for place in _shifts(operand, scope)}
    factors = [_labelled(view(o.array, o.forms, scope)) for o in own]
    long, short = sorted(factors, key=lambda f: -len(f.places))
    kept = tuple(range(min(summed) - 1, -1, -1))
    lengths = {a.place: a.length for a in scope.axes.values()}
    used = {*long.places, *short.places}
    output = tuple(p for p in kept if p in used)
    repeats = prod(lengths[p] for p in summed if p not in used)
    found = _product(long, short, output, tuple(sorted(shifts & used)), lengths)
    return (found * repeats).reshape([lengths[p] if p in output else 1 for p in kept])


def _padded(operand: Operand, scope: Scope) -> Operand:
    """The operand with zeros at its ends, as many as are read."""
    shape = operand.array.shape
    firsts, lasts = [0] * len(shape), [n - 1 for n in shape]
    for axis, end in operand.padded:
        least, most = extremes(operand.forms[axis], scope)
        if end:
            lasts[axis] = max(lasts[axis], int(most))
        else:
            firsts[axis] = min(0, int(least))
    array = np.zeros([last - first + 1 for first, last in zip(firsts, lasts, strict=True)])
    if array.shape == shape:
        return operand
    array[tuple(slice(-a, n - a) for a, n in zip(firsts, shape, strict=True))] = operand.array
    return Operand(array, [f - a for f, a in zip(operand.forms, firsts, strict=True)])


def _shifts(operand: Operand, scope: Scope) -> Iterator[int]:
    """The places of all but the longest of the indices that go along one axis together."""
    for form in operand.forms:
        own = sorted((scope.axes[n] for n in form.names), key=lambda a: (a.length, a.place))
        yield from (a.place for a in own[:-1])


def _labelled(array: Array) -> Factor:
    """An array without axes of length 1, and the places of the others."""
    places = tuple(p for p in range(array.ndim - 1, -1, -1) if array.shape[-1 - p] > 1)
    return Factor(array[tuple(0 if n == 1 else slice(None) for n in array.shape)], places)


def _product(
    long: Factor, short: Factor, output: Places, shifts: Places, lengths: Mapping[int, int]
) -> Array:
    """The product of two arrays, summed over all places but those of the output."""
    if len(long.places) == 2 and len(short.places) == len(output) == 1:
        found = _correlated(long, short, output[0])
        if found is not None:
            return found
    points = prod(lengths[p] for p in {*long.places, *short.places}.difference(shifts))
    count = prod(lengths[p] for p in shifts)
    alone = [{*f.places}.difference(g.places, shifts) for f, g in ((long, short), (short, long))]
    # Without BLAS a sum along the long axes is best in one pass.
    passes = all(alone) or not {*output}.issuperset(shifts)
    if not shifts or count > MOST_SHIFTS or points < LEAST_POINTS or not passes:
        arguments: list[Any] = [*long, *short, output]
        return np.einsum(*arguments, optimize=not shifts)
    result = np.zeros([lengths[p] for p in output])
    for values in product(*(range(lengths[p]) for p in shifts)):
        at = dict(zip(shifts, values, strict=True))
        part = tuple(at.get(p, slice(None)) for p in output)
        result[part] += _step(long.at(at), short.at(at), tuple(p for p in output if p not in at))
    return result


def _correlated(windows: Factor, weights: Factor, output: int) -> Array | None:
    """The correlation of a vector, seen through a window, with weights; None if it is none."""
    array = windows.array if windows.places[0] == output else windows.array.T
    step, inner = array.strides
    summed = {*windows.places} - {output}
    if summed != {*weights.places} or abs(step) != abs(inner) or not step:
        return None
    if step == inner:
        first, own = array, weights.array
    else:
        first, own = array[:, ::-1], weights.array[::-1]
    length = array.shape[0] + array.shape[1] - 1
    whole = as_strided(first, (length,), (step,), writeable=False)
    return np.correlate(whole, own, "valid")


def _step(one: Factor, other: Factor, output: Places) -> Array:
    """One shift: by BLAS where no place of the output is in both."""
    if one.places == output and not other.places:
        return one.array * other.array
    if {*one.places} & {*other.places} & {*output}:
        return np.einsum(one.array, one.places, other.array, other.places, output)
    both = [p for p in one.places if p in other.places]
    first, second = ([f.places.index(p) for p in both] for f in (one, other))
    found = np.tensordot(one.array, other.array, (first, second))
    left = [p for f in (one, other) for p in f.places if p not in both]
    lone = tuple(k for k, p in enumerate(left) if p not in output)
    rest = [p for p in left if p in output]
    return found.sum(axis=lone).transpose([rest.index(p) for p in output])
