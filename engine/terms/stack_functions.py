"""Functions of each matrix of a stack: one record each, from which every list of them is read.

Their derivatives are rules in `rules/calculus/stacks.py`; the oracle has references of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims, Size


def lesser(m: Size | None, n: Size | None) -> int:
    """Which of two sizes is the lesser one: 0, or 1 where it is the second or both are the same.

    Raises `ShapeError` where it is not known.
    """
    if m == n and m is not None:
        return 1
    if isinstance(m, int) and isinstance(n, int):
        return int(n < m)
    raise ShapeError(
        f"which of the sizes {m} and {n} is the lesser is not known; give them as integers"
    )


@dataclass(frozen=True, kw_only=True)
class StackFunction:
    """A function of each matrix of a stack; the axes before the last two are kept.

    `shape` has a letter for each axis that the result has for one matrix: `m` as long as its rows
    are many, `n` as its columns, `k` as the lesser of them. The matrix is a `square` one, or has at
    least as many rows as columns, if it is `tall`.

    `code` is its text in generated code; where several of one operand are computed that have the
    same `whole`, it is entry `part` of what that gives. `python` is what is printed. It takes as
    long as `inversions` of a square matrix, and counts `thirds` of n³ operations.
    """

    name: str
    sentence: str
    shape: str
    code: str
    python: str
    whole: str = ""
    part: int = 0
    inversions: int = 1
    thirds: int = 6
    square: bool = False
    tall: bool = False

    def dims(self, a: Dims) -> Dims:
        """The axes of the result; `ShapeError` for other operands."""
        wanted = "a square matrix" if self.square else "a matrix"
        if len(a) < 2 or (self.square and a[-1] != a[-2]):
            raise ShapeError(f"{self.name} needs {wanted}, its argument has axes {a}")
        if self.tall and lesser(*a[-2:]) != 1:
            raise ShapeError(f"{self.name} needs as many rows as columns, or more: {a}")
        return a[:-2] + tuple(a[-2:][k] for k in self.places(*a[-2:]))

    def places(self, m: Size | None, n: Size | None) -> list[int]:
        """Which axis of a matrix each one of the result is as long as, 0 or 1."""
        return ["mn".index(i) if i in "mn" else lesser(m, n) for i in self.shape]


_ALL: Final = (
    StackFunction(
        name="cholesky",
        sentence="The lower triangular L with L L' = A, of a positive definite matrix A.",
        shape="mn",
        code="cholesky({})",
        python="np.linalg.cholesky({})",
        thirds=1,
        square=True,
    ),
    StackFunction(
        name="eigenvalues",
        sentence="The eigenvalues of a symmetric matrix, the least one first.",
        shape="n",
        code="eigenvalues({})",
        python="np.linalg.eigvalsh({})",
        whole="eigen_decomposition({})",
        inversions=4,
        thirds=12,
        square=True,
    ),
    StackFunction(
        name="eigenvectors",
        sentence="The eigenvectors of a symmetric matrix as columns, each of length 1.",
        shape="mn",
        code="eigen_decomposition({})[1]",
        python="np.linalg.eigh({})[1]",
        whole="eigen_decomposition({})",
        part=1,
        inversions=8,
        thirds=27,
        square=True,
    ),
    StackFunction(
        name="singular_values",
        sentence="The singular values of a matrix, the greatest one first.",
        shape="k",
        code="singular_values({})",
        python="np.linalg.svdvals({})",
        whole="singular_value_decomposition({})",
        part=1,
        inversions=6,
        thirds=12,
    ),
    StackFunction(
        name="left_singular_vectors",
        sentence="The left singular vectors of a matrix as columns.",
        shape="mk",
        code="singular_value_decomposition({})[0]",
        python="np.linalg.svd({}, full_matrices=False)[0]",
        whole="singular_value_decomposition({})",
        inversions=12,
        thirds=60,
    ),
    StackFunction(
        name="right_singular_vectors",
        sentence="The right singular vectors of a matrix as columns.",
        shape="nk",
        code="singular_value_decomposition({})[2]",
        python="np.linalg.svd({}, full_matrices=False)[2].mT",
        whole="singular_value_decomposition({})",
        part=2,
        inversions=12,
        thirds=60,
    ),
    StackFunction(
        name="pseudoinverse",
        sentence="The pseudoinverse of a matrix, by Moore and Penrose.",
        shape="nm",
        code="pseudoinverse({})",
        python="np.linalg.pinv({})",
        inversions=14,
        thirds=66,
    ),
    StackFunction(
        name="orthonormal_factor",
        sentence="The factor Q with orthonormal columns of A = Q R, R upper triangular.",
        shape="mn",
        code="orthonormal_factor({})",
        python="np.linalg.qr({})[0]",
        inversions=3,
        thirds=8,
        tall=True,
    ),
    StackFunction(
        name="matrix_exponential",
        sentence="The exponential of a square matrix, the sum of its powers over factorials.",
        shape="mn",
        code="matrix_exponential({})",
        python="scipy.linalg.expm({})",
        inversions=20,
        thirds=60,
        square=True,
    ),
    StackFunction(
        name="inverses",
        sentence="The inverse of each matrix of a stack.",
        shape="mn",
        code="inverse({})",
        python="np.linalg.inv({})",
        square=True,
    ),
    StackFunction(
        name="determinants",
        sentence="The determinant of each matrix of a stack.",
        shape="",
        code="np.linalg.det({})",
        python="np.linalg.det({})",
        thirds=2,
        square=True,
    ),
    StackFunction(
        name="logabsdets",
        sentence="The logarithm of the absolute value of each determinant of a stack.",
        shape="",
        code="np.linalg.slogdet({})[1]",
        python="np.linalg.slogdet({})[1]",
        thirds=2,
        square=True,
    ),
    StackFunction(
        name="signdets",
        sentence="The sign of each determinant of a stack: -1, 0 or 1.",
        shape="",
        code="np.linalg.slogdet({})[0]",
        python="np.linalg.slogdet({})[0]",
        thirds=2,
        square=True,
    ),
)

STACK_FUNCTIONS: Final[Mapping[str, StackFunction]] = MappingProxyType({f.name: f for f in _ALL})
"""The record of every function of each matrix of a stack, by its name."""
