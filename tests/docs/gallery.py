"""The figures of docs/gallery.md, drawn from what its sessions compute.

`python -m tests.docs.gallery` writes them into docs/figures/.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.docs.sessions import refreshed
from tests.support.drawing import panels, save, styled
from tests.support.places import DOCS

PAGE = DOCS / "gallery.md"
Names = Mapping[str, Any]


def logistic(panel: Any, names: Names) -> None:
    """Newton's method and gradient descent."""
    panel.loglog(1 + np.arange(10), names["newton_norms"], "o-", label="Newton's method")
    panel.loglog(1 + np.arange(1000), names["descent_norms"], label="gradient descent")
    panel.set(xlabel="step", ylabel="norm of the gradient")
    panel.legend()


def softmax(panel: Any, names: Names) -> None:
    """Points, and the class of every place."""
    points, labels = names["points"], names["labels"]
    low, high = points.min(axis=0) - 0.5, points.max(axis=0) + 0.5
    x, y = np.meshgrid(*np.linspace(low, high, 200).T)
    scores = np.stack([x, y], axis=-1) @ names["weights"] + names["biases"]
    levels = np.arange(4) - 0.5
    panel.contourf(x, y, scores.argmax(axis=-1), levels, colors=["C0", "C1", "C2"], alpha=0.2)
    for label in range(3):
        panel.plot(*points[labels == label].T, ".", color=f"C{label}", markersize=4)
    panel.set(xlabel="$x_1$", ylabel="$x_2$")


def gaussian(panel: Any, names: Names) -> None:
    """A sample, and ellipses of one, two and three deviations."""
    turns = np.linspace(0, 2 * np.pi, 100)
    circle = np.stack([np.cos(turns), np.sin(turns)])
    panel.plot(*names["sample"].T, ".", color="C0", markersize=3, alpha=0.5)
    for deviations in (1, 2, 3):
        ellipse = deviations * np.linalg.cholesky(names["covariance"]) @ circle
        panel.plot(*(names["mean"][:, None] + ellipse), color="C1")
    panel.set(xlabel="$x_1$", ylabel="$x_2$")


def kalman(panel: Any, names: Names) -> None:
    """The level, what is seen, and what the filter says."""
    panel.plot(names["seen"], ".", color="0.6", markersize=4, label="seen")
    panel.plot(names["level"], color="C0", label="level")
    panel.plot(names["filtered"], color="C1", label="filtered")
    panel.set(xlabel="time")
    panel.legend()


def factorisation(panel: Any, names: Names) -> None:
    """The loss after each step."""
    panel.semilogy(names["losses"], "o-", markersize=3)
    panel.set(xlabel="step, by U and by V in turn", ylabel="loss")


def network(panel: Any, names: Names) -> None:
    """Samples and the fit."""
    panel.plot(names["t"], names["target"], ".", color="0.6", label="samples")
    panel.plot(names["t"], names["curve"], color="C1", label="network")
    panel.set(xlabel="t")
    panel.legend()


def process(panel: Any, names: Names) -> None:
    """The likelihood and its slope over the length scale."""
    values, slopes = names["curve_of_evidence"].T
    panel.plot(names["lengths"], values, label="negative log-likelihood")
    panel.plot(names["lengths"], slopes, label="its derivative")
    panel.axhline(0, color="0.6", linewidth=0.8)
    panel.axvline(names["best"], color="0.6", linewidth=0.8, linestyle="--")
    panel.set(xlabel="length scale", ylim=(values.min() - 20, np.quantile(values, 0.9)))
    panel.legend()


FIGURES: dict[str, Callable[[Any, Names], None]] = {
    f"gallery_{draw.__name__}.svg": draw
    for draw in (logistic, softmax, gaussian, kalman, factorisation, network, process)
}


def draw_all(folder: Path) -> None:
    """Run the page's sessions and draw every figure of it."""
    names: dict[str, object] = {}
    refreshed(PAGE.read_text("utf-8"), names)
    with styled():
        for name, draw in FIGURES.items():
            figure, (panel,) = panels(1, 1, 5.2, 3.2)
            draw(panel, names)
            save(figure, folder / name)


if __name__ == "__main__":
    draw_all(DOCS / "figures")
