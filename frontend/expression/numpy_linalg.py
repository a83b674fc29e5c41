"""NumPy's functions of matrices, `numpy.linalg`, on expressions."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import index
from typing import Any, Final, NamedTuple

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import Expression, as_expression, matmul
from eggrad.frontend.expression.numpy_functions import (
    Axis,
    diagonal,
    matrix_transpose,
    outer,
    sum,
    tensordot,
    trace,
    wanted_axes,
)
from eggrad.frontend.expression.numpy_protocols import implements
from eggrad.frontend.expression.numpy_ufuncs import sqrt, square, vecdot


class SlogdetResult(NamedTuple):
    """What `numpy.linalg.slogdet` returns."""

    sign: Expression
    logabsdet: Expression


def slogdet(a: Any) -> SlogdetResult:
    """`numpy.linalg.slogdet`."""
    own = _square("slogdet", a)
    return SlogdetResult(language.signdet(own), language.logabsdet(own))


def solve(a: Any, b: Any) -> Expression:
    """`numpy.linalg.solve`."""
    return matmul(language.inv(_square("solve", a)), b)


def _square(what: str, a: Any) -> Expression:
    own = as_expression(a)
    if own.ndim != 2:
        raise ShapeError(f"{what} needs a square matrix, its argument has {own.ndim} axes")
    return own


def matrix_power(a: Any, n: int) -> Expression:
    """`numpy.linalg.matrix_power`."""
    own = _square("matrix_power", a)
    if not hasattr(n, "__index__"):
        raise UnsupportedOperation("matrix_power: the exponent is an integer")
    n = index(n)
    if n < 0:
        return matrix_power(language.inv(own), -n)
    if n == 0:
        return language.delta(own.shape[:1])
    result = own
    for bit in bin(n)[3:]:
        result = matmul(result, result)
        result = matmul(result, own) if bit == "1" else result
    return result


def norm(x: Any, ord: Any = None, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.linalg.norm`: Euclidean, Frobenius', and the sum of absolute values of a vector."""
    own = as_expression(x)
    gone = wanted_axes("norm", axis, own.ndim)
    if ord is None or (ord == "fro" and len(gone) == 2):
        return vector_norm(own, axis=gone, keepdims=keepdims)
    if ord in (1, 2) and len(gone) == 1:
        return vector_norm(own, axis=gone, keepdims=keepdims, ord=ord)
    raise UnsupportedOperation(
        f"linalg.norm with ord={ord!r} of {len(gone)} axes; supported are None, 1 and 2 for "
        "vectors, 'fro' for matrices"
    )


def vector_norm(x: Any, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Expression:
    """`numpy.linalg.vector_norm`: Euclidean, or the sum of absolute values."""
    own = as_expression(x)
    if ord == 1:
        return sum(language.abs(own), axis, keepdims=keepdims)
    if ord == 2:
        return sqrt(sum(square(own), axis, keepdims=keepdims))
    raise UnsupportedOperation(f"linalg.vector_norm with ord={ord!r}; supported are 1 and 2")


def matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Expression:
    """`numpy.linalg.matrix_norm`: Frobenius'."""
    return norm(x, ord, (-2, -1), keepdims=keepdims)


def multi_dot(arrays: Sequence[Any]) -> Expression:
    """`numpy.linalg.multi_dot`."""
    return reduce(matmul, arrays)


FUNCTIONS: Final[Mapping[object, Callable[..., Any]]] = {
    np.linalg.inv: lambda a: language.inv(_square("inv", a)),
    np.linalg.det: lambda a: language.det(_square("det", a)),
    np.linalg.slogdet: slogdet,
    np.linalg.solve: solve,
    np.linalg.norm: norm,
    np.linalg.vector_norm: vector_norm,
    np.linalg.matrix_norm: matrix_norm,
    np.linalg.matrix_power: matrix_power,
    np.linalg.multi_dot: multi_dot,
    np.linalg.trace: lambda x: trace(x, 0, -2, -1),
    np.linalg.diagonal: lambda x: diagonal(x, 0, -2, -1),
    np.linalg.outer: outer,
    np.linalg.tensordot: tensordot,
    np.linalg.vecdot: vecdot,
    np.linalg.matmul: matmul,
    np.linalg.matrix_transpose: matrix_transpose,
}
"""What each function that is supported does."""

implements(functions=FUNCTIONS)
