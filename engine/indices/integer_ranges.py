"""Ranges of integers: Fourier-Motzkin elimination, and which constraints say nothing new.

A constraint is an affine form that is not negative. Elimination is over the rationals, after
Urban and van der Smagt 2017, section 4.2, but what it enumerates is exact over the integers: every
constraint given is a bound of the innermost of its names, and bounds are rounded inward.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final

from eggrad.engine.indices.rational_affine import Affine, Rational

__all__ = ["Range", "implied", "infeasible", "irredundant", "ranges", "tightened", "within"]

MOST_ROWS: Final = 400
"""Elimination may square the number of constraints; beyond this nothing more is proved."""

Row = tuple[int, ...]
Rows = dict[Row, int]


@dataclass(frozen=True)
class Range:
    """The integers from the greatest of `lower`, rounded up, to the least of `upper`."""

    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]

    def constraints(self, name: str) -> list[Affine]:
        """What the range says of a name, as integer forms that are not negative.

        >>> Range((Affine({}, 0),), (Affine.of("n"),)).constraints("i")
        [Affine({'i': 1}, 0), Affine({'n': 1, 'i': -1}, 0)]
        """
        own = Affine.of(name)
        return [tightened(own - b) for b in self.lower] + [tightened(b - own) for b in self.upper]


def within(form: Affine, size: "Affine | int") -> list[Affine]:
    """That a form is an index of an axis of a size, as forms that are not negative.

    >>> within(Affine.of("i"), Affine.of("n"))
    [Affine({'i': 1}, 0), Affine({'n': 1, 'i': -1}, -1)]
    """
    return [form, size - 1 - form]


def tightened(form: Affine) -> Affine:
    """The strongest integer form that is not negative where `form` is not, at integers.

    >>> tightened(2 * Affine.of("i") - 3)
    Affine({'i': 1}, -2)
    """
    whole = form.integral()
    common = whole.content
    if common < 2:
        return whole
    return Affine({n: c // common for n, c in whole.items()}, whole.constant // common)


def infeasible(constraints: Iterable[Affine]) -> bool:
    """Whether it is proved that no integers satisfy all constraints.

    >>> i = Affine.of("i")
    >>> infeasible([2 * i - 1, 1 - i, i - 2]), infeasible([i - 1, 3 - i])
    (True, False)
    """
    forms = list(constraints)
    names = tuple(dict.fromkeys(n for f in forms for n in f.names))
    rows = _rows(forms, names)
    remaining = set(range(len(names)))
    while rows is not None and remaining:
        products = {column: _products(rows, column) for column in remaining}
        column = min(remaining, key=lambda c: (products[c], c))
        if len(rows) + products[column] > MOST_ROWS:
            return False
        remaining.discard(column)
        rows = _eliminated(rows, column)
    return rows is None


def implied(form: Affine, known: Sequence[Affine]) -> bool:
    """Whether it is proved that an integer form is not negative where all `known` ones are not.

    >>> i, n = Affine.of("i"), Affine.of("n")
    >>> implied(n - i, [n - i - 1]), implied(n - i - 2, [n - i - 1])
    (True, False)
    """
    if form.is_constant:
        return form.constant >= 0
    least = _least(form, known)
    if least is not None and least >= 0:
        return True
    reached = set(form.names)
    relevant: list[Affine] = []
    waiting = list(known)
    # What shares no name with the form, however far removed, says nothing of it.
    while True:
        near = [f for f in waiting if not reached.isdisjoint(f.names)]
        if not near:
            return infeasible([*relevant, -form - 1])
        relevant += near
        waiting = [f for f in waiting if reached.isdisjoint(f.names)]
        reached.update(n for f in near for n in f.names)


def _least(form: Affine, known: Iterable[Affine]) -> Rational | None:
    """The least value in the box that the constraints on single names make; None if unbounded."""
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    for f in known:
        if len(f.names) == 1:
            ((name, c),) = f.items()
            if c > 0:
                bound = -(f.constant // c)
                least[name] = max(least.get(name, bound), bound)
            else:
                bound = f.constant // -c
                most[name] = min(most.get(name, bound), bound)
    result = form.constant
    for name, c in form.items():
        bound = (least if c > 0 else most).get(name)
        if bound is None:
            return None
        result += c * bound
    return result


def irredundant(forms: Iterable[Affine], known: Sequence[Affine]) -> list[Affine]:
    """The forms that are not implied by the known ones and by the other forms kept.

    >>> i = Affine.of("i")
    >>> irredundant([i, i + 1, 5 - i], [3 - i])
    [Affine({'i': 1}, 0)]
    """
    kept = list(dict.fromkeys(forms))
    # The later ones go first: callers put derived constraints behind the given ones.
    for form in reversed(list(kept)):
        others = [f for f in kept if f is not form]
        if implied(form, [*others, *known]):
            kept = others
    return kept


def ranges(
    constraints: Sequence[Affine], names: Sequence[str], known: Sequence[Affine]
) -> tuple[list[Affine], dict[str, Range]]:
    """The constraints that have none of `names`, and a range of each name, outermost first.

    A range mentions names before its own. `known` are constraints on the other names, which
    neither conditions nor ranges repeat. The integers that satisfy all constraints are exactly
    those that the conditions and ranges allow; an inner range may be empty.

    >>> i, j, n = Affine.of("i"), Affine.of("j"), Affine.of("n")
    >>> conditions, found = ranges([i, n - i, j, i - j, n + 1], ["i", "j"], [n])
    >>> conditions, found["j"]
    ([], Range(lower=(Affine({}, 0),), upper=(Affine({'i': 1}, 0),)))
    """
    levels: list[list[Affine]] = []
    given = [tightened(f) for f in constraints]
    chosen = set(names)
    conditions = irredundant([f for f in given if chosen.isdisjoint(f.names)], known)
    current = [f for f in given if not chosen.isdisjoint(f.names)]
    for name in reversed(names):
        levels.append([f for f in current if f[name]])
        shadows = [f for f in _shadow(current, name) if not chosen.isdisjoint(f.names)]
        current = list(dict.fromkeys(shadows))
    context = [*known, *conditions]
    found: dict[str, Range] = {}
    for name, level in zip(names, reversed(levels), strict=True):
        kept = sorted(_bounding(level, name, context), key=lambda f: len(f.names))
        context += kept
        found[name] = Range(
            tuple((Affine.of(name) * f[name] - f) / f[name] for f in kept if f[name] > 0),
            tuple((f - Affine.of(name) * f[name]) / -f[name] for f in kept if f[name] < 0),
        )
    return conditions, found


def _bounding(level: Sequence[Affine], name: str, context: Sequence[Affine]) -> list[Affine]:
    """The bounds of a name that say anything, at least one on either side where there are any."""
    kept = irredundant(level, context)
    for sign in (1, -1):
        own = [f for f in level if f[name] * sign > 0]
        if own and not any(f[name] * sign > 0 for f in kept):
            kept.append(min(own, key=lambda f: len(f.names)))
    return kept


def _shadow(constraints: Sequence[Affine], name: str) -> list[Affine]:
    """What the constraints say where any value of a name is possible; derived ones come last."""
    free = [f for f in constraints if not f[name]]
    lower = [f for f in constraints if f[name] > 0]
    upper = [f for f in constraints if f[name] < 0]
    derived = [tightened(a * -b[name] + b * a[name]) for a in lower for b in upper]
    if len(derived) > MOST_ROWS:
        derived = []
    return free + [f for f in derived if not f.is_constant]


def _rows(forms: Iterable[Affine], names: Sequence[str]) -> Rows | None:
    """The strongest constraint for each direction; None where one is never satisfied."""
    rows: Rows = {}
    for form in forms:
        whole = form.integral()
        row = tuple(whole[n].numerator for n in names)
        if not _add(rows, row, whole.constant.numerator):
            return None
    return rows


def _add(rows: Rows, row: Row, constant: int) -> bool:
    common = gcd(*row)
    if common == 0:
        return constant >= 0
    if common > 1:
        row, constant = tuple(c // common for c in row), constant // common
    known = rows.get(row)
    if known is None or constant < known:
        rows[row] = constant
        opposite = rows.get(tuple(-c for c in row))
        return opposite is None or constant + opposite >= 0
    return True


def _products(rows: Rows, column: int) -> int:
    positive = sum(row[column] > 0 for row in rows)
    negative = sum(row[column] < 0 for row in rows)
    return positive * negative


def _eliminated(rows: Rows, column: int) -> Rows | None:
    result: Rows = {}
    lower: list[tuple[Row, int]] = []
    upper: list[tuple[Row, int]] = []
    for row, constant in rows.items():
        if row[column] == 0:
            if not _add(result, row, constant):
                return None
        else:
            (lower if row[column] > 0 else upper).append((row, constant))
    for a, c in lower:
        for b, d in upper:
            p, q = -b[column], a[column]
            joined = tuple(p * x + q * y for x, y in zip(a, b, strict=True))
            if not _add(result, joined, p * c + q * d):
                return None
    return result
