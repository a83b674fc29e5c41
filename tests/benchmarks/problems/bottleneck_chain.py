"""A6 tanh(A5 tanh(... A1 x)) of widths n, n, n, 5, n, n, n: the Jacobian has rank five."""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity

__all__ = ["BOTTLENECK_CHAIN"]

WIDTHS: tuple[str | int, ...] = ("n", "n", "n", 5, "n", "n", "n")


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    widths = [n if w == "n" else int(w) for w in WIDTHS]
    found = {"x": random.standard_normal(n)}
    for k in range(6):
        shape = widths[k + 1], widths[k]
        found[f"A{k + 1}"] = random.standard_normal(shape) / np.sqrt(widths[k])
    return found


def function(ops: Any, x: Any, *matrices: Any) -> Any:
    for A in matrices[:-1]:
        x = ops.tanh(A @ x)
    return matrices[-1] @ x


def slopes(x: Array, matrices: tuple[Array, ...]) -> list[Array]:
    """The derivative of each tanh."""
    found = []
    for A in matrices[:-1]:
        x = A.dot(x)
        np.tanh(x, out=x)
        square = x * x
        found.append(np.subtract(1, square, out=square))
    return found


def factors(x: Array, *matrices: Array) -> tuple[Array, Array]:
    """L (n, 5) and R (5, n), from the bottleneck outward."""
    d = slopes(x, matrices)
    R = ((matrices[2] * d[1]) @ matrices[1] * d[0]) @ matrices[0]
    L = matrices[4] @ (d[3][:, None] * (matrices[3] * d[2]))
    return matrices[5] @ (d[4][:, None] * L), R


def transposed_factors(x: Array, *matrices: Array) -> tuple[Array, Array]:
    """The same with L' in place of L: wide matrices instead of narrow ones."""
    d = slopes(x, matrices)
    R = (matrices[2] * d[1]).dot(matrices[1])
    R *= d[0]
    R = R.dot(matrices[0])
    L = ((matrices[3] * d[2]).T * d[3]).dot(matrices[4].T)
    L *= d[4]
    return L.dot(matrices[5].T).T, R


def multiplied(factors: tuple[Array, Array], *_: Array) -> Array:
    return factors[0] @ factors[1]


def innermost_first(x: Array, *matrices: Array) -> Array:
    """The order of forward mode, for the sizes where it does not matter."""
    J = matrices[0]
    for A, d in zip(matrices[1:], slopes(x, matrices), strict=True):
        J = A @ (d[:, None] * J)
    return J


SIZES = (10, 30, 100, 300, 1000, 2000)

BOTTLENECK_CHAIN = Problem(
    "bottleneck_chain",
    "A6 tanh(A5 .. tanh(A1 x)), widths n, n, n, 5, n, n, n",
    data,
    {"x": ("n",)} | {f"A{k + 1}": (WIDTHS[k + 1], WIDTHS[k]) for k in range(6)},
    function,
    {
        "jacobian": Quantity(
            SIZES,
            {
                "outward": lambda *a: multiplied(factors(*a)),
                "outward, transposed": lambda *a: multiplied(transposed_factors(*a)),
                "innermost first": innermost_first,
            },
        ),
        "jacobian_factored": Quantity(
            SIZES,
            {"outward": factors, "outward, transposed": transposed_factors},
            multiplied,
        ),
    },
)
