"""Extraction: a cheap DAG, several roots at once; `exact` finds the cheapest.

A few starts, the best one wins: the cheapest tree of every e-class (Knuth's generalisation of
Dijkstra's algorithm, exact integers), of every e-class a DAG put together from those of its
operands, and what was there at first. Each is improved by what sharing saves: an e-node is
exchanged when the nodes that only it needs cost more than those that the other would add.
"""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, Generic, Protocol, TypeVar

SWEEPS: Final = 4
# The share of the cost of a DAG from which on it is tried what an e-class is worth that several
# others could share, and how many of these are tried.
DEAR: Final = 0.2
MOST_SHARED: Final = 2
# The second start keeps a set of e-classes for every e-class.
MAX_CLASSES: Final = 1000


class Member(Protocol):
    """What extraction needs to know of an e-node."""

    @property
    def children(self) -> tuple[int, ...]:
        """The e-classes of its operands."""
        ...


M = TypeVar("M", bound=Member)
V = TypeVar("V")
Members = Mapping[int, Sequence[M]]
Cost = Callable[[int, M], int]


def cheapest_trees(members: Members[M], cost: Cost[M]) -> tuple[dict[int, M], dict[int, int]]:
    """The first member, and the cost, of the cheapest tree of every class that has a finite one.

    Ties go to the e-node that comes first in its e-class.
    """

    def worth(cls: int, node: M, total: Mapping[int, int]) -> tuple[int, int]:
        whole = cost(cls, node)
        for c in node.children:
            whole += total[c]
        return whole, whole

    return cheapest_by(members, worth)


def cheapest_by(
    members: Members[M], worth: Callable[[int, M, Mapping[int, V]], tuple[int, V]]
) -> tuple[dict[int, M], dict[int, V]]:
    """The e-node of every e-class that is worth least, and its value, the least one first.

    `worth` is a number, never less than that of an operand, and the value that it is of, given
    those of the operands. E-classes without finite trees have none.
    """
    values: dict[int, V] = {}
    choice: dict[int, M] = {}
    # For every e-class the e-nodes that wait for it; of each first how many operands it lacks.
    waiting: dict[int, list[_Waiting[M]]] = {}
    heap: list[tuple[int, int, int, V]] = []
    for cls, nodes in members.items():
        for place, node in enumerate(nodes):
            distinct = set(node.children)
            if not distinct:
                price, value = worth(cls, node, values)
                heappush(heap, (price, place, cls, value))
                continue
            entry = _Waiting(len(distinct), cls, place, node)
            for c in distinct:
                waiting.setdefault(c, []).append(entry)
    while heap:
        _, place, cls, value = heappop(heap)
        if cls in values:
            continue
        values[cls] = value
        choice[cls] = members[cls][place]
        for user in waiting.get(cls, ()):
            user.lacks -= 1
            if not user.lacks and user.cls not in values:
                price, value = worth(user.cls, user.node, values)
                heappush(heap, (price, user.place, user.cls, value))
    return choice, values


@dataclass(slots=True, eq=False)
class _Waiting(Generic[M]):
    """An e-node of an e-class, and how many of its operands have no tree yet."""

    lacks: int
    cls: int
    place: int
    node: M


def cheapest_dag(
    members: Members[M],
    cost: Cost[M],
    trees: Mapping[int, M],
    roots: Sequence[int],
    given: Mapping[int, M] | None = None,
) -> dict[int, M]:
    """A choice of e-nodes whose DAG below `roots` is locally cheapest, sharing counted once.

    With `given` e-nodes of some e-classes it is no dearer than with these, if they make a DAG.
    """
    starts = [trees]
    if given:
        start = {**trees, **given}
        below = {c: start[c] for c in used(start, roots)}
        # There is no cycle where every root has a finite tree.
        if cheapest_trees({c: [m] for c, m in below.items()}, cost)[0].keys() >= {*roots}:
            # E-classes that nothing uses keep their trees: so there is no cycle among them either.
            starts.append({**trees, **below})
    if len(members) <= MAX_CLASSES:
        starts.append(_dags(members, cost))
    found = [_improved(members, cost, start, roots) for start in starts]
    best = min(found, key=lambda choice: dag_cost(choice, cost, roots))
    kept = {c: best[c] for c in used(best, roots)}
    rest, _ = cheapest_trees(members, lambda c, m: 0 if c in kept else cost(c, m))
    found = [best, _improved(members, cost, {**rest, **kept}, roots)]
    for cls in _worth_sharing(members, cost, found[-1], roots):
        free, _ = cheapest_trees(members, lambda c, m, shared=cls: 0 if c == shared else cost(c, m))
        found.append(_improved(members, cost, free, roots))
    return min(found, key=lambda choice: dag_cost(choice, cost, roots))


def _worth_sharing(
    members: Members[M], cost: Cost[M], choice: Mapping[int, M], roots: Sequence[int]
) -> list[int]:
    """E-classes that a DAG lacks, dear ones, of which several of its e-classes have an e-node.

    Each of these alone gains nothing by it; all of them together may.
    """
    classes = used(choice, roots)
    least = dag_cost(choice, cost, roots) * DEAR
    inside = {*classes}

    def lacking(cls: int) -> set[int]:
        return {c for m in members[cls] for c in m.children if c in choice and c not in inside}

    users: dict[int, set[int]] = {}
    for cls in classes:
        # It may be an operand's operand: of a multiple, say.
        near = lacking(cls)
        for c in near.union(*map(lacking, near)):
            users.setdefault(c, set()).add(cls)
    prices = {c: cost(c, choice[c]) for c, above in users.items() if len(above) > 1}
    dear = sorted((c for c, price in prices.items() if price > least), key=lambda c: -prices[c])
    return dear[:MOST_SHARED]


def _improved(
    members: Members[M], cost: Cost[M], start: Mapping[int, M], roots: Sequence[int]
) -> dict[int, M]:
    dag = _Dag(members, cost, dict(start), roots)
    for _ in range(SWEEPS):
        if not dag.improve():
            break
    return dag.choice


def _dags(members: Members[M], cost: Cost[M]) -> dict[int, M]:
    """For every e-class the e-node with the cheapest DAG, given the DAGs chosen for its operands.

    A DAG is known by its e-classes with their prices. An e-class is looked at again whenever the
    DAG of an operand has become cheaper.
    """
    users: dict[int, list[tuple[int, int]]] = {}
    waiting: deque[tuple[int, int]] = deque()
    for cls, nodes in members.items():
        for place, node in enumerate(nodes):
            for c in dict.fromkeys(node.children):
                users.setdefault(c, []).append((cls, place))
            if not node.children:
                waiting.append((cls, place))
    choice: dict[int, M] = {}
    dags: dict[int, dict[int, int]] = {}
    total: dict[int, int] = {}
    queued = set(waiting)
    while waiting:
        cls, place = waiting.popleft()
        queued.remove((cls, place))
        node = members[cls][place]
        if any(c not in dags for c in node.children):
            continue
        node_cost = cost(cls, node)
        # No DAG is cheaper than that of an operand.
        if (
            cls in total
            and node_cost + max((total[c] for c in node.children), default=0) >= total[cls]
        ):
            continue
        dag: dict[int, int] = {}
        for below in (dags[c] for c in dict.fromkeys(node.children)):
            # The higher price of two: so there are no cycles.
            higher = {x: dag[x] for x in dag.keys() & below.keys() if dag[x] > below[x]}
            dag |= below
            dag |= higher
        if cls in dag:
            continue
        dag[cls] = node_cost
        price = sum(dag.values())
        if cls not in total or price < total[cls]:
            choice[cls], dags[cls], total[cls] = node, dag, price
            fresh = [user for user in users.get(cls, ()) if user not in queued]
            waiting += fresh
            queued.update(fresh)
    return choice


def reached(starts: Iterable[int], below: Callable[[int], Iterable[int]]) -> list[int]:
    """Some e-classes and all that are below them, the nearest first.

    >>> reached([5], lambda c: range(c - 2, c) if c > 3 else ())
    [5, 3, 4, 2]
    """
    found = dict.fromkeys(starts)
    waiting = list(found)
    for c in waiting:
        fresh = [x for x in dict.fromkeys(below(c)) if x not in found]
        found.update(dict.fromkeys(fresh))
        waiting += fresh
    return waiting


def operands_first(
    starts: Sequence[int], operands: Callable[[int], Iterable[int]], done: Container[int]
) -> Iterator[int]:
    """Some e-classes and those below them that are not `done`, each when its operands are.

    Whoever asks has to say that one is done before the next.

    >>> done = {}
    >>> for c in operands_first([6], lambda c: [c // 2] if c > 1 else [], done):
    ...     done[c] = None
    >>> list(done)
    [1, 3, 6]
    """
    stack = [*reversed(starts)]
    while stack:
        c = stack[-1]
        if c in done:
            stack.pop()
        elif missing := [x for x in operands(c) if x not in done]:
            stack += reversed(missing)
        else:
            yield stack.pop()


def used(choice: Mapping[int, M], roots: Sequence[int]) -> list[int]:
    """The e-classes of the DAG that a choice of e-nodes makes, those nearest to the roots first."""
    return reached(roots, lambda c: choice[c].children)


def dag_cost(choice: Mapping[int, M], cost: Cost[M], roots: Sequence[int]) -> int:
    """What the e-nodes of a DAG cost, each once."""
    return sum(cost(c, choice[c]) for c in used(choice, roots))


class _Dag(Generic[M]):
    """A current choice with, for every e-class in use, the number of its users."""

    def __init__(
        self, members: Members[M], cost: Cost[M], choice: dict[int, M], roots: Sequence[int]
    ) -> None:
        self.members = members
        self.cost = cost
        self.choice = choice
        self.rank = self._ranks()
        self.users: dict[int, int] = {}
        for r in roots:
            self._use(r)

    def improve(self) -> bool:
        """Try every alternative once, operands before users; say whether any was taken."""
        better = False
        for cls in self._operands_first(c for c, n in self.users.items() if n):
            if self.users.get(cls, 0) and len(self.members[cls]) > 1:
                better |= self._improve_class(cls)
        return better

    def _improve_class(self, cls: int) -> bool:
        current = self.choice[cls]
        freed = self.cost(cls, current) + self._release_children(cls)
        best, best_added = current, freed
        # What was freed is not in use now: every alternative is charged for all that it adds.
        for other in self.members[cls]:
            if other is current or any(c not in self.choice for c in other.children):
                continue
            if self.cost(cls, other) >= best_added or self._reaches(other.children, cls):
                continue
            self.choice[cls] = other
            added = self.cost(cls, other) + self._use_children(cls)
            self._release_children(cls)
            if added < best_added:
                best, best_added = other, added
        self.choice[cls] = best
        self._use_children(cls)
        if any(self.rank[c] > self.rank[cls] for c in best.children):
            self.rank = self._ranks()
        return best is not current

    def _reaches(self, starts: Sequence[int], target: int) -> bool:
        """Whether an e-class below some others is the target: only later ones need be visited."""
        floor = self.rank[target]
        stack = [c for c in dict.fromkeys(starts) if self.rank[c] >= floor]
        seen = set(stack)
        while stack:
            c = stack.pop()
            if c == target:
                return True
            for x in self.choice[c].children:
                if x not in seen and self.rank[x] >= floor:
                    seen.add(x)
                    stack.append(x)
        return False

    def _ranks(self) -> dict[int, int]:
        """A number for every e-class, above those of its operands."""
        return {c: k for k, c in enumerate(self._operands_first(self.choice))}

    def _operands_first(self, starts: Iterable[int]) -> list[int]:
        """Some e-classes and those below them, each after its operands."""
        done: dict[int, None] = {}
        stack = [(c, False) for c in [*starts][::-1]]
        while stack:
            c, ready = stack.pop()
            if ready:
                done[c] = None
            elif c not in done:
                stack.append((c, True))
                stack.extend((x, False) for x in self.choice[c].children if x not in done)
        return list(done)

    def _use_children(self, cls: int) -> int:
        return sum(self._use(c) for c in self.choice[cls].children)

    def _use(self, start: int) -> int:
        added, stack = 0, [start]
        while stack:
            c = stack.pop()
            self.users[c] = self.users.get(c, 0) + 1
            if self.users[c] == 1:
                added += self.cost(c, self.choice[c])
                stack.extend(self.choice[c].children)
        return added

    def _release_children(self, cls: int) -> int:
        freed, stack = 0, list(self.choice[cls].children)
        while stack:
            c = stack.pop()
            self.users[c] -= 1
            if not self.users[c]:
                freed += self.cost(c, self.choice[c])
                stack.extend(self.choice[c].children)
        return freed
