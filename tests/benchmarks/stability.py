"""Digits that are lost, against mpmath: part of `make bench`.

`--write` puts the tables into docs/stability.md. JAX is compared where it is installed.
"""

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

import eggrad as eg
from tests.benchmarks.tables import placed
from tests.benchmarks.tables import table as markdown
from tests.support import losses_at_extremes, stability_cases
from tests.support.cancellation import FORMULAS, Formula, as_written_and_compiled
from tests.support.losses_at_extremes import LOSSES, Loss
from tests.support.places import DOCS
from tests.support.stability_cases import CASES, Case

PAGE = DOCS / "stability.md"


def jax_values(case: Case, at: Any) -> list[Any]:
    """The formula and its automatic derivatives; empty where JAX is not installed."""
    if find_spec("jax") is None:
        return []
    import jax

    jax.config.update("jax_enable_x64", True)

    def formula(x: Any) -> Any:
        return stability_cases.evaluated(case.formula, x, jax.numpy)

    function: Callable[[Any], Any] = formula
    found: list[Any] = []
    for _ in range(case.orders + 1):
        found.append(np.asarray(jax.vmap(function)(at)))
        function = jax.grad(function)
    return found


def rows(cases: tuple[Case, ...] = CASES) -> Iterator[tuple[str, int, list[float | None]]]:
    """Formula, order of the derivative, and the worst relative error of each way."""
    for case in cases:
        expressions = stability_cases.derivatives(case)
        # Where the true value overflows, so may ours, with a warning.
        every = stability_cases.points(case.domain)
        at = stability_cases.fits(case, len(expressions), every)
        automatic = jax_values(case, at)
        for order, expression in enumerate(expressions):
            true = stability_cases.exact(case, order, at)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                ways = [eg.compile(expression)(x=at)]
            ways = [
                expression.evaluate({"x": at}, reference=True),
                *automatic[order : order + 1],
                *ways,
            ]
            errors: list[float | None] = [stability_cases.worst_error(v, true) for v in ways]
            yield case.formula, order, errors if automatic else [errors[0], None, errors[1]]


def shown(error: float | None) -> str:
    """An error in two digits; `lost` where no digit is right."""
    if error is None:
        return ""
    return "lost" if not error < 1 else f"{error:.0e}"


def table(found: Iterator[tuple[str, int, list[float | None]]]) -> str:
    """A Markdown table."""
    return markdown(
        "formula | derivative | as written, NumPy | JAX | eggrad",
        [
            ("" if order else f"`{formula}`", order, *map(shown, errors))
            for formula, order, errors in found
        ],
    )


def digits(formulas: Iterable[Formula] = FORMULAS) -> str:
    """Bits that formulas lose which cancel, and how many of each group keep their digits."""
    kept: dict[str, list[bool]] = {}
    found: list[tuple[object, ...]] = []
    for formula in formulas:
        both = as_written_and_compiled(formula)
        for order, (plain, own) in zip(formula.orders, both, strict=True):
            kept.setdefault("derivatives" if order else formula.group, []).append(own.kept)
            problem = "" if order else f"`{formula.text}`"
            figures = (f"{v:.1f}" for v in (plain.at_most, own.at_most, own.mean))
            found.append((problem, order, *figures))
    heading = "problem | derivative | as written at 99% | eggrad at 99% | mean"
    counts = (f"{group} {sum(own)} of {len(own)}" for group, own in kept.items())
    return f"Kept: {', '.join(counts)}.\n\n{markdown(heading, found)}"


def losses(every: Iterable[Loss] = LOSSES) -> str:
    """Bits that losses and their derivatives lose, and how many keep their digits."""
    found, kept = [], []
    for loss in every:
        parts = losses_at_extremes.measured(loss)
        kept.append(all(own.kept for own in parts))
        found.append((f"`{loss.text}`", *(f"{own.at_most:.1f}" for own in parts)))
    table = markdown("loss | value | gradient | Hessian", found)
    return f"Kept: {sum(kept)} of {len(kept)}.\n\n{table}"


def main(arguments: list[str]) -> None:
    """Print the tables, or those that are named; `--write` puts them into the page."""
    tables = {"stability": lambda: table(rows()), "digits": digits, "losses": losses}
    for name in [name for name in tables if name in arguments] or tables:
        text = tables[name]()
        print(f"\n{name}\n{text}", flush=True)
        if "--write" in arguments:
            PAGE.write_text(placed(PAGE.read_text("utf-8"), name, text), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
