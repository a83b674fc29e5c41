"""Leaving out each rule in turn, which takes some minutes: `make bench` leaves it out.

`python -m tests.benchmarks.ablation --write` writes the tables into docs/data/.
"""

import sys

from eggrad.engine.saturation.schedule import Budget
from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.ablation import ablate, as_markdown
from eggrad.frontend.workbench.experiment import read_corpus
from tests.benchmarks.tables import show
from tests.support import needed_rules
from tests.support.places import DATA

CASES = DATA / "derivative_cases.json"
SIZE = 100
SECONDS = 60


def main(arguments: list[str]) -> None:
    """Print the tables; `--write` keeps them."""
    cases = read_corpus(str(CASES), parse)
    budget = Budget(seconds=SECONDS)
    found = ablate(cases, SIZE, budget, progress=lambda line: print(line, file=sys.stderr))
    idle = [*(e.rule for e in found.effects if not e.matters), *found.silent]
    tables = {"ablation": as_markdown(found), "needed": needed_rules.table(sorted(idle))}
    show(tables.items(), "--write" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
