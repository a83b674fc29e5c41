"""Loops of Python functions: the step is traced once, however many steps there are."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, NamedTuple, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import checked_dims
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import numbers, symbols
from eggrad.engine.terms.loops import AFTER, LAST, Recurrence, at_places, recurrence, unused_size
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    SizeSymbol,
    as_expression,
    expression,
    unified,
)
from eggrad.frontend.expression.functions import variable
from eggrad.frontend.expression.gathering import has_integers
from eggrad.frontend.interface.batching import batched
from eggrad.frontend.interface.traced import checked_function, deeper, located
from eggrad.frontend.interface.trees import Structure, flatten, paths, unflatten
from eggrad.frontend.text.doors import checked_flag
from eggrad.frontend.text.words import format_axes

StepFunction = Callable[[Any, Any], Any]


def scan(
    step: StepFunction,
    start: Any,
    xs: Any = None,
    length: int | str | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """A loop whose step is derived once: `carry, y = step(carry, x)` for each x along an axis.

    Returns the last carry, and what the steps gave as y, along a new first axis. `start` is the
    first carry, `xs` an array whose first axis the steps follow; both may be nested tuples, lists
    and dicts of arrays and of None, and so may y. Without `xs` the x is None, and `length` says how
    many steps there are, a number or a size symbol. In `reverse` the last x comes first.

    A carry has the same axes after each step; `ShapeError` else. Of numbers the loop runs at once.

    >>> import numpy as np
    >>> from eggrad.frontend.interface.transforms import grad
    >>> def last(w, xs):
    ...     return scan(lambda h, x: (np.tanh(w * h + x), None), 0.0, xs)[0]
    >>> float(last(0.5, np.zeros(1000))), grad(last)(0.5, np.ones(1000)).round(4)
    (0.0, np.float64(0.1974))
    """
    checked_function(step)
    reverse = checked_flag("scan", "reverse", reverse)
    (starts, carry), (slices, x) = _opened(start), _opened(xs)
    loop = _Loop(step, starts, carry, slices, x, _length(slices, length), reverse)
    if not any(isinstance(leaf, Expression) for leaf in (*starts, *slices)):
        if isinstance(loop.length, int) and loop.length:
            found = _of_numbers(loop)
            if found is not None:
                return found
        states, ys = _of_expressions(loop)
        known = [f for f in (*flatten(states)[0], *flatten(ys)[0]) if isinstance(f, Expression)]
        if any(f.variables or f.scope or symbols(f.term) for f in known):
            return states, ys
        return _evaluated(states), _evaluated(ys)
    return _of_expressions(loop)


class _Nested(NamedTuple):
    """How arrays are nested, beside None."""

    structure: Structure
    is_array: tuple[bool, ...]

    def of(self, arrays: Iterable[Any]) -> Any:
        """Arrays that are nested so."""
        left = iter(arrays)
        return unflatten(self.structure, [next(left) if k else None for k in self.is_array])

    def paths(self) -> list[tuple[Hashable, ...]]:
        """The names that lead to each array."""
        return [*compress(paths(self.structure), self.is_array)]


def _opened(value: Any, like: Structure = None) -> tuple[list[Any], _Nested]:
    """The arrays in nested values, and how they are nested; a list of numbers is an array."""
    leaves, structure = flatten(value, like)
    arrays = [_array(a) for a in leaves if a is not None]
    return arrays, _Nested(structure, tuple(a is not None for a in leaves))


def _array(leaf: Any) -> Any:
    """A leaf of an argument, or of what a step returns: numbers, or an expression."""
    if isinstance(leaf, Condition):
        return leaf.test
    of_numpy = isinstance(leaf, np.ndarray | np.generic)
    of_others = not of_numpy and hasattr(leaf, "__array_namespace__")
    if isinstance(leaf, Expression | SizeSymbol) or of_others:
        return leaf
    array = numbers(f"scan: {shown(leaf)} in start, xs or what a step returns", leaf)
    return array if isinstance(leaf, list) else leaf


class _Loop(NamedTuple):
    """A loop as it is asked for: the arrays of nested arguments, and how they are nested."""

    step: StepFunction
    starts: Sequence[Any]
    carry: _Nested
    slices: Sequence[Any]
    x: _Nested
    length: Size
    reverse: bool

    def called(self, carry: Sequence[Any], x: Sequence[Any]) -> tuple[list[Any], Any]:
        """The arrays of the next carry, and y."""
        with located(self.step):
            value = self.step(self.carry.of(carry), self.x.of(x))
            if not isinstance(value, tuple) or len(cast("tuple[Any, ...]", value)) != 2:
                raise UnsupportedOperation(
                    "scan: a step returns a pair, the next carry and what is kept of the step, "
                    f"which may be None; it returns a {type(value).__name__}"
                )
            after, y = cast("tuple[Any, Any]", value)
            # What is no array is told here, where the step is.
            _opened(y)
            arrays, nested = _opened(after, self.carry.structure)
            if nested != self.carry:
                raise ShapeError(
                    "scan: the carry after a step is nested in another way than the first one, "
                    "where a list of numbers is one array; for several numbers begin with a tuple"
                )
        return arrays, y


def _length(slices: Sequence[Any], given: Any) -> Size:
    """The number of steps."""
    found: dict[Size, None] = {}
    for leaf in slices:
        dims = as_expression(leaf).term.dims if isinstance(leaf, Expression) else np.shape(leaf)
        if not dims:
            raise ShapeError("scan: xs has a number, and steps follow the first axis of arrays")
        found[dims[0]] = None
    if given is not None:
        known = int(given) if isinstance(given, np.integer) else given
        (size,) = checked_dims((known,))
        # A size symbol of an expression knows which variables fix it.
        found[known if isinstance(known, SizeSymbol) else size] = None
    if not found:
        raise UnsupportedOperation("scan: give xs, or length=")
    # Symbols of variables meet numbers and each other later, where the step is traced.
    numbers = [size for size in found if isinstance(size, int)]
    if len(numbers) > 1 or (isinstance(given, str) and slices and len(found) > 1):
        shown = " and ".join(map(str, found))
        raise ShapeError(f"scan: the number of steps is the first size in xs and length: {shown}")
    return numbers[0] if numbers else next(iter(found))


def _of_numbers(loop: _Loop) -> tuple[Any, Any] | None:
    """The loop at numbers; None if the step makes expressions of them."""
    length, carry = cast(int, loop.length), [*loop.starts]
    arrays = [np.asarray(a) for a in loop.slices]
    kept: list[list[Any]] = []
    nested = _Nested(None, (False,))
    for k in reversed(range(length)) if loop.reverse else range(length):
        after, y = loop.called(carry, [a[k] for a in arrays])
        given, nested = _opened(y)
        if any(isinstance(a, Expression) for a in (*after, *given)):
            return None
        _check_carry(loop, [np.shape(a) for a in carry], [np.shape(a) for a in after])
        carry = after
        kept.append(given)
    if loop.reverse:
        kept.reverse()
    return loop.carry.of(carry), nested.of(map(np.stack, zip(*kept, strict=True)))


def _check_carry(loop: _Loop, before: Sequence[Any], after: Sequence[Any]) -> None:
    for path, a, b in zip(loop.carry.paths(), before, after, strict=True):
        if tuple(a) != tuple(b):
            which = f"carry{''.join(f'[{p!r}]' for p in path)}"
            raise ShapeError(
                f"scan: {which} has axes {format_axes(a)} at first and {format_axes(b)} after a "
                "step; start with an array of the latter"
            )


def _of_expressions(loop: _Loop) -> tuple[Any, Any]:
    """The loop as terms, its step traced."""
    starts, slices = [*map(as_expression, loop.starts)], [*map(as_expression, loop.slices)]
    with deeper() as depth:
        carried = [variable(f"carry_{k}#{depth}", e.term.dims) for k, e in enumerate(starts)]
        single = [
            variable(f"x_{k}#{depth}", e.term.dims[1:], _words(leaf))
            for k, (e, leaf) in enumerate(zip(slices, loop.slices, strict=True))
        ]
        after, y = loop.called(carried, single)
    given, nested = _opened(y)
    with located(loop.step):
        results = [*map(as_expression, (*after, *given))]
        found = _agreeing(loop, results, (*carried, *single), (*starts, *slices))
    count, second = len(starts), len(results) + len(starts)
    results, starts, slices = found[: len(results)], found[len(results) : second], found[second:]
    traced = _Traced(loop, results, starts, slices, [v.term.name for v in (*carried, *single)])
    made = [traced.expression_of(t) for t in traced.terms()]
    return loop.carry.of(made[:count]), nested.of(made[count:])


def _words(leaf: Any) -> tuple[str, ...]:
    """What is declared of an entry: integers may be indices."""
    if isinstance(leaf, Expression):
        known = has_integers(leaf)
    else:
        known = np.asarray(leaf).dtype.kind in "iu"
    return ("integer",) * known


def _agreeing(
    loop: _Loop,
    results: Sequence[Expression],
    variables: Sequence[Expression],
    operands: Sequence[Expression],
) -> list[Expression]:
    """The same with sizes that fit: a symbol may have met a number while the step was traced.

    `variables` of one step stand for `operands`: first the carries, which some results follow.
    """
    count = len(loop.starts)
    known = {v.name: v.dims for e in results for v in e.variables}
    pairs: list[tuple[Size, Size]] = []
    for k, (v, e) in enumerate(zip(variables, operands, strict=True)):
        one = e.term.dims[k >= count :]
        pairs += zip(known.get(v.term.name, one), one, strict=True)
    length = str(loop.length) if isinstance(loop.length, str) else loop.length
    pairs += [(e.term.dims[0], length) for e in operands[count:]]
    for r, e in zip(results, operands[:count], strict=False):
        if r.ndim == e.ndim:
            pairs += zip(r.term.dims, e.term.dims, strict=True)
    found = unified([*results, *operands], pairs, "scan")
    before, after = found[len(results) : len(results) + count], found[:count]
    _check_carry(loop, [e.term.dims for e in before], [r.term.dims for r in after])
    return found


class _Traced(NamedTuple):
    """A step as expressions of variables that are called so: next carries, then what is kept."""

    request: _Loop
    results: Sequence[Expression]
    starts: Sequence[Expression]
    slices: Sequence[Expression]
    names: Sequence[str]

    @property
    def length(self) -> Size:
        """The number of steps, where sizes fit."""
        size = self.slices[0].term.dims[0] if self.slices else self.request.length
        return str(size) if isinstance(size, str) else size

    def terms(self) -> Iterator[Term]:
        """The last carries, and what is kept of all steps."""
        count = len(self.starts)
        inside = [v for e in self.results for v in e.variables]
        operands = [e.term for e in (*self.starts, *self.slices)]
        steps = unused_size([*(e.term for e in self.results), *inside, *operands])
        dims = [t.dims[k >= count :] for k, t in enumerate(operands)]
        words = {v.name: v.assumed for v in inside}
        one, many = (
            [
                terms.variable(n, (*first, *d), words.get(n, ()))
                for n, d in zip(self.names, dims, strict=True)
            ]
            for first in ((), (steps,))
        )
        examples = dict(zip(one, many, strict=True))
        results = [batched(e.term, examples, steps) for e in self.results]
        outside = {v: v for v in inside if v.name not in {*self.names}}
        loop = recurrence(
            results[:count],
            steps,
            dict(zip(many[:count], operands[:count], strict=True)),
            dict(zip(many[count:], operands[count:], strict=True)),
            outside,
            length=self.length,
            backwards=self.request.reverse,
        )
        yield from (loop.states(k, LAST) for k in range(count))
        yield from self._kept(loop, results, many, steps)

    def _kept(
        self, loop: Recurrence, results: Sequence[Term], many: Sequence[Term], steps: Size
    ) -> list[Term]:
        count = len(self.starts)
        # What is kept is often the next carry, which is there.
        places: dict[Term, Term] = {r: loop.states(k, AFTER) for k, r in enumerate(results[:count])}
        places |= dict(zip(many, loop.before(), strict=False))
        places |= dict(zip(many[count:], (e.term for e in self.slices), strict=True))
        return at_places(results[count:], places, steps, loop.length)

    def expression_of(self, term: Term) -> Expression:
        """The expression of a term, whose sizes variables fix that occur in the loop."""
        every = (*self.results, *self.starts, *self.slices)
        fixing = [v for e in every for v in e.variables if v.name not in self.names]
        if not self.slices and isinstance(self.request.length, SizeSymbol):
            fixing += self.request.length.expression().scope
        return expression(term, fixing, all(e.term_complete for e in every))


def _evaluated(tree: Any) -> Any:
    leaves, structure = flatten(tree)
    values = (f.evaluate({}) if isinstance(f, Expression) else f for f in leaves)
    return unflatten(structure, values)
