"""What eggrad does, on three real inputs: `make demo`.

Each is differentiated, printed, checked against central differences and evaluated.
"""

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np

from eggrad.engine.terms.binding import Array, bind
from eggrad.engine.terms.term import variables
from eggrad.frontend.interface.check import check_derivatives
from eggrad.frontend.interface.reading import parse

__all__ = ["CASES", "Case", "main", "report"]

Values = dict[str, Array]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Case:
    """An input of the demonstration, with values to evaluate it at."""

    title: str
    text: str
    values: Callable[[np.random.Generator], Values]


def _classified_points(rng: np.random.Generator) -> Values:
    points = rng.normal(size=(500, 20))
    return {"X": points, "w": rng.normal(size=20), "y": np.sign(points @ rng.normal(size=20))}


def _factorised(rng: np.random.Generator) -> Values:
    shapes = {"T": (30, 20), "U": (30, 4), "V": (20, 4)}
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def _covariance(rng: np.random.Generator) -> Values:
    sample = rng.normal(size=(200, 40))
    return {"X": sample.T @ sample / len(sample)}


_RESIDUAL: Final = "(T - U *(ik,jk->ij) V)"
CASES: Final = (
    Case(
        "Logistic regression: the Hessian of the loss in the weights w",
        "declare X 2 w 1 y 1 "
        "expression 1 *(,i->) log(exp(-y *(i,i->i) (X *(ij,j->i) w)) + 1) "
        "derivative wrt w wrt w",
        _classified_points,
    ),
    Case(
        "Matrix factorisation: the Hessian of ||T - U V'||^2 in U",
        f"declare T 2 U 2 V 2 expression {_RESIDUAL} *(ij,ij->) {_RESIDUAL} derivative wrt U wrt U",
        _factorised,
    ),
    Case(
        "Log-determinant: the gradient of log det X",
        "declare X 2 expression log(det(X)) derivative wrt X",
        _covariance,
    ),
)


def report(case: Case) -> Iterator[tuple[str, str]]:
    """What there is to say about one case: labels, each with its text.

    Raises `SystemExit` when the derivative fails its check.
    """
    yield "input", case.text
    problem = parse(case.text)
    names = problem.wrt or ()
    derivative, seconds = _timed(lambda: problem.derivative().thin)
    yield "derivative", str(derivative)
    values = case.values(np.random.default_rng(2022))
    _, sizes = bind(variables(problem.expression.term), values)
    shapes = ", ".join(f"{name} {'x'.join(map(str, v.shape))}" for name, v in values.items())
    yield "size", f"{derivative.node_count} nodes; {derivative.cost(sizes):,} operations ({shapes})"
    lower = [problem.derivative(*names[:k]) for k in range(1, len(names))]
    chain = [e.term for e in (problem.expression, *lower, derivative)]
    check = check_derivatives(chain, names)
    yield "check", str(check)
    result, evaluating = _timed(lambda: derivative.evaluate(values))
    shape = "x".join(map(str, result.shape))
    milliseconds = f"{1000 * seconds:.1f} ms to differentiate, {1000 * evaluating:.1f} ms"
    yield "time", f"{milliseconds} to evaluate the {shape} result"
    if not check.passed:
        raise SystemExit("the derivative fails its check")


def _timed(work: Callable[[], _Result]) -> tuple[_Result, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


def _plain(case: Case) -> None:
    print(f"\n{case.title}")
    for label, text in report(case):
        first, *rest = text.splitlines() or [""]
        print(f"  {label:<12}{first}")
        for line in rest:
            print(f"  {'':<12}{line}")


def _formatted(case: Case) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for label, text in report(case):
        bold = "bold green" if label == "derivative" else ""
        table.add_row(Text(label, "dim"), Text(text, bold))
    Console().print(f"\n[bold]{case.title}[/bold]", table, sep="\n")


def main() -> None:
    """Show every case; formatted on a terminal, plain text elsewhere."""
    tiny = parse("declare x 0 expression x *(,->) x derivative wrt x")
    _, seconds = _timed(tiny.derivative)
    print(f"eggrad differentiates tensor expressions. Loading the rules took {seconds:.2f} s.")
    for case in CASES:
        (_formatted if sys.stdout.isatty() else _plain)(case)


if __name__ == "__main__":
    main()
