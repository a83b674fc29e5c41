"""Affine forms with integer coefficients in the indices of axes and in size symbols.

A form is a sorted tuple of pairs (key, coefficient) without zeros. An integer key is the index of
that axis, a text is a size symbol, and the empty text is the number 1: `i - n + 1`, for axis 0, is
`((0, 1), ("", 1), ("n", -1))`.

A form of symbols is a size as well, and its text is what such a size is called: `n - 1`.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from math import gcd
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.linear_combinations import collected
from eggrad.engine.indices.spec import LETTERS, MAXIMAL_SIZE, Dims, Size
from eggrad.engine.indices.texts import is_text, shown

# Which sizes axes may have.

# Numbers as texts, which are no symbols.
_NUMBER: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*\Z")


def checked_dims(dims: Sequence[Size]) -> Dims:
    """The sizes, those made of others in their one spelling; `ShapeError` for what is none.

    >>> checked_dims(("n", "1 + n - 2", 3))
    ('n', 'n - 1', 3)
    """
    for d in dims:
        if type(d) is int and abs(d) > MAXIMAL_SIZE:
            raise ShapeError(f"a size is a name or an integer from 0 up to {MAXIMAL_SIZE}")
        if not (isinstance(d, str) and d and is_text(str(d))) and not (type(d) is int and d >= 0):
            raise ShapeError(f"a size is a name or an integer from 0 up, not {shown(d)}")
        if isinstance(d, str) and _NUMBER.match(d):
            raise ShapeError(
                f"a size is a name or an integer from 0 up, not the text {shown(str(d))}"
            )
    # Text of a subclass of str is the same size; terms have the plain one.
    return tuple(canonical_size(str(d)) if isinstance(d, str) else d for d in dims)


Key = int | str
AffineForm = tuple[tuple[Key, int], ...]


def form(terms: Iterable[tuple[Key, int]]) -> AffineForm:
    """The sum of multiples of indices, of sizes and of 1.

    >>> form([(1, -1), (0, 1), ("", 2), (1, 1)])
    ((0, 1), ('', 2))
    """
    return tuple(sorted(collected(terms).items(), key=_order))


def _order(term: tuple[Key, int]) -> tuple[bool, Key]:
    # Indices come first; keys of one kind are comparable.
    return isinstance(term[0], str), term[0]


def plus(f: AffineForm, g: AffineForm) -> AffineForm:
    """The sum of two forms."""
    return form([*f, *g])


def times(c: int, f: AffineForm) -> AffineForm:
    """A multiple."""
    return form((key, c * number) for key, number in f)


def coefficient(f: AffineForm, key: Key) -> int:
    """The coefficient of an index, of a size symbol, or of 1."""
    return dict(f).get(key, 0)


def indices(f: AffineForm) -> tuple[int, ...]:
    """The indices that a form depends on."""
    return tuple(key for key, _ in f if isinstance(key, int))


def content(f: AffineForm) -> int:
    """The greatest common divisor of all coefficients but that of 1."""
    return gcd(*(c for key, c in f if key != ""))


def renamed(f: AffineForm, names: Mapping[int, int] | Callable[[int], int]) -> AffineForm:
    """The form in other indices; those that get one name are added.

    >>> renamed(((0, 1), (1, 2)), {0: 3, 1: 3})
    ((3, 3),)
    """
    name = names if callable(names) else names.__getitem__
    return form((name(key) if isinstance(key, int) else key, c) for key, c in f)


def substituted(f: AffineForm, index: int, value: AffineForm) -> AffineForm:
    """The form with an index replaced by another form.

    >>> substituted(((0, 2), (1, 1)), 0, ((1, 1), ("", 3)))
    ((1, 3), ('', 6))
    """
    rest = [term for term in f if term[0] != index]
    return form([*rest, *times(coefficient(f, index), value)])


def resized(f: AffineForm, sizes: Mapping[Size, Size]) -> AffineForm:
    """The form with size symbols replaced by other sizes.

    >>> resized(((0, 1), ("n", 2)), {"n": "m - 1"})
    ((0, 1), ('', -2), ('m', 2))
    """
    return form(
        term
        for key, c in f
        for term in (times(c, size_form(sizes[key])) if key and key in sizes else [(key, c)])
    )


def evaluate(f: AffineForm, value: Callable[[Key], int]) -> int:
    """The value, given that of every index and size symbol."""
    return sum(c * (1 if key == "" else value(key)) for key, c in f)


_WORD: Final = r"\??[^\W\d]\w*"
_TERM: Final = rf"(?:(\d+)\s*\*\s*)?({_WORD})|(\d+)"
_NEXT: Final = re.compile(rf"\s*([+-]?)\s*(?:{_TERM})\s*")
_WHOLE: Final = re.compile(rf"\s*-?\s*(?:{_TERM})(?:\s*[+-]\s*(?:{_TERM}))*\s*")


@lru_cache(maxsize=4096)
def size_form(size: Size) -> AffineForm:
    """A size as a form; what is no sum of multiples of names is a symbol.

    >>> size_form("2*n - 1")
    (('', -1), ('n', 2))
    """
    if isinstance(size, int):
        return form([("", size)])
    if size.isidentifier() or not _WHOLE.fullmatch(size) or size.strip().isdigit():
        # Text of a subclass of str is the same size; forms have the plain one.
        return ((str(size), 1),)
    parts = _NEXT.findall(size)
    if any(len(count or number) > MOST_DIGITS for _, count, _, number in parts):
        raise ShapeError(f"the numbers of a size have at most {MOST_DIGITS} digits")
    return form(
        (name or "", (-1 if sign == "-" else 1) * int(count or number or 1))
        for sign, count, name, number in parts
    )


@lru_cache(maxsize=4096)
def as_size(f: AffineForm) -> Size:
    """The size that a form of symbols is: an integer, a symbol, or the text of the form.

    >>> [as_size(size_form(text)) for text in ("m-1+n", "1-k+n", "n + 2 - n", "-n + 3")]
    ['m + n - 1', 'n - k + 1', 2, '3 - n']
    """
    # A positive name comes first, else the number.
    number_first = all(c < 0 for key, c in f if key)
    terms = sorted(f, key=lambda term: ((term[0] == "") != number_first, term[1] < 0, term[0]))
    if all(key == "" for key, _ in terms):
        return sum(c for _, c in terms)
    if len(terms) > 1 or terms[0][1] != 1:
        check_parts(terms)
    text = ""
    for key, c in terms:
        name = f"{key}" if abs(c) == 1 and key else f"{abs(c)}*{key}" if key else str(abs(c))
        text += ("-" if c < 0 else "") + name if not text else f" {'-' if c < 0 else '+'} {name}"
    return text


@lru_cache(maxsize=4096)
def canonical_size(text: str) -> Size:
    """The size that a text says, in its one spelling; `ShapeError` for a negative number.

    >>> canonical_size("1 + n - 2")
    'n - 1'
    """
    size = as_size(size_form(text))
    if isinstance(size, int) and size < 0:
        raise ShapeError(f"a size is not negative, as {text}")
    return size


def size_text(size: Size, names: Mapping[str, str]) -> str:
    """The text of a size in other names.

    >>> size_text("n - 1", {"n": "length"})
    'length - 1'
    """
    terms = size_form(size)
    return str(as_size(form((names[str(key)] if key else "", c) for key, c in terms)))


def size_symbols(size: Size) -> tuple[str, ...]:
    """The symbols of which a size is made.

    >>> size_symbols("m + n - 1")
    ('m', 'n')
    """
    return tuple(str(key) for key, _ in size_form(size) if key != "")


def size_value(size: Size, value: Callable[[str], int]) -> int:
    """The number that a size is, given those of symbols."""
    return evaluate(size_form(size), lambda key: value(str(key)))


class Lengths(dict[Size, int]):
    """The numbers that sizes stand for, those of 0 counted as 1; each is worked out once.

    >>> Lengths({"n": 5}, 100)["n - 1"], Lengths({}, 100)["n"], Lengths({}, 100)[0]
    (4, 100, 1)
    """

    def __init__(self, sizes: Mapping[Size, int], default: int) -> None:
        """`sizes` has some symbols' numbers, `default` is that of all others."""
        super().__init__()
        self._sizes = sizes
        self._default = default

    def __missing__(self, size: Size) -> int:
        """Work it out."""
        value = size_value(size, lambda symbol: self._sizes.get(symbol, self._default))
        return self.setdefault(size, max(1, value))


def resized_dims(dims: Dims, sizes: Mapping[Size, Size]) -> Dims:
    """The sizes with symbols replaced by others.

    >>> resized_dims(("n", "n - 1", 3), {"n": 5})
    (5, 4, 3)
    """

    def new(d: Size) -> Size:
        if d in sizes or is_simple(d):
            return sizes.get(d, d)
        return as_size(resized(size_form(d), sizes))

    return tuple(map(new, dims))


def is_simple(size: Size) -> bool:
    """Whether a size is an integer or a symbol, not made of others."""
    return isinstance(size, int) or size_form(size) == ((size, 1),)


def last_index(size: Size) -> AffineForm:
    """The last index of an axis of a size.

    >>> last_index("n")
    (('', -1), ('n', 1))
    """
    return form([*size_form(size), ("", -1)])


def least(f: AffineForm, dims: Dims) -> int | None:
    """A lower bound for all indices within the axes, where no axis is empty; None for no bound.

    >>> least(((0, -1), ("n", 1)), ("n",))
    1
    """
    bound = f
    for key in indices(f):
        c = coefficient(f, key)
        bound = substituted(bound, key, last_index(dims[key]) if c < 0 else ())
    if any(key != "" and c < 0 for key, c in bound):
        return None
    return sum(c * (key in ("", *dims)) for key, c in bound)


def greatest(f: AffineForm, dims: Dims) -> int | None:
    """The same from above."""
    found = least(times(-1, f), dims)
    return None if found is None else -found


def format_form(
    f: AffineForm,
    index: Callable[[int], str] = LETTERS.__getitem__,
    size: Callable[[str], str] = str,
    sign: str = "",
) -> str:
    """The text of a form; `sign` stands between a coefficient and its index.

    >>> format_form(((0, 1), (1, -2), ("", 1), ("n", -1)))
    'i-2j-n+1'
    """
    text = ""
    for key, c in sorted(f, key=lambda term: term[0] == ""):
        name = index(key) if isinstance(key, int) else size(key) if key else ""
        number = "" if name and abs(c) == 1 else f"{abs(c)}{sign if name else ''}"
        text += ("-" if c < 0 else "+" if text else "") + number + name
    return text or "0"


# What sizes may be made of: words and numbers that a text can say again.


MOST_DIGITS: Final = len(str(MAXIMAL_SIZE))
_NAME: Final = re.compile(_WORD)


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
            raise ShapeError(f"a size is made of others whose names are words, not of {shown(key)}")
