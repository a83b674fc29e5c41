"""Entries that arrays of integers choose, as NumPy writes them: `x[[2, 0]]`, `x[mask]`, `x[i]`.

Each index that is an array is a selection, which is 1 at the place that an integer says; what is
chosen is a product with it, so that laws of products are enough, derivatives included.
"""

from collections.abc import Sequence
from operator import getitem
from typing import Any, cast

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.laws.properties import INTEGER
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import broadcasting
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    combine,
    expression,
    unified,
)
from eggrad.frontend.expression.numpy_protocols import implements

Places = Array | Expression
"""Integers that choose along an axis: known ones, or an expression that has integers."""


def gathered(f: Expression, key: object) -> Expression:
    """The entries that a key chooses in which arrays stand, as NumPy's indexing has them.

    Arrays are broadcast; their axes take the place of those that they choose from, or come first
    where these are apart. Masks are arrays of known truth values: how many places an expression
    has where something holds is not known. `ShapeError` for a place out of range or arrays that
    do not fit, `UnsupportedOperation` for what is no array of integers.

    >>> from eggrad.frontend.expression.functions import variable
    >>> A, i = variable("A", ("m", "n")), variable("i", ("k",), ["integer"])
    >>> gathered(A, ([0, 2, 1],)).shape, gathered(A, (slice(None), i)).shape
    ((3, 'n'), ('m', 'k'))
    """
    keys, masked = _complete(f, key)
    (f,) = unified([f], masked, "a mask")
    apart = [k for k in keys if k is not None]
    plain = tuple(k if isinstance(k, slice) else slice(None) for k in apart)
    chosen = [axis for axis, k in enumerate(apart) if not isinstance(k, slice)]
    places = [_counted(cast(Places, apart[axis]), f.shape[axis], axis) for axis in chosen]
    found = entries_at(f[plain], chosen, places)
    order = max(p.ndim for p in places)
    among = [place for place, k in enumerate(keys) if not (k is None or isinstance(k, slice))]
    beside = among == [*range(among[0], among[-1] + 1)]
    first = sum(isinstance(k, slice) for k in keys[: among[0]]) if beside else 0
    found = ax.moved(found, range(order), range(first, first + order))
    # New axes, where the result has them.
    new: list[int] = []
    after = 0
    for place, k in enumerate(keys):
        if place == (among[0] if beside else 0):
            after += order
        if k is None:
            new.append(after)
        after += k is None or isinstance(k, slice)
    return ax.expanded(found, new)


def entries_at(f: Expression, axes: Sequence[int], places: Sequence[Places]) -> Expression:
    """The entries at some places along some axes: the axes of the places, broadcast, come first.

    >>> from eggrad.frontend.expression.functions import variable
    >>> entries_at(variable("A", ("m", "n")), [1], [np.array([0, 1, 1])]).shape
    (3, 'm')
    """
    shape = _broadcast([p.shape for p in places])
    rows = range(f.ndim, f.ndim + len(shape))
    labels = list(range(f.ndim))
    factors: list[tuple[Expression, list[int]]] = []
    known: dict[int, Array] = {}
    for axis, index in zip(axes, places, strict=True):
        along = _whole_axis(index, f.shape[axis], shape)
        if along is not None:
            labels[axis] = rows[along]
        elif isinstance(index, Expression):
            kept = [k for k, d in enumerate(index.shape) if d != 1]
            part = [rows[k + len(shape) - index.ndim] for k in kept]
            gone = {*range(index.ndim)}.difference(kept)
            chosen = _selection(ax.squeezed(index, gone), (f.term.dims[axis],))
            factors.append((chosen, [*part, labels[axis]]))
        else:
            known[axis] = index
    if known:
        factors.append(_known_selection(f, known, rows, labels))
    out = [*rows, *(labels[k] for k in range(f.ndim) if k not in axes)]
    lengths = dict(zip(rows, shape, strict=True))
    return _product(f, labels, factors, out, lengths)


def _known_selection(
    f: Expression, known: dict[int, Array], rows: Sequence[int], labels: Sequence[int]
) -> tuple[Expression, list[int]]:
    """What known integers choose along some axes together, and its indices."""
    arrays = np.broadcast_arrays(*known.values())
    kept = [k for k, n in enumerate(arrays[0].shape) if n != 1]
    together = arrays[0] if len(arrays) == 1 else np.stack(arrays, -1)
    together = together.squeeze(tuple(k for k in range(arrays[0].ndim) if k not in kept))
    index = expression(broadcasting.array_term(together))
    kept_rows = [rows[k + len(rows) - arrays[0].ndim] for k in kept]
    chosen = [labels[axis] for axis in known]
    return _selection(index, tuple(f.term.dims[axis] for axis in known)), [*kept_rows, *chosen]


def _selection(index: Expression, chosen: Dims) -> Expression:
    return combine("[...]", [index], [], lambda a: terms.selection(chosen, a))


def _product(
    f: Expression,
    labels: Sequence[int],
    factors: Sequence[tuple[Expression, list[int]]],
    out: Sequence[int],
    lengths: dict[int, Size],
) -> Expression:
    """The product of an expression with selections, summed to the axes `out`."""
    present = {*labels, *(i for _, axes in factors for i in axes)}
    missing = [i for i in out if i not in present]

    def build(a: Term, *selections: Term) -> Term:
        result, indices = a, tuple(labels)
        for k, (s, part) in enumerate(zip(selections, (axes for _, axes in factors), strict=True)):
            later = {i for _, rest in factors[k + 1 :] for i in rest}
            joint = dict.fromkeys((*indices, *part))
            kept = tuple(i for i in joint if i in out or i in later)
            result = terms.einsum(specs.canonical([tuple(part), indices], kept), s, result)
            indices = kept
        if missing:
            ones = terms.constant(1, tuple(lengths[i] for i in missing))
            return terms.einsum(
                specs.canonical([indices, tuple(missing)], tuple(out)), result, ones
            )
        if indices == tuple(out):
            return result
        return terms.einsum(specs.canonical([indices], tuple(out)), result)

    return combine("[...]", [f, *(s for s, _ in factors)], [], build)


def take_along(f: Expression, axis: int, places: Places) -> Expression:
    """The entries at the places that stand for each of them along an axis, as in `x[argsort]`.

    >>> from eggrad.frontend.expression.functions import variable
    >>> take_along(variable("A", (2, 3)), 1, np.array([[0], [2]])).shape
    (2, 1)
    """
    indices = (
        places if isinstance(places, Expression) else expression(broadcasting.array_term(places))
    )
    if indices.ndim != f.ndim:
        raise ShapeError(
            f"take_along_axis: indices with {indices.ndim} axes for an array with {f.ndim}"
        )
    others = [k for k in range(f.ndim) if k != axis]
    alike = [k for k in others if indices.shape[k] != 1 or f.shape[k] == 1]
    for k in others:
        if indices.shape[k] != f.shape[k] and 1 not in (indices.shape[k], f.shape[k]):
            raise ShapeError(
                f"take_along_axis: axis {k} has size {indices.shape[k]} in the indices, "
                f"{f.shape[k]} in the array"
            )
    new = f.ndim
    # What is broadcast along an axis has none there.
    gone = [k for k in others if k not in alike]
    part = [new if k == axis else k for k in range(f.ndim) if k not in gone]
    spread = [k for k in others if f.shape[k] == 1 != indices.shape[k]]
    f = ax.squeezed(f, spread)
    labels = [k for k in range(new) if k not in spread]
    index = ax.squeezed(indices, gone)
    size = f.term.dims[labels.index(axis)]
    out = [new if k == axis else k for k in range(new)]
    return _product(f, labels, [(_selection(index, (size,)), [*part, axis])], out, {})


# Keys --------------------------------------------------------------------------------------


def _complete(
    f: Expression, key: object
) -> tuple[list[Places | slice | None], list[tuple[Size, Size]]]:
    """Integers or a slice for every axis, and None for each new one; the sizes of masked axes."""
    parts = [_part(k) for k in (cast(tuple[object, ...], key) if isinstance(key, tuple) else [key])]
    used = sum(map(_width, parts))
    ellipses = sum(k is Ellipsis for k in parts)
    if used > f.ndim or ellipses > 1:
        what = "more than one ellipsis" if ellipses > 1 else f"{used} indices"
        raise ShapeError(f"{what}: the expression has {f.ndim} axes")
    place = next((n for n, k in enumerate(parts) if k is Ellipsis), len(parts))
    parts[place : place + 1] = [slice(None)] * (f.ndim - used)
    found: list[Places | slice | None] = []
    masked: list[tuple[Size, Size]] = []
    axis = 0
    for k in parts:
        if isinstance(k, np.ndarray) and k.dtype.kind == "b":
            pairs = list(zip(f.shape[axis:], k.shape, strict=False))
            if any(isinstance(d, int) and d != n for d, n in pairs):
                axes = ", ".join(str(d) for d, _ in pairs)
                raise ShapeError(f"a mask of shape {k.shape} does not fit axes ({axes})")
            masked += pairs
            found += k.nonzero()
        else:
            found.append(k)
        axis += _width(k)
    return found, masked


def _width(part: object) -> int:
    """How many axes a part of a key is about."""
    if isinstance(part, np.ndarray) and part.dtype.kind == "b":
        return part.ndim
    return int(part is not None and part is not Ellipsis)


def _part(key: Any) -> Any:
    """One part of a key, arrays of integers or of truth values as such."""
    if key is None or key is Ellipsis or isinstance(key, slice):
        return key
    if isinstance(key, Condition):
        raise UnsupportedOperation(
            "how many entries a mask keeps that is an expression is not known: write "
            "numpy.where(mask, x, 0), or give the mask as an array of known values"
        )
    if isinstance(key, Expression):
        if not has_integers(key):
            raise UnsupportedOperation(
                "an index is an expression that has integers, such as numpy.argsort(x) or a "
                "variable that is declared so: eggrad.variable(name, axes, ['integer'])"
            )
        return key
    try:
        array = np.asarray(key)
    except ValueError as error:
        raise ShapeError(f"an index is no array: {error}") from error
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.intp)
    if array.dtype.kind == "b" and not array.ndim:
        raise ShapeError("a mask has the axes that it chooses from, True and False have none")
    if array.dtype.kind not in "iub":
        raise UnsupportedOperation(
            "an expression is indexed by integers, slices, None, ... and arrays of integers or "
            f"truth values, not by {_described(key, array)}"
        )
    return array if array.dtype.kind == "b" else array.astype(np.intp)


def _described(key: object, array: Array) -> str:
    known = isinstance(key, np.ndarray | list) and array.dtype.kind != "O"
    return f"an array of {array.dtype}" if known else f"a {type(key).__name__}"


def has_integers(f: Expression) -> bool:
    """Whether all entries of an expression are known to be integers.

    >>> from eggrad.frontend.expression.functions import floor, variable
    >>> has_integers(floor(variable("x"))), has_integers(variable("x"))
    (True, False)
    >>> has_integers(floor(variable("x")) % 5 + 1)
    True
    """
    # The facts are loaded by whoever asks.
    from eggrad.engine.laws.knowledge import Knowledge
    from eggrad.rules.functions.matrix_properties import matrix_properties

    return Knowledge((matrix_properties,), of=INTEGER).knows(INTEGER, f.term)


def _counted(places: Places, size: Size, axis: int) -> Places:
    """Known places counted from the first, where the size is known."""
    if isinstance(places, Expression) or not places.size:
        return places
    low, high = int(places.min()), int(places.max())
    if isinstance(size, int) and (low < -size or high >= size):
        wrong = low if low < -size else high
        raise ShapeError(f"index {wrong} is out of range for axis {axis} of size {size}")
    return np.where(places < 0, places + size, places) if isinstance(size, int) else places


def _broadcast(shapes: Sequence[Dims]) -> Dims:
    """The axes of several arrays that are broadcast."""
    found: Dims = ()
    for shape in shapes:
        for a, b in zip(found[::-1], shape[::-1], strict=False):
            if a != b and 1 not in (a, b):
                raise ShapeError(f"indices of sizes {a} and {b} do not fit each other")
        found = broadcasting.common(found, shape)
    return found


def _whole_axis(places: Places, size: Size, shape: Dims) -> int | None:
    """The axis of the result along which all places of an axis are chosen in order, if one is."""
    if isinstance(places, Expression) or not isinstance(size, int) or size < 2:
        return None
    for k in range(places.ndim):
        along = k + len(shape) - places.ndim
        ones = (1,) * k + (size,) + (1,) * (places.ndim - k - 1)
        if places.shape == ones and shape[along] == size:
            return along if (places.ravel() == np.arange(size)).all() else None
    return None


implements(functions={getitem: gathered})
