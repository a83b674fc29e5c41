"""Tensors whose axes have names: those of the indices in scope."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from eggrad.engine.indices.affine import Form, as_size
from eggrad.engine.indices.affine import form as numbered_form
from eggrad.engine.indices.affine import size_form as engine_form
from eggrad.engine.indices.integer_conditions import Condition, within
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.indices.spec import Size, canonical
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["NamedAxes", "Value", "size_form", "size_of"]


@dataclass(frozen=True)
class Value:
    """A tensor whose axes are indices in scope; it is the same for all others."""

    term: Term
    axes: tuple[str, ...] = ()


@dataclass(frozen=True)
class NamedAxes:
    """The sizes of all indices in scope."""

    sizes: Mapping[str, Size]

    @cached_property
    def box(self) -> list[Affine]:
        """That indices are in their ranges, as forms that are not negative."""
        own = ((Affine.of(name), size_form(size)) for name, size in self.sizes.items())
        return [f for index, size in own for f in within(index, size)]

    def corner(self, form: Affine, sign: int) -> Affine:
        """The greatest value of a form in the ranges of its indices; the least for `sign` -1."""
        ends = {
            name: size_form(self.sizes[name]) - 1 if sign * form[name] > 0 else 0
            for name in form.names
            if name in self.sizes
        }
        return form.substitute(ends)

    def axes_of(self, forms: Iterable[Affine]) -> tuple[str, ...]:
        """The indices of some forms, each once."""
        return tuple(dict.fromkeys(n for f in forms for n in f.names if n in self.sizes))

    def dims(self, axes: Iterable[str]) -> tuple[Size, ...]:
        """The sizes of some indices."""
        return tuple(self.sizes[name] for name in axes)

    def holds(self, conditions: Sequence[Condition]) -> Value:
        """What is 1 where all conditions hold, and 0 elsewhere."""
        axes = self.axes_of(c.form for c in conditions)
        constraints = [
            (c.modulus if c.relation == "|" else c.relation, _numbered(c.form, axes))
            for c in conditions
        ]
        return Value(terms.indicator(self.dims(axes), constraints), axes)

    def product(self, left: Value, right: Value, summed: Collection[str] = ()) -> Value:
        """The product of two values, summed over some indices."""
        axes = dict.fromkeys((*left.axes, *right.axes))
        return _contracted([left, right], [name for name in axes if name not in summed])

    def summed(self, value: Value, name: str) -> Value:
        """A value summed over one index."""
        if name not in value.axes:
            return self.product(value, self.ones([name]), {name})
        return _contracted([value], [a for a in value.axes if a != name])

    def ones(self, axes: Sequence[str]) -> Value:
        """Ones along some indices."""
        return Value(terms.constant(1, self.dims(axes)), tuple(axes))

    def spread(self, value: Value, axes: Sequence[str]) -> Term:
        """A value with exactly these axes, in this order."""
        if value.axes == tuple(axes):
            return value.term
        missing = [name for name in axes if name not in value.axes]
        factors = [value, self.ones(missing)] if missing else [value]
        return _contracted(factors, axes).term

    def joined(self, operation: Callable[..., Term], *values: Value) -> Value:
        """An operation on entries, each value repeated along the indices of the others."""
        axes = tuple(dict.fromkeys(i for value in values for i in value.axes))
        return Value(operation(*(self.spread(value, axes) for value in values)), axes)


def _contracted(factors: Sequence[Value], kept: Sequence[str]) -> Value:
    """The product of one or two values, summed over all axes but some."""
    number = {name: k for k, name in enumerate(dict.fromkeys(a for f in factors for a in f.axes))}
    parts = [tuple(number[a] for a in f.axes) for f in factors]
    spec = canonical(parts, tuple(number[a] for a in kept))
    return Value(terms.einsum(spec, *(f.term for f in factors)), tuple(kept))


def size_form(size: Size) -> Affine:
    """A size as an affine form.

    >>> size_form("n - 1")
    Affine({'n': 1}, -1)
    """
    form = dict(engine_form(size))
    constant = form.pop("", 0)
    return Affine({str(name): c for name, c in form.items()}, constant)


def size_of(form: Affine) -> Size | None:
    """The size that a form is; None for one with fractions, or a negative number.

    >>> size_of(Affine.of("n") - 1), size_of(Affine.of("n") / 2)
    ('n - 1', None)
    """
    if form.denominator > 1:
        return None
    size = as_size(numbered_form([*_integral(form), ("", cast(int, form.constant))]))
    return None if isinstance(size, int) and size < 0 else size


def _integral(form: Affine) -> list[tuple[int | str, int]]:
    return [(name, cast(int, c)) for name, c in form.items()]


def _numbered(form: Affine, axes: Sequence[str]) -> Form:
    """A form of integer coefficients as those of indicators are: axes have numbers."""
    number: dict[str, int | str] = {name: k for k, name in enumerate(axes)}
    terms_of = [(number.get(str(n), n), c) for n, c in _integral(form)]
    return numbered_form([*terms_of, ("", cast(int, form.constant))])
