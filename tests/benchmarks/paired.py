"""eggrad's compiled functions and NumPy by hand, by turns in one process.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.paired --problems quadratic --sizes 10,100

On a machine whose speed changes within seconds, as a virtual one may, two processes one after the
other say little about each other. Here both are called in every round, and what counts is the
median of the rounds' ratios. By hand is the method that is the fastest in the median.
"""

import gc
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.benchmarks import harness
from tests.benchmarks.frameworks import frameworks, with_eggrad
from tests.benchmarks.frameworks.measure import ALLOCATED, settled
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import DENSE
from tests.support.programs import python

__all__ = ["Pair", "by_turns", "main", "summary"]

SAMPLE_SECONDS = 3e-4
FEWEST_ROUNDS = 5
# A method this much slower than the fastest in its first calls is left out.
HOPELESS = 1.6
# Above this many seconds by hand the ratio is to be at most the first of these, else the second.
LONG, WITHIN, WITHIN_SHORT = 1e-4, 1.25, 2.0


@dataclass(frozen=True)
class Pair:
    """A quantity at a size: seconds by hand, and eggrad's time as a multiple of it."""

    problem: str
    quantity: str
    size: int
    seconds: float
    ratio: float

    @property
    def within(self) -> bool:
        """Whether the ratio is what was aimed at."""
        return self.ratio <= (WITHIN if self.seconds > LONG else WITHIN_SHORT)


def by_turns(
    ours: Callable[[], Any], by_hand: Mapping[str, Callable[[], Any]], budget: float
) -> tuple[float, float]:
    """Seconds by hand, and the median ratio of ours to it, from rounds of `budget` seconds."""
    calls = [ours, *by_hand.values()]
    for call in calls:
        call()
    first = [settled(call) for call in calls]
    close = [0] + [k for k in range(1, len(calls)) if first[k] < HOPELESS * min(first[1:])]
    times: dict[int, list[float]] = {k: [] for k in close}
    repetitions = max(1, int(SAMPLE_SECONDS / min(first)))
    end = time.perf_counter() + budget
    while len(times[0]) < FEWEST_ROUNDS or time.perf_counter() < end:
        for k in close:
            began = time.perf_counter_ns()
            for _ in range(repetitions):
                calls[k]()
            times[k].append((time.perf_counter_ns() - began) / repetitions * 1e-9)
    best = min(close[1:], key=lambda k: median(times[k]))
    ratios = [a / b for a, b in zip(times[0], times[best], strict=True)]
    return median(times[best]), median(ratios)


def measured(problem: str, chosen: harness.Options, folder: Path) -> list[Pair]:
    """Every quantity of a problem at every size."""
    own = PROBLEMS[problem]
    found: list[Pair] = []
    for quantity, described in own.quantities.items():
        sizes = harness.sizes_of(problem, quantity, chosen)
        python("-m", with_eggrad.__name__, problem, quantity, folder, *sizes)
        for n in sizes:
            data = own.arguments(quantity, n)
            ours = with_eggrad.build(own, quantity, data, folder, n).call
            by_hand = {
                method: frameworks.build("numpy", own, quantity, method, data).call
                for method in described.by_hand
            }
            seconds, ratio = by_turns(ours, by_hand, chosen.budget)
            found.append(Pair(problem, quantity, n, seconds, ratio))
            print(f"{problem}, {quantity}, {n}: {seconds * 1e6:.1f} µs, {ratio:.2f}", flush=True)
            del data, ours, by_hand
            gc.collect()
    return found


def summary(pairs: Sequence[Pair]) -> str:
    """The geometric means, and what is beyond the aims."""
    parts = {
        "dense": [p for p in pairs if p.quantity not in DENSE],
        "factored": [p for p in pairs if p.quantity in DENSE],
    }
    lines: list[str] = []
    for name, own in parts.items():
        if own:
            mean = geometric_mean([p.ratio for p in own])
            beyond = sum(not p.within for p in own)
            lines.append(f"{name}: {len(own)} cases, mean {mean:.3f}, {beyond} beyond the aims")
    lines += [
        f"  {p.problem}, {p.quantity}, {p.size}: {p.seconds * 1e6:.1f} µs by hand, {p.ratio:.2f}"
        for p in pairs
        if not p.within
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Measure what the command line of the harness asks for, on the threads of the environment."""
    threads = os.environ.get("OPENBLAS_NUM_THREADS")
    if threads is None:
        sys.exit("set OPENBLAS_NUM_THREADS to 1 or 2, please: it counts when NumPy is loaded")
    print(f"eggrad and NumPy by turns, BLAS with threads: {threads}")
    chosen = harness.options(arguments)
    np.empty(ALLOCATED).fill(0.0)
    pairs: list[Pair] = []
    with TemporaryDirectory() as folder:
        for problem in chosen.problems:
            pairs += measured(problem, chosen, Path(folder))
    print(summary(pairs))


if __name__ == "__main__":
    main(sys.argv[1:])
