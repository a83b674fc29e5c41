"""Sums that are 0 at values without interior, shown by values at which they are not 0.

An analytic function on a connected domain that is not 0 somewhere is 0 at points without interior
(the identity theorem). No form of a sum says so: its terms may cancel.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from eggrad.engine.errors import EggradError
from eggrad.engine.indices.affine import size_value
from eggrad.engine.laws.properties import NONZERO_ALMOST
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.binding import Array, made_sizes, symbols
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import LEAVES, Term, postorder, variables

# Analytic for all reals, if their operands are.
ANALYTIC: Final = (
    LEAVES
    | {"einsum", "add", "subtract", "negate", "det", "adj"}
    | {f.name for f in FUNCTIONS.values() if f.analytic}
)
# What may cancel against its inverse, or begets an inverse when it is differentiated.
CANCELLING: Final = frozenset({"divide", "log", "abs"})
LENGTHS: Final = (1, 2)
MOST_NODES: Final = 1_000
# Rounding leaves a sum that is 0 at this share of the largest number met on the way.
TINY: Final = 1e-9


def nonzero_sums(roots: Sequence[Term]) -> list[tuple[str, Term]]:
    """The sums below some terms that are nonzero almost everywhere, if that may be of use.

    >>> from eggrad.engine.terms.term import divide, subtract, variable
    >>> x, y = variable("x"), variable("y")
    >>> [t.op for _, t in nonzero_sums([divide(x, subtract(x, y))])]
    ['subtract']
    """
    nodes = list(postorder(*roots))
    if len(nodes) > MOST_NODES or not any(map(_may_cancel, nodes)):
        return []
    sums = [t for t in _analytic(nodes) if t.op in ("add", "subtract")]
    return [(NONZERO_ALMOST, t) for t in _shown(sums)] if sums else []


def _may_cancel(t: Term) -> bool:
    return t.op in CANCELLING or (t.op == "power" and not _is_natural(t.args[1]))


def _is_natural(exponent: Term) -> bool:
    if exponent.op != "constant":
        return False
    p = exponent.value
    return p >= 0 and p.denominator == 1


def _analytic(nodes: Iterable[Term]) -> list[Term]:
    """The terms that are analytic for all values, operands before what is made of them."""
    found: dict[Term, None] = {}
    for t in nodes:
        own = t.op in ANALYTIC or (t.op == "power" and _is_natural(t.args[1]))
        if own and all(a in found for a in t.args):
            found[t] = None
    return list(found)


def _shown(sums: Sequence[Term]) -> list[Term]:
    """The sums that have no entry 0 at some values, at each of two lengths of all axes."""
    left = list(sums)
    for length in LENGTHS:
        try:
            left = _nonzero_at(left, length)
        except EggradError:
            return []
    return left


def _nonzero_at(sums: Sequence[Term], length: int) -> list[Term]:
    known = variables(*sums)
    sizes = dict.fromkeys(symbols(*sums, *known), length)
    if any(size_value(d, sizes.__getitem__) < 0 for d in made_sizes(*sums, *known)):
        return []
    values = oracle.random_values(known, sizes, np.random.default_rng(length), "normal")
    nodes, wanted = list(postorder(*sums)), set(sums)
    largest: dict[Term, float] = {}
    shown: list[Term] = []
    for t, value in zip(nodes, oracle.evaluate(nodes, values, sizes), strict=True):
        below = [largest[a] for a in t.args]
        largest[t] = max([float(np.max(np.abs(value), initial=0.0)), *below])
        if t in wanted and _is_nonzero(value, largest[t]):
            shown.append(t)
    return shown


def _is_nonzero(value: Array, largest: float) -> bool:
    """Whether no entry is 0, or so small that rounding of what is below may have made it."""
    return bool(np.isfinite(value).all() and (np.abs(value) > TINY * largest).all())
