"""Time, e-nodes, operations, extraction and memory: `make bench`.

`--write` puts the tables into docs/data/, and what is short into docs/benchmarks.md, between the
comments that name it; with `--depths 25,50` the network has no more layers than that.
"""

import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version

from tests.benchmarks import breadth as bench_breadth
from tests.benchmarks import case_times as bench_cases
from tests.benchmarks import elementwise as bench_elementwise
from tests.benchmarks import extraction as bench_extraction
from tests.benchmarks import growth as bench_growth
from tests.benchmarks import prediction as bench_prediction
from tests.benchmarks.tables import show
from tests.support.programs import python


def sections(depths: list[int]) -> Iterator[tuple[str, Callable[[], str]]]:
    """The name of each table, and how it is made."""
    unit = bench_cases.yardstick()
    yield "machine", lambda: machine(unit)
    yield "loading", lambda: bench_cases.loading_table(unit)
    yield "times", lambda: bench_cases.times_table(all_times(), unit)
    yield "appendix", bench_cases.appendix_totals
    yield (
        "extraction",
        lambda: bench_extraction.table(map(bench_extraction.measure, bench_extraction.CASES)),
    )
    yield (
        "growth",
        lambda: bench_growth.table([bench_growth.measure_apart(n) for n in depths]),
    )
    yield "breadth", lambda: printed_apart(bench_breadth.__name__)
    yield "prediction", lambda: printed_apart(bench_prediction.__name__)
    yield "elementwise", lambda: printed_apart(bench_elementwise.__name__)


def all_times() -> list[bench_cases.Times]:
    """Both collections of derivatives, after one that loads the rules."""
    import eggrad

    eggrad.parse("declare x 0 expression sin(x) derivative wrt x").derivative()
    return [
        bench_cases.case_times("derivative_cases.json", "einsum_syntax"),
        bench_cases.case_times("appendix.json", "input"),
    ]


def printed_apart(program: str) -> str:
    """What a benchmark prints, in a process of its own that computes with one thread."""
    one = dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"], "1")
    return python("-m", program, environment=one).stdout.rstrip()


def machine(unit: float) -> str:
    """Where it ran, in a line."""
    parts = [f"Python {platform.python_version()}", f"egglog {version('egglog')}"]
    parts.append(f"NumPy {version('numpy')}")
    parts.append(f"yardstick (a million additions in a Python loop) {1000 * unit:.0f} ms")
    return "; ".join(parts) + "."


def main(arguments: list[str]) -> None:
    """Print every table; `--write` keeps them."""
    depths: list[int] = [*bench_growth.DEPTHS]
    if "--depths" in arguments:
        depths = [int(n) for n in arguments[arguments.index("--depths") + 1].split(",")]
    show(((name, make()) for name, make in sections(depths)), "--write" in arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
