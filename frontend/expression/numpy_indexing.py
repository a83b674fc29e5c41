"""NumPy's functions that pick and move entries: shifts, triangles, diagonals, cumulative sums."""

from collections.abc import Callable
from math import prod as number_of
from operator import index
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import Form, as_size, form, size_form
from eggrad.engine.indices.spec import Size
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.arithmetic import multiply
from eggrad.frontend.expression.expression import Expression, as_expression
from eggrad.frontend.expression.indexing import indexed
from eggrad.frontend.expression.selection import placed, selected

__all__ = ["INDEXING", "flip", "integer_size", "one_axis", "shifted", "size_sum"]

# A product of entries is written out.
_MOST_FACTORS: Final = 64
_MOST_DIFFERENCES: Final = 1000


def one_axis(what: str, axis: Any, own: Expression) -> int:
    """One axis; none stands for the only one of a vector."""
    if axis is None and own.ndim != 1:
        raise UnsupportedOperation(f"{what}: give an axis; numpy.ravel makes a vector")
    return ax.normalized(what, 0 if axis is None else index(axis), own.ndim)[0]


def integer_size(what: str, own: Expression, axis: int) -> int:
    """The size of an axis, where it is a number."""
    size = own.shape[axis]
    if not isinstance(size, int):
        raise UnsupportedOperation(
            f"{what}: axis {axis} has size {size}, and the result a size that depends on it; give "
            "the size as an integer"
        )
    return size


def size_sum(*sizes: Size) -> Size:
    """The sum of sizes.

    >>> size_sum("m", "n", -1)
    'm + n - 1'
    """
    return as_size(form(term for size in sizes for term in size_form(size)))


def shifted(*shift: Size) -> Form:
    """The place of an index when all are moved."""
    return form([(0, 1), *(term for size in shift for term in size_form(size))])


# Along one axis ----------------------------------------------------------------------------


def cumsum(a: Any, axis: int | None = None) -> Expression:
    """`numpy.cumsum` along an axis."""
    own = as_expression(a)
    k = one_axis("cumsum", axis, own)
    out = [own.ndim if i == k else i for i in range(own.ndim)]
    up_to = (">=", form([(own.ndim, 1), (k, -1)]))
    return selected("cumsum", own, (own.shape[k],), [up_to], out)


def flip(m: Any, axis: Any = None) -> Expression:
    """`numpy.flip`."""
    own = as_expression(m)
    gone = range(own.ndim) if axis is None else ax.normalized("flip", axis, own.ndim)
    return indexed(own, tuple(slice(None, None, -1 if k in gone else 1) for k in range(own.ndim)))


def roll(a: Any, shift: int, axis: int | None = None) -> Expression:
    """`numpy.roll` along an axis; one whose size is a symbol has at least as many entries."""
    own = as_expression(a)
    k = one_axis("roll", axis, own)
    size, by = own.shape[k], index(shift)
    if isinstance(size, int):
        by = by % size if size else 0
    if not by:
        return own
    # Joining needs what is here.
    from eggrad.frontend.expression.numpy_joining import concatenate

    before = (slice(None),) * k
    first, last = (indexed(own, (*before, slice(*ends))) for ends in ((None, -by), (-by, None)))
    return concatenate([last, first], k)


def diff(a: Any, n: int = 1, axis: int = -1) -> Expression:
    """`numpy.diff` along an axis."""
    own = as_expression(a)
    k = one_axis("diff", axis, own)
    before = (slice(None),) * k
    if index(n) < 0:
        raise ShapeError(f"diff: differences are taken {n} times, which is negative")
    if index(n) > _MOST_DIFFERENCES:
        raise UnsupportedOperation(f"diff: differences are taken {_MOST_DIFFERENCES} times at most")
    for _ in range(index(n)):
        own = indexed(own, (*before, slice(1, None))) - indexed(own, (*before, slice(None, -1)))
    return own


def take(a: Any, indices: Any, axis: int | None = None) -> Expression:
    """`numpy.take` of literal indices."""
    own = as_expression(a)
    k = one_axis("take", axis, own)
    before = (slice(None),) * k
    wanted = np.asarray(indices)
    if wanted.dtype.kind not in "iu" or wanted.ndim > 1:
        raise UnsupportedOperation("take: the indices are an integer or a list of integers")
    if not wanted.ndim:
        return indexed(own, (*before, int(wanted)))
    # Joining needs what is here.
    from eggrad.frontend.expression.numpy_joining import stack

    return stack([indexed(own, (*before, int(i))) for i in wanted], axis=k)


def pad(array: Any, pad_width: Any, mode: str = "constant") -> Expression:
    """`numpy.pad` with zeros."""
    own = as_expression(array)
    if mode != "constant":
        raise UnsupportedOperation("pad: only with zeros, the mode 'constant'")
    for k, (before, after) in enumerate(np.broadcast_to(pad_width, (own.ndim, 2)).tolist()):
        if before < 0 or after < 0:
            raise ShapeError("pad: the widths are integers from 0 up")
        if before or after:
            size = size_sum(own.shape[k], before, after)
            own = placed("pad", own, k, size, [shifted(before)])
    return own


def prod(a: Any, axis: Any = None, *, keepdims: bool = False) -> Expression:
    """`numpy.prod` over axes of small integer sizes."""
    own = as_expression(a)
    gone = range(own.ndim) if axis is None else ax.normalized("prod", axis, own.ndim)
    lengths = [integer_size("prod", own, k) for k in gone]
    if number_of(lengths) > _MOST_FACTORS:
        raise UnsupportedOperation(
            f"prod: {number_of(lengths)} factors are more than {_MOST_FACTORS}; write "
            "numpy.exp(numpy.sum(numpy.log(...))) where all are positive"
        )
    result = language.constant(1, tuple(d for k, d in enumerate(own.shape) if k not in gone))
    parts = [
        indexed(own, tuple(places.pop(0) if k in gone else slice(None) for k in range(own.ndim)))
        for places in (list(p) for p in np.ndindex(*lengths))
    ]
    for k, part in enumerate(parts):
        result = multiply(result, part) if k else part
    return ax.expanded(result, gone) if keepdims else result


# Triangles and diagonals -------------------------------------------------------------------


def tril(m: Any, k: int = 0) -> Expression:
    """`numpy.tril` of a matrix, or of a stack of matrices."""
    own = _matrices("tril", m)
    below = (">=", form([(own.ndim - 2, 1), (own.ndim - 1, -1), ("", index(k))]))
    return selected("tril", own, (), [below], range(own.ndim))


def triu(m: Any, k: int = 0) -> Expression:
    """`numpy.triu` of a matrix, or of a stack of matrices."""
    own = _matrices("triu", m)
    above = (">=", form([(own.ndim - 1, 1), (own.ndim - 2, -1), ("", -index(k))]))
    return selected("triu", own, (), [above], range(own.ndim))


def _matrices(what: str, m: Any) -> Expression:
    own = as_expression(m)
    if own.ndim < 2:
        raise ShapeError(f"{what}: a matrix has two axes, the argument {own.ndim}")
    return own


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expression:
    """`numpy.trace`."""
    own = as_expression(a)
    if not offset:
        return language.sum(diagonal(own, 0, axis1, axis2), axis=-1)
    first, second = ax.normalized("trace", (axis1, axis2), own.ndim)
    along = ("=", form([(second, 1), (first, -1), ("", -index(offset))]))
    out = [k for k in range(own.ndim) if k not in (first, second)]
    return selected("trace", own, (), [along], out)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expression:
    """`numpy.diagonal`; one beside the main diagonal needs a square matrix or integer sizes."""
    own = as_expression(a)
    first, second = ax.normalized("diagonal", (axis1, axis2), own.ndim)
    if not offset:
        return ax.diagonal(own, first, second)
    down, right = max(-offset, 0), max(offset, 0)
    size = size_sum(own.shape[first], -abs(offset))
    if own.shape[first] != own.shape[second] or isinstance(size, int):
        rows, columns = (integer_size("diagonal", own, k) for k in (first, second))
        size = max(0, min(rows - down, columns - right))
    new = own.ndim
    constraints = [
        ("=", form([(k, 1), (new, -1), ("", -start)]))
        for k, start in ((first, down), (second, right))
    ]
    out = [*(k for k in range(own.ndim) if k not in (first, second)), new]
    return selected("diagonal", own, (size,), constraints, out)


def diag(v: Any, k: int = 0) -> Expression:
    """`numpy.diag`."""
    own = as_expression(v)
    if own.ndim not in (1, 2):
        raise ShapeError(f"diag: of a vector or a matrix, the argument has {own.ndim} axes")
    if own.ndim == 2:
        return diagonal(own, k)
    if not k:
        return ax.diagonal_matrix(own)
    size = size_sum(own.shape[0], abs(k))
    constraints = [
        ("=", form([(axis, 1), (0, -1), ("", -start)]))
        for axis, start in ((1, max(-k, 0)), (2, max(k, 0)))
    ]
    return selected("diag", own, (size, size), constraints, (1, 2))


INDEXING: Final[dict[object, Callable[..., Any]]] = {
    **{np.cumsum: cumsum, np.flip: flip, np.roll: roll, np.diff: diff, np.take: take, np.pad: pad},
    **{np.prod: prod, np.tril: tril, np.triu: triu, np.trace: trace, np.diagonal: diagonal},
    np.diag: diag,
    np.fliplr: lambda m: flip(m, 1),
    np.flipud: lambda m: flip(m, 0),
}
"""What each of these functions does."""
