"""Axes as long as products of symbols: what `ravel`, `reshape` and `kron` make of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import prod
from operator import mul
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import Any, Final, NoReturn

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from eggrad.engine.errors import ShapeError, UnsupportedOperation
from eggrad.engine.indices.spec import Dims, Size
from eggrad.engine.indices.texts import shown
from eggrad.engine.terms.binding import Array
from eggrad.frontend.expression import axes as ax
from eggrad.frontend.expression import functions as language
from eggrad.frontend.expression.expression import (
    Condition,
    Expression,
    MergedAxes,
    as_expression,
    numpy_method,
    unified,
)
from eggrad.frontend.expression.numpy_protocols import call_function, call_ufunc

_REDUCTIONS: Final = (np.sum, np.mean, np.max, np.min, np.ptp, np.var, np.std)
_ENTRYWISE: Final = (np.where, np.clip, np.zeros_like, np.ones_like, np.full_like)


def _reduction(name: str) -> Callable[..., "Merged | Expression"]:
    def method(self: "Merged", axis: Any = None) -> "Merged | Expression":
        return getattr(np, name)(self, axis=axis)

    method.__name__, method.__qualname__ = name, f"Merged.{name}"
    return method


@dataclass(frozen=True, eq=False, repr=False)
class Merged(MergedAxes, NDArrayOperatorsMixin):
    """An array some of whose axes are several in one, as the rows (i, j) of `kron(A, B)`.

    No size is the product of two symbols, so this is no expression. `entries` is one, in which
    every axis stands for itself; `groups` says how many of them each axis here is made of, the
    last counted fastest. What has no such axis left is an expression again.

    >>> A, X = language.variable("A", ("m", "n")), language.variable("X", ("n", "k"))
    >>> B = language.variable("B", ("p", "k"))
    >>> (np.kron(A, B) @ X.ravel()).reshape("m", "p").to("matrix")
    "A*X*B'"
    """

    entries: Expression
    groups: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.groups)

    @property
    def shape(self) -> "tuple[Size | Expression, ...]":
        """The size of each axis; a scalar expression where it is a product."""
        return tuple(sizes[0] if len(sizes) == 1 else _product(sizes) for sizes in self._sizes())

    @property
    def size(self) -> "Expression | int":
        """The number of entries."""
        return self.entries.size

    @property
    def T(self) -> "Merged":  # noqa: N802 - NumPy's name
        """The axes in reverse order."""
        order = [k for axes in reversed(self._axes()) for k in axes]
        return Merged(ax.permuted(self.entries, order), self.groups[::-1])

    def evaluate(self, values: Mapping[str, Any] | None = None, **options: Any) -> Array:
        """The value, as of an expression."""
        found = self.entries.evaluate(values, **options)
        return found.reshape([prod(found.shape[k] for k in axes) for axes in self._axes()])

    def __repr__(self) -> str:
        """Show the axes."""
        return f"<Merged of axes {self._described()}, entries {self.entries!r}>"

    def __len__(self) -> NoReturn:
        """Refuse: how long an axis is is not known."""
        raise UnsupportedOperation(f"how long the axes {self._described()} are is not known")

    def __iter__(self) -> NoReturn:
        """Refuse likewise."""
        len(self)
        raise AssertionError

    def __getitem__(self, key: object) -> NoReturn:
        """Refuse: which index an entry has among several depends on the sizes."""
        raise UnsupportedOperation(
            f"entries of an array with axes {self._described()} are those of its property 'entries'"
        )

    def __getattr__(self, name: str) -> NoReturn:
        """Refuse the methods of NumPy's arrays that are missing."""
        if hasattr(np.ndarray, name) and not name.startswith("_"):
            raise _unsupported(f"ndarray.{name}")
        raise AttributeError(f"'Merged' object has no attribute {shown(name)}", name=name, obj=self)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> "Merged | Expression":
        """NumPy's element-wise functions, and the product."""
        if ufunc is np.matmul and method == "__call__" and not options:
            return _matmul(*inputs)
        if method != "__call__" or ufunc.signature:
            raise _unsupported(f"{ufunc.__name__}.{method}")
        return _entrywise(
            ufunc.__name__, lambda *entries: call_ufunc(ufunc, method, entries, options)
        )(*inputs)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: object,
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """NumPy's other functions, those of `_FUNCTIONS`."""
        if function in _REDUCTIONS:
            return _reduced(function, *args, **options)
        if function in _ENTRYWISE:
            name = function.__name__
            build = _entrywise(name, lambda *entries: call_function(function, entries, options))
            return build(*args)
        if function not in _FUNCTIONS:
            raise _unsupported(function.__name__)
        return _FUNCTIONS[function](*args, **options)

    sum, mean, max, min = map(_reduction, ("sum", "mean", "max", "min"))
    dot = numpy_method("dot")
    ravel = flatten = numpy_method("ravel")
    trace = numpy_method("trace")

    def reshape(self, *shape: Any) -> "Merged | Expression":
        """`numpy.reshape`, to a tuple of sizes or to several."""
        return reshaped(self.entries, shape[0] if len(shape) == 1 else shape)

    def _axes(self) -> list[range]:
        """The axes of the entries that each axis is made of."""
        ends = list(accumulate(self.groups))
        return [range(end - count, end) for count, end in zip(self.groups, ends, strict=True)]

    def _sizes(self) -> list[Dims]:
        return [tuple(self.entries.shape[k] for k in axes) for axes in self._axes()]

    def _described(self) -> str:
        return f"({', '.join('·'.join(map(str, sizes)) for sizes in self._sizes())})"


def merged_array(entries: Expression, groups: Sequence[int]) -> Merged | Expression:
    """The array with these groups of axes merged, really so where their sizes are integers."""
    counts = list(groups)
    for place, axes in reversed(list(enumerate(Merged(entries, tuple(groups))._axes()))):
        if len(axes) > 1 and all(isinstance(entries.shape[k], int) for k in axes):
            entries, counts[place] = ax.merged(entries, axes[0], len(axes)), 1
        # An axis of length 1 would be repeated along another's.
        elif ones := [k for k in axes if len(axes) > 1 and entries.shape[k] == 1]:
            entries, counts[place] = ax.squeezed(entries, ones), len(axes) - len(ones)
    return entries if max(counts, default=1) == 1 else Merged(entries, tuple(counts))


def reshaped(f: Expression, shape: Any) -> Merged | Expression:
    """`numpy.reshape`; a size may be -1 or a product of sizes, as `m * n` is.

    >>> A = language.variable("A", ("m", "n"))
    >>> reshaped(A, -1)
    <Merged of axes (m·n), entries Expression((m, n): A)>
    """
    several = isinstance(shape, tuple | list) or (isinstance(shape, np.ndarray) and shape.ndim == 1)
    given: Sequence[Any] = tuple(shape) if several else (shape,)
    wanted: list[Any] = [int(d) if isinstance(d, np.integer) else d for d in given]
    for d in wanted:
        if not isinstance(d, int | str | Expression) or isinstance(d, bool):
            raise UnsupportedOperation(
                f"reshape from ({', '.join(map(str, f.shape))}): a size is an integer, a symbol, "
                f"or the product of sizes of axes beside each other, not {shown(d)}"
            )
    longer = [d for d in wanted if not _is(d, 1)]
    kept = [k for k, d in enumerate(f.shape) if d != 1]
    counts = _matched([f.shape[k] for k in kept], longer)
    if counts is None or max(counts, default=1) == 1:
        for d in wanted:
            if not isinstance(d, int | str):
                raise UnsupportedOperation(
                    f"reshape from ({', '.join(map(str, f.shape))}): a size is an integer, a "
                    f"symbol, or the product of sizes of axes beside each other, not {shown(d)}"
                )
        return ax.reshaped(f, wanted)
    squeezed = ax.squeezed(f, [k for k, d in enumerate(f.shape) if d == 1])
    rest = iter(counts)
    groups = [1 if _is(d, 1) else next(rest) for d in wanted]
    places = [sum(groups[:k]) for k, d in enumerate(wanted) if _is(d, 1)]
    return merged_array(ax.expanded(squeezed, places), groups)


def _is(size: object, number: int) -> bool:
    return isinstance(size, int) and size == number


def _matched(sizes: Sequence[Size], wanted: Sequence[Any]) -> list[int] | None:
    """How many sizes make up each wanted one; None where they do not."""
    if not wanted:
        return None if sizes else []
    first, *others = wanted
    for count in range(1, len(sizes) + 1):
        part = sizes[:count]
        if isinstance(first, Expression):
            fits = _product(part) is first
        else:
            fits = _is(first, -1) or [first] == list(part)
        if fits and (rest := _matched(sizes[count:], others)) is not None:
            return [count, *rest]
    return None


def kron(a: Any, b: Any) -> Merged | Expression:
    """`numpy.kron`; of fewer axes, the first ones have length 1."""
    pair = [as_expression(a), as_expression(b)]
    order = max(f.ndim for f in pair)
    left, right = (ax.expanded(f, range(order - f.ndim)) for f in pair)
    first, second = ascii_lowercase[:order], ascii_uppercase[:order]
    both = "".join(map("".join, zip(first, second, strict=True)))
    return merged_array(language.einsum(f"{first},{second}->{both}", left, right), (2,) * order)


def _product(sizes: Sequence[Size]) -> Expression:
    return reduce(mul, map(as_expression, sizes))


def _operand(value: object) -> Merged:
    if isinstance(value, Merged):
        return value
    if isinstance(value, Condition):
        value = value.test
    entries = as_expression(value)
    return Merged(entries, (1,) * entries.ndim)


def _entrywise(
    what: str, build: Callable[..., "Expression | Condition"]
) -> "Callable[..., Merged | Expression]":
    """A function of the entries; axes meet from the right, merged ones with their like."""

    def function(*args: object) -> Merged | Expression:
        operands = [_operand(a) for a in args]
        widest = max(operands, key=lambda m: m.ndim)
        for m in operands:
            _check_merged(what, widest, m, slice(widest.ndim - m.ndim, None), slice(None))
        made = build(*(m.entries for m in operands))
        # A comparison is 1 where it holds.
        entries = made.test if isinstance(made, Condition) else made
        return merged_array(entries, widest.groups)

    return function


def _check_merged(what: str, a: Merged, b: Merged, first: slice, second: slice) -> None:
    """Raise where some axes of one are not made of as many as those of another, in their order."""
    pairs = list(zip(a._sizes()[first], b._sizes()[second], strict=True))
    turned = [p for p, q in pairs if p != q and {*p} == {*q} and len(p) > 1]
    if turned or any(len(p) != len(q) for p, q in pairs):
        raise UnsupportedOperation(
            f"{what} of axes {a._described()} and {b._described()}: an axis as long as a product "
            "of sizes meets one of the same sizes in the same order alone; reshape the other one "
            "likewise"
        )


def _matmul(a: object, b: object) -> Merged | Expression:
    left, right = _operand(a), _operand(b)
    if not (1 <= left.ndim <= 2 and 1 <= right.ndim <= 2):
        raise ShapeError("@ of arrays with merged axes: both sides are vectors or matrices")
    _check_merged("@", left, right, slice(-1, None), slice(1))
    pairs = zip(left._sizes()[-1], right._sizes()[0], strict=True)
    what = f"@ of axes {left._described()} and {right._described()}"
    p, q = unified([left.entries, right.entries], pairs, what)
    inner = right.groups[0]
    rows, columns = p.ndim - inner, q.ndim - inner
    first = ascii_letters[: p.ndim]
    second = ascii_letters[rows : p.ndim + columns]
    product = language.einsum(f"{first},{second}->{first[:rows]}{second[inner:]}", p, q)
    return merged_array(product, (*left.groups[:-1], *right.groups[1:]))


def _outer(a: object, b: object) -> Merged | Expression:
    left, right = _operand(a), _operand(b)
    if left.ndim != 1 or right.ndim != 1:
        raise ShapeError("outer: the arguments are vectors")
    first, second = left.groups[0], right.groups[0]
    letters = ascii_letters[: first + second]
    spec = f"{letters[:first]},{letters[first:]}->{letters}"
    return merged_array(language.einsum(spec, left.entries, right.entries), (first, second))


def _trace(a: Merged) -> Expression:
    if a.ndim != 2 or a.groups[0] != a.groups[1]:
        raise ShapeError(f"trace of axes {a._described()}: the argument is a square matrix")
    (square,) = unified([a.entries], zip(*a._sizes(), strict=True), f"trace of {a._described()}")
    return language.einsum(f"{ascii_letters[: a.groups[0]] * 2}->", square)


def _reduced(function: Callable[..., Any], a: Merged, axis: Any = None) -> Merged | Expression:
    """A sum, a mean, an extreme along some axes."""
    gone = range(a.ndim) if axis is None else ax.normalized(function.__name__, axis, a.ndim)
    axes = tuple(k for place, group in enumerate(a._axes()) if place in gone for k in group)
    made = call_function(function, [a.entries], {"axis": axes})
    return merged_array(made, [count for place, count in enumerate(a.groups) if place not in gone])


def _norm(a: Merged, ord: Any = None) -> Expression:
    if ord not in (None, "fro" if a.ndim == 2 else 2):
        raise _unsupported(f"linalg.norm with ord={shown(ord)}")
    return call_function(np.linalg.norm, [a.entries], {})


def _unsupported(what: str) -> UnsupportedOperation:
    return UnsupportedOperation(
        f"numpy.{what} of an array with axes as long as products of sizes is not supported; its "
        "property 'entries' is an expression in which each axis stands for itself, and sizes that "
        "are numbers have no such axes"
    )


_FUNCTIONS: Final[Mapping[object, Callable[..., Any]]] = {
    **dict.fromkeys((np.dot, np.vdot, np.inner, np.matmul), _matmul),
    np.outer: _outer,
    np.trace: _trace,
    np.transpose: lambda a: a.T,
    np.reshape: lambda a, shape: reshaped(a.entries, shape),
    np.ravel: lambda a: reshaped(a.entries, -1),
    np.linalg.norm: _norm,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
}
