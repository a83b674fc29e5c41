"""What a node costs: its floating-point operations, what it writes, and that it is there.

Units are floating-point operations at given sizes. A call of an array function costs as much as
some thousand operations, so among vectors the shorter formula wins and among matrices the
one with fewer operations.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Final, Protocol

from eggrad.engine.indices.affine import Lengths
from eggrad.engine.indices.sparsity import Sparsity, is_planned, visited_dims
from eggrad.engine.indices.spec import Dims, Size, Spec
from eggrad.engine.terms.constructors import FUNCTION_NODES
from eggrad.engine.terms.functions import EXTREMES, FUNCTIONS, MATRIX_FUNCTIONS

__all__ = ["DEFAULT_SIZE", "CostModel", "Model", "Sized"]

CALL: Final = 2000
LEAF: Final = 500
# A multiple's number is part of its node: x + x costs less than 2·x, and 4·x less than that twice.
NUMBER: Final = 100
# Entries of these take longer than an addition.
SLOW: Final = {**dict.fromkeys(FUNCTION_NODES.values(), 10), "power": 10, "divide": 4}
# Thirds of n³ operations, as `operations` counts them.
MATRIX: Final = {f.name: f.thirds for f in MATRIX_FUNCTIONS.values()}
# Entries of what only lowered terms have, by measurement, where an addition is 1.
ENTRY_PRICES: Final = {f.name: f.price for f in FUNCTIONS.values()} | {
    "logsumexp": 14,
    "norm": 3,
    **{f.name: f.price for f in EXTREMES.values()},
}
# What a size symbol stands for where nothing is said.
DEFAULT_SIZE: Final = 100


class Model(Protocol):
    """What an e-node costs, in whole numbers of some unit."""

    def length(self, size: Size) -> int:
        """The number a size stands for, at least 1."""
        ...

    def entries(self, dims: Dims) -> int:
        """The number of entries of a tensor."""
        ...

    def node(
        self, constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node.

        Given are the dims of its operands and of itself, which operands are deltas or indicators,
        whether both operands are the same, and the values of operands that are constant.
        """
        ...


@dataclass(frozen=True)
class Sized:
    """The sizes at which nodes are looked at; a symbol that has none counts as 100."""

    sizes: Mapping[Size, int] = field(default_factory=dict[Size, int])

    def length(self, size: Size) -> int:
        """The number a size stands for; 0 counts as 1, so that every node has a cost."""
        return self._lengths[size]

    @cached_property
    def _lengths(self) -> Lengths:
        return Lengths(self.sizes, DEFAULT_SIZE)

    def entries(self, dims: Dims) -> int:
        """The number of entries of a tensor."""
        return prod(self.length(d) for d in dims)


@dataclass(frozen=True)
class CostModel(Sized):
    """What nodes cost in operations."""

    # Thousands of e-nodes are alike in all that counts.
    _products: dict[object, int] = field(
        default_factory=dict[object, int], init=False, repr=False, compare=False
    )

    def node(
        self, constructor: str, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...], *, same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node, given the dims of its operands and which of them are deltas.

        That both operands are the `same`, or that some are `constants`, does not change it.
        """
        match constructor:
            case "variable" | "constant" | "array" | "size":
                return LEAF
            case "delta":
                # Of two deltas the one with fewer axes serves better.
                return LEAF + len(out)
            case "indicator":
                return LEAF + len(out) + sum(len(f) for _, f in data[1])
            case "ein" | "ein1":
                key = (data, args, deltas)
                if key in self._products:
                    return self._products[key]
                own = self._product(data[0], args, deltas)
                self._products[key] = own + self._around(data, args, out, deltas)
                return self._products[key]
            case _ if constructor in MATRIX:
                own = MATRIX[constructor] * self.length(args[0][0]) ** 3 // 3
            case "cofactors":
                own = self.entries(out) * self.length(args[0][0])
            case "scale":
                own = self.entries(out) + NUMBER
            case "numeric" | "numeric2":
                own = self._numeric(data, args)
            case _:
                own = self.entries(out) * SLOW.get(constructor, 1)
        return own + self._around(data, args, out, deltas)

    def _around(
        self, data: tuple[Any, ...], args: tuple[Dims, ...], out: Dims,
        deltas: tuple[Sparsity, ...],
    ) -> int:  # fmt: skip
        """What it costs to call a function, to write its result and to store what is not there."""
        return CALL + self.entries(out) // 4 + self._stored(data, args, deltas)

    def _stored(
        self, data: tuple[Any, ...], args: tuple[Dims, ...], deltas: tuple[Sparsity, ...]
    ) -> int:
        """What it costs that some indicators have to be there as arrays."""
        dense = [d for d, known in zip(args, deltas, strict=False) if known and known is not True]
        if not dense or (
            data and len(args) == 2 and is_planned(data[0], args, deltas, self.length)
        ):
            return 0
        return sum(CALL + self.entries(d) for d in dense)

    def _numeric(self, data: tuple[Any, ...], args: tuple[Dims, ...]) -> int:
        """Functions of entries by their price, elimination, and Cholesky's in half of that."""
        name, known = data
        if name in ("symmetric_product", "product_of_pairs"):
            order = known if name == "symmetric_product" else 2
            return self.length(args[0][1]) ** order * self.entries(args[1])
        if name == "logdet_from_cholesky":
            return self.length(args[0][0]) * ENTRY_PRICES["log1p"]
        if name not in ("logdet", "solve", "cholesky", "inverse_from_cholesky"):
            return ENTRY_PRICES[name] * self.entries(args[0])
        n = self.length(args[0][0])
        substitutions = 2 * n * self.entries(args[1]) if name == "solve" else 0
        half = known == "positive definite" or name == "cholesky"
        return (1 if half else 2) * n**3 // 3 + substitutions

    def _product(self, s: Spec, args: tuple[Dims, ...], deltas: tuple[Sparsity, ...]) -> int:
        """One multiplication a point of the joint index space, one addition a summed point.

        A delta's pairs of indices are one index each, and what an indicator's equality gives is
        none: only non-zero entries are visited.
        """
        merged: dict[int, int] = {}
        for part, is_delta in zip(s, deltas, strict=False):
            if is_delta is True:
                half = len(part) // 2
                merged.update(zip(part[half:], part[:half], strict=True))
        own = tuple(tuple(merged.get(i, i) for i in part) for part in s)
        space = visited_dims(own, args, deltas, self.length)
        points = self.entries(tuple(space.values()))
        kept = self.entries(tuple(space[i] for i in dict.fromkeys(own[-1]) if i in space))
        multiplications = points if len(args) == 2 else 0
        return multiplications + (points - kept)
