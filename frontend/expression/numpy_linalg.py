"""NumPy's functions of matrices, `numpy.linalg`, on expressions; of stacks of matrices as well.

Of the matrix of `cholesky`, `eigh` and `eigvalsh` one triangle is read, as NumPy does, unless it
is known to be symmetric; derivatives are those of a function of that triangle.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf
from math import prod as number_of
from numbers import Real
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import exact, shown
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.laws.properties import SYMMETRIC
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import (
    Expression,
    applied,
    as_expression,
    matmul,
    unified,
)
from eggrad.frontend.expression.numpy_functions import (
    Axis,
    amax,
    amin,
    broadcast_to,
    diagonal,
    integer_size,
    matrix_transpose,
    moveaxis,
    outer,
    sum,
    tensordot,
    trace,
    tril,
    triu,
)
from eggrad.frontend.expression.numpy_protocols import by_name, implements
from eggrad.frontend.expression.numpy_ufuncs import sqrt, square, vecdot
from eggrad.frontend.text.doors import checked_flag, checked_integer
from eggrad.rules.functions.matrix_properties import matrix_properties

# Operands -----------------------------------------------------------------------------------


def _square(what: str, a: Any) -> Expression:
    matrix = ax.matrices(what, a, "a square matrix")
    return unified(
        [matrix], [(matrix.shape[-2], matrix.shape[-1])], f"{what} needs a square matrix"
    )[0]


def _is_symmetric(matrix: Expression) -> bool:
    """Whether a matrix is known to be symmetric, as it is written or simplified."""
    forms = (matrix.term, calculus.simplify(matrix.term).term)
    return any(Knowledge((matrix_properties,)).knows(SYMMETRIC, form) for form in forms)


def _symmetric(what: str, a: Any, triangle: str) -> Expression:
    """The symmetric matrix that a triangle says, "L" or "U"; the whole where it is known to be."""
    matrix = _square(what, a)
    if triangle not in ("L", "U"):
        raise UnsupportedOperation(f"{what}: the triangle is 'L' or 'U', not {shown(triangle)}")
    if matrix.ndim == 2 and _is_symmetric(matrix):
        return matrix
    beside = tril(matrix, -1) if triangle == "L" else triu(matrix, 1)
    whole = tril(matrix) if triangle == "L" else triu(matrix)
    return whole + matrix_transpose(beside)


def _lesser_size(what: str, matrix: Expression) -> Any:
    """The lesser of the two sizes of matrices, and whether it is that of the columns."""
    m, n = matrix.shape[-2:]
    if m == n:
        return n, True
    if isinstance(m, int) and isinstance(n, int):
        return min(m, n), n <= m
    raise ShapeError(
        f"{what}: which of the sizes {m} and {n} is the lesser is not known; give them as integers"
    )


# Inverses and determinants ------------------------------------------------------------------


class SlogdetResult(NamedTuple):
    """What `numpy.linalg.slogdet` returns."""

    sign: Expression
    logabsdet: Expression


def inv(a: Any) -> Expression:
    """`numpy.linalg.inv`."""
    return _of_each("inv", _square("inv", a))


def det(a: Any) -> Expression:
    """`numpy.linalg.det`; of stacks the derivative needs matrices that are invertible."""
    return _of_each("det", _square("det", a))


def slogdet(a: Any) -> SlogdetResult:
    """`numpy.linalg.slogdet`."""
    matrix = _square("slogdet", a)
    return SlogdetResult(_of_each("signdet", matrix), _of_each("logabsdet", matrix))


def _of_each(name: str, matrix: Expression) -> Expression:
    """A function of a matrix, or of each of a stack."""
    if matrix.ndim == 2:
        return getattr(language, name)(matrix)
    return language.of_each(language.OF_STACKS[name], matrix)


def solve(a: Any, b: Any) -> Expression:
    """`numpy.linalg.solve`."""
    return matmul(inv(_square("solve", a)), b)


def matrix_power(a: Any, n: int) -> Expression:
    """`numpy.linalg.matrix_power`."""
    matrix = _square("matrix_power", a)
    n = checked_integer("matrix_power", "n", n)
    if n < 0:
        return matrix_power(inv(matrix), -n)
    if n == 0:
        identity = language.delta(matrix.shape[-1:])
        return identity if matrix.ndim == 2 else broadcast_to(identity, matrix.shape)
    result = matrix
    for bit in bin(n)[3:]:
        result = matmul(result, result)
        result = matmul(result, matrix) if bit == "1" else result
    return result


def tensorinv(a: Any, ind: int = 2) -> Expression:
    """`numpy.linalg.tensorinv`, of integer sizes."""
    tensor = as_expression(a)
    if not 0 < checked_integer("tensorinv", "ind", ind) <= tensor.ndim:
        raise ShapeError(
            f"tensorinv: ind is from 1 to {tensor.ndim}, the number of axes, not {ind}"
        )
    lengths = [integer_size("tensorinv", tensor, k) for k in range(tensor.ndim)]
    first, last = lengths[:ind], lengths[ind:]
    matrix = ax.reshaped(tensor, (number_of(first), number_of(last)))
    return ax.reshaped(inv(matrix), (*last, *first))


def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Expression:
    """`numpy.linalg.tensorsolve`, of integer sizes."""
    tensor, right = as_expression(a), as_expression(b)
    if axes is not None:
        gone = ax.normalized("tensorsolve", axes, tensor.ndim)
        tensor = moveaxis(tensor, gone, range(tensor.ndim - len(gone), tensor.ndim))
    lengths = [integer_size("tensorsolve", tensor, k) for k in range(tensor.ndim)]
    unknown = lengths[right.ndim :]
    count = number_of(unknown)
    if number_of(lengths[: right.ndim]) != count:
        raise ShapeError(f"tensorsolve: {tensor.shape} has not as many equations as unknowns")
    found = matmul(inv(ax.reshaped(tensor, (count, count))), ax.reshaped(right, (count,)))
    return ax.reshaped(found, tuple(unknown))


# Decompositions -----------------------------------------------------------------------------


def cholesky(a: Any, /, *, upper: bool = False) -> Expression:
    """`numpy.linalg.cholesky`; NaN where the matrix is not positive definite."""
    lower = language.of_each("cholesky", _symmetric("cholesky", a, "U" if upper else "L"))
    return matrix_transpose(lower) if upper else lower


class EighResult(NamedTuple):
    """What `numpy.linalg.eigh` returns."""

    eigenvalues: Expression
    eigenvectors: Expression


def eigh(a: Any, UPLO: str = "L") -> EighResult:  # noqa: N803 - NumPy's name
    """`numpy.linalg.eigh`; derivatives are undefined where eigenvalues are the same."""
    matrix = _symmetric("eigh", a, UPLO.upper())
    vectors = language.of_each("eigenvectors", matrix)
    if UPLO.upper() == "U":
        vectors = vectors * language.of_each("eigenvector_signs", matrix)[..., None, :]
    return EighResult(language.of_each("eigenvalues", matrix), vectors)


def eigvalsh(a: Any, UPLO: str = "L") -> Expression:  # noqa: N803 - NumPy's name
    """`numpy.linalg.eigvalsh`."""
    return language.of_each("eigenvalues", _symmetric("eigvalsh", a, UPLO.upper()))


class SVDResult(Sequence[Expression]):
    """What `numpy.linalg.svd` returns; singular vectors beyond the reduced ones are refused."""

    def __init__(self, a: Expression, full_matrices: bool) -> None:
        """Remember the matrix."""
        self._matrix, self._full = a, full_matrices

    @property
    def U(self) -> Expression:  # noqa: N802 - NumPy's name
        """Left singular vectors as columns."""
        return self._vectors("left_singular_vectors", -2)

    @property
    def S(self) -> Expression:  # noqa: N802 - NumPy's name
        """Singular values, the greatest one first."""
        return svdvals(self._matrix)

    @property
    def Vh(self) -> Expression:  # noqa: N802 - NumPy's name
        """Right singular vectors as rows."""
        return matrix_transpose(self._vectors("right_singular_vectors", -1))

    def _vectors(self, name: str, axis: int) -> Expression:
        shorter, _ = _lesser_size("svd", self._matrix)
        if self._full and self._matrix.shape[axis] != shorter:
            raise UnsupportedOperation(
                "svd: singular vectors that no singular value belongs to are not determined; "
                "write numpy.linalg.svd(a, full_matrices=False)"
            )
        return language.of_each(name, self._matrix)

    def __len__(self) -> int:
        """Three parts."""
        return 3

    def __getitem__(self, place: Any) -> Any:
        """One of U, S and Vh, or several."""
        names = ("U", "S", "Vh")[place]
        if isinstance(names, str):
            return getattr(self, names)
        return tuple(getattr(self, name) for name in names)


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> SVDResult | Expression:
    """`numpy.linalg.svd`; derivatives are undefined where singular values are the same, or 0."""
    if checked_flag("svd", "hermitian", hermitian):
        raise UnsupportedOperation("svd: hermitian=True; see numpy.linalg.eigh")
    matrix = ax.matrices("svd", a)
    full = checked_flag("svd", "full_matrices", full_matrices)
    return (
        SVDResult(matrix, full)
        if checked_flag("svd", "compute_uv", compute_uv)
        else svdvals(matrix)
    )


def svdvals(x: Any, /) -> Expression:
    """`numpy.linalg.svdvals`."""
    return language.of_each("singular_values", ax.matrices("svdvals", x))


class QRResult(NamedTuple):
    """What `numpy.linalg.qr` returns."""

    Q: Expression
    R: Expression


def qr(a: Any, mode: str = "reduced") -> QRResult | Expression:
    """`numpy.linalg.qr`, "reduced" or "r"; of matrices whose first columns are independent."""
    matrix = ax.matrices("qr", a)
    shorter, is_tall = _lesser_size("qr", matrix)
    if mode not in ("reduced", "r") and not (mode == "complete" and matrix.shape[-2] == shorter):
        raise UnsupportedOperation(f"qr: the mode is 'reduced' or 'r', not {shown(mode)}")
    first = language.of_each("orthonormal_factor", matrix if is_tall else matrix[..., :shorter])
    upper = triu(matmul(matrix_transpose(first), matrix))
    return upper if mode == "r" else QRResult(first, upper)


# Least squares ------------------------------------------------------------------------------


def pinv(a: Any, *, hermitian: bool = False) -> Expression:
    """`numpy.linalg.pinv`; its derivative is that among matrices of the same rank."""
    if checked_flag("pinv", "hermitian", hermitian):
        raise UnsupportedOperation("pinv: hermitian=True; see numpy.linalg.eigh")
    return language.of_each("pseudoinverse", ax.matrices("pinv", a))


class LstsqResult(NamedTuple):
    """What `numpy.linalg.lstsq` returns; the rank is no expression, and None."""

    x: Expression
    residuals: Expression
    rank: None
    singular_values: Expression


def lstsq(a: Any, b: Any, rcond: Any = None) -> LstsqResult:
    """`numpy.linalg.lstsq` of a matrix of full rank."""
    matrix, right = ax.matrices("lstsq", a), as_expression(b)
    if matrix.ndim != 2 or right.ndim not in (1, 2):
        raise ShapeError("lstsq: of a matrix, and a vector or a matrix")
    if rcond is not None:
        raise UnsupportedOperation("lstsq: rcond is None; small singular values count")
    x = matmul(pinv(matrix), right)
    rest = sum(square(matmul(matrix, x) - right), 0)
    _, is_tall = _lesser_size("lstsq", matrix)
    none = not is_tall or matrix.shape[-2] == matrix.shape[-1]
    residuals = language.constant(0, (0,)) if none else rest if right.ndim == 2 else rest[None]
    return LstsqResult(x, residuals, None, svdvals(matrix))


# Norms --------------------------------------------------------------------------------------

_OF_VECTORS: Final = "None, a number, inf and -inf"
_OF_MATRICES: Final = "None, 'fro', 'nuc', 1, -1, 2, -2, inf and -inf"


def norm(x: Any, ord: Any = None, axis: Axis = None, *, keepdims: bool = False) -> Expression:
    """`numpy.linalg.norm`: every one of a vector or a matrix, or Euclid's of all entries."""
    operand = as_expression(x)
    _check_ord(ord)
    checked_flag("linalg.norm", "keepdims", keepdims)
    gone = ax.wanted_axes("norm", axis, operand.ndim)
    if ord is None and (axis is None or len(gone) <= 2):
        return vector_norm(operand, axis=gone, keepdims=keepdims)
    if len(gone) == 1:
        return vector_norm(operand, axis=gone, keepdims=keepdims, ord=ord)
    if len(gone) == 2:
        result = matrix_norm(ax.moved(operand, gone, (operand.ndim - 2, operand.ndim - 1)), ord=ord)
        return ax.expanded(result, sorted(gone)) if keepdims else result
    raise ShapeError(
        f"linalg.norm with ord={shown(ord)} is along one axis or two, of vectors or of matrices; "
        f"axis={shown(axis)} names {len(gone)}"
    )


def _check_ord(ord: Any) -> None:
    if ord is not None and not isinstance(ord, str | Real):
        raise UnsupportedOperation(f"linalg.norm: ord is a number or a word, not {shown(ord)}")


def vector_norm(x: Any, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Expression:
    """`numpy.linalg.vector_norm`."""
    operand = as_expression(x)
    _check_ord(ord)
    if ord == 2:
        return sqrt(sum(square(operand), axis, keepdims=keepdims))
    if ord in (inf, -inf):
        return (amax if ord > 0 else amin)(language.abs(operand), axis, keepdims=keepdims)
    power = exact(ord)
    if power is None:
        raise UnsupportedOperation(
            f"linalg.norm of vectors with ord={shown(ord)}; supported are {_OF_VECTORS}"
        )
    if power == 0:
        return sum(applied("not_equal", operand, 0), axis, keepdims=keepdims)
    if power == 1:
        return sum(language.abs(operand), axis, keepdims=keepdims)
    return sum(language.abs(operand) ** power, axis, keepdims=keepdims) ** (1 / power)


def matrix_norm(x: Any, *, keepdims: bool = False, ord: Any = "fro") -> Expression:
    """`numpy.linalg.matrix_norm`."""
    _check_ord(ord)
    matrix = ax.matrices("matrix_norm", x)
    if ord not in ("fro", "nuc", 1, -1, 2, -2, inf, -inf, None):
        raise UnsupportedOperation(
            f"linalg.norm of matrices with ord={shown(ord)}; supported are {_OF_MATRICES}"
        )
    match ord:
        case None | "fro":
            result = vector_norm(matrix, axis=(-2, -1))
        case "nuc":
            result = sum(svdvals(matrix), -1)
        case 2 | -2:
            result = svdvals(matrix)[..., 0 if ord > 0 else -1]
        case _:
            # Sums of columns, or of rows; the greatest, or the least.
            sums = sum(language.abs(matrix), -2 if abs(ord) == 1 else -1)
            result = (amax if ord > 0 else amin)(sums, -1)
    return ax.expanded(result, (matrix.ndim - 2, matrix.ndim - 1)) if keepdims else result


def cond(x: Any, p: Any = None) -> Expression:
    """`numpy.linalg.cond`."""
    matrix = ax.matrices("cond", x)
    if p in (None, 2, -2):
        values = svdvals(matrix)
        first, last = values[..., 0], values[..., -1]
        return last / first if p == -2 else first / last
    return matrix_norm(matrix, ord=p) * matrix_norm(inv(matrix), ord=p)


# Refused ------------------------------------------------------------------------------------


def _refused(name: str, why: str) -> Callable[..., Any]:
    def refuse(*args: Any, **options: Any) -> NoReturn:
        raise UnsupportedOperation(f"numpy.linalg.{name} of expressions: {why}")

    return refuse


_GENERAL: Final = (
    "a matrix that is not symmetric may have complex eigenvalues, of which there are no "
    "expressions; of a symmetric one write numpy.linalg."
)
_RANK: Final = (
    "the rank is a whole number, with no derivative; numpy.linalg.svdvals has the singular "
    "values, or take the rank of an array that evaluate() computes"
)

implements(
    functions=by_name(
        *(inv, det, slogdet, solve, matrix_power, tensorinv, tensorsolve),
        *(cholesky, eigh, eigvalsh, svd, svdvals, qr, pinv, lstsq),
        *(norm, vector_norm, matrix_norm, cond),
        *(outer, tensordot, vecdot, matmul, matrix_transpose),
        library=np.linalg,
    )
    | {
        np.linalg.multi_dot: lambda arrays: reduce(matmul, arrays),
        np.linalg.eig: _refused("eig", _GENERAL + "eigh"),
        np.linalg.eigvals: _refused("eigvals", _GENERAL + "eigvalsh"),
        np.linalg.matrix_rank: _refused("matrix_rank", _RANK),
        np.linalg.trace: lambda x: trace(x, 0, -2, -1),
        np.linalg.diagonal: lambda x: diagonal(x, 0, -2, -1),
    }
)
