"""NumPy's functions of whole arrays on expressions."""

import builtins
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from math import isfinite
from math import prod as number_of
from numbers import Real
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import (
    AffineForm,
    as_size,
    form,
    plus,
    size_form,
    substituted,
    times,
)
from eggrad.engine.indices.spec import Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms import term as terms
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.axes import along, placed, selected, wanted_axes
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    add,
    as_expression,
    combine,
    expression,
    multiply,
    truth,
    unified,
    where,
)
from eggrad.frontend.expression.functions import maximum, minimum
from eggrad.frontend.expression.merged import Merged, kron, reshaped
from eggrad.frontend.expression.numpy_protocols import by_name, check_dtype, implements
from eggrad.frontend.expression.numpy_ufuncs import sqrt, square
from eggrad.frontend.text.doors import checked_count, checked_integer, checked_word

Axis = int | Sequence[int] | None

# A product of entries is written out.
_MOST_FACTORS: Final = 64
MOST_DIFFERENCES: Final = 1000


# Reductions --------------------------------------------------------------------------------


def sum(
    a: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Expression:
    """`numpy.sum`."""
    operand = _masked(as_expression(a), where, 0)
    gone = wanted_axes("sum", axis, operand.ndim)
    result = language.sum(operand, gone)
    result = ax.expanded(result, gone) if keepdims else result
    return result if initial is None else initial + result


def _extreme(
    reduce: Callable[..., Expression], of_two: Callable[..., Expression]
) -> Callable[..., Expression]:
    what = reduce.__name__

    def function(
        a: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
    ) -> Expression:
        if where is not None and initial is None:
            raise UnsupportedOperation(
                f"{what} with where: give initial= for places without an entry"
            )
        operand = _masked(as_expression(a), where, initial)
        gone = wanted_axes(what, axis, operand.ndim)
        if any(operand.shape[k] == 0 for k in gone):
            raise ShapeError(f"{what}: there is no entry; give initial=")
        result = reduce(operand, gone)
        result = ax.expanded(result, gone) if keepdims else result
        return result if initial is None else of_two(result, initial)

    return function


amax = _extreme(language.max, maximum)
amin = _extreme(language.min, minimum)


def _masked(f: Expression, mask: Any, other: Any) -> Expression:
    """The entries where a mask holds, if there is one, and another value elsewhere."""
    return f if mask is None else where(Condition(truth(mask)), f, other)


def count_where(f: Expression, axis: Axis, mask: Any, *, keepdims: bool = False) -> Expression:
    """The number of entries along some axes, of those where a mask holds, if there is one."""
    gone = wanted_axes("mean", axis, f.ndim)
    if mask is None:
        return ax.size_of(f, gone)
    return sum(ax.broadcast(truth(mask), f.shape), gone, keepdims=keepdims)


def mean(a: Any, axis: Axis = None, *, keepdims: bool = False, where: Any = None) -> Expression:
    """`numpy.mean`."""
    operand = as_expression(a)
    count = count_where(operand, axis, where, keepdims=keepdims)
    return sum(operand, axis, keepdims=keepdims, where=where) / count


def average(
    a: Any,
    axis: Axis = None,
    weights: Any = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Expression | tuple[Expression, Expression]:
    """`numpy.average`; weights have the same axes, or are a vector along one axis."""
    operand = as_expression(a)
    w = full_like(operand, 1) if weights is None else as_expression(weights)
    gone = wanted_axes("average", axis, operand.ndim)
    if w.ndim == 1 and len(gone) == 1:
        w = ax.expanded(w, tuple(k for k in range(operand.ndim) if k not in gone))
    elif w.ndim != operand.ndim:
        raise ShapeError(
            f"average: weights with {w.ndim} axes for a tensor with {operand.ndim}; as many are "
            "wanted, or a vector along one axis"
        )
    whole = w + full_like(operand, 0)
    total = sum(whole, gone, keepdims=keepdims)
    found = sum(operand * w, gone, keepdims=keepdims) / total
    return (found, total) if returned else found


def _number(name: str, value: Any) -> Any:
    """A number that NumPy subtracts from those of entries."""
    if not isinstance(value, Real) or not isfinite(value):
        raise UnsupportedOperation(f"numpy.var: {name} is a number, not {shown(value)}")
    return value


def var(
    a: Any,
    axis: Axis = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    where: Any = None,
    mean: Any = None,
    correction: float = 0,
) -> Expression:
    """`numpy.var`."""
    operand = _masked(as_expression(a), where, 0)
    less = _number("ddof", ddof) or _number("correction", correction)
    count = count_where(operand, axis, where, keepdims=keepdims)
    center = (
        _mean(operand, axis, keepdims=True, where=where) if mean is None else as_expression(mean)
    )
    squares = sum(square(operand - center), axis, keepdims=keepdims, where=where)
    return squares / (count - less if less else count)


_mean = mean


def std(a: Any, axis: Axis = None, **options: Any) -> Expression:
    """`numpy.std`."""
    return sqrt(var(a, axis, **options))


# Products ----------------------------------------------------------------------------------


def einsum(
    spec: Any,
    *operands: Any,
    optimize: object = None,
    order: object = "K",
    casting: object = "safe",
) -> Expression:
    """`numpy.einsum`; how the product is computed is found out, whatever options say."""
    if not isinstance(spec, str):
        spec, *others = _with_text(spec, *operands)
        return language.einsum(spec, *map(as_expression, others))
    return language.einsum(spec, *map(as_expression, operands))


# The letters by which NumPy calls the axes that are numbered in lists.
_LETTERS: Final = ascii_uppercase + ascii_lowercase


def _with_text(*given: Any) -> tuple[Any, ...]:
    """The arguments of an einsum whose axes are numbered in lists, the first of them a text.

    >>> _with_text(2, [0, 1], 3, [1, ...], [0])
    ('AB,B...->A', 2, 3)
    """
    parts = ",".join(_text(numbers) for numbers in given[1::2])
    output = f"->{_text(given[-1])}" if len(given) % 2 else ""
    return (parts + output, *given[: len(given) // 2 * 2 : 2])


def _text(numbers: Any) -> str:
    if isinstance(numbers, Expression | str) or not isinstance(numbers, Iterable):
        raise UnsupportedOperation(
            "einsum: the first argument is a text such as 'ij,j->i', or every operand is followed "
            f"by a list of numbers for its axes, not {shown(numbers)}"
        )
    last = len(_LETTERS) - 1
    return "".join(
        "..." if k is Ellipsis else _LETTERS[checked_count("einsum", "an axis", k, 0, last)]
        for k in numbers
    )


def dot(a: Any, b: Any) -> Expression:
    """`numpy.dot`."""
    left, right = as_expression(a), as_expression(b)
    if not left.ndim or not right.ndim:
        return multiply(left, right)
    return tensordot(left, right, ([left.ndim - 1], [max(0, right.ndim - 2)]))


def inner(a: Any, b: Any) -> Expression:
    """`numpy.inner`."""
    left, right = as_expression(a), as_expression(b)
    if not left.ndim or not right.ndim:
        return multiply(left, right)
    return tensordot(left, right, ([left.ndim - 1], [right.ndim - 1]))


def vdot(a: Any, b: Any) -> Expression:
    """`numpy.vdot`; arrays of several axes are read as vectors."""
    left, right = as_expression(a), as_expression(b)
    if left.ndim != right.ndim:
        left, right = in_a_row(left), in_a_row(right)
    return tensordot(left, right, left.ndim)


def outer(a: Any, b: Any) -> Expression:
    """`numpy.outer`; arrays of several axes are read as vectors."""
    return tensordot(in_a_row(a), in_a_row(b), 0)


def tensordot(
    a: Any, b: Any, axes: int | tuple[int | Sequence[int], int | Sequence[int]] = 2
) -> Expression:
    """`numpy.tensordot`."""
    left, right = as_expression(a), as_expression(b)
    if not isinstance(axes, tuple | list | np.ndarray):
        count = checked_integer("tensordot", "axes", axes)
        if not 0 <= count <= min(left.ndim, right.ndim):
            raise ShapeError(f"tensordot: {count} axes are summed, the arguments have fewer")
        axes = (range(left.ndim - count, left.ndim), range(count))
    places = cast(Sequence[Any], axes)
    if len(places) != 2:
        raise ShapeError("tensordot: axes are a number, or those of the left and of the right")
    gone = [
        wanted_axes("tensordot", summed, f.ndim)
        for summed, f in zip(places, (left, right), strict=True)
    ]
    if len(gone[0]) != len(gone[1]):
        raise ShapeError("tensordot: each argument sums as many axes as the other")
    letters = [[f"{side}{k}" for k in range(f.ndim)] for side, f in (("a", left), ("b", right))]
    for k, m in zip(*gone, strict=True):
        letters[1][m] = letters[0][k]
    out = [i for k, i in enumerate(letters[0]) if k not in gone[0]]
    out += [i for k, i in enumerate(letters[1]) if k not in gone[1]]
    pairs = [(left.shape[k], right.shape[m]) for k, m in zip(*gone, strict=True)]
    spec = specs.canonical(letters, out)
    return combine("tensordot", [left, right], pairs, lambda p, q: terms.einsum(spec, p, q))


# Axes --------------------------------------------------------------------------------------


def transpose(a: Any, axes: Sequence[int] | None = None) -> Expression:
    """`numpy.transpose`."""
    operand = as_expression(a)
    order = (
        range(operand.ndim)[::-1]
        if axes is None
        else ax.normalized("transpose", axes, operand.ndim)
    )
    if len(order) != operand.ndim:
        raise ShapeError(f"transpose: {operand.ndim} axes need as many places, not {len(order)}")
    return ax.permuted(operand, order)


def matrix_transpose(x: Any) -> Expression:
    """`numpy.matrix_transpose`."""
    return swapaxes(x, -1, -2)


def swapaxes(a: Any, axis1: int, axis2: int) -> Expression:
    """`numpy.swapaxes`."""
    operand = as_expression(a)
    first, second = (one_axis("swapaxes", k, operand) for k in (axis1, axis2))
    order = list(range(operand.ndim))
    order[first], order[second] = second, first
    return ax.permuted(operand, order)


def moveaxis(a: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Expression:
    """`numpy.moveaxis`."""
    operand = as_expression(a)
    places = [ax.normalized("moveaxis", k, operand.ndim) for k in (source, destination)]
    if len(places[0]) != len(places[1]):
        raise ShapeError("moveaxis: there are as many destinations as sources")
    return ax.moved(operand, *places)


def reshape(a: Any, /, shape: Any, order: str = "C", *, copy: Any = None) -> Expression | Merged:
    """`numpy.reshape`; axes are split where their sizes are integers."""
    operand = as_expression(a)
    checked_word("reshape", "order", order, ("C", "F", "A", "K"))
    if order == "F":
        wanted = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
        return reshaped(operand.T, wanted[::-1]).T
    return reshaped(operand, shape)


def ravel(a: Any, order: str = "C") -> Expression | Merged:
    """`numpy.ravel`."""
    operand = as_expression(a)
    return operand if operand.ndim == 1 else reshape(operand, -1, order)


def in_a_row(a: Any) -> Expression:
    """All entries along one axis, for functions of a vector that others are made.

    >>> in_a_row(language.variable("A", (2, 3))).shape
    (6,)
    """
    found = ravel(a)
    if isinstance(found, Merged):
        raise UnsupportedOperation(
            f"of axes ({', '.join(map(str, as_expression(a).shape))}) only axes whose sizes are "
            "integers are merged here"
        )
    return found


def expand_dims(a: Any, axis: int | Sequence[int]) -> Expression:
    """`numpy.expand_dims`."""
    operand = as_expression(a)
    new = len(axis) if isinstance(axis, tuple | list) else 1
    return ax.expanded(operand, ax.normalized("expand_dims", axis, operand.ndim + new))


def squeeze(a: Any, axis: Axis = None) -> Expression:
    """`numpy.squeeze`; without an axis all whose size is known to be 1."""
    operand = as_expression(a)
    ones = [k for k, d in enumerate(operand.shape) if d == 1]
    return ax.squeezed(
        operand, ones if axis is None else ax.normalized("squeeze", axis, operand.ndim)
    )


def broadcast_to(array: Any, shape: Any) -> Expression:
    """`numpy.broadcast_to`; a size may be a symbol."""
    return ax.broadcast(as_expression(array), sizes("broadcast_to", shape))


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None) -> Expression:
    """`numpy.full_like`."""
    if dtype is not None:
        check_dtype("numpy.full_like", dtype)
    model = as_expression(a)
    wanted = model.shape if shape is None else sizes("full_like", shape)
    filled = ax.broadcast(as_expression(fill_value), wanted)
    candidates = (*model.variables, *filled.scope)
    return expression(filled.term, candidates, filled.term_complete, filled.thinnings)


def clip(
    a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None
) -> Expression:
    """`numpy.clip`."""
    operand, a_min, a_max = (
        as_expression(a),
        min if a_min is None else a_min,
        max if a_max is None else a_max,
    )
    above = operand if a_min is None else maximum(operand, a_min)
    return above if a_max is None else minimum(above, a_max)


def one_axis(what: str, axis: Any, f: Expression) -> int:
    """One axis; none stands for the only one of a vector."""
    if axis is None and f.ndim != 1:
        raise UnsupportedOperation(f"{what}: give an axis; numpy.ravel makes a vector")
    place = 0 if axis is None else checked_integer(what, "axis", axis)
    return ax.normalized(what, place, f.ndim)[0]


def lined_up(what: str, a: Any, axis: int | None) -> tuple[Expression, int]:
    """An expression and one of its axes; without an axis all entries in a row.

    >>> lined_up("cumsum", language.variable("A", (2, 3)), None)[0].shape
    (6,)
    """
    operand = in_a_row(a) if axis is None else as_expression(a)
    return operand, one_axis(what, axis, operand)


def sizes(what: str, shape: Any) -> tuple[Size, ...]:
    """The sizes that somebody wants; one alone need be in no tuple.

    >>> sizes("broadcast_to", (np.int64(2), "n"))
    (2, 'n')
    """
    several: Any = shape if isinstance(shape, tuple | list | np.ndarray) else (shape,)
    if isinstance(several, np.ndarray) and several.ndim != 1:
        several = (several,)
    wanted = [int(d) if isinstance(d, np.integer) else d for d in several]
    for d in wanted:
        if isinstance(d, bool) or not isinstance(d, int | str):
            raise ShapeError(f"{what}: a size is an integer or a symbol, not {shown(d)}")
    return tuple(wanted)


# The most places of an axis that are listed one by one.
MOST_PLACES: Final = 10**6


def listed_size(what: str, f: Expression, axis: int) -> int:
    """The size of an axis whose places are listed one by one."""
    size = integer_size(what, f, axis)
    return checked_count(what, "the length of the axis", size, 0, MOST_PLACES)


def integer_size(what: str, f: Expression, axis: int) -> int:
    """The size of an axis, where it is a number."""
    size = f.shape[axis]
    if not isinstance(size, int):
        raise UnsupportedOperation(
            f"{what}: axis {axis} has size {size}, and the result a size that depends on it; give "
            "the size as an integer"
        )
    return size


def size_sum(*sizes: Size) -> Size:
    """The sum of sizes.

    >>> size_sum("m", "n", -1)
    'm + n - 1'
    """
    return as_size(form(term for size in sizes for term in size_form(size)))


def shifted(*shift: Size) -> AffineForm:
    """The place of an index when all are moved."""
    return form([(0, 1), *(term for size in shift for term in size_form(size))])


# Along one axis ----------------------------------------------------------------------------


def cumsum(a: Any, axis: int | None = None) -> Expression:
    """`numpy.cumsum` along an axis."""
    operand, k = lined_up("cumsum", a, axis)
    out = [operand.ndim if i == k else i for i in range(operand.ndim)]
    up_to = (">=", form([(operand.ndim, 1), (k, -1)]))
    return selected("cumsum", operand, (operand.shape[k],), [up_to], out)


def flip(m: Any, axis: Any = None) -> Expression:
    """`numpy.flip`."""
    operand = as_expression(m)
    gone = range(operand.ndim) if axis is None else ax.normalized("flip", axis, operand.ndim)
    return operand[tuple(slice(None, None, -1 if k in gone else 1) for k in range(operand.ndim))]


def roll(a: Any, shift: Any, axis: Any = None) -> Expression:
    """`numpy.roll`; an axis whose size is a symbol has at least as many entries."""
    operand = as_expression(a)
    shifts = [checked_integer("roll", "shift", k) for k in np.ravel(shift)]
    if axis is None:
        rolled = _rolled(in_a_row(operand), builtins.sum(shifts), 0)
        return ax.reshaped(rolled, operand.shape)
    axes = [one_axis("roll", k, operand) for k in np.ravel(axis)]
    if 1 not in (len(shifts), len(axes)) and len(shifts) != len(axes):
        raise ShapeError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for by, k in np.broadcast(shifts, axes):
        operand = _rolled(operand, int(by), int(k))
    return operand


def _rolled(f: Expression, by: int, axis: int) -> Expression:
    size = f.shape[axis]
    if isinstance(size, int):
        by = by % size if size else 0
    if not by:
        return f
    return concatenate([f[along(axis, slice(-by, None))], f[along(axis, slice(-by))]], axis)


def _centred(name: str, sign: int) -> Callable[..., Expression]:
    """`numpy.fft.fftshift`, or its inverse: a roll by half of an axis, the odd entry left out."""

    def shift(x: Any, axes: Any = None) -> Expression:
        operand = as_expression(x)
        over = range(operand.ndim) if axes is None else axes
        for k in ax.normalized(name, over, operand.ndim):
            operand = _rolled(operand, sign * (integer_size(name, operand, k) // 2), k)
        return operand

    return shift


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Expression:
    """`numpy.diff` along an axis."""
    result = as_expression(a)
    k = one_axis("diff", axis, result)
    n = checked_integer("diff", "n", n)
    if n < 0:
        raise ShapeError(f"diff: differences are taken {n} times, which is negative")
    if n > MOST_DIFFERENCES:
        raise UnsupportedOperation(f"diff: differences are taken {MOST_DIFFERENCES} times at most")
    ends = [None if e is None else _slab(as_expression(e), result, k) for e in (prepend, append)]
    if any(e is not None for e in ends):
        result = concatenate([e for e in (ends[0], result, ends[1]) if e is not None], k)
    for _ in range(n):
        result = result[along(k, slice(1, None))] - result[along(k, slice(-1))]
    return result


def _slab(end: Expression, f: Expression, axis: int) -> Expression:
    """A scalar as what is one entry long along an axis."""
    if end.ndim:
        return end
    return full_like(f[along(axis, slice(0, 1))], end)


def prod(
    a: Any, axis: Axis = None, *, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Expression:
    """`numpy.prod` over axes of integer sizes."""
    operand = _masked(as_expression(a), where, 1)
    gone = wanted_axes("prod", axis, operand.ndim)
    lengths = [integer_size("prod", operand, k) for k in gone]
    if number_of(lengths) > _MOST_FACTORS:
        result = operand
        for k in sorted(gone, reverse=True):
            result = combined(multiply, result, k)
    else:
        result = language.constant(
            1, tuple(d for k, d in enumerate(operand.shape) if k not in gone)
        )
        for count, place in enumerate(np.ndindex(*lengths)):
            chosen = dict(zip(gone, place, strict=True))
            part = operand[tuple(chosen.get(k, slice(None)) for k in range(operand.ndim))]
            result = multiply(result, part) if count else part
    result = ax.expanded(result, gone) if keepdims else result
    return result if initial is None else multiply(initial, result)


def combined(operation: Callable[[Any, Any], Expression], f: Expression, axis: int) -> Expression:
    """What an associative operation makes of the entries along an axis: of halves, again and again.

    >>> combined(multiply, language.variable("x", (100,)), 0).shape
    ()
    """
    left = integer_size("reduce", f, axis)
    rest: list[Expression] = []
    while left > 1:
        half = left // 2
        if left % 2:
            rest.append(f[along(axis, -1)])
        f = operation(f[along(axis, slice(half))], f[along(axis, slice(half, 2 * half))])
        left = half
    return reduce(operation, [f[along(axis, 0)], *reversed(rest)])


# Triangles and diagonals -------------------------------------------------------------------


def tril(m: Any, k: int = 0) -> Expression:
    """`numpy.tril` of a matrix, or of a stack of matrices."""
    return _triangle("tril", m, k, 1)


def triu(m: Any, k: int = 0) -> Expression:
    """`numpy.triu` of a matrix, or of a stack of matrices."""
    return _triangle("triu", m, k, -1)


def _triangle(what: str, m: Any, k: int, sign: int) -> Expression:
    """The entries on a diagonal and to one side of it: with the sign 1 below it, with -1 above."""
    matrix = as_expression(m)
    if matrix.ndim < 2:
        raise ShapeError(f"{what}: a matrix has two axes, the argument {matrix.ndim}")
    rows, columns, offset = matrix.ndim - 2, matrix.ndim - 1, checked_integer(what, "k", k)
    beside = form([(rows, sign), (columns, -sign), ("", sign * offset)])
    return selected(what, matrix, (), [(">=", beside)], range(matrix.ndim))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expression:
    """`numpy.trace`."""
    operand, offset = as_expression(a), checked_integer("trace", "offset", offset)
    if not offset:
        return language.sum(diagonal(operand, 0, axis1, axis2), axis=-1)
    first, second = ax.normalized("trace", (axis1, axis2), operand.ndim)
    along = ("=", form([(second, 1), (first, -1), ("", -offset)]))
    out = [k for k in range(operand.ndim) if k not in (first, second)]
    return selected("trace", operand, (), [along], out)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Expression:
    """`numpy.diagonal`; one beside the main diagonal needs a square matrix or integer sizes."""
    operand, offset = as_expression(a), checked_integer("diagonal", "offset", offset)
    first, second = ax.normalized("diagonal", (axis1, axis2), operand.ndim)
    sizes = {operand.shape[first], operand.shape[second]}
    if not offset and (len(sizes) == 1 or not all(isinstance(d, int) for d in sizes)):
        return ax.diagonal(operand, first, second)
    down, right = max(-offset, 0), max(offset, 0)
    size = size_sum(operand.shape[first], -abs(offset))
    if operand.shape[first] != operand.shape[second] or isinstance(size, int):
        rows, columns = (integer_size("diagonal", operand, k) for k in (first, second))
        size = max(0, min(rows - down, columns - right))
    new = operand.ndim
    constraints = [
        ("=", form([(k, 1), (new, -1), ("", -start)]))
        for k, start in ((first, down), (second, right))
    ]
    out = [*(k for k in range(operand.ndim) if k not in (first, second)), new]
    return selected("diagonal", operand, (size,), constraints, out)


def diag(v: Any, k: int = 0) -> Expression:
    """`numpy.diag`."""
    operand, k = as_expression(v), checked_integer("diag", "k", k)
    if operand.ndim not in (1, 2):
        raise ShapeError(f"diag: of a vector or a matrix, the argument has {operand.ndim} axes")
    if operand.ndim == 2:
        return diagonal(operand, k)
    if not k:
        return ax.diagonal_matrix(operand)
    size = size_sum(operand.shape[0], abs(k))
    constraints = [
        ("=", form([(axis, 1), (0, -1), ("", -start)]))
        for axis, start in ((1, max(-k, 0)), (2, max(k, 0)))
    ]
    return selected("diag", operand, (size, size), constraints, (1, 2))


# Joining and splitting --------------------------------------------------------------------


def concatenate(arrays: Any, axis: int | None = 0) -> Expression:
    """`numpy.concatenate` along an axis."""
    if axis is None:
        arrays, axis = [in_a_row(as_expression(a)) for a in arrays], 0
    parts = _parts("concatenate", arrays)
    if not parts[0].ndim:
        raise ShapeError("concatenate: scalars have no axis; numpy.stack joins them")
    k = ax.normalized("concatenate", axis, parts[0].ndim)[0]
    return beside("concatenate", parts, k, parts[0].ndim)


def stack(arrays: Any, axis: int = 0) -> Expression:
    """`numpy.stack` of expressions and numbers of one shape."""
    parts = _parts("stack", arrays)
    order = parts[0].ndim + 1
    return beside("stack", parts, ax.normalized("stack", axis, order)[0], order)


def vstack(tup: Any) -> Expression:
    """`numpy.vstack`."""
    parts = _vectors("vstack", tup)
    return beside("vstack", parts, 0, max(2, parts[0].ndim))


def hstack(tup: Any) -> Expression:
    """`numpy.hstack`."""
    parts = _parts("hstack", tup, least=1)
    order = max(1, parts[0].ndim)
    return beside("hstack", parts, min(1, order - 1), order)


def column_stack(tup: Any) -> Expression:
    """`numpy.column_stack`."""
    parts = _vectors("column_stack", tup)
    return beside("column_stack", parts, 1, max(2, parts[0].ndim))


def beside(what: str, parts: Sequence[Expression], axis: int, order: int) -> Expression:
    """Parts beside each other along an axis; one that lacks it is a single entry there.

    Raises `ShapeError` where the other axes differ.

    >>> x = language.variable("x", (3,))
    >>> beside("an example", [x, language.constant(1)], 0, 1).shape
    (4,)
    """
    check_alike(what, parts, axis, order)
    lengths = [p.shape[axis] if p.ndim == order else 1 for p in parts]
    total, found = size_sum(*lengths), list[Expression]()
    # No axis of length 1 is made: each would be another form of everything that has it.
    out = [order - 1 if k == axis else k - (k > axis) for k in range(order)]
    for number, part in enumerate(parts):
        place = shifted(*lengths[:number])
        if part.ndim == order:
            found.append(placed(what, part, axis, total, [place]))
        else:
            here = form([(order - 1, 1), *times(-1, substituted(place, 0, ()))])
            found.append(selected(what, part, (total,), [("=", here)], out))
    return reduce(add, found)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Expression]:
    """`numpy.split` at some places, or of an axis whose size is an integer into equal parts."""
    operand = as_expression(ary)
    k = one_axis("split", axis, operand)
    ends: list[int | None]
    if not isinstance(indices_or_sections, list | tuple | np.ndarray) or (
        isinstance(indices_or_sections, np.ndarray) and not indices_or_sections.ndim
    ):
        size, count = (
            integer_size("split", operand, k),
            checked_integer("split", "a place or the number of parts", indices_or_sections),
        )
        if count < 1 or size % count:
            raise ShapeError(f"split: {size} entries do not make {count} equal parts")
        ends = list(range(size // count, size, size // count)) if size else [0] * (count - 1)
    else:
        ends = [
            checked_integer("split", "a place or the number of parts", i)
            for i in indices_or_sections
        ]
    bounds = zip([0, *ends], [*ends, None], strict=True)
    return [operand[along(k, slice(a, b))] for a, b in bounds]


def _vectors(what: str, arrays: Any) -> list[Expression]:
    return [p if p.ndim else ax.expanded(p, [0]) for p in _parts(what, arrays, least=2)]


def _parts(what: str, arrays: Any, least: int = 0) -> list[Expression]:
    """Expressions of equally many axes, where fewer than `least` count as that many."""
    parts = [as_expression(a) for a in arrays]
    if not parts:
        raise ShapeError(f"{what}: there is nothing to join")
    first = parts[0]
    for part in parts:
        if max(part.ndim, least) != max(first.ndim, least):
            raise ShapeError(
                f"{what}: the shapes {first.shape} and {part.shape} do not fit: "
                "they have different numbers of axes"
            )
    return parts


def check_alike(
    what: str, parts: Sequence[Expression], axis: int | None = None, order: int | None = None
) -> None:
    """Raise where shapes differ, but for one axis; sizes that fit are made equal later.

    Of parts with fewer axes than `order`, where it is given, the axis is missing.
    """
    shapes = [
        tuple(d for k, d in enumerate(p.shape) if k != axis or p.ndim != (order or p.ndim))
        for p in parts
    ]
    first = shapes[0]
    for part, shape in zip(parts, shapes, strict=True):
        sizes = list(zip(shape, first, strict=False))
        clash = any(p != q and (1 in (p, q) or type(p) is type(q) is int) for p, q in sizes)
        if clash or len(shape) != len(first):
            but = "" if axis is None else f"; but for axis {axis} they have to be equal"
            raise ShapeError(
                f"{what}: the shapes {parts[0].shape} and {part.shape} do not fit{but}"
            )
    unified(parts, [pair for shape in shapes for pair in zip(first, shape, strict=True)], what)


# Convolution -------------------------------------------------------------------------------


def convolve(a: Any, v: Any, mode: str = "full") -> Expression:
    """`numpy.convolve` of vectors; of sizes that are symbols the first is the longer one."""
    first, second = (
        vector if vector.ndim else ax.expanded(vector, [0]) for vector in map(as_expression, (a, v))
    )
    return _summed_pairs("convolve", first, second, mode)


def correlate(a: Any, v: Any, mode: str = "valid") -> Expression:
    """`numpy.correlate` of vectors, the first as long as the second or longer."""
    return _summed_pairs("correlate", as_expression(a), as_expression(v), mode)


def _summed_pairs(what: str, a: Expression, v: Expression, mode: str) -> Expression:
    """Products of entries, summed where the sum or the difference of their indices is the same."""
    if a.ndim != 1 or v.ndim != 1:
        raise ShapeError(f"{what}: both arguments are vectors")
    m, n = a.shape[0], v.shape[0]
    if isinstance(m, int) and isinstance(n, int):
        if min(m, n) < 1 or (what == "correlate" and m < n):
            raise ShapeError(f"{what}: of {m} and {n} entries; the first is the longer one")
        m, n = max(m, n), min(m, n)
    # Where the result begins among all sums, and its length.
    known = {
        "full": (0, size_sum(m, n, -1)),
        "same": ((n - 1) // 2 if isinstance(n, int) else None, m),
        "valid": (
            size_sum(n, -1),
            as_size(form([*size_form(m), *times(-1, size_form(n)), ("", 1)])),
        ),
    }
    if mode not in known:
        raise UnsupportedOperation(
            f"{what}: the mode is one of {', '.join(known)}, not {shown(mode)}"
        )
    start, size = known[mode]
    if start is None:
        start = integer_size(what, v, 0)
    last = 0 if what == "convolve" else size_sum(v.shape[0], -1)
    sign = -1 if what == "convolve" else 1
    pairs = language.einsum("i,j->ij", a, v)
    offset = plus(size_form(start), times(-1, size_form(last)))
    met = ("=", form([(2, 1), (0, -1), (1, sign), *offset]))
    return selected(what, pairs, (size,), [met], (2,))


implements(
    functions=by_name(
        sum, mean, average, var, std, prod, cumsum, diff, einsum, dot, inner, vdot, outer
    )
    | by_name(tensordot, kron, tril, triu, trace, diagonal, diag, transpose, matrix_transpose)
    | by_name(swapaxes, moveaxis, reshape, ravel, expand_dims, squeeze, broadcast_to, flip, roll)
    | by_name(clip, where, full_like, concatenate, stack, vstack, hstack, column_stack, split)
    | by_name(convolve, correlate)
    | {
        **{np.max: amax, np.min: amin, np.amax: amax, np.amin: amin},
        np.ptp: lambda a, axis=None, *, keepdims=False: (
            amax(a, axis, keepdims=keepdims) - amin(a, axis, keepdims=keepdims)
        ),
        np.zeros_like: lambda a, dtype=None, shape=None: full_like(a, 0, dtype, shape),
        np.ones_like: lambda a, dtype=None, shape=None: full_like(a, 1, dtype, shape),
        np.fft.fftshift: _centred("fftshift", 1),
        np.fft.ifftshift: _centred("ifftshift", -1),
        np.shape: lambda a: a.shape,
        np.ndim: lambda a: a.ndim,
        np.fliplr: lambda m: flip(m, 1),
        np.flipud: lambda m: flip(m, 0),
    }
)
