"""Which operands of a product are mostly zeros, as far as costs go."""

from collections.abc import Callable, Sequence

from eggrad.engine.affine import coefficient, indices
from eggrad.engine.constraints import Constraints
from eggrad.engine.spec import Dims, Indices, Size

__all__ = ["Sparsity", "determined_indices"]

Sparsity = bool | Constraints
"""False for what has any entries, True for a delta, its constraints for an indicator."""


def determined_indices(
    part: Indices, constraints: Constraints, dims: Dims, length: Callable[[Size], int]
) -> tuple[int, ...]:
    """The indices of an operand that its equalities give: of each equality the longest one.

    >>> windows = (("=", ((0, 1), (1, 1), (2, -1))),)
    >>> determined_indices((5, 6, 7), windows, (90, 10, 100), int)
    (7,)
    """
    found: list[int] = []
    for relation, f in constraints:
        own = [k for k in indices(f) if abs(coefficient(f, k)) == 1 and part[k] not in found]
        if relation == "=" and own:
            found.append(part[max(own, key=lambda k: length(dims[k]))])
    return tuple(found)


def visited_dims(
    spec: Sequence[Indices],
    args: Sequence[Dims],
    sparsity: Sequence[Sparsity],
    length: Callable[[Size], int],
) -> dict[int, Size]:
    """The indices of a product with their sizes, without those that deltas and indicators give."""
    space: dict[int, Size] = {}
    gone: set[int] = set()
    for part, dims, known in zip(spec, args, sparsity, strict=False):
        space.update(zip(part, dims, strict=True))
        if known and known is not True:
            gone.update(determined_indices(part, known, dims, length))
    return {i: d for i, d in space.items() if i not in gone}
