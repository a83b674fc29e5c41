"""The values of terms in as many digits as they need, or none, where digits decide nothing."""

from collections.abc import Iterable, Mapping, Sequence
from math import log10
from typing import Final

import numpy as np

from eggrad.engine.laws.matching import SYMBOLS
from eggrad.engine.oracle import oracle
from eggrad.engine.oracle.blurred import is_blurred
from eggrad.engine.terms.binding import Array
from eggrad.engine.terms.functions import FUNCTIONS
from eggrad.engine.terms.term import Term, postorder
from eggrad.engine.terms.term_patterns import substituted

# The digits that are computed with at least, those beyond which nothing is said, and how many more
# have to agree.
LEAST, MOST, FURTHER = 50, 2000, 25
SUMS: Final = frozenset({"add", "subtract", "einsum"})
TINY, VAST = 1e-300, 1e300
# What has a value at all reals.
DEFINED: Final = frozenset(f.name for f in FUNCTIONS.values() if f.total) | {
    "logsumexp",
    "softmax",
    "log_softmax",
}


def steady_values(
    roots: Sequence[Term],
    values: Mapping[str, Array],
    replaced: Mapping[Term, Term] | None = None,
) -> dict[Term, Array] | None:
    """The value of each node, in floats, where more digits change none; NaN where there is none.

    Terms may stand for some variables: a quotient, where no float is a third. What is beyond the
    range of floats has its sign.

    >>> from eggrad.engine.terms.term import add, apply, constant, subtract, variable
    >>> a = variable("a")
    >>> rest = subtract(add(apply("exp", a), constant(1)), constant(1))
    >>> f"{steady_values([rest], {'a': np.array(-99.0)})[rest]:.6g}"
    '1.01122e-43'
    """
    nodes = list(postorder(*roots))
    terms = [substituted(t, replaced) for t in nodes] if replaced else nodes

    def done(digits: int) -> dict[Term, Array]:
        return dict(zip(nodes, oracle.evaluate(terms, values, SYMBOLS, digits), strict=True))

    digits, less = LEAST, done(LEAST)
    while (wanted := _span(less)) > digits:
        if wanted > MOST:
            return None
        digits, less = wanted, done(wanted)
    more = done(digits + FURTHER)
    if any(is_blurred(t, less, more) for t in nodes):
        return None
    with np.errstate(over="ignore"):
        floats = {t: _signed(v.astype(float), v) for t, v in more.items()}
    # Beyond all digits are exponentials of large numbers, and inverses of singular matrices.
    if any(t.op in DEFINED and _is_lost(floats[t], (floats[a] for a in t.args)) for t in nodes):
        return None
    for plain, v in zip(oracle.evaluate(terms, values, SYMBOLS), floats.values(), strict=True):
        if (np.isfinite(plain) & np.isnan(v)).any():
            return None
    return floats


def _is_lost(found: Array, operands: Iterable[Array]) -> bool:
    """Whether there is no value of operands that all have one."""
    return bool(np.isnan(found).any()) and not any(np.isnan(v).any() for v in operands)


def _signed(floats: Array, numbers: Array) -> Array:
    tiny = (floats == 0) & np.asarray(numbers != 0, bool)
    signs = np.where(np.asarray(numbers > 0, bool), 1.0, -1.0)
    found = np.where(tiny, signs * TINY, floats)
    return np.where(np.isinf(found), signs * VAST, found)


def _span(done: Mapping[Term, Array]) -> int:
    """The digits from the largest number to the least one, but for what is left of sums."""
    bits = {
        t: [int(x.value.context.mag(x.value)) for x in v.flat if x.is_finite and x != 0]
        for t, v in done.items()
    }
    least = min((b for t, found in bits.items() if t.op not in SUMS for b in found), default=0)
    most = max((b for found in bits.values() for b in found), default=0)
    return LEAST + int((max(most, 0) - min(least, 0)) * log10(2))
