"""A derivative with the closed form that a book or a paper prints."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import eggrad as eg

Array = np.ndarray[Any, np.dtype[np.float64]]

SYMMETRIC = ("symmetric",)
DEFINITE = ("positive definite",)
POSITIVE = ("positive",)

TOKEN = re.compile(r"[A-Za-zα-ω_]\w*|\d+\.?\d*|[-+*/^.']|\.\*|\./|\.\^")
# The distance of neighbouring points of a central difference.
STEP = 2e-4
TOLERANCE = 1e-6

inv, det, tr = np.linalg.inv, np.linalg.det, np.trace


def logabsdet(A: Any) -> Any:
    return np.linalg.slogdet(A)[1]


def norm2(A: Any) -> Any:
    return np.sqrt(np.sum(A**2))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def softplus(x: Any) -> Any:
    return np.log1p(np.exp(x))


def logsumexp(x: Any) -> Any:
    return np.log(np.sum(np.exp(x)))


def softmax(x: Any) -> Any:
    return np.exp(x) / np.sum(np.exp(x))


@dataclass(frozen=True)
class Formula:
    """A function in matrix notation and by NumPy, and its derivative as a book prints it.

    The derivative by `wrt` is the gradient or Jacobian where `order` is 1, the Hessian where it
    is 2. `symmetric` says that it is short only by the symmetry of a variable or of a part, as of
    X'X. `shift` is added to the values of variables where the function is not defined everywhere.
    """

    name: str
    source: str
    dims: Mapping[str, Sequence[str]]
    wrt: str
    text: str
    function: Callable[..., Any]
    closed: str
    assume: Mapping[str, Sequence[str]] = field(default_factory=dict)
    order: int = 1
    symmetric: bool = False
    shift: Mapping[str, float] = field(default_factory=dict)

    def read(self, text: str) -> eg.Expression:
        """A text about the variables of this formula."""
        return eg.parse_matrix(text, self.dims, self.assume)

    def derivative(self) -> eg.Expression:
        """What eggrad finds."""
        return eg.derivative(self.read(self.text), *[self.wrt] * self.order)

    def values(self, seed: int = 0) -> dict[str, Array]:
        """Random values of the variables; axes of different names have different sizes."""
        rng = np.random.default_rng(seed)
        names = sorted({axis for axes in self.dims.values() for axis in axes})
        sizes = {name: 3 + i % 3 for i, name in enumerate(names)}
        found = {}
        for name, axes in self.dims.items():
            known = self.assume.get(name, ())
            value = np.asarray(rng.normal(size=[sizes[axis] for axis in axes]))
            if "positive definite" in known:
                value = value @ value.T + 3 * np.eye(len(value))
            elif "symmetric" in known:
                value = value + value.T
            elif "positive" in known:
                value = np.abs(value) + 0.5
            found[name] = value + self.shift.get(name, 0.0)
        return found

    def differences(self, values: Mapping[str, Array]) -> Array:
        """The derivative by central differences of the NumPy function."""

        def slope(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
            return lambda at: _differences(function, at)

        def found(at: Array) -> Array:
            return np.asarray(self.function(**{**values, self.wrt: at}))

        for _ in range(self.order):
            found = slope(found)
        return found(values[self.wrt])


def _differences(function: Callable[[Array], Array], at: Array) -> Array:
    """By five points, whose error is of the fourth order in the step."""
    slopes = []
    for place in np.ndindex(at.shape):
        step = np.zeros(at.shape)
        step[place] = STEP
        near = function(at + step) - function(at - step)
        far = function(at + 2 * step) - function(at - 2 * step)
        slopes.append((8 * near - far) / (12 * STEP))
    return np.stack(slopes, axis=-1).reshape((*np.shape(slopes[0]), *at.shape))


def error(found: Any, reference: Array) -> float:
    """The largest error, as a part of the largest entry where that is above 1."""
    return float(np.max(np.abs(found - reference)) / max(1.0, np.max(np.abs(reference))))


def tokens(text: str) -> int:
    """Names, numbers and signs; brackets and what separates are not counted."""
    return len(TOKEN.findall(text))
