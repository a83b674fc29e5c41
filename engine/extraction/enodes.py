"""What e-classes are made of."""

from fractions import Fraction
from typing import Any, NamedTuple, cast

from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.indicator_plan import Chosen, Sparsity
from eggrad.engine.indices.spec import Spec
from eggrad.engine.terms.term import NUMERIC_NAMES


class ENode(NamedTuple):
    """An e-node of an e-class: constructor, data, the e-classes of its operands.

    `subsumed` says that a rule has found something better for every purpose, `stable` that a rule
    vouches for its digits.
    """

    constructor: str
    data: tuple[Any, ...]
    children: tuple[int, ...]
    subsumed: bool = False
    stable: bool = False

    @property
    def operation(self) -> str:
        """The name of a numeric operation, which is none of expressions; empty for all others."""
        return str(self.data[0]) if self.constructor in NUMERIC_NAMES else ""

    @property
    def spec(self) -> Spec:
        """The indices of a product."""
        return cast(Spec, self.data[0])

    @property
    def value(self) -> Fraction:
        """The number of a constant or of a multiple, of which a negative is one."""
        return Fraction(-1 if self.constructor == "negate" else cast(Fraction, self.data[0]))

    @property
    def constraints(self) -> Constraints:
        """The conditions of an indicator."""
        return cast(Constraints, self.data[1])

    @property
    def sparsity(self) -> Sparsity:
        """What costs know of a delta, of an indicator and of a selection."""
        if self.operation == "selection":
            return Chosen(len(self.data[1]))
        return self.constraints if self.constructor == "indicator" else self.constructor == "delta"
