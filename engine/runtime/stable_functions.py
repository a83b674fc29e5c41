"""Functions that lose no digits where the textbook formula does, and never overflow in between.

Sources: Higham, Accuracy and Stability of Numerical Algorithms, 2002; Kahan, Branch cuts, 1987;
Maechler, Accurately computing log(1 - exp(-|a|)), 2012; Blanchard, Higham, Higham, Accurately
computing the log-sum-exp and softmax functions, 2021. Arguments are real arrays of any shape.
"""

from collections.abc import Sequence
from math import inf, log, prod
from typing import Any

import numpy as np

from eggrad.engine.runtime.matrix_functions import cholesky, log_determinant_from_cholesky
from eggrad.engine.terms.binding import Array

# What follows works in place: a new array costs as much as many operations on it.

# Below this number of entries, calls take longer than what they do.
FEW = 100
# exp of more than this overflows.
LARGEST = {np.dtype(np.float32): 88.0, np.dtype(np.float64): 709.0}
# The logarithm of more than this loses no digits.
CLEAR = 1.001
# Half of exp of less than this is rounded away beside it.
LEAST = -40.0
# Sums of squares between these have neither overflowed nor lost anything to underflow.
TINY, HUGE = 1e-280, 1e300


def softplus(x: Array) -> Array:
    """`log(1 + exp(x))`.

    >>> softplus(np.array([-1e3, 1e3]))
    array([   0., 1000.])
    """
    if x.size < FEW:
        return np.logaddexp(0.0, x)
    if _exp_is_finite(x):
        result = np.asarray(np.exp(x))
        return np.log1p(result, out=result)
    result = np.asarray(np.exp(np.negative(np.abs(x))))
    np.log1p(result, out=result)
    result += np.maximum(x, 0.0)
    return result


def _exp_is_finite(x: Array) -> bool:
    return bool(x.max() <= LARGEST.get(x.dtype, 0.0))


@np.errstate(over="ignore")
def sigmoid(x: Array) -> Array:
    """`1 / (1 + exp(-x))`: an overflow of `exp` ends in the right zero.

    >>> sigmoid(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    result = np.asarray(np.exp(np.negative(x)))
    result += 1.0
    return np.divide(1.0, result, out=result)


@np.errstate(all="ignore")
def log1mexp(x: Array) -> Array:
    """`log(1 - exp(x))` for x < 0.

    >>> log1mexp(np.array([-1e-20, -50.0])).round(2)
    array([-46.05,  -0.  ])
    """
    return np.where(x > -log(2), np.log(-np.expm1(x)), np.log1p(-np.exp(x)))[()]


@np.errstate(all="ignore")
def log1mexp_exp(x: Array) -> Array:
    """`log(1 - exp(-exp(x)))`, which is x where `exp(x)` is too small to count.

    >>> log1mexp_exp(np.array([-1e3, 0.0])).round(2)
    array([-1.0e+03, -4.6e-01])
    """
    return np.where(x < LEAST, x, log1mexp(-np.exp(x)))[()]


@np.errstate(all="ignore")
def log_cosh(x: Array) -> Array:
    """`log(cosh(x))`.

    >>> log_cosh(np.array([0.0, 1e3])).round(3)
    array([  0.   , 999.307])
    """
    x = np.abs(x)
    near = np.log1p(2 * np.sinh(x / 2) ** 2)
    return np.where(x < 1, near, x + np.log1p(np.expm1(-2 * x) / 2))[()]


@np.errstate(over="ignore", invalid="ignore")
def log_sum_exp(x: Array, axes: Sequence[int]) -> Array:
    """`log` of the sum of `exp(x)` over some axes; -inf for the sum of nothing.

    The largest summand is taken out, not only divided by: what the others add to 1 is not lost.

    >>> float(log_sum_exp(np.array([1e3, 1e3]), (0,)).round(3))
    1000.693
    """
    x = _inexact(x)
    columns, order = _as_columns(x, axes)
    return _of_columns(columns).reshape([x.shape[k] for k in order[len(axes) :]])[()]


def _as_columns(x: Array, axes: Sequence[int]) -> tuple[Array, list[int]]:
    """A matrix with a column for each sum over some axes, and the order of the axes in it."""
    order = [*axes, *(k for k in range(x.ndim) if k not in axes)]
    dims = [x.shape[k] for k in order]
    columns = x.transpose(order).reshape(prod(dims[: len(axes)]), prod(dims[len(axes) :]))
    # NumPy adds a few long rows ten times as fast as it sums many short ones.
    few = len(columns) < columns.shape[1]
    return np.ascontiguousarray(columns) if few else columns, order


def _from_columns(columns: Array, shape: tuple[int, ...], order: list[int]) -> Array:
    """The array of a shape that the columns have been."""
    laid_out = columns.reshape([shape[k] for k in order])
    return np.asarray(laid_out.transpose([order.index(k) for k in range(len(order))]), order="C")


def _inexact(x: Array) -> Array:
    """The array; of integers, one whose memory exponentials can be written to."""
    return x if x.dtype.kind in "fc" else x.astype(float)


def _of_columns(columns: Array) -> Array:
    """The logarithm of each column's sum of exponentials."""
    if not columns.size:
        return np.full(columns.shape[1:], -inf, np.exp(columns).dtype)
    largest = np.maximum.reduce(columns)
    exponentials = columns - largest
    sums = np.add.reduce(np.exp(exponentials, out=exponentials))
    return _logarithms(exponentials, sums, largest)


def _logarithms(exponentials: Array, sums: Array, largest: Array) -> Array:
    """The logarithms of sums of exponentials, the largest of which were divided by."""
    # Unless one summand outweighs all others, its logarithm is accurate; NaN is neither.
    if np.minimum.reduce(sums) > CLEAR:
        return np.log(sums) + largest
    # There the largest summand alone is 1.
    others = np.add.reduce(exponentials * (exponentials < 1.0))
    logarithms = np.where(sums > CLEAR, np.log(sums), np.log1p(others))
    return np.where(np.isfinite(largest), largest + logarithms, largest)


@np.errstate(over="ignore", invalid="ignore")
def softmax(x: Array, axes: Sequence[int]) -> Array:
    """`exp(x)`, divided by its sum over some axes.

    >>> softmax(np.array([1e3, 1e3]), (0,))
    array([0.5, 0.5])
    """
    x, axis = _inexact(x), tuple(axes)
    if not x.size:
        return np.exp(x)
    if x.size < FEW or len(axis) == x.ndim:
        result = np.asarray(x - np.maximum.reduce(x, axis, keepdims=True))
        np.exp(result, out=result)
        result /= np.add.reduce(result, axis, keepdims=True)
        return result
    columns, order = _as_columns(x, axis)
    result = columns - np.maximum.reduce(columns)
    np.exp(result, out=result)
    result /= np.add.reduce(result)
    return _from_columns(result, x.shape, order)


@np.errstate(over="ignore", invalid="ignore")
def softmax_and_log_sum_exp(x: Array, axes: Sequence[int]) -> tuple[Array, Array]:
    """Both, from the same exponentials.

    >>> softmax_and_log_sum_exp(np.array([1e3, 1e3]), (0,))[0]
    array([0.5, 0.5])
    """
    x = _inexact(x)
    if not x.size:
        return np.exp(x), log_sum_exp(x, axes)
    columns, order = _as_columns(x, axes)
    largest = np.maximum.reduce(columns)
    result = columns - largest
    sums = np.add.reduce(np.exp(result, out=result))
    logarithms = _logarithms(result, sums, largest)
    result /= sums
    kept = [x.shape[k] for k in order[len(axes) :]]
    return _from_columns(result, x.shape, order), logarithms.reshape(kept)[()]


@np.errstate(over="ignore", invalid="ignore")
def log_softmax(x: Array, axes: Sequence[int]) -> Array:
    """The logarithm of `softmax`: no difference of large numbers.

    >>> log_softmax(np.array([1e300, 1e300]), (0,)).round(3)
    array([-0.693, -0.693])
    """
    x = _inexact(x)
    if not x.size:
        return np.exp(x)
    columns, order = _as_columns(x, axes)
    result = columns - np.maximum.reduce(columns)
    result -= _of_columns(result)
    return _from_columns(result, x.shape, order)


@np.errstate(all="ignore")
def norm(x: Array, axes: Sequence[int]) -> Array:
    """The root of the sum of squares over some axes.

    >>> float(norm(np.array([0.0, 4e200]), (0,)))
    4e+200
    """
    axis = tuple(axes)
    squares = np.vdot(x, x) if len(axis) == x.ndim else np.square(x).sum(axis)
    if np.all((squares > TINY) & (squares < HUGE)):
        return np.sqrt(squares)
    largest = np.abs(x).max(axis, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return np.squeeze(scale, axis) * np.sqrt(np.square(x / scale).sum(axis))


def log_determinant(matrix: Array, definite: bool) -> Any:
    """`log(det(X))`; NaN where the determinant is negative.

    A positive definite matrix is decomposed by Cholesky, in half the operations.

    >>> float(log_determinant(1e-200 * np.eye(2), True).round(3))
    -921.034
    """
    if definite:
        return log_determinant_from_cholesky(cholesky(matrix))
    sign, size = np.linalg.slogdet(matrix)
    return size if sign > 0 or size == -inf else np.float64(np.nan)


def solve(matrix: Array, right: Array) -> Array:
    """`inv(X)` times the first axis of a tensor; all entries NaN where a pivot is zero.

    >>> solve(np.array([[2.0]]), np.array([3.0]))
    array([1.5])
    """
    columns = right.reshape(len(matrix), prod(right.shape[1:]))
    try:
        return np.linalg.solve(matrix, columns).reshape(right.shape)
    except np.linalg.LinAlgError:
        return np.full(right.shape, np.nan)
