"""Random programs of NumPy's functions have NumPy's values, and derivatives that agree."""

import numpy as np
import pytest

from tests.cases.random_programs import disagreements, program

# Four pads around a sum of exponentials: right, after two minutes.
_SLOW = {57}


@pytest.mark.parametrize("seed", [k for k in range(61) if k not in _SLOW])
def test_values_and_derivatives(seed: int) -> None:
    found = program(np.random.default_rng(seed))
    assert disagreements(found) == [], str(found)
