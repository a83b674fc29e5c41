"""How many axes the names of a text have where nobody says it: it is tried what can be read.

A name that begins with a capital letter is a matrix, any other a scalar or a vector. A reading
does not add a scalar's name to an array, sums no scalar, and has no name of an array in the
exponent of another. Of several readings the one counts whose value is a scalar.
"""

from collections.abc import Callable, Mapping
from typing import Final

from eggrad.engine.errors import EggradError, ParseError
from eggrad.frontend.expression.expression import Expression

MOST_READINGS: Final = 256
_KINDS: Final = ("scalar", "vector", "matrix")
_Orders = Mapping[str, int]


class Unassigned(Exception):
    """A name of which it is not said yet how many axes it has."""

    def __init__(self, name: str) -> None:
        """Remember the name."""
        super().__init__(name)
        self.name = name


def inferred_orders(text: str, read: Callable[[_Orders], Expression]) -> dict[str, int]:
    """The number of axes of each name; raises `ParseError` where that is not certain.

    `read` reads the text for some names, and raises `Unassigned` for one that it lacks.
    """
    fits, failed = _readings(text, read, capitals=(2,))
    best = [names for names, f in fits if not f.ndim] or [names for names, _ in fits]
    if all(f.ndim for _, f in fits):
        # Capital letters may be numbers, as N is in sum(x) / N.
        others, _ = _readings(text, read, capitals=(2, 0))
        best += [n for n, f in others if not f.ndim and any(n.values())]
    if not best:
        # Small letters may be matrices, as x is in np.sum(x, axis=1).
        others, _ = _readings(text, read, capitals=(2,), small=(0, 1, 2))
        best = [names for names, _ in others]
    if len(best) == 1:
        return best[0]
    if not best:
        if len({str(error) for error in failed}) == 1:
            raise failed[0]
        raise ParseError(
            "declare the dims: where capital letters are matrices and others scalars or vectors, "
            "this cannot be read",
            text,
            0,
        )
    listed = "; ".join(
        ", ".join(f"{n} a {_KINDS[k]}" for n, k in names.items()) for names in best[:4]
    )
    more = f"; and {len(best) - 4} more" if len(best) > 4 else ""
    raise ParseError(f"declare the dims: this can be read with {listed}{more}", text, 0)


def _readings(
    text: str,
    read: Callable[[_Orders], Expression],
    capitals: tuple[int, ...],
    small: tuple[int, ...] = (0, 1),
) -> tuple[list[tuple[dict[str, int], Expression]], list[EggradError]]:
    """What can be read, with the axes of each name; and why the rest cannot."""
    fits: list[tuple[dict[str, int], Expression]] = []
    failed: list[EggradError] = []
    waiting: list[dict[str, int]] = [{}]
    tried = 0
    while waiting:
        names = waiting.pop()
        tried += 1
        if tried > MOST_READINGS:
            raise ParseError("declare the dims: there are too many readings to try", text, 0)
        try:
            fits.append((names, read(names)))
        except Unassigned as error:
            orders = capitals if error.name[0].isupper() else small
            waiting += [{**names, error.name: k} for k in reversed(orders)]
        except EggradError as error:
            # What a part of an expression raises may be otherwise for other axes.
            if error.__cause__ is None:
                raise
            failed.append(error)
    return fits, failed
