"""Points at which a numeric derivative says something, and what it says there.

Left out are the documented kinks (`abs`, `sign` and `relu` at 0), the rims of domains, and
points where differences at two step sizes disagree.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, cast

import numpy as np

from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.term import Term, postorder, variables

__all__ = ["Point", "differs", "random_point", "trusted_derivative"]

TOLERANCE = 1e-5
STEPS = (1e-3, 2.5e-4)
KINK = 1e-3
LARGEST = 1e5


@dataclass(frozen=True)
class Point:
    """A value for every variable, and the length of every axis."""

    values: Mapping[str, Array]
    sizes: Mapping[str, int]


def random_point(random: Random, term: Term, x: Term) -> Point:
    """Entries are normal, or special ones: zeros, ones, small integers and ties among them."""
    rng = np.random.default_rng(random.getrandbits(64))
    choices = (0, 1, 2, 3) if random.random() < 0.05 else (1, 2, 2, 3)
    sizes = oracle.random_sizes([term, x], rng, choices)
    kind = random.choice(("normal", "special"))
    return Point(oracle.random_values(variables(term, x), sizes, rng, kind), sizes)


def trusted_derivative(term: Term, x: Term, point: Point) -> Array | None:
    """The numeric derivative; None where it cannot be trusted."""
    if not _inside(term, x, point):
        return None
    wide, narrow = (
        oracle.numeric_derivative(term, x, point.values, point.sizes, step) for step in STEPS
    )
    scale = 1 + np.max(np.abs(narrow), initial=0.0)
    if not np.max(np.abs(wide - narrow), initial=0.0) <= TOLERANCE / 30 * scale:
        return None
    return wide


def differs(ours: Array, expected: Array) -> bool:
    """Whether a derivative is not finite or not equal to the numeric one."""
    if ours.shape != expected.shape:
        return True
    scale = 1 + np.max(np.abs(expected), initial=0.0)
    return not np.max(np.abs(ours - expected), initial=0.0) <= TOLERANCE * scale


def _inside(term: Term, x: Term, point: Point) -> bool:
    """Whether every node is finite, moderate, and away from kinks and rims."""
    nodes = list(postorder(term))
    found = dict(zip(nodes, oracle.evaluate(nodes, point.values, point.sizes), strict=True))
    if not all(np.isfinite(v).all() and (np.abs(v) < LARGEST).all() for v in found.values()):
        return False
    moving = {x}
    for node in nodes:
        if any(a in moving for a in node.args):
            moving.add(node)
            if not _regular(node, found, node.args[-1] in moving):
                return False
    return True


COMPARED = ("maximum", "minimum", "greater", "greater_equal", "equal", "not_equal")
# How far the operands of a function are from its kinks, its jumps or the rim of its domain.
DISTANCES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("abs", "sign", "relu", "logical_not"), np.abs),
    **dict.fromkeys(("floor", "ceil", "trunc"), lambda a: np.abs(a - np.rint(a))),
    "round": lambda a: np.abs(a - np.floor(a) - 0.5),
    **dict.fromkeys(COMPARED, lambda a, b: np.abs(a - b)),
    **dict.fromkeys(("logical_and", "logical_or"), lambda a, b: np.minimum(np.abs(a), np.abs(b))),
    "mod": lambda a, b: np.abs(a / b - np.rint(a / b)),
    **dict.fromkeys(("arcsin", "arccos"), lambda a: 1 - np.abs(a)),
    "pow": lambda a, _: a,
    "log": lambda a: a,
    "tan": lambda a: np.abs(np.cos(a)),
    "divide": lambda _, b: np.abs(b),
}


def _regular(node: Term, found: Mapping[Term, Array], last_moves: bool) -> bool:
    operands = [found[a] for a in node.args]
    if node.op == "power":
        return _regular_power(node, operands[0], operands[1], last_moves)
    if node.op == "inv":
        # An inverse with large entries is that of a nearly singular matrix.
        return bool((np.abs(found[node]) < 1 / KINK).all())
    distance = DISTANCES.get(node.op)
    return distance is None or bool((distance(*operands) > KINK).all())


def _regular_power(node: Term, base: Array, exponent: Any, exponent_moves: bool) -> bool:
    """Whole exponents from 0 up are regular everywhere, others away from 0."""
    written = node.args[1]
    if written.op == "constant":
        number = cast(Fraction, written.data)
        whole = number.denominator == 1 and number >= 0
        return whole or bool((np.abs(base) > KINK).all())
    if exponent_moves:
        return bool((base > KINK).all())
    return bool((np.abs(base) > KINK).all() or (exponent >= 1 and float(exponent).is_integer()))
