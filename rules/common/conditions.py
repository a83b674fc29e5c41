"""Conditions and primitives of several rooms: of specs, sizes, numbers and functions."""

from fractions import Fraction

from eggrad.engine.indices.spec import output_dims
from eggrad.engine.laws.language import Dims, Name, Number, Spec, condition, primitive
from eggrad.engine.laws.primitives import matrix_transpose
from eggrad.engine.terms.functions import EXTREMES, record

__all__ = [
    "MATRIX_PRODUCT", "TRANSPOSE", "first_size", "is_elementwise", "is_even", "is_extreme",
    "is_matrix_product", "is_odd", "is_positive", "is_test", "is_transpose", "is_whole",
    "result_dims", "result_dims1", "sums_nothing",
]  # fmt: skip

TRANSPOSE: Spec = matrix_transpose()
MATRIX_PRODUCT: Spec = ((0, 1), (1, 2), (0, 2))


@condition
def is_elementwise(s: Spec) -> bool:
    """Whether a spec is the element-wise product."""
    return s[0] == s[1] == s[2] and len(set(s[0])) == len(s[0])


@condition
def sums_nothing(s: Spec) -> bool:
    """Whether a product sums over no index."""
    return {i for part in s[:-1] for i in part} == set(s[-1])


@condition
def is_transpose(s: Spec) -> bool:
    """Whether a unary spec transposes a matrix."""
    return s == TRANSPOSE


@condition
def is_matrix_product(s: Spec) -> bool:
    """Whether the product contracts one axis of each matrix crosswise: M·N or its transpose."""
    return s in (MATRIX_PRODUCT, ((0, 1), (1, 2), (2, 0)))


@primitive
def result_dims(s: Spec, n: Dims, m: Dims) -> Dims:
    """The axes of a product."""
    return output_dims(s, n, m)


@primitive
def result_dims1(s: Spec, n: Dims) -> Dims:
    """The axes of a unary product."""
    return output_dims(s, n)


@primitive
def first_size(n: Dims) -> object:
    """The first of some sizes; None where there is none."""
    return n[0] if n else None


@condition
def is_whole(p: Number) -> bool:
    """Whether a number is an integer."""
    return Fraction(p).denominator == 1


@condition
def is_positive(c: Number) -> bool:
    """Whether a number is above 0."""
    return c > 0


@condition
def is_odd(f: Name) -> bool:
    """Whether f(-x) = -f(x)."""
    return record(f).parity == "odd"


@condition
def is_even(f: Name) -> bool:
    """Whether f(-x) = f(x)."""
    return record(f).parity == "even"


@condition
def is_test(f: Name) -> bool:
    """Whether a function has the values 1 and 0."""
    return record(f).is_test


@condition
def is_extreme(f: Name) -> bool:
    """Whether an operation is a maximum or a minimum along axes."""
    return f in EXTREMES
