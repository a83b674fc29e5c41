"""A minimal set of rules that proves two terms equal, by delta debugging over rules."""

from collections.abc import Sequence

from eggrad.engine.equality.delta_debugging import smallest_part
from eggrad.engine.equality.equivalence import prove
from eggrad.engine.laws.knowledge import Assumption
from eggrad.engine.laws.rule import BulkRule, Rule
from eggrad.engine.laws.strategy import Strategy
from eggrad.engine.saturation.report import Budget
from eggrad.engine.saturation.stages import System
from eggrad.engine.terms.term import Term

__all__ = ["minimal_rules"]


def minimal_rules(
    strategy: Strategy,
    left: Term,
    right: Term,
    budget: Budget | None = None,
    last: Sequence[str] = (),
    *,
    assumed: Sequence[Assumption] = (),
) -> tuple[Rule | BulkRule, ...] | None:
    """Rules that prove two terms equal, none of which can be left out; None without a proof.

    Some properties of terms are `assumed`. Rulesets named in `last` are used only where the
    others do not suffice, and then no more of their rules than are needed, in the order in which
    they are written.
    """
    rules = {f"{s.name}.{r.name}": r for s in strategy.rulesets for r in s.laws}
    reserved = [n for n, r in rules.items() if r.ruleset in last]
    plain = [n for n in rules if n not in reserved]

    def fired(names: Sequence[str]) -> list[str] | None:
        proof = prove(System(strategy.only(names)), left, right, budget, assumed)
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
    names = smallest_part(found, lambda own: fired(own) is not None)
    return tuple(rules[n] for n in names)
