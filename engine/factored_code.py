"""Terms as functions that return factored tensors: the generated code computes cores alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from eggrad.engine.compiled import CompiledFunction
from eggrad.engine.factored import FactoredTensor, Part, columns_of
from eggrad.engine.source import Form
from eggrad.engine.spec import Size
from eggrad.engine.structure import Product, structure
from eggrad.engine.term import Term, variables

__all__ = ["CompiledFactors", "compile_factored"]


class CompiledFactors(CompiledFunction):
    """A function of keyword arrays that returns a `FactoredTensor` for each root, or for a single.

    `source` is the Python text that computes their cores. Keywords and errors are those of
    `CompiledFunction`.
    """

    def __init__(
        self,
        roots: Sequence[Term],
        scope: Iterable[Term],
        sizes: Mapping[str, int] | None,
        columns: int | None,
        single: bool,
    ) -> None:
        """Generate and compile; `compile_factored` says what the arguments are."""
        self._arguments = tuple(roots), tuple(scope), sizes, columns, single
        products = [structure(root) for root in roots]
        cores = tuple(core for own in products for p in own for core, _ in p.cores)
        symbols = {d for root in roots for d in root.dims if isinstance(d, str)}
        builders: list[Callable[[Any, Mapping[str, int]], FactoredTensor]] = []
        first = 0
        for root, own in zip(roots, products, strict=True):
            end = first + sum(len(p.cores) for p in own)
            axes = root.dims, columns_of(root.dims, columns)
            builders.append(partial(_tensor, own, slice(first, end), axes))
            first = end
        deferred = [partial(FactoredTensor.deferred, build) for build in builders]
        self._finish = deferred[0] if single else lambda *made: [d(*made) for d in deferred]
        # The cores may lack variables of the roots, whose shapes are still wanted.
        super().__init__([Form(cores)], (*scope, *variables(*roots)), sizes, wanted=symbols)

    def __reduce__(self) -> tuple[Callable[..., "CompiledFactors"], tuple[Any, ...]]:
        """Pickle the terms; generate the same code anew."""
        return CompiledFactors, self._arguments


def _tensor(
    products: Sequence[Product],
    own: slice,
    axes: tuple[Sequence[Size], int],
    results: Sequence[Any],
    sizes: Mapping[str, int],
) -> FactoredTensor:
    """The sum of `products`, whose cores are its own among the results."""
    cores = iter(results[own])
    dims, columns = axes

    def part(product: Product) -> Part:
        labels = tuple(axes for _, axes in product.cores)
        return Part(tuple(islice(cores, len(labels))), labels, product.labels)

    shape = [d if isinstance(d, int) else sizes[d] for d in dims]
    return FactoredTensor([part(p) for p in products], shape, columns)


def compile_factored(
    roots: Sequence[Term],
    scope: Iterable[Term] = (),
    sizes: Mapping[str, int] | None = None,
    columns: int | None = None,
    single: bool = False,
) -> CompiledFactors:
    r"""A function that evaluates the cores of all roots and shares their work.

    `columns` is the number of trailing axes that meet an operand; by default half of each root's.
    A `single` root's value is returned by itself. Raises `ShapeError` where a root has not so
    many axes.

    >>> from eggrad.engine.term import apply, delta, einsum, variable
    >>> v = variable("v", ("n",))
    >>> f = compile_factored([einsum("ij,i->ij", delta(("n",)), apply("exp", v))])
    >>> print(f.source.partition("\n\n\n")[2])
    def compiled(v):
        t1 = np.exp(v)
        return [t1]
    <BLANKLINE>
    >>> f(v=[0, 0])
    [<FactoredTensor of axes (2, 2), i->ii: 2 numbers for 4 entries>]
    """
    return CompiledFactors(roots, scope, sizes, columns, single)
