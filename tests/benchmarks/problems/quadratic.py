"""x'Ax: the Hessian is A + A', a sum of a matrix and its transpose."""

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, without_buffers

__all__ = ["QUADRATIC"]


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    return {"x": random.standard_normal(n), "A": random.standard_normal((n, n))}


def two_products(x: Array, A: Array) -> tuple[float, Array]:
    Ax = A @ x
    return x @ Ax, Ax + x @ A


def two_dots(x: Array, A: Array) -> tuple[float, Array]:
    g = A.dot(x)
    value = x.dot(g)
    g += x.dot(A)
    return value, g


def row_blocks(x: Array, A: Array) -> tuple[float, Array]:
    """Both products in one pass over A."""
    n = len(x)
    size = max(16, 65536 // n)
    g, Ax = np.zeros(n), np.empty(n)
    for i in range(0, n, size):
        rows = A[i : i + size]
        np.matmul(rows, x, out=Ax[i : i + size])
        g += x[i : i + size] @ rows
    value = x @ Ax
    g += Ax
    return value, g


def square_blocks(A: Array, size: int) -> Array:
    n, H = len(A), np.empty_like(A)
    for i in range(0, n, size):
        for j in range(0, n, size):
            upper, lower = A[i : i + size, j : j + size], A[j : j + size, i : i + size]
            np.add(upper, lower.T, out=H[i : i + size, j : j + size])
    return H


def mirrored_blocks(A: Array, size: int) -> Array:
    """Each sum of two blocks once, the one below the diagonal by transposing."""
    n, H = len(A), np.empty_like(A)
    for i in range(0, n, size):
        for j in range(i, n, size):
            upper, lower = A[i : i + size, j : j + size], A[j : j + size, i : i + size]
            block = np.add(upper, lower.T, out=H[i : i + size, j : j + size])
            if i != j:
                H[j : j + size, i : i + size] = block.T
    return H


def block_rows(A: Array, size: int) -> Array:
    n, H = len(A), np.empty_like(A)
    for i in range(0, n, size):
        np.add(A[i : i + size], A[:, i : i + size].T, out=H[i : i + size])
    return H


SIZES = (10, 30, 100, 300, 1000, 3000)

QUADRATIC = Problem(
    "quadratic",
    "x'Ax",
    data,
    {"x": ("n",), "A": ("n", "n")},
    lambda ops, x, A: x @ (A @ x),
    {
        "gradient": Quantity(
            SIZES,
            {"two products": two_products, "two dots": two_dots, "one pass": row_blocks},
        ),
        "hessian": Quantity(
            SIZES,
            {
                "A + A'": lambda x, A: A + A.T,
                "blocks of 64": lambda x, A: square_blocks(A, 64),
                "blocks of 256": lambda x, A: square_blocks(A, 256),
                "mirrored blocks": lambda x, A: mirrored_blocks(A, 64),
                "block rows": lambda x, A: block_rows(A, 32),
                "without buffers": without_buffers(lambda x, A: square_blocks(A, 512)),
            },
        ),
    },
    lambda eg, x, A: x @ A @ x,
)
