"""Random programs of NumPy's functions have NumPy's values, and derivatives that agree."""

import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from eggrad import BudgetWarning
from tests.cases.random_programs import Program, disagreements, program


@pytest.mark.parametrize("seed", range(61))
def test_values_and_derivatives(seed: int) -> None:
    found = program(np.random.default_rng(seed))
    assert disagreements(found) == [], str(found)


# Each took minutes, or grew until the budget ended, or had another value than NumPy.
FOUND = {
    "pads_of_pads": (
        "t0 = np.logaddexp.reduce(x, axis=-1, keepdims=True)",
        "t1 = np.pad(np.pad(t0, (2, 0), mode='maximum'), 1, mode='constant')",
        "result = np.pad(np.pad(t1, (0, 1), mode='edge'), 1, mode='symmetric')",
    ),
    "pad_of_repeated_entries": (
        "t0 = np.pad(np.repeat(x, 2), 1, mode='reflect')",
        "result = np.pad(t0, 1, mode='edge')",
    ),
    "product_of_copies": ("result = np.prod(np.tile(x, 2))",),
    "choice_between_shifts": ("result = np.where(y > 0, x[0] + 1, x[0])",),
    "choice_between_equals": (
        "t0 = np.maximum.accumulate(x)",
        "t1 = np.abs(t0 @ t0)",
        "result = np.minimum(np.where(t1 >= 0, t1, t1), t1)",
    ),
    "choice_of_repeated_entries": (
        "t0 = np.pad(x[None], (2, 0), mode='symmetric')[None, [2, -1], None]",
        "t1 = np.repeat(t0, [2, 1, 1, 0], axis=3)",
        "result = np.where(t0 >= t1, t1, t1)",
    ),
    "choices_along_axes_of_length_one": (
        "t0 = np.ptp(np.roll(x, 1), axis=0, keepdims=True)",
        "t1 = np.sum(t0, axis=0, keepdims=True)",
        "result = np.where(t1 <= t0, t0, t1)",
    ),
    "choice_of_a_spread_condition": (
        "t0 = np.outer(x, x)",
        "t1 = np.sum(t0, axis=0, keepdims=True)",
        "result = np.sum(t1, axis=1, where=t1 > 0)",
    ),
    "choice_without_entries": (
        "t0 = np.repeat(np.pad(x[:, None], (2, 0), mode='reflect'), 0, axis=-1)",
        "result = np.where(t0 <= t0, t0, t0)",
    ),
    "inverse_without_entries": (
        "t0 = np.triu(np.outer(x, x)[:0, :0])",
        "result = np.linalg.solve(t0 @ t0.T + 3 * np.eye(0), t0)",
    ),
    "norm_without_entries": (
        "t0 = np.pad(x[:1, None], (0, 1), mode='symmetric')",
        "result = np.linalg.norm(t0[np.array([], int)])",
    ),
    "deviation_of_one_entry": ("result = np.std(np.pad(x, 1, mode='wrap')[1:2], keepdims=True)",),
    "least_root": ("result = np.nanmin(np.sqrt(np.cumprod(np.append(x, -1.2))))",),
    "signs_of_zeros": ("t0 = np.triu(np.outer(x, x))", "result = np.arctan2(t0, t0)"),
    "empty_reshaped": ("t0 = np.outer(x, x[:0])", "result = t0.reshape((0, 2))"),
    "convolved_with_a_number": ("result = np.convolve(x, x[0])",),
}


@pytest.mark.parametrize("lines", FOUND.values(), ids=list(FOUND))
def test_programs_that_were_found(lines: Sequence[str]) -> None:
    found = Program(tuple(lines), np.array([-0.152, 0.366]), np.array([0.5, -1.0, 2.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error", BudgetWarning)
        assert disagreements(found) == []
