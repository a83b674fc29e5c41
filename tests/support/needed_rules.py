"""Expressions that need the rules which change no public derivative for the worse."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.ablation import Change
from eggrad.frontend.workbench.experiment import BASE, Case, Outcome, experiment, read_corpus
from eggrad.frontend.workbench.rule_docs import table as markdown
from tests.support.places import lines_of

SIZE = 100
MODES = ("forward", "reverse")


def _case(line: str) -> Case:
    """The case of a line, called as the rule; a rule of one mode is judged in that mode."""
    rule, text = line.split(": ", 1)
    (case,) = read_corpus(text, parse)
    ruleset = rule.partition(".")[0]
    return replace(case, name=rule, mode=ruleset if ruleset in MODES else "auto")


NEEDED = {case.name: case for case in map(_case, lines_of("needed_rules.txt"))}


@cache
def _with_all_rules() -> Mapping[str, Outcome]:
    return {o.case: o for o in experiment(NEEDED.values(), BASE, SIZE, watched=False)}


def without(rule: str) -> Change:
    """The expression of a rule with all rules, and without that one.

    A rule of one mode has those of the other beside it, whose transposes would do.
    """
    case = NEEDED[rule]
    others = [mode for mode in MODES if case.mode in MODES and mode != case.mode]
    (after,) = experiment([case], BASE.without(rule, *others), SIZE, watched=False)
    return Change(_with_all_rules()[rule], after)


def loss(change: Change) -> str:
    """What got worse, in words."""
    before, after = change.before, change.after
    if change.fails:
        return "no answer"
    if change.operations > 0:
        return f"{after.operations:,} operations for {before.operations:,}"
    return f"{after.nodes} nodes for {before.nodes}" if change.nodes > 0 else "cut short"


def table(rules: Iterable[str]) -> str:
    """The expressions of some rules, and what each loses, in Markdown."""
    rows = [(f"`{rule}`", _code(NEEDED[rule].text), loss(without(rule))) for rule in rules]
    return "\n".join(markdown(("rule", "an expression that needs it", "without it"), rows))


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"
