"""Derivatives by eggrad: made in a process of their own, compiled and called in another.

    python -m tests.benchmarks.with_eggrad PROBLEM QUANTITY FILE

differentiates, writes the expressions to FILE and prints what it took as JSON. So the process that
is timed has NumPy and generated code in it, as the one for hand-written code has, and the peak of
memory is that of one derivative.
"""

import inspect
import json
import pickle
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench_growth import peak_megabytes
from tests.benchmarks.catalog import PROBLEMS
from tests.benchmarks.frameworks import Built
from tests.benchmarks.problem import DENSE, Array, Problem

if TYPE_CHECKING:
    from eggrad import Expression

__all__ = ["build", "derivative", "differentiated", "expressible", "loaded"]


def expressible(quantity: str) -> bool:
    """Whether eggrad offers the quantity."""
    import eggrad as eg

    return quantity not in DENSE or "structure" in inspect.signature(eg.compile).parameters


def derivative(problem: Problem, quantity: str) -> "list[Expression]":
    """What has to be compiled: the derivative, for a gradient with the value before it."""
    import eggrad as eg

    f, x = problem.expression(), next(iter(problem.data(1)))
    kind = DENSE.get(quantity, quantity)
    if kind == "gradient":
        return [f, eg.gradient(f, x)]
    if kind == "hessian":
        return [eg.hessian(f, x)]
    if kind == "jacobian":
        return [eg.jacobian(f, x)]
    if kind == "third":
        return [eg.derivative(f, x, x, x)]
    v = eg.variable("v", axes_of([f])[x])
    if hasattr(eg, "hvp"):
        return [eg.hvp(f, x, v)]
    return [eg.derivative(eg.sum(eg.gradient(f, x) * v), x)]


def axes_of(expressions: "Iterable[Expression]") -> dict[str, tuple[str | int, ...]]:
    """The axes of each variable, those included that only fix a size."""
    from eggrad.engine.binding import name_of

    return {name_of(v): v.dims for e in expressions for v in (*e.variables, *e.scope)}


def differentiated(problem: Problem, quantity: str, file: Path) -> dict[str, Any]:
    """Write the expressions; seconds with rules loaded, and megabytes beyond what that takes."""
    import eggrad as eg

    eg.parse("declare x 0 expression sin(x) derivative wrt x").derivative()
    before, began = peak_megabytes(), time.perf_counter()
    found = derivative(problem, quantity)
    seconds = time.perf_counter() - began
    file.write_bytes(pickle.dumps(found))
    return {
        "seconds": seconds,
        "megabytes": peak_megabytes() - before,
        "nodes": found[-1].node_count,
        "complete": all(e.complete for e in found),
    }


def loaded(file: Path) -> "list[Expression]":
    """The expressions of a file; this imports no e-graph."""
    return pickle.loads(file.read_bytes())


def build(
    problem: Problem, quantity: str, data: Mapping[str, Array], found: "Sequence[Expression]"
) -> Built:
    """Compile for the sizes of the data."""
    import eggrad as eg

    sizes = {
        symbol: size
        for name, dims in axes_of(found).items()
        for symbol, size in zip(dims, data[name].shape, strict=True)
        if isinstance(symbol, str)
    }
    options: dict[str, Any] = {"structure": "factored"} if quantity in DENSE else {}
    eg.compile(eg.constant(1))  # the first compilation loads modules
    began = time.perf_counter()
    several = quantity == "gradient"
    compiled = eg.compile(found if several else found[0], sizes=sizes, **options)
    seconds = {"compile": time.perf_counter() - began}
    return Built(lambda: compiled(**data), seconds=seconds)


if __name__ == "__main__":
    name, quantity, file = sys.argv[1:]
    print(json.dumps(differentiated(PROBLEMS[name], quantity, Path(file))))
