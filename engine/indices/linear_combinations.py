"""Linear combinations: mappings from keys to exact coefficients that are not 0.

Of a linear form the keys are names or e-classes, of a polynomial monomials.
"""

from collections.abc import Hashable, Iterable
from fractions import Fraction
from typing import TypeVar

Rational = int | Fraction
Key = TypeVar("Key", bound=Hashable)
Number = TypeVar("Number", int, Fraction, Rational)


def collected(terms: Iterable[tuple[Key, Number]]) -> dict[Key, Number]:
    """The sum of multiples of keys: like terms are one, in order of first appearance.

    >>> collected([("x", 2), ("y", 1), ("z", 3), ("x", -2), ("z", 1)])
    {'y': 1, 'z': 4}
    """
    found: dict[Key, Number] = {}
    for key, c in terms:
        found[key] = found[key] + c if key in found else c
    return {key: c for key, c in found.items() if c}


def exact(value: Rational) -> Rational:
    """The same number, as an integer where it is one.

    >>> exact(Fraction(4, 2))
    2
    """
    return value.numerator if value.denominator == 1 else value
