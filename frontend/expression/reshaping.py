"""Axes merged and split, where their sizes are integers: `reshape`, `ravel`, blocks of matrices."""

from collections.abc import Sequence
from math import prod
from typing import cast

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.affine import Form, form
from eggrad.engine.indices.spec import Size
from eggrad.frontend.expression.expression import Expression
from eggrad.frontend.expression.selection import selected

__all__ = ["filled_shape", "merged", "reordered", "split_axis"]


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
    place: Form = form([(axis, 1), *((k, -s) for k, s in zip(new, _steps(sizes), strict=True))])
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
        known, own = ([d for d in s if isinstance(d, int) and d != -1] for s in (shape, sizes))
        left = [d for d in sizes if isinstance(d, str) and d not in shape]
        divides = prod(known) and not prod(own) % prod(known)
        count = prod(own) // prod(known) if divides else 0
        if len(left) > 1 or (left and count != 1) or (not count and 0 not in own):
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
