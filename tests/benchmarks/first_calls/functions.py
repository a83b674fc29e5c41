"""Ten functions as people write them in NumPy, of parameters that come first, and of data.

Each is made with `np`, which is NumPy or `jax.numpy`, and a generator of random numbers, and
comes with arguments.
"""

from collections.abc import Callable, Iterator
from typing import Any

from numpy.random import Generator

Function = Callable[..., Any]
Made = tuple[Function, tuple[Any, ...]]


def cox_regression(np: Any, rng: Generator) -> Made:
    """The partial likelihood, with risk sets as a mask."""
    time, x = rng.exponential(size=30), rng.normal(size=(30, 4))
    at_risk = np.asarray(time >= time[:, None])
    seen = np.asarray(rng.uniform(size=30) < 0.7)

    def loss(w, x):
        eta = x @ w
        top = np.max(eta)
        risk = np.sum(np.where(at_risk, np.exp(eta - top), 0.0), axis=1)
        return np.sum(np.where(seen, np.log(risk) + top - eta, 0.0)) + 0.05 * np.sum(w**2)

    return loss, (0.3 * rng.normal(size=4), x)


def graph_network(np: Any, rng: Generator) -> Made:
    """Kipf and Welling 2017: two convolutions, labels of some nodes."""
    linked = rng.uniform(size=(20, 20)) < 0.15
    adjacency = np.asarray((linked | linked.T | np.eye(20, dtype=bool)).astype(float))
    labelled, labels = rng.permutation(20)[:8], rng.integers(0, 3, 8)
    degree = np.sum(adjacency, axis=1)
    spread = adjacency / np.sqrt(degree[:, None] * degree)

    def loss(p, x):
        h = np.maximum(spread @ x @ p["first"] + p["bias"], 0)
        z = (spread @ h @ p["second"])[labelled]
        z = z - np.max(z, axis=1, keepdims=True)
        chosen = z[np.arange(8), labels] - np.log(np.sum(np.exp(z), axis=1))
        return -np.mean(chosen) + 5e-4 * np.sum(p["first"] ** 2)

    p = {
        "first": rng.normal(size=(6, 5)),
        "bias": rng.normal(size=5),
        "second": rng.normal(size=(5, 3)),
    }
    return loss, (p, rng.normal(size=(20, 6)))


def lennard_jones(np: Any, rng: Generator) -> Made:
    """The energy of seven atoms in a trap, from one flat vector."""
    places = 1.2 * (rng.permutation(27)[:7, None] // [9, 3, 1] % 3)
    i, j = np.triu_indices(7, 1)

    def energy(p):
        r = p.reshape(7, 3)
        apart = r[i] - r[j]
        attraction = 1 / np.sum(apart**2, axis=1) ** 3
        centred = r - np.mean(r, axis=0)
        return 4 * np.sum(attraction**2 - attraction) + 0.1 * np.sum(centred**2)

    return energy, (places.ravel() + 0.1 * rng.normal(size=21),)


def neural_ode(np: Any, rng: Generator) -> Made:
    """Steps of Euler along a small network, its speed punished."""

    def loss(layers, x, target):
        (a, b), (c, d) = layers
        step, speed = 0.125, 0.0
        for k in range(8):
            time = np.full((x.shape[0], 1), k * step)
            slope = np.tanh(np.concatenate([x, time], axis=1) @ a + b) @ c + d
            speed = speed + step * np.mean(np.sum(slope**2, axis=1))
            x = x + step * slope
        return np.mean((x - target) ** 2) + 0.01 * speed

    def layer(n, m):
        return rng.normal(size=(n, m)) / 2, 0.1 * rng.normal(size=m)

    return loss, ([layer(3, 6), layer(6, 2)], rng.normal(size=(10, 2)), rng.normal(size=(10, 2)))


def outlier_mixture(np: Any, rng: Generator) -> Made:
    """A straight fit where some examples belong to a wide second component."""
    x, y = np.asarray(rng.normal(size=(40, 4))), np.asarray(3 * rng.standard_t(2, 40))

    def loss(p):
        rest = y - x @ p[:4] - p[4]
        narrow, wide = p[5], p[5] + np.logaddexp(0, p[6])
        inside = -np.logaddexp(0, -p[7]) - narrow - 0.5 * (rest * np.exp(-narrow)) ** 2
        outside = -np.logaddexp(0, p[7]) - wide - 0.5 * (rest * np.exp(-wide)) ** 2
        return -np.mean(np.logaddexp(inside, outside)) + 0.5 * np.log(2 * np.pi)

    return loss, (0.5 * rng.normal(size=8),)


def spline_smoothing(np: Any, rng: Generator) -> Made:
    """Generalised cross-validation of a cubic spline by its two weights and its offset."""
    t = np.asarray(np.linspace(0, 1, 30))
    knots = np.linspace(0.1, 0.9, 6)
    powers = [t**0, t, t**2, t**3]
    basis = np.stack(powers + [np.where(t > k, (t - k) ** 3, 0.0) for k in knots], axis=1)
    y = np.sin(6 * t) + 0.2 * np.asarray(rng.normal(size=30))
    rough = np.asarray([0.0] * 4 + [1.0] * 6)

    def score(p):
        weights = np.exp(p[0]) * rough + np.exp(p[1]) * (1 - rough)
        hat = basis @ np.linalg.solve(basis.T @ basis + np.diag(weights), basis.T)
        rest = y - p[2]
        rest = rest - hat @ rest
        return 30 * np.sum(rest**2) / (30 - np.trace(hat)) ** 2

    return score, (np.asarray([-1.0, -2.0, 0.1]),)


def transformer_block(np: Any, rng: Generator) -> Made:
    """Causal attention with three heads, then two layers, both after layer norm."""
    past = np.tril(np.ones((8, 8), dtype=bool))

    def norm(x, scale):
        x = x - np.mean(x, axis=-1, keepdims=True)
        return scale * x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-5)

    def loss(p, x, target):
        q, k, v = np.einsum("td,cdhe->chte", norm(x, p["norm1"]), p["qkv"])
        scores = np.einsum("hte,hse->hts", q, k) / np.sqrt(4)
        scores = np.where(past, scores, -1e9)
        weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        weights = weights / np.sum(weights, axis=-1, keepdims=True)
        x = x + np.einsum("hts,hse,hed->td", weights, v, p["out"])
        h = norm(x, p["norm2"]) @ p["up"]
        h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
        return np.mean((x + h @ p["down"] - target) ** 2)

    p = {
        "norm1": 1 + 0.1 * rng.normal(size=12),
        "norm2": 1 + 0.1 * rng.normal(size=12),
        "qkv": rng.normal(size=(3, 12, 3, 4)) / 3,
        "out": rng.normal(size=(3, 4, 12)) / 3,
        "up": rng.normal(size=(12, 20)) / 3,
        "down": rng.normal(size=(20, 12)) / 4,
    }
    return loss, (p, rng.normal(size=(8, 12)), rng.normal(size=(8, 12)))


def unbalanced_transport(np: Any, rng: Generator) -> Made:
    """Chizat et al. 2018: scaling with logarithms, between points that move and others."""
    y = np.asarray(rng.normal(size=(6, 2)))
    sharp, share = 0.5, 0.8

    def logsumexp(a, axis):
        top = np.max(a, axis=axis, keepdims=True)
        return np.log(np.sum(np.exp(a - top), axis=axis)) + np.max(a, axis=axis)

    def cost(x):
        c = np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)
        f, g = np.zeros(7), np.zeros(6)
        for _ in range(5):
            f = -share * sharp * logsumexp((g - c) / sharp - np.log(6), axis=1)
            g = -share * sharp * logsumexp((f[:, None] - c) / sharp - np.log(7), axis=0)
        plan = np.exp((f[:, None] + g - c) / sharp) / 42
        return np.sum(plan * c) + np.sum((np.sum(plan, axis=1) - 1 / 7) ** 2)

    return cost, (rng.normal(size=(7, 2)),)


def variational_autoencoder(np: Any, rng: Generator) -> Made:
    """Pixels that are on or off, layers cut from one flat vector, given noise."""
    sizes = [(6, 5), (5, 4), (2, 5), (5, 6)]

    def loss(p, x, noise):
        layers, start = [], 0
        for n, m in sizes:
            w = p[start : start + n * m].reshape(n, m)
            layers.append((w, p[start + n * m : start + n * m + m]))
            start += n * m + m
        (a, b), (c, d), (e, f), (g, h) = layers
        code = np.tanh(x @ a + b) @ c + d
        mean, log_variance = code[:, :2], code[:, 2:]
        z = mean + np.exp(0.5 * log_variance) * noise
        scores = np.tanh(z @ e + f) @ g + h
        seen = np.sum(np.logaddexp(0, scores) - x * scores, axis=1)
        divergence = 0.5 * np.sum(np.exp(log_variance) + mean**2 - 1 - log_variance, axis=1)
        return np.mean(seen + divergence)

    p = 0.4 * rng.normal(size=sum(n * m + m for n, m in sizes))
    return loss, (p, (rng.uniform(size=(12, 6)) < 0.5) * 1.0, rng.normal(size=(12, 2)))


def weibull_survival(np: Any, rng: Generator) -> Made:
    """Accelerated failure times, of which some are only known to be later."""

    def loss(p, x, time, seen):
        log_scale = p[0]
        z = (np.log(time) - p[1] - x @ p[2:]) / np.exp(log_scale)
        likelihood = seen * (z - log_scale - np.log(time)) - np.exp(z)
        return -np.sum(likelihood) + 0.5 * np.sum(p[2:] ** 2)

    p, x = 0.2 * rng.normal(size=6), rng.normal(size=(50, 4))
    return loss, (p, x, rng.weibull(1.5, 50), (rng.uniform(size=50) < 0.6) * 1.0)


def functions(np: Any, rng: Generator) -> Iterator[tuple[str, Function, tuple[Any, ...]]]:
    """Name, function and arguments of each; what `rng` gives is the same for every `np`."""
    for made in (
        cox_regression,
        graph_network,
        lennard_jones,
        neural_ode,
        outlier_mixture,
        spline_smoothing,
        transformer_block,
        unbalanced_transport,
        variational_autoencoder,
        weibull_survival,
    ):
        yield made.__name__, *made(np, rng)
