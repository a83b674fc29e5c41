"""eggrad's compiled functions against NumPy by hand, JAX, PyTorch and autograd: `make bench`.

    python -m tests.benchmarks.harness --problems quadratic --threads 1 --frameworks numpy,eggrad

writes a line of JSON for each measurement. For each problem there is one process a framework;
its memory and the time since its last word are watched, and after the end of one that broke a
limit another goes on with what remains.
"""

import argparse
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from tests.benchmarks import frameworks, with_eggrad
from tests.benchmarks.catalog import PROBLEMS

__all__ = ["RESULTS", "Options", "main", "options", "run", "tasks_of"]

ROOT = Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "build" / "benchmarks" / "results.jsonl"
GIBI = 1 << 30
POLL_SECONDS = 0.25

Task = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What to measure, and when to give up.

    `sizes`, where not empty, replace each quantity's own up to its largest. `budget` is seconds
    for each measurement, `patience` the most that one call may be expected to take, `silence` the
    longest that a process may say nothing, `memory` the most bytes it may hold.
    """

    problems: tuple[str, ...] = tuple(PROBLEMS)
    frameworks: tuple[str, ...] = tuple(frameworks.FRAMEWORKS)
    sizes: tuple[int, ...] = ()
    threads: tuple[int, ...] = (1, 2)
    rounds: int = 1
    budget: float = 0.35
    patience: float = 10.0
    silence: float = 120.0
    memory: int = 8 * GIBI
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
        for quantity, what in own.quantities.items()
        for size in (
            [n for n in chosen.sizes if n <= max(what.sizes)] if chosen.sizes else what.sizes
        )
        for method in frameworks.methods(framework, own, quantity)
        if framework != "eggrad" or with_eggrad.expressible(quantity)
    ]


def run(chosen: Options) -> None:
    """Measure everything and append it to the file of results."""
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
                for done in _differentiate(problem, folder, chosen):
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


def _differentiate(problem: str, folder: Path, chosen: Options) -> Iterator[Task]:
    for quantity in PROBLEMS[problem].quantities:
        if not with_eggrad.expressible(quantity):
            continue
        file = folder / f"{problem}.{quantity}"
        command = [sys.executable, "-m", "tests.benchmarks.with_eggrad", problem, quantity, file]
        line = {"event": "derivative", "problem": problem, "quantity": quantity}
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                cwd=ROOT,
                timeout=chosen.silence,
                check=False,
            )
        except subprocess.TimeoutExpired:
            yield line | {"status": f"no result in {chosen.silence:.0f} s"}
            continue
        if done.returncode:
            yield line | {"status": "error: " + done.stderr.strip().rpartition("\n")[2]}
        else:
            yield line | {"status": "ok"} | json.loads(done.stdout)


def environment(threads: int) -> dict[str, str]:
    """The variables of a measuring process: so many threads, the processor, double precision."""
    own = {k: v for k, v in os.environ.items() if k != "GLIBC_TUNABLES"}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        own[name] = str(threads)
    own["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=" + ("true" if threads > 1 else "false")
    own["JAX_PLATFORMS"] = "cpu"
    own["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    own["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
    return own


@contextmanager
def processors(count: int) -> Iterator[None]:
    """Let a process that is started here run on so many processors alone."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[-count:])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _measured(
    framework: str, threads: int, tasks: list[Task], folder: Path, chosen: Options
) -> Iterator[Task]:
    """The outcome of each task; after the process had to end, larger sizes of it are left out."""
    line = {"event": "end", "framework": framework, "threads": threads}
    while tasks:
        begun: Task = {}
        for message in _messages(framework, threads, tasks, folder, chosen):
            if message["event"] == "begin":
                begun = message
            elif message["event"] == "end":
                tasks = tasks[1:]
                yield message | line
            elif message["event"] == "all":
                return
            else:
                first = begun or tasks[0]
                yield first | line | {"status": message["reason"]}
                tasks = [t for t in tasks[1:] if not _larger(t, first)]


def _larger(task: Task, other: Task) -> bool:
    same = all(task[k] == other[k] for k in ("problem", "quantity", "method"))
    return same and task["size"] >= other["size"]


def _messages(
    framework: str, threads: int, tasks: Sequence[Task], folder: Path, chosen: Options
) -> Iterator[dict[str, Any]]:
    """What a measuring process says; the last is "all", or "killed" with the reason."""
    command = [sys.executable, "-m", "tests.benchmarks.measure", framework, str(folder)]
    with processors(threads), (folder / "stderr.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=ROOT,
            env=environment(threads),
            start_new_session=True,
        )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(list(tasks)).encode())
    process.stdin.close()
    reason, heard, unread = "", time.monotonic(), b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not reason:
            if selector.select(POLL_SECONDS):
                read = os.read(process.stdout.fileno(), 1 << 16)
                if not read:
                    break
                heard = time.monotonic()
                *lines, unread = (unread + read).split(b"\n")
                for text in lines:
                    message = json.loads(text)
                    yield message
                    if message["event"] == "all":
                        process.wait()
                        return
            reason = _broken_limit(process.pid, time.monotonic() - heard, chosen)
    if reason:
        os.killpg(process.pid, signal.SIGKILL)
    status = process.wait()
    yield {"event": "killed", "reason": reason or f"ended with status {status}"}


def _broken_limit(pid: int, silent: float, chosen: Options) -> str:
    if silent > chosen.silence:
        return f"no result in {chosen.silence:.0f} s"
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except OSError:
        return ""
    if pages * os.sysconf("SC_PAGE_SIZE") > chosen.memory:
        return f"more than {chosen.memory / GIBI:.0f} GiB"
    return ""


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
