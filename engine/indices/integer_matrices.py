"""Integer matrices: the Smith normal form, and what it says of linear systems over integers.

Urban and van der Smagt 2017, section 4.1. Matrices are lists of rows of Python integers, so
nothing overflows and nothing is rounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

Matrix = list[list[int]]


def identity(n: int) -> Matrix:
    """The identity matrix.

    >>> identity(2)
    [[1, 0], [0, 1]]
    """
    return [[int(i == j) for j in range(n)] for i in range(n)]


@dataclass(frozen=True)
class Smith:
    """`U A V = D`: U and V are unimodular, D is diagonal with `diagonal[i] | diagonal[i + 1]`.

    The diagonal has the positive entries alone, so its length is the rank of A. An integer
    vector b is A x for an integer x where `diagonal[i]` divides entry i of U b, and the entries
    after those are 0. All x are then `V y`, with the quotients for the first entries of y and any
    integers after those, and the columns of V that these meet are the `kernel`.
    """

    U: Matrix
    V: Matrix
    diagonal: tuple[int, ...]

    @property
    def rank(self) -> int:
        """The rank of A."""
        return len(self.diagonal)

    @property
    def kernel(self) -> Matrix:
        """A basis of all integer x with `A x = 0`, as columns."""
        return [row[self.rank :] for row in self.V]


def smith(a: Sequence[Sequence[int]], columns: int | None = None) -> Smith:
    """The Smith normal form of an integer matrix; `columns` is needed where it has no rows.

    >>> smith([[2, 4, 4], [-6, 6, 12], [10, 4, 16]]).diagonal
    (2, 2, 156)
    """
    d = [list(row) for row in a]
    n = len(d)
    m = len(d[0]) if d else columns or 0
    u, v = identity(n), identity(m)
    rank = 0
    while rank < min(n, m):
        pivot = _smallest(d, rank)
        if pivot is None:
            break
        _bring(d, u, v, pivot, rank)
        if _clear(d, u, v, rank):
            rank += 1
    diagonal: list[int] = []
    for i in range(rank):
        if d[i][i] < 0:
            u[i] = [-x for x in u[i]]
        diagonal.append(abs(d[i][i]))
    return Smith(u, v, tuple(diagonal))


def _smallest(d: Matrix, start: int) -> tuple[int, int] | None:
    """The place of the least entry that is not 0, from a row and column on."""
    found = [
        (abs(d[i][j]), i, j)
        for i in range(start, len(d))
        for j in range(start, len(d[0]))
        if d[i][j]
    ]
    return min(found)[1:] if found else None


def _bring(d: Matrix, u: Matrix, v: Matrix, place: tuple[int, int], to: int) -> None:
    i, j = place
    for matrix in (d, u):
        matrix[i], matrix[to] = matrix[to], matrix[i]
    for matrix in (d, v):
        for row in matrix:
            row[j], row[to] = row[to], row[j]


def _clear(d: Matrix, u: Matrix, v: Matrix, at: int) -> bool:
    """Subtract multiples of the pivot's row and column; whether it divides all that is left.

    Where it does not, something smaller than the pivot appears, so that the next round ends.
    """
    p = d[at][at]
    for i in range(at + 1, len(d)):
        _add_row(d, u, i, at, -(d[i][at] // p))
    for j in range(at + 1, len(d[0])):
        _add_column(d, v, j, at, -(d[at][j] // p))
    if any(d[i][at] for i in range(at + 1, len(d))) or any(d[at][at + 1 :]):
        return False
    for i in range(at + 1, len(d)):
        if any(x % p for x in d[i]):
            _add_row(d, u, at, i, 1)
            return False
    return True


def _add_row(d: Matrix, u: Matrix, to: int, other: int, factor: int) -> None:
    for matrix in (d, u):
        matrix[to] = [x + factor * y for x, y in zip(matrix[to], matrix[other], strict=True)]


def _add_column(d: Matrix, v: Matrix, to: int, other: int, factor: int) -> None:
    for matrix in (d, v):
        for row in matrix:
            row[to] += factor * row[other]


def with_simple_rows(kernel: Matrix, preferred: Sequence[int]) -> tuple[Matrix, tuple[int, ...]]:
    """Another basis of the same lattice, in which some rows are simple, and which row of each.

    For every column one row is chosen that is 0 in all later columns; where it can be 1 it is 0
    in all other columns, so that its coordinate is the unknown of that row itself. Of the rows
    that can be 1 the one that `preferred` names first is taken.

    >>> with_simple_rows([[2], [-1]], [0, 1])
    ([[-2], [1]], (1,))
    """
    basis = [list(row) for row in kernel]
    width = len(basis[0]) if basis else 0
    chosen: list[int] = []
    for at in range(width):
        row = min(
            (r for r in preferred if any(basis[r][at:])),
            key=lambda r: (gcd(*basis[r][at:]), preferred.index(r)),
        )
        _reduce_row(basis, row, at)
        pivot = basis[row][at]
        for j in range(width):
            if j != at:
                factor = basis[row][j] // pivot
                for line in basis:
                    line[j] -= factor * line[at]
        chosen.append(row)
    return basis, tuple(chosen)


def _reduce_row(basis: Matrix, row: int, at: int) -> None:
    """Make a row 0 behind `at`, and positive there, by operations on columns."""
    width = len(basis[0])
    while True:
        live = [j for j in range(at, width) if basis[row][j]]
        least = min(live, key=lambda j: abs(basis[row][j]))
        sign = 1 if basis[row][least] > 0 else -1
        for line in basis:
            line[least], line[at] = line[at], sign * line[least]
        if len(live) == 1:
            return
        for j in range(at + 1, width):
            factor = basis[row][j] // basis[row][at]
            for line in basis:
                line[j] -= factor * line[at]
