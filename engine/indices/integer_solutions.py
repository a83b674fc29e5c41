"""The integers that satisfy conditions, enumerated: particular solutions, kernels and ranges.

Urban and van der Smagt 2017, equation 47, with the integrality condition that their equation 46
drops: a solution of `A x = b` over the rationals need not be one over the integers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Final

from eggrad.engine.indices.conditions import Condition, divisible, simplified, zero
from eggrad.engine.indices.integer_matrices import smith, with_simple_rows
from eggrad.engine.indices.integer_ranges import Range, infeasible, ranges
from eggrad.engine.indices.rational_affine import ZERO, Affine

__all__ = ["Problem", "Solutions", "first_solution", "solve"]

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

    >>> from eggrad.engine.indices.conditions import nonnegative
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

    >>> from eggrad.engine.indices.conditions import nonnegative
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
        own = found.ranges[name]
        low = max(ceil(f.substitute(point).constant) for f in own.lower)
        high = min(floor(f.substitute(point).constant) for f in own.upper)
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
        own = Affine.of(name)
        values = [v + line[column] * own for v, line in zip(values, basis, strict=True)]
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
    own = {n: found[n].substitute(inner.values) for n in problem.unknowns}
    return Solutions(inner.conditions, own, inner.ranges)


def _combination(factors: Sequence[int | Fraction], forms: Sequence[Affine]) -> Affine:
    result = ZERO
    for factor, form in zip(factors, forms, strict=False):
        if factor:
            result = result + form * factor
    return result
