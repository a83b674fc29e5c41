"""What rules are needed for: what gets worse without one, and a smallest set that does the same.

A rule without a match in a case changes nothing there, so a case is derived again only without
the rules that fired in it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

from eggrad.engine.equality.equivalence import smallest_part
from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.workbench.experiment import (
    BASE,
    Case,
    Outcome,
    Sizes,
    Variant,
    experiment,
    rule_names,
)
from eggrad.frontend.workbench.pages import aligned, grouped


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


def standard() -> Variant:
    """The standard strategy."""
    return BASE


def ablate(
    cases: Sequence[Case],
    sizes: Sizes,
    budget: Budget | None = None,
    *,
    without: Sequence[str] = (),
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _: None,
    variant: Callable[[], Variant] = standard,
) -> Ablation:
    """Leave out each rule of a variant in turn; `jobs` processes share the work, and each makes it.

    The effects are in order: most cases without an answer first, then most that take more
    operations, then more nodes. The budget holds for each case. Names of cases are unique. The
    rules and rulesets of `without` are left out from the start.

    >>> from eggrad.frontend.workbench.experiment import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> cases = read_corpus("declare x 0 expression sin(x) derivative wrt x", parse)
    >>> found = ablate(cases, 100, without=("reverse", "products", "presentation", "linalg"))
    >>> [e.rule for e in found.effects if e.cases(lambda c: c.fails)]
    ['forward.d_function', 'slopes.slope_sin']
    """
    progress(f"{len(cases)} cases with all rules")
    base = variant().without(*without)
    baseline = {o.case: o for o in experiment(cases, base, sizes, budget, watched=False)}
    names = sorted(rule_names(base))
    fired = Counter(r for o in baseline.values() for r in o.hits)
    wanted = {r: [c for c in cases if r in baseline[c.name].hits] for r in names if fired[r]}
    run = partial(_ablated, variant=variant, without=tuple(without), sizes=sizes, budget=budget)
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
    task: tuple[str, Sequence[Case]],
    variant: Callable[[], Variant],
    without: tuple[str, ...],
    sizes: Sizes,
    budget: Budget | None,
) -> tuple[str, list[Outcome]]:
    rule, cases = task
    rest = variant().without(*without, rule)
    return rule, list(experiment(cases, rest, sizes, budget, watched=False))


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


# Tables and JSON ---------------------------------------------------------------------------


_HEAD = (
    "without",
    "cases",
    "no answer",
    "more operations",
    "factor at worst",
    "more nodes",
    "cut short",
    "e-nodes",
    "other text",
)
_NAMED = 3


def _row(effect: Effect, name: str) -> tuple[str, ...]:
    counts = (
        len(effect.changes),
        len(effect.cases(lambda c: c.fails)),
        len(effect.cases(lambda c: c.operations > 0)),
        len(effect.cases(lambda c: c.nodes > 0)),
        len(effect.cases(lambda c: c.cut_short)),
        len(effect.cases(lambda c: not c.fails and c.before.text != c.after.text)),
    )
    cases, fails, dearer, longer, cut, other = (grouped(n) if n else "" for n in counts)
    worst = f"{effect.worst:,.2f}" if dearer else ""
    enodes = f"{effect.enodes:+,}" if effect.enodes else ""
    return name, cases, fails, dearer, worst, longer, cut, enodes, other


def _groups(found: Ablation) -> tuple[list[Effect], list[str], list[str]]:
    """The rules that matter, that only change how a result is written, and that do nothing."""
    rest = [e for e in found.effects if not e.matters]
    return (
        [e for e in found.effects if e.matters],
        [e.rule for e in rest if e.rewrites],
        [e.rule for e in rest if not e.rewrites],
    )


def _lists(found: Ablation) -> list[tuple[str, Sequence[str]]]:
    _, written, nothing = _groups(found)
    return [
        ("Without these, results are written otherwise, but none is worse", written),
        ("These fire and never matter: without any one of them all results are the same", nothing),
        ("These fire in no case", found.silent),
    ]


def as_text(found: Ablation) -> str:
    """A row for each rule that matters, then the names of the others."""
    rows = [_row(e, e.rule) for e in _groups(found)[0]]
    parts = [aligned(_HEAD, rows)]
    for title, rules in _lists(found):
        parts.append(f"{title} ({len(rules)}):\n" + "\n".join(f"  {r}" for r in rules))
    return "\n\n".join(parts)


def as_markdown(found: Ablation) -> str:
    """The same for a document; the worst cases are named."""
    lines = [
        f"| {' | '.join(_HEAD)} | worst in |",
        "|---|" + "---:|" * (len(_HEAD) - 1) + "---|",
    ]
    for effect in _groups(found)[0]:
        row = (*_row(effect, f"`{effect.rule}`"), ", ".join(_worst(effect)))
        lines.append(f"| {' | '.join(row)} |")
    for title, rules in _lists(found):
        lines += ["", f"{title} ({len(rules)}): {', '.join(f'`{r}`' for r in rules)}."]
    return "\n".join(lines)


def _worst(effect: Effect) -> list[str]:
    """The names of a few cases: without an answer, then those that grow most."""
    worse = sorted((c for c in effect.changes if c.worse), key=_badness)
    more = len(worse) - _NAMED
    return [c.before.case for c in worse[:_NAMED]] + ([f"{more} more"] if more > 0 else [])


def _badness(change: Change) -> tuple[object, ...]:
    factor = change.after.operations / max(1, change.before.operations)
    return (not change.fails, -factor, -change.nodes, change.before.case)


def as_json(found: Ablation) -> dict[str, Any]:
    """Everything, for other programs: numbers are what a case takes more."""
    return {
        "cases": [c.name for c in found.cases],
        "rules": {
            e.rule: {
                "matters": e.matters,
                "rewrites": e.rewrites,
                "cases": {c.before.case: _change(c) for c in e.changes},
            }
            for e in found.effects
        },
        "silent": list(found.silent),
    }


def _change(change: Change) -> dict[str, Any]:
    if change.fails:
        return {"failure": change.after.failure}
    return {
        "operations": change.operations,
        "nodes": change.nodes,
        "enodes": change.after.enodes - change.before.enodes,
        "cut_short": change.cut_short,
        "text": change.after.text,
    }


# A set of rules with the same results, of which none can be left out -----------------------

# Delta debugging (Zeller and Hildebrandt 2002): halves of the rules are left out where that changes
# no result, then quarters, and so on to single rules, until none of them can go. A case is derived
# again only where a rule that fired in it is left out.


@dataclass(frozen=True)
class Minimum:
    """The rules that are left of those that fired, and how many sets were tried."""

    rules: tuple[str, ...]
    fired: int
    tries: int


def minimize(
    cases: Sequence[Case],
    sizes: Sizes,
    budget: Budget | None = None,
    *,
    without: Sequence[str] = (),
    same_text: bool = False,
    progress: Callable[[str], None] = lambda _: None,
    variant: Callable[[], Variant] = standard,
) -> Minimum:
    """A smallest set of rules: without any one of them some result is worse than with all rules.

    Worse is a result that takes more operations or nodes, that a budget cuts short, or that is
    not there; with `same_text` any that is written otherwise. The budget holds for each case.
    The rules and rulesets of `without` are left out from the start.

    >>> from eggrad.frontend.workbench.experiment import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> minimize(read_corpus("declare x 0 expression x + 0", parse), 100).rules
    ('multiples.add_zero',)
    """
    search = _Search(cases, sizes, budget, variant().without(*without), same_text)
    fired = search.fired()
    progress(f"{len(fired)} rules fire in {len(cases)} cases")

    def suffices(rest: Sequence[str]) -> bool:
        enough = search.suffices(rest)
        progress(f"{len(rest)} rules {'do' if enough else 'do not'}")
        return enough

    rules = smallest_part(fired, suffices)
    return Minimum(tuple(rules), len(fired), search.tries)


class _Search:
    """The rules that are still needed, and the outcomes with them."""

    def __init__(
        self,
        cases: Sequence[Case],
        sizes: Sizes,
        budget: Budget | None,
        base: Variant,
        same_text: bool,
    ) -> None:
        self.base = base
        self.sizes = sizes
        self.budget = budget
        self.same_text = same_text
        self.tries = 0
        found = experiment(cases, base, sizes, budget, watched=False)
        self.wanted = dict(zip(cases, found, strict=True))
        self.current = self.wanted.copy()

    def fired(self) -> list[str]:
        """The rules that fire with the last set that was enough; the others change nothing."""
        return sorted({rule for outcome in self.current.values() for rule in outcome.hits})

    def suffices(self, rules: Sequence[str]) -> bool:
        """Whether no case is worse with these rules alone, some of those tried with success."""
        dropped = set(self.fired()).difference(rules)
        touched = [c for c, o in self.current.items() if not o.hits.keys().isdisjoint(dropped)]
        if not touched:
            return True
        self.tries += 1
        variant = self.base.without(*(rule_names(self.base) - set(rules)))
        found: dict[Case, Outcome] = {}
        outcomes = experiment(touched, variant, self.sizes, self.budget, watched=False)
        for case, outcome in zip(touched, outcomes, strict=True):
            if self._is_worse(Change(self.wanted[case], outcome)):
                # What failed now is likely to fail again: it comes first from now on.
                self.current = {case: self.current[case]} | self.current
                return False
            found[case] = outcome
        self.current |= found
        return True

    def _is_worse(self, change: Change) -> bool:
        if change.worse:
            return True
        return self.same_text and change.before.text != change.after.text
