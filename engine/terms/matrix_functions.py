"""Functions of a matrix, and of each matrix of a stack: one record each.

Their derivatives are rules in `rules/calculus/forward.py`, `reverse.py` and `stacks.py`; the oracle
has references of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms.operation import Operation


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


def _of_matrices(function: "MatrixFunction", _: object, a: Dims) -> Dims:
    wanted = "a square matrix" if function.square else "a matrix"
    fits = len(a) >= 2 if function.stacked else len(a) == 2
    if not fits or (function.square and a[-1] != a[-2]):
        raise ShapeError(f"{function.name} needs {wanted}, its argument has axes {a}")
    if function.tall and lesser(*a[-2:]) != 1:
        raise ShapeError(f"{function.name} needs as many rows as columns, or more: {a}")
    return a[:-2] + tuple(a[-2:][k] for k in function.as_long_as(*a[-2:]))


@dataclass(frozen=True)
class MatrixFunction(Operation):
    """A function of one matrix, or of each matrix of a stack: the axes before the last two stay.

    `axes` has a letter for each axis that the result has for one matrix: `m` as long as its rows
    are many, `n` as its columns, `k` as the lesser of them. The matrix is a `square` one, or has at
    least as many rows as columns, if it is `tall`.

    Where several of one operand are computed that have the same `whole`, a function is entry `part`
    of what that gives. It takes as long as `inversions` of a square matrix, and `thirds` of n³
    operations: elimination takes two, with substitution six.
    """

    _: KW_ONLY
    shape: Callable[..., Dims] = _of_matrices
    axes: str = ""
    stacked: bool = False
    square: bool = False
    tall: bool = False
    whole: str = ""
    part: int = 0
    inversions: int = 1
    thirds: int = 6

    @property
    def is_scalar(self) -> bool:
        """Whether it is a number for each matrix."""
        return not self.axes

    def as_long_as(self, m: Size | None, n: Size | None) -> list[int]:
        """Which axis of a matrix each one of the result is as long as, 0 or 1."""
        return ["mn".index(i) if i in "mn" else lesser(m, n) for i in self.axes]


# fmt: off
_OF_ONE: Final = (
    MatrixFunction("inv", "The inverse of a square matrix.", axes="mn", square=True,
        code="inverse({x})"),
    MatrixFunction("det", "The determinant of a square matrix.", square=True,
        code="np.linalg.det({x})", thirds=2),
    MatrixFunction("adj",
        "The adjugate of a square matrix: det times inv, continued to all matrices.", axes="mn",
        square=True, code="adjugate({x})", thirds=9),
    MatrixFunction("logabsdet",
        "The logarithm of the absolute value of a square matrix's determinant.", square=True,
        code="np.linalg.slogdet({x})[1]", rates=("slogdet",), thirds=2),
    MatrixFunction("signdet", "The sign of a square matrix's determinant: -1, 0 or 1.",
        square=True, code="np.linalg.slogdet({x})[0]", rates=("slogdet",), thirds=2),
)
_OF_EACH: Final = (
    MatrixFunction("cholesky",
        "The lower triangular L with L L' = A, of a positive definite matrix A.", axes="mn",
        stacked=True, square=True, code="cholesky({x})", thirds=1),
    MatrixFunction("eigenvalues", "The eigenvalues of a symmetric matrix, the least one first.",
        axes="n", stacked=True, square=True, code="eigenvalues({x})",
        whole="eigen_decomposition({})", inversions=4, thirds=12),
    MatrixFunction("eigenvectors",
        "The eigenvectors of a symmetric matrix as columns, each of length 1.", axes="mn",
        stacked=True, square=True, code="eigen_decomposition({x})[1]",
        whole="eigen_decomposition({})", part=1, inversions=8, thirds=27),
    MatrixFunction("eigenvector_signs",
        "The signs by which LAPACK's eigenvectors of the upper and of the lower triangle differ.",
        axes="n", stacked=True, square=True,
        code="eigenvector_signs({x})", inversions=16, thirds=54),
    MatrixFunction("singular_values", "The singular values of a matrix, the greatest one first.",
        axes="k", stacked=True, code="singular_values({x})",
        whole="singular_value_decomposition({})", part=1, inversions=6, thirds=12),
    MatrixFunction("left_singular_vectors", "The left singular vectors of a matrix as columns.",
        axes="mk", stacked=True, code="singular_value_decomposition({x})[0]",
        whole="singular_value_decomposition({})", inversions=12, thirds=60),
    MatrixFunction("right_singular_vectors", "The right singular vectors of a matrix as columns.",
        axes="nk", stacked=True, code="singular_value_decomposition({x})[2]",
        whole="singular_value_decomposition({})", part=2, inversions=12, thirds=60),
    MatrixFunction("pseudoinverse", "The pseudoinverse of a matrix, by Moore and Penrose.",
        axes="nm", stacked=True, code="pseudoinverse({x})", inversions=14, thirds=66),
    MatrixFunction("orthonormal_factor",
        "The factor Q with orthonormal columns of A = Q R, R upper triangular.", axes="mn",
        stacked=True, tall=True, code="orthonormal_factor({x})", inversions=3, thirds=8),
    MatrixFunction("matrix_exponential",
        "The exponential of a square matrix, the sum of its powers over factorials.", axes="mn",
        stacked=True, square=True, code="matrix_exponential({x})", inversions=20, thirds=60),
    MatrixFunction("inverses", "The inverse of each matrix of a stack.", axes="mn", stacked=True,
        square=True, code="inverse({x})"),
    MatrixFunction("determinants", "The determinant of each matrix of a stack.", stacked=True,
        square=True, code="np.linalg.det({x})", thirds=2),
    MatrixFunction("logabsdets",
        "The logarithm of the absolute value of each determinant of a stack.", stacked=True,
        square=True, code="np.linalg.slogdet({x})[1]", thirds=2),
    MatrixFunction("signdets", "The sign of each determinant of a stack: -1, 0 or 1.",
        stacked=True, square=True, code="np.linalg.slogdet({x})[0]", thirds=2),
)
# fmt: on

MATRIX_FUNCTIONS: Final[Mapping[str, MatrixFunction]] = MappingProxyType(
    {f.name: f for f in _OF_ONE}
)
"""The record of every function of one square matrix, by its name."""

STACK_FUNCTIONS: Final[Mapping[str, MatrixFunction]] = MappingProxyType(
    {f.name: f for f in _OF_EACH}
)
"""The record of every function of each matrix of a stack, by its name."""
