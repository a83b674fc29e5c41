"""Forward and reverse differentiation agree with each other and with central differences."""

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eggrad.engine.oracle import oracle
from eggrad.frontend.calculus import calculus
from tests.support.random_expressions import random_expression
from tests.support.trusted_points import TOLERANCE, differs, random_point, trusted_derivative

MODES = ("forward", "reverse", "auto")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_modes_agree(seed: int) -> None:
    random = Random(seed)
    term, x = random_expression(random, most=8)
    found = {mode: calculus.differentiate(term, [x], mode).term for mode in MODES}
    assert {d.dims for d in found.values()} == {term.dims + x.dims}
    for _ in range(4):
        point = random_point(random, term, x)
        expected = trusted_derivative(term, x, point)
        values = {mode: oracle.value(d, point.values, point.sizes) for mode, d in found.items()}
        if expected is not None:
            assert [mode for mode in MODES if differs(values[mode], expected)] == []
        both_finite = [v for v in values.values() if np.isfinite(v).all()]
        for value in both_finite[1:]:
            scale = 1 + np.max(np.abs(value), initial=0.0)
            assert np.max(np.abs(value - both_finite[0]), initial=0.0) <= TOLERANCE * scale
