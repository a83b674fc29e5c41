"""A tensor kept as a sum of products of small arrays and Kronecker deltas."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from eggrad.engine.errors import ShapeError, UnsolvableSystem, UnsupportedOperation
from eggrad.engine.indices.spec import Indices, Size
from eggrad.engine.runtime.factored_solve import solve
from eggrad.engine.runtime.factored_part import Part, spread
from eggrad.engine.terms.array_limits import check_shape
from eggrad.engine.terms.binding import Array

__all__ = ["FactoredTensor", "Part", "columns_of"]

Shape = tuple[int, ...]


class FactoredTensor:
    """A tensor as a sum of parts, each a product of cores and deltas; no entry is ever computed.

    It is also a linear operator: its last axes, `columns` in number, meet those of an operand.
    By default half of them do, as in a Hessian. Operands are tensors with the axes of one side,
    flat vectors, or matrices whose columns are flat vectors.

    >>> core = np.array([[2.0, 0.0], [0.0, 4.0]])
    >>> h = FactoredTensor([Part((core,), ((1, 3),), (0, 1, 0, 3))], (3, 2, 3, 2))
    >>> h
    <FactoredTensor of axes (3, 2, 3, 2), ij->kikj: 4 numbers for 36 entries>
    >>> h @ np.ones((3, 2))
    array([[2., 4.],
           [2., 4.],
           [2., 4.]])
    >>> h.solve(np.ones((3, 2)))
    array([[0.5 , 0.25],
           [0.5 , 0.25],
           [0.5 , 0.25]])
    """

    # NumPy leaves `array @ tensor` to us; without this it would write out every entry.
    __array_ufunc__ = None

    def __init__(self, parts: Sequence[Part], shape: Sequence[int], columns: int | None = None):
        """Keep the parts; `eggrad.compile(f, structure="factored")` is the way to get one.

        Raises `ShapeError` where the cores of a part do not have the sizes of their axes.
        """
        self.parts = tuple(parts)
        self.shape = tuple(shape)
        self.columns = columns_of(self.shape, columns)
        if not self.parts or not all(part.fits(self.shape) for part in self.parts):
            raise ShapeError(f"a tensor of axes {self.shape} needs parts with those axes")

    @classmethod
    def deferred(
        cls, build: Callable[[Any, Mapping[str, int]], "FactoredTensor"], results: Any, sizes: Any
    ) -> "FactoredTensor":
        """The tensor `build(results, sizes)`, built when something is asked of it.

        So a call of a compiled function that wants the cores of many tensors does not wait.
        """
        made = cls.__new__(cls)
        made.__dict__["_deferred"] = build, results, sizes
        return made

    def __getattr__(self, name: str) -> Any:
        """Build what was deferred."""
        deferred = self.__dict__.get("_deferred")
        if deferred is None:
            raise AttributeError(f"a FactoredTensor has no attribute {name!r}")
        build, results, sizes = deferred
        self.__dict__.update(build(results, sizes).__dict__)
        self.__dict__.pop("_deferred", None)
        return getattr(self, name)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries, zeros included."""
        return prod(self.shape)

    @property
    def cores(self) -> tuple[Array, ...]:
        """The arrays of all parts."""
        return tuple(core for part in self.parts for core in part.cores)

    @property
    def nbytes(self) -> int:
        """The memory of the cores."""
        return sum(core.nbytes for core in self.cores)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries."""
        return np.result_type(*self.cores)

    def __repr__(self) -> str:
        """Show the axes, the parts as index strings, and how much is stored."""
        parts = " + ".join(repr(p)[len("<Part ") : -1] for p in self.parts)
        stored = sum(core.size for core in self.cores)
        return (
            f"<FactoredTensor of axes {self.shape}, {parts}: {stored} numbers for "
            f"{self.size} entries>"
        )

    # Entries -----------------------------------------------------------------------------------

    def todense(self) -> Array:
        """The tensor as one array; only the entries that deltas allow are written."""
        check_shape(self.shape, self.dtype.itemsize)
        result = np.zeros(self.shape, self.dtype)
        for part in self.parts:
            part.add_to(result)
        return result

    toarray = todense

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The tensor as one array, for NumPy's functions; never without a copy."""
        if copy is False:
            raise ValueError("a factored tensor becomes an array only by being copied")
        return self.todense().astype(dtype or self.dtype, copy=False)

    def diagonal(self) -> Array:
        """The entries whose row and column indices are equal, with the axes of a row.

        Raises `ShapeError` where rows and columns have different axes.

        >>> core = np.array([[1.0, 2.0], [3.0, 4.0]])
        >>> FactoredTensor([Part((core,), ((1, 3),), (0, 1, 0, 3))], (2, 2, 2, 2)).diagonal()
        array([[1., 4.],
               [1., 4.]])
        """
        rows, columns = self._sides()
        if rows != columns:
            raise ShapeError(f"diagonal: rows have axes {rows}, columns {columns}")
        result = np.zeros(rows, self.dtype)
        for part in self.parts:
            names = _row_and_column_tied(part.labels, len(rows))
            own = tuple(names[i] for i in part.labels[: len(rows)])
            part.renamed(names, own).add_to(result)
        return result

    # As an operator ----------------------------------------------------------------------------

    def _sides(self) -> tuple[Shape, Shape]:
        rows = self.ndim - self.columns
        return self.shape[:rows], self.shape[rows:]

    def transposed(self) -> "FactoredTensor":
        """The operator with its rows and columns exchanged."""
        rows = self.ndim - self.columns
        order = (*range(rows, self.ndim), *range(rows))
        parts: list[Part] = []
        for part in self.parts:
            moved = [part.labels[k] for k in order]
            names = {i: moved.index(i) for i in moved}
            parts.append(part.renamed(names, tuple(names[i] for i in moved)))
        return FactoredTensor(parts, [self.shape[k] for k in order], rows)

    def _conjugate(self) -> "FactoredTensor":
        parts = [Part(tuple(c.conj() for c in p.cores), p.axes, p.labels) for p in self.parts]
        return FactoredTensor(parts, self.shape, self.columns)

    def __matmul__(self, operand: Any) -> Array:
        """The product with a tensor, a flat vector, or a matrix of flat columns.

        For a Hessian, the Hessian-vector product. Raises `ShapeError` where the operand does not
        fit.
        """
        rows, columns = self._sides()
        array = np.asarray(operand)
        return _restored(self._times(_with_last_axis("@", array, columns)), array, rows, columns)

    def __rmatmul__(self, operand: Any) -> Array:
        """The transposed operator's product with `operand`, as `@` with a vector is."""
        array = np.asarray(operand)
        flat = array.ndim == 2 and array.shape != self._sides()[0]
        return (self.transposed() @ array.T).T if flat else self.transposed() @ array

    def _times(self, operand: Array) -> Array:
        """The product with a tensor of the columns' axes and one more, which stays the last."""
        rows = self.ndim - self.columns
        shape = (*self.shape[:rows], operand.shape[-1])
        result: Array | None = None
        for part in self.parts:
            last = max([self.ndim - 1, *part.used()]) + 1
            own = (*part.labels[rows:], last)
            labels = (*part.labels[:rows], last)
            present = part.used().union(own)
            wanted = tuple(i for i in dict.fromkeys(labels) if i in present)
            summand = np.einsum(*part.operands(), operand, own, wanted, optimize=True)
            summand = spread(summand, wanted, labels, shape)
            result = summand if result is None else result + summand
        assert result is not None
        return result

    def solve(self, b: Any, assume: str | None = None) -> Array:
        """The x with `self @ x == b`; b a tensor, a flat vector, or a matrix of flat columns.

        An axis that a delta ties costs nothing: the system is solved with the cores, each on its
        own axes; where a core depends on a tied index, with one matrix for each value of it; a
        diagonal divides. Parts are added first, on the deltas that all of them have. A system
        without any is solved as one matrix.

        `assume="positive definite"`, which needs a Hermitian operator, takes Cholesky's method and
        so finds out where it is not. Raises `UnsolvableSystem` where the operator is singular, or
        not as assumed, and `ShapeError` where it is not square or `b` does not fit.
        """
        rows, columns = self._sides()
        array = np.asarray(b)
        given = _with_last_axis("solve", array, rows)
        if prod(rows) != prod(columns):
            raise ShapeError(f"solve: rows have axes {rows}, columns {columns}: not square")
        if assume not in (None, "positive definite"):
            raise UnsupportedOperation(f"solve: assume 'positive definite' or None, not {assume!r}")
        if assume and not (self.diagonal().real > 0).all():
            raise UnsolvableSystem("solve: the operator is not positive definite")
        found = solve(
            self.parts, self.shape, self.columns, given, assume is not None
        )
        return _restored(found, array, columns, rows)

    def aslinearoperator(self) -> Any:
        """The operator on flat vectors for SciPy's iterative methods; needs SciPy."""
        linalg: Any = import_module("scipy.sparse.linalg")
        rows, columns = self._sides()

        def times(operator: FactoredTensor, shape: Shape, x: Array) -> Array:
            matrix = np.asarray(x).reshape(*shape, -1)
            product = operator._times(matrix).reshape(-1, matrix.shape[-1])
            return product if np.ndim(x) == 2 else product[:, 0]

        adjoint = self.transposed()._conjugate()
        return linalg.LinearOperator(
            (prod(rows), prod(columns)),
            matvec=lambda x: times(self, columns, x),
            rmatvec=lambda x: times(adjoint, rows, x),
            matmat=lambda x: times(self, columns, x),
            rmatmat=lambda x: times(adjoint, rows, x),
            dtype=self.dtype,
        )


def columns_of(axes: Sequence[Size], columns: int | None) -> int:
    """How many of the axes are columns, by default half; `ShapeError` where there are not so many.

    >>> columns_of(("m", "k", "m", "k"), None)
    2
    """
    if columns is None:
        return len(axes) // 2
    if not 0 <= columns <= len(axes):
        shown = ", ".join(map(str, axes))
        raise ShapeError(
            f"columns: {columns} of the axes ({shown})? a number from 0 to {len(axes)}"
        )
    return columns


def _row_and_column_tied(labels: Indices, rows: int) -> dict[int, int]:
    """New names of labels, the same for a row axis and its column axis."""
    names = {i: i for i in labels}
    for a, b in zip(labels[:rows], labels[rows:], strict=True):
        kept, lost = names[a], names[b]
        names = {i: kept if name == lost else name for i, name in names.items()}
    return names


def _with_last_axis(what: str, array: Array, axes: Shape) -> Array:
    """An operand as a tensor of those axes and one more, for its columns."""
    if array.shape == axes or array.shape == (prod(axes),):
        return array.reshape(*axes, 1)
    if array.ndim == 2 and array.shape[0] == prod(axes):
        return array.reshape(*axes, array.shape[1])
    n = prod(axes)
    raise ShapeError(
        f"{what}: the operand has shape {array.shape}; it needs axes {axes}, or ({n},) if flat, or "
        f"({n}, k) for k flat columns"
    )


def _restored(result: Array, operand: Array, axes: Shape, given: Shape) -> Array:
    """A result with axes `axes` and one more, in the form that the operand has."""
    if operand.shape == given:
        return result.reshape(axes)
    return result.reshape(prod(axes), *operand.shape[1:])
