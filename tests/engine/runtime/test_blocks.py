"""Large matrices of which one is transposed meet block by block."""

import numpy as np
import pytest

from eggrad.engine.compilation.compiled import compile_terms
from eggrad.engine.runtime.blocks import SIDE, by_blocks
from eggrad.engine.runtime.row_functions import ROW
from eggrad.engine.terms import term as t

A, B = t.variable("A", ("m", "n")), t.variable("B", ("n", "m"))


@pytest.mark.parametrize(
    "shape",
    [(0, 3), (1, 1), (SIDE, 2 * SIDE), (SIDE + 1, 2 * SIDE - 1), (ROW, SIDE + 1), (2, 3000)],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_is_the_operation(shape: tuple[int, int], dtype: type) -> None:
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=shape).astype(dtype), rng.normal(size=shape[::-1]).astype(dtype)
    found = by_blocks(np.subtract, left, right.T)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, left - right.T)


def test_large_matrices_alone() -> None:
    turned = t.einsum("ij->ji", B)
    large = {"m": 3000, "n": 2000}
    product = t.einsum("ij,ji->ij", A, B)
    for root in (t.add(A, turned), t.subtract(turned, A), t.divide(A, turned), product):
        function = compile_terms([root], sizes=large)
        assert "by_blocks(np." in function.source
        assert "by_blocks" not in compile_terms([root], sizes={"m": 30, "n": 20}).source
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(5, 4)), rng.normal(size=(4, 5))
        expected = {"add": a + b.T, "subtract": b.T - a, "divide": a / b.T, "einsum": a * b.T}[
            root.op
        ]
        np.testing.assert_array_equal(function(A=a, B=b)[0], expected)
    assert "by_blocks" not in compile_terms([t.add(A, A)], sizes=large).source
