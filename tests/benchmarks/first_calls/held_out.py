"""Ten functions written before anything was tuned for them, looked at by nobody who tunes.

They are made as those of `functions.py`; chance chose which are here.
"""

from collections.abc import Iterator
from typing import Any

from numpy.random import Generator

from tests.benchmarks.first_calls.functions import Function, Made


def conditional_random_field(np: Any, rng: Generator) -> Made:
    """Lafferty et al. 2001: four tags along a sentence, the sum over paths step by step."""
    tags = rng.integers(0, 4, 9)

    def loss(p, x):
        scores = x @ p["emission"] + p["bias"]
        gold = p["start"][tags[0]] + np.sum(scores[np.arange(9), tags])
        gold = gold + np.sum(p["transition"][tags[:-1], tags[1:]])
        a = p["start"] + scores[0]
        for t in range(1, 9):
            paths = a[:, None] + p["transition"] + scores[t][None, :]
            top = np.max(paths, axis=0)
            a = top + np.log(np.sum(np.exp(paths - top), axis=0))
        top = np.max(a)
        return top + np.log(np.sum(np.exp(a - top))) - gold

    p = {
        "emission": rng.normal(size=(5, 4)),
        "bias": rng.normal(size=4),
        "start": rng.normal(size=4),
        "transition": rng.normal(size=(4, 4)),
    }
    return loss, (p, rng.normal(size=(9, 5)))


def contrastive(np: Any, rng: Generator) -> Made:
    """Chen et al. 2020: of two views of each example each is to find the other."""
    itself = np.eye(16, dtype=bool)
    partner = (np.arange(16) + 8) % 16

    def loss(p, one, other):
        def projected(x):
            z = np.maximum(x @ p["w1"] + p["b1"], 0) @ p["w2"]
            return z / np.sqrt(np.sum(z**2, axis=1, keepdims=True) + 1e-9)

        z = np.concatenate([projected(one), projected(other)], axis=0)
        alike = np.where(itself, -1e9, z @ z.T / 0.2)
        alike = alike - np.max(alike, axis=1, keepdims=True)
        logp = alike - np.log(np.sum(np.exp(alike), axis=1, keepdims=True))
        return -np.mean(logp[np.arange(16), partner])

    p = {"w1": rng.normal(size=(6, 8)), "b1": rng.normal(size=8), "w2": rng.normal(size=(8, 4))}
    x = rng.normal(size=(8, 6))
    return loss, (p, x + 0.3 * rng.normal(size=(8, 6)), x + 0.3 * rng.normal(size=(8, 6)))


def double_well_ring(np: Any, rng: Generator) -> Made:
    """Two quantum particles as rings of twelve beads, in a double well, that repel each other."""

    def action(p):
        x = p.reshape(12, 2, 2)
        links = x - np.concatenate([x[1:], x[:1]], axis=0)
        kinetic = 0.5 * 12 / 4.0 * np.sum(links**2)
        well = np.sum((x[:, :, 0] ** 2 - 1) ** 2 + 0.5 * x[:, :, 1] ** 2)
        distance = np.sqrt(np.sum((x[:, 0] - x[:, 1]) ** 2, axis=1) + 0.01)
        return kinetic + 4.0 / 12 * (well + np.sum(np.exp(-distance) / distance))

    return action, (rng.normal(size=48),)


def factor_analysis(np: Any, rng: Generator) -> Made:
    """The likelihood of two factors and noise of its own for each of six columns."""
    x = np.asarray(rng.normal(size=(25, 6)) @ rng.normal(size=(6, 6)))

    def loss(p):
        loadings, mean, noise = p[:12].reshape(6, 2), p[12:18], np.exp(p[18:])
        covariance = loadings @ loadings.T + np.diag(noise)
        root = np.linalg.cholesky(covariance)
        white = np.linalg.solve(root, (x - mean).T)
        halved = np.sum(np.log(np.diagonal(root)))
        return 0.5 * np.sum(white**2) / 25 + halved + 3 * np.log(2 * np.pi)

    return loss, (0.5 * rng.normal(size=24),)


def garch(np: Any, rng: Generator) -> Made:
    """Glosten et al. 1993: variances that follow returns, bad ones more."""
    returns = np.asarray(rng.standard_t(4, 15))

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def loss(p):
        e = returns - p[0]
        base, lasting = np.exp(p[1]), sigmoid(p[2])
        news, bad = 0.5 * (1 - lasting) * sigmoid(p[3]), 0.5 * (1 - lasting) * sigmoid(p[4])
        variance = np.mean(e**2)
        total = 0.0
        for t in range(15):
            total = total + 0.5 * (np.log(variance) + e[t] ** 2 / variance)
            surprise = (news + bad * np.where(e[t] < 0, 1.0, 0.0)) * e[t] ** 2
            variance = base + lasting * variance + surprise
        return total

    return loss, (0.3 * rng.normal(size=5),)


def gated_recurrent(np: Any, rng: Generator) -> Made:
    """Cho et al. 2014: five steps for four sequences, then a yes or no."""

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def loss(p, x, yes):
        h = np.zeros((4, 5))
        for t in range(5):
            gates = sigmoid(x[:, t] @ p["wg"] + h @ p["ug"] + p["bg"])
            update, reset = gates[:, :5], gates[:, 5:]
            candidate = np.tanh(x[:, t] @ p["w"] + (reset * h) @ p["u"] + p["b"])
            h = (1 - update) * h + update * candidate
        score = h @ p["v"]
        return np.mean(np.logaddexp(0, score) - yes * score)

    def weights(*shape):
        return rng.normal(size=shape) / 2

    p = {"wg": weights(3, 10), "ug": weights(5, 10), "bg": weights(10), "w": weights(3, 5)}
    p |= {"u": weights(5, 5), "b": weights(5), "v": weights(5)}
    return loss, (p, rng.normal(size=(4, 5, 3)), np.asarray([1.0, 0.0, 0.0, 1.0]))


def kalman_filter(np: Any, rng: Generator) -> Made:
    """A point that moves steadily, seen along both axes with noise, eight times."""
    move = np.asarray([[1.0, 0, 0.5, 0], [0, 1.0, 0, 0.5], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
    look = np.asarray([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])

    def loss(p, seen):
        noise = np.diag(np.concatenate([np.exp(p[0]) * np.ones(2), np.exp(p[1]) * np.ones(2)]))
        r = np.exp(p[2:4])[:, None] * np.eye(2)
        m, v, total = p[4:8], np.eye(4), 0.0
        for y in seen:
            m, v = move @ m, move @ v @ move.T + noise
            s = look @ v @ look.T + r
            rest = y - look @ m
            gain = v @ look.T @ np.linalg.inv(s)
            total = total + 0.5 * (rest @ np.linalg.solve(s, rest) + np.linalg.slogdet(s)[1])
            m, v = m + gain @ rest, (np.eye(4) - gain @ look) @ v
        return total

    return loss, (0.5 * rng.normal(size=8), np.cumsum(rng.normal(size=(8, 2)), axis=0))


def lotka_volterra(np: Any, rng: Generator) -> Made:
    """Rates and beginnings of hares and lynxes, by Runge and Kutta's steps, against counts."""
    counts = np.asarray(np.exp(0.3 * rng.normal(size=(4, 2))))

    def loss(p):
        a, b, c, d = np.exp(p[:4])

        def slope(s):
            return np.stack([s[0] * (a - b * s[1]), s[1] * (c * s[0] - d)])

        s, step, states = np.exp(p[4:]), 0.2, []
        for _ in range(4):
            k1 = slope(s)
            k2 = slope(s + step / 2 * k1)
            k3 = slope(s + step / 2 * k2)
            k4 = slope(s + step * k3)
            s = s + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            states.append(s)
        return np.sum((np.log(np.stack(states)) - np.log(counts)) ** 2) + 0.1 * np.sum(p**2)

    return loss, (0.2 * rng.normal(size=6),)


def matrix_factorization(np: Any, rng: Generator) -> Made:
    """Koren et al. 2009: ratings by factors and biases of users and items."""

    def loss(p, user, item, rating):
        u, v = p["users"][user], p["items"][item]
        found = p["mean"] + p["user_bias"][user] + p["item_bias"][item] + np.sum(u * v, axis=1)
        weights = np.sum(u**2, axis=1) + np.sum(v**2, axis=1)
        biases = np.sum(p["user_bias"] ** 2) + np.sum(p["item_bias"] ** 2)
        return np.mean((rating - found) ** 2 + 0.02 * weights) + 0.01 * biases

    p = {
        "mean": 3.0,
        "users": rng.normal(size=(12, 3)),
        "items": rng.normal(size=(15, 3)),
        "user_bias": rng.normal(size=12),
        "item_bias": rng.normal(size=15),
    }
    given = rng.integers(0, 12, 60), rng.integers(0, 15, 60), rng.integers(1, 6, 60) * 1.0
    return loss, (p, *given)


def ordinal_regression(np: Any, rng: Generator) -> Made:
    """McCullagh 1980: cuts that increase part a slope's values into five grades."""
    grades = rng.integers(0, 5, 40)

    def loss(p, x):
        cuts = p[0] + np.concatenate([np.zeros(1), np.cumsum(np.exp(p[1:4]))])
        below = 1 / (1 + np.exp(x @ p[4:, None] - cuts))
        below = np.concatenate([np.zeros((40, 1)), below, np.ones((40, 1))], axis=1)
        shares = below[:, 1:] - below[:, :-1]
        return -np.mean(np.log(shares[np.arange(40), grades] + 1e-12))

    start = np.concatenate([np.asarray([-1.5]), 0.2 * np.asarray(rng.normal(size=7))])
    return loss, (start, rng.normal(size=(40, 4)))


def functions(np: Any, rng: Generator) -> Iterator[tuple[str, Function, tuple[Any, ...]]]:
    """Name, function and arguments of each; what `rng` gives is the same for every `np`."""
    for made in (
        conditional_random_field,
        contrastive,
        double_well_ring,
        factor_analysis,
        garch,
        gated_recurrent,
        kalman_filter,
        lotka_volterra,
        matrix_factorization,
        ordinal_regression,
    ):
        yield made.__name__, *made(np, rng)
