"""The sum of exp(Ax), m = 2n: its third derivative is a symmetric tensor of order three."""

from functools import partial

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, triangle, without_buffers

__all__ = ["THIRD_DERIVATIVE"]


def data(n: int) -> dict[str, Array]:
    random = np.random.default_rng(n)
    A = random.standard_normal((2 * n, n)) / np.sqrt(n)
    return {"x": random.standard_normal(n), "A": A}


def gradient(x: Array, A: Array) -> tuple[float, Array]:
    e = A.dot(x)
    np.exp(e, out=e)
    return np.add.reduce(e), e.dot(A)


def hessian(x: Array, A: Array) -> Array:
    return A.T @ (np.exp(A @ x)[:, None] * A)


def symmetric_hessian(x: Array, A: Array) -> Array:
    """Half of Y'Y, by BLAS syrk."""
    e = A.dot(x)
    e *= 0.5
    np.exp(e, out=e)
    Y = e[:, None] * A
    return Y.T.dot(Y)


def one_product(x: Array, A: Array) -> Array:
    """A' times the rows' products with themselves (Khatri-Rao)."""
    m, n = A.shape
    weighted = A * np.exp(A @ x)[:, None]
    pairs = (weighted[:, :, None] * A[:, None, :]).reshape(m, n * n)
    return (A.T @ pairs).reshape(n, n, n)


def half_product(x: Array, A: Array) -> Array:
    """The same for each unordered pair once."""
    b, c, place = triangle(A.shape[1])
    weighted = A * np.exp(A @ x)[:, None]
    return (weighted.T @ (A[:, b] * A[:, c])).take(place, axis=1)


def slices(x: Array, A: Array) -> Array:
    """A product for each first index, of the part where the others do not precede it."""
    n = A.shape[1]
    e = np.exp(A @ x)
    T, transposed = np.empty((n, n, n)), np.ascontiguousarray(A.T)
    for a in range(n):
        block = (transposed[a:] * (e * transposed[a])) @ A[:, a:]
        place(T, a, block)
    return T


def place(T: Array, a: int, block: Array) -> None:
    """Write a slice to the three places that symmetry gives it."""
    T[a, a:, a:] = block
    T[a:, a, a:] = block
    T[a:, a:, a] = block


def signed_slices(x: Array, A: Array) -> Array:
    """Each slice as a difference of two symmetric products: positive and negative weights."""
    n = A.shape[1]
    e = np.exp(A @ x)
    T, transposed = np.empty((n, n, n)), np.ascontiguousarray(A.T)
    for a in range(n):
        w = e * transposed[a]
        root = np.sqrt(np.abs(w))
        positive, negative = np.flatnonzero(w > 0), np.flatnonzero(w <= 0)
        P = A[positive, a:] * root[positive, None]
        N = A[negative, a:] * root[negative, None]
        block = P.T @ P
        block -= N.T @ N
        place(T, a, block)
    return T


def mirrored_slices(x: Array, A: Array, size: int = 96) -> Array:
    """Each slice by blocks on and above its diagonal."""
    n = A.shape[1]
    e = np.exp(A @ x)
    T, transposed = np.empty((n, n, n)), np.ascontiguousarray(A.T)
    for a in range(n):
        Y, rest = transposed[a:] * (e * transposed[a]), n - a
        block = np.empty((rest, rest))
        for s in range(0, rest, size):
            end = s + size
            np.matmul(Y[s:end], A[:, a + s :], out=block[s:end, s:])
            block[end:, s:end] = block[s:end, end:].T
        place(T, a, block)
    return T


def block_symmetric(x: Array, A: Array, size: int = 32) -> Array:
    """A product for each block of first indices, mirrored to the other orders."""
    m, n = A.shape
    weighted = A * np.exp(A @ x)[:, None]
    T = np.empty((n, n, n))
    for a in range(0, n, size):
        end = min(a + size, n)
        rest = A[:, a:]
        pairs = (weighted[:, a:end, None] * rest[:, None, :]).reshape(m, -1)
        block = (pairs.T @ rest).reshape(end - a, n - a, n - a)
        T[a:end, a:, a:] = block
        T[end:, a:end, a:] = block[:, end - a :, :].transpose(1, 0, 2)
        T[end:, end:, a:end] = block[:, end - a :, end - a :].transpose(1, 2, 0)
    return T


SIZES = (10, 30, 100, 300, 1000)

THIRD_DERIVATIVE = Problem(
    "third_derivative",
    "sum(exp(Ax)), m = 2n",
    data,
    {"x": ("n",), "A": ("m", "n")},
    lambda ops, x, A: ops.sum(ops.exp(A @ x)),
    {
        "gradient": Quantity(SIZES, {"plain": gradient}),
        "hessian": Quantity(
            SIZES,
            {
                "product": hessian,
                "syrk": symmetric_hessian,
                "without buffers": without_buffers(symmetric_hessian),
            },
        ),
        "third": Quantity(
            (10, 30, 100, 200, 300),
            {
                "one product": one_product,
                "half a product": half_product,
                "slices": slices,
                "signed slices": signed_slices,
                "mirrored slices": mirrored_slices,
                "blocks of 32": block_symmetric,
                "blocks of 8": partial(block_symmetric, size=8),
            },
        ),
    },
)
