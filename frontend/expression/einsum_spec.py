"""The index strings of `numpy.einsum`."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

from eggrad.engine.errors import ShapeError
from eggrad.engine.indices.spec import Dims, Size

__all__ = ["read_spec"]

_ELLIPSIS: Final = "..."
# Letters that nobody writes: of the axes of an ellipsis, and of those that are broadcast.
_SHARED: Final = 0x4E00
_OWN: Final = 0x5E00


def read_spec(spec: str, shapes: Sequence[Dims]) -> tuple[list[str], str]:
    """The indices of every operand and of the output, one letter for an axis.

    Raises `ShapeError` where they do not fit. The axes of an ellipsis have letters that the spec
    does not have; an axis of length 1 that is repeated along another operand's has one of its own.

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
        shape[part.index(_ELLIPSIS) :][: len(shape) - len(own)] if _ELLIPSIS in part else ()
        for part, own, shape in zip(parts, letters, shapes, strict=True)
    ]
    whole = _whole(hidden)
    if whole and _ELLIPSIS not in output:
        raise ShapeError(f"{what}: the output lacks the ellipsis of the operands")
    fresh = (chr(_OWN + k) for k in count())
    named = [
        part.replace(_ELLIPSIS, "".join(_labels(own, whole, fresh)))
        for part, own in zip(parts, hidden, strict=True)
    ]
    alone = _alone(named, shapes, fresh)
    return alone, output.replace(_ELLIPSIS, "".join(_labels(whole, whole, fresh)))


def _check_operands(
    what: str, parts: Sequence[str], letters: Sequence[str], shapes: Sequence[Dims]
) -> None:
    if not all(i.isalpha() for own in letters for i in own):
        raise ShapeError(f"{what}: an index is a letter; '...' stands for axes without a name")
    if len(parts) != len(shapes):
        raise ShapeError(f"{what} takes {len(parts)} operands, not {len(shapes)}")
    for place, (part, own, shape) in enumerate(zip(parts, letters, shapes, strict=True), 1):
        if len(own) > len(shape) or (len(own) < len(shape) and _ELLIPSIS not in part):
            raise ShapeError(
                f"{what}: operand {place} has {len(shape)} axes, its index string {len(own)}"
            )


def _check_output(what: str, output: str, indices: str) -> None:
    own = output.replace(_ELLIPSIS, "", 1)
    for i in own:
        if not i.isalpha():
            raise ShapeError(f"{what}: an index is a letter; '...' stands for axes without a name")
        if i not in indices or own.count(i) > 1:
            how = "repeats" if i in indices else "has, but no operand,"
            raise ShapeError(f"{what}: the output {how} the index {i!r}")


def _alone(parts: Sequence[str], shapes: Sequence[Dims], fresh: Iterator[str]) -> list[str]:
    """The indices, those along which an axis of length 1 is repeated with a letter of its own."""
    known = [list(zip(part, dims, strict=True)) for part, dims in zip(parts, shapes, strict=True)]
    longer = {i for own in known for i, d in own if d != 1}

    def letter(i: str, own: list[tuple[str, Size]]) -> str:
        return next(fresh) if i in longer and all(d == 1 for j, d in own if j == i) else i

    return ["".join(letter(i, own) for i, _ in own) for own in known]


def _whole(hidden: Sequence[Dims]) -> Dims:
    """The axes of the ellipsis in the output."""
    length = max((len(own) for own in hidden), default=0)
    found: list[Size] = [1] * length
    for own in hidden:
        for k, d in enumerate(reversed(own)):
            found[-1 - k] = d if found[-1 - k] == 1 else found[-1 - k]
    return tuple(found)


def _labels(own: Dims, whole: Dims, fresh: Iterator[str]) -> Iterator[str]:
    """A letter for each axis that an ellipsis stands for; they meet from the right."""
    first = len(whole) - len(own)
    for k, d in enumerate(own, first):
        yield next(fresh) if d == 1 != whole[k] else chr(_SHARED + k)
