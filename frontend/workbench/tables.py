"""Tables as plain text."""

from collections.abc import Iterable, Sequence

__all__ = ["aligned", "grouped"]


def grouped(number: float) -> str:
    """A number with its thousands apart; what is no whole number with two digits.

    >>> grouped(1234567), grouped(0.25)
    ('1,234,567', '0.25')
    """
    return f"{number:,}" if number == int(number) else f"{number:,.2f}"


def aligned(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with columns in line: words from the left, columns of numbers from the right.

    >>> print(aligned(("rule", "hits"), [("add_zero", "7"), ("sift", "12")]))
    rule      hits
    add_zero     7
    sift        12
    """
    body = [tuple(row) for row in rows]
    columns = list(zip(head, *body, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [_numeric(column[1:]) for column in columns]
    lines = [
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (tuple(head), *body)
    ]
    return "\n".join(lines)


def _numeric(cells: Iterable[str]) -> bool:
    """Whether all cells of a column are numbers, or empty."""
    return all(c.strip(" +-.,%0123456789") == "" for c in cells)
