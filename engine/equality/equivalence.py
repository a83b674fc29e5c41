"""Whether rules prove two terms equal: both in one e-graph, until they are one e-class."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.reading import TermRows
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.laws.knowledge import Assumption, Knowledge
from eggrad.engine.laws.nonzero_sums import nonzero_sums
from eggrad.engine.laws.rule import BulkRule, Rule
from eggrad.engine.saturation.schedule import Budget, Report, Run, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.term import Term, postorder

# Delta debugging: from what suffices together, a part of which nothing can be spared.


T = TypeVar("T")


def smallest_part(items: Sequence[T], suffices: Callable[[Sequence[T]], bool]) -> list[T]:
    """A part that suffices, of which no single item can be left out (Zeller, Hildebrandt 2002).

    All the items together suffice. The order of the items is kept.

    >>> smallest_part(range(20), lambda part: 3 in part and 17 in part)
    [3, 17]
    """
    part = list(items)
    width = max(1, len(part) // 2)
    while True:
        before, start = len(part), 0
        while start < len(part):
            rest = part[:start] + part[start + width :]
            if suffices(rest):
                part = rest
            else:
                start += width
        if width == 1 and len(part) == before:
            return part
        width = max(1, width // 2)


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
    """Let the rules of a system run on two terms until both are in one e-class, or nothing changes.

    The stages are those of a simplification, and whether the terms have met is looked up after
    every round. Some properties of terms are `assumed`, and the terms of some pairs are `equal`,
    from the start.
    """
    known = [left, right, *(t for _, t in assumed), *(t for pair in equal for t in pair)]
    with system.session("compare", *known) as egraph:
        run = Run(system.strategy, egraph, Budget.of(budget), [CostModel()], "compare")
        egraph.load(left, right, *(t for _, t in assumed))
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


# A minimal set of rules that proves two terms equal, by delta debugging over rules.


def minimal_rules(
    strategy: Strategy,
    left: Term,
    right: Term,
    budget: Budget | None = None,
    last: Sequence[str] = (),
    *,
    assumed: Sequence[Assumption] = (),
) -> tuple[Rule | BulkRule, ...] | None:
    """Rules that prove two terms equal, none of which can be left out; None without a proof.

    Some properties of terms are `assumed`. Rulesets named in `last` are used only where the
    others do not suffice: one of their rules by itself, one beside the others, all of them, in the
    order in which they are written.
    """

    def fired(system: System) -> Counter[str] | None:
        proof = prove(system, left, right, budget, assumed)
        return proof.report.matches if proof.found else None

    names = fewest(strategy, fired, last)
    rules = {f"{s.name}.{r.name}": r for s in strategy.rulesets for r in s.laws}
    return None if names is None else tuple(rules[n] for n in names)


def fewest(
    strategy: Strategy,
    fired: Callable[[System], Collection[str] | None],
    last: Sequence[str] = (),
) -> list[str] | None:
    """Names of rules that suffice for something, none of which can be left out.

    `fired` says what fired where a system suffices, and None where it does not. Rulesets named in
    `last` are as for `minimal_rules`. None where all rules do not suffice.
    """
    every = [f"{s.name}.{r.name}" for s in strategy.rulesets for r in s.laws]
    reserved = [n for n in every if n.partition(".")[0] in last]
    plain = [n for n in every if n not in reserved]

    def tried(names: Sequence[str]) -> list[str] | None:
        found = fired(System(strategy.only(names)))
        return None if found is None else [n for n in names if n in found]

    # No reserved rule, one of them by itself, one beside the others, and all of them at the end.
    apart = [[n] for n in reserved]
    chosen = [plain, *apart, *([*plain, *a] for a in apart), [*plain, *reserved]]
    found = next((used for names in chosen if (used := tried(names)) is not None), None)
    return None if found is None else smallest_part(found, lambda part: tried(part) is not None)
