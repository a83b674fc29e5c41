"""What there is to find out about a rule: is it true, does it fire, follow, come to an end."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from eggrad.engine.errors import RuleError
from eggrad.engine.laws.rule import BulkRule, Rule, Ruleset
from eggrad.engine.saturation.schedule import Strategy
from eggrad.engine.workbench.bulk_soundness import RandomClasses, check_bulk_soundness
from eggrad.engine.workbench.firing import check_firing, telling_instances
from eggrad.engine.workbench.shrinking import shrink
from eggrad.engine.workbench.soundness import Soundness, check_soundness
from eggrad.engine.workbench.termination import Growth, check_growth, derive, goals_of
from eggrad.rules.companions import BEFORE_BULK_RULES, companions_of
from eggrad.rules.standard import STANDARD, extended

__all__ = ["Checker", "Findings"]


@dataclass(frozen=True)
class Findings:
    """What is known of a rule. What was not looked at is None.

    `follows_from` names the other rules from which it follows, and is None where it does not;
    `alone` and `together` say how the e-graph grows under it, and under its ruleset.
    """

    rule: Rule | BulkRule
    soundness: Soundness
    fires: bool
    follows_from: list[str] | None = None
    alone: Growth | None = None
    together: Growth | None = None


class Checker:
    """Checks rules beside the standard ones and some rulesets of one's `own`."""

    def __init__(self, own: Sequence[Ruleset] = (), instances: int = 1000, seed: int = 0) -> None:
        """Nothing is checked yet."""
        self.own = own
        self.instances = instances
        self.seed = seed
        self._known: dict[Rule | BulkRule, Soundness] = {}

    @cached_property
    def _classes(self) -> RandomClasses:
        return RandomClasses(BEFORE_BULK_RULES)

    @cached_property
    def _strategy(self) -> Strategy:
        """The standard strategy, with those of one's own rules that are true."""
        return extended(STANDARD, [self._sound_part(s) for s in self.own])

    def _sound_part(self, ruleset: Ruleset) -> Ruleset:
        if ruleset not in self.own:
            return ruleset
        laws = ruleset.laws
        return ruleset.without(*(r.name for r in laws if self.soundness(r).counterexample))

    def soundness(self, rule: Rule | BulkRule) -> Soundness:
        """Whether a rule is true on random instances; the counterexample is a small one."""
        found = self._known.get(rule)
        if found is None:
            try:
                found = self._known[rule] = self._soundness(rule)
            except RuleError as error:
                raise RuleError(f"rule {rule.name!r}: {error}") from error
        return found

    def _soundness(self, rule: Rule | BulkRule) -> Soundness:
        if isinstance(rule, BulkRule):
            return check_bulk_soundness(rule, self._classes, self.instances)
        found = check_soundness(rule, self.instances, self.seed)
        if found.counterexample is None:
            return found
        smallest = shrink(rule, self.seed) or found.counterexample
        return Soundness(found.compared, found.with_size_one, smallest)

    def findings(self, rule: Rule | BulkRule, ruleset: Ruleset) -> Findings:
        """All that can be said of a rule; of a false one only that it is."""
        soundness = self.soundness(rule)
        if isinstance(rule, BulkRule) or soundness.counterexample is not None:
            return Findings(rule, soundness, fires=soundness.compared > 0)
        tried = telling_instances(rule, 3, self.seed)
        if not tried:
            return Findings(rule, soundness, fires=False)
        companions = companions_of(rule)
        fires = all(
            check_firing(rule, companions, self.seed, back).fires
            for back in (False, True)[: 1 + rule.statement.both]
        )
        alone = Ruleset("alone", "one rule and those that it needs", "")
        alone.rules = list(dict.fromkeys([rule, *companions]))
        settle = STANDARD.settle
        name = f"{ruleset.name}.{rule.name}"
        return Findings(
            rule,
            soundness,
            fires,
            derive(goals_of(rule, seed=self.seed), self._strategy, name) if fires else None,
            check_growth(alone, tried, settle),
            check_growth(self._sound_part(ruleset), tried, settle),
        )
