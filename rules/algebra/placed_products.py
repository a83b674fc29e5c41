"""Products of terms that an e-graph need not hold yet, each on named indices."""

from collections.abc import Mapping
from itertools import combinations
from math import prod

from eggrad.engine.indices.spec import Indices, canonical
from eggrad.engine.terms import term as terms
from eggrad.engine.terms.term import Term

__all__ = ["Placed", "multiplied"]

Placed = tuple[Term, Indices]


def multiplied(factors: list[Placed], out: Indices, lengths: Mapping[int, int]) -> Term:
    """The product of some terms with axes `out`; the pair with the smallest product goes first.

    >>> a, x = terms.variable("a", ("m", "n")), terms.variable("x", ("n",))
    >>> whole = multiplied([(a, (0, 1)), (x, (1,))], (0,), {0: 3, 1: 2})
    >>> whole is terms.einsum("ij,j->i", a, x)
    True
    """
    pool: list[Placed] = list(factors)
    while len(pool) > 1:
        options = list(combinations(range(len(pool)), 2))
        i, j = min(options, key=lambda pair: _price(pool, pair, out, lengths))
        (a, left), (b, right) = pool[i], pool[j]
        kept = _kept(pool, (i, j), out)
        joined: Placed = (terms.einsum(canonical([left, right], kept), a, b), kept)
        rest: list[Placed] = [f for k, f in enumerate(pool) if k not in (i, j)]
        pool = [joined, *rest]
    ((whole, own),) = pool
    return whole if own == out else terms.einsum(canonical([own], out), whole)


def _kept(pool: list[Placed], pair: tuple[int, int], out: Indices) -> Indices:
    """The indices of a pair that others need, in the order of the output for the last pair."""
    later = {i for k, (_, part) in enumerate(pool) if k not in pair for i in part}
    found = dict.fromkeys((*pool[pair[0]][1], *pool[pair[1]][1]))
    if len(pool) == 2:
        return out
    return tuple(i for i in found if i in later or i in out)


def _price(
    pool: list[Placed], pair: tuple[int, int], out: Indices, lengths: Mapping[int, int]
) -> tuple[int, int]:
    """Entries of the result, then multiplications."""
    indices = {*pool[pair[0]][1], *pool[pair[1]][1]}
    return (
        prod(lengths[i] for i in _kept(pool, pair, out)),
        prod(lengths[i] for i in indices),
    )
