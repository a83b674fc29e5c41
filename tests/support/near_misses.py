"""Pairs of expressions that are nearly equal: what tells them apart shows in corners alone.

For negative bases, beyond 10⁶, at integers and ties, at one size. A verdict "equal" is judged by
values of all these kinds: wherever both sides are finite and what the verdict assumes is true.
"""

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import numpy as np

from eggrad.engine.laws.properties import PROPERTIES
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.frontend.expression.expression import expression
from eggrad.frontend.interface.equivalence import Verdict, equivalent

__all__ = ["check_pair", "false_equality", "near_miss"]

HALF = Fraction(1, 2)
# More digits change a value that is trusted by no more than this.
STEADY = 1e-9
CLOSE = 1e-6
LARGEST = 1e12


def near_miss(random: Random) -> tuple[Term, Term]:
    """Two terms that are equal at most values, or on a part of the reals."""
    shape = random.choice(((), (), ("n",)))
    x, y = (t.variable(name, shape) for name in "xy")
    a, b = (_inner(random, v) for v in random.sample((x, y), 2))
    left, right = random.choice(PAIRS)(random, a, b)
    return _wrapped(random, left, right, y)


def _inner(random: Random, v: Term) -> Term:
    match random.randint(0, 5):
        case 0:
            return t.apply("sin", v)
        case 1:
            return t.subtract(v, number(random.randint(1, 3), v))
        case 2:
            return times(number(random.choice((2, -1, 3)), v), v)
        case _:
            return v


def number(value: float | Fraction, like: Term) -> Term:
    """A number on the axes of a term."""
    return t.constant(value, like.dims)


def power(a: Term, p: float | Fraction) -> Term:
    """A power with a number as its exponent."""
    return t.power(a, t.constant(p))


def times(a: Term, b: Term) -> Term:
    """The product entry by entry."""
    axes = tuple(range(a.order))
    return t.einsum((axes, axes, axes), a, b)


def _wrapped(random: Random, left: Term, right: Term, other: Term) -> tuple[Term, Term]:
    """Both sides within the same larger term."""
    match random.randint(0, 4):
        case 0:
            return t.add(left, other), t.add(right, other)
        case 1:
            return times(other, left), times(right, other)
        case 2:
            return t.apply("tanh", left), t.apply("tanh", right)
        case 3 if left.order:
            return t.einsum("i->", left), t.einsum("i->", right)
        case _:
            return left, right


def _root_of_power(random: Random, a: Term, _b: Term) -> tuple[Term, Term]:
    p = random.choice((2, 4, 6))
    q = random.choice((Fraction(1, p), Fraction(3, p), Fraction(-1, p)))
    return power(power(a, p), q), power(a, p * q)


def _root_of_products(random: Random, a: Term, b: Term) -> tuple[Term, Term]:
    return power(times(power(a, 2), b), HALF), times(a, power(b, HALF))


def _symbolic_powers(random: Random, a: Term, _b: Term) -> tuple[Term, Term]:
    p, q = t.variable("p"), t.variable("q")
    product = t.einsum(((), (), ()), p, q)
    two = t.einsum(((), (), ()), t.constant(2), p)
    return random.choice(
        (
            (t.power(t.power(a, p), q), t.power(a, product)),
            (power(t.power(a, two), HALF), t.power(a, p)),
            (power(power(t.power(a, p), 2), HALF), t.power(a, p)),
        )
    )


def _signs(random: Random, a: Term, _b: Term) -> tuple[Term, Term]:
    absolute, sign, relu = (t.apply(f, a) for f in ("abs", "sign", "relu"))
    return random.choice(
        (
            (absolute, a),
            (times(sign, sign), number(1, a)),
            (t.apply("relu", sign), times(number(HALF, a), t.add(sign, number(1, a)))),
            (t.divide(a, absolute), number(1, a)),
            (t.add(relu, relu), t.add(a, a)),
            (times(sign, power(a, 2)), power(absolute, 2)),
            (t.apply("sign", power(a, 2)), number(1, a)),
            (t.apply("sign", t.apply("exp", a)), t.apply("sign", absolute)),
        )
    )


def _far_away(random: Random, a: Term, _b: Term) -> tuple[Term, Term]:
    far = random.choice((1e6, 2e6, 1e7))
    beyond = t.apply("relu", t.subtract(a, number(far, a)))
    below = t.apply("relu", t.subtract(number(-far, a), a))
    return t.add(a, random.choice((beyond, below))), a


def _at_integers(random: Random, a: Term, _b: Term) -> tuple[Term, Term]:
    product = a
    for k in (1, -1, 2, -2, 3, -3):
        product = times(product, t.subtract(a, number(k, a)))
    tie = t.apply("sign", product)
    return random.choice(((product, number(0, a)), (times(tie, tie), number(1, a))))


def _partial(random: Random, a: Term, b: Term) -> tuple[Term, Term]:
    logs = t.add(t.apply("log", a), t.apply("log", b))
    return random.choice(
        (
            (t.apply("log", power(a, 2)), times(number(2, a), t.apply("log", t.apply("abs", a)))),
            (t.apply("log", times(a, b)), logs),
            (t.apply("log", power(times(a, b), 2)), times(number(2, a), logs)),
            (t.apply("arcsin", t.apply("sin", a)), a),
            (t.apply("arctan", t.apply("tan", a)), a),
            (t.apply("abs", t.apply("exp", t.apply("log", a))), t.apply("abs", a)),
            (t.add(t.apply("abs", a), times(number(0, a), t.apply("log", a))), a),
        )
    )


def _one_size(random: Random, a: Term, _b: Term) -> tuple[Term, Term]:
    m = t.variable("M", ("k", "k"))
    trace, square = t.einsum("ii->", m), t.einsum("ij,ji->", m, m)
    half = t.einsum(((), (), ()), t.constant(HALF), t.subtract(power(trace, 2), square))
    ones = t.constant(1, a.dims)
    scaled = t.einsum(canonical_scalar(a.order), half, ones)
    return t.einsum(canonical_scalar(a.order), t.apply("det", m), ones), scaled


def canonical_scalar(order: int) -> tuple[tuple[int, ...], ...]:
    """The spec of a scalar times a tensor."""
    axes = tuple(range(order))
    return ((), axes, axes)


PAIRS = (
    *(_root_of_power, _root_of_products, _symbolic_powers, _signs, _signs, _far_away),
    *(_at_integers, _partial, _partial, _one_size),
)


def check_pair(random: Random) -> tuple[str, Verdict]:
    """What is wrong with the verdict on a near miss, if anything is, and the verdict."""
    left, right = near_miss(random)
    scope = t.variables(left, right)
    verdict = equivalent(expression(left, scope), expression(right, scope))
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
        if steady and (np.abs(a[both] - b[both]) > CLOSE * (1 + np.abs(a[both]))).any():
            shown = {k: v.tolist() for k, v in values.items()}
            return f"{expression(left)}\n{expression(right)}\n{verdict}\nat {shown}: {a} and {b}"
    return ""


def _corners(
    random: Random, known: tuple[Term, ...]
) -> Iterator[tuple[dict[str, Array], dict[str, int]]]:
    """Values of all kinds: ties, integers, negative, large, fractions, at several sizes."""
    rng = np.random.default_rng(random.getrandbits(64))
    for k in range(60):
        sizes = {"n": 1 + k % 3, "k": 1 + k % 4}
        values: dict[str, Array] = {}
        for v in known:
            shape = tuple(sizes[str(d)] for d in v.dims)
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
