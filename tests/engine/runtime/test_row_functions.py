"""Functions of two arrays row by row: NumPy's values, and none of its settings changed."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.oracle import oracle
from eggrad.engine.runtime import products as module
from eggrad.engine.runtime.products import row_by_row, scaled_rows
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
        assert module.__name__ not in compile_terms([root], sizes=small).source
    compared(function, root)


@pytest.mark.parametrize("root", OTHERS)
def test_not_where_rows_share_their_numbers_or_lie_elsewhere(root: t.Term) -> None:
    function = compile_terms([root], sizes={"m": 2000, "n": 2000, "k": 200})
    assert module.__name__ not in function.source


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
