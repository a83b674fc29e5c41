"""Functions of arrays, tried with arrays and with expressions: values, shapes and derivatives."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

import eggrad as eg
from tests.support.values import evaluated

RNG: Final = np.random.default_rng(0)
v: Final = RNG.uniform(0.3, 2, 6)
w: Final = RNG.uniform(0.3, 2, 6)
M: Final = RNG.uniform(0.3, 2, (4, 4))
R: Final = RNG.uniform(0.3, 2, (3, 4))
T: Final = RNG.uniform(0.3, 2, (2, 3, 4))

Function = Callable[[Any], Any]


def results(value: Any) -> Iterator[Any]:
    """The arrays or expressions that a function returns; of a condition, 1 and 0."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from results(part)
    else:
        yield value.test if hasattr(value, "test") else value


def check_values(function: Function, at: Any) -> None:
    """Compare values and shapes with NumPy's."""
    expected = list(results(function(at.copy())))
    found = list(results(function(eg.variable("x", at.shape))))
    assert len(found) == len(expected)
    for own, wanted in zip(found, expected, strict=True):
        value = evaluated(own, {"x": at}) if isinstance(own, eg.Expression) else np.asarray(own)
        assert value.shape == np.shape(wanted)
        np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-9)


def check_slopes(function: Function, at: Any, step: float = 1e-6) -> None:
    """Compare the gradient of a sum of all entries, with weights, with central differences."""

    def total(x: Any) -> Any:
        parts = [p * 1.0 for p in results(function(x))]
        weights = np.random.default_rng(1)
        return sum(np.sum((p + p * p / 4) * weights.uniform(1, 2, tuple(p.shape))) for p in parts)

    found = eg.grad(total)(at)
    expected = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        moved = [at.copy(), at.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        expected[place] = (total(moved[0]) - total(moved[1])) / (2 * step)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
