"""The gradient of a residual network with many layers: what one layer costs.

`python -m tests.benchmarks.growth LAYERS` measures one depth and prints it as JSON: a process of
its own for each, so that the peak of memory is that of one gradient.
"""

import json
import sys
import time
from dataclasses import asdict, dataclass

from tests.benchmarks.frameworks.process import peak_megabytes
from tests.benchmarks.tables import table as markdown
from tests.support.programs import python

__all__ = ["DEPTHS", "Growth", "by_hand", "measure", "measure_apart", "table"]

DEPTHS = (25, 50, 100, 200, 400)
WIDTH = 100


@dataclass(frozen=True)
class Growth:
    """What one gradient took."""

    layers: int
    enodes: int
    seconds: float
    nodes: int
    operations: int
    megabytes: float
    complete: bool


def by_hand(width: int) -> int:
    """The operations of one layer, forward and back, as one writes them with NumPy.

    Forward, `t = tanh(W @ h)` and `h + t`: 2n² - n, n and n. Back, `g + W.T @ (g * (1 - t * t))`:
    n for each of the four element-wise steps and 2n² - n.
    """
    matvec = 2 * width**2 - width
    return (matvec + 2 * width) + (matvec + 4 * width)


def measure(layers: int) -> Growth:
    """The gradient of `h·h` for `h += tanh(W h)`, repeated, with respect to the first W."""
    from eggrad.engine.costs.cost import count, node_count
    from eggrad.engine.terms import term as t
    from eggrad.rules.standard import system

    weights = [t.variable(f"W{i}", ("n", "n")) for i in range(layers)]
    h = t.variable("x", ("n",))
    for w in weights:
        h = t.add(h, t.apply("tanh", t.einsum("ij,j->i", w, h)))
    loss = t.einsum("i,i->", h, h)
    small = t.variable("x")
    system().differentiate(t.apply("tanh", small), small)
    began = time.perf_counter()
    result = system().differentiate(loss, weights[0])
    seconds = time.perf_counter() - began
    return Growth(
        layers,
        result.report.enodes,
        seconds,
        node_count([result.term]),
        count([result.term], WIDTH),
        peak_megabytes(),
        result.complete,
    )


def measure_apart(layers: int, limit: float = 600) -> Growth:
    """The same in a process of its own."""
    done = python("-m", "tests.benchmarks.growth", layers, timeout=limit)
    return Growth(**json.loads(done.stdout))


def table(found: list[Growth]) -> str:
    """Figures per layer: totals, and operations as what each further layer adds."""
    heading = (
        "layers | e-nodes a layer | ms a layer | nodes a layer | "
        f"operations of a further layer, n = {WIDTH} | by hand | peak MB | budget"
    )
    lines: list[list[object]] = []
    for before, g in zip([None, *found], found, strict=False):
        each = (f"{n / g.layers:.1f}" for n in (g.enodes, 1000 * g.seconds, g.nodes))
        added = "" if before is None else _per_layer(before, g)
        ending = "kept" if g.complete else "ended exploration"
        memory = f"{g.megabytes:.0f}"
        lines.append([g.layers, *each, added, f"{by_hand(WIDTH):,}", memory, ending])
    return markdown(heading, lines, 0)


def _per_layer(before: Growth, g: Growth) -> str:
    each = (g.operations - before.operations) / (g.layers - before.layers)
    return f"{each:,.0f} ({each / by_hand(WIDTH):.3f})"


if __name__ == "__main__":
    print(json.dumps(asdict(measure(int(sys.argv[1])))))
