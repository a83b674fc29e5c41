"""Experiments: variants of the rules, a corpus of expressions, and what the ones do to the others.

A variant of the standard strategy lacks some rules, has others, or has only some rulesets.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, cast

from eggrad.engine.costs.cost import DEFAULT_SIZE, count, node_count
from eggrad.engine.errors import EggradError, RuleError
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.saturation.schedule import STAGES, Budget, Moment, Observer, Result, Strategy
from eggrad.engine.saturation.system import System
from eggrad.engine.terms.binding import symbols
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.interface.own_rules import near_names
from eggrad.frontend.printing.formats import format_formula
from eggrad.frontend.text.errors import suggestion
from eggrad.frontend.text.phrases import Problem
from eggrad.rules.standard import AT_SYMMETRIC, STANDARD, extended

# The stages that a variant may not do without: no derivative ends without them.
_NEEDED = ("differentiate", "settle")


@dataclass(frozen=True)
class Variant:
    """Two strategies, the second for terms of symmetric matrices after the last derivative."""

    name: str
    standard: Strategy
    at_symmetric: Strategy

    def without(self, *names: str) -> "Variant":
        """Leave out rules, or whole rulesets: `rule`, `ruleset.rule` or `ruleset`.

        >>> sorted(rule_names(BASE) - rule_names(BASE.without("delta_sift", "symmetric")))
        ['delta.delta_sift', 'symmetric.symmetric_variable']
        """
        known = {s.name: s for strategy in self._strategies for s in strategy.rulesets}
        laws = {r.name for s in known.values() for r in s.laws}
        if not names:
            return self
        qualified = rule_names(self)
        for name in names:
            if name not in known.keys() | laws | qualified:
                raise RuleError(
                    f"no rule and no ruleset that differentiates or simplifies is called {name!r}"
                    f"{near_names(name, known.values())}"
                )

        def rest(ruleset: Ruleset) -> Ruleset:
            law_names = [r.name for r in ruleset.laws]
            gone = [
                n
                for n in law_names
                if ruleset.name in names or n in names or f"{ruleset.name}.{n}" in names
            ]
            return ruleset.without(*gone) if gone else ruleset

        return self._with(f"without {', '.join(names)}", rest)

    def only(self, *names: str) -> "Variant":
        """Keep of simplification these rulesets alone; differentiation stays as it is."""
        known = {s.name for strategy in self._strategies for s in strategy.rulesets}
        for name in names:
            if name not in known:
                near = suggestion(name, known)
                raise RuleError(
                    f"there is no ruleset {name!r}{near}; the rulesets: {sorted(known)}"
                )

        def kept(strategy: Strategy) -> Strategy:
            stages = {
                s: tuple(r for r in strategy.of(s) if r.name in names)
                for s in STAGES
                if s not in _NEEDED
            }
            return replace(strategy, **stages)

        standard, at_symmetric = map(kept, self._strategies)
        return Variant(f"only {', '.join(names)}", standard, at_symmetric)

    def adding(self, name: str, rulesets: Sequence[Ruleset]) -> "Variant":
        """Add rulesets, each in the stage that it names."""
        more = [extended(s, rulesets) for s in self._strategies]
        return Variant(f"with {name}", *more)

    def systems(self, observer: Observer | None = None) -> Callable[[Strategy], System]:
        """What gives this variant's system in place of that of a standard strategy.

        Rules are loaded at the first use.
        """
        made = {
            STANDARD: System(self.standard, observer),
            AT_SYMMETRIC: System(self.at_symmetric, observer),
        }
        return made.__getitem__

    @property
    def _strategies(self) -> tuple[Strategy, Strategy]:
        return self.standard, self.at_symmetric

    def _with(self, name: str, change: Callable[[Ruleset], Ruleset]) -> "Variant":
        # The same ruleset is the same in both strategies.
        once = cache(change)
        standard, at_symmetric = (s.mapped(once) for s in self._strategies)
        return Variant(name, standard, at_symmetric)


def rule_names(variant: Variant) -> Set[str]:
    """Every rule of a variant, as `ruleset.rule`."""
    rulesets = dict.fromkeys((*variant.standard.rulesets, *variant.at_symmetric.rulesets))
    return {f"{s.name}.{r.name}": None for s in rulesets for r in s.laws}.keys()


def _derived(strategy: Strategy) -> Strategy:
    return replace(strategy, lowering=(), entries=(), stable=(), orders=(), reading=())


BASE = Variant("standard", *(_derived(s) for s in (STANDARD, AT_SYMMETRIC)))
"""The standard strategy, without the stages that only compiling and printing have."""


def laws(variants: Iterable[Variant]) -> dict[str, str]:
    """The sentence of every rule of some variants, by `ruleset.rule`.

    >>> laws([BASE])["delta.delta_sift"][:6]
    'Σⱼ δᵢⱼ'
    """
    strategies = [s for v in variants for s in (v.standard, v.at_symmetric)]
    rulesets = dict.fromkeys(r for s in strategies for r in s.rulesets)
    return {f"{s.name}.{r.name}": r.law for s in rulesets for r in s.laws}


# A corpus: expressions from one text, or from a file of them -------------------------------


# What the text of a case is called in JSON.
_KEYS = ("text", "input", "einsum_syntax")


@dataclass(frozen=True)
class Case:
    """A term to be differentiated by some variables, or to be simplified where there are none.

    `mode` is that of the differentiation: "auto", "forward" or "reverse".
    """

    name: str
    text: str
    term: Term
    wrt: tuple[Term, ...]
    declared: tuple[Term, ...]
    language: str = "einsum"
    mode: str = "auto"

    def written(self, term: Term) -> str:
        """A result as it is, in the case's language, without the declarations."""
        return format_formula(self.language, term, (*self.declared, *self.wrt))


def read_corpus(
    source: str, parse: Callable[[str], Problem], language: str = "einsum"
) -> list[Case]:
    """The cases of a file, if there is one of that name, or the only one that a text states.

    A file has one expression a line, lines that begin with # are remarks; or it is a JSON list
    of texts, or of objects with a text (called "text", "input" or "einsum_syntax") and an "id".
    Raises `EggradError` where there is none, or one cannot be read.

    >>> from eggrad.frontend.text.parser import parse
    >>> [c.name for c in read_corpus("declare x 0 expression sin(x) derivative wrt x", parse)]
    ['expression']
    """
    path = Path(source)
    if not is_file(path):
        return [_case("expression", source, parse, language)]
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EggradError(f"cannot read {source}: {error}") from error
    cases: list[Case] = []
    for name, line in _from_json(source, text) if path.suffix == ".json" else _lines(text):
        try:
            cases.append(_case(name, line, parse, language))
        except EggradError as error:
            raise EggradError(f"{source}, {name}: {error}") from error
    if not cases:
        raise EggradError(f"{source} has no expression")
    return cases


def in_modes(cases: Iterable[Case], modes: Sequence[str]) -> list[Case]:
    """The cases, those with a derivative in each of some modes, by names that say so.

    >>> from eggrad.frontend.text.parser import parse
    >>> cases = read_corpus("declare x 0 expression sin(x) derivative wrt x", parse)
    >>> [c.name for c in in_modes(cases, ["forward", "reverse"])]
    ['expression, forward', 'expression, reverse']
    """
    named = len(modes) > 1
    return [
        replace(c, name=f"{c.name}, {m}" if named and c.wrt else c.name, mode=m)
        for c in cases
        for m in (modes or [c.mode] if c.wrt else [c.mode])
    ]


def is_file(path: Path) -> bool:
    """Whether there is a file of that name; an expression may be too long for one."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        # No name of a file is as long as an expression may be.
        return False


def _case(name: str, text: str, parse: Callable[[str], Problem], language: str) -> Case:
    problem = parse(text)
    return Case(name, text, problem.term, problem.wrt or (), problem.declared, language)


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield f"line {number}", line


def _from_json(source: str, text: str) -> Sequence[tuple[str, str]]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise EggradError(f"{source} is no JSON: {error}") from error
    if not isinstance(found, list):
        raise EggradError(f"{source} is no list of expressions")
    entries = cast("list[Any]", found)
    return [_entry(source, place, e) for place, e in enumerate(entries, 1)]


def _entry(source: str, place: int, entry: Any) -> tuple[str, str]:
    known = cast("dict[str, Any]", entry if isinstance(entry, dict) else {"text": entry})
    text = next((known[k] for k in _KEYS if isinstance(known.get(k), str)), None)
    if text is None:
        raise EggradError(f"{source}, entry {place}: no text; it is expected as one of {_KEYS}")
    return str(known.get("id", f"entry {place}")), text


# What a variant does -----------------------------------------------------------------------


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

    E-classes, times and growth are known only if it is `watched`.

    >>> from eggrad.frontend.workbench.experiment import read_corpus
    >>> from eggrad.frontend.text.parser import parse
    >>> from eggrad.frontend.workbench.experiment import BASE
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
