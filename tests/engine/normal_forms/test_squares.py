"""Sums of squares, and of fractions over a common denominator."""

import pytest

import eggrad as eg
from eggrad.engine.equality.curvature import find_properties
from eggrad.engine.laws.properties import NONNEGATIVE
from eggrad.rules.standard import CURVATURE, system


def is_shown(text: str) -> bool:
    term = eg.parse_matrix(text, {"t": ()}).thin.term
    return bool(find_properties(system(CURVATURE), term, (NONNEGATIVE,)).properties)


@pytest.mark.parametrize(
    "text",
    [
        "1/4 - exp(t)/(1 + exp(t))^2",
        "1/4 - exp(t)/(1 + exp(t)) + exp(t)^2/(1 + exp(t))^2",
        "exp(t)/(1 + exp(t)) - exp(t)^2/(1 + exp(t))^2",
        "2 - 2*(1 - t^2)/(1 + t^2)^2",
        "1/4 + 2/(1 + t^2) - 4*t^2/(1 + t^2)^2",
        "(1 + t^2)^(-1/2) - t^2*(1 + t^2)^(-3/2)",
        "1 - tanh(t)^2",
        "9 - 6*sin(t) + sin(t)^2",
    ],
)
def test_what_is_nowhere_negative_is_shown_to_be(text: str) -> None:
    assert is_shown(text)


@pytest.mark.parametrize(
    "text",
    [
        "1/5 - exp(t)/(1 + exp(t))^2",
        "1.9 - 2*(1 - t^2)/(1 + t^2)^2",
        "1/5 + 2/(1 + t^2) - 4*t^2/(1 + t^2)^2",
        "t/(1 + t^2)",
        "1 - 1/(1 - t^2)",
    ],
)
def test_what_is_negative_somewhere_is_not(text: str) -> None:
    assert not is_shown(text)
