"""Products with indicators that are slices: entries that are read, or written into zeros."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, cast

from eggrad.engine.indices.affine import (
    Form,
    coefficient,
    form,
    format_form,
    indices,
    last_index,
    plus,
    size_form,
    times,
)
from eggrad.engine.indices.constraints import Constraints, solved
from eggrad.engine.indices.spec import Dims, Size, Spec

SizeText = Callable[[Size], str]


class Conditions(Protocol):
    """An indicator: its conditions, and the sizes of its axes."""

    @property
    def constraints(self) -> Constraints:
        """The conditions on the indices."""
        ...

    @property
    def dims(self) -> Dims:
        """The sizes."""
        ...


class KnownConditions(NamedTuple):
    """An indicator that is no term."""

    constraints: Constraints
    dims: Dims


def is_sliced(indicator: Conditions, other_dims: Dims, spec: Spec) -> bool:
    """Whether the product with an array is read by slices, or written into zeros by such."""
    read = slices(indicator, other_dims, spec, str)
    return read is not None or places(indicator, spec, str) is not None


def slices(
    indicator: Conditions, other_dims: Dims, spec: Spec, size: SizeText | None = None
) -> list[str] | None:
    """The key where each index of the array is kept, or is fixed, or begins at some number.

    With the text of a `size` it may begin at one of these as well.

    >>> entry = KnownConditions((("=", ((0, 1), ("", -2))),), (5,))
    >>> slices(entry, (5,), ((0,), (0,), ()))
    ['2']
    """
    part, other, out = spec
    sliced: dict[int, tuple[int | None, str]] = {}
    for relation, f in indicator.constraints:
        found = _slice(f, indicator, (part, other, out), size) if relation == "=" else None
        if found is None:
            return None
        sliced[found[0]] = found[1:]
    size_of = dict(zip(other, other_dims, strict=True))
    kept: list[int] = []
    key: list[str] = []
    for i in other:
        index, text = sliced.get(i, (i, ":"))
        if isinstance(size_of[i], int) and i in sliced and not _fits(text, cast(int, size_of[i])):
            return None
        kept += [index] if index is not None else []
        key.append(text)
    while len(key) > 1 and key[-1] == ":":
        key.pop()
    known = {*sliced, *kept}
    return key if tuple(kept) == out and known.issuperset(part) else None


def _slice(
    f: Form, indicator: Conditions, spec: Spec, text: SizeText | None, *, written: bool = False
) -> tuple[int, int | None, str] | None:
    """The array's index that an equality fixes, the output's in its place, and its slice.

    With `written` the places are those of an array that certainly has them.
    """
    part, other, out = spec
    alone = _alone(f, [k for k in indices(f) if part[k] in other and part[k] not in out])
    if alone is None:
        return None
    b, value, number = alone
    size = indicator.dims[b]
    if number == value:
        end = form([*number, ("", 1)])
        start = _on_axis(number, end, size, text) if written else _first(number, size, text)
        return None if start is None else (part[b], None, str(start))
    i = indices(value)[0]
    length, step = indicator.dims[i], coefficient(value, i)
    if len(indices(value)) > 1 or part[i] in other:
        return None
    if not written and step == -1 and length == size and number == last_index(length):
        return part[b], part[i], "::-1"
    if step < 1 or (length == 0 and (step > 1 or not written)):
        return None
    end = form([*number, ("", 1), *times(step, last_index(length))])
    if written:
        start = _on_axis(number, end, size, text)
        stop = "" if end == size_form(size) else _last(end, size, text)
    else:
        start, stop = _first(number, size, text), _last(end, size, text)
    if start is None or stop is None or (step > 1 and not written and not isinstance(length, int)):
        return None
    steps = f":{step}" if step > 1 else ""
    return part[b], part[i], f"{'' if start in (0, '0') else start}:{stop}{steps}"


def _alone(f: Form, here: Sequence[int]) -> tuple[int, Form, Form] | None:
    """The only one of some indices, the form that an equality says it is, and its number."""
    if len(here) != 1 or abs(coefficient(f, here[0])) != 1:
        return None
    value = solved(f, here[0])
    return here[0], value, form(term for term in value if isinstance(term[0], str))


def _first(place: Form, size: Size, text: SizeText | None) -> int | str | None:
    """A place as Python counts it, from the end if that is what it depends on."""
    if {*dict(place)} <= {""}:
        return coefficient(place, "") if coefficient(place, "") >= 0 else None
    behind = _behind(place, size)
    return behind or (_on_axis(place, place, size, text) if behind is None else None)


def _last(place: Form, size: Size, text: SizeText | None) -> str | None:
    """The end of a slice; nothing for that of the axis."""
    if {*dict(place)} <= {""}:
        return str(coefficient(place, ""))
    behind = _behind(place, size)
    return _on_axis(place, place, size, text) if behind is None else str(behind or "")


def _behind(place: Form, size: Size) -> int | None:
    """Where a place lies, counted from the end of an axis; None if not before it."""
    distance = plus(place, times(-1, size_form(size)))
    number = coefficient(distance, "")
    return number if {*dict(distance)} <= {""} and number <= 0 else None


def places(
    indicator: Conditions, spec: Spec, text: SizeText
) -> list[tuple[str, int | None]] | None:
    """Where an array lies in a larger one that is 0 elsewhere: a key, and the index along it.

    None where it is no such part, or perhaps does not fit.

    >>> behind = KnownConditions((("=", ((0, 1), (1, -1), ("", -2))),), (5, 3))
    >>> places(behind, ((0, 1), (1,), (0,)), str)
    [('2:', 1)]
    """
    part, other, out = spec
    moved: dict[int, tuple[str, int | None]] = {}
    for relation, f in indicator.constraints:
        # The array's places in the output: the output's index is what an equality fixes.
        turned = (part, out, other)
        found = _slice(f, indicator, turned, text, written=True) if relation == "=" else None
        if found is None or found[0] in moved:
            return None
        moved[found[0]] = found[2], found[1]
    key = [moved.get(i, (":", i)) for i in out]
    used = [i for _, i in key if i is not None]
    whole = sorted(used) == sorted(other) and {*moved, *used} >= {*part}
    return key if whole and moved else None


def _on_axis(place: Form, end: Form, size: Size, text: SizeText | None) -> str | None:
    """The text of a place from which on all up to an end is certainly on an axis."""
    beyond = plus(end, times(-1, size_form(size)))
    if text is None or any(c < 0 for _, c in place) or any(c > 0 for _, c in beyond):
        return None
    return format_form(place, size=text, sign=" * ")


def _fits(text: str, size: int) -> bool:
    """Whether a slice stays within an axis."""
    start, _, rest = text.partition(":")
    stop = rest.partition(":")[0] or str(int(start or 0) + 1)
    return int(start or 0) >= 0 and int(stop) <= size
