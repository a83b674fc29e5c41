"""Terms as functions that return factored tensors: the generated code computes cores alone."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from eggrad.engine.compilation.compiled import CompiledFunction
from eggrad.engine.compilation.source import Form
from eggrad.engine.compilation.structure import Product, structure
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Size
from eggrad.engine.runtime.factored import FactoredTensor, Part, columns_of
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.term import Term, variables

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
        *,
        reference: Sequence[Term] | None = None,
    ) -> None:
        """Generate and compile; `compile_factored` says what the arguments are."""
        self._roots, self._columns, self._is_alone = tuple(roots), columns, single
        originals = tuple(reference or roots)
        products = [structure(root, sizes) for root in roots]
        cores = tuple(core for own in products for p in own for core, _ in p.cores)
        symbols = {symbol for root in roots for d in root.dims for symbol in size_symbols(d)}
        deferred: list[Callable[[Any, Mapping[str, int]], FactoredTensor]] = []
        first = 0
        for root, own in zip(roots, products, strict=True):
            end = first + sum(len(p.cores) for p in own)
            build = partial(
                _tensor,
                products=own,
                places=slice(first, end),
                dims=root.dims,
                columns=columns_of(root.dims, columns),
            )
            deferred.append(partial(FactoredTensor.deferred, build))
            first = end
        self._finish = deferred[0] if single else lambda *made: [d(*made) for d in deferred]
        # The cores may lack variables of the roots, whose shapes are still wanted.
        every = (*scope, *variables(*roots, *originals))
        super().__init__([Form(cores)], every, sizes, reference=originals, wanted=symbols)

    def __reduce__(self) -> tuple[Callable[..., "CompiledFactors"], tuple[Any, ...]]:
        """Pickle the terms; generate the same code anew."""
        make = partial(self._made_by, reference=self._reference)
        return make, (self._roots, *self._kept())

    def _made_for_complex(self) -> CompiledFunction:
        return _ComplexFactors(self._reference, *self._kept())

    def _kept(self) -> tuple[Sequence[Term], Mapping[str, int], int | None, bool]:
        return (*self._scope, *self._variables), self._defaults, self._columns, self._is_alone


class _ComplexFactors(CompiledFactors):
    """The terms as they are, for complex arrays."""

    _is_for_real = False


def _tensor(
    results: Sequence[Any],
    sizes: Mapping[str, int],
    *,
    products: Sequence[Product],
    places: slice,
    dims: Sequence[Size],
    columns: int,
) -> FactoredTensor:
    """The sum of `products`, whose cores are at some places among the results."""
    cores = iter(results[places])

    def part(product: Product) -> Part:
        axes = tuple(own for _, own in product.cores)
        return Part(tuple(islice(cores, len(axes))), axes, product.labels)

    shape = concrete(tuple(dims), sizes)
    return FactoredTensor([part(p) for p in products], shape, columns)


def compile_factored(
    roots: Sequence[Term],
    scope: Iterable[Term] = (),
    sizes: Mapping[str, int] | None = None,
    columns: int | None = None,
    single: bool = False,
    *,
    reference: Sequence[Term] | None = None,
) -> CompiledFactors:
    r"""A function that evaluates the cores of all roots and shares their work.

    `columns` is the number of trailing axes that meet an operand; by default half of each root's.
    A `single` root's value is returned by itself. `reference` are the roots as they were before
    lowering, for complex arrays. Raises `ShapeError` where a root has not so
    many axes.

    >>> from eggrad.engine.terms.term import apply, delta, einsum, variable
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
    return CompiledFactors(roots, scope, sizes, columns, single, reference=reference)
