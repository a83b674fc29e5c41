"""Arrays of known numbers, as terms have them: two of the same entries are one object."""

from collections.abc import Callable
from hashlib import sha256
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

from eggrad.engine.errors import UnsupportedOperation

if TYPE_CHECKING:
    import numpy as np

Entries = tuple[tuple[int, ...], tuple[str, ...], str]
"""A fixed array in the e-graph: its shape, what its numbers are, and what it is called there."""


class FixedArray:
    """Numbers in double precision; `words` says which of them all are, as "positive"."""

    __slots__ = ("__weakref__", "digest", "values", "words")

    def __init__(self, values: "np.ndarray[Any, Any]", digest: str) -> None:
        """Take an array that nobody else writes to."""
        values.flags.writeable = False
        self.values = values
        self.digest = digest
        # Every comparison with NaN but that it differs is false.
        tests = {
            "positive": values > 0,
            "nonnegative": values >= 0,
            "nonzero": (values > 0) | (values < 0),
            "finite": abs(values) < inf,
            "greatest": values == inf,
            "least": values == -inf,
        }
        self.words = tuple(word for word, holds in tests.items() if holds.all())

    def __reduce__(self) -> tuple[Callable[..., "FixedArray"], tuple[object, ...]]:
        """Pickle the numbers."""
        return fixed_array, (self.values,)

    def __repr__(self) -> str:
        """Show the shape."""
        return f"<array {self.values.shape}>"

    @property
    def entries(self) -> Entries:
        """What the e-graph has of it."""
        return self.values.shape, self.words, self.digest


# The e-graph has names of arrays; this finds them, as long as a term has them.
_known: Final[WeakValueDictionary[str, FixedArray]] = WeakValueDictionary()
_making: Final = Lock()


def fixed_array(values: object) -> FixedArray:
    """The array of some real numbers; `UnsupportedOperation` for others.

    >>> fixed_array([1, 2]) is fixed_array([1.0, 2.0]), fixed_array([0, 3]).words
    (True, ('nonnegative', 'finite'))
    """
    import numpy as np

    given = np.asarray(values)
    if given.dtype.kind not in "biuf":
        raise UnsupportedOperation(f"an array has real numbers here, not {given.dtype}")
    array = np.array(given, dtype=np.float64, order="C")
    digest = sha256(f"{array.shape}".encode() + array.tobytes()).hexdigest()
    with _making:
        return _known.setdefault(digest, FixedArray(array, digest))


def fixed_array_called(digest: str) -> FixedArray:
    """The array that the e-graph calls so, as long as a term has it."""
    return _known[digest]
