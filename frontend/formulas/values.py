"""Values of formulas: entries whose axes have names, some of which count rows or columns.

The entries of `A_ij` have the axes i and j; a matrix has one axis that counts rows and one that
counts columns, a column the first alone. Axes of one name meet, so that a transpose renames axes
and moves nothing. Sizes that begin with `?` are not known yet and become what they meet.

No size is the product of two symbols. So the rows of `vec(A)` and of `kron(A, B)` are counted by
several axes, until a product, a sum or a trace has taken them away.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Dims, Size, canonical
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression.axes import expanded, merged, permuted
from eggrad.frontend.expression.expression import Expression, combine, unified
from eggrad.frontend.expression.numpy_linalg import matrix_power
from eggrad.frontend.formulas.advice import Advice, AdvisedShapeError
from eggrad.frontend.text.sizes import unknown

# How the names of axes begin that count rows and columns; no index begins so.
_ROW: Final = "↓"
_COLUMN: Final = "→"
_MET: Final = "·"
_TURNED: Final = str.maketrans(_ROW + _COLUMN, _COLUMN + _ROW)


@dataclass(frozen=True, eq=False)
class Value:
    """Entries, and the name of each axis; no two are the same."""

    entries: Expression
    axes: tuple[str, ...] = ()

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The axes that count rows, the slowest first."""
        return tuple(sorted(a for a in self.axes if a[0] == _ROW))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The axes that count columns, likewise."""
        return tuple(sorted(a for a in self.axes if a[0] == _COLUMN))

    @property
    def free(self) -> tuple[str, ...]:
        """The axes that count neither: indices on which the value depends."""
        return tuple(a for a in self.axes if a[0] not in (_ROW, _COLUMN))

    @property
    def order(self) -> int:
        """0 for a scalar, 1 for a vector, 2 for a matrix."""
        return bool(self.rows) + bool(self.columns)

    @property
    def is_row(self) -> bool:
        """Whether it is a vector that lies."""
        return bool(self.columns) and not self.rows

    @property
    def is_blocked(self) -> bool:
        """Whether rows or columns are counted by several axes."""
        return len(self.rows) > 1 or len(self.columns) > 1

    @property
    def expression(self) -> Expression:
        """The entries, with an axis for rows before one for columns; rows are vectors, too."""
        return self.ordered((*self.rows, *self.columns, *self.free))

    def ordered(self, axes: Sequence[str]) -> Expression:
        """The entries with their axes in another order."""
        return permuted(self.entries, [self.axes.index(a) for a in axes])

    def lengths(self) -> dict[str, Size]:
        """The size of each axis."""
        return dict(zip(self.axes, self.entries.shape, strict=True))

    @property
    def sizes(self) -> Dims:
        """The numbers of rows and of columns; none for a scalar."""
        if not self.order:
            return ()
        lengths = self.lengths()
        groups = [[lengths[a] for a in axes] for axes in (self.rows, self.columns)]
        return tuple(g[0] if len(g) == 1 else "·".join(map(str, g)) or 1 for g in groups)

    @property
    def shape(self) -> str:
        """What it is, in words.

        >>> from eggrad.frontend.expression.functions import variable
        >>> x = value(variable("x", ("n",)))
        >>> x.shape, transposed(x).shape, times(x, transposed(x)).shape
        ('n x 1', '1 x n', 'n x n')
        """
        return " x ".join(map(str, self.sizes)) or "a scalar"

    def mapped(self, function: Callable[[Expression], Expression]) -> "Value":
        """What a function of every entry makes of it."""
        return Value(function(self.entries), self.axes)

    def renamed(self, names: Mapping[str, str]) -> "Value":
        """With other names for some axes."""
        return Value(self.entries, tuple(names.get(a, a) for a in self.axes))


def value(f: Expression, row: bool = False) -> Value:
    """A scalar, a column (or a row) or a matrix."""
    return Value(f, tuple(named_axes(f.ndim, row)))


def named_axes(count: int, row: bool = False) -> list[str]:
    """The axes of a vector or of a matrix."""
    return [f"{sign}0" for sign in (_COLUMN if row else _ROW + _COLUMN)[:count]]


def column(f: Expression) -> Value:
    """A column whose rows are counted by all axes."""
    return Value(f, tuple(f"{_ROW}{k}" for k in range(f.ndim)))


def transposed(a: Value) -> Value:
    """`a'`."""
    return Value(a.entries, tuple(name.translate(_TURNED) for name in a.axes))


def at_indices(f: Expression, indices: Sequence[str]) -> Value:
    """The entries at some indices; those where two of them are equal are a diagonal.

    >>> from eggrad.frontend.expression.functions import variable
    >>> at_indices(variable("A", ("n", "n")), "ii").entries.shape
    ('n',)
    """
    distinct = tuple(dict.fromkeys(indices))
    if len(distinct) == len(indices):
        return Value(f, distinct)
    sizes: dict[str, list[Size]] = {}
    for i, d in zip(indices, f.shape, strict=True):
        sizes.setdefault(i, []).append(d)
    (met,) = unified([f], _pairs(sizes), "indices")
    spec = canonical((indices,), distinct)
    return Value(combine("diagonal", [met], [], lambda a: terms.einsum(spec, a)), distinct)


# Operators ---------------------------------------------------------------------------------


def product(factors: Sequence[Value], summed: Collection[str] = ()) -> Value:
    """The product, summed over some axes; each sum is taken as soon as it can be.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, x = variable("A", ("m", "n")), variable("x", ("n",))
    >>> product([Value(A, ("i", "j")), Value(x, ("j",))], "j").axes
    ('i',)
    """
    last = {a: k for k, f in enumerate(factors) for a in f.axes}
    found = factors[0]
    if len(factors) == 1:
        return total(found, summed)
    for k, factor in enumerate(factors[1:], 1):
        left, right = _met([found, factor])
        joint = dict.fromkeys((*found.axes, *factor.axes))
        kept = tuple(a for a in joint if a not in summed or last[a] > k)
        spec = canonical((found.axes, factor.axes), kept)
        made = combine("*", [left, right], [], lambda p, q, s=spec: terms.einsum(s, p, q))
        found = Value(made, kept)
    return found


def total(a: Value, summed: Collection[str]) -> Value:
    """The sum over some axes."""
    kept = tuple(i for i in a.axes if i not in summed)
    if kept == a.axes:
        return a
    spec = canonical((a.axes,), kept)
    return Value(combine("sum", [a.entries], [], lambda p: terms.einsum(spec, p)), kept)


def summed(a: Value) -> Value:
    """The sum over rows and columns."""
    return total(a, (*a.rows, *a.columns))


def entrywise(symbol: str, build: Callable[..., Expression], *operands: Value) -> Value:
    """A function of the entries of values of one shape, and of scalars, which meet all of them."""
    whole = [a for a in operands if a.order]
    for a in whole[1:]:
        check_alike(symbol, whole[0], a)
    axes = tuple(dict.fromkeys(i for a in (*whole, *operands) for i in (*a.rows, *a.columns)))
    axes += tuple(dict.fromkeys(i for a in operands for i in a.free))
    spread: list[Expression] = []
    for a, met in zip(operands, _met(operands, symbol), strict=True):
        missing = [k for k, i in enumerate(axes) if i not in a.axes]
        placed = Value(met, a.axes).ordered([i for i in axes if i in a.axes])
        spread.append(expanded(placed, missing) if a.axes and missing else placed)
    return Value(build(*spread), axes)


def times(a: Value, b: Value) -> Value:
    """`a * b`: the product of matrices, or a multiple."""
    if not a.order or not b.order:
        return product([a, b]) if a.axes and b.axes else _multiple(a, b)
    columns, rows = a.sizes[1], b.sizes[0]
    meet = not a.is_row and not b.is_row and a.order == b.order == 1
    if meet or not _fit(columns, rows):
        reason = f"the left has {columns} column{'s' * (columns != 1)}, the right {rows} row"
        reason += "s" * (rows != 1)
        raise AdvisedShapeError(f"* of {a.shape} and {b.shape}: {reason}", *_advice(a, b))
    between = {i: f"{_MET}{k}" for k, i in enumerate(a.columns)}
    left = a.renamed(between)
    right = b.renamed({i: f"{_MET}{k}" for k, i in enumerate(b.rows)})
    # One spelling of a vector times a matrix: x'*A is (A'*x)'.
    factors = [right, left] if a.order == 1 < b.order else [left, right]
    found = product(factors, between.values())
    return Value(found.expression, (*found.rows, *found.columns, *found.free))


def _multiple(a: Value, b: Value) -> Value:
    return Value(arithmetic.multiply(a.entries, b.entries), a.axes or b.axes)


def _advice(a: Value, b: Value) -> list[Advice]:
    """What fits instead."""
    also: list[Advice] = ["product of entries"] if a.shape == b.shape else []
    if _fit(transposed(a).sizes[1], b.sizes[0]):
        return ["left transposed", *also]
    if _fit(a.sizes[1], transposed(b).sizes[0]):
        return ["right transposed", *also]
    return ["other order"] if _fit(b.sizes[1], a.sizes[0]) else []


def multiply(a: Value, b: Value) -> Value:
    """`a .* b`, entry by entry."""
    if a.order == b.order == 2:
        check_alike(".*", a, b)
        return product([a, b])
    return entrywise(".*", arithmetic.multiply, a, b)


def divide(a: Value, b: Value) -> Value:
    """`a / b` by a scalar."""
    if b.order:
        raise AdvisedShapeError(
            f"/ of {a.shape} and {b.shape}: the right has to be a scalar", "quotient of entries"
        )
    return entrywise("/", arithmetic.divide, a, b)


def power(base: Value, exponent: Value) -> Value:
    """`base ^ exponent` of a scalar, or of a square matrix and an integer."""
    if not (base.order or exponent.order):
        return entrywise("^", arithmetic.power, base, exponent)
    known = exponent.expression.term
    if base.order == 2 and known.op == "constant" and not exponent.order:
        number = known.value
        if number.denominator == 1 and not base.free:
            return value(matrix_power(square("^", base), int(number)))
    what = f"^ of {base.shape} and {exponent.shape}: "
    if base.order == 2:
        raise AdvisedShapeError(f"{what}a matrix has powers by integers", "powers of matrices")
    raise AdvisedShapeError(f"{what}a vector has no powers, and is none", "powers of entries")


def paired(a: Value, b: Value) -> Value:
    """Every entry of one matrix times every one of another; rows are pairs, and columns are.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A = value(variable("A", ("m", "n")))
    >>> paired(A, transposed(A)).shape
    'm·n x n·m'
    """
    further = {
        axis: f"{axis[0]}{k + len(before)}"
        for axes, before in ((b.rows, a.rows), (b.columns, a.columns))
        for k, axis in enumerate(axes)
    }
    found = product([a, b.renamed(further)])
    return Value(found.expression, (*found.rows, *found.columns, *found.free))


def inner(a: Value, b: Value) -> Value:
    """The sum of the products of entries."""
    check_alike("the inner product", a, b)
    return summed(multiply(a, b))


def vec(a: Value) -> Value:
    """The columns of a matrix one below the other."""
    if a.order != 2:
        raise ShapeError(f"vec of {a.shape}: the argument has to be a matrix")
    return in_line("vec", column(a.ordered((*a.columns, *a.rows))))


def in_line(what: str, a: Value) -> Value:
    """One axis of rows and one of columns, where their numbers are known."""
    f = a.expression
    if any(unknown(d) for d in f.shape):
        raise UnknownSizes(f"{what}: the sizes of its arguments have to be given")
    if not a.is_blocked or not all(isinstance(d, int) for d in f.shape):
        return a
    rows = merged(f, 0, len(a.rows)) if a.rows else f
    first = bool(a.rows)
    both = merged(rows, first, len(a.columns)) if len(a.columns) > 1 else rows
    return value(both, row=not a.rows)


class UnknownSizes(ShapeError):
    """Something that needs the sizes of its operands as numbers or names."""


# Shapes ------------------------------------------------------------------------------------


def square(what: str, a: Value) -> Expression:
    """The expression of a square matrix."""
    check_square(what, a)
    return single(f"{what} of", a)


def check_square(what: str, a: Value) -> None:
    """Raise `ShapeError` for what is no square matrix."""
    if a.order != 2 or not _fit(*a.sizes):
        raise ShapeError(f"{what} of {a.shape}: the argument has to be a square matrix")


def may_be_square(a: Value) -> bool:
    """Whether it is a matrix whose sizes are not known to be different."""
    return a.order == 2 and _fit(*a.sizes)


def single(what: str, a: Value) -> Expression:
    """The expression, of one axis for rows and one for columns; it depends on no index."""
    if a.is_blocked:
        raise UnsupportedOperation(
            f"{what} {a.shape}: an axis as long as a product of sizes needs integers for them"
        )
    if a.free:
        raise UnsupportedOperation(
            f"{what} what depends on the index {shown_index(a.free[0])} is not read"
        )
    return a.expression


def check_alike(symbol: str, a: Value, b: Value) -> None:
    """Raise where two values that meet entry by entry have different shapes."""
    what = f"{symbol} of {a.shape} and {b.shape}: "
    if a.order != b.order:
        raise ShapeError(f"{what}one is a matrix, the other a vector")
    if not all(map(_fit, a.sizes, b.sizes)) or a.is_row != b.is_row:
        turned: list[Advice] = ["one transposed"] * all(map(_fit, a.sizes, b.sizes[::-1]))
        raise AdvisedShapeError(f"{what}the shapes differ", *turned)


def shown_index(index: str) -> str:
    """An index as users call it; those of sums have a number behind it.

    >>> shown_index("i"), shown_index("j#2")
    ('i', 'j')
    """
    return index.partition("#")[0]


def _fit(p: Size, q: Size) -> bool:
    return p == q or unknown(p) or unknown(q)


def _met(operands: Sequence[Value], what: str = "indices") -> list[Expression]:
    """The entries, with one size for each axis; `ShapeError` where it has several."""
    sizes: dict[str, list[Size]] = {}
    for a in operands:
        for i, d in a.lengths().items():
            sizes.setdefault(i, []).append(d)
    return unified([a.entries for a in operands], _pairs(sizes), what)


def _pairs(sizes: Mapping[str, list[Size]]) -> list[tuple[Size, Size]]:
    """The sizes that become equal: for each axis all of them."""
    pairs: list[tuple[Size, Size]] = []
    for i, lengths in sizes.items():
        known = [d for d in dict.fromkeys(lengths) if not unknown(d)]
        if len(known) > 1:
            raise ShapeError(
                f"the index {shown_index(i)} has {known[0]} values at one place and {known[1]} "
                "at another"
            )
        # Of two that are not known the right one names both, but those of variables first.
        named = [d for d in lengths if not str(d)[1:].isdecimal()]
        first = (known or [(named or lengths)[-1]])[0]
        pairs += [(first, d) for d in lengths if d != first]
    return pairs
