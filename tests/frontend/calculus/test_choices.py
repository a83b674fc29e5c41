"""What a choice leaves out has no part in its derivative, even where it is undefined."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.tiers import samples

CONDITIONS = [
    *("x > 0", "x < 1", "x > 0.5", "x**2 < 1", "x > -0.5", "-x > 0.3"),
    *("np.sqrt(x) > 0.7", "np.log(x) < 0.2"),
]
BRANCHES = [
    *("x", "x**2", "np.exp(x)", "0.0", "1.0"),
    *("np.sqrt(x)", "1/x", "np.log(x)", "x**1.5", "np.exp(-x**1.5)", "1/x - x**1.5"),
    *("np.arcsin(x)", "np.log(1 - x) * x", "np.arccosh(x)"),
]
POINTS = [-1.3, -0.7, -0.4, -0.2, 0.13, 0.3, 0.45, 0.6, 0.8, 1.1, 1.4, 2.3]
STEP = 1e-6

# Sums of masks by different conditions, choices between masks, powers of tests, functions that
# are found in code alone.
KNOWN = [
    "np.where(x > 0, np.where(np.sqrt(x) > 0.7, np.where(x < 1, np.exp(-x**1.5),"
    " np.where(x > 0.5, x**1.5, 0.0)), 0.0),"
    " np.where(x > 0.5, 1/x - x**1.5, np.where(x > 0.5, np.exp(x), x)))",
    "np.where(x > -0.5, x, np.where(-x > 0.3, np.where(x > 0, 1/x - x**1.5, 1.0),"
    " np.exp(-x**1.5)))",
    "np.where(x > 0.5, np.where(x > 0, np.where(x**2 < 1, x, 1.0), np.log(x)),"
    " np.where(x > 0.5, np.sqrt(x), np.where(x > 0.5, x**2, np.arcsin(x))))",
    "np.where(-x > 0.3, np.where(x > 0.5, np.where(np.log(x) < 0.2, np.sqrt(x), 0.0), np.where("
    "np.log(x) < 0.2, x, np.log(1 - x) * x)), np.where(np.log(x) < 0.2, np.where(x > -0.5,"
    " np.log(1 - x) * x, x), np.where(x < 1, np.exp(x), 1/x - x**1.5)))",
    "np.where(x > -0.5, np.where(x > -0.5, np.exp(-x**1.5), 1/x) *"
    " np.where(-x > 0.3, np.exp(-x**1.5), 1/x), np.where(-x > 0.3, np.arcsin(x), x))",
]


def _program(draw: random.Random, depth: int) -> str:
    if not depth or draw.random() < 0.15:
        return draw.choice(BRANCHES)
    one, other = (_program(draw, depth - 1) for _ in range(2))
    if draw.random() < 0.8:
        return f"np.where({draw.choice(CONDITIONS)}, {one}, {other})"
    return f"({one} {draw.choice('+*-')} {other})"


def _check(text: str) -> None:
    f: Callable[[Any], Any] = eval(f"lambda x: {text}", {"np": np})
    x = eg.variable("x", ())
    slope = eg.compile(eg.gradient(0 * x + f(x), x), optimize="now")
    with np.errstate(all="ignore"):
        for value in np.array(POINTS):
            expected = (f(value + STEP) - f(value - STEP)) / (2 * STEP)
            if np.isfinite(expected):
                found = slope(**({"x": value} if slope.parameters else {}))
                np.testing.assert_allclose(found, expected, 1e-4, 1e-6, err_msg=f"{text}, {value}")


@pytest.mark.parametrize("text", KNOWN)
def test_choices_between_masks(text: str) -> None:
    _check(text)


def test_random_choices() -> None:
    for seed in range(samples(4, 60)):
        _check(_program(random.Random(seed), 3))


def test_what_code_cannot_do_without_is_hidden_in_every_library() -> None:
    x, c = eg.variable("x", (3,)), eg.variable("c", (3,))
    f = np.where(c > 0, 1.0, 0.0) / np.sqrt(x) + np.where(c > 0, 0.0, x)
    values = {"x": np.array([4.0, -1.0, 0.0]), "c": np.array([1.0, -1.0, -1.0])}
    for backend in ("numpy", "array_api", "jax"):
        with np.errstate(all="ignore"):
            found = eg.compile(f, backend=backend)(**values)
        np.testing.assert_allclose(np.asarray(found), [0.5, -1.0, 0.0], 1e-6)
