"""The walks lead where docs/walks.md says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import walks
from tests.docs.test_pages import without_errors
from tests.support.places import DATA, ROOT

WALKS = walks.walks(walks.PAGE.read_text("utf-8"))
ADDITIONS = walks.walks((DATA / "additions.md").read_text("utf-8"))
# Parts of the suite that take about as long each.
PARTS = (
    *("src", "tests/rules", "tests/engine/compilation tests/engine/costs tests/engine/terms"),
    *(
        "tests/engine/backends",
        "tests/engine/workbench",
        "tests/engine/laws tests/engine/oracle tests/engine/test_guard.py "
        "tests/engine/test_errors.py",
    ),
    *("tests/engine/egraph tests/engine/equality tests/engine/extraction tests/engine/indices",),
    *("tests/engine/networks tests/engine/normal_forms tests/engine/runtime",),
    *("tests/engine/saturation tests/cases tests/benchmarks tests/support",),
    *("tests/frontend/expression", "tests/frontend/interface", "tests/frontend/printing"),
    *(
        "tests/frontend/calculus tests/frontend/certificates tests/frontend/cli "
        "tests/frontend/elementwise",
    ),
    *(
        "tests/frontend/index tests/frontend/matrix tests/frontend/text tests/frontend/typeset "
        "tests/frontend/numpy_text "
        "tests/frontend/test_types.py",
    ),
    *("tests/frontend/page tests/frontend/workbench tests/docs tests/test_packaging.py",),
)


def named(walk: str) -> str:
    """The title of a walk."""
    return walk.partition("\n")[0]


def run_module(folder: Path, module: str, *args: str) -> None:
    """Run a module in a copy of the project; its output is shown where it fails."""
    environment = os.environ | {"PYTHONPATH": f"{folder}:{folder / 'src'}"}
    command = [sys.executable, "-m", module, *args]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]


@pytest.mark.parametrize("walk", WALKS, ids=named)
def test_a_walk_leads_where_it_says(walk: str, tmp_path: Path) -> None:
    assert without_errors(walks.walked(walk, tmp_path)) == without_errors(walk)


@pytest.mark.parametrize("addition", ADDITIONS, ids=named)
def test_an_addition_takes_three_files(addition: str) -> None:
    files = {name for name, _, _ in walks.STEP.findall(addition)}
    assert len([name for name in files if not name.startswith(("tests/", "docs/"))]) <= 3


LEFT_OUT = (
    "tests/docs/test_walks.py",
    "tests/frontend/workbench/test_proofs.py::test_every_law_is_in_the_table_once_in_order",
    "tests/frontend/workbench/test_proofs.py::test_the_table_is_current",
)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with three operations and a format, added by the walks alone."""
    folder = tmp_path_factory.mktemp("project")
    walks.copy_project(folder)
    for addition in ADDITIONS:
        walks.take_steps(addition, folder)
    # As `make docs` does; the table of proofs takes minutes.
    run_module(folder, "eggrad.frontend.workbench.rule_docs")
    run_module(folder, "tests.docs.functions")
    return folder


@pytest.mark.parametrize("part", PARTS)
def test_all_tests_pass_with_the_additions(part: str, extended: Path) -> None:
    """Those of the quick tier."""
    options = ("-qq", "--tier=quick", *(f"--deselect={test}" for test in LEFT_OUT))
    run_module(extended, "pytest", "-pno:cacheprovider", "-pno:xdist", *options, *part.split())


def test_every_test_is_in_a_part() -> None:
    folders = [ROOT / folder for part in PARTS for folder in part.split()]
    files = [*(ROOT / "tests").rglob("test_*.py")]
    assert [f for f in files if not any(f.is_relative_to(folder) for folder in folders)] == []


def test_a_step_goes_after_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = [\n    1,\n]\n", "utf-8")
    steps = "```py\n# a.py, after: 1,\n    2,\n```\n\n```py\n# a.py\ny = x\n```\n"
    walks.take_steps(steps, tmp_path)
    assert (tmp_path / "a.py").read_text("utf-8") == "x = [\n    1,\n    2,\n]\ny = x\n"
    with pytest.raises(ValueError, match=r"a\.py has 0 lines '3,'"):
        walks.take_steps("```py\n# a.py, after: 3,\n4,\n```\n", tmp_path)
