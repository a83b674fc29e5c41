"""What the functions of problems are written with: one body for eggrad, NumPy and JAX.

Bodies call the functions of `ops.xp`, NumPy itself for eggrad as well, and what NumPy lacks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.problems.problem import Array

if TYPE_CHECKING:
    from eggrad import Expression


@dataclass(frozen=True)
class Operations:
    """A library with NumPy's names, and three functions more.

    `logsumexp` and `softmax` take an array and an axis; `identity` makes the identity matrix with
    as many rows as a vector has entries.
    """

    xp: Any
    logsumexp: Callable[[Any, int], Any]
    softmax: Callable[[Any, int], Any]
    identity: Callable[[Any], Any]


def with_eggrad() -> Operations:
    """For expressions."""
    import eggrad as eg

    def identity(x: "Expression") -> "Expression":
        return eg.delta(x.shape)

    return Operations(np, eg.logsumexp, eg.softmax, identity)


def with_numpy() -> Operations:
    """For arrays of NumPy's, to compute values with."""

    def logsumexp(a: Array, axis: int) -> Array:
        largest = a.max(axis, keepdims=True)
        return np.log(np.exp(a - largest).sum(axis)) + largest.squeeze(axis)

    def softmax(a: Array, axis: int) -> Array:
        e = np.exp(a - a.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)

    return Operations(np, logsumexp, softmax, lambda x: np.eye(len(x)))


def with_jax() -> Operations:
    """For arrays of JAX, in the precision that is set."""
    import jax
    import jax.numpy as jnp

    return Operations(jnp, jax.nn.logsumexp, jax.nn.softmax, lambda x: jnp.eye(len(x)))
