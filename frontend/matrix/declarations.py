"""The dims of variables as users give them: complete, or in part, or as a number of axes."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import resized_dims
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms.assumptions import ASSUMPTIONS
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.sizes import unify_sizes, unknown, unknown_size
from eggrad.frontend.text.words import format_axes

Declared = Mapping[str, Sequence[Size | None] | int]
"""The sizes of each variable's axes, None for what is not known; or how many axes it has."""

MATRIX: Final = 2
"""The most axes that a variable of matrix notation has."""


def completed_dims(
    dims: Declared, assume: Mapping[str, Iterable[str]], most: int = MATRIX
) -> dict[str, Dims]:
    """The dims with names for unknown sizes; what is declared symmetric, say, is square.

    >>> completed_dims({"A": 2, "x": ("n",)}, {})
    {'A': ('?A_1', '?A_2'), 'x': ('n',)}
    >>> completed_dims({"S": ("m", "n"), "y": ("m",)}, {"S": ["symmetric"]})
    {'S': ('m', 'm'), 'y': ('m',)}
    """
    for name in assume:
        if name not in dims:
            raise UnsupportedOperation(f"assume: {name!r} has no dims{suggestion(name, dims)}")
    found = {name: _named(name, own, most) for name, own in dims.items()}
    pairs: list[tuple[Size, Size]] = []
    for name, words in assume.items():
        given = {words} if isinstance(words, str) else set(words)
        own = found[name]
        said = sorted(w for w in given if w in ASSUMPTIONS and ASSUMPTIONS[w].of_matrices)
        if said and len(own) == 2 and own[0] != own[1]:
            if all(isinstance(d, int) for d in own):
                raise ShapeError(
                    f"variable {name}: {said[0]!r} needs a square matrix, its axes "
                    f"are {format_axes(own)}"
                )
            # Of two sizes the known one stays, else the first.
            pairs.append((own[1], own[0]) if unknown(own[0]) else (own[0], own[1]))
    renamed = unify_sizes(pairs, "assume") if pairs else {}
    return {name: resized_dims(own, renamed) for name, own in found.items()}


def _named(name: str, own: Sequence[Size | None] | int, most: int) -> Dims:
    if isinstance(own, str):
        raise ShapeError(f"dims is a tuple of sizes, such as ({own!r},), not {own!r}")
    if isinstance(own, int):
        if not 0 <= own <= most:
            raise ShapeError(
                f"variable {name}: a number as dims says how many axes there are, up to "
                f"{most}, not {own}; an axis of {own} entries is ({own},)"
            )
        own = (None,) * own
    return tuple(unknown_size(name, k) if d is None else d for k, d in enumerate(own))
