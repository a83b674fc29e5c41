"""`docs/proofs.md` says of every law what is proved, and the command says it of a user's."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from eggrad.engine.workbench.proving import prove
from eggrad.engine.workbench.solver import has_solver
from eggrad.frontend.cli.main import main
from eggrad.frontend.workbench.proofs import laws, page, row
from tests.support.places import DOCS
from tests.support.tiers import samples

TEXT = (DOCS / "proofs.md").read_text("utf-8")
ROWS = [line for line in TEXT.splitlines() if line.startswith("| `")]
STATUSES = ("proved", "checked to a bound", "tested")


def test_every_law_is_in_the_table_once_in_order() -> None:
    named = [line.split("`")[1] for line in ROWS]
    assert named == [f"{s.name}.{law.name}" for s, law in laws()]


def test_the_counts_are_those_of_the_rows() -> None:
    counts = {s: sum(f" | {s} | " in line for line in ROWS) for s in STATUSES}
    assert sum(counts.values()) == len(ROWS)
    for status, count in counts.items():
        assert f"| {status} | {count} |" in TEXT
    # At least half of all laws.
    assert 2 * (counts["proved"] + counts["checked to a bound"]) >= len(ROWS)


@pytest.mark.skipif(not has_solver(), reason="z3-solver is not installed")
def test_the_table_is_current() -> None:
    step = samples(60, 10)
    for ruleset, law in [*laws()][::step]:
        made = page([row(ruleset, law, prove(law))]).splitlines()[-1]
        assert made in ROWS, "run python -m eggrad.frontend.workbench.proofs"


LAWS = """from eggrad.rules.notation import *

mine = Ruleset("mine", "laws to judge", "nothing")
mine.state(
    "nobody",
    true=sin(2 * a) >> 2 * (sin(a) * cos(a)),
    false=relu(a + 41) >> a + 41,
    bounded=(a @ b).T >> b.T @ a.T,
    unknown=fn("rint", a) >> a,
)
"""


def test_a_file_of_laws_is_judged(tmp_path: Path) -> None:
    path = tmp_path / "laws.py"
    path.write_text(LAWS)
    done = CliRunner().invoke(main, ["rules", "prove", str(path), "--instances", "300", "--json"])
    assert done.exit_code == 1
    found = {j["name"]: j for j in json.loads(done.stdout)}
    assert {name: j["verdict"] for name, j in found.items()} == {
        "true": "proved",
        "false": "refuted",
        "bounded": "checked to a bound",
        "unknown": "not checked",
    }
    assert "a = " in found["false"]["detail"]
    assert "rint" in found["unknown"]["detail"]
