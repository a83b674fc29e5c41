"""Derivatives by eggrad: made and compiled in one process, called in another.

    python -m tests.benchmarks.frameworks.with_eggrad PROBLEM QUANTITY FOLDER SIZE...

differentiates, compiles for each size, writes the functions to FOLDER and prints what it took as
JSON. So the process that is timed has NumPy and generated code in it, as the one for hand-written
code has, and the peak of memory is that of one derivative.
"""

import json
import pickle
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.frameworks.frameworks import Built
from tests.benchmarks.frameworks.process import peak_megabytes
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import DENSE, Array, Problem

if TYPE_CHECKING:
    from eggrad import CompiledFunction, Expression


def derivative(problem: Problem, quantity: str) -> "list[Expression]":
    """What has to be compiled: the derivative, for a gradient with the value before it."""
    import eggrad as eg

    f, x = problem.expression, next(iter(problem.data(1)))
    match DENSE.get(quantity, quantity):
        case "gradient":
            return [f, eg.gradient(f, x)]
        case "hessian":
            return [eg.hessian(f, x)]
        case "jacobian":
            return [eg.jacobian(f, x)]
        case "third":
            return [eg.derivative(f, x, x, x)]
        case _:
            return [eg.hvp(f, x, eg.variable("v", problem.axes[x]))]


def axes_of(expressions: "Iterable[Expression]") -> dict[str, tuple[str | int, ...]]:
    """The axes of each variable, those included that only fix a size."""

    return {v.name: v.dims for e in expressions for v in e.variables}


def prepared(problem: Problem, quantity: str, folder: Path, sizes: Sequence[int]) -> dict[str, Any]:
    """Write the functions; seconds with rules loaded, and megabytes beyond what that takes."""
    import eggrad as eg

    x = eg.variable("x")
    eg.compile(eg.gradient(eg.sin(x), x))
    before, began = peak_megabytes(), time.perf_counter()
    found = derivative(problem, quantity)
    seconds = time.perf_counter() - began
    facts = {
        "seconds": seconds,
        "megabytes": peak_megabytes() - before,
        "nodes": found[-1].node_count,
        "complete": all(e.complete for e in found),
    }
    compilation = []
    for n in sizes:
        shapes = {name: a.shape for name, a in problem.arguments(quantity, n).items()}
        began = time.perf_counter()
        function = compiled(found, quantity, shapes)
        compilation.append(time.perf_counter() - began)
        _file(folder, problem, quantity, n).write_bytes(pickle.dumps(function))
    return facts | {"compilation": compilation}


def compiled(
    found: "list[Expression]",
    quantity: str,
    shapes: Mapping[str, tuple[int, ...]],
    backend: str = "numpy",
) -> "CompiledFunction":
    """The function for arrays of these shapes."""
    import eggrad as eg

    sizes = {
        symbol: size
        for name, dims in axes_of(found).items()
        for symbol, size in zip(dims, shapes[name], strict=True)
        if isinstance(symbol, str)
    }
    options: dict[str, Any] = {"backend": backend}
    if quantity in DENSE:
        options["structure"] = "factored"
    several = quantity == "gradient"
    return eg.compile(found if several else found[0], sizes=sizes, **options)


def build(
    problem: Problem, quantity: str, data: Mapping[str, Array], folder: Path, n: int
) -> Built:
    """The prepared function; this imports neither rules nor e-graph."""
    function = pickle.loads(_file(folder, problem, quantity, n).read_bytes())
    return Built(lambda: function(**data))


def _file(folder: Path, problem: Problem, quantity: str, n: int) -> Path:
    return folder / f"{problem.name}.{quantity}.{n}"


if __name__ == "__main__":
    from tests.benchmarks.unseen.catalog import UNSEEN

    name, quantity, folder, *sizes = sys.argv[1:]
    facts = prepared((PROBLEMS | UNSEEN)[name], quantity, Path(folder), [int(n) for n in sizes])
    print(json.dumps(facts))
