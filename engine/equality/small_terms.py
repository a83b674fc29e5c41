"""The smallest terms of every class: some alternatives, fewest nodes first."""

from collections.abc import Callable, Collection
from heapq import heappop, heappush
from itertools import product

from eggrad.engine.terms.term import Term, rebuild

__all__ = ["smallest_terms"]


def smallest_terms(
    members: Collection[Term],
    find: Callable[[Term], Term],
    count: int,
    weight: Callable[[Term], int] = lambda _: 1,
) -> list[Term]:
    """Up to `count` terms of each class, operands first.

    `members` are the classes' members; `find` is the term that stands for a term's class, and
    `weight` says as how many nodes a member counts.
    """
    users: dict[Term, list[Term]] = {}
    found: dict[Term, list[Term]] = {}
    size: dict[Term, int] = {}
    heap: list[tuple[int, int, Term]] = []
    for m in members:
        for cls in dict.fromkeys(find(a) for a in m.args):
            users.setdefault(cls, []).append(m)

    def offer(t: Term, member: Term) -> None:
        if t not in size:
            size[t] = weight(member) + sum(size[a] for a in t.args)
            class_of[t] = find(member)
            heappush(heap, (size[t], len(size), t))

    class_of: dict[Term, Term] = {}
    for m in members:
        if not m.args:
            offer(m, m)
    order: list[Term] = []
    while heap:
        _, _, t = heappop(heap)
        cls = class_of[t]
        own = found.setdefault(cls, [])
        if len(own) == count:
            continue
        own.append(t)
        order.append(t)
        for m in users.get(cls, ()):
            if len(found.get(find(m), ())) == count:
                continue
            below = [found.get(find(a), []) for a in m.args]
            for place, a in enumerate(m.args):
                if find(a) is cls:
                    choices = [[t] if k == place else b for k, b in enumerate(below)]
                    for args in product(*choices):
                        offer(rebuild(m, args), m)
    return order
