"""Claims about values with symbols, decided by an SMT solver over the reals: Z3, where it is.

Functions that are no polynomials are unknown functions of which some ranges are said. So "holds"
is a proof; values at which a claim fails may be those of another function than the one meant.
"""

from collections.abc import Iterable
from fractions import Fraction
from importlib import import_module
from typing import Any, Final

from eggrad.engine.workbench.symbols import (
    UNIT,
    Algebra,
    Need,
    Polynomial,
    TooLarge,
    Undecided,
)

# What a question may use: Z3 counts its steps, so that the answer is the same everywhere.
STEPS: Final = 100_000
# Terms that are written for one instance of a law.
TERMS: Final = 2_000
# A number above pi.
PI: Final = Fraction(314160, 100000)


def has_solver() -> bool:
    """Whether Z3 is installed."""
    return _z3() is not None


def _z3() -> Any:
    try:
        return import_module("z3")
    except ImportError:
        return None


def _order(c: Need) -> tuple[Any, ...]:
    kind, key, *sets = c
    return (kind, sorted(key), [sorted(map(_order, s)) for s in sets])


class Solver:
    """Z3 on the atoms of an algebra. Raises `Undecided` where it is not installed."""

    def __init__(self, algebra: Algebra) -> None:
        """Nothing is known yet."""
        self.z3 = _z3()
        if self.z3 is None:
            raise Undecided("z3-solver is not installed")
        self.algebra = algebra
        self._context = self.z3.Context()
        self._made: dict[int, Any] = {}
        self._roots: dict[tuple[Any, int], Any] = {}
        self._axioms: list[Any] = []
        self._terms = 0

    def number(self, p: Polynomial) -> Any:
        """A polynomial as a real expression."""
        total = self._real(0)
        self._terms += len(p)
        if self._terms > TERMS:
            raise TooLarge("the conditions are too large")
        for m, c in p.items():
            part = self._real(c)
            for k, e in m:
                if k == UNIT or self.algebra.kind(k) == "turn":
                    raise Undecided("sines and cosines within an inequality")
                part = part * self._power(k, e)
            total = total + part
        return total

    def condition(self, c: Need) -> Any:
        """What a value needs to be defined."""
        kind, key, *sets = c
        if kind == "choice":
            chosen, others = (self.all(s) for s in sets)
            return self.z3.If(self.number(dict(key)) == 1, chosen, others)
        value = self.number(dict(key))
        return {"nonzero": value != 0, "positive": value > 0, "nonnegative": value >= 0}[kind]

    def all(self, conditions: Iterable[Need]) -> Any:
        """All of some conditions, in an order that does not change from run to run."""
        parts = map(self.condition, sorted(conditions, key=_order))
        return self.z3.And(self.z3.BoolVal(True, self._context), *parts)

    def follows(self, claim: Any, given: Iterable[Any]) -> bool:
        """Whether a claim holds where others do, which is proved then."""
        solver = self.z3.Solver(ctx=self._context)
        solver.set("rlimit", STEPS)
        solver.set("random_seed", 0)
        solver.add(*given, *self._axioms, self.z3.Not(claim))
        answer = solver.check()
        if answer == self.z3.unsat:
            return True
        if answer == self.z3.unknown:
            raise TooLarge("the solver gives no answer")
        return False

    def _real(self, c: Any) -> Any:
        c = Fraction(c)
        return self.z3.RealVal(f"{c.numerator}/{c.denominator}", ctx=self._context)

    def _power(self, k: int, e: Fraction) -> Any:
        if self.algebra.kind(k) == "exp":
            x = self._root(k, e.denominator) if e.denominator > 1 else self._atom(k)
        else:
            x = self._atom(k) if e.denominator == 1 else self._root(k, e.denominator)
        found = self._real(1)
        for _ in range(abs(e.numerator)):
            found = found * x
        return self._real(1) / found if e < 0 else found

    def _of(self, key: Any) -> Any:
        return self.number(dict(key))

    def _root(self, k: int, order: int) -> Any:
        if (k, order) not in self._roots:
            root = self.z3.Real(f"root{order}_{k}", ctx=self._context)
            self._roots[k, order] = root
            power = root
            for _ in range(order - 1):
                power = power * root
            atom = self._atom(k)
            # It is used where the atom is not negative.
            self._axioms.append(self.z3.Implies(atom >= 0, self.z3.And(root >= 0, power == atom)))
        return self._roots[k, order]

    def _atom(self, k: int) -> Any:
        if k not in self._made:
            self._made[k] = self._new(k)
        return self._made[k]

    def _new(self, k: int) -> Any:
        z3, (kind, *of) = self.z3, self.algebra.atoms[k]
        x = z3.Real(f"{kind}_{k}", ctx=self._context)
        match kind:
            case "variable":
                return x
            case "positive":
                return z3.If(self._of(of[0]) > 0, self._real(1), self._real(0))
            case "zero":
                return z3.If(self._of(of[0]) == 0, self._real(1), self._real(0))
            case "base":
                return self._of(of[0])
            case "abs":
                inner = self._atom(of[0])
                return z3.If(inner >= 0, inner, -inner)
            case "floor":
                below, m = z3.ToReal(z3.Int(f"floor_{k}", ctx=self._context)), self._of(of[0])
                self._axioms += [below <= m, m < below + 1]
                return below
            case "exp":
                m = self.number({of[0]: Fraction(1)})
                said = [x > 0, (x > 1) == (m > 0), (x == 1) == (m == 0), x >= 1 + m]
                self._monotone("exp", m, x)
            case "log":
                inner = self._atom(of[0])
                m = z3.If(inner >= 0, inner, -inner)
                said = [z3.Implies(m > 0, z3.And((x > 0) == (m > 1), (x == 0) == (m == 1)))]
                said.append(z3.Implies(m > 0, x <= m - 1))
            case "log of":
                said = [(x > 0) == z3.BoolVal(of[0] > 1, ctx=self._context), x != 0]
            case "arctan" | "arcsin":
                m = self._of(of[0])
                high = self._real(PI / 2)
                said = [(x > 0) == (m > 0), (x == 0) == (m == 0), x < high, x > -high]
                self._monotone(kind, m, x)
            case "arccos":
                m = self._of(of[0])
                said = [z3.Implies(z3.And(m >= -1, m <= 1), z3.And(x >= 0, (x == 0) == (m == 1)))]
            case _:
                raise Undecided(f"{kind} has no meaning here")
        self._axioms += said
        return x

    def _monotone(self, kind: str, m: Any, x: Any) -> None:
        """An increasing function: beside all others of its kind."""
        for k, other in [*self._made.items()]:
            name, *of = self.algebra.atoms[k]
            if name == kind:
                p = {of[0]: Fraction(1)} if kind == "exp" else dict(of[0])
                n = self.number(p)
                self._axioms += [(m > n) == (x > other), (m == n) == (x == other)]
