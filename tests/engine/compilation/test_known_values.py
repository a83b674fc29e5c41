"""What depends on no variable is an array of numbers in generated code."""

import numpy as np

import eggrad as eg
from eggrad.engine.compilation.known_values import MOST_ENTRIES

c = eg.variable("c", (20,))


def roughness(x: eg.Expression) -> eg.Expression:
    """The sum of squares of second differences."""
    return eg.sum((x[2:] - 2 * x[1:-1] + x[:-2]) ** 2)


def test_a_penalty_is_one_matrix() -> None:
    B = eg.variable("B", (300, 20))
    f = eg.compile(eg.hessian(eg.sum(eg.exp(B @ c)) + roughness(c), c))
    assert "zeros_and_ones" not in f.source
    assert "indicator_product" not in f.source
    rng = np.random.default_rng(0)
    values = {"B": rng.normal(size=(300, 20)), "c": rng.normal(size=20) / 9}
    second = np.diff(np.eye(20), 2, axis=0)
    weighted = values["B"].T * np.exp(values["B"] @ values["c"])
    np.testing.assert_allclose(f(**values), weighted @ values["B"] + 2 * second.T @ second)


def test_a_result_that_is_known_is_the_users_own() -> None:
    f = eg.compile(eg.hessian(roughness(c), c))
    first = f(c=np.zeros(20))
    expected = first.copy()
    first += 1
    np.testing.assert_array_equal(f(c=np.zeros(20)), expected)
    assert f(c=np.zeros(20, np.float32)).dtype == np.float32


def test_what_is_large_is_made_anew() -> None:
    n = int(MOST_ENTRIES**0.5) + 1
    x = eg.variable("x", (n,))
    f = eg.compile(eg.hessian(roughness(x), x))
    second = np.diff(np.eye(n), 2, axis=0)
    np.testing.assert_allclose(f(x=np.zeros(n)), 2 * second.T @ second)
    assert "array1" not in f.source
