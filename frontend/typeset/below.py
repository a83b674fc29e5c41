"""What stands below a name or a sum: places, indices, ranges."""

import re
from typing import Final, NamedTuple

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.indices.affine import AffineForm, size_form

_LETTERS: Final = r"\\?[A-Za-z\N{GREEK SMALL LETTER ALPHA}-ω]+"
_MINUS: Final = "\N{MINUS SIGN}"
_PLACE: Final = re.compile(rf"{_LETTERS}|\d+")
_SIGN: Final = rf"[+\-{_MINUS}]"
_FORM: Final = re.compile(rf"\s*({_LETTERS})?\s*(?:({_SIGN})?\s*(\d+))?\s*")
_COEFFICIENT: Final = re.compile(r"(\d)\s*(?=[A-Za-z])")
_NO_LETTER: Final = re.compile(r"\\(?:mathrm|mathbf|text|[,;!])|[{}\s]")


class Place(NamedTuple):
    """A place along an axis, counted from 1: an index and a number, such as `i - 1`."""

    letter: str
    number: int


class Range(NamedTuple):
    """The values of an index, the last one among them; None where they are those of an axis."""

    letter: str
    first: AffineForm | None
    last: AffineForm | None


def places(below: str) -> tuple[Place, ...]:
    """The places that a text below a name says.

    >>> places("i,j"), places("12"), places("i-1")
    ((Place(letter='i', number=0), Place(letter='j', number=0)), (Place(letter='', number=12),), \
(Place(letter='i', number=-1),))
    """
    plain = _NO_LETTER.sub("", below)
    found: list[Place] = []
    for part in plain.split(","):
        if not re.search(_SIGN, part):
            items = _PLACE.findall(part)
            if not items or "".join(items) != part:
                raise UnsupportedOperation(f"{below.strip()} is no list of indices")
            for item in items:
                # Letters side by side are indices, digits one number.
                letters = [item] if item.startswith("\\") else list(item)
                numbers = [Place("", int(item[:18]))] if item.isdecimal() else []
                found += numbers or [Place(letter.removeprefix("\\"), 0) for letter in letters]
            continue
        match = _FORM.fullmatch(part)
        if match is None or not match[1] or not match[3] or len(match[3]) > 9:
            raise UnsupportedOperation(f"{part!r} is no index, such as i or i+1")
        sign = -1 if match[2] != "+" else 1
        found.append(Place(match[1].removeprefix("\\"), sign * int(match[3])))
    return tuple(found)


def ranges(bounds: str) -> tuple[Range, ...]:
    """The indices that a sum goes over, and from where to where.

    >>> [r.letter for r in ranges("i,j^")], ranges("i=1^n")[0].last
    (['i', 'j'], (('n', 1),))
    """
    below, _, above = bounds.partition("^")
    plain = _NO_LETTER.sub("", below)
    names, equals, first = plain.partition("=")
    if re.search(r"[<>]|\\(?:ne|neq|in|le|leq|ge|geq|not)(?![A-Za-z])", below):
        raise UnsupportedOperation(
            f"a sum goes over whole axes, or from one number to another, not over {below.strip()}"
        )
    found = places(names)
    if any(not p.letter or p.number for p in found):
        raise UnsupportedOperation(f"{below.strip()} is no list of indices")
    if bool(equals) != bool(above.strip()):
        if not equals:
            raise UnsupportedOperation("a sum that ends somewhere begins somewhere, as in _{i=1}^n")
        raise UnsupportedOperation("a sum that begins somewhere ends somewhere, as in _{i=1}^n")
    if not equals:
        return tuple(Range(p.letter, None, None) for p in found)
    low, high = _form(first), _form(_NO_LETTER.sub("", above))
    return tuple(Range(p.letter, low, high) for p in found)


def _form(text: str) -> AffineForm:
    """A number, a size, or a size and a number."""
    plain = _COEFFICIENT.sub(r"\1*", text.replace(_MINUS, "-").replace("\\", ""))
    if not re.fullmatch(r"[\w+*-]+", plain) or len(plain) > 40:
        raise UnsupportedOperation(f"{text!r} is no end of a sum, such as 1, n or n-1")
    if plain.isdecimal():
        return size_form(int(plain[:18])) if int(plain[:18]) else ()
    return size_form(plain)
