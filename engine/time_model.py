"""What a node costs in time: the kernels that compute it, at the rates of a machine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod

from eggrad.engine.affine import Lengths
from eggrad.engine.cost import DEFAULT_SIZE
from eggrad.engine.kernels import Work, node_work
from eggrad.engine.rates import Rates
from eggrad.engine.sparsity import Sparsity
from eggrad.engine.spec import Dims, Size

__all__ = ["TimeModel"]


@dataclass(frozen=True)
class TimeModel:
    """The sizes at which nodes are timed; a symbol that has none counts as 100.

    It has the methods of `CostModel` and can take its place. Its unit is the picosecond.
    """

    sizes: Mapping[Size, int] = field(default_factory=dict[Size, int])
    rates: Rates = field(kw_only=True)
    # Thousands of e-nodes are alike in all that counts.
    _known: dict[object, int] = field(
        default_factory=dict[object, int], init=False, repr=False, compare=False
    )

    def length(self, size: Size) -> int:
        """The number a size stands for; 0 counts as 1, so that every node has a cost."""
        return self._lengths[size]

    @cached_property
    def _lengths(self) -> Lengths:
        return Lengths(self.sizes, DEFAULT_SIZE)

    def entries(self, dims: Dims) -> int:
        """The number of entries of a tensor."""
        return prod(self.length(d) for d in dims)

    def work(self, work: Work) -> int:
        """The picoseconds of some work."""
        return self.rates.time(work.rate, self.entries(work.units), self.entries(work.repeats))

    def node(
        self, constructor: str, data: tuple[object, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
    ) -> int:  # fmt: skip
        """The picoseconds of one e-node, its operands given; see `kernels.node_work`.

        At least 1, so that of two terms that take as long the one with fewer nodes wins.
        """
        key = (constructor, data, args, out, deltas, same, constants)
        found = self._known.get(key)
        if found is None:
            works = node_work(constructor, data, args, out, deltas, same=same, constants=constants)
            # Of two deltas the one with fewer axes serves better.
            own = 1 + len(out) if constructor == "delta" else 1
            found = self._known[key] = own + sum(self.work(w) for w in works)
        return found
