"""Methods of arrays on expressions, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eggrad as eg

VALUES = {"A": np.random.default_rng(0).normal(size=(3, 4))}
A = eg.variable("A", ("m", "n"))

METHODS: list[Callable[[Any], Any]] = [
    lambda a: a.sum(1),
    lambda a: a.mean(axis=0, keepdims=True),
    lambda a: a.dot(a.T),
    lambda a: a.T.trace() if a.shape[0] == a.shape[1] else a.dot(a.T).trace(),
    lambda a: a.dot(a.transpose()).diagonal(),
    lambda a: a.transpose((1, 0)).swapaxes(0, 1),
    lambda a: a.transpose(1, 0),
    lambda a: a.var() + a.std(axis=1),
    lambda a: a.clip(-0.5, 0.5).cumsum(1),
    lambda a: a.sum(0).reshape(1, -1).squeeze(),
    lambda a: a[:1].sum(0).reshape((-1, 1)),
    lambda a: a[0].take([1, 2]).prod(),
    lambda a: a.sum() / a.size,
    lambda a: a[:2, :2].ravel() * a[:2, :2].flatten(),
]


@pytest.mark.parametrize("call", METHODS)
def test_methods(call: Callable[[Any], Any]) -> None:
    found = call(A).evaluate(VALUES)
    np.testing.assert_allclose(found, call(VALUES["A"]), rtol=1e-12)


def test_size_is_an_expression() -> None:
    assert A.size.evaluate(VALUES) == 12
    assert np.sqrt(A[0].size).evaluate(VALUES) == 2
    assert eg.variable("B", (2, 3)).size == 6
    with pytest.raises(eg.UnsupportedOperation, match="order 'C'"):
        eg.variable("B", (2, 3)).flatten("F")
