"""Comparisons of expressions, and choices by them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from eggrad.engine.errors import UnsupportedOperation

if TYPE_CHECKING:
    from eggrad.frontend.expression.expression import Expression

__all__ = ["Condition", "where"]


@dataclass(frozen=True, eq=False)
class Condition:
    """`test` is 1 where the condition holds and 0 elsewhere.

    >>> import numpy as np
    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> np.where(x >= 1, x, -x).evaluate({"x": [-1.0, 1.0, 2.0]})
    array([1., 1., 2.])
    """

    test: "Expression"

    @classmethod
    def of(cls, comparison: str, a: object, b: object) -> "Condition":
        """A comparison, by the name of its function."""
        from eggrad.frontend.expression.arithmetic import applied

        return cls(applied(comparison, a, b))

    def __and__(self, other: "Condition") -> "Condition":
        """Both."""
        return Condition.of("logical_and", self.test, other.test)

    def __or__(self, other: "Condition") -> "Condition":
        """At least one."""
        return Condition.of("logical_or", self.test, other.test)

    def __invert__(self) -> "Condition":
        """The opposite."""
        from eggrad.frontend.expression.arithmetic import applied

        return Condition(applied("logical_not", self.test))

    def __mul__(self, other: object) -> "Expression":
        """1 or 0, times something."""
        return self.test * other

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
        from eggrad.frontend.expression.numpy_protocols import call_function

        return call_function(function, args, options)


def where(condition: object, a: object, b: object) -> "Expression":
    """`a` where the condition holds, `b` elsewhere, entry by entry.

    What is not selected never matters, undefined as it may be, in values and in derivatives. The
    condition is a comparison, an array of truth values, or an expression, which holds where it is
    not 0.

    >>> from eggrad.frontend.expression.functions import log, variable
    >>> x = variable("x")
    >>> float(where(x > 0, x * log(x), 0).evaluate({"x": 0}))
    0.0
    """
    import numpy as np

    from eggrad.frontend.expression.arithmetic import applied
    from eggrad.frontend.expression.expression import Expression, as_expression

    if isinstance(condition, np.ndarray | bool | np.bool_) and np.asarray(condition).dtype == bool:
        condition = as_expression(np.asarray(condition).astype(float))
    test = condition.test if isinstance(condition, Condition) else condition
    if not isinstance(test, Expression):
        raise UnsupportedOperation(
            f"where: the condition is a comparison of expressions, as in numpy.where(x > 0, x, 0), "
            f"not a {type(condition).__name__}"
        )
    return applied("where", test, a, b)
