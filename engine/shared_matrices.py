"""Products of one matrix with several vectors, computed together: each alone reads the matrix.

Vectors on one side that do not depend on any of the products are laid below each other, for one
matrix product. A matrix too large for the cache is read once for a vector on either side.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from eggrad.engine.cost import CostModel
from eggrad.engine.spec import Spec
from eggrad.engine.term import Term, postorder

__all__ = ["Batch", "Pair", "find_batches", "scheduled"]

# Worth it from so many vectors on, for matrices with so many entries.
MANY = 3
LARGE = 8192
# A matrix of so many entries leaves the cache between two products; rows of so many do not.
BEYOND_CACHE = 4_000_000
LONGEST = 65536


@dataclass(frozen=True)
class Batch:
    """Products `matrix @ v`, or `v @ matrix` where it is `transposed`, by their vectors v."""

    matrix: Term
    transposed: bool
    vectors: Mapping[Term, Term]


@dataclass(frozen=True)
class Pair:
    """The products `matrix @ v` and `w @ matrix`, in this order, by their vectors."""

    matrix: Term
    vectors: Mapping[Term, Term]


Key = tuple[Term, bool]
Batches = Mapping[Term, Batch | Pair]


def find_batches(roots: Sequence[Term], model: CostModel) -> dict[Term, Batch | Pair]:
    """For each product that is computed with others, its batch or pair."""
    candidates: dict[Key, dict[Term, Term]] = {}
    for node in postorder(*roots):
        found = _matrix_and_vector(node)
        if found:
            key, vector = found
            candidates.setdefault(key, {})[node] = vector
    batches: dict[Term, Batch | Pair] = {}
    for (matrix, transposed), products in candidates.items():
        if len(products) < MANY or model.entries(matrix.dims) < LARGE:
            continue
        after = _users(roots, batches, products)
        vectors = {p: v for p, v in products.items() if v not in after}
        if len(vectors) >= MANY:
            batches |= dict.fromkeys(vectors, Batch(matrix, transposed, vectors))
    for (matrix, transposed), products in candidates.items():
        others = candidates.get((matrix, True), {})
        if not transposed and others and _is_read_twice(matrix, model):
            both = products | others
            after = _users(roots, batches, both)
            free = [p for p, v in both.items() if v not in after and p not in batches]
            chosen = [next((p for p in free if p in own), None) for own in (products, others)]
            vectors = {p: both[p] for p in chosen if p is not None}
            if len(vectors) == 2:
                batches |= dict.fromkeys(vectors, Pair(matrix, vectors))
    return batches


def _is_read_twice(matrix: Term, model: CostModel) -> bool:
    lengths = [model.length(d) for d in matrix.dims]
    return model.entries(matrix.dims) >= BEYOND_CACHE and max(lengths) <= LONGEST


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
    known = _PRODUCTS.get(cast(Spec, node.data)) if node.op == "einsum" else None
    if known is None or any(a.op == "delta" for a in node.args):
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
