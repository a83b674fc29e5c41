"""Leaving out each rule in turn, which takes some minutes: `make bench` leaves it out.

`python -m tests.benchmarks.ablation --write` writes the tables of docs/benchmarks.md.
"""

import sys

from eggrad.engine.saturation.report import Budget
from eggrad.frontend.text.parser import parse
from eggrad.frontend.workbench.ablation import ablate, as_markdown
from eggrad.frontend.workbench.experiment import read_corpus
from tests.benchmarks.pages import PAGE, placed
from tests.support import needed_rules
from tests.support.places import DATA

CASES = DATA / "derivative_cases.json"
SIZE = 100
SECONDS = 60


def main(arguments: list[str]) -> None:
    """Print the tables; `--write` puts them into the page."""
    cases = read_corpus(str(CASES), parse)
    found = ablate(
        cases,
        SIZE,
        Budget(seconds=SECONDS),
        progress=lambda line: print(line, file=sys.stderr),
    )
    idle = [*(e.rule for e in found.effects if not e.matters), *found.silent]
    tables = {"ablation": as_markdown(found), "needed": needed_rules.table(sorted(idle))}
    page = PAGE.read_text("utf-8")
    for name, text in tables.items():
        print(text, end="\n\n")
        page = placed(page, name, text)
    if "--write" in arguments:
        PAGE.write_text(page, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
