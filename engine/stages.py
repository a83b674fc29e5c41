"""Which rulesets run when, and to what budget: load, differentiate, simplify, explore, extract."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock

from eggrad.engine import term as terms
from eggrad.engine.cost import CostModel, Model
from eggrad.engine.egraph import EGraph
from eggrad.engine.explored import Explored, solver_seconds
from eggrad.engine.nonzero_sums import nonzero_sums
from eggrad.engine.observation import Observer
from eggrad.engine.own_functions import check_slopes
from eggrad.engine.report import Budget, Report, Result
from eggrad.engine.run import Run
from eggrad.engine.spec import Size
from eggrad.engine.strategy import STAGES, Strategy
from eggrad.engine.term import Term

__all__ = ["Budget", "Explored", "Report", "Result", "Strategy", "System"]

# Above this many nodes `auto` differentiates in one mode only.
BOTH_MODES = 60
# How often wider terms are looked for in what was extracted.
WIDENINGS = 4


class System:
    """A strategy with its rules loaded, to be kept: loading takes some 100 ms."""

    def __init__(self, strategy: Strategy, observer: Observer | None = None) -> None:
        """Prepare; rules are loaded at the first use. An observer is told of every iteration."""
        self.strategy = strategy
        self.observer = observer
        self._egraph: EGraph | None = None
        self._lock = Lock()

    @contextmanager
    def session(self) -> Iterator[EGraph]:
        """An empty e-graph with the rules; not used again after an error: it may lack matches."""
        with self._lock:
            if self._egraph is None:
                self._egraph = EGraph(self.strategy.rulesets)
                for name in STAGES:
                    own = [r.name for r in self.strategy.of(name)]
                    self._egraph.combine(f"stage_{name}", own)
                self._egraph.combine_facts([r.name for r in self.strategy.properties])
            egraph, self._egraph = self._egraph, None
            egraph.push()
            yield egraph
            egraph.pop()
            self._egraph = egraph

    def _run(self, egraph: EGraph, budget: Budget | None, models: Sequence[Model]) -> Run:
        return Run(self.strategy, egraph, budget or Budget(), models, observer=self.observer)

    def differentiate(
        self,
        term: Term,
        x: Term,
        mode: str = "auto",
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
        *,
        exact: bool = False,
    ) -> Result:
        """The derivative of a term with respect to a variable: axes of `term`, then of `x`.

        With `exact` the cheapest of all that was found, by integer programming; needs SciPy.
        """
        check_slopes(term, x)
        limit = budget or Budget()
        seconds = solver_seconds(limit) if exact else None
        models = [CostModel(sizes or {})]
        chosen = choose_mode(term, x, mode)
        with self.session() as egraph:
            run = self._run(egraph, limit, models)
            egraph.load(term, x)
            egraph.assume(nonzero_sums([term]))
            run.begin([egraph.name(term)])
            run.roots = names = list[str]()
            if chosen in ("forward", "both"):
                names.append(egraph.add_derivative(term, x))
                run.saturate("forward")
            if chosen in ("reverse", "both"):
                names.append(egraph.add_adjoints(term, x, terms.delta(term.dims)))
                run.saturate("reverse")
            if chosen == "both":
                egraph.unite_names(*names)
            found = run.finish(names[:1])
        return self.widened(found, found.cheapest(seconds), limit, models, seconds)

    def pull_back(
        self, term: Term, x: Term, cotangent: Term, budget: Budget | None = None
    ) -> Result:
        """A cotangent of a term, contracted with its derivative with respect to `x` in reverse.

        The cotangent may depend on `x`; it is not differentiated. `x` occurs in `term`.
        """
        check_slopes(term, x)
        models = [CostModel()]
        with self.session() as egraph:
            run = self._run(egraph, budget, models)
            egraph.load(term, x, cotangent)
            egraph.assume(nonzero_sums([term, cotangent]))
            run.begin([egraph.name(term)])
            name = egraph.add_adjoints(term, x, cotangent)
            run.saturate("reverse")
            found = run.finish([name])
        return self.widened(found, found.cheapest(), budget, models)

    def simplify(
        self,
        roots: Sequence[Term],
        budget: Budget | None = None,
        sizes: Mapping[Size, int] | None = None,
        *,
        exact: bool = False,
    ) -> Result:
        """Equal, cheaper terms; several share what they can. `exact` as for `differentiate`."""
        seconds = solver_seconds(budget) if exact else None
        models = [CostModel(sizes or {})]
        found = self._explored(roots, models, budget)
        result = found.cheapest(seconds)
        if result.terms == tuple(roots):
            return result
        return self.widened(found, result, budget, models, seconds)

    def widened(
        self,
        found: Explored,
        result: Result,
        budget: Budget | None,
        models: Sequence[Model],
        seconds: float | None = None,
    ) -> Result:
        """A result, simplified again as long as some of it may have become wider.

        What equals the wider terms may not equal the narrower ones, so they have an e-graph of
        their own.
        """
        for _ in range(WIDENINGS):
            if not found.is_wider:
                break
            found = self._explored(result.terms, models, budget)
            again = found.cheapest(seconds)
            report = result.report.joined(again.report)
            if again.terms == result.terms:
                return Result(result.terms, report)
            result = Result(again.terms, report)
        return result

    def explore(
        self,
        roots: Sequence[Term],
        models: Sequence[Model],
        budget: Budget | None = None,
        lowering: bool = False,
    ) -> Explored:
        """All terms found equal to some roots, among them those that are cheap by each model.

        `lowering` ends with the stage `stable`; what is wider is put in before.
        """
        found = self._explored(roots, models, budget, lowering=lowering)
        if lowering and found.is_wider:
            wider = self.simplify(roots, budget).terms
            if wider != tuple(roots):
                return self._explored(wider, models, budget, lowering=True)
        return found

    def _explored(
        self,
        roots: Sequence[Term],
        models: Sequence[Model],
        budget: Budget | None,
        *,
        lowering: bool = False,
    ) -> Explored:
        with self.session() as egraph:
            run = self._run(egraph, budget, models)
            egraph.load(*roots)
            egraph.assume(nonzero_sums(roots))
            names = [egraph.name(t) for t in roots]
            run.begin(names)
            return run.finish(names, lowering, roots)


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
