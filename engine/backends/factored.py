"""Factored tensors of any library's arrays: sums of products of cores and deltas.

As for NumPy (`engine/compilation/factored_code.py`) the compiled function computes cores alone, and
no entry of the tensor. As a linear operator it is what iterative solvers ask for.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import islice
from typing import Any

from eggrad.engine.backends.function import ArrayFunction
from eggrad.engine.backends.kernels import Kernels, kernels_of
from eggrad.engine.backends.libraries import LIBRARIES
from eggrad.engine.compilation.compiled import Form
from eggrad.engine.compilation.factored_code import structure
from eggrad.engine.compilation.shown import ShownFunction
from eggrad.engine.indices.spec import Indices, letters
from eggrad.engine.runtime.factored import FactoredOperator, Part, columns_of
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term


class FactoredArray(FactoredOperator):
    """A tensor as a sum of parts, each a product of cores and deltas; no entry is computed.

    It is also a linear operator: its last axes, `columns` in number, meet those of an operand,
    which is a tensor with these axes, a flat vector, or a matrix of flat columns. Called with an
    operand it is the same product: that is what `jax.scipy.sparse.linalg` takes. To JAX it is a
    tree of its cores.
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
    def dtype(self) -> Any:
        """The type of the entries."""
        return self.cores[0].dtype

    def __repr__(self) -> str:
        """Show the axes, and the parts as index strings."""
        return self._shown(f"FactoredArray of {self.library}, axes")

    def __call__(self, operand: Any) -> Any:
        """The product with an operand."""
        return self @ operand

    @property
    def _own(self) -> Kernels:
        return kernels_of(self.library, LIBRARIES[self.library].namespace_of(self.cores))

    @property
    def _xp(self) -> Any:
        return self._own.xp

    def _operand(self, operand: Any) -> Any:
        core = self.cores[0]
        if self.library == "jax":
            return self._xp.asarray(operand)
        same = getattr(operand, "dtype", None) == core.dtype
        return operand if same else self._own.array(operand, core)

    def _product(self, factors: Iterable[tuple[Any, Indices]], wanted: Indices) -> Any:
        own = self._own
        arrays, axes = zip(*factors, strict=True)
        last = own.diagonal(arrays[-1], axes[-1])
        spec = letters(*axes[:-1], tuple(dict.fromkeys(axes[-1])), wanted)
        return own.einsum(spec, *arrays[:-1], last)

    def _spread(self, array: Any, own: Indices, labels: Indices, shape: tuple[int, ...]) -> Any:
        length = dict(zip(labels, shape, strict=True))
        thin = tuple(length[i] if i in own else 1 for i in dict.fromkeys(labels))
        array = self._xp.reshape(array, thin)
        if len({*labels}) < len(labels):
            return self._own.with_zeros(array, labels, shape, array)
        return self._xp.broadcast_to(array, shape)


@cache
def _known_to_jax() -> None:
    """Let JAX's transformations take factored tensors as arguments and results."""
    tree: Any = import_module("jax.tree_util")

    def flatten(a: FactoredArray) -> tuple[tuple[Any, ...], Any]:
        return a.cores, (tuple((p.axes, p.labels) for p in a.parts), a.shape, a.columns)

    def unflatten(kept: Any, cores: Iterable[Any]) -> FactoredArray:
        factors, shape, columns = kept
        left = iter(cores)
        parts = [Part(tuple(islice(left, len(axes))), axes, labels) for axes, labels in factors]
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
                [p.part(cores) for p in products],
                concrete(dims, sizes),
                columns,
            )
            for products, dims, columns in self._roots
        ]
        return made[0] if self._single else made
