"""The words of the text language: names, numbers and indices, read and written."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Literal, cast

from eggrad.engine.indices.spec import Dims, Spec, letter
from eggrad.engine.indices.texts import digits, escaped, integer
from eggrad.engine.terms.fixed_arrays import FixedArray
from eggrad.engine.terms.functions import ELEMENTWISE
from eggrad.engine.terms.matrix_functions import MATRIX_FUNCTIONS, STACK_FUNCTIONS

if TYPE_CHECKING:
    from lark import Token

FormatName = Literal[
    "einsum", "matrix", "index", "unicode", "latex", "python", "elementwise",
    "jax", "torch", "sympy", "matlab", "julia", "json", "dot",
]  # fmt: skip
"""The languages in which an expression can be written."""

OPERATORS: Final = {"PLUS": "add", "MINUS": "subtract", "DIVIDE": "divide", "POWER": "power"}
MATRIX_WORDS: Final[Mapping[str, str]] = {"maximum": "max", "minimum": "min"}
"""What matrix notation calls functions, where that is not the name of their record."""
FUNCTION_NAMES: Final = (*ELEMENTWISE, *MATRIX_FUNCTIONS, *STACK_FUNCTIONS)
RESERVED: Final = frozenset(
    {"declare", "expression", "derivative", "wrt", "delta", *FUNCTION_NAMES}
)

MAXIMAL_DIGITS: Final = 20_000
"""Numbers are exact, so `1e999999999` would fill the memory: this bounds digits and exponents."""
MAXIMAL_ORDER: Final = 1000

# Words of the extensions may be names, but are printed in quotes, so that nobody misreads them.
_PLAIN_NAME: Final = re.compile(
    r"(?!(?:let|size|(cofactors|argsort)[0-9]+)\Z)[A-Za-z_][A-Za-z0-9_]*\Z"
)
_WORD: Final = re.compile(r"\w+")
_SHORT: Final = 12


def unquoted(token: str) -> str:
    """The name that a token spells, without its quotes.

    >>> unquoted("x"), unquoted("`two words`")
    ('x', 'two words')
    """
    # `str` because a token of the parser is a string that remembers its place.
    return token[1:-1].replace("``", "`") if token.startswith("`") else str(token)


def format_name(name: str) -> str:
    """A name as the language spells it: in quotes where it would not read as a name.

    >>> format_name("x1"), format_name("sin"), format_name("two words")
    ('x1', '`sin`', '`two words`')
    """
    if name not in RESERVED and _PLAIN_NAME.match(name):
        return name
    return quoted(name)


def quoted(name: str) -> str:
    """Any text as a name."""
    return "`" + name.replace("`", "``") + "`"


def shown_name(name: str) -> str:
    r"""A name where no language reads it back: in one line, in quotes where it is no word.

    >>> print(shown_name("β_1"), shown_name("two\nlines"))
    β_1 `two\nlines`
    """
    return name if _WORD.fullmatch(name) else quoted(escaped(name))


def format_array(array: FixedArray) -> str:
    """An array as the text language reads it back.

    >>> from eggrad.engine.terms.fixed_arrays import fixed_array
    >>> format_array(fixed_array([[1, 0.1]])), format_array(fixed_array([2, 3]))
    ('array(1, 0.1)[1,2]', 'array(2, 3)')
    """
    numbers = (repr(x).removesuffix(".0") for x in array.values.ravel().tolist())
    sizes = format_sizes(array.values.shape) if array.values.ndim != 1 else ""
    return f"array({', '.join(numbers)}){sizes}"


def format_sizes(sizes: Dims) -> str:
    """Sizes as a declaration spells them.

    >>> format_sizes(("m", 3))
    '[m,3]'
    """
    return f"[{','.join(format_name(s) if isinstance(s, str) else str(s) for s in sizes)}]"


def format_axes(dims: Iterable[object]) -> str:
    """The axes of a tensor, in a sentence.

    >>> format_axes(("m", 3))
    '(m, 3)'
    """
    return f"({', '.join(map(str, dims))})"


def offset_of(token: "Token") -> int:
    """Where a token begins in the text."""
    return cast(int, token.start_pos)


def read_number(text: str) -> Fraction | None:
    """The exact value of a number's text; None if it has more than `MAXIMAL_DIGITS`.

    >>> read_number("-0.25"), read_number("1e-2"), read_number("2//6")
    (Fraction(-1, 4), Fraction(1, 100), Fraction(1, 3))
    """
    sign = -1 if text.startswith("-") else 1
    mantissa, _, exponent = text.removeprefix("-").lower().partition("e")
    if len(mantissa) > MAXIMAL_DIGITS or len(exponent.lstrip("+-0")) > len(str(MAXIMAL_DIGITS)):
        return None
    top, rational, bottom = mantissa.partition("//")
    if rational:
        return Fraction(sign * integer(top), integer(bottom))
    scale = int(exponent or "0")
    if abs(scale) > MAXIMAL_DIGITS:
        return None
    whole, _, part = mantissa.partition(".")
    # Powers are taken apart from the mantissa: `Fraction(10) ** -2` is exact as well.
    return sign * integer(whole + part) * Fraction(10) ** (scale - len(part))


@lru_cache(maxsize=1024)
def format_number(value: Fraction) -> str:
    """The number in the shortest exact spelling, the plain one where that is short.

    >>> [format_number(Fraction(n, d)) for n, d in ((3, 1), (-1, 2), (1, 3), (10**30, 1))]
    ['3', '-0.5', '1//3', '1e30']
    """
    sign = "-" if value < 0 else ""
    top, bottom = abs(value.numerator), value.denominator
    spellings = [digits(top) + ("//" + digits(bottom) if bottom > 1 else "")]
    mantissa, exponent = _decimal(top, bottom)
    if mantissa is not None:
        plain, shown = spellings[0], digits(mantissa)
        if exponent < 0:
            padded = shown.rjust(1 - exponent, "0") if exponent > -_SHORT else shown
            plain = f"{padded[:exponent]}.{padded[exponent:]}" if len(padded) > -exponent else ""
        if plain and len(plain) <= _SHORT:
            return sign + plain
        spellings += [plain] * bool(plain)
        if abs(exponent) <= MAXIMAL_DIGITS:
            spellings.append(f"{shown}e{exponent}")
    return sign + min(spellings, key=len)


def format_product(spec: Spec) -> str:
    """The operator of a product: `*(ij,j->i)`."""
    *operands, output = ["".join(map(letter, part)) for part in spec]
    return f"*({','.join(operands)}->{output})"


def _decimal(top: int, bottom: int) -> tuple[int | None, int]:
    """A mantissa and an exponent of ten that make the fraction, or None if there are none."""
    exponent = 0
    while bottom > 1:
        if bottom % 10 == 0:
            bottom //= 10
        elif bottom % 5 == 0:
            top, bottom = 2 * top, bottom // 5
        elif bottom % 2 == 0:
            top, bottom = 5 * top, bottom // 2
        else:
            return None, 0
        exponent -= 1
    while top and top % 10 == 0:
        top //= 10
        exponent += 1
    return top, exponent
