"""What the operations of terms are, in plain NumPy: the definitions that the oracle applies."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any, Final

import numpy as np

from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.terms.binding import Array

__all__ = ["OPERATIONS", "cofactors", "holds"]


def _relu(x: Array) -> Array:
    return np.where(x.real < 0, 0, x)


def _sign(x: Array) -> Array:
    return np.where(x.real > 0, 1, np.where(x.real < 0, -1, x))


def _det(matrix: Array) -> Any:
    """By elimination, so that any dtype will do."""
    return np.prod(_pivots(matrix))


def _pivots(matrix: Array) -> Array:
    """The diagonal after elimination, and the sign of the rows' exchanges."""
    rows, sign = matrix.copy(), 1
    for i in range(len(rows)):
        pivot = i + int(np.argmax(np.abs(rows[i:, i])))
        if pivot != i:
            rows[[i, pivot]] = rows[[pivot, i]]
            sign = -sign
        if rows[i, i] == 0:
            return np.zeros(1, rows.dtype)
        rows[i + 1 :] -= np.outer(rows[i + 1 :, i] / rows[i, i], rows[i])
    return np.append(np.diagonal(rows), rows.dtype.type(sign))


def _inv(matrix: Array) -> Array:
    plain = np.complex128 if matrix.dtype.kind == "c" else np.float64
    try:
        result = np.linalg.inv(matrix.astype(plain)).astype(matrix.dtype)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)
    if matrix.dtype != plain:
        # Newton's step doubles the digits, for long double, which LAPACK does not have.
        result = result @ (2 * np.eye(len(matrix)) - matrix @ result)
    return result


def _cholesky(matrix: Array) -> Array:
    """Column by column; NaN where the matrix is not positive definite."""
    factor = np.zeros_like(matrix)
    for j in range(len(matrix)):
        done = factor[:, :j] @ factor[j, :j]
        factor[j, j] = np.sqrt(matrix[j, j] - done[j])
        factor[j + 1 :, j] = (matrix[j + 1 :, j] - done[j + 1 :]) / factor[j, j]
    return factor


def holds(constraints: Constraints, shape: tuple[int, ...], sizes: Mapping[str, int]) -> Array:
    """Whether all constraints hold, index by index."""
    result = np.zeros(shape, bool)
    for place in np.ndindex(shape):
        value: dict[int | str, int] = {**dict(enumerate(place)), **sizes, "": 1}
        found = [(r, sum(c * value[key] for key, c in f)) for r, f in constraints]
        result[place] = all(
            n % r == 0 if isinstance(r, int) else n >= 0 if r == ">=" else n == 0 for r, n in found
        )
    return result


def _parity(order: Sequence[int]) -> int:
    inversions = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
    return -1 if inversions % 2 else 1


def cofactors(k: int, matrix: Array) -> Array:
    """By explicit minors: zero where a row or a column repeats."""
    n = len(matrix)
    result = np.zeros((n, n) * k, matrix.dtype)
    for rows in permutations(range(n), k):
        for columns in permutations(range(n), k):
            minor = np.delete(np.delete(matrix, rows, 0), columns, 1)
            sign = _parity(rows) * _parity(columns) * (-1) ** (sum(rows) + sum(columns))
            place = tuple(i for pair in zip(rows, columns, strict=True) for i in pair)
            result[place] = sign * _det(minor)
    return result


OPERATIONS: Final[dict[str, Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "divide": np.divide,
    "power": lambda base, exponent: base**exponent,
    "negate": np.negative,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mod": np.mod,
    "pow": np.power,
    "where": lambda test, a, b: np.where(test != 0, a, b),
    "round": np.rint,
    "relu": _relu,
    "sign": _sign,
    "inv": _inv,
    "det": _det,
    "logabsdet": lambda matrix: np.log(np.abs(_pivots(matrix))).sum(),
    "signdet": lambda matrix: np.prod(_sign(_pivots(matrix))),
    "adj": lambda matrix: cofactors(1, matrix).T,
    "softplus": lambda x: np.log1p(np.exp(x)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "log_cosh": lambda x: np.log(np.cosh(x)),
    "log1mexp": lambda x: np.log(-np.expm1(x)),
    "logaddexp": lambda a, b: np.log(np.exp(a) + np.exp(b)),
    "exp_difference": lambda a, b: np.exp(a - b),
    "hypot": lambda a, b: np.sqrt(a**2 + b**2),
    "logdet": lambda matrix: np.log(_det(matrix)),
    "cholesky": _cholesky,
    "inverse_from_cholesky": lambda factor: _inv(factor @ factor.T),
    "logdet_from_cholesky": lambda factor: 2 * np.log(np.diagonal(factor)).sum(),
    "solve": lambda matrix, right: np.tensordot(_inv(matrix), right, 1),
} | {
    name: getattr(np, name)
    for name in (
        "sin", "cos", "tan", "arcsin", "arccos", "arctan", "tanh", "exp", "log", "abs",
        "expm1", "log1p", "sinh", "cosh",
        "floor", "ceil", "trunc", "greater", "greater_equal", "equal", "not_equal", "logical_not",
        "logical_and", "logical_or",
    )
}  # fmt: skip
