"""Counting arrays count as `f.cost` does; our derivatives take no more operations than by hand."""

from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.benchmarks.extraction import CASES, hand_operations, measure, quick_operations, table
from tests.support.counting_array import Counter

A, B = (eg.variable(name, ("n", "n")) for name in "AB")
x, y = (eg.variable(name, ("n",)) for name in "xy")
c = eg.variable("c")

# The same in NumPy and here.
SAME: dict[str, tuple[Any, eg.Expression]] = {
    "A @ B": (lambda e: e["A"] @ e["B"], A @ B),
    "A @ x": (lambda e: e["A"] @ e["x"], A @ x),
    "x @ A": (lambda e: e["x"] @ e["A"], x @ A),
    "x @ y": (lambda e: e["x"] @ e["y"], x @ y),
    "x * y + x": (lambda e: e["x"] * e["y"] + e["x"], x * y + x),
    "-x / c": (lambda e: -e["x"] / e["c"], -x / c),
    "power": (lambda e: e["x"] ** 2, x**2),
    "functions": (lambda e: np.exp(np.tanh(e["x"])), eg.exp(eg.tanh(x))),
    "sum": (lambda e: np.sum(e["A"]), eg.sum(A)),
    "sum over an axis": (lambda e: np.sum(e["A"], axis=0), eg.sum(A, axis=0)),
    "trace": (lambda e: np.trace(e["A"]), eg.einsum("ii->", A)),
    "transpose": (lambda e: e["A"].T @ e["x"], A.T @ x),
    "diag of a vector": (lambda e: np.diag(e["x"]), eg.einsum("i,ij->ij", x, eg.delta(("n",)))),
    "diag of a matrix": (lambda e: np.diag(e["A"]), eg.einsum("ii->i", A)),
    "outer": (lambda e: np.outer(e["x"], e["y"]), eg.einsum("i,j->ij", x, y)),
    "inv": (lambda e: np.linalg.inv(e["A"]), eg.inv(A)),
    "det": (lambda e: np.linalg.det(e["A"]), eg.det(A)),
    "norm": (lambda e: np.linalg.norm(e["x"]), (x @ x) ** 0.5),
    "einsum of one": (lambda e: np.einsum("ij->j", e["A"]), eg.einsum("ij->j", A)),
    "einsum of two": (
        lambda e: np.einsum("ij,ik->kj", e["A"], e["B"]),
        eg.einsum("ij,ik->kj", A, B),
    ),
}


def counted(expression: Any, size: int) -> Counter:
    counter = Counter()
    shapes = {"A": (size, size), "B": (size, size), "x": (size,), "y": (size,), "c": ()}
    expression({name: counter.array(shape, name) for name, shape in shapes.items()})
    return counter


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("name", SAME)
def test_counted_as_by_cost(name: str, size: int) -> None:
    by_hand, ours = SAME[name]
    assert counted(by_hand, size).as_written == ours.cost(size)


def test_three_operands_are_contracted_in_the_best_order() -> None:
    found = counted(lambda e: np.einsum("ij,jk,k->i", e["A"], e["B"], e["x"]), 10)
    assert found.as_written == 2 * (2 * 10**2 - 10)


def test_a_repeated_expression_counts_once_among_the_distinct() -> None:
    found = counted(lambda e: np.exp(e["A"] @ e["x"]) + np.exp(e["A"] @ e["x"]), 10)
    assert found.as_written == 2 * (190 + 10) + 10
    assert found.distinct == 190 + 10 + 10


def test_what_is_not_counted_is_refused() -> None:
    with pytest.raises(TypeError, match="no implementation"):
        counted(lambda e: np.sort(e["x"]), 3)


def test_no_more_operations_than_by_hand() -> None:
    operations = {case["id"]: (quick_operations(case), hand_operations(case)) for case in CASES}
    more = {i: n for i, (n, hand) in operations.items() if n > hand.as_written}
    assert more == {}
    assert sum(n < hand.as_written for n, hand in operations.values()) >= len(CASES) // 3


@pytest.mark.parametrize("name", ["mc062", "o_quart_h", "o_smreg", "tg_cezt"])
def test_the_quick_extraction_is_within_one_percent_of_the_exact_one(name: str) -> None:
    found = measure(next(case for case in CASES if case["id"] == name))
    assert found.certain
    assert 0 <= found.excess <= 0.01
    assert f"| {name} | {found.written:,} |" in table([found])
