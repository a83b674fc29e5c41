"""Looking on while a system runs: what every iteration did, and the classes then."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.reading import Reading
from eggrad.engine.extraction.snapshot import Snapshot
from eggrad.engine.terms.term import Term

__all__ = ["Moment", "Observer", "Watch"]


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
