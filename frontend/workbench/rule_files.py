"""Users' own rules: Python files and rulesets that join the standard strategy, once checked."""

import traceback
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from eggrad.engine.errors import MISTAKES, EggradError, RuleError, UnsoundRules
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.frontend.workbench.findings_printer import format_counterexample
from eggrad.frontend.workbench.rule_check import Checker
from eggrad.rules.rejected import rejected
from eggrad.rules.standard import RULESETS

__all__ = ["Rules", "accepted", "read_rules", "rules_to_check"]

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
    _check_names(found)
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
    except OSError as error:
        raise RuleError(f"cannot read {path}: {error.strerror or error}") from error
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


def _check_names(rulesets: Iterable[Ruleset]) -> None:
    """Refuse names that are taken, and those that are none."""
    taken = {s.name for s in RULESETS}
    known = {r.name for s in RULESETS for r in s.laws}
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
    if subject is not None and (subject.endswith(".py") or Path(subject).is_file()):
        own = read_rules(subject)
        _check_names(own)
        return _laws(own)
    known = _laws(RULESETS)
    if subject is None:
        return known
    for laws in (known, _laws([rejected])):
        found = [(s, r) for s, r in laws if subject in (s.name, r.name, f"{s.name}.{r.name}")]
        if found:
            return found
    raise RuleError(
        f"no rule, ruleset or rejected law is called {subject!r}, and it is no Python file; "
        "see 'eggrad rules list'"
    )


def _laws(rulesets: Iterable[Ruleset]) -> list[tuple[Ruleset, Rule | BulkRule]]:
    return [(s, r) for s in rulesets for r in s.laws]
