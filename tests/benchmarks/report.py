"""Tables of the measurements, as multiples of the best code by hand in the same run.

    python -m tests.benchmarks.report [--results FILE] [--write]

prints them; `--write` puts them into docs/data/ and docs/benchmarks.md, and the figures into
docs/figures/.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.benchmarks.harness import RESULTS
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import QUANTITIES
from tests.benchmarks.tables import show, table
from tests.support.places import DOCS

# What tables and figures call each framework.
LABELS = {
    "numpy": "NumPy by hand",
    "eggrad": "eggrad",
    "jax": "JAX, jitted",
    "torch": "PyTorch",
    "torch_compile": "torch.compile",
    "autograd": "autograd",
}
# The first that begins a task's status is what its cell says.
FAILURES = {
    "too slow": "slow",
    "no result": "slow",
    "more than": "memory",
    "wrong": "wrong",
    "error": "error",
    "ended": "error",
}
NOTHING = "–"

Line = dict[str, Any]
Where = tuple[int, str, str, int]  # threads, problem, quantity, size


@dataclass
class Results:
    """The lines of a run: versions, eggrad's derivatives, and what was measured by framework."""

    versions: dict[str, str | None] = field(default_factory=dict)
    derivatives: dict[tuple[str, str], Line] = field(default_factory=dict)
    measured: dict[str, dict[Where, list[Line]]] = field(default_factory=dict)

    @property
    def threads(self) -> list[int]:
        """The numbers of threads, in order."""
        return sorted({where[0] for found in self.measured.values() for where in found})

    def rows(self, threads: int) -> list[tuple[str, str, list[int]]]:
        """Problem, quantity and sizes that have been measured, in the catalog's order."""
        every = {where for found in self.measured.values() for where in found}
        rows = [
            (problem, quantity, sorted({w[3] for w in every if w[:3] == (threads, *name)}))
            for problem, own in PROBLEMS.items()
            for quantity in own.quantities
            for name in [(problem, quantity)]
        ]
        return [row for row in rows if row[2]]

    def seconds(self, framework: str, where: Where) -> float | None:
        """The median of the fastest method, the best of all rounds; None where there is none."""
        lines = self.measured.get(framework, {}).get(where, [])
        return min((line["median"] for line in lines if line["status"] == "ok"), default=None)

    def ratio(self, framework: str, where: Where) -> float | None:
        """The time as a multiple of the best by hand."""
        own, by_hand = self.seconds(framework, where), self.seconds("numpy", where)
        return None if own is None or by_hand is None else own / by_hand

    def compilation(self, framework: str, problem: str, quantity: str) -> float | None:
        """Seconds of compilation, the longest of all sizes."""
        found = self.measured.get(framework, {}).items()
        own = [lines for where, lines in found if where[1:3] == (problem, quantity)]
        seconds = [line.get("compilation", {}).values() for lines in own for line in lines]
        return max(map(sum, filter(None, seconds)), default=None)


def read(file: Path) -> Results:
    """The results of a file that the harness wrote."""
    results = Results()
    for line in map(json.loads, file.read_text("utf-8").splitlines()):
        if line["event"] == "framework":
            results.versions[line["framework"]] = line["version"]
        elif line["event"] == "derivative":
            results.derivatives[line["problem"], line["quantity"]] = line
        else:
            where = line["threads"], line["problem"], line["quantity"], line["size"]
            found = results.measured.setdefault(line["framework"], {})
            found.setdefault(where, []).append(line)
    return results


def sections(results: Results) -> dict[str, str]:
    """The text of each table, by its name."""
    return {
        "frameworks": versions_line(results),
        **{f"means_{t}": means_table(results, t) for t in results.threads},
        **{f"ratios_{t}": ratios_table(results, t) for t in results.threads},
        "compilation": compilation_table(results),
    }


def versions_line(results: Results) -> str:
    """Each framework with its version, or that it is not installed."""
    parts = [f"{LABELS[f]} {v or 'not installed'}" for f, v in results.versions.items()]
    return "; ".join(parts) + "."


def means_table(results: Results, threads: int) -> str:
    """Geometric means of the ratios for each kind of quantity, and of how many."""
    kinds = [q for q in QUANTITIES if q in {row[1] for row in results.rows(threads)}]
    lines = []
    for framework in others(results, threads):
        cells = []
        for kind in (*kinds, None):
            ratios = [
                ratio
                for problem, quantity, sizes in results.rows(threads)
                for n in sizes
                if kind in (quantity, None)
                for ratio in [results.ratio(framework, (threads, problem, quantity, n))]
                if ratio is not None
            ]
            cells.append(f"{figure(geometric_mean(ratios))} ({len(ratios)})" if ratios else NOTHING)
        lines.append([LABELS[framework], *cells])
    heading = [headed(threads), *(QUANTITIES[k] for k in kinds), "all"]
    return table(heading, lines)


def ratios_table(results: Results, threads: int) -> str:
    """A row for each quantity and size."""
    frameworks = others(results, threads)
    lines = []
    for problem, quantity, sizes in results.rows(threads):
        for n in sizes:
            where = (threads, problem, quantity, n)
            by_hand = results.seconds("numpy", where)
            lines.append(
                [
                    f"{problem}, {QUANTITIES[quantity]}",
                    n,
                    NOTHING if by_hand is None else figure(by_hand * 1e6),
                    *(cell(results, f, where) for f in frameworks),
                ]
            )
    return table([headed(threads), "n", "by hand, µs", *(LABELS[f] for f in frameworks)], lines)


def cell(results: Results, framework: str, where: Where) -> str:
    """The ratio, or in a word why there is none."""
    ratio = results.ratio(framework, where)
    if ratio is not None:
        return figure(ratio)
    lines = results.measured.get(framework, {}).get(where, [])
    words = (FAILURES[f] for f in FAILURES for line in lines if line["status"].startswith(f))
    return next(words, NOTHING)


def compilation_table(results: Results) -> str:
    """What comes before the first call."""
    compilers = [f for f in ("jax", "torch_compile") if results.versions.get(f)]
    lines = []
    for (problem, quantity), found in results.derivatives.items():
        name = f"{problem}, {QUANTITIES[quantity]}"
        if found["status"] == "ok":
            ours = [
                figure(found["seconds"] * 1000),
                figure(found["megabytes"]),
                str(found["nodes"]),
                "kept" if found["complete"] else "ended exploration",
                figure(max(found["compilation"]) * 1000),
            ]
        else:
            ours = [found["status"], "", "", "", ""]
        seconds = [results.compilation(f, problem, quantity) for f in compilers]
        lines.append([name, *ours, *(NOTHING if s is None else figure(s * 1000) for s in seconds)])
    heading = ["", "differentiate, ms", "e-graph, MB", "nodes", "budget", "compile, ms"]
    return table([*heading, *(f"{LABELS[f]}, ms" for f in compilers)], lines)


def others(results: Results, threads: int) -> list[str]:
    """The frameworks that were measured with so many threads, beside what is written by hand."""
    measured = {f for f, found in results.measured.items() if threads in {w[0] for w in found}}
    return [f for f in LABELS if f != "numpy" and f in measured]


def headed(threads: int) -> str:
    return "one thread" if threads == 1 else f"{threads} threads"


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean.

    >>> geometric_mean([1, 4])
    2.0
    """
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def figure(value: float) -> str:
    """Two digits, or all before the point.

    >>> [figure(v) for v in (0.057, 0.51, 4.26, 18.4, 2310.7)]
    ['0.06', '0.51', '4.3', '18', '2,311']
    """
    if value < 0.995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def main(arguments: Sequence[str]) -> None:
    """Print the tables; `--write` puts them and the figures into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args(arguments)
    results = read(given.results)
    show(sections(results).items(), given.write)
    if given.write:
        from tests.benchmarks import figures

        figures.draw(results, DOCS / "figures")


if __name__ == "__main__":
    main(sys.argv[1:])
