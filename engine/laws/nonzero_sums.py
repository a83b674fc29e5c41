"""Sums that are 0 at values without interior, shown by values at which they are not 0.

An analytic function on a connected domain that is not 0 somewhere is 0 at points without interior
(the identity theorem). No form of a sum says so: its terms may cancel.

One point is enough, so values are drawn that are the same along each half of an axis: two numbers
say an axis of any length, and sums along it count either as often as it is there. What cannot be
said so, a delta or a condition on indices, keeps its sizes, up to a bound on the work.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Final

import numpy as np

from eggrad.engine.errors import EggradError
from eggrad.engine.indices.affine import Lengths, size_value
from eggrad.engine.indices.spec import Size
from eggrad.engine.laws.properties import NONZERO_ALMOST
from eggrad.engine.oracle import oracle
from eggrad.engine.terms.assumptions import ASSUMPTIONS, COMPUTED
from eggrad.engine.terms.binding import Array, made_sizes, symbols
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import (
    LEAVES,
    Term,
    array,
    einsum,
    postorder,
    rebuild,
    substitute_sizes,
    variables,
)

# Analytic for all reals, if their operands are.
ANALYTIC: Final = (
    LEAVES
    | {"einsum", "add", "subtract", "negate", "det", "adj"}
    | {f.name for f in FUNCTIONS.values() if f.analytic}
)
STEPWISE: Final = frozenset(f.name for f in FUNCTIONS.values() if f.stepwise)
LENGTHS: Final = (1, 2)
MOST_NODES: Final = 1_000
# Multiplications for one node, at most.
MOST_WORK: Final = 100_000
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
    if len(nodes) > MOST_NODES:
        return []
    cancelling = [a for t in nodes for a in _cancelling(t)]
    analytic = _closed(postorder(*cancelling, operands=_varying), _is_analytic)
    sums = [t for t in analytic if t.op in ("add", "subtract")]
    return [(NONZERO_ALMOST, t) for t in _shown(sums)] if sums else []


def seldom_zero(found: Sequence[Term]) -> list[tuple[str, Term]]:
    """Those of some terms that are nonzero almost everywhere, as their values or their sums show.

    >>> from eggrad.engine.terms.term import apply, einsum, variable
    >>> A, x, b = variable("A", ("m", "n")), variable("x", ("n",)), variable("b", ("m",))
    >>> layer = einsum("ij,j->i", A, x)
    >>> dead = apply("relu", layer)
    >>> [t in (layer, dead) for _, t in seldom_zero([layer, dead])]
    [True]
    """
    nodes = list(postorder(*found))
    if len(nodes) > MOST_NODES:
        return []
    analytic = _closed(nodes, _is_analytic)
    smooth = [t for t in found if t in analytic or _distance_of(t) in analytic]
    shown = {*_shown(smooth), *filter(_has_free_addend, found)}
    return [(NONZERO_ALMOST, t) for t in found if t in shown]


def _distance_of(t: Term) -> Term | None:
    """The a of a - ⌊a⌋, which is 0 at integers: at a few levels of a."""
    if t.op != "subtract" or t.args[1].op != "floor" or t.args[1].args[0] is not t.args[0]:
        return None
    return t.args[0]


def _has_free_addend(t: Term) -> bool:
    """Whether a sum is a variable, of which nothing is declared, and what does not contain it.

    Whatever the others are, the sum is 0 at a single value of the variable.
    """
    addends, stack = [], [t]
    while stack:
        a = stack.pop()
        if a.op in ("add", "subtract"):
            stack.extend(a.args)
        else:
            addends.append(a)
    counts = Counter(v for a in addends for v in variables(a))
    return any(a.op == "variable" and not a.assumed and counts[a] == 1 for a in addends)


def _cancelling(t: Term) -> Sequence[Term]:
    """What may cancel against its inverse, or begets an inverse when it is differentiated."""
    if t.op == "divide":
        return t.args[1:]
    if t.op in ("log", "abs") or (t.op == "power" and not _is_natural(t.args[1])):
        return t.args[:1]
    return ()


def _varying(t: Term) -> Sequence[Term]:
    """The operands; none of a function that is constant but for jumps: it begets no inverse."""
    return () if t.op in STEPWISE else t.args


def _is_natural(exponent: Term) -> bool:
    if exponent.op != "constant":
        return False
    p = exponent.value
    return p >= 0 and p.denominator == 1


def _is_analytic(t: Term) -> bool:
    if t.op == "variable" and COMPUTED in t.assumed:
        return False
    return t.op in ANALYTIC or (t.op == "power" and _is_natural(t.args[1]))


def _closed(nodes: Iterable[Term], test: Callable[[Term], bool]) -> dict[Term, None]:
    """The terms of which a test is true, and of all below; they come operands first."""
    found: dict[Term, None] = {}
    for t in nodes:
        if test(t) and all(a in found for a in t.args):
            found[t] = None
    return found


def _shown(sums: Sequence[Term]) -> list[Term]:
    """The sums that have no entry 0 at some values, at each of two lengths of all axes."""
    short = dict(zip(sums, shortened(sums), strict=True))
    affordable = _closed(postorder(*short.values()), _is_little_work)
    left = [t for t in dict.fromkeys(short.values()) if t in affordable]
    for length in LENGTHS if symbols(*left) else LENGTHS[-1:]:
        try:
            left = _nonzero_at(left, length)
        except EggradError:
            return []
    found = set(left)
    return [t for t in sums if short[t] in found]


def shortened(sums: Sequence[Term]) -> list[Term]:
    """The sums at arrays that are the same along each half of a long axis, with two places for it.

    >>> from eggrad.engine.terms.term import add, variable
    >>> x, y = variable("x", (1000,)), variable("y")
    >>> short = shortened([add(einsum("i->", x), y)])[0]
    >>> [(t.op, t.dims) for t in postorder(short)][:2]
    [('variable', (2,)), ('array', (2,))]
    """
    nodes = list(postorder(*sums))
    rigid = {d for t in nodes if _is_rigid(t) for part in (t, *t.args) for d in part.dims}
    counts: dict[Size, Term] = {
        d: array(fixed_array([d // 2, d - d // 2]))
        for t in nodes
        for d in t.dims
        if isinstance(d, int) and d > 2 and d not in rigid
    }
    sizes: dict[Size, Size] = dict.fromkeys(counts, 2)
    done: dict[Term, Term] = {}
    for t in nodes:
        if not t.args:
            (done[t],) = substitute_sizes([t], sizes)
            continue
        args = [done[a] for a in t.args]
        if t.op == "einsum":
            # Of a sum along a long axis one operand is multiplied by how long each half is.
            for k, axis in _summed(t):
                count = counts.get(t.args[k].dims[axis])
                if count:
                    axes = tuple(range(args[k].order))
                    args[k] = einsum((axes, (axis,), axes), args[k], count)
        done[t] = rebuild(t, tuple(args))
    return [done[t] for t in sums]


def _summed(product: Term) -> list[tuple[int, int]]:
    """Of each index that a product sums one operand that has it, and the axis there."""
    *parts, out = product.spec
    places = {i: (k, axis) for k, part in enumerate(parts) for axis, i in enumerate(part)}
    return [place for i, place in places.items() if i not in out]


def _is_rigid(t: Term) -> bool:
    """Whether it is about single places of its axes, or of its operand's."""
    if t.op == "variable":
        return any(ASSUMPTIONS[word].axes != "any" for word in t.assumed)
    return t.op in ("array", "delta", "indicator", "det", "adj")


def _is_little_work(t: Term) -> bool:
    """Whether the oracle evaluates it with few multiplications, at the larger of the lengths."""
    length = Lengths({}, LENGTHS[-1])
    axes = t.dims
    if t.op == "einsum":
        parts = zip(t.spec, t.args, strict=False)
        axes = {i: d for part, a in parts for i, d in zip(part, a.dims, strict=True)}.values()
    elif t.op in ("det", "adj"):
        axes = t.args[0].dims[:1] * (3 if t.op == "det" else 5)
    return prod(length[d] for d in axes) <= MOST_WORK


def _nonzero_at(sums: Sequence[Term], length: int) -> list[Term]:
    known = variables(*sums)
    sizes = dict.fromkeys(symbols(*sums, *known), length)
    if any(size_value(d, sizes.__getitem__) < 0 for d in made_sizes(*sums, *known)):
        return []
    values = oracle.random_values(known, sizes, np.random.default_rng(length), "normal")
    nodes, wanted = list(postorder(*sums)), set(sums)
    magnitude: dict[Term, float] = {}
    largest: dict[Term, float] = {}
    shown: list[Term] = []
    for t, value in zip(nodes, oracle.evaluate(nodes, values, sizes), strict=True):
        magnitude[t] = float(np.max(np.abs(value), initial=0.0))
        largest[t] = max([magnitude[t], *(largest[a] for a in t.args)])
        if t.op == "einsum":
            largest[t] = max(largest[t], prod(magnitude[a] for a in t.args))
        if t in wanted and _is_nonzero(value, largest[t]):
            shown.append(t)
    return shown


def _is_nonzero(value: Array, largest: float) -> bool:
    """Whether no entry is 0, or so small that rounding of what is below may have made it."""
    return bool(np.isfinite(value).all() and (np.abs(value) > TINY * largest).all())
