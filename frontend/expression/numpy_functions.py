"""NumPy's functions of whole arrays, on expressions."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.arithmetic import multiply
from eggrad.frontend.expression.conditions import where
from eggrad.frontend.expression.expression import Expression, as_expression, combine, expression
from eggrad.frontend.expression.functions import maximum, minimum
from eggrad.frontend.expression.kronecker import kron
from eggrad.frontend.expression.numpy_ufuncs import sqrt, square

__all__ = ["FUNCTIONS"]

Axis = int | Sequence[int] | None


# Reductions --------------------------------------------------------------------------------


def sum(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.sum`."""
    own = as_expression(a)
    gone = wanted_axes("sum", axis, own.ndim)
    result = language.sum(own, gone)
    return ax.expanded(result, gone) if keepdims else result


def amax(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.max`."""
    return _extreme(language.max, a, axis, keepdims)


def amin(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.min`."""
    return _extreme(language.min, a, axis, keepdims)


def _extreme(reduce: Callable[..., Expression], a: Any, axis: Axis, keepdims: bool) -> Expression:
    own = as_expression(a)
    gone = wanted_axes(reduce.__name__, axis, own.ndim)
    result = reduce(own, gone)
    return ax.expanded(result, gone) if keepdims else result


def ptp(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.ptp`."""
    return amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)


def mean(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.mean`."""
    own = as_expression(a)
    count = ax.size_of(own, wanted_axes("mean", axis, own.ndim))
    return sum(own, axis, keepdims=keepdims) / count


def average(
    a: Any, axis: Axis = None, weights: Any = None, *, keepdims: bool = False
) -> Expression:
    """`numpy.average`; weights have the same axes, or are a vector along one axis."""
    if weights is None:
        return mean(a, axis, keepdims=keepdims)
    own, w = as_expression(a), as_expression(weights)
    gone = wanted_axes("average", axis, own.ndim)
    if w.ndim == 1 and len(gone) == 1:
        w = ax.expanded(w, tuple(k for k in range(own.ndim) if k not in gone))
    elif w.ndim != own.ndim:
        raise ShapeError(
            f"average: weights with {w.ndim} axes for a tensor with {own.ndim}; as many are "
            "wanted, or a vector along one axis"
        )
    whole = w + full_like(own, 0)
    return sum(own * w, gone, keepdims=keepdims) / sum(whole, gone, keepdims=keepdims)


def var(a: Any, axis: Axis = None, *, ddof: int = 0, keepdims: bool = False) -> Expression:
    """`numpy.var`."""
    own = as_expression(a)
    count = ax.size_of(own, wanted_axes("var", axis, own.ndim))
    squares = square(own - mean(own, axis, keepdims=True))
    return sum(squares, axis, keepdims=keepdims) / (count - ddof if ddof else count)


def std(a: Any, axis: Axis = None, *, ddof: int = 0, keepdims: bool = False) -> Expression:
    """`numpy.std`."""
    return sqrt(var(a, axis, ddof=ddof, keepdims=keepdims))


def wanted_axes(what: str, axis: Axis, order: int) -> tuple[int, ...]:
    """The axes that an option `axis` names, all where it names none."""
    return tuple(range(order)) if axis is None else ax.normalized(what, axis, order)


# Products ----------------------------------------------------------------------------------


def einsum(spec: Any, *operands: Any, optimize: object = None) -> Expression:
    """`numpy.einsum` with a text; how the product is computed is found out, `optimize` or not."""
    if not isinstance(spec, str):
        raise UnsupportedOperation("einsum: the first argument is a text such as 'ij,j->i'")
    return language.einsum(spec, *map(as_expression, operands))


def dot(a: Any, b: Any) -> Expression:
    """`numpy.dot`."""
    left, right = as_expression(a), as_expression(b)
    if not left.ndim or not right.ndim:
        return multiply(left, right)
    return tensordot(left, right, ([left.ndim - 1], [max(0, right.ndim - 2)]))


def inner(a: Any, b: Any) -> Expression:
    """`numpy.inner`."""
    left, right = as_expression(a), as_expression(b)
    if not left.ndim or not right.ndim:
        return multiply(left, right)
    return tensordot(left, right, ([left.ndim - 1], [right.ndim - 1]))


def vdot(a: Any, b: Any) -> Expression:
    """`numpy.vdot`, of arrays with as many axes."""
    left, right = as_expression(a), as_expression(b)
    if left.ndim != right.ndim:
        raise UnsupportedOperation("vdot: both arguments have as many axes; see numpy.einsum")
    return tensordot(left, right, left.ndim)


def outer(a: Any, b: Any) -> Expression:
    """`numpy.outer`, of vectors and scalars."""
    left, right = (_vector("outer", f) for f in (a, b))
    return tensordot(left, right, 0)


def _vector(what: str, a: Any) -> Expression:
    own = as_expression(a)
    if own.ndim > 1:
        raise UnsupportedOperation(f"{what}: the arguments are vectors; see numpy.einsum")
    return own if own.ndim else ax.expanded(own, [0])


def tensordot(
    a: Any, b: Any, axes: int | tuple[int | Sequence[int], int | Sequence[int]] = 2
) -> Expression:
    """`numpy.tensordot`."""
    left, right = as_expression(a), as_expression(b)
    if hasattr(axes, "__index__"):
        count = index(cast(int, axes))
        if not 0 <= count <= min(left.ndim, right.ndim):
            raise ShapeError(f"tensordot: {count} axes are summed, the arguments have fewer")
        axes = (range(left.ndim - count, left.ndim), range(count))
    places = cast(Sequence[Any], axes)
    if len(places) != 2:
        raise ShapeError("tensordot: axes are a number, or those of the left and of the right")
    gone = [
        wanted_axes("tensordot", own, f.ndim) for own, f in zip(places, (left, right), strict=True)
    ]
    if len(gone[0]) != len(gone[1]):
        raise ShapeError("tensordot: each argument sums as many axes as the other")
    letters = [[f"{side}{k}" for k in range(f.ndim)] for side, f in (("a", left), ("b", right))]
    for k, m in zip(*gone, strict=True):
        letters[1][m] = letters[0][k]
    out = [i for k, i in enumerate(letters[0]) if k not in gone[0]]
    out += [i for k, i in enumerate(letters[1]) if k not in gone[1]]
    pairs = [(left.shape[k], right.shape[m]) for k, m in zip(*gone, strict=True)]
    spec = specs.canonical(letters, out)
    return combine("tensordot", [left, right], pairs, lambda p, q: terms.einsum(spec, p, q))


# Axes --------------------------------------------------------------------------------------


def transpose(a: Any, axes: Sequence[int] | None = None) -> Expression:
    """`numpy.transpose`."""
    own = as_expression(a)
    order = range(own.ndim)[::-1] if axes is None else ax.normalized("transpose", axes, own.ndim)
    if len(order) != own.ndim:
        raise ShapeError(f"transpose: {own.ndim} axes need as many places, not {len(order)}")
    return ax.permuted(own, order)


def matrix_transpose(x: Any) -> Expression:
    """`numpy.matrix_transpose`."""
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> Expression:
    """`numpy.swapaxes`."""
    own = as_expression(a)
    first, second = (ax.normalized("swapaxes", k, own.ndim)[0] for k in (axis1, axis2))
    order = list(range(own.ndim))
    order[first], order[second] = second, first
    return ax.permuted(own, order)


def moveaxis(a: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Expression:
    """`numpy.moveaxis`."""
    own = as_expression(a)
    places = [ax.normalized("moveaxis", k, own.ndim) for k in (source, destination)]
    if len(places[0]) != len(places[1]):
        raise ShapeError("moveaxis: there are as many destinations as sources")
    return ax.moved(own, *places)


def reshape(a: Any, /, shape: Any, order: str = "C") -> Expression:
    """`numpy.reshape`; axes are merged and split where their sizes are integers."""
    if order != "C":
        raise UnsupportedOperation(
            f"reshape: the last index runs fastest, order 'C', not {order!r}"
        )
    own = as_expression(a)
    wanted = (shape,) if isinstance(shape, int | str) else tuple(shape)
    return ax.reshaped(own, wanted)


def ravel(a: Any, order: str = "C") -> Expression:
    """`numpy.ravel`, of integer sizes, or of at most one axis that is longer than 1."""
    return reshape(a, -1, order)


def expand_dims(a: Any, axis: int | Sequence[int]) -> Expression:
    """`numpy.expand_dims`."""
    own = as_expression(a)
    new = 1 if isinstance(axis, int) else len(axis)
    return ax.expanded(own, ax.normalized("expand_dims", axis, own.ndim + new))


def squeeze(a: Any, axis: Axis = None) -> Expression:
    """`numpy.squeeze`; without an axis all whose size is known to be 1."""
    own = as_expression(a)
    ones = [k for k, d in enumerate(own.shape) if d == 1]
    return ax.squeezed(own, ones if axis is None else ax.normalized("squeeze", axis, own.ndim))


def broadcast_to(array: Any, shape: Any) -> Expression:
    """`numpy.broadcast_to`; a size may be a symbol."""
    wanted = (shape,) if isinstance(shape, int | str) else tuple(shape)
    return ax.broadcast(as_expression(array), wanted)


def full_like(a: Any, fill_value: Any) -> Expression:
    """`numpy.full_like`."""
    own = as_expression(a)
    filled = ax.broadcast(as_expression(fill_value), own.shape)
    candidates = (*own.variables, *own.scope, *filled.scope)
    return expression(filled.term, candidates, filled.term_complete, filled.thinnings)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Expression:
    """`numpy.clip`."""
    own, a_min, a_max = (
        as_expression(a),
        min if a_min is None else a_min,
        max if a_max is None else a_max,
    )
    above = own if a_min is None else maximum(own, a_min)
    return above if a_max is None else minimum(above, a_max)


FUNCTIONS: Final[dict[object, Callable[..., Any]]] = {
    **{np.max: amax, np.min: amin, np.ptp: ptp},
    **{np.sum: sum, np.mean: mean, np.average: average, np.var: var, np.std: std},
    **{np.einsum: einsum, np.dot: dot, np.inner: inner, np.vdot: vdot, np.outer: outer},
    **{np.tensordot: tensordot, np.kron: kron},
    **{np.transpose: transpose, np.matrix_transpose: matrix_transpose},
    **{np.swapaxes: swapaxes, np.moveaxis: moveaxis, np.reshape: reshape, np.ravel: ravel},
    **{np.expand_dims: expand_dims, np.squeeze: squeeze, np.broadcast_to: broadcast_to},
    **{np.clip: clip, np.where: where},
    np.zeros_like: lambda a: full_like(a, 0),
    np.ones_like: lambda a: full_like(a, 1),
    np.full_like: full_like,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
}
"""What each function that is supported does, but for those of `numpy.linalg`."""
