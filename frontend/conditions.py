"""Comparisons of expressions, which stand only in `numpy.where`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from eggrad.engine.errors import UnsupportedOperation

if TYPE_CHECKING:
    from eggrad.frontend.expression import Expression

__all__ = ["Condition", "where"]


@dataclass(frozen=True, eq=False)
class Condition:
    """`step` is 1 where the condition holds and 0 elsewhere.

    >>> import numpy as np
    >>> from eggrad.frontend.functions import variable
    >>> x = variable("x", ("n",))
    >>> np.where(x >= 1, x, -x).evaluate({"x": [0.0, 1.0, 2.0]})
    array([0., 1., 2.])
    """

    step: "Expression"

    @classmethod
    def of(cls, greater: object, less: object, *, strict: bool) -> "Condition":
        """`greater > less`, or `greater >= less`."""
        from eggrad.frontend.arithmetic import subtract
        from eggrad.frontend.functions import relu, sign

        if strict:
            return cls(relu(sign(subtract(greater, less))))
        return cls(1 - relu(sign(subtract(less, greater))))

    def __and__(self, other: "Condition") -> "Condition":
        """Both."""
        return Condition(self.step * other.step)

    def __or__(self, other: "Condition") -> "Condition":
        """At least one."""
        return ~(~self & ~other)

    def __invert__(self) -> "Condition":
        """The opposite."""
        return Condition(1 - self.step)

    def __mul__(self, other: object) -> "Expression":
        """1 or 0, times something."""
        return self.step * other

    __rmul__ = __mul__

    def __bool__(self) -> NoReturn:
        """Refuse: a comparison of expressions has no value."""
        raise UnsupportedOperation(
            "a comparison of expressions is neither true nor false; write "
            "numpy.where(condition, a, b) instead of a branch"
        )

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: object,
        args: tuple[Any, ...],
        options: Mapping[str, Any],
    ) -> "Expression":
        """`numpy.where` of a condition and two numbers."""
        from eggrad.frontend.numpy_protocols import call_function

        return call_function(function, args, options)


def where(condition: object, a: object, b: object) -> "Expression":
    """`a` where the condition holds, `b` elsewhere; both are finite.

    A number times 0 is 0, so a branch that is infinite where it is not taken gives no number.
    """
    import numpy as np

    from eggrad.frontend.arithmetic import add, multiply
    from eggrad.frontend.expression import as_expression

    if isinstance(condition, np.ndarray) and condition.dtype == bool:
        condition = Condition(as_expression(condition.astype(float)))
    if not isinstance(condition, Condition):
        raise UnsupportedOperation(
            f"where: the condition is a comparison of expressions, as in numpy.where(x > 0, x, 0), "
            f"not a {type(condition).__name__}"
        )
    return add(multiply(condition.step, a), multiply((~condition).step, b))
