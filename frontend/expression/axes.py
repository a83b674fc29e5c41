"""The axes of expressions: moved, added and taken away, merged and split, their entries chosen."""

from collections.abc import Iterable, Sequence
from functools import reduce
from math import prod
from operator import index
from typing import Any, cast

from eggrad.engine.errors import EggradError, ShapeError, UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.affine import AffineForm, form, renamed, times
from eggrad.engine.indices.constraints import Constraint
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression import broadcasting
from eggrad.frontend.expression.expression import (
    Expression,
    add,
    as_expression,
    combine,
    expression,
    unified,
)
from eggrad.frontend.expression.indexing import expand, select


def normalized(what: str, axes: Any, order: int) -> tuple[int, ...]:
    """Axes counted from the first.

    >>> normalized("sum", -1, 3)
    (2,)
    """
    try:
        # An array has the method as well, of whatever shape.
        alone = hasattr(axes, "__index__") and not getattr(axes, "shape", ())
        wanted = (index(axes),) if alone else tuple(map(index, axes))
    except (TypeError, EggradError):
        raise ShapeError(f"{what}: an axis is an integer, not {shown(axes)}") from None
    for axis in wanted:
        if not -order <= axis < order:
            few = "1 axis" if order == 1 else f"{order} axes"
            first = ", of which the first is 0" if order else ""
            raise ShapeError(
                f"{what}: there is no axis {shown(axis)}, the argument has {few}{first}"
            )
    found = tuple(axis % order for axis in wanted)
    if len(set(found)) < len(found):
        raise ShapeError(f"{what}: an axis is given twice in {wanted}")
    return found


def wanted_axes(what: str, axis: Any, order: int) -> tuple[int, ...]:
    """The axes that an option `axis` names, counted from the first; all where it is None."""
    return tuple(range(order)) if axis is None else normalized(what, axis, order)


def matrices(what: str, a: Any, kind: str = "a matrix") -> Expression:
    """A matrix, or a stack of matrices."""
    operand = as_expression(a)
    if operand.ndim < 2:
        raise ShapeError(f"{what} needs {kind}, its argument has {operand.ndim} axes")
    return operand


def along(axis: int, key: Any) -> tuple[Any, ...]:
    """The key of one axis."""
    return (*(slice(None),) * axis, key)


def permuted(f: Expression, order: Sequence[int]) -> Expression:
    """The axes in another order."""
    if list(order) == list(range(f.ndim)):
        return f
    spec = specs.transposition(order)
    return combine("transpose", [f], [], lambda a: terms.einsum(spec, a))


def moved(f: Expression, source: Sequence[int], target: Sequence[int]) -> Expression:
    """Some axes at other places, the rest in their order."""
    order = [k for k in range(f.ndim) if k not in source]
    for place, axis in sorted(zip(target, source, strict=True)):
        order.insert(place, axis)
    return permuted(f, order)


def expanded(f: Expression, places: Iterable[int]) -> Expression:
    """New axes of length 1, at some places of the result."""
    new = tuple(places)
    return combine("expand_dims", [f], [], lambda a: expand(a, new)) if new else f


def squeezed(f: Expression, axes: Iterable[int]) -> Expression:
    """Without some axes of length 1."""
    gone = set(axes)
    for axis in sorted(gone):
        if f.shape[axis] != 1:
            raise ShapeError(f"squeeze: axis {axis} has size {f.shape[axis]}, not 1")
    if not gone:
        return f
    spec = specs.canonical((range(f.ndim),), [k for k in range(f.ndim) if k not in gone])
    return combine("squeeze", [f], [], lambda a: terms.einsum(spec, a))


def reshaped(f: Expression, shape: Sequence[Size]) -> Expression:
    """The same entries in the same order on other axes; one size may be -1.

    Axes are merged and split where their sizes are integers. `UnsupportedOperation` where an axis
    whose size is a symbol would have to be, `ShapeError` where the numbers of entries differ.

    >>> from eggrad.frontend.expression.functions import variable
    >>> reshaped(variable("x", ("n",)), (1, -1)).shape
    (1, 'n')
    """
    kept = [d for d in f.shape if d != 1]
    result = squeezed(f, [k for k, d in enumerate(f.shape) if d == 1])
    longer = [d for d in shape if d != 1]
    place = longer.index(-1) if longer.count(-1) == 1 else -1
    if place >= 0 and len(longer) == len(kept) and not all(isinstance(d, int) for d in kept):
        # Axes of symbols correspond one by one.
        longer[place] = kept[place]
    filled = iter(filled_shape(kept, longer))
    # What -1 stands for is an axis of length 1 where all entries are there without it.
    lengths = [d if d == 1 else next(filled) for d in shape]
    what = f"reshape from ({_listed(f.shape)}) to ({_listed(shape)[:200]})"
    named = [d for d in lengths if d != 1]
    pairs = list(zip(kept, named, strict=False))
    if len(kept) == len(named) and all(
        p == q or isinstance(p, str) != isinstance(q, str) for p, q in pairs
    ):
        (result,) = unified([result], pairs, what)
    else:
        result = reordered(result, named, what)
    return expanded(result, [k for k, d in enumerate(lengths) if d == 1])


def broadcast(f: Expression, shape: Sequence[Size]) -> Expression:
    """Repeated along further axes, and along those of length 1."""
    whole = tuple(shape)
    if len(whole) < f.ndim or any(
        p == 1 != q for p, q in zip(reversed(whole), reversed(f.shape), strict=False)
    ):
        raise ShapeError(f"broadcast_to: ({_listed(f.shape)}) does not fit ({_listed(whole)})")
    pairs = broadcasting.aligned(f.shape, whole)

    def spread(a: terms.Term) -> terms.Term:
        fixed = broadcasting.common(whole, a.dims)
        return broadcasting.spread(a, fixed)

    return combine("broadcast_to", [f], pairs, spread)


def diagonal(f: Expression, first: int, second: int) -> Expression:
    """The entries where two axes have equal indices, along a new last axis."""
    labels = [first if k == second else k for k in range(f.ndim)]
    kept = [k for k in range(f.ndim) if k not in (first, second)]
    spec = specs.canonical((labels,), (*kept, first))
    pair = (f.shape[first], f.shape[second])
    return combine("diagonal", [f], [pair], lambda a: terms.einsum(spec, a))


def diagonal_matrix(f: Expression) -> Expression:
    """The matrix with a vector on its diagonal."""
    spec = specs.canonical(("ij", "i"), "ij")
    return combine("diag", [f], [], lambda a: terms.einsum(spec, terms.delta(a.dims), a))


def size_of(f: Expression, axes: Iterable[int]) -> Expression:
    """The number of entries along some axes, as a scalar."""
    found = expression(terms.constant(1))
    for axis in axes:
        d = f.shape[axis]
        length = terms.constant(d) if isinstance(d, int) else terms.size(d)
        found = found * expression(length, f.variables)
    return found


# Entries chosen, and axes merged and split by that -------------------------------------


def selected(
    what: str, f: Expression, new: Dims, constraints: Iterable[Constraint], out: Sequence[int]
) -> Expression:
    """The entries that `select` chooses.

    >>> from eggrad.frontend.expression.functions import variable
    >>> fourth = ("=", form([(0, 1), ("", -3)]))
    >>> selected("x[3]", variable("x", ("n",)), (), [fourth], ()).shape
    ()
    """
    conditions = tuple(constraints)
    return combine(what, [f], [], lambda a: select(a, new, conditions, out))


def placed(
    what: str, f: Expression, axis: int, size: Size, places: Sequence[AffineForm]
) -> Expression:
    """One axis replaced by another, where entry `i` of the old one is at each of the `places`.

    A place is a form in index 0; entries that meet are added, places outside of the new axis
    are left out.
    """
    order = f.ndim
    out = [order if k == axis else k for k in range(order)]
    differences = (form([(order, 1), *times(-1, renamed(p, {0: axis}))]) for p in places)
    return reduce(add, (selected(what, f, (size,), [("=", d)], out) for d in differences))


def merged(f: Expression, first: int, count: int) -> Expression:
    """Some axes beside each other as one, the last of them counted fastest.

    >>> from eggrad.frontend.expression.functions import variable
    >>> merged(variable("A", (2, 3, "n")), 0, 2).shape
    (6, 'n')
    """
    axes = range(first, first + count)
    sizes = cast(list[int], [f.shape[k] for k in axes])
    place = form([(f.ndim, 1), *((k, -step) for k, step in zip(axes, _steps(sizes), strict=True))])
    out = [*range(first), f.ndim, *range(first + count, f.ndim)]
    return selected("reshape", f, (prod(sizes),), [("=", place)], out)


def split_axis(f: Expression, axis: int, sizes: Sequence[int]) -> Expression:
    """One axis as several, the last of them counted fastest.

    >>> from eggrad.frontend.expression.functions import variable
    >>> split_axis(variable("x", (6,)), 0, (2, 3)).shape
    (2, 3)
    """
    new = range(f.ndim, f.ndim + len(sizes))
    place: AffineForm = form(
        [(axis, 1), *((k, -s) for k, s in zip(new, _steps(sizes), strict=True))]
    )
    out = [*range(axis), *new, *range(axis + 1, f.ndim)]
    return selected("reshape", f, tuple(sizes), [("=", place)], out)


def reordered(f: Expression, shape: Sequence[Size], what: str) -> Expression:
    """The same entries in the same order, on axes of other sizes; messages begin with `what`.

    Sizes that are symbols stay where they are among their neighbours. Raises `ShapeError` where
    the numbers of entries differ.

    >>> from eggrad.frontend.expression.functions import variable
    >>> reordered(variable("A", (2, "n", 6)), (2, "n", 2, 3), "reshape").shape
    (2, 'n', 2, 3)
    """
    literal = not any(isinstance(d, str) for d in (*f.shape, *shape))
    if literal and _count(f.shape) != _count(shape):
        raise ShapeError(f"{what}: the numbers of entries differ")
    if literal and 0 in f.shape and f.shape != tuple(shape):
        return combine(what, [f], [], lambda a: _without_entries(a, tuple(shape)))
    result = f
    sizes, wanted = list(f.shape), list(shape)
    place = old = 0
    while place < len(wanted) or old < len(sizes):
        a, b = _run(sizes[old:], wanted[place:], what)
        if a != b:
            result = merged(result, place, len(a)) if len(a) != 1 else result
            result = split_axis(result, place, cast(list[int], b)) if len(b) != 1 else result
        place, old = place + len(b), old + len(a)
    return result


def _without_entries(a: Term, dims: Dims) -> Term:
    """What has no entries, as the sum of another one's, spread along other axes."""
    axes = range(len(dims))
    total = terms.einsum(specs.canonical([range(a.order)], ()), a)
    return terms.einsum(specs.canonical([(), axes], axes), total, terms.constant(1, dims))


def _run(sizes: Sequence[Size], wanted: Sequence[Size], what: str) -> tuple[list[Size], list[Size]]:
    """The shortest runs of axes at the beginning of two shapes with as many entries."""
    a, b = list(sizes[:1]), list(wanted[:1])
    while a != b and not any(isinstance(d, str) for d in (*a, *b)) and _count(a) != _count(b):
        run, source = (a, sizes) if _count(a) < _count(b) else (b, wanted)
        if len(run) == len(source):
            break
        run.append(source[len(run)])
    if a != b and (any(isinstance(d, str) for d in (*a, *b)) or _count(a) != _count(b)):
        raise UnsupportedOperation(
            f"{what}: only axes whose sizes are integers are merged and split, and those of length "
            "1 are added and removed"
        )
    return a, b


def filled_shape(sizes: Sequence[Size], shape: Sequence[Size]) -> list[Size]:
    """The shape without -1.

    >>> filled_shape((4, "n"), ("n", -1)), filled_shape(("n", 4), (-1, 2, 2))
    (['n', 4], ['n', 2, 2])
    """
    found = list(shape)
    if found.count(-1) > 1:
        raise ShapeError("reshape: only one size can be -1")
    if -1 in found:
        known, integers = ([d for d in s if isinstance(d, int) and d != -1] for s in (shape, sizes))
        left = [d for d in sizes if isinstance(d, str) and d not in shape]
        divides = prod(known) and not prod(integers) % prod(known)
        count = prod(integers) // prod(known) if divides else 0
        if len(left) > 1 or (left and count != 1) or (not count and 0 not in integers):
            raise UnsupportedOperation(
                f"reshape: from ({_listed(sizes)}) to ({_listed(shape)}): no size is what -1 stands"
                " for; only axes whose sizes are integers are merged"
            )
        found[found.index(-1)] = left[0] if left else count
    return found


def _count(sizes: Sequence[Size]) -> int:
    return prod(cast(Sequence[int], sizes))


def _steps(sizes: Sequence[int]) -> list[int]:
    """How far the merged index moves with each index."""
    return [prod(sizes[k + 1 :]) for k in range(len(sizes))]


def _listed(shape: Sequence[Size]) -> str:
    return ", ".join(map(str, shape))
