"""Element-wise functions of two arrays of which one has a number for each row of the other.

Where NumPy has to spread an operand, or to read one in another order, it gathers several rows in
buffers of 8192 numbers, so that its loops are longer. Rows that are long already gain nothing by
that, and the copies take up to three times as long as the function itself.
"""

from typing import Final

import numpy as np

from eggrad.engine.terms.binding import Array

__all__ = ["FEW", "ROW", "is_worth_rows", "row_by_row", "scaled_rows"]

# The shortest row that is read where it lies, and so the most that a buffer may hold: some 16s.
ROW: Final = 96
# With fewer entries the call takes longer than the copies.
FEW: Final = 20_000


def is_worth_rows(entries: int, row: int) -> bool:
    """Whether `row_by_row` is faster than the function, for so many entries in rows so long."""
    return row >= ROW and entries >= FEW


@np.errstate()
def row_by_row(function: np.ufunc, left: Array, right: Array, out: Array | None = None) -> Array:
    """`function(left, right, out=out)`, without NumPy's buffers.

    The size of these is a part of NumPy's error state, which comes back with the end of the call.

    >>> row_by_row(np.multiply, np.array([[1.0], [2.0]]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    np.setbufsize(ROW)
    return function(left, right, out=out)


def scaled_rows(numbers: Array, matrix: Array) -> Array:
    """Each row of a matrix times a number of its own.

    >>> scaled_rows(np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [6., 8.]])
    """
    in_rows = matrix.strides[1] == matrix.itemsize
    if in_rows and is_worth_rows(matrix.size, matrix.shape[1]):
        return row_by_row(np.multiply, numbers[:, None], matrix)
    return numbers[:, None] * matrix
