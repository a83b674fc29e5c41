"""Exact arithmetic with symbols: polynomials whose atoms are functions of other polynomials.

Two values are the same where their difference is the polynomial 0. Exponents may be negative and
fractions. What a value needs to be defined is kept beside it. Functions come to a few kinds of
atoms, with the relations that hold between these:

| atom | stands for | relations |
|---|---|---|
| `variable` | a real number | |
| `base` p | p, of which a root or a reciprocal is taken | powers add, whole ones are p's |
| `exp` m, `turn` m | exp m, exp (i m), of a monomial m | exp (p + q) = exp p exp q; i² = -1 |
| `log` k | log of the absolute value of atom k | log p q = log p + log q |
| `abs` k | the absolute value of atom k | its square is that of the atom |
| `positive` p, `zero` p | 1 where p > 0, where p = 0; else 0 | they exclude each other |
| `floor` p | the greatest integer that is no greater than p | whole summands are taken out |
| `arctan` p and the like | an inverse function | sin, cos and tan of it |
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isqrt
from typing import Any, Final

Monomial = tuple[tuple[int, Fraction], ...]
"""Numbers of atoms with their exponents, in order."""
Polynomial = Mapping[Monomial, Fraction]
Key = frozenset[tuple[Monomial, Fraction]]
"""A polynomial as what an atom is made of."""
Need = tuple[Any, ...]
"""What a value needs: ("nonzero" | "positive" | "nonnegative", key), or a choice's two sets."""

ONE: Final[Polynomial] = {(): Fraction(1)}
ZERO: Final[Polynomial] = {}
# The number of the imaginary unit.
UNIT: Final = 0
# Products of terms that one instance of a law may take.
WORK: Final = 400_000
# Terms of a polynomial, and factors of a power, that are worth the wait.
TERMS: Final = 5_000
EXPONENT: Final = 64
# Atoms whose values are 1 and 0, and those that are integers.
TESTS: Final = ("positive", "zero")
WHOLE: Final = (*TESTS, "floor")
INVERSES: Final = ("arctan", "arcsin", "arccos")


class Undecided(Exception):
    """What is asked for is beyond this arithmetic, or too large."""


class TooLarge(Undecided):
    """More terms than are worth the wait."""


class Algebra:
    """The atoms met so far; all values that are compared are of one algebra."""

    def __init__(self) -> None:
        """Begin with the imaginary unit alone."""
        self.atoms: list[tuple[Any, ...]] = [("unit",)]
        self._numbers: dict[tuple[Any, ...], int] = {("unit",): UNIT}
        self._work = 0
        # Whether a power was taken whose exponent is no number: of what is positive alone.
        self.narrowed = False
        self.positive: set[int] = set()

    def atom(self, *parts: Any) -> int:
        """The number of an atom."""
        if parts not in self._numbers:
            self._numbers[parts] = len(self.atoms)
            self.atoms.append(parts)
        return self._numbers[parts]

    def kind(self, number: int) -> str:
        """What an atom is."""
        return self.atoms[number][0]

    # Sums and products ---------------------------------------------------------------------

    def plus(self, p: Polynomial, q: Polynomial, factor: Fraction | int = 1) -> Polynomial:
        """One polynomial and a multiple of another."""
        found = dict(p)
        for m, c in q.items():
            total = found.get(m, 0) + factor * c
            if total:
                found[m] = Fraction(total)
            else:
                found.pop(m, None)
        return found

    def times(self, p: Polynomial, q: Polynomial) -> Polynomial:
        """The product."""
        found: dict[Monomial, Fraction] = {}
        self._work += len(p) * len(q)
        if self._work > WORK:
            raise TooLarge("the polynomials are too large")
        for m, c in p.items():
            for n, d in q.items():
                merged = self._merged(m, n)
                if merged is None:
                    continue
                product, sign = merged
                total = found.get(product, 0) + c * d * sign
                if total:
                    found[product] = Fraction(total)
                else:
                    found.pop(product, None)
            if len(found) > TERMS:
                raise TooLarge("the polynomials are too large")
        return found

    def _merged(self, m: Monomial, n: Monomial) -> tuple[Monomial, int] | None:
        """The product of two monomials, and its sign; None where it is 0."""
        if not m or not n:
            return (m or n), 1
        powers = dict(m)
        for k, e in n:
            powers[k] = powers.get(k, Fraction(0)) + e
        sign = 1
        for k in [k for k in powers if self.kind(k) in ("unit", *TESTS)]:
            if k != UNIT:
                powers[k] = Fraction(1)
                if self.kind(k) == "zero" and self._excluded(self.atoms[k][1], powers):
                    return None
                continue
            turns = powers.pop(k) % 4
            sign = -1 if turns >= 2 else 1
            if turns % 2:
                powers[k] = Fraction(1)
        return tuple(sorted((k, e) for k, e in powers.items() if e)), sign

    def _excluded(self, zero: Key, powers: Mapping[int, Fraction]) -> bool:
        """Whether what is 1 where a polynomial is 0 meets a factor that is 0 there."""
        if self._numbers.get(("positive", zero)) in powers:
            return True
        ((m, _), *rest) = zero
        return not rest and len(m) == 1 and powers.get(m[0][0], 0) > 0

    def power(self, p: Polynomial, e: Fraction) -> Polynomial:
        """A power, of what is positive where the exponent is a fraction."""
        if e.denominator == 1 and e >= 0:
            if e > EXPONENT:
                raise Undecided("a power is too high")
            found = ONE
            for _ in range(int(e)):
                found = self.times(found, p)
            return found
        if not p:
            return ZERO
        if e.denominator == 1:
            c, factors = self.factors(p)
            one: Polynomial = {(): c ** int(e)}
            for k, a in factors:
                turned = (a * e) % 4 if k == UNIT else Fraction(1) if self._is_test(k) else a * e
                one = self.times(one, {((k, turned),): Fraction(1)})
            return one
        if len(p) == 1:
            ((m, c),) = p.items()
            root = _root(c, e)
            if root is not None and all(self._is_positive(k, a, len(m)) for k, a in m):
                return {tuple((k, a * e) for k, a in m): root}
        return self.of(self.base(p), e)

    def _is_test(self, k: int) -> bool:
        return self.kind(k) in TESTS

    def factors(self, p: Polynomial) -> tuple[Fraction, Monomial]:
        """A polynomial that is not 0 as a number times powers of atoms, one of them a base."""
        if len(p) == 1:
            ((m, c),) = p.items()
            return c, m
        content, rest = self.split(p)
        if len(rest) <= 1:
            if not rest:
                raise Undecided("a denominator is 0")
            return self.factors(self.times(content, rest))
        ((m, c),) = content.items()
        return c, (*m, (self.base(rest), Fraction(1)))

    def _is_positive(self, k: int, exponent: Fraction, factors: int) -> bool:
        """Whether a power of an atom is not negative where the root of a product is defined."""
        if self.kind(k) in ("exp", "abs"):
            return True
        if self.kind(k) in ("unit", "turn", *TESTS):
            return False
        return exponent.denominator > 1 or (factors == 1 and exponent.numerator % 2 == 1)

    def base(self, p: Polynomial) -> int:
        """The atom that stands for a polynomial."""
        return self.atom("base", frozenset(p.items()))

    def of(self, number: int, exponent: Fraction | int = 1) -> Polynomial:
        """A power of an atom."""
        return {((number, Fraction(exponent)),): Fraction(1)}

    def split(self, p: Polynomial) -> tuple[Polynomial, Polynomial]:
        """A polynomial as the product of what all terms share, and a sum that begins with 1."""
        if not p:
            return ONE, ZERO
        every = {k for m in p for k, _ in m if self.kind(k) not in ("unit", *TESTS)}
        shared = {k: min(dict(m).get(k, Fraction(0)) for m in p) for k in sorted(every)}
        content = tuple((k, e) for k, e in shared.items() if e)
        lead = p[min(p)]
        inverse = tuple((k, -e) for k, e in content)
        rest = self.expanded(self.times({inverse: 1 / lead}, p))
        if len(rest) > 1 and any(e < 0 for m in rest for _, e in m):
            return ONE, dict(p)
        return {content: lead}, rest

    def expanded(self, p: Polynomial) -> Polynomial:
        """Whole powers of bases and absolute values written out, if none is negative."""
        while True:
            found: Polynomial = ZERO
            changed = False
            for m, c in p.items():
                place = next((i for i, (k, e) in enumerate(m) if self._opens(k, e)), None)
                if place is None:
                    found = self.plus(found, {m: c})
                    continue
                changed = True
                k, e = m[place]
                whole = Fraction(e.numerator // e.denominator)
                rest = m[:place] + (((k, e - whole),) if e != whole else ()) + m[place + 1 :]
                opened = self.power(self._meaning(k), whole)
                found = self.plus(found, self.times({rest: c}, opened))
            if not changed:
                return found
            p = found

    def _opens(self, k: int, e: Fraction) -> bool:
        return e >= 1 and self.kind(k) in ("base", "abs")

    def _meaning(self, k: int) -> Polynomial:
        kind, of = self.atoms[k][:2]
        return dict(of) if kind == "base" else self.times(self.of(of), self.sign(self.of(of)))

    def is_zero(self, p: Polynomial) -> bool:
        """Whether it is the polynomial 0, once denominators are cleared."""
        for _ in range(8):
            bases = {k for m in p for k, e in m if e < 0}
            for k in sorted(bases):
                least = min(dict(m).get(k, Fraction(0)) for m in p)
                p = self.times(p, self.of(k, -least))
            p = self.expanded(p)
            if not p:
                return True
            if not any(e < 0 for m in p for _, e in m):
                return False
        return False

    def is_log_of_one(self, p: Polynomial) -> bool:
        """Whether it is a sum of logarithms of absolute values whose product is 1."""
        product = ONE
        for m, c in p.items():
            if len(m) != 1 or m[0][1] != 1 or self.kind(m[0][0]) != "log" or c.denominator != 1:
                return False
            product = self.times(product, self.of(self.atoms[m[0][0]][1], 2 * c))
        return self.is_zero(self.plus(product, ONE, -1))

    # Functions -----------------------------------------------------------------------------

    def exp(self, p: Polynomial) -> Polynomial:
        """The exponential, of a complex number too."""
        found = ONE
        for m, c in p.items():
            inner = tuple(part for part in m if part[0] != UNIT)
            found = self.times(found, self._exp_of(inner, c, "turn" if inner != m else "exp"))
        return found

    def _exp_of(self, m: Monomial, c: Fraction, kind: str) -> Polynomial:
        if len(m) == 1 and m[0][1] == 1:
            name, *of = self.atoms[m[0][0]]
            if kind == "exp" and name == "log":
                atom = self.of(of[0])
                return self.power(atom if of[0] in self.positive else self.abs(atom), c)
            if kind == "turn" and name in INVERSES and c.denominator == 1:
                return self.power(self._turned(name, dict(of[0]), 1 if c > 0 else -1), abs(c))
        return self.of(self.atom(kind, m), c)

    def _turned(self, name: str, p: Polynomial, sign: int) -> Polynomial:
        """Exp (i f) for f = arctan p and the like, or exp (-i f): cos f + i sin f."""
        square = self.times(p, p)
        unit = {((UNIT, Fraction(1)),): Fraction(sign)}
        if name == "arctan":
            root = self.power(self.plus(ONE, square), Fraction(-1, 2))
            return self.times(self.plus(ONE, self.times(unit, p)), root)
        root = self.power(self.plus(ONE, square, -1), Fraction(1, 2))
        cosine, sine = (root, p) if name == "arcsin" else (p, root)
        return self.plus(cosine, self.times(unit, sine))

    def log(self, p: Polynomial) -> Polynomial:
        """The logarithm of the absolute value."""
        if not p:
            return ZERO
        c, factors = self.factors(p)
        found = ZERO if abs(c) == 1 else self.of(self.atom("log of", abs(c)))
        for k, e in factors:
            kind, *of = self.atoms[k]
            if kind == "exp":
                part: Polynomial = {of[0]: Fraction(1)}
            else:
                part = self.of(self.atom("log", of[0] if kind == "abs" else k))
            found = self.plus(found, part, e)
        return found

    def abs(self, p: Polynomial) -> Polynomial:
        """The absolute value."""
        if not p:
            return ZERO
        c, factors = self.factors(p)
        found: Polynomial = {(): abs(c)}
        for k, e in factors:
            if self.kind(k) in ("unit", "turn"):
                raise Undecided("the absolute value of a complex number")
            kept = self.kind(k) in ("exp", "abs", *TESTS) or e.denominator > 1 or e % 2 == 0
            found = self.times(found, self.of(k if kept else self.atom("abs", k), e))
        return found

    def test(self, kind: str, p: Polynomial) -> Polynomial:
        """1 where a polynomial is positive, or where it is zero; 0 elsewhere."""
        p = self.expanded(p)
        if all(not m for m in p):
            value = p.get((), Fraction(0))
            return ONE if (value > 0 if kind == "positive" else value == 0) else ZERO
        lead = p[min(p)]
        if lead < 0 and kind == "positive":
            # What is not negative and not 0.
            opposite = self.plus(ZERO, p, -1)
            both = self.plus(self.test("positive", opposite), self.test("zero", p))
            return self.plus(ONE, both, -1)
        if len(p) == 1:
            ((m, _),) = p.items()
            m = tuple((k, e) for k, e in m if self.kind(k) != "exp")
            if len(m) == 1 and self.kind(m[0][0]) in TESTS:
                one = {m: Fraction(1)}
                return one if kind == "positive" else self.plus(ONE, one, -1)
            if not m:
                return ONE if kind == "positive" else ZERO
            p = {m: Fraction(1)}
        else:
            p = {m: c / lead for m, c in p.items()}
        return self.of(self.atom(kind, frozenset(p.items())))

    def sign(self, p: Polynomial) -> Polynomial:
        """The sign: 1, 0 or -1."""
        above, below = self.test("positive", p), self.test("positive", self.plus(ZERO, p, -1))
        return self.plus(above, below, -1)

    def floor(self, p: Polynomial) -> Polynomial:
        """The greatest integer that is no greater."""
        whole = {m: c for m, c in p.items() if c.denominator == 1 and all(
            self.kind(k) in WHOLE and e.denominator == 1 and e > 0 for k, e in m
        )}  # fmt: skip
        rest = self.plus(p, whole, -1)
        number = rest.get((), Fraction(0))
        below = Fraction(number.numerator // number.denominator)
        rest, whole = self.plus(rest, ONE, -below), self.plus(whole, ONE, below)
        return (
            self.plus(whole, self.of(self.atom("floor", frozenset(rest.items()))))
            if rest
            else whole
        )

    # Derivatives ---------------------------------------------------------------------------

    def derivative(self, p: Polynomial, by: Callable[[int], Polynomial]) -> Polynomial:
        """The derivative, given those of variables: where no test and no floor jumps."""
        found: Polynomial = ZERO
        for m, c in p.items():
            for place, (k, e) in enumerate(m):
                others = m[:place] + m[place + 1 :]
                one_less = self.times({others: c * e}, self.of(k, e - 1) if e != 1 else ONE)
                inner = self._of_atom(k, by)
                if inner:
                    found = self.plus(found, self.times(one_less, inner))
        return found

    def _of_atom(self, k: int, by: Callable[[int], Polynomial]) -> Polynomial:
        kind, *of = self.atoms[k]
        match kind:
            case "variable":
                return by(k)
            case "base":
                return self.derivative(dict(of[0]), by)
            case "exp" | "turn":
                inner = self.derivative({of[0]: Fraction(1)}, by)
                unit = self.of(UNIT) if kind == "turn" else ONE
                return self.times(self.times(unit, self.of(k)), inner)
            case "log":
                return self.times(self._of_atom(of[0], by), self.of(of[0], -1))
            case "abs":
                return self.times(self.sign(self.of(of[0])), self._of_atom(of[0], by))
            case "arctan" | "arcsin" | "arccos":
                p = dict(of[0])
                square, half = self.times(p, p), Fraction(-1, 2)
                if kind == "arctan":
                    slope = self.power(self.plus(ONE, square), Fraction(-1))
                else:
                    slope = self.power(self.plus(ONE, square, -1), half)
                    slope = self.plus(ZERO, slope, -1) if kind == "arccos" else slope
                return self.times(slope, self.derivative(p, by))
            case _:
                return ZERO


def _root(c: Fraction, e: Fraction) -> Fraction | None:
    """A power of a positive number, where it is rational; roots of small order alone."""
    if c == 1:
        return c
    if c <= 0 or e.denominator != 2:
        return None
    root = Fraction(isqrt(c.numerator), isqrt(c.denominator))
    return root**e.numerator if root * root == c else None


# Values: a polynomial, and what it needs to be defined --------------------------------------


class Value:
    """A number with symbols, as an entry of an array of NumPy's that the oracle computes with."""

    __slots__ = ("algebra", "domain", "number")

    def __init__(self, algebra: Algebra, number: Polynomial, domain: Iterable[Need] = ()) -> None:
        """Take a polynomial, and the conditions under which it is defined."""
        self.algebra = algebra
        self.number = number
        self.domain = frozenset(domain)

    def made(self, number: Polynomial, *others: "Value", needs: Iterable[Need] = ()) -> "Value":
        """What is computed of this value and others."""
        domain = self.domain.union(*(o.domain for o in others), needs)
        return Value(self.algebra, number, domain)

    def like(self, other: Any) -> "Value":
        """A plain number as a value."""
        if isinstance(other, Value):
            return other
        number = Fraction(other)
        return Value(self.algebra, {(): number} if number else ZERO)

    def need(self, kind: str) -> Iterable[Need]:
        """The condition that this is nonzero, positive or nonnegative, unless it always is."""
        algebra, p = self.algebra, self.algebra.expanded(self.number)
        if not p:
            return () if kind == "nonnegative" else {(kind, frozenset[Any]())}
        if kind == "nonzero":
            _, factors = algebra.factors(p)
            parts = [algebra.expanded(algebra.of(k)) for k, _ in factors if not self._never_zero(k)]
            return {(kind, frozenset(x.items())) for x in parts}
        if len(p) == 1:
            ((m, c),) = p.items()
            even = kind == "nonnegative"
            if c > 0 and all(
                algebra.kind(k) == "exp"
                or (
                    even and (algebra.kind(k) in ("abs", *TESTS) or e.denominator > 1 or e % 2 == 0)
                )
                for k, e in m
            ):
                return ()
        lead = abs(p[min(p)])
        return {(kind, frozenset((m, c / lead) for m, c in p.items()))}

    def _never_zero(self, k: int) -> bool:
        return self.algebra.kind(k) in ("unit", "exp", "turn")

    def __add__(self, other: Any) -> "Value":
        """The sum."""
        b = self.like(other)
        return self.made(self.algebra.plus(self.number, b.number), b)

    def __sub__(self, other: Any) -> "Value":
        """The difference."""
        b = self.like(other)
        return self.made(self.algebra.plus(self.number, b.number, -1), b)

    def __rsub__(self, other: Any) -> "Value":
        """The difference, turned round."""
        return self.like(other) - self

    def __neg__(self) -> "Value":
        """The negative."""
        return self * -1

    def __mul__(self, other: Any) -> "Value":
        """The product."""
        b = self.like(other)
        return self.made(self.algebra.times(self.number, b.number), b)

    def __truediv__(self, other: Any) -> "Value":
        """The quotient."""
        b = self.like(other)
        inverse = self.algebra.power(b.number, Fraction(-1))
        return self.made(self.algebra.times(self.number, inverse), b, needs=b.need("nonzero"))

    def __rtruediv__(self, other: Any) -> "Value":
        """The quotient, turned round."""
        return self.like(other) / self

    def __pow__(self, other: Any) -> "Value":
        """A power; of a positive number, where the exponent is no number."""
        b = self.like(other)
        exponent = b.number.get((), Fraction(0))
        if any(b.number.keys() - {()}):
            self.algebra.narrowed = True
            if len(self.number) == 1:
                ((m, c),) = self.number.items()
                self.algebra.positive |= {m[0][0]} if len(m) == 1 and c == m[0][1] == 1 else set()
            return (self.log() * b).exp()
        kinds = {(False, False): "", (False, True): "nonzero", (True, False): "nonnegative"}
        kind = kinds.get((exponent.denominator > 1, exponent < 0), "positive")
        needs = self.need(kind) if kind else ()
        return self.made(self.algebra.power(self.number, exponent), b, needs=needs)

    def __rpow__(self, other: Any) -> "Value":
        """A power of a plain number."""
        return self.like(other) ** self

    __radd__, __rmul__ = __add__, __mul__

    def __abs__(self) -> "Value":
        """The absolute value."""
        return self.made(self.algebra.abs(self.number))

    def exp(self) -> "Value":
        """The exponential."""
        return self.made(self.algebra.exp(self.number))

    def log(self) -> "Value":
        """The logarithm."""
        return self.made(self.algebra.log(self.number), needs=self.need("positive"))

    def sqrt(self) -> "Value":
        """The square root."""
        return self ** Fraction(1, 2)

    def sign(self) -> "Value":
        """The sign."""
        return self.made(self.algebra.sign(self.number))

    def floor(self) -> "Value":
        """The greatest integer that is no greater."""
        return self.made(self.algebra.floor(self.algebra.expanded(self.number)))

    def is_positive(self) -> "Value":
        """1 where this is above 0, else 0."""
        return self.made(self.algebra.test("positive", self.number))

    def is_zero(self) -> "Value":
        """1 where this is 0, else 0."""
        return self.made(self.algebra.test("zero", self.number))

    def _turn(self) -> tuple["Value", "Value"]:
        turned = self.made(self.algebra.times(self.algebra.of(UNIT), self.number))
        return turned.exp(), (-turned).exp()

    def cos(self) -> "Value":
        """The cosine: half of exp (i a) + exp (-i a)."""
        forth, back = self._turn()
        return (forth + back) * Fraction(1, 2)

    def sin(self) -> "Value":
        """The sine: half of exp (i a) - exp (-i a), over i."""
        forth, back = self._turn()
        unit = self.made(self.algebra.of(UNIT))
        return (back - forth) * unit * Fraction(1, 2)

    def tan(self) -> "Value":
        """The tangent: the sine over the cosine."""
        return self.sin() / self.cos()

    def _inverse(self, name: str) -> "Value":
        algebra, p = self.algebra, self.number
        if not p and name != "arccos":
            return self.made(ZERO)
        if name != "arccos" and p[min(p)] < 0:
            return -(-self)._inverse(name)
        found = algebra.of(algebra.atom(name, frozenset(p.items())))
        within = (*(1 - self).need("nonnegative"), *(1 + self).need("nonnegative"))
        return self.made(found, needs=() if name == "arctan" else within)

    def arctan(self) -> "Value":
        """The inverse tangent."""
        return self._inverse("arctan")

    def arcsin(self) -> "Value":
        """The inverse sine."""
        return self._inverse("arcsin")

    def arccos(self) -> "Value":
        """The inverse cosine."""
        return self._inverse("arccos")

    def sinh(self) -> "Value":
        """The hyperbolic sine."""
        return (self.exp() - (-self).exp()) * Fraction(1, 2)

    def cosh(self) -> "Value":
        """The hyperbolic cosine."""
        return (self.exp() + (-self).exp()) * Fraction(1, 2)

    def tanh(self) -> "Value":
        """The hyperbolic tangent."""
        return 1 - 2 / (self.exp() ** 2 + 1)

    def expm1(self) -> "Value":
        """The exponential less 1."""
        return self.exp() - 1

    def log1p(self) -> "Value":
        """The logarithm of 1 and this."""
        return (1 + self).log()
