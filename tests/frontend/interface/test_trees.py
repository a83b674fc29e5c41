"""Nested containers taken apart and put together."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import eggrad as eg
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


class Network:
    """A class that only a registry can take apart."""

    def __init__(self, weights: Any, name: str) -> None:
        self.weights, self.name = weights, name


def test_what_jax_takes_apart_is_a_container() -> None:
    tree_util = pytest.importorskip("jax.tree_util")
    tree_util.register_pytree_node(
        Network, lambda n: ((n.weights,), n.name), lambda name, parts: Network(parts[0], name)
    )
    network = Network({"w": np.array([1.0, 2.0])}, "small")
    leaves, structure = flatten([network, None])
    assert leaves[1:] == [None]
    assert paths(structure) == [(0, 0, "w"), (1,)]
    hash(structure)
    assert spread((0, 1), structure) is None
    assert spread([None, 1], structure) == [None, 1]
    slope = eg.grad(lambda n, x: np.tanh(n.weights["w"]) @ x)
    for x in (np.ones(2), np.zeros(2), np.ones(2)):
        found = slope(network, x)
        assert isinstance(found, Network)
        assert found.name == "small"
        np.testing.assert_allclose(found.weights["w"], x * (1 - np.tanh([1, 2]) ** 2))


def test_a_list_of_numbers_where_a_list_is_expected() -> None:
    _, structure = flatten([np.ones(1), (np.ones(2), [np.ones(1)])])
    assert flatten([1.0, (2.0, [3.0])], structure) == ([1.0, 2.0, 3.0], structure)


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
