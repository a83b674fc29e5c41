"""What rules compute on specs and sizes: primitives, to be called with values or with patterns."""

from collections.abc import Iterable

from eggrad.engine.indices.spec import Indices, canonical, hadamard, scaling, transposition
from eggrad.engine.laws.language import Dims, Spec, condition, primitive

__all__ = [
    "chain",
    "compose",
    "distinct",
    "inline",
    "is_identity",
    "lift",
    "lift_second",
    "outer",
    "swap",
]


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
