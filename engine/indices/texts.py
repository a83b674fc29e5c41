"""Names and numbers of users, as texts: identifiers that cannot clash, and exact numbers."""

import re
from collections.abc import Collection
from fractions import Fraction
from keyword import iskeyword
from math import inf, isqrt, pi
from numbers import Integral, Rational, Real
from reprlib import Repr
from typing import Any, Final
from unicodedata import name as unicode
from unicodedata import normalize

import numpy as np

from eggrad.engine.errors import UnsupportedOperation

PI: Final = Fraction(str(pi))
"""The number that readers take for pi. Fractions are exact, so a multiple of it stays one."""

SHORT: Final = 10**6

_WORD: Final = re.compile(r"\w+")
# What messages show of a value: the beginning of it.
_BRIEF: Final = Repr()
_BRIEF.maxstring = _BRIEF.maxother = 60
_BRIEF.maxlevel = 2


def identifier(name: str, taken: Collection[str]) -> str:
    """A Python name like the given one that is neither taken nor a keyword.

    >>> identifier("x y", ()), identifier("lambda", ()), identifier("np", {"np"})
    ('v_x_y', 'lambda_', 'np_')
    """
    # Python itself reads names in this form: two spellings of one name would clash.
    result = normalize("NFKC", name)
    if not _WORD.fullmatch(result) or not result.isidentifier() or result.startswith("__"):
        result = "v_" + "".join(
            c if _WORD.match(c) and f"_{c}".isidentifier() else "_" for c in result
        )
    while result in taken or iskeyword(result):
        result += "_"
    return result


# MATLAB's names have 63 characters at most.
_LONGEST: Final = 50


def ascii_identifier(name: str, taken: Collection[str]) -> str:
    """A name of ASCII letters, digits and underscores, like the given one, that is not taken.

    >>> ascii_identifier("β_1", ()), ascii_identifier("x y", ()), ascii_identifier("end", {"end"})
    ('beta_1', 'v_x_y', 'end_')
    """
    spelled = "".join(map(_without_greek, name))
    result = re.sub(r"\W", "_", spelled, flags=re.ASCII)
    if result != spelled or not re.match("[A-Za-z]", result):
        result = f"v_{result}"
    result = result[:_LONGEST]
    while result in taken:
        result += "_"
    return result


def _without_greek(character: str) -> str:
    found = re.fullmatch("GREEK (SMALL|CAPITAL) LETTER (FINAL )?([A-Z]+)", unicode(character, ""))
    if not found:
        return character
    return found[3].title() if found[1] == "CAPITAL" else found[3].lower()


def escaped(text: str) -> str:
    r"""The text in one line within double quotes or a comment, odd characters as Python has them.

    >>> print(escaped('a"b\nc'))
    a\"b\nc
    """
    return "".join(
        f"\\{c}" if c in '\\"' else c if c.isprintable() else c.encode("unicode_escape").decode()
        for c in text
    )


def is_text(name: str) -> bool:
    r"""Whether a name can be written to a file: halves of surrogate pairs cannot.

    >>> is_text("x"), is_text("\ud800")
    (True, False)
    """
    return not any("\ud800" <= c <= "\udfff" for c in name)


# Exact numbers of any size as texts and as floating-point numbers.
#
# Python converts at most 4300 digits at once, and no fraction beyond the greatest float.


_CHUNK: Final = 4000
_LARGE: Final = 10**_CHUNK


def digits(value: int) -> str:
    """The decimal digits of an integer from 0 up.

    >>> len(digits(10**5000))
    5001
    """
    chunks: list[str] = []
    while value >= _LARGE:
        value, rest = divmod(value, _LARGE)
        chunks.append(str(rest).rjust(_CHUNK, "0"))
    return str(value) + "".join(reversed(chunks))


def integer(text: str) -> int:
    """The integer that some decimal digits say.

    >>> integer(digits(10**5000)) == 10**5000
    True
    """
    value = 0
    for start in range(0, len(text), _CHUNK):
        chunk = text[start : start + _CHUNK]
        value = value * 10 ** len(chunk) + int(chunk)
    return value


def fraction_text(value: Fraction) -> str:
    """A fraction as `str` writes it, of any size.

    >>> fraction_text(Fraction(-1, 2))
    '-1/2'
    """
    sign = "-" if value < 0 else ""
    below = f"/{digits(value.denominator)}" if value.denominator > 1 else ""
    return sign + digits(abs(value.numerator)) + below


def fraction_of(text: str) -> Fraction:
    """The fraction whose text this is.

    >>> fraction_of("-1/2")
    Fraction(-1, 2)
    """
    above, _, below = text.removeprefix("-").partition("/")
    value = Fraction(integer(above), integer(below or "1"))
    return -value if text.startswith("-") else value


def as_float(number: Fraction | int) -> float:
    """The nearest floating-point number; infinite beyond all of them.

    >>> as_float(Fraction(1, 4)), as_float(Fraction(-(10**400)))
    (0.25, -inf)
    """
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


# Numbers of Python and NumPy as the fractions that their users mean.


_LARGEST: Final = 10_000
_CHANCE: Final = 1_000


def exact(value: object) -> Fraction | None:
    """A Python or NumPy number as an exact fraction; None for all else.

    A floating-point number is the fraction with a small denominator that rounds to it, such as
    1/3, else what its decimal text says.

    >>> exact(1 / 3), exact(0.1), exact(0.30000000000000004)
    (Fraction(1, 3), Fraction(1, 10), Fraction(7500000000000001, 25000000000000000))
    """
    if isinstance(value, Integral | Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, np.bool_):
        return Fraction(int(value))
    if not isinstance(value, Real):
        return None
    text = str(value)
    if text in ("inf", "-inf", "nan"):
        raise UnsupportedOperation(f"a constant is a finite number, not {text}")
    small = _small_fraction(value) if isinstance(value, float | np.floating) else None
    return Fraction(text) if small is None else small


def _small_fraction(value: "float | np.floating[Any]") -> Fraction | None:
    """The only fraction of a small denominator that rounds to a number; None where there is none.

    A random number of that many digits has one by a chance of less than one in a thousand.
    """
    kind = type(value)
    steps = int(1 / np.finfo(kind).eps)
    most = min(_LARGEST, isqrt(steps // _CHANCE))
    fraction = Fraction(*value.as_integer_ratio())
    # Farther from 0 numbers lie less densely, and several fractions would round to one.
    if most < 2 or abs(fraction) * most**2 >= steps:
        return None
    found = fraction.limit_denominator(most)
    return found if kind(found.numerator) / kind(found.denominator) == value else None


def shown(value: object) -> str:
    """What somebody gave, in less than a line, whatever it is.

    >>> shown("n" * 1000), shown([1] * 1000)
    ("'nnnnnnnnnnnnnnnnnnnnnnnnnnn...nnnnnnnnnnnnnnnnnnnnnnnnnnnn'", '[1, 1, 1, 1, 1, 1, ...]')
    >>> shown(np.ones((3, 4)))
    'an array of float64 and shape (3, 4)'
    """
    if isinstance(value, np.ndarray) and value.size > 3:
        return f"an array of {value.dtype} and shape {value.shape}"
    if isinstance(value, int) and not -(10**40) < value < 10**40:
        return f"an integer of {value.bit_length()} bits"
    return " ".join(_BRIEF.repr(value).split())


LONGEST_NAME: Final = 1000
"""The most characters of the name of a variable."""


def over_pi(value: Fraction) -> Fraction | None:
    """What a short fraction of pi is over pi; None of any other number.

    >>> over_pi(3 * PI / 4), over_pi(Fraction(22, 7))
    (Fraction(3, 4), None)
    """
    found = value / PI
    return found if found and max(abs(found.numerator), found.denominator) < SHORT else None
