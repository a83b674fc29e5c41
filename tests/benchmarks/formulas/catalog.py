"""The formulas of both halves; which are held out was drawn by chance from all names."""

import random

from tests.benchmarks.formulas.formula import Formula
from tests.benchmarks.formulas.held_out import HELD_OUT
from tests.benchmarks.formulas.tuned import TUNED

SEED = 60
HALVES: dict[str, tuple[Formula, ...]] = {"tuned": TUNED, "held-out": HELD_OUT}


def drawn() -> set[str]:
    """The names that chance held out."""
    names = sorted(formula.name for half in HALVES.values() for formula in half)
    return set(random.Random(SEED).sample(names, len(names) // 2))
