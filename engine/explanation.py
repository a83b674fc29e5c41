"""Proofs that people can follow: a chain of terms, each from the one before by one rule."""

from collections.abc import Sequence

from eggrad.engine.congruence import Congruence, Edge
from eggrad.engine.errors import BudgetExceeded
from eggrad.engine.proof_search import ProofSearch
from eggrad.engine.replay import Step
from eggrad.engine.report import Budget
from eggrad.engine.rule import Ruleset
from eggrad.engine.shortcuts import shortest_chain
from eggrad.engine.term import Term, rebuild

__all__ = ["Step", "explain"]

# A longer chain is of no use to anyone.
MAX_STEPS = 1_000

Walk = list[tuple[Edge, Term]]


def explain(
    left: Term, right: Term, rulesets: Sequence[Ruleset], budget: Budget | None = None
) -> tuple[Step, ...] | None:
    """A chain of terms from one to another, each from the one before by one rule.

    A step rewrites one part of the term, at one place or at several, by an instance of a rule of
    the rulesets, in either direction. The terms have the same axes. A budget counts terms and
    iterations; None where no chain was found within it.

    >>> from eggrad.engine.term import apply, variable
    >>> from eggrad.rules.elementwise import functions
    >>> x = variable("x", ("n",))
    >>> [s.rule for s in explain(apply("log", apply("exp", x)), x, [functions])]
    ['functions.log_of_exp']
    """
    for retiring in (True, False):
        search = ProofSearch(left, right, rulesets, budget, retiring=retiring)
        if search.run():
            break
    else:
        return None
    try:
        walk = _Walks(search.equal).between(left, right)
    except BudgetExceeded:
        return None
    return shortest_chain(left, [(e.equation.rule, t) for e, t in walk if e.equation], rulesets)


class _Walks:
    """Paths between equal terms, with equal operands explained as well."""

    def __init__(self, equal: Congruence) -> None:
        self._equal = equal
        self._known: dict[tuple[Term, Term], Walk] = {}

    def between(self, start: Term, end: Term) -> Walk:
        """The rewrites that lead from a term to an equal one, each with the term after it."""
        if (start, end) not in self._known:
            walk: Walk = []
            for edge in self._equal.path(start, end):
                walk += self._operands(edge) if edge.equation is None else [(edge, edge.end)]
                if len(walk) > MAX_STEPS:
                    raise BudgetExceeded(f"a chain of more than {MAX_STEPS} steps")
            self._known[start, end] = _without_cycles(start, walk)
        return self._known[start, end]

    def _operands(self, edge: Edge) -> Walk:
        """One operand after the other; what happens to several of them happens at once."""
        pairs = zip(edge.start.args, edge.end.args, strict=True)
        waiting = [self.between(a, b)[::-1] for a, b in pairs]
        args = list(edge.start.args)
        walk: Walk = []
        while any(waiting):
            step = next(w[-1][0] for w in waiting if w)
            for place, own in enumerate(waiting):
                if own and (own[-1][0].start, own[-1][0].end) == (step.start, step.end):
                    args[place] = own.pop()[1]
            walk.append((step, rebuild(edge.start, tuple(args))))
        return walk


def _without_cycles(start: Term, walk: Walk) -> Walk:
    """The walk without what leads back to a term that was there before."""
    seen = {start: 0}
    kept: Walk = []
    for edge, term in walk:
        if term in seen:
            for _, gone in kept[seen[term] :]:
                del seen[gone]
            del kept[seen[term] :]
        else:
            kept.append((edge, term))
            seen[term] = len(kept)
    return kept
