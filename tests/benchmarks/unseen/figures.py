"""eggrad's compiled functions on the unseen problems, by turns with NumPy by hand and with JAX."""

import argparse
import gc
import json
import os
import sys
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import geometric_mean
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.benchmarks.frameworks import frameworks, with_eggrad
from tests.benchmarks.frameworks.measure import ALLOCATED, TOLERANCE, error_of, settled
from tests.benchmarks.paired import by_turns
from tests.benchmarks.problems.problem import Array, Problem
from tests.benchmarks.unseen.catalog import HALVES, UNSEEN
from tests.support.programs import python

# What is aimed at: the ratios' geometric mean, each ratio, and each ratio of peak memory.
MEAN, WORST, MEMORY = 1.25, 2.5, 1.5
# Where fewer bytes are allocated by hand, Python's own objects decide the ratio of memory.
ARRAYS = 1 << 16
# Against JAX's own derivative: most times, and at worst, where that takes more than 20 µs.
JAX_MOST, JAX_WORST, JAX_SECONDS = 1.1, 1.3, 2e-5
JAX_METHODS = {
    "gradient": "value_and_grad",
    "jacobian": "jacfwd",
    "hessian": "jacfwd(jacrev)",
    "hvp": "jvp(grad)",
}
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
# A larger size is left out where a call of eggrad's would take more seconds, if time grows as n².
PATIENCE = 1.0
# JAX's Hessians by forward mode over all columns may take more memory than there is.
MOST_BYTES = 4 << 30


@dataclass(frozen=True)
class Options:
    """What to measure: halves, names of problems or all, sizes or all, seconds for each figure."""

    halves: tuple[str, ...] = tuple(HALVES)
    problems: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    budget: float = 0.3
    jax: bool = False


@dataclass(frozen=True)
class AgainstJax:
    """JAX's own derivative: seconds; times of our NumPy code and, if any, our JAX code by it."""

    seconds: float
    numpy: float
    jax: float | None


@dataclass(frozen=True)
class Figure:
    """A quantity at a size: `ratio` is eggrad's time by that of the fastest by hand.

    `memory` is the same of peak memory beyond the arguments, and `bytes` what it is by hand.
    """

    half: str
    problem: str
    quantity: str
    size: int
    seconds: float
    ratio: float
    derive: float
    compile: float
    memory: float
    bytes: int
    error: float
    against_jax: AgainstJax | None = None

    @property
    def name(self) -> str:
        """The figure in words."""
        return f"{self.problem}, {self.quantity}, {self.size}"

    def line(self) -> str:
        """All of it."""
        found = (
            f"{self.name}: {self.ratio:.2f} of {self.seconds * 1e6:.1f} µs, "
            f"derive {self.derive * 1e3:.0f} ms, compile {self.compile * 1e3:.0f} ms, "
            f"memory {self.memory:.2f} of {self.bytes / 1024:.0f} KiB"
        )
        if self.against_jax is not None:
            own = self.against_jax
            found += f"; {own.numpy:.2f} of JAX's {own.seconds * 1e6:.1f} µs"
            if own.jax is not None:
                found += f", by JAX {own.jax:.2f}"
        return found + (f"; WRONG by {self.error:.0e}" if self.error > TOLERANCE else "")


@dataclass
class Found:
    """All figures, and what could not be had."""

    figures: list[Figure] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def fail(self, reason: str) -> None:
        """Say at once what could not be had, and keep it for the summary."""
        print(reason, flush=True)
        self.failures.append(reason)


def peak_bytes(call: Callable[[], Any]) -> int:
    """The most that a call has allocated at once, its result included; it is not the first."""
    gc.collect()
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def measured(half: str, problem: Problem, chosen: Options, folder: Path, found: Found) -> None:
    """Every quantity of a problem at every size, printed one by one."""
    for quantity, own in problem.quantities.items():
        sizes = [n for n in own.sizes if n in chosen.sizes or not chosen.sizes]
        if not sizes:
            continue
        name = f"{problem.name}, {quantity}"
        done = python(
            "-m", with_eggrad.__name__, problem.name, quantity, folder, *sizes, check=False
        )
        if done.returncode:
            found.fail(f"{name}: {_last_line(done.stderr)}")
            continue
        facts = json.loads(done.stdout)
        before, took = 0, 0.0
        for n, seconds in zip(sizes, facts["compilation"], strict=True):
            if before and took * (n / before) ** 2 > PATIENCE:
                found.fail(f"{name}, {n}: left out, a call took {took:.3f} s at {before}")
                continue
            data = problem.arguments(quantity, n)
            ours = with_eggrad.build(problem, quantity, data, folder, n).call
            figure = _figure(
                half, problem, quantity, n, data, ours, (facts["seconds"], seconds), chosen
            )
            before, took = n, figure.seconds * figure.ratio
            found.figures.append(figure)
            print(figure.line(), flush=True)
            del data, ours
            gc.collect()


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]


def _jax_code(problem: Problem, quantity: str, data: Mapping[str, Any]) -> Callable[[], Any]:
    """A call of eggrad's code for JAX, derived and compiled in this process."""
    derivative = with_eggrad.derivative(problem, quantity)
    shapes = {name: a.shape for name, a in data.items()}
    function = with_eggrad.compiled(derivative, quantity, shapes, "jax")
    return lambda: function(**data)


def _figure(
    half: str,
    problem: Problem,
    quantity: str,
    n: int,
    data: Mapping[str, Array],
    ours: Callable[[], Any],
    times: tuple[float, float],
    chosen: Options,
) -> Figure:
    by_hand = {
        method: frameworks.build("numpy", problem, quantity, method, data).call
        for method in problem.quantities[quantity].by_hand
    }
    expected = next(iter(by_hand.values()))()
    error = error_of(ours(), expected)
    fastest = min(by_hand.values(), key=lambda call: min(settled(call) for _ in range(5)))
    allocated = peak_bytes(fastest)
    memory = peak_bytes(ours) / allocated
    seconds, ratio = by_turns(ours, by_hand, chosen.budget)
    against = _against_jax(problem, quantity, data, ours, expected, chosen) if chosen.jax else None
    return Figure(
        half, problem.name, quantity, n, seconds, ratio, *times, memory, allocated, error, against
    )


def _against_jax(
    problem: Problem,
    quantity: str,
    data: Mapping[str, Array],
    ours: Callable[[], Any],
    expected: Any,
    chosen: Options,
) -> AgainstJax | None:
    """Nothing where JAX would take too much memory."""
    import jax

    from tests.benchmarks.frameworks import with_jax
    from tests.benchmarks.unseen import operations

    ops = operations.with_jax()

    def f(*values: Any) -> Any:
        return problem.function(ops, *values)

    try:
        built = with_jax.build(f, quantity, JAX_METHODS[quantity], (*data.values(),), MOST_BYTES)
    except MemoryError as error:
        shape = next(iter(data.values())).shape
        print(f"{problem.name}, {quantity}, {shape}: JAX would take {error}", flush=True)
        return None
    if error_of(built.converted(built.call()), expected) > TOLERANCE:
        sys.exit(f"{problem.name}, {quantity}: JAX and NumPy by hand differ")
    theirs = {"JAX": built.call}
    seconds, by_numpy = by_turns(ours, theirs, chosen.budget)
    by_jax = None
    if has_jax_backend():
        arrays = {name: jax.numpy.asarray(a) for name, a in data.items()}
        made = _jax_code(problem, quantity, arrays)

        def call() -> Any:
            return jax.block_until_ready(made())

        if error_of(jax.tree.map(np.asarray, call()), expected) > TOLERANCE:
            sys.exit(f"{problem.name}, {quantity}: eggrad's JAX code and NumPy by hand differ")
        _, by_jax = by_turns(call, theirs, chosen.budget)
    jax.clear_caches()
    return AgainstJax(seconds, by_numpy, by_jax)


def has_jax_backend() -> bool:
    """Whether eggrad writes code for JAX."""
    import eggrad as eg

    try:
        eg.compile(eg.variable("x"), backend="jax")
    except eg.UnsupportedOperation:
        return False
    return True


def summary(found: Found) -> str:
    """For each half the geometric mean, the worst, and whether that is what was aimed at."""
    lines: list[str] = []
    for half in HALVES:
        own = [f for f in found.figures if f.half == half]
        if own:
            lines += _of_half(half, own)
    with_jax = [f for f in found.figures if f.against_jax is not None]
    lines += _of_jax("gradients and products", [f for f in with_jax if f.quantity != "hessian"])
    lines += _of_jax("Hessians", [f for f in with_jax if f.quantity == "hessian"])
    lines += [f"wrong: {f.name}" for f in found.figures if f.error > TOLERANCE]
    lines += [f"failed: {failure}" for failure in found.failures]
    return "\n".join(lines)


def _of_half(half: str, figures: Sequence[Figure]) -> list[str]:
    mean = geometric_mean([f.ratio for f in figures])
    worst = max(figures, key=lambda f: f.ratio)
    beyond = sum(f.ratio > WORST for f in figures)
    lines = [
        f"{half}: {len(figures)} figures, mean {mean:.3f} ({_verdict(mean, MEAN)}), "
        f"worst {worst.ratio:.2f} ({_verdict(worst.ratio, WORST)}): {worst.name}; "
        f"{beyond} beyond {WORST}"
    ]
    large = [f for f in figures if f.bytes >= ARRAYS]
    if large:
        most = max(large, key=lambda f: f.memory)
        beyond = sum(f.memory > MEMORY for f in large)
        lines.append(
            f"{half}, memory from {ARRAYS >> 10} KiB on: {len(large)} figures, "
            f"worst {most.memory:.2f} ({_verdict(most.memory, MEMORY)}): {most.name}; "
            f"{beyond} beyond {MEMORY}"
        )
    return lines


def _of_jax(name: str, figures: Sequence[Figure]) -> list[str]:
    """Our NumPy code, and our JAX code, by JAX's own derivative."""
    own = [f.against_jax for f in figures if f.against_jax is not None]
    parts = {
        "NumPy": [a.numpy for a in own if a.seconds > JAX_SECONDS],
        "JAX": [a.jax for a in own if a.seconds > JAX_SECONDS and a.jax is not None],
    }
    return [
        f"{name}, eggrad's {backend} code by jitted JAX above {JAX_SECONDS * 1e6:.0f} µs: "
        f"{len(ratios)} figures, mean {geometric_mean(ratios):.3f}, worst {max(ratios):.2f}, "
        f"{sum(r > JAX_MOST for r in ratios)} beyond {JAX_MOST}, "
        f"{sum(r > JAX_WORST for r in ratios)} beyond {JAX_WORST}"
        for backend, ratios in parts.items()
        if ratios
    ]


def _verdict(value: float, aim: float) -> str:
    return f"{'within' if value <= aim else 'beyond'} {aim}"


def options(arguments: Sequence[str]) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.unseen", description=__doc__)
    parser.add_argument("--half", choices=[*HALVES, "both"], default="both")
    parser.add_argument("--problems", default="", help="by commas; all of the half without")
    parser.add_argument("--sizes", default="", help="by commas; each quantity's own without")
    parser.add_argument("--budget", type=float, default=Options().budget, help="seconds a figure")
    parser.add_argument("--jax", action="store_true", help="compare with jitted JAX, one thread")
    given = parser.parse_args(arguments)
    problems = tuple(name for name in given.problems.split(",") if name)
    if unknown := sorted(set(problems) - set(UNSEEN)):
        parser.error(f"no problems {', '.join(unknown)}; there are: {', '.join(UNSEEN)}")
    return Options(
        tuple(HALVES) if given.half == "both" else (given.half,),
        problems,
        tuple(int(n) for n in given.sizes.split(",") if n),
        given.budget,
        given.jax,
    )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 where a value is wrong or could not be had."""
    chosen = options(arguments)
    threads = os.environ.get("OPENBLAS_NUM_THREADS")
    if threads is None:
        sys.exit("set OPENBLAS_NUM_THREADS to 1 or 2, please: it counts when NumPy is loaded")
    if chosen.jax:
        # JAX takes as many threads as the process has processors when it is loaded.
        os.environ.setdefault("XLA_FLAGS", ONE_THREAD)
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    print(f"eggrad and NumPy by turns, BLAS with threads: {threads}")
    np.empty(ALLOCATED).fill(0.0)
    found = Found()
    with TemporaryDirectory() as folder:
        for half in chosen.halves:
            for functions in HALVES[half].values():
                for problem in functions:
                    if not chosen.problems or problem.name in chosen.problems:
                        measured(half, problem, chosen, Path(folder), found)
    print(summary(found))
    return int(bool(found.failures) or any(f.error > TOLERANCE for f in found.figures))
