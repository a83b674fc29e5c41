"""What a run may use, and what it did."""

from collections import Counter
from dataclasses import dataclass, field

from eggrad.engine.errors import UnsupportedOperation
from eggrad.engine.terms.term import Term

__all__ = ["Budget", "Report", "Result", "Solved"]


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


@dataclass(frozen=True)
class Solved:
    """What exact extraction did: the cost it started from, the cost it found, and its time.

    `certain` is False if the solver had no time to prove that nothing is cheaper.
    """

    start: int
    cost: int
    seconds: float
    certain: bool


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
