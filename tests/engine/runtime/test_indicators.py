"""Products with indicators: the plan by views against einsum with the whole array."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from eggrad.engine.backends import kernels_of
from eggrad.engine.indices.affine import coefficient
from eggrad.engine.indices.constraints import Constraints
from eggrad.engine.indices.indicator_plan import plan
from eggrad.engine.oracle.oracle import holds
from eggrad.engine.runtime.indicators import indicator_product, zeros_and_ones
from eggrad.engine.terms.binding import Array
from eggrad.engine.workbench.drawing import random_constraints
from tests.support.array_libraries import converter, each


def numbers(constraints: Constraints, order: int) -> tuple:
    return tuple(
        (relation, (*(coefficient(f, k) for k in range(order)), coefficient(f, "")))
        for relation, f in constraints
    )


class Product(NamedTuple):
    """The arguments of a product with an indicator, its value, and whether there is a plan."""

    arguments: tuple[Any, ...]
    expected: Array
    planned: bool


def random_products(seed: int, count: int) -> Iterator[Product]:
    """Products of indicators of up to four axes, the value from the array of zeros and ones."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        order = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 6, size=order))
        constraints = random_constraints(shape, rng)
        own = numbers(constraints, order)
        ones = zeros_and_ones(own, shape)
        assert (ones == holds(constraints, shape, {})).all()
        part = tuple(range(order))
        other = tuple(int(i) for i in rng.permutation(order + 1)[: rng.integers(0, order + 2)])
        lengths = dict(enumerate((*shape, 3)))
        array = rng.normal(size=[lengths[i] for i in other])
        known = [int(i) for i in rng.permutation(sorted({*part, *other}))]
        out = tuple(i for i in known if rng.random() < 0.5)
        expected = np.einsum(ones, part, array, other, out)
        planned = plan(constraints, other, out, lengths) is not None
        yield Product(((part, other, out), own, shape, array), expected, planned)


@pytest.mark.parametrize("seed", range(4))
def test_random_products(seed: int) -> None:
    products = list(random_products(seed, 500))
    for product in products:
        found = indicator_product(*product.arguments)
        assert found.shape == product.expected.shape
        np.testing.assert_allclose(found, product.expected, atol=1e-12)
    assert sum(product.planned for product in products) > 250


@each(["jax", "torch", "array_api"])
def test_random_products_of_other_libraries(library: str) -> None:
    from array_api_compat import array_namespace

    convert = converter(library)
    for product in random_products(5, 100):
        spec, constraints, shape, array = product.arguments
        own = convert(array)
        kernels = kernels_of(library, array_namespace(own))
        found = kernels.indicator_product(spec, constraints, shape, own)
        assert tuple(found.shape) == product.expected.shape
        np.testing.assert_allclose(np.asarray(found), product.expected, atol=1e-12)


def test_running_sums_of_what_is_repeated() -> None:
    x, triangle = np.arange(4.0), ((">=", (1, -1, 0, 0)),)
    found = indicator_product(((0, 1, 2), (1,), (0,)), triangle, (4, 4, 3), x)
    np.testing.assert_array_equal(found, 3 * np.cumsum(x))


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
