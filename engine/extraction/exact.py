"""Exact extraction: the cheapest DAG over several roots, by integer programming (HiGHS in SciPy).

For every member a variable says whether it is chosen. A class that a chosen member refers to has
a chosen e-node, and the chosen e-nodes form no cycle. For a loop, a set of e-classes that refer to
one another, the second means: where one of them is in use, one has a chosen e-node all of whose
operands lie outside. (For logic programs these are the loop formulas of Lin and Zhao, *ASSAT:
computing answer sets of a logic program by SAT solvers*, 2004.) There are few loops after
pruning: the smallest and largest are ruled out at once, others where a solution contains them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib.util import find_spec
from operator import and_, or_
from time import perf_counter
from typing import Any, Final, Generic, TypeVar

import numpy as np

from eggrad.engine.errors import UnsupportedOperation, not_installed
from eggrad.engine.extraction.extract import (
    Cost,
    Member,
    Members,
    cheapest_trees,
    dag_cost,
    reached,
    used,
)

# What of an e-graph the cheapest DAG can do without: a smaller problem for exact extraction.
#
# An e-class *needs* another if every finite term of the one contains a term of the other. So the
# cheapest e-nodes of all that is needed are a lower bound, and an e-node whose operands need the
# e-node's e-class can only lie on a cycle.


M = TypeVar("M", bound=Member)


def pruned(
    members: Members[M], cost: Cost[M], roots: Sequence[int], bound: int
) -> tuple[dict[int, list[M]], frozenset[int]]:
    """The e-nodes that a DAG below `roots` cheaper than `bound` may have, and what it must have.

    If there are such DAGs, then a cheapest one of them has only e-nodes of the first result, and
    it has one of each e-class of the second. If there are none, a root may be without e-nodes.
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
    """The e-classes that the roots can reach, the nearest first; some may have no e-nodes."""
    found = reached(roots, lambda c: (x for m in members.get(c, ()) for x in m.children))
    return {c: members.get(c, []) for c in found}


class _Step(Generic[M]):
    """What each e-class needs; a set of e-classes is an integer with a bit for each."""

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
        """The largest sets that agree with one another; an e-class without e-nodes needs all."""
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
        """What the operands of an e-node need, themselves included."""
        return reduce(or_, (self.needs[x] for x in member.children), 0)

    def classes(self, which: int) -> Iterator[int]:
        """The e-classes of a set."""
        while which:
            last = which & -which
            yield self.numbered[last.bit_length() - 1]
            which ^= last

    def _total(self, which: int) -> int:
        return sum(self.least[c] for c in self.classes(which))

    def least_with(self, cls: int, member: M) -> float:
        """A lower bound for a DAG that contains an e-node; infinite if it must contain a cycle."""
        bit, below = self.bit[cls], self.below(member)
        if below & bit:
            return float("inf")
        dearer = self.cost(cls, member) - (self.least[cls] if self.needed & bit else 0)
        return self.least_of_needed + dearer + self._total(below & ~self.needed)

    def undominated(self, cls: int, nodes: list[M]) -> list[M]:
        """The e-nodes for which no other does: one no dearer whose operands they need anyway."""
        kept: list[M] = []
        for m in sorted(nodes, key=lambda m: self.cost(cls, m)):
            below = self.below(m)
            if not any(all(self.bit[x] & below for x in k.children) for k in kept):
                kept.append(m)
        return kept


# What the solver may take where nobody says otherwise.
SECONDS: Final = 60.0
# The solver's absolute tolerance is a millionth: prices are scaled to be far above it.
LARGEST_PRICE: Final = 1e6


@dataclass(frozen=True)
class Solved:
    """What exact extraction did: the cost it started from, the cost it found, and its time.

    `certain` is False if the solver had no time to prove that nothing is cheaper.
    """

    start: int
    cost: int
    seconds: float
    certain: bool


def require_solver() -> None:
    """Raise `UnsupportedOperation` where SciPy, an optional dependency, is not installed."""
    if find_spec("scipy") is None:
        raise UnsupportedOperation(not_installed("exact extraction needs", "scipy"))


def cheapest_dag_exactly(
    members: Members[M],
    cost: Cost[M],
    start: Mapping[int, M],
    roots: Sequence[int],
    seconds: float = SECONDS,
) -> tuple[dict[int, M], Solved]:
    """A choice of e-nodes whose DAG below `roots` is cheapest, and what it took to find it.

    `start` is a choice to improve on: it is kept if the solver finds none that is cheaper in the
    time it has. Needs SciPy, see `require_solver`.

    >>> from dataclasses import make_dataclass
    >>> Node = make_dataclass("Node", ["price", "children"])
    >>> whole, double, part = Node(10, ()), Node(1, (1, 1)), Node(5, ())
    >>> members = {0: [whole, double], 1: [part]}
    >>> best, solved = cheapest_dag_exactly(
    ...     members, lambda _, node: node.price, {0: whole, 1: part}, [0]
    ... )
    >>> best[0] is double, solved.start, solved.cost, solved.certain
    (True, 10, 6, True)
    """
    began = perf_counter()
    price = dag_cost(start, cost, roots)
    found, certain = _solution(members, cost, roots, price, began + seconds)
    choice = {**start, **found}
    least = dag_cost(choice, cost, roots)
    if least >= price:
        choice, least = dict(start), price
    return choice, Solved(price, least, perf_counter() - began, certain)


def _solution(
    members: Members[M], cost: Cost[M], roots: Sequence[int], bound: int, end: float
) -> tuple[dict[int, M], bool]:
    """The e-nodes of a cheapest DAG, none if nothing cheaper than `bound` was found.

    And whether the search was finished at the time `end`.
    """
    left, needed = pruned(members, cost, roots, bound)
    if not all(left[r] for r in roots):
        return {}, True
    program = _Program(left, cost, needed)
    program.rule_out(_loops_of_classes(left))
    while True:
        chosen, finished = program.solve(end - perf_counter())
        if not chosen:
            return {}, finished
        found = {c: chosen[c] for c in used(chosen, roots)}
        loops = list(_loops({c: m.children for c, m in found.items()}))
        if not loops:
            return found, finished
        if not finished:
            return {}, False
        program.rule_out(loops)


def _loops(references: Mapping[int, Collection[int]]) -> Iterator[frozenset[int]]:
    """The strongly connected components of more than one e-class."""
    from scipy.sparse import csgraph, csr_array

    number = {c: k for k, c in enumerate(references)}
    pairs = [(number[c], number[x]) for c, below in references.items() for x in set(below)]
    rows, columns = np.array(pairs, dtype=int).reshape(-1, 2).T
    graph = csr_array((np.ones(len(pairs)), (rows, columns)), shape=(len(number), len(number)))
    _, labels = csgraph.connected_components(graph, connection="strong")
    components: dict[int, list[int]] = {}
    for c, label in zip(references, labels.tolist(), strict=True):
        components.setdefault(label, []).append(c)
    return (frozenset(loop) for loop in components.values() if len(loop) > 1)


def _loops_of_classes(members: Members[M]) -> list[frozenset[int]]:
    """The largest sets of e-classes that may refer to one another, and the pairs that do."""
    references = {c: {x for m in nodes for x in m.children} for c, nodes in members.items()}
    largest = list(_loops(references))
    pairs = [
        frozenset((c, x))
        for loop in largest
        for c in sorted(loop)
        for x in sorted(references[c])
        if c < x and c in references[x]
    ]
    return list(dict.fromkeys([*largest, *pairs]))


class _Program(Generic[M]):
    """The integer program: a variable for each e-node, rows of coefficients with their bounds."""

    def __init__(self, members: Members[M], cost: Cost[M], needed: Collection[int]) -> None:
        self.members = members
        self.chosen: list[tuple[int, M]] = [(c, m) for c, nodes in members.items() for m in nodes]
        self.of: dict[int, list[int]] = {c: [] for c in members}
        for k, (c, _) in enumerate(self.chosen):
            self.of[c].append(k)
        # What every answer pays would only cost digits.
        least = {c: min(cost(c, m) for m in members[c]) for c in needed}
        prices = np.array([cost(c, m) - least.get(c, 0) for c, m in self.chosen], dtype=float)
        self.prices = prices * (LARGEST_PRICE / max(LARGEST_PRICE, prices.max()))
        self.rows: list[dict[int, int]] = []
        self.bounds: list[tuple[float, float]] = []
        for c, nodes in members.items():
            self._add(dict.fromkeys(self.of[c], 1), 1 if c in needed else 0, 1)
            operands: dict[int, list[int]] = {}
            for k, m in zip(self.of[c], nodes, strict=True):
                for x in dict.fromkeys(m.children):
                    if x not in needed:
                        operands.setdefault(x, []).append(k)
            # One of these e-nodes is chosen only if the operand has a chosen e-node.
            for x, choices in operands.items():
                self._add(dict.fromkeys(choices, 1) | dict.fromkeys(self.of[x], -1), -np.inf, 0)

    def _add(self, row: dict[int, int], lower: float, upper: float) -> None:
        self.rows.append(row)
        self.bounds.append((lower, upper))

    def rule_out(self, loops: Collection[frozenset[int]]) -> None:
        """Add the formulas of some loops: an e-class of one in use needs a way out of it."""
        for loop in loops:
            ways_out = {
                k for c in loop for k in self.of[c] if loop.isdisjoint(self.chosen[k][1].children)
            }
            for c in sorted(loop):
                choices = set(self.of[c])
                inside, outside = choices - ways_out, ways_out - choices
                self._add(dict.fromkeys(inside, 1) | dict.fromkeys(outside, -1), -np.inf, 0)

    def solve(self, seconds: float) -> tuple[dict[int, M], bool]:
        """The e-nodes chosen, none where there is no solution, and whether that is certain."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        entries = [(i, k, v) for i, row in enumerate(self.rows) for k, v in sorted(row.items())]
        rows, columns, values = zip(*entries, strict=True)
        shape = (len(self.rows), len(self.prices))
        matrix: Any = csr_array((np.array(values, dtype=float), (rows, columns)), shape=shape)
        lower, upper = np.array(self.bounds).T
        result: Any = milp(
            self.prices,
            integrality=np.ones(len(self.prices)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, lower, upper),
            options={"mip_rel_gap": 0, "time_limit": max(0.0, seconds)},
        )
        # 0: optimal; 2: infeasible.
        certain = result.status in (0, 2)
        if result.x is None:
            return {}, certain
        return {c: m for (c, m), x in zip(self.chosen, result.x, strict=True) if x > 0.5}, certain
