"""Products of one matrix with several vectors, computed as one matrix product.

Each of them alone reads the whole matrix. Vectors that do not depend on any of the products are
laid below each other, and the matrix is read once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from eggrad.engine.cost import CostModel
from eggrad.engine.spec import Spec
from eggrad.engine.term import Term, postorder

__all__ = ["Batch", "find_batches", "scheduled"]

# Worth it from so many vectors on, for matrices with so many entries.
MANY = 3
LARGE = 8192


@dataclass(frozen=True)
class Batch:
    """Products `matrix @ v`, or `v @ matrix` where it is `transposed`, by their vectors v."""

    matrix: Term
    transposed: bool
    vectors: Mapping[Term, Term]


Key = tuple[Term, bool]


def find_batches(roots: Sequence[Term], model: CostModel) -> dict[Term, Batch]:
    """For each product that is computed with others, its batch."""
    candidates: dict[Key, dict[Term, Term]] = {}
    for node in postorder(*roots):
        found = _matrix_and_vector(node)
        if found:
            *key, vector = found
            candidates.setdefault(cast(Key, tuple(key)), {})[node] = vector
    batches: dict[Term, Batch] = {}
    for (matrix, transposed), products in candidates.items():
        if len(products) < MANY or model.entries(matrix.dims) < LARGE:
            continue
        after = _users(roots, batches, products)
        vectors = {p: v for p, v in products.items() if v not in after and v not in products}
        if len(vectors) >= MANY:
            batches |= dict.fromkeys(vectors, Batch(matrix, transposed, vectors))
    return batches


def _matrix_and_vector(node: Term) -> tuple[Term, bool, Term] | None:
    """The operands of a product of a matrix and a vector, and whether the first axis is summed."""
    if node.op != "einsum" or len(node.args) != 2 or any(a.op == "delta" for a in node.args):
        return None
    *parts, out = cast(Spec, node.data)
    for matrix, vector in ((0, 1), (1, 0)):
        for transposed in (False, True):
            rows, columns = (1, 0) if transposed else (0, 1)
            part = parts[matrix]
            if len(part) == 2 and (part[columns],) == parts[vector] and (part[rows],) == out:
                return node.args[matrix], transposed, node.args[vector]
    return None


def _users(
    roots: Sequence[Term], batches: Mapping[Term, Batch], products: Mapping[Term, Term]
) -> set[Term]:
    """The nodes that need one of some products."""
    after: set[Term] = set()
    for node in scheduled(roots, batches):
        if any(a in after or a in products for a in _needed(node, batches)):
            after.add(node)
    return after


def scheduled(roots: Sequence[Term], batches: Mapping[Term, Batch]) -> Iterator[Term]:
    """Every node once, after its operands; products of a batch after all of its vectors."""
    seen: set[Term] = set()
    stack = [(r, False) for r in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((a, False) for a in reversed(_needed(node, batches)))


def _needed(node: Term, batches: Mapping[Term, Batch]) -> tuple[Term, ...]:
    batch = batches.get(node)
    return (*node.args, *(batch.vectors.values() if batch else ()))
