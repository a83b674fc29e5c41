"""Compiled formulas keep the digits that cancel as they are written, but where the data say not."""

import pytest

from tests.support.cancellation import FORMULAS, POINTS, Formula, as_written_and_compiled
from tests.support.tiers import samples


def orders_lost(formula: Formula, number: int) -> set[int]:
    """The orders of derivatives at which compiled code loses digits."""
    both = as_written_and_compiled(formula, number)
    return {order for order, (_, own) in zip(formula.orders, both, strict=True) if not own.kept}


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.name)
def test_no_other_formula_loses_digits(formula: Formula) -> None:
    assert orders_lost(formula, samples(60, POINTS)) <= {*formula.lost}


LOST = [formula for formula in FORMULAS if formula.lost]


@pytest.mark.parametrize("formula", LOST, ids=lambda formula: formula.name)
def test_a_formula_that_is_said_to_lose_digits_loses_them(formula: Formula) -> None:
    """Otherwise it is to be struck from the last column of tests/data/cancelling_formulas.txt."""
    assert orders_lost(formula, POINTS) == {*formula.lost}
