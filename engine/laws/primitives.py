"""What rules compute on numbers, specs and sizes: primitives and conditions.

They are called with values, or with patterns where a rule is stated.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import count
from typing import Final, NamedTuple

from eggrad.engine.indices.affine import AffineForm, as_size, form, size_form
from eggrad.engine.indices.affine import times as times_form
from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.constraints import canonical as canonical_constraints
from eggrad.engine.indices.spec import (
    MATRIX_PRODUCT,
    Dims,
    Indices,
    Size,
    Spec,
    canonical,
    hadamard,
    output_dims,
    scaling,
)
from eggrad.engine.laws.language import (
    Name,
    Number,
    Property,
    Variable,
    condition,
    primitive,
)
from eggrad.engine.laws.properties import NONNEGATIVE, NONZERO_ALMOST, POSITIVE_ALMOST
from eggrad.engine.terms.fixed_arrays import Entries
from eggrad.engine.terms.functions import record
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import Term

# Arithmetic stops at numbers of more digits than a double has, twice over.
LARGE = 10**32
MODEST = 64


@primitive
def exponent_sum(p: Number, q: Number | int) -> Number | None:
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


@primitive
def as_number(d: object) -> Number | None:
    """A size as a number; None for a symbol."""
    return Fraction(d) if isinstance(d, int) else None


# Specs -------------------------------------------------------------------------------------


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
    for i, index in zip(source, s[-1], strict=True):
        names[index] = first.setdefault(i, index)
    return canonical([rename(part, names) for part in s[:-1]], [first[i] for i in output])


@condition
def is_identity(s: Spec) -> bool:
    """Whether a unary spec changes nothing."""
    return s[0] == s[1] and len(set(s[0])) == len(s[0])


@primitive
def lift(s: Spec, n: Dims, place: int = 0) -> Spec:
    """The spec with the axes `n` of a variable appended to one operand and to its output."""
    extra = fresh(len(n), *s)
    parts = [part + extra if k == place else part for k, part in enumerate(s[:-1])]
    return canonical(parts, s[-1] + extra)


@primitive
def contract_last(out: Dims, inner: Dims, n: Dims) -> Spec:
    """Contract the last axes `inner` of a tensor with the first of one of axes `inner + n`."""
    o = tuple(range(len(out)))
    i = tuple(range(len(out), len(out) + len(inner)))
    x = tuple(range(len(out) + len(inner), len(out) + len(inner) + len(n)))
    return canonical([o + i, i + x], o + x)


@primitive
def leading(g: Dims, node: Dims) -> Dims:
    """The axes of a cotangent that come before those of its node."""
    return g[: len(g) - len(node)]


@primitive
def elementwise(a: Dims) -> Spec:
    """The spec of the element-wise product of two tensors of axes `a`."""
    return hadamard(len(a))


@primitive
def meet(a: Dims, b: Dims) -> Spec:
    """The spec of an element-wise product where a scalar meets every entry."""
    i, j = tuple(range(len(a))), tuple(range(len(b)))
    return canonical([i, j], i or j)


# Pullbacks of products -------------------------------------------------------------------


def _places(s: Spec) -> tuple[Indices, Indices, Indices]:
    """Of the first operand: indices that it shares, those that it alone has, and repetitions."""
    first = s[0]
    elsewhere = {i for part in s[1:] for i in part}
    shared = tuple(i for i in dict.fromkeys(first) if i in elsewhere)
    lone = tuple(i for i in dict.fromkeys(first) if i not in elsewhere)
    repeated = tuple(i for k, i in enumerate(first) if i in first[:k])
    return shared, lone, repeated


@condition
def regular(s: Spec) -> bool:
    """Whether the first operand's indices are distinct and each occurs elsewhere (thesis, 4.6)."""
    _, lone, repeated = _places(s)
    return not lone and not repeated


@primitive
def lone_sum(s: Spec) -> tuple[Spec, Spec] | None:
    """The sum of the first operand over indices that nothing else has, and the product with it.

    None where there is no such index.

    >>> lone_sum(((0, 1), (0,), (0,)))
    (((0, 1), (0,)), ((0,), (0,), (0,)))
    """
    shared, lone, _ = _places(s)
    return (canonical([s[0]], shared), canonical([shared, *s[1:-1]], s[-1])) if lone else None


@primitive
def pull_shared(s: Spec, lead: Dims) -> Spec:
    """The contraction of a cotangent (with the other operand) to the indices that are shared."""
    x = fresh(len(lead), *s)
    return canonical([x + s[-1], *s[1:-1]], x + _places(s)[0])


@primitive
def lone_dims(s: Spec, a: Dims) -> Dims:
    """The sizes of the indices that the first operand alone has."""
    size_of = dict(zip(s[0], a, strict=True))
    return tuple(size_of[i] for i in _places(s)[1])


@primitive
def repeated_dims(s: Spec, a: Dims) -> Dims:
    """The sizes of the first operand's indices that repeat others."""
    size_of = dict(zip(s[0], a, strict=True))
    return tuple(size_of[i] for i in _places(s)[2])


@primitive
def spread_along_lone(s: Spec, lead: Dims) -> Spec:
    """The outer product of what `pull_shared` gives with ones along the indices it lacks."""
    x = fresh(len(lead), *s)
    shared, lone, _ = _places(s)
    return canonical([x + shared, lone], x + shared + lone)


@primitive
def tie_repeated(s: Spec, lead: Dims) -> Spec:
    """The product of what `spread_along_lone` gives with the delta of repeated indices."""
    x = fresh(len(lead), *s)
    shared, lone, repeated = _places(s)
    new = fresh(len(repeated), x, *s)
    twins = iter(new)
    first = tuple(next(twins) if i in s[0][:k] else i for k, i in enumerate(s[0]))
    return canonical([x + shared + lone, repeated + new], x + first)


# Deltas ------------------------------------------------------------------------------------

# A delta's spec part is `d1 .. dk e1 .. ek`: pair i says that the indices `di` and `ei` are equal.
# A pair with a summed index renames that index away. Of output indices that are equal each is
# paired with the one that comes first in the output, which the other operand then uses.


class Sifted(NamedTuple):
    """What is left of a product whose first operand is a delta.

    `spec` is that of the product with a delta of the pairs that are left, of sizes `dims`; `spread`
    that of this product times ones along axes of the sizes `ones`, for which nothing else is left.
    The delta `is_gone` where it leaves the other operand alone, and `is_smaller` where it stays
    with fewer pairs or in canonical order, or leaves ones behind.
    """

    spec: Spec
    dims: Dims
    spread: Spec
    ones: Dims
    is_gone: bool
    is_smaller: bool


@primitive
def sifted(s: Spec, n: Dims) -> Sifted:
    """What is left of a delta in a product."""
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
    second = sorted((i for i in names if i in place), key=lambda i: (place[name(i)], place[i]))
    pairs = (*map(name, second), *second)
    others = [[name(i) for i in part] for part in rest]
    covered = {*pairs}.union(*others)
    loose = {i: size for j, size in touched.items() if (i := name(j)) not in covered}
    kept = [i for i in out if i not in loose]
    spec = canonical([pairs, *others], kept)
    gone = not pairs and not loose
    return Sifted(
        spec,
        tuple(touched[i] for i in second),
        canonical([kept, [*loose]], out),
        (*loose.values(),),
        gone and len(s) == 3,
        (len(s) == 2 and bool(n)) if gone else bool(loose) or spec != s,
    )


@primitive
def delta_product(s: Spec, n: Dims, m: Dims) -> Spec:
    """The spec of a product of deltas, on the delta of both."""
    left, right, out = s
    a, b = len(n), len(m)
    return canonical([left[:a] + right[:b] + left[a:] + right[b:]], out)


@condition
def has_length_one(n: Dims) -> bool:
    """Whether some axis has length 1."""
    return 1 in n


@primitive
def longer_pairs(n: Dims) -> tuple[Spec, Dims, Dims]:
    """A delta by its pairs that do not have length 1, times ones for the others.

    The spec of this product, the sizes of these pairs and those of the axes of the ones.
    """
    kept = [k for k, d in enumerate(n) if d != 1]
    ones = [k for k, d in enumerate(n) if d == 1]
    parts = [[*axes, *(k + len(n) for k in axes)] for axes in (kept, ones)]
    spec = canonical(parts, range(2 * len(n)))
    return spec, tuple(n[k] for k in kept), (1, 1) * len(ones)


# Constants -------------------------------------------------------------------------------


def _kept(s: Spec) -> Indices:
    """The indices of a constant first operand that the other operand does not have."""
    others = {i for part in s[1:-1] for i in part}
    return tuple(i for i in dict.fromkeys(s[0]) if i not in others)


@condition
def constant_spreads(s: Spec) -> bool:
    """Whether all axes of the constant are new ones of the output."""
    return bool(s[0]) and _kept(s) == s[0] and {*s[0]} <= {*s[-1]}


@primitive
def spread_apart(s: Spec) -> tuple[Spec, Spec] | None:
    """Of a product with a constant that spreads: what the other operand is before, and the rest.

    None where the constant does not.

    >>> spread_apart(((0,), (1, 2), (1, 0)))
    (((0, 1), (0,)), ((0,), (1,), (1, 0)))
    """
    if not constant_spreads(s):
        return None
    kept = tuple(i for i in s[2] if i not in s[0])
    return canonical([s[1]], kept), canonical([s[0], kept], s[2])


@primitive
def absorbed(s: Spec) -> Spec | None:
    """The spec of the other operand alone; None where it lacks an index of the constant."""
    return None if _kept(s) else canonical(s[1:-1], s[-1])


class ConstantFactor(NamedTuple):
    """A constant factor with the axes that it must have, of sizes `dims`, and the spec with it.

    Over axes of the sizes `summed` only the constant is summed.
    """

    spec: Spec
    dims: Dims
    summed: Dims


@primitive
def shrunk(s: Spec, n: Dims) -> ConstantFactor | None:
    """A constant factor with fewer axes, or that is summed to a size; None where it vanishes."""
    size_of = dict(zip(s[0], n, strict=True))
    spread = tuple(i for i in _kept(s) if i in s[-1])
    summed = [i for i in _kept(s) if i not in s[-1]]
    if not summed and spread in ((), s[0]):
        return None
    spec = canonical([spread, *s[1:-1]], s[-1])
    return ConstantFactor(
        spec, tuple(size_of[i] for i in spread), tuple(size_of[i] for i in summed)
    )


# Axes of length 0 and 1 --------------------------------------------------------------------


@condition
def is_empty(*dims: Dims) -> bool:
    """Whether one of some tensors with these axes has no entries."""
    return any(0 in sizes for sizes in dims)


# The only index of an axis of length 1 is 0, so that a spec may call it anything: of many specs
# one is the first.


@condition
def has_other_spec(s: Spec, *dims: Dims) -> bool:
    """Whether a product with these operands is known by another spec, for axes of length 1."""
    return _with_length_one(s, dims) != s


@primitive
def first_spec(s: Spec, *dims: Dims) -> Spec:
    """The spec by which a product with axes of length 1 is known.

    Of two operands the last ones of the first are those of the second, as in a product of matrices,
    but for those that the output needs.
    """
    return _with_length_one(s, dims)


def _with_length_one(s: Spec, dims: tuple[Dims, ...]) -> Spec:
    *parts, out = s
    sizes: dict[int, Size] = {}
    for part, lengths in zip(parts, dims, strict=True):
        sizes.update(zip(part, lengths, strict=True))
    kept = sum(sizes[i] == 1 for i in out)
    fresh = count(max(sizes, default=0) + 1)
    short = [[next(fresh) for i in part if sizes[i] == 1] for part in parts]
    shared: list[int] = []
    if len(parts) == 2:
        first, second = map(len, short)
        both = min(first, second, first + second - kept)
        shared = short[0][first - both :]
        short[1][:both] = shared
    alone = [i for units in short for i in units if i not in shared]
    new = [
        _renamed(part, units, sizes)
        for part, units in zip((*parts, out), (*short, [*alone, *shared]), strict=True)
    ]
    return canonical(new[:-1], new[-1])


def _renamed(part: Indices, short: Iterable[int], sizes: Mapping[int, Size]) -> Indices:
    """The indices of a part, those of length 1 by new names."""
    names = iter(short)
    return tuple(next(names) if sizes[i] == 1 else i for i in part)


# Powers and two operands -----------------------------------------------------------------


@condition
def meets(s: Spec, a: Dims, b: Dims) -> bool:
    """Whether a spec is the element-wise product, where a scalar meets every entry."""
    return (a == b or not a or not b) and s == meet(a, b)


def _needed(left: Iterable[Number | int], right: Number) -> str | None:
    """What is needed of a base for which all powers on the left are defined, but not on the right.

    None where both sides are defined for the same bases.
    """
    exponents = [Fraction(p) for p in left]
    root = any(p.denominator > 1 for p in exponents) and Fraction(right).denominator == 1
    pole = any(p < 0 for p in exponents) and right >= 0
    if root:
        return POSITIVE_ALMOST if pole else NONNEGATIVE
    return NONZERO_ALMOST if pole else None


@condition
def keeps_domain(p: Number, q: Number | int) -> bool:
    """Whether aᵖ·a^q and a^(p+q) are defined for the same a."""
    return _needed((p, q), Fraction(p) + Fraction(q)) is None


@primitive
def needed_by_product(p: Number, q: Number | int) -> Property | None:
    """What aᵖ·a^q needs of a, and a^(p+q) does not; None where that is nothing."""
    return _needed((p, q), Fraction(p) + Fraction(q))


@condition
def keeps_domain_twice(p: Number, q: Number) -> bool:
    """Whether (aᵖ)^q is a^(p·q), and defined for the same a."""
    return not _loses_sign(p, q) and _needed(_base_exponents(p, q), Fraction(p) * q) is None


@primitive
def needed_by_power(p: Number, q: Number) -> Property | None:
    """What (aᵖ)^q needs of a, and a^(p·q) does not; None where that is nothing."""
    return None if _loses_sign(p, q) else _needed(_base_exponents(p, q), Fraction(p) * q)


def _loses_sign(p: Number, q: Number) -> bool:
    """Whether (aᵖ)^q is defined for negative a as well, and is |a|^(p·q) there."""
    return Fraction(p) % 2 == 0 and Fraction(q).denominator > 1


def _base_exponents(p: Number, q: Number) -> tuple[Number, Number]:
    """Exponents of which a base needs what it does in (aᵖ)^q."""
    fraction = (
        Fraction(1, 2)
        if Fraction(p).denominator > 1 or Fraction(q).denominator > 1
        else Fraction(1)
    )
    return fraction, Fraction(-1 if min(Fraction(p), Fraction(q)) < 0 else 1)


MOST_DIGITS = 448


@primitive
def whole_power(c: Number, p: Number) -> Number | None:
    """A rational to an integer power; None where that is undefined or huge."""
    c, p = Fraction(c), Fraction(p)
    if p.denominator != 1 or c == 0 or abs(p) > 64:
        return None
    # A tower of powers would have millions of digits.
    digits = len(str(max(abs(c.numerator), c.denominator)))
    return c ** int(p) if digits * abs(p) <= MOST_DIGITS else None


# Multiples and ones ----------------------------------------------------------------------


@primitive
def scaled_as(s: Spec) -> Spec:
    """The spec of a scalar times a tensor of the order of a spec's output."""
    return scaling(len(s[-1]))


@primitive
def summed_dims(s: Spec, n: Dims) -> Dims:
    """The sizes of the indices over which a unary spec sums."""
    size_of = dict(zip(s[0], n, strict=True))
    return tuple(size_of[i] for i in dict.fromkeys(s[0]) if i not in s[1])


@primitive
def one_sum_less(s: Spec, n: Dims) -> tuple[Spec, Dims]:
    """A unary spec without the first index over which it sums, and the sizes of its axes.

    >>> one_sum_less(((0, 1), (1,)), ("m", "n"))
    (((0,), (0,)), ('n',))
    """
    gone = next((i for i in s[0] if i not in s[1]), None)
    kept = [k for k, i in enumerate(s[0]) if i != gone]
    return canonical([[s[0][k] for k in kept]], s[1]), tuple(n[k] for k in kept)


# Sizes made of others --------------------------------------------------------------------


def _signed_parts(d: Size) -> tuple[AffineForm, AffineForm]:
    """The summands of a size, and what is taken away."""
    whole = size_form(d)
    taken = form(term for term in whole if term[1] < 0)
    return form(term for term in whole if term[1] > 0), times_form(-1, taken)


@primitive
def as_difference(d: Size) -> tuple[object, object] | None:
    """Of a size that is a difference, from what is taken, and what; None for any other."""
    added, taken = _signed_parts(d)
    return (as_size(added), as_size(taken)) if added and taken else None


@primitive
def as_sum(d: Size) -> tuple[object, object] | None:
    """Of a size that is a sum, the first summand and all others; None for any other."""
    added, taken = _signed_parts(d)
    return (as_size(added[:1]), as_size(added[1:])) if len(added) > 1 and not taken else None


@primitive
def multiplier(d: Size) -> Number | None:
    """Of a size that is a multiple of a symbol, how often it is taken; None for any other."""
    whole = size_form(d)
    multiple = len(whole) == 1 and whole[0][0] != "" and whole[0][1] > 1
    return Fraction(whole[0][1]) if multiple else None


@primitive
def multiplicand(d: Size) -> object:
    """Of a size that is a multiple of a symbol, the symbol."""
    return size_form(d)[0][0]


# Maxima and minima along axes ------------------------------------------------------------


@primitive
def spread_back(s: Spec) -> Spec:
    """The product of what is left of a reduction with ones along the axes that went."""
    return canonical(*_spread_back(s))


def _spread_back(s: Spec) -> tuple[list[Indices], Indices]:
    source, out = s
    return [out, tuple(i for i in source if i not in out)], source


@primitive
def weighted(s: Spec) -> Spec:
    """The spec of a weighted sum, over the axes that a unary spec sums."""
    return (s[0], s[0], s[1])


@primitive
def behind(s: Spec, lead: Dims) -> Spec:
    """The unary spec for what has other axes before its own."""
    first = fresh(len(lead), *s)
    return canonical([first + s[0]], first + s[1])


@primitive
def turned(s: Spec, t: Spec) -> tuple[Spec, Spec]:
    """The reduction `s` of what `t` transposes: first one in the old order, then a transpose."""
    source, out = compose(s, t)
    kept = [i for i in source if i in out]
    return canonical([source], kept), canonical([kept], out)


# Reverse mode ----------------------------------------------------------------------------


def _axes(g: Dims, node: Dims) -> tuple[Indices, Indices]:
    """The axes of a cotangent: the root's, then its node's."""
    axes = tuple(range(len(g)))
    return axes[: len(g) - len(node)], axes[len(g) - len(node) :]


@primitive
def lead_meet(g: Dims, node: Dims, a: Dims, b: Dims) -> Spec:
    """Multiply a node's cotangent by a tensor of its axes, or none; the result is one for `a`."""
    lead, axes = _axes(g, node)
    return canonical([lead + axes, axes if b else ()], lead + axes if a else lead)


# What many laws ask -------------------------------------------------------------------


@condition
def is_elementwise(s: Spec) -> bool:
    """Whether a spec is the element-wise product."""
    return s[0] == s[1] == s[2] and len(set(s[0])) == len(s[0])


@condition
def sums_nothing(s: Spec) -> bool:
    """Whether a product, of one operand or two, sums over no index."""
    return {i for part in s[:-1] for i in part} == set(s[-1])


@condition
def is_matrix_product(s: Spec) -> bool:
    """Whether the product contracts one axis of each matrix crosswise: M·N or its transpose."""
    return s in (MATRIX_PRODUCT, ((0, 1), (1, 2), (2, 0)))


@primitive
def result_dims(s: Spec, *operands: Dims) -> Dims:
    """The axes of a product."""
    return output_dims(s, *operands)


@condition
def is_integer(p: Number) -> bool:
    """Whether a number is an integer."""
    return Fraction(p).denominator == 1


@condition
def jumps_at_integers(f: str) -> bool:
    """Whether a function is constant but for jumps at integers."""
    function = record(f)
    between = [function.exact(Fraction(n, 4)) for n in (3, 5)]
    return function.stepwise and not function.is_test and between[0] != between[1]


@condition
def is_extreme(f: Name) -> bool:
    """Whether an operation is a maximum or a minimum along axes."""
    return f in EXTREMES


@condition
def is_greatest(f: Name) -> bool:
    """Whether an operation is a maximum along axes."""
    return f == "max"


@primitive
def other_extreme(f: Name) -> Name:
    """The maximum for the minimum, and the other way round."""
    return "min" if f == "max" else "max"


@condition
def is_spread_back(t: Spec, s: Spec) -> bool:
    """Whether a product spreads what is left of a reduction along the axes that went.

    >>> is_spread_back(((0,), (1,), (0, 1)), ((0, 1), (0,)))
    True
    """
    return canonical(t[:2], t[2]) == canonical(*_spread_back(s))


# Stacks of matrices ------------------------------------------------------------------------


@primitive
def grouped(text: str, *operands: Dims) -> Spec:
    """The spec that a text says, in which capitals stand for as many axes as operands have there.

    >>> grouped("LBij,Bjk->LBik", ("m", 2, 3), (3, 4))
    ((0, 1, 2), (2, 3), (0, 1, 3))
    """
    parts = text.split("->", maxsplit=1)[0].split(",")
    many: dict[str, int] = {}
    # Capitals that one operand alone leaves open; a round for each operand that waits for others.
    for part, shape in [*zip(parts, operands, strict=True)] * len(parts):
        missing = {letter for letter in part if letter.isupper()} - many.keys()
        if len(missing) == 1:
            (letter,) = missing
            many[letter] = len(shape) - sum(many.get(c, c.islower()) for c in part)
    names = {c: [f"{c}{k}" for k in range(n)] for c, n in many.items()}
    given, out = text.split("->")
    parts = [[i for c in part for i in names.get(c, [c])] for part in (*given.split(","), out)]
    return canonical(parts[:-1], parts[-1])


@primitive
def grouped_dims(text: str, *operands: Dims) -> Dims:
    """The axes of the product that `grouped` gives the spec of."""
    return output_dims(grouped(text, *operands), *operands)


@primitive
def twice_as_long(a: Dims) -> Dims:
    """The axes of a matrix with as many columns as the last axis is long, and twice the rows."""
    return (as_size(times_form(2, size_form(a[-1]))), a[-1])


@primitive
def half(a: Dims, place: int) -> Constraints:
    """Where a matrix with twice the rows is 1, if it is the identity in one half."""
    shift = times_form(-place, size_form(a[-1]))
    return canonical_constraints(twice_as_long(a), [("=", form([(0, 1), (1, -1), *shift]))])


@primitive
def below_diagonal(a: Dims, by: int) -> Constraints:
    """Where a square matrix is below its diagonal by some places or more."""
    return canonical_constraints(a[-1:] * 2, [(">=", form([(0, 1), (1, -1), ("", -by)]))])


# Choices ---------------------------------------------------------------------------------


def _broadcast_axes(s: Spec) -> Indices | None:
    """The indices to which both operands of a product are broadcast before it is summed.

    They are those of one operand that has all those of the other, or of the output where nothing
    is summed. None for other products, for which that would be larger than what is asked for.
    """
    left, right, out = s
    if any(len(set(part)) < len(part) for part in s):
        return None
    for part in (left, right):
        if {*left, *right} <= {*part}:
            return part
    return out if {*left, *right} <= {*out} else None


class Broadcast(NamedTuple):
    """The operands of a product, broadcast to all of its axes `dims` before any is summed.

    `left` and `right` are the specs of an operand times ones along the axes that it lacks, of the
    sizes `left_ones` and `right_ones`. `spec` is that of the product, `rest` sums and transposes.
    """

    left: Spec
    left_ones: Dims
    right: Spec
    right_ones: Dims
    spec: Spec
    dims: Dims
    rest: Spec


@primitive
def broadcast(s: Spec, n: Dims, m: Dims) -> Broadcast | None:
    """How operands are broadcast; None where that is larger than an operand and the output."""
    axes = _broadcast_axes(s)
    if axes is None:
        return None
    size = dict(zip((*s[0], *s[1]), (*n, *m), strict=True))

    def spread(part: Indices) -> tuple[Spec, Dims]:
        lacking = [i for i in axes if i not in part]
        return canonical([part, lacking], axes), tuple(size[i] for i in lacking)

    spec, dims = canonical(s[:2], axes), tuple(size[i] for i in axes)
    return Broadcast(*spread(s[0]), *spread(s[1]), spec, dims, canonical([axes], s[2]))


class WithOnes(NamedTuple):
    """The spec of a tensor times ones, and the sizes of their axes."""

    spec: Spec
    ones: Dims


@primitive
def spread_within(t: Spec, s: Spec, m: Dims) -> WithOnes | None:
    """A condition times ones, which together have the axes `m` of the second factor of a product.

    The condition is spread by `t` over the axes of the product `s`. None where the second factor
    lacks an axis of the condition.
    """
    tested, _, whole = t
    distinct = all(len(set(part)) == len(part) for part in (*t, *s))
    if not distinct or len(whole) != len(s[2]) or not {*tested} <= {*whole}:
        return None
    index = dict(zip(whole, s[2], strict=True))
    known = tuple(index[i] for i in tested)
    if not {*known} <= {*s[1]}:
        return None
    lacking = {i: d for i, d in zip(s[1], m, strict=True) if i not in known}
    return WithOnes(canonical([known, [*lacking]], s[1]), (*lacking.values(),))


# Functions by others ---------------------------------------------------------------------


@condition
def is_matrix(n: Dims) -> bool:
    """Whether a tensor has two axes."""
    return len(n) == 2


# Functions where a sign is known ---------------------------------------------------------


@condition
def undoes(f: Name, g: Name) -> bool:
    """Whether f(g(a)) = a wherever g is defined, between -1 and 1."""
    return record(g).undone_by == f and record(g).domain == (-1, 1)


@primitive
def magnitude(c: Number) -> Number:
    """The absolute value of a number."""
    return abs(Fraction(c))


@primitive
def sign_of(c: Number) -> Number:
    """1, 0 or -1, as a number is above, at or below 0."""
    return Fraction((c > 0) - (c < 0))


@condition
def keeps_sign(p: Number) -> bool:
    """Whether aᵖ > 0 only where a > 0."""
    p = Fraction(p)
    return p != 0 and (p.denominator != 1 or p.numerator % 2 == 1)


# Matrices --------------------------------------------------------------------------------


@condition
def is_square(n: Dims) -> bool:
    """Whether a matrix has as many rows as columns."""
    return len(n) == 2 and n[0] == n[1]


@primitive
def reciprocal(c: Number) -> Number | None:
    """One over a number; None for 0."""
    return None if c == 0 else Number(1) / Number(c)


@primitive
def without_scalar(s: Spec) -> Spec | None:
    """The unary spec that is left of a product with a scalar first operand; None otherwise."""
    return (s[1], s[2]) if s[0] == () else None


@condition
def one_axis(n: Dims) -> bool:
    """Whether a delta is an identity matrix."""
    return len(n) == 1


# Facts -----------------------------------------------------------------------------------


@condition
def is_declared(x: Variable, word: str) -> bool:
    """Whether something is assumed of a variable."""
    return word in x[2]


@condition
def are_all(c: Entries, word: str) -> bool:
    """Whether all numbers of an array are so."""
    return word in c[1]


# Of two entries the one is never taken.
_NEVER_TAKEN: Final = {"maximum": "least", "minimum": "greatest"}


@condition
def never_takes(f: Name, c: Entries) -> bool:
    """Whether a maximum or minimum of two takes no number of an array where there is another.

    >>> from eggrad.engine.terms.fixed_arrays import fixed_array
    >>> never_takes("minimum", fixed_array(float("inf")).entries)
    True
    """
    return _NEVER_TAKEN.get(f) in c[1]


@condition
def is_even_power(p: Number) -> bool:
    """Whether a number is an even integer."""
    return Fraction(p) % 2 == 0


@condition
def is_odd_power(p: Number) -> bool:
    """Whether a number is an odd integer."""
    return Fraction(p) % 2 == 1


@condition
def never_negative_power(p: Number) -> bool:
    """Whether aᵖ ≥ 0 for all a for which it is defined."""
    p = Fraction(p)
    return p.denominator > 1 or p.numerator % 2 == 0


@condition
def is_no_number(b: object) -> bool:
    """Whether a term is no constant."""
    return isinstance(b, Term) and b.op != "constant"


# Fast forms ------------------------------------------------------------------------------


@condition
def shrinks(s: Spec) -> bool:
    """Whether a product has fewer axes than its left operand, at least a matrix."""
    return len(s[2]) < len(s[0]) > 1


@condition
def lengthens(s: Spec) -> bool:
    """Whether a product with an indicator has an axis that the other operand lacks."""
    return not {*s[2]} <= {*s[1]}


# Forms for people -----------------------------------------------------------------------


@condition
def multiplies_matrices(s: Spec) -> bool:
    """Whether a product sums over one axis of two matrices, and keeps the two others.

    >>> multiplies_matrices(((0, 1), (0, 2), (2, 1)))
    True
    """
    a, b, out = s
    summed = {*a} & {*b}
    return (
        len({*a}) == len(a) == len({*b}) == len(b) == len(out) == 2
        and len(summed) == 1
        and {*out} == {*a} ^ {*b}
    )


@primitive
def reversed_axes(s: Spec) -> Spec:
    """The spec of a product of matrices, each of them and the whole transposed.

    >>> reversed_axes(((0, 1), (1, 2), (0, 2)))
    ((0, 1), (2, 0), (2, 1))
    """
    a, b, out = s
    return canonical([a[::-1], b[::-1]], out[::-1])


@primitive
def exchanged_product(s: Spec) -> Spec:
    """The spec of v·u for that of a product u·v of matrices, either of them transposed or not.

    >>> exchanged_product(((0, 1), (2, 1), (0, 2)))
    ((0, 1), (0, 2), (1, 2))
    """
    a, b, out = s
    (inner,) = {*a} & {*b}
    # u has one of the axes of the result, which is summed now, and v the other one.
    new = max(*a, *b) + 1
    first = tuple(new if i == inner else out[0] for i in a)
    second = tuple(inner if i == inner else out[0] for i in b)
    return canonical([second, first], (inner, new))


@primitive
def inner_axis(s: Spec, n: Dims) -> Dims:
    """The size of the axis that a product of matrices sums, the first of axes `n`.

    >>> inner_axis(((0, 1), (2, 1), (0, 2)), ("m", "n"))
    ('n',)
    """
    a, b, _ = s
    return tuple(d for i, d in zip(a, n, strict=True) if i in b)


# Stable forms ----------------------------------------------------------------------------


@condition
def sums_axes(s: Spec) -> bool:
    """Whether a unary spec sums over axes and does nothing else."""
    return len(set(s[0])) == len(s[0]) > len(s[1]) and s[1] == tuple(i for i in s[0] if i in s[1])


@condition
def spreads_again(t: Spec, s: Spec) -> bool:
    """Whether a product with ones lays a sum of the unary spec s along the axes that s took.

    >>> spreads_again(((0,), (1,), (1, 0)), ((0, 1), (1,)))
    True
    """
    kept, ones, out = t
    if not sums_axes(s) or len(out) != len(s[0]) or len(set(out)) < len(out):
        return False
    places = [out.index(i) if i in out else -1 for i in kept]
    return {*ones} <= {*out} and places == [s[0].index(i) for i in s[1]]


@primitive
def squared_sum(s: Spec) -> Spec | None:
    """The unary spec of a sum of squares; None where the two factors have different axes."""
    if s[0] != s[1] or len(set(s[0])) < len(s[0]) or len(s[0]) == len(s[2]):
        return None
    return (s[0], s[2]) if s[2] == tuple(i for i in s[0] if i in s[2]) else None


@primitive
def doubled(p: Number) -> Number | None:
    """Twice an exponent that is half of an odd number; None for any other."""
    return 2 * p if Fraction(p).denominator == 2 else None


class LinearSystem(NamedTuple):
    """How the matrix and the right side of a linear system are turned, and then its solution."""

    matrix: Spec
    right: Spec
    solution: Spec


@primitive
def linear_system(s: Spec) -> LinearSystem | None:
    """The system whose solution is a product with an inverse; None where there is none.

    The product sums one axis of the matrix with one axis of its other operand, which comes first.
    """
    (i, j), part, out = s if len(s[0]) == 2 else ((0, 0), (), ())
    for turned, summed, kept in (((1, 0), i, j), ((0, 1), j, i)):
        if i != j and part.count(summed) == 1 and summed not in out and kept not in part:
            if len(set(part)) < len(part) or len(out) != len(part):
                return None
            rest = [k for k in part if k != summed]
            solution = canonical([(kept, *rest)], out)
            return LinearSystem(((0, 1), turned), canonical([part], (summed, *rest)), solution)
    return None
