"""Random pairs that differ at ties or patched poles alone: values without interior.

Each is one of NumPy's ways to write a derivative, or a choice, by hand; what the two disagree about
is which value counts where entries are equal, where one is 0, or where one is an integer.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import eggrad as eg

Pair = tuple[Any, Any]
Form = Callable[[Random, Any, Any], Pair]
W, V = eg.variable("W", ("k", "n")), eg.variable("V", ("n", "k"))
x, y = eg.variable("x", ("n",)), eg.variable("y", ("n",))
b, v = eg.variable("b", ("k",)), eg.variable("v", ("k",))


def operands(random: Random) -> tuple[Any, Any]:
    """Two tensors of the same axes, of which the difference is seldom 0."""
    layer = W @ x
    return random.choice(
        (
            (x, y),
            (layer, b),
            (layer + b, v),
            (x * y, x),
            (2 * x - 1, y),
            (np.sin(x), y),
            (x**2 - y, y),
        )
    )


def _strict(random: Random, a: Any, c: Any) -> Pair:
    return (a > c) * c, (a >= c) * c


def _opposite(random: Random, a: Any, c: Any) -> Pair:
    return 1 - (a > c) * (1 + 0 * a), (c > a) * (1 + 0 * a)


def _exception(random: Random, a: Any, c: Any) -> Pair:
    return np.where(np.equal(a, c), random.choice((0, 5)) + a, c), c


def _unequal(random: Random, a: Any, c: Any) -> Pair:
    return np.where(np.not_equal(a, c), a * c, a), c * a


def _square_of_sign(random: Random, a: Any, c: Any) -> Pair:
    return np.sign(a) ** 2 * c, c


def _step(random: Random, a: Any, c: Any) -> Pair:
    return (np.sign(a - c) + 1) / 2, np.where(a > c, 1 + 0 * a, 0 * a)


def _step_by_relu(random: Random, a: Any, c: Any) -> Pair:
    return eg.relu(eg.sign(a)) + c, (eg.sign(a) + 1) / 2 + c


def _leaky(random: Random, a: Any, c: Any) -> Pair:
    leaky = np.where(x > 0, x, x / 10)
    slope = np.where(x >= 0, 1 + 0 * x, 1 / 10 + 0 * x)
    return eg.gradient(eg.sum(y * leaky), "x"), y * slope


def _larger(random: Random, a: Any, c: Any) -> Pair:
    test = random.choice((x > y, x >= y))
    return eg.gradient(eg.sum(np.maximum(x, y)), "x"), test * (1 + 0 * x)


def _smaller(random: Random, a: Any, c: Any) -> Pair:
    test = random.choice((x < y, x <= y))
    return eg.gradient(eg.sum(np.minimum(x, y)), "x"), np.where(test, 1 + 0 * x, 0 * x)


def _modulus(random: Random, a: Any, c: Any) -> Pair:
    return eg.gradient(eg.sum(np.abs(x - y)), "x"), np.where(x > y, 1 + 0 * x, -1 + 0 * x)


def _network(random: Random, a: Any, c: Any) -> Pair:
    layer = W @ x + b if random.random() < 0.5 else W @ x
    test = random.choice((layer >= 0, np.logical_not(layer < 0)))
    if random.random() < 0.5:
        return eg.gradient(eg.sum(v * eg.relu(layer)), "x"), W.T @ (v * test)
    return eg.gradient(eg.sum(v * eg.relu(layer)), "W"), np.where(test, v, 0 * v)[:, None] * x


def _two_layers(random: Random, a: Any, c: Any) -> Pair:
    hidden = W @ x + b
    f = eg.sum(V @ eg.relu(hidden))
    return eg.gradient(f, "x"), W.T @ ((eg.sum(V, axis=0)) * (hidden >= 0))


def _hinge(random: Random, a: Any, c: Any) -> Pair:
    margin = 1 - v * (W @ x)
    return eg.gradient(eg.sum(eg.relu(margin)), "x"), -(W.T @ (v * (margin >= 0)))


def _rounding(random: Random, a: Any, c: Any) -> Pair:
    pairs = (
        (np.floor(a) + 1, np.ceil(a)),
        (np.ceil(a) - np.floor(a), 1 + 0 * a),
        (np.trunc(a), np.ceil(a) - (a > 0)),
        (-np.floor(-a), np.floor(a) + 1),
    )
    return random.choice(pairs)


def _patched(random: Random, a: Any, c: Any) -> Pair:
    pole = np.where(np.equal(a, 0), 7 + 0 * a, np.sin(a) / a * a)
    return random.choice(((pole, np.sin(a)), (c * np.where(np.not_equal(a, 0), a / a, 0 * a), c)))


FORMS: tuple[Form, ...] = (
    *(_strict, _opposite, _exception, _unequal, _square_of_sign, _step, _step_by_relu, _leaky),
    *(_larger, _smaller, _modulus, _network, _network, _two_layers, _hinge, _rounding, _patched),
)


def tie_pair(random: Random) -> Pair:
    """Two expressions that are equal but at values without interior."""
    return random.choice(FORMS)(random, *operands(random))


def differing(random: Random) -> Pair:
    """A pair like the above that differs elsewhere as well."""
    left, right = tie_pair(random)
    return left, random.choice((right * 2, -right, right + eg.relu(x[0])))
