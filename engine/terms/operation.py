"""The record of an operation: what is known of it wherever it occurs.

Rows are in `functions.py` (entry by entry), `matrix_functions.py` and `operations.py` (along axes,
of arrays, in code alone), which has all of them by their names.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims

Place = Literal["expressions", "code", "formulas"]


def alike(operation: "Operation", _: object, *args: Dims) -> Dims:
    """The axes of a result that has those of its operands, which are the same.

    >>> alike(Operation("sin", "The sine of every entry."), None, ("m", "n"))
    ('m', 'n')
    """
    for other in args[1:]:
        if other != args[0]:
            raise ShapeError(f"{operation.name}: one operand has axes {args[0]}, the other {other}")
    return args[0]


@dataclass(frozen=True)
class Operation:
    """What is known of an operation: its name, a sentence, and what follows.

    `code` is its text in generated NumPy code, with places for operands, entry by entry `{}` each,
    for whole arrays `{x}`, `{y}` and `{k}`, what else identifies it; each other language has a
    table of its own words. `shape` finds the axes of its result, given the record, its data and
    the axes of its operands.

    `rates` are the kernels that it calls, where that is not the one of its name; `price` is what
    an entry costs, where an addition costs 1.

    It is `found_in` expressions, in lowered terms for code alone, or in formulas for people to
    read. Laws name it: its slope or pullback in `rules/calculus`; the oracle has a definition of
    its own.
    """

    name: str
    sentence: str = ""
    _: KW_ONLY
    code: str = ""
    shape: Callable[..., Dims] = alike
    rates: tuple[str, ...] = ()
    price: int = 10
    found_in: Place = "expressions"

    def __post_init__(self) -> None:
        """Let a kernel have its name, if nothing else is said."""
        if not self.rates:
            object.__setattr__(self, "rates", (self.name,))

    def dims(self, data: object, *args: Dims) -> Dims:
        """The axes of its result; `ShapeError` where operands do not fit.

        >>> Operation("exp", "The exponential of every entry.").dims(None, ("n",))
        ('n',)
        """
        return self.shape(self, data, *args)
