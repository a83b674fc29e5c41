"""Ten losses with their gradients: eggrad's code and NumPy by hand, by turns in one process.

    OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.losses --size 200 --budget 1

prints a line for each loss: the time by hand, and as multiples of it that of the compiled value
and gradient, and that of a warm call of the function from `eg.value_and_grad`.
"""

import argparse
from collections.abc import Callable
from functools import partial
from statistics import geometric_mean
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.frontend.interface.trees import flatten, unflatten
from tests.benchmarks.losses.by_hand import ByHand, cases
from tests.benchmarks.paired import by_turns


def compiled(case: ByHand) -> Callable[[], Any]:
    """A call of the compiled value and gradient, with the arrays in the order of its parameters."""
    leaves, structure = flatten(case.arguments)
    count = len(flatten(case.arguments[0])[0])
    own = {k: a for k, a in enumerate(leaves) if np.asarray(a).dtype.kind == "f"}
    variables = {k: eg.variable(f"x{k}", np.shape(a)) for k, a in own.items()}
    arguments = unflatten(structure, [variables.get(k, a) for k, a in enumerate(leaves)])
    value = case.function(*arguments)
    f = eg.compile([value, *eg.gradient(value, [variables[k] for k in range(count)])])
    values = {f"x{k}": a for k, a in own.items()}
    return partial(f, **values)


def measured(case: ByHand, budget: float) -> tuple[float, float]:
    """The times of the code and of a warm call as multiples of that by hand, printed."""
    by_hand = {"by hand": partial(case.by_hand, *case.arguments)}
    warm = partial(eg.value_and_grad(case.function), *case.arguments)
    seconds, by_code = by_turns(compiled(case), by_hand, budget)
    _, by_call = by_turns(warm, by_hand, budget)
    print(
        f"{case.name}: {1e6 * seconds:.0f} µs by hand, compiled {by_code:.2f}, "
        f"eg.value_and_grad {by_call:.2f}",
        flush=True,
    )
    return by_code, by_call


def main() -> None:
    """Print a line for each loss, and the geometric means."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.losses")
    parser.add_argument("--size", type=int, default=200, help="examples, nodes or words")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds for each figure")
    chosen = parser.parse_args()
    found = [measured(case, chosen.budget) for case in cases(chosen.size)]
    by_code, by_call = map(geometric_mean, zip(*found, strict=True))
    print(f"geometric means: compiled {by_code:.2f}, eg.value_and_grad {by_call:.2f}")


if __name__ == "__main__":
    main()
