"""Row by row, outer and symmetric products: NumPy's values, and none of its settings changed."""

import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.oracle import oracle
from eggrad.engine.runtime.products import (
    outer_product,
    product_of_pairs,
    row_by_row,
    scaled_rows,
    symmetric_product,
)
from eggrad.engine.terms import term as t

DTYPES = (np.float32, np.float64, np.complex128)
LAYOUTS = (
    np.ascontiguousarray,
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    lambda a: np.ascontiguousarray(a[::-1])[::-1],
)
SHAPES = st.sampled_from([(3, 200), (200, 3), (1, 1), (0, 5), (5, 0), (2, 3, 150), (1, 97)])
LARGE = {"m": 300, "n": 400}

x, y = t.variable("x", ("m",)), t.variable("y", ("n",))
A, B = t.variable("A", ("m", "n")), t.variable("B", ("k", "n"))
T = t.variable("T", ("k", "m", "n"))


def random_array(shape: tuple[int, ...], dtype: type = np.float64, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@given(
    st.sampled_from([np.multiply, np.add, np.subtract, np.divide]),
    SHAPES,
    st.data(),
    st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)),
)
def test_values(
    function: np.ufunc, shape: tuple[int, ...], data: st.DataObject, dtypes: tuple, layouts: tuple
) -> None:
    # Either operand may lack axes, or be spread along them.
    spread = [[data.draw(st.sampled_from((n, 1))) for n in shape] for _ in range(2)]
    left, right = (
        layout(random_array(tuple(own), dtype, seed))
        for seed, (own, dtype, layout) in enumerate(zip(spread, dtypes, layouts, strict=True))
    )
    before = left.copy(), right.copy()
    found, expected = row_by_row(function, left, right), function(left, right)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    for array, same in zip((left, right), before, strict=True):
        np.testing.assert_array_equal(array, same)
    out = np.empty_like(expected)
    assert row_by_row(function, left, right, out=out) is out
    np.testing.assert_array_equal(out, expected)


def test_in_place() -> None:
    own, numbers = random_array((200, 300)), random_array((200, 1))
    expected = own * numbers
    row_by_row(np.multiply, own, numbers, out=own)
    np.testing.assert_array_equal(own, expected)


def test_the_size_of_buffers_comes_back() -> None:
    before = np.getbufsize()
    row_by_row(np.add, np.ones((2, 1)), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        row_by_row(np.add, np.ones(2), np.ones(3))
    assert np.getbufsize() == before


@pytest.mark.parametrize("state", ["ignore", "warn", "raise"])
def test_errors_are_treated_as_around_the_call(state: str) -> None:
    zero, ones = np.zeros((2, 1)), np.ones(3)
    with np.errstate(divide=state), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if state == "raise":
            with pytest.raises(FloatingPointError):
                row_by_row(np.divide, ones, zero)
        else:
            row_by_row(np.divide, ones, zero)
    assert len(caught) == (state == "warn")


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (7, 5), (300, 200), (3, 20_000)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_scaled_rows(shape: tuple[int, int], layout: Callable[[np.ndarray], np.ndarray]) -> None:
    matrix, numbers = layout(random_array(shape)), random_array(shape[:1])
    np.testing.assert_array_equal(scaled_rows(numbers, matrix), numbers[:, None] * matrix)


COLUMNS = [
    (t.einsum("ij,i->ij", A, x), "row_by_row(np.multiply, A, x[:, None])"),
    (t.einsum("kij,i->kij", T, x), "row_by_row(np.multiply, T, x[:, None])"),
    (
        t.einsum("ij,i->ij", t.apply("exp", A), x),
        "row_by_row(np.multiply, t1, x[:, None], out=t1)",
    ),
]
OTHERS = [
    t.einsum("ij,j->ij", A, y),
    t.einsum("kij,ij->kij", T, A),
    t.einsum("ij,ij->ij", A, A),
    t.einsum("ij,kj->ijk", A, B),
    t.einsum(",ij->ij", t.size("m"), A),
]


@pytest.mark.parametrize(("root", "text"), COLUMNS)
def test_where_each_row_has_its_number(root: t.Term, text: str) -> None:
    function = compile_terms([root], sizes=LARGE | {"k": 2}, single=True)
    assert text in function.source
    for small in ({"m": 90, "n": 95, "k": 1}, {"m": 1000, "n": 60, "k": 1}):
        assert "row_by_row" not in compile_terms([root], sizes=small).source
    compared(function, root)


@pytest.mark.parametrize("root", OTHERS)
def test_not_where_rows_share_their_numbers_or_lie_elsewhere(root: t.Term) -> None:
    function = compile_terms([root], sizes={"m": 2000, "n": 2000, "k": 200})
    assert "row_by_row" not in function.source


def compared(function: Callable[..., np.ndarray], root: t.Term) -> None:
    for m, n, k in ((3, 4, 2), (1, 1, 1), (0, 3, 2), (3, 0, 2), (300, 200, 2)):
        values = {
            "x": random_array((m,)),
            "y": random_array((n,)),
            "A": random_array((m, n)),
            "T": random_array((k, m, n)),
        }
        (expected,) = oracle.evaluate([root], values)
        np.testing.assert_allclose(function(**values), expected, 1e-13)
        low = {name: value.astype(np.float32) for name, value in values.items()}
        assert function(**low).dtype == np.float32


# Outer products ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 2)])
@pytest.mark.parametrize("length", [0, 1, 5, 5000, 100_000])
def test_is_the_outer_product(shape: tuple[int, ...], length: int) -> None:
    rng = np.random.default_rng(length)
    left, right = rng.standard_normal(shape or (1,)), rng.standard_normal(length)
    np.testing.assert_array_equal(
        outer_product(left, right), np.multiply.outer(left.ravel(), right)
    )


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_outer_products_keep_the_dtype(dtype: type) -> None:
    assert outer_product(np.zeros(2, dtype), np.ones(500, dtype)).dtype == dtype


# Symmetric products -----------------------------------------------------------------------------

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
