"""Python's operators as methods, and NumPy's two protocols, for `Expression` to inherit.

Expressions have operators, and the modules behind them make expressions; so those are imported
when a method is called.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn, cast

from eggrad.engine.errors import UnsupportedOperation
from eggrad.frontend.expression.array_methods import ArrayMethods

if TYPE_CHECKING:
    import numpy as np

    from eggrad.frontend.expression.conditions import Condition
    from eggrad.frontend.expression.expression import Expression

__all__ = ["Operators"]


class Operators(ArrayMethods):
    """The operators of NumPy's arrays; NumPy's own functions take what has them."""

    __slots__ = ()

    def _own(self) -> "Expression":
        return cast("Expression", self)

    def __neg__(self) -> "Expression":
        """-self."""
        return _arithmetic().negative(self)

    def __pos__(self) -> "Expression":
        """+self."""
        return self._own()

    def __abs__(self) -> "Expression":
        """abs(self), entry by entry."""
        from eggrad.frontend.expression.functions import abs

        return abs(self._own())

    def __add__(self, other: object) -> "Expression":
        """Self + other, broadcast."""
        return _arithmetic().add(self, other)

    def __radd__(self, other: object) -> "Expression":
        """Other + self, broadcast."""
        return _arithmetic().add(other, self)

    def __sub__(self, other: object) -> "Expression":
        """Self - other, broadcast."""
        return _arithmetic().subtract(self, other)

    def __rsub__(self, other: object) -> "Expression":
        """Other - self, broadcast."""
        return _arithmetic().subtract(other, self)

    def __mul__(self, other: object) -> "Expression":
        """Self * other, broadcast."""
        return _arithmetic().multiply(self, other)

    def __rmul__(self, other: object) -> "Expression":
        """Other * self, broadcast."""
        return _arithmetic().multiply(other, self)

    def __truediv__(self, other: object) -> "Expression":
        """Self / other, broadcast."""
        return _arithmetic().divide(self, other)

    def __rtruediv__(self, other: object) -> "Expression":
        """Other / self, broadcast."""
        return _arithmetic().divide(other, self)

    def __matmul__(self, other: object) -> "Expression":
        """Matrix product as NumPy's: vectors, matrices, and stacks of matrices."""
        return _arithmetic().matmul(self, other)

    def __rmatmul__(self, other: object) -> "Expression":
        """Matrix product from the left."""
        return _arithmetic().matmul(other, self)

    def __pow__(self, other: object) -> "Expression":
        """Every entry to a scalar exponent."""
        return _arithmetic().power(self, other)

    def __rpow__(self, other: object) -> "Expression":
        """Other ** self, for a scalar self."""
        return _arithmetic().power(other, self)

    def __eq__(self, other: object) -> bool:
        """Whether it is the same expression; comparing it with a number is no condition."""
        if isinstance(other, Number):
            raise UnsupportedOperation(
                "an expression is not compared with ==; numpy.where takes <, <=, > and >="
            )
        return self is other

    __hash__ = object.__hash__

    def __len__(self) -> int:
        """The length of the first axis; a number is taken for a symbol, with a warning."""
        shape = self._own().shape
        if not shape:
            raise UnsupportedOperation("an expression without axes has no length")
        return index(cast(int, shape[0]))

    def __lt__(self, other: object) -> "Condition":
        """A condition for `numpy.where`."""
        return _condition("greater", other, self)

    def __le__(self, other: object) -> "Condition":
        """A condition for `numpy.where`."""
        return _condition("greater_equal", other, self)

    def __gt__(self, other: object) -> "Condition":
        """A condition for `numpy.where`."""
        return _condition("greater", self, other)

    def __ge__(self, other: object) -> "Condition":
        """A condition for `numpy.where`."""
        return _condition("greater_equal", self, other)

    def __getitem__(self, key: object) -> "Expression":
        """Entries and slices at literal places, and new axes, as in `x[:, None]`."""
        from eggrad.frontend.expression.indexing import indexed

        return indexed(self._own(), key)

    def __iter__(self) -> Iterator["Expression"]:
        """The parts along the first axis, if its length is known."""
        from eggrad.frontend.expression.indexing import entries

        return entries(self._own())

    def __bool__(self) -> NoReturn:
        """Refuse: an expression has no value."""
        raise UnsupportedOperation(
            "an expression is neither true nor false; compare the values of evaluate() instead"
        )

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        """Refuse: NumPy would make an array of expressions."""
        raise UnsupportedOperation(
            "an expression cannot become an array: numpy.stack joins expressions, and evaluate() "
            "computes an array from values; for SciPy's functions that are no ufuncs there are "
            "eggrad.logsumexp, softmax and log_softmax, and eggrad.special.polygamma"
        )

    def __array_ufunc__(
        self, ufunc: "np.ufunc", method: str, *inputs: object, **options: object
    ) -> "Expression | Condition":
        """NumPy's element-wise functions of expressions (NEP 13)."""
        from eggrad.frontend.expression.numpy_protocols import call_ufunc

        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """NumPy's other functions of expressions (NEP 18)."""
        from eggrad.frontend.expression.numpy_protocols import call_function

        return call_function(function, args, options)


def _arithmetic() -> Any:
    from eggrad.frontend.expression import arithmetic

    return arithmetic


def _condition(comparison: str, a: object, b: object) -> "Condition":
    from eggrad.frontend.expression.conditions import Condition

    return Condition.of(comparison, a, b)
