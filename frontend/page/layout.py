"""Where the entries of a derivative stand: in the order of axes, or as a convention has them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from eggrad.frontend.expression.expression import Expression


class Axes(NamedTuple):
    """The order of a derivative's axes, and whether what has one of them is a row."""

    order: tuple[int, ...]
    is_row: bool = False


class LaidOut(NamedTuple):
    """A derivative with its axes in order, and whether it is a row."""

    result: Expression
    is_row: bool


_SENTENCES: Final = {
    "": "The axes of f come first, then those of each variable.",
    "numerator": "Numerator layout: rows belong to f and columns to the variable. The derivative "
    "of a scalar by a vector is a row, that by a matrix has the shape of its transpose.",
    "denominator": "Denominator layout: rows belong to the variable and columns to f. The "
    "derivative of a scalar has the shape of the variable.",
}
_MANY: Final = (
    " The conventions put more than two axes into a matrix column by column; here they stay apart."
)


def order_of_axes(layout: str, own: int, by: Sequence[int]) -> Axes:
    """The axes of a derivative in a layout, by their places in the engine's order.

    That is the axes of f, of which there are `own`, then those of each variable. See the table in
    docs/matrix.md.

    >>> order_of_axes("numerator", 0, [2]).order, order_of_axes("denominator", 1, [1]).order
    ((1, 0), (1, 0))
    >>> order_of_axes("numerator", 0, [1]).is_row, order_of_axes("numerator", 0, [1, 1]).is_row
    (True, False)
    """
    axes, is_row = [*range(own)], False
    for number in by:
        new = [*range(len(axes), len(axes) + number)]
        is_scalar = not axes
        if layout == "denominator":
            # By a scalar everything is turned: a column becomes a row.
            axes = new + axes if new else axes[::-1]
            is_row = not new and len(axes) == 1 and not is_row
        else:
            turned = layout == "numerator" and is_scalar
            axes += new[::-1] if turned else new
            is_row = (turned and len(new) == 1) or (is_row and not new)
    return Axes(tuple(axes), is_row)


def laid_out(result: Expression, axes: Axes) -> LaidOut:
    """A derivative with its axes in that order."""
    order, is_row = axes
    moved = order != tuple(range(result.ndim))
    return LaidOut(result.transpose(order) if moved else result, is_row)


def row(latex: str) -> str:
    r"""A formula of a column, transposed; of named parts the last line.

    >>> row("2 A x")
    '\\left(2 A x\\right)^\\top'
    """
    before, mark, last = latex.rpartition("\n& ")
    if not mark:
        return rf"\left({latex}\right)^\top"
    formula, end, after = last.partition("\n")
    return rf"{before}{mark}\left({formula}\right)^\top{end}{after}"


def sentence_of(layout: str, own: int, order: int) -> str:
    """What a reader has to know of a layout, for a function with some axes."""
    many = _MANY if layout and own + order > 2 else ""
    return _SENTENCES[layout] + many
