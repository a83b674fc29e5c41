"""NumPy's element-wise functions, in terms of those that the language has."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import special
from eggrad.frontend.expression.arithmetic import (
    add,
    divide,
    matmul,
    multiply,
    negative,
    power,
    subtract,
)
from eggrad.frontend.expression.conditions import Condition
from eggrad.frontend.expression.expression import Expression, as_expression

__all__ = ["COMPOSED", "UFUNCS", "sqrt", "square"]

_HALF: Final = Fraction(1, 2)


def positive(a: Any) -> Expression:
    """`+a`."""
    return as_expression(a)


def square(a: Any) -> Expression:
    """`a ** 2`."""
    return power(a, 2)


def sqrt(a: Any) -> Expression:
    """`a ** (1/2)`."""
    return power(a, _HALF)


def cbrt(a: Any) -> Expression:
    """The cube root, of negative entries as well."""
    return multiply(language.sign(a), power(language.abs(a), Fraction(1, 3)))


def reciprocal(a: Any) -> Expression:
    """`1 / a`."""
    return divide(1, a)


def exp2(a: Any) -> Expression:
    """`2 ** a`."""
    return power(2, a)


def expm1(a: Any) -> Expression:
    """`exp(a) - 1`."""
    return subtract(language.exp(a), 1)


def log1p(a: Any) -> Expression:
    """`log(1 + a)`."""
    return language.log(add(1, a))


def log2(a: Any) -> Expression:
    """`log(a) / log(2)`."""
    return divide(language.log(a), language.log(as_expression(2)))


def log10(a: Any) -> Expression:
    """`log(a) / log(10)`."""
    return divide(language.log(a), language.log(as_expression(10)))


def logaddexp(a: Any, b: Any) -> Expression:
    """`log(exp(a) + exp(b))`."""
    return language.log(add(language.exp(as_expression(a)), language.exp(as_expression(b))))


def sinh(a: Any) -> Expression:
    """`(exp(a) - exp(-a)) / 2`."""
    return divide(subtract(language.exp(a), language.exp(negative(a))), 2)


def cosh(a: Any) -> Expression:
    """`(exp(a) + exp(-a)) / 2`."""
    return divide(add(language.exp(a), language.exp(negative(a))), 2)


def arctanh(a: Any) -> Expression:
    """`log((1 + a) / (1 - a)) / 2`."""
    return divide(language.log(divide(add(1, a), subtract(1, a))), 2)


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


COMPOSED: Final = {f.__name__: f for f in (sinh, cosh, sqrt, arctanh, log1p, expm1)}
"""Functions of one operand that are written with others."""

# NumPy's own, `absolute` among them, which it calls `abs` as well.
_SAME: Final = {
    f: own for f in language.__all__ if isinstance(own := getattr(np, f, None), np.ufunc)
}

UFUNCS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(special, name) for name in special.__all__},
    "psi": special.digamma,
    **{f.__name__: f for f in (add, subtract, multiply, divide, negative, positive, power)},
    **{f.__name__: f for f in (square, sqrt, cbrt, reciprocal, exp2, expm1, log1p, log2, log10)},
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
