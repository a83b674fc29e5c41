"""Experiments: what a variant of the rules does to every case of a corpus."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from eggrad.engine.costs.cost import DEFAULT_SIZE, count, node_count
from eggrad.engine.errors import EggradError
from eggrad.engine.saturation.schedule import Budget, Moment, Result, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.workbench.corpus import Case
from eggrad.frontend.workbench.variant import Variant, rule_names

__all__ = ["Outcome", "Point", "Sizes", "derive", "experiment"]

Sizes = Mapping[str, int] | int


@dataclass(frozen=True)
class Point:
    """How large an e-graph is after an iteration of a stage."""

    stage: str
    enodes: int
    classes: int


@dataclass(frozen=True)
class Outcome:
    """What became of one case: its result, or why there is none, and what it took.

    `enodes` and `classes` are those of the largest of its e-graphs at their ends, a derivative
    of higher order has several; `growth` follows one after the other. `hits` counts matches by
    `ruleset.rule`, for bulk rules what was new; `times` are seconds.
    """

    case: str
    text: str = ""
    failure: str = ""
    nodes: int = 0
    operations: int = 0
    enodes: int = 0
    classes: int = 0
    iterations: int = 0
    seconds: float = 0.0
    complete: bool = True
    hits: Counter[str] = field(default_factory=Counter[str])
    times: Counter[str] = field(default_factory=Counter[str])
    growth: tuple[Point, ...] = ()


def derive(case: Case, systems: Callable[[Strategy], System], budget: Budget | None) -> Result:
    """The derivative of a case, or where it has no variables its simplest form."""
    if case.wrt:
        return calculus.thinned_derivative(case.term, case.wrt, case.mode, budget, systems=systems)
    return calculus.thinned(case.term, budget, systems=systems)


def experiment(
    cases: Iterable[Case],
    variant: Variant,
    sizes: Sizes,
    budget: Budget | None = None,
    *,
    watched: bool = True,
) -> Iterator[Outcome]:
    """What a variant does to each case; operations are counted at the sizes, 100 for others.

    Classes, times and growth are known only if it is `watched`.

    >>> from eggrad.frontend.workbench.corpus import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> from eggrad.frontend.workbench.variant import BASE
    >>> cases = read_corpus("declare x 0 expression sin(x) derivative wrt x", parse)
    >>> [outcome.text for outcome in experiment(cases, BASE, 100)]
    ['cos(x)']
    """
    moments: list[Moment] = []
    systems = variant.systems(moments.append if watched else None)
    known = rule_names(variant)
    for case in cases:
        moments.clear()
        began = perf_counter()
        try:
            found = derive(case, systems, budget)
        except EggradError as error:
            yield Outcome(case.name, failure=f"{type(error).__name__}: {error}")
            continue
        seconds = perf_counter() - began
        times = Counter[str]()
        for moment in moments:
            times.update({r: s for r, s in moment.times.items() if r in known})
        yield Outcome(
            case.name,
            case.written(found.term),
            "",
            node_count([found.term]),
            _operations(found.term, sizes),
            found.report.enodes,
            max((m.classes for m in _ends(moments)), default=0),
            found.report.iterations,
            seconds,
            found.complete,
            Counter({r: n for r, n in found.report.matches.items() if r in known}),
            times,
            tuple(Point(m.phase, m.enodes, m.classes) for m in moments),
        )


def _ends(moments: Sequence[Moment]) -> Iterator[Moment]:
    """The last moment of every e-graph."""
    starts = (k for k, m in enumerate(moments) if m.stage == "load" and k)
    yield from (moments[k - 1] for k in starts)
    yield from moments[-1:]


def _operations(term: Term, sizes: Sizes) -> int:
    if not isinstance(sizes, int):
        sizes = dict.fromkeys(symbols(term), DEFAULT_SIZE) | dict(sizes)
    return count([term], sizes)
