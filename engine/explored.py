"""What exploration ends with: classes, from which the cheapest terms are taken."""

from dataclasses import dataclass

from eggrad.engine import exact
from eggrad.engine.report import Budget, Report, Result
from eggrad.engine.snapshot import Snapshot

__all__ = ["Explored", "solver_seconds"]


def solver_seconds(budget: Budget | None) -> float:
    """What the solver may take: a budget's seconds, once more after all that precedes it.

    Raises `UnsupportedOperation` where there is no solver.
    """
    exact.require_solver()
    return exact.SECONDS if budget is None or budget.seconds is None else budget.seconds


@dataclass(frozen=True)
class Explored:
    """Classes after exploration: `graph.extract(classes)` gives the cheapest terms of the roots.

    `graph.at(model).extract(classes)` gives those that are cheapest by another model.
    """

    graph: Snapshot
    classes: tuple[int, ...]
    report: Report

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
