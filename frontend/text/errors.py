"""The errors of the text language that are also errors of another kind."""

from collections.abc import Iterable
from difflib import get_close_matches

from eggrad.engine.errors import ParseError, ShapeError, UnknownVariable


class TextShapeError(ParseError, ShapeError):
    """A text whose axes do not fit; the message shows the place."""


class TextUnknownVariable(ParseError, UnknownVariable):
    """A text with a name that it does not declare; the message shows the place."""


def place_words(text: str, offset: int) -> str:
    r"""A place in words.

    >>> place_words("declare\n  x 1", 10)
    'line 2, column 3'
    """
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that offers the known word most like a misspelt one, if there is one.

    >>> suggestion("sine", ["sin", "cos"])
    ", did you mean 'sin'?"
    """
    near = get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f", did you mean {near[0]!r}?" if near else ""
