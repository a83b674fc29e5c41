"""Ablation: what gets worse when a rule is left out.

A rule without a match in a case changes nothing there, so a case is derived again only without
the rules that fired in it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.workbench.corpus import Case
from eggrad.frontend.workbench.experiment import Outcome, Sizes, experiment
from eggrad.frontend.workbench.variant import BASE, rule_names

__all__ = ["Ablation", "Change", "Effect", "ablate"]


@dataclass(frozen=True)
class Change:
    """One case before and after."""

    before: Outcome
    after: Outcome

    @property
    def fails(self) -> bool:
        """Whether there is no answer any more."""
        return bool(self.after.failure) and not self.before.failure

    @property
    def cut_short(self) -> bool:
        """Whether a budget ends it now."""
        return self.before.complete and not self.after.complete

    @property
    def operations(self) -> int:
        """How many operations it takes more."""
        return 0 if self.fails else self.after.operations - self.before.operations

    @property
    def nodes(self) -> int:
        """How many nodes it has more."""
        return 0 if self.fails else self.after.nodes - self.before.nodes

    @property
    def worse(self) -> bool:
        """Whether there is no answer, or one with more operations or nodes, or cut short."""
        return self.fails or self.cut_short or self.operations > 0 or self.nodes > 0


@dataclass(frozen=True)
class Effect:
    """What leaving a rule out does to the cases in which it fires."""

    rule: str
    changes: tuple[Change, ...]

    @property
    def matters(self) -> bool:
        """Whether any case gets worse."""
        return any(c.worse for c in self.changes)

    @property
    def rewrites(self) -> bool:
        """Whether any result is written otherwise."""
        return any(c.before.text != c.after.text for c in self.changes)

    def cases(self, which: Callable[[Change], bool]) -> tuple[str, ...]:
        """The names of some cases."""
        return tuple(c.before.case for c in self.changes if which(c))

    @property
    def worst(self) -> float:
        """The largest factor by which the operations of a case grow."""
        grown = [c for c in self.changes if c.operations > 0]
        return max((c.after.operations / max(1, c.before.operations) for c in grown), default=1.0)

    @property
    def enodes(self) -> int:
        """How many e-nodes more its cases take, those that fail not counted."""
        return sum(c.after.enodes - c.before.enodes for c in self.changes if not c.fails)


@dataclass(frozen=True)
class Ablation:
    """What all rules do to a corpus; `silent` are those that fire nowhere in it."""

    cases: tuple[Case, ...]
    baseline: Mapping[str, Outcome]
    effects: tuple[Effect, ...]
    silent: tuple[str, ...]


def ablate(
    cases: Sequence[Case],
    sizes: Sizes,
    budget: Budget | None = None,
    *,
    without: Sequence[str] = (),
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> Ablation:
    """Leave out each rule of the standard strategy in turn; `jobs` processes share the work.

    The effects are in order: most cases without an answer first, then most that take more
    operations, then more nodes. The budget holds for each case. Names of cases are unique. The
    rules and rulesets of `without` are left out from the start.

    >>> from eggrad.frontend.workbench.corpus import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> cases = read_corpus("declare x 0 expression sin(x) derivative wrt x", parse)
    >>> found = ablate(cases, 100, without=("reverse", "products", "presentation", "linalg"))
    >>> [e.rule for e in found.effects if e.cases(lambda c: c.fails)]
    ['forward.d_function', 'forward.d_variable', 'slopes.slope_sin']
    """
    progress(f"{len(cases)} cases with all rules")
    base = BASE.without(*without)
    baseline = {o.case: o for o in experiment(cases, base, sizes, budget, watched=False)}
    names = sorted(rule_names(base))
    fired = Counter(r for o in baseline.values() for r in o.hits)
    wanted = {r: [c for c in cases if r in baseline[c.name].hits] for r in names if fired[r]}
    run = partial(_ablated, without=tuple(without), sizes=sizes, budget=budget)
    effects: list[Effect] = []
    for rule, found in _shared(run, wanted.items(), jobs):
        progress(f"{len(effects) + 1} of {len(wanted)}: without {rule}, {len(found)} cases")
        effects.append(Effect(rule, tuple(Change(baseline[o.case], o) for o in found)))
    effects.sort(key=_severity)
    return Ablation(tuple(cases), baseline, tuple(effects), tuple(r for r in names if not fired[r]))


def _severity(effect: Effect) -> tuple[object, ...]:
    counts = (
        len(effect.cases(which))
        for which in (
            lambda c: c.fails,
            lambda c: c.operations > 0,
            lambda c: c.nodes > 0,
            lambda c: c.cut_short,
        )
    )
    return (*(-n for n in counts), not effect.rewrites, effect.rule)


def _ablated(
    task: tuple[str, Sequence[Case]], without: tuple[str, ...], sizes: Sizes, budget: Budget | None
) -> tuple[str, list[Outcome]]:
    rule, cases = task
    variant = BASE.without(*without, rule)
    return rule, list(experiment(cases, variant, sizes, budget, watched=False))


def _shared(
    run: Callable[[tuple[str, Sequence[Case]]], tuple[str, list[Outcome]]],
    tasks: Iterable[tuple[str, Sequence[Case]]],
    jobs: int,
) -> Iterator[tuple[str, list[Outcome]]]:
    if jobs == 1:
        yield from map(run, tasks)
        return
    # A fork would copy egglog's threads in whatever state they are.
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(run, tasks)
