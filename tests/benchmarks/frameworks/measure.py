"""The process that measures: one framework, one problem after the other.

    python -m tests.benchmarks.frameworks.measure FRAMEWORK FOLDER

reads tasks as a JSON list from standard input, prints a line of JSON before and after each, and
one after all. Every result is compared with the one written by hand. FOLDER has what
eggrad compiled.
"""

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.frameworks import frameworks
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import DENSE, Array, Problem

__all__ = ["FACTORED_CHECK", "TOLERANCE", "error_of", "measure", "timed"]

TOLERANCE = 1e-8
# At this size a factored form is checked as a dense tensor.
FACTORED_CHECK = 10
# A sample lasts at least this long, by repeated calls.
SAMPLE_SECONDS = 1e-4
MOST_SAMPLES = 400
# 31 MiB of numbers; from 32 MiB on, memory always comes from the system and goes back.
ALLOCATED = 31 << 17

Task = dict[str, Any]


def error_of(found: Any, expected: Any) -> float:
    """The largest difference, as a multiple of the largest expected entry.

    Infinite where shapes differ, a value is not finite or all that is expected is zero.

    >>> error_of([1.0, 2.0], (1.0, 2.5))
    0.2
    """
    if isinstance(expected, list | tuple):
        if len(found) != len(expected):
            return np.inf
        return max(map(error_of, found, expected))
    a, b = np.asarray(found), np.asarray(expected)
    if a.shape != b.shape or (a.ndim and a.dtype != np.float64):
        return np.inf
    a, b = a.reshape(-1), b.reshape(-1)
    largest = difference = 0.0
    # In pieces: the difference of two Hessians need not fit into memory.
    for start in range(0, a.size, 1 << 20):
        part, other = a[start : start + (1 << 20)], b[start : start + (1 << 20)]
        largest = max(largest, float(np.abs(other).max()))
        difference = max(difference, float(np.abs(part - other).max()))
        if not np.isfinite(part).all():
            return np.inf
    return difference / largest if largest else np.inf


def timed(call: Callable[[], Any], budget: float, first: float) -> dict[str, float]:
    """Seconds for each call: the median and least of samples that take `budget` seconds."""
    repetitions = max(1, int(SAMPLE_SECONDS / max(first, 1e-7)))
    samples: list[float] = []
    end = time.perf_counter() + budget
    while len(samples) < MOST_SAMPLES and (len(samples) < 3 or time.perf_counter() < end):
        began = time.perf_counter_ns()
        for _ in range(repetitions):
            result = call()
        samples.append((time.perf_counter_ns() - began) / repetitions * 1e-9)
        del result
        if sum(samples) * repetitions > max(10 * budget, 10):
            break
    samples.sort()
    return {"median": samples[len(samples) // 2], "least": samples[0], "samples": len(samples)}


def settled(call: Callable[[], Any]) -> float:
    """Seconds of a call that is not the first."""
    count = 1
    while True:
        began = time.perf_counter()
        for _ in range(count):
            call()
        seconds = time.perf_counter() - began
        if count > 1 or seconds > 1e-3:
            return seconds / count
        count = 5


def measure(framework: str, task: Task, folder: Path) -> Task:
    """The task with its status, and where that is "ok" its times and the error of its value."""
    problem, quantity, n = PROBLEMS[task["problem"]], task["quantity"], task["size"]
    data = problem.arguments(quantity, n)
    built = _built(framework, task, n, data, folder)
    result = built.converted(built.call())
    if framework == "eggrad" and quantity in DENSE:
        small = problem.arguments(quantity, FACTORED_CHECK)
        result = np.asarray(_built(framework, task, FACTORED_CHECK, small, folder).call())
        error = error_of(result, _by_hand(problem, DENSE[quantity], small))
    else:
        error = error_of(result, _by_hand(problem, quantity, data))
    del result
    gc.collect()
    times = timed(built.call, task["budget"], settled(built.call))
    status = "ok" if error < TOLERANCE else "wrong"
    return task | times | {"status": status, "error": error, "compilation": dict(built.seconds)}


def _by_hand(problem: Problem, quantity: str, data: Mapping[str, Array]) -> Any:
    return next(iter(problem.quantities[quantity].by_hand.values()))(*data.values())


def _built(
    framework: str, task: Task, size: int, data: Mapping[str, Array], folder: Path
) -> frameworks.Built:
    problem = PROBLEMS[task["problem"]]
    if framework != "eggrad":
        return frameworks.build(framework, problem, task["quantity"], task["method"], data)
    from tests.benchmarks.frameworks import with_eggrad

    return with_eggrad.build(problem, task["quantity"], data, folder, size)


def main(framework: str, folder: Path) -> None:
    """Measure the tasks of standard input.

    Left out is what failed at a smaller size, or would be too slow if time grows as n².
    """
    tasks: list[Task] = json.load(sys.stdin)
    # The C library returns freed memory to the system, page by page, until it has once freed an
    # array about as large as those to come: no framework should depend on what it did before.
    np.empty(ALLOCATED).fill(0.0)
    if framework.startswith("torch"):
        import torch

        torch.set_num_threads(len(os.sched_getaffinity(0)))
    before: dict[tuple[str, str, str], Task] = {}
    for task in tasks:
        key = task["problem"], task["quantity"], task["method"]
        smaller = before.get(key, {"status": "ok", "median": 0.0, "size": 1})
        expected = smaller.get("median", 0.0) * (task["size"] / smaller["size"]) ** 2
        if smaller["status"] != "ok":
            done = task | {"status": smaller["status"]}
        elif expected > task["patience"]:
            done = task | {"status": "too slow"}
        else:
            print(json.dumps({"event": "begin"} | task), flush=True)
            done = measure(framework, task, folder)
        before[key] = done
        print(json.dumps({"event": "end"} | done), flush=True)
        gc.collect()
        if framework == "jax":
            import jax

            jax.clear_caches()
    print(json.dumps({"event": "all"}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
