"""eggrad's compiled functions against NumPy by hand, JAX, PyTorch and autograd: `make bench`.

    python -m tests.benchmarks.harness --problems quadratic --threads 1 --frameworks numpy,eggrad

writes a line of JSON for each measurement. For each problem there is one process a framework;
its memory and the time since its last word are watched, and after the end of one that broke a
limit another goes on with what remains.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from tests.benchmarks.frameworks import frameworks, with_eggrad
from tests.benchmarks.frameworks.measure import FACTORED_CHECK
from tests.benchmarks.frameworks.process import Limits, messages
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import DENSE
from tests.support.places import ROOT
from tests.support.programs import python

__all__ = ["RESULTS", "Options", "main", "options", "run", "tasks_of"]

RESULTS = ROOT / "build" / "benchmarks" / "results.jsonl"

Task = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What to measure, and when to give up.

    `sizes`, where not empty, replace each quantity's own up to its largest. `budget` is seconds
    for each measurement, `patience` the most that one call may be expected to take. `rounds`
    repeat everything in new processes: what the allocator does depends on a process's history.
    """

    problems: tuple[str, ...] = tuple(PROBLEMS)
    frameworks: tuple[str, ...] = tuple(frameworks.FRAMEWORKS)
    sizes: tuple[int, ...] = ()
    threads: tuple[int, ...] = (1, 2)
    rounds: int = 2
    budget: float = 0.35
    patience: float = 10.0
    limits: Limits = field(default_factory=Limits)
    results: Path = RESULTS


def tasks_of(framework: str, problem: str, chosen: Options) -> list[Task]:
    """Every quantity, size and method of a problem, small sizes first."""
    own = PROBLEMS[problem]
    return [
        {
            "problem": problem,
            "quantity": quantity,
            "size": size,
            "method": method,
            "budget": chosen.budget,
            "patience": chosen.patience,
        }
        for quantity in own.quantities
        for size in sizes_of(problem, quantity, chosen)
        for method in frameworks.methods(framework, own, quantity)
    ]


def sizes_of(problem: str, quantity: str, chosen: Options) -> tuple[int, ...]:
    """The sizes at which a quantity is measured."""
    own = PROBLEMS[problem].quantities[quantity].sizes
    return tuple(n for n in chosen.sizes if n <= max(own)) if chosen.sizes else own


def run(chosen: Options) -> None:
    """Measure everything and write it to the file of results, line by line."""
    folder = chosen.results.parent
    folder.mkdir(parents=True, exist_ok=True)
    with chosen.results.open("w", encoding="utf-8") as file:
        for name in chosen.frameworks:
            found = frameworks.available(name)
            version = frameworks.version(name) if found else None
            _write(file, {"event": "framework", "framework": name, "version": version})
        installed = [f for f in chosen.frameworks if frameworks.available(f)]
        if "eggrad" in installed:
            for problem in chosen.problems:
                for done in _prepare(problem, folder, chosen):
                    _write(file, done)
        for _ in range(chosen.rounds):
            for problem in chosen.problems:
                for threads in chosen.threads:
                    for framework in installed:
                        tasks = tasks_of(framework, problem, chosen)
                        for done in _measured(framework, threads, tasks, folder, chosen):
                            _write(file, done)


def _write(file: TextIO, line: Mapping[str, Any]) -> None:
    file.write(json.dumps(line) + "\n")
    file.flush()
    if line["event"] == "end":
        outcome = f"{line['median'] * 1e6:10.1f} µs" if "median" in line else line["status"]
        names = (line[k] for k in ("problem", "quantity", "size", "threads", "framework"))
        print(*names, line["method"], outcome, sep="  ", flush=True)


def _prepare(problem: str, folder: Path, chosen: Options) -> Iterator[Task]:
    for quantity in PROBLEMS[problem].quantities:
        for old in folder.glob(f"{problem}.{quantity}.*"):
            old.unlink()
        sizes = {*sizes_of(problem, quantity, chosen)}
        if quantity in DENSE:
            sizes.add(FACTORED_CHECK)
        command = ["-m", with_eggrad.__name__, problem, quantity, folder, *sorted(sizes)]
        line = {"event": "derivative", "problem": problem, "quantity": quantity}
        limit = chosen.limits.silence
        try:
            done = python(*command, check=False, timeout=limit)
        except subprocess.TimeoutExpired:
            yield line | {"status": f"no result in {limit:.0f} s"}
            continue
        if done.returncode:
            yield line | {"status": "error: " + done.stderr.strip().rpartition("\n")[2]}
        else:
            yield line | {"status": "ok"} | json.loads(done.stdout)


def _measured(
    framework: str, threads: int, tasks: list[Task], folder: Path, chosen: Options
) -> Iterator[Task]:
    """The outcome of each task; a process that ended early ends larger sizes as well."""
    line = {"event": "end", "framework": framework, "threads": threads}
    while tasks:
        begun: Task = {}
        for message in messages(framework, threads, tasks, folder, chosen.limits):
            if message["event"] == "begin":
                begun = message
            elif message["event"] == "end":
                begun, tasks = {}, tasks[1:]
                yield message | line
            elif message["event"] == "all":
                return
            elif tasks:
                first = begun or tasks[0]
                for task in tasks:
                    if _as_large(task, first):
                        yield task | line | {"status": message["reason"]}
                tasks = [task for task in tasks if not _as_large(task, first)]


def _as_large(task: Task, other: Task) -> bool:
    same = all(task[k] == other[k] for k in ("problem", "quantity", "method"))
    return same and task["size"] >= other["size"]


def options(arguments: Sequence[str]) -> Options:
    """Read the command line."""
    default = Options()
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--problems", default=",".join(default.problems))
    parser.add_argument("--frameworks", default=",".join(default.frameworks))
    parser.add_argument("--sizes", default="")
    parser.add_argument("--threads", default=",".join(map(str, default.threads)))
    parser.add_argument("--rounds", type=int, default=default.rounds)
    parser.add_argument("--budget", type=float, default=default.budget)
    parser.add_argument("--patience", type=float, default=default.patience)
    parser.add_argument("--results", type=Path, default=default.results)
    given = parser.parse_args(arguments)
    for name, known in (("problems", PROBLEMS), ("frameworks", frameworks.FRAMEWORKS)):
        unknown = sorted(set(getattr(given, name).split(",")) - set(known))
        if unknown:
            parser.error(f"no {name} {', '.join(unknown)}; there are: {', '.join(known)}")
    return Options(
        tuple(given.problems.split(",")),
        tuple(given.frameworks.split(",")),
        tuple(int(n) for n in given.sizes.split(",") if n),
        tuple(int(n) for n in given.threads.split(",")),
        given.rounds,
        given.budget,
        given.patience,
        results=given.results,
    )


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line asks for."""
    run(options(arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
