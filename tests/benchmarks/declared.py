"""Derivatives of matrix expressions, whatever is declared of the matrix: none cut short, none slow.

`python -m tests.benchmarks.declared` takes 25 expressions to second order under each of eight
words, in CPU seconds, written text included; `python -m tests.benchmarks.declared WORD` one word.
"""

import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import eggrad as eg
from tests.benchmarks.tables import table as markdown

SQUARE = ("n", "n")
DIMS = {"X": SQUARE, "A": SQUARE, "B": SQUARE, "x": ("n",), "y": ("n",), "c": ()}
WORDS = (
    *("invertible", "symmetric", "positive definite", "positive semidefinite"),
    *("diagonal", "orthogonal", "lower triangular", "skew"),
)
EXPRESSIONS = (
    "tr(X)",
    "tr(A*X*B*X')",
    "tr(X^4)",
    "tr(inv(X)*A)",
    "tr(A*inv(X)*B*inv(X))",
    "tr(inv(X + inv(X)))",
    "det(X)",
    "det(X^3)",
    "det(X)^2 + tr(X)",
    "det(A*X*B)*tr(X)",
    "logdet(X)",
    "logdet(A + X'*X)",
    "logdet(X'*A*X) + tr(inv(X'*A*X))",
    "logdet(X)*tr(inv(X)*A) - tr(X*B)",
    "tr(X*A)*det(X) + tr(adj(X)*B)",
    "x'*X*y",
    "x'*inv(X)*y",
    "x'*X*A*X*y",
    "log(x'*X*x)",
    "x'*X*x/(x'*x) + c*tr(X'*X)",
    "norm2(X*x - y)",
    "(A*X*x - y)'*(A*X*x - y)",
    "0.5*logdet(X) + 0.5*(x - y)'*inv(X)*(x - y)",
    "sum(X.*A)",
    "sum(exp(X))",
)
SLOW = 2.0


class Derivation(NamedTuple):
    """What one derivative took, its matrix notation included, and whether it was cut short."""

    word: str
    text: str
    order: int
    seconds: float
    complete: bool


def derived(text: str, word: str, order: int) -> tuple[eg.Expression, str]:
    """A derivative by X, of which a word is declared, and its text in matrix notation."""
    f = eg.parse_matrix(text, DIMS, assume={"X": [word]})
    found = eg.derivative(f, *["X"] * order)
    return found, found.to("matrix")


def measured(words: Iterable[str]) -> Iterator[Derivation]:
    """All derivatives under some words, after a small one that loads the rules."""
    derived("x'*X*y", "symmetric", 2)
    for word in words:
        for text in EXPRESSIONS:
            for order in (1, 2):
                began = time.process_time()
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", eg.BudgetWarning)
                    found, _ = derived(text, word, order)
                seconds = time.process_time() - began
                whole = found.complete and not caught
                yield Derivation(word, text, order, seconds, whole)


def table(rows: Iterable[Derivation]) -> str:
    """A row for each word, in Markdown.

    >>> print(table([Derivation("skew", "tr(X)", 1, 0.25, True)]))
    | X is | derivatives | cut short | above 2 s | median ms | slowest s | of |
    |---|---:|---:|---:|---:|---:|---:|
    | skew | 1 | 0 | 0 | 250 | 0.2 | `tr(X)`, order 1 |
    """
    by_word: dict[str, list[Derivation]] = {}
    for row in rows:
        by_word.setdefault(row.word, []).append(row)
    lines: list[tuple[object, ...]] = []
    for word, own in by_word.items():
        ordered = sorted(own, key=lambda row: row.seconds)
        worst = ordered[-1]
        lines.append((
            word,
            len(own),
            sum(not row.complete for row in own),
            sum(row.seconds > SLOW for row in own),
            f"{1000 * ordered[len(own) // 2].seconds:.0f}",
            f"{worst.seconds:.1f}",
            f"`{worst.text}`, order {worst.order}",
        ))  # fmt: skip
    heading = "X is | derivatives | cut short | above 2 s | median ms | slowest s | of"
    return markdown(heading, lines)


if __name__ == "__main__":
    print(table(measured(sys.argv[1:] or WORDS)))
