"""NumPy's broadcasting, written as products of terms, and the index strings of `numpy.einsum`."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count, zip_longest
from typing import Final

import numpy as np

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices import spec as specs
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import exact, shown
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.term import Term


def array_term(array: Array) -> Term:
    """An array of real numbers as a term.

    One whose entries are all the same is a constant, a multiple of the identity that of a delta.

    >>> array_term(np.eye(3)).op, array_term(np.ones(2)).op, array_term(np.arange(3)).op
    ('delta', 'constant', 'array')
    """
    fixed = fixed_array(array)
    if not array.size:
        return terms.constant(0, array.shape)
    first = array[(0,) * array.ndim]
    if (
        np.isfinite(first)
        and (array == first).all()
        and not np.signbit(fixed.values[array == 0]).any()
    ):
        return terms.constant(exact(first) or Fraction(0), array.shape)
    if array.ndim == 2 and np.isfinite(first) and np.array_equal(array, first * np.eye(len(array))):
        identity = terms.delta(array.shape[:1])
        number = Fraction(exact(first) or 0)
        if number == 1:
            return identity
        return terms.einsum(specs.scaling(2), terms.constant(number), identity)
    return terms.array(fixed)


def aligned(a: Dims, b: Dims) -> Iterator[tuple[Size, Size]]:
    """The pairs of sizes that broadcasting needs equal; axes meet from the right.

    >>> list(aligned(("m", 1, "n"), (3, "k")))
    [('n', 'k')]
    """
    for p, q in zip(reversed(a), reversed(b), strict=False):
        if p == q or 1 not in (p, q):
            yield p, q


def common(a: Dims, b: Dims) -> Dims:
    """The dims of the broadcast result, where the aligned sizes are equal already.

    >>> common(("m", 1, "n"), (3, "n"))
    ('m', 3, 'n')
    """
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    return tuple(q if p == 1 else p for p, q in pairs)[::-1]


def _labels(dims: Dims, whole: Dims) -> tuple[object, ...]:
    """Indices of an operand; an axis that is broadcast has a further one, to be summed."""
    first = len(whole) - len(dims)
    return tuple(
        first + k if d == whole[first + k] else ("broadcast", k) for k, d in enumerate(dims)
    )


def multiply(a: Term, b: Term) -> Term:
    """The element-wise product.

    >>> multiply(terms.variable("A", ("m", "n")), terms.variable("x", ("n",))).dims
    ('m', 'n')
    """
    whole = common(a.dims, b.dims)
    left = _labels(a.dims, whole)
    right = tuple(("right", i) if isinstance(i, tuple) else i for i in _labels(b.dims, whole))
    return terms.einsum(specs.canonical((left, right), range(len(whole))), a, b)


def spread(a: Term, whole: Dims) -> Term:
    """The term broadcast to `whole`: a product with ones along the axes that it lacks.

    >>> spread(terms.constant(2), ("n",)).dims
    ('n',)
    """
    if a.dims == whole:
        return a
    if a.op == "constant":
        return terms.constant(a.value, whole)
    labels = _labels(a.dims, whole)
    missing = tuple(k for k in range(len(whole)) if k not in labels)
    if not missing:
        return terms.einsum(specs.canonical((labels,), range(len(whole))), a)
    ones = terms.constant(1, tuple(whole[k] for k in missing))
    return terms.einsum(specs.canonical((labels, missing), range(len(whole))), a, ones)


def matmul_pairs(a: Dims, b: Dims) -> list[tuple[Size, Size]]:
    """The pairs of sizes that `a @ b` needs equal.

    >>> matmul_pairs(("m", "n"), ("k",))
    [('n', 'k')]
    """
    if not a or not b:
        raise ShapeError("@: both sides need an axis; use * to multiply by a scalar")
    return [(a[-1], b[0] if len(b) == 1 else b[-2]), *aligned(a[:-2], b[:-2])]


def matmul(a: Term, b: Term) -> Term:
    """The matrix product, its leading axes broadcast.

    >>> matmul(terms.variable("A", ("b", "m", "n")), terms.variable("B", ("n", "k"))).dims
    ('b', 'm', 'k')
    """
    whole = common(a.dims[:-2], b.dims[:-2])
    rows = ("row",) * (a.order > 1)
    columns = ("column",) * (b.order > 1)
    left = (*_labels(a.dims[:-2], whole), *rows, "inner")
    right = tuple(("right", i) if isinstance(i, tuple) else i for i in _labels(b.dims[:-2], whole))
    spec = specs.canonical(
        (left, (*right, "inner", *columns)), (*range(len(whole)), *rows, *columns)
    )
    return terms.einsum(spec, a, b)


# Index strings ------------------------------------------------------------------------

_ELLIPSIS: Final = "..."
# Letters that nobody writes: of the axes of an ellipsis, and of those that are broadcast.
_SHARED: Final = 0x4E00
_BROADCAST: Final = 0x5E00


def read_spec(spec: str, shapes: Sequence[Dims]) -> tuple[list[str], str]:
    """The indices of every operand and of the output, one letter for an axis.

    Raises `ShapeError` where they do not fit. The axes of an ellipsis have letters that the spec
    does not have; an axis of length 1 that is repeated along another operand's has a new one.

    >>> read_spec("ij,j", [("m", "n"), ("n",)])
    (['ij', 'j'], 'i')
    >>> read_spec("...i,i->...", [("m", "n"), ("n",)])
    (['一i', 'i'], '一')
    """
    left, arrow, output = spec.replace(" ", "").partition("->")
    parts = left.split(",")
    what = f"einsum {spec!r}"
    letters = [p.replace(_ELLIPSIS, "", 1) for p in parts]
    _check_operands(what, parts, letters, shapes)
    indices = "".join(letters)
    if arrow:
        _check_output(what, output, indices)
    else:
        output = _ELLIPSIS + "".join(sorted(i for i in set(indices) if indices.count(i) == 1))
    hidden = [
        shape[part.index(_ELLIPSIS) :][: len(shape) - len(written)] if _ELLIPSIS in part else ()
        for part, written, shape in zip(parts, letters, shapes, strict=True)
    ]
    whole = _longest(hidden)
    if whole and _ELLIPSIS not in output:
        raise ShapeError(f"{what}: the output lacks the ellipsis of the operands")
    fresh = (chr(_BROADCAST + k) for k in count())
    named = [
        part.replace(_ELLIPSIS, "".join(_letters(dims, whole, fresh)))
        for part, dims in zip(parts, hidden, strict=True)
    ]
    alone = _alone(named, shapes, fresh)
    return alone, output.replace(_ELLIPSIS, "".join(_letters(whole, whole, fresh)))


def _check_operands(
    what: str, parts: Sequence[str], letters: Sequence[str], shapes: Sequence[Dims]
) -> None:
    if not all(i.isalpha() for written in letters for i in written):
        raise ShapeError(f"{what}: an index is a letter; '...' stands for axes without a name")
    if len(parts) != len(shapes):
        raise ShapeError(f"{what} takes {len(parts)} operands, not {len(shapes)}")
    for place, (part, written, shape) in enumerate(zip(parts, letters, shapes, strict=True), 1):
        if len(written) > len(shape) or (len(written) < len(shape) and _ELLIPSIS not in part):
            raise ShapeError(
                f"{what}: operand {place} has {len(shape)} axes, its index string {len(written)}"
            )


def _check_output(what: str, output: str, indices: str) -> None:
    written = output.replace(_ELLIPSIS, "", 1)
    for i in written:
        if not i.isalpha():
            raise ShapeError(f"{what}: an index is a letter; '...' stands for axes without a name")
        if i not in indices or written.count(i) > 1:
            how = "repeats" if i in indices else "has, but no operand,"
            raise ShapeError(f"{what}: the output {how} the index {shown(i)}")


def _alone(parts: Sequence[str], shapes: Sequence[Dims], fresh: Iterator[str]) -> list[str]:
    """The indices, with new letters for axes of length 1 that are repeated along others."""
    known = [list(zip(part, dims, strict=True)) for part, dims in zip(parts, shapes, strict=True)]
    longer = {i for pairs in known for i, d in pairs if d != 1}

    def letter(i: str, pairs: list[tuple[str, Size]]) -> str:
        return next(fresh) if i in longer and all(d == 1 for j, d in pairs if j == i) else i

    return ["".join(letter(i, pairs) for i, _ in pairs) for pairs in known]


def _longest(hidden: Sequence[Dims]) -> Dims:
    """The axes of the ellipsis in the output."""
    length = max((len(dims) for dims in hidden), default=0)
    found: list[Size] = [1] * length
    for dims in hidden:
        for k, d in enumerate(reversed(dims)):
            found[-1 - k] = d if found[-1 - k] == 1 else found[-1 - k]
    return tuple(found)


def _letters(dims: Dims, whole: Dims, fresh: Iterator[str]) -> Iterator[str]:
    """A letter for each axis that an ellipsis stands for; they meet from the right."""
    first = len(whole) - len(dims)
    for k, d in enumerate(dims, first):
        yield next(fresh) if d == 1 != whole[k] else chr(_SHARED + k)
