"""Conditions on integer indices: an affine form is zero, not negative, or divisible."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final, Literal

from eggrad.engine.indices.integer_ranges import implied, tightened
from eggrad.engine.indices.rational_affine import ZERO, Affine, Rational

__all__ = ["Condition", "divisible", "nonnegative", "simplified", "zero"]

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


def _follows(own: Condition, others: Sequence[Condition], known: Sequence[Affine]) -> bool:
    """Whether a condition is implied; a multiple of 2 that is less than 6 is at most 4."""
    multiples: dict[str, Affine] = {}
    for at, c in enumerate(others):
        unit = next((n for n, k in c.form.items() if abs(k) == 1), None)
        if c.relation == "|" and unit is not None and not multiples:
            rest = c.form - c.form[unit] * Affine.of(unit)
            multiples[unit] = (c.modulus * Affine.of(f"{unit}/{at}") - rest) * c.form[unit]
    constraints = [*known, *(f for o in others for f in o.constraints())]
    own_forms = [tightened(f.substitute(multiples)) for f in own.constraints()]
    given = [tightened(f.substitute(multiples)) for f in constraints]
    return all(implied(f, given) for f in own_forms)
