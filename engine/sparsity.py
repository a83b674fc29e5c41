"""Which operands of a product are mostly zeros, as far as costs go."""

from collections.abc import Callable, Sequence

from eggrad.engine.affine import Form, coefficient, form, indices, renamed
from eggrad.engine.constraints import Constraints
from eggrad.engine.indicator_plan import plan
from eggrad.engine.spec import Dims, Indices, Size

__all__ = ["Sparsity", "determined_indices", "visited_dims"]

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
    """The indices of a product with their sizes, without those that an indicator gives.

    It gives none where the product is computed from an array of zeros and ones.
    """
    space: dict[int, Size] = {}
    for part, dims in zip(spec, args, strict=False):
        space.update(zip(part, dims, strict=True))
    places = [k for k, known in enumerate(sparsity) if known and known is not True]
    if len(places) != 1 or any(len(set(part)) < len(part) for part in spec):
        return space
    (place,) = places
    part, known = spec[place], sparsity[place]
    assert not isinstance(known, bool)
    lengths = {i: length(d) for i, d in space.items()}
    other = spec[1 - place] if len(args) == 2 else ()
    numbers = tuple((r, _with_sizes(renamed(f, dict(enumerate(part))), length)) for r, f in known)
    if plan(numbers, other, spec[-1], lengths) is None:
        return space
    gone = determined_indices(part, known, args[place], length)
    return {i: d for i, d in space.items() if i not in gone}


def _with_sizes(f: Form, length: Callable[[Size], int]) -> Form:
    return form(("", c * length(k)) if isinstance(k, str) and k else (k, c) for k, c in f)
