"""Plots of what has been measured, drawn from the tables in docs/data/ into docs/figures/.

`python -m tests.benchmarks.plots`, and `make bench WRITE=1` at its end.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.benchmarks.tables import read_csv
from tests.support.drawing import panels, save, styled
from tests.support.places import DOCS

Row = Mapping[str, str]


def number(cell: str) -> float | None:
    """What a cell begins with, where that is a number.

    >>> number("5.9 (16)"), number("slow")
    (5.9, None)
    """
    try:
        return float(cell.split(maxsplit=1)[0].replace(",", ""))
    except (IndexError, ValueError):
        return None


def pairs(rows: list[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    """Two columns, where both have positive numbers."""
    both = [(number(row[x]), number(row[y])) for row in rows]
    found = [(a, b) for a, b in both if a and b]
    return [a for a, _ in found], [b for _, b in found]


def diagonal(panel: Any, *factors: float) -> None:
    """Where both axes of a logarithmic panel are the same, and off by some factors."""
    low = min(panel.get_xlim()[0], panel.get_ylim()[0])
    high = max(panel.get_xlim()[1], panel.get_ylim()[1])
    for factor in (1.0, *factors):
        line = "-" if factor == 1 else ":"
        panel.plot([low, high], [low * factor, high * factor], line, color="0.6", linewidth=0.8)


def means(figure_panels: Any) -> None:
    """Each framework's geometric means, as multiples of NumPy by hand."""
    (panel,) = figure_panels
    rows = read_csv("means_1")
    name, *kinds = (k for k in rows[0] if "factored" not in k)
    width = 0.8 / len(rows)
    for k, row in enumerate(rows):
        heights = [number(row[kind]) or float("nan") for kind in kinds]
        places = [place + (k - (len(rows) - 1) / 2) * width for place in range(len(kinds))]
        panel.bar(places, heights, width, label=row[name], color=f"C{k + 1}")
    panel.set_yscale("log")
    panel.axhline(1, color="0.4", linewidth=0.8)
    panel.set_xticks(range(len(kinds)), [kind.replace(" ", "\n", 1) for kind in kinds])
    panel.set_ylabel("time, NumPy by hand = 1")
    panel.legend(ncols=3)


def operations(figure_panels: Any) -> None:
    """Operations of each derivative against the form by hand."""
    (panel,) = figure_panels
    panel.loglog(*pairs(read_csv("extraction"), "repeats once", "ours"), "o", markersize=3)
    diagonal(panel)
    panel.set(xlabel="operations by hand, repeats computed once", ylabel="operations, eggrad")


def prediction(figure_panels: Any) -> None:
    """Predicted times of single nodes against measured ones."""
    (panel,) = figure_panels
    panel.loglog(*pairs(read_csv("prediction"), "measured µs", "predicted µs"), "o", markersize=3)
    diagonal(panel, 0.5, 2)
    panel.set(xlabel="measured, µs", ylabel="predicted, µs")


def backends(figure_panels: Any) -> None:
    """Each backend's time as a multiple of jitted JAX's own derivative."""
    rows = read_csv("backends_by_problem")
    figure_panels[0].set_ylabel("time, JAX's own = 1")
    for panel, backend in zip(figure_panels, ("jax", "numpy", "torch"), strict=True):
        panel.axhline(1, color="0.4", linewidth=0.8)
        panel.axvspan(1, 20, color="0.93")
        panel.loglog(*pairs(rows, "JAX, µs", backend), "o", markersize=3)
        panel.set(title=backend, xlabel="JAX's own, µs", ylim=(2e-3, 50))
        panel.set_xlim(8, 3e6)


def breadth(figure_panels: Any) -> None:
    """Derivations of wide and deep expressions, with their aims."""
    (panel,) = figure_panels
    rows = read_csv("breadth")
    places = range(len(rows), 0, -1)
    aims = [(number(row["aim"]), place) for row, place in zip(rows, places, strict=True)]
    panel.plot([number(row["yardsticks"]) for row in rows], places, "o", label="measured")
    panel.plot(*zip(*(aim for aim in aims if aim[0]), strict=True), "k|", label="aim")
    panel.set_xscale("log")
    panel.set_yticks(places, [f"{row['derivation']}, {row['size']}" for row in rows])
    panel.set_xlabel("yardsticks")
    panel.grid(alpha=0.3)
    panel.legend()


# Each plot with its number of panels, and their inches.
PLOTS: dict[Callable[[Any], None], tuple[int, float, float]] = {
    means: (1, 7, 3),
    operations: (1, 4, 3.5),
    prediction: (1, 4, 3.5),
    backends: (3, 2.8, 2.8),
    breadth: (1, 5.5, 4.5),
}


def draw_all(folder: Path) -> list[Path]:
    """Draw every plot; their paths."""
    paths: list[Path] = []
    with styled():
        for plot, (columns, width, height) in PLOTS.items():
            figure, own = panels(1, columns, width, height)
            plot(own)
            paths.append(folder / f"benchmark_{plot.__name__}.svg")
            save(figure, paths[-1])
    return paths


if __name__ == "__main__":
    draw_all(DOCS / "figures")
