"""Arrays beyond the cache are computed in strips, and nothing else changes."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine import oracle, strip_regions, strips
from eggrad.engine import term as t
from eggrad.engine.compiled import CompiledFunction, compile_terms
from eggrad.engine.cost import CostModel
from eggrad.engine.strip_regions import in_strips
from tests import numeric_terms

A = t.variable("A", ("m", "n"))
B = t.variable("B", ("m", "n"))
S = t.variable("S", ("n", "n"))
W = t.variable("W", ("n", "k"))
x = t.variable("x", ("n",))
y = t.variable("y", ("m",))
LARGE = {"m": 4000, "n": 2000, "k": 3}


@contextmanager
def small_caches() -> Iterator[None]:
    """What has two entries leaves the cache, strips have three, in whole twos of rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strip_regions, "BEYOND_CACHE", 2)
        patch.setattr(strips, "BLOCK", 3)
        patch.setattr(strips, "THREADED_BLOCK", 3)
        patch.setattr(strips, "ROWS", 2)
        yield


def compiled(*roots: t.Term) -> CompiledFunction:
    return compile_terms(roots, sizes=LARGE)


def is_cut(*roots: t.Term) -> bool:
    return in_strips(roots, CostModel(LARGE)) != roots


def check(function: CompiledFunction, roots: list[t.Term], sizes: dict[str, int]) -> None:
    values = oracle.random_values(t.variables(*roots), sizes, np.random.default_rng(0))
    with small_caches():
        results = function(**values)
    for result, expected in zip(results, oracle.evaluate(roots, values, sizes), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


def both_sides() -> list[t.Term]:
    return [t.einsum("ij,j->i", A, x), t.einsum("i,ij->j", y, A)]


def square_of_difference() -> list[t.Term]:
    difference = t.subtract(t.einsum("ik,jk->ij", t.einsum("ij,jk->ik", B, W), W), A)
    return [t.einsum("ij,ij->", difference, difference), t.einsum("ij,jk->ik", difference, W)]


def loss() -> list[t.Term]:
    score = t.einsum("i,i->i", y, t.einsum("ij,j->i", A, x))
    weights = t.einsum("i,i->i", y, t.numeric("sigmoid", score))
    values = t.numeric("softplus", score)
    return [t.einsum("i->", values), t.einsum("ij,i->j", A, weights)]


@pytest.mark.parametrize("program", [both_sides, square_of_difference, loss])
@pytest.mark.parametrize("m", [0, 1, 3, 7])
def test_strips_give_the_same(program, m: int) -> None:
    roots = program()
    function = compiled(*roots)
    assert function.source.count(" by_strips(") == 1
    check(function, roots, {"m": m, "n": 2, "k": 3})


def test_source() -> None:
    text = compiled(*both_sides()).source
    assert text.partition("\n\n\n")[2] == (
        "def strip_1(A, x, y):\n"
        "    t1 = A.dot(x)\n"
        "    t2 = y.dot(A)\n"
        "    return [t1, t2]\n"
        "\n\n"
        "def compiled(A, x, y):\n"
        "    n = A.shape[1]\n"
        "    t1, t2 = by_strips(strip_1, [A, x, y], [0, None, 0], [0, None], n)\n"
        "    return [t1, t2]\n"
    )


def test_products_of_pairs_are_cut_along_their_weights() -> None:
    roots = [t.numeric("product_of_pairs", W, t.einsum("ij,ij->ij", B, B))]
    function = compiled(*roots)
    assert function.source.count(" by_strips(") == 1
    check(function, roots, {"m": 5, "n": 4, "k": 3})


def test_small_arrays_are_not_cut() -> None:
    assert is_cut(*both_sides())
    assert in_strips(both_sides(), CostModel({"m": 900, "n": 1000})) == tuple(both_sides())


def test_what_reads_a_matrix_once_is_not_cut() -> None:
    assert not is_cut(t.einsum("ij,j->i", A, x))
    assert not is_cut(t.add(A, B))


def test_what_needs_a_sum_over_all_strips_waits() -> None:
    """The second product reads what the first has only after its last strip."""
    first = t.einsum("i,ij->j", y, A)
    later = t.einsum("ij,j->i", A, t.apply("tanh", first))
    assert not is_cut(later)
    function = compiled(later, *both_sides())
    assert function.source.count(" by_strips(") == 1
    check(function, [later, *both_sides()], {"m": 5, "n": 2})


def test_matrix_products_that_do_not_wait_for_memory_are_not_cut() -> None:
    wide = t.einsum("ij,jk->ik", A, t.apply("exp", S))
    assert not is_cut(wide, t.einsum("ij,ij->", wide, A))


def test_diagonals_are_not_filled_with_zeros() -> None:
    identity = t.delta(("n",))
    assert "by_strips" not in compile_terms([t.add(identity, S)], sizes={"n": 3000}).source
    scaled = t.einsum("ij,i->ij", identity, x)
    roots = [t.add(scaled, S), t.einsum("ij,ij->", t.add(scaled, S), S)]
    function = compile_terms(roots, sizes={"n": 3000})
    assert "np.zeros" not in function.source
    check(function, roots, {"n": 4})


def test_an_operand_whose_array_is_transposed() -> None:
    left = t.einsum("ik->ki", t.apply("exp", W))
    roots = [t.einsum("ki,mi->mk", left, A), t.einsum("mi,m->i", A, y)]
    function = compiled(*roots)
    assert function.source.count(" by_strips(") == 1
    assert "[t1.T, A, y]" in function.source
    check(function, roots, {"m": 5, "n": 4, "k": 3})


def test_columns_are_not_cut() -> None:
    """Rows of a large matrix in C order lie together, columns do not."""
    by_rows = (t.einsum("i,ij->j", y, A), t.einsum("ij,ij->j", A, A))
    assert is_cut(*by_rows)
    assert not is_cut(t.einsum("ij,ij->i", A, A), t.einsum("ji,j->ij", B, y))


def test_a_size_that_no_operand_has() -> None:
    ones = t.constant(1, ("k",))
    wide = t.einsum("ij,k->ijk", t.apply("exp", A), ones)
    roots = [t.einsum("ijk,ijk->i", wide, wide), t.einsum("ij,k->", A, ones), t.einsum("jk->j", W)]
    check(compiled(*roots), roots, {"m": 5, "n": 2, "k": 3})


def test_names_are_kept_apart() -> None:
    names = ("v1", "rows", "strip_1", "t1")
    v, u, w, z = (t.variable(name, ("rows", "rows")) for name in names)
    product = t.einsum("ij,jk->ik", t.add(v, u), t.variable("k", ("rows", 2)))
    roots = [product, t.einsum("ij,ik->jk", t.add(v, u), product), t.einsum("ij,ij->", w, z)]
    function = compile_terms(roots, sizes={"rows": 2000})
    assert "by_strips" in function.source
    check(function, roots, {"rows": 4})


@settings(max_examples=300, deadline=None)
@given(
    numeric_terms.roots(),
    st.integers(0, 2**32 - 1),
    st.sampled_from([np.float32, np.float64, np.complex128]),
)
def test_random_programs(roots: list[t.Term], seed: int, dtype: type) -> None:
    rng = np.random.default_rng(seed)
    sizes = oracle.random_sizes(roots, rng, choices=(0, 1, 2, 3, 5))
    values = oracle.random_values(t.variables(*roots), sizes, rng)
    with small_caches(), np.errstate(all="ignore"):
        function = compile_terms(roots, sizes=sizes)
        results = function(**{name: v.astype(dtype) for name, v in values.items()})
    for result, root in zip(results, roots, strict=True):
        assert result.shape == tuple(sizes.get(d, d) for d in root.dims)
    if numeric_terms.is_tame(roots, values, sizes):
        tolerance = 1e-2 if dtype is np.float32 else 1e-7
        for result, expected in zip(results, oracle.evaluate(roots, values, sizes), strict=True):
            np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@given(st.integers(0, 40), st.integers(1, 3), st.booleans(), st.integers(1, 70000))
@settings(max_examples=50)
def test_by_strips(m: int, n: int, turned: bool, width: int) -> None:
    rng = np.random.default_rng(m * n)
    matrix = rng.normal(size=(n, m)).T if turned else rng.normal(size=(m, n))
    v, w = rng.normal(size=n), rng.normal(size=m)

    def strip(matrix, v, w):
        assert len(matrix) == len(w)
        return [matrix @ v, w @ matrix, (matrix * w[:, None]).T, w.sum()]

    found = strips.by_strips(strip, [matrix, v, w], [0, None, 0], [0, None, 1, None], width)
    for result, expected in zip(found, strip(matrix, v, w), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


def test_a_number_decides_no_dtype() -> None:
    scaled = t.einsum(",ij->ij", t.size("n"), A)
    roots = [t.einsum("ij,j->i", scaled, x), t.einsum("ij,i->j", scaled, y)]
    function = compiled(*roots)
    assert "by_strips" in function.source
    ones = {"A": np.ones((5, 2), np.float32), "x": np.ones(2, "f"), "y": np.ones(5, "f")}
    with small_caches():
        assert {r.dtype for r in function(**ones)} == {np.dtype(np.float32)}


def test_many_uses_of_one_matrix() -> None:
    """Some of them are cut; to look at all ways would take minutes."""
    z = x
    for _ in range(60):
        residual = t.subtract(t.einsum("ij,j->i", A, z), y)
        z = t.subtract(z, t.einsum("ij,i->j", A, residual))
    function = compiled(z)
    assert 1 <= function.source.count(" by_strips(") <= strip_regions.MAX_STRIPS


@pytest.mark.parametrize(("threads", "calls"), [(1, 8), (2, 1)])
def test_strips_are_larger_for_several_threads(
    threads: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []

    def total(rows: np.ndarray) -> list[np.ndarray]:
        lengths.append(len(rows))
        return [rows.sum(axis=0)]

    monkeypatch.setattr(strips, "blas_threads", lambda: threads)
    rows = np.arange(64.0).reshape(64, 1)
    (found,) = strips.by_strips(total, [rows], [0], [None], strips.BLOCK // 8)
    np.testing.assert_array_equal(found, [2016.0])
    assert lengths == [64 // calls] * calls
