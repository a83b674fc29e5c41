"""What a run may use, what it did, and the classes that it ends with."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.reading import Reading
from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.extraction import exact
from eggrad.engine.extraction.exact import Solved
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.terms.term import Term, postorder, rebuild

__all__ = [
    "Budget",
    "Explored",
    "Moment",
    "Observer",
    "Report",
    "Result",
    "Watch",
    "given_members",
    "solver_seconds",
]


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
                    f"the {name} of a budget are None or {kind}s from 0 on, not {number!r}"
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
                f"a budget is eggrad.Budget(nodes=..., iterations=..., seconds=...), not {given!r}"
            )
        return given


@dataclass
class Report:
    """What a run did: iterations, size, matches of each rule, and notes on what was cut short.

    `solved` is about exact extraction, where that was asked for.
    """

    iterations: int = 0
    enodes: int = 0
    matches: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    solved: Solved | None = None

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
    """The members that some loaded terms have in their classes, the first one of each class.

    Those that the snapshot leaves out, because others are stabler, are left out here too.
    """
    found: dict[int, ENode] = {}
    for node in postorder(*roots):
        cls, *below = (graph.names[egraph.name(t)] for t in (node, *node.args))
        if cls not in found:
            given = rebuild(node, tuple(map(graph.term, below)))
            for member in graph.members[cls]:
                if graph.as_term(member, tuple(map(graph.term, member.children))) is given:
                    found[cls] = member
                    break
    return found


@dataclass(frozen=True)
class Explored:
    """Classes after exploration: `graph.extract(classes)` gives the cheapest terms of the roots.

    `graph.at(model).extract(classes)` gives those that are cheapest by another model.
    """

    graph: Snapshot
    classes: tuple[int, ...]
    report: Report

    @property
    def is_wider(self) -> bool:
        """Whether the cheapest terms of the roots are others where classes have wider members."""
        narrow = self.graph.narrow
        return narrow is not None and narrow.extract(self.classes) != self.graph.extract(
            self.classes
        )

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


# Looking on while a system runs: what every iteration did, and the classes then.


@dataclass(frozen=True)
class Moment:
    """What one iteration did, and what the e-graph holds after it.

    `stage` is that of the iteration, "load" before the first, or "bulk" where bulk rules were
    applied. `round` counts the rounds of exploration from 1 on; before them it is 0. `matches`
    and `times`, in seconds, are by rule; `seconds` is the time of everything since the moment
    before. `roots` names the classes of which a term will be extracted.
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
        """The classes; only while the observer is being told, for then the e-graph goes on."""
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

    def spent(self, times: Mapping[str, float]) -> None:
        """Add to the seconds of some rules."""
        for rule, seconds in times.items():
            self._times[rule] = self._times.get(rule, 0.0) + seconds

    def tell(self, stage: str, rounds: int, enodes: int, roots: Sequence[str]) -> None:
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
