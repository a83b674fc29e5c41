"""What of an e-graph the cheapest DAG can do without: a smaller problem for exact extraction.

A class *needs* another if every finite term of the one contains a term of the other. So the
cheapest members of all that is needed are a lower bound, and a member whose operands need the
member's own class can only lie on a cycle.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from typing import Generic, TypeVar

from eggrad.engine.extraction.extract import Cost, Member, Members, cheapest_trees

__all__ = ["pruned"]

M = TypeVar("M", bound=Member)


def pruned(
    members: Members[M], cost: Cost[M], roots: Sequence[int], bound: int
) -> tuple[dict[int, list[M]], frozenset[int]]:
    """The members that a DAG below `roots` cheaper than `bound` may have, and what it must have.

    If there are such DAGs, then a cheapest one of them has only members of the first result, and
    it has one of each class of the second. If there are none, a root may be without members.
    """
    finite, _ = cheapest_trees(members, cost)
    left = {c: [m for m in members[c] if finite.keys() >= {*m.children}] for c in finite}
    count = -1
    while True:
        left = _below(left, roots)
        step = _Step(left, cost, roots)
        before, count = count, sum(map(len, left.values()))
        if count == before or not all(left[r] for r in roots):
            return left, frozenset(step.classes(step.needed))
        for c in left:
            left[c] = step.undominated(c, [m for m in left[c] if step.least_with(c, m) < bound])


def _below(members: Mapping[int, list[M]], roots: Sequence[int]) -> dict[int, list[M]]:
    """The classes that the roots can reach, the nearest first; some may have no members."""
    found = dict.fromkeys(roots)
    waiting = list(found)
    for c in waiting:
        children = dict.fromkeys(x for m in members.get(c, ()) for x in m.children)
        waiting += [x for x in children if x not in found]
        found.update(children)
    return {c: members.get(c, []) for c in found}


class _Step(Generic[M]):
    """What each class needs; a set of classes is an integer with a bit for each."""

    def __init__(self, members: Mapping[int, list[M]], cost: Cost[M], roots: Sequence[int]) -> None:
        self.members = members
        self.cost = cost
        self.numbered = list(members)
        self.bit = {c: 1 << k for k, c in enumerate(members)}
        self.least = {
            c: min((cost(c, m) for m in nodes), default=0) for c, nodes in members.items()
        }
        self.needs = self._find_needs()
        self.needed = reduce(or_, (self.needs[r] for r in roots), 0)
        self.least_of_needed = self._total(self.needed)

    def _find_needs(self) -> dict[int, int]:
        """The largest sets that agree with one another; a class without members needs all."""
        everything = (1 << len(self.numbered)) - 1
        self.needs = dict.fromkeys(self.numbered, everything)
        changed = True
        while changed:
            changed = False
            for c in reversed(self.numbered):
                shared = reduce(and_, (self.below(m) for m in self.members[c]), everything)
                found = shared | self.bit[c]
                changed |= found != self.needs[c]
                self.needs[c] = found
        return self.needs

    def below(self, member: M) -> int:
        """What the operands of a member need, themselves included."""
        return reduce(or_, (self.needs[x] for x in member.children), 0)

    def classes(self, which: int) -> Iterator[int]:
        """The classes of a set."""
        while which:
            last = which & -which
            yield self.numbered[last.bit_length() - 1]
            which ^= last

    def _total(self, which: int) -> int:
        return sum(self.least[c] for c in self.classes(which))

    def least_with(self, cls: int, member: M) -> float:
        """A lower bound for a DAG that contains a member; infinite if it must contain a cycle."""
        own, below = self.bit[cls], self.below(member)
        if below & own:
            return float("inf")
        dearer = self.cost(cls, member) - (self.least[cls] if self.needed & own else 0)
        return self.least_of_needed + dearer + self._total(below & ~self.needed)

    def undominated(self, cls: int, nodes: list[M]) -> list[M]:
        """The members for which no other does: one no dearer whose operands they need anyway."""
        kept: list[M] = []
        for m in sorted(nodes, key=lambda m: self.cost(cls, m)):
            below = self.below(m)
            if not any(all(self.bit[x] & below for x in k.children) for k in kept):
                kept.append(m)
        return kept
