"""A problem whose function is written with `Operations`, eggrad's among them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.benchmarks.problems.problem import Array, Problem, Quantity
from tests.benchmarks.unseen.operations import with_eggrad


def unseen(
    name: str,
    title: str,
    data: Callable[[int], dict[str, Array]],
    axes: Mapping[str, tuple[str | int, ...]],
    function: Callable[..., Any],
    quantities: Mapping[str, Quantity],
    assume: Mapping[str, Sequence[str]] | None = None,
) -> Problem:
    """A problem; its function takes `Operations` and the arrays."""

    def for_eggrad(_: Any, *variables: Any) -> Any:
        return function(with_eggrad(), *variables)

    return Problem(name, title, data, axes, function, quantities, for_eggrad, assume or {})
