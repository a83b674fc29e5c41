"""Factored tensors of any library's arrays: sums of products of cores and deltas.

As for NumPy (`engine/compilation/factored_code.py`) the compiled function computes cores alone, and
no entry of the tensor. As a linear operator it is what iterative solvers ask for.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial, reduce
from importlib import import_module
from itertools import islice
from math import prod
from operator import add
from typing import Any

import numpy as np

from eggrad.engine.backends.function import ArrayFunction
from eggrad.engine.backends.kernels import Kernels, kernels_of
from eggrad.engine.backends.libraries import LIBRARIES
from eggrad.engine.compilation.compiled import Form
from eggrad.engine.compilation.factored_code import Product, structure
from eggrad.engine.compilation.shown import ShownFunction
from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Indices, letters
from eggrad.engine.runtime.factored import Part, columns_of
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term


class FactoredArray:
    """A tensor as a sum of parts, each a product of cores and deltas; no entry is computed.

    It is also a linear operator: its last axes, `columns` in number, meet those of an operand,
    which is a tensor with these axes or a flat vector. Called with an operand it is the same
    product: that is what `jax.scipy.sparse.linalg` takes. To JAX it is a tree of its cores.
    """

    def __init__(
        self, library: str, parts: Sequence[Part], shape: Sequence[int], columns: int
    ) -> None:
        """Keep the parts; `eggrad.compile(f, backend, structure="factored")` makes one."""
        self.library, self.columns = library, columns
        self.parts, self.shape = tuple(parts), tuple(shape)
        if library == "jax":
            _known_to_jax()

    @property
    def cores(self) -> tuple[Any, ...]:
        """The arrays of all parts."""
        return tuple(core for part in self.parts for core in part.cores)

    @property
    def dtype(self) -> Any:
        """The type of the entries."""
        return self.cores[0].dtype

    def __repr__(self) -> str:
        """Show the axes, and the parts as index strings."""
        parts = " + ".join(repr(p)[len("<Part ") : -1] for p in self.parts)
        stored = sum(prod(core.shape) for core in self.cores)
        return (
            f"<FactoredArray of {self.library}, axes {self.shape}, {parts}: {stored} numbers for "
            f"{prod(self.shape)} entries>"
        )

    @property
    def _own(self) -> Kernels:
        if self.library == "array_api":
            from array_api_compat import array_namespace

            return kernels_of(self.library, array_namespace(*self.cores))
        return kernels_of(self.library, LIBRARIES[self.library].module())

    def _sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        rows = len(self.shape) - self.columns
        return self.shape[:rows], self.shape[rows:]

    def todense(self) -> Any:
        """The tensor as one array."""
        own = self._own
        found = (
            _written(
                own,
                own.einsum(letters(*p.axes, _present(p)), *p.cores),
                _present(p),
                p.labels,
                self.shape,
            )
            for p in self.parts
        )
        return reduce(add, found)

    def transposed(self) -> "FactoredArray":
        """The operator with its rows and columns exchanged."""
        count = len(self.shape)
        rows = count - self.columns
        order = (*range(rows, count), *range(rows))
        parts: list[Part] = []
        for part in self.parts:
            moved = [part.labels[k] for k in order]
            names = {i: moved.index(i) for i in moved}
            parts.append(part.renamed(names, tuple(names[i] for i in moved)))
        return FactoredArray(self.library, parts, [self.shape[k] for k in order], rows)

    def __matmul__(self, operand: Any) -> Any:
        """The product with a tensor of the columns' axes, or a flat vector: it is flat then."""
        own, core = self._own, self.cores[0]
        rows, columns = self._sides()
        if self.library != "jax" and getattr(operand, "dtype", None) != core.dtype:
            operand = own.array(operand, core)
        given = tuple(own.xp.asarray(operand).shape)
        if given not in (columns, (prod(columns),)):
            raise ShapeError(
                f"@: the operand has shape {given}; it needs axes {columns}, or ({prod(columns)},)"
            )
        tensor = own.xp.reshape(operand, columns)
        found = (self._times(own, part, tensor, rows) for part in self.parts)
        result = reduce(add, found)
        return result if given == columns else own.xp.reshape(result, (prod(rows),))

    __call__ = __matmul__

    def _times(self, own: Kernels, part: Part, x: Any, rows: tuple[int, ...]) -> Any:
        across = part.labels[len(rows) :]
        down = part.labels[: len(rows)]
        x = own.diagonal(x, across) if len({*across}) < len(across) else x
        operand = tuple(dict.fromkeys(across))
        present = part.used().union(operand)
        wanted = tuple(i for i in dict.fromkeys(down) if i in present)
        product = own.einsum(letters(*part.axes, operand, wanted), *part.cores, x)
        return _written(own, product, wanted, down, rows)

    def aslinearoperator(self) -> Any:
        """The operator on flat vectors of NumPy for SciPy's iterative methods; needs SciPy."""
        linalg: Any = import_module("scipy.sparse.linalg")
        rows, columns = self._sides()
        like = self.cores[0]
        convert = self._own.array

        def times(operator: FactoredArray, x: Any) -> Any:
            return np.asarray(operator @ convert(x.ravel(), like)).ravel()

        return linalg.LinearOperator(
            (prod(rows), prod(columns)),
            matvec=partial(times, self),
            rmatvec=partial(times, self.transposed()),
            dtype=np.asarray(like).dtype,
        )


def _present(part: Part) -> Indices:
    """The labels of the tensor that cores have."""
    used = part.used()
    return tuple(i for i in dict.fromkeys(part.labels) if i in used)


def _written(
    own: Kernels, x: Any, present: Indices, labels: Indices, shape: tuple[int, ...]
) -> Any:
    """An array of the labels present as one with axes `labels`: 0 off the diagonals."""
    length = dict(zip(labels, shape, strict=True))
    thin = tuple(length[i] if i in present else 1 for i in dict.fromkeys(labels))
    x = own.xp.reshape(x, thin)
    if len({*labels}) < len(labels):
        return own.with_zeros(x, labels, shape, x)
    return own.xp.broadcast_to(x, shape)


@cache
def _known_to_jax() -> None:
    """Let JAX's transformations take factored tensors as arguments and results."""
    tree: Any = import_module("jax.tree_util")

    def flatten(a: FactoredArray) -> tuple[tuple[Any, ...], Any]:
        counts = tuple((len(p.cores), p.axes, p.labels) for p in a.parts)
        return a.cores, (counts, a.shape, a.columns)

    def unflatten(kept: Any, cores: Iterable[Any]) -> FactoredArray:
        counts, shape, columns = kept
        left = iter(cores)
        parts = [Part(tuple(islice(left, n)), axes, labels) for n, axes, labels in counts]
        return FactoredArray("jax", parts, shape, columns)

    tree.register_pytree_node(FactoredArray, flatten, unflatten)


class ArrayFactors(ShownFunction):
    """A function of a library's arrays that returns a `FactoredArray` for each root, or a single.

    `source` is the text that computes their cores; arguments are those of `ArrayFunction`.
    """

    def __init__(
        self,
        library: str,
        roots: Sequence[Term],
        *,
        scope: Iterable[Term] = (),
        sizes: Mapping[str, int] | None = None,
        columns: int | None = None,
        single: bool = False,
        jit: bool | None = None,
    ) -> None:
        """Write the code of the cores."""
        self._single = single
        self._roots = [(structure(r, sizes), r.dims, columns_of(r.dims, columns)) for r in roots]
        cores = [core for products, _, _ in self._roots for p in products for core, _ in p.cores]
        self._function = ArrayFunction(library, [Form(tuple(cores))], scope, sizes, jit=jit)
        self._library = library
        self.source, self.parameters = self._function.source, self._function.parameters
        self._again = partial(
            ArrayFactors,
            scope=tuple(scope),
            sizes=sizes,
            columns=columns,
            single=single,
            jit=jit,
        )
        self._terms = tuple(roots)
        self._describe(f"factored {library}", self._terms, dict(sizes or {}))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the terms; write the same code anew."""
        return self._again, (self._library, self._terms)

    def __call__(self, /, *args: Any, **values: Any) -> Any:
        """The factored tensor, or the list of them."""
        cores = iter(self._function(*args, **values))
        sizes = self._function.sizes(*args, **values)
        made = [
            FactoredArray(
                self._library,
                [_part(product, cores) for product in products],
                concrete(dims, sizes),
                columns,
            )
            for products, dims, columns in self._roots
        ]
        return made[0] if self._single else made


def _part(product: Product, cores: Any) -> Part:
    axes = tuple(own for _, own in product.cores)
    return Part(tuple(islice(cores, len(axes))), axes, product.labels)
