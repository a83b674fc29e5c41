"""Terms as functions that return factored tensors: the generated code computes cores alone."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from eggrad.engine import term as terms
from eggrad.engine.compiled import compile_terms
from eggrad.engine.factored import FactoredTensor, Part
from eggrad.engine.structure import Product, structure
from eggrad.engine.term import Term

__all__ = ["CompiledFactors", "compile_factored"]


class CompiledFactors:
    """A function of keyword arrays that returns a `FactoredTensor` for each root, or for a single.

    `source` is the Python text that computes their cores and the sizes of their axes. Keywords
    and errors are those of `CompiledFunction`.
    """

    source: str

    def __init__(
        self,
        roots: Sequence[Term],
        scope: Iterable[Term],
        sizes: Mapping[str, int] | None,
        columns: int | None,
        single: bool,
    ) -> None:
        """Generate and compile; `compile_factored` says what the arguments are."""
        self._products = [structure(root) for root in roots]
        self._dims = [root.dims for root in roots]
        self._columns = columns
        self._single = single
        cores = [core for products in self._products for p in products for core, _ in p.cores]
        self._symbols = sorted({d for dims in self._dims for d in dims if isinstance(d, str)})
        # The cores may lack variables of the roots, whose shapes are still wanted.
        self._compiled = compile_terms(
            [*cores, *map(terms.size, self._symbols)], (*scope, *terms.variables(*roots)), sizes
        )
        self.source = self._compiled.source
        self._builders = [partial(self._tensor, k) for k in range(len(self._dims))]

    def __call__(self, /, **values: Any) -> Any:
        """The value of the root, or the list of values."""
        results = self._compiled(**values)
        if self._columns is None:
            tensors = [FactoredTensor.deferred(build, results) for build in self._builders]
        else:
            # A number of columns may be wrong: better said here than later.
            tensors = [build(results) for build in self._builders]
        return tensors[0] if self._single else tensors

    def _tensor(self, root: int, results: Sequence[Any]) -> FactoredTensor:
        """The tensor of one root, given the cores of all and the sizes."""
        before = sum(len(p.cores) for products in self._products[:root] for p in products)
        cores = iter(results[before:])

        def part(product: Product) -> Part:
            axes = tuple(own for _, own in product.cores)
            return Part(tuple(islice(cores, len(axes))), axes, product.labels)

        parts = [part(p) for p in self._products[root]]
        sizes = results[len(results) - len(self._symbols) :]
        size = {d: int(n) for d, n in zip(self._symbols, sizes, strict=True)}
        shape = [d if isinstance(d, int) else size[d] for d in self._dims[root]]
        return FactoredTensor(parts, shape, self._columns)

    def __repr__(self) -> str:
        """Show the keywords."""
        return repr(self._compiled)


def compile_factored(
    roots: Sequence[Term],
    scope: Iterable[Term] = (),
    sizes: Mapping[str, int] | None = None,
    columns: int | None = None,
    single: bool = False,
) -> CompiledFactors:
    r"""A function that evaluates the cores of all roots and shares their work.

    `columns` is the number of trailing axes that meet an operand; by default half of each root's.
    A `single` root's value is returned by itself.

    >>> v = terms.variable("v", ("n",))
    >>> f = compile_factored([terms.einsum("ij,i->ij", terms.delta(("n",)), terms.apply("exp", v))])
    >>> print(f.source.partition("\n\n\n")[2])
    def compiled(v):
        n = v.shape[0]
        t1 = np.exp(v)
        return [t1, np.float64(float(n))]
    <BLANKLINE>
    >>> f(v=[0, 0])
    [<FactoredTensor of axes (2, 2), i->ii: 2 numbers for 4 entries>]
    """
    return CompiledFactors(roots, scope, sizes, columns, single)
