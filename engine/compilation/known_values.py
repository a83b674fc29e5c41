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
    for t in nodes:
        done[t] = rebuild(t, tuple(done[a] for a in t.args))
        if t.op == "add" and t not in inner:
            done[t] = _sorted_sum(done[t])
    own = [done[r] for r in roots]
    every = [*postorder(*own)]
    known = _known(own)
    wanted = {a for t in every if t not in known for a in t.args} | {*own}
    arrays = {t: _array(t, value) for t in every if t in wanted & known and _is_worth(t)}
    again: dict[Term, Term] = {}
    for t in every:
        again[t] = arrays.get(t) or rebuild(t, tuple(again[a] for a in t.args))
    return [again[r] for r in own]


def _known(roots: Sequence[Term]) -> set[Term]:
    """What depends on no variable and on no size."""
    found = set[Term]()
    for t in postorder(*roots):
        if t.op not in ("variable", "size", "scan") and found.issuperset(t.args):
            found.add(t)
    return found


def _sorted_sum(root: Term) -> Term:
    """A sum with what is known at the end."""
    summands: list[Term] = []
    waiting = [root]
    while waiting:
        t = waiting.pop()
        if t.op == "add":
            waiting += t.args[::-1]
        else:
            summands.append(t)
    known = _known(summands)
    last = [t for t in summands if t in known]
    if len(last) < 2 or len(last) == len(summands):
        return root
    rest = [t for t in summands if t not in known]
    return terms.add(reduce(terms.add, rest), reduce(terms.add, last))


def _is_worth(t: Term) -> bool:
    """Whether it is computed from arrays, and has a size that is known and no large one."""
    sizes = [d for d in t.dims if isinstance(d, int)]
    if not t.args or len(sizes) < t.order or prod(sizes) > MOST_ENTRIES:
        return False
    return any(own.op in _ARRAYS for own in postorder(t))


def _array(t: Term, value: Callable[[Term], Any]) -> Term:
    return terms.array(fixed_array(value(t)))
