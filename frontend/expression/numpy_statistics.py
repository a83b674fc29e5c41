"""NumPy's functions of data: without what is not a number, covariances, integrals, polynomials."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Final, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.texts import shown
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression import numpy_functions as whole
from eggrad.frontend.expression import special
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    add,
    as_expression,
    divide,
    equal,
    greater,
    greater_equal,
    matmul,
    multiply,
    power,
    where,
)
from eggrad.frontend.expression.functions import maximum, minimum
from eggrad.frontend.expression.numpy_arrays import atleast_1d, fixed, gathered, literal
from eggrad.frontend.expression.numpy_functions import (
    MOST_DIFFERENCES,
    Axis,
    concatenate,
    convolve,
    cumsum,
    diff,
    full_like,
    in_a_row,
    integer_size,
    listed_size,
    moveaxis,
    one_axis,
    stack,
)
from eggrad.frontend.expression.numpy_protocols import by_name, implements
from eggrad.frontend.expression.numpy_reductions import all, any, cumprod
from eggrad.frontend.expression.numpy_ufuncs import isnan, less, less_equal, sqrt
from eggrad.frontend.text.doors import checked_count, checked_flag, checked_integer

_LARGEST: Final = float(np.finfo(float).max)
_MOST_KNOTS: Final = 1000


# Without what is not a number ---------------------------------------------------------------


def _without(a: Any, other: Any) -> Expression:
    return where(_numbers(a), a, other)


def _numbers(a: Any, mask: Any = None) -> Condition:
    """Where entries are numbers, and a mask holds."""
    found = equal(a, a)
    return found if mask is None else found & mask


def _of_numbers(statistic: Callable[..., Expression]) -> Callable[..., Expression]:
    """A statistic of the entries that are numbers; where none is, the result is none."""

    def function(a: Any, axis: Axis = None, *, where: Any = None, **options: Any) -> Expression:
        mask = _numbers(a, where)
        return _known(mask, axis, options, statistic(a, axis, where=mask, **options))

    return function


nanvar = _of_numbers(whole.var)


def _nan_extreme(function: Callable[..., Expression], worst: float) -> Callable[..., Expression]:
    def extreme(a: Any, axis: Axis = None, **options: Any) -> Expression:
        found = function(_without(a, worst), axis, **options)
        if options.get("initial") is not None:
            return found
        return _known(_numbers(a), axis, options, found)

    return extreme


def _known(
    mask: Condition, axis: Axis, options: Mapping[str, Any], found: Expression
) -> Expression:
    """A result, and what is not a number where a mask holds nowhere."""
    some = any(mask, axis, keepdims=options.get("keepdims", False))
    return where(some, found, fixed([np.nan])[0])


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Expression:
    """`numpy.nan_to_num`."""
    operand = as_expression(x)
    above, below = _LARGEST if posinf is None else posinf, -_LARGEST if neginf is None else neginf
    finite = where(
        greater(operand, _LARGEST), above, where(less(operand, -_LARGEST), below, operand)
    )
    return where(isnan(operand), nan, finite)


# Covariances ------------------------------------------------------------------------------


def cov(  # noqa: PLR0917 - NumPy's arguments
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
) -> Expression:
    """`numpy.cov`."""
    rows = [_variables(a, rowvar) for a in (m, y) if a is not None]
    data = rows[0] if len(rows) == 1 else concatenate(rows)
    less_than = (0 if bias else 1) if ddof is None else ddof
    weights = [as_expression(w) for w in (fweights, aweights) if w is not None]
    if not weights:
        count = ax.size_of(data, [1])
        centered = data - whole.mean(data, 1, keepdims=True)
        found = matmul(centered, centered.T) / (count - less_than if less_than else count)
    else:
        weight = reduce(multiply, weights)
        total = whole.sum(weight)
        centered = data - (matmul(data, weight) / total)[:, None]
        lost: Any = less_than
        if aweights is not None and less_than:
            lost = less_than * whole.sum(weight * aweights) / total
        found = matmul(centered * weight, centered.T) / (total - lost)
    return ax.squeezed(found, [k for k, d in enumerate(found.shape) if d == 1])


def _variables(a: Any, rowvar: bool) -> Expression:
    """A matrix with a row for each variable."""
    data = as_expression(a)
    if data.ndim > 2:
        raise ShapeError(f"cov: of a vector or a matrix, the argument has {data.ndim} axes")
    if data.ndim < 2:
        return ax.expanded(data, [0] if data.ndim else [0, 1])
    return data if rowvar else data.T


def corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Expression:
    """`numpy.corrcoef`."""
    found = cov(x, y, rowvar)
    if not found.ndim:
        return divide(found, found)
    spread = sqrt(whole.diagonal(found))
    return found / spread[:, None] / spread[None, :]


# Differences and integrals ----------------------------------------------------------------


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """`numpy.gradient`: central differences, and those to one side at the ends."""
    samples = as_expression(f)
    axes = range(samples.ndim) if axis is None else ax.normalized("gradient", axis, samples.ndim)
    spacings = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1] * len(axes)
    if len(spacings) != len(axes):
        raise ShapeError(f"gradient: {len(spacings)} spacings for {len(axes)} axes")
    checked_count("gradient", "edge_order", edge_order, 1, 2)
    found = [
        moveaxis(_gradient(moveaxis(samples, k, -1), h, edge_order), -1, k)
        for k, h in zip(axes, spacings, strict=True)
    ]
    single = axis is not None and hasattr(axis, "__index__")
    return found[0] if single or len(found) == 1 else tuple(found)


def _gradient(samples: Expression, spacing: Any, edge_order: int) -> Expression:
    """Along the last axis."""
    size = samples.shape[-1]
    if isinstance(size, int) and size < edge_order + 1:
        raise ShapeError(f"gradient: {edge_order + 1} entries are wanted, there are {size}")
    h = as_expression(spacing)
    if h.ndim > 1:
        raise ShapeError("gradient: a spacing is a number, or a vector of places")
    # Of equal steps the width is a scalar, of others there is one between neighbours.
    steps = diff(h) if h.ndim else None
    left, right = (h, h) if steps is None else (steps[:-1], steps[1:])
    before, here, after = samples[..., :-2], samples[..., 1:-1], samples[..., 2:]
    if steps is None:
        inner = (after - before) / (2 * h)
    else:
        inner = (left / right * (after - here) + right / left * (here - before)) / (left + right)
    ends: list[Expression] = []
    for places, sign in (((0, 1, 2), 1), ((-1, -2, -3), -1)):
        a, b = samples[..., places[0]], samples[..., places[1]]
        first = h if steps is None else steps[0 if sign > 0 else -1]
        if edge_order == 1:
            end = sign * (b - a) / first
        else:
            c, second = (
                samples[..., places[2]],
                h if steps is None else steps[1 if sign > 0 else -2],
            )
            end = (
                sign
                * ((b - a) / first * (first + second) - (c - a) / (first + second) * first)
                / second
            )
        ends.append(end[..., None])
    return concatenate([ends[0], inner, ends[1]], samples.ndim - 1)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Expression:
    """`numpy.trapezoid`."""
    samples = as_expression(y)
    k = one_axis("trapezoid", axis, samples)
    heights = samples[ax.along(k, slice(1, None))] + samples[ax.along(k, slice(-1))]
    if x is None:
        return whole.sum(heights, k) * dx / 2
    places = as_expression(x)
    steps = diff(places, axis=0 if places.ndim == 1 else k)
    if places.ndim == 1:
        steps = ax.expanded(steps, range(1, samples.ndim - k))
    return whole.sum(heights * steps, k) / 2


def interp(  # noqa: PLR0917 - NumPy's arguments
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Expression:
    """`numpy.interp`: the places `xp` increase, and their number is an integer."""
    points, values = as_expression(x), as_expression(fp)
    if not isinstance(xp, Expression) and period is None:
        known = literal("interp", xp)
        if known.ndim == 1 and (np.diff(known) <= 0).any():
            raise UnsupportedOperation("interp: the places xp increase")
    places = as_expression(xp)
    if period is not None:
        points, places, values = _periodic(
            points, literal("interp, with period: xp", xp), values, period
        )
        left = right = None
    if places.ndim != 1 or values.ndim != 1:
        raise ShapeError("interp: xp and fp are vectors")
    size = integer_size("interp", places, 0)
    if values.shape[0] != size or not 0 < size <= _MOST_KNOTS:
        raise ShapeError(
            f"interp: {values.shape[0]} values at {size} places; as many are wanted, from 1 to "
            f"{_MOST_KNOTS}"
        )
    # What of each interval is below a place, times the slope there.
    query = points[..., None]
    inside = minimum(maximum(query, places[:-1]), places[1:]) - places[:-1]
    slopes = diff(values) / diff(places)
    found = values[0] + whole.sum(inside * slopes, -1)
    if left is not None:
        found = where(less(points, places[0]), left, found)
    return found if right is None else where(greater(points, places[-1]), right, found)


def _periodic(
    points: Expression, xp: Any, values: Expression, period: Any
) -> tuple[Expression, Expression, Expression]:
    """Places within one period, and the last one before and the first one after them."""
    length = abs(float(literal("interp: period", period)))
    if not length:
        raise ShapeError("interp: the period is not 0")
    wrapped = np.asarray(xp, float) % length
    order = np.argsort(wrapped)
    places = wrapped[order]
    around = np.concatenate([places[-1:] - length, places, places[:1] + length])
    which = [int(order[-1]), *order.tolist(), int(order[0])]
    return language.mod(points, as_expression(length)), fixed(around), gathered(values, 0, which)


def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: float = 2 * np.pi) -> Expression:
    """`numpy.unwrap`: what is added to jumps has no derivative."""
    angles = as_expression(p)
    k = one_axis("unwrap", axis, angles)
    jumps, half = diff(angles, axis=k), as_expression(period / 2)
    wrapped = language.mod(jumps + half, as_expression(period)) - half
    wrapped = where(equal(wrapped, -half) & greater(jumps, 0), half, wrapped)
    # As many periods as the difference has, which are steps.
    turns = language.round((wrapped - jumps) / period) * period
    least = half if discont is None else discont
    corrected = where(less(language.abs(jumps), least), 0, turns)
    first = angles[ax.along(k, slice(0, 1))]
    return angles + concatenate([full_like(first, 0), cumsum(corrected, k)], k)


# Polynomials, coefficients of the highest power first ------------------------------------------


def polyval(p: Any, x: Any) -> Expression:
    """`numpy.polyval`, by Horner's scheme."""
    result = as_expression(x) * 0
    for coefficient in atleast_1d(p):
        result = result * x + coefficient
    return result


def _aligned(what: str, a1: Any, a2: Any, sign: int) -> Expression:
    parts = [atleast_1d(a) for a in (a1, a2)]
    if max(p.ndim for p in parts) > 1:
        raise ShapeError(f"{what}: coefficients are vectors")
    sizes = [integer_size(what, p, 0) for p in parts]
    first, second = (
        concatenate([np.zeros(max(sizes) - n), p]) if n < max(sizes) else p
        for n, p in zip(sizes, parts, strict=True)
    )
    return first + sign * second


def polyder(p: Any, m: int = 1) -> Expression:
    """`numpy.polyder`."""
    coefficients = in_a_row(p)
    for _ in range(checked_count("polyder", "m", m, 0, MOST_DIFFERENCES)):
        degree = listed_size("polyder", coefficients, 0) - 1
        coefficients = coefficients[:-1] * fixed(np.arange(degree, 0, -1))
    return coefficients


def polyint(p: Any, m: int = 1, k: Any = None) -> Expression:
    """`numpy.polyint`."""
    coefficients = in_a_row(p)
    constants = in_a_row(0 if k is None else k)
    m = checked_count("polyint", "m", m, 0, MOST_DIFFERENCES)
    constants = ax.broadcast(constants, (m,))
    for place in range(m):
        degree = listed_size("polyint", coefficients, 0)
        coefficients = concatenate(
            [coefficients / fixed(np.arange(degree, 0, -1)), constants[place][None]]
        )
    return coefficients


def poly(seq_of_zeros: Any) -> Expression:
    """`numpy.poly` of a vector of zeros."""
    zeros = as_expression(seq_of_zeros)
    if zeros.ndim != 1:
        raise UnsupportedOperation("poly: of a vector; that of a matrix is made of its eigenvalues")
    one = as_expression(np.ones(1))
    factors = [concatenate([one, -zero[None]]) for zero in _coefficients("poly", zeros)]
    return reduce(convolve, factors, one)


def polyfit(x: Any, y: Any, deg: int, *, w: Any = None) -> Expression:
    """`numpy.polyfit` at places that are known: coefficients are products with the values."""
    places, values = literal("polyfit: x", x), as_expression(y)
    if places.ndim != 1 or places.dtype.kind not in "biuf":
        raise UnsupportedOperation(f"polyfit: x is a list of numbers, not {shown(x)}")
    deg = checked_count("polyfit", "deg", deg, 0, len(places))
    scale = np.ones(len(places)) if w is None else np.asarray(literal("polyfit: w", w), float)
    powers = np.vander(places.astype(float), deg + 1)
    return matmul(fixed(np.linalg.pinv(powers * scale[:, None]) * scale), values)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Expression:  # noqa: N803
    """`numpy.vander`."""
    vector = as_expression(x)
    if vector.ndim != 1:
        raise ShapeError(f"vander: of a vector, the argument has {vector.ndim} axes")
    count = integer_size("vander", vector, 0) if N is None else checked_integer("vander", "N", N)
    columns = [full_like(vector, 1) if k == 0 else power(vector, k) for k in range(count)]
    if not columns:
        return full_like(vector, 0, shape=(*vector.shape, 0))
    return stack(columns if increasing else columns[::-1], 1)


def _coefficients(what: str, p: Any) -> Sequence[Expression]:
    coefficients = in_a_row(p)
    return [coefficients[k] for k in range(integer_size(what, coefficients, 0))]


# Products of vectors with two or three entries -----------------------------------------------


def cross(  # noqa: PLR0917 - NumPy's arguments
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Expression:
    """`numpy.cross`."""
    if axis is not None:
        axisa = axisb = axisc = axis
    left, right = (
        moveaxis(f, one_axis("cross", k, f), -1)
        for f, k in ((as_expression(a), axisa), (as_expression(b), axisb))
    )
    sizes = [f.shape[-1] for f in (left, right)]
    if not {2, 3}.issuperset(sizes):
        raise ShapeError(f"cross: vectors have 2 or 3 entries, not {sizes[0]} and {sizes[1]}")
    p, q = ([f[..., k] for k in range(cast(int, f.shape[-1]))] for f in (left, right))
    last = p[0] * q[1] - p[1] * q[0]
    if sizes == [2, 2]:
        return last
    zero = last * 0
    p, q = ([*f, zero][:3] for f in (p, q))
    entries = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], last]
    found = stack(entries, -1)
    return moveaxis(found, -1, axisc)


# Choices ----------------------------------------------------------------------------------


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Expression:
    """`numpy.select`: the first choice whose condition holds."""
    for name, argument in (("condlist", condlist), ("choicelist", choicelist)):
        if not isinstance(argument, list | tuple):
            raise UnsupportedOperation(f"select: {name} is a list, not {shown(argument)}")
    if len(condlist) != len(choicelist):
        raise ShapeError(f"select: {len(condlist)} conditions for {len(choicelist)} choices")
    found = as_expression(default)
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        found = where(condition, choice, found)
    return found


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Expression:
    """`numpy.piecewise`; each function is called with all entries, so it works entry by entry."""
    operand = as_expression(x)
    several = isinstance(condlist, list | tuple) or np.ndim(condlist) > operand.ndim
    conditions: list[Any] = list(condlist) if several else [condlist]
    if not isinstance(funclist, list | tuple):
        raise UnsupportedOperation(
            f"piecewise: funclist is a list of functions and values, not {shown(funclist)}"
        )
    extra = len(funclist) - len(conditions)
    if extra not in (0, 1):
        raise ShapeError(f"piecewise: {len(funclist)} functions for {len(conditions)} conditions")
    pieces = [f(operand, *args, **kw) if callable(f) else f for f in funclist]
    found = (
        full_like(operand, 0) if not extra else as_expression(pieces[-1]) + full_like(operand, 0)
    )
    for condition, piece in zip(conditions, pieces, strict=False):
        found = where(
            np.asarray(condition) if isinstance(condition, list) else condition, piece, found
        )
    return found


def choose(a: Any, choices: Sequence[Any], mode: str = "raise") -> Expression:
    """`numpy.choose` by literal integers."""
    which = literal("choose", a)
    if which.dtype.kind not in "iu":
        raise UnsupportedOperation("choose: by an array of integers")
    count = len(choices)
    if mode == "wrap":
        which = which % count
    elif mode == "clip":
        which = np.clip(which, 0, count - 1)
    elif ((which < 0) | (which >= count)).any():
        raise ShapeError(f"choose: an entry is none of {count} choices")
    found = as_expression(choices[0])
    for k in range(1, count):
        found = where(which == k, choices[k], found)
    return found + fixed(np.zeros(which.shape)) if found.ndim < which.ndim else found


def searchsorted(a: Any, v: Any, side: str = "left") -> Expression:
    """`numpy.searchsorted`: how many places are below, which has no derivative."""
    values, places = as_expression(v), as_expression(a)
    if side not in ("left", "right"):
        raise UnsupportedOperation(
            f"searchsorted: the side is 'left' or 'right', not {shown(side)}"
        )
    compare = greater if side == "left" else greater_equal
    return whole.sum(compare(values[..., None], places), -1)


def digitize(x: Any, bins: Any, right: bool = False) -> Expression:
    """`numpy.digitize`, which has no derivative."""
    edges = literal("digitize: bins", bins)
    if edges.ndim != 1 or edges.dtype.kind not in "biuf":
        raise UnsupportedOperation(f"digitize: bins is a list of numbers, not {shown(bins)}")
    if (np.diff(edges) >= 0).all():
        return searchsorted(fixed(edges), x, "left" if right else "right")
    count = searchsorted(fixed(edges[::-1]), x, "left" if right else "right")
    return len(edges) - count


# Rounding, parts of complex numbers, comparisons ----------------------------------------------


# Floating-point numbers have no more.
_MOST_DIGITS: Final = 400


def round(a: Any, decimals: int = 0) -> Expression:
    """`numpy.round`, which has no derivative."""
    digits = checked_integer("round", "decimals", decimals)
    if abs(digits) > _MOST_DIGITS:
        raise UnsupportedOperation(
            f"round: decimals is an integer from -{_MOST_DIGITS} to {_MOST_DIGITS}, not "
            f"{shown(decimals)}"
        )
    operand = as_expression(a)
    if digits < 0:
        return language.round(operand / 10**-digits) * 10**-digits
    return language.round(operand * 10**digits) / 10**digits if digits else language.round(operand)


def angle(z: Any, deg: bool = False) -> Expression:
    """`numpy.angle` of real numbers: half a turn for negative ones."""
    return where(less(as_expression(z), 0), 180 if checked_flag("angle", "deg", deg) else np.pi, 0)


def isclose(
    a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Condition:
    """`numpy.isclose`."""
    left, right = as_expression(a), as_expression(b)
    near = less_equal(language.abs(left - right), add(atol, multiply(rtol, language.abs(right))))
    near = near | equal(left, right)
    return near | (isnan(left) & isnan(right)) if equal_nan else near


def allclose(
    a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False
) -> Condition:
    """`numpy.allclose`, as a condition."""
    return all(isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Condition:
    """`numpy.array_equal`, as a condition."""
    left, right = as_expression(a1), as_expression(a2)
    if left.ndim != right.ndim:
        return equal(1, 0)
    same = equal(left, right)
    return all(same | (isnan(left) & isnan(right)) if equal_nan else same)


def isin(element: Any, test_elements: Any, *, invert: bool = False) -> Condition:
    """`numpy.isin`."""
    operand = as_expression(element)
    found = equal(operand[..., None], in_a_row(test_elements))
    some = greater(whole.sum(found.test, -1), 0)
    return ~some if invert else some


def _size(a: Any, axis: Any = None) -> Any:
    """`numpy.size`."""
    operand = as_expression(a)
    return (
        operand.size
        if axis is None
        else operand.shape[ax.normalized("size", axis, operand.ndim)[0]]
    )


def _everywhere(a: Any, *, truth: bool) -> Any:
    """A truth value for each entry; that of a scalar is known, and may decide a branch."""
    operand = as_expression(a)
    if not operand.ndim:
        return np.bool_(truth)
    return equal(full_like(operand, 0), 0 if truth else 1)


implements(
    functions=by_name(nan_to_num, cov, corrcoef, gradient, trapezoid, interp, unwrap, polyval)
    | by_name(polyder, polyint, poly, polyfit, vander, cross, select, piecewise, choose)
    | by_name(searchsorted, digitize, round, angle, isclose, allclose, array_equal, isin)
    | {
        np.nansum: lambda a, axis=None, **options: whole.sum(_without(a, 0), axis, **options),
        np.nanprod: lambda a, axis=None, **options: whole.prod(_without(a, 1), axis, **options),
        np.nancumsum: lambda a, axis=None: cumsum(_without(a, 0), axis),
        np.nancumprod: lambda a, axis=None: cumprod(_without(a, 1), axis),
        np.nanmean: _of_numbers(whole.mean),
        np.nanvar: nanvar,
        np.nanstd: lambda a, axis=None, **options: sqrt(nanvar(a, axis, **options)),
        np.nanmax: _nan_extreme(whole.amax, -_LARGEST),
        np.nanmin: _nan_extreme(whole.amin, _LARGEST),
        np.polyadd: lambda a1, a2: _aligned("polyadd", a1, a2, 1),
        np.polysub: lambda a1, a2: _aligned("polysub", a1, a2, -1),
        np.polymul: lambda a1, a2: convolve(in_a_row(a1), in_a_row(a2)),
        np.linalg.cross: lambda x1, x2, axis=-1: cross(x1, x2, axis=axis),
        **{np.around: round, np.fix: lambda x: language.trunc(as_expression(x))},
        **{np.real: as_expression, np.imag: lambda x: full_like(x, 0)},
        **{np.real_if_close: as_expression, np.iscomplexobj: lambda x: False},
        **{np.isrealobj: lambda x: True, np.isreal: lambda x: _everywhere(x, truth=True)},
        np.iscomplex: lambda x: _everywhere(x, truth=False),
        np.astype: lambda x, dtype, copy=True: as_expression(x).astype(dtype),
        np.isposinf: lambda x: greater(x, _LARGEST),
        np.isneginf: lambda x: less(x, -_LARGEST),
        np.array_equiv: lambda a1, a2: all(equal(a1, a2)),
        **{np.sinc: special.sinc, np.i0: special.i0},
        np.size: _size,
        **{np.result_type: lambda *a: np.dtype(float), np.common_type: lambda *a: np.float64},
    }
)
