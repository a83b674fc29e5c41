"""Whether rules prove two terms equal: both in one e-graph, until they are one class."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.strategy import Strategy
from eggrad.engine.saturation.report import Budget, Report
from eggrad.engine.saturation.run import Run
from eggrad.engine.saturation.stages import System
from eggrad.engine.terms.term import Term, einsum, postorder

__all__ = ["Proof", "prove", "prove_at_once", "search"]

# Inverses and adjugates whose transposed forms the rules may need.
TRANSPOSED = ("inv", "adj")


@dataclass(frozen=True)
class Proof:
    """Whether the terms met, and what the run did; a budget that ended is in its notes."""

    found: bool
    report: Report


def prove(
    system: System,
    left: Term,
    right: Term,
    budget: Budget | None = None,
    assumed: Sequence[Assumption] = (),
) -> Proof:
    """Try what needs no e-graph, then the e-graph; some properties of terms are `assumed`."""
    early = prove_at_once(system.strategy, left, right, assumed)
    return early if early.found else search(system, left, right, budget, assumed)


def search(
    system: System,
    left: Term,
    right: Term,
    budget: Budget | None = None,
    assumed: Sequence[Assumption] = (),
    *,
    equal: Sequence[tuple[Term, Term]] = (),
) -> Proof:
    """Let the rules of a system run on two terms until both are in one class, or nothing changes.

    The stages are those of a simplification, and whether the terms have met is looked up after
    every round. Some properties of terms are `assumed`, and the terms of some pairs are `equal`,
    from the start.
    """
    known = [left, right, *(t for _, t in assumed), *(t for pair in equal for t in pair)]
    with system.session("compare", *known) as egraph:
        run = Run(system.strategy, egraph, Budget.of(budget), [CostModel()], "compare")
        egraph.load(left, right, *_transposed(left, right), *(t for _, t in assumed))
        egraph.assume([*assumed, *nonzero_sums([left, right])])
        egraph.unite(equal)
        names = [egraph.name(left), egraph.name(right)]
        run.begin(names)
        return Proof(_meet(run, egraph, names), run.report)


def prove_at_once(
    strategy: Strategy, left: Term, right: Term, assumed: Sequence[Assumption] = ()
) -> Proof:
    """Let bulk rules that need no e-graph look at the terms as they are."""
    if left is right:
        return Proof(True, Report())
    knowledge = Knowledge(strategy.rulesets, assumed)
    rows = TermRows(postorder(left, right), (left, right), knowledge=knowledge)
    graph = Snapshot(rows, CostModel(), rows.roots)
    for ruleset in strategy.rulesets:
        for rule in ruleset.bulk_rules:
            if rule.of_terms and any(
                {graph.term(cls), other} == {left, right} for cls, other in rule.find(graph)
            ):
                return Proof(True, Report(matches=Counter({f"{ruleset.name}.{rule.name}": 1})))
    return Proof(False, Report())


def _transposed(*roots: Term) -> list[Term]:
    """The transposes of what may be symmetric: rules say whether it is."""
    nodes = [t for t in postorder(*roots) if t.order == 2 and t.dims[0] == t.dims[1]]
    found = (t for t in nodes if t.op in TRANSPOSED or _is_symmetric(t))
    return [einsum("ij->ji", t) for t in found]


def _is_symmetric(t: Term) -> bool:
    return t.op == "variable" and "symmetric" in t.assumed


def _meet(run: Run, egraph: EGraph, names: Sequence[str]) -> bool:
    """Rounds of bulk rules, exploration and simplification, as `Run.finish` has them."""
    strategy = run.strategy
    exploring = strategy.simplify + strategy.explore

    def met() -> bool:
        return egraph.are_equal(*names)

    if met():
        return True
    run.settle()
    run.saturate("simplify")
    for _ in range(run.rounds):
        if met():
            return True
        if run.exhausted():
            break
        changed = run.apply_bulk_rules(run.snapshots(names), exploring)
        if met():
            return True
        changed |= run.step("explore")
        if not changed:
            break
        run.saturate("simplify")
    return met()
