"""NumPy's element-wise functions, in terms of those that the language has."""

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
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
    equal,
    greater,
    greater_equal,
    matmul,
    multiply,
    negative,
    not_equal,
    power,
    subtract,
    truth,
    where,
)
from eggrad.frontend.expression.numpy_protocols import implements
from eggrad.frontend.text import functions as of_one


def _composed(name: str, of_terms: Callable[[Term], Term]) -> Callable[[Any], Expression]:
    def function(a: Any) -> Expression:
        return combine(name, [as_expression(a)], [], of_terms)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = of_terms.__doc__
    return function


COMPOSED: Final = {name: _composed(name, of_terms) for name, of_terms in of_one.COMPOSED.items()}
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
    operand = as_expression(a)
    if operand.ndim < 2:
        raise ShapeError(f"{what} needs a matrix, its argument has {operand.ndim} axes")
    return operand


def less(a: Any, b: Any) -> Condition:
    """`a < b`."""
    return greater(b, a)


def less_equal(a: Any, b: Any) -> Condition:
    """`a <= b`."""
    return greater_equal(b, a)


# Truth ---------------------------------------------------------------------------------

# The largest number of double precision.
_LARGEST: Final = Fraction(np.finfo(float).max)


def logical_and(a: Any, b: Any) -> Condition:
    """Whether neither is 0."""
    return Condition(truth(a)) & b


def logical_or(a: Any, b: Any) -> Condition:
    """Whether not both are 0."""
    return Condition(truth(a)) | b


def logical_xor(a: Any, b: Any) -> Condition:
    """Whether exactly one is 0."""
    return Condition(truth(a)) ^ b


def logical_not(a: Any) -> Condition:
    """Whether it is 0."""
    return ~Condition(truth(a))


def _of_truth(name: str, logical: Callable[..., Condition]) -> Callable[..., Condition]:
    """An operation on bits, which conditions and arrays of truth values have."""

    def function(*operands: Any) -> Condition:
        for a in operands:
            if not isinstance(a, Condition) and getattr(a, "dtype", type(a)) not in (bool,):
                raise UnsupportedOperation(
                    f"{name} is for integers and for comparisons; expressions have real numbers"
                )
        return logical(*operands)

    # How many operands there are is read off the signature.
    return wraps(logical)(function)


def isnan(a: Any) -> Condition:
    """Whether it is not a number: what differs from itself."""
    return not_equal(a, a)


def isfinite(a: Any) -> Condition:
    """Whether it is a number, and neither infinity."""
    return less_equal(language.abs(as_expression(a)), _LARGEST)


def isinf(a: Any) -> Condition:
    """Whether it is an infinity."""
    return greater(language.abs(as_expression(a)), _LARGEST)


def signbit(a: Any) -> Condition:
    """Whether there is a minus sign; the reciprocal of -0 is negative."""
    return less(a, 0) | less(divide(1, a), 0)


# Signs, angles and remainders -------------------------------------------------------------


def copysign(a: Any, b: Any) -> Expression:
    """The absolute value with the sign of another."""
    size = language.abs(as_expression(a))
    return where(signbit(b), negative(size), size)


def heaviside(a: Any, b: Any) -> Expression:
    """0 below 0, 1 above, another value at 0."""
    return where(equal(a, 0), b, greater(a, 0))


def deg2rad(a: Any) -> Expression:
    """`pi / 180 * a`."""
    return multiply(as_expression(np.pi / 180), a)


def rad2deg(a: Any) -> Expression:
    """`180 / pi * a`."""
    return multiply(as_expression(180 / np.pi), a)


def logaddexp2(a: Any, b: Any) -> Expression:
    """`log2(2 ** a + 2 ** b)`."""
    scale = language.log(as_expression(2))
    return divide(logaddexp(multiply(scale, a), multiply(scale, b)), scale)


def fmod(a: Any, b: Any) -> Expression:
    """The remainder with the sign of the dividend."""
    size = language.mod(language.abs(as_expression(a)), language.abs(as_expression(b)))
    return where(less(a, 0), negative(size), size)


def floor_divide(a: Any, b: Any) -> Expression:
    """The quotient, rounded down, of which the remainder is what is left."""
    remainder = language.mod(as_expression(a), as_expression(b))
    return language.round(divide(subtract(a, remainder), b))


def divmod(a: Any, b: Any) -> tuple[Expression, Expression]:
    """The quotient, rounded down, and the remainder."""
    return floor_divide(a, b), language.mod(as_expression(a), as_expression(b))


def modf(a: Any) -> tuple[Expression, Expression]:
    """The part after the point, and that before it."""
    whole = language.trunc(as_expression(a))
    return subtract(a, whole), whole


def ldexp(a: Any, b: Any) -> Expression:
    """`a * 2 ** b`."""
    return multiply(a, exp2(b))


# NumPy's ufuncs, `absolute` among them, which it calls `abs` as well.
_SAME: Final = {
    f: ufunc for f in language.__all__ if isinstance(ufunc := getattr(np, f, None), np.ufunc)
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
    **{f.__name__: f for f in (logical_and, logical_or, logical_xor, logical_not)},
    "bitwise_and": _of_truth("bitwise_and", logical_and),
    "bitwise_or": _of_truth("bitwise_or", logical_or),
    "bitwise_xor": _of_truth("bitwise_xor", logical_xor),
    "invert": _of_truth("invert", logical_not),
    **{f.__name__: f for f in (isnan, isfinite, isinf, signbit)},
    **{f.__name__: f for f in (copysign, heaviside, deg2rad, rad2deg, logaddexp2)},
    **{"radians": deg2rad, "degrees": rad2deg},
    **{f.__name__: f for f in (fmod, floor_divide, divmod, modf, ldexp)},
    "fabs": language.abs,
    "float_power": power,
    "fmax": language.maximum,
    "fmin": language.minimum,
    "rint": language.round,
    "conjugate": positive,
}
"""What each ufunc that is supported does, by its name in NumPy."""

implements(ufuncs=UFUNCS)
