"""Forms that lowering chooses for code: what an expert would have written."""

import numpy as np
import pytest

import eggrad as eg
from tests.support.values import evaluated

W = eg.variable("W", ("n", "n"))
v, a, b, c = (eg.variable(name, ("n",)) for name in "vabc")
SLOPE_OF_A, SLOPE_OF_B = (1 - eg.tanh(x) ** 2 for x in (a, b))


def body(*expressions: eg.Expression) -> str:
    """The code of some expressions, whose values are compared with those of the terms as given."""
    f = eg.compile(list(expressions), sizes={"n": 10})
    rng = np.random.default_rng(0)
    values = {name: rng.normal(size=10) for name in "vabc"} | {"W": rng.normal(size=(10, 10))}
    for found, e in zip(f(**values), expressions, strict=True):
        np.testing.assert_allclose(
            found, evaluated(e, values, reference=True), rtol=1e-12, atol=1e-12
        )
    return f.source.partition("def compiled")[2]


@pytest.mark.parametrize(
    "expression",
    [v * SLOPE_OF_A, (v @ W) * SLOPE_OF_A, ((v * SLOPE_OF_B) @ W) * SLOPE_OF_A],
    ids=["vector", "product", "chain"],
)
def test_slopes_of_tanh_divide(expression: eg.Expression) -> None:
    assert "reciprocal" not in body(expression)


def test_backpropagation_divides_at_every_cell() -> None:
    state = v
    for _ in range(4):
        state = eg.tanh(W @ state + b)
    loss = eg.sum((state - c) ** 2)
    source = body(loss, eg.gradient(loss, W))
    assert source.count(" /= ") == 4
    assert "reciprocal" not in source


def test_a_difference_and_its_opposite_are_one() -> None:
    source = body(eg.exp(a - b), eg.sin(b - a))
    assert source.count(" - ") == 1
