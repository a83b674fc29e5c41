"""Whether a law is true: both sides at random instances and values, judged by the oracle."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from eggrad.engine.laws.matching import SYMBOLS, Closing, Reject
from eggrad.engine.laws.properties import PROPERTIES, TOTAL
from eggrad.engine.laws.rule import Kind, Rule
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, postorder
from eggrad.engine.workbench.drawing import EVERYTHING, Scope
from eggrad.engine.workbench.instances import IllTyped, Instance, random_instance, random_values

# Most laws need a few draws for an instance, some a hundred.
DRAWS: Final = 600
# Draws in vain after which there is no use in going on.
PATIENCE: Final = 10_000
# Differences lose digits in large values, and so do inverses of nearly singular matrices.
LARGE: Final = 1e3
# A singular matrix that rounding makes invertible has an inverse of such entries.
HUGE: Final = 1e10


@dataclass(frozen=True)
class Comparison:
    """Two terms that a law says are equal, and what they are at some values.

    `closing` has what the law's parameters are bound to, and the holes of both sides. `wider`
    says that the right side may be defined where the left one is not.
    """

    sides: tuple[Term, Term]
    values: Mapping[str, Array]
    left: Array
    right: Array
    closing: Closing
    wider: bool = False
    tolerance: float = 1e-4

    @property
    def flaw(self) -> str | None:
        """What is wrong: the "axes", an "undefined" side, or another "value".

        An undefined left side counts as well, for a law unites the e-classes of both.
        """
        if self.left.shape != self.right.shape:
            return "axes"
        defined = np.isfinite(self.left)
        left, right = self.left[defined], self.right[defined]
        if not np.isfinite(right).all():
            return "undefined"
        if not self.wider and np.isfinite(self.right[~defined]).any():
            return "undefined"
        close = np.allclose(right, left, rtol=self.tolerance, atol=self.tolerance / 10)
        return None if close else "value"

    @property
    def plain(self) -> "Comparison":
        """The same in float64."""
        values = {k: np.array(v, float) for k, v in self.values.items()}
        left, right = (np.array(side, float) for side in (self.left, self.right))
        return replace(self, values=values, left=left, right=right)


@dataclass(frozen=True)
class Soundness:
    """How many instances were compared, at how many of them a size was 1, and what refutes."""

    compared: int
    with_size_one: int
    counterexample: Comparison | IllTyped | None = None


def check_soundness(rule: Rule, instances: int = 1000, seed: int = 0) -> Soundness:
    """Compare both sides of a law at random instances of its left side, until one refutes it.

    A law both ways is judged in both directions. It is judged where its conditions are true.
    Both sides are defined at the same values, but for exceptions without interior.

    >>> from eggrad.engine.laws.language import Statement, Tensor, fn
    >>> from eggrad.engine.laws.rule import Ruleset
    >>> example = Ruleset("example", "one law", "nothing")
    >>> @example.rule(cite="false below 0")
    ... def absolute(a: Tensor) -> Statement:
    ...     '''|a| = a.'''
    ...     return fn("abs", a) >> a
    >>> found = check_soundness(absolute).counterexample
    >>> isinstance(found, Comparison) and found.flaw
    'value'
    """
    compared = with_size_one = 0
    for back in (False, True)[: 1 + rule.statement.both]:
        goal = compared + instances
        rng = np.random.default_rng(seed)
        for instance in random_instances(rule, rng, DRAWS * instances, back):
            if isinstance(instance, IllTyped):
                return Soundness(compared + 1, with_size_one, instance)
            found = compare(instance, random_values(instance, rng))
            if found is None:
                continue
            if rule.kind is not Kind.ALMOST:
                found = replace(found, wider=rule.widens and not rule.is_conditional)
            compared += 1
            with_size_one += any(1 in t.dims for t in postorder(instance.left))
            if found.flaw is not None:
                return Soundness(compared, with_size_one, found)
            if compared == goal:
                break
    return Soundness(compared, with_size_one)


def random_instances(
    rule: Rule,
    rng: np.random.Generator,
    draws: int,
    back: bool = False,
    scope: Scope = EVERYTHING,
) -> Iterator[Instance | IllTyped]:
    """The instances of a law among a number of draws, and what shows that it has no right side."""
    vain = 0
    for _ in range(draws):
        try:
            yield random_instance(rule, rng, back, scope)
            vain = 0
        except IllTyped as error:
            yield error
        except Reject:
            vain += 1
            if vain == PATIENCE:
                return


def fails_beyond(rule: Rule, draws: int = 2000, seed: int = 0) -> Comparison | None:
    """Values at which a rule's conditions are false, if it has any, and the sides are not alike.

    The right side may be defined there, and the left one not: so the law has to go one way.
    """
    rng = np.random.default_rng(seed)
    for instance in random_instances(rule, rng, draws):
        if isinstance(instance, Instance):
            values = _beyond(instance, random_values(instance, rng), rng)
            found = compare(instance, values, beyond=True)
            if found is not None and found.flaw is not None:
                return found
    return None


def _beyond(
    instance: Instance, values: Mapping[str, Array], rng: np.random.Generator
) -> Mapping[str, Array]:
    """The values, but for variables that a law wants to be defined: some of those are not."""
    asked = [t.name for p, t in instance.known if p == TOTAL and t.op == "variable"]
    left_out = {name for name in asked if rng.random() < 1 / 2}
    return {k: np.full_like(v, np.nan) if k in left_out else v for k, v in values.items()}


def compare(
    instance: Instance, values: Mapping[str, Array], *, beyond: bool = False
) -> Comparison | None:
    """Both sides of an instance; None where their values would say nothing about the law.

    They say something where its conditions are true, or with `beyond`, where they are false.
    """
    found = _compared(instance, values, beyond)
    if found is None or found.flaw in (None, "axes"):
        return found
    # Rounding is no refutation: with more digits its share disappears.
    return _compared(instance, {k: v.astype(np.longdouble) for k, v in values.items()}, beyond)


def _compared(instance: Instance, values: Mapping[str, Array], beyond: bool) -> Comparison | None:
    filled = instance.closing.fill(values)
    parts = list(postorder(instance.left))
    asked = instance.known
    every = [*parts, instance.right, *(t for _, t in asked)]
    found = oracle.evaluate(every, filled, SYMBOLS)
    found, right, others = found[: len(parts)], found[len(parts)], found[len(parts) + 1 :]
    known = all(PROPERTIES[p].holds(v) for (p, _), v in zip(asked, others, strict=True))
    if asked and known is beyond:
        return None
    left = found[-1]
    if left.shape == right.shape:
        defined = np.isfinite(left)
        if (
            not (defined.any() or not left.size or beyond)
            or np.abs(left[defined]).max(initial=0) > LARGE
        ):
            return None
        # An operand may be undefined and the term not: adj of any 1 by 1 matrix is 1.
        if not beyond and not np.isnan(left).any() and any(np.isnan(v).any() for v in found):
            return None
        if any(np.abs(v[np.isfinite(v)]).max(initial=0) > HUGE for v in found):
            return None
        # Differences that are not to be trusted are undefined.
        if any(np.isnan(filled[name]).any() for name in instance.closing.holes):
            return None
    sides = (instance.left, instance.right)
    # Exceptions without interior are met at special values alone.
    special = any((v == np.round(v)).any() for v in values.values())
    return Comparison(sides, values, left, right, instance.closing, special and not beyond)
