"""What the data of a node say, by its operation."""

from fractions import Fraction
from typing import cast

from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.spec import Spec
from eggrad.engine.terms.fixed_arrays import FixedArray

__all__ = ["Payload"]


class Payload:
    """A node whose `data` have a type that its operation decides."""

    __slots__ = ()
    data: object

    @property
    def name(self) -> str:
        """What a variable is called."""
        return cast(tuple[str], self.data)[0]

    @property
    def assumed(self) -> tuple[str, ...]:
        """What a variable is declared to be."""
        return cast(tuple[str, tuple[str, ...]], self.data)[1]

    @property
    def value(self) -> Fraction:
        """The number that every entry of a constant is."""
        return cast(Fraction, self.data)

    @property
    def array(self) -> FixedArray:
        """The numbers of an array."""
        return cast(FixedArray, self.data)

    @property
    def symbol(self) -> str:
        """The size whose value a scalar is."""
        return cast(str, self.data)

    @property
    def constraints(self) -> Constraints:
        """The conditions under which an indicator is 1."""
        return cast(Constraints, self.data)

    @property
    def spec(self) -> Spec:
        """The indices of a product's operands and of its result."""
        return cast(Spec, self.data)

    @property
    def number(self) -> int:
        """The whole number of an operation that has one, as the order of `cofactors`."""
        return cast(int, self.data)
