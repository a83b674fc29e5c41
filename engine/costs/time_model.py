"""What a node costs in time: the kernels that compute it, at the rates of a machine."""

from dataclasses import dataclass, field
from fractions import Fraction

from eggrad.engine.costs.cost import Sized
from eggrad.engine.costs.kernels import Work, node_work
from eggrad.engine.costs.rates import Rates
from eggrad.engine.indices.sparsity import Sparsity
from eggrad.engine.indices.spec import Dims

__all__ = ["TimeModel"]


@dataclass(frozen=True)
class TimeModel(Sized):
    """What nodes cost in picoseconds; it can take the place of `CostModel`."""

    rates: Rates = field(kw_only=True)
    # Thousands of e-nodes are alike in all that counts.
    _known: dict[object, int] = field(
        default_factory=dict[object, int], init=False, repr=False, compare=False
    )

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
