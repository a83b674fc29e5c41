"""Losses as the code of papers has them, with arguments, for eggrad and for JAX alike.

Each takes a module `np`, that of NumPy or of `jax.numpy`, a module `sp` of special functions and
one `sl` of functions of matrices, the parameters, and data.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy

Loss = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A loss with its parameters, of which it is a function, and the data beside them."""

    function: Loss
    parameters: Any
    data: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.function.__name__


# Classification ----------------------------------------------------------------------------


def softmax_regression(np, sp, sl, w, x, y):
    """Cross-entropy by labels, the scores shifted by their maximum."""
    z = x @ w
    z = z - z.max(axis=1, keepdims=True)
    return -np.mean(z[np.arange(len(y)), y] - np.log(np.exp(z).sum(axis=1)))


def label_smoothing(np, sp, sl, w, x, y):
    """Szegedy et al. 2016: a tenth of the weight for all labels."""
    z = x @ w
    logp = z - sp.logsumexp(z, axis=1, keepdims=True)
    nll = -np.take_along_axis(logp, y[:, None], axis=1)[:, 0]
    return np.mean(0.9 * nll - 0.1 * logp.mean(axis=1))


def focal_loss(np, sp, sl, w, x, y):
    """Lin et al. 2017."""
    z = x @ w
    logp = (z - sp.logsumexp(z, axis=1, keepdims=True))[np.arange(len(y)), y]
    return -np.mean((1 - np.exp(logp)) ** 2 * logp)


def multiclass_hinge(np, sp, sl, w, x, y):
    """Crammer and Singer 2001."""
    z = x @ w
    rows = np.arange(len(y))
    margins = np.maximum(0, z - z[rows, y][:, None] + 1)
    return np.mean(margins.sum(axis=1) - 1) + 0.01 * np.sum(w**2)


def logistic_regression(np, sp, sl, p, x, y):
    """A dict of parameters, labels of -1 and 1."""
    margin = y * (x @ p["w"] + p["b"])
    return np.mean(np.logaddexp(0, -margin)) + 0.1 * np.sum(p["w"] ** 2)


def binary_with_logits(np, sp, sl, w, x, y):
    """The stable form that frameworks use."""
    z = x @ w
    return np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))))


def weighted_classes(np, sp, sl, w, x, y, weights):
    """A weight for each class, chosen by the label."""
    z = x @ w
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    own = weights[y]
    return -np.sum(own * logp[np.arange(len(y)), y]) / np.sum(own)


def ordinal_regression(np, sp, sl, p, x, y):
    """McCullagh 1980: thresholds that increase, chosen by the label."""
    cuts = np.cumsum(np.concatenate([p["first"], np.exp(p["steps"])]))
    eta = x @ p["w"]
    upper = np.concatenate([cuts, np.array([20.0])])[y] - eta
    lower = np.concatenate([np.array([-20.0]), cuts])[y] - eta
    return -np.mean(np.log(1 / (1 + np.exp(-upper)) - 1 / (1 + np.exp(-lower)) + 1e-9))


# Networks ----------------------------------------------------------------------------------


def perceptron(np, sp, sl, p, x, y):
    """Two layers as a list of dicts."""
    h = x
    for layer in p[:-1]:
        h = np.tanh(h @ layer["w"] + layer["b"])
    z = h @ p[-1]["w"] + p[-1]["b"]
    z = z - np.max(z, axis=-1, keepdims=True)
    return -np.mean(z[np.arange(len(y)), y] - np.log(np.sum(np.exp(z), axis=-1)))


def attention(np, sp, sl, p, x, t):
    """Vaswani et al. 2017: one head, scaled dot products."""
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    s = q @ k.T / np.sqrt(q.shape[-1])
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a = a / a.sum(axis=-1, keepdims=True)
    return np.mean((a @ v - t) ** 2)


def causal_attention(np, sp, sl, p, x, t):
    """A mask that sees the past alone."""
    q, k, v = x @ p["q"], x @ p["k"], x @ p["v"]
    s = np.where(np.tril(np.ones((len(t), len(t)))) > 0, q @ k.T, -1e9)
    a = np.exp(s - sp.logsumexp(s, axis=-1, keepdims=True))
    return np.sum((a @ v - t) ** 2)


def layer_norm(np, sp, sl, p, x, t):
    """Ba et al. 2016."""
    m = x.mean(axis=-1, keepdims=True)
    s = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    out = ((x - m) / s * p["g"] + p["b"]) @ p["w"]
    return np.mean((out - t) ** 2)


def gelu_network(np, sp, sl, p, x, t):
    """Hendrycks and Gimpel 2016."""
    h = x @ p["a"]
    h = 0.5 * h * (1 + sp.erf(h / np.sqrt(2)))
    return np.mean((h @ p["b"] - t) ** 2)


def max_pooling(np, sp, sl, w, x, t):
    """A convolution, windows of two by a reshape, their maximum."""
    h = np.stack([np.convolve(row, w, mode="valid") for row in x])
    h = h.reshape(len(x), -1, 2).max(axis=-1)
    return np.mean((h.sum(axis=1) - t) ** 2)


def recurrent(np, sp, sl, p, x, t):
    """Elman 1990, written out."""
    h = np.zeros(len(p["b"]))
    for row in x:
        h = np.tanh(p["w"] @ h + p["u"] @ row + p["b"])
    return np.sum((h - t) ** 2)


def gated_recurrent(np, sp, sl, p, x, t):
    """Cho et al. 2014, with one bias."""
    h = np.zeros(len(t))
    for row in x:
        both = np.concatenate([h, row])
        z = 1 / (1 + np.exp(-(p["z"] @ both)))
        n = np.tanh(p["n"] @ both)
        h = (1 - z) * n + z * h
    return np.sum((h - t) ** 2)


def autoencoder(np, sp, sl, p, x):
    """Tied weights."""
    h = np.tanh(x @ p["w"] + p["b"])
    return np.mean(np.sum((h @ p["w"].T + p["c"] - x) ** 2, axis=1))


def variational(np, sp, sl, p, x, noise):
    """Kingma and Welling 2014: reconstruction and the divergence from the prior."""
    mean, logvar = x @ p["m"], x @ p["s"]
    z = mean + np.exp(0.5 * logvar) * noise
    recon = np.sum((z @ p["d"] - x) ** 2, axis=1)
    kl = -0.5 * np.sum(1 + logvar - mean**2 - np.exp(logvar), axis=1)
    return np.mean(recon + kl)


def batch_norm(np, sp, sl, p, x, y):
    """Ioffe and Szegedy 2015, before a logistic loss."""
    h = x @ p["w"]
    h = (h - np.mean(h, axis=0)) / np.std(h, axis=0) * p["g"] + p["b"]
    return np.mean(np.logaddexp(0, -y * np.sum(np.maximum(h, 0), axis=1)))


def mixture_of_experts(np, sp, sl, p, x, t):
    """Jacobs et al. 1991."""
    g = np.exp(x @ p["g"])
    g = g / g.sum(axis=1, keepdims=True)
    return np.mean((np.sum(g * (x @ p["e"]), axis=1) - t) ** 2)


# Embeddings and graphs ---------------------------------------------------------------------


def skip_gram(np, sp, sl, p, word, context, other):
    """Mikolov et al. 2013: negative sampling."""
    v = p["in"][word]
    good = np.sum(v * p["out"][context], axis=1)
    bad = np.einsum("kd,knd->kn", v, p["out"][other])
    return np.mean(np.logaddexp(0, -good) + np.sum(np.logaddexp(0, bad), axis=1))


def translation_embedding(np, sp, sl, p, head, relation, tail, wrong):
    """Bordes et al. 2013."""

    def distance(end):
        return np.sqrt(np.sum((p["e"][head] + p["r"][relation] - p["e"][end]) ** 2, axis=1) + 1e-9)

    return np.mean(np.maximum(0, 1 + distance(tail) - distance(wrong)))


def factorisation_of_ratings(np, sp, sl, p, user, item, rating):
    """Koren et al. 2009: ratings at known places."""
    guess = np.sum(p["u"][user] * p["v"][item], axis=1) + p["b"][user] + p["c"][item]
    return np.mean((rating - guess) ** 2) + 0.1 * (np.sum(p["u"] ** 2) + np.sum(p["v"] ** 2))


def personalised_ranking(np, sp, sl, p, user, item, other):
    """Rendle et al. 2009."""
    u = p["u"][user]
    x = np.sum(u * (p["v"][item] - p["v"][other]), axis=1)
    return -np.mean(np.log(1 / (1 + np.exp(-x)))) + 0.01 * np.sum(u**2)


def springs(np, sp, sl, x, edges, rest):
    """The energy of a graph of springs."""
    i, j = edges
    d = np.linalg.norm(x[i] - x[j], axis=1)
    return 0.5 * np.sum((d - rest) ** 2)


def graph_convolution(np, sp, sl, p, a, x, y, labelled):
    """Kipf and Welling 2017: a loss at the labelled nodes."""
    h = np.maximum(a @ x @ p[0], 0)
    z = (a @ h @ p[1])[labelled]
    return -np.mean((z - sp.logsumexp(z, axis=1, keepdims=True))[np.arange(len(y)), y])


def laplacian_smoothing(np, sp, sl, f, edges, at, value):
    """Zhu et al. 2003, with values at some nodes."""
    d = f[edges[:, 0]] - f[edges[:, 1]]
    return np.sum(d**2) + np.sum((f[at] - value) ** 2)


def bradley_terry(np, sp, sl, s, winner, loser):
    """Bradley and Terry 1952."""
    return np.sum(np.log(1 + np.exp(s[loser] - s[winner]))) + 0.01 * np.sum(s**2)


def triplet(np, sp, sl, w, x, a, b, c):
    """Schroff et al. 2015: anchors, positives and negatives by places."""
    e = x @ w
    near = np.sum((e[a] - e[b]) ** 2, axis=1)
    far = np.sum((e[a] - e[c]) ** 2, axis=1)
    return np.mean(np.maximum(near - far + 0.5, 0))


def contrastive(np, sp, sl, w, x, z):
    """van den Oord et al. 2018: the others of a batch are the negatives."""
    a, b = x @ w, z @ w
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    s = a @ b.T / 0.5
    return -np.mean(np.diag(s) - sp.logsumexp(s, axis=1))


# Likelihoods -------------------------------------------------------------------------------


def gaussian_process(np, sp, sl, p, x, y):
    """Rasmussen and Williams 2006, algorithm 2.1: a likelihood by Cholesky's factor."""
    d = np.sum((x[:, None] - x[None]) ** 2, axis=-1)
    k = np.exp(p["a"]) * np.exp(-0.5 * d * np.exp(-2 * p["l"])) + np.exp(p["n"]) * np.eye(len(y))
    c = np.linalg.cholesky(k)
    z = sl.solve_triangular(c, y, lower=True)
    return 0.5 * z @ z + np.sum(np.log(np.diag(c)))


def gaussian_by_factor(np, sp, sl, p, x):
    """A precision by its factor."""
    c = np.tril(p["c"], -1) + np.diag(np.exp(np.diag(p["c"])))
    z = (x - p["m"]) @ c
    return 0.5 * np.mean(np.sum(z**2, axis=1)) - np.sum(np.diag(p["c"]))


def gaussian_covariance(np, sp, sl, s, x):
    """The likelihood of a covariance, by its log-determinant."""
    s = s @ s.T + np.eye(len(s))
    inv = np.linalg.inv(s)
    return np.linalg.slogdet(s)[1] + np.mean(np.sum((x @ inv) * x, axis=1))


def gaussian_mixture(np, sp, sl, p, x):
    """Components of one variance each."""
    d = np.sum((x[:, None] - p["m"][None]) ** 2, axis=-1)
    k = x.shape[1]
    logs = p["w"] - sp.logsumexp(p["w"]) - 0.5 * d * np.exp(-p["s"]) - 0.5 * k * p["s"]
    return -np.mean(sp.logsumexp(logs, axis=1))


def student_regression(np, sp, sl, p, x, y):
    """Lange et al. 1989."""
    nu = np.exp(p["nu"])
    z = (y - x @ p["w"]) * np.exp(-p["s"])
    logp = sp.gammaln((nu + 1) / 2) - sp.gammaln(nu / 2) - 0.5 * np.log(np.pi * nu) - p["s"]
    return -np.mean(logp - (nu + 1) / 2 * np.log(1 + z**2 / nu))


def poisson_regression(np, sp, sl, w, x, y):
    """With the constant."""
    eta = x @ w
    return np.mean(np.exp(eta) - y * eta + sp.gammaln(y + 1.0))


def negative_binomial(np, sp, sl, p, x, y):
    """Lawless 1987."""
    mu, r = np.exp(x @ p["w"]), np.exp(p["r"])
    logp = sp.gammaln(y + r) - sp.gammaln(r) - sp.gammaln(y + 1.0)
    return -np.mean(logp + r * np.log(r / (r + mu)) + y * np.log(mu / (r + mu)))


def cox(np, sp, sl, w, x, order, observed):
    """Cox 1972, risk sets by a running sum."""
    eta = (x @ w)[order]
    risk = np.log(np.cumsum(np.exp(eta)[::-1])[::-1])
    return -np.sum(observed * (eta - risk))


def plackett_luce(np, sp, sl, s, ranking):
    """Plackett 1975."""
    own = s[ranking]
    return -np.sum(own - np.log(np.cumsum(np.exp(own)[::-1])[::-1]))


def hidden_markov(np, sp, sl, p, seen):
    """The forward algorithm of an observed sequence, by logarithms."""
    a = p["a"] - sp.logsumexp(p["a"], axis=1, keepdims=True)
    b = p["b"] - sp.logsumexp(p["b"], axis=1, keepdims=True)
    alpha = b[:, seen[0]]
    for k in range(1, len(seen)):
        alpha = sp.logsumexp(alpha[:, None] + a, axis=0) + b[:, seen[k]]
    return -sp.logsumexp(alpha)


def kalman(np, sp, sl, p, y):
    """A scalar state, filtered."""
    q, r = np.exp(p["q"]), np.exp(p["r"])
    m, v, loss = 0.0, 1.0, 0.0
    for value in y:
        v = v + q
        s = v + r
        loss = loss + 0.5 * np.log(s) + 0.5 * (value - m) ** 2 / s
        gain = v / s
        m, v = m + gain * (value - m), (1 - gain) * v
    return loss


def quantile_regression(np, sp, sl, w, x, y):
    """Koenker and Bassett 1978."""
    d = y - x @ w
    return np.mean(np.maximum(0.9 * d, -0.1 * d))


def huber(np, sp, sl, w, x, y):
    """Huber 1964."""
    d = np.abs(y - x @ w)
    return np.mean(np.where(d < 0.5, 0.5 * d**2, 0.5 * (d - 0.25)))


# Matrices, physics and others --------------------------------------------------------------


def spectral_regularisation(np, sp, sl, m, mask, t):
    """Matrix completion with a nuclear norm."""
    return np.sum(mask * (m - t) ** 2) + 0.1 * np.linalg.norm(m, "nuc")


def log_condition(np, sp, sl, a):
    """The spread of the eigenvalues of a Gram matrix."""
    e = np.linalg.eigvalsh(a.T @ a)
    return np.log(e[-1]) - np.log(e[0])


def discriminant(np, sp, sl, w, x, y):
    """Fisher's criterion, groups by masks."""
    z = x @ w
    a, b = z[y == 0], z[y == 1]
    return -((a.mean() - b.mean()) ** 2) / (a.var() + b.var())


def trimmed_squares(np, sp, sl, w, x, y):
    """Rousseeuw 1984: the smallest half of the squares."""
    r = np.sort((y - x @ w) ** 2)
    return np.sum(r[: len(y) // 2])


def median_deviation(np, sp, sl, w, x, y):
    """The median of the absolute deviations."""
    return np.median(np.abs(y - x @ w))


def sinkhorn(np, sp, sl, c, a, b):
    """Cuturi 2013: a few steps in the logarithm."""
    f, g = np.zeros(len(a)), np.zeros(len(b))
    for _ in range(3):
        f = np.log(a) - sp.logsumexp(g[None] - c, axis=1)
        g = np.log(b) - sp.logsumexp(f[:, None] - c, axis=0)
    return np.sum(np.exp(f[:, None] + g[None] - c) * c)


def lennard_jones(np, sp, sl, x, i, j):
    """Pairs of atoms by places."""
    r2 = np.sum((x[i] - x[j]) ** 2, axis=1)
    inv = 1 / r2**3
    return 4 * np.sum(inv**2 - inv)


def total_variation(np, sp, sl, u, f):
    """Rudin et al. 1992, smoothed."""
    a, b = np.diff(u, axis=0)[:, :-1], np.diff(u, axis=1)[:-1]
    return np.sum((u - f) ** 2) + np.sum(np.sqrt(a**2 + b**2 + 1e-3))


def neural_ode(np, sp, sl, w, x, t):
    """Chen et al. 2018, by Euler's steps."""
    for _ in range(4):
        x = x + 0.25 * np.tanh(x @ w)
    return np.mean((x - t) ** 2)


def portfolio(np, sp, sl, w, r):
    """Sharpe's ratio of weights by a softmax."""
    e = np.exp(w - np.max(w))
    own = r @ (e / e.sum())
    return -own.mean() / own.std()


def ridge_by_solving(np, sp, sl, p, x, y, a, b):
    """The error of a solution on other data, by its penalty: an inner problem."""
    g = x.T @ x + np.exp(p) * np.eye(x.shape[1])
    w = np.linalg.solve(g, x.T @ y)
    return np.mean((a @ w - b) ** 2)


def cases() -> Iterator[Case]:
    """Every loss with small arguments."""
    rng = numpy.random.default_rng(0)

    def normal(*shape: int) -> Any:
        return rng.standard_normal(shape)

    def below(n: int, *shape: int) -> Any:
        return rng.integers(0, n, shape)

    x, y, t = normal(8, 4), below(3, 8), normal(8)
    signs = numpy.sign(t)
    w = normal(4, 3)
    for f in (softmax_regression, label_smoothing, focal_loss, multiclass_hinge):
        yield Case(f, w, (x, y))
    yield Case(logistic_regression, {"w": normal(4), "b": 0.3}, (x, signs))
    yield Case(binary_with_logits, normal(4), (x, (t > 0) * 1.0))
    yield Case(weighted_classes, w, (x, y, numpy.array([1.0, 2.0, 0.5])))
    yield Case(ordinal_regression, {"w": normal(4), "first": normal(1), "steps": normal(1)}, (x, y))
    layers = [{"w": normal(4, 5), "b": normal(5)}, {"w": normal(5, 3), "b": normal(3)}]
    yield Case(perceptron, layers, (x, y))
    head = {k: normal(4, 4) for k in "qkv"}
    yield Case(attention, head, (x, normal(8, 4)))
    yield Case(causal_attention, head, (x, normal(8, 4)))
    yield Case(layer_norm, {"g": normal(4), "b": normal(4), "w": normal(4)}, (x, t))
    yield Case(gelu_network, {"a": normal(4, 5), "b": normal(5)}, (x, t))
    yield Case(max_pooling, normal(3), (normal(4, 8), normal(4)))
    cell = {"w": normal(3, 3), "u": normal(3, 2), "b": normal(3)}
    yield Case(recurrent, cell, (normal(3, 2), normal(3)))
    yield Case(gated_recurrent, {"z": normal(3, 5), "n": normal(3, 5)}, (normal(2, 2), normal(3)))
    yield Case(autoencoder, {"w": normal(4, 2), "b": normal(2), "c": normal(4)}, (x,))
    yield Case(
        variational, {"m": normal(4, 2), "s": normal(4, 2), "d": normal(2, 4)}, (x, normal(8, 2))
    )
    yield Case(batch_norm, {"w": normal(4, 3), "g": normal(3), "b": normal(3)}, (x, signs))
    yield Case(mixture_of_experts, {"g": normal(4, 3), "e": normal(4, 3)}, (x, t))
    yield Case(
        skip_gram,
        {"in": normal(6, 3), "out": normal(6, 3)},
        (below(6, 5), below(6, 5), below(6, 5, 2)),
    )
    yield Case(
        translation_embedding,
        {"e": normal(6, 3), "r": normal(2, 3)},
        (below(6, 5), below(2, 5), below(6, 5), below(6, 5)),
    )
    yield Case(
        factorisation_of_ratings,
        {"u": normal(5, 2), "v": normal(4, 2), "b": normal(5), "c": normal(4)},
        (below(5, 9), below(4, 9), normal(9)),
    )
    yield Case(
        personalised_ranking,
        {"u": normal(5, 2), "v": normal(4, 2)},
        (below(5, 9), below(4, 9), below(4, 9)),
    )
    i, j = numpy.array([[0, 1, 2, 3, 0], [1, 2, 3, 4, 4]])
    yield Case(springs, normal(5, 2), ((i, j), numpy.ones(5)))
    graph = numpy.abs(normal(6, 6))
    yield Case(
        graph_convolution,
        [normal(4, 3), normal(3, 3)],
        (graph, normal(6, 4), below(3, 3), numpy.array([0, 2, 5])),
    )
    yield Case(
        laplacian_smoothing, normal(5), (numpy.stack([i, j], 1), numpy.array([0, 3]), normal(2))
    )
    yield Case(bradley_terry, normal(5), (below(5, 8), below(5, 8)))
    yield Case(triplet, w, (x, below(8, 5), below(8, 5), below(8, 5)))
    yield Case(contrastive, w, (x, normal(8, 4)))
    yield Case(gaussian_process, {"a": 0.2, "l": 0.1, "n": -1.0}, (normal(6, 2), normal(6)))
    yield Case(gaussian_by_factor, {"c": normal(4, 4), "m": normal(4)}, (x,))
    yield Case(gaussian_covariance, normal(4, 4), (x,))
    yield Case(gaussian_mixture, {"m": normal(3, 4), "s": normal(3), "w": normal(3)}, (x,))
    yield Case(student_regression, {"w": normal(4), "s": 0.1, "nu": 1.0}, (x, t))
    yield Case(poisson_regression, normal(4) / 4, (x, below(4, 8)))
    yield Case(negative_binomial, {"w": normal(4) / 4, "r": 0.5}, (x, below(4, 8)))
    yield Case(cox, normal(4), (x, rng.permutation(8), (t > 0) * 1.0))
    yield Case(plackett_luce, normal(6), (rng.permutation(6),))
    yield Case(hidden_markov, {"a": normal(3, 3), "b": normal(3, 4)}, (numpy.array([0, 2, 3, 1]),))
    yield Case(kalman, {"q": -1.0, "r": 0.2}, (normal(4),))
    yield Case(quantile_regression, normal(4), (x, t))
    yield Case(huber, normal(4), (x, t))
    yield Case(spectral_regularisation, normal(4, 3), ((normal(4, 3) > 0) * 1.0, normal(4, 3)))
    yield Case(log_condition, normal(5, 3))
    yield Case(discriminant, normal(4), (x, below(2, 8)))
    yield Case(trimmed_squares, normal(4), (x, t))
    yield Case(median_deviation, normal(4), (x, t))
    yield Case(sinkhorn, numpy.abs(normal(3, 4)), (numpy.ones(3) / 3, numpy.ones(4) / 4))
    yield Case(lennard_jones, 2 * normal(5, 3), (i, j))
    yield Case(total_variation, normal(5, 5), (normal(5, 5),))
    yield Case(neural_ode, normal(4, 4) / 2, (x, normal(8, 4)))
    yield Case(portfolio, normal(4), (normal(9, 4),))
    yield Case(ridge_by_solving, 0.3, (x, t, normal(5, 4), normal(5)))
