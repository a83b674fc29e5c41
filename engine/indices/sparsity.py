"""Which operands of a product are mostly zeros, as far as costs go."""

from collections.abc import Callable, Sequence
from typing import cast

from eggrad.engine.indices.affine import Form, coefficient, form, indices, renamed
from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.indicator_plan import Plan, plan
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec

__all__ = ["Sparsity", "determined_indices", "is_planned", "numbered", "plan_of", "visited_dims"]

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
    if not is_planned(spec, args, sparsity, length):
        return space
    place, known = _only_indicator(sparsity)
    gone = determined_indices(spec[place], known, args[place], length)
    return {i: d for i, d in space.items() if i not in gone}


def is_planned(
    spec: object,
    args: Sequence[Dims],
    sparsity: Sequence[Sparsity],
    length: Callable[[Size], int],
) -> bool:
    """Whether a product is computed through views, without an indicator's array."""
    return plan_of(spec, args, sparsity, length) is not None


def plan_of(
    spec: object,
    args: Sequence[Dims],
    sparsity: Sequence[Sparsity],
    length: Callable[[Size], int],
) -> Plan | None:
    """How a product with an indicator is computed through views; None where it is not.

    >>> product = ((0, 1), (1,), (0,))
    >>> next_entry = (("=", ((0, 1), (1, -1), ("", 1))),)
    >>> plan_of(product, [(4, 5), (5,)], [next_entry, False], int).is_view
    True
    """
    place, known = _only_indicator(sparsity)
    if not known or not isinstance(spec, tuple) or len(args) != 2:
        return None
    parts = cast(Spec, spec)
    if any(len(set(part)) < len(part) for part in parts):
        return None
    lengths: dict[int, int] = {}
    for part, dims in zip(parts, args, strict=False):
        lengths.update(zip(part, map(length, dims), strict=True))
    numbers = numbered(known, parts[place], length)
    return plan(numbers, parts[1 - place], parts[-1], lengths)


def numbered(constraints: Constraints, part: Indices, length: Callable[[Size], int]) -> Constraints:
    """An indicator's constraints on the indices that its axes have in a product, at some sizes.

    >>> numbered((("=", ((0, 1), (1, -1), ("n", 1))),), (5, 3), lambda size: 9)
    (('=', ((3, -1), (5, 1), ('', 9))),)
    """
    names = dict(enumerate(part))
    return tuple((r, _with_sizes(renamed(f, names), length)) for r, f in constraints)


def _only_indicator(sparsity: Sequence[Sparsity]) -> tuple[int, Constraints]:
    """The place of the only indicator and its constraints; none where there are several."""
    found = [(k, known) for k, known in enumerate(sparsity) if known and known is not True]
    return cast(tuple[int, Constraints], found[0]) if len(found) == 1 else (0, ())


def _with_sizes(f: Form, length: Callable[[Size], int]) -> Form:
    return form(("", c * length(k)) if isinstance(k, str) and k else (k, c) for k, c in f)
