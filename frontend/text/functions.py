"""Functions that notations have and terms do not: each is composed of others."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from eggrad.engine.terms import term as terms
from eggrad.engine.terms.functions import OwnFunction
from eggrad.engine.terms.term import Term


def _sinh(a: Term) -> Term:
    """`(exp(a) - exp(-a)) / 2`."""
    difference = terms.subtract(terms.apply("exp", a), terms.apply("exp", terms.negate(a)))
    return terms.divide(difference, terms.constant(2))


def _cosh(a: Term) -> Term:
    """`(exp(a) + exp(-a)) / 2`."""
    total = terms.add(terms.apply("exp", a), terms.apply("exp", terms.negate(a)))
    return terms.divide(total, terms.constant(2))


def _sqrt(a: Term) -> Term:
    """`a ** (1/2)`."""
    return terms.power(a, terms.constant(Fraction(1, 2)))


def _arctanh(a: Term) -> Term:
    """`log((1 + a) / (1 - a)) / 2`."""
    ones = terms.constant(1, a.dims)
    quotient = terms.divide(terms.add(ones, a), terms.subtract(ones, a))
    return terms.divide(terms.apply("log", quotient), terms.constant(2))


def _log1p(a: Term) -> Term:
    """`log(1 + a)`."""
    return terms.apply("log", terms.add(terms.constant(1, a.dims), a))


def _expm1(a: Term) -> Term:
    """`exp(a) - 1`."""
    return terms.subtract(terms.apply("exp", a), terms.constant(1, a.dims))


COMPOSED: Final[Mapping[str, Callable[[Term], Term]]] = {
    "sinh": _sinh,
    "cosh": _cosh,
    "sqrt": _sqrt,
    "arctanh": _arctanh,
    "log1p": _log1p,
    "expm1": _expm1,
}
"""Functions of one operand, by their names in NumPy."""


def applied(function: str, declared: OwnFunction | None, args: Sequence[Term]) -> Term:
    """The term of a function of some terms; what is no operation is composed.

    >>> applied("sinh", None, [terms.variable("x")]).op
    'divide'
    """
    if declared is None and function in COMPOSED:
        return COMPOSED[function](*args)
    return terms.apply(declared or function, *args)
