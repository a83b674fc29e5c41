"""Pairs of expressions that are nearly equal: what tells them apart shows in corners alone.

For negative bases, beyond 10⁶, at integers and ties, at one size. A verdict "equal" is judged by
values of all these kinds: wherever both sides are finite and what the verdict assumes is true.
"""

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

import eggrad as eg
from eggrad.engine.laws.properties import PROPERTIES
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.interface.equivalence import Verdict

Pair = tuple[Expression, Expression]
HALF = Fraction(1, 2)
# More digits change a value that is trusted by no more than this.
STEADY = 1e-9
CLOSE = 1e-6
LARGEST = 1e12
DIGITS = 50


def near_miss(random: Random) -> tuple[Term, Term]:
    """Two terms that are equal at most values, or on a part of the reals."""
    shape = random.choice(((), (), ("n",)))
    x, y = (eg.variable(name, shape) for name in "xy")
    a, b = (_inner(random, v) for v in random.sample((x, y), 2))
    left, right = random.choice(PAIRS)(random, a, b)
    left, right = _wrapped(random, left, right, y)
    return left.term, right.term


def _inner(random: Random, v: Expression) -> Expression:
    match random.randint(0, 5):
        case 0:
            return eg.sin(v)
        case 1:
            return v - random.randint(1, 3)
        case 2:
            return number(random.choice((2, -1, 3)), v) * v
        case _:
            return v


def number(value: float | Fraction, like: Expression) -> Expression:
    """A number on the axes of an expression."""
    return eg.constant(value, like.shape)


def _wrapped(random: Random, left: Any, right: Any, other: Any) -> Pair:
    """Both sides within the same larger expression."""
    match random.randint(0, 4):
        case 0:
            return left + other, right + other
        case 1:
            return other * left, right * other
        case 2:
            return eg.tanh(left), eg.tanh(right)
        case 3 if left.ndim:
            return eg.sum(left), eg.sum(right)
        case _:
            return left, right


def _root_of_power(random: Random, a: Any, _b: Any) -> Pair:
    p = random.choice((2, 4, 6))
    q = random.choice((Fraction(1, p), Fraction(3, p), Fraction(-1, p)))
    return (a**p) ** q, a ** (p * q)


def _root_of_products(random: Random, a: Any, b: Any) -> Pair:
    return (a**2 * b) ** HALF, a * b**HALF


def _symbolic_powers(random: Random, a: Any, _b: Any) -> Pair:
    p, q = eg.variable("p"), eg.variable("q")
    pairs = (
        ((a**p) ** q, a ** (p * q)),
        ((a ** (2 * p)) ** HALF, a**p),
        (((a**p) ** 2) ** HALF, a**p),
    )
    return random.choice(pairs)


def _signs(random: Random, a: Any, _b: Any) -> Pair:
    one, absolute, sign, relu = number(1, a), eg.abs(a), eg.sign(a), eg.relu(a)
    pairs = (
        (absolute, a),
        (sign * sign, one),
        (eg.relu(sign), number(HALF, a) * (sign + one)),
        (a / absolute, one),
        (relu + relu, a + a),
        (sign * a**2, absolute**2),
        (eg.sign(a**2), one),
        (eg.sign(eg.exp(a)), eg.sign(absolute)),
    )
    return random.choice(pairs)


def _far_away(random: Random, a: Any, _b: Any) -> Pair:
    far = random.choice((1e6, 2e6, 1e7))
    return a + random.choice((eg.relu(a - far), eg.relu(-far - a))), a


def _at_integers(random: Random, a: Any, _b: Any) -> Pair:
    product = a
    for k in (1, -1, 2, -2, 3, -3):
        product = product * (a - k)
    tie = eg.sign(product)
    return random.choice(((product, number(0, a)), (tie * tie, number(1, a))))


def _partial(random: Random, a: Any, b: Any) -> Pair:
    two, logs = number(2, a), eg.log(a) + eg.log(b)
    pairs = (
        (eg.log(a**2), two * eg.log(eg.abs(a))),
        (eg.log(a * b), logs),
        (eg.log((a * b) ** 2), two * logs),
        (eg.arcsin(eg.sin(a)), a),
        (eg.arctan(eg.tan(a)), a),
        (eg.abs(eg.exp(eg.log(a))), eg.abs(a)),
        (eg.abs(a) + number(0, a) * eg.log(a), a),
    )
    return random.choice(pairs)


def _one_size(random: Random, a: Any, _b: Any) -> Pair:
    M, ones = eg.variable("M", ("k", "k")), number(1, a)
    half = HALF * (eg.einsum("ii->", M) ** 2 - eg.einsum("ij,ji->", M, M))
    return eg.det(M) * ones, half * ones


PAIRS = (
    *(_root_of_power, _root_of_products, _symbolic_powers, _signs, _signs, _far_away),
    *(_at_integers, _partial, _partial, _one_size),
)


def check_pair(random: Random) -> tuple[str, Verdict]:
    """What is wrong with the verdict on a near miss, if anything is, and the verdict."""
    left, right = near_miss(random)
    scope = t.variables(left, right)
    verdict = eg.equivalent(expression(left, scope), expression(right, scope))
    return false_equality(random, left, right, verdict), verdict


def false_equality(random: Random, left: Term, right: Term, verdict: Verdict) -> str:
    """Values at which terms differ that are called equal."""
    if verdict.status != "equal":
        return ""
    wanted = [tm for _, tm in verdict.assumed]
    for values, sizes in _corners(random, t.variables(left, right, *wanted)):
        nodes = list(t.postorder(left, right, *wanted))
        long = {k: np.asarray(v, np.longdouble) for k, v in values.items()}
        found = dict(zip(nodes, oracle.evaluate(nodes, long, sizes), strict=True))
        a, b = found[left], found[right]
        if not all(PROPERTIES[p].holds(found[tm]) for p, tm in verdict.assumed):
            continue
        if any((np.abs(v[np.isfinite(v)]) > LARGEST).any() for v in found.values()):
            continue
        both = np.isfinite(a) & np.isfinite(b)
        plain = oracle.evaluate([left, right], values, sizes)
        steady = all(
            (np.abs(v[both] - w[both]) <= STEADY * (1 + np.abs(w[both]))).all()
            for v, w in zip(plain, (a, b), strict=True)
        )
        if steady and _differ(a, b) and _differ(*_exact(left, right, values, sizes)):
            shown = {k: v.tolist() for k, v in values.items()}
            return f"{expression(left)}\n{expression(right)}\n{verdict}\nat {shown}: {a} and {b}"
    return ""


def _differ(a: Array, b: Array) -> bool:
    both = np.isfinite(a) & np.isfinite(b)
    return bool((np.abs(a[both] - b[both]) > CLOSE * (1 + np.abs(a[both]))).any())


def _exact(
    left: Term, right: Term, values: dict[str, Array], sizes: dict[str, int]
) -> tuple[Array, Array]:
    """The values of terms where neither digits are lost nor anything overflows, if they can be."""
    digits = DIGITS if oracle.has_digits(left) and oracle.has_digits(right) else 0
    a, b = oracle.evaluate([left, right], values, sizes, digits)
    return a.astype(float), b.astype(float)


def _corners(
    random: Random, known: tuple[Term, ...]
) -> Iterator[tuple[dict[str, Array], dict[str, int]]]:
    """Values of all kinds: ties, integers, negative, large, fractions, at several sizes."""
    rng = np.random.default_rng(random.getrandbits(64))
    for k in range(60):
        sizes = {"n": 1 + k % 3, "k": 1 + k % 4, "m": 1 + k % 5}
        values: dict[str, Array] = {}
        for v in known:
            shape = tuple(d if isinstance(d, int) else sizes[d] for d in v.dims)
            kind = rng.integers(0, 6)
            drawn = {
                0: lambda s: rng.integers(-3, 4, s),
                1: lambda s: rng.normal(0, 2, s),
                2: lambda s: -rng.integers(1, 4, s),
                3: lambda s: rng.choice([-1, 1], s) * 10.0 ** rng.integers(5, 9, s),
                4: lambda s: rng.choice([-2.0, -0.5, 0.5, 1.5, 2.0, 0.0], s),
                5: lambda s: np.abs(rng.normal(0, 1, s)),
            }[int(kind)](shape)
            kept = np.asarray(drawn, float)
            if isinstance(v.data, tuple) and v.data[1]:
                # What is declared of a variable stays true.
                kept = np.abs(kept) + 0.1 * ("positive" in v.data[1])
            values[v.name] = kept
        yield values, sizes
