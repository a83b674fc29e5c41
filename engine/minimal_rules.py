"""A minimal set of rules that proves two terms equal, by delta debugging over rules."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from eggrad.engine.equivalence import prove
from eggrad.engine.report import Budget
from eggrad.engine.rule import BulkRule, Rule, Ruleset
from eggrad.engine.stages import System
from eggrad.engine.strategy import STAGES, Strategy
from eggrad.engine.term import Term

__all__ = ["minimal", "minimal_rules", "restricted"]


def restricted(strategy: Strategy, names: Sequence[str]) -> Strategy:
    """The strategy with some rules alone, named as `ruleset.rule`."""
    kept: dict[Ruleset, Ruleset] = {s: s.only(names) for s in strategy.rulesets}
    stages = {stage: tuple(kept[s] for s in strategy.of(stage)) for stage in STAGES}
    return replace(strategy, **stages)


def minimal_rules(
    strategy: Strategy,
    left: Term,
    right: Term,
    budget: Budget | None = None,
    last: Sequence[str] = (),
) -> tuple[Rule | BulkRule, ...] | None:
    """Rules that prove two terms equal, none of which can be left out; None without a proof.

    Rulesets named in `last` are used only where the others do not suffice, and then no more of
    their rules than are needed, in the order in which they are written.
    """
    rules = {f"{s.name}.{r.name}": r for s in strategy.rulesets for r in s.laws}
    reserved = [n for n, r in rules.items() if r.ruleset in last]
    plain = [n for n in rules if n not in reserved]

    def fired(names: Sequence[str]) -> list[str] | None:
        proof = prove(System(restricted(strategy, names)), left, right, budget)
        return [n for n in names if proof.report.matches[n]] if proof.found else None

    for count in range(len(reserved) + 1):
        # One reserved rule after the other; all of them at the end.
        chosen = reserved[count - 1 : count] if count else []
        found = fired([*plain, *chosen])
        if found is not None:
            break
    else:
        found = fired([*plain, *reserved])
    if found is None:
        return None
    names = minimal(found, lambda own: fired(own) is not None)
    return tuple(rules[n] for n in names)


def minimal(items: Sequence[str], suffices: Callable[[Sequence[str]], bool]) -> list[str]:
    """Some of the items that suffice, none of which can be left out (Zeller's ddmin).

    >>> minimal("abcdefgh", lambda own: {"c", "f"} <= set(own))
    ['c', 'f']
    """
    kept = list(items)
    width = len(kept) // 2
    while width:
        start = 0
        while start < len(kept):
            rest = kept[:start] + kept[start + width :]
            if suffices(rest):
                kept = rest
            else:
                start += width
        width //= 2
    return kept
