"""Functions written out, law by law, so that arithmetic can compare what is left.

Of a tangent it leaves sines and cosines of single arguments, of a maximum moduli, of the logarithm
of a product the logarithms of its factors, and of a real power an exponential.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from math import gcd, lcm
from typing import Any, Final, NamedTuple

from eggrad.engine.laws.language import Node, Parameter, Tensor
from eggrad.engine.laws.matching import Closing, matcher_of_terms, patterns, views
from eggrad.engine.laws.properties import POSITIVE
from eggrad.engine.laws.rule import Rule
from eggrad.engine.terms.term import (
    Term,
    add,
    apply,
    constant,
    einsum,
    postorder,
    power,
    rebuild,
)
from eggrad.frontend.certificates.arithmetic import ONE, UNIT, Indices, Monomial, Polynomial, times
from eggrad.frontend.certificates.combinations import Combinations
from eggrad.rules.functions.definitions import definitions
from eggrad.rules.functions.elementwise import functions, signs
from eggrad.rules.functions.linalg import linalg
from eggrad.rules.functions.ranges import ranges
from eggrad.rules.functions.written_out import written_out

# Laws applied to one term, and summands of the argument of a sine, at most.
MOST_MOVES: Final = 120
MOST_SUMMANDS: Final = 12

# Laws about determinants, in the order in which they are tried.
DETERMINANTS: Final = (
    "determinant_of_multiple",
    "determinant_of_scaled",
    "determinant_of_product",
    "det_of_transpose",
    "det_of_inverse",
)

Bound = Mapping[str, Any]


class Move(NamedTuple):
    """A part of a term that becomes another, by a law at some bindings or by arithmetic."""

    old: Term
    new: Term
    law: tuple[Rule, int, Bound] | None = None
    backwards: bool = False


@dataclass
class Expansion:
    """Terms written out; `number` and `term` lead from terms to numbers and back."""

    arithmetic: Combinations
    number: Callable[[Term], int]
    term: Callable[[int], Term]
    knows: Callable[[str, Term], bool]

    def __post_init__(self) -> None:
        """Begin without arguments of sines."""
        self._units: dict[Monomial, Fraction] = {}

    def read(self, *roots: Term) -> None:
        """Find the arguments of which those of all sines and cosines are whole multiples."""
        for t in postorder(*roots):
            if t.op in ("sin", "cos", "tan"):
                for m, c in self._polynomial(t.args[0]).items():
                    known = self._units.get(m, Fraction(0))
                    ends = lcm(known.denominator, c.denominator)
                    shared = gcd(int(known * ends), int(c * ends))
                    self._units[m] = Fraction(shared, ends)

    def moves(self, whole: Term) -> Iterator[tuple[Move, Term]]:
        """What is done to a term, and what it becomes."""
        count, before = 0, None
        while before is not whole and count < MOST_MOVES:
            before = whole
            for t in postorder(whole):
                moves = self._moves(t)
                if moves:
                    break
            else:
                return
            for move in moves:
                whole, count = replaced(whole, move.old, move.new), count + 1
                yield move, whole

    def _moves(self, t: Term) -> list[Move]:
        if t.op in ("sin", "cos"):
            return self._of_sum(t)
        if t.op == "log":
            return self._logarithm(t)
        if t.op == "exp":
            return self._exponential(t)
        if t.op == "power" and self._is_real(t):
            return self._by_law(t, "power_by_logarithm")
        if t.op == "det":
            return next(filter(None, (self._by_law(t, name) for name in DETERMINANTS)), [])
        simpler = self._by_law(t, "") if t.args else []
        return simpler or (self._modulus(t) if t.op == "abs" else [])

    def _polynomial(self, t: Term) -> Polynomial:
        return self.arithmetic.polynomial(self.number(t))

    def _is_real(self, t: Term) -> bool:
        base, exponent = t.args
        if exponent.op != "constant":
            return True
        entrywise = [(e, part == out) for (f, out, _) in self._polynomial(base) for _, e, part in f]
        return Fraction(str(exponent.data)).denominator > 1 and entrywise != [(ONE, True)]

    def _by_law(self, t: Term, name: str) -> list[Move]:
        """By the law of a name, or by one that says what a function is of single letters."""
        matcher = matcher_of_terms(self.knows)
        for rule in [_named()[name]] if name else _of_letters().get(t.op, ()):
            for constructor, arguments in views(t):
                if constructor == patterns(rule)[0].constructor:
                    for found in matcher.instances(patterns(rule)[0], arguments):
                        return [Move(t, found.second, (rule, 0, found.bound))]
        return []

    def _instance(self, name: str, **bound: Any) -> Move:
        rule = _named()[name]
        closing, law = Closing(bound), patterns(rule)[0].law
        left, right = closing.build(law.left), closing.build(law.right)
        return Move(left, right, (rule, 0, bound))

    # Sines and cosines ---------------------------------------------------------------------

    def _of_sum(self, t: Term) -> list[Move]:
        """A sine of a sum, of a multiple or of what is negative."""
        parts = [
            (m, c / self._units[m])
            for m, c in sorted(self._polynomial(t.args[0]).items(), key=repr)
            if self._units.get(m)
        ]
        count = sum(abs(n) for _, n in parts)
        if not 0 < count <= MOST_SUMMANDS or any(n.denominator > 1 for _, n in parts):
            return []
        summands = [self._unit(m, n > 0) for m, n in parts for _ in range(abs(int(n)))]
        if len(summands) > 1:
            rest = reduce(lambda b, a: add(a, b), summands[-2:0:-1], summands[-1])
            name = "sine_of_sum" if t.op == "sin" else "cosine_of_sum"
            move = self._instance(name, a=summands[0], b=rest)
        elif parts[0][1] < 0:
            name = "odd_function" if t.op == "sin" else "even_function"
            move = self._instance(name, f=t.op, a=self._unit(parts[0][0], True))
        else:
            return []
        return [move] if t is move.old else [Move(t, move.old), move]

    def _unit(self, m: Monomial, positive: bool) -> Term:
        """An argument, or its negative."""
        unit = self.term(self.arithmetic.term({m: self._units[m]}))
        if positive:
            return unit
        return self._instance("odd_function", f="sin", a=unit).old.args[0]

    def _exponential(self, t: Term) -> list[Move]:
        """An exponential of multiples of logarithms, beside other summands."""
        rest, powers = dict[Monomial, Fraction](), list[tuple[Term, Fraction, Indices]]()
        axes = tuple(range(t.order))
        for m, c in self._polynomial(t.args[0]).items():
            factors, out, _ = m
            atom = self.term(self.arithmetic.power_of(factors[0][0], ONE)) if factors else t
            single = len(factors) == 1 and factors[0][1] == 1 and out == axes
            if single and atom.op == "log" and self.knows(POSITIVE, atom.args[0]):
                powers.append((atom, c, factors[0][2]))
            else:
                rest[m] = c
        if not powers:
            return []

        def product(logarithms: list[Term]) -> Term:
            parts = [(apply("exp", self.term(self.arithmetic.term(rest))), axes)] if rest else []
            parts += [
                (f if e == 1 else power(f, constant(e)), part)
                for f, (_, e, part) in zip(logarithms, powers, strict=True)
            ]
            return _spread_product(parts, axes, t.dims)

        now = [apply("exp", a) for a, _, _ in powers]
        moves = [] if product(now) is t else [Move(t, product(now))]
        for k, (a, _, _) in enumerate(powers):
            before, law = product(now), self._instance("exp_of_log", a=a.args[0])
            now[k] = law.new
            moves.append(Move(before, product(now), law.law))
        return moves

    # Moduli and logarithms -----------------------------------------------------------------

    def _modulus(self, t: Term) -> list[Move]:
        """A modulus of a multiple or of a product."""
        p = self._polynomial(t.args[0])
        if not p:
            return []
        number = _content(p) * (1 if p[min(p, key=repr)] > 0 else -1)
        if number != 1:
            inside = self.term(self.arithmetic.term(times(1 / number, p)))
            move = self._instance("abs_of_multiple", c=number, a=inside)
            return [move] if t is move.old else [Move(t, move.old), move]
        if len(p) == 1 and t.args[0].op == "einsum" and len(t.args[0].args) == 2:
            return self._by_law(t, "modulus_of_product")
        return []

    def _logarithm(self, t: Term) -> list[Move]:
        """A logarithm of a product of what is positive, such as a multiple of a sum."""
        whole = t.args[0]
        factors = self._factors(whole)
        now = [f for f, _, _ in factors]
        axes = tuple(range(whole.order))
        composed = len(now) > 1 or (now and (now[0].op == "exp" or factors[0][1:] != (ONE, axes)))
        if not composed:
            return []
        moves, before = list[Move](), t
        if not all(f.op == "exp" or self.knows(POSITIVE, f) for f in now):
            return []

        def product() -> Term:
            parts = [
                (f if e == 1 else power(f, constant(e)), part)
                for f, (_, e, part) in zip(now, factors, strict=True)
            ]
            return apply("log", _spread_product(parts, axes, whole.dims))

        after = product()
        if after is not before:
            moves.append(Move(before, after))
        for k, f in enumerate(now):
            if f.op != "exp":
                before = product()
                law = self._instance("exp_of_log", a=f)
                now[k] = law.old
                moves.append(Move(before, product(), law.law, True))
        before = product()
        summands = [
            _multiple(e, _spread(f.args[0], part, axes, whole.dims))
            for f, (_, e, part) in zip(now, factors, strict=True)
        ]
        last = self._instance("log_of_exp", a=reduce(add, summands))
        if last.old is not before:
            moves.append(Move(before, last.old))
        return [*moves, last]

    def _factors(self, t: Term) -> list[tuple[Term, Fraction, Indices]]:
        """The factors of a tensor, each with an exponent and the axes that it has."""
        p = self._polynomial(t)
        outs = {m[1] for m in p}
        out = next(iter(outs), ())
        if len(outs) != 1 or UNIT in out or len({*out}) < len(out):
            return []
        outer = [{(a, part): e for a, e, part in m[0] if {*part} <= {*out}} for m in p]
        every = sorted({k for factors in outer for k in factors})
        common = {k: min(factors.get(k, Fraction(0)) for factors in outer) for k in every}
        found = [
            (self.term(self.arithmetic.power_of(a, ONE)), e, part)
            for (a, part), e in common.items()
            if e
        ]
        less = [(a, -e, part) for (a, part), e in common.items()]
        rest = self.arithmetic.multiplied(p, less, t.dims)
        content = _content(rest)
        if content != 1:
            rest = times(1 / content, rest)
            found.append((constant(content), ONE, ()))
        kept = tuple(
            k for k, i in enumerate(out) if any(i in part for m in rest for _, _, part in m[0])
        )
        if any(m[0] for m in rest):
            small = self.arithmetic.on(rest, kept)
            found.append((self.term(self.arithmetic.term(small)), ONE, kept))
        return found


def _content(p: Polynomial) -> Fraction:
    """What all coefficients are whole multiples of."""
    ends = reduce(lcm, (c.denominator for c in p.values()), 1)
    return Fraction(reduce(gcd, (int(c * ends) for c in p.values()), 0), ends)


def _spread(t: Term, part: Indices, axes: Indices, dims: Any) -> Term:
    """A tensor that is the same along the axes that it lacks."""
    if part == axes:
        return t
    missing = tuple(k for k in axes if k not in part)
    return einsum((part, missing, axes), t, constant(1, tuple(dims[k] for k in missing)))


def _spread_product(parts: list[tuple[Term, Indices]], axes: Indices, dims: Any) -> Term:
    whole, names = parts[0]
    for t, part in parts[1:]:
        joined = tuple(k for k in axes if k in {*names, *part})
        whole, names = einsum((names, part, joined), whole, t), joined
    return _spread(whole, names, axes, dims)


def _multiple(number: Fraction, t: Term) -> Term:
    axes = tuple(range(t.order))
    return t if number == 1 else einsum(((), axes, axes), constant(number), t)


def replaced(whole: Term, old: Term, new: Term) -> Term:
    """A term in which a part has become another, wherever it occurs."""
    done = {old: new}
    for t in postorder(whole, operands=lambda t: () if t is old else t.args):
        if t not in done:
            done[t] = rebuild(t, tuple(done[a] for a in t.args))
    return done[whole]


@cache
def _named() -> Mapping[str, Rule]:
    rulesets = (functions, definitions, linalg, written_out)
    return {r.name: r for s in rulesets for r in s.rules}


@cache
def _of_letters() -> Mapping[str, list[Rule]]:
    """Laws whose left side is one function of single letters, by its name."""
    found: dict[str, list[Rule]] = {}
    for r in (r for s in (signs, ranges, definitions) for r in s.rules):
        node = r.statement.left
        if isinstance(node, Node) and node.constructor.startswith("function"):
            name, *letters = node.args
            if isinstance(name, str) and all(
                isinstance(p, Parameter) and p.kind is Tensor for p in letters
            ):
                found.setdefault(name, []).append(r)
    return found
