"""What a node costs: its floating-point operations, what it writes, and that it is there.

Units are floating-point operations at given sizes. A call of an array function costs as much as
some thousand operations, so among vectors the shorter formula wins and among matrices the
one with fewer operations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import factorial, prod
from typing import Any, Final, Protocol, cast

from eggrad.engine.indices.affine import Lengths
from eggrad.engine.indices.indicator_plan import Sparsity, stored_places, visited_dims
from eggrad.engine.indices.spec import Dims, Size, Spec, identified
from eggrad.engine.terms.binding import concrete, symbols
from eggrad.engine.terms.functions import FUNCTIONS, record
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS
from eggrad.engine.terms.operations import OPERATIONS
from eggrad.engine.terms.term import (
    FUNCTION_NODES,
    LEAVES,
    NUMERIC_NAMES,
    Term,
    loop_described,
    postorder,
    term_sparsity,
)

# How many floating-point operations a DAG takes, each shared node once.


def node_count(roots: Sequence[Term]) -> int:
    """The number of distinct nodes, variables and constants included.

    >>> from eggrad.engine.terms.term import add, variable
    >>> x = variable("x")
    >>> node_count([add(x, x)])
    2
    """
    return sum(1 for _ in postorder(*roots))


def count(roots: Sequence[Term], sizes: Mapping[str, int] | int) -> int:
    """The operations of evaluating all roots, multiply and add counted apart.

    `sizes` maps size symbols, or is the size of every symbol. `UnknownVariable` where one is
    missing.

    >>> from eggrad.engine.terms.term import einsum, variable
    >>> count([einsum("ij,j->i", variable("A", ("m", "n")), variable("x", ("n",)))], 10)
    190
    """
    if isinstance(sizes, int):
        sizes = dict.fromkeys(symbols(*roots), sizes)
    # A loop runs once for all its results.
    once = {
        (t.args, t.loop.step, t.loop.backwards) if t.op == "scan" else t: t
        for t in postorder(*roots)
    }
    return sum(node_operations(node, sizes) for node in once.values())


def node_operations(node: Term, sizes: Mapping[str, int]) -> int:
    """The operations of one node, its operands given.

    A product takes one multiplication for each point of its joint index space, and one addition
    for each point but one of every output entry's sum. A factor `delta` identifies the two
    indices of each of its pairs, and an equality of an indicator gives one index: only the
    entries written count.

    >>> from eggrad.engine.terms.term import apply, variable
    >>> node_operations(apply("exp", variable("x", ("n",))), {"n": 7})
    7
    """
    if node.op in LEAVES or node.op == "selection":
        return 0
    if node.op == "einsum":
        return _einsum(node.spec, node.args, sizes)
    if node.op in MATRIX_FUNCTIONS:
        return _of_matrix(node.op, concrete(node.args[0].dims, sizes)[0])
    if node.op == "matrix_power":
        n = concrete(node.dims, sizes)[0]
        return (node.number - 1) * (2 * n**3 - n**2)
    if node.op == "cofactors":
        k, n = node.number, concrete(node.args[0].dims, sizes)[0]
        return _of_matrix("adj" if k else "det", n) + (
            2 * factorial(k) * n ** (2 * k) if k > 1 else 0
        )
    if node.op == "scan":
        step = node.loop.step
        length, *numbers = concrete((node.loop.length, *node.loop.sizes), sizes)
        inside = dict(zip(step.sizes, numbers, strict=True))
        return length * count(step.results, {**inside, str(step.steps): 1})
    return prod(concrete(node.dims, sizes))


def _of_matrix(name: str, n: int) -> int:
    return MATRIX_FUNCTIONS[name].thirds * n**3 // 3


def _einsum(spec: Spec, args: tuple[Term, ...], sizes: Mapping[str, int]) -> int:
    first = identified(spec, [a.op == "delta" for a in args])
    parts = [tuple(first[i] for i in part) for part in spec]
    dims = [concrete(a.dims, sizes) for a in args]
    length = visited_dims(parts, dims, [term_sparsity(a) for a in args], _number)
    points = prod(cast(int, n) for n in length.values())
    kept = prod(cast(int, length[i]) for i in {*parts[-1]} if i in length)
    return max(0, points - kept) + (points if len(args) == 2 else 0)


def _number(size: Size) -> int:
    return cast(int, size)


CALL: Final = 2000
LEAF: Final = 500
# A multiple's number is part of its node: x + x costs less than 2·x, and 4·x less than that twice.
NUMBER: Final = 100
# Entries of these take longer than an addition.
SLOW: Final = {**dict.fromkeys(FUNCTION_NODES.values(), 10), "power": 10, "divide": 4}
# What a size symbol stands for where nothing is said.
DEFAULT_SIZE: Final = 100


Placed = tuple[Dims | None, ...]
"""Of operands that are zeros but for some entries the axes of these."""


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
        constants: tuple[Fraction | None, ...] = (), leaves: tuple[bool, ...] = (),
        placed: Placed = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node.

        Given are the dims of its operands and of itself, which operands are deltas or indicators,
        whether both operands are the same, the values of operands that are constant, which operands
        are leaves, and of those that are zeros but for some entries the axes of these.
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
        constants: tuple[Fraction | None, ...] = (), leaves: tuple[bool, ...] = (),
        placed: Placed = (),
    ) -> int:  # fmt: skip
        """The cost of one e-node, given the dims of its operands and which of them are deltas.

        That both operands are the `same`, or that some are constants, leaves or mostly zeros, does
        not change it.
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
                operations = self._product(data[0], args, deltas)
                self._products[key] = operations + self._around(data, args, out, deltas)
                return self._products[key]
            case _ if constructor in MATRIX_FUNCTIONS:
                operations = _of_matrix(constructor, self.length(args[0][0]))
            case "cofactors":
                operations = self.entries(out) * self.length(args[0][0])
            case "scale":
                operations = self.entries(out) + NUMBER
            case _ if constructor in NUMERIC_NAMES:
                if data[0] == "selection":
                    return LEAF + len(out)
                operations = self._numeric(data, args)
            case _:
                operations = self.entries(out) * SLOW.get(constructor, 1)
        return operations + self._around(data, args, out, deltas)

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
        places = stored_places(data[0] if data else None, args, deltas, self.length)
        return sum(CALL + self.entries(args[k]) for k in places)

    def _numeric(self, data: tuple[Any, ...], args: tuple[Dims, ...]) -> int:
        """Functions of entries by their price, elimination, and Cholesky's in half of that."""
        name, known = data
        if name in STACK_FUNCTIONS:
            shorter = min(map(self.length, args[0][-2:]))
            return STACK_FUNCTIONS[name].thirds * self.entries(args[0]) * shorter // 3
        if name == "scan":
            loop = loop_described(known)
            return self.length(loop.length) * CALL * node_count(loop.step.results)
        if name == "matrix_power":
            return (known - 1) * 2 * self.length(args[0][0]) ** 3
        if name in ("symmetric_product", "product_of_pairs"):
            order = known if name == "symmetric_product" else 2
            return self.length(args[0][1]) ** order * self.entries(args[1])
        if name == "logdet_from_cholesky":
            return self.length(args[0][0]) * FUNCTIONS["log1p"].price
        if name not in ("logdet", "solve", "inverse_from_cholesky"):
            return OPERATIONS[name].price * self.entries(args[0])
        n = self.length(args[0][0])
        substitutions = 2 * n * self.entries(args[1]) if name == "solve" else 0
        half = known == "positive definite"
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
        parts = tuple(tuple(merged.get(i, i) for i in part) for part in s)
        space = visited_dims(parts, args, deltas, self.length)
        points = self.entries(tuple(space.values()))
        kept = self.entries(tuple(space[i] for i in dict.fromkeys(parts[-1]) if i in space))
        multiplications = points if len(args) == 2 else 0
        return multiplications + (points - kept)


# What normal forms choose to read an e-class as.


# What a node costs where normal forms choose: a function that others define, and any other.
DEFINED: Final = 100_000
FUNCTION: Final = 1_000


class NormalModel(CostModel):
    """The cost by which normal forms choose what to read an e-class as: sums and products first."""

    def node(
        self,
        constructor: str,
        data: tuple[object, ...],
        args: tuple[Dims, ...],
        out: Dims,
        deltas: tuple[Sparsity, ...],
        *,
        same: bool = False,
        constants: tuple[Fraction | None, ...] = (),
        leaves: tuple[bool, ...] = (),
        placed: Placed = (),
    ) -> int:
        """What has a definition by others is dear, a sum or product is cheap."""
        if constructor in FUNCTION_NODES.values():
            return DEFINED if record(str(data[0])).composite else FUNCTION
        if constructor in {*NUMERIC_NAMES, "adj"}:
            return DEFINED
        return FUNCTION if constructor in MATRIX_FUNCTIONS else 1
