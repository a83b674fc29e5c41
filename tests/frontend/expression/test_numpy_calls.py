"""Functions of NumPy and SciPy, as people call them in what they differentiate."""

from typing import Any

import numpy as np
import pytest
import scipy.special as sp

from tests.support.numpy_cases import M, check_slopes, check_values, v, w
from tests.support.places import lines_of

ARGUMENTS = {"v": v, "M": M + 3 * np.eye(4)}
NAMES: dict[str, Any] = {
    "np": np,
    "sp": sp,
    "c": w,
    "B": M[::-1],
    "index": np.array([0, 2, 2, 5]),
    "mask": np.array([True, False, True, True, False, True]),
}


@pytest.mark.parametrize("call", lines_of("numpy_calls.txt"))
def test_value_and_gradient(call: str) -> None:
    argument, text = call.split(" ", 1)
    function = eval(f"lambda x: {text}", NAMES)
    check_values(function, ARGUMENTS[argument])
    check_slopes(function, ARGUMENTS[argument])
