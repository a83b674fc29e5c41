"""NumPy's element-wise functions, in terms of those that the language has."""

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import special
from eggrad.frontend.expression.axes import matrices
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


def square(a: Any) -> Expression:
    """`a ** 2`."""
    return power(a, 2)


def exp2(a: Any) -> Expression:
    """`2 ** a`."""
    return power(2, a)


def log2(a: Any) -> Expression:
    """`log(a) / log(2)`."""
    return divide(language.log(a), language.log(as_expression(2)))


def logaddexp(a: Any, b: Any) -> Expression:
    """`log(exp(a) + exp(b))`."""
    return language.log(add(language.exp(as_expression(a)), language.exp(as_expression(b))))


def vecdot(a: Any, b: Any) -> Expression:
    """The sum of products along the last axis."""
    product = multiply(a, b)
    return language.sum(product, axis=-1)


def matvec(a: Any, b: Any) -> Expression:
    """Matrices times vectors, along the last axes."""
    return vecdot(matrices("matvec", a), as_expression(b)[..., None, :])


def vecmat(a: Any, b: Any) -> Expression:
    """Vectors times matrices, along the last axes."""
    product = multiply(as_expression(a)[..., :, None], matrices("vecmat", b))
    return language.sum(product, axis=-2)


def less(a: Any, b: Any) -> Condition:
    """`a < b`."""
    return greater(b, a)


def less_equal(a: Any, b: Any) -> Condition:
    """`a <= b`."""
    return greater_equal(b, a)


# Truth ---------------------------------------------------------------------------------

# The largest number of double precision.
_LARGEST: Final = Fraction(np.finfo(float).max)


_LOGICAL: Final[dict[str, Callable[..., Condition]]] = {
    "logical_and": lambda a, b: Condition(truth(a)) & b,
    "logical_or": lambda a, b: Condition(truth(a)) | b,
    "logical_xor": lambda a, b: Condition(truth(a)) ^ b,
    "logical_not": lambda a: ~Condition(truth(a)),
}


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


def signbit(a: Any) -> Condition:
    """Whether there is a minus sign; the reciprocal of -0 is negative."""
    return less(a, 0) | less(divide(1, a), 0)


# Signs, angles and remainders -------------------------------------------------------------


def copysign(a: Any, b: Any) -> Expression:
    """The absolute value with the sign of another."""
    size = language.abs(as_expression(a))
    return where(signbit(b), negative(size), size)


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


def modf(a: Any) -> tuple[Expression, Expression]:
    """The part after the point, and that before it."""
    whole = language.trunc(as_expression(a))
    return subtract(a, whole), whole


# NumPy's ufuncs, `absolute` among them, which it calls `abs` as well.
_SAME: Final = {
    f: ufunc for f in language.__all__ if isinstance(ufunc := getattr(np, f, None), np.ufunc)
}

UFUNCS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(special, name) for name in special.__all__},
    **COMPOSED,
    **_LOGICAL,
    **{f.__name__: getattr(language, name) for name, f in _SAME.items()},
    **{f.__name__: f for f in (add, subtract, multiply, divide, negative, power, matmul)},
    **{f.__name__: f for f in (equal, not_equal, greater, greater_equal, less, less_equal)},
    **{f.__name__: f for f in (square, exp2, log2, logaddexp, logaddexp2, modf)},
    **{f.__name__: f for f in (vecdot, matvec, vecmat)},
    **{f.__name__: f for f in (isnan, signbit, copysign, fmod, floor_divide)},
    "psi": special.digamma,
    "yn": special.yv,
    "positive": as_expression,
    "conjugate": as_expression,
    "cbrt": lambda a: multiply(language.sign(a), power(language.abs(a), Fraction(1, 3))),
    "reciprocal": lambda a: divide(1, a),
    "log10": lambda a: divide(language.log(a), language.log(as_expression(10))),
    "hypot": lambda a, b: sqrt(add(square(a), square(b))),
    "ldexp": lambda a, b: multiply(a, exp2(b)),
    "heaviside": lambda a, b: where(equal(a, 0), b, greater(a, 0)),
    "divmod": lambda a, b: (floor_divide(a, b), language.mod(as_expression(a), as_expression(b))),
    "isfinite": lambda a: less_equal(language.abs(as_expression(a)), _LARGEST),
    "isinf": lambda a: greater(language.abs(as_expression(a)), _LARGEST),
    **dict.fromkeys(("deg2rad", "radians"), lambda a: multiply(as_expression(np.pi / 180), a)),
    **dict.fromkeys(("rad2deg", "degrees"), lambda a: multiply(as_expression(180 / np.pi), a)),
    "bitwise_and": _of_truth("bitwise_and", _LOGICAL["logical_and"]),
    "bitwise_or": _of_truth("bitwise_or", _LOGICAL["logical_or"]),
    "bitwise_xor": _of_truth("bitwise_xor", _LOGICAL["logical_xor"]),
    "invert": _of_truth("invert", _LOGICAL["logical_not"]),
    "fabs": language.abs,
    "float_power": power,
    "fmax": language.maximum,
    "fmin": language.minimum,
    "rint": language.round,
}
"""What each ufunc that is supported does, by its name in NumPy."""

implements(ufuncs=UFUNCS)
