"""The closed forms that books print have the values of central differences."""

import numpy as np
import pytest

from tests.benchmarks.formulas.catalog import HALVES, drawn
from tests.benchmarks.formulas.formula import TOLERANCE, Formula, error

ALL = [formula for half in HALVES.values() for formula in half]


@pytest.mark.parametrize("formula", ALL, ids=lambda formula: formula.name)
def test_the_closed_form_is_right(formula: Formula) -> None:
    values = formula.values()
    own = formula.read(formula.text).evaluate(values)
    np.testing.assert_allclose(own, formula.function(**values), rtol=1e-9, atol=1e-9)
    closed = formula.read(formula.closed).evaluate(values)
    assert error(closed, formula.differences(values)) < TOLERANCE


def test_chance_held_out_one_half() -> None:
    tuned, held_out = ({formula.name for formula in half} for half in HALVES.values())
    assert len(tuned) == len(held_out) == 30
    assert not tuned & held_out
    assert held_out == drawn()
