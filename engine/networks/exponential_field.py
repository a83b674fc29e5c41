"""Rational functions of one exponential, exactly: what sums and products of `exp` and `tanh` are.

An element is `exp(form) * numerator(q) / denominator(q)` with `q = exp(step)`. The forms are
linear forms over any hashable keys; the polynomials have rational coefficients, lowest first,
a first coefficient that is not 0, and no common factor. They are lists of all coefficients, for
they are divided with remainder.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from math import gcd
from typing import Any

from eggrad.engine.indices.linear_combinations import collected

Exponents = tuple[tuple[Any, Fraction], ...]
Polynomial = tuple[Fraction, ...]

ONE: Polynomial = (Fraction(1),)
MAX_DEGREE = 12
# Results that are remembered: the same few occur in every layer of a network.
POLYNOMIALS = 1024


def form_of(items: Iterable[tuple[Hashable, Fraction]]) -> Exponents:
    """A linear form with its keys in order and without zeros."""
    return tuple(sorted(collected(items).items(), key=repr))


def multiple(form: Exponents, k: Fraction | int) -> Exponents:
    """A multiple of a linear form."""
    return tuple((key, k * c) for key, c in form) if k else ()


def plus(a: Exponents, b: Exponents, times: Fraction | int = 1) -> Exponents:
    """`a + times * b`.

    >>> plus((("x", Fraction(1)),), (("x", Fraction(1)),), -1)
    ()
    """
    return form_of([*a, *multiple(b, times)])


def ratio(a: Exponents, b: Exponents) -> Fraction | None:
    """The number k with `a = k * b`, if there is one."""
    if not b or [key for key, _ in a] != [key for key, _ in b]:
        return None
    k = a[0][1] / b[0][1]
    return k if plus(a, b, -k) == () else None


def direction(form: Exponents) -> Exponents:
    """The multiple of a form whose first coefficient is 1.

    >>> direction((("x", Fraction(2)), ("y", Fraction(-4))))
    (('x', Fraction(1, 1)), ('y', Fraction(-2, 1)))
    """
    return multiple(form, 1 / form[0][1])


@dataclass(frozen=True)
class Exponential:
    """An element of the field; without a `step` it is a number times `exp(form)`."""

    form: Exponents = ()
    step: Exponents = ()
    numerator: Polynomial = ONE
    denominator: Polynomial = ONE

    @property
    def is_bounded(self) -> bool:
        """Whether it is known to be between two numbers, as 1 / (1 + exp(x)) is.

        >>> x = (("x", Fraction(1)),)
        >>> Exponential((), x, (Fraction(1),), (Fraction(1),) * 2).is_bounded
        True
        >>> Exponential(x).is_bounded
        False
        """
        m = ratio(self.form, self.step) if self.form else Fraction(0)
        fits = m is not None and 0 <= m <= len(self.denominator) - len(self.numerator)
        return fits and all(c >= 0 for c in self.denominator)

    def times(self, other: "Exponential") -> "Exponential | None":
        """The product; None where the steps are of different directions, or degrees too high."""
        pair = _aligned(self, other)
        if pair is None:
            return None
        a, b = pair
        return _made(
            plus(a.form, b.form),
            a.step,
            polynomial_product(a.numerator, b.numerator),
            polynomial_product(a.denominator, b.denominator),
        )

    def power(self, p: Fraction) -> "Exponential | None":
        """A power: any of `exp(form)`, an integer one of the rest."""
        form = multiple(self.form, p)
        if not self.step and self.numerator == ONE:
            return Exponential(form)
        if p.denominator != 1 or abs(p) > MAX_DEGREE:
            return None
        top, bottom = self.numerator, self.denominator
        if p < 0:
            top, bottom = bottom, top
        result: Exponential | None = Exponential()
        for _ in range(abs(int(p))):
            result = result and result.times(Exponential((), self.step, top, bottom))
        return result and replace(result, form=plus(form, result.form))

    def plus(self, other: "Exponential") -> "Exponential | None":
        """The sum; None where the quotient is no rational function of one exponential."""
        quotient = plus(other.form, self.form, -1)
        a, b = self, other
        if quotient and not (a.step or b.step):
            a = replace(a, step=multiple(quotient, 1 if quotient[0][1] > 0 else -1))
        pair = _aligned(a, b)
        found = pair and (ratio(quotient, pair[0].step) if quotient else Fraction(0))
        if pair is None or found is None:
            return None
        a, b = (_refined(e, found.denominator) for e in pair)
        k = found.numerator
        left = polynomial_product(a.numerator, b.denominator)
        right = polynomial_product(b.numerator, a.denominator)
        shift = (Fraction(0),) * min(abs(k), MAX_DEGREE + 1)
        left, right = (left, shift + right) if k >= 0 else (shift + left, right)
        form = a.form if k >= 0 else b.form
        return _made(
            form,
            a.step,
            polynomial_sum(left, right),
            polynomial_product(a.denominator, b.denominator),
        )


def _aligned(a: Exponential, b: Exponential) -> tuple[Exponential, Exponential] | None:
    """Both with the same step."""
    if not a.step or not b.step:
        step = a.step or b.step
        return replace(a, step=step), replace(b, step=step)
    k = ratio(a.step, b.step)
    if k is None or k <= 0:
        return None
    return _refined(a, k.numerator), _refined(b, k.denominator)


def _refined(e: Exponential, n: int) -> Exponential:
    """The same element with a step n times smaller."""
    step = multiple(e.step, Fraction(1, n))
    return Exponential(e.form, step, _spread(e.numerator, n), _spread(e.denominator, n))


def _spread(p: Polynomial, n: int) -> Polynomial:
    gap = (Fraction(0),) * (n - 1)
    return p[:1] + tuple(x for c in p[1:] for x in (*gap, c))


def _made(
    form: Exponents, step: Exponents, numerator: Polynomial, denominator: Polynomial
) -> Exponential | None:
    """The element in lowest terms; None where it is 0 or of a high degree."""
    if not any(numerator) or max(len(numerator), len(denominator)) > 2 * MAX_DEGREE:
        return None
    low = next(k for k, c in enumerate(numerator) if c)
    numerator, denominator = _in_lowest_terms(_trimmed(numerator[low:]), denominator)
    form = plus(form, step, low)
    if len(numerator) == len(denominator) == 1:
        step = ()
    numerator, denominator, step = _coarsened(numerator, denominator, step)
    return Exponential(form, step, numerator, denominator)


@lru_cache(maxsize=POLYNOMIALS)
def _in_lowest_terms(
    numerator: Polynomial, denominator: Polynomial
) -> tuple[Polynomial, Polynomial]:
    """The same quotient without common factors, and with 1 as the first coefficient below."""
    common = _common(numerator, denominator)
    numerator, _ = divided(numerator, common)
    denominator, _ = divided(denominator, common)
    first = denominator[0]
    return tuple(c / first for c in numerator), tuple(c / first for c in denominator)


def _coarsened(
    numerator: Polynomial, denominator: Polynomial, step: Exponents
) -> tuple[Polynomial, Polynomial, Exponents]:
    """The largest step that the element can be written in."""
    places = [k for p in (numerator, denominator) for k, c in enumerate(p) if c]
    n = gcd(*places) or 1
    return numerator[::n], denominator[::n], multiple(step, n)


def _trimmed(p: Polynomial) -> Polynomial:
    while p and not p[-1]:
        p = p[:-1]
    return p


def polynomial_sum(a: Polynomial, b: Polynomial) -> Polynomial:
    """The sum of two polynomials.

    >>> polynomial_sum(ONE, (Fraction(-1), Fraction(2)))
    (Fraction(0, 1), Fraction(2, 1))
    """
    pairs = zip_longest(a, b, fillvalue=Fraction(0))
    return _trimmed(tuple(x + y for x, y in pairs))


@lru_cache(maxsize=POLYNOMIALS)
def polynomial_product(a: Polynomial, b: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    found = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            found[i + j] += x * y
    return tuple(found)


def divided(a: Polynomial, b: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder.

    >>> divided((Fraction(-1), Fraction(0), Fraction(1)), (Fraction(1), Fraction(1)))
    ((Fraction(-1, 1), Fraction(1, 1)), ())
    """
    rest, quotient = list(a), [Fraction(0)] * max(len(a) - len(b) + 1, 0)
    for k in reversed(range(len(quotient))):
        quotient[k] = rest[k + len(b) - 1] / b[-1]
        for j, c in enumerate(b):
            rest[k + j] -= quotient[k] * c
    return tuple(quotient), _trimmed(tuple(rest))


def _common(a: Polynomial, b: Polynomial) -> Polynomial:
    """The greatest common divisor, by Euclid."""
    while b:
        a, b = b, divided(a, b)[1]
    return a


@lru_cache(maxsize=POLYNOMIALS)
def roots_taken(p: Polynomial, root: Fraction) -> tuple[Polynomial, int]:
    """A polynomial without the factors `q - root`, and how many there were.

    >>> roots_taken((Fraction(-1), Fraction(0), Fraction(1)), Fraction(1))
    ((Fraction(1, 1), Fraction(1, 1)), 1)
    """
    count = 0
    while len(p) > 1:
        quotient, rest = divided(p, (-root, Fraction(1)))
        if rest:
            break
        p, count = quotient, count + 1
    return p, count
