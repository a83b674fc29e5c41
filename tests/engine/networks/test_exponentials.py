"""Derivatives of functions of softmax along an axis, where exponentials overflow.

Each row has its own softmax; the scores of one are near 900, of another near -900. A long double
holds their exponentials, so the derivative as it stands is evaluated in that.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg

pytestmark = pytest.mark.skipif(
    np.finfo(np.longdouble).maxexp < 2000, reason="a long double is no wider than a double here"
)
S, T, Y = (eg.variable(name, ("m", "n")) for name in "STY")
C = eg.variable("C", ("m",))
RNG = np.random.default_rng(0)
SCORES = np.add(RNG.normal(size=(3, 4)), [[900], [0], [-900]])
VALUES = {
    "S": SCORES,
    "T": RNG.normal(size=(3, 4)),
    "Y": RNG.normal(size=(3, 4)),
    "C": RNG.normal(size=3),
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
DERIVATIVES: dict[str, Callable[[Any], Any]] = {
    "gradient": lambda f: eg.gradient(f, S),
    "hessian": lambda f: eg.hessian(f, S),
    "hvp": lambda f: eg.hvp(f, S, T),
}


@pytest.mark.parametrize("kind", DERIVATIVES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_exponential_overflows(name: str, kind: str) -> None:
    derivative = DERIVATIVES[kind](FUNCTIONS[name])
    exact = derivative.evaluate(
        {n: v.astype(np.longdouble) for n, v in VALUES.items()}, reference=True
    )
    assert exact.dtype == np.longdouble
    assert np.isfinite(exact).all()
    found = eg.compile(derivative)(**VALUES)
    np.testing.assert_allclose(found, exact.astype(float), rtol=1e-9, atol=1e-10)
