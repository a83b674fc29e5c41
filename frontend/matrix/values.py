"""Scalars, columns, rows and matrices, and the operators between them.

A vector is an expression with one axis; whether it is a row decides what a product with it means.
The sizes that users declare stay as they are: `A*x` with A of m columns and x of n rows is a
mistake. Sizes that begin with `?` are not known yet and become what they meet.

No size is the product of two symbols. So the rows of `vec(A)` and of `kron(A, B)` are pairs of
indices, each with an axis of its own, until a product, a sum or a trace has taken them away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Dims, Size
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import permuted
from eggrad.frontend.expression.expression import Expression, unified
from eggrad.frontend.expression.numpy_functions import matrix_power

__all__ = [
    "UNKNOWN",
    "Value",
    "add",
    "check_alike",
    "check_square",
    "divide",
    "entrywise",
    "multiply",
    "paired",
    "power",
    "single",
    "square",
    "subtract",
    "times",
    "transposed",
    "unknown",
]

UNKNOWN: Final = "?"


@dataclass(frozen=True, eq=False)
class Value:
    """A scalar, a column or a matrix, or its transpose where it is `turned`.

    A turned vector is a row. A turned matrix is transposed when something other than a product
    needs it. The first `split` axes count rows, the others columns: one each, where it is None.
    """

    base: Expression
    turned: bool = False
    split: int | None = None

    @property
    def rows(self) -> int:
        """The number of axes that count the rows of the base."""
        return min(1, self.base.ndim) if self.split is None else self.split

    @property
    def order(self) -> int:
        """0 for a scalar, 1 for a vector, 2 for a matrix."""
        return (self.rows > 0) + (self.base.ndim > self.rows)

    @property
    def is_blocked(self) -> bool:
        """Whether rows or columns are counted by several indices."""
        return self.base.ndim > self.order

    @property
    def expression(self) -> Expression:
        """The matrix as it is to be read; rows and columns alike are vectors."""
        if not self.turned or self.order < 2:
            return self.base
        axes = range(self.base.ndim)
        return permuted(self.base, [*axes[self.rows :], *axes[: self.rows]])

    @property
    def sizes(self) -> Dims:
        """The numbers of rows and columns; none for a scalar."""
        shape = self.base.shape
        groups = (shape[: self.rows], shape[self.rows :])[: self.order]
        found = tuple(own[0] if len(own) == 1 else "·".join(map(str, own)) for own in groups)
        found = (*found, 1) if self.order == 1 else found
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
        return self.like(function(self.expression))

    def like(self, entries: Expression) -> "Value":
        """Other entries at the same places."""
        columns = self.base.ndim - self.rows
        rows = columns if self.turned and self.order == 2 else self.rows
        return Value(entries, self.turned and self.order == 1, rows)


def transposed(a: Value) -> Value:
    """`a'`."""
    return Value(a.base, not a.turned, a.split) if a.order else a


def add(a: Value, b: Value) -> Value:
    """`a + b`; a scalar is added to every entry."""
    return entrywise("+", a, b, arithmetic.add)


def subtract(a: Value, b: Value) -> Value:
    """`a - b`; a scalar is subtracted from every entry."""
    return entrywise("-", a, b, arithmetic.subtract)


def times(a: Value, b: Value) -> Value:
    """`a * b`: the product of matrices, or a multiple."""
    if not a.order or not b.order:
        kind = a if a.order else b
        return Value(arithmetic.multiply(a.base, b.base), kind.turned, kind.split)
    columns, rows = a.sizes[1], b.sizes[0]
    if not _fit(columns, rows):
        reason = f"the left has {columns} column{'s' * (columns != 1)}, the right {rows} row"
        plural = "s" * (rows != 1)
        raise ShapeError(f"* of {a.shape} and {b.shape}: {reason}{plural}{_advice(a, b)}")
    left, right = _letters(a, *_INDICES[:2]), _letters(b, *_INDICES[1:3])
    first, last = ("".join(i for i in left + right if i in own) for own in _ROWS)
    both = not {*left}.isdisjoint(right)
    p, q = _agreed("*", a, b, [(columns, rows)] if both else [])
    if a.order == 1 < b.order:
        # One spelling of a vector times a matrix: x'*A is (A'*x)'.
        left, right, p, q = right, left, q, p
    return _product(left, right, (first, last), p, q)


def _product(left: str, right: str, out: tuple[str, str], p: Expression, q: Expression) -> Value:
    """The product with these indices of rows and columns; one without rows is a row."""
    rows, columns = out
    product = language.einsum(f"{left},{right}->{rows}{columns}", p, q)
    return Value(product, not rows and bool(columns), len(rows or columns))


# Indices of rows and of columns, of two values: one for each axis that counts them.
_INDICES: Final = ("iabcdefg", "jlmnopqr", "kstuvwxy", "zABCDEFG")
_ROWS, _COLUMNS = _INDICES[::2], _INDICES[1::2]


def _letters(a: Value, rows: str, columns: str) -> str:
    """The indices of the axes, given those of rows and columns; a vector lacks one of them."""
    first, last = (columns, rows) if a.turned else (rows, columns)
    return first[: a.rows] + last[: a.base.ndim - a.rows]


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
        check_alike(".*", a, b)
        p, q = _agreed(".*", a, b, list(zip(a.sizes, b.sizes, strict=True)))
        left, right = (_letters(v, *_INDICES[:2]) for v in (a, b))
        first, last = ("".join(i for i in left if i in own) for own in _INDICES[:2])
        return _product(left, right, (first, last), p, q)
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
        number = known.value
        if number.denominator == 1:
            return Value(matrix_power(square("^", base), int(number)))
    if base.order == 2:
        reason = "a matrix has powers by integers, as in A^2 or A^-1"
    else:
        reason = "a vector has no powers, and is none"
    raise ShapeError(
        f"^ of {base.shape} and {exponent.shape}: {reason}; write .^ for the powers of entries"
    )


def paired(a: Value, b: Value) -> Value:
    """Every entry of one matrix times every one of another; rows are pairs, and columns are.

    >>> A = Value(language.variable("A", ("m", "n")))
    >>> paired(A, transposed(A)).shape
    'm·n x n·m'
    """
    left, right = _letters(a, *_INDICES[:2]), _letters(b, *_INDICES[2:])
    rows, columns = ("".join(i for i in left + right if i in p + q) for p, q in (_ROWS, _COLUMNS))
    return _product(left, right, (rows, columns), a.base, b.base)


def square(what: str, a: Value) -> Expression:
    """The expression of a square matrix."""
    check_square(what, a)
    return single(f"{what} of", a)


def check_square(what: str, a: Value) -> None:
    """Raise `ShapeError` for what is no square matrix."""
    if a.order != 2 or not _fit(*a.sizes):
        raise ShapeError(f"{what} of {a.shape}: the argument has to be a square matrix")


def single(what: str, a: Value) -> Expression:
    """The expression, of one axis for rows and one for columns."""
    if a.is_blocked:
        raise UnsupportedOperation(
            f"{what} {a.shape}: an axis as long as a product of sizes needs integers for them"
        )
    return a.expression


def entrywise(
    symbol: str, a: Value, b: Value, build: Callable[[Expression, Expression], Expression]
) -> Value:
    """An operation on the entries of two values of one shape, or of one and a scalar."""
    p, q = a.expression, b.expression
    if a.order and b.order:
        check_alike(symbol, a, b)
        ordered = [(n, m) if unknown(m) else (m, n) for m, n in zip(p.shape, q.shape, strict=True)]
        p, q = unified([p, q], ordered, symbol)
    return (a if a.order else b).like(build(p, q))


def check_alike(symbol: str, a: Value, b: Value) -> None:
    """Raise where two values that meet entry by entry have different shapes."""
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
    ordered = [(q, p) if unknown(p) else (p, q) for p, q in pairs]
    one, other = unified([a.base, b.base], ordered, symbol)
    return one, other


def unknown(size: Size) -> bool:
    """Whether a size becomes what it meets."""
    return str(size).startswith(UNKNOWN)


def _fit(p: Size, q: Size) -> bool:
    return p == q or unknown(p) or unknown(q)
