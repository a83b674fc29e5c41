"""What exploration ends with: classes, from which the cheapest terms are taken."""

from collections.abc import Sequence
from dataclasses import dataclass

from eggrad.engine.egraph.egraph import EGraph
from eggrad.engine.egraph.report import Budget, Report, Result
from eggrad.engine.extraction import exact
from eggrad.engine.extraction.snapshot import ENode, Snapshot
from eggrad.engine.terms.term import Term, postorder, rebuild

__all__ = ["Explored", "given_members", "solver_seconds"]


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
