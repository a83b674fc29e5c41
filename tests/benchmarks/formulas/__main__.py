"""How readable derivatives are: eggrad's formulas by those that books and papers print.

    python -m tests.benchmarks.formulas --half tuned|held-out|both [--quiet]

prints a line for each: whether the values of eggrad's derivative and of the closed form are those
of central differences, the tokens of both, and the texts below it; then a summary for each half.
`--quiet` prints the summary alone, so that one may count the half that nobody tunes on.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import eggrad as eg
from tests.benchmarks.formulas.catalog import HALVES
from tests.benchmarks.formulas.formula import TOLERANCE, Formula, error, tokens

# The size of all axes at which operations are counted.
SIZE = 1000


@dataclass(frozen=True)
class Result:
    """What eggrad finds for a formula."""

    formula: Formula
    text: str
    seconds: float
    error: float
    closed_error: float
    operations: int
    closed_operations: int

    @property
    def wrong(self) -> bool:
        """Whether eggrad's derivative or the closed form has another value than differences."""
        return not (self.error < TOLERANCE and self.closed_error < TOLERANCE)

    @property
    def longer(self) -> bool:
        """Whether eggrad's text has more tokens than the closed form."""
        return tokens(self.text) > tokens(self.formula.closed)

    def line(self) -> str:
        """The counts and both texts."""
        verdict = "WRONG " if self.wrong else "longer" if self.longer else "ok    "
        own, closed = tokens(self.text), tokens(self.formula.closed)
        symmetric = ", symmetric" if self.formula.symmetric else ""
        return (
            f"{verdict} {own:3} by {closed:3} tokens, {self.seconds:5.2f} s  "
            f"{self.formula.name} ({self.formula.source}{symmetric})\n"
            f"       {self.text}\n       {self.formula.closed}"
        )


def measured(formula: Formula) -> Result:
    """Derive, write and compare with central differences."""
    begin = time.perf_counter()
    derivative = formula.derivative()
    text = derivative.to("matrix")
    seconds = time.perf_counter() - begin
    values = formula.values()
    reference = formula.differences(values)
    closed = formula.read(formula.closed)
    return Result(
        formula,
        text,
        seconds,
        error(derivative.evaluate(values), reference),
        error(closed.evaluate(values), reference),
        derivative.cost(SIZE),
        closed.cost(SIZE),
    )


def summary(half: str, results: Sequence[Result]) -> str:
    """How many are wrong, and how many are no longer than the closed form."""
    short = sum(not result.longer for result in results)
    symmetric = [result for result in results if result.formula.symmetric]
    cheap = sum(result.operations <= result.closed_operations for result in symmetric)
    return (
        f"{half}: {sum(result.wrong for result in results)} of {len(results)} wrong, "
        f"{short} no longer than the closed form; of {len(symmetric)} that are short by a "
        f"symmetry {cheap} take no more operations"
    )


def main(arguments: Sequence[str]) -> int:
    """Measure; the status is 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.formulas")
    parser.add_argument("--half", choices=[*HALVES, "both"], default="tuned")
    parser.add_argument("--quiet", action="store_true", help="print the summary alone")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", eg.BudgetWarning)
    halves = list(HALVES) if options.half == "both" else [options.half]
    status = 0
    for half in halves:
        results = []
        for formula in HALVES[half]:
            results.append(measured(formula))
            if not options.quiet:
                print(results[-1].line(), flush=True)
        print(summary(half, results), flush=True)
        status |= any(result.wrong for result in results)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
