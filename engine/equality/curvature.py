"""Whether a term is convex or concave in some variables: by facts of e-classes, or by chords.

Two ways lead to a certificate. Facts of composition say it of a form of the term; or its second
derivative along a line has a form that is nowhere negative, where the term is smooth and defined
on a convex set. A chord above or below which the term lies refutes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.equality.difference import Witness, find_difference
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Assumption, Conclusion, Knowledge
from eggrad.engine.laws.nonzero_sums import ANALYTIC, nonzero_sums
from eggrad.engine.laws.properties import (
    AFFINE,
    AT_LEAST_ONE,
    AT_MOST_ONE,
    CONCAVE,
    CONSTANT,
    CONVEX,
    DEFINITE,
    INVERTIBLE,
    LOG_CONCAVE,
    LOG_CONVEX,
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO,
    POSITIVE,
    ROOT_CONVEX,
    SEMIDEFINITE,
    WITHIN_ONE,
)
from eggrad.engine.networks.networks import scaled
from eggrad.engine.saturation.schedule import Budget, Run
from eggrad.engine.saturation.system import System
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, postorder, variables
from eggrad.engine.terms.term_patterns import substituted

# The properties that forms are looked for by.
SHOWN: Final = (
    *(CONSTANT, AFFINE, CONVEX, CONCAVE, LOG_CONVEX, LOG_CONCAVE, ROOT_CONVEX),
    *(POSITIVE, NONNEGATIVE, NEGATIVE, NONPOSITIVE, SEMIDEFINITE, DEFINITE),
    *(WITHIN_ONE, AT_MOST_ONE, AT_LEAST_ONE),
)
PASSES: Final = 4
WEIGHTS: Final = (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4))


@dataclass(frozen=True)
class Found:
    """Properties of the e-class of a term, and a form of it by which facts show the first."""

    properties: tuple[str, ...] = ()
    form: Term | None = None
    conclusions: tuple[Conclusion, ...] = ()


def find_properties(
    system: System,
    term: Term,
    goals: Sequence[str],
    budget: Budget | None = None,
    assumed: Sequence[Assumption] = (),
) -> Found:
    """Which of some properties the e-class of a term is found to have.

    The search ends where one of them is known, or with the budget.
    """
    with system.session("convexity", term, *(t for _, t in assumed)) as egraph:
        run = Run(system.strategy, egraph, Budget.of(budget), [CostModel()], "convexity")
        egraph.load(term, *(t for _, t in assumed))
        egraph.assume([*assumed, *nonzero_sums([term])])
        names = [egraph.name(term)]
        run.begin(names)
        run.settle()
        run.saturate("simplify")
        for k in range(run.rounds + 1):
            (graph,) = snapshots = run.snapshots(names)
            cls = graph.names[names[0]]
            known = tuple(p for p in goals if (p, cls) in graph.known)
            if known:
                return _shown(graph, cls, known, Knowledge(system.strategy.rulesets, assumed))
            if k == run.rounds or run.exhausted():
                break
            strategy = run.strategy
            changed = run.apply_bulk_rules(snapshots, strategy.simplify + strategy.explore)
            changed |= run.step("explore")
            if not changed:
                break
            run.saturate("simplify")
    return Found()


def _shown(graph: Snapshot, root: int, known: tuple[str, ...], knowledge: Knowledge) -> Found:
    """A form of an e-class by which facts show its first property, made from operands upwards."""
    below = _below(graph, root)
    forms = {c: graph.term(c) for c in below}
    for _ in range(PASSES):
        for c in below:
            wanted = [p for p in SHOWN if (p, c) in graph.known]
            best = sum(knowledge.knows(p, forms[c]) for p in wanted)
            for m in graph.members[c]:
                if best < len(wanted) and all(a in forms for a in m.children):
                    form = graph.as_term(m, tuple(forms[a] for a in m.children))
                    count = sum(knowledge.knows(p, form) for p in wanted)
                    if count > best and c not in m.children:
                        forms[c], best = form, count
        if knowledge.knows(known[0], forms[root]):
            return Found(known, forms[root], knowledge.derivation(known[0], forms[root]))
    return Found(known)


def _below(graph: Snapshot, root: int) -> list[int]:
    """The e-classes that forms of one are made of, those of cheaper terms first."""
    found = {root}
    stack = [root]
    while stack:
        new = {a for m in graph.members[stack.pop()] for a in m.children} - found
        found |= new
        stack.extend(new)
    return sorted(found, key=lambda c: (graph.tree_cost[c], c))


def in_variables(term: Term, wrt: Sequence[Term]) -> list[Assumption]:
    """That some variables of a term are affine, and all others constant."""
    return [(AFFINE if v in wrt else CONSTANT, v) for v in dict.fromkeys((*wrt, *variables(term)))]


# Chords --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chord:
    """The values of all variables, of those that move at both ends; the weight of the first end.

    The values of a variable x at the ends are called `x[0]` and `x[1]`.
    """

    values: Mapping[str, Array]
    weight: Fraction


def broken_chord(term: Term, wrt: Sequence[Term], sign: int) -> Chord | None:
    """A chord that a scalar term lies above at a point between its ends, for sign -1 below."""
    for weight in WEIGHTS:
        ends = [
            {v: terms.variable(f"{v.name}[{k}]", v.dims, v.assumed) for v in wrt} for k in (0, 1)
        ]
        between = {v: _mean(ends[0][v], ends[1][v], weight) for v in wrt}
        chord = _mean(substituted(term, ends[0]), substituted(term, ends[1]), weight)
        gap = terms.subtract(chord, substituted(term, between))
        gap = gap if sign > 0 else terms.negate(gap)
        found = find_difference(gap, terms.apply("relu", gap))
        if isinstance(found, Witness):
            return Chord(found.values, weight)
    return None


def _mean(a: Term, b: Term, weight: Fraction) -> Term:
    """The weighted mean of two terms of the same axes."""
    return terms.add(scaled(weight, a), scaled(1 - weight, b))


# Second derivatives --------------------------------------------------------------------------


def second_derivative(
    system: System, term: Term, wrt: Sequence[Term], budget: Budget | None = None
) -> Term | None:
    """The second derivative of a scalar along a line; None where the term has kinks or jumps.

    The budget is that of simplifying it.
    """
    found = term
    for _ in range(2):
        if has_kinks(found, wrt):
            return None
        (found,) = system.pushed([found], directions(wrt), ())
        found = system.simplify([found], budget).term
    return None if has_kinks(found, wrt) else found


def directions(wrt: Sequence[Term]) -> dict[Term, Term]:
    """For each variable x a direction x' in which it moves."""
    return {v: terms.variable(f"{v.name}'", v.dims) for v in wrt}


def has_kinks(term: Term, wrt: Sequence[Term]) -> bool:
    """Whether a term may depend on variables by what has kinks or jumps where it is defined."""
    moving: set[Term] = {*wrt}
    for t in postorder(term):
        if not moving.isdisjoint(t.args):
            moving.add(t)
            if t.op not in _SMOOTH:
                return True
    return False


_SMOOTH: Final = ANALYTIC | {"divide", "power", "inv", "log", "arcsin", "arccos"}


def is_defined_convexly(
    system: System,
    needs: Sequence[Assumption],
    assumed: Sequence[Assumption],
    budget: Budget | None = None,
) -> bool:
    """Whether a term is defined on a convex set, in whose interior it has no end of a domain.

    What has to hold for it is known to hold everywhere, or holds where a concave term is positive,
    or is about what does not depend on the variables that are assumed to be affine.
    """
    moving = {v for p, v in assumed if p == AFFINE}
    for p, t in needs:
        if moving.isdisjoint(variables(t)):
            continue
        goals = CONVEX_WHERE.get(p)
        if goals is None or not find_properties(system, t, goals, budget, assumed).properties:
            return False
    return True


# Where a need holds on a convex set: one of these is known of its term.
CONVEX_WHERE: Final = {
    # What is log-convex is positive, or 0 at all values.
    POSITIVE: (CONCAVE, POSITIVE, LOG_CONVEX),
    # Where a term that is at least 0 becomes 0 a root may have a kink, as that of x² has.
    NONNEGATIVE: (CONCAVE, POSITIVE),
    NONZERO: (POSITIVE, NEGATIVE, NONZERO),
    WITHIN_ONE: (AFFINE,),
    INVERTIBLE: (DEFINITE, INVERTIBLE),
}
