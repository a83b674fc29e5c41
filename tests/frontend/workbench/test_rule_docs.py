"""`docs/rules.md` says what the rules say."""

import subprocess
import sys
from pathlib import Path

from eggrad.frontend.workbench.rule_docs import rule_table
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.rejected import REJECTED
from eggrad.rules.standard import RULESETS
from tests.support.places import DOCS

PAGE = DOCS / "rules.md"


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == rule_table(), (
        "run python -m eggrad.frontend.workbench.rule_docs"
    )


def test_every_law_is_there_once() -> None:
    text = rule_table()
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    every = [(*r.laws, *r.loop_rules, *r.facts) for r in (*RULESETS, domains, ties)]
    laws = sum(map(len, every)) + len(REJECTED)
    assert len(rows) == laws


def test_tables_have_as_many_cells_as_their_head() -> None:
    cells = 0
    for line in rule_table().splitlines():
        own = line.replace("\\|", "").count("|")
        if line.startswith("|---"):
            cells = own
        elif line.startswith("| `"):
            assert own == cells


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "rules.md"
    command = [sys.executable, "-m", "eggrad.frontend.workbench.rule_docs", str(page)]
    subprocess.run(command, check=True, timeout=60)
    assert page.read_text("utf-8") == rule_table()
