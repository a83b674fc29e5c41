"""NumPy's element-wise functions, in terms of those that the language has."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import special
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    add,
    as_expression,
    combine,
    divide,
    matmul,
    multiply,
    negative,
    power,
    subtract,
)
from eggrad.frontend.expression.numpy_protocols import implements
from eggrad.frontend.text import functions as of_one

__all__ = ["COMPOSED", "UFUNCS", "sqrt", "square"]


def _composed(name: str, of_terms: Callable[[Term], Term]) -> Callable[[Any], Expression]:
    def function(a: Any) -> Expression:
        return combine(name, [as_expression(a)], [], of_terms)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = of_terms.__doc__
    return function


COMPOSED: Final = {name: _composed(name, own) for name, own in of_one.COMPOSED.items()}
"""Functions of one operand that are composed of others."""

sqrt = COMPOSED["sqrt"]


def positive(a: Any) -> Expression:
    """`+a`."""
    return as_expression(a)


def square(a: Any) -> Expression:
    """`a ** 2`."""
    return power(a, 2)


def cbrt(a: Any) -> Expression:
    """The cube root, of negative entries as well."""
    return multiply(language.sign(a), power(language.abs(a), Fraction(1, 3)))


def reciprocal(a: Any) -> Expression:
    """`1 / a`."""
    return divide(1, a)


def exp2(a: Any) -> Expression:
    """`2 ** a`."""
    return power(2, a)


def log2(a: Any) -> Expression:
    """`log(a) / log(2)`."""
    return divide(language.log(a), language.log(as_expression(2)))


def log10(a: Any) -> Expression:
    """`log(a) / log(10)`."""
    return divide(language.log(a), language.log(as_expression(10)))


def logaddexp(a: Any, b: Any) -> Expression:
    """`log(exp(a) + exp(b))`."""
    return language.log(add(language.exp(as_expression(a)), language.exp(as_expression(b))))


def hypot(a: Any, b: Any) -> Expression:
    """`sqrt(a ** 2 + b ** 2)`."""
    return sqrt(add(square(a), square(b)))


def vecdot(a: Any, b: Any) -> Expression:
    """The sum of products along the last axis."""
    product = multiply(a, b)
    return language.sum(product, axis=-1)


def matvec(a: Any, b: Any) -> Expression:
    """Matrices times vectors, along the last axes."""
    return vecdot(_matrices("matvec", a), as_expression(b)[..., None, :])


def vecmat(a: Any, b: Any) -> Expression:
    """Vectors times matrices, along the last axes."""
    product = multiply(as_expression(a)[..., :, None], _matrices("vecmat", b))
    return language.sum(product, axis=-2)


def _matrices(what: str, a: Any) -> Expression:
    own = as_expression(a)
    if own.ndim < 2:
        raise ShapeError(f"{what} needs a matrix, its argument has {own.ndim} axes")
    return own


def greater(a: Any, b: Any) -> Condition:
    """`a > b`."""
    return Condition.of("greater", a, b)


def greater_equal(a: Any, b: Any) -> Condition:
    """`a >= b`."""
    return Condition.of("greater_equal", a, b)


def less(a: Any, b: Any) -> Condition:
    """`a < b`."""
    return Condition.of("greater", b, a)


def equal(a: Any, b: Any) -> Condition:
    """`a == b`."""
    return Condition.of("equal", a, b)


def not_equal(a: Any, b: Any) -> Condition:
    """`a != b`."""
    return Condition.of("not_equal", a, b)


def less_equal(a: Any, b: Any) -> Condition:
    """`a <= b`."""
    return Condition.of("greater_equal", b, a)


# NumPy's own, `absolute` among them, which it calls `abs` as well.
_SAME: Final = {
    f: own for f in language.__all__ if isinstance(own := getattr(np, f, None), np.ufunc)
}

UFUNCS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(special, name) for name in special.__all__},
    "psi": special.digamma,
    **{f.__name__: f for f in (add, subtract, multiply, divide, negative, positive, power)},
    **{f.__name__: f for f in (square, cbrt, reciprocal, exp2, log2, log10)},
    **{f.__name__: f for f in (logaddexp, *COMPOSED.values(), hypot)},
    **{f.__name__: f for f in (matmul, vecdot, matvec, vecmat)},
    **{f.__name__: f for f in (equal, not_equal, greater, greater_equal, less, less_equal)},
    **{f.__name__: getattr(language, name) for name, f in _SAME.items()},
    "fabs": language.abs,
    "float_power": power,
    "fmax": language.maximum,
    "fmin": language.minimum,
    "rint": language.round,
    "conjugate": positive,
}
"""What each ufunc that is supported does, by its name in NumPy."""

implements(ufuncs=UFUNCS)
