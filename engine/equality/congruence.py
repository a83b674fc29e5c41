"""Equal terms, and why they are: congruence closure that keeps its reasons.

Nieuwenhuis, Oliveras 2005, Proof-producing congruence closure. Beside the e-classes there is a
forest in which every edge is a reason: an equation, or that operands are equal pair by pair. Two
terms of an e-class have one path between them, and no later edge changes it.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eggrad.engine.laws.rule import BulkRule, Rule
from eggrad.engine.terms.term import Term, postorder


@dataclass(frozen=True, eq=False)
class Equation:
    """An instance of a rule, which may be rewritten from left to right."""

    rule: Rule | BulkRule
    left: Term
    right: Term


@dataclass(frozen=True, eq=False)
class Edge:
    """A step of a path between equal terms; without an equation it is by equal operands."""

    start: Term
    end: Term
    equation: Equation | None

    @property
    def backwards(self) -> bool:
        """Whether the equation is used from right to left."""
        return self.equation is not None and self.start is not self.equation.left


class Congruence:
    """E-classes of terms, closed under equal operands after `close`."""

    def __init__(self) -> None:
        """Begin without terms."""
        self._up: dict[Term, Term] = {}
        self._size: dict[Term, int] = {}
        self._reason: dict[Term, Edge] = {}
        self._users: dict[Term, list[Term]] = {}
        self._first: dict[tuple[object, ...], Term] = {}
        self._waiting: deque[Term] = deque()

    def __len__(self) -> int:
        """The number of terms."""
        return len(self._up)

    def __iter__(self) -> Iterator[Term]:
        """Every term, its operands before it."""
        return iter(self._up)

    def __contains__(self, term: Term) -> bool:
        """Whether a term was added."""
        return term in self._up

    def add(self, terms: Iterable[Term]) -> None:
        """Add terms, and all that they are made of."""
        for t in postorder(*(t for t in terms if t not in self._up)):
            if t not in self._up:
                self._up[t] = t
                self._size[t] = 1
                self._users[t] = []
                self._waiting.append(t)
                for cls in dict.fromkeys(map(self.find, t.args)):
                    self._users[cls].append(t)

    def find(self, term: Term) -> Term:
        """The term that stands for a term's e-class."""
        up = self._up
        while (above := up[term]) is not term:
            up[term] = term = up[above]
        return term

    def same(self, a: Term, b: Term) -> bool:
        """Whether two terms are known to be equal."""
        return self.find(a) is self.find(b)

    def key(self, term: Term) -> tuple[object, ...]:
        """The same for terms whose operands are equal pair by pair."""
        return (term.op, term.data, term.dims, *(self.find(a) for a in term.args))

    def unite(self, equation: Equation) -> None:
        """Say that both sides of an equation, which are added, are equal."""
        self.add([equation.left, equation.right])
        self._join(Edge(equation.left, equation.right, equation))

    def close(self) -> dict[tuple[object, ...], Term]:
        """Unite all terms whose operands are equal; return one term for each key."""
        while self._waiting:
            t = self._waiting.popleft()
            # A key of a class that has gone into another one is never asked for again.
            first = self._first.setdefault(self.key(t), t)
            if not self.same(first, t):
                self._join(Edge(first, t, None))
        table: dict[tuple[object, ...], Term] = {}
        for t in self._up:
            table.setdefault(self.key(t), t)
        return table

    def _join(self, edge: Edge) -> None:
        a, b = self.find(edge.start), self.find(edge.end)
        if a is b:
            return
        if self._size[a] > self._size[b]:
            a, b = b, a
            edge = Edge(edge.end, edge.start, edge.equation)
        self._turn(edge.start)
        self._reason[edge.start] = edge
        self._up[a] = b
        self._size[b] += self._size[a]
        users = self._users.pop(a)
        self._users[b] += users
        self._waiting += users

    def _turn(self, term: Term) -> None:
        """Let a term be the root of its tree in the forest."""
        before = self._reason.pop(term, None)
        while before is not None:
            above = before.end
            turned = Edge(above, before.start, before.equation)
            before, self._reason[above] = self._reason.pop(above, None), turned

    def path(self, a: Term, b: Term) -> list[Edge]:
        """The edges from one term of an e-class to another."""
        up, down = self._to_root(a), self._to_root(b)
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return up + [Edge(e.end, e.start, e.equation) for e in reversed(down)]

    def _to_root(self, term: Term) -> list[Edge]:
        found: list[Edge] = []
        while (edge := self._reason.get(term)) is not None:
            found.append(edge)
            term = edge.end
        return found
