"""How tightly operations bind in each language that is written, and where brackets stand."""

from typing import Final

Text = tuple[str, int]
"""A text, and how tightly its last operation binds."""

# From the loosest to the tightest. A minus in front binds more tightly than a power in the
# thesis's language, and less tightly in Python; "any" is what never needs brackets.
_LANGUAGES: Final = {
    "einsum": ("sum", "product", "power", "sign", "atom"),
    "matrix": ("sum", "product", "power", "transpose", "atom"),
    "latex": ("sum", "entries", "product", "power", "atom"),
    "index": ("sum", "quotient", "product", "power", "atom"),
    "python": ("sum", "product", "sign", "power", "atom"),
    "elementwise": ("any", "sum", "term", "product", "sign", "power", "atom"),
    "elementwise latex": ("any", "sum", "term", "product", "power", "atom"),
}


def levels(language: str) -> range:
    """The levels of a language, from the loosest to the tightest, as numbers that grow.

    >>> SUM, PRODUCT, SIGN, POWER, ATOM = levels("python")
    >>> SUM < PRODUCT < SIGN < POWER < ATOM
    True
    """
    return range(len(_LANGUAGES[language]))


def bracketed(part: Text, least: int, opened: str = "(", closed: str = ")") -> str:
    """A text, in brackets where it binds less tightly than it must.

    >>> SUM, PRODUCT, *_ = levels("matrix")
    >>> bracketed(("a + b", SUM), PRODUCT), bracketed(("a*b", PRODUCT), PRODUCT)
    ('(a + b)', 'a*b')
    """
    text, level = part
    return f"{opened}{text}{closed}" if level < least else text
