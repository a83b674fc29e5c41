"""What depends on no variable is computed once, when code is written."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Any, Final

from eggrad.engine.terms import term as terms
from eggrad.engine.terms.fixed_arrays import fixed_array
from eggrad.engine.terms.term import Term, postorder, rebuild

# Arrays with more entries are made anew in every call.
MOST_ENTRIES: Final = 10_000
# What arrays of zeros and ones are made of: numbers and deltas alone are written into others.
_ARRAYS: Final = ("indicator", "selection", "array")


def with_known_values(roots: Sequence[Term], value: Callable[[Term], Any]) -> list[Term]:
    """The same terms, with arrays of numbers in place of what depends on no variable.

    `value` computes it. Summands that depend on none are added up first.

    >>> x, next_one = terms.variable("x", (3,)), terms.indicator((3,), [("=", ((0, 1), ("", -1)))])
    >>> root = terms.add(terms.add(next_one, x), terms.add(next_one, next_one))
    >>> (found,) = with_known_values([root], lambda t: [0.0, 3.0, 0.0])
    >>> found.op, [a.op for a in found.args]
    ('add', ['variable', 'array'])
    """
    nodes = [*postorder(*roots)]
    if all(t.op not in ("indicator", "selection") for t in nodes):
        return [*roots]
    users = Counter([*roots, *(a for t in nodes for a in t.args)])
    inner = {a for t in nodes if t.op == "add" for a in t.args if users[a] == 1 and a.op == "add"}
    done: dict[Term, Term] = {}
    known = set[Term]()
    for t in nodes:
        done[t] = rebuild(t, tuple(done[a] for a in t.args))
        if t.op == "add" and t not in inner:
            summands = [done[a] for a in _summands(t, inner)]
            last = [a for a in summands if a in known]
            if 1 < len(last) < len(summands):
                rest = [a for a in summands if a not in known]
                done[t] = terms.add(reduce(terms.add, rest), reduce(terms.add, last))
        if _is_known(done[t], known):
            known.add(done[t])
    results = [done[r] for r in roots]
    every = [*postorder(*results)]
    known, of_arrays = set(), set[Term]()
    for t in every:
        if _is_known(t, known):
            known.add(t)
        if t.op in _ARRAYS or not of_arrays.isdisjoint(t.args):
            of_arrays.add(t)
    wanted = {a for t in every if t not in known for a in t.args} | {*results}
    worth = (t for t in every if t in wanted & known & of_arrays and _is_small(t))
    arrays = {t: _array(t, value) for t in worth}
    again: dict[Term, Term] = {}
    for t in every:
        again[t] = arrays.get(t) or rebuild(t, tuple(again[a] for a in t.args))
    return [again[r] for r in results]


def _is_known(t: Term, known: set[Term]) -> bool:
    """Whether it depends on no variable and on no size, given what else is known."""
    return t.op not in ("variable", "size", "scan") and known.issuperset(t.args)


def _summands(root: Term, inner: set[Term]) -> list[Term]:
    """What a sum is of, through sums that nothing else uses."""
    found: list[Term] = []
    waiting = [*root.args[::-1]]
    while waiting:
        t = waiting.pop()
        if t in inner:
            waiting += t.args[::-1]
        else:
            found.append(t)
    return found


def _is_small(t: Term) -> bool:
    """Whether it is computed, and has a size that is known and no large one."""
    sizes = [d for d in t.dims if isinstance(d, int)]
    return bool(t.args) and len(sizes) == t.order and prod(sizes) <= MOST_ENTRIES


def _array(t: Term, value: Callable[[Term], Any]) -> Term:
    return terms.array(fixed_array(value(t)))
