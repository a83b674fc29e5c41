"""Outer products against NumPy's, rows of zeros included."""

import numpy as np
import pytest

from eggrad.engine.runtime import products
from eggrad.engine.runtime.products import FRESH, LONG, outer_product


@pytest.fixture(autouse=True, params=[0, FRESH])
def from_so_many_entries_on(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of zeros are left out of small products, too."""
    monkeypatch.setattr(products, "FRESH", request.param)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 2)])
@pytest.mark.parametrize("length", [0, 1, 5, LONG])
@pytest.mark.parametrize("zeros", [False, True])
def test_is_the_outer_product(shape: tuple[int, ...], length: int, zeros: bool) -> None:
    rng = np.random.default_rng(length)
    left, right = rng.standard_normal(shape or (1,)), rng.standard_normal(length)
    if zeros:
        left[...] = left * (rng.random(left.shape) < 0.3)
    np.testing.assert_array_equal(
        outer_product(left, right), np.multiply.outer(left.ravel(), right)
    )


def test_zero_times_infinity_is_not_a_number() -> None:
    right = np.ones(LONG)
    right[0] = np.inf
    with np.errstate(invalid="ignore"):
        assert np.isnan(outer_product(np.zeros(3), right)[:, 0]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_keeps_the_dtype(dtype: type) -> None:
    assert outer_product(np.zeros(2, dtype), np.ones(LONG, dtype)).dtype == dtype
