"""A strategy: the rulesets of each stage."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from eggrad.engine.rule import Ruleset

__all__ = ["STAGES", "Strategy"]

STAGES = (
    "forward",
    "reverse",
    "simplify",
    "explore",
    "present",
    "settle",
    "lowering",
    "stable",
)


@dataclass(frozen=True)
class Strategy:
    """The rulesets of each stage; those of `settle` saturate after every iteration of any.

    Those of `lowering` join `explore` for terms that are lowered to code, those of `stable` come
    after that. Then the bulk rules of `lowering` see the stable forms, ruleset by ruleset. The
    facts of `properties` are looked for where `simplify` finds nothing more.
    """

    forward: tuple[Ruleset, ...]
    reverse: tuple[Ruleset, ...]
    simplify: tuple[Ruleset, ...]
    explore: tuple[Ruleset, ...]
    present: tuple[Ruleset, ...] = ()
    settle: tuple[Ruleset, ...] = ()
    lowering: tuple[Ruleset, ...] = ()
    stable: tuple[Ruleset, ...] = ()
    properties: tuple[Ruleset, ...] = ()

    @property
    def rulesets(self) -> tuple[Ruleset, ...]:
        """All rulesets, each once."""
        stages = (r for name in STAGES for r in self.of(name))
        return tuple(dict.fromkeys([*stages, *self.properties]))

    def of(self, stage: str) -> tuple[Ruleset, ...]:
        """The rulesets of a stage, by its name."""
        return getattr(self, stage)

    def mapped(self, change: Callable[[Ruleset], Ruleset]) -> "Strategy":
        """The strategy with every ruleset changed, once however many stages it is in."""
        changed = {s: change(s) for s in self.rulesets}
        return replace(self, **{n: tuple(changed[s] for s in self.of(n)) for n in STAGES})

    def only(self, names: Iterable[str]) -> "Strategy":
        """The strategy with some rules alone, named as `ruleset.rule`."""
        kept = {*names}
        return self.mapped(lambda ruleset: ruleset.only(kept))
