"""The process that measures: one library, one set of functions after the other.

    python -m tests.benchmarks.first_calls.measure LIBRARY CALLS SET...

prints a line of JSON for each function: its set and name, the seconds of each call, and value and
gradient of the first call and of the last; or the error that it raised.
"""

import importlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tests.benchmarks.first_calls import functions, held_out
from tests.benchmarks.first_calls.functions import Function

SETS = {"functions": functions, "held_out": held_out}
SEED = 7


def library(name: str) -> tuple[Any, Callable[[Function], Function], Function]:
    """Its NumPy, what makes value and gradient of a function, and what readies an argument."""
    if name == "eggrad":
        import eggrad

        return numpy, eggrad.value_and_grad, lambda argument: argument
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)

    def made(f: Function) -> Function:
        derivative = jax.jit(jax.value_and_grad(f))
        return lambda *arguments: jax.block_until_ready(derivative(*arguments))

    return jax.numpy, made, lambda argument: jax.tree.map(jax.numpy.asarray, argument)


def leaves(tree: Any) -> list[Any]:
    """The arrays of nested containers, those of a dict by its sorted keys.

    >>> leaves((1.0, {"b": [2.0], "a": (3.0, 4.0)}))
    [array(1.), array(3.), array(4.), array(2.)]
    """
    if isinstance(tree, dict):
        tree = [tree[key] for key in sorted(tree)]
    if isinstance(tree, list | tuple):
        return [leaf for part in tree for leaf in leaves(part)]
    return [numpy.asarray(tree)]


def measured(
    made: Callable[[Function], Function], f: Function, arguments: Sequence[Any], calls: int
) -> tuple[list[float], list[list[Any]]]:
    """Seconds of each call, the first with the making, and results of the first and the last."""
    times, first, result = [], None, None
    began = time.perf_counter()
    derivative = made(f)
    for _ in range(calls):
        result = derivative(*arguments)
        times.append(time.perf_counter() - began)
        first = result if first is None else first
        began = time.perf_counter()
    return times, [leaves(first), leaves(result)]


def main(name: str, calls: str, *sets: str) -> None:
    """Print a line for each function, after one call that loads the library."""
    np, made, ready = library(name)
    measured(made, lambda x: np.sum(x**2), [ready(numpy.ones(3))], 1)
    for own in sets:
        for title, f, arguments in SETS[own].functions(np, numpy.random.default_rng(SEED)):
            line: dict[str, Any] = {"set": own, "name": title}
            try:
                times, results = measured(made, f, [ready(a) for a in arguments], int(calls))
                line |= {"seconds": times, "results": [[a.tolist() for a in r] for r in results]}
            except Exception as error:
                line["error"] = f"{type(error).__name__}: {error}"
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
