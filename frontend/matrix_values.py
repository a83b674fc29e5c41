"""Scalars, columns, rows and matrices, and the operators between them.

A vector is an expression with one axis; whether it is a row decides what a product with it means.
The sizes that users declare stay as they are: `A*x` with A of m columns and x of n rows is a
mistake. Sizes that begin with `?` are not known yet and become what they meet.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, cast

from eggrad.engine.errors import ShapeError
from eggrad.engine.spec import Dims, Size
from eggrad.frontend import arithmetic
from eggrad.frontend import functions as language
from eggrad.frontend.expression import Expression, unified
from eggrad.frontend.numpy_linalg import matrix_power

__all__ = [
    "UNKNOWN",
    "Value",
    "add",
    "divide",
    "entrywise",
    "multiply",
    "power",
    "square",
    "subtract",
    "times",
    "transposed",
]

UNKNOWN: Final = "?"


@dataclass(frozen=True, eq=False)
class Value:
    """An expression of at most two axes, or its transpose where it is `turned`.

    A turned vector is a row. A turned matrix is transposed when something other than a product
    needs it.
    """

    base: Expression
    turned: bool = False

    @property
    def order(self) -> int:
        """The number of axes."""
        return self.base.ndim

    @property
    def expression(self) -> Expression:
        """The matrix as it is to be read; rows and columns alike are vectors."""
        return self.base.T if self.turned and self.order == 2 else self.base

    @property
    def sizes(self) -> Dims:
        """The numbers of rows and columns; none for a scalar."""
        found = (*self.base.shape, 1) if self.order == 1 else self.base.shape
        return found[::-1] if self.turned else found

    @property
    def shape(self) -> str:
        """What it is, in words.

        >>> x = Value(language.variable("x", ("n",)))
        >>> x.shape, transposed(x).shape, times(x, transposed(x)).shape
        ('n x 1', '1 x n', 'n x n')
        """
        return " x ".join(map(str, self.sizes)) or "a scalar"

    def mapped(self, function: Callable[[Expression], Expression]) -> "Value":
        """What a function of every entry makes of it."""
        return Value(function(self.expression), self.turned and self.order == 1)


def transposed(a: Value) -> Value:
    """`a'`."""
    return Value(a.base, not a.turned) if a.order else a


def add(a: Value, b: Value) -> Value:
    """`a + b`; a scalar is added to every entry."""
    return entrywise("+", a, b, arithmetic.add)


def subtract(a: Value, b: Value) -> Value:
    """`a - b`; a scalar is subtracted from every entry."""
    return entrywise("-", a, b, arithmetic.subtract)


def times(a: Value, b: Value) -> Value:
    """`a * b`: the product of matrices, or a multiple."""
    if not a.order or not b.order:
        return Value(arithmetic.multiply(a.base, b.base), a.turned or b.turned)
    columns, rows = a.sizes[1], b.sizes[0]
    if not _fit(columns, rows):
        reason = f"the left has {columns} column{'s' * (columns != 1)}, the right {rows} row"
        plural = "s" * (rows != 1)
        raise ShapeError(f"* of {a.shape} and {b.shape}: {reason}{plural}{_advice(a, b)}")
    left, right = _letters(a, "ij"), _letters(b, "jk")
    out = "".join(i for i in "ik" if i in left + right)
    both = "j" in left and "j" in right
    p, q = _agreed("*", a, b, [(columns, rows)] if both else [])
    if a.order == 1 < b.order:
        # One spelling of a vector times a matrix: x'*A is (A'*x)'.
        left, right, p, q = right, left, q, p
    return Value(language.einsum(f"{left},{right}->{out}", p, q), turned=out == "k")


def _letters(a: Value, letters: str) -> str:
    """The indices of the axes, given those of rows and columns; a vector lacks one of them."""
    if a.order == 1:
        return letters[1] if a.turned else letters[0]
    return letters[::-1] if a.turned else letters


def _advice(a: Value, b: Value) -> str:
    """What fits instead."""
    for p, q, text in (
        (transposed(a), b, "the left transposed fits: write ' after it"),
        (a, transposed(b), "the right transposed fits: write ' after it"),
        (b, a, "the other order fits"),
    ):
        if _fit(p.sizes[1], q.sizes[0]):
            entries = ", or .* for the product of entries" if a.shape == b.shape else ""
            return f"; {text}{entries}"
    return ""


def multiply(a: Value, b: Value) -> Value:
    """`a .* b`, entry by entry."""
    if a.order == b.order == 2:
        _check_alike(".*", a, b)
        p, q = _agreed(".*", a, b, list(zip(a.sizes, b.sizes, strict=True)))
        return Value(language.einsum(f"{_letters(a, 'ij')},{_letters(b, 'ij')}->ij", p, q))
    return entrywise(".*", a, b, arithmetic.multiply)


def divide(a: Value, b: Value, elementwise: bool) -> Value:
    """`a ./ b`, entry by entry, or `a / b` by a scalar."""
    if b.order and not elementwise:
        hint = "write ./ to divide entry by entry, inv(B) for the inverse of a matrix"
        raise ShapeError(f"/ of {a.shape} and {b.shape}: the right has to be a scalar; {hint}")
    return entrywise("./", a, b, arithmetic.divide)


def power(base: Value, exponent: Value, elementwise: bool) -> Value:
    """`base .^ exponent`, entry by entry, or `base ^ exponent` of a scalar or a square matrix."""
    if elementwise or not (base.order or exponent.order):
        return entrywise(".^", base, exponent, arithmetic.power)
    known = exponent.expression.term
    if base.order == 2 and known.op == "constant" and not exponent.order:
        number = cast(Fraction, known.data)
        if number.denominator == 1:
            return Value(matrix_power(square("^", base), int(number)))
    if base.order == 2:
        reason = "a matrix has powers by integers, as in A^2 or A^-1"
    else:
        reason = "a vector has no powers, and is none"
    raise ShapeError(
        f"^ of {base.shape} and {exponent.shape}: {reason}; write .^ for the powers of entries"
    )


def square(what: str, a: Value) -> Expression:
    """The expression of a square matrix."""
    if a.order != 2 or not _fit(*a.sizes):
        raise ShapeError(f"{what} of {a.shape}: the argument has to be a square matrix")
    return a.expression


def entrywise(
    symbol: str, a: Value, b: Value, build: Callable[[Expression, Expression], Expression]
) -> Value:
    """An operation on the entries of two values of one shape, or of one and a scalar."""
    p, q = a.expression, b.expression
    if a.order and b.order:
        _check_alike(symbol, a, b)
        ordered = [(n, m) if _unknown(m) else (m, n) for m, n in zip(p.shape, q.shape, strict=True)]
        p, q = unified([p, q], ordered, symbol)
    row = (a.order == 1 and a.turned) or (b.order == 1 and b.turned)
    return Value(build(p, q), row)


def _check_alike(symbol: str, a: Value, b: Value) -> None:
    if len(a.sizes) != len(b.sizes) or not all(map(_fit, a.sizes, b.sizes)):
        turned = a.order == b.order and all(map(_fit, a.sizes, b.sizes[::-1]))
        hint = "; transpose one of them with '" if turned else ""
        raise ShapeError(f"{symbol} of {a.shape} and {b.shape}: the shapes differ{hint}")
    if a.order != b.order:
        raise ShapeError(
            f"{symbol} of {a.shape} and {b.shape}: one is a matrix, the other a vector"
        )


def _agreed(
    symbol: str, a: Value, b: Value, pairs: Sequence[tuple[Size, Size]]
) -> tuple[Expression, Expression]:
    """What both are made of, with known sizes in place of unknown ones."""
    ordered = [(q, p) if _unknown(p) else (p, q) for p, q in pairs]
    one, other = unified([a.base, b.base], ordered, symbol)
    return one, other


def _unknown(size: Size) -> bool:
    return str(size).startswith(UNKNOWN)


def _fit(p: Size, q: Size) -> bool:
    return p == q or _unknown(p) or _unknown(q)
