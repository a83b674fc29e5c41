"""Products with indicators that are slices: entries that are read, or written into zeros."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol, cast

from eggrad.engine.indices.affine import (
    AffineForm,
    Key,
    as_size,
    coefficient,
    form,
    format_form,
    indices,
    last_index,
    plus,
    renamed,
    size_form,
    times,
)
from eggrad.engine.indices.constraints import Constraint, Constraints, solved
from eggrad.engine.indices.spec import Dims, Indices, Size, Spec

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


class Axis(NamedTuple):
    """The entries `key` of an axis, and the indices that count them, the slowest first.

    A single entry has no index; `dims` are the indices' sizes.
    """

    key: str
    indices: Indices
    dims: Dims


class Views(NamedTuple):
    """A product with an indicator as entries of the array that are entries of the result.

    What the result lacks is summed, what the array lacks repeats. Other entries are 0.
    """

    source: tuple[Axis, ...]
    target: tuple[Axis, ...]

    @property
    def splits(self) -> bool:
        """Whether several indices count the entries of an axis of the array."""
        return any(len(axis.indices) > 1 for axis in self.source)

    @property
    def is_whole(self) -> bool:
        """Whether an index counts all entries of each axis of the result."""
        return all(axis.key == ":" and len(axis.indices) == 1 for axis in self.target)


def slices(indicator: Conditions, other_dims: Dims, spec: Spec) -> list[str] | None:
    """The key alone, where the axes of what is read are those of the result, in their order.

    >>> entry = KnownConditions((("=", ((0, 1), ("", -2))),), (5,))
    >>> slices(entry, (5,), ((0,), (0,), ()))
    ['2']
    """
    found = views(indicator, other_dims, spec)
    if found is None or found.splits:
        return None
    read, shown = (tuple(axis.indices for axis in axes if axis.indices) for axes in found)
    kept = found.is_whole and read == shown == tuple((i,) for i in spec[-1])
    return key_of(found.source) if kept else None


def key_of(axes: Sequence[Axis]) -> list[str]:
    """What stands in brackets to read entries of an array."""
    key = [axis.key for axis in axes]
    while len(key) > 1 and key[-1] == ":":
        key.pop()
    return key


def views(
    indicator: Conditions, other_dims: Dims, spec: Spec, text: SizeText | None = None
) -> Views | None:
    """Where each equality says the place along one axis, of the array or of the result.

    The place is a number, begins at one, or is counted by several indices, as in a vector that is
    reshaped. With the `text` of a size, slices may begin and end at one of these as well. None
    where it is otherwise, or where what is read or written perhaps does not fit.

    >>> rows = KnownConditions((("=", ((0, 4), (1, 1), (2, -1), ("", 1))),), (2, 4, 9))
    >>> found = views(rows, (9,), ((0, 1, 2), (2,), (1, 0)))
    >>> found.source, found.is_whole
    ((Axis(key='1:', indices=(0, 1), dims=(2, 4)),), True)
    """
    part, other, out = spec
    sizes = dict(zip(part + other, indicator.dims + other_dims, strict=True))
    conditions = [(relation, renamed(f, part.__getitem__)) for relation, f in indicator.constraints]
    conditions = _by_source(conditions, other)
    # What several equalities have is told by none.
    often = Counter(i for relation, f in conditions if relation == "=" for i in indices(f))
    apart = cast(Spec, tuple(tuple(i for i in p if often[i] < 2) for p in (part, other, out)))
    ranges = _ranges(conditions, sizes, apart)
    if ranges is None:
        return None
    # Indices are counted from where they begin.
    starts: dict[Key, Sequence[tuple[Key, int]]] = {
        i: ((i, 1), ("", start)) for i, (start, _) in ranges.items()
    }
    lengths = {**sizes, **{i: stop - start for i, (start, stop) in ranges.items()}}
    known: dict[int, Axis] = {}
    for _, f in (c for c in conditions if c[0] == "="):
        shifted = form(term for key, c in f for term in times(c, form(starts.get(key, [(key, 1)]))))
        found = _determined(shifted, sizes, lengths, apart, text)
        if found is None or found[0] in known:
            return None
        known[found[0]] = found[1]
    counting = {i for axis in known.values() for i in axis.indices}
    whole = {i: Axis(":", (i,), (d,)) for i, d in sizes.items()}
    for i, (start, stop) in ranges.items():
        end = "" if stop == sizes[i] else stop
        whole[i] = Axis(f"{start or ''}:{end}", (i,), (stop - start,))
    source, target = (tuple(known.get(i, whole.get(i)) for i in side) for side in (other, out))
    seen = {i for axis in (*source, *target) if axis for i in axis.indices}
    if not known.keys().isdisjoint(counting | ranges.keys()) or None in source + target:
        return None
    if not {*part} <= seen | {*known}:
        return None
    return Views(cast(tuple[Axis, ...], source), cast(tuple[Axis, ...], target))


@lru_cache(maxsize=4096)
def placed_dims(spec: Spec, args: tuple[Dims, ...], sparsity: tuple[object, ...]) -> Dims | None:
    """The axes of the entries of an array that a product with an indicator writes into zeros.

    None where it writes all entries, or is no view. An indicator is known by its constraints.

    >>> entry = (("=", ((0, 1), ("", -2))),)
    >>> placed_dims(((0,), (1,), (1, 0)), ((5,), ("n",)), (entry, False))
    ('n',)
    """
    seen = None if any(known is True for known in sparsity) else views_of(spec, args, sparsity)
    if seen is None or seen.is_whole or () in args:
        return None
    lengths = {i: d for axis in seen.target for i, d in zip(axis.indices, axis.dims, strict=True)}
    return tuple(lengths.values())


@lru_cache(maxsize=4096)
def views_of(spec: Spec, args: tuple[Dims, ...], sparsity: tuple[object, ...]) -> Views | None:
    """The views of a product with one indicator, which is known by its constraints, if it has any.

    >>> entry = (("=", ((0, 1), ("", -2))),)
    >>> views_of(((0,), (1,), (1, 0)), ((5,), ("n",)), (entry, False)).target[1]
    Axis(key='2', indices=(), dims=())
    """
    places = [k for k, known in enumerate(sparsity) if isinstance(known, tuple)]
    if len(args) != 2 or len(places) != 1:
        return None
    (place,) = places
    conditions = KnownConditions(cast(Constraints, sparsity[place]), args[place])
    return views(conditions, args[1 - place], (spec[place], spec[1 - place], spec[-1]), str)


def _by_source(conditions: Sequence[Constraint], source: Indices) -> list[Constraint]:
    """The conditions, with equalities on indices of the array wherever others say one of them.

    >>> one, two = ("=", form([(0, 1), (1, -1)])), ("=", form([(1, 1), (2, -1), ("", 3)]))
    >>> _by_source([one, two], (2,))
    [('=', ((0, 1), (2, -1), ('', 3))), ('=', ((1, 1), (2, -1), ('', 3)))]
    """
    known = [f for relation, f in conditions if relation == "=" and {*indices(f)} & {*source}]
    value = {b: solved(f, b) for f in known for b in indices(f) if abs(coefficient(f, b)) == 1}
    found: list[Constraint] = []
    for relation, f in conditions:
        b = next((b for b in indices(f) if b in value and b not in source), None)
        if relation == "=" and b is not None and f not in known:
            rest = form(term for term in f if term[0] != b)
            found.append(("=", plus(rest, times(coefficient(f, b), value[b]))))
        else:
            found.append((relation, f))
    return found


def _ranges(
    conditions: Sequence[Constraint], sizes: Mapping[int, Size], spec: Spec
) -> dict[int, tuple[int, int]] | None:
    """Where indices are counted that conditions keep from some of an axis; None if that is unknown.

    >>> conditions = [(">=", form([(0, 1), ("", -2)])), ("=", form([(0, 1), (1, -1), ("", 1)]))]
    >>> _ranges(conditions, {0: 9, 1: 9}, ((0, 1), (1,), (0,)))
    {0: (2, 8)}
    """
    whole = {i: (0, d) for i, d in sizes.items() if isinstance(d, int)}
    found = dict(whole)
    for relation, f in conditions:
        if relation == "=":
            continue
        i = next(iter(indices(f)), -1)
        number = coefficient(f, "")
        if (
            relation != ">="
            or i not in found
            or f not in (form([(i, c), ("", number)]) for c in (1, -1))
        ):
            return None
        start, stop = found[i]
        rising = coefficient(f, i) > 0
        found[i] = (max(start, -number), stop) if rising else (start, min(stop, number + 1))
    for _, f in (c for c in conditions if c[0] == "="):
        determined = next(_candidates(f, spec), None)
        free = [i for i in indices(f) if i != determined]
        if determined is not None and determined in found and len(free) == 1 and free[0] in found:
            value = solved(f, determined)
            number, rising = coefficient(value, ""), coefficient(value, free[0]) == 1
            if len(value) <= 2 and rising:
                (start, stop), (first, last) = found[free[0]], found.pop(determined)
                found[free[0]] = max(start, first - number), min(stop, last - number)
    narrowed = {i: span for i, span in found.items() if span != whole[i]}
    return None if any(start >= stop for start, stop in narrowed.values()) else narrowed


def _candidates(f: AffineForm, spec: Spec) -> Iterator[int]:
    """The indices that an equality may say, of the array or else of the result alone."""
    _, other, out = spec
    for here, there in ((other, out), (out, other)):
        for b in indices(f):
            if b in here and b not in there and abs(coefficient(f, b)) == 1:
                yield b


def _determined(
    f: AffineForm,
    sizes: Mapping[int, Size],
    lengths: Mapping[int, Size],
    spec: Spec,
    text: SizeText | None,
) -> tuple[int, Axis] | None:
    """An index that an equality says, and where it is; `lengths` are those of the others."""
    for b in _candidates(f, spec):
        value = solved(f, b)
        number = form(term for term in value if isinstance(term[0], str))
        group = sorted(indices(value), key=lambda i: -abs(coefficient(value, i)))
        counted, written = _range(value, group, lengths), b not in spec[1]
        fits = _counts(value, group, lengths)
        found = _key(number, counted, sizes[b], text, written=written) if fits else None
        if found is not None:
            return b, Axis(found, tuple(group), tuple(lengths[i] for i in group))
    return None


def _counts(value: AffineForm, group: Sequence[int], sizes: Mapping[int, Size]) -> bool:
    """Whether indices count places, each as many as the next one has in all."""
    return all(
        isinstance(d := sizes[b], int) and coefficient(value, a) == coefficient(value, b) * d
        for a, b in pairwise(group)
    )


def _range(
    value: AffineForm, group: Sequence[int], sizes: Mapping[int, Size]
) -> tuple[int, Size] | None:
    """The step between places that are counted, and how many there are; None for one alone."""
    if not group:
        return None
    step = coefficient(value, group[-1])
    often = coefficient(value, group[0]) // step
    return step, as_size(times(often, size_form(sizes[group[0]])))


def _key(
    number: AffineForm,
    counted: tuple[int, Size] | None,
    size: Size,
    text: SizeText | None,
    *,
    written: bool,
) -> str | None:
    """The key of entries from a number on; those that are `written` certainly are there."""
    step, length = counted or (1, 1)
    if not written and step == -1 and length == size and number == last_index(length):
        return "::-1"
    if step < 1 or (length == 0 and (step > 1 or not written)):
        return None
    end = form([*number, ("", 1), *times(step, last_index(length))])
    start = _within(number, end, size, text) if written else _first(number, size, text)
    stop = "" if end == size_form(size) else _last(end, size, text)
    if start is None or stop is None or (step > 1 and not (written or isinstance(length, int))):
        return None
    if not written and isinstance(size, int) and not 0 <= int(start) < int(stop or size) <= size:
        return None
    steps = f":{step}" if step > 1 else ""
    return start if counted is None else f"{start if start != '0' else ''}:{stop}{steps}"


def _first(place: AffineForm, size: Size, text: SizeText | None) -> str | None:
    """A place as Python counts it, from the end if that is what it depends on."""
    if {*dict(place)} <= {""}:
        return str(coefficient(place, "")) if coefficient(place, "") >= 0 else None
    behind = _behind(place, size)
    return str(behind) if behind else _within(place, place, size, text) if behind is None else None


def _last(place: AffineForm, size: Size, text: SizeText | None) -> str | None:
    """The end of a slice; nothing for that of the axis."""
    if {*dict(place)} <= {""}:
        return str(coefficient(place, ""))
    behind = _behind(place, size)
    return _within(place, place, size, text) if behind is None else str(behind or "")


def _within(place: AffineForm, end: AffineForm, size: Size, text: SizeText | None) -> str | None:
    """The text of a place from which on all up to an end is certainly on an axis."""
    beyond = plus(end, times(-1, size_form(size)))
    if text is None or any(c < 0 for _, c in place) or any(c > 0 for _, c in beyond):
        return None
    return format_form(place, size=text, sign=" * ")


def _behind(place: AffineForm, size: Size) -> int | None:
    """Where a place lies, counted from the end of an axis; None if not before it."""
    distance = plus(place, times(-1, size_form(size)))
    number = coefficient(distance, "")
    return number if {*dict(distance)} <= {""} and number <= 0 else None
