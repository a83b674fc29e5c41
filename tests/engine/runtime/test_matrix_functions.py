"""Inverses by Cholesky's factor against NumPy's."""

import numpy as np
import pytest

from eggrad.engine.runtime.matrix_functions import cholesky, inverse_from_cholesky


@pytest.mark.parametrize("n", [0, 1, 5, 64, 65, 130, 200])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_inverse(n: int, dtype: type) -> None:
    rng = np.random.default_rng(n)
    root = rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))
    root = root.astype(dtype) if dtype is np.complex128 else root.real.astype(dtype)
    matrix = root @ root.conj().T / max(n, 1) + np.eye(n, dtype=dtype)
    found = inverse_from_cholesky(cholesky(matrix))
    assert found.dtype == dtype
    tolerance = 1e-4 if dtype is np.float32 else 1e-11
    np.testing.assert_allclose(found, np.linalg.inv(matrix), atol=tolerance)


def test_what_is_not_positive_definite_has_no_factor() -> None:
    assert np.isnan(inverse_from_cholesky(cholesky(-np.eye(2)))).all()
