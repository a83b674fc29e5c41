"""Symmetric products of two and three factors."""

import tracemalloc

import numpy as np
import pytest

from eggrad.engine.runtime.products import (
    product_of_pairs,
    symmetric_product,
)

SPECS = {2: "s...,sa,sb->...ab", 3: "s...,sa,sb,sc->...abc"}


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("columns", [0, 1, 3, 20, 50, 70])
@pytest.mark.parametrize("rows", [0, 1, 4])
@pytest.mark.parametrize("inner", [(), (2,), (2, 2), (3, 1)])
@pytest.mark.parametrize("kind", ["mixed", "positive", "negative"])
def test_is_the_sum(order: int, columns: int, rows: int, inner: tuple[int, ...], kind: str) -> None:
    rng = np.random.default_rng(columns)
    matrix, weights = rng.standard_normal((rows, columns)), rng.standard_normal((rows, *inner))
    if kind != "mixed":
        weights = np.abs(weights) * (1 if kind == "positive" else -1)
    expected = np.einsum(SPECS[order], weights, *[matrix] * order, optimize=True)
    np.testing.assert_allclose(symmetric_product(order, matrix, weights), expected, atol=1e-12)


@pytest.mark.parametrize("columns", [0, 1, 5])
@pytest.mark.parametrize("rows", [0, 1, 4, 60])
@pytest.mark.parametrize("inner", [(), (0,), (7,), (2, 3)])
def test_product_of_pairs(columns: int, rows: int, inner: tuple[int, ...]) -> None:
    rng = np.random.default_rng(columns)
    matrix, weights = rng.standard_normal((rows, columns)), rng.standard_normal((*inner, rows))
    expected = np.einsum("...s,sa,sb->...ab", weights, matrix, matrix)
    np.testing.assert_allclose(product_of_pairs(matrix, weights), expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
@pytest.mark.parametrize("order", [2, 3])
def test_symmetric_products_keep_the_dtype(dtype: type, order: int) -> None:
    matrix, weights = np.ones((2, 60), dtype), np.ones(2, dtype)
    assert symmetric_product(order, matrix, weights).dtype == dtype


def test_mirrored_weights_give_the_same_slices() -> None:
    rng = np.random.default_rng(0)
    matrix, half = rng.standard_normal((5, 50)), rng.standard_normal((5, 3, 3))
    weights = half + half.transpose(0, 2, 1)
    expected = np.einsum("sij,sa,sb->ijab", weights, matrix, matrix)
    np.testing.assert_allclose(symmetric_product(2, matrix, weights), expected, atol=1e-12)


def test_triples_of_many_rows_take_little_more_memory_than_the_result() -> None:
    rng = np.random.default_rng(0)
    matrix, weights = rng.standard_normal((5000, 60)), rng.standard_normal(5000)
    tracemalloc.start()
    found = symmetric_product(3, matrix, weights)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The transposed matrix, and one block of products of pairs.
    assert peak < found.nbytes + 4 * matrix.nbytes
    expected = np.einsum(SPECS[3], weights, *[matrix] * 3, optimize=True)
    np.testing.assert_allclose(found, expected, atol=1e-10)
