"""Definitions as expressions: the same values, and derivatives by the rules of expressions."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eggrad as eg
from tests.elementwise_brute_force import brute_force, central_difference
from tests.random_definitions import random_definition
from tests.test_elementwise_cases import CASES, definition, values


def near(got: Any, want: Any) -> None:
    np.testing.assert_allclose(got, want, 1e-6, 1e-7)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["name"]) for c in CASES])
def test_cases_of_the_literature(case: dict[str, Any]) -> None:
    d = definition(case)
    near(d.expression.evaluate(values(case)), d.evaluate(values(case)))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_random_definitions(seed: int) -> None:
    random = random_definition(seed)
    d, env = eg.parse_elementwise(random.text, random.shapes, random.sizes), random.values(seed)
    near(d.expression.evaluate(env), brute_force(random.text, random.sizes, env))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_random_derivatives_by_the_rules(seed: int) -> None:
    random = random_definition(seed)
    d, env = eg.parse_elementwise(random.text, random.shapes, random.sizes), random.values(seed)
    weights = np.random.default_rng(seed).normal(size=list(random.sizes.values()))
    for x in random.shapes:
        jacobian = eg.compile(eg.jacobian(d.expression, x))(**env)
        want = central_difference(
            lambda moved, x=x: brute_force(random.text, random.sizes, {**env, x: moved}),
            env[x],
            weights,
        )
        near(np.tensordot(weights, jacobian, weights.ndim), want)


@pytest.mark.parametrize(
    ("text", "shapes", "sizes"),
    [
        ("f[i] = sum{k}_0^2 (w[k]*x[i + k])", {"x": (6,), "w": (3,)}, {"i": 4}),
        ("f[i] = x[2*i + 1]", {"x": (9,)}, {"i": 4}),
        ("f[i; j] = x[i + j]", {"x": (6,)}, {"i": 3, "j": 4}),
        ("f[i] = sum{k}_0^i (x[k])", {"x": (5,)}, {"i": 5}),
        ("f[i] = x[i]**2", {"x": ("n",)}, {"i": "n"}),
    ],
)
def test_both_ways_to_differentiate_agree(
    text: str, shapes: dict[str, Any], sizes: dict[str, Any]
) -> None:
    d = eg.parse_elementwise(text, shapes, sizes)
    assert eg.equivalent(eg.jacobian(d.expression, "x"), d.jacobian("x").expression)


def test_definitions_and_matrices_in_one_function() -> None:
    d = eg.parse_elementwise(
        "f[i] = sum{k}_0^2 (w[k]*x[i + k])", {"x": ("n",), "w": (3,)}, sizes={"i": "m"}
    )
    target, matrix = eg.variable("y", ("m",)), eg.variable("A", ("m", "m"))
    loss = eg.sum((matrix @ d.expression - target) ** 2)
    run = eg.compile([loss, eg.gradient(loss, "w")])
    rng = np.random.default_rng(0)
    x, w, y, a = rng.normal(size=6), rng.normal(size=3), rng.normal(size=4), rng.normal(size=(4, 4))
    windows = np.lib.stride_tricks.sliding_window_view(x, 3)
    rest = a @ windows @ w - y
    value, slope = run(x=x, w=w, y=y, A=a)
    near(value, rest @ rest)
    near(slope, 2 * (a @ windows).T @ rest)


@pytest.mark.parametrize(
    "text",
    [
        "f[i; j] = if {i - j >= 1} then (x[i]/(x[i] - x[j])) else (i + 2*j)",
        "f[i; j] = if {i - j = 0} then (0) else (log(abs(x[i] - x[j])))",
        "f[i; j] = if {i - j >= 1} then (sqrt(x[i - j - 1] + i - j - 1)) else (x[j])",
        "f[i; j] = if {i - j = 0} then (1) else ((i - j)**(-2)*x[i])",
        "f[i; j] = sum{k}_0^i (log(x[i - k] + k)*x[j])",
    ],
)
def test_branches_are_not_evaluated_where_they_do_not_count(text: str) -> None:
    d = eg.parse_elementwise(text, {"x": (4,)}, sizes={"i": 4, "j": 4})
    x = np.array([0.5, 1.5, 2.0, 3.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near(d.expression.evaluate({"x": x}), d.evaluate({"x": x}))
        near(eg.compile(eg.jacobian(d.expression, "x"))(x=x), d.jacobian("x").evaluate({"x": x}))


@pytest.mark.parametrize(
    ("text", "shapes", "sizes", "told"),
    [
        ("f[i] = x[i]", {"x": ("n",)}, {"i": "n - 1"}, "the index i has the size n - 1"),
        ("f[i] = x[i]", {"x": ("2*n",)}, {"i": "n"}, "an axis of x has the size 2*n"),
        ("f[i] = sum{k}_1^i (x[k])", {"x": ("n",)}, {"i": "n"}, "k has up to n - 1 terms"),
        ("f[i] = x[i]**i", {"x": ("n",)}, {"i": "n"}, "the exponent i depends on indices"),
    ],
)
def test_what_no_expression_says(
    text: str, shapes: dict[str, Any], sizes: dict[str, Any], told: str
) -> None:
    d = eg.parse_elementwise(text, shapes, sizes)
    with pytest.raises(eg.EggradError, match=told.replace("*", r"\*")):
        _ = d.expression
