"""Times of many derivatives in one warm process, of loading, and nodes against the thesis's."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.benchmarks.tables import counted, table
from tests.support.places import DATA
from tests.support.programs import python

__all__ = ["Times", "appendix_totals", "case_times", "loading_table", "times_table", "yardstick"]

REPEATS = 5


@dataclass(frozen=True)
class Times:
    """Seconds of each case, by name."""

    what: str
    seconds: dict[str, float]

    def quantile(self, q: float) -> float:
        """The time that a share `q` of the cases stays within."""
        ordered = sorted(self.seconds.values())
        return ordered[min(len(ordered) - 1, int(q * len(ordered)))]

    @property
    def slowest(self) -> list[tuple[str, float]]:
        """The three slowest cases."""
        return sorted(self.seconds.items(), key=lambda c: -c[1])[:3]


def yardstick() -> float:
    """Seconds of a million additions in a Python loop, the best of a few: the machine's speed."""

    def once() -> float:
        began, total = time.perf_counter(), 0
        for i in range(1_000_000):
            total += i
        return time.perf_counter() - began

    return min(once() for _ in range(REPEATS))


def case_times(file: str, text: str, repeats: int = 3, only: Sequence[str] | None = None) -> Times:
    """The best time of each derivative of a data file, parsing and printing included."""
    import eggrad

    cases = json.loads((DATA / file).read_text("utf-8"))
    found: dict[str, float] = {}
    for case in cases:
        if only is not None and case["id"] not in only:
            continue
        runs: list[float] = []
        for _ in range(repeats):
            began = time.perf_counter()
            # Answers that may depend on time are not remembered.
            str(eggrad.parse(case[text]).derivative(budget=eggrad.Budget(seconds=600)))
            runs.append(time.perf_counter() - began)
            # A slow case needs no second opinion.
            if runs[0] > 1:
                break
        found[case["id"]] = min(runs)
    return Times(file.partition(".")[0].replace("_", " "), found)


def times_table(found: Sequence[Times], unit: float) -> str:
    """Median, p95 and worst of each collection, and the slowest cases by name."""
    heading = "derivatives | cases | median ms | p95 ms | worst ms | median / yardstick | slowest"
    rows: list[list[object]] = []
    for t in found:
        times = [1000 * t.quantile(q) for q in (0.5, 0.95, 1)]
        slowest = ", ".join(f"{name} {1000 * s:.0f} ms" for name, s in t.slowest)
        ratio = f"{times[0] / 1000 / unit:.2f}"
        rows.append([t.what, len(t.seconds), *(f"{ms:.1f}" for ms in times), ratio, slowest])
    return table(heading, rows)


def _seconds_of(program: str) -> float:
    """The best wall time of a Python program in a process of its own."""

    def once() -> float:
        began = time.perf_counter()
        python("-c", program)
        return time.perf_counter() - began

    return min(once() for _ in range(REPEATS))


def loading_table(unit: float) -> str:
    """What starting costs, each step less the step before."""
    tiny = "eggrad.parse('declare x 0 expression x derivative wrt x')"
    steps = {
        "Python alone": "pass",
        "import eggrad": "import eggrad",
        "parse a first text": f"import eggrad; {tiny}",
        "load the rules, differentiate once": f"import eggrad; {tiny}.derivative()",
    }
    rows: list[tuple[str, str, str]] = []
    before = 0.0
    for name, program in steps.items():
        seconds = _seconds_of(program)
        rows.append((name, f"{1000 * (seconds - before):.0f}", f"{(seconds - before) / unit:.1f}"))
        before = seconds
    return table("step | ms | / yardstick", rows)


def appendix_totals() -> str:
    """Nodes of our derivatives and of those that the thesis prints."""
    from tests.cases.test_appendix import EXAMPLES, node_counts

    counts = [node_counts(example) for example in EXAMPLES]
    ours, printed = (sum(column) for column in zip(*counts, strict=True))
    fewer = sum(mine < theirs for mine, theirs in counts)
    more = [e["id"] for e, (mine, theirs) in zip(EXAMPLES, counts, strict=True) if mine > theirs]
    heading = "examples | nodes ours | nodes printed | ours has fewer | as many | more"
    same = len(counts) - fewer - len(more)
    return table(heading, [(len(counts), ours, printed, fewer, same, counted(more))], 0)
