"""What rules about deltas and constants compute on specs: primitives.

A delta's spec part is `d1 .. dk e1 .. ek`: pair i says that the indices `di` and `ei` are equal.
A pair with a summed index renames that index away. Of output indices that are equal each is
paired with the one that comes first in the output, which the other operand then uses.
"""

from dataclasses import dataclass

from eggrad.engine.indices.spec import Indices, Size, canonical
from eggrad.engine.laws.language import Dims, Spec, condition, primitive

__all__ = [
    "absorbed",
    "constant_is_absorbed",
    "constant_kept",
    "constant_kept_dims",
    "constant_shrinks",
    "delta_kept",
    "delta_ones",
    "delta_product",
    "delta_reduced",
    "delta_reduces",
    "delta_sifts",
    "delta_spread",
    "sifted",
]


@dataclass(frozen=True)
class _Sift:
    """What is left of a product with a delta."""

    pairs: tuple[tuple[int, int, Size], ...]
    other: tuple[Indices, ...]
    loose: tuple[tuple[int, Size], ...]
    out: Indices

    @property
    def delta_part(self) -> Indices:
        return tuple(d for d, _, _ in self.pairs) + tuple(e for _, e, _ in self.pairs)

    @property
    def core_out(self) -> Indices:
        """The output without the indices that only ones are left for."""
        loose = {i for i, _ in self.loose}
        return tuple(i for i in self.out if i not in loose)


def _sift(s: Spec, n: Dims) -> _Sift:
    first, *rest, out = s
    place = {i: k for k, i in enumerate(out)}
    # What an index is called: the first in the output that equals it, if there is one.
    names: dict[int, int] = {}
    # The sizes of indices that lose a name, or a pair: where nothing else has them, ones are left.
    touched: dict[int, Size] = {}

    def name(i: int) -> int:
        while i in names:
            i = names[i]
        return i

    for d0, e0, size in zip(first[: len(n)], first[len(n) :], n, strict=True):
        # A summed index comes after those of the output.
        d, e = sorted((name(d0), name(e0)), key=lambda i: place.get(i, len(out)))
        if d != e:
            names[e] = d
        touched[e] = size
    renamed = sorted((i for i in names if i in place), key=lambda i: (place[name(i)], place[i]))
    pairs = tuple((name(i), i, touched[i]) for i in renamed)
    other = tuple(tuple(name(i) for i in part) for part in rest)
    covered = {i for part in other for i in part} | {i for d, e, _ in pairs for i in (d, e)}
    loose = tuple(
        (i, size) for i, size in ((name(j), z) for j, z in touched.items()) if i not in covered
    )
    return _Sift(pairs, other, tuple(dict.fromkeys(loose)), out)


def _core(sift: _Sift) -> Spec:
    return canonical([sift.delta_part, *sift.other], sift.core_out)


@condition
def delta_sifts(s: Spec, n: Dims) -> bool:
    """Whether the delta goes away altogether and leaves the other operand alone."""
    sift = _sift(s, n)
    return not sift.pairs and not sift.loose and len(s) == 3


@primitive
def sifted(s: Spec, n: Dims) -> Spec:
    """The spec that is left for the other operand."""
    sift = _sift(s, n)
    return canonical(sift.other, sift.out)


@condition
def delta_reduces(s: Spec, n: Dims) -> bool:
    """Whether the delta stays, smaller or in canonical order, or leaves ones behind."""
    sift = _sift(s, n)
    if not sift.pairs and not sift.loose:
        return len(s) == 2 and bool(n)
    return bool(sift.loose) or _core(sift) != s


@primitive
def delta_reduced(s: Spec, n: Dims) -> Spec:
    """The spec of the product with what is left of the delta."""
    return _core(_sift(s, n))


@primitive
def delta_kept(s: Spec, n: Dims) -> Dims:
    """The sizes of the pairs that are left."""
    return tuple(size for _, _, size in _sift(s, n).pairs)


@primitive
def delta_ones(s: Spec, n: Dims) -> Dims:
    """The sizes of the indices for which only ones are left."""
    return tuple(size for _, size in _sift(s, n).loose)


@primitive
def delta_spread(s: Spec, n: Dims) -> Spec:
    """The spec of what is left times those ones."""
    sift = _sift(s, n)
    return canonical([sift.core_out, tuple(i for i, _ in sift.loose)], sift.out)


@primitive
def delta_product(s: Spec, n: Dims, m: Dims) -> Spec:
    """The spec of a product of deltas, on the delta of both."""
    left, right, out = s
    a, b = len(n), len(m)
    return canonical([left[:a] + right[:b] + left[a:] + right[b:]], out)


# Constants ---------------------------------------------------------------------------------


def _kept(s: Spec) -> Indices:
    """The indices of a constant first operand that the other operand does not have."""
    others = {i for part in s[1:-1] for i in part}
    return tuple(i for i in dict.fromkeys(s[0]) if i not in others)


def _kept_outside(s: Spec) -> tuple[Indices, Indices]:
    kept = _kept(s)
    return tuple(i for i in kept if i in s[-1]), tuple(i for i in kept if i not in s[-1])


@condition
def constant_is_absorbed(s: Spec) -> bool:
    """Whether the other operand has all indices of the constant."""
    return not _kept(s)


@condition
def constant_spreads(s: Spec) -> bool:
    """Whether all axes of the constant are new ones of the output."""
    return bool(s[0]) and _kept_outside(s) == (s[0], ())


@primitive
def absorbed(s: Spec) -> Spec:
    """The spec of the other operand alone."""
    return canonical(s[1:-1], s[-1])


@condition
def constant_shrinks(s: Spec) -> bool:
    """Whether the constant can do with fewer axes, or sums to a size, but does not vanish."""
    spread, summed = _kept_outside(s)
    return bool(summed) or (bool(spread) and spread != s[0])


@primitive
def constant_kept(s: Spec) -> Spec:
    """The spec of the product with a constant of the axes that it must have."""
    spread, _ = _kept_outside(s)
    return canonical([spread, *s[1:-1]], s[-1])


@primitive
def constant_kept_dims(s: Spec, n: Dims) -> Dims:
    """The sizes of those axes."""
    size_of = dict(zip(s[0], n, strict=True))
    return tuple(size_of[i] for i in _kept_outside(s)[0])


@primitive
def constant_summed_dims(s: Spec, n: Dims) -> Dims:
    """The sizes of the axes over which only the constant is summed."""
    size_of = dict(zip(s[0], n, strict=True))
    return tuple(size_of[i] for i in _kept_outside(s)[1])
