"""Mutants of the source: a sign, an index, a condition or a number of rules/ or engine/ is wrong.

`python -m tests.support.mutants [N] [SEED]`, or `make mutants`, draws N of them, and puts each
into a copy of the project. Tests run there until one fails, those nearest to the change first.
Where all pass, the mutant survives: a test is missing, or nobody can tell it from the source.
"""

import argparse
import asyncio
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product, starmap
from pathlib import Path, PurePosixPath
from random import Random
from types import CodeType
from typing import Final

import pytest

from eggrad.frontend.workbench.rule_docs import table
from tests.support.places import ROOT
from tests.support.source_edits import KINDS, Edit, edits

NUMBER: Final = 40
SEED: Final = 2022
FOLDERS: Final = ("rules", "engine")
# Seconds for one run of tests: all of them take less than half.
LIMIT: Final = 3600
# What pytest's `--tier` takes here, the usual one first.
TIERS: Final = ("standard", "thorough")
# It sees that a law is another one, and not that it is wrong.
UNASKED: Final = "tests/frontend/workbench/test_rule_docs.py::test_the_pages_are_current"
SURVIVED: Final = "SURVIVED"
UNCLEAR: Final = "UNCLEAR"
FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S.*?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """A file with one edit, and its lines before and after."""

    file: str
    line: int
    kind: str
    before: str
    after: str
    source: bytes

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.kind}: {self.before} -> {self.after}"


def mutant(file: str, source: bytes, edit: Edit) -> Mutant:
    """A file of that source with an edit."""
    first = source.rfind(b"\n", 0, edit.start) + 1
    last = source.index(b"\n", edit.end)
    lines = source[first:last]
    edited = source[first : edit.start] + edit.text.encode() + source[edit.end : last]
    before, after = (" ".join(text.decode().split()) for text in (lines, edited))
    line = source.count(b"\n", 0, edit.start) + 1
    return Mutant(file, line, edit.kind, before, after, source[:first] + edited + source[last:])


def does(source: bytes) -> object:
    """What a file is compiled to, without the lines; None where Python warns or refuses."""

    def read(code: CodeType) -> object:
        constants = [read(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
        return code.co_code, code.co_names, code.co_varnames, code.co_freevars, *constants

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return read(compile(source, "", "exec"))
        except SyntaxError:
            return None


def drawn(number: int, seed: int) -> list[Mutant]:
    """Different mutants, as many of each kind and folder, of long files more."""
    random = Random(seed)
    sources = {
        folder: {
            path.relative_to(ROOT).as_posix(): path.read_bytes()
            for path in sorted((ROOT / folder).rglob("*.py"))
        }
        for folder in FOLDERS
    }
    edits_of = cache(edits)
    groups = [*product(KINDS, FOLDERS)]
    found: list[Mutant] = []
    while len(found) < number:
        kind, folder = groups[len(found) % len(groups)]
        files = sources[folder]
        ((file, source),) = random.choices([*files.items()], [*map(len, files.values())])
        if of_kind := [edit for edit in edits_of(source) if edit.kind == kind]:
            other = mutant(file, source, random.choice(of_kind))
            if other not in found and does(other.source) not in {None, does(source)}:
                found.append(other)
    return found


def stages(file: str) -> list[list[str]]:
    """What pytest runs in turn for a file: its examples and its folder, folders around it, all."""
    folders = [str("tests" / parent) for parent in PurePosixPath(file).parents]
    near = [folder for folder in folders if (ROOT / folder).is_dir()]
    examples = f"src/eggrad/{file}"
    wider = [[wide, f"--deselect={narrow}/"] for narrow, wide in pairwise(near)]
    wider[-1] += ["src/eggrad", f"--deselect={examples}"]
    return [[examples, near[0]], *wider]


def copy_project(folder: Path) -> None:
    """Copy what git keeps, links as links."""
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in kept.stdout.decode().rstrip("\0").split("\0"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)


async def failure(command: Sequence[str], folder: Path, limit: float) -> str:
    """The first test that fails in a copy, or how else the run ends; nothing where all pass."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=os.environ | {"PATH": path, "PYTHONPATH": str(folder / "src")},
        stdout=PIPE,
        stderr=STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), limit)
    except TimeoutError:
        return "time"
    finally:
        # What hangs may have started processes of its own.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    text, status = output.decode(errors="replace"), process.returncode
    assert status is not None
    if status in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        return ""
    if status < 0:
        return f"signal {-status}"
    found = FAILED.search(text)
    return found[1] if found else f"{UNCLEAR}: {text.strip().rpartition(chr(10))[2]}"


async def verdict(other: Mutant, clean: Path, options: argparse.Namespace) -> str:
    """What catches a mutant; `clean` is a copy without it, in which that test has to pass."""
    command = [*shlex.split(options.pytest), "-x", f"--deselect={UNASKED}"]
    command.append(f"--tier={options.tier}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_project(folder)
        (folder / other.file).write_bytes(other.source)
        for tests in stages(other.file)[: 1 if options.nearest else None]:
            if test := await failure([*command, *tests], folder, options.limit):
                if (clean / test.partition("::")[0]).is_file():
                    alone = await failure([*command, test], clean, options.limit)
                    return f"{UNCLEAR}: fails without it: {test}" if alone == test else test
                return test
    return SURVIVED


async def judge(mutants: Mapping[int, Mutant], options: argparse.Namespace) -> None:
    """Print what becomes of each, as it is known, then all as a table of a document."""
    places = asyncio.Semaphore(options.jobs)
    with tempfile.TemporaryDirectory() as clean:
        copy_project(Path(clean))

        async def judged(k: int, other: Mutant) -> str:
            async with places:
                found = await verdict(other, Path(clean), options)
            print(f"{k} {other}\n    {found}", flush=True)
            return found

        found = await asyncio.gather(*starmap(judged, mutants.items()))
    rows = [
        (f"{k}", f"`{m.file}:{m.line}`", m.kind, f"`{m.before}` → `{m.after}`", f"`{by}`")
        for (k, m), by in zip(mutants.items(), found, strict=True)
    ]
    print("", *table(("", "place", "kind", "change", "caught by"), rows), sep="\n")
    survived, unclear = found.count(SURVIVED), sum(by.startswith(UNCLEAR) for by in found)
    caught = len(found) - survived - unclear
    print(f"\n{caught} of {len(found)} caught, {survived} survived, {unclear} unclear")


def main(arguments: Sequence[str]) -> None:
    """Draw mutants, and show them or what catches them."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.mutants")
    parser.add_argument("number", nargs="?", type=int, default=NUMBER)
    parser.add_argument("seed", nargs="?", type=int, default=SEED)
    parser.add_argument("--list", action="store_true", help="show the mutants and run nothing")
    parser.add_argument("--only", metavar="I[,J...]", help="the mutants of these numbers alone")
    parser.add_argument("--nearest", action="store_true", help="the nearest tests alone")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for a run of tests")
    parser.add_argument("--pytest", default="python -m pytest -q", help="how the tests are run")
    parser.add_argument("--tier", choices=TIERS, default=TIERS[0])
    options = parser.parse_args(arguments)
    mutants = dict(enumerate(drawn(options.number, options.seed), 1))
    if options.only:
        mutants = {k: mutants[k] for k in map(int, options.only.split(","))}
    if options.list:
        print(*(f"{k} {other}" for k, other in mutants.items()), sep="\n")
    else:
        asyncio.run(judge(mutants, options))


if __name__ == "__main__":
    main(sys.argv[1:])
