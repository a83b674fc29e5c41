"""A stand-in for NumPy arrays that has a shape and counts operations, by `f.cost`'s convention.

Multiplications and additions count apart; an element-wise function, power, comparison or quotient
counts one an entry, `inv` and `det` as `engine/costs/cost.py` has them, `np.diag` of a vector
what a product with a delta does: the entries written. Nothing is computed.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

__all__ = ["Counter", "CountingArray"]

Shape = tuple[int, ...]


class Counter:
    """Operations so far: `as_written`, and `distinct`, where a repeated expression counts once."""

    def __init__(self) -> None:
        self.as_written = 0
        self.distinct = 0
        self._numbers: dict[object, int] = {}

    def array(self, shape: Shape, name: str) -> "CountingArray":
        """A variable."""
        return CountingArray(self, shape, self._number(("variable", name)))

    def result(
        self, what: object, operands: Sequence[Any], shape: Shape, operations: int
    ) -> "CountingArray":
        """The result of an operation on some operands, which took so many operations."""
        key = (what, *(self._key(a) for a in operands))
        self.as_written += operations
        if key not in self._numbers:
            self.distinct += operations
        return CountingArray(self, shape, self._number(key))

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _key(self, operand: Any) -> object:
        if isinstance(operand, CountingArray):
            return operand.number
        array = np.asarray(operand)
        return (array.shape, array.tobytes())


class CountingArray(np.lib.mixins.NDArrayOperatorsMixin):
    """A shape, and a number that equal expressions share."""

    def __init__(self, counter: Counter, shape: Shape, number: int) -> None:
        self.counter = counter
        self.shape = shape
        self.number = number

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def T(self) -> "CountingArray":  # noqa: N802
        return self.counter.result("transpose", [self], self.shape[::-1], 0)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Any) -> "CountingArray":
        shape = np.broadcast_to(0.0, self.shape)[index].shape
        return self.counter.result(("item", repr(index)), [self], shape, 0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc is np.matmul:
            left, right = (np.shape(a) for a in inputs)
            shape = np.matmul(np.broadcast_to(0.0, left), np.broadcast_to(0.0, right)).shape
            return self.counter.result("matmul", inputs, shape, prod(shape) * (2 * left[-1] - 1))
        shape = np.broadcast_shapes(*(np.shape(a) for a in inputs))
        return self.counter.result(ufunc.__name__, inputs, shape, prod(shape))

    def __array_function__(
        self, function: Any, _types: Any, args: tuple[Any, ...], options: Mapping[str, Any]
    ) -> Any:
        if function not in FUNCTIONS:
            return NotImplemented
        return FUNCTIONS[function](*args, **options)

    def _sum(self, axis: int | None = None) -> "CountingArray":
        kept = () if axis is None else tuple(np.delete(self.shape, axis).tolist())
        return self.counter.result(("sum", axis), [self], kept, prod(self.shape) - prod(kept))

    def _trace(self) -> "CountingArray":
        return self.counter.result("trace", [self], (), self.shape[0] - 1)

    def _diag(self) -> "CountingArray":
        if self.ndim == 2:
            return self.counter.result("diag", [self], self.shape[:1], 0)
        return self.counter.result("diag", [self], self.shape * 2, self.shape[0])

    def _norm(self) -> Any:
        return np.sqrt((self * self)._sum())

    def _inv(self) -> "CountingArray":
        return self.counter.result("inv", [self], self.shape, 2 * self.shape[0] ** 3)

    def _det(self) -> "CountingArray":
        return self.counter.result("det", [self], (), 2 * self.shape[0] ** 3 // 3)


def _outer(a: Any, b: Any) -> CountingArray:
    counter = next(x.counter for x in (a, b) if isinstance(x, CountingArray))
    shape = np.shape(a) + np.shape(b)
    return counter.result("outer", [a, b], shape, prod(shape))


def _einsum(text: str, *operands: Any) -> CountingArray:
    """One or two operands at once, more of them pair by pair in the best order."""
    counter = next(a.counter for a in operands if isinstance(a, CountingArray))
    inputs, output = text.replace(" ", "").split("->")
    pool = list(zip(inputs.split(","), operands, strict=True))
    length = {i: n for part, a in pool for i, n in zip(part, np.shape(a), strict=True)}
    path: list[Any] = [tuple(range(len(pool)))]
    if len(pool) > 2:
        dense = [np.broadcast_to(0.0, np.shape(a)) for a in operands]
        path = np.einsum_path(text, *dense, optimize="optimal")[0][1:]
    for step in path:
        chosen = [pool[k] for k in step]
        pool = [p for k, p in enumerate(pool) if k not in step]
        needed = set(output).union(*(part for part, _ in pool))
        inside = dict.fromkeys("".join(part for part, _ in chosen))
        kept = output if not pool else "".join(i for i in inside if i in needed)
        points, entries = (prod(length[i] for i in part) for part in (inside, kept))
        spec = f"{','.join(part for part, _ in chosen)}->{kept}"
        operations = (len(chosen) - 1) * points + points - entries
        shape = tuple(length[i] for i in kept)
        whole = counter.result(("einsum", spec), [a for _, a in chosen], shape, operations)
        pool.append((kept, whole))
    return pool[0][1]


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.shape: lambda a: a.shape,
    np.sum: CountingArray._sum,
    np.trace: CountingArray._trace,
    np.diag: CountingArray._diag,
    np.linalg.norm: CountingArray._norm,
    np.linalg.inv: CountingArray._inv,
    np.linalg.det: CountingArray._det,
    np.ones_like: lambda a: np.ones(a.shape),
    np.outer: _outer,
    np.einsum: _einsum,
}
