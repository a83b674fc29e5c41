"""Variants of the standard strategy: without some rules, with others, or only some rulesets."""

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache

from eggrad.engine.errors import RuleError
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.saturation.schedule import STAGES, Observer, Strategy
from eggrad.engine.saturation.system import System
from eggrad.rules.standard import AT_SYMMETRIC, STANDARD, extended

__all__ = ["BASE", "Variant", "laws", "rule_names"]

# The stages that a variant may not do without: no derivative ends without them.
_NEEDED = ("forward", "reverse", "settle")


@dataclass(frozen=True)
class Variant:
    """Two strategies, the second for terms of symmetric matrices after the last derivative."""

    name: str
    standard: Strategy
    at_symmetric: Strategy

    def without(self, *names: str) -> "Variant":
        """Leave out rules, or whole rulesets: `rule`, `ruleset.rule` or `ruleset`.

        >>> sorted(rule_names(BASE) - rule_names(BASE.without("delta_sift", "symmetric")))
        ['delta.delta_sift', 'symmetric.symmetric_inverse', 'symmetric.symmetric_variable']
        """
        known = {s.name: s for strategy in self._strategies for s in strategy.rulesets}
        laws = {r.name for s in known.values() for r in s.laws}
        if not names:
            return self
        qualified = rule_names(self)
        for name in names:
            if name not in known.keys() | laws | qualified:
                raise RuleError(
                    f"no rule and no ruleset that differentiates or simplifies is called {name!r}; "
                    "see 'eggrad rules list'"
                )

        def rest(ruleset: Ruleset) -> Ruleset:
            own = [r.name for r in ruleset.laws]
            gone = [
                n
                for n in own
                if ruleset.name in names or n in names or f"{ruleset.name}.{n}" in names
            ]
            return ruleset.without(*gone) if gone else ruleset

        return self._with(f"without {', '.join(names)}", rest)

    def only(self, *names: str) -> "Variant":
        """Keep of simplification these rulesets alone; differentiation stays as it is."""
        known = {s.name for strategy in self._strategies for s in strategy.rulesets}
        for name in names:
            if name not in known:
                raise RuleError(f"there is no ruleset {name!r}; the rulesets: {sorted(known)}")

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


def _uncompiled(strategy: Strategy) -> Strategy:
    return replace(strategy, lowering=(), stable=(), orders=())


BASE = Variant("standard", *(_uncompiled(s) for s in (STANDARD, AT_SYMMETRIC)))
"""The standard strategy, without the stages and the rulesets that only compilation has."""


def laws(variants: Iterable[Variant]) -> dict[str, str]:
    """The sentence of every rule of some variants, by `ruleset.rule`.

    >>> laws([BASE])["delta.delta_sift"][:6]
    'Σⱼ δᵢⱼ'
    """
    strategies = [s for v in variants for s in (v.standard, v.at_symmetric)]
    rulesets = dict.fromkeys(r for s in strategies for r in s.rulesets)
    return {f"{s.name}.{r.name}": r.law for s in rulesets for r in s.laws}
