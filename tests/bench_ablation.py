"""Leaving out each rule in turn: `python tests/bench_ablation.py --write` for docs/benchmarks.md.

It takes some minutes, so `make bench` leaves it out.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from eggrad.engine.report import Budget
from eggrad.frontend.ablation import ablate
from eggrad.frontend.ablation_table import as_markdown
from eggrad.frontend.corpus import read_corpus
from eggrad.frontend.text_parser import parse
from tests import needed_rules
from tests.bench import PAGE, placed

CASES = Path(__file__).parent / "data" / "derivative_cases.json"
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
