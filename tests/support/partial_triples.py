"""Triples of expressions with partial functions, each judged wherever it is defined.

Logarithms, roots, fractional powers, inverse functions, quotients and branches over all reals;
the three share parts, and are simplified, compiled and differentiated beside each other. What is
true where one of them is defined may be false where another one is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np

from eggrad.engine.indices.spec import canonical
from eggrad.engine.oracle import oracle
from eggrad.engine.terms import term as t
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term
from eggrad.frontend.calculus import calculus
from eggrad.frontend.expression.expression import Expression, expression
from eggrad.frontend.interface.compile import compile
from tests.support.trusted_points import Point, differs, trusted_derivative

HALF = Fraction(1, 2)
FRACTIONS = (HALF, HALF, -HALF, *map(Fraction, ("1/3", "2/3", "3/2", "-3/2", "1/4", "-1/3")))
WHOLE = (2, 2, 3, -1, -1, -2, 4, 0)
NUMBERS = (1, 2, -1, -2, 3, 0, HALF, Fraction(-1, 3))
PARTIAL = ("log", "log", "log", "arcsin", "arccos", "tan")
TOTAL = ("exp", "exp", "abs", "sign", "relu", "sin", "cos", "tanh", "arctan")
# What undoes what, so that functions often meet their inverses.
OPPOSITE = {"log": "exp", "exp": "log", "sin": "arcsin", "arcsin": "sin", "cos": "arccos",
            "arccos": "cos", "tan": "arctan", "arctan": "tan"}  # fmt: skip

POINTS = 10
# More digits and moved variables change a trusted value by no more than this.
STEADY = 1e-7
MOVES = (1e-11, -1e-11)
LARGEST = 1e8
LEAST = 1e-14
CLOSE = 1e-5


def random_triple(random: Random, most: int = 9) -> list[Term]:
    """Three terms of the same one or two variables, made from one pool of parts."""
    shape = random.choice(((), (), ("n",)))
    names = ("x", "y")[: random.choice((1, 1, 2))]
    assume = random.choice(((), (), (), ("positive",), ("nonnegative",)))
    pool = [t.variable(name, shape, assume if name == "y" else ()) for name in names]
    if random.random() < 0.7:
        pool += [_undone(random, random.choice(pool)), _kinked(random, random.choice(pool))]
    for _ in range(random.randint(1, most)):
        pool.append(_grown(random, pool))
    return [_combined(random, pool, len(names)) for _ in range(3)]


def _undone(random: Random, a: Term) -> Term:
    """A function after another that undoes it on a part of the reals, as exp(log a)."""
    match random.randint(0, 6):
        case 0 | 1:
            return t.apply("exp", t.apply("log", a))
        case 2 | 3:
            p = random.choice(FRACTIONS)
            return t.power(t.power(a, t.constant(p)), t.constant(1 / p))
        case 4:
            p = random.choice((2, 3, 4))
            return t.power(t.power(a, t.constant(p)), t.constant(Fraction(1, p)))
        case 5:
            p = random.choice(FRACTIONS)
            return _times(t.power(a, t.constant(p)), t.power(a, t.constant(1 - p)))
        case _:
            f = random.choice(list(OPPOSITE))
            return t.apply(OPPOSITE[f], t.apply(f, a))


def _kinked(random: Random, a: Term) -> Term:
    """What tells positive numbers from negative ones."""
    absolute, sign, relu = (t.apply(f, a) for f in ("abs", "sign", "relu"))
    root = t.power(t.power(a, t.constant(2)), t.constant(HALF))
    return random.choice((absolute, sign, relu, root, t.divide(a, absolute)))


def _grown(random: Random, pool: list[Term]) -> Term:
    a = random.choice(pool[-2:]) if random.random() < 0.4 else random.choice(pool)
    kind = random.choices(
        ("partial", "total", "opposite", "fraction", "whole", "product", "sum", "quotient",
         "branch", "number", "exponent", "extreme", "rounded"),
        (10, 10, 12, 14, 9, 14, 10, 7, 10, 7, 3, 6, 2),
    )[0]  # fmt: skip
    match kind:
        case "partial":
            return t.apply(random.choice(PARTIAL), a)
        case "total":
            return t.apply(random.choice(TOTAL), a)
        case "opposite":
            return random.choice((_undone, _undone, _kinked))(random, a)
        case "fraction":
            return t.power(a, t.constant(random.choice(FRACTIONS)))
        case "whole":
            return t.power(a, t.constant(random.choice(WHOLE)))
        case "product":
            return _times(a, random.choice(pool))
        case "sum":
            return random.choice((t.add, t.subtract))(a, random.choice(pool))
        case "quotient":
            return t.divide(*random.sample([a, random.choice(pool)], 2))
        case "extreme":
            b = random.choice([c for c in pool if c.dims == a.dims])
            return t.apply(random.choice(("maximum", "minimum", "pow", "mod")), a, b)
        case "rounded":
            return t.apply(random.choice(("floor", "ceil", "trunc", "round")), a)
        case "branch":
            return _branch(random, a, random.choice(pool), random.choice(pool))
        case "number":
            return _times(t.constant(random.choice(NUMBERS)), a)
        case _:
            scalars = [b for b in pool if not b.dims]
            return t.power(a, random.choice(scalars)) if scalars else t.power(a, t.constant(HALF))


def _times(a: Term, b: Term) -> Term:
    axes = tuple(range(max(a.order, b.order)))
    return t.einsum(canonical([axes[: a.order], axes[: b.order]], axes), a, b)


def _branch(random: Random, condition: Term, a: Term, b: Term) -> Term:
    """`a` where the condition is positive, `b` elsewhere, or the first of them alone."""
    if random.random() < 0.6 and condition.dims == a.dims == b.dims:
        return t.apply("where", _test(random, condition), a, b)
    step = t.apply("relu", t.apply("sign", condition))
    first = _times(step, a)
    if random.random() < 0.5:
        return first
    return t.add(first, _times(t.subtract(t.constant(1, step.dims), step), b))


def _test(random: Random, a: Term) -> Term:
    """A comparison with a number, its opposite, or two of them together."""
    number = t.constant(random.choice((0, 0, 1, -1)), a.dims)
    test = t.apply(random.choice(("greater", "greater_equal", "not_equal")), a, number)
    if random.random() < 0.2:
        test = t.apply("logical_not", test)
    if random.random() < 0.2:
        other = t.apply("greater", t.constant(2, a.dims), a)
        test = t.apply(random.choice(("logical_and", "logical_or")), test, other)
    return test


def _combined(random: Random, pool: list[Term], leaves: int) -> Term:
    """One part, or two parts together, so that the zero of one meets the domain of the other."""
    a, b = random.choice(pool[leaves:]), random.choice(pool)
    return random.choice((t.add(a, _times(t.constant(0), b)), t.add(a, b), _times(a, b), a, a))


@dataclass(frozen=True)
class _Judged:
    """A point, and the values there of the terms that are defined."""

    point: Point
    values: dict[Term, Array]


def check_triple(random: Random, derivatives: bool = True) -> str:
    """What is wrong with a random triple, if anything is."""
    roots = random_triple(random)
    points = list(_points(random, roots))
    own = [expression(r, t.variables(*roots)) for r in roots]
    return (
        _compiled(own, points)
        or _simplified(roots, points)
        or (_differentiated(roots, points) if derivatives else "")
    )


def shown(roots: Sequence[Term]) -> str:
    """Terms as texts that can be read again."""
    return "\n".join(str(expression(r, t.variables(*roots))) for r in roots)


def _points(random: Random, roots: Sequence[Term]) -> Iterator[_Judged]:
    rng = np.random.default_rng(random.getrandbits(64))
    known = t.variables(*roots)
    sizes = {"n": random.choice((1, 2, 3))} if known[0].order else {}
    for k in range(POINTS):
        values = {}
        for v in known:
            shape = tuple(sizes.values())[: v.order]
            drawn = rng.integers(-3, 4, shape) if k % 3 == 0 else rng.normal(0, 2, shape)
            kept = np.asarray(drawn, float)
            if _words(v):
                kept = np.abs(kept) + 0.1 * ("positive" in _words(v))
            values[v.name] = kept
        point = Point(values, sizes)
        judged = {r: v for r in dict.fromkeys(roots) if (v := trusted_value(r, point)) is not None}
        if judged:
            yield _Judged(point, judged)


def _words(v: Term) -> Sequence[str]:
    return v.data[1] if isinstance(v.data, tuple) else ()


def trusted_value(term: Term, point: Point) -> Array | None:
    """The value by definition; None where it is undefined, or rounding decides about it."""
    nodes = list(t.postorder(term))
    long = {k: np.asarray(v, np.longdouble) for k, v in point.values.items()}
    *inner, found = oracle.evaluate(nodes, long, point.sizes)
    every = [*inner, found]
    if not all(np.isfinite(v).all() and (np.abs(v) < LARGEST).all() for v in every):
        return None
    # A zero that rounding hides, as in x / cos(arccos(x)) at 0, where nothing is defined.
    if not all(((v == 0) | (np.abs(v) > LEAST)).all() for v in every):
        return None
    scale = STEADY * (1 + np.abs(found))
    for again in (point.values, *({k: v * (1 + m) for k, v in long.items()} for m in MOVES)):
        (other,) = oracle.evaluate([term], again, point.sizes)
        if not (np.abs(other - found) <= scale).all():
            return None
    return np.asarray(found, float)


def _wrong(ours: object, expected: Array) -> bool:
    found = np.asarray(ours, float)
    if found.shape != expected.shape:
        return True
    return not (np.abs(found - expected) <= CLOSE * (1 + np.abs(expected))).all()


def _report(what: str, roots: Sequence[Term], judged: _Judged, ours: object, wanted: Array) -> str:
    values = {k: v.tolist() for k, v in judged.point.values.items()}
    return (
        f"{what}\nof\n{shown(roots)}\nat {values}"
        f"\nis {np.asarray(ours).tolist()}, expected {wanted.tolist()}\n"
    )


def _compiled(own: list[Expression], points: Sequence[_Judged]) -> str:
    function = compile(own)
    roots = [e.term for e in own]
    own_names = {v.name for e in own for v in e.variables}
    for judged in points:
        point = judged.point
        # Another of the three may be undefined here.
        with np.errstate(all="ignore"):
            found = function(**{k: v for k, v in point.values.items() if k in own_names})
        for k, (root, ours) in enumerate(zip(roots, found, strict=True)):
            if root in judged.values and _wrong(ours, judged.values[root]):
                return _report(f"compiled, number {k}", roots, judged, ours, judged.values[root])
    return ""


def _simplified(roots: Sequence[Term], points: Sequence[_Judged]) -> str:
    for root in dict.fromkeys(roots):
        simple = calculus.simplify(root).term
        for judged in points:
            if root in judged.values:
                ours = oracle.value(simple, judged.point.values, judged.point.sizes)
                if _wrong(ours, judged.values[root]):
                    what = f"simplified to {shown([simple])}"
                    return _report(what, [root], judged, ours, judged.values[root])
    return ""


def _differentiated(roots: Sequence[Term], points: Sequence[_Judged]) -> str:
    x = t.variables(*roots)[0]
    for root in dict.fromkeys(roots):
        derived = None
        for judged in points:
            if root not in judged.values:
                continue
            expected = trusted_derivative(root, x, judged.point)
            if expected is None:
                continue
            if derived is None:
                derived = calculus.differentiate(root, [x]).term
            ours = oracle.value(derived, judged.point.values, judged.point.sizes)
            if differs(ours, expected):
                what = f"derivative by {x.name} {shown([derived])}"
                return _report(what, [root], judged, ours, expected)
    return ""
