"""What CONTRIBUTING.md says can be done, in any clone."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.places import ROOT
from tests.support.tiers import left_out, slow_tests

PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
COMMANDS = [
    line.partition("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
]
TESTS = [c for c in COMMANDS if c.startswith("python -m pytest")]
MODULES = [c for c in COMMANDS if c.startswith("python -m tests.")]
TARGETS = [c for c in COMMANDS if c.startswith("make")]
LAYERS = ("engine", "rules", "frontend")


def output(*command: str, folder: Path = ROOT) -> str:
    """What a command prints, in a folder whose package is the one that is imported."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("command", TESTS)
def test_some_tests_are_run_alone(command: str) -> None:
    last = output(sys.executable, *command.split()[1:]).splitlines()[-1]
    assert re.match(r"\d+ passed", last)


@pytest.mark.parametrize("command", TARGETS)
def test_targets_are_there(command: str) -> None:
    output(*command.split(), "--dry-run")


@pytest.mark.parametrize("command", MODULES)
def test_modules_and_pages_are_there(command: str) -> None:
    module, *pages = command.split()[2:]
    assert find_spec(module)
    assert all((ROOT / page).exists() for page in pages)


def test_all_commands_are_tested() -> None:
    (entering,) = {*COMMANDS} - {*TESTS, *MODULES, *TARGETS}
    assert entering == ". .venv-3.11/bin/activate"


def test_the_quick_tier_has_tests_of_every_folder() -> None:
    slow = slow_tests()
    found = {
        f"{file.relative_to(ROOT).as_posix()}::{name}"
        for file in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
    }
    assert {name for name in slow if name.startswith("tests/")} <= found
    quick = {name for name in found if not left_out(slow.get(name, 0))}
    assert {name.rpartition("/")[0] for name in quick} == {n.rpartition("/")[0] for n in found}


def test_a_clone_without_symbolic_links_works(tmp_path: Path) -> None:
    """Git writes a file in place of a link, with the path to which the link leads."""
    package = tmp_path / "src" / "eggrad"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "src" / "eggrad" / "__init__.py", package)
    shutil.copy(ROOT / "Makefile", tmp_path)
    for layer in LAYERS:
        shutil.copytree(ROOT / layer, tmp_path / layer)
        (package / layer).write_text(f"../../{layer}", "utf-8")
    program = "import eggrad as eg; x = eg.variable('x', (2,)); print(eg.gradient(x @ x, x), eg)"
    printed = output(sys.executable, "-c", program, folder=tmp_path)
    assert printed.startswith("declare x[2] expression x + x ")
    assert str(package) in printed
    (line,) = output("make", "--silent", "links", folder=tmp_path).splitlines()
    assert line.endswith("git config core.symlinks true && git checkout -f src")
