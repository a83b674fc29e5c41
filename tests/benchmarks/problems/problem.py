"""What a benchmark problem is: data, a function, its derivatives by hand, and our input."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from eggrad import Expression

__all__ = [
    "DENSE",
    "QUANTITIES",
    "Array",
    "Problem",
    "Quantity",
    "direction",
    "outer",
    "triangle",
    "without_buffers",
]

Array = np.ndarray[Any, np.dtype[np.float64]]

# The name of each quantity, and what tables call it.
QUANTITIES = {
    "gradient": "value and gradient",
    "jacobian": "Jacobian",
    "jacobian_factored": "Jacobian, factored",
    "hessian": "Hessian",
    "hessian_factored": "Hessian, factored",
    "third": "third derivative",
    "hvp": "Hessian-vector product",
}

# The dense quantity that a factored one stands for.
DENSE = {"hessian_factored": "hessian", "jacobian_factored": "jacobian"}


@dataclass(frozen=True)
class Quantity:
    """A derivative: the sizes at which it is measured, and ways to write it by hand.

    Each way takes the problem's arrays in order, a Hessian-vector product the direction as well.
    A gradient comes with the value before it. `dense` makes the whole tensor from a factored form
    and the problem's arrays.
    """

    sizes: tuple[int, ...]
    by_hand: Mapping[str, Callable[..., Any]]
    dense: Callable[..., Array] | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """A function of its first array.

    `data(n)` has the arrays by name, the variable first; `axes` are theirs for eggrad, and `assume`
    says what is declared of them. `function(ops, *arrays)` is written with Python's operators and
    the functions of `ops`: exp, log, tanh, sum, relu, logsumexp, solve, slogdet. `for_eggrad` is
    the same where eggrad is given another form.
    """

    name: str
    title: str
    data: Callable[[int], dict[str, Array]]
    axes: Mapping[str, tuple[str | int, ...]]
    function: Callable[..., Any]
    quantities: Mapping[str, Quantity]
    for_eggrad: Callable[..., Any] | None = None
    assume: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def expression(self) -> "Expression":
        """The function of variables."""
        import eggrad as eg

        own = [
            eg.variable(name, dims, self.assume.get(name, ())) for name, dims in self.axes.items()
        ]
        return (self.for_eggrad or self.function)(eg, *own)

    def arguments(self, quantity: str, n: int) -> dict[str, Array]:
        """The arrays by name; for a Hessian-vector product the direction `v` comes last."""
        found = self.data(n)
        if quantity == "hvp":
            found["v"] = direction(next(iter(found.values())))
        return found


def direction(x: Array) -> Array:
    """A random array of the same shape."""
    return np.random.default_rng(x.size + 1).standard_normal(x.shape)


def outer(a: Array, b: Array) -> Array:
    """The outer product of two vectors, by BLAS: two to three times as fast as broadcasting."""
    return np.dot(a[:, None], b[None])


@cache
def triangle(n: int) -> tuple[Array, Array, Array]:
    """The pairs b <= c, and where each (b, c) stands among them."""
    b, c = np.triu_indices(n)
    place = np.empty((n, n), np.intp)
    place[b, c] = place[c, b] = np.arange(len(b))
    return b, c, place


def without_buffers(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with NumPy's buffers smaller than a row.

    Into these, of 8192 numbers otherwise, NumPy gathers rows of operands that are broadcast or
    transposed; where rows are long that makes an operation take up to three times as long.
    """

    @np.errstate()
    def call(*arrays: Array) -> Any:
        np.setbufsize(96)
        return function(*arrays)

    return call
