"""What normal forms choose to read a class as."""

from fractions import Fraction
from typing import Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.sparsity import Sparsity
from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.constructors import FUNCTION_NODES
from eggrad.engine.terms.functions import MATRIX_FUNCTIONS, record

__all__ = ["NormalModel"]

# What a node costs where normal forms choose: a function that others define, and any other.
DEFINED: Final = 100_000
FUNCTION: Final = 1_000


class NormalModel(CostModel):
    """The cost by which normal forms choose what to read a class as: sums and products first."""

    def node(
        self,
        constructor: str,
        data: tuple[object, ...],
        args: tuple[Dims, ...],
        out: Dims,
        deltas: tuple[Sparsity, ...],
        *,
        same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
    ) -> int:
        """What has a definition by others is dear, a sum or product is cheap."""
        if constructor in FUNCTION_NODES.values():
            return DEFINED if record(str(data[0])).composite else FUNCTION
        if constructor in ("numeric", "numeric2", "adj"):
            return DEFINED
        return FUNCTION if constructor in MATRIX_FUNCTIONS else 1
