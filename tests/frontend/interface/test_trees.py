"""Nested containers taken apart and put together."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from eggrad.frontend.interface.trees import flatten, is_numbers, paths, spread, unflatten


class Pair(NamedTuple):
    """A named tuple."""

    first: Any
    second: Any


@dataclass(frozen=True)
class Layer:
    """A dataclass."""

    weights: Any
    name: str = "layer"


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        (1.5, [1.5]),
        ((), []),
        ((1, (2, "a")), [1, 2, "a"]),
        ({"b": 1, "a": (2, 3)}, [1, 2, 3]),
        ({2: "x", "a": "y"}, ["x", "y"]),
        ([None, 2], [None, 2]),
        ([1, 2.5], [[1, 2.5]]),
        ([[1, 2], [3]], [[1, 2], [3]]),
        (Pair(1, {"a": 2}), [1, 2]),
        (Layer((1, 2)), [1, 2, "layer"]),
    ],
)
def test_there_and_back(value: Any, leaves: list[Any]) -> None:
    found, structure = flatten(value)
    assert found == leaves
    assert unflatten(structure, found) == value
    assert len(paths(structure)) == len(leaves)
    hash(structure)


@pytest.mark.parametrize(
    ("value", "answer"),
    [([1], True), ([[1.0, 2]], True), ([], False), ([np.ones(1)], False), ((1,), False)],
)
def test_numbers(value: Any, answer: bool) -> None:
    assert is_numbers(value) is answer


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        (0, [0, 0, 0]),
        ((0, None), [0, 0, None]),
        (({"a": 1, "b": None}, 0), [1, None, 0]),
        ((0,), None),
        (({"a": 1}, 0), None),
        ((0, (1, 2)), None),
    ],
)
def test_spread(prefix: Any, expected: Any) -> None:
    assert spread(prefix, flatten(({"a": 1, "b": 2}, 3))[1]) == expected
