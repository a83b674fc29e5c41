"""Laws proved: both sides as exact values with symbols, at every instance there is up to a bound.

An element-wise law says of every entry what it says of scalars: if its scalar instance is proved,
for all values and numbers, so is the law. Of any other law all instances up to a number of axes and
a size are proved, each for all values. Nothing is concluded from floating-point numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any, Final

import numpy as np

from eggrad.engine.errors import EggradError, ShapeError
from eggrad.engine.indices.constraints import Constraint, Constraints
from eggrad.engine.indices.constraints import canonical as canonical_constraints
from eggrad.engine.indices.spec import Dims, Spec, canonical
from eggrad.engine.laws import properties as known_as
from eggrad.engine.laws.language import (
    CONSTRUCTORS,
    DIFFERENTIATED,
    SLOPE_NODES,
    Call,
    Comparison,
    Condition,
    Differ,
    Known,
    Law,
    Literal,
    Name,
    Node,
    Number,
    Parameter,
    Tensor,
    Variable,
    Wrt,
)
from eggrad.engine.laws.matching import SYMBOLS, Closing, Reject, node_term
from eggrad.engine.laws.primitives import is_elementwise, is_empty
from eggrad.engine.laws.rule import BulkRule, Fact, LoopRule, Rule
from eggrad.engine.laws.statements import nodes_of, parameters_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import concrete
from eggrad.engine.terms.fixed_arrays import Entries, fixed_array
from eggrad.engine.terms.functions import ELEMENTWISE, FUNCTIONS
from eggrad.engine.terms.matrix_functions import STACK_FUNCTIONS
from eggrad.engine.terms.operations import EXTREMES
from eggrad.engine.terms.term import FUNCTION_NODES, Term
from eggrad.engine.workbench.solver import Solver
from eggrad.engine.workbench.symbolic_values import NUMBER, evaluate, filled, symbols
from eggrad.engine.workbench.symbols import Algebra, Need, TooLarge, Undecided, Value


class Status(StrEnum):
    """What is known of a law."""

    PROVED = "proved"
    CHECKED = "checked to a bound"
    OPEN = "open"


@dataclass(frozen=True)
class Proof:
    """What was proved of a law, how, at how many instances, or why it is open."""

    status: Status
    method: str
    instances: int = 0


# Instances ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """Sizes of axes, and how many a tensor has at most."""

    sizes: tuple[int, ...]
    axes: int

    @property
    def dims(self) -> list[Dims]:
        """All axes within it."""
        return [d for n in range(self.axes + 1) for d in product(self.sizes, repeat=n)]

    @property
    def text(self) -> str:
        """In words."""
        sizes = " and ".join(map(str, self.sizes))
        return f"{self.axes} axes, of length {sizes}" if self.axes else "scalars"


SCALARS: Final = Bound((), 0)
# From the widest on; of a law the first one is taken at which it has few enough instances.
BOUNDS: Final = (
    Bound((1, 2, 3), 2), Bound((1, 2), 2), Bound((2, 3), 2), Bound((2,), 2), Bound((2,), 1),
)  # fmt: skip
# Where a law asks for axes without entries.
WITH_EMPTY: Final = (Bound((0, 1, 2), 2), Bound((0, 2), 2), Bound((0, 2), 1))
INSTANCES: Final = 150
# Draws of bindings, most of which do not fit each other.
DRAWS: Final = 60_000
NUMBERS: Final = tuple(
    Fraction(n, d) for n, d in (
        *((k, 1) for k in (1, 2, -1, 0, 3, -2, -3)), *((k, 2) for k in (1, -1, 3, -3)), (1, 3),
    )
)  # fmt: skip
SIZES: Final = ("n", "n + 1", "n - 1", "2*n", "3*n - 2", 0, 3)
# They are kept, for nothing else refers to them.
ARRAYS: Final = tuple(fixed_array(np.array(a)) for a in ([[1, 2], [0, -3]], [2, 5], [0, 1]))

# What numbers that stay symbols are computed with.
_ARITHMETIC: Final = {
    "opposite": lambda p: terms.einsum(((), (), ()), terms.constant(-1), p),
    "plus": terms.add,
    "times": lambda p, q: terms.einsum(((), (), ()), p, q),
    "magnitude": lambda p: terms.apply("abs", p),
    "sign_of": lambda p: terms.apply("sign", p),
    "reciprocal": lambda p: terms.power(p, terms.constant(-1)),
}


def _as_term(p: Any) -> Term:
    return p if isinstance(p, Term) else terms.constant(Fraction(p))


class SymbolicClosing(Closing):
    """A law at bindings where numbers may be symbols: scalar variables."""

    def build(self, pattern: object) -> Any:
        """The term or value of a pattern."""
        match pattern:
            case Node(constructor="scale", args=(c, a)):
                number, tensor = self.build(c), self.build(a)
                if isinstance(number, Term):
                    axes = tuple(range(tensor.order))
                    return terms.einsum(((), axes, axes), number, tensor)
                return node_term("scale", (number, tensor))
            case Node(constructor="constant", args=(c, n)):
                number, dims = self.build(c), self.build(n)
                if isinstance(number, Term):
                    axes = tuple(range(len(dims)))
                    return terms.einsum(((), axes, axes), number, terms.constant(1, dims))
                return terms.constant(number, dims)
            case _:
                return super().build(pattern)

    def _call(self, function: Any, args: list[Any]) -> Any:
        name = function.__name__
        if name in _ARITHMETIC and any(isinstance(a, Term) for a in args):
            return _ARITHMETIC[name](*map(_as_term, args))
        return super()._call(function, args)


def _fill(
    pattern: object, bound: dict[str, Any], within: Bound, want: Dims | None = None
) -> Iterator[dict[str, Any]]:
    """Every way to bind the letters of a pattern that are not bound yet."""
    match pattern:
        case Parameter(name=name, kind=kind):
            if name not in bound:
                yield from ({**bound, name: v} for v in _pool(name, kind, within, want))
            elif not isinstance(bound[name], Term) or want in (None, bound[name].dims):
                yield bound
        case Node(constructor="derivative", args=(inner, x)):
            for b in _fill(x, bound, within):
                yield from _fill(inner, b, within)
        case Node(constructor="pullback", args=(inner, _, g)):
            for b in _fill(inner, bound, within):
                try:
                    node = SymbolicClosing(b).build(inner)
                except (Reject, EggradError):
                    continue
                for lead in ((), (2,)) if within.axes else ((),):
                    yield {**b, g.name: terms.variable(g.name, lead + node.dims)}
        case Node(constructor="ein" | "ein1", args=(spec, *operands)):
            for b in _fill_all(operands, bound, within, None):
                if not isinstance(spec, Parameter) or spec.name in b:
                    yield b
                    continue
                try:
                    shapes = [SymbolicClosing(b).build(o).dims for o in operands]
                except (Reject, EggradError):
                    continue
                yield from ({**b, spec.name: s} for s in _specs(shapes, want))
        case Node(constructor=name, args=args):
            sorts = CONSTRUCTORS.get(name, ("Object",) * len(args))
            data = [a for a, s in zip(args, sorts, strict=False) if s != "Tensor"]
            operands = [a for a, s in zip(args, sorts, strict=False) if s == "Tensor"]
            if name in SLOPE_NODES.values():
                data, operands = list(args[:2]), list(args[2:])
            late = [d for d in data if isinstance(d, Parameter) and d.kind == Spec]
            early = [d for d in data if not any(d is x for x in late)]
            for b in _fill_data(early, bound, within, name, len(operands), want):
                alike = want if name not in ("inv", "det", "numeric", "power", "divide") else None
                if name in ("divide", "power"):
                    filled_all = _fill_pair(operands, b, within, name)
                else:
                    filled_all = _fill_all(operands, b, within, alike)
                for found in filled_all:
                    if not late:
                        yield found
                        continue
                    try:
                        shapes = [SymbolicClosing(found).build(o).dims for o in operands]
                    except (Reject, EggradError):
                        continue
                    for s in _specs(shapes, want):
                        if set(s[-1]) < set(s[0]) and len(set(s[0])) == len(s[0]):
                            yield {**found, late[0].name: s}
        case _:
            yield bound


def _fill_all(
    patterns: Sequence[object], bound: dict[str, Any], within: Bound, want: Dims | None
) -> Iterator[dict[str, Any]]:
    if not patterns:
        yield bound
        return
    first, *rest = patterns
    for b in _fill(first, bound, within, want):
        yield from _fill_all(rest, b, within, want)


def _fill_pair(
    operands: Sequence[object], bound: dict[str, Any], within: Bound, name: str
) -> Iterator[dict[str, Any]]:
    """A base with a scalar exponent, or a quotient."""
    first, second = operands
    for b in _fill(first, bound, within):
        yield from _fill(second, b, within, () if name == "power" else None)


def _fill_data(  # noqa: PLR0917
    data: Sequence[object],
    bound: dict[str, Any],
    within: Bound,
    name: str,
    count: int,
    want: Dims | None,
    axes: object = None,
) -> Iterator[dict[str, Any]]:
    """Ways to bind what a node has beside its operands; `axes` come before conditions on them."""
    if not data:
        yield bound
        return
    first, *rest = data
    if isinstance(first, Parameter) and first.kind == Name and first.name not in bound:
        every = [f for f in ELEMENTWISE if FUNCTIONS[f].arity == count]
        if name.startswith("numeric"):
            # Along axes that a spec names, or of each matrix.
            every = [*STACK_FUNCTIONS] if rest else [*EXTREMES]
        ways: Iterable[dict[str, Any]] = ({**bound, first.name: f} for f in every)
    elif name == "indicator" and isinstance(first, Parameter) and not rest:
        dims = SymbolicClosing(bound).build(axes)
        ways = ({**bound, first.name: c} for c in _conditions(dims))
        ways = [bound] if first.name in bound else ways
    else:
        ways = _fill(first, bound, within, want if name in ("constant", "indicator") else None)
    for b in ways:
        yield from _fill_data(rest, b, within, name, count, want, first)


def _pool(name: str, kind: object, within: Bound, want: Dims | None) -> Iterable[Any]:
    """What a letter may stand for."""
    every = within.dims if want is None else [want]
    if kind is Tensor:
        return [terms.variable(name, d) for d in every]
    if kind == Number:
        return NUMBERS
    if kind == Wrt:
        return [(letter, d) for letter in ("x", "y") for d in ((), (2,))[: 1 + within.axes]]
    if kind == Variable:
        words = known_as.ASSUMPTIONS
        found = [(name, d, ()) for d in every]
        for word, assumption in words.items():
            square = [d for d in every if len(d) == 2 and d[0] == d[1]]
            fit = square if assumption.of_matrices else every if assumption.axes == "any" else []
            found += [("y", d, terms.variable("y", d, (word,)).assumed) for d in fit]
        return found
    if kind is int:
        return (0, 1, 2)
    if kind is object:
        return SIZES
    if kind == Entries:
        return [a.entries for a in ARRAYS]
    if kind == Dims:
        return every
    raise Undecided(f"{name} stands for what has no list of values")


def _conditions(dims: Dims) -> list[Constraints]:
    """Conditions on one index, and on two."""
    whole: Sequence[Constraint] = (("=", ((0, 1),)), ("=", (("", -1), (0, 1))))
    found: list[tuple[Constraint, ...]] = [()]
    if dims:
        found += [(c,) for c in (*whole, (">=", (("", -1), (0, 1))), (2, ((0, 1),)))]
    if len(dims) > 1:
        equal: Constraint = ("=", ((0, 1), (1, -1)))
        found += [(c,) for c in (equal, (">=", ((0, 1), (1, -1))))]
        found += [(("=", (("", -1), (0, 1), (1, -1))),), (equal, whole[0])]
    canon = (canonical_constraints(dims, cs) for cs in found)
    return list(dict.fromkeys(canon))


def _specs(shapes: Sequence[Dims], want: Dims | None) -> Iterator[Spec]:
    """Every spec for operands of some axes, up to the names of indices."""
    axes = [d for shape in shapes for d in shape]
    for names in _partitions(axes):
        sizes = dict(zip(names, axes, strict=True))
        parts, start = [], 0
        for shape in shapes:
            parts.append(names[start : start + len(shape)])
            start += len(shape)
        for count in range(len(sizes) + 1):
            if want is not None and count != len(want):
                continue
            for chosen in combinations(sorted(sizes), count):
                for out in permutations(chosen):
                    if want is None or tuple(sizes[i] for i in out) == want:
                        yield canonical(parts, out)


def _partitions(axes: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """Names of indices for axes: equal names for equal sizes alone."""

    def extend(names: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        k = len(names)
        if k == len(axes):
            yield names
            return
        for i in range(max(names, default=-1) + 2):
            if all(axes[j] == axes[k] for j in range(k) if names[j] == i):
                yield from extend((*names, i))

    yield from extend(())


# Symbols for variables, by what is declared or asked of them ----------------------------------


def _structured(
    algebra: Algebra, name: str, dims: Dims, words: Iterable[str]
) -> tuple[Any, list[Need], set[str]]:
    """An array of symbols that has some properties, what is known of them, and which it has."""
    a = symbols(algebra, name, dims)
    given: list[Need] = []
    had: set[str] = set()
    zero = np.full(a.shape, Value(algebra, {}), object)
    words = set(words)
    if a.ndim == 2 and a.shape[0] == a.shape[1]:
        low, high = np.tril(np.ones(a.shape, bool)), np.triu(np.ones(a.shape, bool))
        if {known_as.DEFINITE, known_as.SEMIDEFINITE} & words:
            factor = np.where(low, a, zero)
            if known_as.DEFINITE in words:
                given += [("positive", frozenset(x.number.items())) for x in np.diagonal(a)]
            a = factor @ factor.T
            had |= {
                known_as.DEFINITE,
                known_as.SEMIDEFINITE,
                known_as.SYMMETRIC,
                known_as.INVERTIBLE,
            }
        elif known_as.DIAGONAL in words:
            a = np.where(low & high, a, zero)
            had |= {known_as.DIAGONAL, known_as.SYMMETRIC, known_as.LOWER, known_as.UPPER}
        elif known_as.SYMMETRIC in words:
            a, had = np.where(low, a, a.T), had | {known_as.SYMMETRIC}
        elif known_as.SKEW in words:
            a, had = np.where(low & high, zero, np.where(low, a, -a.T)), had | {known_as.SKEW}
        elif known_as.LOWER in words:
            a, had = np.where(low, a, zero), had | {known_as.LOWER}
        elif known_as.UPPER in words:
            a, had = np.where(high, a, zero), had | {known_as.UPPER}
    if known_as.INTEGER in words and not had:
        a, had = np.frompyfunc(Value.floor, 1, 1)(a), {known_as.INTEGER}
    return np.asarray(a, object), given, had


_TESTS: Final[Mapping[str, tuple[tuple[str, int, int], ...]]] = {
    # An entry is so where each of c + d·entry is.
    known_as.NONNEGATIVE: (("nonnegative", 0, 1),),
    known_as.POSITIVE: (("positive", 0, 1),),
    known_as.POSITIVE_ALMOST: (("positive", 0, 1),),
    known_as.NONZERO: (("nonzero", 0, 1),),
    known_as.NONZERO_ALMOST: (("nonzero", 0, 1),),
    known_as.NEGATIVE: (("positive", 0, -1),),
    known_as.NONPOSITIVE: (("nonnegative", 0, -1),),
    known_as.AT_LEAST_ONE: (("nonnegative", -1, 1),),
    known_as.AT_MOST_ONE: (("nonnegative", 1, -1),),
    known_as.WITHIN_ONE: (("nonnegative", 1, 1), ("nonnegative", 1, -1)),
}


def _equalities(p: str, a: Any) -> Iterator[Value]:
    """What is 0 of a matrix that has a property."""
    n = len(a)
    for i, j in product(range(n), repeat=2):
        if (
            (p == known_as.LOWER and i < j)
            or (p == known_as.UPPER and i > j)
            or (p == known_as.DIAGONAL and i != j)
        ):
            yield a[i, j]
        elif p == known_as.SYMMETRIC and i < j:
            yield a[i, j] - a[j, i]
        elif p == known_as.SKEW and i <= j:
            yield a[i, j] + a[j, i]
        elif p == known_as.ORTHOGONAL:
            yield (a[i : i + 1] @ a[j]).item() - int(i == j)


def _needs(p: str, a: Any) -> list[Need]:
    """A property of an array as conditions on its entries; `Undecided` where it is none."""
    entries: list[Value] = list(a.ravel())
    if p in _TESTS:
        return [c for e in entries for kind, k, d in _TESTS[p] for c in (k + d * e).need(kind)]
    if p in (known_as.TOTAL, known_as.DEFINED):
        return [c for e in entries for c in e.domain]
    if a.ndim == 2 and a.shape[0] == a.shape[1] and a.size:
        if p in (known_as.INVERTIBLE, known_as.INVERTIBLE_ALMOST):
            return list(_determinant(a).need("nonzero"))
        if p == known_as.DEFINITE:
            if any(not a[0, 0].algebra.is_zero(v.number) for v in _equalities("symmetric", a)):
                raise Undecided("the matrix is not symmetric")
            minors = (_determinant(a[:k, :k]) for k in range(1, len(a) + 1))
            return [c for minor in minors for c in minor.need("positive")]
    raise Undecided(f"{p!r} is not a condition on entries")


def _determinant(a: Any) -> Value:
    x = terms.variable("x", a.shape)
    return evaluate(a.flat[0].algebra, [terms.apply("det", x)], {"x": a})[0].item()


# Proofs ---------------------------------------------------------------------------------------


@dataclass
class _Case:
    """A law at one binding: its algebra, its arrays, and what is known."""

    algebra: Algebra
    bound: Mapping[str, Any]
    arrays: dict[str, Any]
    given: list[Need] = field(default_factory=list[Need])
    solver: Solver | None = None

    def holds(self, conditions: Iterable[Need], given: Iterable[Need]) -> bool:
        """Whether conditions are proved where others hold."""
        known = {*given, *self.given}
        asked = [c for c in dict.fromkeys(conditions) if c not in known]
        if not asked:
            return True
        solver = self.solver = self.solver or Solver(self.algebra)
        return bool(solver.follows(solver.all(asked), [solver.all(known)]))

    def same(self, p: Value, q: Value, given: Iterable[Need]) -> bool:
        """Whether two values are proved equal where conditions hold."""
        difference = self.algebra.plus(p.number, q.number, -1)
        if self.algebra.is_zero(difference) or self.algebra.is_log_of_one(difference):
            return True
        solver = self.solver = self.solver or Solver(self.algebra)
        known = [solver.all({*given, *self.given})]
        return bool(solver.follows(solver.number(difference) == 0, known))


def _case(law: Law, bound: Mapping[str, Any]) -> tuple[_Case, SymbolicClosing] | None:
    """A law at one binding, with its conditions known; None where they are false."""
    algebra, closing = Algebra(), SymbolicClosing(bound)
    case = _Case(algebra, bound, {})
    knowns: list[tuple[str, Any]] = []
    try:
        for c in law.conditions:
            if isinstance(c, Known):
                knowns.append((closing.build(c.property), closing.build(c.tensor)))
            elif isinstance(c, Differ):
                continue
            elif isinstance(c, Call) and isinstance(c.function, Comparison):
                number = closing.build(c.args[0])
                if isinstance(number, Term):
                    knowns.append((f"{c.function.sign} {c.function.number}", number))
                elif not closing.build(c):
                    return None
            elif not closing.build(c):
                return None
    except Reject:
        return None
    words: dict[str, list[str]] = {}
    for p, t in knowns:
        if isinstance(t, Term) and t.op == "variable":
            words.setdefault(t.name, []).append(p)
    had: dict[str, set[str]] = {}
    for value in bound.values():
        for v in _variables(value):
            if v.name in case.arrays:
                if case.arrays[v.name].shape != concrete(v.dims, SYMBOLS):
                    return None
                continue
            asked = [*v.assumed, *words.get(v.name, ())]
            case.arrays[v.name], given, had[v.name] = _structured(algebra, v.name, v.dims, asked)
            case.given += given
            for word in v.assumed:
                if word not in had[v.name]:
                    case.given += _needs(word, case.arrays[v.name])
    for p, t in knowns:
        if t.op == "variable" and p in had.get(t.name, ()):
            continue
        (values,) = evaluate(algebra, [t], case.arrays)
        case.given += _compared(p, values.item()) if p[0] in "<>=!" else _needs(p, values)
    return case, closing


def _compared(test: str, c: Value) -> Iterable[Need]:
    """A comparison of a symbol with a number."""
    sign, number = test.split()
    above = c - Fraction(number)
    if sign == "==":
        raise Undecided("a number that is given is no symbol")
    kind = {"!": "nonzero", ">=": "nonnegative", ">": "positive"}
    if sign == "!=":
        return above.need("nonzero")
    return (above if sign[0] == ">" else -above).need(kind[sign.replace("<", ">")])


def _variables(value: object) -> list[Term]:
    if isinstance(value, Term):
        return list(terms.variables(value))
    if isinstance(value, tuple) and len(value) in (2, 3) and isinstance(value[0], str):
        return [terms.variable(*value)]
    return []


def _proves(rule: Rule, law: Law, bound: Mapping[str, Any]) -> str | None:
    """Whether a law is proved at one binding: "proved", or how far; None for no instance.

    Raises `Undecided` with the reason where it is not.
    """
    try:
        found = _case(law, bound)
        if found is None:
            return None
        case, closing = found
        left = closing.build(law.left)
        right = closing.build(law.right)
    except (Reject, ShapeError):
        return None
    algebra = case.algebra
    arrays = filled(algebra, closing, case.arrays)
    values = evaluate(algebra, [left, right], arrays)
    if values[0].shape != values[1].shape:
        raise Undecided("the sides have different axes")
    jumps = _jumps(algebra) if closing.holes else []
    boundary = False
    for p, q in zip(values[0].ravel(), values[1].ravel(), strict=True):
        if not case.same(p, q, {*p.domain, *q.domain, *jumps}):
            raise Undecided("the sides are not proved equal")
        if closing.holes:
            continue
        try:
            forth = case.holds(q.domain, p.domain)
            back = rule.widens and not rule.is_conditional
            # What widens acts on terms where nothing is known.
            if rule.widens and rule.is_conditional:
                plain = _Case(algebra, bound, case.arrays, [], case.solver)
                forth = plain.holds(q.domain, p.domain) and plain.same(p, q, p.domain)
            back = back or case.holds(p.domain, q.domain)
        except TooLarge:
            raise
        except Undecided:
            forth = back = False
        boundary = boundary or not (forth and back)
    narrowed = "narrowed" if algebra.narrowed else "proved"
    return "boundary" if boundary else narrowed


def _jumps(algebra: Algebra) -> list[Need]:
    """That no test is at its threshold, where differences say nothing."""
    return [
        ("nonzero", of[0]) for kind, *of in algebra.atoms if kind in ("positive", "zero")
    ] + [("nonzero", frozenset({((k, Fraction(1)),): Fraction(1)}.items()))
         for kind, k, *_ in (a for a in algebra.atoms if a[0] == "abs")]  # fmt: skip


def _concludes(fact: Fact, bound: Mapping[str, Any]) -> str | None:
    """Whether a fact is proved at one binding."""
    claim = fact.claim
    law = Law(claim.tensor, claim.tensor, conditions=fact.conditions)
    try:
        found = _case(law, bound)
        if found is None:
            return None
        case, closing = found
        p, t = closing.build(claim.property), closing.build(claim.tensor)
    except (Reject, ShapeError):
        return None
    if p == known_as.TOTAL and isinstance(claim.tensor, Parameter):
        raise Undecided("operands are real numbers here, so that they are defined")
    (values,) = evaluate(case.algebra, [t], case.arrays)
    domain = [c for v in values.flat for c in v.domain] if p != known_as.TOTAL else []
    if values.ndim == 2 and p in (
        *(known_as.SYMMETRIC, known_as.SKEW, known_as.LOWER, known_as.UPPER),
        *(known_as.DIAGONAL, known_as.ORTHOGONAL),
    ):
        if values.shape[0] != values.shape[1]:
            raise Undecided("the matrix is not square")
        zero = Value(case.algebra, {})
        if all(case.same(v, zero, domain) for v in _equalities(p, values)):
            return "narrowed" if case.algebra.narrowed else "proved"
        raise Undecided("the claim is not proved")
    if p == known_as.INTEGER:
        entries: list[Value] = list(values.ravel())
        if all(case.same(v.floor(), v, domain) for v in entries):
            return "proved"
        raise Undecided("the claim is not proved")
    if case.holds(_needs(p, values), domain):
        return "narrowed" if case.algebra.narrowed else "proved"
    raise Undecided("the claim is not proved")


def _is_entrywise(patterns: Iterable[object], conditions: Iterable[object]) -> bool:
    """Whether both sides are computed entry by entry, so that scalars say all."""
    elementwise = {
        a.name
        for c in conditions
        if isinstance(c, Call)
        and isinstance(c.function, Condition)
        and c.function.function is is_elementwise
        for a in c.args
        if isinstance(a, Parameter)
    }
    allowed = {"constant", "scale", "add", "subtract", "negate", "power", "ein"}
    for node in (n for p in patterns for n in nodes_of(p)):
        name = node.constructor
        if name == "ein":
            spec = node.args[0]
            named = isinstance(spec, Parameter) and spec.name in elementwise
            if not named and not (
                isinstance(spec, Call) and getattr(spec.function, "__name__", "") == "elementwise"
            ):
                return False
        elif name in ("numeric", "numeric2"):
            if node.args[0] not in FUNCTIONS:
                return False
        elif name not in (*allowed, *FUNCTION_NODES.values(), *SLOPE_NODES.values()):
            return False
    return True


def _free_numbers(patterns: Iterable[object], conditions: Iterable[object]) -> set[str]:
    """The letters for numbers that may stay symbols: none is an exponent, or computed with else."""
    free: set[str] = set()
    bound: set[str] = set()

    def visit(p: object, allowed: bool) -> None:
        match p:
            case Parameter(name=name, kind=kind) if kind == Number:
                (free if allowed else bound).add(name)
            case Node(constructor="power", args=(a, e)):
                visit(a, True)
                visit(e, False)
            case Node(constructor=name, args=args):
                for a in args:
                    visit(a, name in ("scale", "constant") or isinstance(a, Node))
            case Call(function=function, args=args):
                name = getattr(function, "__name__", "")
                inner = allowed and (name in _ARITHMETIC or isinstance(function, Comparison))
                for a in args:
                    visit(a, inner)
            case Literal() | None:
                pass
            case _:
                pass

    def visit_all(p: object, under_power: bool = False) -> None:
        visit(p, not under_power)

    for p in patterns:
        visit_all(p)
    for c in conditions:
        if isinstance(c, Call) and isinstance(c.function, Comparison) and c.function.sign != "==":
            visit(c, True)
        elif isinstance(c, Known):
            visit(c.tensor, True)
            visit(c.property, False)
        elif isinstance(c, Call):
            visit(c, False)
    # Under a power no symbol is an exponent, even within constants.
    return free - bound - _exponents(patterns)


def _exponents(patterns: Iterable[object]) -> set[str]:
    nodes = (n for p in patterns for n in nodes_of(p) if n.constructor == "power")
    return {p.name for n in nodes for p in parameters_of(n.args[1]) if p.kind == Number}


def prove(law: "Rule | BulkRule | LoopRule | Fact") -> Proof:
    """What can be proved of a law or a fact, for all values.

    >>> from eggrad.engine.laws.language import fn, tensors
    >>> from eggrad.engine.laws.rule import Ruleset
    >>> (a,) = tensors("a")
    >>> rules = Ruleset("mine", "one law", "nothing")
    >>> rules.state("arithmetic", log_of_exp=fn("log", fn("exp", a)) >> a)
    >>> prove(rules.rules[0]).status.value
    'proved'
    """
    if isinstance(law, BulkRule | LoopRule):
        return Proof(
            Status.OPEN, "the law is a function in Python, on whole sums, products or loops"
        )
    try:
        return _proof(law)
    except (Undecided, EggradError) as error:
        return Proof(Status.OPEN, str(error))
    except RecursionError:
        return Proof(Status.OPEN, "the terms are too deep")


def _at(law: Rule | Fact, one: Law, bound: Mapping[str, Any]) -> str | None:
    """What is proved at one binding; of a function that a letter stands for, its name is said."""
    try:
        return _proves(law, one, bound) if isinstance(law, Rule) else _concludes(law, bound)
    except Undecided as error:
        names = [f"{k} = {v}" for k, v in sorted(bound.items()) if isinstance(v, str)]
        raise type(error)(", ".join([str(error), *names])) from error


def _instances(
    laws: Iterable[Law], symbolic: Mapping[str, Any], within: Bound
) -> list[tuple[Law, dict[str, Any]]] | None:
    """All bindings of laws within a bound; None where there are too many."""
    found: list[tuple[Law, dict[str, Any]]] = []
    for law in laws:
        seen: set[Any] = set()
        for draws, bound in enumerate(_fill(law.left, dict(symbolic), within)):
            key = tuple(sorted((n, str(v)) for n, v in bound.items()))
            if key not in seen and _may_apply(law, bound):
                seen.add(key)
                found.append((law, bound))
            if draws > DRAWS or len(found) > INSTANCES:
                return None
    return found


def _proof(law: Rule | Fact) -> Proof:
    if isinstance(law, Rule):
        statement = law.statement
        sides = [(statement, False), *([(statement, True)] if statement.both else [])]
        laws = [Law(s.right, s.left, conditions=s.conditions) if back else s for s, back in sides]
        patterns: list[object] = [statement.left, statement.right]
        conditions = statement.conditions
    else:
        # What a term needs to be defined is said of an operand of it.
        wholes = (
            c.tensor
            for c in law.conditions
            if isinstance(c, Known) and c.property == known_as.DEFINED
        )
        form = next(wholes, law.claim.tensor)
        laws = [Law(form, form, conditions=law.conditions)]
        patterns, conditions = [law.claim.tensor], law.conditions
    asked = [c.tensor for c in conditions if isinstance(c, Known)]
    entrywise = _is_entrywise([*patterns, *asked], conditions)
    letters = {p.name: p for x in (*patterns, *conditions) for p in parameters_of(x)}
    free = _free_numbers(patterns, conditions)
    symbolic = {name: terms.variable(f"{NUMBER}{name}") for name in free}
    numbers = {n for n, p in letters.items() if p.kind == Number} - free
    tests = [c.function for c in conditions if isinstance(c, Call)]
    empty = any(isinstance(t, Condition) and t.function is is_empty for t in tests)
    bounds = [*WITH_EMPTY] if empty else [SCALARS] if entrywise else [*BOUNDS]
    reason = Undecided("no instance was found within the bound")
    proved: list[str | None] = []
    within = bounds[0]
    for within in bounds:
        found = _instances(laws, symbolic, within)
        if found is None:
            reason = Undecided("the law has too many instances")
            continue
        try:
            proved = [_at(law, one, bound) for one, bound in found]
        except TooLarge as error:
            reason = error
            continue
        if any(proved):
            break
    count, boundary = sum(said is not None for said in proved), "boundary" in proved
    if not count:
        raise reason
    of_all = within is SCALARS and not numbers
    if within is SCALARS and isinstance(law, Rule):
        _check_axes(laws, symbolic)
    differentiated = any(n.constructor in DIFFERENTIATED for x in patterns for n in nodes_of(x))
    if boundary and not (isinstance(law, Rule) and law.exceptions):
        raise Undecided(
            "equal where both sides are defined; that they are defined at the same values is open"
        )
    text = "for all values" if of_all else f"{count} instances: {within.text}"
    if within is SCALARS and numbers:
        text = f"{count} instances: numbers {', '.join(sorted(numbers))} from a list"
    narrowed = "narrowed" in proved
    limits = (
        (differentiated, "where nothing jumps or has a kink"),
        (boundary and not differentiated, "where both sides are defined"),
        (narrowed, "for powers of positive numbers"),
    )
    method = ", ".join([text, *(limit for is_met, limit in limits if is_met)])
    return Proof(Status.PROVED if of_all and not narrowed else Status.CHECKED, method, count)


def _check_axes(laws: Iterable[Law], symbolic: Mapping[str, Any]) -> None:
    """Raise `Undecided` unless both sides have the same axes where operands have some."""
    found = _instances(laws, symbolic, Bound((2, 3), 2)) or _instances(laws, symbolic, BOUNDS[-1])
    for law, bound in found or ():
        closing = SymbolicClosing(bound)
        try:
            left, right = closing.build(law.left), closing.build(law.right)
        except Reject:
            continue
        if left.dims != right.dims:
            raise Undecided("the sides have different axes")


def _may_apply(law: Law, bound: Mapping[str, Any]) -> bool:
    """Whether the conditions on specs, axes and numbers hold, and the left side has axes."""
    closing = SymbolicClosing(bound)
    try:
        for c in law.conditions:
            if isinstance(c, Known | Differ):
                continue
            compared = isinstance(c, Call) and isinstance(c.function, Comparison) and c.args[0]
            if compared and isinstance(closing.build(compared), Term):
                continue
            if not closing.build(c):
                return False
        closing.build(law.left)
    except (Reject, ShapeError):
        return False
    return True
