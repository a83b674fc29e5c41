"""Values at which what a law asks for is false: a law that is true there asks for too much."""

from dataclasses import replace

import numpy as np

from eggrad.engine.laws.properties import TOTAL
from eggrad.engine.laws.rule import Rule
from eggrad.engine.workbench.instances import Instance, random_trial
from eggrad.engine.workbench.soundness import Comparison, compare, random_instances
from eggrad.engine.workbench.trials import Trial

DRAWS = 2000


def fails_beyond(rule: Rule, seed: int = 0) -> Comparison | None:
    """Values at which a rule's conditions are false, if it has any, and the sides are not alike.

    The right side may be defined there, and the left one not: so the law has to go one way.
    """
    rng = np.random.default_rng(seed)
    for instance in random_instances(rule, rng, DRAWS):
        if isinstance(instance, Instance):
            found = compare(
                instance, _beyond(instance, random_trial(instance, rng), rng), beyond=True
            )
            if found is not None and found.flaw is not None:
                return found
    return None


def _beyond(instance: Instance, given: Trial, rng: np.random.Generator) -> Trial:
    """The values, but for variables that a law wants to be defined: some entries of those are not.

    A law that asks for nothing may be about any variable.
    """
    asked = [t.name for p, t in instance.known if p == TOTAL and t.op == "variable"]
    if not instance.known:
        asked = [v.name for v in instance.variables if not v.assumed]
    left_out = {name for name in asked if rng.random() < 1 / 2}
    values = {
        k: np.where(rng.random(v.shape) < 2 / 3, np.nan, v) if k in left_out else v
        for k, v in given.values.items()
    }
    return replace(given, values=values)
