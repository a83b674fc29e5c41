"""The errors of the text language that are also errors of another kind."""

from collections.abc import Iterable

from eggrad.engine.errors import ParseError, ShapeError, UnknownVariable


class TextShapeError(ParseError, ShapeError):
    """A text whose axes do not fit; the message shows the place."""


class TextUnknownVariable(ParseError, UnknownVariable):
    """A text with a name that it does not declare; the message shows the place.

    `name` is the name, "" where the text has one that is to be written otherwise.
    """

    name = ""


class TextQuestion(ParseError):
    """A text with more than one reading; the message shows the place, and says how they differ."""


class TextShapeQuestion(TextShapeError, TextQuestion):
    """A text whose meaning depends on what its shapes are, and which they leave open."""


def place_words(text: str, offset: int) -> str:
    r"""A place in words.

    >>> place_words("declare\n  x 1", 10)
    'line 2, column 3'
    """
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


def suggestion(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that offers the word that a misspelt or cut one is, if there is one.

    >>> suggestion("sine", ["sin", "cos"]), suggestion("huber", ["where"])
    (", did you mean 'sin'?", '')
    """
    known = list(known)
    most = 1 if len(word) < 6 else 2
    close = [k for k in known if abs(len(k) - len(word)) <= most]
    near = [(_distance(word.lower(), k.lower()), _distance(word, k), k) for k in close]
    near += [(most, most, k) for k in known if len(word) > 3 and k.startswith(word)]
    distance, _, best = min(near, default=(most + 1, 0, ""), key=lambda found: found[:2])
    return f", did you mean {best!r}?" if distance <= most and distance < len(word) else ""


def _distance(a: str, b: str) -> int:
    """How many letters are missing, too many, other ones, or exchanged with the next."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, p in enumerate(a):
        earlier, before = before, row
        row = [i + 1]
        for j, q in enumerate(b):
            row.append(min(before[j + 1] + 1, row[j] + 1, before[j] + (p != q)))
            if i and j and p == b[j - 1] and a[i - 1] == q:
                row[-1] = min(row[-1], earlier[j - 1] + 1)
    return row[-1]
