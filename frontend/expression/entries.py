"""Expressions within lists and arrays: NumPy's arrays of their entries, and back.

NumPy makes an array of a list before any function of it can be told of expressions. Its entries
are scalar expressions, with which NumPy adds and multiplies; of such an array an expression is made
wherever one is wanted. Where the entries are those of one expression, it is that one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple, cast

import numpy as np

from eggrad.engine.indices.spec import Dims
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import Expression, as_expression, expression
from eggrad.frontend.expression.numpy_arrays import fixed, gathered
from eggrad.frontend.expression.numpy_functions import beside, in_a_row, stack
from eggrad.frontend.expression.numpy_protocols import (
    by_name,
    call_function,
    call_ufunc,
    check_dtype,
    implements,
)


class Entries(np.ndarray[Any, Any]):
    """The entries of an expression, as functions of NumPy ask for them that know no expressions.

    >>> x = language.variable("x", (3,))
    >>> np.r_[x, 1.0].shape, np.c_[x, x].shape
    ((4,), (3, 2))
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """What NumPy's element-wise functions make of the expression."""
        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: Iterable[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """What NumPy's other functions make of the expression."""
        return call_function(func, [*args], kwargs)


def entries(f: Expression) -> Array:
    """The array of the entries, whose number is known.

    >>> entries(language.variable("A", (2, 3))).shape
    (2, 3)
    """
    shape = cast("tuple[int, ...]", f.shape)
    made = np.empty(shape, dtype=object)
    for place in np.ndindex(*shape):
        made[place] = f[place] if place else f
    return made.view(Entries)


def asarray(a: Any, dtype: Any = None, order: str = "K", *, copy: Any = None) -> Expression:
    """`numpy.asarray` of an expression, or of nested lists and arrays of expressions and numbers.

    >>> x, y = language.variable("x", (2,)), language.variable("y", (2,))
    >>> asarray([x, y]) is np.stack([x, y]), asarray(np.array([x[0], x[1]])) is x
    (True, True)
    """
    if dtype is not None:
        check_dtype("numpy.asarray", dtype)
    if isinstance(a, np.ndarray) and a.dtype == object:
        return _of_array(a.view(np.ndarray))
    if not isinstance(a, list | tuple) or not a:
        return as_expression(a)
    parts = [asarray(part) for part in cast("Sequence[Any]", a)]
    return stack(parts) if any(p.ndim for p in parts) else _joined(parts)


def _of_array(a: Array) -> Expression:
    """The expression with these entries, in few parts."""
    if not a.size:
        return language.zeros(a.shape)
    scalars = [as_expression(e) for e in a.ravel()]
    parts = [*map(_Entry.of, scalars)]
    source = parts[0].source
    in_order = all(e.source is source and e.place == k for k, e in enumerate(parts))
    if source is not None and source.shape == a.shape and in_order:
        return source
    if a.ndim < 2:
        return ax.reshaped(_joined(scalars), a.shape)
    axis = int(np.argmin(a.shape))
    return stack([_of_array(np.take(a, k, axis)) for k in range(a.shape[axis])], axis)


class _Entry(NamedTuple):
    """An entry at a place of an expression, its axes in a row; of none it is a number itself."""

    source: Expression | None
    place: int | Fraction

    @classmethod
    def of(cls, scalar: Expression) -> "_Entry":
        """What a scalar is an entry of, perhaps of itself alone."""
        if scalar.term.op == "constant":
            return cls(None, scalar.term.value)
        found = _indexed(scalar.term)
        if found is None:
            return cls(scalar, 0)
        known = scalar.term_complete, scalar.thinnings, scalar.lost
        return cls(expression(found[0], scalar.variables, *known), found[1])


def _indexed(term: Term) -> tuple[Term, int] | None:
    """The term of which this is an entry at a literal place, as `indexing.select` makes it."""
    if term.op != "einsum" or term.dims or len(term.args) < 2:
        return None
    chosen, inner = term.args
    axes = tuple(range(inner.order))
    if chosen.op != "indicator" or term.spec != (axes, axes, ()) or _open(inner.dims):
        return None
    places = dict.fromkeys((k for k, d in enumerate(inner.dims) if d == 1), 0)
    for relation, affine in chosen.constraints:
        form = dict(affine)
        offset = form.pop("", 0)
        if relation != "=" or len(form) != 1:
            return None
        ((axis, factor),) = form.items()
        places[cast(int, axis)] = -offset // factor
    if len(places) < inner.order:
        return None
    shape = cast("tuple[int, ...]", inner.dims)
    return inner, int(np.ravel_multi_index([places[k] for k in axes], shape)) if axes else 0


def _open(dims: Dims) -> bool:
    """Whether a size is a symbol."""
    return any(isinstance(d, str) for d in dims)


def _joined(scalars: Sequence[Expression]) -> Expression:
    """The vector of some entries, of which neighbours are taken together."""
    made: list[Expression] = []
    # Expressions are compared entry by entry, but they are the same where they are equal.
    runs = groupby(((_Entry.of(s), s) for s in scalars), key=lambda pair: id(pair[0].source))
    for _, run in runs:
        parts, alone = zip(*run, strict=True)
        source, places = parts[0].source, [part.place for part in parts]
        if len(parts) == 1:
            made += alone
        elif source is None:
            made.append(fixed([float(p) for p in places]))
        else:
            made.append(gathered(in_a_row(source), 0, places))
    return made[0] if len(made) == 1 < len(scalars) else beside("array", made, 0, 1)


implements(
    functions=by_name(asarray)
    | dict.fromkeys((np.array, np.asanyarray, np.ascontiguousarray, np.asfortranarray), asarray)
    | {np.ndarray: entries}
)
