"""Digits that are lost, against mpmath: part of `make bench`.

`--write` puts the table into docs/stability.md. JAX is compared where it is installed.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

import eggrad as eg
from tests.benchmarks.tables import show
from tests.benchmarks.tables import table as markdown
from tests.support import stability_cases
from tests.support.places import DOCS
from tests.support.stability_cases import CASES, Case

__all__ = ["main", "rows", "table"]


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


def main(arguments: list[str]) -> None:
    """Print the table; `--write` puts it into the page."""
    show([("stability", table(rows()))], "--write" in arguments, DOCS / "stability.md")


if __name__ == "__main__":
    main(sys.argv[1:])
