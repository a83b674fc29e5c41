"""Scalars, columns, rows and matrices, the operators between them, and their entries.

A vector is an expression with one axis; whether it is a row decides what a product with it means.
The sizes that users declare stay as they are: `A*x` with A of m columns and x of n rows is a
mistake. Sizes that begin with `?` are not known yet and become what they meet.

No size is the product of two symbols. So the rows of `vec(A)` and of `kron(A, B)` are pairs of
indices, each with its axis, until a product, a sum or a trace has taken them away.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lark import Token

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import affine
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import permuted
from eggrad.frontend.expression.expression import Expression, expression, unified
from eggrad.frontend.expression.numpy_linalg import matrix_power
from eggrad.frontend.text.sizes import unknown


@dataclass(frozen=True, eq=False)
class MatrixValue:
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
        found = tuple(
            group[0] if len(group) == 1 else "·".join(map(str, group)) for group in groups
        )
        found = (*found, 1) if self.order == 1 else found
        return found[::-1] if self.turned else found

    @property
    def shape(self) -> str:
        """What it is, in words.

        >>> x = MatrixValue(language.variable("x", ("n",)))
        >>> x.shape, transposed(x).shape, times(x, transposed(x)).shape
        ('n x 1', '1 x n', 'n x n')
        """
        return " x ".join(map(str, self.sizes)) or "a scalar"

    def mapped(self, function: Callable[[Expression], Expression]) -> "MatrixValue":
        """What a function of every entry makes of it."""
        return self.like(function(self.expression))

    def like(self, entries: Expression) -> "MatrixValue":
        """Other entries at the same places."""
        columns = self.base.ndim - self.rows
        rows = columns if self.turned and self.order == 2 else self.rows
        return MatrixValue(entries, self.turned and self.order == 1, rows)


def transposed(a: MatrixValue) -> MatrixValue:
    """`a'`."""
    return MatrixValue(a.base, not a.turned, a.split) if a.order else a


def add(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """`a + b`; a scalar is added to every entry."""
    return entrywise("+", a, b, arithmetic.add)


def subtract(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """`a - b`; a scalar is subtracted from every entry."""
    return entrywise("-", a, b, arithmetic.subtract)


def times(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """`a * b`: the product of matrices, or a multiple."""
    if not a.order or not b.order:
        kind = a if a.order else b
        return MatrixValue(arithmetic.multiply(a.base, b.base), kind.turned, kind.split)
    columns, rows = a.sizes[1], b.sizes[0]
    if not _fit(columns, rows):
        reason = f"the left has {columns} column{'s' * (columns != 1)}, the right {rows} row"
        plural = "s" * (rows != 1)
        raise ShapeError(f"* of {a.shape} and {b.shape}: {reason}{plural}{_advice(a, b)}")
    left, right = _letters(a, *_INDICES[:2]), _letters(b, *_INDICES[1:3])
    first, last = ("".join(i for i in left + right if i in letters) for letters in _ROWS)
    both = not {*left}.isdisjoint(right)
    p, q = _agreed("*", a, b, [(columns, rows)] if both else [])
    if a.order == 1 < b.order:
        # One spelling of a vector times a matrix: x'*A is (A'*x)'.
        left, right, p, q = right, left, q, p
    return _product(left, right, (first, last), p, q)


def _product(
    left: str, right: str, out: tuple[str, str], p: Expression, q: Expression
) -> MatrixValue:
    """The product with these indices of rows and columns; one without rows is a row."""
    rows, columns = out
    product = language.einsum(f"{left},{right}->{rows}{columns}", p, q)
    return MatrixValue(product, not rows and bool(columns), len(rows or columns))


# Indices of rows and of columns, of two values: one for each axis that counts them.
_INDICES: Final = ("iabcdefg", "jlmnopqr", "kstuvwxy", "zABCDEFG")
_ROWS, _COLUMNS = _INDICES[::2], _INDICES[1::2]


def _letters(a: MatrixValue, rows: str, columns: str) -> str:
    """The indices of the axes, given those of rows and columns; a vector lacks one of them."""
    first, last = (columns, rows) if a.turned else (rows, columns)
    return first[: a.rows] + last[: a.base.ndim - a.rows]


def _advice(a: MatrixValue, b: MatrixValue) -> str:
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


def multiply(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """`a .* b`, entry by entry."""
    if a.order == b.order == 2:
        check_alike(".*", a, b)
        p, q = _agreed(".*", a, b, list(zip(a.sizes, b.sizes, strict=True)))
        left, right = (_letters(v, *_INDICES[:2]) for v in (a, b))
        first, last = ("".join(i for i in left if i in letters) for letters in _INDICES[:2])
        return _product(left, right, (first, last), p, q)
    return entrywise(".*", a, b, arithmetic.multiply)


def divide(a: MatrixValue, b: MatrixValue, elementwise: bool) -> MatrixValue:
    """`a ./ b`, entry by entry, or `a / b` by a scalar."""
    if b.order and not elementwise:
        hint = "write ./ to divide entry by entry, inv(B) for the inverse of a matrix"
        raise ShapeError(f"/ of {a.shape} and {b.shape}: the right has to be a scalar; {hint}")
    return entrywise("./", a, b, arithmetic.divide)


def power(base: MatrixValue, exponent: MatrixValue, elementwise: bool) -> MatrixValue:
    """`base .^ exponent`, entry by entry, or `base ^ exponent` of a scalar or a square matrix."""
    if elementwise or not (base.order or exponent.order):
        return entrywise(".^", base, exponent, arithmetic.power)
    known = exponent.expression.term
    if base.order == 2 and known.op == "constant" and not exponent.order:
        number = known.value
        if number.denominator == 1:
            return MatrixValue(matrix_power(square("^", base), int(number)))
    if base.order == 2:
        reason = "a matrix has powers by integers, as in A^2 or A^-1"
    else:
        reason = "a vector has no powers, and is none"
    raise ShapeError(
        f"^ of {base.shape} and {exponent.shape}: {reason}; write .^ for the powers of entries"
    )


def paired(a: MatrixValue, b: MatrixValue) -> MatrixValue:
    """Every entry of one matrix times every one of another; rows are pairs, and columns are.

    >>> A = MatrixValue(language.variable("A", ("m", "n")))
    >>> paired(A, transposed(A)).shape
    'm·n x n·m'
    """
    left, right = _letters(a, *_INDICES[:2]), _letters(b, *_INDICES[2:])
    rows, columns = ("".join(i for i in left + right if i in p + q) for p, q in (_ROWS, _COLUMNS))
    return _product(left, right, (rows, columns), a.base, b.base)


def square(what: str, a: MatrixValue) -> Expression:
    """The expression of a square matrix."""
    check_square(what, a)
    return single(f"{what} of", a)


def check_square(what: str, a: MatrixValue) -> None:
    """Raise `ShapeError` for what is no square matrix."""
    if a.order != 2 or not _fit(*a.sizes):
        raise ShapeError(f"{what} of {a.shape}: the argument has to be a square matrix")


def single(what: str, a: MatrixValue) -> Expression:
    """The expression, of one axis for rows and one for columns."""
    if a.is_blocked:
        raise UnsupportedOperation(
            f"{what} {a.shape}: an axis as long as a product of sizes needs integers for them"
        )
    return a.expression


def entrywise(
    symbol: str,
    a: MatrixValue,
    b: MatrixValue,
    build: Callable[[Expression, Expression], Expression],
) -> MatrixValue:
    """An operation on the entries of two values of one shape, or of one and a scalar."""
    p, q = a.expression, b.expression
    if a.order and b.order:
        check_alike(symbol, a, b)
        ordered = [(n, m) if unknown(m) else (m, n) for m, n in zip(p.shape, q.shape, strict=True)]
        p, q = unified([p, q], ordered, symbol)
    return (a if a.order else b).like(build(p, q))


def check_alike(symbol: str, a: MatrixValue, b: MatrixValue) -> None:
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
    symbol: str, a: MatrixValue, b: MatrixValue, pairs: Sequence[tuple[Size, Size]]
) -> tuple[Expression, Expression]:
    """What both are made of, with known sizes in place of unknown ones."""
    ordered = [(q, p) if unknown(p) else (p, q) for p, q in pairs]
    one, other = unified([a.base, b.base], ordered, symbol)
    return one, other


def _fit(p: Size, q: Size) -> bool:
    return p == q or unknown(p) or unknown(q)


# Entries in brackets, counted from 1: `A[1,2]`, `A[1,:]`, `A[:,2]`, `x[2:4]`, `x[2:n]` -----


_PLACE: Final = r"[0-9]+|[^\W\d][\w+\-*\s]*"
_PART: Final = re.compile(
    rf"\s*(?:(?P<first>{_PLACE})\s*)?(?P<range>:\s*(?P<last>{_PLACE})?)?\s*\Z"
)
# More digits than this are no index of an array.
_DIGITS: Final = 18


def chosen_entries(a: MatrixValue, token: Token) -> MatrixValue:
    """What `a[...]` is: a row of a matrix is a row, a part of a vector one of its kind.

    >>> from eggrad.frontend.expression.functions import variable
    >>> chosen_entries(MatrixValue(variable("A", ("m", "n"))), Token("INDICES", "[1,:]")).shape
    '1 x n'
    """
    single(f"{token} of", a)
    parts = token[1:-1].split(",")
    if len(parts) != a.order or not a.order:
        wanted = "a scalar has no entries"
        if a.order:
            wanted = "a vector has one index" if a.order == 1 else "a matrix has two indices"
            wanted += ", as in x[3]" if a.order == 1 else ", as in A[1,2], A[1,:] or A[:,2]"
        raise ShapeError(f"{token} of {a.shape}: {wanted}")
    sizes = a.sizes if a.order == 2 else a.expression.shape
    key = tuple(
        _key(part, str(d) if isinstance(d, str) else d)
        for part, d in zip(parts, sizes, strict=True)
    )
    for k, size in zip(key, sizes, strict=True):
        last = k.stop if isinstance(k, slice) else k + 1
        if isinstance(size, int) and last is not None and last > size:
            raise ShapeError(f"{token} of {a.shape}: index {last} is out of range")
    found = a.expression[key]
    row = a.turned if a.order == 1 else found.ndim == 1 and not isinstance(key[0], slice)
    return MatrixValue(found, row)


def kept_axes(token: Token) -> tuple[bool, ...]:
    """For each index whether it keeps an axis; what is no index raises an error later."""
    return tuple(":" in part for part in token[1:-1].split(","))


def _key(part: str, size: Size) -> Any:
    """An index as Python counts it, or a slice of such."""
    match = _PART.match(part)
    first, last = (match["first"], match["last"]) if match else (None, None)
    is_range = match is not None and match["range"] is not None
    if match is None or (bool(first) != bool(last) if is_range else not first):
        raise UnsupportedOperation(
            f"{part.strip()!r} is no index: they are integers from 1 up, ':', and ranges as in 2:4"
        )
    if first is None or last is None:
        return slice(None) if first is None else _place(first, size, part) - 1
    start, stop = _place(first, size, part) - 1, _place(last, size, part)
    if (start < 0) == (stop <= 0) and stop <= start:
        raise ShapeError(f"{part.strip()!r} is an empty range")
    return slice(start, stop or None)


def _place(text: str, size: Size, part: str) -> int:
    """A place, counted from 1; the last one is 0, those before are negative."""
    if text.isdecimal():
        if len(text) > _DIGITS or text == "0":
            raise UnsupportedOperation(f"{part.strip()!r} is no index: they are counted from 1")
        return int(text)
    place = affine.resized(affine.size_form(text.strip()), {"end": size})
    behind = dict(affine.plus(place, affine.times(-1, affine.size_form(size))))
    number = behind.pop("", 0)
    if behind or number > 0:
        raise UnsupportedOperation(
            f"{text.strip()!r} is no place among {size}: they count from 1, or back from {size}, "
            f"as in 2:{size}"
        )
    return number


def unit(place: Size, size: Size) -> Expression:
    """The vector with a 1 at a place, counted from 1."""
    behind = affine.plus(affine.size_form(place), affine.times(-1, affine.size_form(size)))
    if place == 0 or ({*dict(behind)} <= {""} and affine.coefficient(behind, "") > 0):
        raise ShapeError(f"unit: place {place} is not within {size} entries")
    at = affine.form([(0, 1), ("", 1), *affine.times(-1, affine.size_form(place))])
    return expression(terms.indicator((size,), [("=", at)]))
