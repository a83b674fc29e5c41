"""Element-wise definitions as terms, in which indicators say what is read where.

An entry `x[i + j]` is the sum over k of `[k = i + j]·x[k]`, so that the rules of indicators and all
others apply to definitions; what lies outside of ranges and conditions counts as 0. On the way
the axes of tensors have names: those of the indices in scope.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial, reduce
from itertools import product
from math import ceil, floor
from typing import Final, cast

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.affine import AffineForm, as_size
from eggrad.engine.indices.affine import form as numbered_form
from eggrad.engine.indices.integer_conditions import Condition, implied, nonnegative, within, zero
from eggrad.engine.indices.rational_affine import Affine
from eggrad.engine.indices.spec import Size, canonical
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.elementwise.printer import format_form
from eggrad.frontend.elementwise.syntax import (
    ZERO,
    Binary,
    Call,
    Choice,
    IndexValue,
    Negative,
    Node,
    Number,
    Read,
    Sum,
    parts,
    size_form,
    substitute,
)
from eggrad.frontend.text.functions import applied


@dataclass(frozen=True)
class IndexedEntry:
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
        forms = ((Affine.of(name), size_form(size)) for name, size in self.sizes.items())
        return [f for index, size in forms for f in within(index, size)]

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

    def holds(self, conditions: Sequence[Condition]) -> IndexedEntry:
        """What is 1 where all conditions hold, and 0 elsewhere."""
        axes = self.axes_of(c.form for c in conditions)
        constraints = [
            (c.modulus if c.relation == "|" else c.relation, _numbered(c.form, axes))
            for c in conditions
        ]
        return IndexedEntry(terms.indicator(self.dims(axes), constraints), axes)

    def product(
        self, left: IndexedEntry, right: IndexedEntry, summed: Collection[str] = ()
    ) -> IndexedEntry:
        """The product of two values, summed over some indices."""
        axes = dict.fromkeys((*left.axes, *right.axes))
        return _contracted([left, right], [name for name in axes if name not in summed])

    def summed(self, value: IndexedEntry, name: str) -> IndexedEntry:
        """A value summed over one index."""
        if name not in value.axes:
            return self.product(value, self.ones([name]), {name})
        return _contracted([value], [a for a in value.axes if a != name])

    def ones(self, axes: Sequence[str]) -> IndexedEntry:
        """Ones along some indices."""
        return IndexedEntry(terms.constant(1, self.dims(axes)), tuple(axes))

    def spread(self, value: IndexedEntry, axes: Sequence[str]) -> Term:
        """A value with exactly these axes, in this order."""
        if value.axes == tuple(axes):
            return value.term
        missing = [name for name in axes if name not in value.axes]
        factors = [value, self.ones(missing)] if missing else [value]
        return _contracted(factors, axes).term

    def joined(self, operation: Callable[..., Term], *values: IndexedEntry) -> IndexedEntry:
        """An operation on entries, each value repeated along the indices of the others."""
        axes = tuple(dict.fromkeys(i for value in values for i in value.axes))
        return IndexedEntry(operation(*(self.spread(value, axes) for value in values)), axes)


def _contracted(factors: Sequence[IndexedEntry], kept: Sequence[str]) -> IndexedEntry:
    """The product of one or two values, summed over all axes but some."""
    number = {name: k for k, name in enumerate(dict.fromkeys(a for f in factors for a in f.axes))}
    parts = [tuple(number[a] for a in f.axes) for f in factors]
    spec = canonical(parts, tuple(number[a] for a in kept))
    return IndexedEntry(terms.einsum(spec, *(f.term for f in factors)), tuple(kept))


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


def _numbered(form: Affine, axes: Sequence[str]) -> AffineForm:
    """A form of integer coefficients as those of indicators are: axes have numbers."""
    number: dict[str, int | str] = {name: k for k, name in enumerate(axes)}
    terms_of = [(number.get(str(n), n), c) for n, c in _integral(form)]
    return numbered_form([*terms_of, ("", cast(int, form.constant))])


def as_term(
    lengths: Mapping[str, Affine], arguments: Mapping[str, Sequence[Affine]], body: Node
) -> tuple[Term, list[Term]]:
    """The tensor whose entry at the indices `lengths` is `body`, and its arguments as variables.

    `arguments` has their shapes. Raises `ShapeError` where a size, or the number of terms of a
    sum, has coefficients that are no integers.

    >>> i = Affine.of("i")
    >>> read = Read("x", (i + 1,))
    >>> found, _ = as_term({"i": Affine.of("n")}, {"x": (Affine.of("n"),)}, read)
    >>> [a.op for a in found.args]
    ['indicator', 'variable']
    """
    shapes = {
        name: tuple(_size(f, f"an axis of {name}") for f in shape)
        for name, shape in arguments.items()
    }
    reader = _Reader(shapes)
    scope = NamedAxes({name: _size(f, f"the index {name}") for name, f in lengths.items()})
    whole = scope.spread(reader.value(body, scope), tuple(scope.sizes))
    return whole, [*map(reader.argument, shapes)]


def _size(form: Affine, what: str) -> Size:
    """The size of an axis, an integer or a form of symbols with integer coefficients."""
    size = size_of(form)
    if size is None:
        raise ShapeError(
            f"{what} has the size {format_form(form)}, which is no size of an expression: give it"
            " a name of its own"
        )
    return size


@dataclass(frozen=True)
class _Reader:
    """What a definition's nodes are, given the shapes of its arguments."""

    shapes: Mapping[str, tuple[Size, ...]]

    def argument(self, name: str) -> Term:
        """An argument as a variable."""
        return terms.variable(name, self.shapes[name])

    def value(self, node: Node, scope: NamedAxes) -> IndexedEntry:
        """A node; recursive, for definitions are not deep."""
        match node:
            case Number(number):
                return IndexedEntry(terms.constant(number))
            case IndexValue(form):
                return _index_value(form, scope)
            case Read():
                return self.read(node, scope)
            case Negative(operand):
                inner = self.value(operand, scope)
                return IndexedEntry(terms.negate(inner.term), inner.axes)
            case Call():
                return self.call(node, scope)
            case Binary(operator, left, right):
                return self.operation(operator, left, right, scope)
            case Sum():
                return self.total(node, scope)
            case Choice(conditions, then, otherwise):
                return self.choice(conditions, then, otherwise, scope)

    def read(self, node: Read, scope: NamedAxes) -> IndexedEntry:
        """An entry of an argument: an axis of it, or what an indicator says is read."""
        shape = self.shapes[node.name]
        axes = scope.axes_of(node.indices)
        labels: list[str] = []
        places: list[Affine] = []
        for k, (form, size) in enumerate(zip(node.indices, shape, strict=True)):
            name = form.bare()
            direct = name is not None and scope.sizes.get(name) == size and name not in labels
            labels.append(cast(str, name) if direct else f"{node.name}.{k}")
            if not direct:
                places.append(Affine.of(labels[-1]) - form)
        inner = replace(scope, sizes={**scope.sizes, **dict(zip(labels, shape, strict=True))})
        found = IndexedEntry(self.argument(node.name), tuple(labels))
        if not places:
            return found
        picks = inner.holds([zero(f) for f in places])
        return inner.product(picks, found, {*picks.axes, *labels}.difference(axes))

    def call(self, node: Call, scope: NamedAxes) -> IndexedEntry:
        """A function of values, each repeated along the indices of the others."""
        return scope.joined(
            lambda *operands: applied(node.function, node.declared, operands),
            *(self.value(a, scope) for a in node.arguments),
        )

    def operation(self, operator: str, left: Node, right: Node, scope: NamedAxes) -> IndexedEntry:
        """Two values and an operator between them."""
        a, b = self.value(left, scope), self.value(right, scope)
        match operator:
            case "*":
                return scope.product(a, b)
            case "/":
                return scope.joined(terms.divide, a, b)
            case "**":
                return _power(a, b, scope)
            case _:
                return scope.joined(terms.add if operator == "+" else terms.subtract, a, b)

    def choice(
        self, conditions: Sequence[Condition], then: Node, otherwise: Node, scope: NamedAxes
    ) -> IndexedEntry:
        """One branch where conditions hold, the other one elsewhere."""
        chosen, one, other = (
            scope.holds(conditions),
            *(self.value(b, scope) for b in (then, otherwise)),
        )
        if otherwise == ZERO and _is_finite(then):
            return scope.product(chosen, one)
        return scope.joined(_WHERE, chosen, one, other)

    def total(self, node: Sum, scope: NamedAxes) -> IndexedEntry:
        """A sum along an axis that holds its range, counted from 0."""
        start, size = _span(node, scope)
        inner = replace(scope, sizes={**scope.sizes, node.index: size})
        index = Affine.of(node.index) + start
        bounds = [index - f for f in node.range.lower] + [f - index for f in node.range.upper]
        open_ones = [c for c in map(nonnegative, bounds) if not implied(c.form, inner.box)]
        names = frozenset(inner.sizes)
        moved = bool(start.names or start.constant)
        body = substitute(node.body, {node.index: index}, names) if moved else node.body
        if not open_ones:
            return inner.summed(self.value(body, inner), node.index)
        mask, value = inner.holds(open_ones), self.value(body, inner)
        if _is_finite(body):
            return inner.product(mask, value, {node.index})
        zero = IndexedEntry(terms.constant(0))
        return inner.summed(inner.joined(_WHERE, mask, value, zero), node.index)


_WHERE: Final = partial(terms.apply, "where")


def _is_finite(node: Node) -> bool:
    """Whether a node has a value at all finite entries: then a product with 0 is a choice.

    >>> x = Read("x", ())
    >>> _is_finite(Binary("*", x, x)), _is_finite(Binary("/", x, x))
    (True, False)
    """
    if isinstance(node, Binary) and node.operator == "**":
        power = node.right.value if isinstance(node.right, Number) else None
        return power is not None and power >= 0 == power % 1 and _is_finite(node.left)
    if isinstance(node, Call) or (isinstance(node, Binary) and node.operator == "/"):
        return False
    return all(map(_is_finite, parts(node)))


def _power(base: IndexedEntry, exponent: IndexedEntry, scope: NamedAxes) -> IndexedEntry:
    """A power, entry by entry where the exponent depends on indices."""
    if exponent.axes:
        return scope.joined(partial(terms.apply, "pow"), base, exponent)
    return IndexedEntry(terms.power(base.term, exponent.term), base.axes)


def _index_value(form: Affine, scope: NamedAxes) -> IndexedEntry:
    """A form of indices and sizes as a number; an index is how many others are below it."""
    found = [IndexedEntry(terms.constant(Fraction(form.constant)))] if form.constant else []
    for name, c in form.items():
        if name in scope.sizes:
            below = f"{name} below"
            inner = replace(scope, sizes={**scope.sizes, below: scope.sizes[name]})
            less = inner.holds([nonnegative(Affine.of(name) - Affine.of(below) - 1)])
            one = inner.product(less, inner.ones([below]), {below})
        else:
            one = IndexedEntry(terms.size(name))
        found.append(
            one if c == 1 else scope.product(IndexedEntry(terms.constant(Fraction(c))), one)
        )
    return reduce(partial(scope.joined, terms.add), found)


def _span(node: Sum, scope: NamedAxes) -> tuple[Affine, Size]:
    """Where a range begins at least, and how many indices it has at most."""
    lower = [scope.corner(f, -1) for f in node.range.lower]
    lower = [Affine({}, ceil(f.constant)) if f.is_constant else f for f in lower]
    upper = [scope.corner(f, 1) for f in node.range.upper]
    pairs = [(a, b - a + 1) for a, b in product(lower, upper) if a.denominator == 1]
    for start, count in pairs:
        if count.is_constant:
            return start, max(0, floor(count.constant))
    for start, count in pairs:
        name = (count - count.constant).bare()
        if name is not None and count.constant <= 0 and count.denominator == 1:
            # An axis of the symbol's size is longer; it ends where the sum does, if that can be.
            earlier = start + count.constant
            return earlier if implied(earlier, scope.box) else start, name
    for start, count in pairs:
        size = size_of(count)
        if size is not None:
            return start, size
    raise ShapeError(
        f"the sum over {node.index} has up to {format_form(upper[0] - lower[0] + 1)} terms, which"
        " is no size of an expression: give it a name of its own"
    )
