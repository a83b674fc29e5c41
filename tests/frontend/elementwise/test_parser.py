"""What may be written in element-wise definitions, and what is printed for it."""

import numpy as np
import pytest

import eggrad as eg
from eggrad.frontend.elementwise.parser import ARITIES

SHAPES: dict[str, tuple[int | str, ...]] = {
    "x": (6,), "y": (6, 6), "c": (), "u": ("N",), "w": ("K",), "v": ("2*N + K - 2",),
}  # fmt: skip
ALIKE = {
    "f[i;j]=x[i]*y[i;j]": "f[i; j] = x[i] * y[i; j]",
    "f[i, j] = x[i] * y[i, j]": "f[i; j] = x[i] * y[i; j]",
    "f[i<6; j<4] = y[i; j]": "f[i; j] = y[i; j]",
    "f[] = sum{k<6} (x[k])": "f[] = sum{k}_0^5 (x[k])",
    "f[] = sum{k<6} x[k] ** 2": "f[] = sum{k}_0^5 (x[k]) ** 2",
    "f[] = sum{k} (x[k])": "f[] = sum{k}_0^5 (x[k])",
    "f[] = sum{k}_(1 + 1)^(6 - 1) (x[k])": "f[] = sum{k}_2^5 (x[k])",
    "f[] = sum{k}_-1^4 (x[k + 1])": "f[] = sum{k}_(-1)^4 (x[k + 1])",
    "f[i] = sum{k}_max [0; i - 1]^min [5; i + 1] (y[i; k])": "f[i] = sum{k}_(max [0; i - 1])^"
    "(min [5; i + 1]) (y[i; k])",
    "f[i<4] = sum{k}_(max [0; 1; i])^(min [5; 4; i + 1; 5]) (y[i; k])": "f[i] = "
    "sum{k}_(max [1; i])^(min [4; i + 1]) (y[i; k])",
    "f[i] = sum{k}_(1/2*i)^((i + 5)/2) (x[k])": "f[i] = sum{k}_(i/2)^((i + 5)/2) (x[k])",
    "f[i] = x[i] + -c": "f[i] = x[i] + -c[]",
    "f[i] = - - x[i]": "f[i] = -(-x[i])",
    "f[i] = -x[i] * c": "f[i] = -x[i] * c[]",
    "f[i] = (-x[i]) * c": "f[i] = (-x[i]) * c[]",
    "f[i] = -2 * x[i]": "f[i] = -2 * x[i]",
    "f[i] = -(2 * x[i])": "f[i] = -(2 * x[i])",
    "f[i] = -2 ** x[i]": "f[i] = -2 ** x[i]",
    "f[i] = (-2) ** x[i]": "f[i] = (-2) ** x[i]",
    "f[i] = x[i] ** -2 ** c": "f[i] = x[i] ** (-2 ** c[])",
    "f[i] = (x[i] ** 2) ** 3 ** 2": "f[i] = (x[i] ** 2) ** 3 ** 2",
    "f[i] = (x[i] - c) - (c - 1)": "f[i] = x[i] - c[] - (c[] - 1)",
    "f[i] = x[i] / (c * c) / c": "f[i] = x[i] / (c[] * c[]) / c[]",
    "f[i] = i + 1 + x[i] * (2*i) ** 2 / i": "f[i] = i + 1 + x[i] * (2*i) ** 2 / i",
    "f[i] = x[2*(i + 1) - i - 2]": "f[i] = x[i]",
    "f[i<6] = x[5 - i]": "f[i] = x[5 - i]",
    "f[i] = if {0 <= i < 3} then x[i] else 0": "f[i] = if {i >= 0 and 2 - i >= 0} then (x[i]) "
    "else (0)",
    "f[i] = if {i == 2, 1 > 0; i ≤ 4} then (x[i]) else (0)": "f[i] = if {i - 2 = 0 and "
    "4 - i >= 0} then (x[i]) else (0)",
    "f[i] = if {i/2 > 1} then (x[i]) else (0)": "f[i] = if {i - 3 >= 0} then (x[i]) else (0)",
    "f[i] = if {2 | 3*i + 4} then (x[i]) else (0)": "f[i] = if {2 | i} then (x[i]) else (0)",
    "f[i] = c * (if {i = 0} then (1) else (2))": "f[i] = c[] * (if {i = 0} then (1) else (2))",
    "f[i] = 1 * (if {0 = 1} then (1) else (2))": "f[i] = 1 * 2",
    "f[i<6] = sum{i}_0^i (x[i])": "f[i] = sum{i1}_0^i (x[i1])",
    "f[i<N] = sum{k<K} (v[2*i + k] * w[k])": "f[i] = sum{k}_0^(K - 1) (v[2*i + k] * w[k])",
    "f[] = sum{k} (u[k]) / N": "f[] = sum{k}_0^(N - 1) (u[k]) / N",
    "f[i] = 1e-3 * x[i] + .5": "f[i] = 0.001 * x[i] + 0.5",
}  # fmt: skip


@pytest.mark.parametrize(("text", "want"), ALIKE.items())
def test_spellings(text: str, want: str) -> None:
    sizes = {} if "<" in text.partition("=")[0] else {"i": 6, "j": 6}
    d = eg.parse_elementwise(text, SHAPES, sizes)
    assert str(d) == want
    assert eg.parse_elementwise(str(d), d.shapes, d.sizes) == d


def test_numbers_for_sizes() -> None:
    d = eg.parse_elementwise("f[i] = sum{k<K} (v[2*i + k] * w[k])", SHAPES, {"i": "N"})
    assert (d.shape, d.sizes, d.shapes["v"]) == (("N",), {"i": "N"}, ("2*N + K - 2",))
    fixed = eg.parse_elementwise(str(d), SHAPES, {"i": "N", "N": 4, "K": 3})
    assert (fixed.shape, fixed.shapes["v"]) == ((4,), (9,))
    assert str(fixed) == "f[i] = sum{k}_0^2 (v[2*i + k] * w[k])"
    values = {"v": np.arange(9), "w": [1, 2, 3]}
    np.testing.assert_array_equal(d.evaluate(values), fixed.evaluate(values))


def test_a_coefficient_that_is_given() -> None:
    d = eg.parse_elementwise("f[i<2; j<3] = x[M*i + j]", SHAPES, {"M": 3})
    np.testing.assert_array_equal(d.evaluate({"x": range(6)}), np.arange(6).reshape(2, 3))


def test_an_inner_index_of_the_same_name() -> None:
    d = eg.parse_elementwise("f[k] = sum{k}_0^k (x[k] * sum{k}_0^1 (x[k]))", SHAPES, {"k": 6})
    x = np.arange(1.0, 7)
    np.testing.assert_array_equal(d.evaluate({"x": x}), np.cumsum(x) * (x[0] + x[1]))


@pytest.mark.parametrize("name", [f for f, k in ARITIES.items() if k == 1])
def test_functions_and_their_derivatives(name: str) -> None:
    d = eg.parse_elementwise(f"f[i] = {name} (x[i])", {"x": (3,)})
    x = np.array([0.2, 0.4, 0.7])
    value = d.evaluate({"x": x})
    np.testing.assert_allclose(value, np.maximum(x, 0) if name == "relu" else getattr(np, name)(x))
    h = 1e-5
    slope = (d.evaluate({"x": x + h}) - d.evaluate({"x": x - h})) / (2 * h)
    adjoint = d.adjoint("x")
    np.testing.assert_allclose(adjoint.evaluate({"x": x, "df": np.ones(3)}), slope, 1e-6, 1e-9)


def test_equality() -> None:
    one = eg.parse_elementwise("f[i] = x[i]", {"x": (3,)})
    assert one == eg.parse_elementwise("f[i]=x[i]", {"x": (3,)})
    assert one != eg.parse_elementwise("f[i] = x[i]", {"x": (4,)})
    assert one != "f[i] = x[i]"
    assert len({one, eg.parse_elementwise("f[j] = x[j]", {"x": (3,)})}) == 2
    assert repr(one) == "<Definition f[i] = x[i]>"


def test_large_sums() -> None:
    """A dependent sum over ten million points, and a product that repeats entries."""
    n = 3200
    d = eg.parse_elementwise("f[i] = sum{k}_0^i (exp (a[i; k]))", {"a": (n, n)})
    found = d.evaluate({"a": np.zeros((n, n))})
    np.testing.assert_array_equal(found, np.arange(1, n + 1))
    d = eg.parse_elementwise("f[i] = sum{k<2000} (x[i + k] * w[k])", {"x": (7999,), "w": (2000,)},
                             {"i": 6000})  # fmt: skip
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=7999), rng.normal(size=2000)
    np.testing.assert_allclose(d.evaluate({"x": x, "w": w}), np.correlate(x, w, "valid"))
