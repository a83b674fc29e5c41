"""Linear systems whose matrix is a sum of products of cores and deltas."""

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsolvableSystem
from eggrad.engine.indices.spec import Indices
from eggrad.engine.runtime.factored_part import Part
from eggrad.engine.terms.binding import Array

__all__ = ["solve"]

# Rows that substitution solves at once.
BLOCK: Final = 64


def solve(
    parts: Sequence[Part], shape: tuple[int, ...], columns: int, b: Array, definite: bool = False
) -> Array:
    """Solve for a tensor of the columns' axes; the last axis of `b` counts right-hand sides.

    `definite` says that the operator is positive definite or negative definite.
    """
    rows = len(shape) - columns
    dtype = np.result_type(np.float64, b, *(core for part in parts for core in part.cores))
    if not b.size:
        return np.zeros((*shape[rows:], b.shape[-1]), dtype)
    part = parts[0] if len(parts) == 1 else None
    if part is None or not _separable(part, shape, rows, definite):
        part = _merged(parts, shape, rows, dtype, definite)
    last = len(shape)
    x, labels = b, (*part.labels[:rows], last)
    row_labels, column_labels = set(part.labels[:rows]), set(part.labels[rows:])
    for core, own in zip(part.cores, part.axes, strict=True):
        tied = tuple(i for i in own if i in row_labels and i in column_labels)
        down = tuple(sorted(row_labels.intersection(own) - column_labels))
        across = tuple(sorted(column_labels.intersection(own) - row_labels))
        rest = tuple(i for i in labels if i not in own)
        length = dict(zip((*labels, *own), x.shape + core.shape, strict=True))
        batch, kept = (tuple(length[i] for i in group) for group in (tied, rest))
        n = prod(length[i] for i in down)
        matrix = _in_order(core, own, tied + down + across).reshape(*batch, n, n)
        right = _in_order(x, labels, tied + down + rest).reshape(*batch, n, prod(kept))
        labels = tied + across + rest
        x = _solved(matrix, right, definite)
        x = x.reshape(*batch, *(length[i] for i in across), *kept)
    return _in_order(x, labels, (*part.labels[rows:], last))


def _in_order(array: Array, own: Indices, labels: Indices) -> Array:
    return array.transpose([own.index(i) for i in labels])


def _separable(part: Part, shape: tuple[int, ...], rows: int, definite: bool) -> bool:
    """Whether each core can be inverted alone: a square matrix on axes that no other core has.

    Definiteness of each matrix is that of their product only where a row axis meets the column
    axis of the same place, and where they are real: `1j * A` may be a factor of a definite matrix.
    """
    if definite and len(part.cores) > 1 and any(np.iscomplexobj(core) for core in part.cores):
        return False
    if not part.used() <= set(part.labels):
        return False
    for i in set(part.labels):
        above, below = part.labels[:rows].count(i), part.labels[rows:].count(i)
        users = sum(i in own for own in part.axes)
        if max(above, below) > 1 or (above + below < 2 and users != 1):
            return False
        if definite and above + below == 2 and part.labels[i + rows] != i:
            return False
    for own in part.axes:
        down = {i for i in own if i not in part.labels[rows:]}
        across = {i for i in own if i >= rows}
        if prod(shape[i] for i in down) != prod(shape[i] for i in across):
            return False
        if definite and {i + rows for i in down} != across:
            return False
    return True


def _merged(
    parts: Sequence[Part], shape: tuple[int, ...], rows: int, dtype: np.dtype[Any], definite: bool
) -> Part:
    """All parts as one of a single core, tied where a row and a column are tied in all of them."""
    places: dict[Indices, list[int]] = {}
    for axis in range(len(shape)):
        places.setdefault(tuple(p.labels[axis] for p in parts), []).append(axis)
    labels = list(range(len(shape)))
    for group in places.values():
        aligned = group[-1] - group[0] == rows or not definite
        if len(group) == 2 and group[0] < rows <= group[1] and aligned:
            labels[group[1]] = group[0]
    distinct = tuple(dict.fromkeys(labels))
    used = [i for i in distinct if labels.count(i) == 1 or _matters(i, distinct, parts)]
    core = np.zeros([shape[i] for i in used], dtype)
    for p in parts:
        kept = tuple(p.labels[i] for i in used)
        names = {i: kept.index(i) for i in kept}
        p.renamed(names, tuple(names[i] for i in kept)).add_to(core)
    return Part((core,), (tuple(used),), tuple(labels))


def _matters(i: int, labels: Indices, parts: Sequence[Part]) -> bool:
    """Whether a part depends on a label: by a core, or by a delta with another label."""
    return any(
        p.labels[i] in p.used() or any(p.labels[i] == p.labels[k] for k in labels if k != i)
        for p in parts
    )


def _solved(matrix: Array, right: Array, definite: bool) -> Array:
    """Solve with a stack of matrices; one of a single row divides."""
    n = matrix.shape[-1]
    if n == 1:
        if not matrix.all():
            raise UnsolvableSystem("solve: the operator is singular: a zero on a diagonal")
        return right / matrix
    try:
        if not definite:
            return np.linalg.solve(matrix, right)
        sign = np.where(matrix[..., :1, :1].real < 0, -1.0, 1.0)
        lower = np.linalg.cholesky(sign * matrix)
    except np.linalg.LinAlgError as error:
        what = "not positive definite" if definite else f"singular: a matrix of {n} rows in it is"
        raise UnsolvableSystem(f"solve: the operator is {what}") from error
    upper = lower.conj().swapaxes(-1, -2)
    middle = _substituted(lower, sign * right)[..., ::-1, :]
    return _substituted(upper[..., ::-1, ::-1], middle)[..., ::-1, :]


def _substituted(lower: Array, right: Array) -> Array:
    """Solve with lower triangular matrices, block by block."""
    x = np.empty(right.shape, np.result_type(lower, right))
    for start in range(0, lower.shape[-1], BLOCK):
        own = slice(start, start + BLOCK)
        rest = right[..., own, :] - lower[..., own, :start] @ x[..., :start, :]
        x[..., own, :] = np.linalg.solve(lower[..., own, own], rest)
    return x
