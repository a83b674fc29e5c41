"""Ten losses of `tests/cases/losses.py` with value and gradient by hand, in NumPy.

Each by hand takes what the loss takes behind its modules, the parameters and the data, and returns
the value and a gradient that is nested as the parameters are.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import exp, log
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import eggrad as eg
from tests.cases import losses
from tests.cases.losses import Loss


@dataclass(frozen=True)
class ByHand:
    """A loss, the same with its gradient by hand, and arguments for both."""

    loss: Loss
    by_hand: Callable[..., tuple[Any, Any]]
    arguments: tuple[Any, ...]

    @property
    def name(self) -> str:
        """What the loss is called."""
        return self.loss.__name__

    @property
    def function(self) -> Loss:
        """The loss of parameters and data, for eggrad."""
        return partial(self.loss, np, eg, eg.linalg)


def attention(p, x, t):
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    scale = 1 / np.sqrt(q.shape[1])
    s = q @ k.T
    s *= scale
    s -= s.max(axis=1, keepdims=True)
    a = np.exp(s, out=s)
    a /= a.sum(axis=1, keepdims=True)
    rest = a @ v - t
    value = np.vdot(rest, rest) / rest.size
    rest *= 2 / rest.size
    slope = rest @ v.T
    slope -= np.einsum("ij,ij->i", slope, a)[:, None]
    slope *= a
    slope *= scale
    return value, {"q": x.T @ (slope @ k), "k": x.T @ (slope.T @ q), "v": x.T @ (a.T @ rest)}


def cox(w, x, order, observed):
    eta = (x @ w)[order]
    e = np.exp(eta)
    risk = np.cumsum(e[::-1])[::-1]
    slope = np.empty_like(eta)
    slope[order] = e * np.cumsum(observed / risk) - observed
    return observed @ (np.log(risk) - eta), slope @ x


def gaussian_process(p, x, y):
    square = np.einsum("ij,ij->i", x, x)
    d = square[:, None] + square - 2 * (x @ x.T)
    rate, noise = np.exp(-2 * p["l"]), np.exp(p["n"])
    r = np.exp(p["a"] - 0.5 * rate * d)
    k = r.copy()
    k.ravel()[:: len(y) + 1] += noise
    inverse = np.linalg.inv(k)
    weights = inverse @ y
    half_log = np.log(np.diag(np.linalg.cholesky(k))).sum()
    slope = inverse - np.outer(weights, weights)
    trace = np.trace(slope)
    slope *= r
    by = {
        "a": 0.5 * slope.sum(),
        "l": 0.5 * rate * np.vdot(slope, d),
        "n": 0.5 * noise * trace,
    }
    return 0.5 * (y @ weights) + half_log, by


def kalman(p, y):
    q, r = exp(p["q"]), exp(p["r"])
    m, v, loss = 0.0, 1.0, 0.0
    # Slopes by q and by r go along with what they are of.
    mq = mr = vq = vr = by_q = by_r = 0.0
    for seen in y.tolist():
        v, vq = v + q, vq + q
        s, sr = v + r, vr + r
        d = seen - m
        ds = d / s
        loss += 0.5 * (log(s) + d * ds)
        by_s = 0.5 * (1 / s - ds * ds)
        by_q += by_s * vq - ds * mq
        by_r += by_s * sr - ds * mr
        gain = v / s
        gain_q, gain_r = (vq - gain * vq) / s, (vr - gain * sr) / s
        m, mq, mr = m + gain * d, mq + gain_q * d - gain * mq, mr + gain_r * d - gain * mr
        v, vq, vr = (1 - gain) * v, (1 - gain) * vq - gain_q * v, (1 - gain) * vr - gain_r * v
    return loss, {"q": by_q, "r": by_r}


def softmax_regression(w, x, y):
    z = x @ w
    z -= z.max(axis=1, keepdims=True)
    rows = np.arange(len(y))
    own = z[rows, y]
    e = np.exp(z, out=z)
    total = e.sum(axis=1)
    value = np.mean(np.log(total) - own)
    e /= total[:, None]
    e[rows, y] -= 1
    e /= len(y)
    return value, x.T @ e


def trimmed_squares(w, x, y):
    d = x @ w - y
    square = d * d
    kept = np.argpartition(square, len(y) // 2 - 1)[: len(y) // 2]
    return square[kept].sum(), 2 * (d[kept] @ x[kept])


def springs(x, edges, rest):
    i, j = edges
    apart = x[i] - x[j]
    d = np.sqrt(np.einsum("ij,ij->i", apart, apart))
    beyond = d - rest
    apart *= (beyond / d)[:, None]
    gradient = np.stack(
        [np.bincount(i, f, len(x)) - np.bincount(j, f, len(x)) for f in apart.T], axis=1
    )
    return 0.5 * (beyond @ beyond), gradient


def skip_gram(p, word, context, other):
    v, near, far = p["in"][word], p["out"][context], p["out"][other]
    good, bad = np.einsum("kd,kd->k", v, near), np.einsum("kd,knd->kn", v, far)
    value = (np.logaddexp(0, -good).sum() + np.logaddexp(0, bad).sum()) / len(word)
    good = -1 / (1 + np.exp(good)) / len(word)
    bad = 1 / (1 + np.exp(-bad)) / len(word)
    inside, out = np.zeros_like(p["in"]), np.zeros_like(p["out"])
    np.add.at(inside, word, good[:, None] * near + np.einsum("kn,knd->kd", bad, far))
    np.add.at(out, context, good[:, None] * v)
    np.add.at(out, other, bad[:, :, None] * v[:, None])
    return value, {"in": inside, "out": out}


def logistic_regression(p, x, y):
    w = p["w"]
    margin = y * (x @ w + p["b"])
    value = np.logaddexp(0, -margin).mean() + 0.1 * (w @ w)
    slope = -y / (1 + np.exp(margin)) / len(y)
    return value, {"w": slope @ x + 0.2 * w, "b": slope.sum()}


def max_pooling(w, x, t):
    windows = sliding_window_view(x, len(w), axis=1)
    h = windows @ w[::-1]
    pairs = h.reshape(len(x), -1, 2)
    d = pairs.max(axis=2).sum(axis=1) - t
    chosen = np.empty(pairs.shape)
    chosen[..., 0] = pairs[..., 0] >= pairs[..., 1]
    chosen[..., 1] = 1 - chosen[..., 0]
    chosen *= (2 / len(t) * d)[:, None, None]
    gradient = np.tensordot(chosen.reshape(h.shape), windows, 2)[::-1]
    return d @ d / len(t), gradient


def cases(n: int) -> Iterator[ByHand]:
    """Each loss with arguments of about n times 10 numbers."""
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape)

    def below(most: int, *shape: int) -> Any:
        return rng.integers(0, most, shape)

    x, t, w = normal(n, 10), normal(n), normal(10)
    head = {k: normal(10, 10) / 3 for k in "qkv"}
    yield ByHand(losses.attention, attention, (head, x, normal(n, 10)))
    yield ByHand(losses.cox, cox, (w, x, rng.permutation(n), (t > 0) * 1.0))
    kernel = {"a": 0.2, "l": 0.1, "n": -1.0}
    yield ByHand(losses.gaussian_process, gaussian_process, (kernel, normal(n, 2), t))
    yield ByHand(losses.kalman, kalman, ({"q": -1.0, "r": 0.2}, normal(20)))
    labels = below(5, n)
    yield ByHand(losses.softmax_regression, softmax_regression, (normal(10, 5), x, labels))
    yield ByHand(losses.trimmed_squares, trimmed_squares, (w, x, t))
    first = below(n, n)
    edges = first, (first + below(n - 1, n) + 1) % n
    yield ByHand(losses.springs, springs, (normal(n, 2), edges, np.ones(n)))
    tables = {"in": normal(n, 10), "out": normal(n, 10)}
    yield ByHand(losses.skip_gram, skip_gram, (tables, below(n, n), below(n, n), below(n, n, 5)))
    yield ByHand(
        losses.logistic_regression, logistic_regression, ({"w": w, "b": 0.3}, x, np.sign(t))
    )
    series = normal(8, 2 * n + 2)
    yield ByHand(losses.max_pooling, max_pooling, (normal(3), series, normal(8)))
