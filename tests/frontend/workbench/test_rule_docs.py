"""`docs/rules.md` and the pages in `docs/rules/` say what the rules say."""

import subprocess
import sys
from pathlib import Path

from eggrad.frontend.expression.special_laws import special_functions
from eggrad.frontend.workbench.rule_docs import SUBJECTS, pages
from eggrad.rules.functions.properties import domains, ties
from eggrad.rules.rejected import REJECTED
from eggrad.rules.standard import RULESETS
from tests.support.places import DOCS

ALL = (*RULESETS, special_functions, domains, ties)


def test_the_pages_are_current() -> None:
    files = {"rules.md", *(f"rules/{path.name}" for path in (DOCS / "rules").iterdir())}
    kept = {name: (DOCS / name).read_text("utf-8") for name in files}
    assert kept == pages(), "run python -m eggrad.frontend.workbench.rule_docs"


def test_every_law_is_there_once() -> None:
    names = [
        line.split("`")[1]
        for text in pages().values()
        for line in text.splitlines()
        if line.startswith("| `")
    ]
    laws = [law.name for r in ALL for law in (*r.laws, *r.loop_rules, *r.facts)]
    assert sorted(names) == sorted(laws + [law.rule.name for law in REJECTED])


def test_every_ruleset_is_on_one_page() -> None:
    """A new ruleset goes into `SUBJECTS`; without it the pages cannot be written."""
    assert sorted(n for s in SUBJECTS for n in s.rulesets) == sorted(r.name for r in ALL)


def test_tables_have_as_many_cells_as_their_head() -> None:
    cells = 0
    for line in "\n".join(pages().values()).splitlines():
        own = line.replace("\\|", "").count("|")
        if not line.startswith("|"):
            cells = 0
        elif cells:
            assert own == cells, line
        else:
            cells = own


def test_the_command_writes_the_pages(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "eggrad.frontend.workbench.rule_docs", str(tmp_path)]
    subprocess.run(command, check=True, timeout=60)
    written = {p.relative_to(tmp_path).as_posix(): p for p in tmp_path.rglob("*.md")}
    assert {name: path.read_text("utf-8") for name, path in written.items()} == pages()
