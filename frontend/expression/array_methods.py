"""The methods of NumPy's arrays that are functions of the same name."""

from collections.abc import Callable
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from eggrad.frontend.expression.expression import Expression

__all__ = ["ArrayMethods"]


def _function(name: str) -> "Callable[..., Expression]":
    """The function of NumPy as a method."""

    def method(self: Any, *args: Any, **options: Any) -> "Expression":
        import numpy as np

        return getattr(np, name)(self, *args, **options)

    method.__name__ = name
    method.__doc__ = f"`numpy.{name}`."
    return method


_reshaped = _function("reshape")
_transposed = _function("transpose")
_turned = _function("matrix_transpose")


class ArrayMethods:
    """Methods for `Expression` to inherit.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A = variable("A", ("m", "n"))
    >>> A.mean(axis=0).shape, A.transpose().shape, str(A.size)
    (('n',), ('n', 'm'), 'declare A[m,n] expression size(m) *(,->) size(n)')
    """

    __slots__ = ()

    clip = _function("clip")
    cumsum = _function("cumsum")
    diagonal = _function("diagonal")
    dot = _function("dot")
    flatten = _function("ravel")
    max = _function("max")
    mean = _function("mean")
    min = _function("min")
    prod = _function("prod")
    ravel = _function("ravel")
    squeeze = _function("squeeze")
    std = _function("std")
    sum = _function("sum")
    swapaxes = _function("swapaxes")
    take = _function("take")
    trace = _function("trace")
    var = _function("var")

    @property
    def mT(self) -> "Expression":  # noqa: N802 - NumPy's name
        """The last two axes exchanged."""
        return _turned(self)

    @property
    def size(self) -> "Expression | int":
        """The number of entries; a scalar expression where a size is a symbol."""
        shape: tuple[Any, ...] = cast(Any, self).shape
        number: Any = reduce(mul, shape, 1) if all(isinstance(d, int) for d in shape) else None
        if number is not None:
            return number
        from eggrad.frontend.expression.expression import as_expression

        return reduce(mul, map(as_expression, shape))

    def reshape(self, *shape: Any, order: str = "C") -> "Expression":
        """`numpy.reshape`, to a tuple of sizes or to several."""
        return _reshaped(self, shape[0] if len(shape) == 1 else shape, order=order)

    def transpose(self, *axes: Any) -> "Expression":
        """`numpy.transpose`, by a tuple of axes or by several."""
        return _transposed(self, axes[0] if len(axes) == 1 else axes or None)
