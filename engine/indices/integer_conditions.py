"""Conditions on integers: their ranges by elimination, and their solutions one by one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd
from typing import Final, Literal

from eggrad.engine.indices.integer_matrices import smith, with_simple_rows
from eggrad.engine.indices.rational_affine import ZERO, Affine, Rational

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
        form = Affine.of(name)
        return [tightened(form - b) for b in self.lower] + [tightened(b - form) for b in self.upper]


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
        signs = {c: [row[c] > 0 for row in rows if row[c]] for c in remaining}
        products = {c: sum(rising) * (len(rising) - sum(rising)) for c, rising in signs.items()}
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
    # By name and sign of the coefficient: what c·name + constant >= 0 says of |c|/c·name.
    bounds: dict[tuple[str, bool], int] = {}
    for f in known:
        if len(f.names) == 1:
            ((name, c),) = f.items()
            bound = -(f.constant // abs(c))
            bounds[name, c > 0] = max(bounds.get((name, c > 0), bound), bound)
    result = form.constant
    for name, c in form.items():
        bound = bounds.get((name, c > 0))
        if bound is None:
            return None
        result += abs(c) * bound
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

    A range mentions earlier names alone. `known` are constraints on the other names, which
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
        bounds = [f for f in level if f[name] * sign > 0]
        if bounds and not any(f[name] * sign > 0 for f in kept):
            kept.append(min(bounds, key=lambda f: len(f.names)))
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


# Conditions on integer indices: an affine form is zero, not negative, or divisible.


Relation = Literal["=", ">=", "|"]


@dataclass(frozen=True)
class Condition:
    """`form = 0`, `form >= 0` or `modulus | form`, of an integer form.

    Made by `zero`, `nonnegative` and `divisible`, which bring forms to lowest terms. What holds
    always is `0 >= 0`, what holds never is `-1 >= 0`.
    """

    relation: Relation
    form: Affine
    modulus: int = 0

    @property
    def decided(self) -> bool | None:
        """Whether it holds, where no name occurs in it."""
        return self.form.constant >= 0 if self.form.is_constant else None

    def substitute(self, values: Mapping[str, Affine | int]) -> "Condition":
        """The condition with some names replaced by forms that are integers."""
        form = self.form.substitute(values)
        if form is self.form:
            return self
        if self.relation == "|":
            return divisible(form, self.modulus)
        return zero(form) if self.relation == "=" else nonnegative(form)

    def constraints(self) -> list[Affine]:
        """The same as forms that are not negative; divisibility says nothing there."""
        if self.relation == "|":
            return []
        return [self.form, -self.form] if self.relation == "=" else [self.form]

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether it holds where every name has a value.

        >>> divisible(Affine.of("i") + 1, 2).holds({"i": 3})
        True
        """
        value = self.form.substitute(values).constant
        if self.relation == "|":
            return value % self.modulus == 0
        return value == 0 if self.relation == "=" else value >= 0

    @property
    def alternatives(self) -> int:
        """How many conditions `negations` has."""
        if self.relation == "|":
            return self.modulus - 1
        return len(self.constraints())

    def negations(self) -> "list[Condition]":
        """Conditions of which one holds exactly where this one does not.

        >>> [c.form for c in zero(Affine.of("i")).negations()]
        [Affine({'i': 1}, -1), Affine({'i': -1}, -1)]
        """
        if self.relation == "|":
            return [divisible(self.form - r, self.modulus) for r in range(1, self.modulus)]
        return [nonnegative(-f - 1) for f in reversed(self.constraints())]


ALWAYS: Final = Condition(">=", ZERO)
NEVER: Final = Condition(">=", Affine({}, -1))


def zero(form: Affine) -> Condition:
    """The condition that a form is 0; the coefficient of the first name becomes positive.

    >>> zero(4 - 2 * Affine.of("i")).form
    Affine({'i': 1}, -2)
    """
    whole = form.integral()
    common = whole.content
    if not common:
        return NEVER if whole.constant else ALWAYS
    if whole.constant % common:
        return NEVER
    return Condition("=", whole / (common if whole[min(whole.names)] > 0 else -common))


def nonnegative(form: Affine) -> Condition:
    """The condition that a form is not negative."""
    found = tightened(form)
    if found.is_constant:
        return ALWAYS if found.constant >= 0 else NEVER
    return Condition(">=", found)


def divisible(form: Affine, modulus: int) -> Condition:
    """The condition that a form is a multiple of a positive integer, coefficients reduced.

    Also the form is multiplied by what makes the coefficient of the first name 1, or positive.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> divisible(3 * i - k + 4, 2).form
    Affine({'i': 1, 'k': 1}, 0)
    """
    modulus *= form.denominator
    whole = form.integral()
    reduced = Affine({n: _residue(c, modulus) for n, c in whole.items()}, whole.constant % modulus)
    common = gcd(modulus, reduced.content)
    if reduced.constant % common:
        return NEVER
    if common == modulus:
        return ALWAYS
    modulus //= common
    found = reduced / common
    first = found[min(found.names)].numerator
    # A unit times the form has the same multiples: one makes the first coefficient 1.
    unit = gcd(first, modulus) == 1
    found = found * (pow(first, -1, modulus) if unit else 1 if first > 0 else -1)
    terms = {n: _residue(c, modulus) for n, c in found.items()}
    return Condition("|", Affine(terms, _residue(found.constant, modulus)), modulus)


def _residue(value: Rational, modulus: int) -> Rational:
    """The residue of least absolute value, the positive one of two."""
    rest = value % modulus
    return rest if 2 * rest <= modulus else rest - modulus


def simplified(
    conditions: Iterable[Condition], known: Sequence[Affine]
) -> tuple[Condition, ...] | None:
    """The conditions that the known constraints and the others do not imply; None if one is false.

    >>> i, k = Affine.of("i"), Affine.of("k")
    >>> [c.form for c in simplified([zero(i - k), nonnegative(i), nonnegative(k)], [i])]
    [Affine({'i': 1, 'k': -1}, 0)]
    """
    kept: list[Condition] = []
    for c in dict.fromkeys(conditions):
        if c.decided is False or any(implied(-f - 1, known) for f in c.constraints()):
            return None
        if c.decided is None:
            kept.append(c)
    for c in reversed(list(kept)):
        if c.relation != "|" and _follows(c, [o for o in kept if o is not c], known):
            kept.remove(c)
    return tuple(kept)


def _follows(condition: Condition, others: Sequence[Condition], known: Sequence[Affine]) -> bool:
    """Whether a condition is implied; a multiple of 2 that is less than 6 is at most 4."""
    multiples: dict[str, Affine] = {}
    for at, c in enumerate(others):
        unit = next((n for n, k in c.form.items() if abs(k) == 1), None)
        if c.relation == "|" and unit is not None and not multiples:
            rest = c.form - c.form[unit] * Affine.of(unit)
            multiples[unit] = (c.modulus * Affine.of(f"{unit}/{at}") - rest) * c.form[unit]
    constraints = [*known, *(f for o in others for f in o.constraints())]
    wanted = [tightened(f.substitute(multiples)) for f in condition.constraints()]
    given = [tightened(f.substitute(multiples)) for f in constraints]
    return all(implied(f, given) for f in wanted)


# The integers that satisfy conditions, enumerated: particular solutions, kernels and ranges.
#
# Urban and van der Smagt 2017, equation 47, with the integrality condition that their equation 46
# drops: a solution of `A x = b` over the rationals need not be one over the integers.


MOST_STEPS: Final = 10_000


@dataclass(frozen=True)
class Solutions:
    """All solutions: where `conditions` hold, those of `values` as each name runs over its range.

    `ranges` are outermost first. Their names are those of unknowns, some with primes.
    """

    conditions: tuple[Condition, ...]
    values: Mapping[str, Affine]
    ranges: Mapping[str, Range]


@dataclass(frozen=True)
class Problem:
    """What is asked: integer values of `unknowns` for which the conditions hold.

    All other names are parameters, of which constraints are `known`. `preferred` are the unknowns,
    those first that should remain where there is a choice.
    """

    unknowns: tuple[str, ...]
    conditions: tuple[Condition, ...]
    known: tuple[Affine, ...]
    preferred: tuple[str, ...]

    def fresh(self, name: str, used: set[str]) -> str:
        """A new name: an old one with primes."""
        forms = (*(c.form for c in self.conditions), *self.known)
        used |= {*self.unknowns, *(n for f in forms for n in f.names)}
        while name in used:
            name += "'"
        used.add(name)
        return name


def solve(problem: Problem) -> Solutions | None:
    """The solutions; None where it is proved that there are none.

    >>> from eggrad.engine.indices.integer_conditions import nonnegative
    >>> i, j, b = (Affine.of(n) for n in "ijb")
    >>> box = [nonnegative(f) for f in (i, 2 - i, j, 3 - j)]
    >>> asked = (zero(i + j - b), *box)
    >>> found = solve(Problem(("i", "j"), asked, (b, 5 - b), ("i", "j")))
    >>> found.values["j"], found.ranges["i"].lower
    (Affine({'b': 1, 'i': -1}, 0), (Affine({}, 0), Affine({'b': 1}, -3)))
    """
    unknowns = set(problem.unknowns)
    if any(c.decided is False for c in problem.conditions):
        return None
    equations = [
        c.form for c in _equations(problem.conditions) if not unknowns.isdisjoint(c.form.names)
    ]
    multiples = [
        c for c in problem.conditions if c.relation == "|" and not unknowns.isdisjoint(c.form.names)
    ]
    if equations or multiples:
        return _without_equations(problem, equations, multiples)
    constraints = [f for c in problem.conditions for f in c.constraints()]
    if infeasible([*constraints, *problem.known]):
        return None
    free = [c for c in problem.conditions if unknowns.isdisjoint(c.form.names)]
    conditions = simplified(free, problem.known)
    if conditions is None:
        return None
    known = [*problem.known, *(f for c in conditions for f in c.constraints())]
    bounds = [f for f in constraints if not unknowns.isdisjoint(f.names)]
    _, found = ranges(bounds, problem.unknowns, known)
    return Solutions(conditions, {n: Affine.of(n) for n in problem.unknowns}, found)


def first_solution(problem: Problem) -> dict[str, int] | None:
    """The unknowns at one solution of a problem without parameters.

    None where there is none, and where none is found in some thousand steps.

    >>> from eggrad.engine.indices.integer_conditions import nonnegative
    >>> i = Affine.of("i")
    >>> bounds = (nonnegative(3 * i - 4), nonnegative(5 - i))
    >>> first_solution(Problem(("i",), bounds, (), ("i",)))
    {'i': 2}
    """
    found = solve(problem)
    if found is None:
        return None
    names, steps = list(found.ranges), MOST_STEPS
    stack: list[dict[str, int]] = [{}]
    while stack:
        point = stack.pop()
        if len(point) == len(names):
            values = {n: found.values[n].substitute(point).constant for n in problem.unknowns}
            return {n: int(v) for n, v in values.items()}
        name = names[len(point)]
        bounds = found.ranges[name]
        low = max(ceil(f.substitute(point).constant) for f in bounds.lower)
        high = min(floor(f.substitute(point).constant) for f in bounds.upper)
        span = range(low, high + 1)[:steps]
        steps -= len(span)
        stack += [{**point, name: value} for value in reversed(span)]
    return None


def _equations(conditions: Iterable[Condition]) -> list[Condition]:
    """Those given, and those that two opposite inequalities make."""
    found: list[Condition] = []
    bounds = {c.form for c in conditions if c.relation == ">="}
    for c in conditions:
        if c.relation == "=" or (c.relation == ">=" and -c.form in bounds):
            found.append(zero(c.form))
    return list(dict.fromkeys(found))


def _without_equations(
    problem: Problem, equations: list[Affine], multiples: list[Condition]
) -> Solutions | None:
    """Solve the equations, then ask for the numbers that are free in their solution."""
    used: set[str] = set()
    quotients = [problem.fresh("q", used) for _ in multiples]
    unknowns = [*problem.unknowns, *quotients]
    for c, q in zip(multiples, quotients, strict=True):
        equations = [*equations, c.form - c.modulus * Affine.of(q)]
    matrix = [[int(f[n]) for n in unknowns] for f in equations]
    right = [-f.split(unknowns)[1] for f in equations]
    form = smith(matrix)
    image = [_combination(row, right) for row in form.U]
    needed = [divisible(f, d) for f, d in zip(image, form.diagonal, strict=False)]
    needed += [zero(f) for f in image[form.rank :]]
    values = [
        _combination([Fraction(v, d) for v, d in zip(row, form.diagonal, strict=False)], image)
        for row in form.V
    ]
    order = [unknowns.index(n) for n in (*problem.preferred, *quotients)]
    basis, simple = with_simple_rows(form.kernel, order)
    free: dict[int, str] = {}
    for column, row in enumerate(simple):
        unit = basis[row][column] == 1 and sum(map(bool, basis[row])) == 1
        free[column] = unknowns[row] if unit else problem.fresh(unknowns[row], used)
        if unit:
            # The unknown itself is the free number: the solution starts where it is 0.
            shift = values[row]
            values = [v - line[column] * shift for v, line in zip(values, basis, strict=True)]
    for column, name in free.items():
        number = Affine.of(name)
        values = [v + line[column] * number for v, line in zip(values, basis, strict=True)]
    found = dict(zip(unknowns, values, strict=True))
    kept = [c.substitute(found) for c in problem.conditions if c not in multiples]
    columns = sorted(free, key=lambda c: simple[c])
    names = [free[c] for c in columns]
    inner = solve(
        Problem(
            tuple(names),
            (*needed, *kept),
            problem.known,
            tuple(free[c] for c in sorted(free, key=lambda c: order.index(simple[c]))),
        )
    )
    if inner is None:
        return None
    solution = {n: found[n].substitute(inner.values) for n in problem.unknowns}
    return Solutions(inner.conditions, solution, inner.ranges)


def _combination(factors: Sequence[int | Fraction], forms: Sequence[Affine]) -> Affine:
    return sum((f * factor for factor, f in zip(factors, forms, strict=False) if factor), ZERO)
