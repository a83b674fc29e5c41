"""Affine forms: linear combinations of names, and a constant, with exact coefficients.

They have operators, for definitions are read and printed with them; the forms in terms, which are
`engine/indices/affine.py`'s, are plain tuples that are compared and sorted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import Final

from eggrad.engine.indices.linear_combinations import Rational, collected, exact

# The greatest numbers of a form that is short.
COEFFICIENT: Final = 10**9
CONSTANT: Final = 10**18


class Affine:
    """An immutable form such as `2*i - k + 3`; equal to any form of the same coefficients.

    Names keep the order in which they came, for printing alone.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> 2 * i - k + 3 == 3 - k + i + i
    True
    """

    __slots__ = ("_hash", "_terms", "constant")

    constant: Rational
    _terms: dict[str, Rational]
    _hash: int | None

    def __init__(self, terms: Mapping[str, Rational], constant: Rational = 0) -> None:
        """A form with these coefficients."""
        object.__setattr__(self, "_terms", {n: exact(c) for n, c in terms.items() if c})
        object.__setattr__(self, "constant", exact(constant))
        object.__setattr__(self, "_hash", None)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: forms are immutable."""
        raise AttributeError("affine forms are immutable")

    def __reduce__(self) -> "tuple[Callable[..., Affine], tuple[object, ...]]":
        """Pickle by building anew."""
        return Affine, (self._terms, self.constant)

    @staticmethod
    def of(name: str) -> "Affine":
        """The form that is a name alone."""
        return Affine({name: 1})

    @property
    def names(self) -> tuple[str, ...]:
        """The names with a coefficient that is not 0."""
        return tuple(self._terms)

    @property
    def is_constant(self) -> bool:
        """Whether no name occurs."""
        return not self._terms

    @property
    def denominator(self) -> int:
        """The least positive integer whose product with the form has integer coefficients.

        >>> (Affine.of("i") * Fraction(1, 2) + Fraction(1, 3)).denominator
        6
        """
        return lcm(*(c.denominator for c in (*self._terms.values(), self.constant)))

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients of an integer form, not the constant.

        >>> (4 * Affine.of("i") - 6 * Affine.of("j") + 1).content
        2
        """
        return gcd(*(c.numerator for c in self._terms.values()))

    @property
    def is_short(self) -> bool:
        """Whether there is room for it in 64 bits, where its names are indices of arrays.

        >>> (Affine.of("i") / 1000).is_short, (10**30 * Affine.of("i")).is_short
        (True, False)
        """
        whole = self.integral()
        numbers = [self.denominator, *(abs(c) for _, c in whole.items())]
        return max(numbers) <= COEFFICIENT and abs(whole.constant) <= CONSTANT

    def bare(self) -> str | None:
        """The name, where the form is one and nothing else.

        >>> Affine.of("i").bare(), (Affine.of("i") + 1).bare()
        ('i', None)
        """
        if not self.constant and len(self._terms) == 1:
            ((name, coefficient),) = self._terms.items()
            return name if coefficient == 1 else None
        return None

    def items(self) -> Iterator[tuple[str, Rational]]:
        """Names with their coefficients."""
        return iter(self._terms.items())

    def __getitem__(self, name: str) -> Rational:
        """The coefficient of a name."""
        return self._terms.get(name, 0)

    def __add__(self, other: "Affine | Rational") -> "Affine":
        """The sum."""
        if not isinstance(other, Affine):
            return Affine(self._terms, self.constant + other)
        terms = collected([*self._terms.items(), *other._terms.items()])
        return Affine(terms, self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> "Affine":
        """The negative."""
        return self * -1

    def __sub__(self, other: "Affine | Rational") -> "Affine":
        """The difference."""
        return self + -other

    def __rsub__(self, other: Rational) -> "Affine":
        """The difference, from a number."""
        return other + -self

    def __mul__(self, factor: Rational) -> "Affine":
        """The multiple."""
        terms = {n: c * factor for n, c in self._terms.items()}
        return Affine(terms, self.constant * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Rational) -> "Affine":
        """The quotient by a number."""
        return self * (Fraction(1) / divisor)

    def __eq__(self, other: object) -> bool:
        """Whether the coefficients are the same."""
        if not isinstance(other, Affine):
            return NotImplemented
        return self.constant == other.constant and self._terms == other._terms

    def __hash__(self) -> int:
        """Alike for equal forms; worked out once, for trees of forms are looked up often."""
        if self._hash is None:
            value = hash((frozenset(self._terms.items()), self.constant))
            object.__setattr__(self, "_hash", value)
            return value
        return self._hash

    def __repr__(self) -> str:
        """Show it for debugging; printing is the frontend's work."""
        return f"Affine({self._terms}, {self.constant})"

    def substitute(self, values: "Mapping[str, Affine | int]") -> "Affine":
        """The form with some names replaced.

        >>> i, j = Affine.of("i"), Affine.of("j")
        >>> (2 * i + j).substitute({"i": j + 1}) == 3 * j + 2
        True
        """
        if not any(n in values for n in self._terms):
            return self
        result = Affine({}, self.constant)
        for name, c in self._terms.items():
            result = result + (c * values[name] if name in values else Affine({name: c}))
        return result

    def integral(self) -> "Affine":
        """The multiple by `denominator`."""
        return self * self.denominator

    def split(self, names: Iterable[str]) -> "tuple[Affine, Affine]":
        """The part in some of the names, and the rest with the constant."""
        chosen = set(names)
        inner = {n: c for n, c in self._terms.items() if n in chosen}
        outer = {n: c for n, c in self._terms.items() if n not in chosen}
        return Affine(inner), Affine(outer, self.constant)


ZERO: Final = Affine({})
