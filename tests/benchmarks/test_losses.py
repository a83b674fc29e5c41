"""Losses with their gradients by hand are what eggrad has."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.interface.trees import flatten
from tests.benchmarks.losses import __main__ as program
from tests.benchmarks.losses.by_hand import ByHand, cases


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in cases(7)])
def test_by_hand(case: ByHand) -> None:
    value, gradient = case.by_hand(*case.arguments)
    own_value, own_gradient = eg.value_and_grad(case.function)(*case.arguments)
    np.testing.assert_allclose(value, own_value, rtol=1e-10)
    leaves, structure = flatten(gradient)
    own, own_structure = flatten(own_gradient, structure)
    assert own_structure == structure
    for a, b in zip(leaves, own, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-12)
    found = program.compiled(case)()
    np.testing.assert_allclose(found[0], value, rtol=1e-10)


def test_a_line_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    case = next(c for c in cases(7) if c.name == "logistic_regression")
    assert min(program.measured(case, 0.0)) > 0
    assert capsys.readouterr().out.startswith("logistic_regression: ")
