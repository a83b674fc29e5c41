"""Rules of users: read from Python files, checked, and added to the standard strategy.

Of a rule one can find out whether it is true, fires, follows from others and comes to an end.
"""

import re
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property, lru_cache
from math import isnan
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from numpy import isfinite

from eggrad.engine.errors import (
    MISTAKES,
    EggradError,
    RuleError,
    UnsoundRules,
    UnsupportedOperation,
)
from eggrad.engine.indices.spec import Dims, Spec, format_spec
from eggrad.engine.indices.texts import shown
from eggrad.engine.laws.language import DIFFERENTIATED, Variable, Wrt
from eggrad.engine.laws.matching import SYMBOLS, Closing
from eggrad.engine.laws.rule import BulkRule, Fact, LoopRule, Rule, Ruleset
from eggrad.engine.laws.statements import nodes_of, parameters_of
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.assumptions import are_thin
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.engine.workbench.bulk_soundness import RandomClasses, check_bulk_soundness
from eggrad.engine.workbench.firing import check_firing, telling_instances
from eggrad.engine.workbench.instances import IllTyped
from eggrad.engine.workbench.shrinking import shrink
from eggrad.engine.workbench.soundness import (
    Comparison,
    Soundness,
    check_agreement,
    check_soundness,
)
from eggrad.engine.workbench.termination import Goal, Growth, check_growth, derive, goals_of
from eggrad.frontend.interface.domain import away_from_jumps, domain_of
from eggrad.frontend.text.printer import format_term
from eggrad.frontend.text.words import format_axes
from eggrad.rules.prerequisites import BEFORE_BULK_RULES, prerequisites_of
from eggrad.rules.rejected import rejected
from eggrad.rules.standard import (
    EQUIVALENCE,
    EQUIVALENCE_OF_DECLARED,
    RULESETS,
    STANDARD,
    extended,
    system,
)


@dataclass(frozen=True)
class Findings:
    """What is known of a rule. What was not looked at is None.

    `follows_from` names the other rules from which it follows, and is None where it does not;
    `alone` and `together` say how the e-graph grows under it, and under its ruleset. A law that
    cannot be checked has a `mistake`, in words.
    """

    rule: Rule | BulkRule
    soundness: Soundness
    fires: bool
    follows_from: list[str] | None = None
    alone: Growth | None = None
    together: Growth | None = None
    mistake: str = ""


# Normal forms prove much at once; where the other rules do it alone, they say more.
LAST = ("normal_forms",)


class Checker:
    """Checks rules beside the standard ones and some `rulesets` of users."""

    def __init__(
        self, rulesets: Sequence[Ruleset] = (), instances: int = 1000, seed: int = 0
    ) -> None:
        """Nothing is checked yet."""
        self.rulesets = rulesets
        self.instances = instances
        self.seed = seed
        self._known: dict[Rule | BulkRule, Soundness | RuleError] = {}

    @cached_property
    def _classes(self) -> RandomClasses:
        return RandomClasses(BEFORE_BULK_RULES)

    @cached_property
    def _true(self) -> list[Ruleset]:
        """The rulesets of users, without the rules that are false."""
        return [self._sound_part(s) for s in self.rulesets]

    def _derived_from(self, rule: Rule, name: str) -> list[str] | None:
        """The rules that a rule follows from, by the rules that `eggrad.equivalent` uses."""
        goals = goals_of(rule, seed=self.seed)
        compared = [(g, g.right) for g in goals if g.right is not None]
        if not compared:
            return derive(goals, extended(STANDARD, self._true), name)
        declared = any(are_thin(p for p, _ in g.assumed) for g in goals)
        strategy = extended(EQUIVALENCE_OF_DECLARED if declared else EQUIVALENCE, self._true)
        known: list[Goal] = []
        for goal, right in compared:
            assumed = (*goal.assumed, *domain_of(goal.left, right, strategy))
            jumps = away_from_jumps(goal.left, right, strategy, assumed)
            known.append(replace(goal, assumed=(*assumed, *jumps)))
        return derive(known, strategy, name, LAST)

    def _sound_part(self, ruleset: Ruleset) -> Ruleset:
        if ruleset not in self.rulesets:
            return ruleset
        return ruleset.without(*(r.name for r in ruleset.laws if not self._is_sound(r)))

    def _is_sound(self, rule: Rule | BulkRule) -> bool:
        try:
            return self.soundness(rule).counterexample is None
        except RuleError:
            return False

    def soundness(self, rule: Rule | BulkRule) -> Soundness:
        """Whether a rule is true on random instances; the counterexample is a small one.

        `RuleError` names a law that cannot be checked, its place and what is wrong.
        """
        found = self._known.get(rule)
        if found is None:
            try:
                found = self._soundness(rule)
            except EggradError as error:
                found = _mistake(rule, error)
            self._known[rule] = found
        if isinstance(found, RuleError):
            raise found
        return found

    def _soundness(self, rule: Rule | BulkRule) -> Soundness:
        if isinstance(rule, BulkRule):
            return check_bulk_soundness(rule, self._classes, self.instances)
        found = check_soundness(rule, self.instances, self.seed)
        if found.counterexample is None:
            return replace(found, counterexample=check_agreement(rule, _derived, seed=self.seed))
        smallest = shrink(rule, self.seed) or found.counterexample
        return Soundness(found.compared, found.with_size_one, smallest)

    def findings_of_truth(self, rule: Rule | BulkRule) -> Soundness | str:
        """Whether a rule is true on random instances; a text, where it cannot be checked."""
        try:
            return self.soundness(rule)
        except RuleError as error:
            return str(error)

    def findings(self, rule: Rule | BulkRule, ruleset: Ruleset) -> Findings:
        """All that can be said of a rule; of a false one only that it is."""
        try:
            return self._findings(rule, ruleset)
        except EggradError as error:
            mistake = error if isinstance(error, RuleError) else _mistake(rule, error)
            return Findings(rule, Soundness(0, 0), fires=False, mistake=str(mistake))

    def _findings(self, rule: Rule | BulkRule, ruleset: Ruleset) -> Findings:
        soundness = self.soundness(rule)
        if isinstance(rule, BulkRule) or soundness.counterexample is not None:
            return Findings(rule, soundness, fires=soundness.compared > 0)
        tried = telling_instances(rule, 3, self.seed)
        if not tried:
            return Findings(rule, soundness, fires=False)
        prerequisites = prerequisites_of(rule)
        fires = all(
            check_firing(rule, prerequisites, self.seed, back).fires
            for back in (False, True)[: 1 + rule.statement.both]
        )
        alone = Ruleset("alone", "one rule and those that it needs", "")
        alone.rules = list(dict.fromkeys([rule, *prerequisites]))
        settle = STANDARD.settle
        name = f"{ruleset.name}.{rule.name}"
        return Findings(
            rule,
            soundness,
            fires,
            self._derived_from(rule, name) if fires else None,
            check_growth(alone, tried, settle),
            check_growth(self._sound_part(ruleset), tried, settle),
        )


@lru_cache(maxsize=256)
def _derived(a: Term, x: Term) -> Term:
    """A derivative as the standard rules have it."""
    identity = terms.delta(x.dims) if x.dims else terms.constant(1)
    return system(STANDARD).pushed([a], {x: identity}, x.dims)[0]


def _mistake(rule: Rule | BulkRule, error: EggradError) -> RuleError:
    """That a law cannot be checked: its name, its place and why."""
    place = f" ({rule.place})" if isinstance(rule, Rule) and rule.place else ""
    found = RuleError(f"rule {rule.name!r}{place}: {error}")
    found.__cause__ = error
    return found


# Findings as text for people, and as plain values for JSON ---------------------------------


def format_counterexample(found: Comparison | IllTyped, rule: Rule | BulkRule) -> str:
    """What the parameters are, both sides as text, and their values.

    >>> from eggrad.frontend.interface.own_rules import Checker
    >>> from eggrad.rules.rejected import REJECTED
    >>> law = REJECTED[0].rule
    >>> print(format_counterexample(Checker().soundness(law).counterexample, law))
      where  a = -1
      left   (a ^ 2) ^ 0.5
             = 1
      right  a
             = -1
    """
    known = list(_where(found, rule))
    lines = [f"  {'' if k else 'where':5}  {text}" for k, text in enumerate(known)]
    if isinstance(found, IllTyped):
        left = f"  left   {_side(found.left, found.closing)}"
        return "\n".join([*lines, left, f"  right  has no axes: {found}"])
    named = (("left", found.left), ("right", found.right))
    for (name, value), side in zip(named, found.sides, strict=True):
        lines += [f"  {name:5}  {_side(side, found.closing)}", f"         = {_numbers(value)}"]
    if found.flaw == "axes":
        lines.append(f"  the left side has shape {found.left.shape}, the right {found.right.shape}")
    if found.flaw == "undefined" and not isfinite(found.left).all():
        lines.append(
            "  the right side is defined at more values: say widens=True, or exceptions=... where "
            "those have no interior"
        )
    return "\n".join(lines)


def _where(found: Comparison | IllTyped, rule: Rule | BulkRule) -> Iterator[str]:
    """What the parameters are bound to, and the values of the variables."""
    kinds: dict[str, object] = {}
    if isinstance(rule, Rule):
        kinds = {p.name: p.kind for p in parameters_of(rule.statement.left)}
    for name, value in found.closing.bound.items():
        if isinstance(found, IllTyped) and isinstance(value, Term):
            yield f"{name} has axes {format_axes(value.dims)}"
        elif text := _binding(name, value, kinds.get(name)):
            yield f"{name} = {text}"
    if isinstance(found, IllTyped):
        return
    for name, value in sorted(found.values.items()):
        yield f"{name} = {_numbers(value)}"
    if any(d in SYMBOLS for side in found.sides for d in side.dims):
        yield from (f"{symbol} = {size}" for symbol, size in SYMBOLS.items())


def _binding(name: str, value: object, kind: object) -> str:
    """What a parameter is bound to; nothing for a variable of that name."""
    if isinstance(value, Term):
        same_name = value.op == "variable" and value.name == name
        return "" if same_name else format_term(value)
    if kind == Spec:
        return format_spec(cast(Spec, value))
    if kind == Dims:
        return format_axes(cast(Dims, value))
    if kind in (Wrt, Variable):
        variable, dims, *_ = cast(tuple[str, Dims], value)
        return f"the variable {variable} with axes {format_axes(dims)}"
    return str(value)


def _side(side: Term, closing: Closing) -> str:
    """A side as text, with what stands for no term written as its rule writes it."""
    try:
        text = format_term(side)
    except UnsupportedOperation:
        return f"(a term with {side.op}, which no text has)"

    def meaning(match: re.Match[str]) -> str:
        hole = closing.holes[match.group()]
        args = [_side(a, closing) if isinstance(a, Term) else str(a) for a in hole.args]
        name = "D" if hole.constructor == "derivative" else hole.constructor
        return f"{name}({', '.join(args)})"

    return re.sub(r"\bhole\d+\b", meaning, text)


def _numbers(array: Array) -> str:
    """Numbers in brackets by axis, as Python writes them, with six digits at most."""
    if array.ndim:
        return f"[{', '.join(_numbers(row) for row in array)}]"
    number = float(array)
    return "undefined" if isnan(number) else f"{number:.6g}"


def format_findings(found: Findings) -> str:
    """What was found out about a rule."""
    rule, soundness = found.rule, found.soundness
    lines = [f"{rule.name}: {rule.law}"]
    if found.mistake:
        return "\n".join([*lines, f"  CANNOT BE CHECKED: {found.mistake}"])
    if soundness.counterexample is not None:
        lines.append(f"  FALSE, by instance {soundness.compared}; the smallest found:")
        return "\n".join([*lines, format_counterexample(soundness.counterexample, rule)])
    if not soundness.compared:
        return "\n".join([*lines, "  no instance of its left side was found"])
    lines.append(f"  true on {soundness.compared} instances")
    lines.append("  fires" if found.fires else "  DOES NOT FIRE on its own left side")
    lines += [f"  {text}" for text in _further(found)]
    return "\n".join(lines)


def _further(found: Findings) -> Iterator[str]:
    if found.follows_from is not None:
        yield f"follows from {', '.join(found.follows_from) or 'nothing but the terms themselves'}"
    elif isinstance(found.rule, Rule) and found.fires:
        yield "does not follow from the others, as far as the budget reaches"
    for growth, what in ((found.alone, "alone"), (found.together, "with its ruleset")):
        if growth is not None:
            yield f"{what}: {_growth(growth)}"


def _growth(growth: Growth) -> str:
    shown = ", ".join(map(str, growth.sizes[-4:]))
    iterations = len(growth.sizes) - 1
    if growth.ended:
        return f"ends after {iterations} iterations, {growth.sizes[-1]} e-nodes"
    return f"STILL GROWS after {iterations} iterations: {shown} e-nodes"


def plain_findings(found: Findings) -> dict[str, Any]:
    """The same for JSON."""
    rule, example = found.rule, found.soundness.counterexample
    return {
        "name": rule.name,
        "ruleset": rule.ruleset,
        "mistake": found.mistake,
        "instances": found.soundness.compared,
        "sound": example is None and not found.mistake,
        "counterexample": None if example is None else format_counterexample(example, rule),
        "fires": found.fires,
        "follows_from": found.follows_from,
        "ends": found.alone and found.alone.ended,
        "ends_with_ruleset": found.together and found.together.ended,
    }


# Files and rulesets that join the standard strategy, once checked --------------------------


Rules = str | Path | Ruleset | Sequence[str | Path | Ruleset]

# Loading waits for this check; `eggrad rules check` takes ten times as many.
INSTANCES = 100


def accepted(rules: Rules | None) -> tuple[Ruleset, ...]:
    """The rulesets of files and of a program, each rule checked once.

    Raises `RuleError` for a file that cannot be read or run, with file and line, for a name that
    is taken and for facts; `UnsoundRules` for a law that is false, with a counterexample.

    >>> accepted(None)
    ()
    """
    if rules is None:
        return ()
    given_ones: Any = rules
    if isinstance(rules, str) or not isinstance(rules, Sequence):
        given_ones = [rules]
    found: list[Ruleset] = []
    for given in given_ones:
        if not isinstance(given, str | Path | Ruleset):
            raise RuleError(f"rules are files and rulesets, not {given!r}")
        found += [given] if isinstance(given, Ruleset) else read_rules(given)
    _check_rulesets(found)
    stating = next((s.name for s in found if s.facts), None)
    if stating is not None:
        raise RuleError(f"ruleset {stating!r}: only rules can be added, no facts")
    return tuple(_checked(s, tuple(s.rules), tuple(s.bulk_rules)) for s in found)


def read_rules(path: str | Path) -> tuple[Ruleset, ...]:
    """The rulesets that a Python file makes, not checked."""
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise RuleError(f"{path} is not UTF-8 text: byte {error.start}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RuleError(f"rules: cannot read the file {shown(str(path))}: {reason}") from error
    return _run(str(path), text)


@lru_cache(maxsize=32)
def _run(path: str, text: str) -> tuple[Ruleset, ...]:
    """What the file's text makes; the same text makes the same rulesets."""
    module = ModuleType(Path(path).stem)
    module.__file__ = path
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except (EggradError, *MISTAKES, SystemExit) as error:
        raise RuleError(_place(path, text, error)) from error
    made = [v for v in vars(module).values() if isinstance(v, Ruleset) and v not in RULESETS]
    if not made:
        raise RuleError(f"{path} makes no Ruleset; see docs/writing_rules.md")
    for ruleset in made:
        ruleset.module = module
    return tuple(dict.fromkeys(made))


def _place(path: str, text: str, error: BaseException) -> str:
    """Where in the file an error arose, with the line itself."""
    if isinstance(error, SyntaxError) and error.filename == path:
        number, reason = error.lineno or 1, error.msg
    else:
        frames = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == path]
        number, reason = (frames or [1])[-1] or 1, str(error)
    kind = "" if isinstance(error, RuleError) else f"{type(error).__name__}: "
    lines = text.splitlines() or [""]
    return f"{path}, line {number}: {kind}{reason}\n  {lines[number - 1].strip()}"


def _check_rulesets(rulesets: Iterable[Ruleset]) -> None:
    """Refuse names that are taken, and laws where they do not act."""
    taken = {s.name for s in RULESETS}
    known = {r.name for s in RULESETS for r in s.every_law}
    for ruleset in rulesets:
        if not ruleset.name.isidentifier():
            raise RuleError(f"a ruleset's name is one word, not {ruleset.name!r}")
        if ruleset.name in taken:
            raise RuleError(f"there is a ruleset called {ruleset.name!r} already")
        taken.add(ruleset.name)
        for rule in ruleset.laws:
            if rule.name in known:
                raise RuleError(f"there is a rule called {rule.name!r} already")
            known.add(rule.name)
        _check_stage(ruleset)


def _check_stage(ruleset: Ruleset) -> None:
    """Refuse laws of derivatives in a stage in which there are none."""
    for rule in ruleset.rules if ruleset.stage != "differentiate" else ():
        sides = (rule.statement.left, rule.statement.right)
        if any(node.constructor in DIFFERENTIATED for s in sides for node in nodes_of(s)):
            raise RuleError(
                f"rule {rule.name!r} is about derivatives: its ruleset has "
                f'stage="differentiate", not {ruleset.stage!r}'
            )


@lru_cache(maxsize=32)
def _checked(
    ruleset: Ruleset, rules: tuple[Rule, ...], bulk_rules: tuple[BulkRule, ...]
) -> Ruleset:
    """A copy with these rules, which are true as far as random instances show."""
    checker = Checker(instances=INSTANCES)
    for rule in (*rules, *bulk_rules):
        found = checker.soundness(rule)
        if found.counterexample is not None:
            shown = format_counterexample(found.counterexample, rule)
            raise UnsoundRules(f"rule {rule.name!r} is false: {rule.law}\n{shown}")
        if not found.compared:
            raise RuleError(f"rule {rule.name!r}: no instance of its left side was found")
    return ruleset.without()


def rules_to_check(subject: str | None) -> list[tuple[Ruleset, Rule | BulkRule]]:
    """The rules that a name or a file stands for, with their rulesets.

    A name is that of a rule, a ruleset or a rejected law; None stands for every rule. Raises
    `RuleError` where there is no such rule, or a file cannot be read.

    >>> [rule.law for _, rule in rules_to_check("rejected.root_of_square")]
    ['√(a²) = a.']
    """
    if subject is None:
        return [(s, r) for s in RULESETS for r in s.laws]
    if subject.endswith(".py") or Path(subject).is_file():
        rulesets = read_rules(subject)
        _check_rulesets(rulesets)
        return [(s, r) for s in rulesets for r in s.laws]
    named = laws_named(subject)
    if not named:
        raise RuleError(
            f"no rule, ruleset or rejected law is called {subject!r}, and it is no Python file"
            f"{near_names(subject, RULESETS)}"
        )
    found = [(s, r) for s, r in named if isinstance(r, Rule | BulkRule)]
    if not found:
        raise RuleError(f"{subject!r} states facts or laws on loops; rules alone are checked here")
    return found


def laws_named(
    name: str, more: Sequence[Ruleset] = ()
) -> list[tuple[Ruleset, Rule | BulkRule | LoopRule | Fact]]:
    """The laws that a name stands for: `rule`, as reports print it `ruleset.rule`, or `ruleset`.

    They are those of the standard rulesets, of `more`, or of the rejected laws.

    >>> [law.law for _, law in laws_named("functions.log_of_exp")]
    ['log exp a = a.']
    """
    known = [*RULESETS, *more]
    for rulesets in (known, [rejected]):
        found = [
            (s, r)
            for s in rulesets
            for r in s.every_law
            if name in (s.name, r.name, f"{s.name}.{r.name}")
        ]
        if found:
            return found
    return []


def near_names(name: str, rulesets: Iterable[Ruleset]) -> str:
    """The end of a sentence about a name that nothing has: what may be meant, or where all are.

    A law of that name in another ruleset comes before names that are spelt alike.

    >>> near_names("identities.log_of_exp", RULESETS)
    ", did you mean 'functions.log_of_exp'?"
    """
    names = {s.name: s.name for s in rulesets}
    names |= {r.name: f"{s.name}.{r.name}" for s in rulesets for r in s.every_law}
    last = name.rpartition(".")[2]
    near = [last] if last in names else get_close_matches(last, names, 3, 0.75)
    meant = " or ".join(repr(names[n]) for n in near)
    return f", did you mean {meant}?" if near else "; see 'eggrad rules list'"
