"""First and later calls of `eg.value_and_grad` and of jitted JAX, on functions in NumPy.

    python -m tests.benchmarks.first_calls --held-out

runs each library in a process of its own, with one thread, and prints for each function seconds of
the first call, from the function to value and gradient, and microseconds of a later one; these and
the times of all calls up to the 10th, 100th and 1000th as multiples of JAX's; and the longest of
the later calls. The last lines have the geometric means. JAX's arguments are arrays of its own.
`--second` instead runs eggrad twice with one folder for what is found, and prints first calls of
the second process as shares of those of the first.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.benchmarks.first_calls import measure
from tests.benchmarks.frameworks import frameworks
from tests.benchmarks.frameworks.measure import TOLERANCE, error_of
from tests.support.programs import python

CALLS = 1000
# A later call is the fastest of so many, the last ones.
LAST = 300
TOTALS = (10, 100, CALLS)
ENVIRONMENT = {
    "EGGRAD_CACHE": "0",
    "JAX_ENABLE_X64": "1",
    "JAX_PLATFORMS": "cpu",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}

Key = tuple[str, str]
"""A function's set and name."""


@dataclass(frozen=True)
class Calls:
    """What a library took for a function, and its results; or the error that it raised."""

    seconds: Sequence[float] = ()
    results: Sequence[Sequence[Any]] = ()
    error: str = ""

    @property
    def later(self) -> float:
        """Seconds of a later call."""
        return min(self.seconds[1:][-LAST:])


def process(
    library: str, sets: Sequence[str], calls: int = CALLS, **environment: str
) -> dict[Key, Calls]:
    """What a process of a library took for each function."""
    arguments = ["-W", "ignore", "-m", measure.__name__, library, calls, *sets]
    printed = python(*arguments, environment=ENVIRONMENT | environment).stdout
    lines = [json.loads(line) for line in printed.splitlines()]
    return {(line.pop("set"), line.pop("name")): Calls(**line) for line in lines}


def ratios(own: Calls, jax: Calls) -> dict[str, float]:
    """The times as multiples of JAX's."""
    found = {"first": own.seconds[0] / jax.seconds[0], "later": own.later / jax.later}
    return found | {f"1 to {n}": sum(own.seconds[:n]) / sum(jax.seconds[:n]) for n in TOTALS}


def agree(own: Calls, jax: Calls) -> bool:
    """Whether values and gradients of the first and last call are those of JAX."""
    sides = ([[np.array(a) for a in r] for r in side.results] for side in (own, jax))
    return error_of(*sides) < TOLERANCE


def line(own: Calls, jax: Calls) -> str:
    """What is found of a function, in words."""
    if failures := [
        f"{library}: {side.error}"
        for library, side in (("eggrad", own), ("JAX", jax))
        if side.error
    ]:
        return "failed, " + "; ".join(failures)
    found = ratios(own, jax)
    first, later, *totals = (f"{name} {found[name]:.2f}" for name in found)
    longest, theirs = (1e3 * max(side.seconds[1:]) for side in (own, jax))
    return (
        f"first {own.seconds[0]:.2f} s, JAX {jax.seconds[0]:.2f} s; "
        f"later {1e6 * own.later:.1f} µs, JAX {1e6 * jax.later:.1f} µs; "
        f"multiples: {first}, {later}, {', '.join(totals)}; "
        f"longest later {longest:.1f} ms, JAX {theirs:.1f} ms; "
        f"{'agrees' if agree(own, jax) else 'WRONG'}"
    )


def means(title: str, found: Mapping[str, Mapping[str, float]]) -> str:
    """The geometric mean of each ratio of the functions, and its worst."""
    parts = []
    for ratio in next(iter(found.values()), {}):
        worst = max(found, key=lambda name: found[name][ratio])
        mean = geometric_mean([own[ratio] for own in found.values()])
        parts.append(f"{ratio} {mean:.2f} (worst {found[worst][ratio]:.2f}, {worst})")
    return f"{title}, {len(found)} functions: {', '.join(parts)}"


def compared(sets: Sequence[str]) -> bool:
    """Print what each function took beside JAX, and the means; whether all agree."""
    own, jax = process("eggrad", sets), process("jax", sets)
    found: dict[str, dict[str, dict[str, float]]] = {title: {} for title in sets}
    for (title, name), calls in own.items():
        theirs = jax[title, name]
        print(f"{name}: {line(calls, theirs)}")
        if not (calls.error or theirs.error) and agree(calls, theirs):
            found[title][name] = ratios(calls, theirs)
    for title in sets:
        print(means(title, found[title]))
    return sum(map(len, found.values())) == len(own)


def second(sets: Sequence[str]) -> bool:
    """Print first calls of a second process as shares of those of a first; whether none failed."""
    with TemporaryDirectory() as folder:
        first, again = (process("eggrad", sets, 1, EGGRAD_CACHE=folder) for _ in range(2))
    found: dict[str, dict[str, dict[str, float]]] = {title: {} for title in sets}
    for (title, name), calls in again.items():
        before = first[title, name]
        if failure := before.error or calls.error:
            print(f"{name}: failed, {failure}")
            continue
        share = calls.seconds[0] / before.seconds[0]
        found[title][name] = {"second process": share}
        print(f"{name}: {before.seconds[0]:.2f} s, then {calls.seconds[0]:.3f} s: {share:.3f}")
    for title in sets:
        print(means(title, found[title]))
    return sum(map(len, found.values())) == len(again)


def main() -> int:
    """Measure and print; 1 where a value is wrong or could not be had."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.first_calls")
    parser.add_argument("--held-out", action="store_true", help="the ten held out as well")
    parser.add_argument("--second", action="store_true", help="a second process of eggrad's")
    chosen = parser.parse_args()
    sets = [title for title in measure.SETS if chosen.held_out or title != "held_out"]
    if chosen.second:
        return int(not second(sets))
    if not frameworks.available("jax"):
        print("first calls are measured beside JAX, which is not installed")
        return 0
    return int(not compared(sets))


if __name__ == "__main__":
    sys.exit(main())
