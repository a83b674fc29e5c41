"""Affine forms with integer coefficients in the indices of axes and in size symbols.

A form is a sorted tuple of pairs (key, coefficient) without zeros. An integer key is the index of
that axis, a text is a size symbol, and the empty text is the number 1: `i - n + 1`, for axis 0, is
`((0, 1), ("", 1), ("n", -1))`.
"""

from collections.abc import Callable, Iterable, Mapping
from math import gcd

from eggrad.engine.spec import LETTERS, Dims, Size

__all__ = [
    "Form",
    "Key",
    "coefficient",
    "evaluate",
    "form",
    "format_form",
    "greatest",
    "indices",
    "last_index",
    "least",
    "plus",
    "renamed",
    "resized",
    "size_form",
    "substituted",
    "times",
]

Key = int | str
Form = tuple[tuple[Key, int], ...]


def form(terms: Iterable[tuple[Key, int]]) -> Form:
    """The sum of multiples of indices, of sizes and of 1.

    >>> form([(1, -1), (0, 1), ("", 2), (1, 1)])
    ((0, 1), ('', 2))
    """
    found: dict[Key, int] = {}
    for key, c in terms:
        found[key] = found.get(key, 0) + c
    return tuple(sorted(((k, c) for k, c in found.items() if c), key=_order))


def _order(term: tuple[Key, int]) -> tuple[bool, Key]:
    # Indices come first; keys of one kind are comparable.
    return isinstance(term[0], str), term[0]


def plus(f: Form, g: Form) -> Form:
    """The sum of two forms."""
    return form([*f, *g])


def times(c: int, f: Form) -> Form:
    """A multiple."""
    return form((key, c * own) for key, own in f)


def coefficient(f: Form, key: Key) -> int:
    """The coefficient of an index, of a size symbol, or of 1."""
    return dict(f).get(key, 0)


def indices(f: Form) -> tuple[int, ...]:
    """The indices that a form depends on."""
    return tuple(key for key, _ in f if isinstance(key, int))


def content(f: Form) -> int:
    """The greatest common divisor of all coefficients but that of 1."""
    return gcd(*(c for key, c in f if key != ""))


def renamed(f: Form, names: Mapping[int, int] | Callable[[int], int]) -> Form:
    """The form in other indices; those that get one name are added.

    >>> renamed(((0, 1), (1, 2)), {0: 3, 1: 3})
    ((3, 3),)
    """
    name = names if callable(names) else names.__getitem__
    return form((name(key) if isinstance(key, int) else key, c) for key, c in f)


def substituted(f: Form, index: int, value: Form) -> Form:
    """The form with an index replaced by another form.

    >>> substituted(((0, 2), (1, 1)), 0, ((1, 1), ("", 3)))
    ((1, 3), ('', 6))
    """
    rest = [term for term in f if term[0] != index]
    return form([*rest, *times(coefficient(f, index), value)])


def resized(f: Form, sizes: Mapping[Size, Size]) -> Form:
    """The form with size symbols replaced by others, or by integers."""

    def term(key: Key, c: int) -> tuple[Key, int]:
        new = sizes.get(key, key) if isinstance(key, str) else key
        return ("", c * new) if isinstance(key, str) and isinstance(new, int) else (new, c)

    return form(term(key, c) for key, c in f)


def evaluate(f: Form, value: Callable[[Key], int]) -> int:
    """The value, given that of every index and size symbol."""
    return sum(c * (1 if key == "" else value(key)) for key, c in f)


def size_form(size: Size) -> Form:
    """A size as a form."""
    return form([("", size) if isinstance(size, int) else (size, 1)])


def last_index(size: Size) -> Form:
    """The last index of an axis of a size.

    >>> last_index("n")
    (('', -1), ('n', 1))
    """
    return form([*size_form(size), ("", -1)])


def least(f: Form, dims: Dims) -> int | None:
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


def greatest(f: Form, dims: Dims) -> int | None:
    """The same from above."""
    found = least(times(-1, f), dims)
    return None if found is None else -found


def format_form(
    f: Form,
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
        own = "" if name and abs(c) == 1 else f"{abs(c)}{sign if name else ''}"
        text += ("-" if c < 0 else "+" if text else "") + own + name
    return text or "0"
