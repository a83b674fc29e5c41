"""eggrad's backends and JAX's own derivatives, by turns in one process: `make bench`.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.backends --problems quadratic --sizes 30,300

XLA and PyTorch have one thread. What counts is the median of the rounds' ratios to jitted JAX's own
derivative, in the fastest way to ask for it; `--write` puts the tables into docs/data/ and the
means into docs/benchmarks.md.
"""

import argparse
import gc
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import numpy as np

from tests.benchmarks.frameworks import frameworks, with_eggrad, with_jax
from tests.benchmarks.frameworks.measure import settled
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import DENSE, QUANTITIES, Problem
from tests.benchmarks.tables import show, table
from tests.benchmarks.unseen import operations
from tests.benchmarks.unseen.catalog import UNSEEN

BACKENDS = ("jax", "numpy", "torch")
SIZES = (30, 100, 300)
SAMPLE_SECONDS = 3e-4
FEWEST_ROUNDS = 5
# A way to ask JAX that is this much slower than the fastest in its first calls is left out.
HOPELESS = 1.6
# Shorter calls are those of JAX's dispatch alone.
SHORT = 2e-5
# JAX's second derivatives by forward mode over all columns may take more memory than there is.
MOST_BYTES = 4 << 30


@dataclass(frozen=True)
class Figure:
    """A quantity at a size: JAX's seconds, and each backend's time as a multiple of them."""

    problem: str
    quantity: str
    size: int
    seconds: float
    ratios: Mapping[str, float]


def calls(problem: Problem, quantity: str, n: int, found: Any) -> dict[str, Callable[[], Any]]:
    """A call for each backend, arrays already of its library, and for each way to ask JAX."""
    import jax
    import torch

    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(1)
    data = problem.arguments(quantity, n)
    shapes = {name: a.shape for name, a in data.items()}
    made: dict[str, Callable[[], Any]] = {}
    kinds = {"jax": jax.numpy.asarray, "numpy": np.asarray, "torch": torch.asarray}
    for backend in BACKENDS:
        function = with_eggrad.compiled(found, quantity, shapes, backend)
        given = {name: kinds[backend](a) for name, a in data.items()}
        if backend == "jax":
            made[backend] = lambda f=function, a=given: jax.block_until_ready(f(**a))
        else:
            made[backend] = lambda f=function, a=given: f(**a)
    ops = operations.with_jax() if problem.name in UNSEEN else frameworks.operations("jax")

    def f(*values: Any) -> Any:
        return problem.function(ops, *values)

    for method in frameworks.METHODS["jax"][quantity]:
        try:
            own = with_jax.build(f, quantity, method, (*data.values(),), MOST_BYTES)
            own.call()
        except MemoryError:
            continue
        made[method] = own.call
    return made


def measured(problem: Problem, quantity: str, n: int, found: Any, budget: float) -> Figure | None:
    """One figure; None where JAX has no way that fits into memory."""
    made = calls(problem, quantity, n, found)
    first = {name: settled(call) for name, call in made.items()}
    ways = {name: s for name, s in first.items() if name not in BACKENDS}
    if not ways:
        return None
    close = {w for w, s in ways.items() if s < HOPELESS * min(ways.values())}
    times: dict[str, list[float]] = {name: [] for name in made if name in close or name in BACKENDS}
    end = time.perf_counter() + budget * len(times)
    while len(times["jax"]) < FEWEST_ROUNDS or time.perf_counter() < end:
        for name, own in times.items():
            repetitions = max(1, int(SAMPLE_SECONDS / first[name]))
            began = time.perf_counter()
            for _ in range(repetitions):
                made[name]()
            own.append((time.perf_counter() - began) / repetitions)
    best = min(close, key=lambda w: median(times[w]))
    ratios = {
        b: median(x / y for x, y in zip(times[b], times[best], strict=True)) for b in BACKENDS
    }
    return Figure(problem.name, quantity, n, median(times[best]), ratios)


def figures(names: Sequence[str], sizes: Sequence[int], budget: float) -> Iterator[Figure]:
    """All figures, each printed when it is there."""
    every = {**PROBLEMS, **UNSEEN}
    for problem in (every[name] for name in names or every):
        for quantity, own in problem.quantities.items():
            if quantity in DENSE:
                continue
            found = with_eggrad.derivative(problem, quantity)
            for n in (n for n in sizes if n <= max(own.sizes)):
                figure = measured(problem, quantity, n, found, budget)
                gc.collect()
                if figure is not None:
                    shown = ", ".join(f"{b} {r:.2f}" for b, r in figure.ratios.items())
                    print(
                        f"{problem.name}, {quantity}, {n}: {figure.seconds * 1e6:.1f} µs, {shown}",
                        flush=True,
                    )
                    yield figure


def kind(quantity: str) -> str:
    """The kind of quantity that an aim is for."""
    return (
        "Hessians and more"
        if quantity in ("hessian", "third")
        else "gradients, Jacobians, products"
    )


def summary(found: Sequence[Figure]) -> str:
    """For each kind of quantity and each half of the problems the means, and what is beyond."""
    rows: list[tuple[object, ...]] = []
    for half, names in (("project", PROBLEMS), ("unseen", UNSEEN)):
        for own_kind in dict.fromkeys(map(kind, QUANTITIES)):
            own = [
                f
                for f in found
                if f.problem in names and kind(f.quantity) == own_kind and f.seconds > SHORT
            ]
            if own:
                jax = [f.ratios["jax"] for f in own]
                means = (f"{geometric_mean(f.ratios[b] for f in own):.2f}" for b in BACKENDS)
                within = f"{sum(r <= 1.1 for r in jax)} of {len(jax)}"
                rows.append((f"{half}: {own_kind}", *means, within, f"{max(jax):.2f}"))
    heading = "time by jitted JAX's own | jax | numpy | torch | jax within 1.1 | jax at worst"
    return table(heading, rows)


def details(found: Sequence[Figure]) -> str:
    """A row for each quantity and size."""
    lines = [
        (
            f"{f.problem}, {QUANTITIES[f.quantity]}",
            f.size,
            f"{f.seconds * 1e6:.0f}",
            *(f"{f.ratios[b]:.2f}" for b in BACKENDS),
        )
        for f in found
    ]
    return table("problem | n | JAX, µs | jax | numpy | torch", lines)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", default="")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--budget", type=float, default=0.15)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    # JAX takes as many threads as the process has processors when it is loaded.
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    names = [n for n in given.problems.split(",") if n]
    found = list(figures(names, [int(n) for n in given.sizes.split(",")], given.budget))
    tables = {"backends": summary(found), "backends_by_problem": details(found)}
    show(tables.items(), given.write)


if __name__ == "__main__":
    main()
