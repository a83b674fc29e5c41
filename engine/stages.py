"""Which rulesets run when, and to what budget: load, differentiate, simplify, explore, extract."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from time import perf_counter

from eggrad.engine import term as terms
from eggrad.engine.cost import CostModel
from eggrad.engine.egraph import EGraph
from eggrad.engine.errors import BudgetExceeded
from eggrad.engine.report import Budget, Report, Result
from eggrad.engine.rule import BulkRule, Ruleset
from eggrad.engine.snapshot import Snapshot
from eggrad.engine.spec import Size
from eggrad.engine.term import Term

__all__ = ["Budget", "Report", "Result", "Strategy", "System"]

SETTLE_ROUNDS = 20
PRESENT_ROUNDS = 3
STAGES = ("forward", "reverse", "simplify", "explore", "present", "settle", "stable")

BASE_NODES = 5_000
ROUNDS = 4
LARGE = 2_000
NODES_PER_NODE = 60

# What numerical stability may take.
STABLE_ROUNDS = 4
STABLE_NODES = 20_000
# Classes with these have an equal sum or product (thesis, table 3.1), which bulk rules can read.
REDUNDANT = ("subtract", "negate", "divide")

# Above this many nodes `auto` differentiates in one mode only.
BOTH_MODES = 60


@dataclass(frozen=True)
class Strategy:
    """The rulesets of each stage; those of `settle` saturate after every iteration of any.

    Those of `stable` come last, and only for terms that are lowered to code.
    """

    forward: tuple[Ruleset, ...]
    reverse: tuple[Ruleset, ...]
    simplify: tuple[Ruleset, ...]
    explore: tuple[Ruleset, ...]
    present: tuple[Ruleset, ...] = ()
    settle: tuple[Ruleset, ...] = ()
    stable: tuple[Ruleset, ...] = ()

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """All rulesets, each once."""
        stages = (
            self.forward,
            self.reverse,
            self.simplify,
            self.explore,
            self.present,
            self.settle,
            self.stable,
        )
        return tuple(dict.fromkeys(r for stage in stages for r in stage))


class System:
    """A strategy with its rules loaded, to be kept: loading takes some 100 ms."""

    def __init__(self, strategy: Strategy) -> None:
        """Prepare; rules are loaded at the first use."""
        self.strategy = strategy
        self._egraph: EGraph | None = None
        self._lock = Lock()

    @contextmanager
    def session(self) -> Iterator[EGraph]:
        """An empty e-graph with the rules; not used again after an error: it may lack matches."""
        with self._lock:
            if self._egraph is None:
                self._egraph = EGraph(self.strategy.rulesets)
                for name in STAGES:
                    own: tuple[Ruleset, ...] = getattr(self.strategy, name)
                    self._egraph.combine(f"stage_{name}", [r.name for r in own])
            egraph, self._egraph = self._egraph, None
            egraph.push()
            yield egraph
            egraph.pop()
            self._egraph = egraph

    def differentiate(
        self,
        term: Term,
        x: Term,
        mode: str = "auto",
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
    ) -> Result:
        """The derivative of a term with respect to a variable: axes of `term`, then of `x`."""
        limit = budget or Budget()
        chosen = choose_mode(term, x, mode)
        with self.session() as egraph:
            run = _Run(self.strategy, egraph, limit, CostModel(sizes or {}))
            egraph.load(term, x)
            run.allow_for(egraph.size())
            names: list[str] = []
            if chosen in ("forward", "both"):
                names.append(egraph.add_derivative(term, x))
                run.saturate("forward")
            if chosen in ("reverse", "both"):
                names.append(egraph.add_adjoints(term, x, terms.delta(term.dims)))
                run.saturate("reverse")
            if chosen == "both":
                egraph.unite_names(*names)
            return run.finish(names[:1])

    def simplify(
        self,
        roots: Sequence[Term],
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
    ) -> Result:
        """Equal, cheaper terms; several share what they can."""
        with self.session() as egraph:
            run = _Run(self.strategy, egraph, budget or Budget(), CostModel(sizes or {}))
            egraph.load(*roots)
            run.allow_for(egraph.size())
            return run.finish([egraph.name(t) for t in roots])

    def lower(
        self,
        roots: Sequence[Term],
        model: CostModel,
        budget: Budget | None = None,
    ) -> Result:
        """Equal terms to generate code from: all roots share work, and none loses digits."""
        with self.session() as egraph:
            run = _Run(self.strategy, egraph, budget or Budget(), model)
            egraph.load(*roots)
            run.allow_for(egraph.size())
            return run.finish([egraph.name(t) for t in roots], lowering=True)


def choose_mode(term: Term, x: Term, mode: str) -> str:
    """Both modes for small terms; for large ones reverse if the output is the smaller side.

    Where the variable does not occur there is no path for reverse mode: forward finds the zero.
    """
    nodes = set(terms.postorder(term))
    if x not in nodes:
        return "forward"
    if mode != "auto":
        return mode
    if len(nodes) <= BOTH_MODES:
        return "both"
    return "reverse" if term.order <= x.order else "forward"


class _Run:
    """One use of an e-graph under a budget."""

    def __init__(
        self, strategy: Strategy, egraph: EGraph, budget: Budget, model: CostModel
    ) -> None:
        self.strategy = strategy
        self.egraph = egraph
        self.budget = budget
        self.model = model
        self.report = Report()
        self.lowering = False
        self.started = perf_counter()
        self.nodes = BASE_NODES if budget.nodes is None else budget.nodes
        self.rounds = ROUNDS if budget.iterations is None else budget.iterations

    def allow_for(self, loaded: int) -> None:
        """Let what the budget leaves open follow from the size of the input."""
        if self.budget.iterations is None and loaded > LARGE:
            self.rounds = 1
        if self.budget.nodes is None:
            self.nodes = BASE_NODES + NODES_PER_NODE * loaded

    def finish(self, names: Sequence[str], lowering: bool = False) -> Result:
        """Simplify and explore, then take the cheapest terms of the named classes."""
        self.settle()
        self.saturate("simplify")
        graph = self.snapshot(names)
        price: int | None = None
        for _ in range(self.rounds):
            if self.exhausted():
                break
            changed = self.apply_bulk_rules(graph, self.strategy.simplify + self.strategy.explore)
            changed |= self.step("explore")
            if not changed:
                break
            self.saturate("simplify")
            graph = self.snapshot(names)
            before, price = price, sum(graph.tree_cost.get(graph.names[n], 0) for n in names)
            if price == before:
                break
        if lowering:
            self.stabilise(names)
        for _ in range(1 if self.report.notes else PRESENT_ROUNDS):
            self.step("present")
        graph = self.snapshot(names)
        if lowering:
            graph.prefer_stable()
        roots = [graph.names[n] for n in names]
        if any(r not in graph.choice for r in roots):
            raise BudgetExceeded(
                f"the budget ended before there was an answer: {'; '.join(self.report.notes)}"
            )
        return Result(tuple(graph.extract(roots)), self.report)

    def stabilise(self, names: Sequence[str]) -> None:
        """Add the forms that lose no digits, whatever the budget has left."""
        self.lowering = True
        most = self.egraph.size() + STABLE_NODES
        for _ in range(STABLE_ROUNDS):
            while self.step("stable") and self.egraph.size() < most:
                pass
            graph = self.snapshot(names)
            graph.hide(REDUNDANT)
            if not self.apply_bulk_rules(graph, self.strategy.stable):
                break

    def snapshot(self, roots: Sequence[str]) -> Snapshot:
        """The classes now, checked for merged constants."""
        self.egraph.complete_shapes()
        graph = Snapshot(self.egraph, self.model, roots)
        graph.check_constants(self.report.matches)
        self.report.enodes = graph.size
        return graph

    def apply_bulk_rules(self, graph: Snapshot, rulesets: Iterable[Ruleset]) -> bool:
        """Add what bulk rules find; say whether any of it was new."""
        found: list[tuple[Term, Term]] = []
        vouched: list[Term] = []
        for ruleset in rulesets:
            for rule in ruleset.bulk_rules:
                fresh = self._new_members(graph, rule)
                if fresh:
                    self.report.matches[f"{ruleset.name}.{rule.name}"] += len(fresh)
                    found += fresh
                    vouched += [term for _, term in fresh if rule.stable]
        self.egraph.unite(found, differentiable=not self.lowering)
        self.egraph.mark_stable(vouched)
        return bool(found)

    def _new_members(self, graph: Snapshot, rule: BulkRule) -> list[tuple[Term, Term]]:
        fresh: list[tuple[Term, Term]] = []
        for cls, term in rule.find(graph):
            name = self.egraph.known_name(term)
            if name is None or graph.names.get(name) != cls:
                fresh.append((graph.term(cls), term))
        return fresh

    def step(self, stage: str) -> bool:
        """One iteration of a stage; whether anything changed."""
        iteration = self.egraph.iterate(f"stage_{stage}")
        self.report.iterations += 1
        self.report.matches.update(iteration.matches)
        if iteration.changed and stage in ("simplify", "explore", "present", "stable"):
            self.settle()
        return iteration.changed

    def settle(self) -> None:
        """Saturate what keeps zeros and multiples from breeding."""
        for _ in range(SETTLE_ROUNDS):
            iteration = self.egraph.iterate("stage_settle")
            self.report.matches.update(iteration.matches)
            if not iteration.changed:
                return

    def saturate(self, stage: str) -> None:
        """Iterate a stage until nothing changes or the budget ends."""
        while self.step(stage):
            if self.exhausted():
                return

    def exhausted(self) -> bool:
        """Whether the budget has ended; the first time, a note says so."""
        if self.report.notes:
            return True
        size = self.egraph.size()
        if size > self.nodes:
            self.report.notes.append(f"more than {self.nodes} e-nodes")
        seconds = perf_counter() - self.started
        if self.budget.seconds is not None and seconds > self.budget.seconds:
            self.report.notes.append(f"more than {self.budget.seconds} seconds")
        return bool(self.report.notes)
