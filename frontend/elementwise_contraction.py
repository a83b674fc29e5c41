"""Sums of products of two arrays read at affine places, by NumPy's contraction of views."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eggrad.engine.rational_affine import Affine
from eggrad.frontend.elementwise_scopes import Scope, inside, view

__all__ = ["contracted"]

Array = NDArray[Any]


def contracted(
    operands: Sequence[tuple[Array, Sequence[Affine]]], scope: Scope, summed: Sequence[int]
) -> Array | None:
    """The product of arrays at some places, summed over the axes in front, without copies of it.

    None where a place may be outside of an array. Axes on which nothing depends have length 1.

    >>> from eggrad.frontend.elementwise_scopes import Axis
    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> block = Scope({"i": Axis(0, 2, 0), "k": Axis(0, 3, 1)})
    >>> contracted([(np.arange(4), [i + k]), (np.ones(3), [k])], block, [1])
    array([3., 6.])
    """
    if not all(
        inside(f, scope, n)
        for array, forms in operands
        for f, n in zip(forms, array.shape, strict=True)
    ):
        return None
    views = [view(array, forms, scope) for array, forms in operands]
    # A product of matrices copies views; those that repeat entries would become large.
    plain = all(v.size <= a.size for v, (a, _) in zip(views, operands, strict=True))
    places = [[p for p in range(v.ndim) if v.shape[v.ndim - 1 - p] > 1] for v in views]
    arguments: list[Any] = []
    for v, own in zip(views, places, strict=True):
        arguments += [v.reshape([n for n in v.shape if n > 1]), own[::-1]]
    kept = range(min(summed) - 1, -1, -1)
    output = [p for p in kept if any(p in own for own in places)]
    found = np.einsum(*arguments, output, optimize=plain)
    lengths = {a.place: a.length for a in scope.axes.values()}
    repeats = prod(lengths[p] for p in summed if not any(p in own for own in places))
    return (found * repeats).reshape([lengths[p] if p in output else 1 for p in kept])
