"""Kronecker products, whose sizes are products of sizes."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.spec import Dims
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import merged
from eggrad.frontend.expression.expression import Expression, add, as_expression, divide, multiply

__all__ = ["Kronecker", "kron"]


@dataclass(frozen=True, eq=False)
class Kronecker:
    """A matrix of blocks: its entry at row (i, j) and column (k, l) is `blocks[i, j, k, l]`.

    There is no size that is the product of two symbols, so this is no expression. Products,
    sums, multiples, the transpose and the trace of Kronecker products can be written.

    >>> A, B = language.variable("A", ("m", "m")), language.variable("B", ("n", "n"))
    >>> np.trace(np.kron(A, B)).shape
    ()
    """

    blocks: Expression
    __array_ufunc__ = None

    @property
    def T(self) -> "Kronecker":  # noqa: N802 - NumPy's name
        """The transpose."""
        return Kronecker(ax.permuted(self.blocks, (2, 3, 0, 1)))

    def __matmul__(self, other: "Kronecker") -> "Kronecker":
        """The product of two."""
        _check_blocks(self.blocks.shape[2:], _blocks(other).shape[:2])
        return Kronecker(language.einsum("ijkl,klmn->ijmn", self.blocks, _blocks(other)))

    def __add__(self, other: "Kronecker") -> "Kronecker":
        """The sum of two."""
        _check_blocks(self.blocks.shape, _blocks(other).shape)
        return Kronecker(add(self.blocks, _blocks(other)))

    def __sub__(self, other: "Kronecker") -> "Kronecker":
        """The difference of two."""
        return self + (-other)

    def __neg__(self) -> "Kronecker":
        """The negative."""
        return Kronecker(-self.blocks)

    def __mul__(self, other: object) -> "Kronecker":
        """A multiple."""
        return Kronecker(multiply(self.blocks, _scalar(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Kronecker":
        """A part."""
        return Kronecker(divide(self.blocks, _scalar(other)))

    def trace(self) -> Expression:
        """The sum of the diagonal."""
        return language.einsum("ijij->", self.blocks)

    def __array_function__(
        self, function: Any, types: object, args: tuple[Any, ...], options: dict[str, Any]
    ) -> Any:
        """NumPy's trace, sum and transpose."""
        if args == (self,) and not options:
            if function is np.trace:
                return self.trace()
            if function is np.transpose:
                return self.T
            if function is np.sum:
                return language.sum(self.blocks)
        raise UnsupportedOperation(
            f"numpy.{function.__name__} of a Kronecker product is not supported; its tensor of "
            "order 4 is the property 'blocks'"
        )


def kron(a: Any, b: Any) -> Kronecker | Expression:
    """`numpy.kron`, of two matrices; an expression where their sizes are integers."""
    left, right = as_expression(a), as_expression(b)
    if left.ndim != 2 or right.ndim != 2:
        raise UnsupportedOperation("kron: both arguments are matrices")
    blocks = language.einsum("ik,jl->ijkl", left, right)
    if all(isinstance(d, int) for d in blocks.shape):
        return merged(merged(blocks, 0, 2), 1, 2)
    return Kronecker(blocks)


def _blocks(other: object) -> Expression:
    if isinstance(other, Kronecker):
        return other.blocks
    raise UnsupportedOperation("a Kronecker product meets other Kronecker products alone")


def _check_blocks(first: Dims, second: Dims) -> None:
    if first != second:
        raise UnsupportedOperation(
            f"Kronecker products whose factors have other sizes, {first} and {second}, do not meet"
        )


def _scalar(other: object) -> Expression:
    own = as_expression(other)
    if own.ndim:
        raise UnsupportedOperation("a Kronecker product has only multiples by scalars")
    return own
