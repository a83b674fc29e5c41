"""Whether a law is true: both sides at random instances and values, judged by the oracle."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from typing import Final

import numpy as np

from eggrad.engine.errors import MissingRule
from eggrad.engine.laws.forms import check_form
from eggrad.engine.laws.matching import SYMBOLS, Closing, Reject
from eggrad.engine.laws.properties import INTEGER, PROPERTIES, THIN
from eggrad.engine.laws.rule import Kind, Rule
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.engine.workbench.drawing import EVERYTHING, LARGER, Scope
from eggrad.engine.workbench.instances import IllTyped, Instance, random_instance, random_trial
from eggrad.engine.workbench.precision import steady_values
from eggrad.engine.workbench.trials import Trial

# Instances that people read.
SMALL: Final = Scope((1, 2), 2)
# Values of each, where derivatives are taken of it.
TRIALS: Final = 8
# Most laws need a few draws for an instance, some a hundred.
DRAWS: Final = 600
# Draws in vain after which there is no use in going on.
PATIENCE: Final = 10_000
# Comparisons in vain, for each that is wanted, after which the others are left out.
VAIN: Final = 100
# What differs by this part is held to more digits.
CLOSE: Final = 1e-8
# Integers below are special values.
PLAIN: Final = 1e6
# Numeric derivatives lose digits in large values, and so do functions that LAPACK computes.
LARGE: Final = 1e3
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
    absolute: float = 1e-5

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
        close = np.allclose(right, left, rtol=self.tolerance, atol=self.absolute)
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
    check_form(rule)
    compared = with_size_one = 0
    for back in (False, True)[: 1 + rule.statement.both]:
        goal, vain = compared + instances, 0
        rng = np.random.default_rng(seed)
        for instance in random_instances(rule, rng, DRAWS * instances, back):
            if isinstance(instance, IllTyped):
                return Soundness(compared + 1, with_size_one, instance)
            found = compare(instance, random_trial(instance, rng))
            if found is None:
                vain += 1
                if vain > VAIN * instances:
                    break
                continue
            compared += 1
            with_size_one += any(1 in t.dims for t in postorder(instance.left))
            if found.flaw is not None:
                return Soundness(compared, with_size_one, found)
            if compared == goal:
                break
    return Soundness(compared, with_size_one)


def check_agreement(
    rule: Rule, derive: Callable[[Term, Term], Term], instances: int = 25, seed: int = 0
) -> Comparison | None:
    """Values at which a law of derivatives says something else than others do, if there are any.

    At kinks differences say nothing. All laws of one derivative have to agree there, for their
    right sides are one e-class; but one of them may be undefined.
    """
    rng = np.random.default_rng(seed)
    for instance in islice(random_instances(rule, rng, DRAWS * instances, scope=SMALL), instances):
        if isinstance(instance, IllTyped) or not instance.is_differentiated:
            continue
        instance.closing.derive = derive
        for _ in range(TRIALS):
            try:
                found = _compared(instance, random_trial(instance, rng), beyond=False)
            except MissingRule:
                break
            if found is None or found.flaw == "axes":
                continue
            both = np.isfinite(found.left) & np.isfinite(found.right)
            left, right = (np.where(both, side, np.nan) for side in (found.left, found.right))
            if replace(found, left=left, right=right).flaw is not None:
                return found.plain
    return None


def random_instances(
    rule: Rule,
    rng: np.random.Generator,
    draws: int,
    back: bool = False,
    scope: Scope | None = None,
) -> Iterator[Instance | IllTyped]:
    """The instances of a law among a number of draws, and what shows that it has no right side.

    Where no scope is given, now and then sizes are larger.
    """
    vain = 0
    for _ in range(draws):
        chosen = scope or (LARGER if rng.random() < 0.1 else EVERYTHING)
        try:
            yield random_instance(rule, rng, back, chosen)
            vain = 0
        except IllTyped as error:
            yield error
        except Reject:
            vain += 1
            if vain == PATIENCE:
                return


def compare(instance: Instance, given: Trial, *, beyond: bool = False) -> Comparison | None:
    """Both sides of an instance; None where their values would say nothing about the law.

    They say something where its conditions are true, or with `beyond`, where they are false.
    """
    found = _compared(instance, given, beyond)
    if found is None or found.flaw in (None, "axes"):
        return found
    # Rounding is no refutation: with more digits its share disappears.
    if not (beyond or instance.closing.holes) and all(map(oracle.has_digits, _every(instance))):
        return _held(instance, given)
    longer = {k: v.astype(np.longdouble) for k, v in given.values.items()}
    return _compared(instance, replace(given, values=longer), beyond)


def _every(instance: Instance) -> list[Term]:
    return [instance.left, instance.right, *(t for _, t in instance.known)]


def _compared(instance: Instance, given: Trial, beyond: bool) -> Comparison | None:
    """Both sides in floats, of the precision of the values."""
    filled = instance.closing.fill(given.values)
    nodes = list(postorder(*_every(instance)))
    done = dict(zip(nodes, oracle.evaluate(nodes, filled, SYMBOLS), strict=True))
    if any(np.isinf(v).any() for v in done.values()) and given.is_far:
        # A product or an exponential may have left the range of floats.
        return None
    found = _comparison(instance, given, done, beyond)
    if found is None or found.flaw == "axes":
        return found
    if instance.closing.holes or found.left.dtype == np.longdouble:
        # Differences that are not to be trusted are undefined.
        if any(np.isnan(filled[name]).any() for name in instance.closing.holes):
            return None
        if _largest([found.left]) > LARGE or _largest(done.values()) > HUGE:
            return None
    return found


def _comparison(
    instance: Instance, given: Trial, done: Mapping[Term, Array] | None, beyond: bool = False
) -> Comparison | None:
    """What the values of all nodes say, if they say anything."""
    if done is None:
        return None
    left, right = done[instance.left], done[instance.right]
    asked = instance.known
    with np.errstate(all="ignore"):
        known = all(_has(p, done[t]) for p, t in asked)
    # Properties that few matrices have are had but for rounding, of numbers near 1.
    if asked and (known is beyond or (given.is_far and any(p in THIN for p, _ in asked))):
        return None
    if left.shape == right.shape:
        if left.size and not beyond and not np.isfinite(left).any():
            return None
        # An operand may be undefined and the term not: adj of any 1 by 1 matrix is 1.
        parts = (done[t] for t in postorder(instance.left))
        if not beyond and not np.isnan(left).any() and any(np.isnan(v).any() for v in parts):
            return None
    sides = (instance.left, instance.right)
    wider = not beyond and _may_be_wider(instance.rule, given)
    found = Comparison(sides, given.values, left, right, instance.closing, wider)
    if instance.closing.holes:
        return found
    # What is known of a variable is true of floats but for as much.
    rounded = bool(asked) or any(v.assumed for v in instance.variables)
    scale = 1.0 if rounded else min(1.0, _largest(done.values()))
    return replace(found, tolerance=CLOSE, absolute=CLOSE * scale)


def _has(p: str, values: Array) -> bool:
    """Whether values have a property; beside an integer, rounding functions jump."""
    finite = values[np.isfinite(values)]
    return PROPERTIES[p].holds(values) and (p != INTEGER or bool((finite == np.rint(finite)).all()))


def _may_be_wider(rule: Rule, given: Trial) -> bool:
    """Whether a rule's right side may be defined at some values where the left one is not."""
    if rule.kind is not Kind.ALMOST:
        return rule.widens and not rule.is_conditional
    # Exceptions without interior are met at special values alone.
    plain = ((v == np.round(v)) & (np.abs(v) < PLAIN) for v in given.values.values())
    return given.special or any(p.any() for p in plain)


def _largest(values: Iterable[Array]) -> float:
    return max((float(np.abs(v[np.isfinite(v)]).max(initial=0)) for v in values), default=0.0)


# More digits: a difference counts if it stands there --------------------------------------------


def _held(instance: Instance, given: Trial) -> Comparison | None:
    """Both sides in as many digits as the values need; None where these decide nothing.

    Special values are numbers that a law names, which no float may be: a third is meant to be a
    third then, and not the float beside it.
    """
    every = _every(instance)
    found = _comparison(instance, given, steady_values(every, given.values))
    if not given.special or (found is not None and found.flaw is not None):
        return found
    values, quotients = dict(given.values), dict[Term, Term]()
    for v in variables(*every):
        plain = [Fraction(float(x)).limit_denominator(1000) for x in values[v.name].flat]
        parts = [terms.variable(v.name + end, v.dims) for end in ("_above", "_below")]
        ends = ([x.numerator for x in plain], [x.denominator for x in plain])
        for part, numbers in zip(parts, ends, strict=True):
            values[part.name] = np.array(numbers, float).reshape(values[v.name].shape)
        if np.array_equal(values[parts[0].name] / values[parts[1].name], values[v.name]):
            quotients[v] = terms.divide(*parts)
    meant = steady_values(every, values, quotients)
    return _comparison(instance, given, meant) or found
