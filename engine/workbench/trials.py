"""Values at which a law is tried: ordinary ones, and those where it could break.

A law that is false in one place alone is false at a number that it names, at a kink, tie or end of
a domain of one of its operations, at a matrix of some structure, or far out. Normal numbers show
none of these. What the operations break at is found by solving for one variable.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isfinite, isnan, pi
from typing import Final

import numpy as np

from eggrad.engine.indices.texts import as_float
from eggrad.engine.laws.matching import SYMBOLS
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, postorder, variables

FAR: Final = 50.0

Values = dict[str, Array]


@dataclass(frozen=True)
class Trial:
    """Values of variables; `special` ones may be among exceptions without interior."""

    values: Mapping[str, Array]
    special: bool = False

    @property
    def is_far(self) -> bool:
        """Whether a number is large or small enough for exponentials and products to overflow."""
        sizes = [np.abs(v[v != 0]) for v in self.values.values()]
        return any(((v > FAR) | (v < 1 / FAR)).any() for v in sizes)


# How often each kind of values is drawn, where the operations of a law break and where none does.
_KINDS: Final = ("normal", "special", "between 0 and 1", "near", "far", "structured", "at a break")
_SHARES: Final = {
    True: (0.18, 0.15, 0.15, 0.15, 0.08, 0.05, 0.24),
    False: (0.28, 0.18, 0.20, 0.12, 0.08, 0.08, 0.06),
}
_SMOOTH: Final = (0.55, 0, 0.3, 0.15, 0, 0, 0)


def trial(
    unknowns: Sequence[Term],
    sides: Sequence[Term],
    numbers: Iterable[Fraction],
    rng: np.random.Generator,
    *,
    smooth: bool = False,
) -> Trial:
    """Values of the variables `unknowns` of the terms `sides`.

    `numbers` are those that the law has beside the ones in its terms. `smooth` values are neither
    special ones, at whose kinks differences say nothing, nor far out. Variables of which something
    is declared have it.
    """
    sharp = [t for t in postorder(*sides) if t.op in _SHARP]
    kind = str(rng.choice(_KINDS, p=_SMOOTH if smooth else _SHARES[bool(sharp)]))
    special = kind == "special"
    drawn = oracle.random_values(unknowns, SYMBOLS, rng, kind if special else "normal")
    free = {v.name: drawn[v.name] for v in unknowns if not v.assumed}
    exact = not smooth and rng.random() < 0.5
    match kind:
        case "special" if rng.random() < 0.3:
            return Trial(drawn | {n: v / 2 for n, v in free.items()}, special)
        case "between 0 and 1":
            return Trial(drawn | {n: np.abs(v) % 0.9 + 0.05 for n, v in free.items()})
        case "near":
            known = _constants(sides, numbers)
            return Trial(drawn | {n: _near(known, v, rng, exact) for n, v in free.items()}, exact)
        case "far":
            return Trial(drawn | {n: _far(v, rng) for n, v in free.items()})
        case "structured":
            return Trial(drawn | _structured(free, rng), special=True)
        case "at a break":
            nodes = sharp if sharp and rng.random() < 0.8 else [*postorder(*sides)]
            own_breaks = list(_breaks(nodes[rng.integers(len(nodes))], _constants(sides, numbers)))
            return _at_break(own_breaks, drawn, free, rng, exact) or Trial(drawn)
        case _:
            return Trial(drawn, special)


# The numbers of a law, and what is made of them ------------------------------------------------

_MOST: Final = 8


def _constants(sides: Sequence[Term], numbers: Iterable[Fraction]) -> list[float]:
    """The numbers that occur, but for the least telling ones, as many as are of use."""
    found = [*numbers, *(t.value for t in postorder(*sides) if t.op == "constant")]
    magnitudes = dict.fromkeys(abs(as_float(n)) for n in found)
    return [n for n in magnitudes if isfinite(n) and n not in (0, 1)][:_MOST]


def _near(known: Sequence[float], like: Array, rng: np.random.Generator, exact: bool) -> Array:
    """Entries that are a law's numbers, or simple functions of one or two; or beside those."""
    candidates = [*known, 1.0, 1.0, 0.5]
    n, m = (rng.choice(candidates, like.shape) for _ in range(2))
    kinds = [n, n + 1, n - 1, 2 * n, 1 / n, n / 2, n + m, n - m, n * m, n / m, n + 0.5]
    with np.errstate(over="ignore"):
        signs = rng.choice([-1.0, 1.0], like.shape)
        found = signs * np.choose(rng.integers(len(kinds), size=like.shape), kinds)
        return found if exact else found + like * rng.choice([0.1, 1.0]) * (1 + np.abs(found)) / 3


def _far(like: Array, rng: np.random.Generator) -> Array:
    """Numbers of any magnitude, the modest ones more often."""
    most = rng.choice([3.0, 3.0, 6.0, 12.0, 300.0])
    least = rng.choice([0.0, 0.0, -most])
    return np.sign(like) * 10 ** rng.uniform(least, most, like.shape)


# Ties, and the structure of matrices -------------------------------------------------------------


def _structured(free: Values, rng: np.random.Generator) -> Values:
    """Matrices of a structure that is seldom drawn, and variables that are made of others."""
    found = {name: _with_structure(v, rng) for name, v in free.items()}
    names = sorted(found)
    for name, other in zip(names[1:], names, strict=False):
        made = [
            m for m in (found[other], -found[other], found[other].T) if m.shape == found[name].shape
        ]
        if made and rng.random() < 0.5:
            found[name] = made[rng.integers(len(made))]
    return found


def _with_structure(a: Array, rng: np.random.Generator) -> Array:
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not a.size:
        return np.full_like(a, a.flat[0]) if a.size else a
    made: tuple[Callable[[], Array], ...] = (
        lambda: a + a.T,
        lambda: a - a.T,
        lambda: np.diag(np.diagonal(a)),
        lambda: np.tril(a),
        lambda: np.eye(len(a)) * a[0, 0],
        lambda: np.outer(a[0], a[0]),
        lambda: np.linalg.qr(a)[0],
        lambda: a @ a.T,
    )
    return made[int(rng.integers(len(made)))]()


# Where an operation breaks -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Break:
    """A quantity, made of the operands of a node, and the numbers at which the node breaks."""

    operands: tuple[Term, ...]
    quantity: Callable[..., Array]
    numbers: tuple[float, ...]


def _first(x: Array) -> Array:
    return x


# What two operands are compared by, and where they are rounded to.
_COMPARING: Final = frozenset({
    "maximum", "minimum", "greater", "greater_equal", "equal", "not_equal", "logaddexp", "where",
})  # fmt: skip
_TURNING: Final = tuple(k * pi / 2 for k in (0, 1, -1, 2, -2, 3, -3))
_ROUNDED: Final = tuple(k / 2 for k in range(-5, 6))
_PLAIN: Final = (0.0, 1.0, -1.0)


def _breaks(t: Term, known: Sequence[float]) -> Iterator[_Break]:
    """Where an operation changes what it does, is 0 or leaves its domain."""
    match t.op:
        case "mod":
            a, b = t.args
            yield _Break((a, b), np.divide, tuple(map(float, range(-2, 3))))
        case "divide":
            yield _Break(t.args[1:], _first, (0.0,))
        case "power" | "pow" | "einsum":
            yield from (_Break((a,), _first, _PLAIN) for a in t.args)
        case "abs" | "sign" | "relu":
            yield _Break(t.args, _first, (0.0,))
        case "sin" | "cos" | "tan":
            yield _Break(t.args, _first, _TURNING)
        case name if name in _COMPARING:
            for a, b in zip(t.args, t.args[1:], strict=False):
                yield _Break((a, b), np.subtract, (0.0,))
            if name == "where":
                yield _Break(t.args[:1], _first, (0.0,))
        case name if name in FUNCTIONS:
            function = FUNCTIONS[name]
            ends = tuple(x for x in function.domain if isfinite(x))
            steps = _ROUNDED if function.stepwise and not function.is_test else _PLAIN
            for a in t.args:
                yield _Break((a,), _first, (*steps, *ends))
            if known and not function.stepwise:
                yield _Break(t.args[:1], _first, tuple(known))
        case _:
            return


# Nodes at whose breaks a law is most likely to break.
_SHARP: Final = _COMPARING | {"abs", "sign", "relu", "mod"} | {
    name for name, function in FUNCTIONS.items() if function.stepwise
}  # fmt: skip


def _at_break(
    breaks: Sequence[_Break],
    values: Values,
    free: Values,
    rng: np.random.Generator,
    exact: bool,
) -> Trial | None:
    """The values with one variable moved to where an operation breaks, or beside that."""
    if not breaks:
        return None
    place = breaks[int(rng.integers(len(breaks)))]
    names = [v.name for v in variables(*place.operands) if v.name in free]
    if not names:
        return None
    name = names[rng.integers(len(names))]
    solved = _solved(place, name, values, float(rng.choice(place.numbers)), rng)
    if solved is None:
        return None
    moved, where = solved
    if not exact:
        beside = rng.choice([1e-9, 1e-3, 0.1, 1.0]) * rng.choice([-1.0, 1.0])
        moved = np.where(where, moved + beside * np.maximum(np.abs(moved), 1), moved)
    return Trial({**values, name: moved}, special=exact)


def _solved(
    place: _Break, name: str, values: Values, target: float, rng: np.random.Generator
) -> tuple[Array, Array] | None:
    """A variable's value at which a quantity has a number, and which of its entries were moved."""
    array = values[name]
    if not array.size:
        return None
    where = np.ones(array.shape, bool)
    if array.size > 1 and rng.random() < 0.5:
        where = np.zeros(array.shape, bool)
        where.flat[rng.integers(array.size)] = True

    def quantity(s: float) -> Array:
        moved = {**values, name: np.where(where, s, array)}
        with np.errstate(all="ignore"):
            return place.quantity(*oracle.evaluate(place.operands, moved, SYMBOLS)) - target

    start = float(array[where][0])
    first, second = quantity(start), quantity(start + 1)
    changed = np.flatnonzero(np.ravel(first != second))
    if not changed.size:
        return None
    k = int(rng.choice(changed))
    root = _root(lambda s: float(np.ravel(quantity(s))[k]), start, rng)
    return None if root is None else (np.where(where, root, array), where)


_GRID: Final = tuple(
    sorted(
        s * 10.0**k
        for s in (-1, 1)
        for k in (-9, -3, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 9, 15, 30, 100)
    )
)


def _root(f: Callable[[float], float], start: float, rng: np.random.Generator) -> float | None:
    """Where a function is 0: by secants if it is straight, else between two of some numbers."""
    straight = _by_secants(f, start)
    if straight is not None:
        return straight
    grid = [0.0, *_GRID]
    grid.sort()
    found = [(s, f(s)) for s in grid]
    changes = [
        (a, b)
        for (a, fa), (b, fb) in pairwise(found)
        if isfinite(fa) and not isnan(fb) and (fa < 0) != (fb < 0)
    ]
    if not changes:
        return None
    low, high = changes[rng.integers(len(changes))]
    return _plainest(f, _bisected(f, low, high))


def _by_secants(f: Callable[[float], float], start: float) -> float | None:
    a, b = start, start + 1
    fa, fb = f(a), f(b)
    for _ in range(3):
        if fa == fb or not (isfinite(fa) and isfinite(fb)):
            return None
        a, b = b, b - fb * (b - a) / (fb - fa)
        if not isfinite(b):
            return None
        fa, fb = fb, f(b)
        if abs(fb) <= 1e-12 * (1 + abs(b)):
            return _plainest(f, b)
    return None


def _bisected(f: Callable[[float], float], low: float, high: float) -> float:
    """Between two numbers, as they are ordered: the halves have as many numbers each."""
    negative = f(low) < 0
    a, b = _rank(low), _rank(high)
    while b - a > 1:
        middle = (a + b) // 2
        if (f(_of_rank(middle)) < 0) == negative:
            a = middle
        else:
            b = middle
    return _of_rank(b)


def _rank(x: float) -> int:
    bits = int(np.float64(x).view(np.int64))
    return bits if bits >= 0 else -(bits & 0x7FFF_FFFF_FFFF_FFFF)


def _of_rank(rank: int) -> float:
    size = float(np.int64(abs(rank)).view(np.float64))
    return size if rank >= 0 else -size


def _plainest(f: Callable[[float], float], root: float) -> float:
    """A plain number beside the root where the function is as near to 0."""
    plain = float(Fraction(root).limit_denominator(1000))
    return plain if abs(f(plain)) <= abs(f(root)) else root
