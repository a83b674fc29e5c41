"""Sums of products of two arrays: every way to evaluate them gives the values by brute force."""

from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.elementwise_brute_force import brute_force

CASES: dict[str, tuple[str, dict[str, tuple[int, ...]], dict[str, int]]] = {
    "correlation": ("f[i] = sum{k}_0^2 (x[i + k]*w[k])", {"x": (9,), "w": (3,)}, {"i": 7}),
    "backwards": ("f[i] = sum{k}_0^2 (x[i - k + 2]*w[k])", {"x": (9,), "w": (3,)}, {"i": 7}),
    "convolution, full": (
        "f[i] = sum{k}_(max [0; i - 6])^(min [2; i]) (x[i - k]*w[k])",
        {"x": (7,), "w": (3,)},
        {"i": 9},
    ),
    "convolution, a long sum": (
        "f[i] = sum{k}_(max [0; i - 1])^(min [6; i]) (w[i - k]*x[k])",
        {"x": (7,), "w": (2,)},
        {"i": 8},
    ),
    "steps of two": ("f[i] = sum{k}_0^2 (x[2*i + 2*k]*w[k])", {"x": (13,), "w": (3,)}, {"i": 5}),
    "stride": ("f[i] = sum{k}_0^2 (x[2*i + k]*w[k])", {"x": (13,), "w": (3,)}, {"i": 6}),
    "one weight": ("f[i] = sum{k}_0^0 (x[i + k]*w[k])", {"x": (4,), "w": (1,)}, {"i": 4}),
    "images": (
        "f[i; j] = sum{p}_0^1 (sum{q}_0^2 (x[i + p; j + q]*w[p; q]))",
        {"x": (5, 6), "w": (2, 3)},
        {"i": 4, "j": 4},
    ),
    "images, full": (
        "f[i; j] = sum{p}_(max [0; i - 4])^(min [1; i]) (sum{q}_(max [0; j - 5])^(min [2; j]) "
        "(x[i - p; j - q]*w[p; q]))",
        {"x": (5, 6), "w": (2, 3)},
        {"i": 6, "j": 8},
    ),
    "channels": (
        "f[b; o; i] = sum{c}_0^2 (sum{p}_0^2 (x[b; c; i + p]*w[o; c; p]))",
        {"x": (2, 3, 8), "w": (4, 3, 3)},
        {"b": 2, "o": 4, "i": 6},
    ),
    "weights of channels": (
        "f[o; c; p] = sum{b}_0^1 (sum{i}_0^5 (x[b; c; i + p]*d[b; o; i]))",
        {"x": (2, 3, 8), "d": (2, 4, 6)},
        {"o": 4, "c": 3, "p": 3},
    ),
    "one filter for each channel": (
        "f[c; i] = sum{p}_0^2 (x[c; i + p]*w[c; p])",
        {"x": (3, 8), "w": (3, 3)},
        {"c": 3, "i": 6},
    ),
    "weights apart from the window": (
        "f[i] = sum{k}_0^1 (sum{l}_0^1 (x[i + k]*w[l]))",
        {"x": (4,), "w": (2,)},
        {"i": 3},
    ),
    "more weights apart": (
        "f[i] = sum{k}_0^1 (sum{l}_0^2 (x[i + k]*w[l]))",
        {"x": (4,), "w": (3,)},
        {"i": 3},
    ),
    "a band": (
        "f[i] = sum{j}_(max [0; i - 2])^(min [8; i + 1]) (A[i; j]*x[j])",
        {"A": (9, 9), "x": (9,)},
        {"i": 9},
    ),
    "a triangle": (
        "f[i; k] = sum{j}_0^i (A[i; j]*B[j; k])",
        {"A": (5, 5), "B": (5, 3)},
        {"i": 5, "k": 3},
    ),
    "sums of the first": ("f[i] = sum{j}_0^i (x[j])", {"x": (6,)}, {"i": 6}),
    "a number beside one entry": ("f[i] = sum{j}_i^5 (2*x[j]*3)", {"x": (6,)}, {"i": 6}),
    "a bound that is no end": (
        "f[i] = sum{k}_0^(min [2; i]) (x[i + k]*w[k])",
        {"x": (9,), "w": (3,)},
        {"i": 7},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    text, shapes, sizes = CASES[name]
    rng = np.random.default_rng(0)
    env: dict[str, Any] = {n: rng.normal(size=shape) for n, shape in shapes.items()}
    d = eg.parse_elementwise(text, shapes, sizes)
    want = brute_force(text, sizes, env)
    np.testing.assert_allclose(d.evaluate(env), want, 1e-12, 1e-12)
    reversed_views = {n: np.ascontiguousarray(a[::-1])[::-1] for n, a in env.items()}
    np.testing.assert_allclose(d.evaluate(reversed_views), want, 1e-12, 1e-12)
    compiled = eg.compile(d.expression)
    np.testing.assert_allclose(compiled(**env), want, 1e-12, 1e-12)


def test_infinite_values_stay_where_they_are() -> None:
    text, shapes, sizes = CASES["convolution, full"]
    d = eg.parse_elementwise(text, shapes, sizes)
    found = d.evaluate({"x": [1, 2, 3, 4, 5, 6, 7], "w": [1, 1, np.inf]})
    np.testing.assert_array_equal(found, [1, 3, *[np.inf] * 7])


def test_an_entry_may_be_missing_only_where_a_bound_says_so() -> None:
    text = "f[i<M] = sum{k}_0^(min [2; i]) (x[i - k]*w[k])"
    d = eg.parse_elementwise(text, {"x": ("N",), "w": (3,)})
    env = {"x": [1, 2, 4, 8], "w": [1, 10, 100]}
    np.testing.assert_array_equal(d.evaluate({**env, "M": 4}), [1, 12, 124, 248])
    with pytest.raises(eg.ShapeError, match=r"x\[4\] where i = 4"):
        d.evaluate({**env, "M": 6})
