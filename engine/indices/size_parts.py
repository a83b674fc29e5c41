"""What sizes may be made of: words and numbers that a text can say again."""

import re
from collections.abc import Iterable
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import MAXIMAL_SIZE

__all__ = ["MOST_DIGITS", "check_parts"]

MOST_DIGITS: Final = len(str(MAXIMAL_SIZE))
_NAME: Final = re.compile(r"[^\W\d]\w*")


def check_parts(terms: Iterable[tuple[int | str, int]]) -> None:
    """Raise `ShapeError` where multiples of names have other names or longer numbers.

    >>> check_parts([("n", 2), ("", -1)])
    >>> check_parts([("two words", 1), ("", -1)])
    Traceback (most recent call last):
    eggrad.engine.errors.ShapeError: a size is made of others whose names are words, not of ...
    """
    for key, c in terms:
        if abs(c) > MAXIMAL_SIZE:
            raise ShapeError(f"the numbers of a size have at most {MOST_DIGITS} digits")
        if key and not _NAME.fullmatch(str(key)):
            raise ShapeError(f"a size is made of others whose names are words, not of {key!r}")
