"""Expressions in place of variables."""

from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.values import evaluated

x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
A, z = eg.variable("A", ("m", "k")), eg.variable("z", ("k",))
RNG = np.random.default_rng(0)
VALUES = {
    "x": RNG.normal(size=3),
    "y": RNG.normal(size=3),
    "A": RNG.normal(size=(3, 2)),
    "z": RNG.normal(size=2),
}
X, Y, Az = VALUES["x"], VALUES["y"], VALUES["A"] @ VALUES["z"]


@pytest.mark.parametrize(
    ("f", "given", "expected"),
    [
        (x - 2 * y, {"x": y, "y": x}, Y - 2 * X),
        (x @ x, {"x": A @ z}, Az @ Az),
        (x @ y, {"x": A @ z}, Az @ Y),
        # The sizes of what is replaced are its own.
        (np.sum(x**2), {"x": np.diff(x)}, np.sum(np.diff(X) ** 2)),
        (x + 1, {"x": x + 1}, X + 2),
        (np.sum(x) / x.shape[0], {"x": [1, 2, 4, 5]}, 3),
        (eg.variable("s") * x, {"s": 2}, 2 * X),
        (x.sum(), {"x": np.zeros(0)}, 0),
        # What only fixes a size is replaced as well.
        (eg.gradient(np.sum(x), x), {"x": np.ones(4)}, np.ones(4)),
        (eg.gradient(np.sum(x), x), {"x": A @ z}, np.ones(3)),
        (x, {}, X),
    ],
)
def test_values(f: Any, given: Any, expected: Any) -> None:
    np.testing.assert_allclose(evaluated(f.substitute(given), VALUES), expected)


def test_names() -> None:
    assert (x + 1).substitute(x=x) is x + 1
    assert (x + y).substitute({"x": y}, y=x) is y + x


def test_declared_properties_go_with_their_variable() -> None:
    S = eg.variable("S", ("n", "n"), ["symmetric"])
    slope = eg.gradient(x @ S @ x, x)
    assert slope.to("matrix") == "2*S*x"
    assert slope.substitute(S=eg.variable("B", ("n", "n"))).to("matrix") == "(B + B')*x"
    assert slope.substitute(x=y).to("matrix") == "2*S*y"


@pytest.mark.parametrize(
    ("f", "given", "error", "message"),
    [
        (x, {"q": 1}, eg.UnknownVariable, "no variable 'q'; its variables: x"),
        (x, {"x": 1}, eg.ShapeError, r"x has axes \(n\), what replaces it has axes \(\)"),
        (x @ eg.variable("w", (3,)), {"x": np.ones(4)}, eg.ShapeError, "3 and 4|4 and 3"),
        (x @ y, {"x": np.diff(y)}, eg.ShapeError, "substitute x: sizes n - 1 and n"),
        (x, {"x": "text"}, eg.UnsupportedOperation, "not 'text', a str"),
    ],
)
def test_mistakes(f: Any, given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        f.substitute(given)
