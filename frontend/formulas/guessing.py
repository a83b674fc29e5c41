"""How many axes names have where nobody says it: what can be read is tried.

In matrix notation a name that begins with a capital letter is a matrix, any other a scalar or a
column; there has to be one reading, in which numbers alone, not the names of scalars, are added to
vectors and matrices, and a scalar's name stands before what it multiplies.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from eggrad.engine.errors import EggradError, ParseError, UnknownVariable
from eggrad.engine.indices.spec import Size
from eggrad.frontend.text.errors import TextShapeQuestion, TextUnknownVariable
from eggrad.frontend.text.phrases import Problem

Axes = Mapping[str, tuple[Size, ...] | int]
MOST_TRIES: Final = 256
_KINDS: Final = ("scalar", "column", "matrix")


class Guesses:
    """Readings of a text, each with axes for names of which nobody has said how many they have.

    `options` has the axes that a name may have, the likeliest first; it may give axes to another
    name instead, such as to a letter of it. `failed` are the errors of what could not be read.
    """

    def __init__(
        self,
        read: Callable[[Axes], Problem],
        options: Callable[[str, Axes], Iterable[tuple[str, int]]],
        most: int = MOST_TRIES,
    ) -> None:
        """`read` raises `TextUnknownVariable` for a name without axes; `most` tries are made."""
        self._read = read
        self._options = options
        self._most = most
        self.failed: list[EggradError] = []

    def readings(self, known: Axes) -> Iterator[tuple[Axes, Problem]]:
        """What can be read, the likeliest first; raises `ParseError` where tries come to an end."""
        waiting = [known]
        for _ in range(self._most):
            if not waiting:
                return
            axes = waiting.pop()
            try:
                yield axes, self._read(axes)
            except TextUnknownVariable as error:
                options = [*self._options(error.name, axes)] if error.name else []
                if not options or error.name in axes:
                    raise
                waiting += [{**axes, name: count} for name, count in reversed(options)]
            except UnknownVariable:
                raise
            except TextShapeQuestion:
                # With other axes the text would mean what nobody asks for.
                raise
            except EggradError as error:
                self.failed.append(error)
        if waiting:
            self.failed.append(EggradError("declare the dims: there are too many ways to read it"))


def the_only_axes(text: str, read: Callable[[Axes], Problem]) -> Axes:
    """The axes of the names of a text in matrix notation; `ParseError` where they are not certain.

    `read` is strict: see above.
    """

    def options(name: str, _: Axes) -> list[tuple[str, int]]:
        return [(name, 2)] if name[0].isupper() else [(name, 0), (name, 1)]

    guesses = Guesses(read, options)
    found = [axes for axes, _ in guesses.readings({})]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ParseError(
            "declare the dims: where capital letters are matrices and others scalars or columns, "
            "this cannot be read",
            text,
            0,
        )
    listed = "; ".join(
        ", ".join(f"{n} a {_KINDS[k]}" for n, k in axes.items() if isinstance(k, int))
        for axes in found[:4]
    )
    more = f"; and {len(found) - 4} more" if len(found) > 4 else ""
    raise ParseError(f"declare the dims: this can be read with {listed}{more}", text, 0)
