"""A tensor kept as a sum of products of small arrays and Kronecker deltas."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial, reduce
from importlib import import_module
from itertools import chain
from math import prod
from operator import add
from typing import Any, Final, Self

import numpy as np

from eggrad.engine.errors import ShapeError, UnsolvableSystem, UnsupportedOperation
from eggrad.engine.indices.spec import Indices, Size, canonical, format_spec, representatives
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import Array, check_shape, numbers

# Parts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Part:
    """An entry is the product of the cores' entries, or 0 where the indices of tied axes differ.

    `labels` names every axis of the tensor: by its number, or by that of the first axis that
    it is tied to. `axes` has the labels of each core's axes, all different. Along a label that no
    core has the entries do not change; one that no axis of the tensor has is summed over.

    >>> Part((np.eye(2),), ((1, 3),), (0, 1, 0, 3))
    <Part ij->kikj>
    """

    cores: tuple[Array, ...]
    axes: tuple[Indices, ...]
    labels: Indices

    @property
    def deltas(self) -> tuple[Indices, ...]:
        """The groups of axes that deltas tie.

        >>> Part((np.ones(()),), ((),), (0, 1, 0, 1)).deltas
        ((0, 2), (1, 3))
        """
        groups = {i: tuple(k for k, j in enumerate(self.labels) if j == i) for i in self.labels}
        return tuple(g for g in groups.values() if len(g) > 1)

    def __repr__(self) -> str:
        """Show the cores' axes and the tensor's: a letter that stands twice there is a delta."""
        return f"<Part {format_spec(canonical(self.axes, self.labels))}>"

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether there is a core, and tied axes and the cores' have the sizes of `shape`."""
        return (
            bool(self.cores)
            and tuple(shape[i] for i in self.labels) == shape
            and self._lengths() <= {*enumerate(shape)} | {*self._summed().items()}
        )

    def _lengths(self) -> set[tuple[int, int]]:
        """The labels of the cores' axes, with the sizes that they have."""
        pairs = zip(self.cores, self.axes, strict=True)
        return {pair for core, axes in pairs for pair in zip(axes, core.shape, strict=True)}

    def _summed(self) -> dict[int, int]:
        """The labels that are summed over, with their sizes."""
        return {i: n for i, n in sorted(self._lengths()) if i not in self.labels}

    def used(self) -> set[int]:
        """The labels that a core has."""
        return {i for axes in self.axes for i in axes}

    def operands(self) -> Iterator[Any]:
        """The cores with their labels, as `np.einsum` takes them."""
        for core, axes in zip(self.cores, self.axes, strict=True):
            yield core
            yield axes

    def renamed(self, names: dict[int, int], labels: Indices) -> "Part":
        """The part with other labels of axes; where two become one, the diagonal."""
        axes = tuple(tuple(names.get(i, i) for i in core_axes) for core_axes in self.axes)
        return Part(self.cores, axes, labels)

    def add_to(self, array: Array) -> None:
        """Add the entries that may differ from zero, through a view of their places."""
        order = tuple(dict.fromkeys(self.labels))
        wanted = tuple(i for i in order if i in self.used())
        view = _diagonal_view(array, self.labels)
        thin = tuple(n if i in wanted else 1 for i, n in zip(order, view.shape, strict=True))
        entries = np.einsum(*self.operands(), wanted, optimize=bool(self._summed()))
        view += entries.reshape(thin)


def _diagonal_view(array: Array, labels: Indices) -> Array:
    """A writeable view of the entries whose indices agree on axes of one label.

    >>> a = np.zeros((2, 2))
    >>> _diagonal_view(a, (0, 0))[...] = 1
    >>> a
    array([[1., 0.],
           [0., 1.]])
    """
    order = tuple(dict.fromkeys(labels))
    return array if order == labels else np.einsum(array, labels, order)


# Linear systems ---------------------------------------------------------------------------------

# Rows that substitution solves at once.
BLOCK: Final = 64


def _solve(
    parts: Sequence[Part], shape: tuple[int, ...], columns: int, b: Array, definite: bool = False
) -> Array:
    """Solve for a tensor of the columns' axes; the last axis of `b` counts right-hand sides.

    `definite` says that the operator is positive definite or negative definite.
    """
    rows = len(shape) - columns
    dtype = np.result_type(np.float64, b, *(core for part in parts for core in part.cores))
    if not b.size:
        return np.zeros((*shape[rows:], b.shape[-1]), dtype)
    part = parts[0] if len(parts) == 1 else None
    if part is None or not _separable(part, shape, rows, definite):
        part = _merged(parts, shape, rows, dtype, definite)
    last = len(shape)
    x, labels = b, (*part.labels[:rows], last)
    row_labels, column_labels = set(part.labels[:rows]), set(part.labels[rows:])
    for core, axes in zip(part.cores, part.axes, strict=True):
        tied = tuple(i for i in axes if i in row_labels and i in column_labels)
        down = tuple(sorted(row_labels.intersection(axes) - column_labels))
        across = tuple(sorted(column_labels.intersection(axes) - row_labels))
        rest = tuple(i for i in labels if i not in axes)
        length = dict(zip((*labels, *axes), x.shape + core.shape, strict=True))
        batch, kept = (tuple(length[i] for i in group) for group in (tied, rest))
        n = prod(length[i] for i in down)
        matrix = _in_order(core, axes, tied + down + across).reshape(*batch, n, n)
        right = _in_order(x, labels, tied + down + rest).reshape(*batch, n, prod(kept))
        labels = tied + across + rest
        x = _solved(matrix, right, definite)
        x = x.reshape(*batch, *(length[i] for i in across), *kept)
    return _in_order(x, labels, (*part.labels[rows:], last))


def _in_order(array: Array, axes: Indices, labels: Indices) -> Array:
    return array.transpose([axes.index(i) for i in labels])


def _separable(part: Part, shape: tuple[int, ...], rows: int, definite: bool) -> bool:
    """Whether each core can be inverted alone: a square matrix on axes that no other core has.

    Definiteness of each matrix is that of their product only where a row axis meets the column
    axis of the same place, and where they are real: `1j * A` may be a factor of a definite matrix.
    """
    if definite and len(part.cores) > 1 and any(np.iscomplexobj(core) for core in part.cores):
        return False
    if not part.used() <= set(part.labels):
        return False
    for i in set(part.labels):
        above, below = part.labels[:rows].count(i), part.labels[rows:].count(i)
        users = sum(i in axes for axes in part.axes)
        if max(above, below) > 1 or (above + below < 2 and users != 1):
            return False
        if definite and above + below == 2 and part.labels[i + rows] != i:
            return False
    for axes in part.axes:
        down = {i for i in axes if i not in part.labels[rows:]}
        across = {i for i in axes if i >= rows}
        if prod(shape[i] for i in down) != prod(shape[i] for i in across):
            return False
        if definite and {i + rows for i in down} != across:
            return False
    return True


def _merged(
    parts: Sequence[Part], shape: tuple[int, ...], rows: int, dtype: np.dtype[Any], definite: bool
) -> Part:
    """All parts as one of a single core, tied where a row and a column are tied in all of them."""
    places: dict[Indices, list[int]] = {}
    for axis in range(len(shape)):
        places.setdefault(tuple(p.labels[axis] for p in parts), []).append(axis)
    labels = list(range(len(shape)))
    for group in places.values():
        aligned = group[-1] - group[0] == rows or not definite
        if len(group) == 2 and group[0] < rows <= group[1] and aligned:
            labels[group[1]] = group[0]
    distinct = tuple(dict.fromkeys(labels))
    used = [i for i in distinct if labels.count(i) == 1 or _matters(i, distinct, parts)]
    core = np.zeros([shape[i] for i in used], dtype)
    for p in parts:
        kept = tuple(p.labels[i] for i in used)
        names = {i: kept.index(i) for i in kept}
        p.renamed(names, tuple(names[i] for i in kept)).add_to(core)
    return Part((core,), (tuple(used),), tuple(labels))


def _matters(i: int, labels: Indices, parts: Sequence[Part]) -> bool:
    """Whether a part depends on a label: by a core, or by a delta with another label."""
    return any(
        p.labels[i] in p.used() or any(p.labels[i] == p.labels[k] for k in labels if k != i)
        for p in parts
    )


def _solved(matrix: Array, right: Array, definite: bool) -> Array:
    """Solve with a stack of matrices; one of a single row divides."""
    n = matrix.shape[-1]
    if n == 1:
        if not matrix.all():
            raise UnsolvableSystem("solve: the operator is singular: a zero on a diagonal")
        return right / matrix
    try:
        if not definite:
            return np.linalg.solve(matrix, right)
        sign = np.where(matrix[..., :1, :1].real < 0, -1.0, 1.0)
        lower = np.linalg.cholesky(sign * matrix)
    except np.linalg.LinAlgError as error:
        what = "not positive definite" if definite else f"singular: a matrix of {n} rows in it is"
        raise UnsolvableSystem(f"solve: the operator is {what}") from error
    upper = lower.conj().swapaxes(-1, -2)
    middle = _substituted(lower, sign * right)[..., ::-1, :]
    return _substituted(upper[..., ::-1, ::-1], middle)[..., ::-1, :]


def _substituted(lower: Array, right: Array) -> Array:
    """Solve with lower triangular matrices, block by block."""
    x = np.empty(right.shape, np.result_type(lower, right))
    for start in range(0, lower.shape[-1], BLOCK):
        block = slice(start, start + BLOCK)
        rest = right[..., block, :] - lower[..., block, :start] @ x[..., :start, :]
        x[..., block, :] = np.linalg.solve(lower[..., block, block], rest)
    return x


# Tensors ----------------------------------------------------------------------------------------

Shape = tuple[int, ...]


class FactoredOperator:
    """A sum of parts as a tensor and a linear operator, of the arrays of any library.

    Its last axes, `columns` in number, meet those of an operand.
    """

    parts: tuple[Part, ...]
    shape: Shape
    columns: int

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries, zeros included."""
        return prod(self.shape)

    @property
    def cores(self) -> tuple[Any, ...]:
        """The arrays of all parts."""
        return tuple(core for part in self.parts for core in part.cores)

    def _shown(self, kind: str) -> str:
        """A kind, the axes, the parts as index strings, and how much is stored."""
        parts = " + ".join(repr(p)[len("<Part ") : -1] for p in self.parts)
        stored = sum(prod(core.shape) for core in self.cores)
        return f"<{kind} {self.shape}, {parts}: {stored} numbers for {self.size} entries>"

    # What other libraries do otherwise.

    @property
    def _xp(self) -> Any:
        return np

    def _operand(self, operand: Any) -> Any:
        """What is on the right of `@`, as an array of the library."""
        return numbers("the operand of @", operand)

    def _product(self, factors: Iterable[tuple[Any, Indices]], wanted: Indices) -> Any:
        """The product of arrays with labelled axes, of which the last one may have equal labels."""
        return np.einsum(*chain.from_iterable(factors), wanted, optimize=True)

    def _spread(self, array: Any, present: Indices, labels: Indices, shape: Shape) -> Any:
        """An array with labels `present` as one with axes `labels`: 0 off the diagonals."""
        if present == labels:
            return array
        result = np.zeros(shape, array.dtype)
        Part((array,), (present,), labels).add_to(result)
        return result

    # Entries and products -------------------------------------------------------------------

    def todense(self) -> Any:
        """The tensor as one array."""
        return reduce(add, map(self._entries, self.parts))

    def _entries(self, part: Part) -> Any:
        present = tuple(i for i in dict.fromkeys(part.labels) if i in part.used())
        product = self._product(zip(part.cores, part.axes, strict=True), present)
        return self._spread(product, present, part.labels, self.shape)

    def _sides(self) -> tuple[Shape, Shape]:
        rows = self.ndim - self.columns
        return self.shape[:rows], self.shape[rows:]

    def transposed(self) -> Self:
        """The operator with its rows and columns exchanged."""
        rows = self.ndim - self.columns
        order = (*range(rows, self.ndim), *range(rows))
        parts: list[Part] = []
        for part in self.parts:
            moved = [part.labels[k] for k in order]
            names = {i: moved.index(i) for i in moved}
            parts.append(part.renamed(names, tuple(names[i] for i in moved)))
        made = copy(self)
        made.parts, made.columns = tuple(parts), rows
        made.shape = tuple(self.shape[k] for k in order)
        return made

    def __matmul__(self, operand: Any) -> Any:
        """The product with a tensor, a flat vector, or a matrix of flat columns.

        For a Hessian, the Hessian-vector product. Raises `ShapeError` where the operand does not
        fit.
        """
        rows, columns = self._sides()
        array = self._operand(operand)
        result = self._times(_as_tensor("@", self._xp, array, columns))
        return _restored(self._xp, result, tuple(array.shape), rows, columns)

    def _times(self, operand: Any) -> Any:
        """The product with a tensor of the columns' axes and perhaps one more, which stays last."""
        rows = self.ndim - self.columns
        several = tuple(operand.shape[self.columns :])

        def summand(part: Part) -> Any:
            last = (max([self.ndim - 1, *part.used()]) + 1,) * len(several)
            operand_labels, labels = (*part.labels[rows:], *last), (*part.labels[:rows], *last)
            present = part.used().union(operand_labels)
            wanted = tuple(i for i in dict.fromkeys(labels) if i in present)
            factors = (*zip(part.cores, part.axes, strict=True), (operand, operand_labels))
            product = self._product(factors, wanted)
            return self._spread(product, wanted, labels, (*self.shape[:rows], *several))

        return reduce(add, map(summand, self.parts))

    def aslinearoperator(self) -> Any:
        """The operator on flat vectors of NumPy for SciPy's iterative methods; needs SciPy."""
        linalg: Any = import_module("scipy.sparse.linalg")
        rows, columns = self._sides()
        turned = self.transposed()

        def times(operator: FactoredOperator, shape: Shape, x: Array) -> Array:
            more = x.shape[1:]
            operand = operator._operand(x.reshape((*shape, *more)))
            return np.asarray(operator._times(operand)).reshape((-1, *more))

        def by_adjoint(x: Array) -> Array:
            return times(turned, rows, x.conj()).conj()

        by_columns = partial(times, self, columns)
        return linalg.LinearOperator(
            (prod(rows), prod(columns)),
            matvec=by_columns,
            rmatvec=by_adjoint,
            matmat=by_columns,
            rmatmat=by_adjoint,
            dtype=np.result_type(*map(np.asarray, self.cores)),
        )


class FactoredTensor(FactoredOperator):
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
            raise AttributeError(f"a FactoredTensor has no attribute {shown(name)}")
        build, results, sizes = deferred
        self.__dict__.update(build(results, sizes).__dict__)
        self.__dict__.pop("_deferred", None)
        return getattr(self, name)

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
        return self._shown("FactoredTensor of axes")

    # Entries ------------------------------------------------------------------------------------

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
            above, below = part.labels[: len(rows)], part.labels[len(rows) :]
            names = representatives(part.labels, zip(above, below, strict=True))
            labels = tuple(names[i] for i in above)
            part.renamed(names, labels).add_to(result)
        return result

    # As an operator -----------------------------------------------------------------------------

    def __rmatmul__(self, operand: Any) -> Array:
        """The transposed operator's product with `operand`, as `@` with a vector is."""
        array = numbers("the operand of @", operand)
        flat = array.ndim == 2 and array.shape != self._sides()[0]
        return (self.transposed() @ array.T).T if flat else self.transposed() @ array

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
        array = numbers("solve: b", b)
        given = _as_tensor("solve", np, array, rows)
        if prod(rows) != prod(columns):
            raise ShapeError(f"solve: rows have axes {rows}, columns {columns}: not square")
        if assume is not None and str(assume) != "positive definite":
            raise UnsupportedOperation(
                f"solve: assume 'positive definite' or None, not {shown(assume)}"
            )
        if assume and not (self.diagonal().real > 0).all():
            raise UnsolvableSystem("solve: the operator is not positive definite")
        given = given if given.ndim > len(rows) else given[..., None]
        found = _solve(self.parts, self.shape, self.columns, given, assume is not None)
        return _restored(np, found, array.shape, columns, rows)


def columns_of(axes: Sequence[Size], columns: int | None) -> int:
    """How many of the axes are columns, by default half; `ShapeError` where there are fewer.

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


def _as_tensor(what: str, xp: Any, array: Any, axes: Shape) -> Any:
    """An operand as a tensor of those axes, and perhaps one more, for its columns."""
    given, n = tuple(array.shape), prod(axes)
    if given == axes:
        return array
    if given == (n,) or (len(given) == 2 and given[0] == n):
        return xp.reshape(array, (*axes, *given[1:]))
    raise ShapeError(
        f"{what}: the operand has shape {given}; it needs axes {axes}, or ({n},) if flat, or "
        f"({n}, k) for k flat columns"
    )


def _restored(xp: Any, result: Any, operand: Shape, axes: Shape, given: Shape) -> Any:
    """A result with axes `axes`, and perhaps one more, in the form that the operand has."""
    return xp.reshape(result, axes if operand == given else (prod(axes), *operand[1:]))
