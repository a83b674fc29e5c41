"""NumPy's functions that join expressions and take them apart, and convolutions."""

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import as_size, form, plus, size_form, times
from eggrad.engine.indices.spec import Size
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import Expression, as_expression
from eggrad.frontend.expression.indexing import indexed
from eggrad.frontend.expression.numpy_indexing import integer_size, one_axis, shifted, size_sum
from eggrad.frontend.expression.selection import placed, selected

__all__ = ["JOINING", "stack"]


def concatenate(arrays: Any, axis: int = 0) -> Expression:
    """`numpy.concatenate` along an axis."""
    parts = _parts("concatenate", arrays)
    if not parts[0].ndim:
        raise ShapeError("concatenate: scalars have no axis; numpy.stack joins them")
    k = ax.normalized("concatenate", axis, parts[0].ndim)[0]
    lengths = [p.shape[k] for p in parts]
    rests = [p.shape[:k] + p.shape[k + 1 :] for p in parts]
    _check_alike("concatenate", rests)
    total = size_sum(*lengths)
    return _total(
        [
            placed("concatenate", part, k, total, [shifted(*lengths[:place])])
            for place, part in enumerate(parts)
        ]
    )


def stack(arrays: Any, axis: int = 0) -> Expression:
    """`numpy.stack` of expressions and numbers of one shape."""
    parts = _parts("stack", arrays)
    k = ax.normalized("stack", axis, parts[0].ndim + 1)[0]
    _check_alike("stack", [p.shape for p in parts])
    return concatenate([ax.expanded(p, [k]) for p in parts], k)


def vstack(tup: Any) -> Expression:
    """`numpy.vstack`."""
    parts = _parts("vstack", tup)
    return concatenate([ax.expanded(p, range(2 - p.ndim)) for p in parts])


def hstack(tup: Any) -> Expression:
    """`numpy.hstack`."""
    parts = [p if p.ndim else ax.expanded(p, [0]) for p in _parts("hstack", tup)]
    return concatenate(parts, min(1, parts[0].ndim - 1))


def column_stack(tup: Any) -> Expression:
    """`numpy.column_stack`."""
    return concatenate([p if p.ndim > 1 else ax.expanded(p, [1]) for p in _parts("stack", tup)], 1)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Expression]:
    """`numpy.split` at some places, or of an axis whose size is an integer into equal parts."""
    own = as_expression(ary)
    k = one_axis("split", axis, own)
    ends: list[int | None]
    if hasattr(indices_or_sections, "__index__"):
        size, count = integer_size("split", own, k), index(indices_or_sections)
        if count < 1 or size % count:
            raise ShapeError(f"split: {size} entries do not make {count} equal parts")
        ends = list(range(size // count, size, size // count)) if size else [0] * (count - 1)
    else:
        ends = [index(i) for i in indices_or_sections]
    before = (slice(None),) * k
    bounds = zip([0, *ends], [*ends, None], strict=True)
    return [indexed(own, (*before, slice(a, b))) for a, b in bounds]


def _parts(what: str, arrays: Any) -> list[Expression]:
    parts = [as_expression(a) for a in arrays]
    if not parts:
        raise ShapeError(f"{what}: there is nothing to join")
    return parts


def _check_alike(what: str, shapes: Sequence[tuple[Size, ...]]) -> None:
    """Raise where shapes differ that are known; symbols are made equal later."""
    first = shapes[0]
    for shape in shapes[1:]:
        sizes = list(zip(shape, first, strict=False))
        clash = any(p != q and (1 in (p, q) or type(p) is type(q) is int) for p, q in sizes)
        if clash or len(shape) != len(first):
            raise ShapeError(f"{what}: the shapes {first} and {shape} do not fit")


def _total(parts: Sequence[Expression]) -> Expression:
    result = parts[0]
    for other in parts[1:]:
        result = result + other
    return result


# Convolution -------------------------------------------------------------------------------


def convolve(a: Any, v: Any, mode: str = "full") -> Expression:
    """`numpy.convolve` of vectors; of sizes that are symbols the first is the longer one."""
    return _summed_pairs("convolve", as_expression(a), as_expression(v), mode)


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
        raise UnsupportedOperation(f"{what}: the mode is one of {', '.join(known)}, not {mode!r}")
    start, size = known[mode]
    if start is None:
        start = integer_size(what, v, 0)
    last = 0 if what == "convolve" else size_sum(v.shape[0], -1)
    sign = -1 if what == "convolve" else 1
    pairs = language.einsum("i,j->ij", a, v)
    offset = plus(size_form(start), times(-1, size_form(last)))
    met = ("=", form([(2, 1), (0, -1), (1, sign), *offset]))
    return selected(what, pairs, (size,), [met], (2,))


JOINING: Final[dict[object, Callable[..., Any]]] = {
    **{np.concatenate: concatenate, np.stack: stack, np.vstack: vstack, np.hstack: hstack},
    **{np.column_stack: column_stack, np.split: split},
    **{np.convolve: convolve, np.correlate: correlate},
}
"""What each of these functions does."""
