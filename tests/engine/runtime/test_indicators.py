"""Products with indicators: the plan by views against einsum with the whole array."""

import numpy as np
import pytest

from eggrad.engine.indices.affine import coefficient
from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.indicator_plan import plan
from eggrad.engine.oracle.oracle import holds
from eggrad.engine.runtime.indicators import indicator_product, zeros_and_ones
from eggrad.engine.workbench.drawing import random_constraints


def numbers(constraints: Constraints, order: int) -> tuple:
    return tuple(
        (relation, (*(coefficient(f, k) for k in range(order)), coefficient(f, "")))
        for relation, f in constraints
    )


@pytest.mark.parametrize("seed", range(4))
def test_random_products(seed: int) -> None:
    rng = np.random.default_rng(seed)
    planned = 0
    for _ in range(500):
        order = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 6, size=order))
        constraints = random_constraints(shape, rng)
        ones = zeros_and_ones(numbers(constraints, order), shape)
        assert (ones == holds(constraints, shape, {})).all()
        part = tuple(range(order))
        other = tuple(int(i) for i in rng.permutation(order + 1)[: rng.integers(0, order + 2)])
        lengths = dict(enumerate((*shape, 3)))
        array = rng.normal(size=[lengths[i] for i in other])
        known = [int(i) for i in rng.permutation(sorted({*part, *other}))]
        out = tuple(i for i in known if rng.random() < 0.5)
        found = indicator_product((part, other, out), numbers(constraints, order), shape, array)
        expected = np.einsum(ones, part, array, other, out)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, atol=1e-12)
        planned += plan(constraints, other, out, lengths) is not None
    assert planned > 250


def test_reading_is_a_view() -> None:
    x = np.arange(10.0)
    windows = (("=", (1, 1, -1, 0)),)
    found = indicator_product(((0, 1, 2), (2,), (0, 1)), windows, (7, 4, 10), x)
    assert np.shares_memory(found, x)
    assert (found == np.lib.stride_tricks.sliding_window_view(x, 4)).all()


def test_writing_adds_where_entries_meet() -> None:
    g = np.arange(28.0).reshape(7, 4)
    windows = (("=", (1, 1, -1, 0)),)
    found = indicator_product(((0, 1, 2), (0, 1), (2,)), windows, (7, 4, 10), g)
    expected = np.zeros(10)
    for i in range(7):
        for j in range(4):
            expected[i + j] += g[i, j]
    assert (found == expected).all()


def test_a_large_window_takes_no_array_of_zeros() -> None:
    x = np.arange(20_000.0)
    spec = ((0, 1, 2), (2,), (0, 1))
    found = indicator_product(spec, (("=", (1, 1, -1, 0)),), (10_001, 10_000, 20_000), x)
    assert found[10_000, 9_999] == 19_999


def test_what_is_not_chosen_may_be_infinite() -> None:
    x = np.array([1.0, np.inf, np.nan, -np.inf, 2.0])
    # No slices: 2 i = 3 j holds at (0, 0) and (3, 2).
    found = indicator_product(((0, 1), (0,), (0, 1)), (("=", (2, -3, 0)),), (5, 3), x)
    wanted = np.zeros((5, 3))
    wanted[0, 0], wanted[3, 2] = 1, -np.inf
    np.testing.assert_array_equal(found, wanted)
