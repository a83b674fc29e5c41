"""What is printed in LaTeX, index notation and Unicode is read back, and has the same values."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.benchmarks.formulas.formula import Formula
from tests.benchmarks.formulas.tuned import TUNED
from tests.support.values import evaluated

READERS: dict[str, Callable[..., eg.Expression]] = {
    "latex": eg.parse_latex,
    "unicode": eg.parse_matrix,
    "index": eg.parse_index,
}


@pytest.mark.parametrize("language", READERS)
@pytest.mark.parametrize("formula", TUNED, ids=lambda formula: formula.name)
def test_derivatives_of_books(formula: Formula, language: str) -> None:
    derivative, values = formula.derivative(), formula.values()
    # Index notation calls the result f.
    dims: dict[str, Any] = {"f": derivative.shape} if language == "index" else {}
    text = derivative.to(language)
    again = READERS[language](text, {**formula.dims, **dims}, formula.assume)
    found = evaluated(again, values)
    np.testing.assert_allclose(
        found, evaluated(derivative, values), rtol=1e-8, atol=1e-9, err_msg=text
    )
