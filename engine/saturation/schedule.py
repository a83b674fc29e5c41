"""The schedule: the stages of each purpose as data, and one run of them under a budget."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from operator import ge
from time import perf_counter
from types import MappingProxyType
from typing import Final

from eggrad.engine.costs.cost import CostModel, Model
from eggrad.engine.egraph.compile_rules import symbols_made
from eggrad.engine.egraph.egraph import EGraph, Iteration
from eggrad.engine.egraph.reading import Reading
from eggrad.engine.errors import BudgetExceeded, MissingRule, UnsupportedOperation
from eggrad.engine.extraction import exact
from eggrad.engine.extraction.exact import Solved
from eggrad.engine.extraction.extract import dag_cost, used
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.extraction.stability import is_vouched
from eggrad.engine.indices.texts import shown
from eggrad.engine.laws.language import DIFFERENTIAL, SLOPE_NODES
from eggrad.engine.laws.rule import BulkRule, Fact, LoopRule, Rule, Ruleset
from eggrad.engine.saturation.differentiation import Derivation, missing
from eggrad.engine.saturation.exposure import exposed_nodes
from eggrad.engine.terms.term import Term, parts, parts_as_written, postorder

STAGES = (
    "differentiate",
    "simplify",
    "explore",
    "present",
    "settle",
    "cancel",
    "lowering",
    "entries",
    "stable",
    "reading",
    "orders",
    "load",
)

PURPOSES: Final[Mapping[str, tuple[str, ...]]] = {
    "differentiate": ("load", "differentiate", "settle", "simplify", "explore", "present"),
    "derive": ("load", "differentiate", "settle"),
    "choose": ("load", "settle", "simplify", "cancel"),
    "simplify": ("load", "settle", "simplify", "explore", "present"),
    "compile": (
        "load", "settle", "lowering", "simplify", "explore", "stable", "entries", "present",
        "orders",
    ),
    "evaluate": ("load", "settle", "lowering", "simplify", "cancel", "stable"),
    "compare": ("load", "settle", "simplify", "explore"),
    "convexity": ("load", "settle", "simplify", "explore"),
    "read": ("load", "settle", "simplify", "explore", "reading", "present"),
}  # fmt: skip
"""The stages that each purpose has, in this order; its e-graph knows no laws but theirs."""


@dataclass(frozen=True)
class Strategy:
    """The rulesets of each stage; those of `settle` saturate after every iteration of any.

    Those of `cancel` come after `simplify` once where nothing is explored.
    Those of `lowering` join `explore` for terms that are lowered to code, those of `stable` come
    after that. Then the bulk rules of `lowering` see the stable forms, ruleset by ruleset, and once
    those of `entries`, whose sums may be long. Those of `reading` come after `explore` for terms
    that are printed. Those of `present`, and for code those of `orders`, come last: what they add
    feeds no other rule. What the bulk rules of `load` find replaces terms before they are loaded.
    """

    differentiate: tuple[Ruleset, ...]
    simplify: tuple[Ruleset, ...]
    explore: tuple[Ruleset, ...]
    present: tuple[Ruleset, ...] = ()
    settle: tuple[Ruleset, ...] = ()
    cancel: tuple[Ruleset, ...] = ()
    lowering: tuple[Ruleset, ...] = ()
    entries: tuple[Ruleset, ...] = ()
    stable: tuple[Ruleset, ...] = ()
    reading: tuple[Ruleset, ...] = ()
    orders: tuple[Ruleset, ...] = ()
    load: tuple[Ruleset, ...] = ()

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """All rulesets, each once."""
        return tuple(dict.fromkeys(r for name in STAGES for r in self.of(name)))

    def of(self, stage: str) -> tuple[Ruleset, ...]:
        """The rulesets of a stage, by its name."""
        return getattr(self, stage)

    def rules_of(self, stage: str) -> tuple[Rule, ...]:
        """The rules of a stage's rulesets, each once."""
        return tuple(dict.fromkeys(r for ruleset in self.of(stage) for r in ruleset.rules))

    def loop_rules_of(self, stage: str) -> tuple[LoopRule, ...]:
        """The laws on loops of a stage's rulesets."""
        return tuple(r for ruleset in self.of(stage) for r in ruleset.loop_rules)

    def laws_of(self, stage: str) -> tuple[Rule | Fact, ...]:
        """The rules of a stage, and its facts."""
        facts = (f for ruleset in self.of(stage) for f in ruleset.facts)
        return (*self.rules_of(stage), *dict.fromkeys(facts))

    def mapped(self, change: Callable[[Ruleset], Ruleset]) -> "Strategy":
        """The strategy with every ruleset changed, once however many stages it is in."""
        changed = {s: change(s) for s in self.rulesets}
        return replace(self, **{n: tuple(changed[s] for s in self.of(n)) for n in STAGES})

    def only(self, names: Iterable[str]) -> "Strategy":
        """The strategy with some rules alone, named as `ruleset.rule`."""
        kept = {*names}
        return self.mapped(lambda ruleset: ruleset.only(kept))


# What a run may use, what it did, and the e-classes that it ends with.


@dataclass(frozen=True)
class Budget:
    """What a run may use: e-nodes, rounds of exploration and, if wanted, seconds.

    Without a number of e-nodes it is 5,000 and 60 more for every node of the input; without a
    number of rounds it is 4, and 1 for an input of more than 2,000 nodes.

    The defaults count e-nodes and iterations alone, so that results do not depend on the speed
    of the machine.
    """

    nodes: int | None = None
    iterations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Raise `UnsupportedOperation` for what is no number, or a negative one."""
        for name, number in vars(self).items():
            kind, known = ("number", float | int) if name == "seconds" else ("integer", int)
            fits = isinstance(number, known) and not isinstance(number, bool) and number >= 0
            if number is not None and not fits:
                raise UnsupportedOperation(
                    f"the {name} of a budget are None or {kind}s from 0 on, not {shown(number)}"
                )

    @classmethod
    def of(cls, given: "Budget | None") -> "Budget":
        """What a caller gave, the default for None; `UnsupportedOperation` for all else.

        >>> Budget.of(None)
        Budget(nodes=None, iterations=None, seconds=None)
        """
        if given is None:
            return cls()
        if not isinstance(given, cls):
            raise UnsupportedOperation(
                "a budget is eggrad.Budget(nodes=..., iterations=..., seconds=...), not "
                f"{shown(given)}"
            )
        return given


@dataclass
class Report:
    """What a run did: iterations, size, matches of each rule, and notes on what was cut short.

    `solved` is about exact extraction, where that was asked for. A search that has `failed` by a
    mistake of ours has left terms as they were.
    """

    iterations: int = 0
    enodes: int = 0
    matches: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    solved: Solved | None = None
    failed: bool = False

    @property
    def complete(self) -> bool:
        """Whether no budget ended a stage early."""
        return not self.notes

    def joined(self, later: "Report") -> "Report":
        """Add a later report to this one."""
        return Report(
            self.iterations + later.iterations,
            max(self.enodes, later.enodes),
            self.matches + later.matches,
            self.notes + later.notes,
            later.solved,
            self.failed or later.failed,
        )


@dataclass(frozen=True)
class Result:
    """The terms found, and how."""

    terms: tuple[Term, ...]
    report: Report

    @property
    def term(self) -> Term:
        """The only term, or the first."""
        return self.terms[0]

    @property
    def complete(self) -> bool:
        """Whether no budget ended a stage early."""
        return self.report.complete


def solver_seconds(budget: Budget | None) -> float:
    """What the solver may take: a budget's seconds, once more after all that precedes it.

    Raises `UnsupportedOperation` where there is no solver.
    """
    exact.require_solver()
    return exact.SECONDS if budget is None or budget.seconds is None else budget.seconds


def given_members(graph: Snapshot, egraph: EGraph, roots: Sequence[Term]) -> dict[int, ENode]:
    """The e-nodes that some loaded terms have in their e-classes, the first one of each e-class.

    Those that the snapshot leaves out, because others are stabler, are left out here too.
    """
    found: dict[int, ENode] = {}
    for node in postorder(*roots):
        cls = graph.names[egraph.name(node)]
        if cls in found:
            continue
        for constructor, data, operands in (parts(node), parts_as_written(node)):
            below = tuple(graph.names[egraph.name(a)] for a in operands)
            matching = (m for m in graph.members[cls] if m[:3] == (constructor, data, below))
            member = next(matching, None)
            if member is not None:
                found[cls] = member
                break
    return found


@dataclass(frozen=True)
class Explored:
    """E-classes after exploration: `graph.extract(classes)` gives the cheapest terms of the roots.

    `graph.at(model).extract(classes)` gives those that are cheapest by another model. The `loaded`
    terms have the arrays and steps of which the e-graph has names alone.
    """

    graph: Snapshot
    classes: tuple[int, ...]
    report: Report
    loaded: Sequence[Term] = ()

    @property
    def is_wider(self) -> bool:
        """Whether the cheapest terms of the roots are others where e-classes have wider e-nodes."""
        graph = self.graph
        if graph.narrow is None or not graph.wider:
            return False
        return graph.narrow.extract(self.classes) != graph.extract(self.classes)

    @property
    def is_worth_wider(self) -> bool:
        """Whether wider e-nodes make the cheapest terms cheaper by a tenth."""
        graph, classes = self.graph, [*self.classes]
        if graph.narrow is None or not self.is_wider:
            return False
        price, least = (
            dag_cost(g.cheap_dag(classes), g.cost, classes) for g in (graph.narrow, graph)
        )
        return 10 * least < 9 * price

    @property
    def is_vouched(self) -> bool:
        """Whether the cheapest terms have an e-node for whose digits a rule vouches."""
        choice = self.graph.cheap_dag([*self.classes])
        return any(is_vouched(choice[c]) for c in used(choice, self.classes))

    def cheapest(self, seconds: float | None = None) -> Result:
        """The cheapest terms that a quick search finds, or with some seconds for it, a solver.

        The report says what the solver did, and notes if that is not certain to be the cheapest.
        """
        if seconds is None:
            return Result(tuple(self.graph.extract(self.classes)), self.report)
        found, solved = self.graph.extract_exactly(self.classes, seconds)
        self.report.solved = solved
        if not solved.certain:
            self.report.notes.append(f"the solver was not certain after {seconds:g} seconds")
        return Result(tuple(found), self.report)


# Looking on while a system runs: what every iteration did, and the e-classes then.


@dataclass(frozen=True)
class Moment:
    """What one iteration did, and what the e-graph holds after it.

    `stage` is that of the iteration, "load" before the first, or "bulk" where bulk rules were
    applied. `round` counts the rounds of exploration from 1 on; before them it is 0. `matches`
    and `times`, in seconds, are by rule; `seconds` is the time of everything since the moment
    before. `roots` names the e-classes of which a term will be extracted.
    """

    stage: str
    round: int
    enodes: int
    classes: int
    seconds: float
    matches: Mapping[str, int]
    times: Mapping[str, float]
    roots: Sequence[str]
    egraph: EGraph = field(repr=False)

    @property
    def phase(self) -> str:
        """What a person calls the stage: exploration contains simplification and bulk rules."""
        if self.round and self.stage in ("bulk", "simplify"):
            return "explore"
        return self.stage

    def read(self) -> tuple[Reading, Snapshot]:
        """The e-classes; only while the observer is being told, for then the e-graph goes on."""
        reading = Reading(self.egraph)
        return reading, Snapshot(reading, CostModel(), self.roots[:1])

    def cheapest(self) -> Term | None:
        """A cheap term of the first root, None where it has none yet; as for `read`."""
        graph = self.read()[1]
        return next(iter(graph.extract(graph.root_classes)), None)


Observer = Callable[[Moment], None]


class Watch:
    """What happened in a run since the last moment, and who wants to know."""

    def __init__(self, observer: Observer | None, egraph: EGraph, matches: Counter[str]) -> None:
        """Look on `matches` as they grow; nobody is told where there is no observer."""
        self._observer = observer
        self._egraph = egraph
        self._matches = matches
        self._told: Counter[str] = Counter()
        self._times: dict[str, float] = {}
        self._began = perf_counter()
        self.active = observer is not None

    def add_times(self, times: Mapping[str, float]) -> None:
        """Add to the seconds of some rules."""
        for rule, seconds in times.items():
            self._times[rule] = self._times.get(rule, 0.0) + seconds

    def notify(self, stage: str, rounds: int, enodes: int, roots: Sequence[str]) -> None:
        """Tell the observer, if there is one, of what has happened since the last time."""
        if self._observer is None:
            return
        seconds = perf_counter() - self._began
        moment = Moment(
            stage,
            rounds,
            enodes,
            self._egraph.class_count(),
            seconds,
            self._matches - self._told,
            self._times,
            roots,
            self._egraph,
        )
        self._told, self._times = self._matches.copy(), {}
        self._observer(moment)
        self._began = perf_counter()


# One use of an e-graph: stages and rounds under a budget.

SETTLE_ROUNDS = 20
# How often `settle` is iterated in one go after an iteration of these stages, which is enough for
# most of them: a call of egglog takes as long as an iteration that finds nothing.
SETTLES: Final[Mapping[str, int]] = dict.fromkeys(
    ("simplify", "explore", "lowering", "present", "stable", "reading"), 2
)
# How often `differentiate` is iterated in one go: laws on nodes, then on slopes that they leave.
DERIVING = 3
# E-nodes that one match makes, at most.
NODES_PER_MATCH = 8
PRESENT_ROUNDS = 4
PRESENT_NODES = 2_000

BASE_NODES = 5_000
ROUNDS = 4
LARGE = 2_000
NODES_PER_NODE = 60

# With more e-nodes a round of exploration has to pay, and what is lowered, which has been explored
# before, is not explored again in all rounds.
SMALL = 200

# What the forms that lose no digits may take, and those that people read.
FORM_ROUNDS: Final[Mapping[str, int]] = {"stable": 4, "reading": 6}
FORM_NODES: Final[Mapping[str, int]] = {"stable": 20_000, "reading": 1_000}
# E-classes with these have an equal sum or product (thesis, table 3.1), which bulk rules can read.
REDUNDANT = ("subtract", "negate", "divide")


PROGRESS: Final[ContextVar[Callable[[str, "Run"], None] | None]] = ContextVar(
    "progress", default=None
)
"""Who wants to know the stage of a run while it lasts, and the run."""


class Run:
    """One use of an e-graph under a budget; the first model is that of the final snapshot."""

    def __init__(
        self,
        strategy: Strategy,
        egraph: EGraph,
        budget: Budget,
        models: Sequence[Model],
        purpose: str = "simplify",
        *,
        observer: Observer | None = None,
        lacking: Collection[str] = (),
    ) -> None:
        """Begin with an e-graph in which nothing has run; `purpose` is one of `PURPOSES`.

        What is extracted has no numeric operation that is `lacking`, where there is another form.
        """
        self.strategy = strategy
        self.egraph = egraph
        self.budget = budget
        self.models = models
        self.report = Report()
        self.progress = PROGRESS.get()
        self.watch = Watch(observer, egraph, self.report.matches)
        self.roots: Sequence[str] = ()
        self.round = 0
        self.stages = PURPOSES[purpose]
        self.lowering = "lowering" in self.stages
        self.lacking = lacking
        # Such terms are loaded as they stand in laws, for multiples would be written in many ways.
        self.in_forms = any(stage in self.stages for stage in FORM_ROUNDS)
        self.loaded = 1
        self.started = perf_counter()
        self.done: set[Hashable] = set()
        # E-nodes when they were counted last, at most now, and iterations since then.
        self.size = self.bound = 1
        self.steps = 0
        self.growth = 1.0
        self.nodes = BASE_NODES if budget.nodes is None else budget.nodes
        self.rounds = ROUNDS if budget.iterations is None else budget.iterations

    def begin(self, roots: Sequence[str], stage: str = "load") -> None:
        """Let what the budget leaves open follow from the input, all of which is loaded.

        `stage` is what has loaded it.
        """
        self.loaded = self.size = self.bound = loaded = self.egraph.size()
        self.roots = roots
        self.notify(stage)
        if self.budget.iterations is None and loaded > LARGE:
            self.rounds = 1
        if self.budget.nodes is None:
            self.nodes = BASE_NODES + NODES_PER_NODE * loaded

    def differentiate(
        self, groups: Iterable[Sequence[str]], derivation: Derivation
    ) -> tuple[dict[str, Term], bool]:
        """Let laws say what derivatives and adjoints are; return them as they stand then.

        Names of a group are of one thing, found in several ways; of some ways laws may lack.
        Says too whether nothing else is left of the e-graph: no other rule need see what they are
        asked for by.
        """
        listed = [*groups]
        names = self.roots = [*dict.fromkeys(n for group in listed for n in group)]
        while True:
            self._saturate_derivatives()
            graph = Snapshot(self.egraph, self.models[0], names)
            seeds = derivation.seeds(graph.names)
            unknown = graph.unknown - seeds
            every = {*graph.members, *unknown}
            known = graph.leave_out_unfounded(seeds)
            asked = self.egraph.rows(constructors=DIFFERENTIAL).rows if unknown else ()
            slopes = SLOPE_NODES.values()
            # Laws ask for slopes by all operands, transposition by those alone that matter.
            lost = any(r.output in unknown and r.constructor in slopes for r in asked)
            lacking = [
                n for n, c in graph.names.items() if c in unknown or (lost and c not in known)
            ]
            if not derivation.transpose(lacking):
                break
        if not all(any(graph.names[n] in known for n in group) for group in listed):
            asked = self.egraph.rows(constructors=DIFFERENTIAL).rows
            unknown = unknown or every.difference(known)
            raise MissingRule(missing(graph, (row for row in asked if row.output in unknown)))
        names = [n for n in names if graph.names[n] in known]
        if derivation.close():
            graph = Snapshot(self.egraph, self.models[0], names)
            graph.leave_out_unfounded()
        self.report.iterations += 1
        loaded = {t: graph.names[name] for t, name in self.egraph.loaded().items()}
        classes = [graph.names[n] for n in names]
        given = {*loaded.values()}
        more = (c for c, nodes in graph.members.items() if c not in given or len(nodes) > 1)
        kept = graph.below([*classes, *more])
        self.egraph.delete([t for t, cls in loaded.items() if cls not in kept])
        return dict(zip(names, graph.smallest(classes), strict=True)), every.issubset(known)

    def _saturate_derivatives(self) -> None:
        """Iterate `differentiate` until nothing changes.

        No budget of a caller's ends it, for without derivatives there is no answer.
        """
        most = BASE_NODES + NODES_PER_NODE * self.egraph.size()
        known, changed = "", True
        # What rules make may be what others are about, which are there from then on.
        while changed or known != self.egraph.rules_of("differentiate"):
            if self.egraph.size() > most:
                raise BudgetExceeded(f"laws of derivatives lead on and on, such as {self._busiest}")
            known = self.egraph.rules_of("differentiate")
            changed = self._iterate(*["differentiate"] * DERIVING)[-1].changed
        self.egraph.complete_shapes()

    @property
    def _busiest(self) -> str:
        """The law of derivatives that matched most, a user's if there is one."""
        found = [
            (
                ruleset.stage == "differentiate",
                self.report.matches[f"{ruleset.name}.{law.name}"],
                k,
                law,
            )
            for ruleset in self.strategy.differentiate
            for k, law in enumerate(ruleset.rules)
            if not DIFFERENTIAL.keys().isdisjoint(symbols_made(law))
        ]
        law = max(found)[-1]
        return f"{law.ruleset}.{law.name}"

    def finish(
        self,
        names: Sequence[str],
        given: Sequence[Term] = (),
        alike: Sequence[Sequence[str]] = (),
        elsewhere: Mapping[Term, Term] = MappingProxyType({}),
    ) -> Explored:
        """Run the stages, then read the e-classes back; `given` are loaded terms.

        Loaded terms whose values somebody else computes are `elsewhere`, each with the variable
        that it may be replaced by.

        What is `alike` is one e-class in the end; until then all of it is explored, each as if it
        were alone: what is cheap may come of what is dearer at first.
        """
        self.roots = names
        self.settle()
        if self.lowering:
            # Once: what other rules join later need not be taken apart again.
            self.step("lowering")
        self.saturate("simplify")
        if "cancel" in self.stages:
            graphs = self.snapshots(names, focused=True)
            if self.apply_bulk_rules(graphs, self.strategy.cancel):
                self.saturate("simplify")
        if "explore" in self.stages:
            self.explore([*dict.fromkeys([*names, *(n for group in alike for n in group)])])
        for first, *others in alike:
            for other in others:
                self.egraph.unite_names(first, other)
        if len(alike) > 1:
            # What the parts of a product have become orders it anew.
            self.explore(names)
        for stage in FORM_ROUNDS:
            if stage in self.stages:
                self.add_forms(stage, names)
        if self.lowering:
            self.lower(names)
        if "present" in self.stages:
            self.present(names)
        widened = self.egraph.widen()
        self.report.matches.update(widened.matches)
        if widened.changed:
            # What is wider is as it stands in its law: a⁰ for 1.
            self.step("simplify")
        # Rules would take the names for variables.
        self.egraph.unite(elsewhere.items())
        graph = self.snapshots(names, self.lowering, hidden=self.lacking, widened=True)[0]
        if elsewhere:
            graph.keep_numbers()
        graph.given = given_members(graph, self.egraph, given)
        roots = tuple(graph.names[n] for n in names)
        return Explored(graph, roots, self.report)

    def explore(self, names: Sequence[str]) -> None:
        """Rounds of bulk rules and others, until they find nothing that is cheaper."""
        exploring = self.strategy.simplify + self.strategy.explore
        if self.lowering:
            exploring = tuple(dict.fromkeys(exploring + self.strategy.lowering))
            self.rounds = min(self.rounds, 1 + SMALL // self.loaded)
        graphs = self.snapshots(names, focused=True)
        # Rounds over much have to pay at once. Where there is little, what is cheap may come of
        # what is dearer at first; what trees cost shows sooner that something has changed.
        large = graphs[0].size > SMALL
        prices = [g.dag_price for g in graphs] if large else []
        for number in range(1, self.rounds + 1):
            self.round = number
            if self.exhausted():
                break
            changed = self.apply_bulk_rules(graphs, exploring)
            changed |= self.step("explore")
            if not changed:
                break
            self.saturate("simplify")
            graphs = self.snapshots(names, focused=True)
            before = prices
            prices = [g.dag_price if large else g.tree_price for g in graphs]
            if all(map(ge, prices, before)) if large else prices == before:
                break
        else:
            if self.rounds == self.budget.iterations:
                self.report.notes.append(f"{self.rounds} rounds of exploration")

    def lower(self, names: Sequence[str]) -> None:
        """Add what is for code alone: each of the rulesets sees what the one before has added."""
        graphs = self.snapshots(names, stable=True)
        for ruleset in self.strategy.lowering:
            if self.apply_bulk_rules(graphs, [ruleset]):
                graphs = self.snapshots(names, stable=True)
        if "entries" in self.stages and self.apply_bulk_rules(graphs, self.strategy.entries):
            self.saturate("simplify")

    def present(self, names: Sequence[str]) -> None:
        """Add forms that are read or computed, and that no other rule need see."""
        most = self.bound + PRESENT_NODES
        for _ in range(1 if self.report.notes else PRESENT_ROUNDS):
            if not self.step("present") or not self.within(most):
                break
        # They see what is subsumed as well.
        last = [r for s in ("present", "orders") if s in self.stages for r in self.strategy.of(s)]
        self.apply_bulk_rules(self.snapshots(names, stable=self.lowering), last)

    def add_forms(self, stage: str, names: Sequence[str]) -> None:
        """Add the forms that lose no digits, or that people read: the nearest after the budget."""
        ended = bool(self.report.notes)
        most = self.bound + FORM_NODES[stage] * (not ended)
        for _ in range(1 if ended else FORM_ROUNDS[stage]):
            while self.step(stage) and self.within(most):
                pass
            # Orders that are cheaper at other sizes are found later.
            graphs = self.snapshots(names, hidden=REDUNDANT, focused=True)[:1]
            if not self.apply_bulk_rules(graphs, self.strategy.of(stage)):
                break

    def snapshots(
        self,
        roots: Sequence[str],
        stable: bool = False,
        hidden: Collection[str] = (),
        widened: bool = False,
        focused: bool = False,
    ) -> list[Snapshot]:
        """The e-classes now, checked for merged constants, at each model.

        With `stable`, e-classes have the e-nodes alone that code may be generated from; `hidden`
        constructors and operations are left out where there are others. `widened` e-classes have
        the e-nodes of wider ones as well. Bulk rules look at few e-classes of `focused` ones, where
        there are many.
        """
        self.egraph.complete_shapes()
        graph = Snapshot(self.egraph, self.models[0], roots, self.done, focused=focused)
        graph.check_constants(self.report.matches)
        self.report.enodes = graph.size
        if hidden:
            graph.hide(hidden)
        if widened and (graph.wider or stable):
            graph.widen(exposed_nodes(graph, for_code=stable))
        if stable:
            graph.prefer_stable()
        return [graph, *(graph.at(m) for m in self.models[1:])]

    def apply_bulk_rules(self, graphs: Sequence[Snapshot], rulesets: Iterable[Ruleset]) -> bool:
        """Add what bulk rules find; say whether any of it was new."""
        found: list[tuple[Term, Term]] = []
        vouched: list[Term] = []
        for ruleset in rulesets:
            for rule in ruleset.bulk_rules:
                relevant = graphs[:1] if rule.sizeless else graphs
                name, began = f"{ruleset.name}.{rule.name}", perf_counter()
                fresh = dict.fromkeys(p for g in relevant for p in self._new_members(g, rule))
                self.watch.add_times({name: perf_counter() - began})
                if fresh:
                    self.report.matches[name] += len(fresh)
                    found += fresh
                    vouched += [term for _, term in fresh if rule.stable]
        self.egraph.unite(found, as_written=not self.in_forms)
        self.egraph.mark_stable(vouched)
        if found:
            self.settle()
            if self.watch.active:
                self.notify("bulk", self.egraph.size())
        return bool(found)

    def _new_members(self, graph: Snapshot, rule: BulkRule) -> list[tuple[Term, Term]]:
        fresh: list[tuple[Term, Term]] = []
        for cls, term in rule.find(graph):
            name = self.egraph.loaded().get(term)
            if name is None or graph.names.get(name) != cls:
                fresh.append((graph.term(cls), term))
        return fresh

    def step(self, stage: str) -> bool:
        """One iteration of a stage; whether anything changed."""
        settling = self.egraph.rules_of("settle")
        first, *later = self._iterate(stage, *["settle"] * SETTLES.get(stage, 0))
        self.report.iterations += 1
        if later and (later[-1].changed or self.egraph.rules_of("settle") != settling):
            self.settle()
        self.steps += 1
        self.notify(stage)
        return first.changed

    def _iterate(self, *stages: str) -> list[Iteration]:
        iterations = self.egraph.iterate(*stages, timed=self.watch.active)
        for iteration in iterations:
            self.report.matches.update(iteration.matches)
            self.bound += NODES_PER_MATCH * sum(iteration.matches.values())
            self.watch.add_times(iteration.seconds)
        return iterations

    def within(self, nodes: int) -> bool:
        """Whether another iteration keeps to some e-nodes, if it grows as those before it did.

        They are counted only where what has matched might have made that many.
        """
        if self.bound * self.bound <= nodes * self.size:
            return True
        if self.steps:
            now = self.egraph.size()
            self.growth = (now / self.size) ** (1 / self.steps)
            self.size, self.bound, self.steps = now, now, 0
        return self.size * self.growth <= nodes

    def notify(self, stage: str, enodes: int | None = None) -> None:
        """Tell who looks on of an iteration."""
        if self.progress is not None:
            self.progress(stage, self)
        if self.watch.active:
            found = self.egraph.size() if enodes is None else enodes
            self.watch.notify(stage, self.round, found, self.roots)

    def settle(self) -> None:
        """Saturate what keeps zeros and multiples from breeding."""
        for _ in range(SETTLE_ROUNDS):
            if not self._iterate("settle")[0].changed:
                return

    def saturate(self, stage: str) -> None:
        """Iterate a stage until nothing changes or the budget ends."""
        while self.step(stage):
            if self.exhausted():
                return

    def exhausted(self) -> bool:
        """Whether the budget has ended; the first time, a note says so.

        An iteration cannot be interrupted: the next one is taken to grow as the last one did.
        """
        if self.report.notes:
            return True
        if not self.within(self.nodes):
            self.report.notes.append(f"another iteration might exceed {self.nodes} e-nodes")
        seconds = perf_counter() - self.started
        if self.budget.seconds is not None and seconds > self.budget.seconds:
            self.report.notes.append(f"more than {self.budget.seconds} seconds")
        return bool(self.report.notes)
