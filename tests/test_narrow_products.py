"""Products with a narrow matrix in blocks: the values of the product, whatever lies how."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine import narrow_products, oracle
from eggrad.engine import term as t
from eggrad.engine.blas_threads import blas_threads
from eggrad.engine.compiled import compile_terms
from eggrad.engine.narrow_products import block_length, narrow_product

DTYPES = (np.float32, np.float64, np.complex128)
LAYOUTS = (
    np.ascontiguousarray,
    np.asfortranarray,
    lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    lambda a: np.concatenate([a, a], axis=1)[:, : a.shape[1]],
    lambda a: np.ascontiguousarray(a[::-1])[::-1],
)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Blocks are for one thread alone."""
    blas_threads.cache_clear()
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    yield
    blas_threads.cache_clear()


@given(
    st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 18)),
    st.integers(1, 200),
    st.tuples(st.sampled_from(DTYPES), st.sampled_from(DTYPES)),
    st.tuples(st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS)),
    st.integers(1, 2),
)
def test_values(
    sizes: tuple[int, int, int], block: int, dtypes: tuple, layouts: tuple, threads: int
) -> None:
    rows, inner, columns = sizes
    rng = np.random.default_rng(0)
    large = layouts[0](rng.normal(size=(rows, inner)).astype(dtypes[0]))
    narrow = layouts[1](rng.normal(size=(inner, columns)).astype(dtypes[1]))
    before = large.copy(), narrow.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(narrow_products, "blas_threads", lambda: threads)
        patch.setattr(narrow_products, "BLOCK", block)
        patch.setattr(narrow_products, "_BEYOND_CACHE", 30)
        patch.setattr(narrow_products, "_FEWEST_ROWS", 1)
        patch.setattr(narrow_products, "_FEWEST_SUMMED", 1)
        found = narrow_product(large, narrow)
    expected = large @ narrow
    assert found.dtype == expected.dtype
    precision = 1e-5 if expected.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, expected, precision, precision)
    for array, same in zip((large, narrow), before, strict=True):
        np.testing.assert_array_equal(array, same)


@pytest.mark.parametrize("threads", ["1", "2"])
def test_blas_divides_a_product_among_several_threads_itself(
    threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[int, ...]] = []
    own = np.matmul

    def counted(left: np.ndarray, right: np.ndarray, out: np.ndarray) -> np.ndarray:
        calls.append(left.shape)
        return own(left, right, out=out)

    monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
    monkeypatch.setattr(narrow_products, "BLOCK", 80)
    monkeypatch.setattr(np, "matmul", counted)
    found = narrow_product(np.eye(16, 5), np.ones((5, 2)))
    np.testing.assert_array_equal(found, np.eye(16, 5) @ np.ones((5, 2)))
    assert calls == ([(8, 5)] * 2 if threads == "1" else [])


@pytest.mark.parametrize(
    ("sizes", "by_rows"),
    [((300, 300, 16), True), ((300, 300, 16), False), ((16, 100_000, 2), False)],
)
def test_blocks_of_some_size(sizes: tuple[int, int, int], by_rows: bool) -> None:
    rows, inner, columns = sizes
    step = block_length(sizes, by_rows=by_rows)
    assert step >= 24
    assert step * columns * (inner if by_rows else rows) <= 1_000_000


@pytest.mark.parametrize(
    ("sizes", "by_rows"),
    [((40_000, 100, 16), False), ((300, 20_000, 16), True), ((300, 300, 1), True)],
)
def test_no_blocks_that_are_too_small(sizes: tuple[int, int, int], by_rows: bool) -> None:
    """Each of them would take a call, and one that is summed writes the whole result again."""
    assert not block_length(sizes, by_rows=by_rows)


@pytest.mark.parametrize("spec", ["ij,jk->ik", "ij,kj->ki", "ji,jk->ik", "ji,kj->ki", "ij,jk->ki"])
def test_is_chosen_where_a_large_matrix_has_few_columns(spec: str) -> None:
    sizes = {"i": "n", "j": "n", "k": "s"}
    parts = spec.partition("->")[0].split(",")
    A, B = (t.variable(x, [sizes[i] for i in own]) for x, own in zip("AB", parts, strict=True))
    root = t.einsum(spec, A, B)
    for columns, is_narrow in ((1, False), (2, False), (16, True), (17, False)):
        function = compile_terms([root], sizes={"n": 300, "s": columns})
        assert ("narrow_product(" in function.source) == is_narrow
        values = oracle.random_values([A, B], {"n": 300, "s": columns}, np.random.default_rng(0))
        (expected,) = oracle.evaluate([root], values, {"n": 300, "s": columns})
        np.testing.assert_allclose(function(**values)[0], expected, 1e-9, 1e-9)


@pytest.mark.parametrize("spec", ["i,ij->j", "ij,i->j", "ijk,i->jk", "ijk,ij->k", "ij,j->i"])
def test_a_vector_has_no_columns(spec: str) -> None:
    sizes = {"i": 200_000, "j": 3, "k": 2}
    left, right = spec.partition("->")[0].split(",")
    A, B = (t.variable(x, list(own)) for x, own in (("A", left), ("B", right)))
    function = compile_terms([t.einsum(spec, A, B)], sizes=sizes)
    assert "narrow_product" not in function.source
    few = {"i": 5, "j": 3, "k": 2}
    values = oracle.random_values([A, B], few, np.random.default_rng(0))
    np.testing.assert_allclose(function(**values)[0], np.einsum(spec, values["A"], values["B"]))
