"""Steps of proofs: one part of a term replaced, at one place or at several, by a rule."""

from dataclasses import dataclass

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Knowledge
from eggrad.engine.laws.matching import Bound, matcher_of_terms, patterns, views
from eggrad.engine.laws.rule import BulkRule, Rule
from eggrad.engine.terms.term import Term, postorder


@dataclass(frozen=True)
class ProofStep:
    """One application of a rule.

    `rule` is the rule as `ruleset.name`, `backwards` whether its right side was rewritten into
    its left, and `term` the whole term after the step.
    """

    rule: str
    backwards: bool
    term: Term


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
    return instance(rule, left, right, knowledge) is not None


def instance(rule: Rule, left: Term, right: Term, knowledge: Knowledge) -> tuple[int, Bound] | None:
    """The number of a rule's variant that has both terms as its sides, and bindings; or None."""
    matcher = matcher_of_terms(knowledge.knows)
    for k, pattern in enumerate(patterns(rule)):
        first, second = (right, left) if pattern.reversed else (left, right)
        for constructor, arguments in views(first):
            if constructor == pattern.constructor:
                for found in matcher.instances(pattern, arguments):
                    if found.first is first and found.second is second:
                        return k, found.bound
    return None


def _finds(rule: BulkRule, left: Term, right: Term, knowledge: Knowledge) -> bool:
    """Whether a bulk rule finds the right side, given both sides and that no terms are equal."""
    for roots in ((), (right, left), (left, right)):
        rows = TermRows(postorder(right, left), roots, knowledge=knowledge)
        graph = Snapshot(rows, CostModel(), rows.roots)
        if any(term is right and graph.term(cls) is left for cls, term in rule.find(graph)):
            return True
    return False
