"""Delta debugging: from what suffices together, a part of which nothing can be spared."""

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["smallest_part"]

T = TypeVar("T")


def smallest_part(items: Sequence[T], suffices: Callable[[Sequence[T]], bool]) -> list[T]:
    """A part that suffices, of which no single item can be left out (Zeller, Hildebrandt 2002).

    All the items together suffice. The order of the items is kept.

    >>> smallest_part(range(20), lambda part: 3 in part and 17 in part)
    [3, 17]
    """
    part = list(items)
    width = max(1, len(part) // 2)
    while True:
        before, start = len(part), 0
        while start < len(part):
            rest = part[:start] + part[start + width :]
            if suffices(rest):
                part = rest
            else:
                start += width
        if width == 1 and len(part) == before:
            return part
        width = max(1, width // 2)
