"""Arrays that a traced function takes from outside: variables with a value."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from eggrad.engine.terms.binding import Array
    from eggrad.frontend.expression.expression import Expression

__all__ = ["Captured", "as_variable", "tracing"]


class Captured:
    """The arrays that were met while a function was traced."""

    def __init__(self, taken: set[str]) -> None:
        """`taken` are names that the arrays do not get."""
        self.values: dict[str, Array] = {}
        self._met: list[tuple[str, Array]] = []
        self._taken = taken

    def variable(self, array: "Array") -> "Expression":
        """The variable that stands for an array; the same for the same array."""
        import numpy as np

        from eggrad.frontend.expression.functions import variable

        same = (n for n, known in self._met if known is array)
        name = next((n for n in same if np.array_equal(self.values[n], array)), "")
        if not name:
            name = f"array{len(self.values) + 1}"
            while name in self._taken:
                name += "_"
            # Whoever changes the array later does not change what was traced.
            self.values[name] = array.copy()
            self._met.append((name, array))
        return variable(name, array.shape)


_current: Final[ContextVar[Captured | None]] = ContextVar("captured", default=None)


@contextmanager
def tracing(taken: set[str]) -> Iterator[Captured]:
    """Let arrays that meet expressions become variables."""
    found = Captured(taken)
    token = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(token)


def as_variable(value: Any) -> "Expression | None":
    """The variable of an array, while a function is traced."""
    import numpy as np

    found = _current.get()
    if found is None or not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return None
    return found.variable(value)
