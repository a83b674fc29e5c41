"""Each benchmark problem: by hand, by eggrad and by central differences the same values."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.benchmarks.frameworks import frameworks, with_eggrad
from tests.benchmarks.frameworks.measure import error_of
from tests.benchmarks.problems.catalog import PROBLEMS
from tests.benchmarks.problems.problem import DENSE, Array, Problem

N = 4
STEP = 1e-5
CASES = [(problem, quantity) for problem in PROBLEMS.values() for quantity in problem.quantities]
# A derivative is compared with differences of the one before it.
BEFORE = {"hessian": "gradient", "third": "hessian", "hvp": "gradient"}


def over(cases: list[tuple[Problem, str]]) -> pytest.MarkDecorator:
    ids = [f"{problem.name}-{quantity}" for problem, quantity in cases]
    return pytest.mark.parametrize(("problem", "quantity"), cases, ids=ids)


def by_hand(problem: Problem, quantity: str, data: Mapping[str, Array]) -> Any:
    """The first variant's value; of a gradient the gradient alone."""
    found = next(iter(problem.quantities[quantity].by_hand.values()))(*data.values())
    return found[1] if quantity == "gradient" else found


@cache
def expected(problem: Problem, quantity: str) -> Any:
    """Central differences of the function, or of the derivative of one order less by hand."""
    data = problem.data(N)
    name, x = next(iter(data.items()))
    if quantity in BEFORE:

        def before(at: Array) -> Array:
            return by_hand(problem, BEFORE[quantity], data | {name: at})
    else:
        operations = frameworks.operations("numpy")

        def before(at: Array) -> Array:
            return problem.function(operations, *(data | {name: at}).values())

    if quantity == "hvp":
        v = problem.arguments(quantity, N)["v"]
        return slope(before, x, v)
    columns = [slope(before, x, unit.reshape(x.shape)) for unit in np.eye(x.size)]
    return np.stack(columns, -1).reshape(*np.shape(columns[0]), *x.shape)


def slope(f: Callable[[Array], Array], x: Array, v: Array) -> Array:
    return (f(x + STEP * v) - f(x - STEP * v)) / (2 * STEP)


@over(CASES)
def test_by_hand(problem: Problem, quantity: str) -> None:
    data, own = problem.arguments(quantity, N), problem.quantities[quantity]
    for name, function in own.by_hand.items():
        found = function(*data.values())
        if own.dense is not None:
            found = own.dense(found, *data.values())
        if quantity == "gradient":
            value = problem.function(frameworks.operations("numpy"), *data.values())
            assert error_of(found[0], value) < 1e-12, name
            found = found[1]
        assert error_of(found, expected(problem, DENSE.get(quantity, quantity))) < 1e-6, name


@over([case for case in CASES if case[1] not in DENSE])
def test_by_eggrad(problem: Problem, quantity: str) -> None:
    *_, found = with_eggrad.derivative(problem, quantity)
    value = found.evaluate(problem.arguments(quantity, N))
    assert error_of(value, expected(problem, quantity)) < 1e-6
