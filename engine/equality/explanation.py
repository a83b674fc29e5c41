"""Proofs that people can follow: a chain of terms, each from the one before by one rule."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from eggrad.engine.equality.congruence import Congruence, Edge
from eggrad.engine.equality.proof_search import ProofSearch
from eggrad.engine.equality.replay import Step
from eggrad.engine.equality.shortcuts import shortest_chain
from eggrad.engine.errors import BudgetExceeded
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.saturation.report import Budget
from eggrad.engine.terms.term import Term, rebuild

__all__ = ["Step", "explain"]

# A longer chain is of no use to anyone.
MAX_STEPS = 1_000
# What a search may do, the smallest first: see `ProofSearch`.
SEARCHES = ((True, False), (False, False), (False, True))

Walk = list[tuple[Edge, Term]]


def explain(
    left: Term,
    right: Term,
    rulesets: Sequence[Ruleset],
    budget: Budget | None = None,
    assumed: Sequence[Assumption] = (),
) -> tuple[Step, ...] | None:
    """A chain of terms from one to another, each from the one before by one rule.

    A step rewrites one part of the term, at one place or at several, by an instance of a rule of
    the rulesets, in either direction. A budget counts terms and iterations, and seconds if it has
    any; None where no chain was found within it. Some properties of terms are `assumed`. See egg's
    `explain.rs`.

    >>> from eggrad.engine.laws.language import Statement, Tensor, fn
    >>> from eggrad.engine.terms.term import apply, variable
    >>> functions = Ruleset("functions", "element-wise functions", "their number")
    >>> @functions.rule(cite="definition of the logarithm")
    ... def log_of_exp(a: Tensor) -> Statement:
    ...     "log exp a = a."
    ...     return fn("log", fn("exp", a)) >> a
    >>> x = variable("x", ("n",))
    >>> [s.rule for s in explain(apply("log", apply("exp", x)), x, [functions])]
    ['functions.log_of_exp']
    """
    knowledge = Knowledge(rulesets, [*assumed, *nonzero_sums([left, right])])
    equal = _proof(left, right, rulesets, Budget.of(budget), knowledge)
    if equal is None:
        return None
    try:
        walk = _Walks(equal).between(left, right)
    except BudgetExceeded:
        return None
    rewrites = [(e.equation.rule, t) for e, t in walk if e.equation]
    return shortest_chain(left, rewrites, rulesets, knowledge)


def _proof(
    left: Term, right: Term, rulesets: Sequence[Ruleset], budget: Budget, knowledge: Knowledge
) -> Congruence | None:
    """Classes in which both terms are equal; None where no search found them so."""
    if left.dims != right.dims:
        return None
    started = perf_counter()
    for retiring, thorough in SEARCHES:
        rest = budget
        if budget.seconds is not None:
            rest = replace(budget, seconds=max(0, budget.seconds - (perf_counter() - started)))
        search = ProofSearch(
            left, right, rulesets, rest, knowledge, retiring=retiring, thorough=thorough
        )
        if search.run():
            return search.equal
    return None


class _Walks:
    """Paths between equal terms, with equal operands explained as well."""

    def __init__(self, equal: Congruence) -> None:
        self._equal = equal
        self._known: dict[tuple[Term, Term], Walk] = {}

    def between(self, start: Term, end: Term) -> Walk:
        """The rewrites that lead from a term to an equal one, each with the term after it."""
        waiting = [(start, end)]
        while waiting:
            pair = waiting[-1]
            if pair in self._known:
                waiting.pop()
                continue
            path = self._equal.path(*pair)
            missing = [p for e in path if e.equation is None for p in self._open_pairs(e)]
            if not missing:
                self._known[waiting.pop()] = self._joined(pair[0], path)
            waiting += missing
        return self._known[start, end]

    def _open_pairs(self, edge: Edge) -> list[tuple[Term, Term]]:
        """The operands of both ends of which no walk is known yet."""
        pairs = zip(edge.start.args, edge.end.args, strict=True)
        return [p for p in pairs if p not in self._known]

    def _joined(self, start: Term, path: Sequence[Edge]) -> Walk:
        walk: Walk = []
        for edge in path:
            walk += [(edge, edge.end)] if edge.equation else self._operands(edge)
            if len(walk) > MAX_STEPS:
                raise BudgetExceeded(f"a chain of more than {MAX_STEPS} steps")
        return _without_cycles(start, walk)

    def _operands(self, edge: Edge) -> Walk:
        """One operand after the other; what happens to several of them happens at once."""
        pairs = zip(edge.start.args, edge.end.args, strict=True)
        waiting = [self._known[p][::-1] for p in pairs]
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
