"""Methods of NumPy's ufuncs, and what is reduced or accumulated by operations without a sum."""

from collections.abc import Callable, Mapping
from functools import reduce as fold
from typing import Any, Final, NamedTuple

import numpy as np

from eggrad.engine.errors import UnsupportedOperation
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import numpy_functions as whole
from eggrad.frontend.expression.axes import along
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    as_expression,
    not_equal,
    truth,
)
from eggrad.frontend.expression.numpy_functions import (
    Axis,
    concatenate,
    integer_size,
    lined_up,
    one_axis,
    stack,
)
from eggrad.frontend.expression.numpy_protocols import by_name, implements
from eggrad.frontend.expression.numpy_ufuncs import UFUNCS, exp2, log2, sqrt, square

# Entries that are taken one by one.
_MOST_ENTRIES: Final = 64


# Truth ------------------------------------------------------------------------------------


def any(a: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Condition:
    """`numpy.any`."""
    return not_equal(count_nonzero(a, axis, keepdims=keepdims, where=where), 0)


def all(a: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Condition:
    """`numpy.all`."""
    return ~any(~Condition(truth(a)), axis, keepdims=keepdims, where=where)


def count_nonzero(
    a: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None
) -> Expression:
    """`numpy.count_nonzero`."""
    return whole.sum(truth(a), axis, keepdims=keepdims, where=where)


# Reductions -------------------------------------------------------------------------------


def _log_of_sum(a: Any, axis: Axis = None, **options: Any) -> Expression:
    return language.log(whole.sum(language.exp(as_expression(a)), axis, **options))


def _log2_of_sum(a: Any, axis: Axis = None, **options: Any) -> Expression:
    return log2(whole.sum(exp2(a), axis, **options))


def _root_of_squares(a: Any, axis: Axis = None, **options: Any) -> Expression:
    return sqrt(whole.sum(square(a), axis, **options))


class _Reduced(NamedTuple):
    """How a ufunc reduces whole axes; `initial` where that takes the option itself."""

    whole: Callable[..., Any]
    initial: bool = False


# These are associative: entries may be taken together in any order that keeps their places.
_REDUCED: Final[Mapping[str, _Reduced]] = {
    "add": _Reduced(whole.sum, True),
    "multiply": _Reduced(whole.prod, True),
    **dict.fromkeys(("maximum", "fmax"), _Reduced(whole.amax, True)),
    **dict.fromkeys(("minimum", "fmin"), _Reduced(whole.amin, True)),
    "logaddexp": _Reduced(_log_of_sum),
    "logaddexp2": _Reduced(_log2_of_sum),
    "hypot": _Reduced(_root_of_squares),
    **dict.fromkeys(("logical_and", "bitwise_and"), _Reduced(all)),
    **dict.fromkeys(("logical_or", "bitwise_or"), _Reduced(any)),
}


def reduce(
    ufunc: str,
    array: Any,
    axis: Axis = 0,
    *,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """`numpy.ufunc.reduce`; without a sum behind it, of an axis with few entries."""
    operation, known = _binary(ufunc), _REDUCED.get(ufunc)
    if known is None:
        if where is not None:
            raise UnsupportedOperation(f"{ufunc}.reduce with where: write numpy.where before it")
        operand = as_expression(array)
        k = one_axis(f"{ufunc}.reduce", axis, operand)
        found = fold(operation, _entries(f"{ufunc}.reduce", operand, k))
        found = ax.expanded(as_expression(found), [k]) if keepdims else found
    elif known.initial:
        return known.whole(array, axis, keepdims=keepdims, initial=initial, where=where)
    else:
        found = known.whole(array, axis, keepdims=keepdims, where=where)
    return found if initial is None else operation(initial, found)


def _binary(ufunc: str) -> Callable[..., Any]:
    if getattr(getattr(np, ufunc, None), "nin", 2) != 2:
        raise UnsupportedOperation(f"numpy.{ufunc} has one operand: it reduces nothing")
    return UFUNCS[ufunc]


def _entries(what: str, f: Expression, axis: int) -> list[Expression]:
    size = integer_size(what, f, axis)
    if not 0 < size <= _MOST_ENTRIES:
        raise UnsupportedOperation(f"{what}: of 1 to {_MOST_ENTRIES} entries, not of {size}")
    return [f[along(axis, i)] for i in range(size)]


# Running results --------------------------------------------------------------------------


def accumulate(ufunc: str, array: Any, axis: int = 0) -> Any:
    """`numpy.ufunc.accumulate`."""
    operand, operation = as_expression(array), _binary(ufunc)
    k = one_axis(f"{ufunc}.accumulate", axis, operand)
    if ufunc == "add":
        return whole.cumsum(operand, k)
    if ufunc in _REDUCED:
        return running(operation, operand, k)
    found = _entries(f"{ufunc}.accumulate", operand, k)
    for i in range(1, len(found)):
        found[i] = as_expression(operation(found[i - 1], found[i]))
    return stack(found, k)


def running(operation: Callable[..., Any], f: Expression, axis: int) -> Any:
    """What an associative operation makes of all entries up to each: of 1, 2, 4, ... of them.

    >>> running(UFUNCS["maximum"], language.variable("x", (6,)), 0).shape
    (6,)
    """
    size, step = integer_size("accumulate", f, axis), 1
    found: Any = f
    while step < size:
        later = operation(found[along(axis, slice(-step))], found[along(axis, slice(step, None))])
        joined = concatenate([found[along(axis, slice(step))], later], axis)
        found = Condition(joined) if isinstance(later, Condition) else joined
        step *= 2
    return found


def cumprod(a: Any, axis: int | None = None) -> Expression:
    """`numpy.cumprod`, along an axis whose size is an integer."""
    return running(UFUNCS["multiply"], *lined_up("cumprod", a, axis))


def _cumulative(function: Callable[..., Expression], first: int) -> Callable[..., Expression]:
    """Running results; before them that of no entries, if it is wanted."""

    def cumulative(x: Any, *, axis: int | None = None, include_initial: bool = False) -> Expression:
        operand = as_expression(x)
        k = one_axis("cumulative", axis, operand)
        found = function(operand, k)
        if not include_initial:
            return found
        start = found[along(k, slice(0, 1))]
        return concatenate([whole.full_like(start, first), found], k)

    return cumulative


# Tables -----------------------------------------------------------------------------------


def outer(ufunc: str, a: Any, b: Any) -> Any:
    """`numpy.ufunc.outer`: the ufunc of every pair."""
    left, right = as_expression(a), as_expression(b)
    return _binary(ufunc)(ax.expanded(left, range(left.ndim, left.ndim + right.ndim)), right)


implements(
    functions=by_name(any, all, count_nonzero, cumprod)
    | {
        getattr(np, name): _cumulative(function, first)
        for name, function, first in (
            ("cumulative_sum", whole.cumsum, 0),
            ("cumulative_prod", cumprod, 1),
        )
        if hasattr(np, name)
    },
    methods={"reduce": reduce, "accumulate": accumulate, "outer": outer},
)
