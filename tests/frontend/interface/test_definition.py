"""Functions of several arguments, and of one's own, in element-wise definitions."""

from typing import Any

import numpy as np
import pytest
import scipy.special

import eggrad as eg
from tests.support.values import evaluated

dawson = eg.function(
    "dawson",
    derivative=lambda x: 1 - 2 * x * dawson(x),
    evaluate=scipy.special.dawsn,
    latex="F",
    parity="odd",
)
SHAPES = {"x": ("n",), "y": ("n",)}
VALUES = {"x": np.array([0.3, -1.0, 2.0]), "y": np.array([1.0, 0.5, -0.7])}


def read(text: str) -> Any:
    return eg.parse_elementwise(text, SHAPES, functions=[dawson])


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("f[i] = dawson (x[i] * y[i])", lambda x, y: scipy.special.dawsn(x * y)),
        ("f[i] = maximum (x[i]; y[i]) ** 2", lambda x, y: np.maximum(x, y) ** 2),
        ("f[i] = mod (x[i], 3) * y[i]", lambda x, y: np.mod(x, 3) * y),
        (
            "f[i] = where (greater (x[i]; 0); log (x[i]); y[i])",
            lambda x, y: np.where(x > 0, np.log(np.abs(x)), y),
        ),
        (
            "f[] = sum{k<n} (dawson (x[k]) * minimum (x[k]; y[k]))",
            lambda x, y: np.sum(scipy.special.dawsn(x) * np.minimum(x, y)),
        ),
    ],
)
def test_value_adjoint_and_expression(text: str, function: Any) -> None:
    d = read(text)
    expected = function(*VALUES.values())
    np.testing.assert_allclose(evaluated(d, VALUES), expected, rtol=1e-14)
    np.testing.assert_allclose(evaluated(d.expression, VALUES), expected, rtol=1e-14)
    assert str(read(str(d))) == str(d)
    cotangent = np.ones(np.shape(expected))
    step = 1e-6
    slopes = []
    for e in np.eye(3):
        moved = [function(VALUES["x"] + s * step * e, VALUES["y"]) for s in (1, -1)]
        slopes.append(np.sum(moved[0] - moved[1]) / (2 * step))
    found = d.adjoint("x").evaluate({**VALUES, "df": cotangent})
    np.testing.assert_allclose(found, slopes, rtol=1e-7, atol=1e-8)


def test_third_derivative_of_a_function_of_ones_own() -> None:
    d = eg.parse_elementwise("f[] = dawson (x[])", {"x": ()}, functions=[dawson])
    third = d.jacobian("x").jacobian("x").jacobian("x")
    x = 0.7
    own = scipy.special.dawsn(x)
    first = 1 - 2 * x * own
    second = -2 * own - 2 * x * first
    assert np.isclose(third.evaluate({"x": x}), -4 * first - 2 * x * second, rtol=1e-12)


def test_what_is_not_chosen_never_matters() -> None:
    d = eg.parse_elementwise("f[i] = where (greater (x[i]; 0); log (x[i]); 0)", {"x": ("n",)})
    found = d.adjoint("x").evaluate({"x": [0, -1, 2], "df": [1, 1, 1]})
    np.testing.assert_array_equal(found, [0, 0, 0.5])


def test_texts() -> None:
    d = read("f[i] = dawson (x[i])")
    assert d.expression.to("elementwise") == "f[i<n] = dawson (x[i])"
    assert d.to("latex") == r"f_{i} = F\left(x_{i}\right), \quad 0 \le i < n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f[i] = dawson (x[i]; y[i])", "dawson has 1 argument, not 2"),
        ("f[i] = maximum (x[i])", "maximum has 2 arguments, not 1"),
        ("f[i] = sinh (x[i]; y[i])", "sinh has 1 argument, not 2"),
        ("f[i] = dawsn (x[i])", "did you mean 'dawson'"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(eg.ParseError, match=message):
        read(text)
