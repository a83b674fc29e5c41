"""Proofs checked step by step, however they were found."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.errors import EggradError
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.matching import matcher_of_terms, patterns, views
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.properties import PROPERTIES
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
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


@dataclass(frozen=True)
class Step:
    """One application of a rule.

    `rule` is the rule as `ruleset.name`, `backwards` whether its right side was rewritten into
    its left, and `term` the whole term after the step.
    """

    rule: str
    backwards: bool
    term: Term


def replay(
    left: Term,
    steps: Sequence[Step],
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


def licence(
    rule: Rule | BulkRule, before: Term, after: Term, backwards: bool, knowledge: Knowledge
) -> tuple[Term, Term] | None:
    """The part that an instance of a rule replaces, and what by; None where there is none."""
    for old, new in replacements(before, after):
        if is_instance(rule, *((new, old) if backwards else (old, new)), knowledge):
            return old, new
    return None


def replacements(before: Term, after: Term) -> list[tuple[Term, Term]]:
    """The pairs of terms of which one, put in place of the other, leads from a term to another.

    >>> from eggrad.engine.terms.term import add, apply, variable
    >>> x, y = variable("x"), variable("y")
    >>> found = replacements(add(apply("exp", x), x), add(apply("exp", y), y))
    >>> [(old.op, new.op) for old, new in found]
    [('variable', 'variable'), ('add', 'add')]
    """
    done: dict[tuple[Term, Term], list[tuple[Term, Term]]] = {}
    stack = [(before, after)]
    while stack:
        a, b = stack[-1]
        below: list[tuple[Term, Term]] = []
        if (a.op, a.data, a.dims, len(a.args)) == (b.op, b.data, b.dims, len(b.args)):
            below = [(x, y) for x, y in zip(a.args, b.args, strict=True) if x is not y]
        missing = [p for p in below if p not in done]
        if missing:
            stack += missing
            continue
        common = done[below[0]] if below else []
        for p in below[1:]:
            common = [q for q in common if q in done[p]]
        done[stack.pop()] = [*common, (a, b)]
    return done[before, after]


def is_instance(rule: Rule | BulkRule, left: Term, right: Term, knowledge: Knowledge) -> bool:
    """Whether a rule, at some bindings, says that one term may be rewritten into another."""
    if left.dims != right.dims:
        return False
    if isinstance(rule, BulkRule):
        return _finds(rule, left, right, knowledge)
    matcher = matcher_of_terms(knowledge.knows)
    for pattern in patterns(rule):
        first, second = (right, left) if pattern.reversed else (left, right)
        for constructor, arguments in views(first):
            if constructor == pattern.constructor:
                for found in matcher.instances(pattern, arguments):
                    if found.first is first and found.second is second:
                        return True
    return False


def _finds(rule: BulkRule, left: Term, right: Term, knowledge: Knowledge) -> bool:
    """Whether a bulk rule finds the right side, given both sides and that no terms are equal."""
    for roots in ((), (right, left), (left, right)):
        rows = TermRows(postorder(right, left), roots, knowledge=knowledge)
        graph = Snapshot(rows, CostModel(), rows.roots)
        if any(term is right and graph.term(cls) is left for cls, term in rule.find(graph)):
            return True
    return False


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
