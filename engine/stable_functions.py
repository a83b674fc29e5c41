"""Functions that lose no digits where the textbook formula does, and never overflow in between.

Sources: Higham, Accuracy and Stability of Numerical Algorithms, 2002; Kahan, Branch cuts, 1987;
Maechler, Accurately computing log(1 - exp(-|a|)), 2012; Blanchard, Higham, Higham, Accurately
computing the log-sum-exp and softmax functions, 2021. Arguments are real arrays of any shape.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import inf, log, prod
from typing import Any

import numpy as np

from eggrad.engine.binding import Array
from eggrad.engine.cholesky import cholesky, log_determinant_from_cholesky

__all__ = [
    "log1mexp",
    "log_cosh",
    "log_determinant",
    "log_sum_exp",
    "log_sum_exp_and_softmax",
    "norm",
    "sigmoid",
    "softmax",
    "softplus",
    "softplus_and_sigmoid",
    "solve",
]

# What follows works in place: a new array costs as much as many operations on it.

# Below this number of entries, calls take longer than what they do.
FEW = 100
# exp of more than this overflows.
LARGEST = {np.dtype(np.float32): 88.0, np.dtype(np.float64): 709.0}
# The logarithm of more than this loses no digits.
CLEAR = 1.001
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


def softplus_and_sigmoid(x: Array) -> list[Array]:
    """`log(1 + exp(x))`, and its slope.

    >>> softplus_and_sigmoid(np.array([-1e3, 0.0, 1e3]))[1]
    array([0. , 0.5, 1. ])
    """
    if x.size < FEW:
        total = np.logaddexp(0.0, x)
        # Two infinities have no difference.
        return [total, np.exp(np.minimum(x, 1e3) - np.minimum(total, 1e3))]
    if not _exp_is_finite(x):
        return [softplus(x), sigmoid(x)]
    share = np.exp(x)
    total = np.log1p(share)
    share /= 1.0 + share
    return [total, share]


@np.errstate(all="ignore")
def log1mexp(x: Array) -> Array:
    """`log(1 - exp(x))` for x < 0.

    >>> log1mexp(np.array([-1e-20, -50.0])).round(2)
    array([-46.05,  -0.  ])
    """
    return np.where(x > -log(2), np.log(-np.expm1(x)), np.log1p(-np.exp(x)))[()]


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
    return _without(_totals(_columns(x, axes))[0], x, axes)


@np.errstate(over="ignore", invalid="ignore")
def log_sum_exp_and_softmax(x: Array, axes: Sequence[int]) -> list[Array]:
    """`log_sum_exp`, and the share of each exponential in its sum, in the shape of `x`.

    >>> log_sum_exp_and_softmax(np.array([1e3, 1e3]), (0,))[1]
    array([0.5, 0.5])
    """
    columns = _columns(x, axes)
    total, shares, sums = _totals(columns)
    if sums is None:
        shares = np.exp(columns - total)
    else:
        shares /= sums
    return [_without(total, x, axes), _like(shares, x, axes)]


@np.errstate(over="ignore", invalid="ignore")
def softmax(x: Array, axes: Sequence[int]) -> Array:
    """The share of each `exp(x)` in their sum over some axes.

    >>> softmax(np.array([1e3, 1e3]), (0,))
    array([0.5, 0.5])
    """
    columns = _columns(x, axes)
    if not columns.size:
        return np.exp(x)
    shares = np.exp(columns - np.maximum.reduce(columns))
    sums = np.add.reduce(shares)
    # The largest summand is 1, unless it is infinite.
    if not np.minimum.reduce(sums) >= 1:
        return log_sum_exp_and_softmax(x, axes)[1]
    shares /= sums
    return _like(shares, x, axes)


def _columns(x: Array, axes: Sequence[int]) -> Array:
    """The summands of each sum over some axes as a column."""
    if _is_along_one(x, axes):
        columns = x.T if axes[0] else x
    else:
        turned = x.transpose(_in_front(x.ndim, tuple(axes))[0])
        kept = turned.shape[len(axes) :]
        columns = turned.reshape(prod(turned.shape[: len(axes)]), prod(kept))
    summands, sums = columns.shape
    # NumPy adds a few long rows ten times as fast as it sums many short ones.
    return np.ascontiguousarray(columns) if sums > summands else columns


def _without(totals: Array, x: Array, axes: Sequence[int]) -> Array:
    """The sums of the columns, in the shape of an array without the axes of the summands."""
    if _is_along_one(x, axes):
        return totals
    to_front, _ = _in_front(x.ndim, tuple(axes))
    return totals.reshape([x.shape[k] for k in to_front[len(axes) :]])[()]


def _like(columns: Array, x: Array, axes: Sequence[int]) -> Array:
    """Columns in the shape of the array that they are made of."""
    if _is_along_one(x, axes):
        return columns.T if axes[0] else columns
    to_front, back = _in_front(x.ndim, tuple(axes))
    return columns.reshape([x.shape[k] for k in to_front]).transpose(back)


def _is_along_one(x: Array, axes: Sequence[int]) -> bool:
    """Whether an array is a matrix of which one axis is summed: it need not be reshaped."""
    return x.ndim == 2 and len(axes) == 1


@lru_cache(maxsize=64)
def _in_front(order: int, axes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The transposition that brings some axes to the front, and its inverse."""
    found = (*axes, *(k for k in range(order) if k not in axes))
    return found, tuple(sorted(range(order), key=found.__getitem__))


def _totals(columns: Array) -> tuple[Array, Array, Array | None]:
    """The logarithm of each column's sum of exponentials, exponentials, and what sums they have.

    Of these there are none where another way was taken.
    """
    if not columns.size:
        return np.full(columns.shape[1:], -inf, np.exp(columns).dtype), columns, None
    largest = np.maximum.reduce(columns)
    exponentials = np.exp(columns - largest)
    sums = np.add.reduce(exponentials)
    # Unless one summand outweighs all others, its logarithm is accurate; NaN is neither.
    if np.minimum.reduce(sums) > CLEAR:
        total = np.log(sums)
        total += largest
        return total, exponentials, sums
    place = columns.argmax(0)[None]
    largest = np.take_along_axis(columns, place, 0)
    others = columns - np.where(np.isfinite(largest), largest, 0.0)
    np.exp(others, out=others)
    np.put_along_axis(others, place, 0.0, 0)
    total = np.where(np.isfinite(largest), largest + np.log1p(others.sum(0)), largest)[0]
    return total, exponentials, None


@np.errstate(all="ignore")
def norm(x: Array, axes: Sequence[int]) -> Array:
    """The root of the sum of squares over some axes.

    >>> float(norm(np.array([0.0, 4e200]), (0,)))
    4e+200
    """
    own = tuple(axes)
    squares = np.vdot(x, x) if len(own) == x.ndim else np.square(x).sum(own)
    if np.all((squares > TINY) & (squares < HUGE)):
        return np.sqrt(squares)
    largest = np.abs(x).max(own, keepdims=True, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    return np.squeeze(scale, own) * np.sqrt(np.square(x / scale).sum(own))


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
