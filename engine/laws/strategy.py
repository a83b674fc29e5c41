"""A strategy: the rulesets of each stage."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from eggrad.engine.laws.rule import Fact, Rule, Ruleset

__all__ = ["PURPOSES", "STAGES", "Strategy"]

STAGES = (
    "forward",
    "reverse",
    "simplify",
    "explore",
    "present",
    "settle",
    "lowering",
    "stable",
    "orders",
)

PURPOSES: Final[Mapping[str, tuple[str, ...]]] = {
    "simplify": ("settle", "simplify", "explore", "present"),
    "compile": ("settle", "lowering", "simplify", "explore", "stable", "present", "orders"),
    "evaluate": ("settle", "lowering", "simplify", "stable"),
    "compare": ("settle", "simplify", "explore"),
}
"""The stages that each purpose has, in this order; its e-graph knows no laws but theirs."""


@dataclass(frozen=True)
class Strategy:
    """The rulesets of each stage; those of `settle` saturate after every iteration of any.

    Those of `lowering` join `explore` for terms that are lowered to code, those of `stable` come
    after that. Then the bulk rules of `lowering` see the stable forms, ruleset by ruleset. Those
    of `present`, and for code those of `orders`, come last: what they add feeds no other rule.
    """

    forward: tuple[Ruleset, ...]
    reverse: tuple[Ruleset, ...]
    simplify: tuple[Ruleset, ...]
    explore: tuple[Ruleset, ...]
    present: tuple[Ruleset, ...] = ()
    settle: tuple[Ruleset, ...] = ()
    lowering: tuple[Ruleset, ...] = ()
    stable: tuple[Ruleset, ...] = ()
    orders: tuple[Ruleset, ...] = ()

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """All rulesets, each once."""
        return tuple(dict.fromkeys(r for name in STAGES for r in self.of(name)))

    def of(self, stage: str) -> tuple[Ruleset, ...]:
        """The rulesets of a stage, by its name."""
        return getattr(self, stage)

    def rules_of(self, stage: str) -> tuple[Rule, ...]:
        """The rules of a stage's rulesets, each once."""
        return tuple(dict.fromkeys(r for ruleset in self.of(stage) for r in ruleset.rules))

    def laws_of(self, stage: str) -> tuple[Rule | Fact, ...]:
        """The rules of a stage, and its facts."""
        facts = (f for ruleset in self.of(stage) for f in ruleset.facts)
        return (*self.rules_of(stage), *dict.fromkeys(facts))

    def mapped(self, change: Callable[[Ruleset], Ruleset]) -> "Strategy":
        """The strategy with every ruleset changed, once however many stages it is in."""
        changed = {s: change(s) for s in self.rulesets}
        return replace(self, **{n: tuple(changed[s] for s in self.of(n)) for n in STAGES})

    def only(self, names: Iterable[str]) -> "Strategy":
        """The strategy with some rules alone, named as `ruleset.rule`."""
        kept = {*names}
        return self.mapped(lambda ruleset: ruleset.only(kept))
