"""Functions of matrices by SciPy's names; those of `scipy.linalg` take no expressions.

>>> from eggrad.frontend.expression import linalg
>>> from eggrad.frontend.expression.functions import variable
>>> linalg.expm(variable("A", ("n", "n"))).shape
('n', 'n')
"""

from typing import Any

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import numpy_linalg
from eggrad.frontend.expression.expression import Expression, as_expression
from eggrad.frontend.expression.numpy_functions import matrix_transpose, tril, triu
from eggrad.frontend.expression.numpy_linalg import (
    det,
    inv,
    lstsq,
    norm,
    pinv,
    solve,
    svd,
    svdvals,
)
from eggrad.frontend.text.doors import checked_flag, checked_word

__all__ = [
    "cho_factor",
    "cho_solve",
    "cholesky",
    "det",
    "eigh",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "norm",
    "pinv",
    "qr",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
]


def __getattr__(name: str) -> Any:
    """A function of each matrix of a stack, by the name of its record, made once."""
    if name not in STACK_FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def function(A: Any) -> Expression:  # noqa: N803 - as in NumPy's functions
        return language.of_each(name, A)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = STACK_FUNCTIONS[name].sentence
    globals()[name] = function
    return function


def expm(A: Any) -> Expression:  # noqa: N803 - SciPy's name
    """The exponential of a square matrix, or of each of a stack; values need SciPy.

    Raises `ShapeError` for other tensors.

    >>> import numpy as np
    >>> expm(np.zeros((2, 2))).evaluate({})
    array([[1., 0.],
           [0., 1.]])
    """
    return language.of_each("matrix_exponential", as_expression(A))


def cholesky(a: Any, lower: bool = False) -> Expression:
    """`scipy.linalg.cholesky`: R with R'R = a, upper triangular unless it shall be `lower`.

    >>> import numpy as np
    >>> cholesky(np.array([[4.0]])).evaluate({})
    array([[2.]])
    """
    return numpy_linalg.cholesky(a, upper=not checked_flag("cholesky", "lower", lower))


def cho_factor(a: Any, lower: bool = False) -> tuple[Expression, bool]:
    """`scipy.linalg.cho_factor`, for `cho_solve`.

    >>> import numpy as np
    >>> cho_factor(np.eye(2), lower=True)[1]
    True
    """
    return cholesky(a, lower), lower


def cho_solve(c_and_lower: tuple[Any, bool], b: Any) -> Expression:
    """`scipy.linalg.cho_solve`: the solution x of a·x = b, given Cholesky's factor of a.

    >>> import numpy as np
    >>> cho_solve(cho_factor(np.array([[4.0]])), np.array([2.0])).evaluate({})
    array([0.5])
    """
    if not isinstance(c_and_lower, tuple | list) or len(c_and_lower) != 2:
        raise UnsupportedOperation(
            "cho_solve: c_and_lower is a pair of a factor and whether it is lower, as cho_factor "
            f"gives it, not {shown(c_and_lower)}"
        )
    factor, lower = c_and_lower
    checked_flag("cho_solve", "the second part of c_and_lower", lower)
    first, second = (0, 1) if lower else (1, 0)
    inner = solve_triangular(factor, b, trans=first, lower=lower)
    return solve_triangular(factor, inner, trans=second, lower=lower)


def solve_triangular(
    a: Any, b: Any, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False
) -> Expression:
    """`scipy.linalg.solve_triangular`: a triangle of `a` is read; `trans` is 0, 1, "N" or "T".

    >>> import numpy as np
    >>> solve_triangular(np.array([[2.0, 1.0], [5.0, 1.0]]), np.array([3.0, 1.0])).evaluate({})
    array([1., 1.])
    """
    if not isinstance(trans, int | str) or trans not in (0, 1, "N", "T"):
        raise UnsupportedOperation(
            f"solve_triangular: trans is 0, 1, 'N' or 'T', not {shown(trans)}"
        )
    lower = checked_flag("solve_triangular", "lower", lower)
    unit_diagonal = checked_flag("solve_triangular", "unit_diagonal", unit_diagonal)
    matrix = as_expression(a)
    if matrix.ndim < 2:
        raise ShapeError(f"solve_triangular needs a square matrix, its argument has {matrix.shape}")
    triangle = tril(matrix, -unit_diagonal) if lower else triu(matrix, int(unit_diagonal))
    if unit_diagonal:
        triangle = triangle + language.delta(matrix.shape[-1:])
    return solve(matrix_transpose(triangle) if trans in (1, "T") else triangle, b)


def eigh(a: Any, lower: bool = True, eigvals_only: bool = False) -> Any:
    """`scipy.linalg.eigh`: the eigenvalues of a symmetric matrix, and eigenvectors as columns.

    >>> import numpy as np
    >>> eigh(np.array([[3.0]]), eigvals_only=True).evaluate({})
    array([3.])
    """
    found = numpy_linalg.eigh(a, "L" if checked_flag("eigh", "lower", lower) else "U")
    return found.eigenvalues if checked_flag("eigh", "eigvals_only", eigvals_only) else found


def eigvalsh(a: Any, lower: bool = True) -> Expression:
    """`scipy.linalg.eigvalsh`: the eigenvalues of a symmetric matrix, the least one first.

    >>> import numpy as np
    >>> eigvalsh(np.array([[3.0]])).evaluate({})
    array([3.])
    """
    return numpy_linalg.eigvalsh(a, "L" if checked_flag("eigvalsh", "lower", lower) else "U")


def qr(a: Any, mode: str = "economic") -> Any:
    """`scipy.linalg.qr`, "economic" or "r": Q and R with Q·R = a.

    >>> import numpy as np
    >>> [part.shape for part in qr(np.ones((3, 2)))]
    [(3, 2), (2, 2)]
    """
    checked_word("qr", "mode", mode, ("economic", "r"))
    return numpy_linalg.qr(a, {"economic": "reduced"}.get(mode, mode))
