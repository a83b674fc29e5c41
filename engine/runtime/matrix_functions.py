"""Functions of matrices that NumPy lacks or that must not raise on a singular one.

Positive definite matrices are inverted by their Cholesky factor, in half the operations of
elimination.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from importlib import import_module
from itertools import combinations, permutations
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation, not_installed
from eggrad.engine.indices.spec import letters
from eggrad.engine.terms.binding import Array


def _each(function: Callable[[Array], Any], stack: Array) -> Any:
    """A function of a stack; NaN for each matrix that LAPACK refuses, and for the others alone."""
    try:
        return function(stack)
    except np.linalg.LinAlgError:
        if stack.ndim > 2:
            found = [_each(function, matrix) for matrix in stack]
            if not isinstance(found[0], tuple):
                return np.stack(found)
            return tuple(np.stack(part) for part in zip(*found, strict=True))
    undefined = function(np.eye(*stack.shape, dtype=stack.dtype))
    if not isinstance(undefined, tuple):
        return np.full_like(undefined, np.nan)
    return tuple(np.full_like(part, np.nan) for part in undefined)


def eigenvalues(stack: Array) -> Array:
    """The eigenvalues of symmetric matrices, the least one first.

    >>> eigenvalues(np.array([[2.0, 0.0], [0.0, 1.0]]))
    array([1., 2.])
    """
    return _each(np.linalg.eigvalsh, stack)


def eigen_decomposition(stack: Array) -> tuple[Array, Array]:
    """The eigenvalues of symmetric matrices, the least one first, and eigenvectors as columns.

    >>> eigen_decomposition(np.array([[3.0]]))[0]
    array([3.])
    """
    return _each(lambda a: tuple(np.linalg.eigh(a)), stack)


def eigenvector_signs(stack: Array) -> Array:
    """The signs by which eigenvectors of the upper triangles differ from those of the lower ones.

    >>> eigenvector_signs(np.array([[3.0]]))
    array([1.])
    """

    def signs(a: Array) -> Array:
        return np.sign(np.sum(np.linalg.eigh(a, "U")[1] * np.linalg.eigh(a)[1], axis=-2))

    return _each(signs, stack)


def singular_values(stack: Array) -> Array:
    """The singular values of matrices, the greatest one first.

    >>> singular_values(np.array([[3.0], [4.0]]))
    array([5.])
    """
    return _each(lambda a: np.linalg.svd(a, compute_uv=False), stack)


def singular_value_decomposition(stack: Array) -> tuple[Array, Array, Array]:
    """U, s and V with A = U diag(s) V', reduced: s is as long as the lesser side.

    >>> [part.shape for part in singular_value_decomposition(np.ones((3, 2)))]
    [(3, 2), (2,), (2, 2)]
    """
    left, values, right = _each(lambda a: tuple(np.linalg.svd(a, full_matrices=False)), stack)
    return left, values, right.swapaxes(-1, -2)


def pseudoinverse(stack: Array) -> Array:
    """The pseudoinverse, by singular values.

    >>> pseudoinverse(np.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    return _each(np.linalg.pinv, stack)


def orthonormal_factor(stack: Array) -> Array:
    """Q of A = Q R, of matrices with as many rows as columns or more.

    >>> abs(orthonormal_factor(np.array([[2.0], [0.0]])))
    array([[1.],
           [0.]])
    """
    return _each(lambda a: np.linalg.qr(a)[0], stack)


def matrix_exponential(stack: Array) -> Array:
    """The exponential of each matrix, SciPy's; NaN where one is not finite.

    >>> matrix_exponential(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    try:
        linalg: Any = import_module("scipy.linalg")
    except ModuleNotFoundError:
        raise UnsupportedOperation(not_installed("values of expm need", "scipy")) from None
    finite = np.isfinite(stack).all((-2, -1), keepdims=True)
    return np.where(finite, linalg.expm(np.where(finite, stack, 0.0)), np.nan)


def inverse(stack: Array) -> Array:
    """The inverse of each matrix; all entries NaN where elimination meets a zero pivot.

    >>> inverse(np.array([[[2.0]], [[0.0]]])).ravel()
    array([0.5, nan])
    """
    return _each(np.linalg.inv, stack)


def adjugate(matrix: Array) -> Array:
    """The adjugate, `det(X) * inv(X)` continued to singular matrices: the cofactors, transposed.

    >>> adjugate(np.array([[1.0, 2.0], [3.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-3.,  1.]])
    """
    return cofactors(1, matrix).T


def cofactors(k: int, matrix: Array) -> Array:
    """The k-th derivative of `det` at a square matrix, axes (row, column) k times.

    With `X = U S V'` it is `det(U) det(V)` times the derivative of `det` at the diagonal matrix S,
    turned back by U and V. At S, the entry for rows a1..ak and the columns permuted from them is
    the product of the other singular values, so that nothing is ever divided by a small one
    (Stewart, "On the adjugate matrix", 1998, for k = 1).

    >>> abs(cofactors(2, np.array([[1.0, 2.0], [2.0, 4.0]]))[0, 0]).round(12)
    array([[0., 0.],
           [0., 1.]])
    """
    if k == 0:
        return np.asarray(np.linalg.det(matrix))
    n = len(matrix)
    try:
        left, values, right = np.linalg.svd(matrix)
    except np.linalg.LinAlgError:
        return np.full((n, n) * k, np.nan, matrix.dtype)
    orientation = np.linalg.det(left) * np.linalg.det(right)
    others = orientation * products_of_others(np, k, values, np.eye(n, dtype=values.dtype))
    left, right = left.conj(), right.conj().T
    if k == 1:
        return (left * others) @ right.T
    return turned_back(k, others, left, right, partial(np.einsum, optimize=True))


def products_of_others(xp: Any, k: int, values: Any, same: Any) -> Any:
    """For each tuple of k places the product of the values elsewhere; 0 where a place repeats.

    `same` is the identity matrix, of the library whose functions `xp` has.

    >>> products_of_others(np, 2, np.array([3.0, 5.0]), np.eye(2))
    array([[0., 1.],
           [1., 0.]])
    """
    n = values.shape[0]

    def are_same(*axes: int) -> Any:
        return xp.reshape(same, tuple(n if axis in axes else 1 for axis in range(k + 1)))

    taken = sum(are_same(place, k) for place in range(k))
    product = xp.prod(xp.where(taken > 0, xp.ones_like(values), values), axis=-1)
    repeats: Any = sum(are_same(*pair) for pair in combinations(range(k), 2))
    return xp.where(repeats[..., 0] > 0, xp.zeros_like(product), product) if k > 1 else product


def turned_back(k: int, others: Any, left: Any, right: Any, einsum: Callable[..., Any]) -> Any:
    """The sum over all orders of k columns, each with its sign, of a tensor turned by U and V."""
    result: Any = 0.0
    for sign, spec in _orders(k):
        result = result + sign * einsum(spec, others, *(left, right) * k)
    return result


@lru_cache(maxsize=8)
def _orders(k: int) -> tuple[tuple[int, str], ...]:
    """The sign of every order of k columns, and the product that turns the columns so."""
    found: list[tuple[int, str]] = []
    for order in permutations(range(k)):
        # Operand t has its row axis 2t and column axis 2t + 1; the summed axes follow from 2k.
        parts = [tuple(range(2 * k, 3 * k))]
        for t, image in enumerate(order):
            parts += [(2 * t, 2 * k + t), (2 * t + 1, 2 * k + image)]
        inversions = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        found.append(((-1) ** inversions, letters(*parts, tuple(range(2 * k)))))
    return tuple(found)


# Positive definite matrices ---------------------------------------------------------------------

# Blocks of this size are left to LAPACK; larger ones are halved, so that BLAS-3 does the work.
BLOCK: Final = 64


def cholesky(matrix: Array) -> Array:
    """The lower triangular L with `L L' = X`; all entries NaN where X is not positive definite.

    >>> cholesky(np.array([[4.0]]))
    array([[2.]])
    """
    return _each(np.linalg.cholesky, matrix)


def log_determinant_from_cholesky(factor: Array) -> Any:
    """`log(det(L L'))`, given the lower triangular L.

    >>> float(log_determinant_from_cholesky(np.array([[2.0]])).round(3))
    1.386
    """
    return 2.0 * np.log(np.diagonal(factor)).sum()


def inverse_from_cholesky(factor: Array) -> Array:
    """`inv(L L')`, given the lower triangular L.

    >>> inverse_from_cholesky(np.array([[2.0]]))
    array([[0.25]])
    """
    if not np.isfinite(factor).all():
        return np.full_like(factor, np.nan)
    return _gram(_inverse(factor))


def _inverse(lower: Array) -> Array:
    """The inverse of a lower triangular matrix, by halves."""
    n = len(lower)
    if n <= BLOCK:
        return np.linalg.inv(lower)
    half = (n // 2 + BLOCK - 1) // BLOCK * BLOCK
    half = half if half < n else n // 2
    result = np.zeros_like(lower)
    first = result[:half, :half] = _inverse(lower[:half, :half])
    second = result[half:, half:] = _inverse(lower[half:, half:])
    np.negative(second @ (lower[half:, :half] @ first), out=result[half:, :half])
    return result


def _gram(lower: Array) -> Array:
    """`X.conj().T @ X` for a lower triangular X, by halves: a quarter of X is zero."""
    n = len(lower)
    if n <= 2 * BLOCK:
        return lower.conj().T @ lower
    half = n // 2
    corner, last = lower[half:, :half], lower[half:, half:]
    result = np.empty_like(lower)
    result[half:, half:] = _gram(last)
    below = result[half:, :half] = last.conj().T @ corner
    result[:half, half:] = below.conj().T
    first = _gram(np.ascontiguousarray(lower[:half, :half]))
    first += corner.conj().T @ corner
    result[:half, :half] = first
    return result
