"""How many floating-point operations a DAG takes, each shared node once."""

from collections.abc import Iterable, Mapping, Sequence
from math import factorial, prod
from typing import cast

from eggrad.engine.indices.sparsity import visited_dims
from eggrad.engine.indices.spec import Indices, Size, Spec
from eggrad.engine.terms.binding import concrete, symbols
from eggrad.engine.terms.functions import MATRIX_FUNCTIONS
from eggrad.engine.terms.term import LEAVES, Term, postorder, term_sparsity

__all__ = ["count", "node_count", "node_operations"]


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
    return sum(node_operations(node, sizes) for node in postorder(*roots))


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
    if node.op in LEAVES:
        return 0
    if node.op == "einsum":
        return _einsum(node.spec, node.args, sizes)
    if node.op in MATRIX_FUNCTIONS:
        return _of_matrix(node.op, concrete(node.args[0].dims, sizes)[0])
    if node.op == "cofactors":
        k, n = node.number, concrete(node.args[0].dims, sizes)[0]
        return _of_matrix("adj" if k else "det", n) + (
            2 * factorial(k) * n ** (2 * k) if k > 1 else 0
        )
    return prod(concrete(node.dims, sizes))


def _of_matrix(name: str, n: int) -> int:
    return MATRIX_FUNCTIONS[name].thirds * n**3 // 3


def _einsum(spec: Spec, args: tuple[Term, ...], sizes: Mapping[str, int]) -> int:
    first = _identified(spec, args)
    own = [tuple(first[i] for i in part) for part in spec]
    dims = [concrete(a.dims, sizes) for a in args]
    length = visited_dims(own, dims, [term_sparsity(a) for a in args], _number)
    points = prod(cast(int, n) for n in length.values())
    kept = prod(cast(int, length[i]) for i in {*own[-1]} if i in length)
    return max(0, points - kept) + (points if len(args) == 2 else 0)


def _number(size: Size) -> int:
    return cast(int, size)


def _identified(spec: Spec, args: Iterable[Term]) -> dict[int, int]:
    """The representative of each index, the pairs of delta operands merged."""
    first = {i: i for part in spec for i in part}
    for part, a in zip(spec, args, strict=False):
        if a.op == "delta":
            half = len(part) // 2
            _merge(first, part[:half], part[half:])
    return first


def _merge(first: dict[int, int], rows: Indices, columns: Indices) -> None:
    for row, column in zip(rows, columns, strict=True):
        kept, lost = first[row], first[column]
        for i, representative in first.items():
            if representative == lost:
                first[i] = kept
