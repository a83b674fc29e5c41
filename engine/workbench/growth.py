"""Whether rules come to an end on random terms, or let the e-graph grow as long as they may."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from eggrad.engine.costs.cost import CostModel
from eggrad.engine.laws.rule import Ruleset
from eggrad.engine.laws.strategy import Strategy
from eggrad.engine.saturation.report import Budget
from eggrad.engine.saturation.run import Run
from eggrad.engine.saturation.stages import System
from eggrad.engine.workbench.firing import load_left
from eggrad.engine.workbench.instances import Instance

__all__ = ["Growth", "check_growth"]

NODES: Final = 3000
ITERATIONS: Final = 25


@dataclass(frozen=True)
class Growth:
    """The e-nodes after each iteration, and whether the rules came to an end."""

    sizes: tuple[int, ...]
    ended: bool


def check_growth(
    ruleset: Ruleset, instances: Sequence[Instance], settle: Sequence[Ruleset] = ()
) -> Growth:
    """Run a ruleset on both sides of each instance, to the end or to a budget: the worst of them.

    That rules ended here is no proof that they always do. `settle` are the rulesets that run
    after every iteration.
    """
    beside = tuple(s for s in settle if s.name != ruleset.name)
    strategy = Strategy((), (), simplify=(ruleset,), explore=(), settle=beside)
    system = System(strategy)
    found = [_growth_on(instance, system) for instance in instances]
    return max(found, key=lambda growth: (not growth.ended, growth.sizes[-1]))


def _growth_on(instance: Instance, system: System) -> Growth:
    with system.session("simplify", instance.subject) as egraph:
        _, right = load_left(egraph, instance)
        egraph.load(right)
        run = Run(system.strategy, egraph, Budget(nodes=NODES), [CostModel()])
        run.begin(())
        sizes = [egraph.size()]
        ended = False
        while not (ended or run.exhausted() or len(sizes) > ITERATIONS):
            ended = not run.step("simplify")
            sizes.append(egraph.size())
    return Growth(tuple(sizes), ended)
