"""Gradients and Hessians from textbooks, in matrix notation, with NumPy references.

`python -m tests.cases.textbook` writes the table of docs/textbook.md.
"""

from dataclasses import dataclass

import eggrad as eg
from eggrad.frontend.cli.input import parse_dims
from tests.support.places import DOCS, lines_of

DOCUMENT = DOCS / "textbook.md"
# Names of positive definite matrices.
DEFINITE = "KPRS"
BEGIN = "<!-- Written by python -m tests.cases.textbook. -->"


@dataclass(frozen=True)
class Row:
    """A function, what it is differentiated by, and the derivative by NumPy and as printed."""

    name: str
    text: str
    dims: str
    wrt: str
    reference: str
    closed: str

    @property
    def axes(self) -> dict[str, tuple[int | str, ...]]:
        """The axes of each variable."""
        return parse_dims(None, None, self.dims)

    @property
    def expression(self) -> eg.Expression:
        """The function."""
        assume = {name: ["positive definite"] for name in self.axes if name in DEFINITE}
        return eg.parse_matrix(self.text, self.axes, assume)

    @property
    def derivative(self) -> eg.Expression:
        """The derivative."""
        return eg.derivative(self.expression, *self.wrt)


ROWS = [Row(*line.split(" | ")) for line in lines_of("textbook.txt")]


def table() -> str:
    """The rows: the function, by what, the derivative as text and formula, operations at 100."""
    lines = [
        "| function | by | derivative | | operations |",
        "|---|---|---|---|---|",
    ]
    for row in ROWS:
        found = row.derivative
        formula = found.to("latex").replace("\n", " ").replace("|", r"\vert ")
        by = " ".join(row.wrt)
        lines.append(
            f"| {row.name}: `{row.text}` | {by} | `{found.to('matrix')}` | ${formula}$ "
            f"| {found.cost(100):,} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    before = DOCUMENT.read_text("utf-8").partition(BEGIN)[0]
    DOCUMENT.write_text(f"{before}{BEGIN}\n\n{table()}\n", "utf-8")
