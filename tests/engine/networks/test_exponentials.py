"""Derivatives of functions of softmax along an axis, where exponentials overflow.

Each row has its own softmax; the scores of one are near 900, of another near -900. A long double
holds their exponentials, so the derivative as it stands is evaluated in that.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg
from tests.support.values import evaluated

pytestmark = pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp < 2000, reason="a long double is no wider than a double here"
)
S, T, Y = (eg.variable(name, ("m", "n")) for name in "STY")
C = eg.variable("C", ("m",))
U, V = (eg.variable(name, ("n",)) for name in "UV")
A, B, D = eg.variable("A", ("n", "k")), eg.variable("B", ("k",)), eg.variable("D", ("k",))
RNG = np.random.default_rng(0)
SCORES = np.add(RNG.normal(size=(3, 4)), [[900], [0], [-900]])
VALUES = {
    "S": SCORES,
    "T": RNG.normal(size=(3, 4)),
    "Y": RNG.normal(size=(3, 4)),
    "C": RNG.normal(size=3),
    "U": RNG.normal(size=4),
    "V": RNG.normal(size=4),
    "A": RNG.normal(size=(4, 2)),
    "B": RNG.normal(size=2),
    "D": RNG.normal(size=2),
}


def softmax(scores: Any) -> Any:
    exponentials = np.exp(scores)
    return exponentials / np.sum(exponentials, axis=1, keepdims=True)


def log_sum_exp(scores: Any) -> Any:
    return np.log(np.sum(np.exp(scores), axis=1))


FUNCTIONS = {
    "log_sum_exp": np.sum(C * log_sum_exp(S)),
    "its square": np.sum(log_sum_exp(S) ** 2),
    "cross entropy": -np.sum(Y * np.log(softmax(S))),
    "weighted": np.sum(Y * softmax(S)),
    "temperature": np.sum(Y * softmax(2 * S)),
    "square": np.sum(softmax(S) ** 2),
    "entropy": -np.sum(softmax(S) * np.log(softmax(S))),
    "beside softplus": np.sum(np.log(1 + np.exp(S))) + np.sum(log_sum_exp(S)),
}
# By a variable and in a direction; all rows have it in common.
SHARED = {
    "transport": (np.sum(C * log_sum_exp(2 * (S + U))), U, V),
    "one layer": (np.sum(C * log_sum_exp(S + A @ B)), B, D),
    "softmax of one layer": (np.sum(Y * softmax(S + A @ B)), B, D),
    "square of one layer": (np.sum(log_sum_exp(S + A @ B) ** 2), B, D),
}
DERIVATIVES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "gradient": lambda f, x, _: eg.gradient(f, x),
    "hessian": lambda f, x, _: eg.hessian(f, x),
    "hvp": eg.hvp,
}


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_softmaxes_of_one_another(steps: int) -> None:
    """Optimal transport with costs far above the regularisation, in steps of rows and columns."""
    rows, columns = C, np.zeros(4)
    for _ in range(steps):
        rows = C - log_sum_exp(S + columns)
        columns = U - np.log(np.sum(np.exp(S + rows[:, None]), axis=0))
    derivative = eg.gradient(np.sum(rows * C) + np.sum(columns * U), S)
    longer = {n: v.astype(np.longdouble) for n, v in VALUES.items()}
    exact = evaluated(derivative, longer, reference=True)
    found = eg.compile(derivative)(**{n: VALUES[n] for n in "SCU"})
    np.testing.assert_allclose(found, exact.astype(float), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("kind", DERIVATIVES)
@pytest.mark.parametrize("name", [*FUNCTIONS, *SHARED])
def test_no_exponential_overflows(name: str, kind: str) -> None:
    function, x, direction = SHARED[name] if name in SHARED else (FUNCTIONS[name], S, T)
    derivative = DERIVATIVES[kind](function, x, direction)
    longer = {n: v.astype(np.longdouble) for n, v in VALUES.items()}
    exact = evaluated(derivative, longer, reference=True)
    assert exact.dtype == np.longdouble
    assert np.isfinite(exact).all()
    found = eg.compile(derivative)(**VALUES)
    np.testing.assert_allclose(found, exact.astype(float), rtol=1e-9, atol=1e-10)
