"""Which sizes axes may have."""

from collections.abc import Sequence

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.affine import canonical_size
from eggrad.engine.indices.identifiers import is_text
from eggrad.engine.indices.spec import MAXIMAL_SIZE, Dims, Size

__all__ = ["checked_dims"]


def checked_dims(dims: Sequence[Size]) -> Dims:
    """The sizes, those made of others in their one spelling; `ShapeError` for what is none.

    >>> checked_dims(("n", "1 + n - 2", 3))
    ('n', 'n - 1', 3)
    """
    for d in dims:
        if type(d) is int and abs(d) > MAXIMAL_SIZE:
            raise ShapeError(f"a size is a name or an integer from 0 up to {MAXIMAL_SIZE}")
        if not (isinstance(d, str) and d and is_text(d)) and not (type(d) is int and d >= 0):
            raise ShapeError(f"a size is a name or an integer from 0 up, not {d!r}")
    # Text of a subclass of str is the same size; terms have the plain one.
    return tuple(canonical_size(str(d)) if isinstance(d, str) else d for d in dims)
