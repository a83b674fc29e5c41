"""Figures for the documents: the same file for the same numbers."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

# No random names, and texts that stay texts.
STYLE = {"svg.hashsalt": "eggrad", "svg.fonttype": "none", "font.size": 8}


def styled() -> AbstractContextManager[None]:
    """Where figures are made and saved."""
    import matplotlib as mpl

    return mpl.rc_context(STYLE)


def panels(rows: int, columns: int, width: float = 3.4, height: float = 2.8) -> tuple[Any, Any]:
    """A figure, and its panels in a flat array; each panel has so many inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False).ravel()


def save(figure: Any, path: Path) -> None:
    """Write a figure as SVG, without the time."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
