"""A Gaussian process's negative log likelihood, by the hyperparameters of its RBF kernel.

The hyperparameters h are logarithms: of the amplitude, the length scale and the noise.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.benchmarks.problems.gaussian_process import lower_inverse, transposed_square
from tests.benchmarks.problems.problem import Array, Quantity
from tests.benchmarks.unseen.problem import unseen

Inverse = Callable[[Array], tuple[Array, float]]


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    X = random.standard_normal((n, 3))
    y = np.sin(X.sum(1)) + 0.3 * random.standard_normal(n)
    return {"h": np.array([0.1, 0.2, -1.0]), "X": X, "y": y}


def function(ops: Any, h: Any, X: Any, y: Any) -> Any:
    xp = ops.xp
    s = xp.sum(X * X, axis=1)
    distances = s[:, None] + s - 2 * (X @ X.T)
    K = xp.exp(2 * h[0] - distances * xp.exp(-2 * h[1]) / 2) + xp.exp(2 * h[2]) * ops.identity(y)
    return (y @ xp.linalg.solve(K, y) + xp.linalg.slogdet(K)[1]) / 2


def by_inverse(K: Array) -> tuple[Array, float]:
    """The inverse, and the logarithm of the determinant."""
    return np.linalg.inv(K), float(np.linalg.slogdet(K)[1])


def by_cholesky(K: Array) -> tuple[Array, float]:
    L = np.linalg.cholesky(K)
    return transposed_square(lower_inverse(L)), 2 * float(np.log(np.diagonal(L)).sum())


def kernel(h: Array, X: Array) -> tuple[Array, Array, float]:
    """K with its noise, K's derivative by h[1], and the noise."""
    Z = X * np.exp(-h[1])
    s = np.einsum("ij,ij->i", Z, Z)
    s *= 0.5
    # The exponents: squared distances times -1/2.
    E = Z.dot(Z.T)
    E -= s[:, None]
    E -= s
    K = E + 2 * h[0]
    np.exp(K, out=K)
    E *= K
    E *= -2
    noise = float(np.exp(2 * h[2]))
    K.reshape(-1)[:: len(X) + 1] += noise
    return K, E, noise


def gradient(invert: Inverse) -> Callable[..., Any]:
    """Products with K less its noise are known, for inv(K) K = 1."""

    def call(h: Array, X: Array, y: Array) -> tuple[float, Array]:
        K, L, noise = kernel(h, X)
        B, logdet = invert(K)
        a = B @ y
        ya, aa, trace = y @ a, a @ a, np.trace(B)
        of_amplitude = len(y) - noise * trace - ya + noise * aa
        of_length = 0.5 * (np.vdot(B, L) - a @ (L @ a))
        return 0.5 * (ya + logdet), np.array([of_amplitude, of_length, noise * (trace - aa)])

    return call


def hessian(invert: Inverse) -> Callable[..., Any]:
    """One inverse and one product of matrices: the other traces are of products known before."""

    def call(h: Array, X: Array, y: Array) -> Array:
        K, L, noise = kernel(h, X)
        n, (B, _) = len(y), invert(K)
        a = B @ y
        b, l = B @ a, L @ a
        M = B @ L
        ya, aa, ab, la, lb = y @ a, a @ a, a @ b, l @ a, l @ b
        trace, squares, both = np.trace(B), np.vdot(B, B), np.vdot(B, M)
        # The second derivative of K by h[1]: L (D exp(-2 h[1]) - 2).
        K.reshape(-1)[:: n + 1] -= noise
        np.divide(L, K, out=K)
        K -= 2
        K *= L
        H = np.empty((3, 3))
        H[0, 0] = (
            4 * (ya - 2 * noise * aa + noise**2 * ab)
            - 2 * (ya - noise * aa)
            - 2 * (n - 2 * noise * trace + noise**2 * squares)
            + 2 * (n - noise * trace)
        )
        H[0, 1] = H[1, 0] = 2 * (la - noise * lb) - la + noise * both
        H[0, 2] = H[2, 0] = 4 * noise * (aa - noise * ab) - 2 * noise * (trace - noise * squares)
        H[1, 1] = l @ (B @ l) + 0.5 * (np.vdot(B, K) - a @ (K @ a) - np.einsum("ij,ji->", M, M))
        H[1, 2] = H[2, 1] = 2 * noise * lb - noise * both
        H[2, 2] = 4 * noise**2 * ab - 2 * noise * aa - 2 * noise**2 * squares + 2 * noise * trace
        return H

    return call


SIZES = (30, 100, 300, 1000)

GAUSSIAN_PROCESS_KERNEL = unseen(
    "gaussian_process_kernel",
    "Gaussian process by its kernel's hyperparameters",
    data,
    {"h": (3,), "X": ("n", 3), "y": ("n",)},
    function,
    {
        "gradient": Quantity(
            SIZES, {"inverse": gradient(by_inverse), "Cholesky": gradient(by_cholesky)}
        ),
        "hessian": Quantity(
            SIZES, {"inverse": hessian(by_inverse), "Cholesky": hessian(by_cholesky)}
        ),
    },
)
