"""Proofs checked step by step, however they were found."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from eggrad.engine.equality.steps import ProofStep, licence
from eggrad.engine.errors import EggradError
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.properties import PROPERTIES
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, postorder, variables

SAMPLES = 6
TOLERANCE = 1e-6
# Larger numbers are those of nearly singular matrices, which lose all digits.
LARGE = 1e8
# Variables are changed by so much, to see how much rounding does.
TINY = 1e-12


class InvalidStep(EggradError):
    """A step that no instance of its rule allows; the message names the step and the rule."""


def replay(
    left: Term,
    steps: Sequence[ProofStep],
    rulesets: Iterable[Ruleset],
    seed: int = 0,
    assumed: Sequence[Assumption] = (),
) -> Term:
    """Check every step of a proof that begins with a term; return the term it ends with.

    A step replaces one part of the term, at one place or at several, and the part and what comes
    in its place are both sides of an instance of the rule, conditions included. For a bulk rule
    they are so if the rule finds one of them given the two terms alone. Beside that the oracle
    evaluates all terms at random values at which what is `assumed` holds, and they agree where
    they are finite, up to rounding. Raises `InvalidStep`.
    """
    sets = list(rulesets)
    known = {f"{r.ruleset}.{r.name}": r for s in sets for r in s.laws}
    ends = [left, *(s.term for s in steps[-1:])]
    knowledge = Knowledge(sets, [*assumed, *nonzero_sums(ends)])
    before = left
    for number, step in enumerate(steps, 1):
        rule = known.get(step.rule)
        if rule is None:
            raise InvalidStep(f"step {number}: there is no rule {step.rule!r}")
        if licence(rule, before, step.term, step.backwards, knowledge) is None:
            raise InvalidStep(f"step {number} is no instance of {step.rule}: {rule.law}")
        before = step.term
    _compare([left, *(s.term for s in steps)], [s.rule for s in steps], seed, assumed)
    return before


def _compare(
    chain: Sequence[Term], rules: Sequence[str], seed: int, assumed: Sequence[Assumption]
) -> None:
    """Let the oracle compare each term with the next, but for what rounding decides."""
    rng = np.random.default_rng(seed)
    nodes = list(postorder(*chain, *(t for _, t in assumed)))
    # What is declared of a variable stays true.
    plain = [v.name for v in variables(*chain) if not v.assumed]
    for sample in range(SAMPLES):
        sizes = oracle.random_sizes(chain, rng)
        values = oracle.random_values(variables(*chain), sizes, rng)
        if sample % 2:
            # Where logarithms, roots and inverse functions are defined.
            values |= {name: np.abs(values[name]) % 0.9 + 0.05 for name in plain}
        moved = {name: v * (1 + TINY) for name, v in values.items()}
        numbers, others = (oracle.evaluate(nodes, v, sizes) for v in (values, moved))
        if any(np.max(np.abs(v[np.isfinite(v)]), initial=0.0) > LARGE for v in numbers):
            continue
        at = dict(zip(nodes, numbers, strict=True))
        if not all(PROPERTIES[p].holds(at[t]) for p, t in assumed):
            continue
        found = dict(zip(nodes, zip(numbers, others, strict=True), strict=True))
        for number, (a, b) in enumerate(pairwise(chain), 1):
            if not _agree(found[a], found[b]):
                raise InvalidStep(
                    f"step {number}, by {rules[number - 1]}, changes the value: "
                    f"{found[a][0]} and {found[b][0]}"
                )


def _agree(left: tuple[Array, Array], right: tuple[Array, Array]) -> bool:
    """Whether two values differ by no more than each of them does where its variables do."""
    finite = np.all([np.isfinite(v) for v in (*left, *right)], axis=0)
    (a, near_a), (b, near_b) = ([v[finite] for v in pair] for pair in (left, right))
    scale = 1 + np.max(np.abs(a), initial=0.0)
    noise = sum(np.max(np.abs(v - w), initial=0.0) for v, w in ((a, near_a), (b, near_b)))
    return bool(np.all(np.abs(a - b) <= TOLERANCE * scale + 10 * noise))
