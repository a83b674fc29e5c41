"""Sizes as `shape` gives them: symbols that one can compute with."""

import warnings
from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from eggrad.engine.indices.spec import Dims, Size
    from eggrad.engine.terms.term import Term
    from eggrad.frontend.expression.expression import Expression

__all__ = ["SizeSymbol", "SizeWarning", "shape_of"]

# What a symbol stands for where Python must have a number: small, and not the same for all.
LEAST: Final = 2
SPREAD: Final = 7


class SizeWarning(UserWarning):
    """A number was taken for a size symbol; the expression holds at that size alone."""


class SizeSymbol(str):
    """A size symbol of an expression; arithmetic with it makes expressions.

    It is its own text. Where Python needs an integer, as in `range(n)` or `numpy.eye(n)`, it is
    taken for a small one, always the same for the same symbol, and a `SizeWarning` says so: what
    is built from it has that size.

    >>> from eggrad.frontend.expression.functions import variable
    >>> x = variable("x", ("n",))
    >>> x.shape, str(x.sum() / x.shape[0])
    (('n',), 'declare x[n] expression *(i->) x / size(n)')
    """

    __slots__ = ("_owners",)
    _owners: tuple["Term", ...]

    def __new__(cls, name: str, owners: Iterable["Term"]) -> "SizeSymbol":
        """A symbol, and the variables that fix it."""
        made = super().__new__(cls, name)
        made._owners = tuple(owners)
        return made

    def expression(self) -> "Expression":
        """The size as a scalar."""
        from eggrad.engine.terms import term as terms
        from eggrad.frontend.expression.expression import expression

        return expression(terms.size(str(self)), self._owners)

    def __index__(self) -> int:
        """A number for it, with a warning."""
        number = LEAST + sum(map(ord, self)) % SPREAD
        warnings.warn(
            f"size {self} is a symbol, and a number was asked for: it is taken for {number}. "
            "Declare the size as a number, or use eggrad.delta, einsum and sum instead",
            SizeWarning,
            stacklevel=3,
        )
        return number

    def __lt__(self, other: Any) -> bool:
        """Compare the number taken for it with an integer; with text, as text."""
        return index(self) < other if isinstance(other, int) else str.__lt__(self, other)

    def __le__(self, other: Any) -> bool:
        """Compare likewise."""
        return index(self) <= other if isinstance(other, int) else str.__le__(self, other)

    def __gt__(self, other: Any) -> bool:
        """Compare likewise."""
        return index(self) > other if isinstance(other, int) else str.__gt__(self, other)

    def __ge__(self, other: Any) -> bool:
        """Compare likewise."""
        return index(self) >= other if isinstance(other, int) else str.__ge__(self, other)

    def __add__(self, other: Any) -> Any:
        """The scalar, plus something."""
        return str.__add__(self, other) if isinstance(other, str) else self.expression() + other

    def __radd__(self, other: Any) -> "Expression":
        """Something plus the scalar."""
        return other + self.expression()

    def __sub__(self, other: Any) -> "Expression":
        """The scalar, minus something."""
        return self.expression() - other

    def __rsub__(self, other: Any) -> "Expression":
        """Something minus the scalar."""
        return other - self.expression()

    def __mul__(self, other: Any) -> "Expression":  # type: ignore[override]
        """The scalar times something."""
        return self.expression() * other

    def __rmul__(self, other: Any) -> "Expression":  # type: ignore[override]
        """Something times the scalar."""
        return other * self.expression()

    def __truediv__(self, other: Any) -> "Expression":
        """The scalar divided by something."""
        return self.expression() / other

    def __rtruediv__(self, other: Any) -> "Expression":
        """Something divided by the scalar."""
        return other / self.expression()

    def __pow__(self, other: Any) -> "Expression":
        """The scalar to some exponent."""
        return self.expression() ** other

    def __rpow__(self, other: Any) -> "Expression":
        """Something to the scalar as exponent."""
        return other ** self.expression()

    def __neg__(self) -> "Expression":
        """The negative of the scalar."""
        return -self.expression()


def shape_of(dims: "Dims", owners: Iterable["Term"]) -> "tuple[Size, ...]":
    """The dims, with symbols that know the variables that fix them."""
    known = tuple(owners)
    return tuple(SizeSymbol(d, known) if isinstance(d, str) else d for d in dims)
