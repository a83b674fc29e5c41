"""Functions of each matrix of a stack: one record each, from which every list of them is read.

Their derivatives are rules in `rules/calculus/stacks.py`; the oracle has references of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims, Size


def _scalar(m: Size, n: Size) -> Dims:
    return ()


def _vector(m: Size, n: Size) -> Dims:
    return (n,)


def _same(m: Size, n: Size) -> Dims:
    return (m, n)


def _turned(m: Size, n: Size) -> Dims:
    return (n, m)


def _lesser(m: Size, n: Size) -> Size:
    """The lesser of two sizes, where it is known."""
    if m == n:
        return m
    if isinstance(m, int) and isinstance(n, int):
        return min(m, n)
    raise ShapeError(
        f"which of the sizes {m} and {n} is the lesser is not known; give them as integers"
    )


@dataclass(frozen=True, kw_only=True)
class StackFunction:
    """A function of each matrix of a stack; the axes before the last two are kept.

    `shape` says what axes the result for one matrix has, given its rows and columns; it is a
    `square` one, or has at least as many rows as columns, if it is `tall`. `code` is its text in
    generated code, and with those of the same operand that have it as well, entry `part` of what
    `whole` gives; `python` is what is printed, `standard` the text in the words of the array API
    standard. It takes as long as `inversions` of a square matrix, and counts `thirds` of n³
    operations. `domain` says where it can be differentiated.
    """

    name: str
    sentence: str
    shape: Callable[[Size, Size], Dims]
    code: str
    python: str
    standard: str
    whole: str = ""
    part: int = 0
    inversions: int = 1
    thirds: int = 6
    domain: str = ""
    square: bool = False
    tall: bool = False

    def dims(self, a: Dims) -> Dims:
        """The axes of the result; `ShapeError` for other operands."""
        wanted = "a square matrix" if self.square else "a matrix"
        if len(a) < 2 or (self.square and a[-1] != a[-2]):
            raise ShapeError(f"{self.name} needs {wanted}, its argument has axes {a}")
        m, n = a[-2:]
        if self.tall and _lesser(m, n) != n:
            raise ShapeError(f"{self.name} needs as many rows as columns, or more: {a}")
        return a[:-2] + self.shape(m, n)


_ALL: Final = (
    StackFunction(
        name="cholesky",
        sentence="The lower triangular L with L L' = A, of a positive definite matrix A.",
        shape=_same,
        code="cholesky({})",
        python="np.linalg.cholesky({})",
        standard="own.cholesky({})",
        thirds=1,
        domain="a symmetric and positive definite",
        square=True,
    ),
    StackFunction(
        name="eigenvalues",
        sentence="The eigenvalues of a symmetric matrix, the least one first.",
        shape=_vector,
        code="eigenvalues({})",
        python="np.linalg.eigvalsh({})",
        standard="xp.linalg.eigvalsh({})",
        whole="eigen_decomposition({})",
        inversions=4,
        thirds=12,
        domain="a symmetric, its eigenvalues distinct",
        square=True,
    ),
    StackFunction(
        name="eigenvectors",
        sentence="The eigenvectors of a symmetric matrix as columns, each of length 1.",
        shape=_same,
        code="eigen_decomposition({})[1]",
        python="np.linalg.eigh({})[1]",
        standard="xp.linalg.eigh({})[1]",
        whole="eigen_decomposition({})",
        part=1,
        inversions=8,
        thirds=27,
        domain="a symmetric, its eigenvalues distinct",
        square=True,
    ),
    StackFunction(
        name="singular_values",
        sentence="The singular values of a matrix, the greatest one first.",
        shape=lambda m, n: (_lesser(m, n),),
        code="singular_values({})",
        python="np.linalg.svd({}, compute_uv=False)",
        standard="xp.linalg.svdvals({})",
        whole="singular_value_decomposition({})",
        part=1,
        inversions=6,
        thirds=12,
        domain="singular values distinct and not 0",
    ),
    StackFunction(
        name="left_singular_vectors",
        sentence="The left singular vectors of a matrix as columns.",
        shape=lambda m, n: (m, _lesser(m, n)),
        code="singular_value_decomposition({})[0]",
        python="np.linalg.svd({}, full_matrices=False)[0]",
        standard="xp.linalg.svd({}, full_matrices=False)[0]",
        whole="singular_value_decomposition({})",
        inversions=12,
        thirds=60,
        domain="singular values distinct and not 0",
    ),
    StackFunction(
        name="right_singular_vectors",
        sentence="The right singular vectors of a matrix as columns.",
        shape=lambda m, n: (n, _lesser(m, n)),
        code="singular_value_decomposition({})[2]",
        python="np.linalg.svd({}, full_matrices=False)[2].swapaxes(-1, -2)",
        standard="xp.matrix_transpose(xp.linalg.svd({}, full_matrices=False)[2])",
        whole="singular_value_decomposition({})",
        part=2,
        inversions=12,
        thirds=60,
        domain="singular values distinct and not 0",
    ),
    StackFunction(
        name="pseudoinverse",
        sentence="The pseudoinverse of a matrix, by Moore and Penrose.",
        shape=_turned,
        code="pseudoinverse({})",
        python="np.linalg.pinv({})",
        standard="xp.linalg.pinv({})",
        inversions=14,
        thirds=66,
        domain="matrices of the rank of a",
    ),
    StackFunction(
        name="orthonormal_factor",
        sentence="The factor Q with orthonormal columns of A = Q R, R upper triangular.",
        shape=_same,
        code="orthonormal_factor({})",
        python="np.linalg.qr({})[0]",
        standard="xp.linalg.qr({})[0]",
        inversions=3,
        thirds=8,
        domain="a of full column rank",
        tall=True,
    ),
    StackFunction(
        name="matrix_exponential",
        sentence="The exponential of a square matrix, the sum of its powers over factorials.",
        shape=_same,
        code="matrix_exponential({})",
        python="scipy.linalg.expm({})",
        standard="own.matrix_exponential({})",
        inversions=20,
        thirds=60,
        square=True,
    ),
    StackFunction(
        name="inverses",
        sentence="The inverse of each matrix of a stack.",
        shape=_same,
        code="inverses({})",
        python="np.linalg.inv({})",
        standard="own.inverse({})",
        domain="a invertible",
        square=True,
    ),
    StackFunction(
        name="determinants",
        sentence="The determinant of each matrix of a stack.",
        shape=_scalar,
        code="np.linalg.det({})",
        python="np.linalg.det({})",
        standard="own.determinant({})",
        thirds=2,
        domain="a invertible",
        square=True,
    ),
    StackFunction(
        name="logabsdets",
        sentence="The logarithm of the absolute value of each determinant of a stack.",
        shape=_scalar,
        code="np.linalg.slogdet({})[1]",
        python="np.linalg.slogdet({})[1]",
        standard="own.sign_and_log_determinant({})[1]",
        thirds=2,
        domain="a invertible",
        square=True,
    ),
    StackFunction(
        name="signdets",
        sentence="The sign of each determinant of a stack: -1, 0 or 1.",
        shape=_scalar,
        code="np.linalg.slogdet({})[0]",
        python="np.linalg.slogdet({})[0]",
        standard="own.sign_and_log_determinant({})[0]",
        thirds=2,
        square=True,
    ),
)

STACK_FUNCTIONS: Final[Mapping[str, StackFunction]] = MappingProxyType({f.name: f for f in _ALL})
"""The record of every function of each matrix of a stack, by its name."""
