"""What rules compute on numbers, specs and sizes: primitives and conditions.

They are called with values, or with patterns where a rule is stated.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from eggrad.engine.indices.spec import Indices, Size, canonical, hadamard, scaling, transposition
from eggrad.engine.laws.language import Dims, Name, Number, Spec, condition, primitive
from eggrad.engine.terms.functions import record

__all__ = [
    "absorbed",
    "as_number",
    "chain",
    "compose",
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
    "distinct",
    "function_value",
    "inline",
    "is_identity",
    "lift",
    "lift_second",
    "nonzero",
    "not_one",
    "outer",
    "plus",
    "raised",
    "sifted",
    "swap",
    "times",
]

# Arithmetic stops at numbers of more digits than a double has, twice over.
LARGE = 10**32
MODEST = 64


@primitive
def plus(c: Number, d: Number) -> Number:
    """The sum of two numbers."""
    return Fraction(c) + Fraction(d)


@primitive
def exponent_sum(p: Number, q: Number) -> Number | None:
    """The sum of two exponents; None beyond those that people write."""
    return _modest(Fraction(p) + Fraction(q))


@primitive
def exponent_product(p: Number, q: Number) -> Number | None:
    """The product of two exponents; None beyond those that people write."""
    return _modest(Fraction(p) * Fraction(q))


def _modest(p: Fraction) -> Fraction | None:
    # In a class that holds both a and 1/a, every power of a would bring the next.
    return p if max(abs(p.numerator), p.denominator) <= MODEST else None


@primitive
def times(c: Number, d: Number) -> Number | None:
    """The product of two numbers; None where it has too many digits to be of use.

    A tensor that is 0 without any rule knowing it is every multiple of itself.
    """
    product = Fraction(c) * Fraction(d)
    return product if max(abs(product.numerator), product.denominator) < LARGE else None


@primitive
def raised(c: Number, p: Number) -> Number | None:
    """A number to a small integer power; None where that is not a rational of modest size."""
    c, p = Fraction(c), Fraction(p)
    if p.denominator != 1 or abs(p) > 64 or (c == 0 and p < 0):
        return None
    if max(abs(c.numerator), c.denominator) > 10**12:
        return None
    return c ** int(p)


@primitive
def function_value(f: Name, c: Number) -> Number | None:
    """An element-wise function at a number, where the value is rational; else None."""
    return record(f).exact(Fraction(c))


@condition
def nonzero(c: Number) -> bool:
    """Whether a number is not 0."""
    return c != 0


@primitive
def as_number(d: object) -> Number | None:
    """A size as a number; None for a symbol."""
    return Fraction(d) if isinstance(d, int) else None


@condition
def not_one(c: Number) -> bool:
    """Whether a number is not 1."""
    return c != 1


# What rules compute on specs and sizes: primitives, to be called with values or with patterns.


def fresh(count: int, *parts: Indices) -> Indices:
    """That many indices which occur in none of the parts."""
    start = max((i for part in parts for i in part), default=-1) + 1
    return tuple(range(start, start + count))


def rename(part: Iterable[int], names: dict[int, int]) -> Indices:
    """Replace indices."""
    return tuple(names.get(i, i) for i in part)


@primitive
def swap(s: Spec) -> Spec:
    """The spec of the same product with its operands exchanged."""
    left, right, out = s
    return canonical([right, left], out)


@primitive
def inline(s: Spec, t: Spec) -> Spec:
    """The spec of `ein(s, ein1(t, a), ...)` on `a` itself; `s` has one or two operands."""
    source, output = t
    first, *rest = s
    names = dict(zip(output, first, strict=True))
    hidden = [i for i in dict.fromkeys(source) if i not in names]
    names.update(zip(hidden, fresh(len(hidden), *s), strict=True))
    return canonical([rename(source, names), *rest[:-1]], rest[-1])


@primitive
def compose(t: Spec, s: Spec) -> Spec:
    """The spec of `ein1(t, ein(s, a, b))` on `a` and `b`; `s` has one or two operands."""
    source, output = t
    # A diagonal identifies output indices of s; the first name of each group stands for it.
    first: dict[int, int] = {}
    names: dict[int, int] = {}
    for i, own in zip(source, s[-1], strict=True):
        names[own] = first.setdefault(i, own)
    return canonical([rename(part, names) for part in s[:-1]], [first[i] for i in output])


@condition
def is_identity(s: Spec) -> bool:
    """Whether a unary spec changes nothing."""
    return s[0] == s[1] and len(set(s[0])) == len(s[0])


@condition
def changes(s: Spec) -> bool:
    """Whether a unary spec is not the identity."""
    return s[0] != s[1] or len(set(s[0])) < len(s[0])


@condition
def alike(a: Dims, b: Dims) -> bool:
    """Whether two tensors have the same axes."""
    return a == b


@condition
def nothing_summed(s: Spec) -> bool:
    """Whether a unary spec sums over no index."""
    return set(s[0]) == set(s[1])


@condition
def distinct(s: Spec) -> bool:
    """Whether no index of a spec is summed or repeated in an operand: an outer product."""
    indices = [i for part in s[:-1] for i in part]
    return len(set(indices)) == len(indices) == len(s[-1])


@primitive
def lift(s: Spec, n: Dims) -> Spec:
    """The spec with the axes `n` of a variable appended to its first operand and its output."""
    extra = fresh(len(n), *s)
    return canonical([s[0] + extra, *s[1:-1]], s[-1] + extra)


@primitive
def lift_second(s: Spec, n: Dims) -> Spec:
    """The spec with the axes `n` of a variable appended to its second operand and its output."""
    extra = fresh(len(n), *s)
    return canonical([s[0], s[1] + extra], s[2] + extra)


@primitive
def chain(a: Dims, n: Dims) -> Spec:
    """Multiply a tensor of axes `a` into one of axes `a + n`, entry by entry of `a`."""
    axes = tuple(range(len(a)))
    extra = tuple(range(len(a), len(a) + len(n)))
    return (axes, axes + extra, axes + extra)


@primitive
def outer(a: Dims, b: Dims) -> Spec:
    """The outer product of tensors of axes `a` and `b`."""
    axes = tuple(range(len(a)))
    extra = tuple(range(len(a), len(a) + len(b)))
    return (axes, extra, axes + extra)


@primitive
def contract_last(out: Dims, inner: Dims, n: Dims) -> Spec:
    """Contract the last axes `inner` of a tensor with the first of one of axes `inner + n`."""
    o = tuple(range(len(out)))
    i = tuple(range(len(out), len(out) + len(inner)))
    x = tuple(range(len(out) + len(inner), len(out) + len(inner) + len(n)))
    return canonical([o + i, i + x], o + x)


@primitive
def join(a: Dims, b: Dims) -> Dims:
    """The axes `a`, then `b`."""
    return a + b


@primitive
def leading(g: Dims, node: Dims) -> Dims:
    """The axes of a cotangent that come before those of its node."""
    return g[: len(g) - len(node)]


@primitive
def elementwise(a: Dims) -> Spec:
    """The spec of the element-wise product of two tensors of axes `a`."""
    return hadamard(len(a))


@primitive
def scaled(a: Dims) -> Spec:
    """The spec of a scalar times a tensor of axes `a`."""
    return scaling(len(a))


@primitive
def meet(a: Dims, b: Dims) -> Spec:
    """The spec of an element-wise product where a scalar meets every entry."""
    i, j = tuple(range(len(a))), tuple(range(len(b)))
    return canonical([i, j], i or j)


@primitive
def matrix_first(n: Dims) -> Spec:
    """The spec of `M[i,j] T[j,k,x] -> [i,k,x]`, for `T` of axes (j, k) + `n`."""
    x = tuple(range(3, 3 + len(n)))
    return ((0, 1), (1, 2, *x), (0, 2, *x))


@primitive
def matrix_second(n: Dims) -> Spec:
    """The spec of `T[i,j,x] M[j,k] -> [i,k,x]`, for `T` of axes (i, j) + `n`."""
    x = tuple(range(3, 3 + len(n)))
    return canonical([(0, 1, *x), (1, 2)], (0, 2, *x))


@primitive
def transposed_first(n: Dims) -> Spec:
    """The spec of `T[x,i,j] M[i,k] -> [x,k,j]`: `n` leads, M is transposed and multiplies first."""
    x = tuple(range(3, 3 + len(n)))
    return canonical([(*x, 0, 1), (0, 2)], (*x, 2, 1))


@primitive
def transposed_second(n: Dims) -> Spec:
    """The spec of `T[x,i,j] M[k,j] -> [x,i,k]`: `n` leads, M is transposed and multiplies last."""
    x = tuple(range(3, 3 + len(n)))
    return canonical([(*x, 0, 1), (2, 1)], (*x, 0, 2))


@primitive
def matrix_transpose() -> Spec:
    """The spec of a matrix transpose."""
    return transposition((1, 0))


# Pullbacks of products ---------------------------------------------------------------------


def _places(s: Spec) -> tuple[Indices, Indices, Indices]:
    """Of the first operand: known indices, indices that disappear, and second occurrences."""
    first = s[0]
    elsewhere = {i for part in s[1:] for i in part}
    distinct_indices = tuple(dict.fromkeys(first))
    known = tuple(i for i in distinct_indices if i in elsewhere)
    gone = tuple(i for i in distinct_indices if i not in elsewhere)
    again = tuple(i for k, i in enumerate(first) if i in first[:k])
    return known, gone, again


@condition
def regular(s: Spec) -> bool:
    """Whether the first operand's indices are distinct and each occurs elsewhere (thesis, 4.6)."""
    _, gone, again = _places(s)
    return not gone and not again


@condition
def irregular(s: Spec) -> bool:
    """The opposite of `regular`."""
    _, gone, again = _places(s)
    return bool(gone or again)


@condition
def sums_alone(s: Spec) -> bool:
    """Whether a product sums over an index that only its first operand has."""
    return bool(_places(s)[1])


@primitive
def summed_alone(s: Spec) -> Spec:
    """The unary spec that sums the first operand over the indices that nothing else has."""
    return canonical([s[0]], _places(s)[0])


@primitive
def after_summing(s: Spec) -> Spec:
    """The spec of the product whose first operand is what `summed_alone` gives."""
    return canonical([_places(s)[0], *s[1:-1]], s[-1])


@primitive
def pull_known(s: Spec, lead: Dims) -> Spec:
    """Cotangent (and the other operand) to the first operand's indices that occur elsewhere."""
    x = fresh(len(lead), *s)
    return canonical([x + s[-1], *s[1:-1]], x + _places(s)[0])


@primitive
def gone_dims(s: Spec, a: Dims) -> Dims:
    """The sizes of the first operand's indices that disappear."""
    size_of = dict(zip(s[0], a, strict=True))
    return tuple(size_of[i] for i in _places(s)[1])


@primitive
def again_dims(s: Spec, a: Dims) -> Dims:
    """The sizes of the first operand's indices that are second occurrences."""
    size_of = dict(zip(s[0], a, strict=True))
    return tuple(size_of[i] for i in _places(s)[2])


@primitive
def spread_gone(s: Spec, lead: Dims) -> Spec:
    """Outer product of what `pull_known` gives with ones along the indices that disappear."""
    x = fresh(len(lead), *s)
    known, gone, _ = _places(s)
    return canonical([x + known, gone], x + known + gone)


@primitive
def spread_again(s: Spec, lead: Dims) -> Spec:
    """Product of what `spread_gone` gives with the delta that ties repeated indices."""
    x = fresh(len(lead), *s)
    known, gone, again = _places(s)
    new = fresh(len(again), x, *s)
    twins: dict[int, list[int]] = {}
    for i, twin in zip(again, new, strict=True):
        twins.setdefault(i, []).append(twin)
    seen: set[int] = set()
    first: list[int] = []
    for i in s[0]:
        first.append(twins[i].pop(0) if i in seen else i)
        seen.add(i)
    return canonical([x + known + gone, again + new], x + tuple(first))


# What rules about deltas and constants compute on specs: primitives.
#
# A delta's spec part is `d1 .. dk e1 .. ek`: pair i says that the indices `di` and `ei` are equal.
# A pair with a summed index renames that index away. Of output indices that are equal each is
# paired with the one that comes first in the output, which the other operand then uses.


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
