"""Products of one matrix with several vectors, computed together: each alone reads the matrix.

Vectors that do not depend on any of the products are laid below each other, for one matrix
product.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.indices.spec import Spec
from eggrad.engine.terms.term import Term, postorder

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
Batches = Mapping[Term, Batch]


def find_batches(roots: Sequence[Term], model: CostModel) -> dict[Term, Batch]:
    """For each product that is computed with others, its batch."""
    candidates: dict[Key, dict[Term, Term]] = {}
    for node in postorder(*roots):
        found = _matrix_and_vector(node)
        if found:
            key, vector = found
            candidates.setdefault(key, {})[node] = vector
    batches: dict[Term, Batch] = {}
    for (matrix, transposed), products in candidates.items():
        if len(products) < MANY or model.entries(matrix.dims) < LARGE:
            continue
        after = _users(roots, batches, products)
        vectors = {p: v for p, v in products.items() if v not in after}
        if len(vectors) >= MANY:
            batches |= dict.fromkeys(vectors, Batch(matrix, transposed, vectors))
    return batches


# The product of a matrix and a vector by its spec: the place of the matrix, whether its first axis
# is the one that is summed.
_PRODUCTS: Final[dict[Spec, tuple[int, bool]]] = {
    ((0, 1), (1,), (0,)): (0, False),
    ((0, 1), (0,), (1,)): (0, True),
    ((0,), (1, 0), (1,)): (1, False),
    ((0,), (0, 1), (1,)): (1, True),
}


def _matrix_and_vector(node: Term) -> tuple[Key, Term] | None:
    """What a product multiplies with a vector, and the vector."""
    known = _PRODUCTS.get(node.spec) if node.op == "einsum" else None
    if known is None or any(a.op in ("delta", "indicator") for a in node.args):
        return None
    place, transposed = known
    return (node.args[place], transposed), node.args[1 - place]


def _users(roots: Sequence[Term], batches: Batches, products: Mapping[Term, Term]) -> set[Term]:
    """Some products, and the nodes that need one of them."""
    after = set(products)
    for node in scheduled(roots, batches):
        if any(a in after for a in _needed(node, batches)):
            after.add(node)
    return after


def scheduled(roots: Sequence[Term], batches: Batches) -> Iterator[Term]:
    """Every node once, after its operands; products of a batch after all of its vectors."""
    return postorder(*roots, operands=lambda node: _needed(node, batches))


def _needed(node: Term, batches: Batches) -> tuple[Term, ...]:
    batch = batches.get(node)
    return (*node.args, *(batch.vectors.values() if batch else ()))
