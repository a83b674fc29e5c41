r"""What stands in a sum over an index: matrix notation whose values have further axes.

A value has an axis for each index that it depends on, and those of its rows and columns, which
have further indices: `w^\top x_i` is `w_a x_{ia}`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from eggrad.engine.errors import ShapeError
from eggrad.frontend.expression import expression as arithmetic
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import Expression, power
from eggrad.frontend.index.entries import Entries, entries, entrywise, product, total
from eggrad.frontend.formulas.values import MatrixValue, single


@dataclass(frozen=True, eq=False)
class Indexed:
    """Entries, and which of their indices count rows and columns."""

    entries: Entries
    rows: str | None = None
    columns: str | None = None

    @property
    def free(self) -> tuple[str, ...]:
        """The indices that count neither rows nor columns."""
        return tuple(i for i in self.entries.indices if i not in (self.rows, self.columns))

    @property
    def is_scalar(self) -> bool:
        """Whether it is one number for all values of its indices."""
        return self.rows is None and self.columns is None

    @property
    def shape(self) -> str:
        """What it is, in words."""
        if self.is_scalar:
            return "a scalar"
        sizes = self.entries.sizes()
        return " x ".join(str(sizes[i]) if i else "1" for i in (self.rows, self.columns))

    def value(self) -> MatrixValue:
        """The same in matrix notation, where nothing depends on an index."""
        axes = [i for i in (self.rows, self.columns) if i]
        return MatrixValue(
            self.entries.ordered(axes), self.rows is None and self.columns is not None
        )

    def transposed(self) -> "Indexed":
        """Rows for columns."""
        return replace(self, rows=self.columns, columns=self.rows)

    def mapped(self, function: Callable[[Expression], Expression]) -> "Indexed":
        """What a function of every entry makes of it."""
        return replace(self, entries=entrywise([self.entries], function))


def indexed(value: MatrixValue, fresh: Iterator[int]) -> Indexed:
    """A value of matrix notation, which depends on no index; `fresh` numbers rows and columns."""
    f = single("in a sum,", value)
    indices = [f"·#{next(fresh)}" for _ in range(f.ndim)]
    if f.ndim == 1 and value.turned:
        return Indexed(entries(f, indices), None, indices[0])
    rows, columns = (*indices, None, None)[:2]
    return Indexed(entries(f, indices), rows, columns)


def renamed(a: Indexed, rows: str | None, columns: str | None) -> Indexed:
    """With other indices of rows and columns."""
    names = {a.rows: rows, a.columns: columns}
    indices = [names.get(i) or i if i in (a.rows, a.columns) else i for i in a.entries.indices]
    return Indexed(
        Entries(a.entries.expression, tuple(indices)), a.rows and rows, a.columns and columns
    )


def combined(
    sign: str, a: Indexed, b: Indexed, build: Callable[[Expression, Expression], Expression]
) -> Indexed:
    """An operation on the entries of two values of one shape, or of one and a scalar."""
    if not a.is_scalar and not b.is_scalar:
        if bool(a.rows) != bool(b.rows) or bool(a.columns) != bool(b.columns):
            raise ShapeError(f"{sign} of {a.shape} and {b.shape}: the shapes differ")
        b = renamed(b, a.rows, a.columns)
    found = entrywise([a.entries, b.entries], build)
    kind = b if a.is_scalar else a
    return Indexed(found, kind.rows, kind.columns)


def multiplied(a: Indexed, b: Indexed) -> Indexed:
    """The product of matrices, columns and rows, or a multiple."""
    if a.is_scalar or b.is_scalar:
        kind = b if a.is_scalar else a
        return Indexed(product([a.entries, b.entries]), kind.rows, kind.columns)
    if bool(a.columns) != bool(b.rows):
        raise ShapeError(f"a product of {a.shape} and {b.shape}: columns and rows do not meet")
    if a.columns is None:
        return Indexed(product([a.entries, b.entries]), a.rows, b.columns)
    met = renamed(b, a.columns, b.columns)
    return Indexed(product([a.entries, met.entries], {a.columns}), a.rows, b.columns)


def inner(a: Indexed, b: Indexed) -> Indexed:
    """The sum of the products of entries."""
    return summed(combined("the inner product", a, b, arithmetic.multiply))


def summed(a: Indexed) -> Indexed:
    """The sum of rows and columns."""
    return Indexed(total(a.entries, {i for i in (a.rows, a.columns) if i}))


def norm2(a: Indexed) -> Indexed:
    """The root of the sum of squares."""
    squares = summed(a.mapped(lambda f: power(f, 2)))
    return squares.mapped(lambda f: arithmetic.power(f, 0.5))


def norm1(a: Indexed) -> Indexed:
    """The sum of absolute values."""
    return summed(a.mapped(language.abs))


def extreme(name: str, a: Indexed, over: Sequence[str]) -> Indexed:
    """The greatest or the least entry along some indices."""
    axes = tuple(a.entries.indices.index(i) for i in over)
    reduce = language.max if name == "max" else language.min
    rest = tuple(i for i in a.entries.indices if i not in over)
    return Indexed(Entries(reduce(a.entries.expression, axes), rest), a.rows, a.columns)
