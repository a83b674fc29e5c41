"""Factored tensors of any library's arrays: sums of products of cores and deltas.

As for NumPy (`engine/compilation/factored_code.py`) the compiled function computes cores alone, and
no entry of the tensor. As a linear operator it is what iterative solvers ask for.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import islice
from typing import Any

from eggrad.engine.backends.function import ArrayFunction
from eggrad.engine.backends.kernels import Kernels, kernels_of
from eggrad.engine.backends.libraries import LIBRARIES
from eggrad.engine.compilation.factored_code import CompiledFactors, Product, parts_of
from eggrad.engine.indices.spec import Dims, Indices, letters
from eggrad.engine.runtime.factored import FactoredOperator, Part
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
    def _kernels(self) -> Kernels:
        return kernels_of(self.library, LIBRARIES[self.library].namespace_of(self.cores))

    @property
    def _xp(self) -> Any:
        return self._kernels.xp

    def _operand(self, operand: Any) -> Any:
        core = self.cores[0]
        if self.library == "jax":
            return self._xp.asarray(operand)
        same = isinstance(operand, type(core)) and operand.dtype == core.dtype
        return operand if same else self._kernels.array(operand, core)

    def _product(self, factors: Iterable[tuple[Any, Indices]], wanted: Indices) -> Any:
        kernels = self._kernels
        arrays, axes = zip(*factors, strict=True)
        last = kernels.diagonal(arrays[-1], axes[-1])
        spec = letters(*axes[:-1], tuple(dict.fromkeys(axes[-1])), wanted)
        return kernels.einsum(spec, *arrays[:-1], last)

    def _spread(self, array: Any, present: Indices, labels: Indices, shape: tuple[int, ...]) -> Any:
        length = dict(zip(labels, shape, strict=True))
        thin = tuple(length[i] if i in present else 1 for i in dict.fromkeys(labels))
        array = self._xp.reshape(array, thin)
        if len({*labels}) < len(labels):
            return self._kernels.with_zeros(array, labels, shape, array)
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


class ArrayFactors(CompiledFactors, ArrayFunction):
    """A function of a library's arrays that returns a `FactoredArray` for each root, or a single.

    `source` is the text that computes their cores.
    """

    def __init__(
        self,
        library: str,
        roots: Sequence[Term],
        *more: Any,
        jit: bool | None = None,
        **options: Any,
    ) -> None:
        """Write the code of the cores; the arguments are those of `CompiledFactors`."""
        self._use(library, jit)
        CompiledFactors.__init__(self, roots, *more, **options)

    def _finished(
        self, products: Sequence[Product], end: int, dims: Dims, columns: int
    ) -> Callable[[Any, Mapping[str, int]], FactoredArray]:
        def tensor(results: Sequence[Any], sizes: Mapping[str, int]) -> FactoredArray:
            parts = parts_of(products, end, results)
            return FactoredArray(self._kind, parts, concrete(dims, sizes), columns)

        return tensor

    def _remade(self) -> Callable[..., "ArrayFactors"]:
        return partial(ArrayFactors, self._kind, jit=self._jit)
