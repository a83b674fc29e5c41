"""What a reader of the page asks: a checked, hashable value made of what the browser sends.

The server has this alone: what answers takes long to load.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from eggrad.engine.errors import EggradError, ParseError
from eggrad.engine.indices.affine import size_symbols
from eggrad.engine.indices.spec import Size

Answer = dict[str, Any]
"""What the browser gets, as JSON."""

PARTS: Final = (
    "derivative",
    "code",
    "check",
    "convexity",
    "steps",
    "log",
    "compare",
    "picture",
    "plot",
)
GUIDE: Final = "guide"
"""The part that is about no formula: what can be written."""
LAYOUTS: Final = ("", "numerator", "denominator")
"""Where the entries of a derivative stand: in the order of axes, or as one of two conventions."""
LONGEST: Final = 2000
"""Characters of a formula, the sizes of all variables together, and so on."""
HIGHEST_ORDER: Final = 4
_MOST_DIGITS: Final = 9
_CROSS: Final = re.compile("\\s*\N{MULTIPLICATION SIGN}\\s*|\\s+x\\s+|(?<=\\d)x(?=\\d)")


@dataclass(frozen=True)
class Question:
    """A part of the answer about a formula, and all that it depends on.

    `dims` has the sizes that a reader gave for variables, `assume` the words, both by name; `wrt`
    the variables to differentiate by in turn, none for the page's choice; `other` is the formula
    to compare the derivative with, `layout` one of `LAYOUTS`.
    """

    part: str
    text: str
    notation: str = "detect"
    dims: tuple[tuple[str, tuple[Size, ...]], ...] = ()
    assume: tuple[tuple[str, tuple[str, ...]], ...] = ()
    wrt: tuple[str, ...] = ()
    other: str = ""
    layout: str = ""

    @classmethod
    def of(cls, sent: object) -> "Question":
        """Check what was sent; raises `EggradError` for what the page never sends.

        >>> Question.of({"part": "code", "text": "x'*x", "dims": {"x": "n"}}).dims
        (('x', ('n',)),)
        """
        if not isinstance(sent, dict):
            raise EggradError("a question is a JSON object")
        given = cast(Mapping[str, Any], sent)
        part = _text(given, "part")
        notation = _text(given, "notation") or "detect"
        layout = _text(given, "layout")
        if part not in (*PARTS, GUIDE) or layout not in LAYOUTS:
            raise EggradError(f"there is no part {part!r} or no layout {layout!r}")
        wrt = given.get("wrt") or []
        if not isinstance(wrt, list) or not all(isinstance(n, str) for n in cast(list[Any], wrt)):
            raise EggradError("'wrt' is a list of names")
        names = tuple(_short(n) for n in cast(list[str], wrt))
        if len(names) > HIGHEST_ORDER:
            raise EggradError(f"the page differentiates up to {HIGHEST_ORDER} times")
        return cls(
            part=part,
            text=_text(given, "text"),
            notation=notation,
            dims=tuple((name, axes(text)) for name, text in _named(given, "dims")),
            assume=tuple((name, _words(text)) for name, text in _named(given, "assume")),
            wrt=names,
            other=_text(given, "other"),
            layout=layout,
        )


def axes(text: str) -> tuple[Size, ...]:
    """Sizes as they are typed, with commas, crosses or spaces between them.

    >>> axes("m, 3"), axes("N + K - 1"), axes("m n"), axes("(3 x n)"), axes("")
    (('m', 3), ('N + K - 1',), ('m', 'n'), (3, 'n'), ())
    """
    text = _CROSS.sub(",", text.strip().strip("()[]"))
    if "," in text:
        parts = text.split(",")
    else:
        parts = [text] if re.search(r"[-+*]", text) else text.split()
    return tuple(_size(p.strip()) for p in parts if p.strip())


def _size(word: str) -> Size:
    if not word.isdecimal():
        if not all(name.isidentifier() for name in size_symbols(word)):
            raise EggradError(f"a size is a number, a name, or made of them as n - 1, not {word!r}")
        return word
    if len(word) > _MOST_DIGITS:
        raise EggradError(f"a size on this page has at most {_MOST_DIGITS} digits")
    return int(word)


def _words(text: str) -> tuple[str, ...]:
    return tuple(w.strip() for w in text.split(",") if w.strip())


def _named(given: Mapping[str, Any], key: str) -> Iterator[tuple[str, str]]:
    found = given.get(key) or {}
    if not isinstance(found, dict):
        raise EggradError(f"{key!r} is an object of texts by name")
    texts = cast(dict[str, Any], found)
    if sum(len(name) + len(str(text)) for name, text in texts.items()) > LONGEST:
        raise EggradError(f"{key!r} is longer than {LONGEST} characters")
    for name in texts:
        yield _short(name), _text(texts, name)


def _text(given: Mapping[str, Any], key: str) -> str:
    found = given.get(key)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise EggradError(f"{key!r} is a text")
    return _short(found)


def _short(text: str) -> str:
    if len(text) > LONGEST:
        raise EggradError(
            f"this page reads formulas of at most {LONGEST:,} characters, this one has "
            f"{len(text):,}; eggrad itself reads longer ones"
        )
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise EggradError("the text is not Unicode")
    return text


def mistake(error: EggradError, field: str = "text") -> Answer:
    """An error as the page shows it: below the field, at its place."""
    if not isinstance(error, ParseError):
        return {"field": field, "message": str(error)}
    return {
        "field": field,
        "message": error.reason,
        "line": error.line,
        "column": error.column,
        "expected": list(error.expected),
    }
