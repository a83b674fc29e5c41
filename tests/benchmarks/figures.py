"""Times against sizes, both logarithmic, as in figure 3 of Laue et al. 2018."""

from pathlib import Path
from typing import Any

from tests.benchmarks.problems.problem import QUANTITIES
from tests.benchmarks.report import LABELS, Results, headed
from tests.support.drawing import panels, save, styled

COLUMNS = 3
STYLES = {
    framework: {"marker": marker, "color": f"C{place}", "markersize": 3}
    for place, (framework, marker) in enumerate(zip(LABELS, "so^vDx", strict=True))
}


def draw(results: Results, folder: Path) -> list[Path]:
    """An SVG for each quantity and number of threads, a panel for each problem; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    with styled():
        return [
            path
            for threads in results.threads
            for quantity in QUANTITIES
            for path in _figure(results, threads, quantity, folder)
        ]


def _figure(results: Results, threads: int, quantity: str, folder: Path) -> list[Path]:
    problems = [p for p, q, sizes in results.rows(threads) if q == quantity and len(sizes) > 1]
    if not problems:
        return []
    rows, columns = -(-len(problems) // COLUMNS), min(len(problems), COLUMNS)
    whole, own = panels(rows, columns)
    for panel in own[len(problems) :]:
        panel.set_axis_off()
    for panel, problem in zip(own, problems, strict=False):
        _panel(panel, results, threads, problem, quantity)
    lines: dict[str, Any] = {}
    for panel in own:
        lines |= {line.get_label(): line for line in panel.get_lines()}
    whole.suptitle(f"{QUANTITIES[quantity]}, {headed(threads)}")
    whole.legend(lines.values(), lines.keys(), loc="outside lower center", ncols=2 * columns)
    path = folder / f"{quantity}_{threads}.svg"
    save(whole, path)
    return [path]


def _panel(panel: Any, results: Results, threads: int, problem: str, quantity: str) -> None:
    for framework, label in LABELS.items():
        found = sorted(results.measured.get(framework, {}))
        own = [where for where in found if where[:3] == (threads, problem, quantity)]
        points = [(where[3], results.seconds(framework, where)) for where in own]
        points = [point for point in points if point[1] is not None]
        if points:
            panel.loglog(*zip(*points, strict=True), label=label, **STYLES[framework])
    panel.set_title(problem.replace("_", " "))
    panel.set_xlabel("n")
    panel.set_ylabel("seconds")
    panel.grid(alpha=0.3)
