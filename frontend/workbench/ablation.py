"""What rules are needed for: what gets worse without some, and a smallest set that does the same.

A rule without a match in a case changes nothing there, so a case is derived again only without
the rules that fired in it. Left out are single rules, whole rulesets, or pairs of rules.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from time import perf_counter
from typing import Any, Final, Literal

from eggrad.engine.equality.equivalence import smallest_part
from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.printing.display import markup
from eggrad.frontend.workbench.experiment import (
    BASE,
    Case,
    Outcome,
    Sizes,
    Variant,
    experiment,
    rule_names,
)
from eggrad.frontend.workbench.pages import aligned, bar_plot, grouped, table


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
    """What leaving a rule out does to the cases in which it fires.

    It is a rule, or the name of a ruleset, or two rules with "&" between them; of two rules what
    is `before` is what the one that is missed more does by itself.
    """

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
    """What all rules do to a corpus; `silent` are those that fire nowhere in it.

    `by` says what is left out in turn, `left_out` in sentences what was not tried.
    """

    cases: tuple[Case, ...]
    baseline: Mapping[str, Outcome]
    effects: tuple[Effect, ...]
    silent: tuple[str, ...]
    by: str = "rule"
    left_out: tuple[str, ...] = ()

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of the derivatives among the cases, if there are several."""
        found = dict.fromkeys(c.mode for c in self.cases if c.wrt)
        return tuple(found) if len(found) > 1 else ()


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
    by: Literal["rule", "ruleset"] = "rule",
) -> Ablation:
    """Leave out each rule or ruleset of a variant in turn.

    `jobs` processes share the work, and each makes the variant.

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
    units = {n: n if by == "rule" else n.partition(".")[0] for n in names}
    fires = {o.case: {units[r] for r in o.hits} for o in baseline.values()}
    every = dict.fromkeys(units.values())
    wanted = {u: [c for c in cases if u in fires[c.name]] for u in every}
    tasks = [((u,), found) for u, found in wanted.items() if found]
    run = partial(_ablated, variant=variant, without=tuple(without), sizes=sizes, budget=budget)
    effects: list[Effect] = []
    for (unit,), found in _shared(run, tasks, jobs):
        progress(f"{len(effects) + 1} of {len(tasks)}: without {unit}, {len(found)} cases")
        effects.append(Effect(unit, tuple(Change(baseline[o.case], o) for o in found)))
    effects.sort(key=_severity)
    silent = tuple(u for u in every if not wanted[u])
    return Ablation(tuple(cases), baseline, tuple(effects), silent, by)


# Two rules at once, where that may do more than either alone -------------------------------


PAIRS: Final = 100
PAIR_SECONDS: Final = 600.0


@dataclass(frozen=True)
class Pair:
    """Two rules, the cases in which both matter to each other, and how many matches move."""

    rules: tuple[str, str]
    cases: tuple[Case, ...]
    moved: int


def relevant_pairs(found: Ablation) -> list[Pair]:
    """The pairs of which the results are not known from the rules that were left out one by one.

    Without one rule the other has to fire, in one case and both ways round: otherwise without both
    the result is the one without the first. Pairs come first of which one rule does what the other
    one did: whose matches become more when the other is left out.
    """
    alone = {e.rule: {c.after.case: c.after for c in e.changes} for e in found.effects}
    cases: dict[tuple[str, str], dict[Case, int]] = {}
    for case in found.cases:
        baseline = found.baseline[case.name]
        tried = {r: o for r, after in alone.items() if (o := after.get(case.name))}
        for a, outcome in tried.items():
            for b in outcome.hits:
                other = tried.get(b, baseline)
                if other.hits[a] and not other.failure:
                    more = (outcome.hits[b] - baseline.hits[b], other.hits[a] - baseline.hits[a])
                    first, second = sorted((a, b))
                    cases.setdefault((first, second), {})[case] = sum(max(0, m) for m in more)
    pairs = [Pair(rules, tuple(where), sum(where.values())) for rules, where in cases.items()]
    return sorted(pairs, key=lambda p: (-p.moved, p.rules))


def ablate_pairs(
    found: Ablation,
    sizes: Sizes,
    budget: Budget | None = None,
    *,
    without: Sequence[str] = (),
    jobs: int = 1,
    progress: Callable[[str], None] = lambda _: None,
    variant: Callable[[], Variant] = standard,
    most: int = PAIRS,
    seconds: float = PAIR_SECONDS,
) -> Ablation:
    """Leave out pairs of rules, after an ablation `found` of single ones with the same arguments.

    Tried are the first `most` of `relevant_pairs`; after some `seconds` no further one is begun.
    What is left out is said. A pair is worse where it is worse than either of its rules alone.

    >>> from eggrad.frontend.workbench.experiment import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> cases = read_corpus("declare x 1 expression x + x + x", parse)
    >>> fewer = ("presentation", "products", "linalg")
    >>> found = ablate_pairs(ablate(cases, 9, without=fewer), 9, without=fewer, most=1)
    >>> len(found.effects), found.left_out[0]
    (1, '... pairs need no trial: one of the two never fires where the other is left out...')
    """
    pairs = relevant_pairs(found)
    alone = {(e.rule, c.after.case): c.after for e in found.effects for c in e.changes}
    run = partial(_ablated, variant=variant, without=tuple(without), sizes=sizes, budget=budget)
    tasks = [(p.rules, p.cases) for p in pairs[:most]]
    began = perf_counter()
    effects: list[Effect] = []
    for rules, outcomes in _shared(run, tasks, jobs):
        name = " & ".join(rules)
        progress(f"{len(effects) + 1} of {len(tasks)}: without {name}, {len(outcomes)} cases")
        changes = [
            Change(
                max((alone.get((r, o.case), found.baseline[o.case]) for r in rules), key=_expense),
                o,
            )
            for o in outcomes
        ]
        effects.append(Effect(name, tuple(changes)))
        if perf_counter() - began > seconds:
            break
    effects.sort(key=_severity)
    fired = len({e.rule for e in found.effects}.union(*(p.rules for p in pairs)))
    said = [
        f"{fired * (fired - 1) // 2 - len(pairs)} pairs need no trial: one of the two never fires "
        "where the other is left out, or there is no answer without one of them",
        f"{len(pairs) - most} pairs are beyond the limit of {most}; in the first of them "
        f"{pairs[most].moved} matches move from one rule to the other"
        if len(pairs) > most
        else "",
        f"{len(tasks) - len(effects)} pairs were not begun within {seconds:g} seconds"
        if len(effects) < len(tasks)
        else "",
    ]
    return Ablation(
        found.cases, found.baseline, tuple(effects), (), "pair", tuple(s for s in said if s)
    )


def _expense(outcome: Outcome) -> tuple[bool, int, int]:
    return not outcome.complete, outcome.operations, outcome.nodes


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
    task: tuple[tuple[str, ...], Sequence[Case]],
    variant: Callable[[], Variant],
    without: tuple[str, ...],
    sizes: Sizes,
    budget: Budget | None,
) -> tuple[tuple[str, ...], list[Outcome]]:
    rules, cases = task
    rest = variant().without(*without, *rules)
    return rules, list(experiment(cases, rest, sizes, budget, watched=False))


def _shared(
    run: Callable[[tuple[tuple[str, ...], Sequence[Case]]], tuple[tuple[str, ...], list[Outcome]]],
    tasks: Iterable[tuple[tuple[str, ...], Sequence[Case]]],
    jobs: int,
) -> Iterator[tuple[tuple[str, ...], list[Outcome]]]:
    if jobs == 1:
        yield from map(run, tasks)
        return
    # A fork would copy egglog's threads in whatever state they are.
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        try:
            yield from pool.map(run, tasks)
        finally:
            pool.shutdown(cancel_futures=True)


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
    if found.by == "pair":
        return [
            ("Without both, results are written otherwise, but none is worse", written),
            ("Without both, results are as without one of the two", nothing),
            ("Not tried", found.left_out),
        ]
    return [
        ("Without these, results are written otherwise, but none is worse", written),
        ("These fire and never matter: without any one of them all results are the same", nothing),
        ("These fire in no case", found.silent),
    ]


def mode_table(found: Ablation) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """For each rule that matters, how many cases are worse in each mode; the head comes first."""
    modes = {c.name: c.mode for c in found.cases if c.wrt}
    rows: list[tuple[str, ...]] = []
    for effect in _groups(found)[0]:
        worse = Counter(modes.get(c, "") for c in effect.cases(lambda c: c.worse))
        tried = Counter(modes.get(c.before.case, "") for c in effect.changes)
        rows.append((effect.rule, *(f"{worse[m]} of {tried[m]}" for m in found.modes)))
    return ("without", *(f"worse, {m}" for m in found.modes)), rows


def as_text(found: Ablation) -> str:
    """A row for each rule that matters, then the names of the others."""
    rows = [_row(e, e.rule) for e in _groups(found)[0]]
    parts = [aligned(_HEAD, rows)]
    if found.modes:
        parts.append(aligned(*mode_table(found)))
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
    if found.modes:
        head, rows = mode_table(found)
        lines += ["", f"| {' | '.join(head)} |", "|---|" + "---:|" * len(found.modes)]
        lines += [f"| `{row[0]}` | {' | '.join(row[1:])} |" for row in rows]
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
        "by": found.by,
        "cases": [c.name for c in found.cases],
        "modes": {c.name: c.mode for c in found.cases if c.wrt},
        "left_out": list(found.left_out),
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


_SHOWN_BARS: Final = 30


def as_html(found: Ablation, title: str) -> str:
    """A section of a page: a plot, tables, and lists that unfold."""
    matter = _groups(found)[0]
    head = f"<h2>{markup(title)}</h2>"
    what = "pair of rules" if found.by == "pair" else found.by
    told = "either of its rules alone" if found.by == "pair" else "with all rules"
    tried = f"{len(found.effects)} tried, {len(matter)} matter."
    note = f"Cases that are worse without a {what} than {told}. {tried}"
    parts = [head, f'<p class="note">{note}</p>']
    modes = {c.name: c.mode for c in found.cases if c.wrt and found.modes}
    names = found.modes or ("worse",)
    bars: list[tuple[str, str, list[float]]] = []
    for effect in matter[:_SHOWN_BARS]:
        worse = Counter(modes.get(c, "worse") for c in effect.cases(lambda c: c.worse))
        bars.append((effect.rule, ", ".join(_worst(effect)), [worse[n] for n in names]))
    if bars:
        parts.append(bar_plot(bars, names))
        parts.append(table(_HEAD, [_row(e, e.rule) for e in matter]))
    if found.modes and matter:
        parts += ["<h3>By mode</h3>", table(*mode_table(found))]
    for name, rules in _lists(found):
        items = "".join(f"<li>{markup(r)}</li>" for r in rules)
        summary = f"{markup(name)} ({len(rules)})"
        parts.append(f"<details><summary>{summary}</summary><ul>{items}</ul></details>")
    return "\n".join(parts)


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
