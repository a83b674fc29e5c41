"""What rules about numbers compute: primitives on exact rationals."""

from fractions import Fraction

from eggrad.engine.laws.language import Name, Number, condition, primitive
from eggrad.engine.terms.functions import record

__all__ = ["as_number", "function_value", "nonzero", "not_one", "plus", "raised", "times"]

# Arithmetic stops at numbers of more digits than a double has, twice over.
LARGE = 10**32
MODEST = 64


@primitive
def plus(c: Number, d: Number) -> Number:
    """The sum of two numbers."""
    return Fraction(c) + Fraction(d)


@primitive
def exponent_sum(p: Number, q: Number) -> Number | None:
    """The sum of two exponents; None beyond those that people write."""
    return _modest(Fraction(p) + Fraction(q))


@primitive
def exponent_product(p: Number, q: Number) -> Number | None:
    """The product of two exponents; None beyond those that people write."""
    return _modest(Fraction(p) * Fraction(q))


def _modest(p: Fraction) -> Fraction | None:
    # In a class that holds both a and 1/a, every power of a would bring the next.
    return p if max(abs(p.numerator), p.denominator) <= MODEST else None


@primitive
def times(c: Number, d: Number) -> Number | None:
    """The product of two numbers; None where it has too many digits to be of use.

    A tensor that is 0 without any rule knowing it is every multiple of itself.
    """
    product = Fraction(c) * Fraction(d)
    return product if max(abs(product.numerator), product.denominator) < LARGE else None


@primitive
def raised(c: Number, p: Number) -> Number | None:
    """A number to a small integer power; None where that is not a rational of modest size."""
    c, p = Fraction(c), Fraction(p)
    if p.denominator != 1 or abs(p) > 64 or (c == 0 and p < 0):
        return None
    if max(abs(c.numerator), c.denominator) > 10**12:
        return None
    return c ** int(p)


@primitive
def function_value(f: Name, c: Number) -> Number | None:
    """An element-wise function at a number, where the value is rational; else None."""
    return record(f).exact(Fraction(c))


@condition
def nonzero(c: Number) -> bool:
    """Whether a number is not 0."""
    return c != 0


@primitive
def as_number(d: object) -> Number | None:
    """A size as a number; None for a symbol."""
    return Fraction(d) if isinstance(d, int) else None


@condition
def not_one(c: Number) -> bool:
    """Whether a number is not 1."""
    return c != 1
