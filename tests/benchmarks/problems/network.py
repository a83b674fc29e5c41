"""Ten fully connected layers with ReLU and softmax cross-entropy, by the first weights.

The Hessian is M[i, k] x[j] x[l] for one sample: M (n, n) and x are its factored form.
"""

from typing import Any

import numpy as np

from tests.benchmarks.problems.problem import Array, Problem, Quantity, outer

__all__ = ["NETWORK", "NETWORK_BATCH"]

LAYERS = 10
BATCH = 16
WEIGHTS = {f"W{i}": ("n", "n") for i in range(1, LAYERS + 1)}


def batch_data(n: int, samples: int = BATCH) -> dict[str, Array]:
    """Weights of variance 2/n, drawn until no sample dies on its way."""
    for seed in range(100):
        random = np.random.default_rng(1000 * n + seed)
        weights = [random.standard_normal((n, n)) * np.sqrt(2 / n) for _ in range(LAYERS)]
        X = random.standard_normal((samples, n))
        h = X
        for W in weights[:-1]:
            h = np.maximum(h @ W.T, 0)
        if (h.max(1) > 1e-2).all():
            break
    Y = np.zeros((samples, n))
    Y[np.arange(samples), random.integers(0, n, samples)] = 1
    return {f"W{i}": W for i, W in enumerate(weights, 1)} | {"X": X, "Y": Y}


def data(n: int) -> dict[str, Array]:
    found = batch_data(n, 1)
    X, Y = found.pop("X"), found.pop("Y")
    return found | {"x": X[0], "y": Y[0]}


def function(ops: Any, *arrays: Any) -> Any:
    *weights, h, y = arrays
    for W in weights[:-1]:
        h = ops.relu(W @ h)
    z = weights[-1] @ h
    return ops.logsumexp(z, 0) - ops.sum(y * z)


def batch_function(ops: Any, *arrays: Any) -> Any:
    *weights, H, Y = arrays
    for W in weights[:-1]:
        H = ops.relu(H @ W.T)
    Z = H @ weights[-1].T
    return ops.sum(ops.logsumexp(Z, 1)) - ops.sum(Y * Z)


def forward(weights: tuple[Array, ...], x: Array) -> tuple[Array, list[Array]]:
    """The last layer's output, and the output of each ReLU."""
    h, outputs = x, []
    for W in weights[:-1]:
        h = W.dot(h)
        outputs.append(np.maximum(h, 0, out=h))
    return weights[-1].dot(h), outputs


def gradient(*arrays: Array) -> tuple[float, Array]:
    *weights, x, y = arrays
    z, outputs = forward(tuple(weights), x)
    largest = z.max()
    e = np.exp(z - largest)
    total = e.sum()
    value = np.log(total) + largest - y.dot(z)
    e /= total
    e -= y
    for W, h in zip(weights[:0:-1], outputs[::-1], strict=True):
        e = e.dot(W)
        e *= h > 0
    return value, outer(e, x)


def middle(*arrays: Array) -> Array:
    """M, by way of the Jacobian of the outputs by the first layer's."""
    *weights, x, _ = arrays
    z, outputs = forward(tuple(weights), x)
    z -= z.max()
    p = np.exp(z)
    p /= p.sum()
    J = weights[-1] * (outputs[-1] > 0)
    for W, h in zip(weights[-2:0:-1], outputs[-2::-1], strict=True):
        J = J @ W
        J *= h > 0
    return covariance(J, p)


def middle_active(*arrays: Array) -> Array:
    """The same with the rows and columns alone that are not switched off."""
    *weights, x, _ = arrays
    z, outputs = forward(tuple(weights), x)
    z -= z.max()
    p = np.exp(z)
    p /= p.sum()
    active = [np.flatnonzero(h) for h in outputs]
    J = weights[-1][:, active[-1]]
    for W, after, before in zip(weights[-2:0:-1], active[:0:-1], active[-2::-1], strict=True):
        J = J @ W[after[:, None], before]
    M = np.zeros((len(x), len(x)))
    M[active[0][:, None], active[0]] = covariance(J, p)
    return M


def covariance(J: Array, p: Array) -> Array:
    """J' (diag(p) - pp') J."""
    u = p @ J
    Y = np.sqrt(p)[:, None] * J
    M = Y.T @ Y
    M -= outer(u, u)
    return M


def spread(M: Array, x: Array) -> Array:
    """M[i, k] x[j] x[l], by broadcasting."""
    return M[:, None, :, None] * outer(x, x)[None, :, None, :]


def spread_rows(M: Array, x: Array) -> Array:
    """The same; the rows of units that are switched off stay untouched zeros."""
    n, xx = len(x), outer(x, x)
    H = np.zeros((n, n, n, n))
    for i in np.flatnonzero(np.diagonal(M)):
        np.multiply(M[i][None, :, None], xx[:, None, :], out=H[i])
    return H


def batch_forward(weights: tuple[Array, ...], X: Array) -> tuple[Array, list[Array]]:
    H, outputs = X, []
    for W in weights[:-1]:
        H = H @ W.T
        outputs.append(np.maximum(H, 0, out=H))
    return H @ weights[-1].T, outputs


def batch_gradient(*arrays: Array) -> tuple[float, Array]:
    *weights, X, Y = arrays
    Z, outputs = batch_forward(tuple(weights), X)
    largest = Z.max(1, keepdims=True)
    E = np.exp(Z - largest)
    total = E.sum(1, keepdims=True)
    value = (np.log(total) + largest).sum() - np.vdot(Y, Z)
    E /= total
    E -= Y
    for W, H in zip(weights[:0:-1], outputs[::-1], strict=True):
        E = E @ W
        E *= H > 0
    return value, E.T @ X


def batch_middle(*arrays: Array) -> Array:
    """One M for each sample, on stacks of matrices."""
    *weights, X, _ = arrays
    Z, outputs = batch_forward(tuple(weights), X)
    Z -= Z.max(1, keepdims=True)
    P = np.exp(Z, out=Z)
    P /= P.sum(1, keepdims=True)
    J = weights[-1] * (outputs[-1] > 0)[:, None, :]
    for W, H in zip(weights[-2:0:-1], outputs[-2::-1], strict=True):
        n = len(W)
        J = (J.reshape(-1, n) @ W).reshape(-1, n, n)
        J *= (H > 0)[:, None, :]
    u = P[:, None, :] @ J
    Y = np.sqrt(P)[:, :, None] * J
    M = Y.swapaxes(1, 2) @ Y
    M -= u.swapaxes(1, 2) * u
    return M


def batch_one_product(*arrays: Array) -> Array:
    """A view whose axes are not in the order of memory."""
    M, X = batch_middle(*arrays), arrays[-2]
    samples, n = X.shape
    XX = X[:, :, None] * X[:, None, :]
    H = M.reshape(samples, -1).T @ XX.reshape(samples, -1)
    return H.reshape(n, n, n, n).transpose(0, 2, 1, 3)


def batch_row_products(*arrays: Array) -> Array:
    M, X = batch_middle(*arrays), arrays[-2]
    samples, n = X.shape
    H = np.empty((n, n, n * n))
    for i in range(n):
        right = (M[:, i, :, None] * X[:, None, :]).reshape(samples, -1)
        np.matmul(X.T, right, out=H[i])
    return H.reshape(n, n, n, n)


NETWORK = Problem(
    "network",
    "10 layers n x n, ReLU, softmax cross-entropy, by the first weights",
    data,
    WEIGHTS | {"x": ("n",), "y": ("n",)},
    function,
    {
        "gradient": Quantity((10, 30, 100, 300, 1000), {"backpropagation": gradient}),
        "hessian": Quantity(
            (10, 30, 64, 100),
            {
                "dense": lambda *a: spread(middle(*a), a[-2]),
                "active units": lambda *a: spread(middle_active(*a), a[-2]),
                "active rows": lambda *a: spread_rows(middle_active(*a), a[-2]),
            },
        ),
        "hessian_factored": Quantity(
            (10, 30, 100, 300, 1000),
            {"dense": middle, "active units": middle_active},
            lambda M, *arrays: spread(M, arrays[-2]),
        ),
    },
)

NETWORK_BATCH = Problem(
    "network_batch",
    "the same for 16 samples",
    batch_data,
    WEIGHTS | {"X": ("s", "n"), "Y": ("s", "n")},
    batch_function,
    {
        "gradient": Quantity((10, 30, 100, 300), {"backpropagation": batch_gradient}),
        "hessian": Quantity(
            (10, 30, 64),
            {
                "one product, view": batch_one_product,
                "one product, copied": lambda *a: batch_one_product(*a).copy(),
                "a product a row": batch_row_products,
            },
        ),
    },
)
